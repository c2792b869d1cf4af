"""The nouns: what they refuse, what they normalise and what their identity hangs on."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from pydantic import ValidationError

from storage.identity import is_id, make_id
from storage.records import (
    OWNER,
    AccessClass,
    Chain,
    Chunk,
    Direction,
    Document,
    Evidence,
    LedgerEntry,
    Modality,
    Page,
    Polarity,
    Proposal,
    ProposalStatus,
    Relation,
    RelationType,
    SameAs,
    Section,
    Source,
    Span,
    Statement,
    StatementKey,
    StoredDocument,
    View,
    metadata_tag,
)

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
BEIJING = timezone(timedelta(hours=8))

# --- spans and keys


@pytest.mark.parametrize(("start", "end"), [(0, 0), (5, 5), (5, 4), (-1, 3)])
def test_a_span_is_never_empty_backward_or_negative(start: int, end: int) -> None:
    with pytest.raises(ValidationError):
        Span(start=start, end=end)


@pytest.mark.parametrize(
    ("one", "other", "together"),
    [((0, 5), (4, 9), True), ((0, 5), (5, 9), False), ((2, 3), (0, 9), True), ((6, 9), (0, 5), False)],
)
def test_spans_overlap_when_they_share_a_code_point(
    one: tuple[int, int], other: tuple[int, int], together: bool
) -> None:
    a, b = Span(start=one[0], end=one[1]), Span(start=other[0], end=other[1])
    assert a.overlaps(b) is b.overlaps(a) is together


def test_a_shifted_span_keeps_its_length() -> None:
    assert Span(start=3, end=5).shifted(10) == Span(start=13, end=15)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        (StatementKey(language="en", terms=("port", "close")), "none:port close"),
        (
            StatementKey(language="en", terms=("corn", "price"), direction=Direction.UP, negated=True),
            "not up:corn price",
        ),
        (StatementKey(language="zh", terms=("铜", "价格"), direction=Direction.DOWN), "down:铜 价格"),
    ],
)
def test_a_key_is_shown_with_its_direction_and_negation(key: StatementKey, text: str) -> None:
    assert key.text == text


def test_a_key_has_at_least_one_term() -> None:
    with pytest.raises(ValidationError):
        StatementKey(language="en", terms=())


def test_statements_with_any_difference_in_their_key_are_different() -> None:
    keys = [
        StatementKey(language="en", terms=("price",)),
        StatementKey(language="zh", terms=("price",)),
        StatementKey(language="en", terms=("price", "corn")),
        StatementKey(language="en", terms=("corn", "price")),
        StatementKey(language="en", terms=("price",), direction=Direction.UP),
        StatementKey(language="en", terms=("price",), direction=Direction.DOWN),
        StatementKey(language="en", terms=("price",), negated=True),
    ]
    assert len({Statement(key=k).id for k in keys}) == len(keys)


# --- documents


def test_records_are_frozen_and_refuse_fields_they_do_not_know() -> None:
    document = Document(text="a")
    with pytest.raises(ValidationError):
        document.text = "b"
    with pytest.raises(ValidationError, match="txet"):
        Document(text="a", txet="b")  # type: ignore[call-arg]


def test_text_and_title_of_a_document_are_in_stored_form() -> None:
    document = Document(text="a\r\nb\x00\ud800", title="t\u2028u")
    assert (document.text, document.title) == ("a\nb", "t\nu")


def test_groups_are_a_set_and_no_group_is_not_an_unnamed_one() -> None:
    assert Document(text="a", groups=("b", "a", "b")).groups == ("a", "b")
    assert Document(text="a", groups=()).groups == ()
    assert Document(text="a").groups is None


@pytest.mark.parametrize(
    "changed",
    [
        {"text": "b"},
        {"title": "t"},
        {"language": "en"},
        {"sections": (Section(path=("h",), start=0, end=1),)},
        {"pages": (Page(number=1, start=0, end=1),)},
    ],
)
def test_the_content_hash_covers_text_title_language_and_structure(changed: dict[str, Any]) -> None:
    assert Document(**({"text": "a"} | changed)).content_hash != Document(text="a").content_hash


@pytest.mark.parametrize(
    "changed",
    [{"id": "x"}, {"groups": ("g",)}, {"metadata": {"k": 1}}, {"valid_from": NOON}, {"valid_to": NOON}],
)
def test_the_content_hash_leaves_out_who_may_see_it_and_when(changed: dict[str, Any]) -> None:
    assert Document(text="a", **changed).content_hash == Document(text="a").content_hash


def test_the_content_hash_is_the_sha256_of_canonical_json() -> None:
    written = '{"language":"zh","pages":[],"sections":[],"text":"台风","title":""}'
    assert Document(text="台风", language="zh").content_hash == hashlib.sha256(written.encode()).hexdigest()


def test_a_heading_with_a_lone_surrogate_can_be_hashed() -> None:
    assert len(Document(text="a", sections=(Section(path=("\ud800",), start=0, end=1),)).content_hash) == 64


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (datetime(2024, 5, 1, 12), NOON),  # without a zone it is taken as UTC
        (datetime(2024, 5, 1, 20, tzinfo=BEIJING), NOON),
        ("2024-05-01T20:00:00+08:00", NOON),
        ("2024-05-01T12:00:00Z", NOON),
    ],
)
def test_times_are_utc(given: Any, kept: datetime) -> None:
    stored = Document(text="a", valid_from=given).valid_from
    assert stored is not None
    assert stored == kept
    assert stored.utcoffset() == timedelta(0)


def test_metadata_keeps_its_types() -> None:
    metadata = Document(text="a", metadata={"a": True, "b": 1, "c": 1.0, "d": "1"}).metadata
    assert [type(v) for v in metadata.values()] == [bool, int, float, str]


def test_metadata_is_compared_as_it_is_written() -> None:
    assert len({metadata_tag("year", v) for v in (2026, 2026.0, "2026")}) == 1
    assert len({metadata_tag("final", v) for v in (True, "true")}) == 1
    assert len({metadata_tag("k", v) for v in (True, 1, 1.5, "1.50", False, "")}) == 6


def test_a_metadata_tag_depends_on_name_and_value_and_has_a_fixed_form() -> None:
    tag = metadata_tag("team", "港口 ' OR 1=1")
    assert tag == hashlib.sha256('["team", "港口 \' OR 1=1"]'.encode()).hexdigest()[:32]
    assert metadata_tag("a", "b") != metadata_tag("b", "a")


# --- identities


def source(**changed: Any) -> Source:
    fields: dict[str, Any] = {
        "namespace": "papers",
        "path": "a.md",
        "document_id": make_id("doc", "d"),
        "raw_hash": "00",
        "fingerprint": "f",
        "ingested_at": NOON,
    }
    return Source(**(fields | changed))


def test_a_source_is_its_namespace_and_path_and_nothing_else() -> None:
    assert source().id == make_id("src", "papers", "a.md")
    same = source(
        location="/x", groups=(), metadata={"k": 1}, document_id="other", raw_hash="1", fingerprint="2", valid_to=NOON
    )
    assert same.id == source().id
    assert source(namespace="notes").id != source().id
    assert source(namespace="pap", path="ersa.md").id != source().id


def test_a_source_is_public_unless_it_says_otherwise() -> None:
    assert source().groups == ("public",)


def test_equal_texts_of_two_sources_are_two_documents() -> None:
    one, other = (
        StoredDocument(source_id=make_id("src", s), content_hash="c", title="t", language="en", length=1) for s in "ab"
    )
    assert one.id != other.id


def test_a_chunk_is_its_document_and_offsets() -> None:
    chunk = Chunk(document_id="d", start=0, end=9, ordinal=0)
    assert chunk.id == Chunk(document_id="d", start=0, end=9, ordinal=7, section=("h",), page=3).id
    others = [Chunk(document_id="d", start=1, end=9, ordinal=0), Chunk(document_id="d", start=0, end=8, ordinal=0)]
    assert len({chunk.id, *(c.id for c in others)}) == 3


def test_a_relation_is_its_type_ends_and_polarity_and_has_a_direction() -> None:
    a, b = make_id("stm", "a"), make_id("stm", "b")
    relations = [
        Relation(type=RelationType.CAUSAL, head=a, tail=b),
        Relation(type=RelationType.CAUSAL, head=b, tail=a),
        Relation(type=RelationType.SEQUENTIAL, head=a, tail=b),
        Relation(type=RelationType.CAUSAL, head=a, tail=b, polarity=Polarity.NEGATED),
    ]
    assert len({r.id for r in relations}) == 4
    assert relations[0].id == make_id("rel", "causal", a, b, "affirmed")


def evidence(**changed: Any) -> Evidence:
    fields: dict[str, Any] = {
        "relation_id": make_id("rel", "r"),
        "document_id": make_id("doc", "d"),
        "head": Span(start=20, end=30),
        "tail": Span(start=2, end=9),
        "cue": Span(start=10, end=17),
        "subtype": "cause",
        "modality": Modality.ASSERTED,
        "explicit": True,
        "confidence": 0.9,
        "origin": "test@1",
    }
    return Evidence(**(fields | changed))


def test_evidence_is_its_relation_document_and_offsets() -> None:
    same = evidence(subtype="enable", modality=Modality.HEDGED, explicit=False, confidence=0.1, origin="human:x")
    assert same.id == evidence().id
    for changed in (
        {"relation_id": make_id("rel", "s")},
        {"document_id": make_id("doc", "e")},
        {"head": Span(start=20, end=31)},
        {"tail": Span(start=3, end=9)},
        {"cue": Span(start=10, end=16)},
        {"cue": None},
    ):
        assert evidence(**changed).id != evidence().id


def test_a_quote_is_the_smallest_range_that_holds_head_tail_and_cue() -> None:
    assert evidence().quote == Span(start=2, end=30)
    assert evidence(cue=Span(start=40, end=41)).quote == Span(start=2, end=41)
    assert evidence(cue=None, head=Span(start=0, end=1)).quote == Span(start=0, end=9)


@pytest.mark.parametrize("confidence", [0.0, -0.1, 1.01, float("nan")])
def test_a_confidence_lies_in_zero_to_one_without_zero(confidence: float) -> None:
    with pytest.raises(ValidationError):
        evidence(confidence=confidence)


def test_a_chain_is_its_relations_in_order() -> None:
    assert Chain(relation_ids=("a", "b")).id != Chain(relation_ids=("b", "a")).id
    assert Chain(relation_ids=("a", "b")).id == Chain(relation_ids=("a", "b"), derived=True).id
    with pytest.raises(ValidationError):
        Chain(relation_ids=())


@pytest.mark.parametrize(("first", "second"), [("b", "a"), ("a", "a")])
def test_a_same_as_link_is_an_unordered_pair_of_two(first: str, second: str) -> None:
    with pytest.raises(ValidationError):
        SameAs(first=first, second=second, score=0.5, origin="key")


def test_a_proposal_is_its_content_and_proposer() -> None:
    fields: dict[str, Any] = {"proposed_at": NOON, "status": ProposalStatus.QUARANTINED}
    one = Proposal(relation_ids=("a", "b"), proposer="ann", **fields)
    assert one.id == Proposal(relation_ids=("a", "b"), proposer="ann", question="why?", **fields).id
    assert one.id != Proposal(relation_ids=("a", "b"), proposer="bob", **fields).id
    assert one.id != Proposal(relation_ids=("b", "a"), proposer="ann", **fields).id
    assert one.chain_id == Chain(relation_ids=("a", "b")).id
    assert is_id(one.id, "prp")


def test_a_ledger_entry_is_hashed_over_every_field() -> None:
    fields: dict[str, Any] = {"position": 0, "previous": "0" * 64, "action": "accept", "actor": "ann", "at": NOON}
    entry = LedgerEntry(**fields)
    written: dict[str, Any] = {
        "action": "accept",
        "actor": "ann",
        "at": "2024-05-01T12:00:00Z",
        "batch": None,
        "ids": [],
        "position": 0,
        "previous": "0" * 64,
        "reason": "",
    }
    assert entry.hash == hashlib.sha256(json.dumps(written, separators=(",", ":")).encode()).hexdigest()
    for changed in (
        {"position": 1},
        {"previous": "1" * 64},
        {"action": "reject"},
        {"actor": "bob"},
        {"at": NOON + timedelta(microseconds=1)},
        {"batch": "b"},
        {"reason": "r"},
        {"ids": ("i",)},
    ):
        assert LedgerEntry(**(fields | changed)).hash != entry.hash


# --- who may see what


def test_the_owner_is_not_nobody() -> None:
    assert OWNER.groups is None
    assert View(groups=frozenset()).groups == frozenset()


@pytest.mark.parametrize(
    ("sets", "rule"),
    [
        ([("a", "b")], (("a", "b"),)),
        ([("b", "a", "a")], (("a", "b"),)),
        ([("a",), ("a", "b")], (("a",),)),  # whoever has a has a or b
        ([("a", "b"), ("b", "c")], (("a", "b"), ("b", "c"))),
        ([("b", "c"), ("a", "b"), ("b", "a")], (("a", "b"), ("b", "c"))),
        ([("a",), ()], ((),)),  # nobody
        ([()], ((),)),
        ([], ()),  # everybody
    ],
)
def test_a_rule_has_one_minimal_form(sets: list[tuple[str, ...]], rule: tuple[tuple[str, ...], ...]) -> None:
    assert AccessClass.of(sets).rule == rule
    assert AccessClass.of(sets[::-1]).id == AccessClass.of(sets).id


@pytest.mark.parametrize(
    ("sets", "groups", "admitted"),
    [
        ([("a", "b")], {"a"}, True),
        ([("a", "b")], {"c"}, False),
        ([("a", "b")], set(), False),
        ([("a",), ("b",)], {"a"}, False),
        ([("a",), ("b",)], {"a", "b", "c"}, True),
        ([()], {"a"}, False),
        ([()], None, True),
        ([("a",)], None, True),
    ],
)
def test_every_set_of_a_rule_must_be_met_and_the_owner_meets_all(
    sets: list[tuple[str, ...]], groups: set[str] | None, admitted: bool
) -> None:
    assert AccessClass.of(sets).admits(None if groups is None else frozenset(groups)) is admitted


def test_rules_that_only_look_alike_have_different_ids() -> None:
    rules: list[list[tuple[str, ...]]] = [[("a", "b")], [("a",), ("b",)], [("a,b",)], [('a","b',)], [()], []]
    assert len({AccessClass.of(r).id for r in rules}) == len(rules)
