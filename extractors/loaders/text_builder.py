"""Puts the text of a document together from blocks and keeps where its headings and pages begin."""

from __future__ import annotations

from collections.abc import Sequence

from storage.records import Page, Section
from storage.stored_text import stored_text


class TextBuilder:
    """Blocks in, text with sections and pages out; every offset refers to the normalised text."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._in_lines = False
        self._headings: list[tuple[int, str, int]] = []  # level, words, offset
        self._pages: list[tuple[int, int]] = []  # number, offset

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


__all__ = ["TextBuilder"]
