"""Reasons and results between whole clauses: 因为 and 所以, before, behind and in pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from extractors.chinese_clauses import Clause, Sentence
from extractors.chinese_cues import NEGATIONS, Cue, Shape
from extractors.chinese_groups import Span, ahead, back, framed, names, only, predicates, tells
from extractors.chinese_joints import BUT, CUE_OF, leads, linked
from extractors.chinese_rules import Link, Passage
from extractors.chinese_tables import listed
from extractors.chinese_words import Word
from storage.records import RelationType

_BECAUSE, _SO = CUE_OF["because"], CUE_OF["so"]
_WAKE = Cue("in-its-wake", Shape.CONNECTIVE, RelationType.CAUSAL, "result", 0.65, ())
_PROVIDED = Cue("provided", Shape.CLOSER, RelationType.CAUSAL, "condition", 0.6, ())

BECAUSE_WORDS = frozenset(listed("因为 正因为 只因 是因为 就是因为 正是因为"))
SO_WORDS = frozenset(listed("所以 因此 因而 故而 故"))
THEREBY_WORDS = frozenset(listed("以至于 以致 以致于 以至 从而"))
WAKE_WORDS = frozenset(("随之",))
_SUBJECT = 4
"""Most words of a subject before its connective."""
_RULES = frozenset(listed("应当 应 须 必须 可以 可 有权 无权 不得 不予 由 处 按 按照 依照 承担 视为 予以 给予"))
"""Words by which a rule says what follows from a case."""
_RULED_WITHIN = 4
"""Words of a clause among which one of them stands."""
_PARTNERS = frozenset(listed("所以 因此 因而 那么 于是 故而 故"))
_PARTNER_REACH = 4
"""Clauses ahead in which the second half of 因为 … 所以 stands."""
_ASKS = frozenset(listed("为什么 为何 吗 怎么 难道"))
_RESULTS = frozenset(listed("就 才 便 只好 只能 不得不 必须 最终 终于 被"))
"""Adverbs of a clause that follows from the one before."""
_VIEWS = frozenset(listed("预计 预测 估计 判断"))
"""因此 预计 …: what one expects follows from more than one event."""
_LEADING_ON = ("verb-cause", "verb-produce", "verb-make", "verb-drive")
"""Verbs whose effect is what the next clause follows from: A 导致 B，从而 C."""
_PERSONS = frozenset(listed("我 你 您 他 她 它 我们 你们 他们 她们 它们 咱们 大家"))
_OPENED = frozenset(listed("随着 由于 受 虽然 尽管 如果 若 一旦"))
"""Words after 所以 that open another clause first."""
_PARALLEL = frozenset(listed("也 而且 并且 但 但是 或者 或 又 还 包括 也是 甚至 或是"))
_SENTENCE_BEFORE = 0.9
_DIRECT = 0.7
"""Factor of a reading that another one competes with: 因为 A，B may explain the sentence before."""


def because(clauses: Sequence[Clause], i: int, word: Word, previous: Sentence | None) -> Iterator[Link]:
    clause = clauses[i]
    partner = _partner(clauses, i, word)
    if partner is not None:
        j, so = partner
        cause = ahead(clauses, i, word.end, stop=j, all=True) if j > i else only(clause, word.end, so.start)
        effect = ahead(clauses, j, so.end)
        yield from linked(word, _BECAUSE, cause, effect, "pair")
        return
    cause = ahead(clauses, i, word.end, all=True)
    before = clause.between(clause.start, word.start)
    if not leads(clause, word):
        if predicates(before) and before[-1].text not in ("会", "能", "是", "可能", "并"):
            yield from linked(word, _BECAUSE, cause, _effect_before(clauses, i, word), "clause-behind")
        elif word.text.endswith("是因为"):
            effect = only(clause, clause.start, word.start)  # 煤炭 是因为 寒潮: what of it is not said
            yield from linked(word, _BECAUSE, cause, effect, "thing-behind", _DIRECT)
        return
    told = clause.between(word.end, clause.end)
    turned = any(w.text in BUT for w in before)
    frame = framed(clause) or (bool(told) and told[0].text in ("在", "对于", "为了", "当"))
    named = names(told) and not (i and told[0].text in _PERSONS) and not _says_why(clauses, i + 1)
    if i + 1 < len(clauses) and (named or turned) and not frame and word.text != "是因为":
        effect = ahead(clauses, i + 1, clauses[i + 1].start)
        yield from linked(word, _BECAUSE, only(clause, word.end, clause.end), effect, "clause")
    elif i > 0 and _complete(clauses[i - 1]):
        while i > 1 and any(w.text in BECAUSE_WORDS for w in clauses[i - 1].words):
            i -= 1  # A，因为 B，也因为 C
        yield from linked(word, _BECAUSE, cause, _effect_before(clauses, i, None), "clause-behind")
    elif i == 0 and previous is not None and not _asked(previous.clauses[-1].words):
        effect = back(previous.clauses, len(previous.clauses) - 1)
        yield from linked(word, _BECAUSE, cause, effect, "sentence-behind", _SENTENCE_BEFORE)
    elif i == 0 and _forward(clauses):
        effect = ahead(clauses, 1, clauses[1].start)
        factor = 1.0 if _plain(clauses) else _DIRECT
        yield from linked(word, _BECAUSE, only(clause, word.end, clause.end), effect, "clause", factor)


def _says_why(clauses: Sequence[Clause], i: int) -> bool:
    return i < len(clauses) and any(w.text in BECAUSE_WORDS for w in clauses[i].words)


def _partner(clauses: Sequence[Clause], i: int, word: Word) -> tuple[int, Word] | None:
    for j in range(i, min(len(clauses), i + 1 + _PARTNER_REACH)):
        for other in clauses[j].words:
            if other.start <= word.end:
                continue
            if other.text in BECAUSE_WORDS:
                return None
            if (other.text in _PARTNERS and (j == i or leads(clauses[j], other))) or (other.text == "而" and j == i):
                return j, other
    return None


def _effect_before(clauses: Sequence[Clause], i: int, word: Word | None) -> Span | None:
    """The effect in front of 因为: the clauses before it, or the words before it in its own."""
    words = clauses[i].between(clauses[i].start, word.start) if word else clauses[i - 1].words
    if _asked(words) or not predicates(words) or any(w.text in BECAUSE_WORDS for w in words):
        return None
    of = _of_reason(words)
    if of is not None:
        return only(clauses[i], clauses[i].start, of) if word else only(clauses[i - 1], clauses[i - 1].start, of)
    return only(clauses[i], clauses[i].start, word.start) if word else back(clauses, i - 1)


def _of_reason(words: Sequence[Word]) -> int | None:
    """Where what a reason is given of ends: 销量 下滑 的 主要 原因 是 因为."""
    named = next((j for j, w in enumerate(words) if w.text in ("原因", "理由")), None)
    if named is None:
        return None
    return next((w.start for w in reversed(words[max(0, named - 3) : named]) if w.text == "的"), None)


def _complete(clause: Clause) -> bool:
    return predicates(clause.words) and not framed(clause)


def _forward(clauses: Sequence[Clause]) -> bool:
    """Whether 因为 A，B says that A causes B: two whole clauses, the second no addition to the first."""
    if not 1 < len(clauses) <= 3 or not _complete(clauses[0]) or not predicates(clauses[1].words):
        return False
    first = clauses[1].words[0].text
    return first not in _PARALLEL and clauses[0].words[1:2] != [] and clauses[0].words[1].text not in ("在", "就像")


def _plain(clauses: Sequence[Clause]) -> bool:
    """Whether 因为 A，B surely reads forward: written text without pronouns, or a second clause that says so."""
    return any(w.text in _RESULTS for w in clauses[1].words) or not any(
        w.flag.startswith("r") for c in clauses for w in c.words
    )


def _asked(words: Sequence[Word]) -> bool:
    return any(w.text in _ASKS for w in words)


def so(passage: Passage, i: int, word: Word, previous: Sentence | None, cue: Cue) -> Iterator[Link]:
    clauses = passage.clauses
    if any(w.text in BECAUSE_WORDS for c in clauses[: i + 1] for w in c.words if w.start < word.start):
        return  # read with its first half
    effect = ahead(clauses, i, word.end)
    told = next((c for c in clauses[i : i + 2] if effect and c.start <= effect[0] < c.end), None)
    if told is None or framed(told):
        return  # 因此，在 A 的 情况 下，B
    views = any(w.text in _VIEWS for w in clauses[i].between(word.end, clauses[i].end)[:2])
    opened = any(w.text in _OPENED for w in clauses[i].between(word.end, clauses[i].end)[:4])
    factor = _DIRECT if views or opened else 1.0
    if i > 0:
        own = [f.end for f in passage.cues[i - 1] if f.cue.shape is Shape.VERB and f.cue.name in _LEADING_ON]
        cause = back(clauses, i - 1, position=max(own, default=None))
        if cause is None and i > 1:
            cause = back(clauses, i - 2)
        if cause is not None:
            yield from linked(word, cue, cause, effect, "clauses", factor)
            return
    if previous is not None:
        cause = back(previous.clauses, len(previous.clauses) - 1)
        yield from linked(word, cue, cause, effect, "sentence-before", _SENTENCE_BEFORE * factor)


def so_behind_subject(clauses: Sequence[Clause], i: int, word: Word) -> Iterator[Link]:
    """A，S 因此 V: the clause before and the whole of this one."""
    subject = clauses[i].between(clauses[i].start, word.start)
    if not i or not subject or len(subject) > _SUBJECT or not all(w.flag[0] in "njvb" for w in subject):
        return
    if not tells(clauses[i].between(word.end, clauses[i].end)) or framed(clauses[i]):
        return
    cue = _SO if word.text in SO_WORDS else _WAKE if word.text in WAKE_WORDS else CUE_OF["thereby"]
    effect = only(clauses[i], clauses[i].start, clauses[i].end)
    yield from linked(word, cue, back(clauses, i - 1), effect, "behind-subject")


def provided(clauses: Sequence[Clause], i: int) -> Iterator[Link]:
    """承租人违约的，出租人可以解除合同: what the law ties to a case."""
    words = clauses[i].words
    if i + 1 >= len(clauses) or len(words) < 2 or words[-1].text != "的":
        return
    if not predicates(words[:-1]) and not any(w.text in NEGATIONS for w in words):
        return
    told = clauses[i + 1].words[:_RULED_WITHIN]
    if any(w.text in _RULES for w in told) and not any(w.flag.startswith("r") for w in words):
        case = only(clauses[i], clauses[i].start, words[-1].start)
        yield from linked(words[-1], _PROVIDED, case, ahead(clauses, i + 1, clauses[i + 1].start), "clauses")


__all__ = ["BECAUSE_WORDS", "SO_WORDS", "THEREBY_WORDS", "WAKE_WORDS", "because", "provided", "so", "so_behind_subject"]
