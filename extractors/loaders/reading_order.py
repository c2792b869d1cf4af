"""In which order boxes on a page are read: bands from the top down, and in a band columns from left to right.

The page is cut along empty strips, across or down, and each part again (the recursive X-Y cut of Nagy and Seth, 1984).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

_DEEPEST = 20
_OVERLAP = 0.05  # of a box: so much may lie over its neighbour
_CLOSE = 0.5  # strips across of less than this, compared to those down, do not part what they lie between
_MOST_COMPARED = 500


class Box(NamedTuple):
    """Where something lies; ``y`` grows downwards."""

    x: float
    y: float
    width: float
    height: float


def reading_order(boxes: Sequence[Box]) -> list[int]:
    """The indices of ``boxes`` in the order in which they are read."""
    return _cut(boxes, list(range(len(boxes))), 0)


def _cut(boxes: Sequence[Box], part: list[int], depth: int) -> list[int]:
    if len(part) < 2:
        return part
    bands = _bands(boxes, part)
    pieces = bands if len(bands) > 1 else _pieces(boxes, part, across=False)[0]
    if depth == _DEEPEST or len(pieces) == 1:
        return sorted(part, key=lambda index: (boxes[index].y, boxes[index].x))
    return [index for piece in pieces for index in _cut(boxes, piece, depth + 1)]


def _bands(boxes: Sequence[Box], part: list[int]) -> list[list[int]]:
    """The bands of a part; those that are closer to each other than the columns they share are one."""
    bands, gaps = _pieces(boxes, part, across=True)
    if len(part) > _MOST_COMPARED:
        return bands
    joined = bands[:1]
    for band, gap in zip(bands[1:], gaps, strict=True):
        columns, between = _pieces(boxes, joined[-1] + band, across=False)
        if len(columns) > 1 and gap < min(between) * _CLOSE:
            joined[-1] = joined[-1] + band
        else:
            joined.append(band)
    return joined


def _pieces(boxes: Sequence[Box], part: list[int], *, across: bool) -> tuple[list[list[int]], list[float]]:
    """The boxes between empty strips, in order, and how wide those strips are."""

    def ends(index: int) -> tuple[float, float]:
        box = boxes[index]
        return (box.y, box.y + box.height) if across else (box.x, box.x + box.width)

    pieces: list[list[int]] = []
    gaps: list[float] = []
    reached, margin = 0.0, 0.0
    for index in sorted(part, key=ends):
        start, end = ends(index)
        own = (end - start) * _OVERLAP
        if not pieces or start + own > reached - margin:
            gaps.extend([start - reached] if pieces else [])
            pieces.append([])
            reached, margin = end, own
        pieces[-1].append(index)
        if end > reached:
            reached, margin = end, own
    return pieces, gaps


__all__ = ["Box", "reading_order"]
