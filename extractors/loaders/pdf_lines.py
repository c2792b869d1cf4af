"""Words of a PDF page to lines: by their baselines, whatever their order in the file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from extractors.loaders.line_joining import is_wide
from extractors.loaders.pdf_words import Word

MARK_START, MARK_END = "\ufdd0", "\ufdd1"
"""Around a raised mark, which may refer to a footnote; no character of a text."""

_SMALLER = 0.93  # of the size of its line: a raised mark
_MARK = re.compile(r"\d{1,3}|[*†‡§¶]{1,3}|\[\d{1,3}\]")
_MARKER = re.compile(r"(?:\d{1,3}|[a-zA-Z])[.)]|[•‣◦▪●○■□]")
_NUMBER = re.compile(r"[\W\d]{1,12}|[a-zA-Z][.)]?")
_CELLS_APART = 2.0  # type sizes
_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc]")


@dataclass(slots=True)
class Line:
    """One line of a page in points, measured from the top left; a size of 0 means that its place is unknown."""

    text: str
    page: int
    left: float = 0.0
    top: float = 0.0
    right: float = 0.0
    size: float = 0.0
    bold: bool = False
    mono: bool = False
    edge: float = 0.0  # how far to the right lines may reach where it stands
    parted: bool = False  # whether white parts it as it parts the cells of a row
    last: bool = False  # whether nothing stands below it in its column

    @property
    def bottom(self) -> float:
        """Where the letters end."""
        return self.top + self.size


def lines_of(words: Sequence[Word], page: int) -> list[Line]:
    """The lines that ``words`` of one column form, from the top."""
    rows: list[_Row] = []
    for word in sorted(words, key=lambda w: w.baseline):
        if rows and word.baseline - rows[-1].baseline < 0.3 * max(rows[-1].size, word.size):
            rows[-1].add(word)
        else:
            if len(rows) > 1 and rows[-2].is_raised_over(rows[-1]):
                rows[-1].words.extend(rows.pop(-2).words)
            rows.append(_Row(word))
    if len(rows) > 1 and rows[-2].is_raised_over(rows[-1]):
        rows[-1].words.extend(rows.pop(-2).words)
    return [line for row in rows if (line := row.line(page)).text]


def is_full(last: Line, line: Line) -> bool:
    """Whether the first word of ``line`` would not have fitted behind ``last``, so that the line end means nothing."""
    per_character = (line.right - line.left) / max(len(line.text), 1)
    if is_wide(line.text[0]):
        needed = 2.2 * last.size
    else:
        first = next((i for i, c in enumerate(line.text[:30]) if c == " " or is_wide(c)), min(len(line.text), 30))
        needed = per_character * (1 + first) * 1.1
    return last.right + needed > last.edge


class _Row:
    def __init__(self, word: Word) -> None:
        self.words = [word]
        self.size = word.size
        self.baseline = word.baseline

    def add(self, word: Word) -> None:
        self.words.append(word)
        if word.size > self.size:
            self.size, self.baseline = word.size, word.baseline

    def is_raised_over(self, row: _Row) -> bool:
        """Whether these are raised marks of ``row``, the one below."""
        if self.size > _SMALLER * row.size or row.baseline - self.baseline > 0.65 * row.size:
            return False
        return all(_MARK.fullmatch(word.text) for word in self.words)

    def line(self, page: int) -> Line:
        words = self.words
        right_to_left = any(_RTL.search(word.text) for word in words)
        words.sort(key=(lambda w: w.order) if right_to_left else (lambda w: w.left))
        sizes: Counter[float] = Counter()
        bold = mono = total = 0
        for word in words:
            weight = len(word.text)
            total += weight
            sizes[round(word.size * 2) / 2] += weight
            bold += weight * word.bold
            mono += weight * word.mono
        size = sizes.most_common(1)[0][0]
        return Line(
            text=_joined(words, size),
            page=page,
            left=min(word.left for word in words),
            top=self.baseline - 0.85 * size,
            right=max(word.right for word in words),
            size=size,
            bold=bold * 10 > total * 9,
            mono=mono * 10 > total * 9,
            parted=any(
                after.left - before.right > _CELLS_APART * size and not _NUMBER.fullmatch(before.text)
                for before, after in pairwise(words)
            ),
        )


def _joined(words: list[Word], size: float) -> str:
    usual = max((w.baseline for w in words if w.size >= 0.8 * size), default=words[0].baseline)
    parts: list[str] = []
    previous: Word | None = None
    for word in words:
        raised = word.size <= _SMALLER * size and word.baseline < usual - 0.12 * size
        if previous is not None:
            parts.append(_gap(previous, word))
        mark = raised and _MARK.fullmatch(word.text)
        parts.append(f"{MARK_START}{word.text}{MARK_END}" if mark else word.text)
        previous = word
    return "".join(parts).strip()


def _gap(before: Word, after: Word) -> str:
    """What belongs between two words of a line."""
    distance = after.left - before.right
    size = max(before.size, after.size)
    follows = after.order == before.order + 1
    if follows and after.gap == "" and distance < 0.6 * size:
        return ""
    if _MARKER.fullmatch(before.text) and distance > 0.1 * size:
        return " "
    wide, also_wide = is_wide(before.text[-1]), is_wide(after.text[0])
    if wide and also_wide:
        return "" if distance < size else " "
    if (wide or also_wide) and not (follows and after.drawn):
        return "" if distance < 0.5 * size else " "
    return " "


__all__ = ["MARK_END", "MARK_START", "Line", "is_full", "lines_of"]
