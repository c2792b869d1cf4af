"""Causal verbs in a parsed sentence: *X caused Y*, *Y was caused by X*, *X, which led to Y*, *X, causing Y*."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from extractors.english_candidates import Candidate, Site, modality_of, polarity_of
from extractors.english_cues import CAUSAL, EFFECT_NOUNS, LOOSE_VERBS, RESULT_PARTICIPLES, VERBS, VerbCue
from extractors.english_effects import FORCES
from extractors.english_events import core_noun, is_event
from extractors.english_frames import SOMEBODY, other_end
from extractors.english_spans import (
    Range,
    clause_end,
    complement,
    is_finite_or_verb,
    noun_phrase,
    object_of,
    with_place,
)
from extractors.english_subjects import clause_before, doer

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token


def verb_relations(site: Site) -> Iterator[Candidate]:
    """What ``token`` says if it is a form of a causal verb; ``previous`` is the statement of the sentence before."""
    token, previous = site.token, site.previous
    loose = LOOSE_VERBS.get(token.lower_)
    for cue in VERBS.get(token.lower_, (loose,) if loose is not None else ()):
        if not is_finite_or_verb(token) or _disagrees(token):
            continue
        passive = any(c.dep_ == "auxpass" for c in token.children) or (
            token.tag_ in ("VBN", "VBD") and any(c.dep_ == "agent" for c in token.children)
        )
        found = _passive(token, cue, previous) if passive else _active(token, cue, previous)
        if found is not None:
            head, tail, span, confidence = found
            yield Candidate(
                CAUSAL, cue.subtype, head, tail, span, confidence, f"verb:{cue.lemma}{':passive' if passive else ''}",
                token, polarity_of(token), modality_of(token),
            )  # fmt: skip
            return


def _disagrees(verb: Token) -> bool:
    """A base form after a singular noun is a noun itself: *root cause analysis*."""
    if verb.tag_ not in ("VBP", "VB") or any(c.dep_ in ("aux", "conj") for c in verb.lefts):
        return False
    subject = next((c for c in reversed(list(verb.lefts)) if c.dep_ in ("nsubj", "csubj")), None)
    return (
        subject is not None
        and subject.tag_ == "NN"
        and not any(c.dep_ == "advmod" and c.tag_ == "RB" for c in verb.lefts)
        and verb.dep_ != "ccomp"
        and not any(c.dep_ == "conj" for c in subject.children)
    )


Found = tuple[Range, Range, Range, float]


def _active(verb: Token, cue: VerbCue, previous: Range | None) -> Found | None:
    start = doer(verb, previous)
    if start is None or start.range is None:
        return None
    other = other_end(verb, cue)
    if other is None:
        return None
    tail, cue_end = other
    confidence = cue.confidence
    if start.previous:
        confidence -= 0.1  # which part of the sentence before is meant is a guess
    head = start.range
    if cue.frame == "event object" and not _brings(verb.doc, head, tail):
        return None
    if cue.frame == "so" and not _happens(verb.doc[head[0] : head[1]].root):
        return None
    if cue.frame == "event from" and not _brings(verb.doc, tail, head):
        return None
    if cue.backward:
        head, tail = tail, head
    return head, tail, (verb.i, cue_end), confidence


def _passive(verb: Token, cue: VerbCue, previous: Range | None) -> Found | None:
    if cue.passive is None:
        return None
    affected = doer(verb, previous)
    if affected is None or affected.range is None:
        return None
    agent = next((c for c in verb.rights if c.dep_ in ("agent", "prep") and c.lower_ == "by"), None)
    if agent is None:
        when = next((c for c in verb.rights if c.dep_ == "advcl" and c.left_edge.lower_ in ("when", "because")), None)
        if when is None or cue.frame != "object":
            return None
        return (when.left_edge.i + 1, clause_end(when)), affected.range, (verb.i, verb.i + 1), cue.passive - 0.1
    target = object_of(agent)
    if target is None:
        return None
    end = clause_end(target) if is_finite_or_verb(target) else with_place(verb, noun_phrase(target)[1])
    head, tail = (agent.i + 1, end), affected.range
    if cue.frame == "event object" and not _brings(verb.doc, head, tail):
        return None
    if cue.frame == "infinitive" and any(c.tag_ == "VB" and c.dep_ in ("xcomp", "ccomp", "advcl") for c in verb.rights):
        return None  # *X was forced by Y to V*: the effect lies on both sides of its cause
    return head, tail, (verb.i, agent.i + 1), cue.passive


def _brings(doc: Doc, cause: Range, effect: Range) -> bool:
    """Weak verbs are causal only if their effect is an event, or what something suffers or gives off, and their cause
    is no person, place or name."""
    result, source = (core_noun(_head_of(doc, end)) for end in (effect, cause))
    if result.lower_ in EFFECT_NOUNS and is_finite_or_verb(source):
        return True  # *Two blasts took place, creating panic*
    if not result.tag_.startswith("NN") or source.tag_ not in ("NN", "NNS", "VBG"):
        return False
    suffered = result.lower_ in EFFECT_NOUNS
    happens = is_event(doc, (result.i, result.i + 1)) or source.lower_ in FORCES
    return (suffered or (happens and _happens(source))) and not _may_be_a_person(source)


def _head_of(doc: Doc, end: Range) -> Token:
    """The word that the others hang on; of *friction in the bearing*, hung on the verb one by one, the first."""
    words = doc[end[0] : end[1]]
    loose = (t for t in words if not end[0] <= t.head.i < end[1] and t.tag_.startswith(("NN", "VB")))
    return words.root if words.root.tag_ != "IN" else next(loose, words.root)


def _happens(noun: Token) -> bool:
    return noun.lower_ in FORCES or is_event(noun.doc, (noun.i, noun.i + 1))


def _may_be_a_person(noun: Token) -> bool:
    return noun.lower_ in SOMEBODY or noun.lower_.endswith(("ists", "ist", "ians", "ian", "men", "man"))


def participle_relations(site: Site) -> Iterator[Candidate]:
    """*…, leaving three users unable to log in*: the clause before the comma led to what the participle says."""
    token, sentence = site.token, site.sentence
    confidence = RESULT_PARTICIPLES.get(token.lower_)
    if confidence is None:
        return
    doc, verb = token.doc, token
    if token.lower_ == "thereby":
        verb = next((t for t in doc[token.i : min(token.i + 4, sentence.end)] if t.tag_ == "VBG"), token)
        if verb == token or verb.lower_ in VERBS:
            return
    comma = token.i - 1
    while comma > sentence.start and doc[comma].tag_ == "RB":
        comma -= 1
    if (
        comma <= sentence.start
        or (doc[comma].text != "," and token.lower_ != "thereby")
        or verb.dep_ not in ("advcl", "acl", "conj")
    ):
        return
    if verb.head.i > comma or not any(c.dep_ in ("dobj", "ccomp", "xcomp", "nsubj") for c in verb.rights):
        return
    cause = clause_before(verb, comma if doc[comma].text == "," else token.i)
    if cause is None or cause.range is None:
        return
    end = complement(verb)
    if end is None:
        return
    first = end[0] if token.lower_ in ("leaving", "making", "rendering") else verb.i
    yield Candidate(CAUSAL, "result", cause.range, (first, end[1]), (token.i, token.i + 1), confidence,
                    f"participle:{token.lower_}", verb, polarity_of(verb), modality_of(verb))  # fmt: skip


__all__ = ["participle_relations", "verb_relations"]
