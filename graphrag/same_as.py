"""Links between statements that say the same: by words, by concepts of both languages, and by vectors.

Whether a pair is linked is a function of its two keys and of the embedder alone, so it does not depend on the order in
which documents arrive. Conditions come first: direction, negation, numbers, dates and every concept must agree. Vectors
judge only what the tables do not hold: words that stand on both sides in the same place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from extractors.chinese_tables import listed
from extractors.concepts import CONCEPTS_VERSION, Canonical, canonical, is_bare, is_concept, table_words
from storage.ports import Embedder, Vector
from storage.records import SameAs, Statement, StatementKey
from storage.similarity import SAME_AS_THRESHOLD, key_overlap, order_kept

CALIBRATED_EMBEDDER = "multilingual-e5-small/"
"""The embedder for which the cosines below were measured; with any other, vectors link nothing."""

NEAR = {("en", "en"): 0.955, ("zh", "zh"): 0.985, ("en", "zh"): 0.87}
"""Smallest cosine at which words that the tables do not hold mean the same, by languages; see decision 018."""

_ACROSS = 0.95
"""What a link between two languages keeps of its score."""

_EXACT = re.compile(
    r"\d|^(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday|first|second|third|not|no)$"
    r"|^[一二三四五六七八九十百千万亿两零〇]+|^(?:周|星期)[一二三四五六日天]$"
)
"""Words that stand for nothing but themselves: numbers, dates, weekdays."""

_OPPOSED = tuple(map(tuple, listed("上下 左右 前后 男女 东西 南北 早晚 新旧 内外 大小 高低 冬夏 春秋 进出")))
"""Characters that make opposites of words whose vectors are nearly one: 上午, 下午."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Two canonical forms that may say the same: how many parts agree, and the words that stand on one side only."""

    equal: int
    first: tuple[str, ...]
    second: tuple[str, ...]


def compare(a: Canonical, b: Canonical) -> Compared | None:
    """What remains between two forms; None where they say different things whatever the vectors say."""
    if a.frame != b.frame:
        return None
    common = a.names & b.names
    apart = a.names ^ b.names
    if any(is_concept(part) or _EXACT.search(part) for part in apart):
        return None
    if not apart and is_bare(a):
        return None
    first = tuple(p for p in a.parts if p not in common)
    second = tuple(p for p in b.parts if p not in common)
    if len(common) > 2 and not order_kept([p for p in a.parts if p in common], [p for p in b.parts if p in common]):
        return None  # of two, order tells nothing: a shortage of steel, 钢材短缺
    if a.language == b.language == "zh" and first and second:
        one, other = "".join(first), "".join(second)
        if _opposed(one, other) or not set(one) & set(other):
            return None  # without a character in common no two words were as near as is asked for
    return Compared(len(common), first, second)


def same_as_by(embedder: Embedder) -> tuple[str, ...]:
    """What links statements in a store with this embedder."""
    return ("words", "concepts", "vectors") if _calibrated(embedder) else ("words", "concepts")


def says_the_same(a: StatementKey, b: StatementKey) -> bool:
    """Whether two keys say the same in the concepts of both languages, without any look at vectors."""
    first, second = canonical(a), canonical(b)
    compared = compare(first, second) if first is not None and second is not None else None
    return compared is not None and not compared.first and not compared.second


def linked(
    pairs: Iterable[tuple[StatementKey, StatementKey]],
    embedder: Embedder,
    reference: dict[str, Vector] | None = None,
) -> list[SameAs]:
    """The links of those pairs that say the same, in order; each pair is judged by itself.

    ``reference`` keeps the vectors of the tables' words by language between calls; they are made when first needed.
    """
    judged: list[tuple[StatementKey, StatementKey, Compared]] = []
    texts: dict[str, None] = {}
    forms: dict[int, tuple[StatementKey, Canonical | None]] = {}  # by object: hashing a key takes longer than comparing
    for a, b in pairs:
        for key in (a, b):
            if id(key) not in forms:
                forms[id(key)] = key, canonical(key)
        first, second = forms[id(a)][1], forms[id(b)][1]
        compared = compare(first, second) if first is not None and second is not None else None
        if compared is None:
            continue
        judged.append((a, b, compared))
        if compared.first and compared.second and _calibrated(embedder):
            texts[_text(compared.first, a.language)] = texts[_text(compared.second, b.language)] = None
    nearness = _Nearness(embedder, list(texts), {} if reference is None else reference)
    links = (_link(a, b, compared, nearness) for a, b, compared in judged)
    return sorted((link for link in links if link is not None), key=lambda s: (s.first, s.second))


class _Nearness:
    """How near words are by vector, and whether they are nearer to each other than to any word of the tables."""

    def __init__(self, embedder: Embedder, texts: Sequence[str], reference: dict[str, Vector]) -> None:
        self.embedder = embedder
        self._vectors = dict(zip(texts, embedder.embed(texts, "passage"), strict=True)) if texts else {}
        self._reference = reference

    def near(self, first: tuple[str, str], second: tuple[str, str]) -> float | None:
        """The cosine of two (words, language), if they mean the same by it."""
        (a, language), (b, other) = first, second
        if a not in self._vectors or b not in self._vectors:
            return None
        cosine = float(np.dot(self._vectors[a], self._vectors[b]))
        if cosine < NEAR[languages(language, other)]:
            return None
        if language != other and cosine < max(self._nearest(a, other), self._nearest(b, language)):
            return None  # copper is near to 铝, and nearer to 铜
        return cosine

    def _nearest(self, words: str, language: str) -> float:
        if language not in self._reference:
            self._reference[language] = self.embedder.embed(table_words(language), "passage")
        return float((self._reference[language] @ self._vectors[words]).max())


def _calibrated(embedder: Embedder) -> bool:
    return embedder.name.startswith(CALIBRATED_EMBEDDER)


def _link(a: StatementKey, b: StatementKey, compared: Compared, nearness: _Nearness) -> SameAs | None:
    kept = 1.0 if a.language == b.language else _ACROSS
    if not compared.first and not compared.second:
        return _same(a, b, kept, CONCEPTS_VERSION)
    if compared.first and compared.second:
        sides = (_text(compared.first, a.language), a.language), (_text(compared.second, b.language), b.language)
        if (near := nearness.near(*sides)) is None:
            return None
        size = compared.equal + max(len(compared.first), len(compared.second))
        score = kept * (compared.equal + near * (size - compared.equal)) / size
        return _same(a, b, score, f"vectors@1({nearness.embedder.name})")
    if (score := key_overlap(a, b)) >= SAME_AS_THRESHOLD:  # one says a little more
        return _same(a, b, score, "key-overlap@2")
    return None


def _same(a: StatementKey, b: StatementKey, score: float, origin: str) -> SameAs:
    first, second = sorted((Statement(key=a).id, Statement(key=b).id))
    return SameAs(first=first, second=second, score=round(min(1.0, score), 6), origin=origin)


def _opposed(first: str, second: str) -> bool:
    return any(
        (x in first and y in second and x not in second) or (y in first and x in second and y not in second)
        for x, y in _OPPOSED
    )


def _text(words: Sequence[str], language: str) -> str:
    return ("" if language == "zh" else " ").join(words)


def languages(first: str, second: str) -> tuple[str, str]:
    """Two languages in the order of the tables of thresholds."""
    return (first, second) if first <= second else (second, first)


__all__ = ["CALIBRATED_EMBEDDER", "NEAR", "Compared", "compare", "languages", "linked", "same_as_by", "says_the_same"]
