"""Walking the graph: from matched statements along relations, across documents and same_as links, within bounds."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from storage.ports import Edge, Steps
from storage.records import RelationType, Scope

SAME_AS_COST = 0.85
"""What a crossing between two wordings keeps of a path's strength, besides its own score."""

BEAM = 400
"""Paths kept after each hop, the strongest first."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far a walk may go."""

    max_hops: int
    fan_out: int
    min_confidence: float
    seconds: float


class Path(NamedTuple):
    """Relations in order, each tail the next head or linked to it by same_as, read from cause to effect.

    ``strength`` is the seed's score times the weakest relation times every crossing, in (0, 1].
    """

    edges: tuple[Edge, ...]
    strength: float
    start: str  # the statement the path was asked to start (or, walked backwards, to end) at
    statements: frozenset[str]

    @property
    def weakest(self) -> float:
        """The confidence of the least certain relation."""
        return _weakest(self.edges)

    @property
    def relation_ids(self) -> tuple[str, ...]:
        """The relations in order."""
        return tuple(e.relation_id for e in self.edges)


@dataclass(slots=True)
class Walk:
    """What a walk found, strongest first, and why it was cut if it was."""

    paths: list[Path] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)

    def cut(self, reason: str) -> None:
        """Note a reason once."""
        if reason not in self.reasons:
            self.reasons.append(reason)


def walk(
    graph: Steps,
    scope: Scope,
    seeds: Mapping[str, float],
    *,
    forward: bool,
    types: Sequence[RelationType],
    bounds: Bounds,
    clock: Callable[[], float] = time.monotonic,
) -> Walk:
    """All paths of one to ``max_hops`` relations from the seeds (statement id → score), best first.

    Forward paths start at a seed, backward ones end at it; both read from head to tail. No path visits a statement
    twice. The walk is level by level, one query a hop; it stops, saying so, at the beam, the fan-out and the time.
    """
    result = Walk()
    deadline = clock() + bounds.seconds
    beam = [_seed(id_, score) for id_, score in seeds.items() if score > 0]
    found: list[_Way] = []
    for hop in range(bounds.max_hops):
        ends = sorted({way.end for way in beam})
        if not ends:
            break
        if clock() > deadline:
            result.cut(f"the walk took longer than {bounds.seconds:g} s and stopped after {hop} hops")
            break
        doors, cut = crossings(graph, scope, ends, limit=bounds.fan_out)
        if cut:
            result.cut(f"more than {bounds.fan_out} wordings of one statement: only the most alike were followed")
        reached = sorted({door for way in doors.values() for door, _ in way})
        step = graph.edges(
            reached, scope, forward=forward, types=types, min_confidence=bounds.min_confidence, fan_out=bounds.fan_out
        )
        if step.truncated:
            result.cut(f"more than {bounds.fan_out} relations at one statement: only the most certain were followed")
        longer = _longer(beam, doors, step.edges, forward)
        if len(longer) > BEAM:
            result.cut(f"more than {BEAM} paths at {hop + 1} hops: only the strongest were followed")
        beam = [_taken(onward, forward) for onward in longer[:BEAM]]
        found += beam
    found.sort()
    result.paths = [way.path for way in found]
    return result


class _Way(NamedTuple):
    """A path in the beam, with what every one that goes on from it needs to know; what sorts first is stronger."""

    cost: float  # negated strength, rounded
    relation_ids: tuple[str, ...]
    path: Path
    end: str  # the statement it goes on from
    weakest: float


def _seed(statement: str, score: float) -> _Way:
    return _Way(-round(score, 9), (), Path((), score, statement, frozenset({statement})), statement, 1.0)


_Onward = tuple[float, tuple[str, ...], float, _Way, Edge]
"""A way and one more relation: cost and relations of what it makes, its strength, the way, the relation.

A hop has thousands, of which only those that stay in the beam become paths.
"""


