"""Ends that the parse cropped, made whole: split compounds, subjects that go on, lists that do."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from extractors.english_candidates import Candidate
from extractors.english_lexicon import TIME_NOUNS, word_set
from extractors.english_spans import NOUN_PHRASE_TAGS, Range, is_finite_or_verb, subject_of
from extractors.english_subjects import FINDING_VERBS
from storage.records import RelationType

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

_INNER_PREPOSITIONS = frozenset({"of", "in", "for", "to", "from", "with", "on", "between", "among"})
_ASIDE_STARTS = word_set("""
    when if while unless without until and or along together with as especially including like such
""")
_FRAGMENT_TAGS = ("NN", "NNS", "NNP", "NNPS", "JJ", "VB", "VBP", "DT", "CD")


def gap_end(verb: Token) -> int:
    """Where the subject's side of the verb ends: before its auxiliaries and adverbs."""
    own = [c.i for c in verb.lefts if c.dep_ in ("aux", "auxpass", "neg") or (c.dep_ == "advmod" and c.tag_ == "RB")]
    start = verb.i
    while start - 1 in own:
        start -= 1
    return start


def between(doc: Doc, end: Range, verb: Token) -> list[Token]:
    """The words between a subject's side that ends early and its verb."""
    return [t for t in doc[end[1] : gap_end(verb)] if not t.is_space]


def completed(candidate: Candidate, sentence: Span) -> Candidate:
    """The candidate with the words back that belong to its ends although the parse hung them elsewhere."""
    head, tail = (_whole(sentence, end, candidate) for end in (candidate.head, candidate.tail))
    candidate = replace(candidate, head=head, tail=tail)
    if candidate.rule.startswith("verb:") and not candidate.rule.endswith(":passive"):
        subject, other = ("head", candidate.head) if candidate.head[0] < candidate.cue[0] else ("tail", candidate.tail)
        if sentence.start <= other[0] < other[1] <= candidate.anchor.i and _goes_on(sentence.doc, other, candidate):
            end = gap_end(candidate.anchor)
            longer = other[0], max(other[1], end)
            candidate = replace(candidate, head=longer) if subject == "head" else replace(candidate, tail=longer)
    return candidate


def _whole(sentence: Span, end: Range, candidate: Candidate) -> Range:
    """An end before the cue with its first word back, one behind it with the rest of its list."""
    if end[0] < candidate.cue[0]:
        return _whole_compound(sentence, end)
    listed = candidate.type is RelationType.CAUSAL and sentence.start < end[1] < sentence.end
    return (end[0], _list_end(sentence, end)) if listed else end


def _list_end(sentence: Span, end: Range) -> int:
    """The end moved over the further members of a list of noun phrases: *losses | , delays and higher prices*.

    A member is taken only up to the last *and* or *or*, and not if it turns out to be the subject of a clause.
    """
    doc, last = sentence.doc, end[1]
    if not doc[last - 1].tag_.startswith(("NN", "CD")) or not doc[end[0] : last].root.tag_.startswith("NN"):
        return last
    reached = last
    while reached < sentence.end and doc[reached].lower_ in (",", "and", "or"):
        start = reached + 1
        joined = doc[reached].tag_ == "CC"
        if not joined and start < sentence.end and doc[start].lower_ in ("and", "or"):
            start, joined = start + 1, True
        stop = noun_phrase_end(sentence, start)
        if stop == start or (doc[start].tag_ == "VBG" and not (joined and doc[start].dep_ in ("amod", "compound"))):
            break
        if stop < sentence.end and doc[stop].tag_ in ("VBD", "VBZ", "VBP", "MD", "RB", "WDT", "TO", "EX"):
            break
        reached = stop
        if joined:
            last = reached
    return last


def noun_phrase_end(sentence: Span, start: int) -> int:
    """Where the noun phrase ends that begins at ``start``, prepositional phrases included; ``start`` if none does."""
    doc, i, stop = sentence.doc, start, start
    while i < sentence.end and (
        doc[i].tag_ in NOUN_PHRASE_TAGS or (doc[i].lower_ in _INNER_PREPOSITIONS and stop == i and i > start)
    ):
        i += 1
        if doc[i - 1].tag_.startswith(("NN", "CD")):
            stop = i
    return stop


def _whole_compound(sentence: Span, end: Range) -> Range:
    """A first word of the sentence that is split off its noun or verb: *Root cause | analysis*, *Pump | re-started*."""
    start, last = end
    doc = sentence.doc
    if start >= sentence.start and last - start > 2 and doc[start].lower_ in ("where", "when"):
        return start + 1, last
    while start - 2 > sentence.start and doc[start - 1].text == "-" and not doc[start - 1].whitespace_:
        start -= 2
    before = doc[sentence.start : start] if sentence.start < start <= sentence.end else None
    if before is None or len(before) > 3 or doc[start].tag_ in ("DT", "PRP", "PRP$", "EX", "IN", "TO", "WRB", "WDT"):
        return end
    if any(t.tag_ not in _FRAGMENT_TAGS or t.lower_ in TIME_NOUNS | FINDING_VERBS for t in before):
        return end
    return sentence.start, last


def _goes_on(doc: Doc, end: Range, candidate: Candidate) -> bool:
    """Whether what stands between a subject and its verb is more of the subject: a conjunct, or *, when not …,*."""
    gap = between(doc, end, candidate.anchor)
    words = [t for t in gap if not t.is_punct]
    if not words or subject_of(candidate.anchor) is None or candidate.anchor.dep_ == "relcl":
        return False
    if words[0].tag_ == "CC":
        return all(not is_finite_or_verb(t) or t.tag_ in ("VBG", "VBN") for t in words)
    return gap[0].text == "," and gap[-1].text == "," and words[0].lower_ in _ASIDE_STARTS


__all__ = ["between", "completed", "gap_end", "noun_phrase_end"]
