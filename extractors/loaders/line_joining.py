"""Lines to paragraphs: joins what a line end has cut, so that sentences are whole again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

HYPHENS = "-\u00ad\u2010\ufffe"
"""What stands at a line end inside a word; U+FFFE is how PDFium marks a hyphen it found there."""

_WIDE = "[\u2e80-\u2fdf\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef]"
_WIDE_CHARACTER = re.compile(_WIDE)
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LAST_WORD = re.compile(r"[^\W\d_]{1,40}$")
_FIRST_WORD = re.compile(r"[^\W\d_]{1,40}")
LIST_ITEM = re.compile(
    r"(?:[-*+•‣◦▪–—·●○■□]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,4})[.)]|[（(]?[一二三四五六七八九十\d]{1,3}[）)、])"
    r"(?:\s|(?<=[）、]))"
)
"""How an item of a list begins."""


class LineJoiner:
    """Joins two lines of one paragraph; the words of the whole document decide whether a hyphen stays."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._words = Counter(word.lower() for line in lines for word in _WORD.findall(line))

    def tail_and_gap(self, before: str, after: str) -> tuple[str, str]:
        """``before`` without a hyphen that only the line end needed, and what stands between it and ``after``."""
        before, after = before.rstrip(), after.lstrip()
        if not before or not after:
            return before, ""
        if before[-1] in HYPHENS:
            left, right = _LAST_WORD.search(before[-41:-1]), _FIRST_WORD.match(after)
            if left and right:
                keep = self._keeps_hyphen(left.group(), right.group())
                return before[:-1] + ("-" if keep else ""), ""
            glued = before[-2:-1].isalnum() and after[0].isalnum()  # "2022-" / "08", "diff-" / "ac6b"
            return before[:-1] + "-", "" if glued else " "
        if _WIDE_CHARACTER.match(before[-1]) and _WIDE_CHARACTER.match(after[0]):
            return before, ""
        # A number or a name in a Chinese line is cut off from the characters around it only by the line end.
        if _WIDE_CHARACTER.match(before[-1]) or _WIDE_CHARACTER.match(after[0]):
            return before, ""
        if before.endswith("/") and "://" in before.rsplit(None, 1)[-1]:
            return before, ""
        return before, " "

    def _keeps_hyphen(self, left: str, right: str) -> bool:
        plain, hyphened = self._words[(left + right).lower()], self._words[f"{left}-{right}".lower()]
        if plain != hyphened:
            return hyphened > plain
        return right[0].isupper()


def is_wide(character: str) -> bool:
    """Whether this is a Chinese or Japanese character or full-width mark."""
    return bool(_WIDE_CHARACTER.match(character))


def unwrap(text: str) -> str:
    """``text`` with hard-wrapped paragraphs as one line each; text that is not hard-wrapped comes back as it is.

    A text is hard-wrapped when its lines are of one width: no line is much longer than a typical long one, and most
    lines that are followed by another nearly fill it. Lists, tables, indented lines and short lines keep their ends.
    """
    lines = text.split("\n")
    widths = [_width(line) for line in lines]
    followed = sorted(widths[i] for i in range(len(lines) - 1) if widths[i] and widths[i + 1])
    if len(followed) < 4:
        return text
    full = followed[(len(followed) * 9) // 10]
    nearly = sum(width >= full * 0.75 for width in followed)
    if not 30 <= full <= 200 or max(widths) > full * 1.3 or nearly < len(followed) * 0.5:
        return text
    joiner = LineJoiner(lines)
    out: list[str] = []
    for index, line in enumerate(lines):
        previous = lines[index - 1] if index else ""
        if out and _continues(previous, line, full):
            tail, gap = joiner.tail_and_gap(out.pop(), line)
            out.append(tail + gap + line.strip())
        else:
            out.append(line)
    return "\n".join(out)


def _width(line: str) -> int:
    return len(line) + len(_WIDE_CHARACTER.findall(line))


def _continues(previous: str, line: str, full: int) -> bool:
    """Whether ``previous`` ends only because its first next word did not fit."""
    if not previous.strip() or not line.strip() or "|" in line or "\t" in line.strip():
        return False
    if LIST_ITEM.match(line.lstrip()) or (line[0].isspace() and not previous[0].isspace()):
        hanging = line[0].isspace() and bool(LIST_ITEM.match(previous.lstrip()))
        if not hanging or LIST_ITEM.match(line.lstrip()):
            return False
    first = line.split(None, 1)[0]
    needed = 2 if is_wide(first[0]) else 1 + _width(first[:40])
    return _width(previous.rstrip()) + needed > full * 0.95


__all__ = ["HYPHENS", "LIST_ITEM", "LineJoiner", "is_wide", "unwrap"]
