"""How many of the first rows of a table name its columns, told from its words alone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from extractors.loaders.text_builder import Position

_LOOKED_AT = 50  # rows of the body: a table of a million rows shows its kind in them
_LONGEST_NAME = 80
_MOST_HEADER_ROWS = 5
_PERIOD = re.compile(r"(?:19|20)\d\d(?:\s?年|[-/](?:0?[1-9]|1[0-2]))?|(?:0?[1-9]|1[0-2])\s?月|\d{1,2}(?:st|nd|rd|th)")
_QUANTITY = re.compile(r"\d[\d.,:]{0,20}\s?\w{1,20}")
_ANY_VALUE = frozenset(
    str.split("value values detail details description content answer note notes result 值 数值 內容 内容 说明 详情")
)
"""What a column is called that holds figures and words alike."""
_TRUTH = frozenset(str.split("true false yes no y n x ✓ ✗ 是 否 有 无 無 - – — n/a na none null"))


def header_rows(grid: Sequence[Sequence[str]], merged: Mapping[Position, Position] | None = None) -> int:
    """How many of the first rows of ``grid`` are a header; 0 when the first row reads like those below it.

    The first row names the columns when it has words for each column, all different, none of them a figure, a date or a
    sentence, and none that comes again in its column below. Rows before it that only entitle the table, and rows that
    it shares merged cells with, belong to the header.

    Args:
        grid: the words of each cell, row by row.
        merged: for each position that a merged cell covers but its first, that first position.
    """
    table = _Grid(grid, merged or {})
    if table.width < 2:
        return 0
    first = 0
    while first < min(len(grid), _MOST_HEADER_ROWS) and table.is_title(first):
        first += 1
    last = table.last_shared(first)
    if last == first and table.groups_columns(first):
        last += 1
    if last + 1 >= len(grid) or last >= _MOST_HEADER_ROWS:
        return 0
    return last + 1 if table.names_columns(first, last) else 0


class _Grid:
    """Questions about the rows of one table; a covered cell has the words of the cell that covers it."""

    def __init__(self, grid: Sequence[Sequence[str]], merged: Mapping[Position, Position]) -> None:
        self._merged = merged
        self._columns = max((len(row) for row in grid[: _LOOKED_AT + _MOST_HEADER_ROWS]), default=0)
        self._words = [
            [self._cell(grid, *merged.get((r, c), (r, c))) for c in range(self._columns)]
            for r in range(min(len(grid), _LOOKED_AT + _MOST_HEADER_ROWS))
        ]
        self._filled = [c for c in range(self._columns) if any(row[c] for row in self._words)]

    @staticmethod
    def _cell(grid: Sequence[Sequence[str]], row: int, column: int) -> str:
        return " ".join(grid[row][column].split()) if row < len(grid) and column < len(grid[row]) else ""

    @property
    def width(self) -> int:
        """How many columns have words."""
        return len(self._filled)

    def is_title(self, row: int) -> bool:
        """Whether the row is empty, or one cell with words stands for a table of several columns."""
        own = {self._merged.get((row, c), (row, c)) for c in range(self._columns) if self._words[row][c]}
        return self.width > 1 and len(own) < 2 and all(column <= self._filled[0] for _, column in own)

    def last_shared(self, row: int) -> int:
        """The last row that a merged cell of ``row`` reaches, or that divides a cell merged over columns."""
        last = row
        if row >= len(self._words):
            return last
        for (r, c), (top, left) in self._merged.items():
            if top == row and r > row and c == left:
                last = max(last, r)
        wide = {left for (r, c), (top, left) in self._merged.items() if r == row and top == row and c > left}
        if wide and last == row:
            last += 1
        return last

    def groups_columns(self, row: int) -> bool:
        """Whether the row has words for groups of columns only, and the next for each column, over figures."""
        if row + 2 >= len(self._words):
            return False
        upper, lower = self._words[row], self._words[row + 1]
        gaps = [c for c in self._filled if not upper[c]]
        named = [c for c in self._filled if c != self._filled[0]]
        return (
            len(gaps) > (not upper[self._filled[0]])
            and all(lower[c] and not _is_value(lower[c]) for c in named)
            and any(self._is_of_values(c, row + 2) for c in self._filled)
        )

    def names_columns(self, first: int, last: int) -> bool:
        """Whether the rows ``first`` to ``last`` read like the names of what stands below them."""
        names = {c: " ".join(filter(None, (self._words[r][c] for r in range(first, last + 1)))) for c in self._filled}
        nameless = [c for c in self._filled if not names[c]]
        if nameless not in ([], [self._filled[0]]):
            return False
        words = [name.casefold() for name in names.values() if name]
        if not words or len(set(words)) < len(words) or (self.width == 2 and self._is_of_pairs(words[-1], last + 1)):
            return False
        return all(self._names(name, column, last + 1) for column, name in names.items() if name)

    def _names(self, name: str, column: int, body: int) -> bool:
        below = [row[column] for row in self._words[body:] if row[column]]
        if name in below or len(name) > _LONGEST_NAME or _is_sentence(name):
            return False
        if self.width == 2 and name.endswith((":", "：")):
            return False  # "Author: | Smith": names stand in the first column
        if _PERIOD.fullmatch(name):
            return not any(_PERIOD.fullmatch(cell) for cell in below)
        if name.casefold() in _TRUTH:
            return not any(cell.casefold() in _TRUTH for cell in below)
        if _is_value(name):
            return False
        return not (any(map(str.isdigit, name)) and below and all(_shape(cell) == _shape(name) for cell in below))

    def _is_of_pairs(self, name: str, body: int) -> bool:
        """Whether the second of two columns holds figures and words: then the first column names them, row by row."""
        below = [_is_value(row[self._filled[1]]) for row in self._words[body:] if row[self._filled[1]]]
        return len(below) > 1 and any(below) and not all(below) and name not in _ANY_VALUE

    def _is_of_values(self, column: int, body: int) -> bool:
        below = [row[column] for row in self._words[body:] if row[column]]
        return bool(below) and sum(map(_is_value, below)) * 2 > len(below)


def _is_value(cell: str) -> bool:
    """A figure, a date, a time, an amount, a yes or no: what columns hold and no column is called."""
    if cell.casefold() in _TRUTH:
        return True
    quantity = bool(_QUANTITY.fullmatch(cell)) and not _PERIOD.match(cell)
    return quantity or sum(map(str.isdigit, cell)) > sum(map(str.isalpha, cell))


def _is_sentence(cell: str) -> bool:
    return cell.endswith(("。", "！", "；")) or (cell.endswith((".", "!", ";")) and cell.count(" ") > 2)


def _shape(cell: str) -> str:
    return "".join("9" if char.isdigit() else "a" if char.isalpha() else char for char in cell)


__all__ = ["header_rows"]
