"""What comes of what within one clause: 电机因过载烧毁, 漏油是密封圈老化所致, 肥胖是糖尿病的主要病因."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from extractors.chinese_clauses import Clause, Found
from extractors.chinese_cues import CUE_WORDS, NEGATIONS, Cue, Shape
from extractors.chinese_events import direction_of, find_events
from extractors.chinese_faults import goes_wrong
from extractors.chinese_groups import FRAMES, back, only, only_measures, predicates, tells, without_adverbs
from extractors.chinese_joints import linked
from extractors.chinese_lexicon import ADJECTIVES, HAZARDS
from extractors.chinese_mentions import MentionSpan, is_trivial
from extractors.chinese_rules import Link
from extractors.chinese_tables import listed
from extractors.chinese_words import Word
from storage.records import RelationType

_ENDS = frozenset(listed("所致 造成 引起 导致 引发"))
_ARE = frozenset(listed("是 系 为 乃 皆因 均系 都是 就是 正是"))
_BECOME = frozenset(listed("是 系 成为 也是 正是 就是 成"))
_REASONS = frozenset(
    listed(
        "原因 主要原因 根本原因 重要原因 直接原因 主因 诱因 病因 起因 成因 根源 祸根 导火索 元凶 推手 因素 动因 驱动力"
    )
)
_OF = frozenset(listed("主要 重要 根本 直接 核心 最大 首要 关键 深层 最 一大 一个 之一 一 大 罪魁 又 另 另一"))
_NOT_SUBJECTS = frozenset(listed("这 那 此 其 也 原因 主要 什么 为何"))
_SPLITS = frozenset(listed("而 被 遭 不得不 无法 未能 不能 只能 暂停 暂时 被迫 纷纷 一度 全面 紧急 突然 自动"))
"""Words that open the effect behind a cause: 因欺诈被撤销."""
_VIEWS = frozenset(listed("预计 认为 分析 判断 估计 推测"))
_OPENERS = frozenset(listed("由于 因为 因 随着"))
_NEAR_END = 6
"""Last words of a cause among which a change is looked for."""
_MAINLY = frozenset((("主要", "是"), ("主要", "系"), ("主要", "为")))
_WITH = frozenset(("与", "和", "跟", "同"))
_ABOUT = frozenset(
    listed("讨论 研究 报道 报告 调查 谈判 会议 决定 争论 建议 介绍 说明 描述 分析 规定 要求 提问 评论 宣传 教育")
)
"""What is about something: 与…有关 says of it what it is about."""
_CONCERNED = frozenset(("有关", "相关", "关系", "有"))
_LONGEST_CAUSE = 16
_TIMES = ("t", "m", "q", "f", "d", "p", "c", "x")

_INSIDE = Cue("because-inside", Shape.BACKWARD, RelationType.CAUSAL, "reason", 0.65, ())
CAUSED_BY = Cue("caused-by", Shape.BACKWARD, RelationType.CAUSAL, "reason", 0.75, ())
_MAINLY_CUE = Cue("mainly", Shape.BACKWARD, RelationType.CAUSAL, "reason", 0.65, ())
_CONCERN = Cue("has-to-do-with", Shape.BACKWARD, RelationType.CAUSAL, "reason", 0.65, ())
_REASON_OF = Cue("reason-of", Shape.VERB, RelationType.CAUSAL, "cause", 0.75, ())


def origins(clauses: Sequence[Clause], i: int) -> Iterator[Link]:
    """The causes that clause ``i`` names for what it says, or for the clause before."""
    words = clauses[i].words
    yield from _mainly(clauses, i)
    for j, word in enumerate(words):
        if word.text == "因" and word.flag == "p":
            yield from _because_inside(clauses[i], j)
        elif word.text in _ARE and words[-1].text in (*_ENDS, "的"):
            yield from _caused_by(clauses, i, j)
        elif word.text in _WITH and words[-1].text in _CONCERNED:
            yield from _has_to_do_with(clauses, i, j)
        if word.text in _BECOME:
            yield from _reason_of(clauses, i, j)


def _because_inside(clause: Clause, j: int) -> Iterator[Link]:
    """S 因 A 而 V, S 因 A 被 V, S 因 A V."""
    word, before, told = clause.words[j], clause.words[:j], clause.words[j + 1 :]
    subject = [w for w in before if not w.flag.startswith(_TIMES)]
    named = [w for w in subject if w.flag.startswith(("n", "r", "j", "vn")) or len(w.text) > 1]
    if not named or not all(w.flag.startswith(("n", "r", "j", "v", "b", "a", "u")) for w in subject):
        return
    if predicates(before[:-1]) or before[-1].text in ("是", "主要", "并非", "不"):
        return
    at = next((k for k, w in enumerate(told) if k and w.text in _SPLITS), None)
    if at is None:
        at = len(told) - 1
        while at > 0 and told[at].flag.startswith(("u", "m", "q", "y", "x")):
            at -= 1
        if at < 1 or not told[at].flag.startswith("v") or any(w.flag.startswith("x") for w in told):
            return
        content = [w for w in told[:at] if not w.flag.startswith(("d", "u", "m", "q"))]
        if not 1 <= len(content) <= 3 or direction_of(told[at]) is not None or told[at].text in ADJECTIVES:
            return  # 因 供给 回落: all of it is the cause
    cause, effect = told[:at], told[at + (told[at].text == "而") :]
    if not tells(cause) or not effect or cause[-1].end - cause[0].start > _LONGEST_CAUSE:
        return
    if told[at].text != "而" and not any(w.flag.startswith(("v", "a", "i", "l")) for w in effect):
        return
    head = only(clause, cause[0].start, cause[-1].end)
    tail = only(clause, effect[0].start, effect[-1].end)
    if head is not None and tail is not None:
        parted = MentionSpan(subject[0].start, tail[1], None, (word.start, tail[0]))
        yield Link(Found(_INSIDE, word.start, word.end), MentionSpan(*head, None), parted, 1.0, "inside", whole=True)


def _has_to_do_with(clauses: Sequence[Clause], i: int, j: int) -> Iterator[Link]:
    """B 与 A 有关; B，主要 与 A 有关: what happened is put down to what happened."""
    words = clauses[i].words
    last = len(words) - 1
    while last > j and (words[last].text in _CONCERNED or words[last].flag.startswith(("d", "a", "u"))):
        last -= 1
    cause, before = words[j + 1 : last + 1], [w for w in words[:j] if w.text not in _NOT_SUBJECTS]
    if not cause or not _goes_on(cause) or any(w.text in NEGATIONS for w in words[:j]):
        return
    if any(w.text in CUE_WORDS and w.flag != "vn" for w in cause):
        return  # A 与 B 导致 C 有关
    told = without_adverbs(before)
    if not is_trivial(told):
        effect = only(clauses[i], told[0].start, told[-1].end) if _goes_on(told) else None
    else:
        effect = back(clauses, i - 1) if i and _took_place(clauses[i - 1].words) else None
    yield from linked(words[j], _CONCERN, only(clauses[i], cause[0].start, cause[-1].end), effect, "clause")


def _goes_on(words: Sequence[Word]) -> bool:
    """The same, or that something is done or comes to be: 发病, 长期吸烟; not what is about something: 讨论, 报道."""
    done = words[-1].flag.startswith("v") and words[-1].text not in _ABOUT
    return _took_place(words) or done or (words[-1].flag == "a" and len(words) > 1)


def _took_place(words: Sequence[Word]) -> bool:
    """Whether the words say a change or a mishap: 需求 走弱, 故障."""
    return bool(find_events(words)) or goes_wrong(words) or any(w.text in HAZARDS for w in words)


def _mainly(clauses: Sequence[Clause], i: int) -> Iterator[Link]:
    """B，主要 是 A, where both say a change: 毛利率 下滑，主要 是 原料 涨价."""
    words = clauses[i].words
    j = next((j for j in range(1, len(words)) if (words[j - 1].text, words[j].text) in _MAINLY), None)
    if j is None or j + 1 >= len(words) or words[-1].text in (*_ENDS, "的"):
        return
    before, cause = without_adverbs(words[: j - 1]), words[j + 1 :]
    opened = cause[0].flag in ("p", "c") or cause[0].text in ("受", "受到") or any(w.text in _OPENERS for w in cause)
    if opened or any(w.text in _REASONS for w in cause) or not find_events(cause[-_NEAR_END:]):
        return
    told = only(clauses[i], cause[0].start, cause[-1].end)
    if find_events(before):
        yield from linked(words[j], _MAINLY_CUE, told, only(clauses[i], before[0].start, before[-1].end), "clause")
    elif i and is_trivial(before) and (find_events(clauses[i - 1].words) or only_measures(clauses[i - 1].words)):
        yield from linked(words[j], _MAINLY_CUE, told, back(clauses, i - 1), "clauses")


def _caused_by(clauses: Sequence[Clause], i: int, j: int) -> Iterator[Link]:
    """B 是 A 所致, B 系 A 造成 的."""
    words = clauses[i].words
    last = len(words) - 1
    while last > j and words[last].text == "的":
        last -= 1
    if words[last].text not in _ENDS or last - j < 2 or is_trivial(words[j + 1 : last]):
        return
    before = words[:j]
    if any(w.text in FRAMES for w in before[1:]):
        return  # 他们 不会 知道 是 A 造成 的
    told = [w for w in without_adverbs(before) if w.text not in _NOT_SUBJECTS]
    if len(told) > 1 and told[0].flag.startswith("r") and told[-1].text in _VIEWS:
        told = []  # 我们 预计 主要 是 A 所致
    effect = only(clauses[i], told[0].start, told[-1].end) if told and tells(told) else None
    effect = effect or (back(clauses, i - 1) if i else None)
    cause = only(clauses[i], words[j].end, words[last].start)
    yield from linked(words[j], CAUSED_BY, cause, effect, "clause")


def _reason_of(clauses: Sequence[Clause], i: int, j: int) -> Iterator[Link]:
    """A 是 B 的 主要 原因."""
    words = clauses[i].words
    last = len(words) - 1
    while last > j and words[last].text in ("之一", "所在"):
        last -= 1
    if words[last].text not in _REASONS:
        return
    of = last - 1
    while of > j and words[of].text in _OF:
        of -= 1
    if of == j and i and _took_place(words[:j]) and _took_place(clauses[i - 1].words):  # B，A 是 主因
        cause = only(clauses[i], words[0].start, words[j].start)
        yield from linked(words[j], _REASON_OF, cause, back(clauses, i - 1), "clauses")
        return
    if words[of].text != "的" or of - j < 2:
        return
    told = without_adverbs(words[:j])
    told = told if any(w.text not in _NOT_SUBJECTS and not w.flag.startswith(("d", "c", "r")) for w in told) else ()
    cause = only(clauses[i], told[0].start, told[-1].end) if told and tells(told) else None
    if cause is None and i and all(w.flag.startswith(("d", "c", "r", "x")) or w.text == "也" for w in words[:j]):
        cause = back(clauses, i - 1)
    effect = only(clauses[i], words[j].end, words[of].start)
    yield from linked(words[j], _REASON_OF, cause, effect, "clause")


__all__ = ["CAUSED_BY", "origins"]
