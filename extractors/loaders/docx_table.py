"""Tables of a DOCX as grids, and those that only lay out the page told from them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from extractors.loaders.docx_styles import Styles
from extractors.loaders.office_text import WORD, is_on, number
from extractors.loaders.table_header import header_rows
from extractors.loaders.text_builder import Position

INNER = frozenset(f"{WORD}{name}" for name in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag"))
"""Elements that only wrap what is in them."""

_MOST_COLUMNS = 64  # a table of Word has 63 at most


@dataclass(slots=True)
class Grid:
    """The cells of a table, each by its element or None, and which positions a merged cell covers."""

    rows: list[list[Any | None]] = field(default_factory=list)
    merged: dict[Position, Position] = field(default_factory=dict)
    header: int = 0  # first rows that are marked as repeating on each page


def children(element: Any, name: str) -> Iterator[Any]:
    """Children of that name, those inside content controls and insertions included."""
    for child in element:
        if child.tag == f"{WORD}{name}":
            yield child
        elif child.tag in INNER:
            yield from children(child, name)


class _Placed(NamedTuple):
    """A cell, the columns it reaches over, and the first position of the merged cell that it is part of."""

    start: int
    end: int
    first: Position
    cell: Any | None


def read_grid(table: Any) -> Grid:
    """The grid of ``table``, without rows and cells whose deletion is tracked and columns where no cell begins."""
    rows: list[list[_Placed]] = []
    header, in_header = 0, True
    above: dict[int, Position] = {}  # the first position of the cell that begins in a column of the row before
    for row in children(table, "tr"):
        properties = row.find(f"{WORD}trPr")
        if properties is not None and properties.find(f"{WORD}del") is not None:
            continue
        in_header = in_header and is_on(properties, f"{WORD}tblHeader")
        header += in_header
        rows.append(_placed(row, len(rows), _value(properties, "gridBefore"), above))
        above = {placed.start: placed.first for placed in rows[-1]}
    return _grid(rows, header)


def _placed(row: Any, at: int, column: int, above: dict[int, Position]) -> list[_Placed]:
    found: list[_Placed] = []
    column = max(0, min(column, _MOST_COLUMNS))
    for cell in children(row, "tc"):
        inside = cell.find(f"{WORD}tcPr")
        first: Position = (at, column)
        if _goes_on(inside, "vMerge") and column in above:
            first = above[column]
        elif _goes_on(inside, "hMerge") and found:
            first = found[-1].first
        deleted = inside is not None and inside.find(f"{WORD}cellDel") is not None
        end = column + max(1, min(_value(inside, "gridSpan", 1), _MOST_COLUMNS - column))
        found.append(_Placed(column, end, first, None if deleted or first != (at, column) else cell))
        column = end
    return found


def _grid(rows: list[list[_Placed]], header: int) -> Grid:
    used = sorted({placed.start for row in rows for placed in row if placed.cell is not None})
    place = {column: at for at, column in enumerate(used)}
    grid = Grid(header=header)
    for r, row in enumerate(rows):
        cells: list[Any | None] = [None] * len(used)
        for placed in row:
            top, left = placed.first
            for c in range(bisect_left(used, placed.start), bisect_left(used, placed.end)):
                if (r, used[c]) == placed.first:
                    cells[c] = placed.cell
                elif left in place:
                    grid.merged[r, c] = (top, place[left])
        grid.rows.append(cells)
    return grid


def is_layout(grid: Grid) -> bool:
    """Whether the table only places blocks on the page: one column, or one row of long or nested contents."""
    if max(map(len, grid.rows), default=0) < 2 or all(sum(c is not None for c in row) < 2 for row in grid.rows):
        return True
    if len(grid.rows) > 1:
        return False
    cells = [cell for cell in grid.rows[0] if cell is not None]
    return any(next(children(cell, "tbl"), None) is not None or len(list(children(cell, "p"))) > 2 for cell in cells)


def header_of(table: Any, grid: Grid, words: list[list[str]], styles: Styles) -> int:
    """How many rows name the columns: as marked, else as they read, else as style or bold letters say."""
    if grid.header < len(grid.rows) and grid.header:
        return grid.header
    found = header_rows(words, grid.merged)
    if found or len(grid.rows) < 2:
        return found
    properties = table.find(f"{WORD}tblPr")
    look = None if properties is None else properties.find(f"{WORD}tblLook")
    marked = look is not None and look.get(f"{WORD}firstRow") in {"1", "true", "on"}
    if marked and styles.of(properties, "tblStyle").first_row and all(words[0]):
        return 1
    return int(_is_bold(grid.rows[0]) and not any(map(_is_bold, grid.rows[1:])))


def cell_parts(cell: Any, text: Callable[[Any], str]) -> Iterator[str]:
    """The paragraphs of a cell, those of tables nested in it row by row."""
    for element in cell:
        if element.tag == f"{WORD}p":
            yield text(element)
        elif element.tag == f"{WORD}tbl":
            for row in read_grid(element).rows:
                for inner in filter(lambda c: c is not None, row):
                    yield from cell_parts(inner, text)
        elif element.tag in INNER:
            yield from cell_parts(element, text)


def _value(properties: Any | None, name: str, default: int = 0) -> int:
    element = None if properties is None else properties.find(f"{WORD}{name}")
    return default if element is None else number(element.get(f"{WORD}val"), default)


def _goes_on(properties: Any | None, name: str) -> bool:
    merge = None if properties is None else properties.find(f"{WORD}{name}")
    return merge is not None and merge.get(f"{WORD}val", "continue") == "continue"


def _is_bold(cells: list[Any | None]) -> bool:
    runs = [r for cell in cells if cell is not None for r in cell.iter(f"{WORD}r") if r.find(f"{WORD}t") is not None]
    return bool(runs) and all(is_on(run.find(f"{WORD}rPr"), f"{WORD}b") for run in runs)


__all__ = ["INNER", "Grid", "cell_parts", "children", "header_of", "is_layout", "read_grid"]