def _longer(
    beam: Sequence[_Way], doors: Mapping[str, list[tuple[str, float]]], edges: Sequence[Edge], forward: bool
) -> list[_Onward]:
    """All that one more relation makes of the beam, strongest first; of equal relations the strongest way to them."""
    by_statement: dict[str, list[Edge]] = {}
    for edge in edges:
        by_statement.setdefault(edge.head if forward else edge.tail, []).append(edge)
    best: dict[tuple[str, ...], tuple[float, _Way, Edge]] = {}
    for way in beam:
        statements, end, weakest = way.path.statements, way.end, way.weakest
        for door, kept in doors[end]:
            if door != end and door in statements:
                continue
            strength_here = way.path.strength * kept
            for edge in by_statement.get(door, ()):
                if (edge.tail if forward else edge.head) in statements:
                    continue
                strength = strength_here * min(1.0, edge.confidence / weakest)
                ids = (*way.relation_ids, edge.relation_id) if forward else (edge.relation_id, *way.relation_ids)
                known = best.get(ids)
                if known is None or strength > known[0]:
                    best[ids] = (strength, way, edge)
    return sorted((-round(strength, 9), ids, strength, way, edge) for ids, (strength, way, edge) in best.items())


def _taken(onward: _Onward, forward: bool) -> _Way:
    """The way that this makes."""
    cost, relation_ids, strength, way, edge = onward
    before = way.path
    edges = (*before.edges, edge) if forward else (edge, *before.edges)
    path = Path(edges, strength, before.start, before.statements | {edge.head, edge.tail})
    return _Way(cost, relation_ids, path, edge.tail if forward else edge.head, min(way.weakest, edge.confidence))


def crossings(
    graph: Steps, scope: Scope, statements: Sequence[str], *, limit: int
) -> tuple[dict[str, list[tuple[str, float]]], bool]:
    """For each statement itself (kept whole) and the ``limit`` most alike to it, with what a crossing keeps.

    The second value says whether there were more.
    """
    doors: dict[str, list[tuple[str, float]]] = {s: [(s, 1.0)] for s in statements}
    for link in graph.same_as(statements, scope):
        for here, there in ((link.first, link.second), (link.second, link.first)):
            if here in doors:
                doors[here].append((there, SAME_AS_COST * link.score))
    cut = any(len(way) > limit + 1 for way in doors.values())
    return {here: way[: limit + 1] for here, way in doors.items()}, cut


def join(forward: Sequence[Path], backward: Sequence[Path], doors: Mapping[str, list[tuple[str, float]]]) -> list[Path]:
    """Paths that lead on from the end of a forward path to the beginning of a backward one, strongest first.

    ``doors`` are the crossings of the forward paths' ends. A joined path's strength is again that of its seeds, its
    weakest relation and every crossing.
    """
    beginnings: dict[str, list[Path]] = {}
    for path in backward:
        beginnings.setdefault(path.edges[0].head, []).append(path)
    joined = []
    for path in forward:
        end = path.edges[-1].tail
        for door, kept in doors.get(end, ()):
            for rest in beginnings.get(door, ()):
                if path.statements & rest.statements != ({end} if door == end else set()):
                    continue  # it would come back to where it has been
                first, second = path.weakest, rest.weakest
                strength = path.strength / first * rest.strength / second * kept * min(first, second)
                joined.append(Path(path.edges + rest.edges, strength, path.start, path.statements | rest.statements))
    return _strongest(joined)


def _weakest(edges: Sequence[Edge]) -> float:
    return min((e.confidence for e in edges), default=1.0)


def _strongest(paths: Sequence[Path]) -> list[Path]:
    best: dict[tuple[str, ...], Path] = {}
    for path in paths:
        known = best.get(path.relation_ids)
        if known is None or path.strength > known.strength:
            best[path.relation_ids] = path
    return sorted(best.values(), key=lambda p: (-round(p.strength, 9), p.relation_ids))


__all__ = ["BEAM", "SAME_AS_COST", "Bounds", "Path", "Walk", "crossings", "join", "walk"]
