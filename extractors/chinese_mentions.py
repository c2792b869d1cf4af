"""Crisp spans for the ends of a relation: an event where there is one, else the trimmed clause."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from extractors.chinese_clauses import Clause
from extractors.chinese_cues import ADDITIONS, HEDGES, MANNERS, PRONOUNS, SO_PARTNERS, TURNS
from extractors.chinese_events import Event, find_events, is_noun
from extractors.chinese_lexicon import DIRECTION_WORDS, GENERIC, RATE_WORDS
from extractors.chinese_tables import listed
from extractors.chinese_words import Word

LONGEST = 60
"""Most characters of an end: a longer clause says more than one thing."""

_EMPTY_VERBS = frozenset(
    listed("是 有 会 要 能 可以 可能 说 让 使 将 被 把 在 到 去 来 做 就是 没有 觉得 认为 知道 看到 想")
)
_LEADING = frozenset(listed("其中 尤其 特别 主要 因素 还有 那么 如此 一方面 另一方面 其实 当然 此外 另外"))
_WHEN = re.compile(r"[近今去本上前后明次每].*[年月季周日天度]")
_TRAILING = frozenset(
    listed("等 的 了 着 后 在 对 把 将 由 以 为 从 于 所 并 将 可能 或 也将 仍 仍将 时 时候 而 是 也 还")
)
_UNDOING = frozenset(listed("打破 拒绝 摆脱 扭转 避免 防止 结束 取消 阻止 抵消 弥补"))
_MUCH = frozenset(listed("较大 很大 更大 明显 显著"))
"""Words behind an amount of change that tell it: 价格 涨幅 较大."""
_SPEECH = frozenset(listed("表示 认为 指出 称 预计 预期 强调 判断 提到 看到 发现 建议"))


class MentionSpan(NamedTuple):
    """``[start, end)`` of one end of a relation and what kind of end it is."""

    start: int
    end: int
    event: Event | None
    gap: tuple[int, int] | None = None
    """What stands inside and is no part of it: 棉价 [受减产影响] 上涨."""

    def of(self, text: str) -> str:
        """The words of the mention in ``text``, without what stands between them."""
        if self.gap is None:
            return text[self.start : self.end]
        return text[self.start : self.gap[0]] + text[self.gap[1] : self.end]

    @property
    def bare(self) -> bool:
        """Whether it is an event without a subject of its own (价格上涨)."""
        return self.event is not None and self.gap is None and not self.event.has_subject


def mentions(clause: Clause, start: int, end: int) -> list[MentionSpan]:
    """What stands in ``[start, end)`` of a clause, in order: its events, or all of it as one mention, or nothing."""
    found = clause.between(start, end)
    # 上涨 alone says not of what, 价格涨幅 says not what about it.
    alone = {(w.start, w.end) for w in found if w.text in DIRECTION_WORDS}
    told = {w.start for w in found if w.text in _MUCH}
    amounts = {w.end for w in found if w.text in RATE_WORDS and w.end not in told}
    undone = {w.end for w in found if w.text in _UNDOING}
    undone |= {w.end for w in found if w.text == "了" and w.start in undone}  # 打破了 短缺 says the reverse
    events = [
        e
        for e in find_events(found)
        if (e.start, e.end) not in alone and e.end not in amounts and e.start not in undone
    ]
    if events:
        return [MentionSpan(e.start, e.end, e) for e in events if e.end - e.start <= LONGEST]
    whole = _trimmed(found)
    return [whole] if whole is not None else []


def is_trivial(found: Sequence[Word]) -> bool:
    """Whether these words name nothing: function words, hedges, pronouns and punctuation only."""
    return not any(_tells(w) for w in found)


def has_verb(found: Sequence[Word]) -> bool:
    """Whether something happens in these words."""
    return any(
        (w.flag.startswith(("v", "l", "i")) and w.text not in _EMPTY_VERBS and len(w.text) > 1)
        or w.text in ("了", "过")
        for w in found
    )


def happens(clause: Clause, mention: MentionSpan) -> bool:
    """Whether a mention says that something happens, and does not only name a thing."""
    return mention.event is not None or has_verb(clause.between(mention.start, mention.end))


def states(clause: Clause, mention: MentionSpan) -> bool:
    """Whether a mention can be true or false: something happens, holds or is measured in it."""
    words = clause.between(mention.start, mention.end)
    return happens(clause, mention) or any(
        w.flag.startswith(("v", "a", "d", "m")) or w.text[0].isdigit() for w in words
    )


def starts_with_pronoun(found: Sequence[Word]) -> bool:
    """Whether the first word that is no adverb or conjunction points back (这导致…)."""
    for word in found:
        if word.text in PRONOUNS:
            return True
        if not word.flag.startswith(("d", "c", "x", "u")):
            return False
    return False


def _tells(word: Word) -> bool:
    if word.text in HEDGES or word.text in PRONOUNS or word.text in SO_PARTNERS or word.text in ADDITIONS:
        return False
    if word.text in TURNS or word.text in _LEADING or word.text in _EMPTY_VERBS or word.text in MANNERS:
        return False
    return word.flag.startswith(("n", "v", "a", "l", "i", "j", "eng", "b", "s")) and word.flag not in ("vd", "ad")


def _trimmed(found: Sequence[Word]) -> MentionSpan | None:
    """The words without what only links, hedges or reports them."""
    first, last = 0, len(found)
    for j, word in enumerate(found):
        told = j == 0 or is_noun(found[j - 1]) or found[j - 1].flag.startswith("r")
        if word.text in _SPEECH and told and j < len(found) - 2:
            first = j + 1  # 分析师 认为 …: what is said, not who says it
    while first < last and not _opens(found[first]):
        first += 1
    while last > first and not _closes(found[last - 1]):
        last -= 1
    if first == last:
        return None
    kept = found[first:last]
    if _is_time(kept):
        return None
    telling = [w for w in kept if _tells(w)]
    if not any(w.text not in GENERIC and w.text not in DIRECTION_WORDS for w in telling) or not any(
        len(w.text) > 1 or is_noun(w) for w in telling
    ):
        return None
    start, end = kept[0].start, kept[-1].end
    return MentionSpan(start, end, None) if 2 <= end - start <= LONGEST else None


def _is_time(kept: Sequence[Word]) -> bool:
    """Whether the words only say when: 近几年, 疫情期间."""
    if kept[-1].text in ("期间", "以来", "之际", "时期"):
        return not has_verb(kept)
    return all(
        w.flag.startswith(("t", "m", "q", "f", "d")) or w.text in GENERIC or _WHEN.fullmatch(w.text) for w in kept
    )


def _opens(word: Word) -> bool:
    if word.text in PRONOUNS or word.flag.startswith(("r", "m")):
        return word.text not in PRONOUNS
    return _tells(word) or word.text in ("不", "没有", "未", "无法", "被", "对", "把", "未能", "难以")


def _closes(word: Word) -> bool:
    return word.text not in _TRAILING and not word.flag.startswith(("x", "u", "c", "y", "w"))


__all__ = ["LONGEST", "MentionSpan", "happens", "has_verb", "is_trivial", "mentions", "starts_with_pronoun", "states"]
