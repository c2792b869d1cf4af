"""How each shape of cue finds the two ends of its relation: pure functions over the clauses of one sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from extractors.chinese_activity import active_cues, breaks, content_start, next_break
from extractors.chinese_clauses import Clause, Found, Sentence, adds
from extractors.chinese_cues import (
    ADDITIONS,
    ADVICE,
    FURTHER_ITEMS,
    SO_PARTNERS,
    TESTIMONIES,
    TURNS,
    VIEW_ENDS,
    VIEWS,
    Shape,
)
from extractors.chinese_events import direction_of, find_events, is_noun
from extractors.chinese_groups import only_measures, predicates
from extractors.chinese_lexicon import DRIVERS, GENERIC, PERSONS, SIGNED_CAUSATIVES
from extractors.chinese_mentions import (
    LONGEST,
    MentionSpan,
    happens,
    has_verb,
    is_trivial,
    mentions,
    starts_with_pronoun,
    states,
)
from extractors.chinese_parted import parted, subject_of
from extractors.chinese_trim import trimmed
from extractors.chinese_words import Word
from storage.records import RelationType

_OTHER_IN_CLAUSE = 0.85
"""Factor for an event that is not the one next to the cue: it is a cause too in most, not all, coordinations."""
_OTHER_TAIL = 0.55
_OTHER_CLAUSE = 0.55
_BEHIND_UNSURE = 0.65
_AFFECTED_UNSURE = 0.75
"""家居 受 地产 影响 says so, if not how."""
_TELLING = 3
"""Least characters of evidence that is no event: 数据 alone is said of anything."""
_UNSURE = 0.65
_SENTENCE_BEFORE = 0.85
_TOGETHER_WITH = frozenset(("一并", "一起", "一同", "同步", "相应", "随之"))
"""Words behind 随着 A that open the effect."""
_GREATLY = frozenset(("较大", "很大", "更大", "巨大", "深远"))
"""Words behind 受 A 影响 that say how much."""
_WHERE_TO = 0.75
"""Factor for what something is passed on to, where nothing becomes of it."""
_DRIVING = ("verb-drive", "verb-signed")
"""Cues whose cause need be no change by its words."""
_DRIVEN = 0.8
"""Factor for what drives a change and is none by its words: 旺季 带动 价格 反弹."""


class Link(NamedTuple):
    """Two ends and the cue that ties them; ``head`` is the cause, the earlier, the evidence or the base."""

    found: Found
    head: MentionSpan
    tail: MentionSpan
    factor: float  # of the cue's confidence
    rule: str
    whole: bool = False  # both ends are whole already


class Passage:
    """One sentence with its active cues, and the clause before it."""

    def __init__(self, plain: str, sentence: Sentence, previous: Clause | None) -> None:
        self.plain = plain
        self.clauses = sentence.clauses
        self.previous = previous
        following = [*sentence.clauses[1:], None]
        self.cues = [active_cues(plain, c, n) for c, n in zip(sentence.clauses, following, strict=True)]

    def links(self) -> Iterator[Link]:
        """The relations that the cues of the sentence state, clause by clause."""
        readers = {
            Shape.VERB: self._verb,
            Shape.CONNECTIVE: self._connective,
            Shape.OPENER: self._opener,
            Shape.BACKWARD: self._backward,
            Shape.CLOSER: self._closer,
            Shape.EXAMPLE: self._example,
        }
        for i, cues in enumerate(self.cues):
            for found in cues:
                yield from readers[found.cue.shape](i, found)

    # --- stretches -----------------------------------------------------------------------------------------------

    def _before(self, i: int, found: Found) -> list[MentionSpan]:
        """What stands between the cue before and this one, in the same clause."""
        clause = self.clauses[i]
        return mentions(clause, breaks(self.plain, self.cues[i], found.start, clause.start), found.start)

    def _after(self, i: int, position: int) -> list[MentionSpan]:
        clause = self.clauses[i]
        return mentions(clause, position, next_break(self.cues[i], position, clause.end))

    def _last_of(self, i: int) -> tuple[list[MentionSpan], float]:
        """The last stretch of clause ``i`` (-1: the clause before the sentence) and the factor of going there."""
        if i < 0:
            return (mentions(self.previous, self.previous.start, self.previous.end) if self.previous else []), (
                _SENTENCE_BEFORE
            )
        clause = self.clauses[i]
        if clause.words[-1].text in VIEW_ENDS or clause.words[0].text in ("除", "除了", "除此之外"):
            return self._last_of(i - 1)  # 从长期来看 names no cause
        if (measured := self._with_measure(i)) is not None:
            return [measured], 1.0
        cues = [f for f in self.cues[i] if f.cue.shape is not Shape.CLOSER]
        last = max([clause.start, *(f.end if f.resume else content_start(self.plain, f) for f in cues)])
        opened = [f for f in cues if f.resume is not None and f.end == last]
        if opened and is_trivial(clause.between(opened[0].resume or last, clause.end)):
            return mentions(clause, last, opened[0].until or clause.end), 1.0
        return mentions(clause, opened[0].resume or last if opened else last, clause.end), 1.0

    def _with_measure(self, i: int) -> MentionSpan | None:
        """Clause ``i`` with the one before, where it only says by how much: 销售收入 2.6 亿元，同比 下降 24%."""
        clause, before = self.clauses[i], self.clauses[i - 1] if i else None
        if before is None or not only_measures(clause.words) or self.cues[i] or self.cues[i - 1]:
            return None
        words = trimmed([*before.words, *clause.words], cue_behind=False, mention=None)
        if not words or not before.start <= words[0].start < before.end or words[-1].end - words[0].start > LONGEST:
            return None
        return MentionSpan(words[0].start, words[-1].end, None)

    def _effect(self, i: int, position: int, *, reach: int = 3) -> list[MentionSpan]:
        """The effect that an opener in clause ``i`` leads to, from ``position`` on, at most ``reach`` clauses ahead."""
        clause = self.clauses[i]
        if not is_trivial(clause.between(position, clause.end)):
            return self._after(i, position)
        for j in range(i + 1, min(len(self.clauses), i + 1 + reach)):
            words = self.clauses[j].words
            cues = self.cues[j]
            if words[0].text in TURNS:
                return []
            if words[-1].text.endswith(VIEWS) and j + 1 < len(self.clauses):
                continue  # 随着 A，一般 来讲，B
            leading = [f for f in cues if is_trivial(self.clauses[j].between(self.clauses[j].start, f.start))]
            if any(f.cue.shape is Shape.OPENER for f in leading) or words[0].text in ADDITIONS:
                continue
            start = max([self.clauses[j].start, *(f.end for f in leading)])
            return [m for m in self._after(j, start) if states(self.clauses[j], m) or self._fills(j, start, m)]
        return []

    def _fills(self, i: int, start: int, mention: MentionSpan) -> bool:
        """Whether a mention of several words is all that its clause says: 列车晚点, where the tagger sees two nouns."""
        words = self.clauses[i].between(start, self.clauses[i].end)
        told = [w for w in words if w.flag != "x"]
        return len(told) > 1 and mention.start <= told[0].start and told[-1].end <= mention.end

    # --- shapes --------------------------------------------------------------------------------------------------

    def _verb(self, i: int, found: Found) -> Iterator[Link]:
        clause = self.clauses[i]
        before = clause.between(breaks(self.plain, self.cues[i], found.start, clause.start), found.start)
        heads, factor = self._before(i, found), 1.0
        nearest_only = False
        if not heads and is_trivial(before):
            if any(w.text in TURNS for w in before):
                return  # A，但 抑制 B 的 C: no effect of A
            linked = any(f.cue.shape is Shape.CONNECTIVE and f.end <= found.start for f in self.cues[i])
            if i == 0 and not (linked or starts_with_pronoun(clause.between(clause.start, found.start))):
                return
            heads, factor = self._last_of(i - 1)
            nearest_only = True
        tails = self._after(i, found.end)
        if _addressed(before) and not any(m.event for m in tails):
            return  # 对 … 造成 影响 says not which effect
        if clause.words[0].text == "当" and i + 1 < len(self.clauses):
            return  # 当 A 促使 B，C says when
        verb = self.plain[found.start : found.end]
        if (verb in SIGNED_CAUSATIVES or verb in DRIVERS) and not any(m.event for m in tails):
            tails = self._signed_tail(i, found) or (tails if found.cue.name == "verb-drive" else [])
        if not tails and found.cue.type is RelationType.SUPPORTING and i + 1 < len(self.clauses):
            tails = self._after(i + 1, self.clauses[i + 1].start)
        if found.cue.type is RelationType.SUPPORTING:
            heads, tails = [m for m in heads[-1:] if m.event or self._testifies(m)], tails[:1]
            yield from _pairs(found, heads, tails, factor, "verb")
            return
        heads = [m for m in heads if m.event is not None or found.cue.name not in _DRIVING or self._may_drive(i, m)]
        if found.cue.name == "verb-pass-on" and tails and tails[0].event is None:
            factor *= _WHERE_TO  # 波及 全国 says not what becomes of it
        yield from _pairs(found, heads[::-1][: 1 if nearest_only else 3], tails[:3], factor, "verb")
        if heads and not nearest_only and i > 0 and not self.cues[i - 1]:
            others = [m for m in self._last_of(i - 1)[0] if m.event]
            if clause.words[0].text not in TURNS:
                yield from _pairs(found, others[-1:], tails[:1], factor * _OTHER_CLAUSE, "verb-far-cause")
        if (
            tails
            and i + 1 < len(self.clauses)
            and not self.cues[i + 1]
            and self.clauses[i + 1].words[0].text not in TURNS
        ):
            others = [
                m for m in mentions(self.clauses[i + 1], self.clauses[i + 1].start, self.clauses[i + 1].end) if m.event
            ]
            yield from _pairs(found, heads[-1:], others[:1], factor * _OTHER_CLAUSE, "verb-far-effect")

    def _may_drive(self, i: int, mention: MentionSpan) -> bool:
        """Whether a mention names what may drive a change: 旺季 带动 价格 反弹, not 间接 带动."""
        words = [w for c in self.clauses[max(0, i - 1) : i + 1] for w in c.between(mention.start, mention.end)]
        named = any(is_noun(w) and w.text not in GENERIC and w.text not in PERSONS for w in words)
        return named and words[0].flag != "p" and not words[-1].flag.startswith(("d", "p"))

    def _testifies(self, mention: MentionSpan) -> bool:
        return mention.end - mention.start >= _TELLING or self.plain[mention.start : mention.end] in TESTIMONIES

    def _signed_tail(self, i: int, found: Found) -> list[MentionSpan]:
        """The effect of a verb that says the direction itself, the verb included: 推升 煤价."""
        clause = self.clauses[i]
        words = clause.between(found.start, next_break(self.cues[i], found.end, clause.end))
        return [MentionSpan(e.start, e.end, e) for e in find_events(words) if e.start == found.start][:1]

    def _connective(self, i: int, found: Found) -> Iterator[Link]:
        clause = self.clauses[i]
        before = clause.between(clause.start, found.start)
        start = clause.start if any(w.text not in TURNS for w in before) and not is_trivial(before) else found.end
        tails = self._after(i, found.end)
        if is_trivial(clause.between(found.end, clause.end)) and i + 1 < len(self.clauses):
            tails = self._after(i + 1, self.clauses[i + 1].start)  # 因此，…
        if start != found.end:
            tails = mentions(clause, start, clause.end)
        heads, factor = self._last_of(i - 1)
        behind = clause.between(found.end, clause.end)
        if behind and behind[0].text in ("虽然", "尽管", "虽", "如果", "若", "一旦"):
            return
        if found.cue.type is RelationType.CAUSAL and any(w.text in ADVICE for w in behind):
            return  # 因此建议买入 says what to do, not what follows
        if found.cue.type is RelationType.SEQUENTIAL:
            earlier = self.clauses[i - 1] if i > 0 else self.previous
            heads = [m for m in heads if earlier is not None and happens(earlier, m)]
            tails = [m for m in tails if happens(clause, m)]
        yield from _pairs(found, heads[-1:], tails[:1], factor, "connective")

    def _opener(self, i: int, found: Found) -> Iterator[Link]:
        clause = self.clauses[i]
        partner = self._partner(i, found)
        until = found.until or (partner[0] if partner else clause.end)
        resume = found.resume or (partner[1] if partner else clause.end)
        causes = mentions(clause, found.end, min(until, next_break(self.cues[i], found.end, until)))
        told = [w for w in clause.between(found.end, until) if w.flag[0] not in "xuycp"]
        if found.cue.name == "along-with" and len(told) == 1:
            causes = [m for m in causes if m.event]  # 随着 人群 names who else goes
        inner = [f for f in self.cues[i] if found.end <= f.start < until and f.cue.shape is Shape.VERB]
        inner = [f for f in inner if f.cue.name != "verb-signed"]  # 因为 A 拉低 B: all of it is the cause
        before = clause.between(breaks(self.plain, self.cues[i], found.start, clause.start), found.start)
        attributive = bool(inner) and self.plain[inner[-1].end : inner[-1].end + 1] == "的"
        if attributive and (not is_trivial(before) or any(w.flag.startswith("p") for w in before)):
            return  # 与 以往 由于 A 导致 的 B 不同，…
        if self._lists_on(i):
            return
        effect = self._parted_effect(i, found, until, resume)
        if effect is not None and causes:
            found = replace(found, until=until, resume=resume)
            yield from _pairs(found, causes[::-1][:1], [effect], 1.0, "opener-subject")
            return
        if inner and found.until is None and partner is None:
            causes = self._after(i, inner[-1].end)  # 由于 A 导致 B，C: the verb ties A to B, the opener B to C
        if self._told_in_front(i, found, before, resume):
            if not inner:
                yield from self._in_front(i, found, before, causes)
            return
        effects = self._effect(i, resume)
        if before and before[-1].text.endswith("是") and found.cue.name == "because":
            return  # 原因 还 是 因为 A，B: B adds to A
        if effects:
            # Where the next clause names a cause of its own, the opener may well reach over it.
            factor = _UNSURE if effects[0].event is None and self._has_verb_cue(effects[0]) else 1.0
            yield from _pairs(found, causes[::-1][:3], effects[:2], factor, "opener")
            for clause in self.clauses[i + 1 :]:
                if not adds(clause) or clause.end > effects[0].start:
                    break
                more = [m for m in mentions(clause, clause.start, clause.end) if m.event]
                yield from _pairs(found, more[-1:], effects[:1], _OTHER_IN_CLAUSE, "opener-added")
        elif found.resume is not None and not is_trivial(before) and self._after_moves(i, found.resume):
            causes = [m for m in causes if m.event is not None]
            yield from _pairs(found, causes[::-1][:3], self._before(i, found)[-1:], 1.0, "opener-subject")
        elif found.cue.subtype == "reason" and is_trivial(before) and found.cue.name != "along-with" and self._ends(i):
            if _is_further_item(before):
                return
            heads, factor = self._last_of(i - 1)
            yield from _pairs(found, causes[:2], heads[-1:], factor * 0.9, "opener-behind")

    def _told_in_front(self, i: int, found: Found, before: Sequence[Word], resume: int) -> bool:
        """Whether what stands before an opener in its clause is its effect: 煤价 下跌 由于 A; 家居 受 A 影响."""
        if find_events(before) or (has_verb(before) and i + 1 == len(self.clauses)):
            return True
        behind = [w for w in self.clauses[i].between(resume, self.clauses[i].end) if w.text not in _GREATLY]
        last = i + 1 == len(self.clauses) and is_trivial(behind)
        return found.cue.name == "affected-by" and last and bool(subject_of(before))

    def _in_front(self, i: int, found: Found, before: Sequence[Word], causes: Sequence[MentionSpan]) -> Iterator[Link]:
        if any(f.until is not None and f.end <= found.start < f.until for f in self.cues[i]):
            return  # 受 A、B 因 C 减产 等 影响: all of it is one cause
        if found.cue.subtype != "reason" or found.cue.name == "along-with":
            return
        effects = self._before(i, found)[-1:]
        sure = all(m.event for m in (*causes[:1], *effects))
        plainly = found.cue.name == "affected-by" and any(m.event or not predicates(before) for m in effects)
        unsure = _AFFECTED_UNSURE if plainly else _BEHIND_UNSURE
        yield from _pairs(found, causes[:2], effects, 1.0 if sure else unsure, "opener-behind")

    def _parted_effect(self, i: int, found: Found, until: int, resume: int) -> MentionSpan | None:
        """The effect of which the subject stands before the cause and the rest behind it: 棉价 受 减产 影响 上涨."""
        if found.cue.subtype != "reason" or found.cue.name == "because-short" or until <= found.end:
            return None  # S 因 A 而 V is read with the origins
        clause = self.clauses[i]
        behind = clause.between(resume, clause.end)
        if is_trivial(behind) and not any(direction_of(w) is not None for w in behind):
            if i + 1 == len(self.clauses) or self.cues[i + 1]:
                return None
            behind = self.clauses[i + 1].words
            if behind[0].text in ADDITIONS or behind[0].text in TURNS:
                return None
        return parted(clause.between(clause.start, found.start), behind)

    def _after_moves(self, i: int, position: int) -> bool:
        """Whether a thing named before the cue goes up or down behind it: 纸价 受 A 影响 小幅 上行."""
        return any(direction_of(w) is not None for w in self.clauses[i].between(position, self.clauses[i].end))

    def _ends(self, i: int) -> bool:
        """Whether nothing follows clause ``i`` that it could be the reason of."""
        return i + 1 == len(self.clauses) or self.clauses[i + 1].words[0].text in TURNS

    def _lists_on(self, i: int) -> bool:
        """Whether the clauses behind go on with the causes: 由于 A，B 等 原因，C."""
        for clause in self.clauses[i + 1 : i + 4]:
            words = [w for w in clause.words if w.flag != "x"]
            if len(words) > 1 and words[-1].text in ("原因", "因素", "影响") and words[-2].text in ("等", "多重", "的"):
                return True
        return False

    def _has_verb_cue(self, mention: MentionSpan) -> bool:
        """Whether a cue verb follows the mention in its clause."""
        return any(
            f.cue.shape is Shape.VERB and clause.start <= mention.start < f.start < clause.end
            for clause, cues in zip(self.clauses, self.cues, strict=True)
            for f in cues
        )

    def _partner(self, i: int, found: Found) -> tuple[int, int] | None:
        """The word in the same clause that opens the effect: 如果 A 就 B."""
        for word in self.clauses[i].between(found.end, self.clauses[i].end):
            so = word.text in SO_PARTNERS or (word.text == "而" and found.cue.subtype == "reason")
            so = so or (word.text in _TOGETHER_WITH and found.cue.name == "along-with")
            if so and self.clauses[i].between(found.end, word.start):
                is_verb = word.text in ("导致", "使得", "致使")
                return None if is_verb else (word.start, word.end)
        return None

    def _backward(self, i: int, found: Found) -> Iterator[Link]:
        clause = self.clauses[i]
        before = clause.between(breaks(self.plain, self.cues[i], found.start, clause.start), found.start)
        effects, factor = self._before(i, found), 1.0
        if is_trivial(before):
            if _is_further_item(before):
                return
            effects, factor = self._last_of(i - 1)
        stop = found.until or next_break(self.cues[i], found.end, clause.end)
        causes = mentions(clause, found.end, stop)
        if not causes and found.until is None and i + 1 < len(self.clauses):
            causes = self._after(i + 1, self.clauses[i + 1].start)
        if found.until is not None and not is_trivial(clause.between(found.resume or stop, clause.end)):
            return  # 由 A 引起 的 B is read by the verb
        yield from _pairs(found, causes[:3], effects[-1:], factor, "backward")

    def _closer(self, i: int, found: Found) -> Iterator[Link]:
        before = self._before(i, found)
        after = self._effect(i, found.end, reach=1)
        first, second = (after[:1], before[-1:]) if found.cue.reversed else (before[-1:], after[:1])
        yield from _pairs(found, first, second, 1.0, "closer")

    def _example(self, i: int, found: Found) -> Iterator[Link]:
        claims, factor = self._last_of(i - 1)
        yield from _pairs(found, self._after(i, found.end)[:1], claims[-1:], factor, "example")


def _is_further_item(before: Sequence[Word]) -> bool:
    """Whether a list of reasons goes on: B 一方面由于 A，另一方面由于 C does not say that C leads to A."""
    return any(w.text in FURTHER_ITEMS for w in before) or "另外一方面" in "".join(w.text for w in before)


def _addressed(before: Sequence[Word]) -> bool:
    """Whether 对 or 给 names on what a verb acts; 不对中 is one word to a reader."""
    return any(w.text in ("对", "给") and (not j or before[j - 1].text != "不") for j, w in enumerate(before))


def _may_lack_change(found: Found, tail: MentionSpan) -> bool:
    """Whether one end need be no change by its words: 旺季 带动 价格 反弹, 产销 增长 带动 行业 发展, 转冷 推高 气价."""
    if found.cue.name == "verb-signed":
        return tail.event is not None and bool(tail.event.attribute)
    return found.cue.name == "verb-drive"


def _pairs(
    found: Found, heads: Sequence[MentionSpan], tails: Sequence[MentionSpan], factor: float, rule: str
) -> Iterator[Link]:
    """Every head with every tail, the first of each at full worth."""
    for h, head in enumerate(heads):
        for t, tail in enumerate(tails):
            if head.end > tail.start and tail.end > head.start and tail.gap is None:
                continue
            plain = (head.event is None) + (tail.event is None)
            driven = plain == 1 and not t and _may_lack_change(found, tail)
            if found.cue.needs_events and plain and not driven:
                continue
            told = _DRIVEN if driven else 1.0
            yield Link(found, head, tail, told * factor * _OTHER_IN_CLAUSE**h * _OTHER_TAIL ** min(t, 1), rule)


__all__ = ["Link", "Passage"]
