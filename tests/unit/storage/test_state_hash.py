"""One number for the state of a graph."""

from __future__ import annotations

import hashlib
import itertools
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from storage.identity import make_id
from storage.records import Chain, Mention, Record, Relation, RelationType, SameAs, Source, Span
from storage.state_hash import canonical_line, state_hash

A, B = make_id("stm", "a"), make_id("stm", "b")
DOC = make_id("doc", "d")


def source(**changed: Any) -> Source:
    fields: dict[str, Any] = {
        "namespace": "papers",
        "path": "a.md",
        "location": "/home/x/papers/a.md",
        "document_id": DOC,
        "raw_hash": "00",
        "fingerprint": "loader=text@1",
        "ingested_at": datetime(2024, 5, 1, tzinfo=UTC),
    }
    return Source(**(fields | changed))


RECORDS: list[Record] = [
    source(),
    Relation(type=RelationType.CAUSAL, head=A, tail=B),
    Mention(statement_id=A, document_id=DOC, span=Span(start=0, end=2), text="台风"),
    Chain(relation_ids=("r1", "r2")),
]


def test_the_hash_is_that_of_the_sorted_lines() -> None:
    chain, other = Chain(relation_ids=("r1", "r2")), Chain(relation_ids=("r0",), derived=True)
    export = (
        '["Chain",{"derived":false,"relation_ids":["r1","r2"]}]\n'  # false sorts before true
        '["Chain",{"derived":true,"relation_ids":["r0"]}]\n'
    )
    assert state_hash([other, chain]) == hashlib.sha256(export.encode()).hexdigest()


def test_nothing_at_all_has_the_hash_of_nothing() -> None:
    assert state_hash([]) == hashlib.sha256(b"").hexdigest()


def test_order_does_not_count() -> None:
    assert len({state_hash(order) for order in itertools.permutations(RECORDS)}) == 1


def test_similarity_links_do_not_count() -> None:
    link = SameAs(first=min(A, B), second=max(A, B), score=0.8, origin="key@1")
    assert state_hash([*RECORDS, link]) == state_hash(RECORDS)


@pytest.mark.parametrize(
    "changed",
    [
        {"ingested_at": datetime(2025, 1, 1, tzinfo=UTC)},
        {"location": "/elsewhere/a.md"},
        {"location": None},
        {"raw_hash": "ff"},
        {"fingerprint": "loader=text@2"},
    ],
)
def test_when_from_where_and_with_what_a_source_was_read_does_not_count(changed: dict[str, Any]) -> None:
    assert state_hash([source(**changed)]) == state_hash([source()])


@pytest.mark.parametrize(
    "changed",
    [
        {"namespace": "notes"},
        {"path": "b.md"},
        {"groups": ("staff",)},
        {"groups": ()},
        {"metadata": {"year": 2024}},
        {"valid_from": datetime(2024, 1, 1, tzinfo=UTC)},
        {"valid_to": datetime(2024, 1, 1, tzinfo=UTC)},
        {"document_id": make_id("doc", "other")},
    ],
)
def test_everything_that_is_known_of_a_source_counts(changed: dict[str, Any]) -> None:
    assert state_hash([source(**changed)]) != state_hash([source()])


def test_names_that_cannot_be_encoded_are_told_apart() -> None:
    odd = [{"\ud800": 1}, {"\ud801": 1}, {"?": 1}, {"year": "\ud800"}, {"year": "\ud801"}, {"year": "?"}]
    assert len({state_hash([source(metadata=metadata)]) for metadata in odd}) == len(odd)
    assert len({state_hash([source(path=path)]) for path in ("\ud800.md", "\ud801.md", "?.md")}) == 3


def test_every_record_counts_and_so_does_saying_it_twice() -> None:
    whole = state_hash(RECORDS)
    assert all(state_hash(RECORDS[:i] + RECORDS[i + 1 :]) != whole for i in range(len(RECORDS)))
    assert state_hash([*RECORDS, RECORDS[0]]) != whole


def test_a_text_with_line_ends_cannot_pass_for_two_records() -> None:
    line = canonical_line(Mention(statement_id=A, document_id=DOC, span=Span(start=0, end=3), text='a\n["Chain",{}]'))
    assert "\n" not in line
    assert json.loads(line)[1]["text"] == 'a\n["Chain",{}]'


def test_records_of_different_kinds_with_equal_fields_differ() -> None:
    class Copy(Record):
        relation_ids: tuple[str, ...]
        derived: bool = False

    assert state_hash([Copy(relation_ids=("r1",))]) != state_hash([Chain(relation_ids=("r1",))])
