"""When the indexes of a LanceDB table are built, folded together and built anew."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from storage import lance_upkeep
from storage.identity import make_id
from storage.lance_failures import is_conflict, is_full
from storage.lance_index import LanceTextIndex
from storage.ports import IndexRow
from storage.records import Scope

OWNER = Scope(classes=None, at=datetime(2026, 6, 1, tzinfo=UTC))


def _rows(start: int, stop: int, dimensions: int) -> list[IndexRow]:
    random = np.random.default_rng(start)
    vectors = random.standard_normal((stop - start, dimensions)).astype(np.float32)
    return [
        IndexRow(make_id("chk", i), "", make_id("doc", i), make_id("acl", "a"), "en", f"port w{i}", vector=vector)
        for i, vector in zip(range(start, stop), vectors, strict=True)
    ]


def _indexes(index: LanceTextIndex) -> list[tuple[str, str]]:
    table: Any = index._table("chunks")
    return sorted((i.columns[0], i.index_type) for i in table.list_indices())


@pytest.mark.parametrize(("dimensions", "kind"), [(16, "IvfRq"), (12, "IvfFlat")])  # RaBitQ needs a multiple of eight
def test_a_table_gets_the_indexes_that_its_size_calls_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dimensions: int, kind: str
) -> None:
    monkeypatch.setattr(lance_upkeep, "SCALAR_INDEX_ROWS", 100)
    monkeypatch.setattr(lance_upkeep, "VECTOR_INDEX_ROWS", 300)
    index = LanceTextIndex(tmp_path, dimensions=dimensions)
    index.write("chunks", _rows(0, 50, dimensions))
    index.optimize()
    assert _indexes(index) == [("terms", "FTS")]
    index.write("chunks", _rows(50, 200, dimensions))
    index.optimize()
    scalar = [("access_class", "Bitmap"), ("document_id", "BTree"), ("id", "BTree"), ("tags", "LabelList")]
    assert _indexes(index) == [*scalar, ("terms", "FTS")]
    index.write("chunks", _rows(200, 400, dimensions))
    index.optimize()
    assert _indexes(index) == [*scalar, ("terms", "FTS"), ("vector", kind)]
    monkeypatch.setattr(lance_upkeep, "_MAX_SEGMENTS", 0)  # every index counts as split: built anew, once each
    index.optimize()
    assert _indexes(index) == [*scalar, ("terms", "FTS"), ("vector", kind)]
    assert len(index.search_text("chunks", "port", OWNER, limit=500)) == 400
    assert [n.text for n in index.search_text("chunks", "w77", OWNER, limit=5)] == ["port w77"]
    for row in _rows(200, 400, dimensions)[::50]:
        assert row.vector is not None
        assert index.search_vector("chunks", row.vector, OWNER, limit=1)[0].id == row.id


def test_many_small_writes_are_folded_together_on_the_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lance_upkeep, "_WRITES_PER_FOLD", 3)
    index = LanceTextIndex(tmp_path, dimensions=8)
    for i in range(8):
        index.write("chunks", _rows(i, i + 1, 8))
    table: Any = index._table("chunks")
    assert table.index_stats("terms_idx").num_unindexed_rows == 2  # folded before the 4th and the 7th write
    assert len(index.search_text("chunks", "port", OWNER, limit=10)) == 8


def test_what_a_failure_means_is_read_from_its_words() -> None:
    full = OSError("LanceError(IO): Generic LocalFileSystem error: No space left on device (os error 28)")
    conflict = RuntimeError("Retryable commit conflict for version 7: This Update transaction was preempted")
    assert (is_full(full), is_conflict(full)) == (True, False)
    assert (is_full(conflict), is_conflict(conflict)) == (False, True)
    assert not is_full(ValueError("os error 2"))
    assert not is_conflict(ValueError("column 'x' not found"))


def test_only_a_conflict_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    calls: list[str] = []

    class Table:
        uri = str(tmp_path)

        def checkout_latest(self) -> None:
            calls.append("latest")

    def work() -> None:
        calls.append("work")
        raise RuntimeError("Retryable commit conflict" if len(calls) < 4 else "something else")

    with pytest.raises(RuntimeError, match="something else"):
        lance_upkeep.with_retries(Table(), work)
    assert calls == ["work", "latest", "work", "latest", "work"]


def test_a_long_ingest_is_interrupted_for_upkeep_when_the_tail_is_long_and_not_too_often() -> None:
    now = [100.0]
    writes = lance_upkeep.Writes(clock=lambda: now[0])
    tail = _Tail(rows=999)

    def asked_at(count: int) -> bool:
        writes.count = count
        return writes.ask_for_upkeep(tail)

    assert not any(asked_at(count) for count in range(64))  # the tail is short, and there are few files
    assert asked_at(64)
    tail.rows = 1_000
    assert [count for count in range(25) if asked_at(count)] == [8, 16, 24]
    writes.seconds, writes.ended = 30.0, 100.0  # it took half a minute: for three times as long it is not done again
    now[0] = 189.0
    assert not asked_at(8)
    assert not asked_at(64)
    now[0] = 190.0
    assert asked_at(8)
    writes.seconds, now[0] = 0.9, 100.1  # a short one is not spared
    assert asked_at(8)


class _Tail:
    """A table of many rows, of which some are outside its full-text index."""

    def __init__(self, rows: int) -> None:
        self.rows, self.version = rows, 7

    def list_indices(self) -> list[Any]:
        return [SimpleNamespace(columns=["terms"], name="terms_idx")]

    def index_stats(self, name: str) -> Any:
        return SimpleNamespace(num_unindexed_rows=self.rows)

    def count_rows(self) -> int:
        return 50_000


def test_after_an_operation_a_large_table_is_left_alone_until_it_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    tail = _Tail(rows=999)
    assert not lance_upkeep.is_behind(tail, version=7, ingested=True)
    tail.rows = 1_000
    assert lance_upkeep.is_behind(tail, version=7, ingested=True)
    tail.rows = 1
    monkeypatch.setattr(lance_upkeep, "SMALL_ROWS", 50_000)
    assert lance_upkeep.is_behind(tail, version=7, ingested=True)  # it is done in no time
    assert not lance_upkeep.is_behind(tail, version=7, ingested=False)  # a removal is to take less than that
    tail.rows = 0
    assert not lance_upkeep.is_behind(tail, version=7, ingested=True)
    tail.version = 1_024  # removals leave no tail, but versions
    assert lance_upkeep.is_behind(tail, version=1_023, ingested=False)
    assert not lance_upkeep.is_behind(tail, version=1_024, ingested=True)


def test_what_is_removed_from_a_small_table_costs_no_upkeep(tmp_path: Path) -> None:
    index = LanceTextIndex(tmp_path, dimensions=8)
    index.write("chunks", _rows(0, 30, 8))
    index.keep_up(ingested=True)
    table: Any = index._table("chunks")
    assert table.index_stats("terms_idx").num_unindexed_rows == 0  # a small table's tail is folded in at once
    index.delete_documents([make_id("doc", 3)])
    version = index._table("chunks").version
    index.keep_up(ingested=True)
    assert index._table("chunks").version == version
    assert len(index.search_text("chunks", "port", OWNER, limit=50)) == 29


def test_searches_are_right_while_another_thread_writes_removes_and_keeps_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lance_upkeep, "_WRITES_PER_LOOK", 1)
    monkeypatch.setattr(lance_upkeep, "TAIL_ROWS", 60)
    monkeypatch.setattr(lance_upkeep, "VECTOR_INDEX_ROWS", 300)  # each kind of index is built on the way
    monkeypatch.setattr(lance_upkeep, "SCALAR_INDEX_ROWS", 200)
    index = LanceTextIndex(tmp_path, dimensions=16)
    kept = _rows(0, 100, 16)
    index.write("chunks", kept)

    def write() -> None:
        for start in range(100, 1_000, 50):
            rows = _rows(start, start + 50, 16)
            index.write("chunks", rows)
            index.delete_documents([row.document_id for row in rows[::2]])
            index.keep_up(ingested=True)

    searches = 0
    with ThreadPoolExecutor() as pool:
        writing = pool.submit(write)
        while not writing.done():
            row = kept[searches % len(kept)]
            assert row.vector is not None
            assert [n.id for n in index.search_text("chunks", row.text.split()[1], OWNER, limit=3)] == [row.id]
            assert index.search_vector("chunks", row.vector, OWNER, limit=1)[0].id == row.id
            everything = {n.id for n in index.search_text("chunks", "port", OWNER, limit=2_000)}
            assert everything >= {r.id for r in kept}
            searches += 1
    writing.result()
    assert searches > 3
    assert index.count("chunks") == 100 + 18 * 25
    assert {c for c, _ in _indexes(index)} == {"access_class", "document_id", "id", "tags", "terms", "vector"}
