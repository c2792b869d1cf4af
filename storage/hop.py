"""What one step of a walk is made of, whichever store keeps the edges: pure functions over rows.

A walk reads a projection with one edge per active affirmed relation and access class. The confidence of a relation that
several classes prove is combined here, in the way that gives exactly what :func:`storage.belief.belief` gives.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from storage.belief import noisy_or
from storage.ports import Edge, Hop
from storage.records import RelationType

Candidate = tuple[float, str, RelationType, str]
"""Negated rounded confidence, relation, type, far statement: what sorts first is followed first."""

_NEAR_TIE = 1e-4
"""In units of the sixth decimal: how near to a half a confidence must be for its rounding to hang on float noise."""


def combined(
    parts: Mapping[str, list[float]], voices: Callable[[set[str]], Mapping[str, list[float]]]
) -> dict[str, float]:
    """The confidence of each relation from those of its classes, rounded to 1e-6.

    Where the rounding is in doubt, because parts were multiplied before the whole, ``voices`` is asked for what each
    document says.
    """
    doubtful = {relation for relation, values in parts.items() if len(values) > 1 and _is_near_tie(noisy_or(values))}
    exact = voices(doubtful) if doubtful else {}
    return {
        relation: round(noisy_or(exact.get(relation, values)), 6) if len(values) > 1 else round(values[0], 6)
        for relation, values in parts.items()
    }


def _is_near_tie(confidence: float) -> bool:
    return abs(confidence * 1e6 % 1 - 0.5) < _NEAR_TIE


def cut(found: Mapping[str, Iterable[Candidate]], *, forward: bool, min_confidence: float, fan_out: int) -> Hop:
    """The edges to follow from each near statement: those of highest confidence, at most ``fan_out``."""
    edges: list[Edge] = []
    truncated: set[str] = set()
    most = -min_confidence
    for statement in sorted(found):
        kept = [c for c in found[statement] if c[0] <= most]
        kept.sort()
        if len(kept) > fan_out:
            truncated.add(statement)
            del kept[fan_out:]
        if forward:
            edges += [Edge(relation, type_, statement, far, -cost) for cost, relation, type_, far in kept]
        else:
            edges += [Edge(relation, type_, far, statement, -cost) for cost, relation, type_, far in kept]
    return Hop(edges=tuple(edges), truncated=frozenset(truncated))


@dataclass(frozen=True, slots=True)
class Projected:
    """One edge of the projection: what the documents of one access class say of one relation."""

    relation: str
    access_class: int | str
    head: str
    tail: str
    type: RelationType
    confidence: float  # unrounded
    shared: bool  # other classes have an edge too


def projected(rows: Iterable[tuple[str, str, str, str, int | str, float]]) -> list[Projected]:
    """The edges of relations from one row (relation, head, tail, type, class, best confidence) per document."""
    voices: dict[tuple[str, int | str], list[float]] = defaultdict(list)
    ends: dict[str, tuple[str, str, RelationType]] = {}
    classes: dict[str, set[int | str]] = defaultdict(set)
    for relation, head, tail, type_, access_class, confidence in rows:
        ends[relation] = (head, tail, RelationType(type_))
        voices[relation, access_class].append(confidence)
        classes[relation].add(access_class)
    return [
        Projected(relation, access_class, *ends[relation], noisy_or(values), len(classes[relation]) > 1)
        for (relation, access_class), values in sorted(voices.items())
    ]


__all__ = ["Candidate", "Projected", "combined", "cut", "projected"]
