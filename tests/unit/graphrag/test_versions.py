"""Versions of a source that are kept: what is answered of which time, and what upkeep makes of them."""

from __future__ import annotations

import io
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from stand_ins import OpenKb

from graphrag import Document, KnowledgeBase
from graphrag.backup import _put_records, _record_lines
from graphrag.results import IngestReport
from graphrag.settings import Settings
from storage.embedded_graph import EmbeddedGraphStore

JAN, FEB, MAR, APR, MAY, JUNE = (datetime(2026, month, 1, tzinfo=UTC) for month in range(1, 7))
OLD, NEW, THIRD = "The storm causes heavy rain.", "The storm causes the flood.", "The storm causes the wind."
QUESTION = "What does the storm cause?"


@dataclass
class Clock:
    now: datetime = JAN

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def kb(open_kb: OpenKb, clock: Clock) -> KnowledgeBase:
    return open_kb(set={"keep_versions": True}, clock=clock)


def put(kb: KnowledgeBase, text: str, valid_from: datetime | None = None, **more: Any) -> IngestReport:
    return kb.ingest(Document(id="policy", text=text, valid_from=valid_from), **more)


@pytest.fixture
def two(kb: KnowledgeBase, clock: Clock) -> KnowledgeBase:
    """What held until March, and what holds since then; now it is June."""
    put(kb, OLD)
    put(kb, NEW, MAR)
    clock.now = JUNE
    return kb


def shown(kb: KnowledgeBase, as_of: datetime | None = None, **more: Any) -> set[str]:
    return {hit.text for hit in kb.search(QUESTION, as_of=as_of, **more).hits}


def listed(kb: KnowledgeBase, **more: Any) -> list[tuple[str, bool]]:
    return [(row.validity, row.older) for row in kb.documents(versions=True, **more).documents]


# what is answered


def test_every_face_answers_from_the_version_that_held(two: KnowledgeBase) -> None:
    assert shown(two) == shown(two, MAR) == {NEW}
    assert shown(two, FEB) == {OLD}
    assert "heavy rain" in two.ask(QUESTION, as_of=FEB).text
    assert "flood" in two.ask(QUESTION).text
    assert [c.links[0].tail for c in two.chains(start="the storm", as_of=FEB).chains] == ["heavy rain"]
    assert [c.links[0].tail for c in two.chains(start="the storm").chains] == ["the flood"]
    assert [d.document_id for d in two.documents(as_of=FEB).documents] != [
        d.document_id for d in two.documents().documents
    ]
    then = two.chains(start="the storm", as_of=FEB).chains[0]
    assert two.explain(then.id, as_of=FEB).chain.links[0].tail == "heavy rain"


def test_what_is_cited_of_a_version_that_no_longer_holds_says_until_when_it_did(two: KnowledgeBase) -> None:
    answer = two.ask(QUESTION, as_of=FEB)
    assert [c.valid_until for c in answer.citations] == [MAR]
    assert "[1] policy (valid until 2026-03-01): “The storm causes heavy rain”" in answer.text
    assert answer.citations[0].place_in("zh") == "policy（有效至 2026-03-01）"
    assert two.search(QUESTION, as_of=FEB).hits[0].valid_until == MAR
    chain = two.chains(start="the storm", as_of=FEB).chains[0]
    assert "policy (valid until 2026-03-01) [0:" in str(two.explain(chain.id, as_of=FEB))
    assert [c.valid_until for c in two.ask(QUESTION).citations] == [None]
    assert "valid until" not in two.ask(QUESTION).text


def test_a_version_that_is_to_end_is_not_called_old_before_it_does(kb: KnowledgeBase, clock: Clock) -> None:
    put(kb, OLD)
    put(kb, NEW, MAY)  # in advance
    clock.now = APR
    assert shown(kb) == {OLD}
    assert [c.valid_until for c in kb.ask(QUESTION).citations] == [None]
    clock.now = datetime(2026, 5, 1, 14, 30, tzinfo=UTC)
    assert shown(kb) == {NEW}


