"""CSV and TSV: a table, or a document for each row."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from pathlib import PurePath
from statistics import median

from extractors.loaders.delimited import DELIMITERS, delimiter_of, read_rows, split_declared
from extractors.loaders.encoding import decode
from extractors.loaders.line_joining import is_wide
from extractors.loaders.row_documents import TEXT_FIELDS, Fields, RowDocuments, chosen_fields
from extractors.loaders.table_header import header_rows
from extractors.loaders.text_builder import TextBuilder
from extractors.ports import Likeness, LoadedFile, LoadOptions
from storage.errors import LoadError
from storage.stored_text import stored_text
from storage.structure import PlaceKind, TextKind

# What no column holds that is not running text. A Chinese character counts twice.
_PROSE_WIDTH = 80
_FEW_COLUMNS = 2
_SAMPLE = 200
_WHOLE = re.compile(r"-?(?:0|[1-9]\d{0,17})")
_DECIMAL = re.compile(r"-?(?:0|[1-9]\d{0,14})\.\d{1,15}")


class CsvLoader:
    """Reads rows whose cells a comma, semicolon, tab or bar parts, in any usual encoding."""

    name = "csv@2"
    suffixes = (".csv", ".tsv", ".tab")

    def recognises(self, path: PurePath, data: bytes) -> Likeness:
        """How sure it is that this is its format."""
        return Likeness.NAMED if path.suffix.lower() in self.suffixes else Likeness.NO

    def load(self, path: PurePath, data: bytes, options: LoadOptions) -> LoadedFile:
        """One document that is a table, or one for each row, see :class:`LoadOptions`."""
        declared, text = split_declared(stored_text(decode(data, name=path.name)))
        if not text.strip(f'{DELIMITERS}" \t\n'):
            raise LoadError(f"{path.name} is empty: no cell holds a word")
        preferred = "," if path.suffix.lower() == ".csv" else "\t"
        delimiter = declared or delimiter_of(text, preferred)
        grid = list(read_rows(text, delimiter))
        first = next((number for number, row in enumerate(grid) if any(map(str.strip, row))), len(grid))
        del grid[:first]
        while grid and not any(map(str.strip, grid[-1])):
            grid.pop()
        header = header_rows(grid)
        if options.rows != "table" and (fields := _document_fields(path, grid, header, options)) is not None:
            return _documents(path, grid, header, first + 1, fields)
        builder = TextBuilder()
        builder.table(grid, header=header, first_row=first + 1)
        return LoadedFile(documents=(builder.document(path.stem, kind=TextKind.TABLE),))


def _document_fields(path: PurePath, grid: list[list[str]], header: int, options: LoadOptions) -> Fields | None:
    """Which columns are the text, title and id of a row; None when the rows are a table."""
    asked = options.rows == "documents" or bool(options.text_columns)
    if not header and grid and (asked or any(cell.strip().casefold() in TEXT_FIELDS for cell in grid[0])):
        header = 1  # whoever names columns knows that the first row holds their names
    names = column_names(grid, header)
    if not asked:
        fields = chosen_fields(names, LoadOptions(), path.name)
        return fields if header and _is_of_texts(grid[header:], names, fields) else None
    fields = chosen_fields(names, options, path.name)
    if not fields.text:
        raise LoadError(
            f"{path.name} has no column that is called text or content. "
            f"Say which is the text of a row; its columns: {', '.join(names[:30])}"
        )
    return fields


def column_names(grid: Sequence[Sequence[str]], header: int) -> list[str]:
    """One name for each column: the words of its header rows, ``column 3`` where there are none, no name twice.

    A header row of one cell entitles the whole table and no column.
    """
    width = max(map(len, grid), default=0)
    headers = [row for row in grid[:header] if sum(map(bool, map(str.strip, row))) > 1] or grid[:header]
    names: list[str] = []
    seen: set[str] = set()
    for column in range(width):
        words = " ".join(" ".join(row[column].split()) for row in headers if column < len(row)).strip()
        name = words or f"column {column + 1}"
        if name in seen:
            name = f"{name} (column {column + 1})"
        seen.add(name)
        names.append(name)
    return names


def _is_of_texts(rows: list[list[str]], names: list[str], fields: Fields) -> bool:
    """Whether each row is a text: a column is called so, holds running text, and the others only tell of it."""
    if not fields.text or not (fields.title or fields.id or len(names) <= _FEW_COLUMNS):
        return False
    column = names.index(fields.text[0])
    widths = [_width(row[column]) for row in islice(rows, _SAMPLE) if column < len(row)]
    return bool(widths) and median(widths) > _PROSE_WIDTH


def _width(cell: str) -> int:
    return len(cell) + sum(map(is_wide, cell[:_PROSE_WIDTH]))


def _documents(path: PurePath, grid: list[list[str]], header: int, first: int, fields: Fields) -> LoadedFile:
    header = header or 1
    names = column_names(grid, header)
    rows = RowDocuments(path, fields, PlaceKind.ROW)
    kept = {*fields.text, fields.title, fields.id}
    for number, row in enumerate(grid[header:], first + header):
        if any(map(str.strip, row)):
            cells = zip(names, row, strict=False)
            rows.add(number, {name: cell if name in kept else cell_value(cell) for name, cell in cells})
    return rows.loaded()


def cell_value(cell: str) -> str | int | float:
    """The number that a cell holds, or its words; what a number would lose (007, 1.50e3, 1,200) stays as it is."""
    words = cell.strip()
    if _WHOLE.fullmatch(words) and words != "-0":
        return int(words)
    return float(words) if _DECIMAL.fullmatch(words) else words


__all__ = ["CsvLoader", "cell_value", "column_names"]
