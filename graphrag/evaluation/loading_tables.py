"""How much of the tables of a file a loader found."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from graphrag.evaluation.loading_text import solid

Grid = Sequence[Sequence[str]]


class TableScore(NamedTuple):
    """Recall of cells and of rows (None where there are none), and how many tables were given that are none."""

    cell: float | None
    row: float | None
    extra: int


def score_tables(gold: Sequence[Grid], given: Sequence[Grid]) -> TableScore:
    """Compare each gold table with what it matches best, or with its pieces where a page end cut it.

    Pairs are taken by the cells they share, the most first. A gold table takes every table left that shares more with
    it than with the tables before; no given table counts twice.
    """
    wanted = [_cells(table) for table in gold]
    found = [_cells(table) for table in given]
    pieces = _matched(wanted, found)
    cells = rows = 0
    for i, table in enumerate(gold):
        there: Counter[str] = Counter()
        lines: Counter[tuple[str, ...]] = Counter()
        for j in pieces[i]:
            there += found[j]
            lines.update(_line(row) for row in given[j])
        cells += (wanted[i] & there).total()
        rows += _rows_found(table, lines)
    used = {j for matches in pieces.values() for j in matches}
    cell_count = sum(count.total() for count in wanted)
    row_count = sum(bool(_line(row)) for table in gold for row in table)
    return TableScore(
        cells / cell_count if cell_count else None,
        rows / row_count if row_count else None,
        sum(j not in used and _is_grid(table) for j, table in enumerate(given)),
    )


def _matched(wanted: Sequence[Counter[str]], found: Sequence[Counter[str]]) -> dict[int, list[int]]:
    """Which given tables are parts of each gold table."""
    pairs = [
        (shared, -abs(there.total() - gold.total()), i, j)
        for i, gold in enumerate(wanted)
        for j, there in enumerate(found)
        if (shared := (gold & there).total())
    ]
    pieces: dict[int, list[int]] = defaultdict(list)
    used: set[int] = set()
    for _, _, i, j in sorted(pairs, reverse=True):
        if j not in used:
            used.add(j)
            pieces[i].append(j)
    return pieces


def _rows_found(table: Grid, lines: Counter[tuple[str, ...]]) -> int:
    """How many rows stand among ``lines``, each of which counts once; a first cell that spans rows may be repeated."""
    found = 0
    above = ""
    for row in table:
        line = _line(row)
        if not line:
            continue
        first = solid(row[0])
        above = first or above
        for form in (line, line if first else (above, *line)):
            if lines[form]:
                lines[form] -= 1
                found += 1
                break
    return found


def _cells(table: Grid) -> Counter[str]:
    return Counter(words for row in table for cell in row if (words := solid(cell)))


def _line(row: Sequence[str]) -> tuple[str, ...]:
    """The cells of a row that hold words, one of equal neighbours, so that a merged cell may be repeated."""
    words = [w for cell in row if (w := solid(cell))]
    return tuple(w for i, w in enumerate(words) if i == 0 or words[i - 1] != w)


def _is_grid(table: Grid) -> bool:
    return len(table) >= 2 and any(len(row) >= 2 for row in table)


__all__ = ["Grid", "TableScore", "score_tables"]
