"""The rows of a table: where each stands in the text, and what it says by itself."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from extractors.table_titles import Position, title_rows
from storage.records import Span, Table

_BEHIND = re.compile(r"[| \t]*")
_LONGEST = 2_000  # characters of one cell: a merged cell is repeated in every row that it covers
_FAR = 1_000  # characters of bars and blanks that may stand before the first cell with words


class Row(NamedTuple):
    """One row that has words of its own: its number in the table, from 0, and its range in the text, bars included."""

    number: int
    start: int
    end: int
    cells: tuple[Span, ...]  # its own, without what a cell merged from above repeats


def table_rows(table: Table, text: str) -> list[Row]:
    """The rows of a table that have words of their own, in order; [] if its cells do not stand in ``text`` in order."""
    rows: list[Row] = []
    known: set[tuple[int, int]] = set()
    reached = 0
    for index, cells in enumerate(table.rows):
        own: list[Span] = []
        for cell in cells:
            if cell and (cell.start, cell.end) not in known:
                known.add((cell.start, cell.end))
                own.append(cell)
        if not own:
            continue
        for cell in own:
            if cell.start < reached or cell.end > len(text):
                return []
            reached = cell.end
        floor = max(rows[-1].end if rows else 0, own[0].start - _FAR)
        behind = _BEHIND.match(text, reached)
        start = floor + len(text[floor : own[0].start].rstrip("| \t"))
        end = behind.end() if behind else reached
        while text[start].isspace():
            start += 1
        while text[end - 1].isspace():
            end -= 1
        rows.append(Row(index, start, end, tuple(own)))
    return rows


def column_names(table: Table, text: str) -> tuple[str, ...]:
    """What the header rows call each column, from the outermost; "" where they say nothing."""
    width = max(map(len, table.rows))
    return tuple(column_name(table, text, column) for column in range(width))


def column_name(table: Table, text: str, column: int) -> str:
    """What the header rows call a column, from the outermost; "" if there is no header. A title is no name."""
    rows = table.rows[titles_of(table) : table.header]
    spans = dict.fromkeys(row[column] for row in rows if column < len(row))
    return " › ".join(dict.fromkeys(text[span.start : span.end] for span in spans if span))


def titles_of(table: Table) -> int:
    """How many of its header rows only entitle the table."""
    merged: dict[Position, Position] = {}
    seen: dict[Span, Position] = {}
    for r, row in enumerate(table.rows[: table.header]):
        for c, span in enumerate(row):
            if span and (first := seen.setdefault(span, (r, c))) != (r, c):
                merged[r, c] = first
    grid = [["x" if span else "" for span in row] for row in table.rows[: table.header]]
    return title_rows(grid, table.header, merged)


def row_words(table: Table, text: str, row: int, names: Sequence[str] | None = None) -> str:
    """A row as it reads by itself: ``Region: North; Q3: 41``.

    Merged cells are filled and empty ones left out; of a very long cell only the beginning counts. A cell that fills
    the row stands alone, and so do the words of a header row. ``names``: the columns' names, for a caller that reads
    many rows.
    """
    cells = [(column, cell) for column, cell in enumerate(table.rows[row]) if cell]
    distinct = dict.fromkeys(cell for _, cell in cells)
    if row < table.header or len(distinct) == 1 < len(cells) == len(table.rows[row]):
        return "; ".join(text[cell.start : min(cell.end, cell.start + _LONGEST)] for cell in distinct)
    names = column_names(table, text) if names is None else names
    said = []
    for column, cell in cells:
        words = text[cell.start : min(cell.end, cell.start + _LONGEST)]
        said.append(f"{names[column]}: {words}" if names[column] else words)
    return "; ".join(said)


class TableWords:
    """The rows of all tables of a text, each as it reads by itself."""

    def __init__(self, tables: Sequence[Table], text: str) -> None:
        self._text = text
        self._rows: list[tuple[Row, Table, tuple[str, ...]]] = []
        for table, rows in tables_in_order(tables, text):
            names = column_names(table, text)
            self._rows += [(row, table, names) for row in rows]
        self._firsts = {row.start for row, table, _ in self._rows if row.start == table.start}
        self._ends = {row.end for row, _, _ in self._rows}

    def between(self, start: int, end: int) -> tuple[str, ...]:
        """The rows that lie whole in ``text[start:end]``; header rows only if no other does."""
        inside = self._inside(start, end)
        body = [entry for entry in inside if entry[0].number >= entry[1].header]
        return tuple(row_words(table, self._text, row.number, names) for row, table, names in body or inside)

    def reading(self, start: int, end: int) -> str:
        """``text[start:end]`` with its whole rows as they read by themselves; "" if there are none."""
        inside = self._inside(start, end)
        if not inside:
            return ""
        around = self._text[start : inside[0][0].start], self._text[inside[-1][0].end : end]
        parts = [around[0].strip(), *self.between(start, end), around[1].strip()]
        return "\n".join(part for part in parts if part)

    def row_at(self, position: int) -> str:
        """The row in which ``position`` lies, as it reads by itself; "" outside of tables and in a header."""
        index = bisect_right(self._rows, position, key=lambda entry: entry[0].start) - 1
        if index < 0:
            return ""
        row, table, names = self._rows[index]
        return (
            row_words(table, self._text, row.number, names) if position < row.end and row.number >= table.header else ""
        )

    def starts_table(self, position: int) -> bool:
        """Whether the first row of a table begins at ``position``."""
        return position in self._firsts

    def ends_row(self, position: int) -> bool:
        """Whether a row ends at ``position``."""
        return position in self._ends

    def _inside(self, start: int, end: int) -> list[tuple[Row, Table, tuple[str, ...]]]:
        first = bisect_left(self._rows, start, key=lambda entry: entry[0].start)
        last = bisect_right(self._rows, end, key=lambda entry: entry[0].end)
        return self._rows[first:last]


def tables_in_order(tables: Sequence[Table], text: str) -> Iterator[tuple[Table, list[Row]]]:
    """The tables that lie one after the other with their rows; one inside another is part of that one's cell."""
    reached = 0
    for table in sorted(tables, key=lambda table: (table.start, -table.end)):
        rows = table_rows(table, text) if table.start >= reached else []
        if rows:
            reached = rows[-1].end
            yield table, rows


__all__ = [
    "Row",
    "TableWords",
    "column_name",
    "column_names",
    "row_words",
    "table_rows",
    "tables_in_order",
    "titles_of",
]
