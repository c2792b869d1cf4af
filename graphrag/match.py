"""From words to statements: nominated by full text and vectors, judged by their keys and names."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from extractors.keys import ATTRIBUTE_TERMS
from graphrag.calibration import Calibration
from graphrag.same_as import says_the_same
from storage.ports import GraphStore, Nomination, StatementView, TextIndex, Vector
from storage.records import Direction, Scope, Statement, StatementKey

Search = Callable[[], list[Nomination]]

NOMINATED = 60
"""Rows taken from each search of the statements before they are judged."""

CONFLICT = 0.3
"""What remains of a fit when direction, negation, thing or name contradict what was asked for."""

SUBSTITUTED = 0.75
"""What remains when each side names a thing that the other does not, besides what they share."""

RESTATED = 0.85
"""What remains when only the last word, mostly the verb, is another: *doubled* is not *was reduced*."""

UNNAMED = 0.75
"""What remains when a name was asked for and the statement names nothing of that kind."""

TRANSLATED = 0.9
"""Fit of a statement in the other language that names the same concepts, direction and negation."""

_MONTH = (  # not "may", which is a verb as often: it counts as a word when it is capitalised
    "january|february|march|april|june|july|august|september|october|november|december|"
    "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
)
_NUMERALS = "一二三四五六七八九十百零〇"
_NAMES = {
    "date": re.compile(
        rf"\b(?:{_MONTH})\b|(?<!\d)\d+\s*[年月日号]|(?<![{_NUMERALS}])[{_NUMERALS}]+[年月日号]|\b(?:1[89]|20)\d\d\b",
        re.IGNORECASE,
    ),
    "number": re.compile(r"\d+(?:[.,]\d+)*"),
    "word": re.compile(r"(?<=[^.!?\s]\s)\b[A-Z][\w-]*"),
}
"""What names one particular thing: dates, numbers, and in English a capital inside a sentence."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that name a statement, as they are compared; ``inside`` a whole question, which may name several."""

    text: str
    key: StatementKey | None
    inside: bool = False


@dataclass(frozen=True, slots=True)
class Match:
    """A statement that a phrase could mean, and how well it fits, in [0, 1]."""

    statement: StatementView
    score: float

    @property
    def id(self) -> str:
        """The statement's id."""
        return self.statement.statement.id


@dataclass(frozen=True, slots=True)
class Nominated:
    """The rows of statements that a search by vectors and one by words propose for a phrase."""

    near: Sequence[Nomination]
    worded: Sequence[Nomination]


def nominate(index: TextIndex, scope: Scope, phrase: str, vector: Vector) -> tuple[Search, Search]:
    """The two searches of the statements for ``phrase``, to be run; ``vector`` is its query vector."""
    return (
        partial(index.search_vector, "statements", vector, scope, limit=NOMINATED),
        partial(index.search_text, "statements", phrase, scope, limit=NOMINATED),
    )


def match(
    graph: GraphStore,
    scope: Scope,
    calibration: Calibration,
    asked: Phrase,
    nominated: Nominated,
    *,
    limit: int | None = None,
) -> list[Match]:
    """The visible statements that a phrase could mean, best first, ties by id."""
    similarity: dict[str, float] = {}
    for row in nominated.near:
        similarity[row.owner] = max(similarity.get(row.owner, 0.0), calibration.similarity(row.score))
    ids = dict.fromkeys([*similarity, *(row.owner for row in nominated.worded)])
    if asked.key is not None:
        ids[Statement(key=asked.key).id] = None
    found = graph.statements(list(ids), scope)
    matches = [
        Match(view, fit(asked, Phrase(view.text, view.statement.key), similarity.get(id_, 0.0)))
        for id_, view in found.items()
    ]
    matches.sort(key=lambda m: (-m.score, m.id))
    return matches[:limit]


def fit(asked: Phrase, found: Phrase, similarity: float) -> float:
    """How well a statement fits what was asked for, in [0, 1], rounded to 1e-6.

    Words decide where they agree; where one side only says more or less, the vectors carry up to half. Vectors hardly
    see directions, negations, names, or one thing or verb in the place of another: those cost most.
    """
    if asked.key is None or found.key is None:
        return round(0.5 * similarity, 6)
    if asked.key.language != found.key.language:
        return TRANSLATED if says_the_same(asked.key, found.key) else round(0.5 * similarity, 6)
    score = _words(asked, found.key, similarity)
    directions = {asked.key.direction, found.key.direction}
    if directions == {Direction.UP, Direction.DOWN}:
        score *= CONFLICT
    elif len(directions) == 2 and asked.key.direction is not Direction.NONE:
        score *= UNNAMED
    if asked.key.negated != found.key.negated:
        score *= CONFLICT
    return round(score * (1.0 if asked.inside else names_kept(asked.text, found.text)), 6)


def _words(asked: Phrase, found: StatementKey, similarity: float) -> float:
    assert asked.key is not None
    wanted, there = set(asked.key.terms), set(found.terms)
    common = wanted & there
    recall, precision = len(common) / len(wanted), len(common) / len(there)
    if asked.inside:
        return 0.25 * recall + 0.75 * precision
    words = 0.75 * recall + 0.25 * precision
    things = wanted - ATTRIBUTE_TERMS
    if things and not things & there:
        return CONFLICT * max(words, similarity)  # it is about another thing
    if there - wanted and wanted - there:  # each side says something that the other does not
        other_thing = wanted - there - {asked.key.terms[-1]}
        return (SUBSTITUTED if other_thing else RESTATED) * words
    return max(words, (words + similarity) / 2)


def names_kept(asked: str, found: str) -> float:
    """What remains of a fit by the names that were asked for: all of them there, none of that kind there, or others."""
    kept = 1.0
    for pattern in _NAMES.values():
        names = {_plain(n) for n in pattern.findall(asked)}
        if not names:
            continue
        if all(_stands_in(name, found) for name in names):
            continue
        kept = min(kept, CONFLICT if pattern.search(found) else UNNAMED)
    return kept


def _stands_in(name: str, text: str) -> bool:
    """Whether a name stands there as a whole: 1月 is not in 11月, 5 not in 15 or 1.5, Ann not in annual."""
    if name[0].isdecimal():
        before = r"(?<!\d)(?<!\d[.,])"
    else:
        before = f"(?<![{_NUMERALS}])" if name[0] in _NUMERALS else "(?<![a-z])"
    after = r"(?!\d|[.,]\d)" if name[-1].isdecimal() else "(?![a-z])"
    text = re.sub(r"(?<=\d)\s+(?=[年月日号])", "", text.casefold())
    return re.search(before + re.escape(name) + after, text) is not None


def _plain(text: str) -> str:
    return "".join(text.casefold().split())


def best(matches: Sequence[Match], *, floor: float) -> dict[str, float]:
    """Statement id → score of the matches at or above ``floor``."""
    return {m.id: m.score for m in matches if m.score >= floor}


__all__ = [
    "CONFLICT",
    "NOMINATED",
    "RESTATED",
    "SUBSTITUTED",
    "TRANSLATED",
    "UNNAMED",
    "Match",
    "Nominated",
    "Phrase",
    "Search",
    "best",
    "fit",
    "match",
    "names_kept",
    "nominate",
]