def test_without_a_date_a_version_holds_from_when_it_is_ingested(kb: KnowledgeBase, clock: Clock) -> None:
    put(kb, OLD)
    clock.now = datetime(2026, 4, 1, 14, 30, tzinfo=UTC)
    put(kb, NEW)
    clock.now = JUNE
    assert listed(kb) == [
        ("valid until 2026-04-01 14:30 UTC", True), ("valid from 2026-04-01 14:30 UTC", False)
    ]  # fmt: skip
    assert (shown(kb, MAR), shown(kb)) == ({OLD}, {NEW})


def test_a_text_that_comes_back_is_one_document_that_holds_twice(two: KnowledgeBase) -> None:
    put(two, OLD, MAY)
    assert listed(two) == [
        ("valid, but not 2026-03-01 to 2026-05-01", False), ("valid from 2026-03-01 until 2026-05-01", True)
    ]  # fmt: skip
    assert [shown(two, month) for month in (JAN, FEB, MAR, APR, MAY, JUNE)] == [
        {OLD}, {OLD}, {NEW}, {NEW}, {OLD}, {OLD}
    ]  # fmt: skip
    assert two.ask(QUESTION).citations[0].valid_until is None
    assert two.ask(QUESTION, as_of=FEB).citations[0].valid_until == MAR
    assert two.check().healthy, two.check()
    before = two.status().state_hash
    assert (put(two, OLD, MAY).unchanged, two.status().state_hash) == (1, before)


def test_the_history_of_dated_versions_does_not_depend_on_when_they_are_ingested(open_kb: OpenKb, clock: Clock) -> None:
    states = []
    for name, moments in (("early", (JAN, JAN, JAN)), ("late", (FEB, MAY, JUNE))):
        kb = open_kb(name, set={"keep_versions": True}, clock=clock)
        for moment, text, start in zip(moments, (OLD, NEW, OLD), (None, MAR, MAY), strict=True):
            clock.now = moment
            put(kb, text, start)
        states.append(kb.status().state_hash)
    assert states[0] == states[1]


# what is stored


def test_a_version_that_comes_late_says_what_it_took_the_place_of(two: KnowledgeBase) -> None:
    [note] = put(two, THIRD, FEB).notes
    assert note.path == "policy"
    assert note.reason.startswith("it holds from 2026-02-01 on and takes the place of a version that was to hold later")
    assert listed(two) == [("valid until 2026-02-01", True), ("valid from 2026-02-01", False)]
    assert two._stores.index.document_ids() == {d.document_id for d in two.documents(versions=True).documents}
    assert two.check().healthy, two.check()


def test_an_earlier_date_for_the_same_text_shortens_older_versions_in_the_same_step(two: KnowledgeBase) -> None:
    put(two, THIRD, MAY)
    assert put(two, THIRD, APR).updated == ("policy",)
    assert [validity for validity, _ in listed(two)][-2:] == [
        "valid from 2026-03-01 until 2026-04-01",
        "valid from 2026-04-01",
    ]
    assert put(two, THIRD, FEB).updated == ("policy",)
    assert listed(two) == [("valid until 2026-02-01", True), ("valid from 2026-02-01", False)]
    assert shown(two, MAR) == {THIRD}
    assert two.check().healthy, two.check()


def test_turned_off_again_what_is_replaced_goes_and_what_was_kept_stays(
    two: KnowledgeBase, open_kb: OpenKb, clock: Clock
) -> None:
    two.close()
    kb = open_kb(clock=clock)
    put(kb, THIRD)
    assert listed(kb) == [("valid until 2026-03-01", True), ("valid from 2026-03-01", False)]
    assert (shown(kb, FEB), shown(kb, MAR), shown(kb)) == ({OLD}, {THIRD}, {THIRD})
    assert kb.check().healthy, kb.check()


def test_processing_anew_is_no_new_version(open_kb: OpenKb, clock: Clock, two: KnowledgeBase) -> None:
    before = listed(two)
    two.close()
    kb = open_kb(set={"keep_versions": True, "chunk_tokens": 32}, clock=clock)
    assert [d.stale for d in kb.documents(versions=True).documents] == [True, True]
    report = put(kb, NEW, reprocess=True)
    assert report.replaced == ("policy",)
    assert [note.reason for note in report.notes] == ["an older version of it was processed anew"]
    assert listed(kb) == before
    assert [d.stale for d in kb.documents(versions=True).documents] == [False, False]
    assert (shown(kb, FEB), kb.check().healthy) == ({OLD}, True)
    assert put(kb, NEW, reprocess=True).notes == ()


