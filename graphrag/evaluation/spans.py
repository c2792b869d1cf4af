"""Predictions of the extractor as benchmark items; for finance slots, spans widened by code."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from extractors.keys import ATTRIBUTE_TERMS, is_number_or_date
from graphrag.evaluation.measures import MAX_SLOT_SPAN

if TYPE_CHECKING:
    from extractors.ports import ExtractedRelation, ExtractionResult
    from storage.records import StatementKey

MIN_CONFIDENCE = 0.5
_CLAUSE_ENDS = frozenset("，。；：！？、\n,.;:!?")
_NO_DIRECTION, _NO_THING, _NO_ATTRIBUTE, _OVERLAPPING = 0.6, 0.6, 0.8, 0.5
"""What is left of how clear a relation is for each end that does not say the one or the other; flat around these."""
Range = tuple[int, int]


def relation_rows(result: ExtractionResult, *, wide: bool) -> list[dict[str, object]]:
    """The affirmed relations of a text as the items file has them.

    ``wide`` keeps every confidence and modality; otherwise only what the product walks by default is kept.
    """
    return [relation_row(relation) for relation in result.relations if wanted(relation, wide=wide)]


def wanted(relation: ExtractedRelation, *, wide: bool) -> bool:
    """Whether a system says this relation."""
    if relation.polarity != "affirmed":
        return False
    return wide or (relation.confidence >= MIN_CONFIDENCE and relation.modality != "hypothetical")


def distinct(result: ExtractionResult) -> list[ExtractedRelation]:
    """The causal relations that a text says, of those about the same things the clearest, in the order of the text.

    The ends of ``ece_zh`` are names of things, and its texts repeat themselves: what leads to what is one item, however
    often and in however many wordings it is said.
    """
    kept: list[ExtractedRelation] = []
    said = [r for r in result.relations if r.type == "causal" and wanted(r, wide=False)]
    for relation in sorted(said, key=lambda r: -_clearness(r)):
        if not any(_alike(relation, other) for other in kept):
            kept.append(relation)
    return sorted(kept, key=result.relations.index)


def _alike(first: ExtractedRelation, second: ExtractedRelation) -> bool:
    pairs = (first.head_key, second.head_key), (first.tail_key, second.tail_key)
    return all(a <= b or b <= a for a, b in ((_things(x), _things(y)) for x, y in pairs))


def _things(key: StatementKey) -> frozenset[str]:
    return frozenset(t for t in key.terms if t not in ATTRIBUTE_TERMS and not is_number_or_date(t))


def clearest(result: ExtractionResult) -> list[ExtractedRelation]:
    """The one causal relation that a text states most clearly, sure or not, as ``ece_zh`` annotates one of most texts.

    Clear is what is sure (its square root counts) and says at both ends which thing changes, in what, and which way.
    """
    causal = [r for r in result.relations if r.polarity == "affirmed" and r.type == "causal"]
    return sorted(causal, key=lambda r: -_clearness(r))[:1]


def _clearness(relation: ExtractedRelation) -> float:
    head, tail = (relation.head.start, relation.head.end), (relation.tail.start, relation.tail.end)
    apart = not relation.head.overlaps(relation.tail) or _holds(tail, head) or _holds(head, tail)
    clear = math.sqrt(relation.confidence) * (1.0 if apart else _OVERLAPPING)
    for key in (relation.head_key, relation.tail_key):
        attributes = sum(term in ATTRIBUTE_TERMS for term in key.terms)
        clear *= _NO_DIRECTION if key.direction == "none" else 1.0
        clear *= _NO_THING if attributes == len(key.terms) else 1.0
        clear *= _NO_ATTRIBUTE if not attributes else 1.0
    return clear


def relation_row(relation: ExtractedRelation) -> dict[str, object]:
    """One relation as the items file has it."""
    return {
        "type": str(relation.type),
        "from": [relation.head.start, relation.head.end],
        "to": [relation.tail.start, relation.tail.end],
    }


def slot_ends(text: str, relation: ExtractedRelation) -> tuple[Range, Range]:
    """Both ends as an item of ``ece_zh`` has them: disjoint and of at most ``MAX_SLOT_SPAN`` characters.

    An end that is longer gives the first stretch of that length that names the most of what its key is about.
    """
    head, tail = (relation.head.start, relation.head.end), (relation.tail.start, relation.tail.end)
    if relation.head.overlaps(relation.tail):
        return widened(text, head, tail)
    return widened(text, _naming(text, head, relation.head_key), _naming(text, tail, relation.tail_key))


def _naming(text: str, span: Range, key: StatementKey) -> Range:
    start, end = span
    if end - start <= MAX_SLOT_SPAN:
        return span

    def named(first: int) -> int:
        return sum(len(thing) for thing in _things(key) if thing in text[first : first + MAX_SLOT_SPAN])

    first = max(range(start, end - MAX_SLOT_SPAN + 1), key=named)
    return first, first + MAX_SLOT_SPAN


def widened(text: str, first: Sequence[int], second: Sequence[int]) -> tuple[Range, Range]:
    """Two disjoint spans grown to ``MAX_SLOT_SPAN`` characters each, where the text has room.

    A span grows inside its clause first, then beyond it, and away from the other before it grows towards it; a span
    that is longer already is cut at the end that is further from the other. Of spans that overlap, one that holds the
    other (棉价 受 减产 影响 上涨) keeps what stands before it; else both share their common part's halves first.
    """
    swapped = first[0] > second[0]
    left, right = (second, first) if swapped else (first, second)
    left_end, right_start = left[1], right[0]
    if _holds(left, right):
        left_end = right_start
    elif left_end > right_start:
        left_end = right_start = (max(left[0], right[0]) + min(left[1], right[1])) // 2
    a = _cut((left[0], left_end), keep_end=True)
    b = _cut((right_start, max(right[1], right_start)), keep_end=False)
    for within_clause in (True, False):
        b = _grown(text, b, a[1], len(text), within_clause=within_clause, leftwards=within_clause)
        a = _grown(text, a, 0, b[0], within_clause=within_clause, leftwards=True)
    return (b, a) if swapped else (a, b)


def _holds(outer: Sequence[int], inner: Sequence[int]) -> bool:
    """Whether a span begins before another and ends behind it."""
    return outer[0] < inner[0] and inner[1] < outer[1]


def _cut(span: Range, *, keep_end: bool) -> Range:
    start, end = span
    if end - start <= MAX_SLOT_SPAN:
        return span
    return (end - MAX_SLOT_SPAN, end) if keep_end else (start, start + MAX_SLOT_SPAN)


def _grown(text: str, span: Range, lowest: int, highest: int, *, within_clause: bool, leftwards: bool) -> Range:
    """The span with what stands before it (``leftwards``) or after it first, between two limits."""
    start, end = span
    if within_clause:
        lowest = max(lowest, _clause_start(text, start))
        highest = min(highest, _clause_end(text, end))
    room = MAX_SLOT_SPAN - (end - start)
    before, after = max(0, start - lowest), max(0, highest - end)
    left = min(before, room) if leftwards else min(before, max(0, room - after))
    return start - left, end + min(after, room - left)


def _clause_start(text: str, position: int) -> int:
    while position > 0 and text[position - 1] not in _CLAUSE_ENDS:
        position -= 1
    return position


def _clause_end(text: str, position: int) -> int:
    while position < len(text) and text[position] not in _CLAUSE_ENDS:
        position += 1
    return position


__all__ = ["MIN_CONFIDENCE", "clearest", "distinct", "relation_row", "relation_rows", "slot_ends", "wanted", "widened"]
