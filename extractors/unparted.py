"""What a cut must not part: words, numbers and brackets, and a closing mark from what stands before it."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from extractors.sentences import CLOSING
from extractors.token_estimate import PER_MARK, estimate_tokens

CLOSING_MARKS = frozenset(CLOSING + "，。、；：！？,.;:!?")
"""Marks with which no chunk starts: they belong to what stands before them."""

LONGEST_TOKEN = 20
"""Characters: text of more than this many a token is certainly longer than a chunk of so many tokens."""

_OPENED_BY = dict(zip(")]}）】〕］｝》〉", "([{（【〔［｛《〈", strict=True))
_BRACKET = re.compile(rf"[{re.escape(''.join(_OPENED_BY))}{re.escape(''.join(_OPENED_BY.values()))}]|\n\s*\n")
_UNSPACED = re.compile("[\u2e80-\u2fdf\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_IN_NUMBERS = ".,:/-–'’"
_AFTER_NUMBERS = "%‰°"
_JOINERS = "\u200d\ufe0e\ufe0f"  # what holds an emoji sequence together


class Bracket(NamedTuple):
    """A bracket from its opening mark to behind its closing one."""

    start: int
    end: int


class Brackets:
    """The brackets of a stretch of text that fit into a chunk, without those inside others.

    A bracket closes in the paragraph in which it opens; marks that nothing answers count for nothing.
    """

    def __init__(self, text: str, start: int, end: int, size: float) -> None:
        """``size``: estimated tokens of a chunk."""
        self._fitting: list[Bracket] = []
        for bracket in sorted(_pairs(text, start, end, size)):
            if self._fitting and bracket.start < self._fitting[-1].end:
                continue
            if estimate_tokens(text[bracket.start : bracket.end]) <= size:
                self._fitting.append(bracket)

    def part(self, position: int) -> bool:
        """Whether a cut at ``position`` would part one of them."""
        index = bisect_left(self._fitting, position, key=lambda bracket: bracket.start) - 1
        return index >= 0 and position < self._fitting[index].end


def _pairs(text: str, start: int, end: int, size: float) -> Iterator[Bracket]:
    """Every bracket of about ``size`` tokens at most, in the order of their ends."""
    opened: list[tuple[str, int, float]] = []  # mark, position, tokens before it
    waiting: Counter[str] = Counter()
    tokens, counted = 0.0, start
    for match in _BRACKET.finditer(text, start, end):
        at, mark = match.start(), text[match.start()]
        if mark == "\n":
            opened.clear()
            waiting.clear()
            continue
        if opened:
            tokens += quick_tokens(text, counted, at, size) + PER_MARK
        counted = at + 1
        if mark not in _OPENED_BY:
            opened.append((mark, at, tokens))
            waiting[mark] += 1
        elif waiting[_OPENED_BY[mark]]:
            while True:
                opening, first, before = opened.pop()
                waiting[opening] -= 1
                if opening == _OPENED_BY[mark]:
                    break
            if tokens - before <= size:
                yield Bracket(first, at + 1)


def quick_tokens(text: str, start: int, end: int, size: float) -> float:
    """The tokens of ``text[start:end]``; of what is certainly longer than ``size`` only some number above that."""
    if end - start > size * LONGEST_TOKEN:
        return float(end - start)
    return estimate_tokens(text[start:end])


def may_cut(text: str, position: int, brackets: Brackets) -> bool:
    """Whether nothing that belongs together is parted when what follows begins at ``position``, inside the text."""
    after = text[position]
    return not (
        after.isspace()
        or after in CLOSING_MARKS
        or not may_start(text, position)
        or _parts_word(text, position)
        or brackets.part(position)
    )


def may_start(text: str, position: int) -> bool:
    """Whether no character and no closing mark is torn off when a piece starts at ``position``."""
    if position >= len(text):
        return True
    character = text[position]
    if character in CLOSING or character in _JOINERS or unicodedata.combining(character):
        return False
    return text[position - 1] != "\u200d" and not "\U0001f3fb" <= character <= "\U0001f3ff"


def _parts_word(text: str, position: int) -> bool:
    before, after = text[position - 1], text[position]
    if _in_word(before) and _in_word(after):
        return True
    if before.isdigit() and after in _AFTER_NUMBERS:
        return True
    if before.isdigit() and after in _IN_NUMBERS:
        return text[position + 1 : position + 2].isdigit()
    if after.isdigit() and before in _IN_NUMBERS:
        return position > 1 and text[position - 2].isdigit()
    if before in "'’" and _in_word(after):
        return position > 1 and _in_word(text[position - 2])
    return after in "'’" and _in_word(before) and _in_word(text[position + 1 : position + 2])


def _in_word(character: str) -> bool:
    """Whether it is a letter or digit of a script that writes blanks between its words."""
    return (character.isalnum() or character == "_") and not _UNSPACED.match(character)


def unparted(text: str, bounds: Iterable[tuple[int, int]], brackets: Brackets) -> Iterator[tuple[int, int]]:
    """``bounds`` (sentences, rows, ... in order), those joined between which there must be no cut."""
    start: int | None = None
    end = 0
    for first, last in bounds:
        if start is not None and not (text[first] in CLOSING_MARKS or brackets.part(first)):
            yield start, end
            start = None
        start = first if start is None else start
        end = last
    if start is not None:
        yield start, end


NO_BRACKETS = Brackets("", 0, 0, 0)

__all__ = [
    "CLOSING_MARKS",
    "LONGEST_TOKEN",
    "NO_BRACKETS",
    "Bracket",
    "Brackets",
    "may_cut",
    "may_start",
    "quick_tokens",
    "unparted",
]
