"""Rulings of a page to the grids of its tables: pure geometry."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from extractors.loaders.pdf_rulings import Rulings

Position = tuple[int, int]
Segment = tuple[float, float, float]  # where it lies, and from where to where it reaches

_NEAR = 2.5  # points between lines that are meant to be one
_MOST_LINES = 600
_MOST_CELLS = 6_000
_OPEN = 5.0  # how far a line reaches beyond the last one across when a page end cuts the row


@dataclass(frozen=True)
class Grid:
    """Where the columns and rows of a ruled table begin and end, and which cells are parts of a larger one."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    merged: dict[Position, Position]  # a covered position, and the first of its cell
    open_top: bool = False
    open_bottom: bool = False

    @property
    def rows(self) -> int:
        """How many there are."""
        return len(self.ys) - 1

    @property
    def columns(self) -> int:
        """How many there are."""
        return len(self.xs) - 1

    def position(self, x: float, y: float) -> Position | None:
        """Row and column of the cell that holds a point, or None if it is outside."""
        row, column = bisect_right(self.ys, y) - 1, bisect_right(self.xs, x) - 1
        if not (0 <= row < self.rows and 0 <= column < self.columns):
            return None
        return self.merged.get((row, column), (row, column))


def grids(rulings: Rulings) -> list[Grid]:
    """The grids with two columns or more, from the top."""
    across, down = _collinear(rulings.across), _collinear(rulings.down)
    if not across or len(down) < 2 or len(across) > _MOST_LINES or len(down) > _MOST_LINES:
        return []
    found = [
        grid for part in _connected(across, down) for piece in _apart(*part) if (grid := _grid(*piece)) is not None
    ]
    return sorted(found, key=lambda grid: grid.ys[0])


def _collinear(segments: Sequence[Segment]) -> list[Segment]:
    """Segments on one line that touch become one."""
    lines: list[list[Segment]] = []
    for segment in sorted(segments):
        if lines and segment[0] - lines[-1][-1][0] <= 1.0 and segment[0] - lines[-1][0][0] <= _NEAR:
            lines[-1].append(segment)
        else:
            lines.append([segment])
    merged: list[Segment] = []
    for line in lines:
        at = sum(s[0] for s in line) / len(line)
        start, end = None, 0.0
        for _, a, b in sorted(line, key=lambda s: s[1]):
            if start is not None and a <= end + _NEAR:
                end = max(end, b)
            else:
                if start is not None:
                    merged.append((at, start, end))
                start, end = a, b
        if start is not None:
            merged.append((at, start, end))
    return merged


def _connected(across: list[Segment], down: list[Segment]) -> list[tuple[list[Segment], list[Segment]]]:
    """Lines that cross or touch, together."""
    parent = list(range(len(across) + len(down)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for i, (y, left, right) in enumerate(across):
        for j, (x, top, bottom) in enumerate(down):
            if left - _NEAR <= x <= right + _NEAR and top - _NEAR <= y <= bottom + _NEAR:
                parent[root(i)] = root(len(across) + j)
    parts: dict[int, tuple[list[Segment], list[Segment]]] = defaultdict(lambda: ([], []))
    for i, segment in enumerate(across):
        parts[root(i)][0].append(segment)
    for j, segment in enumerate(down):
        parts[root(len(across) + j)][1].append(segment)
    return [part for part in parts.values() if part[0] and part[1]]


def _apart(across: list[Segment], down: list[Segment]) -> list[tuple[list[Segment], list[Segment]]]:
    """Tables side by side that only a line over both, as that under a page header, holds together."""
    xs = _places(down)
    middles = [(a + b) / 2 for a, b in pairwise(xs)]
    lines = [sum(left <= middle <= right for _, left, right in across) for middle in middles]
    closed = [i for i, count in enumerate(lines) if count > 1]
    gaps = [(a + 1, b) for a, b in pairwise(closed) if b > a + 1]
    if not gaps:
        return [(across, down)]
    parts: list[tuple[list[Segment], list[Segment]]] = []
    for start, end in zip([0, *(b for _, b in gaps)], [*(a for a, _ in gaps), len(xs) - 1], strict=True):
        left, right = xs[start] - _NEAR, xs[end] + _NEAR
        inside = [(y, max(a, left), min(b, right)) for y, a, b in across if min(b, right) - max(a, left) > _OPEN]
        parts.extend(_connected(inside, [s for s in down if left <= s[0] <= right]))
    return parts


def _grid(across: list[Segment], down: list[Segment]) -> Grid | None:
    xs, ys = _places(down), _places(across)
    left, right = median(s[1] for s in across), median(s[2] for s in across)
    top, bottom = min(s[1] for s in down), max(s[2] for s in down)
    # Tables without outer lines: those across, or down, reach beyond.
    xs = ([left] if left < xs[0] - 2 * _OPEN else []) + xs + ([right] if right > xs[-1] + 2 * _OPEN else [])
    open_top, open_bottom = top < ys[0] - _OPEN, bottom > ys[-1] + _OPEN
    ys = ([top] if open_top else []) + ys + ([bottom] if open_bottom else [])
    if len(xs) < 3 or len(ys) < 2 or len(xs) * len(ys) > _MOST_CELLS:
        return None
    merged = _merged(xs, ys, across, down)
    anchors = {merged.get((r, c), (r, c)) for r in range(len(ys) - 1) for c in range(len(xs) - 1)}
    if len({column for _, column in anchors}) < 2:
        return None
    return Grid(tuple(xs), tuple(ys), merged, open_top, open_bottom)


def _places(segments: list[Segment]) -> list[float]:
    places: list[list[float]] = []
    for at in sorted(segment[0] for segment in segments):
        if places and at - places[-1][-1] <= _NEAR:
            places[-1].append(at)
        else:
            places.append([at])
    return [sum(group) / len(group) for group in places]


def _merged(xs: list[float], ys: list[float], across: list[Segment], down: list[Segment]) -> dict[Position, Position]:
    """Positions without a line to the cell on the left or above, with the first position of the cell they belong to."""
    first: dict[Position, Position] = {}
    for r in range(len(ys) - 1):
        for c in range(len(xs) - 1):
            owner = (r, c)
            middle_y, middle_x = (ys[r] + ys[r + 1]) / 2, (xs[c] + xs[c + 1]) / 2
            if c and not _covers(down, xs[c], middle_y):
                owner = first[r, c - 1]
            elif r and not _covers(across, ys[r], middle_x):
                owner = first[r - 1, c]
            first[r, c] = owner
    return {position: owner for position, owner in first.items() if position != owner}


def _covers(segments: list[Segment], at: float, point: float) -> bool:
    return any(abs(s[0] - at) <= 2 * _NEAR and s[1] - 1 <= point <= s[2] + 1 for s in segments)


__all__ = ["Grid", "Position", "grids"]
