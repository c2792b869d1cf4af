"""Puts the text of a document together from blocks and keeps where its headings, pages, places and tables lie."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from storage.records import Document, Page, Place, PlaceKind, Section, Span, Table, TextKind
from storage.stored_text import stored_text

Position = tuple[int, int]
"""Row and column of a cell, counted from 0."""


@dataclass(slots=True)
class _OpenPlace:
    kind: PlaceKind
    label: str
    start: int | None = None  # until the first word in it
    end: int = 0


class TextBuilder:
    """Blocks in, text with sections and pages out; every offset refers to the normalised text."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._in_lines = False
        self._headings: list[tuple[int, str, int]] = []  # level, words, offset
        self._pages: list[tuple[int, int]] = []  # number, offset
        self._places: list[_OpenPlace] = []  # in the order in which they were opened
        self._open: list[_OpenPlace] = []
        self._tables: list[Table] = []

    @property
    def blank(self) -> bool:
        """Whether nothing but white space has been added."""
        return self._length == 0

    @property
    def headings(self) -> list[str]:
        """The headings so far, in order."""
        return [words for _, words, _ in self._headings]

    def heading(self, text: str, level: int) -> None:
        """Add a heading of ``level`` (1 is the outermost); it opens a section."""
        words = " ".join(stored_text(text).split())
        if words:
            self._headings.append((level, words, self._add(words, "\n\n")))

    def paragraph(self, text: str) -> None:
        """Add a block that stands alone, with an empty line before it."""
        if text.strip():
            self._add(text.strip("\n").rstrip(), "\n\n")

    def line(self, text: str) -> None:
        """Add a line that belongs to the lines before it: an item of a list, a row of a table."""
        if text.strip():
            self._add(text.strip(), "\n" if self._in_lines else "\n\n")
            self._in_lines = True

    def row(self, cells: Sequence[str]) -> None:
        """Add a row of a table as one line, its cells parted by a bar; a row of empty cells is left out."""
        words = [" ".join(cell.split()) for cell in cells]
        if any(words):
            self.line(" | ".join(words).strip())

    def table(
        self,
        grid: Sequence[Sequence[str]],
        *,
        header: int = 0,
        merged: Mapping[Position, Position] | None = None,
        first_row: int = 1,
        caption: str = "",
    ) -> None:
        """Add a table: one line a row, the words of its cells parted by a bar; a row of empty cells gives no line.

        Args:
            grid: the words of each cell, row by row.
            header: how many of the first rows name the columns.
            merged: for each position that a merged cell covers but its first, that first position. What ``grid`` holds
                at a covered position is not read: the words stand in the text once.
            first_row: the number of the first row in the original.
            caption: what the table is called.
        """
        self._in_lines = False
        covered = merged or {}
        spans: dict[Position, Span] = {}
        rows: list[tuple[Span | None, ...]] = []
        for r, cells in enumerate(grid):
            words = ["" if (r, c) in covered else " ".join(stored_text(cell).split()) for c, cell in enumerate(cells)]
            if any(words):
                line = " | ".join(words)
                leading = len(line) - len(line.lstrip())
                at = self._add(line.strip(), "\n" if self._in_lines else "\n\n") - leading
                self._in_lines = True
                for c, word in enumerate(words):
                    if word:
                        spans[r, c] = Span(start=at, end=at + len(word))
                    at += len(word) + 3
            rows.append(tuple(spans.get(covered.get((r, c), (r, c))) for c in range(len(cells))))
        if spans:
            header = min(header, len(rows))
            self._tables.append(Table(rows=tuple(rows), header=header, first_row=first_row, caption=caption.strip()))
        self._in_lines = False

    @contextmanager
    def place(self, kind: PlaceKind, label: str) -> Iterator[None]:
        """What is added inside stands in this place; a place without words is left out."""
        opened = _OpenPlace(kind, " ".join(stored_text(label).split()))
        self._places.append(opened)
        self._open.append(opened)
        try:
            yield
        finally:
            self._open.remove(opened)
            opened.end = self._length

    def paged_paragraph(self, parts: Sequence[tuple[int, str]], level: int | None = None) -> None:
        """Add a paragraph (or heading) whose parts, already with the blanks between them, stand on the pages given."""
        start: int | None = None
        for number, text in parts:
            at = self._add(text, "\n\n" if start is None else "")
            if not self._pages or self._pages[-1][0] < number:
                self._pages.append((number, at))
            start = at if start is None else start
        if level is not None and start is not None:
            self._headings.append((level, "".join(text for _, text in parts).strip(), start))

    def _add(self, text: str, separator: str) -> int:
        text = stored_text(text)
        if self._length and separator and text:
            self._parts.append(separator)
            self._length += len(separator)
        self._in_lines = False
        start = self._length
        if text:
            for place in self._open:
                place.start = start if place.start is None else place.start
        self._parts.append(text)
        self._length += len(text)
        return start

    def text(self) -> str:
        """All blocks."""
        return "".join(self._parts)

    def sections(self) -> tuple[Section, ...]:
        """One section per heading: from it to where the next heading, of any level, starts."""
        sections = []
        path: list[tuple[int, str]] = []
        ends = [*(start for _, _, start in self._headings), self._length][1:]
        for (level, words, start), end in zip(self._headings, ends, strict=True):
            path = [*(step for step in path if step[0] < level), (level, words)]
            sections.append(Section(path=tuple(step[1] for step in path), start=start, end=end))
        return tuple(sections)

    def pages(self, count: int) -> tuple[Page, ...]:
        """Pages 1 to ``count``; one on which no text stands is empty and lies where the next begins."""
        starts = dict(self._pages)
        pages: list[Page] = []
        end = self._length
        for number in range(count, 0, -1):
            start = starts.get(number, end)
            pages.append(Page(number=number, start=start, end=end))
            end = start
        return tuple(reversed(pages))

    def places(self) -> tuple[Place, ...]:
        """The places that have words, outer before inner."""
        return tuple(
            Place(kind=place.kind, label=place.label, start=place.start, end=place.end)
            for place in self._places
            if place.start is not None
        )

    def document(self, title: str, *, kind: TextKind = TextKind.PROSE, pages: int = 0, **fields: Any) -> Document:
        """The document of all that was added; ``pages``: how many it has, ``fields``: others of a Document."""
        return Document(
            text=self.text(),
            title=title,
            sections=self.sections(),
            pages=self.pages(pages),
            kind=kind,
            places=self.places(),
            tables=tuple(self._tables),
            **fields,
        )


__all__ = ["TextBuilder"]
