"""Causal verbs in a parsed sentence: *X caused Y*, *Y was caused by X*, *X, which led to Y*, *X, causing Y*."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from extractors.english_candidates import Candidate, Site, modality_of, polarity_of
from extractors.english_connectives import TIME_NOUNS
from extractors.english_cues import CAUSAL, RESULT_PARTICIPLES, VERBS, VerbCue
from extractors.english_lexicon import word_set
from extractors.english_spans import (
    Range,
    clause_end,
    complement,
    is_finite_or_verb,
    noun_phrase,
    subject_of,
    with_gerund,
)  # fmt: skip
from extractors.english_subjects import VAGUE_NOUNS, clause_before, doer

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_WAYS = word_set("""
    path paths road roads street trail stairs door doors gate bridge tunnel corridor route link links page river lane
""")
_SOMEBODY = word_set("""
    suspect suspects man men woman women people person persons arrest house door room street way
""")
_EVENT_ENDINGS = ("tion", "sion", "ment", "ance", "ence", "ure", "age", "ing", "al", "sis", "th", "ity", "ness", "ism")
_EVENT_NOUNS = word_set("""
    change rise fall increase decrease decline drop surge loss delay crash spike growth demand shortage problem
    issue error bug fault leak incident attack strike war drought flood storm cost price rate load traffic need fear
    concern anger lack upgrade deploy update release restart collapse crisis conflict stress damage impact pressure
    unrest violence protest debt inflation unemployment poverty interest
""")


def verb_relations(site: Site) -> Iterator[Candidate]:
    """What ``token`` says if it is a form of a causal verb; ``previous`` is the statement of the sentence before."""
    token, previous = site.token, site.previous
    for cue in VERBS.get(token.lower_, ()):
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
    subject = subject_of(verb)
    return (
        subject is not None
        and subject.tag_ == "NN"
        and verb.dep_ != "ccomp"
        and not any(c.dep_ == "conj" for c in subject.children)
    )


Found = tuple[Range, Range, Range, float]


def _active(verb: Token, cue: VerbCue, previous: Range | None) -> Found | None:
    start = doer(verb, previous)
    if start is None or start.range is None:
        return None
    other = _other_end(verb, cue)
    if other is None:
        return None
    tail, cue_end = other
    confidence = cue.confidence
    if start.previous:
        confidence -= 0.1  # which part of the sentence before is meant is a guess
    if cue.frame == "event object" and not (_is_happening(verb.doc, tail) and _is_happening(verb.doc, start.range)):
        return None
    head = start.range
    if cue.backward:
        head, tail = tail, head
    return head, tail, (verb.i, cue_end), confidence


def _other_end(verb: Token, cue: VerbCue) -> tuple[Range, int] | None:
    """The end after the verb, and where the cue ends."""
    frame = cue.frame
    subject = subject_of(verb)
    if cue.lemma == "lead" and subject is not None and subject.lower_ in _WAYS:
        return None
    if frame in ("to", "in", "from"):
        return _prepositional(verb, frame)
    if frame == "about":
        particle = next((c for c in verb.rights if c.lower_ == "about"), None)
        if particle is None:
            return None
        target = _object_of(particle) or next((c for c in verb.rights if c.dep_ == "dobj"), None)
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
        if frame == "infinitive":
            return None  # *allowed members, most of them retired, to vote*: what was allowed is not in the parse
        return _before_clause(verb, said, named), verb.i + 1
    if frame in ("infinitive", "prevent"):
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
    verbal = any(t.tag_ == "TO" and t.head.head in (verb, *objects) for t in words[1:])
    nominal = any(t.i > verb.i and t.head == verb and t.dep_ == "dobj" and is_event(verb.doc, after) for t in words)
    if words[0].tag_ in ("TO", "IN") or not (verbal or nominal):
        return None
    return after, verb.i + 1


def _prepositional(verb: Token, word: str) -> tuple[Range, int] | None:
    for child in verb.rights:
        if child.i - verb.i > 3 and child.dep_ != "prep":
            break
        if child.lower_ == word and child.dep_ in ("prep", "prt", "dative", "aux"):
            target = _object_of(child)
            if target is None:
                return None
            if is_finite_or_verb(target):
                subject = subject_of(target)
                start = subject.left_edge.i if subject is not None else child.i + 1
                return (min(start, target.i), clause_end(target)), child.i + 1
            if target.tag_ == "PRP" or target.lower_ in _SOMEBODY:
                return None  # *a trail leading to the suspect*
            end = with_gerund(target, noun_phrase(target)[1])
            return (child.i + 1, _with_place(verb, end)), child.i + 1
    return None


def _object_of(preposition: Token) -> Token | None:
    return next((c for c in preposition.rights if c.dep_ in ("pobj", "pcomp")), None)


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
    target = _object_of(agent)
    if target is None:
        return None
    end = clause_end(target) if is_finite_or_verb(target) else _with_place(verb, noun_phrase(target)[1])
    head, tail = (agent.i + 1, end), affected.range
    if cue.frame == "event object" and not (_is_happening(verb.doc, head) and _is_happening(verb.doc, tail)):
        return None
    if cue.frame == "infinitive" and any(c.tag_ == "VB" and c.dep_ in ("xcomp", "ccomp", "advcl") for c in verb.rights):
        return None  # *X was forced by Y to V*: the effect lies on both sides of its cause
    return head, tail, (verb.i, agent.i + 1), cue.passive


def _with_place(verb: Token, end: int) -> int:
    """The end moved over phrases like *in a file* that the parser hangs on the verb; times do belong to the verb."""
    for child in verb.rights:
        if (
            child.left_edge.i == end
            and child.dep_ == "prep"
            and child.lower_ in ("in", "of", "between", "with", "within", "across", "for", "on", "among", "during")
        ):
            target = _object_of(child)
            dated = target is not None and target.tag_ == "NNP" and child.lower_ in ("in", "on", "during", "for")
            if target is None or target.tag_ == "CD" or dated or target.lower_ in TIME_NOUNS:
                break
            end = noun_phrase(target)[1]
    return end


def _is_happening(doc: Doc, end: Range) -> bool:
    """Whether the range is a noun phrase that names an event: weak verbs are causal between two of these only."""
    return doc[end[0] : end[1]].root.tag_.startswith("NN") and is_event(doc, end)


def is_event(doc: Doc, end: Range) -> bool:
    """Whether the range names something that happens rather than a thing or a person."""
    words = doc[end[0] : end[1]]
    root = words.root
    if root.tag_.startswith("VB"):
        return True
    word = root.lower_
    singular = word[:-1] if root.tag_ == "NNS" and word.endswith("s") else word
    return root.tag_ in ("NN", "NNS") and (
        singular in _EVENT_NOUNS or (len(singular) > 5 and singular.endswith(_EVENT_ENDINGS))
    )


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


__all__ = ["is_event", "participle_relations", "verb_relations"]
