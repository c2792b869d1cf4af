"""The ledger's chain of hashes: any alteration is found, and the entry that was altered is named."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from feedback.ledger import START, verify
from storage.records import LedgerEntry

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)


def ledger(length: int) -> list[LedgerEntry]:
    entries: list[LedgerEntry] = []
    for i in range(length):
        entries.append(
            LedgerEntry(
                position=i, previous=entries[-1].hash if entries else START, action="propose", actor="ask",
                at=NOON + timedelta(minutes=i + 1), batch=None, reason=f"reason {i}", ids=(f"prp_{i}",),
            )
        )  # fmt: skip
    return entries


def test_an_untouched_ledger_is_intact() -> None:
    entries = ledger(5)
    report = verify(entries)
    assert (report.entries, report.intact, report.head, report.broken_at) == (5, True, entries[4].hash, None)


def test_an_empty_ledger_is_intact() -> None:
    assert verify([]).model_dump() == {"entries": 0, "intact": True, "head": "0" * 64, "broken_at": None, "reason": ""}


@pytest.mark.parametrize("position", range(4))
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("position", 9), ("previous", "f" * 64), ("action", "accept"), ("actor", "eve"), ("at", NOON),
        ("batch", "bat_1"), ("reason", "other"), ("ids", ("prp_x",)),
    ],
)  # fmt: skip
def test_an_alteration_of_any_field_is_found_and_its_entry_named(position: int, field: str, value: object) -> None:
    entries = ledger(6)
    entries[position] = entries[position].model_copy(update={field: value})
    report = verify(entries)
    assert (report.intact, report.broken_at) == (False, position)
    assert f"{position}" in report.reason


@pytest.mark.parametrize("field", ["action", "reason", "ids"])
def test_an_alteration_of_the_last_entry_is_found_with_the_hash_noted_before(field: str) -> None:
    entries = ledger(4)
    noted = verify(entries).head
    entries[3] = entries[3].model_copy(update={field: ("x",) if field == "ids" else "x"})
    assert verify(entries, noted=noted).broken_at == 3


def test_an_entry_left_out_is_found() -> None:
    entries = ledger(5)
    assert verify(entries[:2] + entries[3:]).broken_at == 2


def test_entries_that_changed_places_are_found() -> None:
    entries = ledger(5)
    entries[1], entries[2] = entries[2], entries[1]
    assert verify(entries).broken_at == 1


def test_entries_cut_off_are_found_with_the_hash_noted_before() -> None:
    entries = ledger(5)
    noted = verify(entries).head
    assert verify(entries[:3]).intact
    assert not verify(entries[:3], noted=noted).intact


def test_a_ledger_that_grew_still_has_the_hash_noted_before() -> None:
    entries = ledger(6)
    assert verify(entries, noted=entries[2].hash).intact
