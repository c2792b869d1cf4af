"""Walks against networkx, which enumerates simple paths in its own way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag.walk import BEAM, Bounds, walk
from storage.ports import Edge, Hop
from storage.records import RelationType, SameAs, Scope

SCOPE = Scope(classes=None, at="2024-05-01T00:00:00Z")  # type: ignore[arg-type]
NODES = "abcdefg"

arcs = st.sets(
    st.tuples(st.sampled_from(NODES), st.sampled_from(NODES)).filter(lambda pair: pair[0] != pair[1]), max_size=14
)


@dataclass
class Arcs:
    """The two methods of a graph store that a walk calls."""

    pairs: Sequence[tuple[str, str]]

    def edges(self, statement_ids: Sequence[str], scope: Scope, *, forward: bool, fan_out: int, **_: object) -> Hop:
        side = 0 if forward else 1
        found = [Edge("".join(p), RelationType.CAUSAL, *p, 0.9) for p in self.pairs if p[side] in statement_ids]
        assert len(found) <= fan_out
        return Hop(tuple(found), frozenset())

    def same_as(self, statement_ids: Sequence[str], scope: Scope) -> list[SameAs]:
        return []


@given(pairs=arcs, hops=st.integers(1, 4), forward=st.booleans())
@settings(deadline=None, max_examples=150)
def test_a_walk_finds_exactly_the_simple_paths_within_its_hops(
    pairs: set[tuple[str, str]], hops: int, forward: bool
) -> None:
    graph = nx.DiGraph(pairs)
    graph.add_node("a")
    expected = set()
    for other in set(graph) - {"a"}:
        source, target = ("a", other) if forward else (other, "a")
        for path in nx.all_simple_edge_paths(graph, source, target, cutoff=hops):
            expected.add(tuple("".join(arc) for arc in path))
    bounds = Bounds(max_hops=hops, fan_out=100, min_confidence=0.0, seconds=60.0)
    found = walk(
        Arcs(sorted(pairs)),
        SCOPE,
        {"a": 1.0},
        forward=forward,
        types=list(RelationType),
        bounds=bounds,  # type: ignore[arg-type]
    )
    assert {p.relation_ids for p in found.paths} == expected
    assert len(expected) <= BEAM
    assert found.reasons == []
