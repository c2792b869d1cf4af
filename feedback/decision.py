"""What a person decided, and what every decision needs."""

from __future__ import annotations

from storage.errors import UsageError
from storage.records import LedgerEntry, Proposal, Record, UtcTime


class Decision(Record):
    """What was decided, about which proposals or stored things, and its entry in the ledger."""

    action: str  # accept | reject | rollback
    proposals: tuple[Proposal, ...]
    subjects: tuple[str, ...] = ()  # relations, chains and same_as links that were rejected, or are no longer
    chains: tuple[str, ...]  # activated or withdrawn with it, sorted
    batch: str | None
    at: UtcTime
    entry: LedgerEntry


def require_words(actor: str, reason: str) -> None:
    """Raise UsageError if a decision has no name or no reason."""
    if not actor.strip():
        raise UsageError("A decision needs the name of the person who makes it.")
    if not reason.strip():
        raise UsageError("A decision needs a reason: give it with --reason.")


__all__ = ["Decision", "require_words"]
