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
from extractors.keys import is_number_or_date
from storage.ports import Embedder, Vector
from storage.records import SameAs, Statement, StatementKey
from storage.similarity import SAME_AS_THRESHOLD, key_overlap, order_kept

CALIBRATED_EMBEDDER = "multilingual-e5-small/"
"""The embedder for which the cosines below were measured; with any other, vectors link nothing."""

NEAR = {("en", "en"): 0.955, ("zh", "zh"): 0.985, ("en", "zh"): 0.87}
"""Smallest cosine at which words that the tables do not hold mean the same, by languages; see decision 018."""

_ACROSS = 0.95
"""What a link between two languages keeps of its score."""

_CLOSER = 0.8
"""What a link keeps between a happening and one of its kind: prices rose, prices rose by 5% in March."""

_EXACT = re.compile(
    r"\d|^(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday|first|second|third|not|no)$"
    r"|^[一二三四五六七八九十百千万亿两零〇]+|^(?:周|星期)[一二三四五六日天]$"
)
"""Words that stand for nothing but themselves: numbers, dates, weekdays."""

_OPPOSED = tuple(map(tuple, listed("上下 左右 前后 男女 东西 南北 早晚 新旧 内外 大小 高低 冬夏 春秋 进出")))
"""Characters that make opposites of words whose vectors are nearly one: 上午, 下午."""


_EMPHATIC = frozenset(
    listed("""
    整个 全部 所有 全体 整体 全面 全线 完全 彻底 突然 突发 骤然 意外 正式 紧急 临时 暂时 再次 再度 一度 陆续 相继
    大批 大面积 大规模 大范围 大幅 急剧 剧烈 明显 显著 持续 不断 逐渐 逐步 宣布 被迫 不得不 进行 遭到 遭遇 受到
    发生 出现 陷入 近期
    """)
)
"""What a Chinese statement may say more and still be the same; any other word narrows it: 备用发电机, 港口南区."""

_ACTING = frozenset(
    f"={name}"
    for name in (
        *("central_bank", "bank", "government", "parliament", "court", "minister", "president", "police", "supplier"),
        *("customer", "user", "consumer", "investor", "worker", "engineer", "driver", "farmer", "hospital", "school"),
        *("airline", "patient", "doctor", "nurse", "surgeon", "child", "animal"),
    )
)
"""Concepts of whom and what can do a thing as well as have it done to them."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Two canonical forms that may say the same: how many parts agree, and the words that stand on one side only.

    ``closer`` if one of them tells which happening of its kind it means (how much, when) and the other does not;
    ``named`` if they have a concept in common.
    """

    equal: int
    first: tuple[str, ...]
    second: tuple[str, ...]
    closer: bool = False
    named: bool = False


def compare(a: Canonical, b: Canonical) -> Compared | None:
    """What remains between two forms; None where they say different things whatever the vectors say."""
    if a.frame != b.frame:
        return None
    common = a.names & b.names
    apart = a.names ^ b.names
    telling = {part for part in apart if is_number_or_date(part)}
    if any(is_concept(part) or _EXACT.search(part) for part in apart - telling):
        return None
    if telling & a.names and telling & b.names:
        return None  # two amounts or dates
    if apart == telling and (is_bare(a) or is_bare(b)):
        return None
    first = tuple(p for p in a.parts if p not in common and p not in telling)
    second = tuple(p for p in b.parts if p not in common and p not in telling)
    order, others = ([p for p in form.parts if p in common] for form in (a, b))
    if len(common) > 2 and not order_kept(order, others):
        return None  # of two, order tells nothing: a shortage of steel, 钢材短缺
    if a.language == b.language == "zh":
        if order != others and common & _ACTING:
            return None  # 员工起诉公司, 公司起诉员工: the words for a company say nothing, the order does
        if not _may_agree(first, second):
            return None
    return Compared(len(common), first, second, closer=bool(telling), named=any(map(is_concept, common)))


def same_as_by(embedder: Embedder) -> tuple[str, ...]:
    """What links statements in a store with this embedder."""
    return ("words", "concepts", "vectors") if _calibrated(embedder) else ("words", "concepts")


def says_the_same(a: StatementKey, b: StatementKey) -> bool:
    """Whether two keys say the same in the concepts of both languages, without any look at vectors."""
    first, second = canonical(a), canonical(b)
    compared = compare(first, second) if first is not None and second is not None else None
    return compared is not None and not (compared.first or compared.second or compared.closer)


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
    if compared.closer and not compared.named and key_overlap(a, b) < SAME_AS_THRESHOLD:
        return None  # nor would such a pair be found among many: see graphrag.same_as_search
    if not compared.first and not compared.second:
        return _same(a, b, kept * (_CLOSER if compared.closer else 1.0), CONCEPTS_VERSION)
    if compared.first and compared.second and not compared.closer:
        sides = (_text(compared.first, a.language), a.language), (_text(compared.second, b.language), b.language)
        if (near := nearness.near(*sides)) is None:
            return None
        size = compared.equal + max(len(compared.first), len(compared.second))
        score = kept * (compared.equal + near * (size - compared.equal)) / size
        return _same(a, b, score, f"vectors@1({nearness.embedder.name})")
    apart = compared.first and compared.second
    if not apart and (score := key_overlap(a, b)) >= SAME_AS_THRESHOLD:  # one says a little more
        return _same(a, b, score, "key-overlap@2")
    return None


def _same(a: StatementKey, b: StatementKey, score: float, origin: str) -> SameAs:
    first, second = sorted((Statement(key=a).id, Statement(key=b).id))
    return SameAs(first=first, second=second, score=round(min(1.0, score), 6), origin=origin)


def _may_agree(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether words on one side only of two Chinese statements leave it open that they say the same."""
    if not first or not second:
        return all(word in _EMPHATIC for word in (*first, *second))
    one, other = "".join(first), "".join(second)
    if _opposed(one, other):
        return False
    return bool(set(one) & set(other))  # else no two words were as near as is asked for


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
