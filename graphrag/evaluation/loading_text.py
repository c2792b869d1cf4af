"""How texts are compared in the suite ``loading``: what of a text counts, and how much of one is found in another.

Typography and Markdown marks do not count: quotes and dashes are folded, invisible characters, emphasis, escapes and
white space beside Chinese characters are left out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_SINGLE, _DOUBLE, _DASHES, _BLANKS = "‘’‚‛", "“”„", "–—‐‑−", "\u00a0\u3000"
_INVISIBLE = "\u00ad\ufeff\u2060" + "".join(map(chr, (*range(0x200B, 0x2010), *range(0x202A, 0x202F))))
_ISOLATES = "\u2066\u2067\u2068\u2069"
_FOLDED = str.maketrans(
    {
        **dict.fromkeys(_SINGLE, "'"),
        **dict.fromkeys(_DOUBLE, '"'),
        **dict.fromkeys(_DASHES, "-"),
        **dict.fromkeys(_BLANKS, " "),
        **dict.fromkeys(_INVISIBLE + _ISOLATES, None),
    }
)

_HAN = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WIDE = f"\u2e80-\u2fff\u3000-\u303f{_HAN}\uff00-\uffef"  # Chinese characters and their punctuation

_TOKEN = re.compile(rf"[{_HAN}]|[^\W_{_HAN}]+")
_LIST_MARK = re.compile(r"^[ \t>]*(?:[-*+•‣▪◦·\uf0b7]|\d{1,3}[.)])[ \t]+", re.MULTILINE)
_LINE_BREAK_TAG = re.compile(r"<br\s*/?>", re.IGNORECASE)
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|<>~$\"'@:])")
_STARS = re.compile(r"(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])")
_UNDERSCORES = re.compile(r"(?<!\w)_(?=\S)([^_\n]*\S)_(?!\w)")
_SPACE = re.compile(r"\s+")
_SPACE_BESIDE_WIDE = re.compile(rf"(?<=[{_WIDE}])\s+|(?<!\s)\s+(?=[{_WIDE}])")


def folded(text: str) -> str:
    """The text in NFKC with one form of each quote, dash and blank, and without invisible characters."""
    text = _LINE_BREAK_TAG.sub(" ", text.translate(_FOLDED))
    return unicodedata.normalize("NFKC", text).translate(_FOLDED)


def tokens(text: str) -> list[str]:
    """Words and single Chinese characters in lower case; no punctuation and no marks of list items."""
    return [token.lower() for token in _TOKEN.findall(folded(_LIST_MARK.sub("", text.translate(_FOLDED))))]


def plain(text: str) -> str:
    """The text in lower case, without Markdown marks, with single blanks and none beside Chinese characters."""
    text = _ESCAPED.sub(r"\1", folded(text))
    for mark in ("**", "__", "`"):
        text = text.replace(mark, "")
    text = _UNDERSCORES.sub(r"\1", _STARS.sub("", text))
    return _SPACE_BESIDE_WIDE.sub("", _SPACE.sub(" ", text)).strip().lower()


def solid(text: str) -> str:
    """:func:`plain` without any white space: how table cells are compared."""
    return _SPACE.sub("", plain(text))


def common_subsequence(a: Sequence[str], b: Sequence[str]) -> int:
    """The length of the longest common subsequence.

    Bit-parallel: a bit of ``row`` that is 0 says that the length grows at this token of ``a`` (Hyyrö, "Bit-parallel
    LCS-length computation revisited", 2004).
    """
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    end = 0
    while end < min(len(a), len(b)) - start and a[-1 - end] == b[-1 - end]:
        end += 1
    a, b = a[start : len(a) - end], b[start : len(b) - end]
    places: dict[str, int] = {}
    for i, token in enumerate(a):
        places[token] = places.get(token, 0) | 1 << i
    everywhere = (1 << len(a)) - 1
    row = everywhere
    for token in b:
        matches = row & places.get(token, 0)
        row = (row + matches | row - matches) & everywhere
    return start + end + len(a) - row.bit_count()


def occurrences(run: Sequence[str], text: Sequence[str]) -> list[int]:
    """Where ``run`` starts in ``text``, also where it overlaps itself."""
    if not run:
        return []
    n = len(run)
    return [i for i in range(len(text) - n + 1) if text[i] == run[0] and text[i : i + n] == run]


def apart(starts: Sequence[int], length: int) -> list[int]:
    """Those of the starts whose runs of ``length`` do not overlap, taken from the left."""
    kept: list[int] = []
    for start in starts:
        if not kept or start >= kept[-1] + length:
            kept.append(start)
    return kept


__all__ = ["apart", "common_subsequence", "folded", "occurrences", "plain", "solid", "tokens"]
