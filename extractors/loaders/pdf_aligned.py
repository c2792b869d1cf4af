"""Tables without lines between their columns, told from rules across and from words that stand below each other.

A wrong table harms more than a missed one, so little is taken for one: what stands between three rules of one width,
and rows of short cells that begin or end at the same places where one column holds figures.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from extractors.loaders.pdf_lines import lines_of
from extractors.loaders.pdf_rulings import Rulings
from extractors.loaders.pdf_segments import Segment
from extractors.loaders.pdf_tables import PrintedTable

_SAME = 3.0  # points between the ends of rules that belong together
_FEWEST_RULES = 3
_MOST_RULES = 600  # a drawing has more
_FEWEST_ROWS = 3
_APART = 1.2  # type sizes between cells
_NARROWEST_STRIP = 0.6  # type sizes
_ALIGNED = 0.5  # type sizes between places that are meant to be one
_LONGEST_CELL = 40
_LONGEST_USUAL = 20  # characters in the median cell of one column at least
_LONGEST_FIGURE = 15
_FIGURES = 0.7  # share of the rows
_NARROWEST = 80.0
_FIGURE = re.compile(r"[^\w]{0,3}\d[\d.,:/%\s]{0,14}\w{0,4}%?\)?")

_Row = list[Segment]


def aligned_tables(
    segments: Sequence[Segment], rulings: Rulings, size: float, page: int
) -> tuple[list[PrintedTable], list[Segment]]:
    """The tables, and the segments that stand in none."""
    tables: list[PrintedTable] = []
    rest = list(segments)
    for left, right, ys in _rules(rulings):
        inside = [s for s in rest if left - _SAME <= s.left and s.right <= right + _SAME and ys[0] < s.middle < ys[-1]]
        table = _between_rules(_rows(inside, size), left, right, ys, size, page)
        if table is not None:
            taken = {id(segment) for segment in inside}
            rest = [segment for segment in rest if id(segment) not in taken]
            tables.append(table)
    for rows in _runs(_rows(rest, size), size):
        taken = {id(segment) for row in rows for segment in row}
        rest = [segment for segment in rest if id(segment) not in taken]
        tables.append(_table(rows, _boundaries(rows, size), page))
    return tables, rest


def _rules(rulings: Rulings) -> list[tuple[float, float, list[float]]]:
    """Left, right and heights of rules of one width below each other, where no line goes down."""
    if len(rulings.across) > _MOST_RULES or len(rulings.down) > _MOST_RULES:
        return []
    groups: list[tuple[float, float, list[float]]] = []
    for y, left, right in sorted(rulings.across):
        if right - left < _NARROWEST or any(
            top <= y <= bottom and left <= x <= right for x, top, bottom in rulings.down
        ):
            continue
        group = next((g for g in groups if abs(g[0] - left) <= _SAME and abs(g[1] - right) <= _SAME), None)
        if group is None:
            groups.append((left, right, [y]))
        elif y - group[2][-1] > _SAME:
            group[2].append(y)
    return [group for group in groups if len(group[2]) >= _FEWEST_RULES]


def _rows(segments: Sequence[Segment], size: float) -> list[_Row]:
    rows: list[_Row] = []
    for segment in sorted(segments, key=lambda s: s.baseline):
        if rows and segment.baseline - rows[-1][0].baseline < 0.4 * size:
            rows[-1].append(segment)
        else:
            rows.append([segment])
    for row in rows:
        row.sort(key=lambda s: s.left)
    return rows


def _between_rules(
    rows: list[_Row], left: float, right: float, ys: list[float], size: float, page: int
) -> PrintedTable | None:
    several = [row for row in rows if len(row) > 1]
    if len(rows) < 2 or len(several) < 2 or 2 * len(several) < len(rows):
        return None
    boundaries = _boundaries(several, size)
    if not boundaries:
        return None
    whole: list[_Row] = []
    for row in rows:  # the further lines of a cell belong to the row above, if no rule is between
        goes_on = whole and row[0].left > boundaries[0] and not any(whole[-1][0].baseline < y < row[0].top for y in ys)
        if goes_on:
            whole[-1] = [*whole[-1], *row]
        else:
            whole.append(row)
    table = _table(whole, boundaries, page)
    if _is_prose(table) or not any(ys[0] < row[0].baseline < ys[1] for row in several):
        return None
    table.left, table.right, table.top, table.bottom = left, right, ys[0], ys[-1]
    return table


def _is_prose(table: PrintedTable) -> bool:
    """Whether all columns hold long lines: those of a page whose header and footer have rules."""
    lengths = [[sum(len(line.text) for line in cell) for cell in column] for column in zip(*table.rows, strict=True)]
    return min(median(column) for column in lengths) > _LONGEST_USUAL


def _boundaries(rows: Sequence[_Row], size: float) -> list[float]:
    """The middles of the white strips that all rows leave free."""
    spans: list[list[float]] = []
    for left, right in sorted((segment.left, segment.right) for row in rows for segment in row):
        if spans and left < spans[-1][1] + _NARROWEST_STRIP * size:
            spans[-1][1] = max(spans[-1][1], right)
        else:
            spans.append([left, right])
    return [(a[1] + b[0]) / 2 for a, b in pairwise(spans)]


def _runs(rows: Sequence[_Row], size: float) -> list[list[_Row]]:
    """Rows below each other with the same number of cells at the same places, one column of them figures."""
    found: list[list[_Row]] = []
    run: list[_Row] = []
    for row in [*rows, []]:
        if run and row and _goes_on(run, row, size):
            run.append(row)
            continue
        if _is_table(run, size):
            found.append(run)
        run = [row] if len(row) > 1 and _are_cells(row, size) else []
    return found


def _are_cells(row: _Row, size: float) -> bool:
    return all(len(segment.text) <= _LONGEST_CELL for segment in row) and all(
        b.left - a.right >= _APART * size for a, b in pairwise(row)
    )


def _goes_on(run: list[_Row], row: _Row, size: float) -> bool:
    last = run[-1]
    if len(row) != len(last) or not _are_cells(row, size) or row[0].baseline - last[0].baseline > 3 * size:
        return False
    # The heads of columns may stand otherwise than what is below them.
    return len(run) == 1 or all(
        min(abs(a.left - b.left), abs(a.right - b.right), abs(a.left + a.right - b.left - b.right) / 2)
        <= _ALIGNED * size
        for a, b in zip(last, row, strict=True)
    )


def _is_table(run: list[_Row], size: float) -> bool:
    if len(run) < _FEWEST_ROWS:
        return False
    body = run[1:]
    figures = [
        sum(len(row[c].text) <= _LONGEST_FIGURE and bool(_FIGURE.fullmatch(row[c].text)) for row in body)
        for c in range(1, len(run[0]))
    ]
    return max(figures) >= _FIGURES * len(body) and len(_boundaries(run, size)) == len(run[0]) - 1


def _table(rows: Sequence[_Row], boundaries: list[float], page: int) -> PrintedTable:
    segments = [segment for row in rows for segment in row]
    left, right = min(s.left for s in segments), max(s.right for s in segments)
    cells = []
    for row in rows:
        parts: list[list[Segment]] = [[] for _ in range(len(boundaries) + 1)]
        for segment in row:
            middle = (segment.left + segment.right) / 2
            parts[sum(middle > boundary for boundary in boundaries)].append(segment)
        cells.append([lines_of([word for segment in part for word in segment.words], page) for part in parts])
    return PrintedTable(
        page=page, left=left, top=min(s.top for s in segments), right=right, bottom=max(s.bottom for s in segments),
        columns=tuple((x - left) / (right - left) for x in (*boundaries, right)),
        rows=cells, bold=[all(word.bold for segment in row for word in segment.words) for row in rows],
    )  # fmt: skip


__all__ = ["aligned_tables"]
