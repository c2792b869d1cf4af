"""Reciprocal rank fusion with a weighted chain channel, worked out by hand."""

from __future__ import annotations

import pytest

from graphrag.fusion import CHAIN_WEIGHT, RRF_K, fuse
from storage.ports import Nomination
from storage.records import Chunk


def row(name: str, score: float) -> Nomination:
    return Nomination(name, name, f"doc-{name}", f"text of {name}", score)


def chunk(start: int) -> Chunk:
    return Chunk(document_id="doc_x", start=start, end=start + 5, ordinal=0)


def test_ranks_of_all_channels_add_up() -> None:
    found = fuse({"bm25": [row("a", 9.0), row("b", 7.0)], "dense": [row("b", 0.9)]}, [], {"bm25": 0.5})
    assert [f.chunk_id for f in found] == ["b", "a"]
    assert found[0].score == pytest.approx(0.5 / (RRF_K + 2) + 1 / (RRF_K + 1))
    assert {name: (c.rank, c.score) for name, c in found[0].channels.items()} == {"bm25": (2, 7.0), "dense": (1, 0.9)}
    assert found[0].text == "text of b"


def test_a_chain_weighs_by_its_fit() -> None:
    found = fuse({"bm25": [row("a", 9.0)]}, [(chunk(0), 0.5), (chunk(9), 0.01)], {})
    assert [f.chunk_id for f in found] == [chunk(0).id, "a", chunk(9).id]
    assert found[0].score == pytest.approx(CHAIN_WEIGHT * 0.5 / (RRF_K + 1))
    assert found[0].channels["chain"].rank == 1
    assert found[0].text is None


def test_equal_scores_are_ordered_by_id() -> None:
    found = fuse({"bm25": [row("b", 1.0)], "dense": [row("a", 1.0)]}, [], {})
    assert [f.chunk_id for f in found] == ["a", "b"]
