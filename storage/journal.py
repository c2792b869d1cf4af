"""What follows from the journal and the ledger alone, whichever store keeps them."""

from __future__ import annotations

from collections.abc import Iterable

from storage.ports import Intent, LedgerDraft
from storage.records import LedgerEntry

_FIRST = "0" * 64


def hidden_documents(intents: Iterable[Intent]) -> frozenset[str]:
    """Documents of open intents: those being added until the commit, those removed and not added again after it."""
    hidden: set[str] = set()
    for intent in intents:
        hidden.update(set(intent.removes).difference(intent.adds) if intent.committed else intent.adds)
    return frozenset(hidden)


def chained(draft: LedgerDraft, last: tuple[int, str] | None) -> LedgerEntry:
    """The entry that follows the ``last`` one (its position and hash; None: there is none)."""
    position, previous = (last[0] + 1, last[1]) if last else (0, _FIRST)
    return LedgerEntry(position=position, previous=previous, **draft.model_dump())


__all__ = ["chained", "hidden_documents"]
