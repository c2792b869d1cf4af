"""Paired Chinese connectives: 不仅 … 而且 …, 首先 … 然后 …, 先 … 再 …"""

from __future__ import annotations

from collections.abc import Iterator

from extractors.chinese_clauses import Clause, Found, Sentence
from extractors.chinese_cues import BUT_ALSO, FIRST, NEXT, NOT_ONLY, Cue, Shape
from extractors.chinese_mentions import has_verb, mentions
from extractors.chinese_rules import Link
from extractors.chinese_words import Word
from storage.records import RelationType

_REACH = 2
"""Most clauses between the two halves of a pair."""
_OPENING = 6
"""Words of a clause among which the second half stands."""

_NOT_ONLY_CUE = Cue("not-only", Shape.OPENER, RelationType.PROGRESSIVE, "not-only", 0.8, NOT_ONLY)
_FIRST_CUE = Cue("first-then", Shape.OPENER, RelationType.SEQUENTIAL, "succession", 0.7, FIRST)
_THEN_WORDS = tuple(word for word in NEXT if word not in ("再", "其次", "最后", "最终"))


def paired_links(plain: str, sentence: Sentence) -> Iterator[Link]:
    """The relations that pairs of connectives state within one sentence."""
    del plain
    for i, clause in enumerate(sentence.clauses):
        for word in clause.words[:12]:
            if word.text in NOT_ONLY and not _is_more_than(clause, word):
                yield from _link(sentence, i, word, _NOT_ONLY_CUE, BUT_ALSO)
        for word in clause.words[:_OPENING]:
            if word.text in FIRST:
                yield from _link(sentence, i, word, _FIRST_CUE, (*_THEN_WORDS, "再", "最终"))
            elif word.text == "先" and word.flag.startswith("d"):
                yield from _link(sentence, i, word, _FIRST_CUE, ("再", "然后", "后"))


def _is_more_than(clause: Clause, word: Word) -> bool:
    """不止 三天 counts days."""
    return word.text == "不止" and any(w.start == word.end and w.flag.startswith("m") for w in clause.words)


def _link(sentence: Sentence, i: int, first: Word, cue: Cue, seconds: tuple[str, ...]) -> Iterator[Link]:
    clause = sentence.clauses[i]
    for j in range(i, min(len(sentence.clauses), i + 1 + _REACH)):
        other = sentence.clauses[j]
        opening = [w for w in other.words if w.start > first.start]
        for word in opening if j == i else opening[:_OPENING]:
            if word.text not in seconds:
                continue
            base = mentions(clause, first.end, clause.end if j > i else word.start)
            step = mentions(other, word.end, other.end)
            if not base or not step or not has_verb(other.between(word.end, other.end)):
                continue
            yield Link(Found(cue, first.start, first.end), base[-1], step[0], 1.0, "pair")
            return


__all__ = ["paired_links"]
