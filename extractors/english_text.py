"""Cuts a text into the units within which English relations are looked for.

Markdown is read for its structure only: a table cell, a list item, a heading and a paragraph are units, so that no span
crosses them. Marks that are no words (emphasis, link targets, tags) are left out of what the parser sees; every kept
character remembers its offset in the text that was given.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterator
from dataclasses import dataclass

MAX_SENTENCE_CHARS = 1500
"""Longer sentences are logs or data: no parse of them is worth its time."""

MAX_UNIT_CHARS = 4000
"""Bounds the memory of one parse; a longer paragraph is cut between sentences."""

_FENCE = re.compile(r"\s*(```|~~~)")
_LIST_ITEM = re.compile(r"\s*(?:[-*+•‣◦·–]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s")
_RULE = re.compile(r"[-=_*~#.+|: ]{3,}")  # tried on the stripped line, so that it takes time in proportion to it
_DEFINITION = re.compile(r"\s*\[[^\]]{1,200}\]:\s*\S+")
_QUOTE = re.compile(r"\s*(?:>\s?)+")
_TABLE_ROW = re.compile(r"\s*\|")
_CELL_BORDER = re.compile(r"(?<!\\)\|")
_TARGET = r"[^()\s]{1,500}(?:\([^()\s]{0,200}\)[^()\s]{0,200})?"
_CLITIC = r"(?:s|t|m|d|re|ve|ll)(?!\w)"
_DETACHED = rf"(?<=\w) (?=['’] ?{_CLITIC}|n['’]t(?!\w))|(?<=\w ['’]) (?={_CLITIC})"  # *do n't*, *she 's*, *Ann ' s*
_MARKS = re.compile(
    r"!\[[^\[\]]{0,300}\]\([^()]{0,700}(?:\([^()]{0,200}\)[^()]{0,200})?\)"  # image
    rf"|\[(?=(?:!\[)?[^\[\]]{{1,300}}\]\({_TARGET}\))"  # opening of a link, of which an image may be the text
    rf"|(?<=\S)\]\({_TARGET}(?:\s\"[^\"]{{0,200}}\")?\)"  # its target
    r"|\[(?=[^\[\]]{1,300}\]\[[^\[\]]{0,100}\])|(?<=\S)\]\[[^\[\]]{0,100}\]"  # reference links
    r"|\[\^?\d{1,3}\]"  # footnote mark
    r"|<!--(?:[^<\n-]|<(?!!--)|-(?!->)){0,2000}-->|</?[a-zA-Z][^<>]{0,300}>"
    rf"|{_DETACHED}"
    r"|\*{1,3}|~~|`+|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)"
)
_LIKE_QUOTES = str.maketrans("‘’‛ʼ“”„‟", "''''\"\"\"\"")
_SENTENCE_END = re.compile(r"[.!?][\"')\]]{0,3}\s+")
_SHORT_LINE = 60  # wrapped prose fills its lines; a short line without an end mark is a title or a list without marks


@dataclass(frozen=True)
class Unit:
    """What the parser sees of one paragraph, list item, heading or cell, and where each character stood."""

    text: str
    offsets: array[int]

    def source_span(self, start: int, end: int) -> tuple[int, int]:
        """The range of the given text that ``text[start:end]`` came from."""
        return self.offsets[start], self.offsets[end - 1] + 1


def _pieces(text: str) -> Iterator[list[tuple[int, int]]]:
    """The ranges of lines (or parts of lines) that belong together."""
    fenced = False
    open_unit: list[tuple[int, int]] = []
    position = 0
    for line in text.split("\n"):
        start, end = position, position + len(line)
        position = end + 1
        fence = _FENCE.match(line)
        if fence or fenced:
            fenced = fenced != bool(fence)
            yield open_unit
            open_unit = []
            continue
        if quote := _QUOTE.match(line):
            start += quote.end()
            line = line[quote.end() :]
        if not line.strip() or _RULE.fullmatch(line.strip()) or _DEFINITION.match(line):
            yield open_unit
            open_unit = []
        elif _TABLE_ROW.match(line) or " | " in line or len(_CELL_BORDER.findall(line)) >= 2:
            yield open_unit
            open_unit = []
            cell = start
            for border in _CELL_BORDER.finditer(line):
                yield [(cell, start + border.start())]
                cell = start + border.end()
            yield [(cell, end)]
        elif heading := _HEADING.match(line):
            yield open_unit
            open_unit = []
            yield [(start + heading.end(), end)]
        elif item := _LIST_ITEM.match(line):
            yield open_unit
            open_unit = [(start + item.end(), end)]
        else:
            if open_unit and _breaks(text[open_unit[-1][0] : open_unit[-1][1]], line):
                yield open_unit
                open_unit = []
            open_unit.append((start, end))
    yield open_unit


def _breaks(previous: str, line: str) -> bool:
    """Whether ``line`` starts something new although no blank line stands before it."""
    if previous.endswith(("  ", "\\")):
        return True
    last = previous.rstrip(" *_`")[-1:]
    return len(previous.strip()) < _SHORT_LINE and last not in ".!?,;" and line.lstrip(" *_`")[:1].isupper()


def _unit(text: str, ranges: list[tuple[int, int]]) -> Unit | None:
    kept: list[str] = []
    offsets = array("Q")

    def add(start: int, end: int) -> None:
        for offset in range(start, end):
            character = text[offset]
            if character.isspace():
                if not kept or kept[-1] == " ":
                    continue
                character = " "
            elif unicodedata.category(character) in ("Cc", "Cf", "Cs", "Cn", "Co"):
                continue
            kept.append(character)
            offsets.append(offset)

    for start, end in ranges:
        position = start
        for mark in _MARKS.finditer(text, start, end):
            add(position, mark.start())
            position = mark.end()
        add(position, end)
        if kept and kept[-1] != " ":
            kept.append(" ")
            offsets.append(min(end, len(text) - 1))
    while kept and kept[-1] == " ":
        kept.pop()
        offsets.pop()
    if not kept:
        return None
    return Unit("".join(kept).translate(_LIKE_QUOTES), offsets)


def _cut(unit: Unit) -> Iterator[Unit | None]:
    """The unit itself, or parts of bounded length that end with a sentence; None for each over-long sentence."""
    if len(unit.text) <= MAX_SENTENCE_CHARS:
        yield unit
        return
    ends = [m.end() for m in _SENTENCE_END.finditer(unit.text)] + [len(unit.text)]
    start = last = 0
    for end in ends:
        too_long = end - last > MAX_SENTENCE_CHARS
        if last > start and (too_long or end - start > MAX_UNIT_CHARS):
            yield Unit(unit.text[start:last], unit.offsets[start:last])
            start = last
        if too_long:
            yield None
            start = end
        last = end
    if last > start:
        yield Unit(unit.text[start:last], unit.offsets[start:last])


def units(text: str) -> Iterator[Unit | None]:
    """The units of ``text`` in order; None stands for a sentence that is too long to read."""
    for ranges in _pieces(text):
        unit = _unit(text, ranges) if ranges else None
        if unit is not None:
            yield from _cut(unit)


__all__ = ["MAX_SENTENCE_CHARS", "Unit", "units"]
