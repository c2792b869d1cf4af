"""The source of a Markdown text in parts: footnotes, link targets, blocks without any mark, and the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

# The parser keeps every token of what it is given: a long file goes through it in pieces.
_PIECE = 262_144
# Inline marks are matched across a whole paragraph; one longer than this is taken as plain text, as it is none.
_LONGEST_LINE = 50_000
_PLAIN_RUN = 16
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HTML_OPEN = re.compile(
    r"[ >*+\-\d.)]{0,20}<(?:(script|pre|style|textarea)\b|(!--)|(\?)|(!\[CDATA\[)|(![a-z]))", re.IGNORECASE
)
_HTML_ENDS = (
    re.compile(r"</(?:script|pre|style|textarea)>", re.IGNORECASE),
    *map(re.compile, ("-->", r"\?>", "]]>", ">")),
)
_NOTE = re.compile(r" {0,3}\[\^([^\]\s]{1,40})\]:[ \t]{0,9}(.{0,50000})")
_NOTE_MARK = re.compile(r"\[\^([^\]\s]{1,40})\](?!:)")
_TARGET = re.compile(r" {0,3}\[(?!\^)[^\]\n]{1,999}\]:")
# No mark of CommonMark begins with a letter, and none works without one of these characters.
_PLAIN_LINE = re.compile(r"[^\W\d_][^\\`*_\[\]<&~|\t]{0,4000}")
_PLAIN_HEADING = re.compile(r"(#{1,6}) ([^\W_][^\\`*_\[\]<&~|\t#]{0,400})")
_DEEP_QUOTE = re.compile(r"^((?: {0,3}>){30})[ >]{1,50000}", re.MULTILINE)
_DEEP_LIST = re.compile(r"^((?:[-*+] ){30})(?:[-*+] ){1,50000}", re.MULTILINE)

MARKED, TOO_LONG, PARAGRAPH = -2, -1, 0


class Piece(NamedTuple):
    """A part of the source: ``level`` is that of a heading, else what kind of part it is."""

    level: int
    text: str


def shallow(source: str) -> str:
    """``source`` with quotes and lists nested no deeper than the parser goes, which would drop what lies deeper."""
    return _DEEP_LIST.sub(r"\1", _DEEP_QUOTE.sub(r"\1 ", source))


def split_notes(source: str) -> tuple[str, dict[str, str]]:
    """``source`` without the footnotes that it refers to, and these by their names.

    One that nothing refers to stays where it is, as a paragraph.
    """
    if "[^" not in source:
        return source, {}
    named = set(_NOTE_MARK.findall(source))
    kept: list[str] = []
    notes: dict[str, list[str]] = {}
    current: list[str] | None = None
    outside = _Outside()
    for line in source.split("\n"):
        inside_code = outside.is_inside(line)
        found = None if inside_code else _NOTE.match(line)
        if found and found.group(1) in named and found.group(1) not in notes:
            current = notes.setdefault(found.group(1), [found.group(2)])
        elif found:
            current = None
            kept.extend(["", found.group(2)])
        elif current is not None and (line.startswith(("    ", "\t")) or not line.strip()):
            current.append(line.removeprefix("    ").removeprefix("\t"))
        elif current is not None and current[-1].strip() and not inside_code and _PLAIN_LINE.match(line):
            current.append(line)
        else:
            if current is not None:
                kept.append("")
            current = None
            kept.append(line)
    return "\n".join(kept), {name: "\n".join(words).strip() for name, words in notes.items()}


def link_targets(source: str) -> str:
    """The lines that say where links lead, which may stand anywhere in a text."""
    if "]:" not in source:
        return ""
    outside = _Outside()
    lines = source.split("\n")
    found: list[str] = []
    for number, line in enumerate(lines):
        if not outside.is_inside(line) and _TARGET.match(line[:1010]) and len(line) < _LONGEST_LINE:
            found.extend([line, *lines[number + 1 : number + 2], ""])
    return "\n".join(found)


class _Outside:
    """Tells lines of code in fences, and of HTML that goes on over empty lines, from others."""

    def __init__(self) -> None:
        self._fence = ""
        self._end: re.Pattern[str] | None = None

    def is_inside(self, line: str) -> bool:
        """Whether this next line is, or begins, such a part."""
        if self._end is not None:
            if self._end.search(line):
                self._end = None
            return True
        mark = _FENCE.match(line)
        if self._fence:
            if mark and mark.group(1).startswith(self._fence) and not line[mark.end() :].strip():
                self._fence = ""
            return True
        if mark:
            self._fence = mark.group(1)
            return True
        html = _HTML_OPEN.match(line)
        if html:
            kind = next(number for number, group in enumerate(html.groups()) if group)
            self._end = None if _HTML_ENDS[kind].search(line, html.end()) else _HTML_ENDS[kind]
            return True
        return False


def pieces(source: str) -> Iterator[Piece]:
    """The source in order: headings and paragraphs without any mark as they are, the rest in pieces for the parser.

    A piece ends at an empty line outside of code. A line that is far too long to be Markdown is a piece of its own.
    """
    marked: list[str] = []
    plain: list[Piece] = []  # read without the parser if they are many in a row, for to begin anew costs it time
    source_of_plain: list[str] = []
    length = 0
    for block, is_open in _blocks(source):
        found = [] if is_open else _plain_pieces(block)
        too_long = any(len(line) > _LONGEST_LINE for line in block)
        if found or not (is_open or any(map(str.strip, block))):
            plain.extend(found)
            source_of_plain.extend(block)
            continue
        if len(plain) < _PLAIN_RUN and not too_long and length <= _PIECE:
            marked.extend(source_of_plain)
        else:
            if marked:
                yield Piece(MARKED, "\n".join(marked))
            yield from plain
            marked, length = [], 0
        plain, source_of_plain = [], []
        if too_long:
            yield from (Piece(TOO_LONG, line) for line in block)
        else:
            marked.extend(block)
            length += sum(map(len, block)) + len(block)
    if marked:
        yield Piece(MARKED, "\n".join(marked))
    yield from plain


def _blocks(source: str) -> Iterator[tuple[list[str], bool]]:
    """Lines up to and with the empty one that ends them, and whether they hold code or HTML that spans empty lines."""
    outside = _Outside()
    block: list[str] = []
    is_open = False
    for line in source.split("\n"):
        inside = outside.is_inside(line)
        is_open |= inside
        if not inside and len(line) > _LONGEST_LINE:
            if block:
                yield block, is_open
            yield [line], False
            block, is_open = [], False
            continue
        block.append(line)
        if not line.strip() and not inside:
            yield block, is_open
            block, is_open = [], False
    if block:
        yield block, is_open


def _plain_pieces(block: list[str]) -> list[Piece]:
    """The headings and the paragraph that ``block`` is made of, if none of its lines has any mark; else none."""
    found: list[Piece] = []
    paragraph: list[str] = []
    for line in block:
        if heading := _PLAIN_HEADING.fullmatch(line):
            if paragraph:
                found.append(Piece(PARAGRAPH, "\n".join(paragraph)))
                paragraph = []
            found.append(Piece(len(heading.group(1)), heading.group(2)))
        elif _PLAIN_LINE.fullmatch(line) and not line.endswith("  "):
            paragraph.append(line)
        elif line.strip():
            return []
    if paragraph:
        found.append(Piece(PARAGRAPH, "\n".join(paragraph)))
    return found


__all__ = ["MARKED", "PARAGRAPH", "TOO_LONG", "Piece", "link_targets", "pieces", "shallow", "split_notes"]
