"""The words that full-text search sees: the same function for what is stored and for what is asked.

Scripts that write spaces between words (Latin, Cyrillic, Greek, Arabic, Devanagari, …) and numbers give whole words.
Scripts that do not (Chinese, Japanese, Thai, …) and Hangul, whose particles cling to the word, give every single
character and every pair of neighbours: so any substring of a Chinese text can be found (市长 in 南京市长江大桥), and
BM25 ranks rows that hold the pairs above rows that only hold the characters. No stemming, no stop words, no dictionary.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

MAX_TERM_LENGTH = 64
"""Code points of a word that count: longer ones are base64 or the like, and are found by how they begin."""

MAX_QUERY_TERMS = 256
"""Distinct terms of a question that are searched: time grows with each, and no real question has so many."""

# Written without spaces, or with spaces that do not end a word: 々〆〇, kana, Han with its extensions, Hangul, Thai,
# Lao, Myanmar, Khmer. Half-width kana and compatibility ideographs are gone after NFKC.
_UNSPACED = (
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
    "\uac00-\ud7a3\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u1000-\u103f\u1050-\u109f\u1780-\u17d3"
)

# Characters that show nothing: a word must be found whether or not a soft hyphen, a joiner or a variation selector
# hides in it (a cheap way to keep a text out of, or smuggle it past, a search).
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def search_terms(text: str) -> list[str]:
    """The terms of ``text``, repeats kept: NFKC, case-folded words, and of unspaced scripts characters and pairs."""
    terms: list[str] = []
    for match in _runs().finditer(_folded(text)):
        run = match.group()
        if match.lastgroup == "word":
            terms.append(run[:MAX_TERM_LENGTH])
        else:
            terms.extend(run)
            terms.extend(run[i : i + 2] for i in range(len(run) - 1))
    return terms


def query_terms(text: str, *, limit: int = MAX_QUERY_TERMS) -> list[str]:
    """The distinct terms of a question, at most ``limit``.

    Of a longer one, first the single characters go that a pair holds already, then the middle: when somebody pastes
    a whole page, the question stands before it or after it. (Which terms are rarest only the index could say.)
    """
    terms = list(dict.fromkeys(search_terms(text)))
    if len(terms) <= limit:
        return terms
    paired = {char for term in terms if len(term) == 2 for char in term}
    terms = [term for term in terms if len(term) > 1 or term not in paired]
    if len(terms) <= limit:
        return terms
    head = (limit + 1) // 2
    return terms[:head] + terms[len(terms) - (limit - head) :]


def _folded(text: str) -> str:
    # Folding can undo the composed form and the other way round (ẞ, İ, ﬀ), hence twice.
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return _INVISIBLE.sub("", folded)


@lru_cache(maxsize=1)
def _runs() -> re.Pattern[str]:
    # Python's \w leaves combining marks out, without which a Hindi or Tamil word falls apart. 30 ms: not at import.
    marks = _ranges([i for i in range(0x300, 0x1E95B) if unicodedata.category(chr(i)).startswith("M")])
    return re.compile(rf"(?P<unspaced>[{_UNSPACED}]+)|(?P<word>(?:(?![{_UNSPACED}])[^\W_][{marks}]*)+)")


def _ranges(points: list[int]) -> str:
    parts: list[list[int]] = []
    for point in points:
        if parts and parts[-1][1] == point - 1:
            parts[-1][1] = point
        else:
            parts.append([point, point])
    return "".join(f"\\U{a:08x}-\\U{b:08x}" for a, b in parts)


__all__ = ["MAX_QUERY_TERMS", "MAX_TERM_LENGTH", "query_terms", "search_terms"]
