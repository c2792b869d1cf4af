"""Puts the text of a document together from blocks and keeps where its headings, pages, places and tables lie."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from extractors.table_titles import Position, title_rows
from storage.records import Document, Page, Place, PlaceKind, Section, Span, Table, TextKind
from storage.stored_text import stored_text


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
        self._next_page = 0  # the page on which what comes next stands
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

    def line(self, text: str, level: int = 0) -> None:
        """Add a line that belongs to the lines before it: an item of a list, ``level`` deep in other items."""
        if text.strip():
            self._add("  " * level + text.strip(), "\n" if self._in_lines else "\n\n")
            self._in_lines = True

    def table(
        self,
        grid: Sequence[Sequence[str]],
        *,
        header: int = 0,
        merged: Mapping[Position, Position] | None = None,
        first_row: int = 1,
        caption: str = "",
        pages: Mapping[int, int] | None = None,
    ) -> None:
        """Add a table: one line a row, the words of its cells parted by a bar; a row of empty cells gives no line.

        The words of rows above the header that hold nothing but a title are its caption, unless it has another.

        Args:
            grid: the words of each cell, row by row.
            header: how many of the first rows name the columns.
            merged: for each position that a merged cell covers but its first, that first position. What ``grid`` holds
                at a covered position is not read: the words stand in the text once.
            first_row: the number of the first row in the original.
            caption: what the table is called.
            pages: the number of the page that begins with a row, by the row's index in ``grid``.
        """
        self._in_lines = False
        covered = merged or {}
        covering = frozenset(covered.values())
        spans: dict[Position, Span] = {}  # of the cells that cover others alone: a long table has very many
        rows: list[tuple[Span | None, ...]] = []
        page = 0
        for r, cells in enumerate(grid):
            page = max(page, (pages or {}).get(r, 0))
            words = ["" if (r, c) in covered else " ".join(stored_text(cell).split()) for c, cell in enumerate(cells)]
            row: list[Span | None] = [None] * len(cells)
            if any(words):
                filled = max(c for c, word in enumerate(words) if word) + 1
                line = " | ".join(words[:filled])  # no bars behind the last words
                leading = len(line) - len(line.lstrip())
                at = self._add(line.strip(), "\n" if self._in_lines else "\n\n") - leading
                self._in_lines = True
                self._on_page(page, at + leading)
                for c, word in enumerate(words):
                    if word:
                        row[c] = Span(start=at, end=at + len(word))
                    at += len(word) + 3
            if covered:
                spans |= {(r, c): span for c, span in enumerate(row) if span and (r, c) in covering}
                row = [spans.get(covered.get((r, c), (r, c)), span) for c, span in enumerate(row)]
            rows.append(tuple(row))
        if any(map(any, rows)):
            header = min(header, len(rows))
            titles = (" ".join(cell.split()) for row in grid[: title_rows(grid, header, covered)] for cell in row)
            caption = stored_text(caption.strip() or next(filter(None, titles), ""))
            self._tables.append(Table(rows=tuple(rows), header=header, first_row=first_row, caption=caption))
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

    def paged_paragraph(
        self, parts: Sequence[tuple[int, str]], level: int | None = None, *, item: int | None = None
    ) -> None:
        """Add a paragraph whose parts, already with the blanks between them, stand on the pages given.

        With ``level`` it is a heading; with ``item`` an item of a list, that deep in other items.
        """
        start: int | None = None
        separator = "\n" if item is not None and self._in_lines else "\n\n"
        for number, text in parts:
            at = self._add("  " * (item or 0) + text if start is None else text, separator if start is None else "")
            self._on_page(number, at)
            start = at if start is None else start
        if level is not None and start is not None:
            self._headings.append((level, "".join(text for _, text in parts).strip(), start))
        self._in_lines = item is not None

    def start_page(self, number: int) -> None:
        """What is added from here on stands on page ``number``, or on those started later."""
        self._next_page = number

    def _on_page(self, number: int, at: int) -> None:
        """What stands at ``at`` is on page ``number``; 0 if that is not known."""
        if number and (not self._pages or self._pages[-1][0] < number):
            self._pages.append((number, at))

    def _add(self, text: str, separator: str) -> int:
        text = stored_text(text)
        if self._length and separator and text:
            self._parts.append(separator)
            self._length += len(separator)
        self._in_lines = False
        start = self._length
        if text:
            self._on_page(self._next_page, start)
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
        levels: list[int] = []
        path: list[str] = []
        ends = [*(start for _, _, start in self._headings), self._length][1:]
        for (level, words, start), end in zip(self._headings, ends, strict=True):
            while levels and levels[-1] >= level:
                levels.pop()
                path.pop()
            levels.append(level)
            path.append(words)
            sections.append(Section(path=tuple(path), start=start, end=end))
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


__all__ = ["Position", "TextBuilder"]
