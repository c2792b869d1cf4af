"""BM25 counted over some rows alone."""

from __future__ import annotations

import pyarrow as pa
import pytest

from storage.lance_ranking import best_among


def among(texts, terms, *, limit=9, counted=9):
    rows = [
        {"id": str(i), "owner": "", "document_id": "", "terms": text, "_score": -float(i)}
        for i, text in enumerate(texts)
    ]
    found = best_among(
        lambda count: pa.Table.from_pylist(rows[:count]), lambda row: row["_score"], terms, limit, among=counted
    )
    return [(n.id, n.score) for n in found]


def test_as_worked_out_by_hand():
    # Both rows hold "port": ln(1 + .5 / 2.5) = .182322; mean length 3.
    # tf 1, length 2: 2.2 / (1 + 1.2 (.25 + .75 · 2/3)) = 1.157895; tf 2, length 4: 4.4 / (2 + 1.2 (.25 + 1)) = 1.257143
    # "ship" is in one: ln(1 + 1.5 / 1.5) = .693147; tf 1, length 4: 2.2 / (1 + 1.2 (.25 + 1)) = .88
    first, second = among(["port closed", "port port closed ship"], ["port", "ship"])
    assert first == ("1", pytest.approx(0.182322 * 1.257143 + 0.693147 * 0.88, abs=1e-6))
    assert second == ("0", pytest.approx(0.182322 * 1.157895, abs=1e-6))


def test_ties_go_by_id_and_the_rest_is_cut():
    assert [id_ for id_, _ in among(["port", "port", "port"], ["port"], limit=2)] == ["0", "1"]


def test_only_the_first_rows_are_counted():
    assert [id_ for id_, _ in among(["port", "port ship", "ship"], ["ship"], counted=2)] == ["1", "0"]


def test_nothing_found_is_nothing():
    assert among([], ["port"]) == []
