"""Paired Chinese connectives: 不仅 … 而且 …, 首先 … 然后 …, 先 … 再 …"""

from __future__ import annotations

from collections.abc import Iterator

from extractors.chinese_clauses import Clause, Found, Sentence
from extractors.chinese_cues import BUT_ALSO, FIRST, NEXT, NOT_ONLY, Cue, Shape
from extractors.chinese_groups import ahead, goes_on, only
from extractors.chinese_mentions import MentionSpan, has_verb, mentions
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
            found = Found(cue, first.start, first.end)
            if base and step and (base[-1].event is not None or step[0].event is not None):
                if has_verb(other.between(word.end, other.end)):
                    yield Link(found, base[-1], step[0], 1.0, "pair")
                    return
                continue
            subject = any(w.start < word.start and w.flag.startswith(("n", "r")) for w in other.words)
            start = other.start if j > i and subject else word.end
            told = (
                ahead(sentence.clauses, i, first.end, stop=j, all=True)
                if j > i
                else only(clause, first.end, word.start)
            )
            beyond = ahead(sentence.clauses, j, start, all=True)
            if told is None or beyond is None or not goes_on(other.between(word.end, other.end)):
                continue
            yield Link(found, MentionSpan(*told, None), MentionSpan(*beyond, None), 1.0, "pair", whole=True)
            return


__all__ = ["paired_links"]
