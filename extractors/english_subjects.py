"""What stands as the subject of an English verb, wherever the sentence puts it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from extractors.english_cues import VERBS
from extractors.english_lexicon import word_set
from extractors.english_spans import (
    Range,
    clause,
    clause_start,
    full_verb,
    is_finite_or_verb,
    noun_phrase,
    subject_of,
    whole_noun,
)

if TYPE_CHECKING:
    from spacy.tokens import Token

_RAISING = word_set("""
    appear appears appeared seem seems seemed likely unlikely tend tends tended continue continues continued began
    begin begins start starts started happened ended helped help helps fail fails failed thought believed known
    suspected found reported going expected bound able
""")
FINDING_VERBS = word_set("""
    found noticed noted seen spotted identified discovered detected observed reported announced confirmed known
    described mentioned recorded logged
""")
VAGUE_NOUNS = word_set("""
    thing things one ones something anything everything nothing way ways lot
""")


@dataclass(frozen=True)
class End:
    """One end that a rule found; ``previous`` stands for the sentence before."""

    range: Range | None
    previous: bool = False


def doer(verb: Token, previous: Range | None) -> End | None:
    """What stands as the subject of ``verb``, wherever the sentence puts it; None where that is not safe to say."""
    subject = subject_of(verb)
    if subject is not None:
        return _from_subject(verb, subject, previous)
    doc, left, head = verb.doc, verb.i - 1, verb.head
    if verb.dep_ == "acl":
        if left >= 0 and doc[left].text == "," and verb.tag_ == "VBG":
            return clause_before(verb, left)
        if verb.tag_ not in ("VBG", "VBN", "VBD") or head.i > verb.i:
            return None  # *a way to prevent X* has not prevented it
        return _antecedent(verb, verb.left_edge.i, near=verb.tag_ != "VBG")
    if verb.dep_ == "advcl" and verb.tag_ == "VBG" and head.i < verb.i and not _has_marker(verb):
        return clause_before(verb, verb.left_edge.i)
    if verb.dep_ == "conj" and head.i < verb.i:
        return _from_conjunct(verb, head, previous)
    if verb.dep_ == "xcomp" and head.lower_ in _RAISING:
        if head.dep_ in ("acomp", "oprd") and subject_of(head) is None:
            head = head.head
        return doer(head, previous)
    return None


def _has_marker(verb: Token) -> bool:
    return any(
        c.dep_ in ("mark", "aux") or (c.dep_ in ("advmod", "prep") and c.tag_ in ("WRB", "IN")) for c in verb.lefts
    )


def _from_subject(verb: Token, subject: Token, previous: Range | None) -> End | None:
    doc = verb.doc
    if subject.tag_ in ("WDT", "WP") or (subject.lower_ == "that" and verb.dep_ == "relcl"):
        comments = subject.lower_ == "which" and doc[max(subject.i - 1, 0)].text in (",", "-", "--", "–", "—")
        if comments and verb.dep_ == "advcl" and verb.head.i < subject.i:
            return clause_before(verb, subject.i - 1)  # the same, hung on the verb instead of a noun
        if verb.dep_ != "relcl" or (subject.lower_ in ("what", "whatever", "who") and verb.head.i > verb.i):
            return None
        if comments:
            return clause_before(verb, subject.i - 1)
        return _antecedent(verb, subject.left_edge.i, near=subject.lower_ != "which")
    if subject.lower_ in ("this", "that") and subject.tag_ == "DT":
        first = next((t for t in verb.sent if not t.is_punct and not t.is_space and t.tag_ != "CC"), subject)
        return End(previous, previous=True) if first.i >= subject.i - 2 and previous is not None else None
    if subject.tag_ in ("PRP", "EX", "DT", "WDT", "WP") or subject.lower_ in VAGUE_NOUNS:
        return None
    if is_finite_or_verb(subject) and subject.dep_ in ("csubj", "csubjpass"):
        start, end = subject.left_edge.i, subject.right_edge.i + 1
        return None if doc[start].tag_ in ("WP", "WDT") else End((start, min(end, verb.i)))
    return _noun_end(subject, verb.i)


def _antecedent(verb: Token, before: int, *, near: bool) -> End | None:
    """The noun that a relative clause or participle describes: the nearest, or the top of its chain of prepositions.

    A noun that only completes an infinitive (*a patch to mend the menu which broke others*) is not what acts.
    """
    noun = verb.head if near else whole_noun(verb.head)
    above = noun.head
    infinitive = above.tag_ == "VB" and above.dep_ in ("xcomp", "advcl", "acl")
    if not near and _completes_a_cue(verb.head):
        return _noun_end(verb.head, before)  # *X leads to Y which leads to Z*
    if not near and (noun.dep_ == "pobj" or (noun.dep_ == "dobj" and infinitive)):
        return clause_before(verb, before)
    return _noun_end(noun, before)


def _completes_a_cue(noun: Token) -> bool:
    above = noun.head.head if noun.dep_ == "pobj" else noun.head
    return noun.dep_ in ("pobj", "dobj") and is_finite_or_verb(above) and above.lower_ in VERBS


def _noun_end(noun: Token, before: int) -> End | None:
    if noun.tag_ in ("PRP", "WDT", "WP", "EX") or noun.lower_ in VAGUE_NOUNS:
        return None
    if is_finite_or_verb(noun) and noun.tag_ != "VBG":
        return None
    start, end = noun_phrase(noun, before)
    if noun.dep_ == "ROOT" and start < noun.i and start == noun.sent.start and noun.doc[start].lower_ in FINDING_VERBS:
        start += 1  # a note, *Discovered a leak which caused a fire*: not the finding
    return End((start, end))


def clause_before(verb: Token, end: int) -> End | None:
    """The clause that a participle or *which* after it comments on; a lone noun phrase if there is no clause."""
    governor = verb.head
    while not is_finite_or_verb(governor) or governor.i >= end:
        if governor.head == governor or governor.i < governor.sent.start:
            return _noun_end(verb.head, end) if verb.head.i < end else None
        governor = governor.head
    climbed = full_verb(governor)
    while climbed.dep_ in ("xcomp", "conj") and subject_of(climbed) is None and climbed.head.i < climbed.i:
        climbed = climbed.head
    if is_finite_or_verb(climbed):
        governor = climbed
    if governor.tag_ in ("VBG", "VB") and subject_of(governor) is None and verb.head.tag_.startswith("NN"):
        return None if verb.head.dep_ == "pobj" else _noun_end(verb.head, end)
    subject = subject_of(governor)
    found = verb.head.tag_.startswith("NN") and governor.i == governor.sent.start and subject is None
    if found and governor.lower_ in FINDING_VERBS:
        first = next((c for c in governor.rights if c.dep_ == "dobj"), verb.head)
        return End((min(first.left_edge.i, verb.head.left_edge.i), end))  # a note: *Found a leak which caused a fire*
    if subject is not None and verb.head == subject:
        return _noun_end(subject, end)
    start = clause(governor, before=end)[0]
    return End((start, end)) if start < end else None


def _from_conjunct(verb: Token, head: Token, previous: Range | None) -> End | None:
    """*X did this and caused Y*: the clause before is the cause, unless it says a causal link of its own."""
    if not is_finite_or_verb(head):
        return None
    if head.lower_ in FINDING_VERBS and any(c.dep_ == "auxpass" for c in head.children):
        return doer(head, previous)  # *a leak was found and caused a fire*: not the finding
    own = [c.i for c in verb.lefts if c.dep_ in ("aux", "auxpass", "advmod", "neg")]
    start = min([verb.i, *own])
    if head.lower_ in VERBS or any(c.dep_ == "auxpass" for c in verb.children) or verb.tag_ == "VBN":
        return doer(head, previous)
    if verb.tag_ == "VBG" and head.tag_ == "VBG":
        return doer(head, previous)
    while head.dep_ == "conj" and head.tag_ == "VBD" and subject_of(head) is None and is_finite_or_verb(head.head):
        head = head.head  # *X did this, did that and caused Y*
        if head.lower_ in VERBS:
            return None
    subject = subject_of(head)
    if subject is None:
        return doer(head, previous)
    if subject.tag_ in ("WDT", "WP", "DT"):
        return _from_subject(head, subject, previous)
    return End((clause_start(head, subject), start))


__all__ = ["FINDING_VERBS", "VAGUE_NOUNS", "End", "clause_before", "doer"]
