"""Causes of several clauses that one word closes: 主要是 A，B 所致; 受 A，B 的 影响，C."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from extractors.chinese_clauses import Clause
from extractors.chinese_cues import AFFECTED_ENDS, BACKGROUND_ENDS, CAUSED_ENDS, TIME_ENDS, TURNS
from extractors.chinese_events import find_events, is_noun
from extractors.chinese_groups import Span, ahead, back, framed, only, predicates, without_adverbs
from extractors.chinese_joints import CUE_OF, linked
from extractors.chinese_mentions import is_trivial
from extractors.chinese_origins import CAUSED_BY
from extractors.chinese_rules import Link
from extractors.chinese_tables import listed
from extractors.chinese_words import Word

_AFFECTED = CUE_OF["affected-by"]
_ARE = frozenset(listed("是 系 均系 都是 就是 正是 由"))
_UNDER = frozenset(listed("受 受到 受累于"))
_MAINLY_UNDER = frozenset(listed("主要受 主要是受 是受"))
_MAINLY = frozenset(listed("主要 主要是 也 同样 均 都 是"))
_REASON_OF = re.compile("的?(?:主要|重要|直接)?(?:原因|因素|影响)$")
_CAUSED = tuple(sorted((*CAUSED_ENDS, "所造成的", "造成的", "导致的", "引起的"), key=len, reverse=True))
_AFFECTING = tuple(sorted(AFFECTED_ENDS, key=len, reverse=True))
_UNOPENED = tuple(
    sorted(
        {e for e in AFFECTED_ENDS if e.startswith("等") and "因素" in e}
        | {e for e in BACKGROUND_ENDS if e.startswith("的") and not e.endswith(TIME_ENDS)},
        key=lambda end: (-len(end), end),
    )
)
"""Words that close a cause also where nothing opens it."""
_BARELY = tuple(
    word + end
    for end in ("下", "")
    for word in listed("影响 推动 带动 拉动 支撑 刺激 提振 拖累 驱动 打压 作用 压力")
    if end or word not in ("作用", "压力")
)
"""The same right behind a change: 需求 复苏 推动，B."""
_OPENING = frozenset(listed("受 受到 由于 因 因为 在 随着 考虑 考虑到 有"))
_REACH = 2
"""Clauses ahead in which the closing word stands."""


def closings(plain: str, clauses: Sequence[Clause], i: int) -> Iterator[Link]:
    """The causes that clause ``i`` opens and a later one closes, each with what they are causes of."""
    yield from _under(plain, clauses, i)
    for word in clauses[i].words:
        if word.text in _ARE:
            yield from _caused(plain, clauses, i, word)
        elif word.text in _UNDER | _MAINLY_UNDER:
            yield from _affected(plain, clauses, i, word)


def _under(plain: str, clauses: Sequence[Clause], i: int) -> Iterator[Link]:
    """A 的 带动 下，B; A1、A2 等 因素 影响，B: a cause that nothing opens."""
    clause = clauses[i]
    ended = _ended(plain, clause, (*_UNOPENED, *_BARELY))
    opened = any(w.flag == "p" or w.text in _OPENING for w in clause.words)
    if ended is None or opened or i + 1 >= len(clauses) or clauses[i + 1].words[0].text in TURNS:
        return
    end, stop = ended
    closing = next((w for w in clause.words if w.start == stop), None)
    told_of = without_adverbs(clause.between(clause.start, stop))
    cause = only(clause, told_of[0].start, told_of[-1].end) if told_of else None
    if closing is None or cause is None:
        return
    events = find_events(clause.between(*cause))
    named = events or any(is_noun(w) for w in clause.between(*cause))
    if not named or (end in _BARELY and [e.end for e in events][-1:] != [cause[1]]):
        return
    yield from linked(closing, _AFFECTED, cause, _told_behind(clauses, i), "unopened")


def _caused(plain: str, clauses: Sequence[Clause], i: int, word: Word) -> Iterator[Link]:
    """B，主要是 A1，A2 所致."""
    closed = _closed(plain, clauses, i, _CAUSED)
    if closed is None:
        return
    j, stop = closed
    if any(w.text in _ARE for c in clauses[i + 1 : j + 1] for w in c.words):
        return
    before = without_adverbs([w for w in clauses[i].words if w.end <= word.start and w.text not in _MAINLY])
    if before:
        effect = only(clauses[i], before[0].start, before[-1].end) if predicates(before) else None
    else:
        effect = _told_before(plain, clauses, i)
    for cause in _causes(clauses, i, j, word, stop):
        yield from linked(word, CAUSED_BY, cause, effect, "closing")


def _affected(plain: str, clauses: Sequence[Clause], i: int, word: Word) -> Iterator[Link]:
    """受 A1，A2 的 影响，B; B，主要受 A1，A2 的 影响."""
    closed = _closed(plain, clauses, i, _AFFECTING)
    if closed is None:
        return
    j, stop = closed
    before = clauses[i].between(clauses[i].start, word.start)
    follows = j + 1 < len(clauses) and clauses[j + 1].words[0].text not in TURNS
    mainly = word.text in _MAINLY_UNDER or any(w.text in _MAINLY for w in before)
    if not is_trivial(before):
        effect = only(clauses[i], clauses[i].start, word.start) if predicates(before) else None
    elif follows and not mainly:
        effect = _told_behind(clauses, j)
    else:
        effect = _told_before(plain, clauses, i)
    for cause in _causes(clauses, i, j, word, stop):
        yield from linked(word, _AFFECTED, cause, effect, "closing")


def _told_behind(clauses: Sequence[Clause], i: int) -> Span | None:
    """The effect that the clauses behind clause ``i`` tell, without one that only frames it."""
    first = i + 2 if framed(clauses[i + 1]) and i + 2 < len(clauses) else i + 1
    return ahead(clauses, first, clauses[first].start)


def _told_before(plain: str, clauses: Sequence[Clause], i: int) -> Span | None:
    """The effect that the clauses before name, without what only calls it one: B 的 主要 原因 是 …."""
    span = back(clauses, i - 1) if i else None
    if span is None:
        return None
    named = _REASON_OF.search(plain[span[0] : span[1]])
    return (span[0], span[0] + named.start()) if named and named.start() > 1 else span


def _closed(plain: str, clauses: Sequence[Clause], i: int, ends: Sequence[str]) -> tuple[int, int] | None:
    """The later clause that ends with a closing word, and where that begins; None where the own one does."""
    for j in range(i, min(len(clauses), i + 1 + _REACH)):
        ended = _ended(plain, clauses[j], ends)
        if ended is not None:
            return (j, ended[1]) if j > i else None
        if j > i and clauses[j].words[0].text in TURNS:
            break
    return None


def _ended(plain: str, clause: Clause, ends: Sequence[str]) -> tuple[str, int] | None:
    """The first of ``ends`` that the clause ends with, and where in the text that begins."""
    told = plain[clause.start : clause.end].rstrip()
    end = next((e for e in ends if told.endswith(e)), None)
    return (end, clause.start + len(told) - len(end)) if end is not None else None


def _causes(clauses: Sequence[Clause], i: int, j: int, word: Word, stop: int) -> list[Span]:
    """What each of the clauses from the opening word to the closing one says."""
    stretches = [(word.end, clauses[i].end), *((c.start, c.end) for c in clauses[i + 1 : j]), (clauses[j].start, stop)]
    told = (only(c, start, end) for c, (start, end) in zip(clauses[i : j + 1], stretches, strict=True))
    return [span for span in told if span is not None]


__all__ = ["closings"]
