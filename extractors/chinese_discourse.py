"""Connectives between whole clauses: 他没来，因为下雨了; 我们吃完饭之后，去散步; 他累了，甚至病了.

The rules of ``chinese_rules`` look for events with a direction. Where a sentence has none beside its connective, the
ends are whole clauses, and several where they share a subject.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from extractors.chinese_causatives import causatives
from extractors.chinese_clauses import Clause, Sentence
from extractors.chinese_closings import closings
from extractors.chinese_faults import faults
from extractors.chinese_groups import claims
from extractors.chinese_joints import CUE_OF, leads
from extractors.chinese_origins import origins
from extractors.chinese_reasons import (
    BECAUSE_WORDS,
    SO_WORDS,
    THEREBY_WORDS,
    WAKE_WORDS,
    because,
    provided,
    so,
    so_behind_subject,
)
from extractors.chinese_rules import Link, Passage
from extractors.chinese_succession import (
    AFTER_WORDS,
    BEFORE_WORDS,
    EVEN_WORDS,
    THEN_WORDS,
    around,
    even,
    inside,
    then,
    until_then,
)
from extractors.chinese_tables import listed
from extractors.chinese_transitives import workings
from extractors.chinese_words import Word

_SO, _THEREBY, _THEN, _CLAIM = CUE_OF["so"], CUE_OF["thereby"], CUE_OF["then"], CUE_OF["claim"]

READ_HERE = frozenset(
    (*BECAUSE_WORDS, *SO_WORDS, *THEREBY_WORDS, *THEN_WORDS, *AFTER_WORDS, *BEFORE_WORDS, *EVEN_WORDS)
).union(listed("主要是因为 主要因为"))
"""Cues whose links between clauses without events are read here."""


def discourse_links(passage: Passage, sentence: Sentence, previous: Sentence | None) -> Iterator[Link]:
    """The relations that connectives state between the clauses of a sentence, and with the sentence before."""
    yield from faults(sentence.clauses, stop=sentence.terminator)
    clauses = [*(previous.clauses if previous else ()), *passage.clauses]
    for link in _links(passage, previous):
        reason = link.found.cue.name in ("because", "so")
        if reason and claims(_with_frame(clauses, link)):
            link = link._replace(found=replace(link.found, cue=_CLAIM))
        yield link


def _with_frame(clauses: list[Clause], link: Link) -> list[Word]:
    """The words of the effect from the start of its clause, or from the cue in it."""
    clause = next(c for c in clauses if c.start <= link.tail.start < c.end)
    start = link.found.end if clause.start <= link.found.end <= link.tail.start else clause.start
    return [w for w in clause.words if start <= w.start < link.tail.end]


def _links(passage: Passage, previous: Sentence | None) -> Iterator[Link]:
    clauses = passage.clauses
    for i, clause in enumerate(clauses):
        yield from causatives(clauses, i)
        yield from workings(clauses, i)
        yield from origins(clauses, i)
        yield from closings(passage.plain, clauses, i)
        yield from provided(clauses, i)
        for word in clause.words:
            if word.text in BECAUSE_WORDS:
                yield from because(clauses, i, word, previous)
            elif word.text in SO_WORDS and leads(clause, word):
                yield from so(passage, i, word, previous, _SO)
            elif word.text in THEREBY_WORDS and leads(clause, word):
                yield from so(passage, i, word, previous, _THEREBY)
            elif word.text in WAKE_WORDS or (word.text in SO_WORDS and word.text != "故"):
                yield from so_behind_subject(clauses, i, word)
            elif word.text in THEREBY_WORDS:
                yield from inside(clause, word, _THEREBY)
            elif word.text in THEN_WORDS and leads(clause, word):
                yield from then(clauses, i, word, previous)
            elif word.text in ("然后", "接着"):
                yield from inside(clause, word, _THEN)
            elif word.text in AFTER_WORDS or word.text in BEFORE_WORDS:
                yield from around(clauses, i, word)
            elif word.text in EVEN_WORDS:
                yield from even(clauses, i, word, previous)
            elif word.text == "直到":
                yield from until_then(clauses, i, word)


__all__ = ["READ_HERE", "discourse_links"]
