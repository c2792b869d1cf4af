"""Why each relation of a text was found: ``clew extract --explain``."""

from __future__ import annotations

import re
from bisect import bisect_right

from extractors.ports import ExtractedRelation, ExtractionResult, TextSpan
from extractors.sentences import sentence_bounds
from graphrag.results import Result
from storage.chain_text import arrow
from storage.records import Direction, Modality, Record, StatementKey

ASSERTED_FROM = 0.5
"""Below this a relation leads to passages and is shown in no chain, unless ``min_confidence`` is lowered."""
_ENGLISH_DOUBT, _CHINESE_DOUBT = 0.45, 0.49
_LOOSE = {
    "purpose": "a purpose is what is aimed at, not what came about",
    "condition": "a condition may not have been met",
    "temporal-causal": "the sentence says when, and leaves it open whether therefore",
    "juxtaposition": "nothing but the order of the clauses says so",
    "background": "a background need not be a cause",
}
_MODALITIES = {
    Modality.HEDGED: "hedged: the sentence only says that it may be so",
    Modality.HYPOTHETICAL: "supposed: under a condition, a wish or a question",
}
_KINDS = {
    # English: what stands before the colon of a rule's name
    "verb": "a verb of causing: its subject is the cause and its object the effect",
    "participle": "a participle after a comma says what the clause before it led to",
    "phrase": "a preposition of several words, with the reason behind it",
    "adverb": "an adverb that ties a clause to the one before it",
    "link": "words at the beginning of a sentence tie it to the one before",
    "nominal": "a noun such as cause or result, with *of* and a form of *be*",
    "harm": "a verb of harm or change, with a mishap as its subject",
    "matter": "a preposition that names what it is about",
    "condition": "a conjunction that opens a condition",
    "temporal-causal": "a conjunction of time",
    "document": "the structure of the document",
    "user": "a rule of your own",
    # Chinese: what stands behind the slash
    "connective": "a conjunction between two clauses: the clause before it is the head",
    "opener": "a conjunction or preposition that opens the clause of the head",
    "opener-behind": "a clause of reason behind what it explains",
    "backward": "the words behind it name the cause of what stands before",
    "closer": "a word that closes the clause before the main one",
    "example": "words that announce an example",
    "verb-far-cause": "a verb of causing: the cause stands in the clause before",
    "verb-far-effect": "a verb of causing: the effect stands in the clause behind",
    "order": "neighbouring events without a cue",
}
_DOCUMENT_KINDS = {
    "document:steps": "numbered steps that stand under one another",
    "document:timeline": "lines that begin with ascending times",
    "document:cause-heading": "a heading that announces the cause of the incident",
    "document:listed-reasons": "a list that the text calls one of reasons",
}
_EDGES = re.compile(r"^\W+|\W+$")
_LONGEST_SHOWN = 80


class ExplainedRelation(Record):
    """One relation, and what is known of why it was found as it is."""

    relation: ExtractedRelation
    kind: str  # of rule, in words
    lowered: tuple[str, ...] = ()  # what makes it less sure
    left_out: tuple[TextSpan, ...] = ()  # of the sentences of its ends: the words in neither end nor the cue


class ExplainedExtraction(Result):
    """The relations of one text, explained."""

    language: str
    extractor: str
    relations: tuple[ExplainedRelation, ...]
    degraded: tuple[str, ...] = ()

    def as_text(self) -> str:
        blocks = [_drawn(explained) for explained in self.relations]
        blocks += [f"not done: {reason}" for reason in self.degraded]
        return "\n\n".join(blocks) or "no relations"


def explained(text: str, result: ExtractionResult) -> ExplainedExtraction:
    """Say for each relation of ``text`` why it was found; adds nothing to what the relation itself holds."""
    sentences = list(sentence_bounds(text))
    starts = [start for start, _ in sentences]
    relations = []
    for relation in result.relations:
        around = dict.fromkeys(
            sentences[i] for end in (relation.head, relation.tail) if (i := bisect_right(starts, end.start) - 1) >= 0
        )
        relations.append(
            ExplainedRelation(
                relation=relation,
                kind=kind_of(relation.rule),
                lowered=_lowered(relation),
                left_out=tuple(span for bounds in around for span in _left_out(text, bounds, relation)),
            )
        )
    return ExplainedExtraction(
        language=result.language, extractor=result.extractor, relations=tuple(relations), degraded=result.degraded
    )


