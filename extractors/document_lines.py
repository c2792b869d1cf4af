"""The lines of a document as its structure shows them: headings, numbered steps, entries that begin with a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from extractors.document_labels import KNOWN_LABELS
from extractors.document_times import Moment, leading_moment

_LONGEST_HEADING = 90
_LONGEST_LABEL = 40
_FENCE = re.compile(r"\s*(?:```|~~~)")
_QUOTE = re.compile(r"\s*(?:>\s?)+")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+")
_RULE = re.compile(r"[-=_*~+|: ]{2,}")
_BULLET = re.compile(r"\s*[-*+•‣◦·–]\s+")
_HAN_NUMBER = "一二三四五六七八九十"
_STEP = re.compile(
    rf"\s*[*_]{{0,2}}(?:step\s+(?P<step>\d{{1,2}})|第\s?(?P<han>\d{{1,2}}|[{_HAN_NUMBER}]{{1,3}})\s?步"
    rf"|步[骤驟]\s?(?P<named>\d{{1,2}}|[{_HAN_NUMBER}]{{1,3}}))[*_]{{0,2}}\s*[.:：、，,)）–—-]?[*_]{{0,2}}\s*",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    rf"\s*[(（]?(?P<number>\d{{1,2}}|[{_HAN_NUMBER}]{{1,3}})(?:[.)）]\s+|[、）]\s*|[.)](?=[\u4e00-\u9fff]))"
)
_CIRCLED = re.compile(r"\s*(?P<circled>[①-⑳])\s*")
_EDGES = " \t\r\u3000*_`#:：|"
_SECTION_NUMBER = re.compile(r"(?:\d{1,2}(?:\.\d{1,2}){0,3}[.)、]?\s+|[一二三四五六七八九十]{1,3}[、.]\s*)")


@dataclass(frozen=True)
class Line:
    """One line, or one row of a table: where its words begin and end, and what its beginning says.

    ``start`` is behind bullets, numbers and times; ``marker`` is where those stand.
    """

    start: int
    end: int
    text: str
    marker: tuple[int, int]
    label: str  # of a heading, or of the words before a colon: lower case, without marks; "" for others
    heading: bool = False
    number: int | None = None
    step: bool = False  # the number is said to be a step's
    moment: Moment | None = None
    cells: int = 1
    bullet: bool = False


def lines(text: str) -> Iterator[Line | None]:
    """The lines of ``text`` in order, without code; None stands for one or more empty ones."""
    fenced = False
    position = 0
    rows = text.split("\n")
    blank = True  # before the first line
    for i, row in enumerate(rows):
        start, end = position, position + len(row)
        position = end + 1
        fence = _FENCE.match(row)
        if fence or fenced:
            fenced = fenced != bool(fence)
            continue
        if not row.strip() or _RULE.fullmatch(row.strip()):
            if not blank:
                yield None
            blank = True
            continue
        follows = rows[i + 1] if i + 1 < len(rows) else ""
        yield _line(text, start, end, alone=blank, last=not follows.strip() or bool(_RULE.fullmatch(follows.strip())))
        blank = False


def _line(text: str, start: int, end: int, *, alone: bool, last: bool) -> Line:
    row = text[start:end]
    at = quote.end() if (quote := _QUOTE.match(row)) else 0
    marked = _HEADING.match(row, at)
    if marked:
        at = marked.end()
    heading = bool(marked) or _is_heading(row[at:], alone=alone, last=last)
    label = _label(row[at:], heading=heading)
    cells = sum(1 for cell in row.split("|") if cell.strip()) if "|" in row else 1
    first = at
    bullet = _BULLET.match(row, at)
    if bullet:
        at = bullet.end()
    number, step = None, False
    if found := _STEP.match(row, at):
        number, step = _value(found["step"] or found["han"] or found["named"]), True
    elif (found := _CIRCLED.match(row, at)) is not None:
        number = ord(found["circled"]) - ord("①") + 1
    elif (found := _NUMBER.match(row, at)) is not None:
        number = _value(found["number"])
    if found is not None and number is not None:
        marker = start + first, start + found.end()
        return Line(marker[1], end, row[found.end() :], marker, label, heading, number, step, cells=cells)
    moment = leading_moment(row, at)
    if moment is not None:
        marker = start + moment.start, start + moment.end
        return Line(
            start + moment.until, end, row[moment.until :], marker, label, heading, moment=moment, cells=cells,
            bullet=bool(bullet),
        )  # fmt: skip
    return Line(
        start + at, end, row[at:], (start + first, start + at), label, heading, cells=cells, bullet=bool(bullet)
    )


def _is_heading(row: str, *, alone: bool, last: bool) -> bool:
    """A bold line, or a short one by itself that does not end as a sentence does."""
    bare = row.strip()
    if len(bare) > _LONGEST_HEADING or "|" in bare or _BULLET.match(row):
        return False
    if bare.startswith(("**", "__")) and bare.rstrip(":：").endswith(("**", "__")):
        return True
    if _label(bare, heading=True) in KNOWN_LABELS:
        return True
    ends = bare.endswith((".", "。", ";", "；", ",", "，", "!", "！"))
    return (alone and last and not ends) or (bare.endswith((":", "：")) and len(bare) <= _LONGEST_LABEL)


def _label(row: str, *, heading: bool) -> str:
    """What a heading is called, or what stands before the colon of a line such as *Root cause: …*."""
    bare = row.strip(_EDGES + "-•")
    if not heading:
        cut = min((i for i in (bare.find(":"), bare.find("：")) if i > 0), default=0)
        bare = bare[:cut]
        if not bare or len(bare) > _LONGEST_LABEL:
            return ""
    if number := _SECTION_NUMBER.match(bare):
        bare = bare[number.end() :]
    return " ".join(bare.strip(_EDGES + "?？").lower().replace("*", "").split())


def _value(numeral: str) -> int | None:
    """The number that Arabic or Chinese figures say, up to 99."""
    if numeral.isdigit():
        return int(numeral)
    tens, ten, ones = numeral.rpartition("十")
    if len(tens) > 1 or len(ones) > 1:
        return None
    value = (_HAN_NUMBER.index(tens) + 1 if tens else 1) * 10 if ten else 0
    return value + (_HAN_NUMBER.index(ones) + 1 if ones else 0)


__all__ = ["Line", "lines"]
