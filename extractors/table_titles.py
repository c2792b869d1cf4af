"""Which of the first rows of a table are its title: they stand in the table and name no column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Position = tuple[int, int]
"""Row and column of a cell, counted from 0."""


def title_rows(grid: Sequence[Sequence[str]], header: int, merged: Mapping[Position, Position]) -> int:
    """How many rows at the top entitle the table: one cell over all its columns, or one alone at the left.

    One header row at least is left below them. A lone cell at the left is a title only if the row below has words under
    it: else it is the upper half of a column's name.

    Args:
        grid: the words of each cell, row by row.
        header: how many of the first rows name the columns or entitle the table.
        merged: for each position that a merged cell covers but its first, that first position.
    """
    titles = 0
    for r in range(min(header, len(grid)) - 1):
        own = [c for c, word in enumerate(grid[r]) if word.strip() and (r, c) not in merged]
        below = [_filled(grid, row, merged) for row in range(r + 1, min(header, len(grid)))]
        named = set().union(*below)
        if len(own) > 1 or _hangs_over(grid, r, merged):
            break
        if own:
            reach = {own[0], *(c for c in range(len(grid[r])) if merged.get((r, c)) == (r, own[0]))}
            over_all = len(reach) > 1 and named <= reach
            above_first = len(named) > 1 and own[0] == min(named) and own[0] in next(filter(None, below))
            if not over_all and (len(reach) > 1 or not above_first):
                break
        titles = r + 1
    return titles


def _filled(grid: Sequence[Sequence[str]], row: int, merged: Mapping[Position, Position]) -> set[int]:
    return {c for c, word in enumerate(grid[row]) if word.strip() or (row, c) in merged}


def _hangs_over(grid: Sequence[Sequence[str]], row: int, merged: Mapping[Position, Position]) -> bool:
    """Whether a cell of ``row``, or of one above, reaches into the next row: the rows belong together."""
    return any((row + 1, c) in merged and merged[row + 1, c][0] <= row for c in range(len(grid[row + 1])))


__all__ = ["Position", "title_rows"]
