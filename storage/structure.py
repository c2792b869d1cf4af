"""The structure of a document: where its headings, pages, places and tables lie in its text.

Every offset is a code point of the stored text. Places and tables are what a citation needs to say where something
stands as a person would: *sheet Sales, row 12, column Cause*.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Record(BaseModel):
    """A frozen record that refuses fields it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def overlap(first: Sequence[int], second: Sequence[int]) -> float:
    """Intersection over union of two ranges ``[start, end)``, in [0, 1]."""
    common = min(first[1], second[1]) - max(first[0], second[0])
    return common / (max(first[1], second[1]) - min(first[0], second[0])) if common > 0 else 0.0


class Span(Record):
    """A half-open range ``[start, end)`` of code points; never empty."""

    start: int = Field(ge=0)
    end: int

    @model_validator(mode="after")
    def _not_empty(self) -> Self:
        if self.end <= self.start:
            raise ValueError(f"a span must not be empty: [{self.start}, {self.end})")
        return self

    def overlaps(self, other: Span) -> bool:
        """Whether the two share at least one code point."""
        return self.start < other.end and other.start < self.end

    def shared(self, other: Span) -> float:
        """How much of their length the two share: intersection over union, in [0, 1]."""
        return overlap((self.start, self.end), (other.start, other.end))

    def shifted(self, offset: int) -> Span:
        """The same range, ``offset`` code points further on."""
        return Span(start=self.start + offset, end=self.end + offset)


class TextKind(StrEnum):
    """What kind of text a document is, which decides how it is chunked."""

    PROSE = "prose"
    CODE = "code"
    TABLE = "table"  # nothing but tables: a spreadsheet, a CSV file
    DIALOGUE = "dialogue"  # turns with speakers
    SLIDES = "slides"
    MAIL = "mail"


class Section(Record):
    """A heading and what stands under it: ``path`` holds the headings from the outermost to this one."""

    path: tuple[str, ...]
    start: int = Field(ge=0)
    end: int = Field(ge=0)


class Page(Record):
    """One page, counted from 1, and its range in the text."""

    number: int = Field(ge=1)
    start: int = Field(ge=0)
    end: int = Field(ge=0)


class PlaceKind(StrEnum):
    """What a place is in the original."""

    SLIDE = "slide"
    SHEET = "sheet"
    ROW = "row"
    COLUMN = "column"
    MESSAGE = "message"
    TURN = "turn"
    LINE = "line"
    LANGUAGE = "language"  # a part in another language than the document's, by its code


class PlaceName(Record):
    """What a person calls a place: slide *3*, sheet *Sales*, rows *12–40*, the message of *Anna, 09:14*."""

    kind: PlaceKind
    label: str


class Place(PlaceName):
    """A named stretch of the text; one place may lie inside another, a row inside a sheet."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)

    @property
    def name(self) -> PlaceName:
        """The place without its offsets."""
        return PlaceName(kind=self.kind, label=self.label)


class Cell(NamedTuple):
    """One cell of a table: row and column counted from 0, and where its words stand in the text."""

    row: int
    column: int
    span: Span


class Table(Record):
    """A table whose cells stand in the text row by row, each once.

    ``rows`` holds one entry per column: the span of the cell's words, or None when it is empty. A merged cell's span
    stands at every position it covers, so that each row is whole by itself.
    """

    rows: tuple[tuple[Span | None, ...], ...]
    header: int = Field(default=0, ge=0)  # how many of the first rows name the columns
    first_row: int = Field(default=1, ge=0)  # number of rows[0] in the original, as a person counts
    caption: str = ""

    @model_validator(mode="after")
    def _has_words(self) -> Self:
        if not any(cell for row in self.rows for cell in row):
            raise ValueError("a table must have at least one cell with words")
        if self.header > len(self.rows):
            raise ValueError(f"a table of {len(self.rows)} rows cannot have {self.header} header rows")
        return self

    @property
    def start(self) -> int:
        """Where its first cell begins."""
        return min(cell.start for row in self.rows for cell in row if cell)

    @property
    def end(self) -> int:
        """Where its last cell ends."""
        return max(cell.end for row in self.rows for cell in row if cell)

    def cells(self) -> Iterator[Cell]:
        """Every cell with words at its first position (top, then left)."""
        seen: set[tuple[int, int]] = set()
        for r, row in enumerate(self.rows):
            for c, span in enumerate(row):
                if span and (span.start, span.end) not in seen:
                    seen.add((span.start, span.end))
                    yield Cell(r, c, span)


class Structure(Record):
    """The places and tables of a document, as they are kept beside its text."""

    kind: TextKind = TextKind.PROSE
    places: tuple[Place, ...] = ()
    tables: tuple[Table, ...] = ()


__all__ = [
    "Cell",
    "Page",
    "Place",
    "PlaceKind",
    "PlaceName",
    "Record",
    "Section",
    "Span",
    "Structure",
    "Table",
    "TextKind",
    "overlap",
]
