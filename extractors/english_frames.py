"""Where the other end of a causal verb stands, by the frame of the verb."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extractors.english_cues import VerbCue
from extractors.english_events import is_event
from extractors.english_lexicon import word_set
from extractors.english_spans import (
    Range,
    clause_end,
    complement,
    is_finite_or_verb,
    noun_phrase,
    object_of,
    subject_of,
    with_gerund,
    with_place,
)
from extractors.english_subjects import VAGUE_NOUNS

if TYPE_CHECKING:
    from spacy.tokens import Token

_WAYS = word_set("""
    path paths road roads street trail stairs door doors gate bridge tunnel corridor route link links page river lane
""")
SOMEBODY = word_set("""
    suspect suspects man men woman women people person persons house door room street way
""")


def other_end(verb: Token, cue: VerbCue) -> tuple[Range, int] | None:
    """The end after the verb, and where the cue ends."""
    frame = cue.frame
    subject = subject_of(verb)
    if cue.lemma == "lead" and subject is not None and subject.lower_ in _WAYS:
        return None
    if frame in ("to", "in", "into", "from", "event from"):
        return _prepositional(verb, frame.removeprefix("event "))
    if frame == "off":
        return _set_off(verb)
    if frame == "so":
        return _left_so(verb)
    if frame == "make":
        return _made_to_act(verb)
    if frame == "about":
        particle = next((c for c in verb.rights if c.lower_ == "about"), None)
        if particle is None:
            return None
        target = object_of(particle) or next((c for c in verb.rights if c.dep_ == "dobj"), None)
        return None if target is None else (noun_phrase(target), max(verb.i, particle.i) + 1)
    if frame == "rise to":
        rise = next((c for c in verb.rights if c.lower_ == "rise"), None)
        return None if rise is None else _prepositional(rise, "to") or _prepositional(verb, "to")
    after = complement(verb)
    if after is None or verb.doc[after[0]].lower_ in ("that", "to") or any(c.dep_ == "dobj" and c.lower_ in VAGUE_NOUNS
                                                                      for c in verb.rights):  # fmt: skip
        return None
    said = next((c for c in verb.rights if c.dep_ == "ccomp"), None)
    named = subject_of(said) if said is not None else None
    if said is not None and named is not None and _is_tensed(said):
        if cue.lemma == "ensure":
            return (named.left_edge.i, clause_end(said)), verb.i + 1
        if frame in ("infinitive", "to act"):
            return None  # *allowed members, most of them retired, to vote*: what was allowed is not in the parse
        return _before_clause(verb, said, named), verb.i + 1
    if frame in ("infinitive", "to act", "prevent"):
        return _caused_action(verb, frame, after)
    return after, verb.i + 1


def _before_clause(verb: Token, said: Token, named: Token) -> Range:
    """The object that the parser took for the subject of a clause, as in *the bug that caused the outage was fixed*."""
    if named.left_edge.i > verb.i + 1:
        return verb.i + 1, named.left_edge.i
    if said.tag_ == "VBZ" and not any(c.dep_ != "punct" for c in said.rights):
        return verb.i + 1, said.i + 1  # *caused query timeouts*: a plural noun read as a verb
    return noun_phrase(named, said.i)


def _is_tensed(verb: Token) -> bool:
    """Whether the verb has a tense: a causal verb takes no such clause."""
    words = [verb, *(c for c in verb.lefts if c.dep_ in ("aux", "auxpass"))]
    return all(t.tag_ != "TO" for t in words) and any(t.tag_ in ("VBD", "VBZ", "VBP", "MD") for t in words)


def _caused_action(verb: Token, frame: str, after: Range) -> tuple[Range, int] | None:
    """*force X to V*, *prevent X from V-ing*, *prevent X*: the whole of what is done or not done."""
    words = verb.doc[after[0] : after[1]]
    if frame == "prevent":
        source = next((c for c in verb.rights if c.dep_ == "prep" and c.lower_ == "from"), None)
        end = source.right_edge.i + 1 if source is not None else after[1]
        return (after[0], end), verb.i + 1
    objects = [c for c in verb.rights if c.dep_ in ("dobj", "nsubj")]
    if frame == "to act" and words[0].lower_ in ("us", "me", "you"):
        return None  # *this leads us to believe*
    verbal = any(t.tag_ == "TO" and t.head.head in (verb, *objects) for t in words[1:])
    nominal = any(t.i > verb.i and t.head == verb and t.dep_ == "dobj" and is_event(verb.doc, after) for t in words)
    if words[0].tag_ in ("TO", "IN") or not (verbal or (nominal and frame == "infinitive")):
        return None
    return after, verb.i + 1


def _prepositional(verb: Token, word: str) -> tuple[Range, int] | None:
    for child in verb.rights:
        if child.i - verb.i > 3 and child.dep_ != "prep":
            break
        if child.lower_ == word and child.dep_ in ("prep", "prt", "dative", "aux"):
            target = object_of(child)
            if target is None:
                return None
            if is_finite_or_verb(target):
                subject = subject_of(target)
                start = subject.left_edge.i if subject is not None else child.i + 1
                return (min(start, target.i), clause_end(target)), child.i + 1
            if target.tag_ == "PRP" or target.lower_ in SOMEBODY:
                return None  # *a trail leading to the suspect*
            end = with_gerund(target, noun_phrase(target)[1])
            return (child.i + 1, with_place(verb, end)), child.i + 1
    return None


def _set_off(verb: Token) -> tuple[Range, int] | None:
    """*set off an alarm*, *touched off a riot*: not *set off for home*."""
    particle = next((c for c in verb.rights if c.lower_ == "off" and c.dep_ in ("prt", "advmod", "prep")), None)
    if particle is None:
        return None
    named = next((c for c in verb.rights if c.dep_ == "dobj"), None) or object_of(particle)
    return None if named is None else (noun_phrase(named), max(verb.i, particle.i) + 1)


def _left_so(verb: Token) -> tuple[Range, int] | None:
    """*left two towns cut off*, *leaves the plant idle*: an object and the state it is in."""
    named = next((c for c in verb.rights if c.dep_ in ("dobj", "nsubj")), None)
    joined = (*verb.rights, *(named.rights if named is not None else ()))
    state = next((c for c in joined if c.dep_ in ("acl", "oprd", "ccomp", "xcomp") and c.tag_ in ("VBN", "JJ")), None)
    if named is None or state is None:
        named = next((c for c in state.lefts if c.dep_ in ("nsubj", "nsubjpass")), None) if state is not None else None
    if named is None or state is None or named.i < verb.i or state.i < named.i:
        return None
    gap = verb.doc[named.i + 1 : state.left_edge.i]
    if any(t.is_punct for t in gap):
        return None
    return (named.left_edge.i, max(clause_end(state), state.i + 1)), verb.i + 1


def _made_to_act(verb: Token) -> tuple[Range, int] | None:
    """*made me jump*, *makes the metal brittle*."""
    acts = next((c for c in verb.rights if c.dep_ in ("ccomp", "xcomp") and c.tag_ in ("VB", "JJ", "JJR")), None)
    named = subject_of(acts) if acts is not None else None
    if acts is None or named is None or named.i < verb.i or any(c.tag_ == "TO" for c in acts.lefts):
        return None
    return (named.left_edge.i, clause_end(acts)), verb.i + 1


__all__ = ["SOMEBODY", "other_end"]
