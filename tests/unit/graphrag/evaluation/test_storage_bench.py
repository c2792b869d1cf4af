"""The bench of the stores on a world small enough for a test, and that world itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from graphrag.evaluation import speed_storage, storage_build, storage_cases
from graphrag.evaluation.bench_row import BenchRow
from graphrag.evaluation.storage_build import Bench
from graphrag.evaluation.storage_world import RARE_GROUP, Size, World
from graphrag.settings import Settings
from storage.records import OWNER

SMALL = Size(documents=60, statements=120, relations=360, hub_relations=200)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A folder with a built index and a built embedded graph."""
    folder = tmp_path_factory.mktemp("bench")
    made = Bench(folder, 0, 0.0004, Settings(cache=folder / "cache"))
    for system in ("lancedb", "embedded"):
        storage_build.build(made, system, progress=lambda _: None)
    return made


def _values(rows: list[BenchRow]) -> dict[str, float]:
    assert {frozenset(r) for r in rows} == {frozenset(("case", "measure", "system", "value", "unit", "n"))}
    return {r["measure"]: r["value"] for r in rows}


def test_the_full_size_is_that_of_one_machine() -> None:
    size = Size.of(1)
    assert (size.chunks, size.statements, size.relations, size.hub_relations) == (1_000_000, 200_000, 600_000, 100_000)
    with pytest.raises(ValueError, match="scale"):
        Size.of(0)


def test_a_document_is_a_function_of_seed_number_and_version() -> None:
    one, same, other = World(1, SMALL), World(1, SMALL), World(2, SMALL)
    assert one.document(7).graph == same.document(7).graph
    first, again = one.document(7).rows["chunks"][0].vector, same.document(7).rows["chunks"][0].vector
    assert first is not None
    assert again is not None
    assert np.array_equal(first, again)
    assert one.document(7).graph != other.document(7).graph
    old, new = one.document(7).graph, one.document(7, version=1).graph
    assert old.source.id == new.source.id
    assert old.document.id != new.document.id


@pytest.mark.parametrize("number", [0, 1, 60])  # English, Chinese, one of the hub's
def test_every_quote_stands_in_the_text_and_every_chunk_is_its_slice(number: int) -> None:
    prepared = next(World(0, SMALL).documents(number, number + 1))
    graph, text = prepared.graph, prepared.rows["documents"][0].text
    words = {(m.statement_id, m.span.start): m.text for m in graph.mentions}
    ends = {r.id: (r.head, r.tail) for r in graph.relations}
    for item in graph.evidence:
        for statement, span in zip(ends[item.relation_id], (item.head, item.tail), strict=True):
            assert text[span.start : span.end] == words[statement, span.start]
        assert item.cue is not None
        assert text[item.cue.start : item.cue.end] in ("leads to", "导致")
    rows = {r.id: r.text for r in prepared.rows["chunks"]}
    assert [rows[c.id] for c in graph.chunks] == [text[c.start : c.end] for c in graph.chunks]
    assert len(graph.chunks) == 10


def test_every_relation_is_proven_and_one_document_in_a_hundred_is_of_the_rare_group() -> None:
    world = World(0, SMALL)
    documents = list(world.documents(0, SMALL.documents + SMALL.hub_documents))
    proven = {e.relation_id for p in documents[:-1] for e in p.graph.evidence}
    assert {r.id for p in documents[:-1] for r in p.graph.relations} == proven
    # Six relations a document; two that are drawn with the same type and ends are one.
    assert SMALL.relations - 10 <= len(proven) <= SMALL.relations
    assert len(documents[-1].graph.relations) == SMALL.hub_relations
    assert {r.head for r in documents[-1].graph.relations} == {world.hub.id}
    assert [i for i, p in enumerate(documents) if p.graph.source.groups == (RARE_GROUP,)] == [7]


def test_a_question_is_near_its_chunk() -> None:
    world = World(0, SMALL)
    rows = [r for p in world.documents(0, SMALL.documents) for r in p.rows["chunks"]]
    question = world.question(1)
    asked = question.text.removeprefix("为什么").removesuffix("？")
    near = max(rows, key=lambda r: 0.0 if r.vector is None else float(r.vector @ question.vector))
    assert asked in near.text


