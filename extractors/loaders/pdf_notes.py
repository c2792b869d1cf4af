"""Footnotes of printed pages: small lines at the end of a column that begin with a mark the page refers to."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from extractors.loaders.pdf_lines import MARK_END, MARK_START, Line
from extractors.loaders.pdf_tables import PrintedTable

Item = Line | PrintedTable

_SMALL = 0.93  # of the size of the body
_REFERENCE = re.compile(f"{MARK_START}([^{MARK_END}]{{1,8}}){MARK_END}")
_UNIT = re.compile(r"(?:^|[\s\d./(])(?:[kcdmµ]?m|ft|[A-Za-z]|10)$")
_NOTE = re.compile(
    rf"(?:{MARK_START}\[?([^\]{MARK_END}]{{1,5}})\]?{MARK_END}|\[?(\d{{1,3}})[.)\]]?(?=\s)|([*†‡§]{{1,3}}))\s*"
)


@dataclass(slots=True)
class Note:
    """A footnote: its mark, its lines without the mark, and its page."""

    mark: str
    lines: list[Line]
    page: int


def take_notes(columns: list[list[Item]], body: float, open_marks: set[str]) -> list[Note]:
    """Take the footnotes out of the columns of a page.

    ``open_marks`` holds the marks of earlier pages whose note has not come yet; those of this page are added, and
    those whose note is found are taken out.
    """
    open_marks.update(
        mark for column in columns for item in column for line in lines_in(item) for mark in marks(line.text)
    )
    referred = frozenset(open_marks)
    notes: list[Note] = []
    for column in columns:
        first = _first_small(column, referred, body)
        taken: list[Note] = []
        start = None
        for index in range(first, len(column)):
            line = column[index]
            assert isinstance(line, Line)
            begins = _NOTE.match(line.text)
            mark = next(filter(None, begins.groups()), "") if begins else ""
            if begins and (begins.group(1) or mark in referred) and begins.end() < len(line.text):
                start = index if start is None else start
                line.text = line.text[begins.end() :]
                taken.append(Note(mark, [line], line.page))
                open_marks.discard(mark)
            elif taken:
                taken[-1].lines.append(line)
        if start is not None:
            del column[start:]
            if column and isinstance(last := column[-1], Line):
                last.last = True
        notes.extend(taken)
    return notes


def _first_small(column: list[Item], referred: frozenset[str], body: float) -> int:
    """Where the small lines at the end of the column begin; lines as large as the body if a raised mark begins them."""
    first = small = len(column)
    while first and isinstance(item := column[first - 1], Line) and 0 < item.size <= body:
        first -= 1
        begins = _NOTE.match(item.text)
        is_small = item.size <= _SMALL * body and small == first + 1
        if is_small or (begins and begins.group(1) in referred and begins.end() < len(item.text)):
            small = first
    return small


def lines_in(item: Item) -> list[Line]:
    """The line, or those of the cells of a table."""
    return [item] if isinstance(item, Line) else [line for row in item.rows for cell in row for line in cell]


def marks(text: str) -> list[str]:
    """The raised marks in ``text`` but those of powers and units."""
    return [
        match.group(1).strip("[]") for match in _REFERENCE.finditer(text) if not _UNIT.search(text[: match.start()])
    ]


def match_notes(pages: Sequence[Sequence[Sequence[Item]]], notes: Sequence[Sequence[Note]]) -> dict[int, list[Note]]:
    """The notes that each line refers to, by the line's identity; takes their marks out of the lines.

    A mark means the note with that mark on its page, or the next one after: an endnote. Other raised characters become
    ordinary ones.
    """
    waiting: dict[str, list[Note]] = defaultdict(list)
    for note in (note for page in notes for note in page):
        waiting[note.mark].append(note)
    found: dict[int, list[Note]] = {}
    for line in (line for page in pages for column in page for item in column for line in lines_in(item)):
        if MARK_START not in line.text:
            continue
        for mark in marks(line.text):
            meant = next((note for note in waiting[mark] if note.page >= line.page), None)
            if meant is not None:
                waiting[mark].remove(meant)
                found.setdefault(id(line), []).append(meant)
        known = {note.mark for note in found.get(id(line), ())}
        line.text = _without_marks(line.text, known)
    return found


def _without_marks(text: str, known: set[str]) -> str:
    def shown(match: re.Match[str]) -> str:
        is_mark = match.group(1).strip("[]") in known and not _UNIT.search(text[: match.start()])
        return "" if is_mark else match.group(1)

    return _REFERENCE.sub(shown, text).strip()


__all__ = ["Item", "Note", "lines_in", "match_notes", "take_notes"]
