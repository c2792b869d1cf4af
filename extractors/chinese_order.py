"""Events told one after the other without a cue: a weak sign that the earlier in the text leads to the later."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from extractors.chinese_changes import brings_about
from extractors.chinese_clauses import Clause, Found, Sentence
from extractors.chinese_cues import ADDITIONS, CHANGES, ORDER, TURNS, Shape
from extractors.chinese_events import Event, find_events, is_noun, is_skipped
from extractors.chinese_key import chinese_key
from extractors.chinese_lexicon import ATTRIBUTES, HAZARDS
from extractors.chinese_mentions import LONGEST, MentionSpan
from extractors.chinese_rules import Link, Passage
from extractors.chinese_spans import suppressed
from storage.records import StatementKey

_REACH = 4
"""Most events ahead that an event is tied to."""
_DECAY = 0.85
_BACKWARD = 0.6
"""Factor for the reading in which the effect is told first, of neighbours only."""
_FROM_BEFORE, _FROM_BEHIND = 0.85, 0.75
"""Factors for an event that takes its subject from the event before or behind it."""
_LEAST = 0.6
"""No factor falls below: what is linked at all leads to its passage."""
_CONCEDING = frozenset(("虽然", "尽管", "虽"))
_CONTRASTING = frozenset(("则", "却", "也", "亦"))
_MOST_EVENTS = 24
"""Events of one sentence that are tied to each other."""
_HAZARD_NOUNS = 3
"""Most words before a hazard that say which (非洲 猪瘟)."""


class Told(NamedTuple):
    """An event where a text tells it, by the key of what it says once its subject is put back."""

    place: int  # among the events of its sentence
    span: MentionSpan  # with the subject, where that stands elsewhere in the sentence
    key: StatementKey
    factor: float
    completed: bool
    own: MentionSpan  # the words of the event alone


class OrderLink(NamedTuple):
    """Two events that one sentence tells, and the keys of both."""

    link: Link
    head_key: StatementKey
    tail_key: StatementKey
    change: Link | None  # the same, where what changes says that the one brings about the other


def order_links(passage: Passage, sentence: Sentence, *, cued: bool) -> Iterator[OrderLink]:
    """The pairs of events of a sentence that may be cause and effect, each pair of keys once, the nearest first.

    ``cued`` says whether a cue of the sentence states a cause already.
    """
    told = told_events(passage, sentence)
    seen: set[tuple[StatementKey, StatementKey]] = set()
    for step in range(1, _REACH + 1):
        for first in told:
            for second in (t for t in told if t.place == first.place + step):
                turned = _turned(passage, first, second)
                change = None if turned else _change(passage, first, second, step, cued=cued)
                yield from _link(seen, *((second, first) if turned else (first, second)), step, change)
                if step == 1:
                    yield from _link(seen, *((first, second) if turned else (second, first)), None, None)


def _link(
    seen: set[tuple[StatementKey, StatementKey]], head: Told, tail: Told, step: int | None, change: Link | None
) -> Iterator[OrderLink]:
    if head.key == tail.key or (head.key, tail.key) in seen or _only_turned(head.key, tail.key):
        return
    seen.add((head.key, tail.key))
    factor = _BACKWARD if step is None else _DECAY ** (step - 1)
    factor = max(factor * head.factor * tail.factor, _LEAST)
    rule = "order-back" if step is None else "order-subject" if head.completed or tail.completed else "order"
    at = min(head.span.end, tail.span.end)
    link = Link(Found(ORDER, at, at), head.span, tail.span, factor, rule, whole=True)
    yield OrderLink(link, head.key, tail.key, change)


def _change(passage: Passage, head: Told, tail: Told, step: int, *, cued: bool) -> Link | None:
    """Two changes of kinds of which the one brings about the other, where nothing between them speaks against it."""
    completed = head.completed or tail.completed
    if head.own.end > tail.own.start or (completed and (step > 1 or cued)):
        return None
    alone = not cued and len(_opened_between(passage, head, tail)) <= 1 and not _listed(passage, head, tail)
    confidence = brings_about(head.key, tail.key, step=step, completed=completed, alone=alone)
    if not confidence or _set_apart(passage, head, tail):
        return None
    at = min(head.own.end, tail.own.end)
    return Link(Found(CHANGES, at, at), head.own, tail.own, confidence, "subject" if completed else "order", whole=True)


def _opened_between(passage: Passage, head: Told, tail: Told) -> list[Clause]:
    """The clauses that begin behind the first and up to the second."""
    return [c for c in passage.clauses if head.own.start < c.start <= tail.own.start]


def _listed(passage: Passage, head: Told, tail: Told) -> bool:
    """Whether the same is told of two things with figures, or beside each other: 铜价 上涨 2%，铝价 则 上涨."""
    if not head.span.event or not tail.span.event or head.span.event.attribute != tail.span.event.attribute:
        return False
    clause = next((c for c in passage.clauses if c.start <= tail.own.start < c.end), passage.clauses[-1])
    told = passage.plain[head.own.start : clause.end]
    return any(map(str.isdigit, told)) or any(w.text in _CONTRASTING for w in clause.words)


def _set_apart(passage: Passage, head: Told, tail: Told) -> bool:
    """Whether a word that turns or adds opens a clause between the two: 产量 下降，但 价格 下跌; 同时 价格 上涨."""
    opening = [c.words[0].text for c in _opened_between(passage, head, tail)]
    own = next((c.words[0].text for c in passage.clauses if c.start <= head.own.start < c.end), "")
    return own in _CONCEDING or any(word in TURNS or word in ADDITIONS for word in opening)


def _only_turned(head: StatementKey, tail: StatementKey) -> bool:
    """价格上涨 and 价格下跌 follow each other in time, and neither comes of the other."""
    return head.terms == tail.terms


def _turned(passage: Passage, first: Told, second: Told) -> bool:
    """Whether a cue that names the cause second stands in between."""
    return any(
        f.cue.shape is Shape.BACKWARD and first.span.start <= f.start < second.span.end and f.cue.name != "caused-by"
        for cues in passage.cues
        for f in cues
    )


def told_events(passage: Passage, sentence: Sentence) -> list[Told]:
    """The events of a sentence in order; one without a subject stands once for each subject that it may have."""
    events: list[tuple[int, int, Event | None]] = []
    for clause in passage.clauses:
        found = [(e.start, e.end, e) for e in find_events(clause.words) if e.end - e.start <= LONGEST]
        events += sorted([*found, *_hazards(clause, found)], key=lambda place: place[:2])
    events = events[:_MOST_EVENTS]
    told: list[Told] = []
    for place, (start, end, event) in enumerate(events):
        if suppressed(passage, sentence, MentionSpan(start, end, event)) is not None:
            continue  # 抑制 价格 反弹
        if event is None:
            if key := chinese_key(passage.plain[start:end]):
                span = MentionSpan(start, end, None)
                told.append(Told(place, span, key, 1.0, completed=False, own=span))
        elif _things(event):
            span = MentionSpan(start, end, event)
            told.append(Told(place, span, _key(event, event), 1.0, completed=False, own=span))
        else:
            told += _completed(place, event, events)
    return told


def _completed(place: int, event: Event, events: Sequence[tuple[int, int, Event | None]]) -> Iterator[Told]:
    """An event without a subject (价格 上涨) with that of the nearest event before, and of the nearest behind."""
    before = next((e for _, _, e in reversed(events[:place]) if e and _things(e)), None)
    behind = next((e for _, _, e in events[place + 1 :] if e and _things(e)), None)
    for other, factor in ((before, _FROM_BEFORE), (behind, _FROM_BEHIND)):
        if other is not None:
            own = MentionSpan(event.start, event.end, event)
            span = MentionSpan(min(event.start, other.start), max(event.end, other.end), event)
            span = own if span.end - span.start > LONGEST else span
            yield Told(place, span, _key(event, other), factor, completed=True, own=own)


def _things(event: Event) -> list[str]:
    return [t for t in event.terms if t != event.attribute]


def _key(event: Event, subject: Event) -> StatementKey:
    """The key of an event by the name of what ``subject`` is about."""
    attribute = (event.attribute,) if event.attribute else ()
    terms = event.terms if subject is event else (*_things(subject), *attribute)
    return StatementKey(language="zh", terms=terms[:24], direction=event.direction, negated=event.negated)


def _hazards(clause: Clause, events: Sequence[tuple[int, int, Event]]) -> Iterator[tuple[int, int, None]]:
    """What befalls a thing without a direction of its own, with the nouns before it: 非洲 猪瘟."""
    for i, word in enumerate(clause.words):
        if word.text not in HAZARDS or any(start < word.end and word.start < end for start, end, _ in events):
            continue
        first = i
        while first > max(0, i - _HAZARD_NOUNS) and _names_hazard(clause, first - 1):
            first -= 1
        yield clause.words[first].start, word.end, None


def _names_hazard(clause: Clause, i: int) -> bool:
    word = clause.words[i]
    return is_noun(word) and not is_skipped(word) and word.text not in ATTRIBUTES and word.text not in HAZARDS


__all__ = ["OrderLink", "Told", "order_links", "told_events"]
