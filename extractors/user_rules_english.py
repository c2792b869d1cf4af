"""Rules of the user's own in English: the clauses or phrases about a cue, read off a parse."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from extractors.cue_trie import CueTrie
from extractors.english_candidates import (
    HEDGED_FACTOR,
    UNREAL_FACTOR,
    Candidate,
    finished,
    modality_of,
    negated_before,
    polarity_of,
)
from extractors.english_key import english_key
from extractors.english_spans import Range, clause, clause_end, is_finite_or_verb, noun_phrase, subject_of
from extractors.english_text import Unit, units
from extractors.ports import ExtractedRelation, ExtractionResult, TextSpan
from extractors.user_rules import Side, UserRule
from storage.records import Modality, Polarity

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

    from extractors.english import EnglishExtractor

_WORD = re.compile(r"[^\W_]+")
_JOINTS = frozenset(("", "-", "'"))
_FACTORS = {Modality.HEDGED: HEDGED_FACTOR, Modality.HYPOTHETICAL: UNREAL_FACTOR}
_STRENGTH = (Modality.ASSERTED, Modality.HEDGED, Modality.HYPOTHETICAL)

_Hit = tuple[int, int, tuple[UserRule, ...]]


class EnglishUserRules:
    """Reads English by the user's cues; only what holds a cue is parsed.

    Args:
        rules: those for English.
        extractor: whose parser is used.
    """

    name = "user-rules-english"

    def __init__(self, rules: Sequence[UserRule], extractor: EnglishExtractor) -> None:
        self._trie = CueTrie((_WORD.findall(rule.pattern), rule) for rule in rules)
        self._extractor = extractor

    def extract(self, text: str, language: str = "en") -> ExtractionResult:
        """The relations that the rules find in ``text``."""
        hit = [(unit, hits) for unit in units(text) if unit is not None and (hits := self._hits(unit.text))]
        left = iter(hit)

        def read(doc: Doc) -> list[ExtractedRelation]:
            unit, hits = next(left)
            return [r for start, end, rules in hits for r in _found(doc, unit, text, start, end, rules)]

        read_units = self._extractor.read((unit.text for unit, _ in hit), read)
        relations = tuple(relation for found in read_units for relation in found)
        return ExtractionResult(language=language, relations=relations, extractor=self.name)

    def _hits(self, text: str) -> list[_Hit]:
        words = list(_WORD.finditer(text))
        hits = []
        for first, end, rules in self._trie.find([w.group().lower() for w in words]):
            own = words[first:end]
            gaps = (text[a.end() : b.start()].strip() for a, b in pairwise(own))
            if all(gap in _JOINTS for gap in gaps):
                hits.append((own[0].start(), own[-1].end(), rules))
        return hits


def _found(
    doc: Doc, unit: Unit, text: str, start: int, end: int, rules: tuple[UserRule, ...]
) -> list[ExtractedRelation]:
    cue = doc.char_span(start, end, alignment_mode="expand")
    if cue is None or cue[0].sent.start != cue[len(cue) - 1].sent.start:
        return []
    relations = []
    for rule in rules:
        ends = _ends(cue, rule.direction)
        if ends is None:
            continue
        root = cue.root
        denied = Polarity.NEGATED in (polarity_of(root), negated_before(cue[0]))
        candidate = finished(
            Candidate(
                rule.type, rule.subtype, *ends, (cue.start, cue.end), rule.confidence, rule.name, root,
                polarity=Polarity.NEGATED if denied else Polarity.AFFIRMED,
                modality=max(rule.modality, modality_of(root), key=_STRENGTH.index),
            ),
            cue.sent,
        )  # fmt: skip
        relation = _relation(candidate, doc, unit, text) if candidate is not None else None
        if relation is not None:
            relations.append(relation)
    return relations


def _ends(cue: Span, side: Side) -> tuple[Range, Range] | None:
    """Head and tail, or None where one side of the cue says nothing."""
    if side is Side.FRONTED:
        return _fronted(cue)
    left, right = _left(cue), _right(cue.sent, cue.end)
    if left is None or right is None:
        return None
    return (left, right) if side is Side.FORWARD else (right, left)


def _left(cue: Span) -> Range | None:
    """The clause or phrase that ends at the cue."""
    sentence, doc, last = cue.sent, cue.doc, cue.start
    while last > sentence.start and (_is_loose(doc[last - 1]) or _serves(doc[last - 1], cue)):
        last -= 1
    if last == sentence.start or doc[last].lower_ == "what":
        return None
    anchor = _top(doc[last - 1], sentence.start, last)
    if is_finite_or_verb(anchor):
        start, end = clause(anchor, before=last)
    else:
        start, end = noun_phrase(anchor, last)
    return start, min(max(end, anchor.i + 1), last)


def _right(sentence: Span, first: int) -> Range | None:
    """The clause or phrase that begins at ``first``."""
    doc = sentence.doc
    while first < sentence.end and _is_loose(doc[first]):
        first += 1
    if first >= sentence.end:
        return None
    anchor = _top(doc[first], first, sentence.end)
    if is_finite_or_verb(anchor):
        end = clause(anchor, after=first)[1] if subject_of(anchor) is not None else clause_end(anchor)
    else:
        end = noun_phrase(anchor)[1]
    return first, max(end, anchor.i + 1)


def _fronted(cue: Span) -> tuple[Range, Range] | None:
    """Of *cue A, B*: A to its comma, and the clause behind it."""
    sentence, doc = cue.sent, cue.doc
    if any(not _is_loose(t) for t in doc[sentence.start : cue.start]) and doc[cue.start - 1].text not in (",", ";"):
        return None
    head = _right(sentence, cue.end)
    if head is None:
        return None
    comma = next((t.i for t in doc[head[1] - 1 : sentence.end] if t.text == ","), None)
    if comma is None or comma + 1 >= sentence.end:
        return None
    root = sentence.root
    anchor = root if root.i > comma else _top(doc[comma + 1], comma + 1, sentence.end)
    if not is_finite_or_verb(anchor):
        return None
    start, end = clause(anchor, after=comma + 1)
    return (head[0], comma), (start, end)


def _top(token: Token, start: int, end: int) -> Token:
    """The word that governs ``token`` within ``[start, end)``: up to the verb of its own clause, no further."""
    while start <= token.head.i < end and token.head != token:
        if is_finite_or_verb(token) and subject_of(token) is not None and token.dep_ not in ("relcl", "acl"):
            break
        token = token.head
    return token


def _is_loose(token: Token) -> bool:
    """Marks, conjunctions and relative pronouns at the edge of a cue."""
    return token.is_punct or token.is_space or token.tag_ in ("CC", "WDT", "WP")


def _serves(token: Token, cue: Span) -> bool:
    """Whether the token only serves the cue's own verb: *was*, *not*, *soon*."""
    return token.dep_ in ("aux", "auxpass", "neg", "advmod") and cue.start <= token.head.i < cue.end


def _relation(candidate: Candidate, doc: Doc, unit: Unit, text: str) -> ExtractedRelation | None:
    head, tail, cue = (_span(r, doc, unit, text) for r in (candidate.head, candidate.tail, candidate.cue))
    head_key, tail_key = english_key(head.text), english_key(tail.text)
    if head_key is None or tail_key is None or head_key == tail_key:
        return None
    return ExtractedRelation(
        type=candidate.type, head=head, tail=tail, cue=cue, head_key=head_key, tail_key=tail_key,
        polarity=candidate.polarity, modality=candidate.modality, subtype=candidate.subtype,
        confidence=round(candidate.confidence * _FACTORS.get(candidate.modality, 1.0), 3), rule=candidate.rule,
    )  # fmt: skip


def _span(tokens: Range, doc: Doc, unit: Unit, text: str) -> TextSpan:
    first, last = doc[tokens[0]], doc[tokens[1] - 1]
    start, end = unit.source_span(first.idx, last.idx + len(last.text))
    return TextSpan(start=start, end=end, text=text[start:end])


__all__ = ["EnglishUserRules"]
