"""Which kind of change brings about which: a supply that falls, a price that rises.

Two changes told one after the other without a cue may be cause and effect, or only two things told. Where the first is
of a kind that commonly brings about the second, and both are of one thing, the text is taken to say so. The table is
everyday knowledge of trade and of running systems: it says nothing of any thing, only of what about things changes.
"""

from __future__ import annotations

from extractors.chinese_lexicon import ATTRIBUTES
from extractors.keys import is_number_or_date
from storage.records import Direction, StatementKey

_TABLE = """
# trade: what rises -> what it raises (+) and lowers (-)
供给 -> 价格- 库存+ 出口+
需求 -> 价格+ 销量+ 库存- 供给+ 进口+ 开工率+
销量 -> 价格+ 收入+ 利润+ 库存-
出口 -> 需求+ 价格+ 库存-
进口 -> 供给+ 价格- 库存+
库存 -> 价格-
价格 -> 收入+ 利润+ 需求- 销量-
成本 -> 价格+ 利润-
收入 -> 利润+
利润 -> 供给+ 开工率+
开工率 -> 供给+ 库存+ 价格-
# systems in operation
流量 -> 负载+ 延迟+ 错误+
负载 -> 延迟+ 错误+ 可用性-
延迟 -> 错误+ 可用性-
错误 -> 可用性-
容量 -> 延迟- 错误- 可用性+
"""
"""Of one thing. Read for a fall as well: what a rise raises, a fall lowers."""
_ALONG = """
# what is made of it, or needs it: the price of rubber and of tyres, the sales of cars and the demand for glass
价格 -> 价格+ 成本+ 利润+ 利润- 需求+
成本 -> 价格+ 利润-
供给 -> 需求+
需求 -> 需求+ 价格+ 销量+ 利润+ 收入+
销量 -> 需求+ 价格+
开工率 -> 需求+
"""
"""Of two unlike things, where a sentence says nothing else: a part of what one thing costs or needs is another."""
_ONE_THING, _KINDRED, _UNLIKE = 0.57, 0.54, 0.52
"""Confidence of such a pair about one thing, about two that share a part of their names (生猪, 猪肉), and about unlike
ones. Of 45 of the former read, 38 were right; less is claimed, as the text does not say it."""
_FURTHER = 0.96
"""Factor for each event that stands in between."""
_COMPLETED = 0.92
"""Factor for an event whose subject was taken from its neighbour."""
_NAMES_NOTHING = frozenset("业品料产的")
"""Characters that the names of unlike things share."""


def _read(table: str) -> frozenset[tuple[str, str, bool]]:
    """``(cause, effect, whether both go the same way)`` of each pair."""
    pairs: set[tuple[str, str, bool]] = set()
    for line in table.splitlines():
        if "->" in line and not line.startswith("#"):
            cause, effects = line.split("->")
            pairs |= {(cause.strip(), effect[:-1], effect[-1] == "+") for effect in effects.split()}
    return frozenset(pairs)


CHANGES = _read(_TABLE)
ALONG = _read(_ALONG)
_CLASSES = frozenset(ATTRIBUTES.values())


def brings_about(
    cause: StatementKey, effect: StatementKey, *, step: int = 1, completed: bool = False, alone: bool = False
) -> float:
    """How sure it is that the one change brings about the other, 0 where the table does not say so.

    Args:
        cause: what changes, and which way.
        effect: what is told with it.
        step: how many events further on the second is told, from 1.
        completed: whether one of the two was told without its subject.
        alone: whether the sentence tells nothing else, so that it is said for the sake of these two.
    """
    if Direction.NONE in (cause.direction, effect.direction) or cause.negated or effect.negated:
        return 0.0
    pair = (_attribute(cause), _attribute(effect), cause.direction is effect.direction)
    things = _things(cause), _things(effect)
    if not all(things):
        return 0.0  # of what it is said is open
    confidence = 0.0
    if pair in CHANGES:
        confidence = _ONE_THING if things[0] & things[1] else _KINDRED if step == 1 and _kindred(*things) else 0.0
    if not confidence and alone and step == 1 and pair in ALONG and not completed:
        confidence = _UNLIKE
    return confidence * _FURTHER ** (step - 1) * (_COMPLETED if completed else 1.0)


def is_measured(key: StatementKey) -> bool:
    """Whether a key says which thing changes, in what, and which way."""
    return key.direction is not Direction.NONE and bool(_attribute(key)) and bool(_things(key))


def _attribute(key: StatementKey) -> str:
    """What about the thing changes: the last of its terms that names an attribute."""
    return next((term for term in reversed(key.terms) if term in _CLASSES), "")


def _things(key: StatementKey) -> frozenset[str]:
    return frozenset(t for t in key.terms if t not in _CLASSES and not is_number_or_date(t))


def _kindred(first: frozenset[str], second: frozenset[str]) -> bool:
    """Whether names share a part: 生猪 and 猪肉, 电视面板 and 面板."""
    shared = {c for term in first for c in term} & {c for term in second for c in term}
    return any("\u4e00" <= c <= "\u9fff" and c not in _NAMES_NOTHING for c in shared)


__all__ = ["ALONG", "CHANGES", "brings_about", "is_measured"]
