"""What every graph store must do with older versions of a source that are kept."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from storage.errors import NotFoundError, UsageError
from storage.identity import make_id
from storage.ports import Change, Intent
from storage.records import OWNER, Period, RelationType, Source, View
from storage.state_hash import state_hash

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
FIRST, SECOND, THIRD = NOW - timedelta(days=30), NOW - timedelta(days=20), NOW - timedelta(days=10)


def change(graph, *adds, **more):
    """One whole change: intent, transaction, clean-up."""
    intent = make_id("int", "version", len(adds), *sorted(more))
    graph.begin(Intent(id=intent, at=NOW))
    receipt = graph.commit(Change(intent_id=intent, adds=adds, at=NOW, **more))
    graph.finish(intent)
    return receipt


def until(source, moment):
    return source.model_copy(update={"valid_to": moment})


def at(graph, moment, *groups):
    return graph.scope(View(as_of=moment, groups=frozenset(groups) if groups else None))


def always(graph):
    return graph.scope(OWNER).model_copy(update={"at": None})


@pytest.fixture
def old(samples):
    return samples.document(
        "a", [("rain", "flood", 0.8), ("flood", "damage", 0.6)], chains=[samples.chain("rain", "flood", "damage")],
        metadata={"edition": 1},
    )  # fmt: skip


@pytest.fixture
def new(samples):
    return samples.document("a", [("rain", "harvest", 0.7)], text="2", metadata={"edition": 2}, valid_from=SECOND)


@pytest.fixture
def kept(old):
    return until(old.source, SECOND)


def replaced(graph, old, new, kept):
    change(graph, old)
    return change(graph, new, keeps=(kept,))


def tails(graph, samples, scope):
    hop = graph.edges(
        [samples.statement("rain").id], scope, forward=True, types=tuple(RelationType), min_confidence=0, fan_out=9
    )
    return {edge.tail for edge in hop.edges}


def test_a_version_that_is_kept_is_seen_at_its_time_and_at_no_other(graph, samples, old, new, kept):
    receipt = replaced(graph, old, new, kept)
    assert (receipt.chunks, receipt.relations, receipt.statements, receipt.chains) == ((), (), (), ())
    now, then = graph.scope(OWNER), at(graph, FIRST)
    flood, harvest = samples.statement("flood").id, samples.statement("harvest").id
    for scope, source, shown, end in ((now, new.source, new, harvest), (then, kept, old, flood)):
        assert graph.sources(scope) == graph.sources(scope, [new.source.id]) == [source]
        assert set(graph.documents([old.document.id, new.document.id], scope)) == {shown.document.id}
        assert set(graph.chunks([old.document.id, new.document.id], scope)) == {shown.document.id}
        assert set(graph.statements([flood, harvest], scope)) == {end}
        assert tails(graph, samples, scope) == {end}
        counts = graph.counts(scope)
        assert (counts.sources, counts.documents, counts.chains) == (1, 1, len(shown.chains))
        assert graph.ids_starting(shown.document.id[:12], scope, limit=9) == [shown.document.id]
        assert graph.ids_starting(new.source.id[:12], scope, limit=9) == [new.source.id]
    assert graph.chains([old.chains[0].id], then)
    assert not graph.chains([old.chains[0].id], now)
    assert graph.sources(at(graph, SECOND)) == [new.source]
    assert graph.sources(at(graph, SECOND - timedelta(microseconds=1))) == [kept]


def test_metadata_belongs_to_the_version(graph, old, new, kept):
    replaced(graph, old, new, kept)
    for moment, edition, found in ((FIRST, 1, [kept]), (FIRST, 2, []), (NOW, 2, [new.source]), (NOW, 1, [])):
        assert graph.sources(graph.scope(View(as_of=moment, where={"edition": edition}))) == found


def test_at_any_time_all_versions_are_listed_in_order(graph, samples, old, new, kept):
    replaced(graph, old, new, kept)
    other = samples.document("b", valid_to=FIRST)
    change(graph, other)
    assert graph.sources(always(graph)) == [kept, new.source, other.source]
    assert set(graph.documents([old.document.id], always(graph))) == {old.document.id}
    counts = graph.counts(always(graph))
    assert (counts.sources, counts.documents) == (2, 3)
    assert graph.every_source() == sorted((new.source, other.source), key=lambda source: source.id)
    assert graph.kept_versions() == graph.kept_versions([new.source.id]) == [kept]
    assert graph.kept_versions([other.source.id]) == []


def test_what_only_an_older_version_says_stays_active_and_is_part_of_the_state(graph, samples, old, new, kept):
    change(graph, new)
    without = graph.state_hash()
    change(graph, removes=(new.source.id,))
    replaced(graph, old, new, kept)
    assert graph.state_hash() == state_hash(graph.records()) != without
    assert samples.statement("damage") in list(graph.records())
    assert {s.document_id for s in graph.records() if isinstance(s, Source)} == {old.document.id, new.document.id}
    receipt = change(graph, drops=(old.document.id,))
    assert receipt.relations == tuple(sorted(r.id for r in old.relations))
    assert receipt.chains == (old.chains[0].id,)
    assert (graph.state_hash(), graph.kept_versions()) == (without, [])


def test_without_keeps_the_present_version_goes_and_older_ones_stay(graph, samples, old, new, kept):
    replaced(graph, old, new, kept)
    third = samples.document("a", [("sun", "harvest", 0.9)], text="3", valid_from=SECOND)
    change(graph, third)
    assert graph.sources(graph.scope(OWNER)) == [third.source]
    assert graph.kept_versions() == [kept]
    assert graph.documents([new.document.id], always(graph)) == {}


def test_removing_a_source_removes_all_its_versions(graph, old, new, kept):
    empty = graph.state_hash()
    replaced(graph, old, new, kept)
    receipt = change(graph, removes=(new.source.id,))
    assert receipt.chunks == tuple(sorted(c.id for c in (*old.chunks, *new.chunks)))
    assert graph.state_hash() == empty
    assert (graph.every_source(), graph.kept_versions(), graph.faults()) == ([], [], [])


def test_older_versions_take_the_groups_of_the_present_one(graph, samples, old, new, kept):
    replaced(graph, old, new, kept)
    assert graph.sources(at(graph, FIRST, "public")) == [kept]
    graph.update_sources([new.source.model_copy(update={"groups": ("red",)})])
    hidden = kept.model_copy(update={"groups": ("red",)})
    assert graph.kept_versions() == [hidden]
    assert graph.sources(at(graph, FIRST, "public")) == []
    assert tails(graph, samples, at(graph, FIRST, "public")) == set()
    assert graph.sources(at(graph, FIRST, "red")) == [hidden]
    assert tails(graph, samples, at(graph, FIRST, "red")) == {samples.statement("flood").id}
    third = samples.document("a", text="3", groups=("blue",), valid_from=THIRD)
    change(graph, third, keeps=(until(new.source, THIRD),))  # which says public
    assert {s.groups for s in graph.kept_versions()} == {("blue",)}
    assert graph.faults() == []


def test_a_text_that_comes_back_is_seen_before_and_after_its_gap(graph, samples, old, new, kept):
    replaced(graph, old, new, kept)
    gaps = (Period(start=SECOND, end=THIRD),)
    back = old.model_copy(update={"source": old.source.model_copy(update={"gaps": gaps})})
    older = until(new.source, THIRD)
    change(graph, back, keeps=(older,), drops=(old.document.id,))
    assert (graph.every_source(), graph.kept_versions()) == ([back.source], [older])
    instant = timedelta(microseconds=1)
    for moment, source in (
        (FIRST, back.source), (SECOND - instant, back.source), (SECOND, older), (THIRD - instant, older),
        (THIRD, back.source), (NOW, back.source),
    ):  # fmt: skip
        assert graph.sources(at(graph, moment)) == [source]
        ends = {"flood"} if source == back.source else {"harvest"}
        assert tails(graph, samples, at(graph, moment)) == {samples.statement(end).id for end in ends}
    assert graph.scope(OWNER).bounded
    assert graph.faults() == []
    again = back.source.model_copy(update={"gaps": (*gaps, Period(start=NOW, end=NOW + instant))})
    graph.update_sources([again])
    assert graph.sources(graph.scope(OWNER)) == []
    assert graph.every_source() == [again]


def test_an_older_version_can_be_written_anew_and_moved_in_time(graph, samples, old, new, kept):
    replaced(graph, old, new, kept)
    anew = old.model_copy(update={"source": kept, "current": False, "chains": ()})
    change(graph, anew)
    assert (graph.every_source(), graph.kept_versions()) == ([new.source], [kept])
    assert not graph.chains([old.chains[0].id], at(graph, FIRST))
    earlier = until(kept, FIRST)
    change(graph, keeps=(earlier, new.source.model_copy(update={"valid_from": FIRST})))
    assert graph.kept_versions() == [earlier]
    assert [s.document_id for s in graph.sources(at(graph, FIRST))] == [new.document.id]
    ghost = samples.document("ghost").source
    with pytest.raises(NotFoundError):
        graph.update_sources([ghost])
    with pytest.raises(UsageError):
        graph.update_sources([kept.model_copy(update={"document_id": ghost.document_id})])


def test_every_version_is_copied_present_ones_first(graph, samples, old, new, kept):
    replaced(graph, old, new, kept)
    other = samples.document("b")
    change(graph, other)
    found = graph.document_graphs([old.document.id, new.document.id, other.document.id])
    assert sorted(found, key=lambda g: g.source.path) == sorted(found, key=lambda g: (g.source.path, not g.current))
    by_document = {g.document.id: g for g in found}
    assert by_document[new.document.id].current
    assert (by_document[old.document.id].current, by_document[old.document.id].source) == (False, kept)
    before = graph.state_hash()
    change(graph, removes=(new.source.id, other.source.id))
    change(graph, *reversed(found))
    assert (graph.state_hash(), graph.kept_versions(), graph.faults()) == (before, [kept], [])
