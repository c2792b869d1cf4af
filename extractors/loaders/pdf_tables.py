"""Tables of PDF pages: the words of a ruled grid as cells, and pieces that a page or column end has cut as one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from extractors.loaders.line_joining import HYPHENS, LineJoiner
from extractors.loaders.pdf_grids import Grid, Position
from extractors.loaders.pdf_lines import Line, is_full, lines_of
from extractors.loaders.pdf_words import Word

_FEWEST_FILLED = 0.25  # share of cells with words: grids with fewer are drawings and forms to be filled in
_ENDS = frozenset(".。!！?？;；")
_SPAN_TOLERANCE = 0.04

Cell = list[Line]


@dataclass(slots=True)
class PrintedTable:
    """A table as it stands on one page, or on several once its pieces are joined."""

    page: int
    left: float
    top: float
    right: float
    bottom: float
    columns: tuple[float, ...]  # where columns end, as shares of the width
    rows: list[list[Cell]]
    merged: dict[Position, Position] = field(default_factory=dict)
    open_top: bool = False
    open_bottom: bool = False
    pages: dict[int, int] = field(default_factory=dict)  # a row, and the page that begins with it
    bold: list[bool] = field(default_factory=list)  # for each row, whether all of it is


def ruled_tables(found: Sequence[Grid], words: Sequence[Word], page: int) -> tuple[list[PrintedTable], list[Word]]:
    """The tables, and the words that stand in none."""
    tables: list[PrintedTable] = []
    rest = list(words)
    for grid in found:
        cells: dict[Position, list[Word]] = defaultdict(list)
        outside: list[Word] = []
        top, bottom = grid.ys[0], grid.ys[-1]
        for word in _within_columns(rest, grid):
            if not top - word.size < word.baseline < bottom + word.size:
                outside.append(word)
                continue
            position = grid.position((word.left + word.right) / 2, word.baseline - 0.3 * word.size)
            if position is None:
                outside.append(word)
            else:
                cells[position].append(word)
        all_cells = grid.rows * grid.columns - len(grid.merged)
        enough = len(cells) >= max(2, _FEWEST_FILLED * all_cells) and len({c for _, c in cells}) > 1
        if not enough and not (grid.open_top and cells):
            continue
        rest = outside
        tables.append(_table(grid, cells, page))
    return tables, rest


def _within_columns(words: Sequence[Word], grid: Grid) -> Iterator[Word]:
    """The words, those that reach over a line of the grid cut at their blanks."""
    for word in words:
        if " " in word.text and any(word.left + word.size < x < word.right - word.size for x in grid.xs[1:-1]):
            position = grid.position(word.left + 1, word.baseline - 0.3 * word.size)
            if position is not None and position != grid.position(word.right - 1, word.baseline - 0.3 * word.size):
                yield from _cut_at_blanks(word)
                continue
        yield word


def _cut_at_blanks(word: Word) -> Iterator[Word]:
    per_character = (word.right - word.left) / len(word.text)
    at = 0
    for part in word.text.split(" "):
        left = word.left + at * per_character
        yield replace(word, text=part, left=left, right=left + len(part) * per_character, gap=" ", drawn=True)
        at += len(part) + 1


def _table(grid: Grid, cells: dict[Position, list[Word]], page: int) -> PrintedTable:
    ends = {(r, c): grid.xs[c + 1] for r in range(grid.rows) for c in range(grid.columns)}
    for (_, c), owner in grid.merged.items():
        ends[owner] = max(ends[owner], grid.xs[c + 1])
    rows = [
        [_cell(cells.get((r, c), ()), grid.xs[c], ends[r, c], page) for c in range(grid.columns)]
        for r in range(grid.rows)
    ]
    bold = [
        all(word.bold for c in range(grid.columns) for word in cells.get((r, c), ())) and any(rows[r])
        for r in range(grid.rows)
    ]
    width = grid.xs[-1] - grid.xs[0]
    return PrintedTable(
        page=page, left=grid.xs[0], top=grid.ys[0], right=grid.xs[-1], bottom=grid.ys[-1],
        columns=tuple((x - grid.xs[0]) / width for x in grid.xs[1:]),
        rows=rows, merged=dict(grid.merged), open_top=grid.open_top, open_bottom=grid.open_bottom, bold=bold,
    )  # fmt: skip


def _cell(words: Sequence[Word], left: float, right: float, page: int) -> Cell:
    lines = lines_of(words, page)
    padding = min((line.left - left for line in lines), default=0.0)
    for line in lines:
        line.edge = right - max(padding, 0.0)
    return lines


def join_pieces(table: PrintedTable, piece: PrintedTable) -> bool:
    """Add ``piece``, the next thing in reading order, to ``table`` if it goes on with it; say whether it does.

    It does when its columns have the same widths. A header row that is repeated is dropped; a row that the page end
    has cut is put together again.
    """
    if len(table.columns) != len(piece.columns) or any(
        abs(a - b) > _SPAN_TOLERANCE for a, b in zip(table.columns, piece.columns, strict=True)
    ):
        return False
    rows, merged, bold = piece.rows, piece.merged, piece.bold
    repeated = bool(rows) and len(rows) > 1 and _words(rows[0]) == _words(table.rows[0]) and any(_words(rows[0]))
    if not repeated and not table.open_bottom and not piece.open_top and _titled(piece):
        return False
    dropped = 1 if repeated else 0
    cut = len(rows) > dropped and _is_cut(table, piece, rows[dropped])
    if cut:
        for cell, more in zip(table.rows[-1], rows[dropped], strict=True):
            cell.extend(more)
        dropped += 1
    at = len(table.rows) - dropped
    if dropped < len(rows):
        table.pages.setdefault(len(table.rows), piece.page)
    table.rows.extend(rows[dropped:])
    table.bold.extend(bold[dropped:])
    for (r, c), (owner_r, owner_c) in merged.items():
        if r >= dropped:
            table.merged[r + at, c] = (max(owner_r, dropped) + at, owner_c)
    table.open_bottom = piece.open_bottom
    return True


def _titled(piece: PrintedTable) -> bool:
    """Whether the first row looks like the beginning of another table: bold, or one cell over all columns."""
    over_all = sum(1 for (r, _), owner in piece.merged.items() if r == 0 and owner == (0, 0)) == len(piece.columns) - 1
    return over_all or (piece.bold[0] and not all(piece.bold))


def _is_cut(table: PrintedTable, piece: PrintedTable, first: list[Cell]) -> bool:
    if table.open_bottom or piece.open_top:
        return True
    last = table.rows[-1]
    if not any(first):
        return False
    if first[0]:
        return _is_cut_through(last, first)
    if not last[0] and all(more or not cell for cell, more in zip(last, first, strict=True)):
        return False  # a row of its own beside a cell over several rows
    return any(_goes_on(a[-1], b[0]) for a, b in zip(last, first, strict=True) if a and b)


def _is_cut_through(last: list[Cell], first: list[Cell]) -> bool:
    """Whether a page end cuts the first cell of a row too: all cells go on, and some at a hyphen or from the first."""
    pairs = [(cell[-1], more[0]) for cell, more in zip(last, first, strict=True) if cell and more]
    if len(pairs) < sum(map(bool, first)) or not all(
        line.text[0].islower() or line.text[0].isdigit() for _, line in pairs
    ):
        return False
    if any(line.text[-1] in HYPHENS for line, _ in pairs):
        return True
    ended = any(cell and not more for cell, more in zip(last, first, strict=True))
    return ended and first[0][0].text[0].islower() and all(_goes_on(line, more) for line, more in pairs)


def _goes_on(last: Line, line: Line) -> bool:
    return any(map(str.isalpha, last.text)) and last.text[-1] not in _ENDS and is_full(last, line)


def _words(row: list[Cell]) -> list[str]:
    return [" ".join(line.text for line in cell) for cell in row]


def bold_header(table: PrintedTable) -> int:
    """How many of the first rows are bold over rows that are not."""
    bold = next((i for i, is_bold in enumerate(table.bold) if not is_bold), 0)
    return bold if bold < len(table.rows) else 0


def _cuts_a_word(before: Line, line: Line, joiner: LineJoiner) -> bool:
    """Whether a line end cuts a word, figure or identifier that is wider than its cell, without a hyphen."""
    if " " in before.text or not is_full(before, line):
        return False
    if joiner.is_one_word(before.text, line.text):
        return True
    filled = before.edge - before.right < (before.right - before.left) / len(before.text)
    if not filled or not line.text[0].isalnum():
        return False
    if "_" in before.text:
        return before.text[-1] in "_@" or before.text[-1].isalnum()
    return before.text[-1] in ".–" and before.text[-2:-1].isdigit() and line.text[0].isdigit()


def cell_text(cell: Cell, joiner: LineJoiner) -> str:
    """The lines of a cell as one."""
    text = ""
    before = cell[0] if cell else None
    for line in cell:
        if text and before is not None:
            tail, gap = joiner.tail_and_gap(text, line.text)
            if gap and _cuts_a_word(before, line, joiner):
                gap = ""
            text = tail + gap + line.text
        else:
            text = line.text
        before = line
    return text


__all__ = ["Cell", "PrintedTable", "bold_header", "cell_text", "join_pieces", "ruled_tables"]
