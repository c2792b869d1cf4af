"""Tables of HTML: which ones are tables, and where their cells stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from extractors.loaders.table_header import header_rows
from extractors.loaders.text_builder import Position, TextBuilder

_MOST_COLUMNS = 1000  # that a cell may span, as the HTML standard has it
_MOST_ROWS = 65_534
_MOST_COVERED = 100_000  # positions that merged cells of one table may cover: spans beyond it are read as 1
_BLOCKS = frozenset({"p", "div", "ul", "ol", "pre", "blockquote", "hr"})


@dataclass(slots=True)
class TableCell:
    """A cell as its tag describes it."""

    names: bool  # it is a ``th``
    columns: int
    rows: int
    words: str = ""


@dataclass(slots=True)
class OpenTable:
    """The rows of a table while they are read."""

    element: Any
    caption: str = ""
    rows: list[list[TableCell]] = field(default_factory=list)
    foot: list[list[TableCell]] = field(default_factory=list)  # stands last, wherever it was written
    named: int = 0  # rows in its ``thead``
    depth: int = 0  # open tables inside of its cells, which are read as their words
    cell: TableCell | None = None
    _part: list[list[TableCell]] = field(init=False)

    def __post_init__(self) -> None:
        self._part = self.rows

    def open_row(self, row: Any) -> None:
        """Begin a row."""
        group = row.getparent()
        part = group.tag if group is not None else ""
        self._part = self.foot if part == "tfoot" else self.rows
        self._part.append([])
        self.named += part == "thead"

    def open_cell(self, cell: Any) -> None:
        """Begin a cell."""
        if not self._part:
            self._part.append([])
        self.cell = TableCell(
            cell.tag == "th", _count(cell.get("colspan"), _MOST_COLUMNS), _count(cell.get("rowspan"), _MOST_ROWS)
        )
        self._part[-1].append(self.cell)

    def add_to(self, builder: TextBuilder) -> None:
        """Hand over the whole table, its caption as a line before it."""
        rows = [*self.rows, *self.foot]
        grid, merged = _lay_out(rows)
        header = _leading(rows, self.named) or header_rows(grid, merged)
        if self.caption:
            builder.paragraph(self.caption)
        builder.table(grid, header=header, merged=merged, caption=self.caption)


def is_data_table(table: Any, *, holds_sections: bool, holds_tables: bool) -> bool:
    """Whether this is a table of figures or words and not one that only lays out the page.

    One with cells that name others, or a caption, is; else it lies in the way of a layout table: it holds tables,
    headings or whole paragraphs, or has a single row or column.
    """
    if table.get("role") in {"presentation", "none"} or holds_sections:
        return False
    rows = list(_own_rows(table))
    cells = [[cell for cell in row if cell.tag in {"td", "th"}] for row in rows]
    widest = max(map(len, cells), default=0)
    if any(child.tag in {"caption", "thead"} for child in table) or any(c.tag == "th" for row in cells for c in row):
        return widest > 0
    if holds_tables or widest < 2 or len(rows) < 2:
        return False
    return not any(sum(block.tag in _BLOCKS for block in cell) > 2 for row in cells for cell in row)


def _own_rows(table: Any) -> Iterator[Any]:
    for child in table:
        if child.tag == "tr":
            yield child
        elif child.tag in {"thead", "tbody", "tfoot"}:
            yield from (row for row in child if row.tag == "tr")


def _count(written: str | None, most: int) -> int:
    digits = (written or "").strip()[:6]
    number = int(digits) if digits.isascii() and digits.isdigit() else 1
    return most if number == 0 else min(number, most)


def _leading(rows: Sequence[Sequence[TableCell]], named: int) -> int:
    """How many of the first rows name columns by their tags; one that is wholly made of such cells has one."""
    count = 0
    for number, row in enumerate(rows):
        if number >= named and not (row and all(cell.names for cell in row)):
            break
        count += 1
    return 1 if count == len(rows) and count > 1 else count


def _lay_out(rows: Sequence[Sequence[TableCell]]) -> tuple[list[list[str]], dict[Position, Position]]:
    """The words of each cell by row and column, and which positions merged cells cover."""
    width = max((sum(cell.columns for cell in row) for row in rows if len(row) > 1), default=1)
    grid: list[list[str]] = []
    merged: dict[Position, Position] = {}
    ends: dict[int, int] = {}  # how far to the right a merged cell of an earlier row reaches
    for r, row in enumerate(rows):
        words: list[str] = []
        for cell in row:
            while (r, len(words)) in merged:
                words.append("")
            c = len(words)
            columns = min(cell.columns, max(width - c, 1))
            height = min(cell.rows, len(rows) - r)
            if columns * height > 1 and len(merged) + columns * height > _MOST_COVERED:
                columns = height = 1
            words.append(cell.words)
            for below in range(height):
                for right in range(columns):
                    if below or right:
                        merged.setdefault((r + below, c + right), (r, c))
                ends[r + below] = max(ends.get(r + below, 0), c + columns)
        words.extend([""] * (ends.get(r, 0) - len(words)))
        grid.append(words)
    return grid, merged


__all__ = ["OpenTable", "TableCell", "is_data_table"]