def test_older_versions_follow_the_groups_of_their_source(two: KnowledgeBase) -> None:
    assert shown(two, FEB, groups=["public"]) == {OLD}
    assert put(two, NEW, MAR, groups=["hr"]).updated == ("policy",)
    assert shown(two, FEB, groups=["public"]) == set()
    assert listed(two, groups=["public"]) == []
    assert shown(two, FEB, groups=["hr"]) == {OLD}
    put(two, THIRD, APR, groups=["board"])
    assert shown(two, FEB, groups=["hr"]) == shown(two, MAR, groups=["hr"]) == set()
    assert [shown(two, month, groups=["board"]) for month in (FEB, MAR, APR)] == [{OLD}, {NEW}, {THIRD}]
    assert two.check().healthy, two.check()


def test_removing_a_source_removes_its_versions_and_says_how_many(two: KnowledgeBase) -> None:
    older = two.documents(as_of=FEB).documents[0].document_id
    assert two.status().versions == 1
    assert "1 older version is kept: see clew documents --versions" in str(two.status())
    receipt = two.remove(older[:20])
    assert len(receipt.documents) == 2
    assert str(receipt).startswith("removed policy with 1 older version\n")
    assert two._stores.index.document_ids() == set()
    assert (listed(two), two.status().versions, two.check().healthy) == ([], 0, True)


def test_a_source_that_does_not_hold_now_can_be_removed(kb: KnowledgeBase) -> None:
    put(kb, OLD, JUNE)
    assert kb.documents().documents == ()
    assert kb.remove("policy").paths == ("policy",)


# upkeep


def test_a_deep_check_looks_at_older_versions_and_a_repair_mends_them(two: KnowledgeBase) -> None:
    stores = two._stores
    [kept] = stores.graph.kept_versions()
    before = two.status().state_hash
    stores.index.delete_documents([kept.document_id], collections=("chunks",))
    report = two.check()
    assert {f.kind for f in report.findings} == {"row"}
    assert two.repair().healthy
    assert shown(two, FEB) == {OLD}
    with stores.graph._connections.writing() as connection:  # type: ignore[attr-defined]
        connection.execute("UPDATE document SET valid_to = NULL WHERE id = ?", (kept.document_id,))
        connection.execute("DELETE FROM chunk WHERE document = ?", (kept.document_id,))
    assert {f.kind for f in two.check().findings} >= {"access"}
    assert two.repair().healthy, two.repair()
    assert (stores.graph.kept_versions(), two.status().state_hash) == ([kept], before)
    stores.index.delete_documents([kept.document_id])
    lost = two.repair()
    assert not lost.healthy
    assert [(f.kind, f.remedy) for f in lost.left] == [("document", "restore")]


def test_a_backup_holds_older_versions(two: KnowledgeBase, open_kb: OpenKb, clock: Clock, tmp_path: Path) -> None:
    put(two, OLD, MAY)
    two.backup(tmp_path / "a.clew-backup")
    settings = Settings(cache=tmp_path / "cache")
    KnowledgeBase.restore(tmp_path / "a.clew-backup", tmp_path / "copy", settings=settings, clock=clock)
    copy = open_kb("copy", clock=clock)
    assert listed(copy) == listed(two)
    assert [shown(copy, month) for month in (FEB, APR, JUNE)] == [{OLD}, {NEW}, {OLD}]


def test_a_backup_of_records_holds_older_versions(two: KnowledgeBase, tmp_path: Path, clock: Clock) -> None:
    put(two, OLD, MAY)
    graph = two._stores.graph
    lines = "".join(f"{line}\n" for line in _record_lines(graph)).encode()
    with EmbeddedGraphStore(tmp_path / "other.db", clock=clock) as copy:
        _put_records(copy, io.BytesIO(lines), clock)
        assert copy.state_hash() == graph.state_hash()
        assert (copy.every_source(), copy.kept_versions()) == (graph.every_source(), graph.kept_versions())
        assert copy.faults() == []
