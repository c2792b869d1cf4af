"""Relations that Chinese texts state with explicit cues."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from extractors.chinese_clauses import Clause, Sentence, sentences
from extractors.chinese_cues import CONDITIONALS, HEDGES, NEGATIONS, QUESTIONS
from extractors.chinese_key import chinese_key
from extractors.chinese_mentions import MentionSpan
from extractors.chinese_pairs import paired_links
from extractors.chinese_rules import Link, Passage
from extractors.chinese_script import simplified
from extractors.chinese_words import Word
from extractors.ports import ExtractedRelation, ExtractionResult, TextSpan
from storage.records import Modality, Polarity

_BARE = 0.85
"""Factor for an end without a subject of its own: it is right as often, and says less."""
_CLAUSE_END = 0.95
"""Factor for an end that is a whole clause instead of an event."""
_HEDGED = 0.95
_MOST_PER_SENTENCE = 16
_MOST_LINKS = 48
"""Links of one sentence that are worked out: bounds the time of a text that is all cues and no full stop."""
_NEAR = 3
"""Words before a cue among which a negation denies it."""


class ChineseExtractor:
    """Finds causal, sequential, supporting and progressive relations by connectives, cue verbs and nominal cues.

    Words and parts of speech come from jieba, loaded at the first text. Time is linear in the text; traditional script
    and full-width forms are read as they stand.
    """

    @property
    def name(self) -> str:
        """Method and version."""
        return "chinese-cues@1"

    def extract(self, text: str, language: str = "zh") -> ExtractionResult:
        """The relations that ``text`` states, in the order of their first code point."""
        plain = simplified(text)
        found: list[ExtractedRelation] = []
        previous: Clause | None = None
        for sentence in sentences(plain):
            passage = Passage(plain, sentence, previous)
            links = [*passage.links(), *paired_links(plain, sentence)]
            links.sort(key=lambda link: -link.found.cue.confidence * link.factor)  # stable: ties stay in text order
            links = links[:_MOST_LINKS]
            relations = [r for link in links if (r := _relation(text, plain, sentence, link)) is not None]
            found.extend(_distinct(relations)[:_MOST_PER_SENTENCE])
            previous = None if sentence.terminator.count("\n") > 1 else sentence.clauses[-1]
        found.sort(key=lambda r: (min(r.head.start, r.tail.start), r.head.start, r.tail.start, r.type, r.rule))
        return ExtractionResult(language=language, relations=tuple(found), extractor=self.name)


def _relation(text: str, plain: str, sentence: Sentence, link: Link) -> ExtractedRelation | None:
    """The link as a record, or None where an end has no key or both have the same."""
    head, tail = _span(text, link.head), _span(text, link.tail)
    head_key, tail_key = chinese_key(head.text), chinese_key(tail.text)
    if head_key is None or tail_key is None or head_key == tail_key:
        return None
    if link.head.bare and link.tail.bare and head_key.terms == tail_key.terms:
        return None
    polarity, modality = _stance(plain, sentence, link)
    confidence = link.found.cue.confidence * link.factor
    for end in (link.head, link.tail):
        confidence *= _CLAUSE_END if end.event is None else _BARE if end.bare else 1.0
    confidence *= _HEDGED if modality is not Modality.ASSERTED else 1.0
    explicit = link.found.end > link.found.start
    cue = (
        TextSpan(start=link.found.start, end=link.found.end, text=text[link.found.start : link.found.end])
        if explicit
        else None
    )
    return ExtractedRelation(
        type=link.found.cue.type,
        head=head,
        tail=tail,
        cue=cue,
        head_key=head_key,
        tail_key=tail_key,
        polarity=polarity,
        modality=modality,
        subtype=link.found.cue.subtype,
        explicit=explicit,
        confidence=round(min(confidence, 1.0), 3),
        rule=f"{link.found.cue.name}/{link.rule}",
    )


def _span(text: str, mention: MentionSpan) -> TextSpan:
    return TextSpan(start=mention.start, end=mention.end, text=text[mention.start : mention.end])


def _stance(plain: str, sentence: Sentence, link: Link) -> tuple[Polarity, Modality]:
    """Whether the relation is denied, hedged or only supposed."""
    found = link.found
    words = [w for clause in sentence.clauses for w in clause.words]
    before = [w for w in words if w.end <= found.start][-_NEAR:]
    denied = any(w.text in NEGATIONS for w in _adjacent(before)) or plain[max(0, found.start - 2) : found.start] in (
        "并非",
        "不是",
    )
    polarity = Polarity.NEGATED if denied else Polarity.AFFIRMED
    left, right = min(link.head.start, link.tail.start, found.start), max(link.head.end, link.tail.end)
    clause = next((c for c in sentence.clauses if c.start <= left < c.end), sentence.clauses[0])
    scope = [w for w in words if clause.start <= w.start < right]
    if any(w.text in CONDITIONALS for w in scope) or "?" in sentence.terminator or _asks(sentence):
        return polarity, Modality.HYPOTHETICAL
    outside = [w for w in scope if not (link.head.start <= w.start < link.head.end)]
    if any(w.text in HEDGES for w in outside):
        return polarity, Modality.HEDGED
    return polarity, Modality.ASSERTED


def _adjacent(before: list[Word]) -> Iterator[Word]:
    """The words right before a cue, as far as only adverbs stand between."""
    for word in reversed(before):
        links = word.flag.startswith(("d", "v", "c", "p", "zg"))
        if not links and word.text not in NEGATIONS:
            return
        yield word
        if word.flag.startswith("v") and word.text not in NEGATIONS and word.text not in ("会", "能", "是", "可能"):
            return


def _asks(sentence: Sentence) -> bool:
    return any(w.text in QUESTIONS for w in sentence.clauses[-1].words)


def _distinct(relations: Iterable[ExtractedRelation]) -> list[ExtractedRelation]:
    """One relation per type and pair of ends, the surest; a reading the other way round counts as the same pair."""
    kept: list[ExtractedRelation] = []
    for relation in sorted(relations, key=lambda r: (-r.confidence, r.head.start, r.tail.start, r.rule)):
        if not any(_same(relation, other) for other in kept):
            kept.append(relation)
    return kept


def _same(first: ExtractedRelation, second: ExtractedRelation) -> bool:
    if first.type is not second.type:
        return False
    straight = _overlap(first.head, second.head) and _overlap(first.tail, second.tail)
    return straight or (_overlap(first.head, second.tail) and _overlap(first.tail, second.head))


def _overlap(first: TextSpan, second: TextSpan) -> bool:
    inter = min(first.end, second.end) - max(first.start, second.start)
    union = max(first.end, second.end) - min(first.start, second.start)
    return inter >= 0.7 * union


__all__ = ["ChineseExtractor"]