def test_what_is_built_is_what_was_generated(bench: Bench) -> None:
    rows = _values(storage_build.build(bench, "lancedb", progress=lambda _: None))
    assert (rows["rows_of_documents"], rows["rows_of_chunks"]) == (61, 610)
    assert rows["rows_per_second"] > 0
    rows = _values(storage_build.build(bench, "embedded", progress=lambda _: None))
    assert (rows["documents"], rows["chunks"], rows["evidence"]) == (61, 610, 800)
    with bench.graph("embedded") as graph:  # type: ignore[attr-defined]
        assert graph.faults() == []
        statements = bench.world.seeds(0, 10)
        assert set(graph.statements(statements, graph.scope(OWNER))) == set(statements)


def test_a_build_goes_on_where_it_was_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage_build, "BATCH", 10)
    bench = Bench(tmp_path, 0, 0.0004, Settings(cache=tmp_path / "cache"))
    commit, count = storage_build.commit, [0]

    def cut_off(*args: object, **options: object) -> None:
        count[0] += 1
        if count[0] == 3:
            raise KeyboardInterrupt
        commit(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(storage_build, "commit", cut_off)
    with pytest.raises(KeyboardInterrupt):
        storage_build.build(bench, "embedded", progress=lambda _: None)
    assert bench.built("embedded").documents == 20
    monkeypatch.setattr(storage_build, "commit", commit)
    assert _values(storage_build.build(bench, "embedded", progress=lambda _: None))["documents"] == 61
    with pytest.raises(SystemExit, match=r"scale 0\.0004"):
        Bench(tmp_path, 0, 0.001, bench.settings).built("embedded")


def test_searches_are_measured_with_their_recall(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage_cases, "QUESTIONS", 5)
    monkeypatch.setattr(storage_cases, "_WARM_UP", 1)
    rows = _values(speed_storage.measured(bench, "search", "lancedb"))
    assert 0 < rows["hybrid_p50"] <= rows["hybrid_p95"]
    assert rows["hybrid_recall_at_10"] == 1  # so few are compared one by one
    assert rows["filtered_recall_at_10"] == 1


def test_walks_are_measured_and_the_hub_says_that_it_is_truncated(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage_cases, "WALKS", 8)
    monkeypatch.setattr(storage_cases, "_WARM_UP", 2)
    rows = _values(speed_storage.measured(bench, "walk", "embedded"))
    assert 0 < rows["walk_in_the_store_p50"] <= rows["walk_p50"]
    assert rows["paths"] > 10
    assert rows["hub_said_to_be_truncated"] == 1


def test_changes_are_measured_and_undone(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage_cases, "CHANGES", 3)
    with bench.graph("embedded") as graph:  # type: ignore[attr-defined]
        before = graph.state_hash()
    rows = _values(speed_storage.measured(bench, "change", "embedded"))
    assert min(rows["replace_p50"], rows["remove_p50"], rows["add_p50"]) > 0
    with bench.graph("embedded") as graph:  # type: ignore[attr-defined]
        assert graph.state_hash() == before
    rows_written, seconds = storage_cases.keep_writing(bench, begun=lambda: None)
    assert rows_written >= 20 * 11
    assert seconds > 0


def test_the_first_answer_is_measured_in_a_process_of_its_own(bench: Bench, tmp_path: Path) -> None:
    out = tmp_path / "rows.json"
    options = ["--folder", str(bench.folder), "--scale", str(bench.scale), "--one", "first-query:embedded"]
    command = [sys.executable, "-m", "graphrag.evaluation.speed_storage", *options]
    with out.open("w", encoding="utf-8") as file:
        subprocess.run(command, stdout=file, check=True)
    seconds, peak = map(float, out.read_text(encoding="utf-8").split())
    assert seconds > 0
    assert peak > 10


def test_cases_are_run_in_an_order_in_which_each_finds_what_it_needs() -> None:
    assert speed_storage.steps(["build", "search", "walk"], ["embedded", "neo4j"]) == [
        ("build", "lancedb"), ("build", "embedded"), ("build", "neo4j"), ("search", "lancedb"),
        ("walk", "embedded"), ("walk", "neo4j"),
    ]  # fmt: skip
    with pytest.raises(SystemExit):
        speed_storage.main(["--cases", "serach"])
