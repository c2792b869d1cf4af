"""The tables of a sheet: blocks of cells between empty rows, with titles, headers and parts that go on below a gap."""

from __future__ import annotations

from typing import NamedTuple

from extractors.loaders.table_header import header_rows
from extractors.loaders.text_builder import Position, TextBuilder
from extractors.loaders.xlsx_sheet import Block, Sheet, blocks, covered
from storage.errors import LoadError

_MOST_POSITIONS = 4_000_000
_LONGEST_TITLE = 200


class _SheetTable(NamedTuple):
    block: Block
    grid: list[list[str]]
    merged: dict[Position, Position]
    header: int


def add_sheet(builder: TextBuilder, sheet: Sheet, name: str) -> str:
    """Add the tables of ``sheet``, called ``name`` in messages; the words of its first cell if they stand alone.

    Raises:
        LoadError: its cells lie so far apart that the table around them would be far larger than they are.
    """
    headline = ""
    caption = ""
    pieces = _joined(
        [part for block in blocks(sheet) for part in _side_by_side(_table(sheet, block, name), sheet, name)]
    )
    for at, piece in enumerate(pieces):
        cells = [word for row in piece.grid for word in row if word]
        if len(piece.block.rows) == len(cells) == 1:
            builder.paragraph(cells[0])
            caption = cells[0] if len(cells[0]) <= _LONGEST_TITLE else ""
            headline = caption if at == 0 else headline
            continue
        builder.table(
            piece.grid, header=piece.header, merged=piece.merged, first_row=piece.block.rows[0], caption=caption
        )
        caption = ""
    return headline


def _table(sheet: Sheet, block: Block, name: str) -> _SheetTable:
    height = block.rows[-1] - block.rows[0] + 1
    if height * len(block.columns) > max(_MOST_POSITIONS, 20 * sum(len(sheet.rows[row]) for row in block.rows)):
        raise LoadError(f"{name} has its cells too far apart to be one table. Move them together and save it again")
    rows = [sheet.rows.get(row, {}) for row in range(block.rows[0], block.rows[-1] + 1)]
    grid = [[row.get(column, "") for column in block.columns] for row in rows]
    merged = covered(sheet, block)
    return _SheetTable(block, grid, merged, header_rows(grid, merged))


def _side_by_side(table: _SheetTable, sheet: Sheet, name: str) -> list[_SheetTable]:
    """The tables that stand beside each other with an empty column between, if each has a header of its own."""
    groups: list[list[int]] = []
    for column in table.block.columns:
        if not groups or column > groups[-1][-1] + 1:
            groups.append([])
        groups[-1].append(column)
    if len(groups) < 2 or any(len(group) < 2 for group in groups):
        return [table]
    parts = []
    for group in groups:
        rows = [row for row in table.block.rows if not sheet.rows[row].keys().isdisjoint(group)]
        parts.append(_table(sheet, Block(rows, group), name))
    return parts if all(part.header for part in parts) else [table]


def _joined(tables: list[_SheetTable]) -> list[_SheetTable]:
    """Tables of several columns that have no header and stand below one that has, in its columns, go on with it."""
    joined: list[_SheetTable] = []
    for table in tables:
        above = joined[-1] if joined else None
        if (
            above is None
            or table.header
            or not above.header
            or len(table.block.columns) < 2
            or not set(table.block.columns) <= set(above.block.columns)
            or table.block.rows[0] <= above.block.rows[-1]
        ):
            joined.append(table)
            continue
        gap = table.block.rows[0] - above.block.rows[-1] - 1
        place = {column: at for at, column in enumerate(above.block.columns)}
        columns = [place[column] for column in table.block.columns]
        shift = len(above.grid) + gap
        if gap > len(above.grid) + len(table.grid):
            joined.append(table)
            continue
        above.grid.extend([""] * len(place) for _ in range(gap + len(table.grid)))
        for r, row in enumerate(table.grid):
            for c, word in enumerate(row):
                above.grid[shift + r][columns[c]] = word
        for (r, c), (top, left) in table.merged.items():
            above.merged[shift + r, columns[c]] = (shift + top, columns[left])
        above.block.rows.extend(table.block.rows)
    return joined


__all__ = ["add_sheet"]
