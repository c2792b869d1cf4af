"""What follows what: 然后, 之后, 之前, 直到 between clauses, and 甚至, which goes a step beyond."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from extractors.chinese_clauses import Clause, Sentence
from extractors.chinese_cues import Cue
from extractors.chinese_groups import FRAMES, LIGHT, Span, acts, ahead, framed, goes_on, only, predicates, tells
from extractors.chinese_joints import CUE_OF, linked
from extractors.chinese_rules import Link
from extractors.chinese_tables import listed
from extractors.chinese_words import Word

_THEN, _AFTER, _BEFORE, _EVEN = CUE_OF["then"], CUE_OF["after"], CUE_OF["before"], CUE_OF["even"]

THEN_WORDS = frozenset(listed("然后 接着 随后 之后 后来 紧接着 接下来 随即 而后"))
AFTER_WORDS = frozenset(listed("之后 以后 后"))
BEFORE_WORDS = frozenset(listed("之前 以前 前"))
EVEN_WORDS = frozenset(listed("甚至 甚至于 乃至 乃至于"))
_OPENED = frozenset(listed("随着 由于 因为 受 受到"))
"""Words that open a cause: what they stand before is not what comes next."""
_VIEWS = frozenset(listed("预计 估计 预测 判断"))
_WHEN_LEADS = frozenset(listed("当 在 等 等到 自从 自 每当 直到 从 继"))
_SENTENCE_BEFORE = 0.85
_EVEN_BEFORE = 0.9


def then(clauses: Sequence[Clause], i: int, word: Word, previous: Sentence | None) -> Iterator[Link]:
    later, at = _told(clauses, i, word.end), i
    if later is None and i + 1 < len(clauses):
        later, at = only(clauses[i + 1], clauses[i + 1].start, clauses[i + 1].end), i + 1
    told = clauses[at].between(later[0], clauses[at].end) if later is not None else []
    if not told or told[0].text in _OPENED or not acts(told):
        return
    j = i - 1
    while j > 0 and not acts(clauses[j].words):
        j -= 1
    if j >= 0:
        if acts(clauses[j].words):
            yield from linked(word, _THEN, only(clauses[j], clauses[j].start, clauses[j].end), later, "clauses")
    elif previous is not None and acts(previous.clauses[-1].words):
        last = previous.clauses[-1]
        yield from linked(word, _THEN, only(last, last.start, last.end), later, "sentence-before", _SENTENCE_BEFORE)


def _told(clauses: Sequence[Clause], i: int, position: int) -> Span | None:
    """What clause ``i`` says from ``position`` on, with what follows where it only says that something is said."""
    words = [w for w in clauses[i].words if w.start >= position and any(map(str.isalnum, w.text))]
    if words and words[-1].text in FRAMES:
        return ahead(clauses, i, position, all=True)
    return only(clauses[i], position, clauses[i].end)


def inside(clause: Clause, word: Word, cue: Cue) -> Iterator[Link]:
    """A 然后 B and A 以至于 B without a comma."""
    before, after = clause.between(clause.start, word.start), clause.between(word.end, clause.end)
    if acts(before) and acts(after) and not (before[0].text == "在" and framed(clause)):
        ends = only(clause, clause.start, word.start), only(clause, word.end, clause.end)
        yield from linked(word, cue, *ends, "inside")


def around(clauses: Sequence[Clause], i: int, word: Word) -> Iterator[Link]:
    """A 之后，B and A 之前，B; also without the comma."""
    clause = clauses[i]
    before = [w for w in clause.words if w.end <= word.start]
    after = [w for w in clause.words if w.start >= word.end]
    if len(before) > 2 and before[0].flag.startswith("r") and (before[1].text in FRAMES or before[1].text in _VIEWS):
        before = before[2:]
    while before and (before[0].text in _WHEN_LEADS or before[0].text in LIGHT or before[0].flag in ("x", "c")):
        before = before[1:]
    if any(w.text == "直到" for w in clause.words if w.end <= word.start):
        return
    if not before or not acts(before) or before[-1].flag.startswith(("f", "p")):
        return
    if before[-1].text.endswith(("月", "日", "号", "季度", "旬", "年底", "年初")):
        return  # a date
    if before[-1].text in ("相比", "的", "比", "跟", "和"):
        return
    if all(
        w.text in ("进入", "到", "到了", "年", "月", "月份", "上旬", "中旬", "下旬")
        or w.flag.startswith(("t", "m", "q", "x"))
        for w in before
    ):
        return  # 进入 2000 年 以后
    first = only(clause, before[0].start, word.start)
    short_word = word.text in ("后", "前")
    if any(any(map(str.isalnum, w.text)) and w.flag not in ("y", "e") for w in after):
        if short_word or word.text in BEFORE_WORDS or after[0].text == "的" or not predicates(after):
            return
        second = _told(clauses, i, word.end)
    else:
        j = i + 1
        while j < len(clauses) and only(clauses[j], clauses[j].start, clauses[j].end) is None:
            j += 1
        if j >= len(clauses):
            return
        stop = j + 2 if not goes_on(clauses[j].words) else j + 1
        whole = clauses[j].words[-1].text in FRAMES
        second = ahead(clauses, j, clauses[j].start, stop=None if whole else stop, all=True)
        if not any(goes_on(c.words) for c in clauses[j:stop]):
            return
    if second is None or any(w.text in _OPENED for w in clauses[i].words if w.start >= word.end):
        return
    told = [c for c in clauses if c.start < second[1] and second[0] < c.end]
    if any(w.text in _OPENED and w.end > word.end and w.start < second[1] for c in told for w in c.words):
        return
    if word.text in AFTER_WORDS:
        yield from linked(word, _AFTER, first, second, "clauses")
    else:
        yield from linked(word, _BEFORE, second, first, "clauses")


def even(clauses: Sequence[Clause], i: int, word: Word, previous: Sentence | None) -> Iterator[Link]:
    clause = clauses[i]
    before, after = clause.between(clause.start, word.start), clause.between(word.end, clause.end)
    if not predicates(after) or after[0].flag == "m" or predicates([w for w in before if w.text not in LIGHT]):
        return
    base = clauses[i - 1] if i else previous.clauses[-1] if previous else None
    if base is None or not predicates(base.words) or framed(base):
        return
    subject = any(w.flag.startswith("n") for w in before)
    start = clause.start if subject and i else word.end  # 硅片 价格 甚至 腰斩
    ends = only(base, base.start, base.end), only(clause, start, clause.end)
    yield from linked(word, _EVEN, *ends, "clauses" if i else "sentence-before", 1.0 if i else _EVEN_BEFORE)


def until_then(clauses: Sequence[Clause], i: int, word: Word) -> Iterator[Link]:
    """A，直到 B and 直到 A，才 B."""
    told = [w for w in clauses[i].words if w.start >= word.end]
    while told and (told[-1].text in AFTER_WORDS or told[-1].flag == "x"):
        told = told[:-1]
    if not told or not acts(told):
        return
    until = only(clauses[i], word.end, told[-1].end)
    if i + 1 < len(clauses) and any(w.text == "才" for w in clauses[i + 1].words[:4]):
        yield from linked(word, _AFTER, until, _told(clauses, i + 1, clauses[i + 1].start), "until")
    elif predicates(clauses[i].between(clauses[i].start, word.start)):
        yield from linked(word, _THEN, only(clauses[i], clauses[i].start, word.start), until, "until")
    elif i and tells(clauses[i - 1].words):
        yield from linked(word, _THEN, only(clauses[i - 1], clauses[i - 1].start, clauses[i - 1].end), until, "until")


__all__ = ["AFTER_WORDS", "BEFORE_WORDS", "EVEN_WORDS", "THEN_WORDS", "around", "even", "inside", "then", "until_then"]
