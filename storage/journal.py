"""What follows from the journal and the ledger alone, whichever store keeps them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from storage.ports import Change, ChangeReceipt, Intent, LedgerDraft
from storage.receipt import Receipt
from storage.records import LedgerEntry
from storage.truth import ChangedChains

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


def removal_receipt(change: Change, went: ChangeReceipt, removed: Mapping[str, Iterable[str]]) -> Receipt | None:
    """The receipt of a change that ``removed`` these sources (with the documents of each); None if it removed none."""
    if not removed:
        return None
    return Receipt(
        at=change.at,
        actor=change.actor,
        reason=change.reason,
        sources=tuple(sorted(removed)),
        documents=tuple(sorted({document for documents in removed.values() for document in documents})),
        chunks=went.chunks,
        evidence=went.evidence,
        relations=went.relations,
        statements=went.statements,
        chains=went.chains,
    )


def removal_entry(receipt: Receipt) -> LedgerDraft:
    """What the ledger says of a removal: the receipt's id, which is the hash of its content, and the sources."""
    return LedgerDraft(
        action="remove",
        actor=receipt.actor,
        at=receipt.at,
        reason=receipt.reason,
        ids=(receipt.id, *receipt.sources),
    )


def moved_entries(
    moved: ChangedChains, cause: Change | LedgerDraft, *, but: Collection[str] = ()
) -> Iterator[LedgerDraft]:
    """What the ledger says of accepted chains that went or came back with a change or a verdict.

    Those in ``but`` are named by the verdict itself.
    """
    batch = cause.batch if isinstance(cause, LedgerDraft) else None
    for action, chains in (("retire", moved.accepted_retired), ("restore", moved.accepted_restored)):
        ids = tuple(id_ for id_ in chains if id_ not in but)
        if ids:
            yield LedgerDraft(action=action, actor=cause.actor, at=cause.at, batch=batch, ids=ids)


__all__ = ["chained", "hidden_documents", "moved_entries", "removal_entry", "removal_receipt"]
