"""From words to statements: nominated by full text and vectors, judged by their keys."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from extractors.keys import statement_key
from graphrag.calibration import Calibration
from storage.ports import GraphStore, StatementView, TextIndex, Vector
from storage.records import Direction, Scope, Statement, StatementKey

NOMINATED = 60
"""Rows taken from each search of the statements before they are judged."""

_CONFLICT = 0.3
"""What remains of a match whose direction, negation or named thing contradicts what was asked for."""

_NUMBER = re.compile(r"\d|^[一二三四五六七八九十百千万两零〇]+[年月日季号度期个次]")
_NAMED = re.compile(
    r"^(?:january|february|march|april|may|june|july|august|september|october|november|december|"
    r"monday|tuesday|wednesday|thursday|friday|saturday|sunday)$"
)


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
class Matcher:
    """What matching needs: the two stores, as one caller sees them, and the scale of the embedder."""

    graph: GraphStore
    index: TextIndex
    scope: Scope
    calibration: Calibration

    def match(self, phrase: str, language: str, vector: Vector, *, limit: int) -> list[Match]:
        """The statements that ``phrase`` could mean, best first, ties by id; ``vector`` is its query vector."""
        key = statement_key(phrase, language)
        similarity: dict[str, float] = {}
        for row in self.index.search_vector("statements", vector, self.scope, limit=NOMINATED):
            similarity[row.owner] = max(similarity.get(row.owner, 0.0), self.calibration.similarity(row.score))
        nominated = dict.fromkeys(similarity)
        nominated.update(
            dict.fromkeys(r.owner for r in self.index.search_text("statements", phrase, self.scope, limit=NOMINATED))
        )
        if key is not None:
            nominated[Statement(key=key).id] = None
        found = self.graph.statements(list(nominated), self.scope)
        names = named_terms(phrase, key)
        matches = [
            Match(view, fit(key, view.statement.key, names, similarity.get(id_, 0.0))) for id_, view in found.items()
        ]
        matches.sort(key=lambda m: (-m.score, m.id))
        return matches[:limit]


def fit(asked: StatementKey | None, found: StatementKey, names: frozenset[str], similarity: float) -> float:
    """How well a statement fits what was asked for, in [0, 1], rounded to 1e-6.

    Words decide where they agree; where they differ, the vectors carry at most half. A contradiction in direction or
    negation, or a name or number that was asked for and is not there, leaves little: vectors hardly see those.
    """
    if asked is None or asked.language != found.language:
        return round(0.5 * similarity, 6)
    wanted, there = set(asked.terms), set(found.terms)
    common = len(wanted & there)
    recall, precision = common / len(wanted), common / len(there)
    words = 0.75 * recall + 0.25 * precision
    score = max(words, (words + similarity) / 2)
    if {asked.direction, found.direction} == {Direction.UP, Direction.DOWN}:
        score *= _CONFLICT
    elif asked.direction is not found.direction and asked.direction is not Direction.NONE:
        score *= 0.7
    if asked.negated != found.negated:
        score *= _CONFLICT
    if names - there:
        score *= _CONFLICT
    return round(score, 6)


def named_terms(phrase: str, key: StatementKey | None) -> frozenset[str]:
    """The terms of a key that name one particular thing: numbers, months and days, and in English capitalised words."""
    if key is None:
        return frozenset()
    capitalised = {w.lower() for w in re.findall(r"\b[A-Z][\w-]*", phrase[1:])} if key.language == "en" else set()
    return frozenset(
        t for t in key.terms if _NUMBER.search(t) or _NAMED.match(t) or any(t[:4] == w[:4] for w in capitalised)
    )


def best(matches: Sequence[Match], *, floor: float) -> dict[str, float]:
    """Statement id → score of the matches at or above ``floor``."""
    return {m.id: m.score for m in matches if m.score >= floor}


__all__ = ["NOMINATED", "Match", "Matcher", "best", "fit", "named_terms"]
