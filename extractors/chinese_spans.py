"""Spans that read as the whole event: the stretch between punctuation and cues around what the key is made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from extractors.chinese_activity import active_cues, content_start
from extractors.chinese_clauses import Clause, Found, Sentence
from extractors.chinese_cues import (
    ADDITIONS,
    CONDITIONALS,
    EVIDENCE_NOUNS,
    HEDGES,
    NEGATIONS,
    PRONOUNS,
    SO_PARTNERS,
    TURNS,
    Shape,
)
from extractors.chinese_events import is_noun, is_skipped
from extractors.chinese_mentions import MentionSpan, has_verb
from extractors.chinese_rules import Link, Passage
from extractors.chinese_tables import listed
from extractors.chinese_words import Word
from storage.records import RelationType

_LONGEST_CLAUSE = 48
"""Most characters of an end that is widened: what is longer says more than one thing."""
_LONGEST_RUN = 24
"""Most characters by which a noun phrase is widened inside a longer clause."""

_LEADING = (
    frozenset(
        listed("""
    其中 尤其 尤其是 特别 特别是 主要 主要是 因素 还有 那么 如此 一方面 其实 当然 此外 另外 一则 二则 一 二 三 四
    一是 二是 三是 首先 再次 也是 也 还 又 就 便 则 才 将 会 再 使 令 让 的 了 是 虽 故 若 如 更 均 都 即
    也将 仍将 将会 从而 进而 因此 因而 所以 因为 由于 由此 继而 并将 同样 不过 先 后 仅 却 据 据悉 可见
    """)
    )
    | (HEDGES - {"应", "似", "恐"})
    | frozenset((*ADDITIONS, *TURNS, *SO_PARTNERS))
    | CONDITIONALS
)
_TRAILING = (
    frozenset(
        listed("""
    等 的 了 着 在 对 把 将 由 以 为 从 于 所 并 或 也将 仍 仍将 而 是 也 还 会 共同 共 进一步 从而 进而 最终 直接 间接
    必将 势必 已 已经 正 均 都 又 再 则 就 便 也会 将会 而言 随之 相应 主要 同时 继而 不断 逐步 逐渐 继续 共将 有效
    有力 大幅 明显 严重 显著 也是 都是 正在 一定程度上 其 且 更 倒逼 能够 可以 能 有 双重 多重
    """)
    )
    | (HEDGES - {"预期"})
    | frozenset(NEGATIONS)
)
"""Words between an event and the cue behind it that belong to neither."""
_SPEECH = frozenset(listed("表示 认为 指出 称 预计 预期 强调 判断 提到 看到 发现 显示"))
_JOINTS = frozenset(listed("和 与 及 以及 、 或 叠加 加上"))
_ADDED = frozenset(listed("叠加 加之 再加上 加上 以及 且 并且 而 而且 同时 及 和 与 又 更 更是 并"))
"""Words at the start of a clause that adds a cause to the clause before."""
_TOGETHER = frozenset(listed("共同 共 均 都 双双 一起 合力 共将 二者 两者"))
"""Words before a cue that count several causes."""
_MEASURED = ("同比", "环比", "较上", "较去", "比上", "比去", "降幅", "涨幅", "跌幅", "增幅", "增速")
_SUPPRESSING = frozenset(listed("抑制 压制 打压 遏制 限制 阻碍 制约 阻止 缓解 遏止 扼制 缓和 延缓 约束 平抑"))
"""Verbs whose object does not come about: 抑制 价格 反弹."""
_SIDES = frozenset(listed("一方面 另一方面"))
_REASONS = frozenset(listed("原因 因素 主因 动力 诱因 推手 根源"))
_GIVEN = frozenset(listed("除 除了 除非 除去"))
_FEARS = frozenset(listed("担忧 担心 忧虑 恐慌 猜测 疑虑"))
_LINKING = frozenset(listed("来自 取决于 是 在于 包括 来源于 属于"))
_TIMES = frozenset(listed("上半年 下半年 年初 年底 年末 年度 季度 月份 今年 去年 全年 一季度 二季度 三季度 四季度"))
_LEADING_ON = ("verb-cause", "verb-produce", "verb-make", "thereby")
UNSURE = 0.49
"""Most confidence of a relation whose ends other clauses compete for."""


class Ends(NamedTuple):
    """``[start, end)`` of both ends as a reader wants them, and whether another reading is as likely."""

    head: tuple[int, int]
    tail: tuple[int, int]
    unsure: bool


def whole_ends(passage: Passage, sentence: Sentence, link: Link) -> Ends:
    """Both ends of a link, each widened to the whole of what its clause says of it."""
    crisp = Ends((link.head.start, link.head.end), (link.tail.start, link.tail.end), unsure=False)
    if link.rule == "order":
        return crisp
    reader = _Reader(passage, sentence, link)
    head, tail = reader.widened(link.head, link.tail), reader.widened(link.tail, link.head)
    head, tail = reader.with_added(head, tail), reader.with_measure(tail, head)
    if head[0] < tail[1] and tail[0] < head[1]:
        return crisp._replace(unsure=True)
    return Ends(head, tail, reader.unsure(head, tail))


def suppressed(passage: Passage, sentence: Sentence, mention: MentionSpan) -> int | None:
    """Where the verb stands that keeps the event from coming about (抑制 价格 反弹), if one does."""
    clause = _clause_of(passage, sentence, mention)
    if clause is None or mention.event is None:
        return None
    for word in reversed(clause.between(clause.start, mention.start)):
        if word.text in _SUPPRESSING:
            return word.start
        if not (is_noun(word) or is_skipped(word)) or word.text in _JOINTS:
            return None
    return None


def _clause_of(passage: Passage, sentence: Sentence, mention: MentionSpan) -> Clause | None:
    earlier = [passage.previous] if passage.previous else []
    return next((c for c in (*earlier, *sentence.clauses) if c.start <= mention.start < c.end), None)


class _Reader:
    """The clauses and cues about one link."""

    def __init__(self, passage: Passage, sentence: Sentence, link: Link) -> None:
        self.passage, self.sentence, self.link, self.found = passage, sentence, link, link.found
        self.doubtful = False

    def _index(self, position: int) -> int | None:
        return next((i for i, c in enumerate(self.sentence.clauses) if c.start <= position < c.end), None)

    def _cues(self, position: int, clause: Clause) -> list[Found]:
        i = self._index(position)
        return active_cues(self.passage.plain, clause, None) if i is None else self.passage.cues[i]

    def widened(self, mention: MentionSpan, other: MentionSpan) -> tuple[int, int]:
        """The stretch between cues, punctuation and the other end that holds the mention, trimmed."""
        clause = _clause_of(self.passage, self.sentence, mention)
        if clause is None:
            return mention.start, mention.end
        left, right = clause.start, clause.end
        for f in self._cues(mention.start, clause):
            if f.until is not None and f.end <= mention.start < f.until:
                left, right = max(left, f.end), min(right, f.until)
            elif f.start <= mention.start and not self._reaches_over(f, mention):
                left = max(left, self._content(f, mention))
            elif f.start >= mention.end and not self._inside(f):
                right = min(right, f.start)
        if self.found.end <= mention.start:
            left = max(left, self._content(self.found, mention))
        if mention.end <= self.found.start:
            right = min(right, self.found.start)
        left = max(left, other.end) if other.end <= mention.start else left
        right = min(right, other.start) if mention.end <= other.start else right
        attributive = self.passage.plain[self.found.end : self.found.end + 1] == "的" and left >= self.found.end
        if attributive:  # A 导致 的 B 和 C: C is another's
            right = min([right, *(w.start for w in clause.words if w.text in _JOINTS and w.start >= mention.end)])
        # 利润 下滑 一方面 A 导致 B: what stands before is another's.
        left = max([left, *(w.end for w in clause.words if w.text in _SIDES and left <= w.start < mention.start)])
        words = _trimmed(clause.between(left, right), cue_behind=right < clause.end, mention=mention)
        if self.found.cue.shape is Shape.CLOSER and words and words[0].text == "在" and words[0].end <= mention.start:
            words = words[1:]
        if not words:
            return mention.start, mention.end
        start, end = words[0].start, words[-1].end
        if end - start <= _LONGEST_CLAUSE:
            return start, end
        self.doubtful = True
        return self._noun_phrase(clause.between(left, right), mention)

    def _content(self, f: Found, mention: MentionSpan) -> int:
        """Where what follows a cue begins, as far as the mention lies behind it."""
        if f.resume is not None and mention.start < f.resume:
            return min(f.end, mention.start)
        return min(content_start(self.passage.plain, f), mention.start)

    def _inside(self, f: Found) -> bool:
        """Whether a verb belongs to the cue it stands in: 主要由于 A 带动 B, 受 A 导致 B 影响."""
        if f.cue.shape is not Shape.VERB or f.start < self.found.end:
            return False
        if self.found.until is not None:
            return f.start < self.found.until
        return self.found.cue.shape is Shape.BACKWARD

    def _reaches_over(self, f: Found, mention: MentionSpan) -> bool:
        """Whether a verb before the mention is part of the same cause: A 推高 B 导致 C, 由于 A 导致 B 等 因素."""
        if f.cue.shape is not Shape.VERB or f is self.found:
            return False
        if self.found.cue.shape is Shape.VERB and mention.end <= self.found.start:
            return f.cue.name in ("verb-signed", "verb-favour") and f.end <= self.found.start
        clause = _clause_of(self.passage, self.sentence, mention)
        if self.found.cue.shape is not Shape.OPENER or clause is None or f.start < self.found.end:
            return False
        if self.found.until is not None:
            return f.start < self.found.until and mention.start < self.found.until
        listed_end = clause.words[-1].text in ("因素", "原因", "影响", "问题")
        return listed_end and clause.start <= self.found.start

    @staticmethod
    def _noun_phrase(words: Sequence[Word], mention: MentionSpan) -> tuple[int, int]:
        """The mention with the nouns, numbers and modifiers about it."""
        start, end = mention.start, mention.end
        for word in reversed([w for w in words if w.end <= mention.start]):
            joins = is_noun(word) or is_skipped(word) or word.text in _JOINTS or len(word.text) == 1
            if not joins or word.text in _LEADING or mention.start - word.start > _LONGEST_RUN:
                break
            start = word.start if any(map(str.isalnum, word.text)) else start
        for word in [w for w in words if w.start >= mention.end]:
            if not (is_skipped(word) or is_noun(word)) or word.end - mention.end > _LONGEST_RUN:
                break
            end = word.end if any(map(str.isalnum, word.text)) or word.text in "%％" else end
        return start, end

    def with_added(self, head: tuple[int, int], tail: tuple[int, int]) -> tuple[int, int]:
        """The cause with the clause before, where its own clause only adds to that: A，叠加 B 导致 C."""
        i = self._index(head[0])
        if i is None or self.found.cue.shape not in (Shape.VERB, Shape.CONNECTIVE) or head[0] > self.found.start:
            return head
        clause = self.sentence.clauses[i]
        opening = [w for w in clause.words if w.start < head[0]]
        between = [w for c in self.sentence.clauses for w in c.words if head[1] <= w.end <= self.found.start]
        together = any(w.text in _TOGETHER for w in between)
        aside = self._index(self.found.start) == i  # A，而 B 导致 C: A stands apart
        added = any(w.text in _ADDED and not (aside and w.text == "而") for w in opening) or (together and not opening)
        joined = any(w.text in _JOINTS for w in clause.between(*head))
        if not added:
            self.doubtful |= together and not joined
            return head
        if i == 0 or self.passage.cues[i - 1] or clause.words[0].start < opening[0].start if opening else i == 0:
            self.doubtful |= together and not joined
            return head
        earlier = self.sentence.clauses[i - 1]
        words = _trimmed(earlier.words, cue_behind=False, mention=None)
        if not words or not has_verb(words) or head[1] - words[0].start > 2 * _LONGEST_CLAUSE - 36:
            self.doubtful |= together
            return head
        if words[0].start < tail[1] and tail[0] < head[1]:
            return head
        return words[0].start, head[1]

    def with_measure(self, tail: tuple[int, int], head: tuple[int, int]) -> tuple[int, int]:
        """The effect with a clause behind it that only says by how much: 销量 三千台，同比 下降 一成."""
        i = self._index(tail[0])
        if i is None or i + 1 >= len(self.sentence.clauses) or tail[1] < self.sentence.clauses[i].words[-1].start:
            return tail
        behind = self.sentence.clauses[i + 1]
        words = _trimmed(behind.words, cue_behind=False, mention=None)
        if not words or not self.passage.plain[words[0].start :].startswith(_MEASURED) or self.passage.cues[i + 1]:
            return tail
        if words[-1].end - tail[0] > _LONGEST_CLAUSE or (head[0] < words[-1].end and tail[0] < head[1]):
            return tail
        return tail[0], words[-1].end

    def unsure(self, head: tuple[int, int], tail: tuple[int, int]) -> bool:
        """Whether another clause or cue may well own an end."""
        found, cues = self.found, self.passage.cues
        at = self._index(found.start)
        if self.doubtful or at is None:
            return True
        clause = self.sentence.clauses[at]
        earlier = [self.passage.previous] if self.passage.previous else []
        words = [w for c in (*earlier, *self.sentence.clauses) for w in c.words]
        cause = [w for w in words if head[0] <= w.start < head[1]]
        effect = [w for w in words if tail[0] <= w.start < tail[1]]
        if any(w.text in _FEARS for w in cause) or not _names(cause) or not _names(effect):
            return True
        if (
            any(end and end[0].text in ("同比", "环比", "比", "较") for end in (cause, effect))
            or effect[-1].text == "方面"
        ):
            return True  # 同比 下降 一成: of what stands before
        if self._one_of(found) or (effect and effect[-1].text in ("有关", "相关", "挂钩", "关系")):
            return True  # 担忧 A 导致 B, A 与 B 导致 C 有关
        if found.cue.name == "shows" and not _testifies(cause, self.link.head):
            return True
        attributive = self.passage.plain[found.end : found.end + 1] == "的" and found.cue.shape is Shape.VERB
        long = head[1] - head[0] > _LONGEST_RUN // 2 or any(w.flag == "v" and w.text in _LINKING for w in cause)
        if attributive and (long or tail[1] < self._clause_end(tail[0])):
            return True  # … 取决于 A 导致 的 B 与 …
        if found.cue.shape is Shape.VERB and any(
            f.until is not None and f.end <= found.start < f.until for f in cues[at]
        ):
            return True  # 受 A 导致 B 等 影响: where the cause begins is open
        if clause.words[0].text in _GIVEN:
            return True
        if found.cue.name == "origin" and any(f.cue.shape is Shape.VERB for f in cues[at] if f.start >= found.end):
            return True
        because = self.passage.plain[found.start : found.end].endswith(("因为", "由于", "因", "受"))
        if because and found.cue.shape is Shape.BACKWARD and self.link.tail.event is None and not _happens(effect):
            return True  # 萤石 主要 因为 …: what of it is not said
        named_only = self.link.tail.event is None and len(effect) == 1
        if (effect[0].text == "对" or (named_only and found.end <= tail[0])) and tail[1] < self._clause_end(tail[0]):
            return True  # 对 通胀 造成 拖累: the effect lies behind the next verb
        if found.cue.type is RelationType.CAUSAL and self._lacks_subject(cause):
            return True
        if found.resume is not None and self.passage.plain[found.resume : found.resume + 1] in tuple("、和及与"):
            return True  # 受 运输 限制、企业 停产 等 影响: the first closing word closes nothing
        if found.cue.name == "according-to" and not (cause and cause[-1].text in EVIDENCE_NOUNS):
            return True
        if found.cue.shape is Shape.OPENER:
            return self._opener_unsure(at, tail)
        return False

    def _one_of(self, found: Found) -> bool:
        """Whether the cue itself says that there are more causes, or that its cause is what was named before."""
        before = self.passage.plain[max(0, found.start - 4) : found.start]
        return before.endswith(("一方面", "一方面是", "其", "二者", "两者")) and found.cue.name != "not-only"

    def _lacks_subject(self, cause: Sequence[Word]) -> bool:
        """Whether the cause is a later clause that begins with its verb: what it says it of stands before."""
        i = self._index(cause[0].start) if cause else None
        if not i or cause[-1].end > self.found.start:
            return False
        told = [w for w in cause if not w.flag.startswith(("t", "d", "f", "ad"))]
        event = self.link.head.event
        if event is not None and event.start <= cause[0].start:
            return False
        return bool(told) and told[0].flag == "v" and cause[0].start == self.sentence.clauses[i].words[0].start

    def _clause_end(self, position: int) -> int:
        i = self._index(position)
        if i is None:
            return position
        words = [w for w in self.sentence.clauses[i].words if any(map(str.isalnum, w.text))]
        return words[-1].end if words else position

    def _opener_unsure(self, at: int, tail: tuple[int, int]) -> bool:
        i = self._index(tail[0])
        if i is None or i > at + 1:
            return True
        if i == at:
            return False
        last, cues = i + 1 >= len(self.sentence.clauses), self.passage.cues
        effect = self.sentence.clauses[i].between(*tail)
        acts = has_verb(effect) or any(w.flag.startswith(("v", "a")) for w in effect)
        if not effect or effect[0].text in ("截止", "截至") or not (acts or self.link.tail.event or last):
            return True
        if last or (cues[i] and cues[i][0].start < tail[0]):
            return False
        behind = self.sentence.clauses[i + 1]
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


def _trimmed(words: Sequence[Word], *, cue_behind: bool, mention: MentionSpan | None) -> Sequence[Word]:
    """The words without what only links, hedges or reports them; an event of the mention stays whole."""
    event = mention if mention is not None and mention.event is not None else None
    first, last = 0, len(words)
    stop = event.start if event else (words[-1].start if words else 0)
    for j, word in enumerate(words):
        foretold = word.text in ("预计", "预期")  # 大豆 预计 存在 缺口: nobody says so
        told = j == 0 or words[j - 1].flag.startswith("r") or (is_noun(words[j - 1]) and not foretold)
        if word.text in _SPEECH and told and word.end <= stop:
            first = j + 1
    if last - first > 2 and words[first].text.isdigit() and words[first + 1].text in ("、", ".", ")"):
        first += 2  # 3、
    while first < last and words[first].end <= stop and _leads(words[first]):
        first += 1
    keep = event.end if event else 0
    while last > first and words[last - 1].start >= keep and _trails(words[last - 1], cue_behind=cue_behind):
        last -= 1
    kept = words[first:last]
    if kept and kept[-1].text in _REASONS and kept[-1].start >= keep:
        of = next((j for j in range(len(kept) - 1, max(0, len(kept) - 6), -1) if kept[j].text == "的"), None)
        kept = kept[:of] if of and kept[of].start >= keep else kept  # 导致 价格 下跌 的 最大 原因
    marks = "".join(w.text for w in kept)
    for opening, closing in ("“”", "‘’", "《》"):
        if marks.startswith(opening) and closing not in marks:
            kept = kept[1:]
    return kept


def _leads(word: Word) -> bool:
    if not any(map(str.isalnum, word.text)):
        return word.text not in "“‘《"
    return word.text in _LEADING or word.text in PRONOUNS or word.flag.startswith(("c", "y", "u"))


def _trails(word: Word, *, cue_behind: bool) -> bool:
    if not any(map(str.isalnum, word.text)):
        return word.text not in "”’》%％‰"
    if word.flag.startswith(("c", "y", "u")):
        return True
    return cue_behind and (word.text in _TRAILING or word.flag.startswith("p") or word.flag == "d")


__all__ = ["UNSURE", "Ends", "suppressed", "whole_ends"]
