"""The cells of one sheet as a reader sees them, and the blocks of cells that are tables of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from extractors.loaders.number_format import GENERAL, Format, show
from extractors.loaders.office_text import number, one_line
from extractors.loaders.text_builder import Position

S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
LAST_ROW, LAST_COLUMN = 1_048_576, 16_384

_TEXT, _VALUE = f"{S}t", f"{S}v"
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_REFERENCE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_MOST_COVERED = 2_000_000  # positions under merged cells: spans beyond are not followed


class Area(NamedTuple):
    """A rectangle of cells, both corners in it; rows and columns are counted from 1."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass(slots=True)
class Sheet:
    """The words of the cells that have some, by row and column, and which areas are merged."""

    rows: dict[int, dict[int, str]] = field(default_factory=dict)
    merged: list[Area] = field(default_factory=list)
    unknown: int = 0  # formulas whose value is not stored
    characters: int = 0  # of all words


class Values(NamedTuple):
    """What the cells of all sheets refer to."""

    strings: Sequence[str]
    formats: Sequence[Format]
    since_1904: bool


def read_sheet(elements: Iterator[Any], values: Values, room: int) -> Sheet:
    """The cells among ``elements``, rows and ranges of merged cells, until they hold more than ``room`` characters."""
    sheet = Sheet()
    last_row = 0
    for element in elements:
        if element.tag == f"{S}mergeCell":
            area = read_area(element.get("ref", ""))
            if area is not None and (area.top, area.left) != (area.bottom, area.right):
                sheet.merged.append(area)
            continue
        last_row = number(element.get("r"), last_row + 1)
        if not 0 < last_row <= LAST_ROW:
            continue
        cells: dict[int, str] = {}
        column = 0
        for cell in element.iterfind(f"{S}c"):
            place = _REFERENCE.match(cell.get("r", ""))
            column = _column(place.group(1)) if place else column + 1
            words = _words(cell, values)
            if words and column <= LAST_COLUMN:
                cells[column] = words
                sheet.characters += len(words)
            elif words is None:
                sheet.unknown += 1
        if sheet.characters > room:
            break
        if cells:
            sheet.rows.setdefault(last_row, {}).update(cells)
    return sheet


def rich_text(element: Any) -> str:
    """The words of a string, without the reading of its characters that Japanese files keep beside them."""
    parts: list[str] = []
    for child in element:
        if child.tag == _TEXT:
            parts.append(child.text or "")
        elif child.tag == f"{S}r":
            parts.append(child.findtext(_TEXT) or "")
    return _plain("".join(parts))


def _plain(text: str) -> str:
    words = text.strip()
    if words.isascii() and words.isprintable() and "  " not in words and "_x" not in words:
        return words
    return one_line([_ESCAPED.sub(lambda found: chr(int(found.group(1), 16)), words)])


def read_area(reference: str) -> Area | None:
    """``A1:C3`` as an area; a single cell is one too; None if it is neither."""
    ends = [_REFERENCE.fullmatch(end) for end in reference.replace("$", "").split(":")]
    found = [(int(end.group(2)), _column(end.group(1))) for end in ends if end is not None]
    if len(found) != len(ends) or len(found) > 2:
        return None
    (top, left), (bottom, right) = found[0], found[-1]
    return Area(min(top, bottom), min(left, right), max(top, bottom), max(left, right))


@lru_cache(maxsize=1024)
def _column(letters: str) -> int:
    column = 0
    for letter in letters:
        column = column * 26 + ord(letter) - ord("A") + 1
    return column


def _words(cell: Any, values: Values) -> str | None:
    """What a cell shows; None when it has a formula without a stored value."""
    stored, formula = "", False
    for child in cell:
        if child.tag == _VALUE:
            stored = child.text or ""
        elif child.tag == f"{S}is":
            return rich_text(child)
        formula = formula or child.tag == f"{S}f"
    if not stored:
        return None if formula else ""
    kind = cell.get("t", "n")
    if kind == "s":
        at = number(stored, -1)
        return values.strings[at] if 0 <= at < len(values.strings) else ""
    if kind == "n":
        style = number(cell.get("s"))
        form = values.formats[style] if 0 <= style < len(values.formats) else GENERAL
        try:
            return show(float(stored), form, since_1904=values.since_1904)
        except (ValueError, OverflowError):
            return _plain(stored)
    if kind == "b":
        return "TRUE" if stored.strip() == "1" else "FALSE"
    if kind == "d":
        return stored.strip().removesuffix("T00:00:00").replace("T", " ")
    return _plain(stored)


class Block(NamedTuple):
    """Rows of a sheet that follow each other, and the columns in which they have words."""

    rows: list[int]
    columns: list[int]


def blocks(sheet: Sheet) -> list[Block]:
    """The parts of a sheet between empty rows; a merged cell holds the rows that it spans together."""
    held: set[int] = set()  # rows that are not the last under some merged cell
    budget = _MOST_COVERED
    for area in sheet.merged:
        rows_held = range(area.top, min(area.bottom, area.top + budget))
        if area.left in sheet.rows.get(area.top, {}):
            held.update(rows_held)
            budget -= len(rows_held)
    found: list[Block] = []
    rows: list[int] = []
    for row in sorted(sheet.rows):
        if rows and row > rows[-1] + 1 and not all(between in held for between in range(rows[-1], row)):
            found.append(_block(sheet, rows))
            rows = []
        rows.append(row)
    return [*found, _block(sheet, rows)] if rows else found


def _block(sheet: Sheet, rows: list[int]) -> Block:
    return Block(rows, sorted({column for row in rows for column in sheet.rows[row]}))


def covered(sheet: Sheet, block: Block) -> dict[Position, Position]:
    """Which positions of the grid of ``block`` a merged cell covers, and where that cell is."""
    row_at = {row: at for at, row in enumerate(range(block.rows[0], block.rows[-1] + 1))}
    column_at = {column: at for at, column in enumerate(block.columns)}
    found: dict[Position, Position] = {}
    budget = _MOST_COVERED
    for area in sheet.merged:
        if area.left not in column_at or area.top not in row_at:
            continue
        first = (row_at[area.top], column_at[area.left])
        columns = [column_at[column] for column in block.columns if area.left <= column <= area.right]
        for row in range(area.top, min(area.bottom, block.rows[-1]) + 1):
            budget -= len(columns)
            if budget < 0:
                return found
            for column in columns:
                if (row_at[row], column) != first:
                    found.setdefault((row_at[row], column), first)
    return found


__all__ = ["Area", "Block", "S", "Sheet", "Values", "blocks", "covered", "read_area", "read_sheet",
           "rich_text"]  # fmt: skip
