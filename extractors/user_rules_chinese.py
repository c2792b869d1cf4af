"""Rules of the user's own in Chinese: the events or clauses about a cue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from extractors.chinese_clauses import Clause, Sentence, sentences
from extractors.chinese_cues import CONDITIONALS, HEDGES, NEGATIONS, QUESTIONS
from extractors.chinese_key import chinese_key
from extractors.chinese_mentions import MentionSpan, mentions
from extractors.chinese_script import simplified
from extractors.chinese_words import words
from extractors.cue_trie import CueTrie
from extractors.ports import ExtractedRelation, ExtractionResult, TextSpan
from extractors.user_rules import Side, UserRule
from storage.records import Modality, Polarity

_HEDGED, _UNREAL = 0.9, 0.6
_NEAR = 3
"""Words before a cue among which a negation denies it."""
_STRENGTH = (Modality.ASSERTED, Modality.HEDGED, Modality.HYPOTHETICAL)


class ChineseUserRules:
    """Reads Chinese by the user's cues, in either script.

    Args:
        rules: those for Chinese.
    """

    name = "user-rules-chinese"

    def __init__(self, rules: Sequence[UserRule]) -> None:
        self._trie = CueTrie((rule.pattern, rule) for rule in rules)

    def extract(self, text: str, language: str = "zh") -> ExtractionResult:
        """The relations that the rules find in ``text``."""
        plain = simplified(text)
        hits = list(self._trie.find(plain))
        found: list[ExtractedRelation] = []
        at = 0
        for sentence in sentences(plain) if hits else ():
            end = sentence.clauses[-1].end
            while at < len(hits) and hits[at][0] < end:
                start, stop, rules = hits[at]
                at += 1
                if start >= sentence.clauses[0].start and stop <= end:
                    found += [r for rule in rules for r in _found(text, plain, sentence, start, stop, rule)]
        return ExtractionResult(language=language, relations=tuple(found), extractor=self.name)


def _found(
    text: str, plain: str, sentence: Sentence, start: int, end: int, rule: UserRule
) -> Iterator[ExtractedRelation]:
    position = next((i for i, c in enumerate(sentence.clauses) if c.start <= start and end <= c.end), None)
    if position is None:
        return
    ends = _ends(plain, sentence.clauses, position, start, end, rule.direction)
    if ends is None:
        return
    head, tail = (TextSpan(start=m.start, end=m.end, text=text[m.start : m.end]) for m in ends)
    head_key, tail_key = chinese_key(head.text), chinese_key(tail.text)
    if head_key is None or tail_key is None or head_key == tail_key:
        return
    polarity, modality = _stance(sentence, sentence.clauses[position], start)
    modality = max(rule.modality, modality, key=_STRENGTH.index)
    factor = {Modality.HEDGED: _HEDGED, Modality.HYPOTHETICAL: _UNREAL}.get(modality, 1.0)
    yield ExtractedRelation(
        type=rule.type, head=head, tail=tail, cue=TextSpan(start=start, end=end, text=text[start:end]),
        head_key=head_key, tail_key=tail_key, polarity=polarity, modality=modality, subtype=rule.subtype,
        confidence=round(rule.confidence * factor, 3), rule=rule.name,
    )  # fmt: skip


def _ends(
    plain: str, clauses: Sequence[Clause], position: int, start: int, end: int, side: Side
) -> tuple[MentionSpan, MentionSpan] | None:
    """Head and tail: the nearest mention on each side, in the cue's clause or else in the one next to it."""
    own = clauses[position]
    after = clauses[position + 1] if position + 1 < len(clauses) else None
    if side is Side.FRONTED:
        head, tail = _mentions(plain, end, own.end), _mentions(plain, after.start, after.end) if after else []
        return (head[-1], tail[0]) if head and tail else None
    left, right = _mentions(plain, own.start, start), _mentions(plain, end, own.end)
    if not left and position:
        left = _mentions(plain, clauses[position - 1].start, clauses[position - 1].end)
    if not right and after is not None:
        right = _mentions(plain, after.start, after.end)
    if not left or not right:
        return None
    return (left[-1], right[0]) if side is Side.FORWARD else (right[0], left[-1])


def _mentions(plain: str, start: int, end: int) -> list[MentionSpan]:
    """What stands in ``[start, end)``, cut into words anew: a word may reach across the edge of a user's cue."""
    return mentions(Clause(start, end, words(plain, start, end)), start, end) if start < end else []


def _stance(sentence: Sentence, own: Clause, start: int) -> tuple[Polarity, Modality]:
    """Whether the sentence denies, supposes or hedges what the cue says."""
    before = [w for w in own.words if w.end <= start]
    denied = any(w.text in NEGATIONS for w in before[-_NEAR:])
    told = [w for clause in sentence.clauses for w in clause.words]
    polarity = Polarity.NEGATED if denied else Polarity.AFFIRMED
    if "?" in sentence.terminator or any(w.text in QUESTIONS for w in sentence.clauses[-1].words):
        return polarity, Modality.HYPOTHETICAL
    if any(w.text in CONDITIONALS for w in told if w.start < start):
        return polarity, Modality.HYPOTHETICAL
    hedged = any(w.text in HEDGES for w in own.words)
    return polarity, Modality.HEDGED if hedged else Modality.ASSERTED


__all__ = ["ChineseUserRules"]
