"""Lines to paragraphs: joins what a line end has cut, so that sentences are whole again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

HYPHENS = "-\u00ad\u2010\ufffe"
"""What stands at a line end inside a word; U+FFFE is how PDFium marks a hyphen it found there."""

WIDE = "[\u2e80-\u2fdf\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef]"
_WIDE_CHARACTER = re.compile(WIDE)
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_FEW_LINES = 20  # too few to tell from how a text was set
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
        self._words: Counter[str] = Counter()
        self._count = 0
        self._cut: set[tuple[str, str]] = set()  # the words that line ends cut, in two
        before = ""
        for line in lines:
            self._count += 1
            self._words.update(word.lower() for word in _WORD.findall(line))
            if before and before[-1] in HYPHENS:
                left, right = _LAST_WORD.search(before[-41:-1]), _FIRST_WORD.match(line)
                if left and right:
                    self._cut.add((left.group(), right.group()))
            before = line.rstrip()
        self._hyphenates: bool | None = None

    def tail_and_gap(self, before: str, after: str) -> tuple[str, str]:
        """``before`` without a hyphen that only the line end needed, and what stands between it and ``after``."""
        before, after = before.rstrip(), after.lstrip()
        if not before or not after:
            return before, ""
        if before[-1] in HYPHENS:
            left, right = _LAST_WORD.search(before[-41:-1]), _FIRST_WORD.match(after)
            if left and right:
                is_part = before[-1 - len(left.group()) - 1 : -1 - len(left.group())] == "-" or (
                    after[len(right.group()) : len(right.group()) + 1] == "-"
                )
                keep = self._keeps_hyphen(left.group(), right.group(), is_part=is_part)
                return before[:-1] + ("-" if keep else ""), ""
            glued = before[-2:-1].isalnum() and after[0].isalnum()  # "2022-" / "08", "diff-" / "ac6b"
            return before[:-1] + "-", "" if glued else " "
        if _WIDE_CHARACTER.match(before[-1]) and _WIDE_CHARACTER.match(after[0]):
            return before, ""
        # A number or a name in a Chinese line is cut off from the characters around it only by the line end.
        if _WIDE_CHARACTER.match(before[-1]) or _WIDE_CHARACTER.match(after[0]):
            return before, ""
        if before[-1] == "/" and before[-2:-1].isalpha() and after[0].isalpha():  # "pending/", "errored"
            return before, ""
        if "://" in (address := before.rsplit(None, 1)[-1]) and _goes_on(address, after.split(None, 1)[0]):
            return before, ""
        return before, " "

    def is_one_word(self, before: str, after: str) -> bool:
        """Whether the last word of ``before`` and the first of ``after`` are one that is cut without a hyphen."""
        left, right = _LAST_WORD.search(before[-41:]), _FIRST_WORD.match(after)
        if not left or not right or not right.group().islower():
            return False
        parts = left.group().lower(), right.group()
        whole = "".join(parts)
        if self._words[whole] or _is_english(whole):
            return not all(self._words[part] > 1 or _is_english(part) for part in parts)
        return False

    def _keeps_hyphen(self, left: str, right: str, *, is_part: bool) -> bool:
        """Whether the hyphen is the word's own; ``is_part``: there is another in the word."""
        plain, hyphened = self._words[(left + right).lower()], self._words[f"{left}-{right}".lower()]
        if plain != hyphened:
            return hyphened > plain
        if right[0].isupper() or (left.isupper() and len(left) > 1):
            return True
        if not self._is_hyphenated():
            return True
        if _is_english(left + right):
            return False
        return is_part or (_is_english(left) and _is_english(right))

    def _is_hyphenated(self) -> bool:
        """Whether the document was set with hyphenation, so that a hyphen at a line end is rarely the word's own.

        A program that hyphenates cuts words into parts that are none ("con-", "ventions"), and soon does so again; an
        author's hyphen stands between two words that are not one ("capability-services").
        """
        if self._hyphenates is None:
            kinds = Counter(_kind_of_cut(left, right) for left, right in self._cut)
            cut, unclear, own, half, unknown = (kinds[kind] for kind in ("cut", "unclear", "own", "half", "unknown"))
            by_cuts = cut > 0 and cut + unclear > 1 and cut + unclear >= own
            by_unknown = unknown > 1 and unknown > cut + unclear + own + half  # a language without a word list here
            self._hyphenates = self._count < _FEW_LINES or by_cuts or by_unknown
        return self._hyphenates


def _kind_of_cut(left: str, right: str) -> str:
    """What a line end cuts: a word, perhaps one, an author's compound, a name with one word in it, or unknown parts."""
    words = _is_english(left) + _is_english(right)
    if _is_english(left + right):
        return "unclear" if words == 2 else "cut"
    return ("unknown", "half", "own")[words]


def _goes_on(address: str, token: str) -> bool:
    """Whether ``token`` on the next line is more of a web address: it holds what words do not."""
    return address[-1] in "/&=?%_" or (
        address[-1] not in ".,;:)>"
        and (
            any(c in "/#?=&%_" for c in token)
            or (token.isascii() and len({c.isdigit() for c in token.strip(".,;:")}) > 1)
        )
    )


def _is_english(word: str) -> bool:
    import simplemma

    return simplemma.is_known(word.lower(), lang="en")


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


__all__ = ["HYPHENS", "LIST_ITEM", "WIDE", "LineJoiner", "is_wide", "unwrap"]
