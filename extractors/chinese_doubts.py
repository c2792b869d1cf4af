"""Whether another clause or cue may well own an end of a relation."""

from __future__ import annotations

from collections.abc import Sequence

from extractors.chinese_clauses import Found, adds
from extractors.chinese_cues import EVIDENCE_NOUNS, HEAPED, HEDGES, MEASURES, PRONOUNS, TURNS, VIEW_ENDS, VIEWS, Shape
from extractors.chinese_mentions import MentionSpan, has_verb
from extractors.chinese_tables import listed
from extractors.chinese_widening import Range, Widening, clause_of
from extractors.chinese_words import Word
from storage.records import RelationType

_LISTED = frozenset(listed("无论 无论是 不管"))
_LONG_NAME = 12
"""Characters of a cause above which A 导致 的 B may well be a part of something longer."""
_ONE_OF = (
    *("一方面", "一方面是", "其", "二者", "两者", "另一", "另一个", "另外一个", "另一大", "还有一个", "第二个"),
    *("二", "三", "其二", "二是", "三是"),
)

_GIVEN = frozenset(listed("除 除了 除非 除去"))
_BORN = ("产生", "带来", "引发", "造成", "引起", "导致")
_VIEWS = frozenset(listed("预计 认为 判断 预测 估计 相信 推断"))
_FEARS = frozenset(listed("担忧 担心 忧虑 恐慌 猜测 疑虑"))
_LINKING = frozenset(listed("来自 取决于 是 在于 包括 来源于 属于"))
_TIMES = frozenset(listed("上半年 下半年 年初 年底 年末 年度 季度 月份 今年 去年 全年 一季度 二季度 三季度 四季度"))
_LEADING_ON = ("verb-cause", "verb-produce", "verb-make", "thereby")


"""Words before a cue that count causes, or stand for what was named before."""


def unsure(reader: Widening, head: Range, tail: Range) -> bool:
    """Whether another clause or cue may well own an end."""
    found, cues = reader.found, reader.passage.cues
    at = reader.index(found.start)
    if reader.doubtful or at is None:
        return True
    clause = reader.sentence.clauses[at]
    earlier = [reader.passage.previous] if reader.passage.previous else []
    words = [w for c in (*earlier, *reader.sentence.clauses) for w in c.words]
    cause = [w for w in words if head[0] <= w.start < head[1]]
    effect = [w for w in words if tail[0] <= w.start < tail[1]]
    led = clause.between(clause.start, min(head[0], found.start)) if clause.start <= head[0] else []
    i = reader.index(head[0])
    if i and reader.sentence.clauses[i].words[0].text not in TURNS:
        led = [*led, *reader.sentence.clauses[i - 1].words]
    if any(w.text in _FEARS for w in (*cause, *led)) or not _names(cause) or not _names(effect):
        return True
    if any(end and end[0].text in MEASURES for end in (cause, effect)) or effect[-1].text == "方面":
        return True  # 同比 下降 一成: of what stands before
    if _one_of(reader, found) or (effect and effect[-1].text in ("有关", "相关", "挂钩", "关系")):
        return True  # 担忧 A 导致 B, A 与 B 导致 C 有关
    if found.cue.name == "shows" and not _testifies(cause, reader.link.head):
        return True
    attributive = reader.passage.plain[found.end : found.end + 1] == "的" and found.cue.shape is Shape.VERB
    long = head[1] - head[0] > _LONG_NAME or any(w.flag == "v" and w.text in _LINKING for w in cause)
    if attributive and (long or tail[1] < reader.clause_end(tail[0])):
        return True  # … 取决于 A 导致 的 B 与 …
    if found.cue.shape is Shape.VERB and any(f.until is not None and f.end <= found.start < f.until for f in cues[at]):
        return True  # 受 A 导致 B 等 影响: where the cause begins is open
    if clause.words[0].text in _GIVEN or (
        reader.link.rule == "opener-behind" and effect[-1].flag.startswith(("m", "q"))
    ):
        return True
    named = clause_of(reader.passage, reader.sentence, reader.link.head)
    if named is not None and named.words[-1].text in VIEW_ENDS:
        return True  # 的 原因 是: 从 外部 来看，…
    if (found.cue.name == "so" and reader.passage.plain[found.end :].startswith(_BORN)) or (
        found.cue.name == "so" and reader.passage.plain[found.end + 2 : found.end + 3] == "的"
    ):
        return True  # 由此 产生 的 B
    if found.cue.name == "shows" and any(f.cue.shape is Shape.BACKWARD for f in cues[at] if f.start > tail[0]):
        return True  # 表明 B 主要 是 由于 C
    if found.cue.name == "origin" and any(f.cue.shape is Shape.VERB for f in cues[at] if f.start >= found.end):
        return True
    because = reader.passage.plain[found.start : found.end].endswith(("因为", "由于", "因", "受"))
    if because and found.cue.shape is Shape.BACKWARD and reader.link.tail.event is None and not _happens(effect):
        return True  # 萤石 主要 因为 …: what of it is not said
    named_only = reader.link.tail.event is None and not any(w.flag.startswith(("v", "a", "i", "l")) for w in effect)
    if (effect[0].text == "对" or (named_only and found.end <= tail[0])) and tail[1] < reader.clause_end(tail[0]):
        return True  # 对 通胀 造成 拖累: the effect lies behind the next verb
    if found.cue.type is RelationType.CAUSAL and reader.lacks_subject(cause):
        return True
    if found.resume is not None and reader.passage.plain[found.resume : found.resume + 1] in tuple("、和及与以"):
        return True  # 受 运输 限制、企业 停产 等 影响: the first closing word closes nothing
    outside = reader.index(tail[0]) != at
    if (
        found.cue.shape is Shape.BACKWARD
        and outside
        and any(w.text in _VIEWS for w in clause.between(clause.start, found.start))
    ):
        return True  # A，我们 预计 主要 是 由于 B
    if found.cue.name == "so" and any(w.text in _VIEWS for w in clause.between(found.end, clause.end)[:2]):
        return True  # 因此 预计 …: what one expects follows from more than one event
    if found.cue.name == "according-to" and not (cause and cause[-1].text in EVIDENCE_NOUNS):
        return True
    if found.cue.name == "origin" and found.start == clause.words[0].start and found.end >= clause.end:
        return True  # 驱动：A，B is a heading
    before = [w for w in clause.words if w.end <= found.start]
    if found.until is not None and before and before[-1].text in ("以及", "和", "与", "及"):
        return True  # A 影响，以及 受 B 影响
    if clause.words[0].text in _LISTED:
        return True  # 无论 是 A 导致 B; A，叠加 由于 B，C
    if found.cue.shape is Shape.OPENER:
        return _opener_unsure(reader, at, tail)
    return False


