"""Sentences, clauses and cues of a Chinese text, with their offsets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from extractors.chinese_cues import CUES, HEAPED, ORIGIN_NOUNS, Cue, Shape
from extractors.chinese_tables import listed
from extractors.chinese_words import Word, words

_SENTENCE_END = re.compile(
    r"[。!?;…\n]+[”’」』\"')）】]*|(?<=[\u4e00-\u9fff])\.(?=[\u4e00-\u9fff\s]|$)|[ \t]\|(?=[ \t\n]|$)"
)
"""A bar between blanks is the border of two cells of a table: no sentence goes on behind it."""
_CLAUSE_END = re.compile(r"(?<!\d),|,(?!\d)|(?<!\d):|:(?!\d)|——+|—|(?<=[\u4e00-\u9fff]) +(?=[\u4e00-\u9fff])| {2,}")
_LONGEST_SENTENCE = 600
"""Characters of one sentence; a longer run without an end is cut there, so work per sentence is bounded."""
_ASIDE = re.compile(r"\([^()\n。]{0,60}\)")
_ORIGIN = re.compile(ORIGIN_NOUNS)

_ADDING = frozenset(listed("且 并且 而且 同时 以及 及 和 再者"))
_INITIAL_ONLY = (Shape.CONNECTIVE, Shape.EXAMPLE)


@dataclass(frozen=True)
class Found:
    """A cue where it stands."""

    cue: Cue
    start: int
    end: int
    until: int | None = None  # where what it opens ends, when a closing word says so (受 … 影响)
    resume: int | None = None  # where the closing word ends


@dataclass
class Clause:
    """What stands between two commas: its words and its cues in order."""

    start: int
    end: int
    words: list[Word]
    cues: list[Found] = field(default_factory=list)

    def between(self, start: int, end: int) -> list[Word]:
        """The words that lie within ``[start, end)``."""
        return [w for w in self.words if w.start >= start and w.end <= end]


@dataclass
class Sentence:
    """A sentence's clauses; ``terminator`` is the punctuation that ends it."""

    clauses: list[Clause]
    terminator: str


def adds(clause: Clause) -> bool:
    """Whether a clause adds to what the one before opened: 由于 A，且 B，C."""
    return clause.words[0].text in HEAPED or clause.words[0].text in _ADDING


def sentences(plain: str) -> Iterator[Sentence]:
    """The sentences of a text in simplified script, each analysed when it is asked for."""
    # What stands in brackets is an aside: blanked, so that the clause around it reads on.
    plain = _ASIDE.sub(lambda aside: "\x01" * len(aside.group()), plain)
    for start, end, terminator in _sentence_bounds(plain):
        clauses = []
        for left, right in _clause_bounds(plain, start, end):
            clause = Clause(left, right, words(plain, left, right))
            clause.cues = _cues(plain, clause)
            clauses.append(clause)
        if clauses:
            yield Sentence(clauses, terminator)


def _sentence_bounds(plain: str) -> Iterator[tuple[int, int, str]]:
    start = 0
    ends = [(m.start(), m.end(), m.group()) for m in _SENTENCE_END.finditer(plain)]
    for stop, following, terminator in [*ends, (len(plain), len(plain), "")]:
        for piece in range(start, stop, _LONGEST_SENTENCE):
            yield piece, min(piece + _LONGEST_SENTENCE, stop), terminator
        start = following


def _clause_bounds(plain: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    left = start
    for match in _CLAUSE_END.finditer(plain, start, end):
        if plain[left : match.start()].strip():
            yield left, match.start()
        left = match.end()
    if plain[left:end].strip():
        yield left, end


def _cues(plain: str, clause: Clause) -> list[Found]:
    """The cues of one clause that begin and end where words do, longest first, none overlapping another."""
    starts = {w.start for w in clause.words}
    ends = {w.end for w in clause.words}
    pattern, by_word = _matcher()
    found: list[Found] = []
    position = clause.start
    while match := pattern.search(plain, position, clause.end):
        if match.start() in starts and match.end() in ends:
            found.extend(Found(cue, match.start(), match.end()) for cue in by_word[match.group()])
            position = match.end()
        else:
            position = match.start() + 1
    for match in _ORIGIN.finditer(plain, clause.start, clause.end + 1):
        found = [f for f in found if f.end <= match.start() or f.start >= match.end()]
        found.append(Found(ORIGIN, match.start(), match.end()))
    return sorted(found, key=lambda f: (f.start, f.end))


@cache
def _matcher() -> tuple[re.Pattern[str], dict[str, list[Cue]]]:
    by_word: dict[str, list[Cue]] = {}
    for cue in CUES:
        for word in cue.words:
            by_word.setdefault(word, []).append(cue)
    longest_first = sorted(by_word, key=lambda w: (-len(w), w))
    return re.compile("|".join(map(re.escape, longest_first))), by_word


ORIGIN = next(cue for cue in CUES if cue.name == "origin")
"""The cue behind the pattern 的原因是."""

__all__ = ["ORIGIN", "Clause", "Found", "Sentence", "adds", "sentences"]
