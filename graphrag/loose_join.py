"""Pairs of relations that only resemble what was asked, and each other where they would meet.

They lead to passages, and prove nothing. Direction is kept strictly, the thing less so, and what of it changes least:
that demand falls is near to a fall in sales, and far from a rise in demand.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from extractors.keys import ATTRIBUTE_TERMS, is_number_or_date
from storage.ports import Edge
from storage.records import Direction, StatementKey

HALVES = 200
"""Relations considered on either side, the best first; 60 lost 0.5 points of chain@5, 400 gained nothing."""

SAME = 0.9
"""A statement that resembles a named end this much is that end, and no middle between the two."""

_OTHER_ATTRIBUTE = 0.3
"""What remains of a resemblance when another side of the thing changes (price, demand)."""
_OTHER_DIRECTION = 0.1
_ONE_DIRECTION = 0.6
"""What remains when only one of the two says a direction."""
_MORE_SAID = 0.35
"""Exponent of the share of a statement's words that were asked for: what it says beside them costs little."""
_MEETING = 0.5
_CERTAINTY = 0.5
"""Exponents of how alike the middles are and how certain a relation is, against how well the ends fit."""


@dataclass(frozen=True, slots=True)
class Half:
    """A relation from or to one of the two named ends, and how well it stands for the step that is asked for."""

    edge: Edge
    fit: float  # how much its outer statement resembles the named end, in [0, 1]

    @property
    def worth(self) -> float:
        """Fit and certainty together."""
        return self.fit * math.pow(self.edge.confidence, _CERTAINTY)


def resemblance(asked: StatementKey, found: StatementKey) -> float:
    """How well ``found`` may stand for ``asked``, in [0, 1]: 0 where they name no thing in common."""
    if asked.language != found.language or asked.negated != found.negated:
        return 0.0
    wanted, there = _comparable(asked, found)
    things, others = wanted - ATTRIBUTE_TERMS, there - ATTRIBUTE_TERMS
    if bool(things) != bool(others):
        return 0.0
    alike = 1.0
    if things:
        common = len(things & others)
        alike = common / len(things) * (common / len(others)) ** _MORE_SAID
    if wanted - things != there - others:
        alike *= _OTHER_ATTRIBUTE
    if asked.direction is not found.direction:
        said = Direction.NONE not in (asked.direction, found.direction)
        alike *= _OTHER_DIRECTION if said else _ONE_DIRECTION
    return alike


def _comparable(asked: StatementKey, found: StatementKey) -> tuple[set[str], set[str]]:
    """The terms of both; amounts and dates count against each other, not against a statement that names none."""
    wanted, there = set(asked.terms), set(found.terms)
    told, answered = set(filter(is_number_or_date, wanted)), set(filter(is_number_or_date, there))
    if told and answered:
        return wanted, there
    return (wanted - told) or wanted, (there - answered) or there


def join_loosely(
    forward: Sequence[Half],
    backward: Sequence[Half],
    keys: Mapping[str, StatementKey],
    ends: Sequence[StatementKey],
) -> list[tuple[tuple[str, str], float, float]]:
    """Pairs of a relation from the start and one to the end: (relation ids, worth, least confidence), best first.

    ``keys`` are those of the statements at which they would meet; none of ``ends`` is a middle. The worth, in [0, 1],
    is that of both halves times the root of the resemblance of their middles.
    """
    middle = {i: all(resemblance(end, key) < SAME for end in ends) for i, key in keys.items()}
    starting: dict[str, list[Half]] = defaultdict(list)  # by a thing that the statement names where the half begins
    for half in backward:
        if not middle.get(half.edge.head):
            continue
        for term in _things(keys[half.edge.head]):
            starting[term].append(half)
    alike: dict[tuple[str, str], float] = {}
    found: dict[tuple[str, str], tuple[float, float]] = {}
    for half in forward:
        tail = half.edge.tail
        if not middle.get(tail):
            continue
        things = _things(keys[tail])
        for rest in {h.edge.relation_id: h for term in things for h in starting.get(term, ())}.values():
            head = rest.edge.head
            if (tail, head) not in alike:
                alike[tail, head] = resemblance(keys[tail], keys[head]) ** _MEETING
            pair = (half.edge.relation_id, rest.edge.relation_id)
            if alike[tail, head] and pair[0] != pair[1]:
                worth = half.worth * rest.worth * alike[tail, head]
                found[pair] = (worth, min(half.edge.confidence, rest.edge.confidence))
    ranked = sorted(found.items(), key=lambda item: (-item[1][0], item[0]))
    return [(pair, worth, least) for pair, (worth, least) in ranked]


def _things(key: StatementKey) -> set[str]:
    """What a statement names besides attributes, amounts and dates, which many share that have nothing in common."""
    return {t for t in key.terms if t not in ATTRIBUTE_TERMS and not is_number_or_date(t)}


def best_halves(halves: Sequence[Half]) -> list[Half]:
    """The ``HALVES`` that are worth most, ties by id."""
    return sorted(halves, key=lambda h: (-h.worth, h.edge.relation_id))[:HALVES]


__all__ = ["HALVES", "SAME", "Half", "best_halves", "join_loosely", "resemblance"]