def _one_of(reader: Widening, found: Found) -> bool:
    """Whether the cue itself says that there are more causes, or that its cause is what was named before."""
    before = reader.passage.plain[max(0, found.start - 4) : found.start]
    return before.endswith(_ONE_OF) and found.cue.name != "not-only"


def _opener_unsure(reader: Widening, at: int, tail: Range) -> bool:
    i = reader.index(tail[0])
    if i is None or reader.sentence.clauses[at].words[0].text in HEAPED:
        return True
    if not all(c.words[-1].text.endswith(VIEWS) or adds(c) for c in reader.sentence.clauses[at + 1 : i]):
        return True  # 由于 A，且 B，C is sure, 由于 A，B，C is not
    if any(f.cue.shape is Shape.VERB and f.start >= tail[1] for f in reader.passage.cues[i]):
        if any(w.text == "的" for w in reader.sentence.clauses[i].between(*tail)):
            return True  # 由于 A，B 的 上涨 将 导致 C: the effect may be that B leads to C
        also = [w for w in reader.sentence.clauses[i].words if w.start >= tail[1]][:1]
        if also and also[0].text in ("也", "还", "又"):
            return True  # 由于 A，B 也 推动 C: B is no effect of A
    if i == at:
        return False
    last, cues = i + 1 >= len(reader.sentence.clauses), reader.passage.cues
    effect = reader.sentence.clauses[i].between(*tail)
    acts = has_verb(effect) or any(w.flag.startswith(("v", "a")) for w in effect)
    if not effect or effect[0].text in ("截止", "截至") or not (acts or reader.link.tail.event or last):
        return True
    if last or (cues[i] and cues[i][0].start < tail[0]):
        return False
    behind = reader.sentence.clauses[i + 1]
    if len(behind.words) > 1 and behind.words[0].flag.startswith("r") and behind.words[1].text in _VIEWS:
        return True  # 由于 A，B，我们 预计 C: B may be a cause too
    leading = [f for f in cues[i + 1] if f.start - behind.start < 3 and f.cue.name in _LEADING_ON]
    # 由于 A，B，导致 C and 由于 A，B，以及 C: B may be a cause too.
    return bool(leading) or behind.words[0].text in ("以及", "和", "及", "加上", "加之", "叠加", "再加上")


def _happens(words: Sequence[Word]) -> bool:
    return has_verb(words) or any(w.flag.startswith(("v", "a")) for w in words) or sum(len(w.text) for w in words) > 3


def _names(words: Sequence[Word]) -> bool:
    """Whether the words name something that is more than a time or a degree."""
    return any(not w.flag.startswith(("t", "m", "q", "d", "p", "f", "c", "u", "x")) and _telling(w) for w in words)


def _telling(word: Word) -> bool:
    if word.text in _TIMES or word.text in ("开始", "严重", "明显") or not any(map(str.isalpha, word.text)):
        return False
    return word.text not in HEDGES and word.text not in PRONOUNS


def _testifies(words: Sequence[Word], mention: MentionSpan) -> bool:
    """Whether the words can show something: evidence by name, or something that happened."""
    return mention.event is not None or has_verb(words) or any(w.text in EVIDENCE_NOUNS for w in words)


__all__ = ["unsure"]
