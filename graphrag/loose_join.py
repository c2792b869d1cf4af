"""Pairs of relations that only resemble each other where they would meet: they lead to passages, and prove nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from extractors.keys import ATTRIBUTE_TERMS
from graphrag.walk import Path
from storage.records import Direction, StatementKey

HALVES = 60
"""Relations considered on either side, the strongest first; 30 to 200 gave the same ranking."""

_ATTRIBUTE_WEIGHT = 0.5
_ONE_DIRECTION = 0.6
"""What remains of a resemblance when only one of the two says a direction."""


def resemblance(first: StatementKey, second: StatementKey) -> float:
    """How alike two keys are without being the same, in [0, 1]: weighted Jaccard of their terms.

    Terms that say which side of a thing changes (price, demand) weigh half. Opposite directions do not resemble.
    """
    if first.language != second.language or first.negated != second.negated:
        return 0.0
    kept = 1.0
    if first.direction is not second.direction:
        if Direction.NONE not in (first.direction, second.direction):
            return 0.0
        kept = _ONE_DIRECTION
    a, b = set(first.terms), set(second.terms)
    return kept * _weight(a & b) / _weight(a | b)


def join_loosely(
    forward: Sequence[Path], backward: Sequence[Path], keys: Mapping[str, StatementKey], ends: Mapping[str, float]
) -> list[tuple[tuple[str, ...], float, float]]:
    """Pairs of one relation from a start and one to an end: (relation ids, strength, weakest confidence), best first.

    ``keys`` are those of the statements at which they would meet, ``ends`` the statements that were asked for, which
    are no middle. The strength is that of both halves times the square root of the resemblance, in [0, 1].
    """
    starting: dict[str, list[Path]] = defaultdict(list)  # by a term of the statement where the second half begins
    for path in [p for p in backward if len(p.edges) == 1 and p.edges[0].head not in ends][:HALVES]:
        for term in set(keys[path.edges[0].head].terms):
            starting[term].append(path)
    alike: dict[tuple[str, str], float] = {}
    found: dict[tuple[str, ...], tuple[float, float]] = {}
    for path in [p for p in forward if len(p.edges) == 1 and p.edges[0].tail not in ends][:HALVES]:
        tail = path.edges[0].tail
        for rest in {id(p): p for term in keys[tail].terms for p in starting.get(term, ())}.values():
            head = rest.edges[0].head
            if (tail, head) not in alike:
                alike[tail, head] = 1.0 if tail == head else resemblance(keys[tail], keys[head])
            pair = (*path.relation_ids, *rest.relation_ids)
            if alike[tail, head] and path.relation_ids != rest.relation_ids and pair not in found:
                strength = path.strength * rest.strength * alike[tail, head] ** 0.5
                found[pair] = (strength, min(path.weakest, rest.weakest))
    ranked = sorted(found.items(), key=lambda item: (-item[1][0], item[0]))
    return [(pair, strength, weakest) for pair, (strength, weakest) in ranked]


def _weight(terms: set[str]) -> float:
    return sum(_ATTRIBUTE_WEIGHT if t in ATTRIBUTE_TERMS else 1.0 for t in terms)


__all__ = ["HALVES", "join_loosely", "resemblance"]
