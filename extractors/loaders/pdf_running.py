"""Headers, footers and page numbers of printed pages: lines that come again at one height of the page."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import median

from extractors.loaders.pdf_lines import Line
from extractors.loaders.pdf_notes import Item

_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"(?:page|p\.|第)?\s{0,3}[-–—]?\s{0,3}(?:\d{1,4}|[ivxlc]{1,7})\s{0,3}[-–—]?\s{0,3}"
    r"(?:页|頁|(?:of|/|共)\s{0,3}\d{1,4}\s{0,3}页?)?",
    re.IGNORECASE,
)
_NAMED_PAGE_NUMBER = re.compile(r"page |第", re.IGNORECASE)
_MARGIN_LINES = 3  # how many lines from the top and the bottom of a page may be running ones
_APART = 1.1  # times the usual distance of lines
_ONE_LINE = 2.0  # points between tops
_TITLE = 1.12  # in sizes of the body: a running line in larger type is a title, which is kept once


def running_lines(pages: Sequence[Sequence[Item]], body: float) -> set[int]:
    """The identities of the lines that are headers and footers.

    A running line stands at the same height of two or more pages, among the outermost lines and apart from the
    others, and reads the same but for its numbers; in larger type than the body it is a title, which must read quite
    the same and is kept once. A page number alone at the very edge is one as well. A page that has nothing else keeps
    them. A single page has none but "Page 1" and its title said again in small type above it. Where more pages have
    lines of their own at that height than repeated ones, it is the height of text.
    """
    seen: dict[tuple[str, int], set[int]] = defaultdict(set)
    edges = [_edge_lines(page) for page in pages]
    for number, edge in enumerate(edges):
        for line in edge:
            for words in {line.text, _DIGITS.sub("0", line.text)}:
                for slot in _slots(line):
                    seen[words, slot].add(number)
    bodies = _slots_of_body(edges, seen)
    running: set[int] = set()
    titles: set[str] = set()
    for page, edge in zip(pages, edges, strict=True):
        found: set[int] = set()
        for line in edge:
            is_title = line.size >= body * _TITLE
            words = line.text if is_title else _DIGITS.sub("0", line.text)
            if any(len(seen[words, slot]) > 1 and slot not in bodies for slot in _slots(line)):
                if is_title and words not in titles:
                    titles.add(words)
                else:
                    found.add(id(line))
            elif (len(pages) == 1 and _is_of_one_page(line, page, edge, body)) or (
                len(pages) > 1 and (line is edge[0] or line is edge[-1]) and _PAGE_NUMBER.fullmatch(line.text)
            ):
                found.add(id(line))
        if len(found) < len(page):
            running |= found
    return running


def _slots_of_body(edges: Sequence[Sequence[Line]], seen: Mapping[tuple[str, int], set[int]]) -> set[int]:
    """The heights at which more pages have lines of their own than lines that come again."""
    own: Counter[int] = Counter()
    for edge in edges:
        slots: dict[int, bool] = {}
        for line in edge:
            for slot in _slots(line):
                again = len(seen[_DIGITS.sub("0", line.text), slot]) > 1 or bool(_PAGE_NUMBER.fullmatch(line.text))
                slots[slot] = slots.get(slot, False) or again
        own.update({slot: -1 if again else 1 for slot, again in slots.items()})
    return {slot for slot, count in own.items() if count > 0}


def _is_of_one_page(line: Line, page: Sequence[Item], edge: Sequence[Line], body: float) -> bool:
    if line is edge[-1] and _NAMED_PAGE_NUMBER.match(line.text) and _PAGE_NUMBER.fullmatch(line.text):
        return True
    others = (other for other in page if isinstance(other, Line) and other.size >= body * _TITLE)
    return line is edge[0] and line.size < body * _TITLE and any(other.text == line.text for other in others)


def running_asides(pages: Sequence[Sequence[Line]]) -> set[int]:
    """The identities of lines beside the text that come again on later pages, but for their numbers."""
    seen: set[str] = set()
    again: set[int] = set()
    for page in pages:
        words = {id(line): _DIGITS.sub("0", line.text) for line in page}
        again |= {line for line, text in words.items() if text in seen}
        seen |= set(words.values())
    return again


def _edge_lines(page: Sequence[Item]) -> list[Line]:
    """The outermost lines at the top and the bottom that stand apart from what is further in."""
    placed = sorted((line for line in page if isinstance(line, Line) and line.size), key=lambda line: line.top)
    if len(placed) <= 2 * _MARGIN_LINES:
        return placed
    gaps = [after.top - before.top for before, after in pairwise(placed)]
    usual = median([gap for gap in gaps if gap > _ONE_LINE] or [0.0])
    apart = [gap > _APART * usual for gap in gaps]
    above = next((n for n in range(_MARGIN_LINES, 0, -1) if apart[n - 1]), 0)
    below = next((n for n in range(_MARGIN_LINES, 0, -1) if apart[-n]), 0)
    return placed[:above] + placed[len(placed) - below :]


def _slots(line: Line) -> tuple[int, int]:
    """Two overlapping 6-point slots, so that lines 3 points apart always share one."""
    return round(line.top / 6) * 2, int(line.top // 6) * 2 + 1


__all__ = ["running_asides", "running_lines"]
