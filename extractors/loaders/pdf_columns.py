"""The columns of a page in reading order, told from the white between them: pure geometry.

Where the order in a file is not that of reading, only the page says which is. A page is cut at its gutter, a white
strip between words on both sides; what lies across the strip (a title, a wide table) parts the page into bands, which
are read one after the other, each from its left column to its right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from statistics import median
from typing import Protocol

_NARROWEST_GUTTER = 0.8  # in type sizes
_WIDEST_GUTTER = 4.0
_NARROWEST_COLUMN = 6.0
_TABLE_ROW = 2.0
_FOOT = 1.2
_MOST_CLEAR = 4
_TALL = 15  # rows of a column beside which another may be but begun
_FEWEST_ROWS = 3
_MOST_CUTS = 6
_WHITE = 0.55  # of the usual height of boxes over one point of the width: less is a gutter, perhaps
_LEAST_SHARE = 0.3  # of the narrower of two columns in the wider one


class Box(Protocol):
    """A word or a table."""

    @property
    def left(self) -> float:
        """From the left edge of the page, in points."""

    @property
    def right(self) -> float:
        """From the left edge of the page."""

    @property
    def top(self) -> float:
        """From the top edge of the page."""

    @property
    def bottom(self) -> float:
        """From the top edge of the page."""


@dataclass(frozen=True)
class _Band:
    top: float
    bottom: float


def columns(boxes: Sequence[Box], size: float, known: list[float], cuts: int = _MOST_CUTS) -> list[list[Box]]:
    """The boxes in stretches that are each one column, in reading order.

    Args:
        boxes: words and tables of a page, or of a part of it.
        size: the usual type size.
        known: the middles of gutters found on this page and those before, to which new ones are added: a column of
            one line is believed beside a gutter that is known.
        cuts: how often a part may be cut again.
    """
    if not boxes:
        return []
    if cuts == 0 or len(boxes) < 4:
        return [list(boxes)]
    best: tuple[float, float, list[_Band]] | None = None
    for left, right in _strips(boxes, size, known):
        bands = _bands(boxes, left, right, size, known)
        height = sum(band.bottom - band.top for band in bands)
        if bands and (best is None or height > best[0]):
            best = (height, (left + right) / 2, bands)
    if best is None:
        return [list(boxes)]
    _, middle, bands = best
    if not any(abs(middle - other) < 2 * size for other in known):
        known.append(middle)
    return _cut(boxes, middle, bands, size, known, cuts - 1)


def without_foot(boxes: Sequence[Box], size: float) -> tuple[list[Box], list[Box]]:
    """The boxes, and those of the lowest row if it stands far below all others on the page."""
    lowest = max(box.bottom for box in boxes)
    foot = [box for box in boxes if box.bottom > lowest - 0.5 * size]
    inner = [box for box in boxes if box.bottom <= lowest - 0.5 * size]
    height = lowest - min(box.top for box in foot)
    apart = inner and height < 2 * size and min(b.top for b in foot) - max(b.bottom for b in inner) > _FOOT * size
    return (inner, foot) if apart else (list(boxes), [])


def _cut(
    boxes: Sequence[Box], middle: float, bands: list[_Band], size: float, known: list[float], cuts: int
) -> list[list[Box]]:
    between: list[list[Box]] = [[] for _ in range(len(bands) + 1)]
    sides: list[tuple[list[Box], list[Box]]] = [([], []) for _ in bands]
    for box in boxes:
        y = (box.top + box.bottom) / 2
        at = next((i for i, band in enumerate(bands) if y < band.bottom), len(bands))
        if at < len(bands) and bands[at].top <= y:
            sides[at][(box.left + box.right) / 2 > middle].append(box)
        else:
            between[at].append(box)
    parts: list[list[Box]] = []
    for i, part in enumerate(between):
        parts.extend(columns(part, size, known, cuts))
        if i < len(sides):
            for side in sides[i]:
                parts.extend(columns(side, size, known, cuts))
    return parts


def _strips(boxes: Sequence[Box], size: float, known: list[float]) -> list[tuple[float, float]]:
    """Vertical strips, as narrow as a gutter may be, in the middle of what few boxes cover."""
    left, right = min(box.left for box in boxes), max(box.right for box in boxes)
    if right - left < 2 * _NARROWEST_COLUMN * size:
        return []
    width = int(right - left) + 2
    changes = [0.0] * (width + 1)
    for box in boxes:
        height = box.bottom - box.top
        changes[max(int(box.left - left + 0.5), 0)] += height
        changes[min(int(box.right - left + 0.5), width)] -= height
    cover = list(accumulate(changes[:width]))
    covered = [height for height in cover if height > size / 2]
    usual = median(covered) if covered else 0.0
    half = _NARROWEST_GUTTER * size / 2
    margin = int(_NARROWEST_COLUMN * size)
    strips: set[tuple[float, float]] = set()
    for start, stop in _runs(cover, _WHITE * usual, margin, width - margin):
        lowest = min(cover[start:stop])
        clear = [run for run in _runs(cover, lowest, start, stop) if run[1] - run[0] >= 2 * half][:_MOST_CLEAR]
        strips |= {(left + (a + b) / 2 - half, left + (a + b) / 2 + half) for a, b in clear}
        for allowed in (size, 0.1 * usual, 0.2 * usual):  # what may lie across: titles, lines that end later
            white = _runs(cover, lowest + allowed, start, stop)
            first, end = max(white, key=lambda run: run[1] - run[0])
            if end - first >= 2 * half:
                middle = left + (first + end) / 2
                strips.add((middle - half, middle + half))
    strips |= {
        (at - half, at + half) for at in known if cover[min(max(int(at - left), 0), width - 1)] <= _WHITE * usual
    }
    return sorted(strips)


def _runs(cover: Sequence[float], most: float, start: int, stop: int) -> list[tuple[int, int]]:
    """The stretches between ``start`` and ``stop`` where ``cover`` is at most ``most``."""
    runs: list[tuple[int, int]] = []
    first = None
    for at in range(start, stop):
        if cover[at] <= most + 1e-6:
            first = at if first is None else first
        elif first is not None:
            runs.append((first, at))
            first = None
    if first is not None:
        runs.append((first, stop))
    return runs


def _bands(boxes: Sequence[Box], left: float, right: float, size: float, known: list[float]) -> list[_Band]:
    """Where words stand on both sides of the strip and none on it."""
    crossing = sorted((b.top, b.bottom) for b in boxes if b.left < right - 1 and b.right > left + 1)
    top, bottom = min(b.top for b in boxes) - 1, max(b.bottom for b in boxes) + 1
    edges = [top]
    reach = top
    for start, end in crossing:
        if start > reach:
            edges.extend((reach, start))
            reach = end
        reach = max(reach, end)
    edges = [*edges[1:], reach, bottom] if bottom > reach else edges[1:]
    is_known = any(left - 2 * size <= middle <= right + 2 * size for middle in known)
    bands = []
    for start, end in zip(edges[::2], edges[1::2], strict=False):
        if end - start < size:
            continue
        inside = [b for b in boxes if start <= (b.top + b.bottom) / 2 < end]
        sides = [b for b in inside if b.right <= left + 1], [b for b in inside if b.left >= right - 1]
        if all(sides) and _are_columns(*sides, size, is_known=is_known):
            bands.append(_Band(start, end))
    return bands


def _are_columns(left: list[Box], right: list[Box], size: float, *, is_known: bool) -> bool:
    rows = _rows(left, size), _rows(right, size)
    if len(rows[1]) < _FEWEST_ROWS and not is_known:
        return _is_begun(left, right, rows[0], size)
    fewest = 1 if is_known else _FEWEST_ROWS
    if min(map(len, rows)) < fewest or max(map(len, rows)) < _FEWEST_ROWS:
        return False
    widths = [max(b.right for b in side) - min(b.left for b in side) for side in (left, right)]
    if is_known:
        return max(widths) > _NARROWEST_COLUMN * size
    if min(widths) < max(_LEAST_SHARE * max(widths), _NARROWEST_COLUMN * size):
        return False
    return all(_is_prose(side) for side in rows) and not _side_by_side(*rows, size)


def _is_begun(left: list[Box], right: list[Box], rows: list[tuple[float, float, float]], size: float) -> bool:
    """Whether a line or two on the right begin the column beside a tall one: at its top, a gutter away."""
    end = max(box.right for box in left)
    start = min(box.left for box in right)
    return (
        len(rows) >= _TALL
        and _is_prose(rows)
        and start - end < _WIDEST_GUTTER * size
        and max(b.right for b in right) - start < 1.1 * (end - min(b.left for b in left))
        and min(b.top for b in right) - min(b.top for b in left) < size
    )


def _rows(boxes: list[Box], size: float) -> list[tuple[float, float, float]]:
    """Bottom, left and right of each row of boxes; a table counts as the rows that its height holds."""
    rows: list[list[float]] = []
    for box in sorted(boxes, key=lambda b: b.bottom):
        inner = int((box.bottom - box.top) / (_TABLE_ROW * size)) - 1
        rows.extend([box.bottom - k * _TABLE_ROW * size, box.left, box.right] for k in range(inner, 0, -1))
        if rows and box.bottom - rows[-1][0] < 0.5 * size:
            rows[-1][1] = min(rows[-1][1], box.left)
            rows[-1][2] = max(rows[-1][2], box.right)
        else:
            rows.append([box.bottom, box.left, box.right])
    return [(bottom, left, right) for bottom, left, right in rows]


def _is_prose(rows: list[tuple[float, float, float]]) -> bool:
    """Whether lines fill the column, as those of paragraphs do and those of a list of numbers do not."""
    widths = sorted(right - left for _, left, right in rows)
    full = widths[int(0.9 * (len(widths) - 1))]  # what is wider may reach out of the column
    return median(widths) >= 0.5 * full


def _side_by_side(left: list[tuple[float, float, float]], right: list[tuple[float, float, float]], size: float) -> bool:
    """Whether the two are the columns of one table: each row on the right beside one on the left, with wide gaps."""
    bottoms = [row[0] for row in left]
    beside = sum(any(abs(bottom - other) < 0.2 * size for other in bottoms) for bottom, _, _ in right)
    pitch = median([b[0] - a[0] for a, b in pairwise(left)]) if len(left) > 1 else 0.0
    return beside == len(right) and len(left) <= 1.3 * len(right) and pitch > 1.9 * size


__all__ = ["Box", "columns", "without_foot"]
