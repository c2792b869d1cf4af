"""One change that works another within a clause: 房地产投资的增长将增加水泥需求, 减产提升大豆价格.

The verb says at once that something is brought about and which way it goes; whoever does it on purpose (公司提高产量)
is no change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from extractors.chinese_clauses import Clause
from extractors.chinese_cues import Cue, Shape
from extractors.chinese_events import find_events, is_noun
from extractors.chinese_groups import only, without_adverbs
from extractors.chinese_joints import linked
from extractors.chinese_lexicon import HAZARDS
from extractors.chinese_rules import Link
from extractors.chinese_tables import listed
from extractors.chinese_words import Word
from storage.records import RelationType

_WORKING = frozenset(
    listed("""
    提升 提高 增加 减少 降低 扩大 缩小 缩减 削减 加大 加重 减轻 增厚 压缩 收紧 减弱 增强 改善 恶化 利好 利多 利空
    """)
)
"""Verbs that change what stands behind them, and are said of people and of changes alike."""
_UPON = frozenset(listed("利好 利多 利空 打击 吞噬 蚕食 限制 制约"))
"""Verbs that say what becomes of whatever stands behind them."""
_OPENED = frozenset(listed("因为 由于 因 受 受到 受益于 受累于 得益于"))
"""Words that open a cause, of which the verb is a part or the effect."""
_HELPING = ("利好", "利多")
_NO_OBJECTS = frozenset(listed("因素 消息 政策 传导 预期 刺激 影响 作用 条件 措施"))
"""Nouns before which such a verb only describes them."""
_LONGEST = 36
"""Most characters of an end."""

_WORK_CUE = Cue("work", Shape.VERB, RelationType.CAUSAL, "cause", 0.7, ())


def workings(clauses: Sequence[Clause], i: int) -> Iterator[Link]:
    """What the changes of clause ``i`` work within it."""
    clause = clauses[i]
    for j, word in enumerate(clause.words[:-1]):
        if word.text not in _WORKING and word.text not in _UPON:
            continue
        before = without_adverbs(clause.words[:j])
        if (
            not before
            or any(w.flag == "p" or w.text in _OPENED for w in before)
            or not _is_change(before)
            or not _works(clause.words[j:])
        ):
            continue
        head = only(clause, before[0].start, before[-1].end)
        tail = only(clause, word.start, clause.end)
        if head is not None and tail is not None and max(head[1] - head[0], tail[1] - tail[0]) <= _LONGEST:
            yield from linked(word, _WORK_CUE, head, tail, "clause")
        return


def _is_change(words: Sequence[Word]) -> bool:
    """Whether the words end with a change of something, or with what befalls things."""
    events = find_events(words)
    return words[-1].text in HAZARDS or (bool(events) and events[-1].end == words[-1].end)


def _works(words: Sequence[Word]) -> bool:
    """Whether the first word changes something that stands behind it: a thing, or what about it is measured."""
    if words[0].text in _UPON:
        behind = [w for w in words[1:] if w.text != "了"]
        held = words[0].text not in _HELPING and find_events(behind)  # 制约 价格 上涨 says that it does not rise
        return bool(behind) and not held and is_noun(behind[0]) and behind[0].text not in _NO_OBJECTS
    events = find_events(words)
    return bool(events) and events[0].start == words[0].start and bool(events[0].attribute)


__all__ = ["workings"]