def kind_of(rule: str) -> str:
    """The kind of a rule in words, from its name."""
    if rule in _DOCUMENT_KINDS:
        return _DOCUMENT_KINDS[rule]
    if rule.startswith("model"):
        return "a chat model quoted it"
    family, colon, _ = rule.partition(":")
    if colon:
        passive = ", in the passive voice: what follows *by* is the cause" if rule.endswith(":passive") else ""
        return "a verb of causing" + passive if passive else _KINDS.get(family, f"the rule {family}")
    name, slash, shape = rule.partition("/")
    if slash:
        return "a verb between cause and effect" if shape == "verb" else _KINDS.get(shape, f"the rule {name}, {shape}")
    return _KINDS.get(rule, f"the rule {rule}")


def _lowered(relation: ExtractedRelation) -> tuple[str, ...]:
    said = [_MODALITIES[relation.modality]] if relation.modality in _MODALITIES else []
    said += [_LOOSE[relation.subtype]] if relation.subtype in _LOOSE else []
    if not relation.explicit:
        said.append("no word says it")
    plain = relation.modality is Modality.ASSERTED and relation.subtype not in _LOOSE
    doubt = _CHINESE_DOUBT if "/" in relation.rule else _ENGLISH_DOUBT
    built_in = not relation.rule.startswith(("document:", "user:", "model"))
    if built_in and plain and relation.confidence == doubt:
        said.append("doubted: in sentences of this kind an end is often another than it seems")
    if relation.rule == "document:steps" and relation.confidence < ASSERTED_FROM:
        said.append("nothing above the list says that it is one of steps")
    said += [f"doubted by {voice}" for voice in relation.doubted_by]
    if relation.confidence < ASSERTED_FROM:
        said.append(f"below {ASSERTED_FROM}: it leads to passages and is shown in no chain")
    return tuple(said)


def _left_out(text: str, bounds: tuple[int, int], relation: ExtractedRelation) -> list[TextSpan]:
    """The stretches of a sentence that lie in neither end nor the cue, without the marks at their edges."""
    taken = sorted((span.start, span.end) for span in (relation.head, relation.tail, relation.cue) if span is not None)
    left = []
    position = bounds[0]
    for start, end in [*taken, (bounds[1], bounds[1])]:
        stop = min(max(start, position), bounds[1])
        words = text[position:stop]
        bare = _EDGES.sub("", words)
        if bare:
            begin = position + words.index(bare)
            left.append(TextSpan(start=begin, end=begin + len(bare), text=bare))
        position = max(position, end)
        if position >= bounds[1]:
            break
    return left


def _drawn(one: ExplainedRelation) -> str:
    r = one.relation
    cue = f"“{_flat(r.cue.text)}” [{r.cue.start}:{r.cue.end}]" if r.cue else "none"
    lines = [
        f"{_flat(r.head.text)} {arrow(r.type, r.polarity)} {_flat(r.tail.text)}",
        f"    why         {one.kind} ({r.rule})",
        f"    cue         {cue}",
        f"    says        {r.type.value}/{r.subtype}, {r.polarity.value}, {r.modality.value}",
        f"    confidence  {r.confidence:.2f}",
        *(f"                {reason}" for reason in one.lowered),
        *(f"                confirmed by {voice}" for voice in r.confirmed_by),
        f"    head        [{r.head.start}:{r.head.end}] key {_key(r.head_key)}",
        f"    tail        [{r.tail.start}:{r.tail.end}] key {_key(r.tail_key)}",
    ]
    if one.left_out:
        lines.append("    left out    " + ", ".join(f"“{_shown(span.text)}”" for span in one.left_out))
    lines += [f"    found by    {r.origin}"] if r.origin else []
    return "\n".join(lines)


def _key(key: StatementKey) -> str:
    said = [" ".join(key.terms)]
    said += [] if key.direction is Direction.NONE else [f"direction {key.direction.value}"]
    said += ["negated"] if key.negated else []
    return ", ".join(said)


def _shown(text: str) -> str:
    flat = _flat(text)
    return flat if len(flat) <= _LONGEST_SHOWN else f"{flat[:_LONGEST_SHOWN]}…"


def _flat(text: str) -> str:
    return " ".join(text.split())


__all__ = ["ExplainedExtraction", "ExplainedRelation", "explained", "kind_of"]
