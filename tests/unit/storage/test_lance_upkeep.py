"""When the indexes of a LanceDB table are built, folded together and built anew."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from storage import lance_index, lance_upkeep
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
    monkeypatch.setattr(lance_index, "_WRITES_PER_FOLD", 3)
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


def test_only_a_conflict_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    calls: list[str] = []

    class Table:
        def checkout_latest(self) -> None:
            calls.append("latest")

    def work() -> None:
        calls.append("work")
        raise RuntimeError("Retryable commit conflict" if len(calls) < 4 else "something else")

    with pytest.raises(RuntimeError, match="something else"):
        lance_upkeep.with_retries(Table(), work)
    assert calls == ["work", "latest", "work", "latest", "work"]
