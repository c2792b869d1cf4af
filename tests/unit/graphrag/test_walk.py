"""Walking a small graph that is drawn here: ``edge("ab", 0.8)`` leads from a to b."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from graphrag.walk import BEAM, SAME_AS_COST, Bounds, Path, Walk, crossings, join, walk
from storage.ports import Edge, Hop
from storage.records import RelationType, SameAs, Scope

ALL = tuple(RelationType)
SCOPE = Scope(classes=None, at="2024-05-01T00:00:00Z")  # type: ignore[arg-type]
BOUNDS = Bounds(max_hops=4, fan_out=24, min_confidence=0.5, seconds=60.0)


def edge(name: str, confidence: float = 0.9, type_: RelationType = RelationType.CAUSAL) -> Edge:
    return Edge(name, type_, name[0], name[1], confidence)


@dataclass
class DrawnGraph:
    """The two methods of a graph store that a walk calls, over edges and same_as links in memory."""

    drawn: Sequence[Edge]
    alike: Sequence[tuple[str, str, float]] = ()
    calls: list[list[str]] = field(default_factory=list)

    def edges(
        self,
        statement_ids: Sequence[str],
        scope: Scope,
        *,
        forward: bool,
        types: Sequence[RelationType],
        min_confidence: float,
        fan_out: int,
    ) -> Hop:
        assert scope is SCOPE
        self.calls.append(list(statement_ids))
        found: list[Edge] = []
        truncated = set()
        for statement in statement_ids:
            here = [
                e
                for e in self.drawn
                if (e.head if forward else e.tail) == statement and e.type in types and e.confidence >= min_confidence
            ]
            here.sort(key=lambda e: (-e.confidence, e.relation_id))
            if len(here) > fan_out:
                truncated.add(statement)
            found += here[:fan_out]
        return Hop(tuple(found), frozenset(truncated))

    def same_as(self, statement_ids: Sequence[str], scope: Scope) -> list[SameAs]:
        assert scope is SCOPE
        links = [
            SameAs(first=a, second=b, score=score, origin="test")
            for a, b, score in self.alike
            if a in statement_ids or b in statement_ids
        ]
        return sorted(links, key=lambda link: (-link.score, link.first, link.second))


def go(
    graph: DrawnGraph,
    seeds: dict[str, float],
    *,
    forward: bool = True,
    types: Sequence[RelationType] = ALL,
    bounds: Bounds = BOUNDS,
    clock: Callable[[], float] = lambda: 0.0,
) -> Walk:
    return walk(graph, SCOPE, seeds, forward=forward, types=types, bounds=bounds, clock=clock)  # type: ignore[arg-type]


def named(found: Sequence[Path]) -> dict[str, float]:
    names = {" ".join(p.relation_ids): round(p.strength, 9) for p in found}
    assert len(names) == len(found)
    return names


# --- the way


def test_forward_leads_from_heads_to_tails_and_finds_every_path_from_the_seed() -> None:
    graph = DrawnGraph([edge("ab"), edge("bc"), edge("bd"), edge("za")])
    assert set(named(go(graph, {"a": 1.0}).paths)) == {"ab", "ab bc", "ab bd"}


def test_backward_leads_from_tails_to_heads_and_reads_from_cause_to_effect() -> None:
    graph = DrawnGraph([edge("ab"), edge("bc"), edge("xb"), edge("cd")])
    found = go(graph, {"c": 1.0}, forward=False)
    assert set(named(found.paths)) == {"bc", "ab bc", "xb bc"}
    longest = next(p for p in found.paths if len(p.edges) == 2)
    assert longest.start == "c"  # where the walk began, though it stands at the end


def test_no_path_is_longer_than_allowed() -> None:
    graph = DrawnGraph([edge("ab"), edge("bc"), edge("cd"), edge("de"), edge("ef")])
    for hops in (1, 2, 4):
        bounds = Bounds(max_hops=hops, fan_out=24, min_confidence=0.5, seconds=60)
        assert max(len(p.edges) for p in go(graph, {"a": 1.0}, bounds=bounds).paths) == hops


def test_only_the_types_and_confidences_that_were_asked_for_are_walked() -> None:
    graph = DrawnGraph([edge("ab"), edge("bc", type_=RelationType.SEQUENTIAL), edge("bd", 0.4)])
    assert set(named(go(graph, {"a": 1.0}, types=[RelationType.CAUSAL]).paths)) == {"ab"}
    assert set(named(go(graph, {"a": 1.0}).paths)) == {"ab", "ab bc"}


def test_each_hop_asks_the_graph_once() -> None:
    graph = DrawnGraph([edge("ab"), edge("ac"), edge("bd"), edge("cd"), edge("de")])
    go(graph, {"a": 1.0})
    assert graph.calls == [["a"], ["b", "c"], ["d"], ["e"]]


def test_no_path_visits_a_statement_twice() -> None:
    graph = DrawnGraph([edge("ab"), edge("bc"), edge("ca"), edge("ba"), edge("cb")])
    assert set(named(go(graph, {"a": 1.0}).paths)) == {"ab", "ab bc"}
    assert set(named(go(graph, {"a": 1.0}, forward=False).paths)) == {"ba", "ca", "cb ba", "bc ca"}


def test_nothing_is_walked_from_nothing() -> None:
    graph = DrawnGraph([edge("ab")])
    for seeds in ({}, {"z": 1.0}, {"a": 0.0}):
        assert go(graph, seeds) == Walk()


# --- strength


def test_strength_is_the_seed_times_the_weakest_relation() -> None:
    graph = DrawnGraph([edge("ab", 0.9), edge("bc", 0.6), edge("cd", 0.8)])
    assert named(go(graph, {"a": 0.5}).paths) == {"ab": 0.45, "ab bc": 0.3, "ab bc cd": 0.3}
    assert named(go(graph, {"d": 0.5}, forward=False).paths) == {"cd": 0.4, "bc cd": 0.3, "ab bc cd": 0.3}


def test_the_strongest_come_first_and_equals_by_id() -> None:
    graph = DrawnGraph([edge("ab", 0.6), edge("ac", 0.9), edge("ad", 0.6)])
    assert [p.relation_ids for p in go(graph, {"a": 1.0}).paths] == [("ac",), ("ab",), ("ad",)]


def test_a_path_found_from_two_seeds_counts_with_the_stronger() -> None:
    graph = DrawnGraph([edge("bc", 0.8)], [("a", "b", 1.0)])
    found = go(graph, {"a": 1.0, "b": 0.9})
    # from b: 0.9 * 0.8; from a over the crossing: 0.85 * 0.8
    assert named(found.paths) == {"bc": 0.72}
    assert found.paths[0].start == "b"


# --- crossings between wordings


@pytest.mark.parametrize("forward", [True, False])
def test_a_walk_crosses_to_what_says_the_same_at_a_cost(forward: bool) -> None:
    graph = DrawnGraph([edge("ab", 0.9), edge("cd", 0.9)], [("b", "c", 0.8)])
    assert SAME_AS_COST == 0.85
    found = named(go(graph, {"a" if forward else "d": 1.0}, forward=forward).paths)
    assert found == {"ab" if forward else "cd": 0.9, "ab cd": 0.612}  # 0.9 * 0.85 * 0.8


def test_a_seed_may_be_crossed_from_too() -> None:
    graph = DrawnGraph([edge("bc", 0.8)], [("a", "b", 0.5)])
    assert named(go(graph, {"a": 1.0}).paths) == {"bc": 0.34}  # 1 * 0.85 * 0.5 * 0.8


def test_the_weakest_relation_counts_once_across_crossings() -> None:
    graph = DrawnGraph([edge("ab", 0.6), edge("cd", 0.9), edge("ef", 0.7)], [("b", "c", 1.0), ("d", "e", 1.0)])
    strength = named(go(graph, {"a": 1.0}).paths)["ab cd ef"]
    assert strength == pytest.approx(0.6 * 0.85 * 0.85)


def test_no_path_comes_back_over_a_crossing_to_where_it_has_been() -> None:
    # b says the same as c, from which an edge leads to a: it would come back to its beginning
    graph = DrawnGraph([edge("ab"), edge("ca"), edge("cd")], [("b", "c", 1.0)])
    assert set(named(go(graph, {"a": 1.0}).paths)) == {"ab", "ab cd"}
    # and a door through which the path has already gone is closed
    graph = DrawnGraph([edge("ab"), edge("bc"), edge("ad")], [("a", "c", 1.0)])
    assert set(named(go(graph, {"a": 1.0}).paths)) == {"ab", "ad", "ab bc"}


def test_two_crossings_in_a_row_are_not_made() -> None:
    graph = DrawnGraph([edge("ab"), edge("de")], [("b", "c", 1.0), ("c", "d", 1.0)])
    assert set(named(go(graph, {"a": 1.0}).paths)) == {"ab"}


def test_crossings_keep_the_statement_itself_whole_and_others_for_a_share() -> None:
    graph = DrawnGraph([], [("a", "b", 0.8), ("a", "c", 1.0)])
    doors, cut = crossings(graph, SCOPE, ["a", "b"], limit=9)  # type: ignore[arg-type]
    assert not cut
    assert {k: dict(v) for k, v in doors.items()} == {
        "a": {"a": 1.0, "b": pytest.approx(0.68), "c": pytest.approx(0.85)},
        "b": {"b": 1.0, "a": pytest.approx(0.68)},
    }


def test_only_the_most_alike_are_crossed_to() -> None:
    graph = DrawnGraph([], [("a", "b", 0.7), ("a", "c", 0.9), ("a", "d", 0.8)])
    doors, cut = crossings(graph, SCOPE, ["a"], limit=2)  # type: ignore[arg-type]
    assert cut
    assert [door for door, _ in doors["a"]] == ["a", "c", "d"]


# --- nothing is cut in silence


def test_a_walk_that_was_not_cut_gives_no_reason() -> None:
    assert go(DrawnGraph([edge("ab"), edge("bc")]), {"a": 1.0}).reasons == []


def test_the_fan_out_is_reported_and_the_most_certain_are_followed() -> None:
    graph = DrawnGraph([edge("ab", 0.7), edge("ac", 0.9), edge("ad", 0.8)])
    found = go(graph, {"a": 1.0}, bounds=Bounds(max_hops=2, fan_out=2, min_confidence=0.5, seconds=60))
    assert set(named(found.paths)) == {"ac", "ad"}
    assert len(found.reasons) == 1
    assert "2 relations" in found.reasons[0]


def test_the_beam_is_reported_and_the_strongest_are_followed() -> None:
    assert BEAM == 400
    wide = [Edge(f"r{i:03}", RelationType.CAUSAL, "a", f"s{i:03}", 0.5 + i / 1000) for i in range(450)]
    onward = [Edge("last", RelationType.CAUSAL, "s449", "z", 0.9), Edge("lost", RelationType.CAUSAL, "s000", "z", 0.9)]
    bounds = Bounds(max_hops=2, fan_out=1000, min_confidence=0.5, seconds=60)
    found = go(DrawnGraph([*wide, *onward]), {"a": 1.0}, bounds=bounds)
    names = named(found.paths)
    assert len(names) == 401
    assert "r449 last" in names
    assert "r000" not in names
    assert not any("lost" in name for name in names)
    assert len(found.reasons) == 1
    assert "400 paths at 1 hops" in found.reasons[0]


def test_the_time_is_reported_and_what_was_found_until_then_is_given() -> None:
    graph = DrawnGraph([edge("ab"), edge("bc"), edge("cd")])
    ticks = iter([0.0, 1.0, 3.0])  # the deadline is set at 0, the first hop begins at 1, the second would at 3
    bounds = Bounds(max_hops=4, fan_out=24, min_confidence=0.5, seconds=2.0)
    found = go(graph, {"a": 1.0}, bounds=bounds, clock=lambda: next(ticks))
    assert set(named(found.paths)) == {"ab"}
    assert len(found.reasons) == 1
    assert "2 s" in found.reasons[0]
    assert "after 1 hops" in found.reasons[0]


def test_a_reason_is_given_once() -> None:
    graph = DrawnGraph([edge("ab"), edge("ac"), edge("bd"), edge("be")])
    found = go(graph, {"a": 1.0}, bounds=Bounds(max_hops=3, fan_out=1, min_confidence=0.5, seconds=60))
    assert len(found.reasons) == 1


# --- joining


def both(graph: DrawnGraph, start: str, end: str, *, scores: tuple[float, float] = (1.0, 1.0)) -> list[Path]:
    forward = go(graph, {start: scores[0]}).paths
    backward = go(graph, {end: scores[1]}, forward=False).paths
    ends = sorted({p.edges[-1].tail for p in forward})
    doors, _ = crossings(graph, SCOPE, ends, limit=9)  # type: ignore[arg-type]
    return join(forward, backward, doors)


def test_two_halves_are_joined_where_they_meet() -> None:
    graph = DrawnGraph([edge("ab", 0.9), edge("bc", 0.6), edge("cd", 0.8)])
    # both seeds, the weakest relation: 0.5 * 0.9 * 0.6
    assert named(both(graph, "a", "d", scores=(0.5, 0.9))) == {"ab bc cd": 0.27}


def test_two_halves_are_joined_over_a_crossing() -> None:
    graph = DrawnGraph([edge("ab", 0.9), edge("cd", 0.6)], [("b", "c", 0.8)])
    joined = both(graph, "a", "d")
    assert named(joined) == {"ab cd": 0.408}  # 0.6 * 0.85 * 0.8
    assert joined[0].start == "a"
    assert joined[0].statements == {"a", "b", "c", "d"}


def test_two_halves_that_do_not_meet_are_not_joined() -> None:
    assert both(DrawnGraph([edge("ab"), edge("cd")]), "a", "d") == []


def test_a_joined_path_visits_no_statement_twice() -> None:
    graph = DrawnGraph([edge("ab"), edge("bc"), edge("cb"), edge("bd")])
    assert set(named(both(graph, "a", "d"))) == {"ab bd"}
    # over a crossing too: b says the same as c, and c leads back through a
    graph = DrawnGraph([edge("ab"), edge("ca"), edge("ad")], [("b", "c", 1.0)])
    assert both(graph, "a", "d") == []
