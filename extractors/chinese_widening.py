"""The stretch between punctuation and cues that holds what a key is made of: an end as a reader wants it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from extractors.chinese_activity import active_cues, content_start
from extractors.chinese_clauses import Clause, Found, Sentence
from extractors.chinese_cues import HEAPED, NEGATIONS, TURNS, Shape
from extractors.chinese_events import is_noun, is_skipped
from extractors.chinese_mentions import MentionSpan, has_verb
from extractors.chinese_rules import Link, Passage
from extractors.chinese_tables import listed
from extractors.chinese_trim import JOINTS, LEADING, trimmed
from extractors.chinese_words import Word
from storage.records import RelationType

Range = tuple[int, int]

_LONGEST_CLAUSE = 48
"""Most characters of an end that is widened: what is longer says more than one thing."""
_LONGEST_RUN = 24
"""Most characters by which a noun phrase is widened inside a longer clause."""
_ADDED = frozenset(listed("叠加 加之 再加上 加上 以及 且 并且 而 而且 同时 及 和 与 又 更 更是 并"))
"""Words at the start of a clause that adds a cause to the clause before."""
_REASON_OPENERS = ("because", "because-short", "along-with", "affected-by")
_TOGETHER = frozenset(listed("共同 共 均 都 双双 一起 合力 共将 二者 两者"))
"""Words before a cue that count several causes."""
_MEASURED = ("同比", "环比", "较上", "较去", "比上", "比去", "降幅", "涨幅", "跌幅", "增幅", "增速")
_SIDES = frozenset(listed("一方面 另一方面"))
_CAUSING = frozenset(listed("导致 造成 引起 引发 推动 带动 促使 使得 致使 拉动 拖累"))
_OF_ANOTHER = ("对", "向", "给", "将", "把")
"""First words of a clause whose subject stands before."""
_AFTER_VERB = ("了", "至", "到", "着")


def clause_of(passage: Passage, sentence: Sentence, mention: MentionSpan) -> Clause | None:
    """The clause that a mention stands in, the last one of the sentence before included."""
    earlier = [passage.previous] if passage.previous else []
    return next((c for c in (*earlier, *sentence.clauses) if c.start <= mention.start < c.end), None)


def _put_down(words: Sequence[Word]) -> list[int]:
    """Where what something is put down to begins: 毛利率 下降 主要 是 A 导致 B."""
    return [w.end for before, w in pairwise(words) if before.text == "主要" and w.text in ("是", "系", "为")]


class Widening:
    """The clauses and cues about one link."""

    def __init__(self, passage: Passage, sentence: Sentence, link: Link) -> None:
        self.passage, self.sentence, self.link, self.found = passage, sentence, link, link.found
        self.doubtful = False

    def index(self, position: int) -> int | None:
        return next((i for i, c in enumerate(self.sentence.clauses) if c.start <= position < c.end), None)

    def _cues(self, position: int, clause: Clause) -> list[Found]:
        i = self.index(position)
        return active_cues(self.passage.plain, clause, None) if i is None else self.passage.cues[i]

    def widened(self, mention: MentionSpan, other: MentionSpan) -> Range:
        """The stretch between cues, punctuation and the other end that holds the mention, trimmed."""
        clause = clause_of(self.passage, self.sentence, mention)
        if clause is None or mention.gap is not None or mention.end > clause.end:  # 收入 2.6 亿元，同比 下降 24%
            return mention.start, mention.end
        left, right = clause.start, clause.end
        for f in self._cues(mention.start, clause):
            if f.until is not None and f.end <= mention.start < f.until:
                left, right = max(left, f.end), min(right, f.until)
            elif f.start <= mention.start and not self._reaches_over(f, mention):
                left = max(left, self._content(f, mention))
            elif f.start >= mention.end and not self._inside(f):
                right = min(right, f.start)
        if self.found.cue.name == "origin" and mention.end <= self.found.start:
            # 推动 价格 上涨 的 主要 原因 是: 上涨 is the effect
            left = max([left, *(w.end for w in clause.words if w.text in _CAUSING and w.end <= mention.start)])
        if self.found.end <= mention.start:
            left = max(left, self._content(self.found, mention))
            if self._after_subject(clause):
                left = clause.start  # 沙特 因此 增产
        if mention.end <= self.found.start:
            right = min(right, self.found.start)
        left = max(left, other.end) if other.end <= mention.start else left
        right = min(right, other.start) if mention.end <= other.start else right
        attributive = self.passage.plain[self.found.end : self.found.end + 1] == "的" and left >= self.found.end
        if attributive and mention.event is not None and other.end <= mention.start:
            return max(left, mention.start), mention.end  # A 导致 的 B 仍 在 持续
        if attributive:  # A 导致 的 B 和 C: C is another's
            right = min([right, *(w.start for w in clause.words if w.text in JOINTS and w.start >= mention.end)])
        # 利润 下滑 一方面 A 导致 B: what stands before is another's.
        left = max([left, *(w.end for w in clause.words if w.text in _SIDES and left <= w.start < mention.end)])
        left = max([left, *(end for end in _put_down(clause.words) if left <= end <= mention.start)])
        words = trimmed(clause.between(left, right), cue_behind=right < clause.end, mention=mention)
        if self.found.cue.shape is Shape.OPENER and len(words) > 1 and words[-1].text in ("原因", "因素"):
            words = words[:-2] if words[-2].text == "等" and len(words) > 2 else words[:-1]
        reasons = self.found.cue.shape in (Shape.OPENER, Shape.BACKWARD) and mention.start >= self.found.end
        if reasons and len(words) > 2 and words[-1].text == "影响":
            words = words[:-2] if words[-2].text == "的" else words[:-1]
        if self.found.cue.shape is Shape.CLOSER and words and words[0].text == "在" and words[0].end <= mention.start:
            words = words[1:]
        if not words:
            return mention.start, mention.end
        start, end = words[0].start, words[-1].end
        if end - start <= _LONGEST_CLAUSE:
            return start, end
        self.doubtful = True
        return self._noun_phrase(clause.between(left, right), mention)

    def _after_subject(self, clause: Clause) -> bool:
        """Whether the connective stands behind the subject of its clause."""
        before = clause.between(clause.start, self.found.start)
        return self.found.cue.shape is Shape.CONNECTIVE and len(before) == 1 and before[0].flag.startswith("n")

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
            if self.passage.plain[f.end : f.end + 1] == "的" and f.end <= self.found.start:
                return True  # A 和 B 导致 的 C 使得 D
            return f.cue.name in ("verb-signed", "verb-favour") and f.end <= self.found.start
        clause = clause_of(self.passage, self.sentence, mention)
        if self.found.cue.shape is not Shape.OPENER or clause is None or f.start < self.found.end:
            return False
        if self.found.until is not None:
            return f.start < self.found.until and mention.start < self.found.until
        listed_end = clause.words[-1].text in ("因素", "原因", "影响", "问题")
        return listed_end and clause.start <= self.found.start

    @staticmethod
    def _noun_phrase(words: Sequence[Word], mention: MentionSpan) -> Range:
        """The mention with the nouns, numbers and modifiers about it."""
        start, end = mention.start, mention.end
        for word in reversed([w for w in words if w.end <= mention.start]):
            joins = is_noun(word) or is_skipped(word) or word.text in JOINTS or len(word.text) == 1
            if not joins or word.text in LEADING or mention.start - word.start > _LONGEST_RUN:
                break
            start = word.start if any(map(str.isalnum, word.text)) else start
        for word in [w for w in words if w.start >= mention.end]:
            if not (is_skipped(word) or is_noun(word)) or word.end - mention.end > _LONGEST_RUN:
                break
            end = word.end if any(map(str.isalnum, word.text)) or word.text in "%％" else end
        return start, end

    def with_added(self, head: Range, tail: Range) -> Range:
        """The cause with the clause before, where its own clause only adds to that: A，叠加 B 导致 C."""
        i = self.index(head[0])
        if i is None or self.found.cue.shape not in (Shape.VERB, Shape.CONNECTIVE) or head[0] > self.found.start:
            return head
        clause = self.sentence.clauses[i]
        opening = [w for w in clause.words if w.start < head[0]]
        between = [w for c in self.sentence.clauses for w in c.words if head[1] <= w.end <= self.found.start]
        if opening and opening[0].text in TURNS:
            return head  # A，但 受 B 影响 以及 C 导致 D
        together = any(w.text in _TOGETHER for w in between)
        aside = self.index(self.found.start) == i  # A，而 B 导致 C: A stands apart
        added = any(w.text in _ADDED and not (aside and w.text == "而") for w in opening) or (together and not opening)
        joined = any(w.text in JOINTS for w in clause.between(*head))
        if not added:
            self.doubtful |= together and not joined
            return head
        opened = self._opened(i - 1) if opening else None
        joins = not aside or any(w.text in HEAPED for w in opening)
        other_cues = bool(opening and i and self.passage.cues[i - 1] and (opened is None or not joins))
        if i == 0 or other_cues or (opening and clause.words[0].start < opening[0].start):
            self.doubtful |= together and not joined
            return head
        earlier = self.sentence.clauses[i - 1]
        told = earlier.between(content_start(self.passage.plain, opened) if opened else earlier.start, earlier.end)
        words = trimmed(told, cue_behind=False, mention=None)
        self.doubtful |= any(w.text == "同时" for w in opening) and not joined
        turned = any(w.text == "而" for w in opening) and any(w.text in NEGATIONS for w in earlier.words)
        self.doubtful |= turned  # 价格 未 变，而 销量 下降
        if not words or not has_verb(words) or head[1] - words[0].start > 2 * _LONGEST_CLAUSE - 36:
            self.doubtful |= together
            return head
        if words[0].start < tail[1] and tail[0] < head[1]:
            return head
        return words[0].start, head[1]

    def with_opened(self, head: Range, tail: Range) -> Range:
        """The cause from where 由于 opened it: 由于 A，B，导致 C names A and B."""
        i, at = self.index(head[0]), self.index(self.found.start)
        leads = self.found.cue.shape is Shape.VERB and i is not None and at is not None and at > i
        leads = leads and not any(self.passage.cues[i or 0 : at])
        if not leads or i is None or i == 0 or tail[0] < self.found.start:
            return head
        opener = next((f for f in self.passage.cues[i - 1] if f.cue.name in ("because", "because-short")), None)
        clause = self.sentence.clauses[i - 1]
        if opener is None or opener is not self.passage.cues[i - 1][-1] or opener.until is not None:
            return head
        if ":" in self.passage.plain[clause.end : self.sentence.clauses[i].start]:
            return head
        words = trimmed(clause.between(opener.end, clause.end), cue_behind=False, mention=None)
        if not words or self.sentence.clauses[i].words[0].text in TURNS:
            return head
        self.doubtful |= head[1] - words[0].start > 2 * _LONGEST_CLAUSE - 36
        return (words[0].start, head[1]) if head[1] - words[0].start <= 2 * _LONGEST_CLAUSE - 36 else head

    def with_subject(self, head: Range, tail: Range) -> Range:
        """The cause with the clause before, where that holds its subject: 播种 面积 下降，影响 了 推广，导致 …"""
        i = self.index(head[0])
        if i and self.passage.cues[i - 1] and head[1] <= self.found.start and self.index(self.found.start) != i:
            self.doubtful |= any(w.text in ("也", "亦") for w in self.sentence.clauses[i].between(*head)[:5])
        if not i or self.passage.cues[i - 1] or self.index(self.found.start) == i or tail[0] < head[0]:
            return head
        if head[1] > self.found.start:
            return head
        clause, earlier = self.sentence.clauses[i], self.sentence.clauses[i - 1]
        words = trimmed(earlier.words, cue_behind=False, mention=None)
        cause = clause.between(*head)
        also = any(w.text in ("也", "亦") for w in cause[:5])  # A，B 也 下降，导致 …: both are the cause
        lists = bool(words) and not any(w.flag[0] in "vadp" for w in words)  # 原料 短绒、浆粕，辅料 价格 上涨
        if not words or not (lists or also or self.lacks_subject(cause)) or not (lists or has_verb(words)):
            self.doubtful |= also
            return head
        starts = not any(w.text in TURNS for w in clause.words[:2]) and words[0].flag[0] in "nrbj"
        return (words[0].start, head[1]) if starts and head[1] - words[0].start <= _LONGEST_CLAUSE else head

    def _opened(self, i: int) -> Found | None:
        """The last cue of a clause, where what it leads to may be a cause with the next: A 导致 B，叠加 C 导致 D."""
        if i < 0 or not self.passage.cues[i]:
            return None
        found = self.passage.cues[i][-1]
        leads = found.cue.shape in (Shape.VERB, Shape.CONNECTIVE) or found.cue.name in _REASON_OPENERS
        return found if leads and found.cue.type is RelationType.CAUSAL and found.cue.name != "verb-affect" else None

    def with_measure(self, tail: Range, head: Range) -> Range:
        """The effect with a clause behind it that only says by how much: 销量 三千台，同比 下降 一成."""
        i = self.index(tail[0])
        if i is None or i + 1 >= len(self.sentence.clauses) or tail[1] < self.sentence.clauses[i].words[-1].start:
            return tail
        behind = self.sentence.clauses[i + 1]
        words = trimmed(behind.words, cue_behind=False, mention=None)
        if not words or not self.passage.plain[words[0].start :].startswith(_MEASURED) or self.passage.cues[i + 1]:
            return tail
        if words[-1].end - tail[0] > _LONGEST_CLAUSE or (head[0] < words[-1].end and tail[0] < head[1]):
            return tail
        return tail[0], words[-1].end

    def lacks_subject(self, cause: Sequence[Word]) -> bool:
        """Whether the cause is a later clause that begins with its verb: what it says it of stands before."""
        i = self.index(cause[0].start) if cause else None
        if not i or cause[-1].end > self.found.start:
            return False
        told = [w for w in cause if not w.flag.startswith(("t", "d", "f", "ad"))]
        event = self.link.head.event
        if event is not None and event.start <= cause[0].start:
            return False
        acting = told[:1] and (
            told[0].text in _OF_ANOTHER
            or told[0].flag == "v"
            or (told[0].flag == "vn" and told[1:2] and told[1].text in _AFTER_VERB)
        )
        return bool(acting) and cause[0].start == self.sentence.clauses[i].words[0].start

    def clause_end(self, position: int) -> int:
        i = self.index(position)
        if i is None:
            return position
        words = [w for w in self.sentence.clauses[i].words if any(map(str.isalnum, w.text))]
        return words[-1].end if words else position


__all__ = ["Range", "Widening", "clause_of"]
