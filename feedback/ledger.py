"""Checking the ledger: each entry names the hash of the one before, so none is altered, left out or moved unseen."""

from __future__ import annotations

from collections.abc import Iterable

from storage.identity import is_id
from storage.receipt import Receipt
from storage.records import LedgerEntry, Record

START = "0" * 64
"""What the first entry names as the hash before it."""


class LedgerReport(Record):
    """What a check of the whole ledger found.

    ``head`` is the hash of the last entry (of nothing: 64 zeros). Noted down elsewhere, it lets a later check prove
    that nothing up to that entry was altered or cut off.
    """

    entries: int
    intact: bool
    head: str
    broken_at: int | None = None  # position of the first broken entry
    reason: str = ""


def verify(
    entries: Iterable[LedgerEntry], *, noted: str | None = None, receipts: Iterable[Receipt] | None = None
) -> LedgerReport:
    """Check that positions count up from 0 and that every entry names the hash of the one before it.

    With ``receipts``, also that each receipt that an entry names is there: its id is the hash of its content, so one
    that was altered is not there under the id that the ledger names.

    An alteration of the last entry, or entries cut off at the end, leave a shorter or other chain that is unbroken in
    itself: they are found only with ``noted``, a head that was noted at an earlier check.
    """
    found = list(entries)
    hashes = [entry.hash for entry in found]
    head = hashes[-1] if found else START

    def broken(position: int, reason: str) -> LedgerReport:
        return LedgerReport(entries=len(found), intact=False, head=head, broken_at=position, reason=reason)

    def follows(i: int) -> bool:
        return found[i].previous == (hashes[i - 1] if i else START)

    for i, entry in enumerate(found):
        if entry.position != i:
            return broken(i, f"where entry {i} should stand there is one with the position {entry.position}")
        if not follows(i):
            # If the next entry does not know this one either, it was this one that was altered; else the one before.
            if i == 0 or (i + 1 < len(found) and not follows(i + 1)):
                return broken(i, f"entry {i} does not name the hash of what stands before it: it was altered")
            return broken(i - 1, f"entry {i} was written after another entry {i - 1} than stands here: it was altered")
    if noted is not None and noted not in (START, *hashes):
        return broken(
            max(len(found) - 1, 0),
            "no entry has the hash that was noted: the last entries were altered or cut off after it was taken",
        )
    if receipts is not None:
        there = {receipt.id for receipt in receipts}
        for entry in found:
            if missing := sorted({id_ for id_ in entry.ids if is_id(id_, "rcp")} - there):
                return broken(
                    entry.position, f"the receipt {missing[0]} that it names was altered, or is no longer in the store"
                )
    return LedgerReport(entries=len(found), intact=True, head=head)


__all__ = ["LedgerReport", "verify"]
