"""Causal verbs in a parsed sentence: *X caused Y*, *Y was caused by X*, *X, which led to Y*, *X, causing Y*."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from spacy.tokens import Span, Token

from extractors.english_candidates import Candidate, modality_of, polarity_of
from extractors.english_cues import CAUSAL, RESULT_PARTICIPLES, VERBS, VerbCue
from extractors.english_spans import (
    Range, clause, clause_end, clause_start, complement, is_finite_or_verb, noun_phrase, subject_of,
    whole_noun, with_gerund,
)  # fmt: skip

_RAISING = frozenset(
    "appear appears appeared seem seems seemed likely unlikely tend tends tended continue continues continued began begin "
    "begins start starts started happened ended helped help helps fail fails failed thought believed known suspected "
    "found reported going expected bound able".split()
)
_VAGUE_NOUNS = frozenset("thing things one ones something anything everything nothing way ways lot".split())
_EVENT_ENDINGS = ("tion", "sion", "ment", "ance", "ence", "ure", "age", "ing", "al", "sis", "th", "ity", "ness", "ism")
_EVENT_NOUNS = frozenset(
    "change rise fall increase decrease decline drop surge loss delay crash spike growth demand shortage problem issue "
    "error bug fault leak incident attack strike war drought flood storm cost price rate load traffic need fear concern "
    "anger lack upgrade deploy update release restart collapse crisis conflict stress damage impact pressure "
    "unrest violence protest debt inflation unemployment poverty interest".split()
)


@dataclass(frozen=True)
class End:
    """One end that a rule found; ``previous`` stands for the sentence before."""

    range: Range | None
    previous: bool = False


def verb_relations(token: Token, sentence: Span, previous: Range | None) -> Iterator[Candidate]:
    """What ``token`` says if it is a form of a causal verb; ``previous`` is the statement of the sentence before."""
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
    return subject is not None and subject.tag_ == "NN" and verb.dep_ != "ccomp" and not any(c.dep_ == "conj" for c in subject.children)


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
    if cue.frame == "event object" and not (is_event(verb.doc, tail) and is_event(verb.doc, start.range)):
        return None
    head = start.range
    if cue.backward:
        head, tail = tail, head
    return head, tail, (verb.i, cue_end), confidence


def _other_end(verb: Token, cue: VerbCue) -> tuple[Range, int] | None:
    """The end after the verb, and where the cue ends."""
    frame = cue.frame
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
        found = None if rise is None else _prepositional(rise, "to") or _prepositional(verb, "to")
        return found
    after = complement(verb)
    if after is None or verb.doc[after[0]].lower_ in ("that", "to") or any(c.dep_ == "dobj" and c.lower_ in _VAGUE_NOUNS
                                                                      for c in verb.rights):  # fmt: skip
        return None
    if frame in ("infinitive", "prevent"):
        return _caused_action(verb, frame, after)
    return after, verb.i + 1


def _caused_action(verb: Token, frame: str, after: Range) -> tuple[Range, int] | None:
    """*force X to V*, *prevent X from V-ing*, *prevent X*: the whole of what is done or not done."""
    words = verb.doc[after[0] : after[1]]
    if frame == "prevent":
        source = next((c for c in verb.rights if c.dep_ == "prep" and c.lower_ == "from"), None)
        end = source.right_edge.i + 1 if source is not None else after[1]
        return (after[0], end), verb.i + 1
    verbal = any(t.tag_ == "TO" and t.i + 1 < len(verb.doc) for t in words[1:])
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
            return (child.i + 1, with_gerund(target, noun_phrase(target)[1])), child.i + 1
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
    end = clause_end(target) if is_finite_or_verb(target) else noun_phrase(target)[1]
    head, tail = (agent.i + 1, end), affected.range
    if cue.frame == "event object" and not (is_event(verb.doc, head) and is_event(verb.doc, tail)):
        return None
    if cue.frame in ("infinitive", "prevent"):  # *X was forced by Y to V*: what is done is part of the end
        action = next((c for c in verb.rights if c.dep_ in ("xcomp", "ccomp", "advcl") and c.i > agent.i), None)
        after_agent = action is not None and any(c.tag_ == "TO" for c in action.lefts)
        if cue.frame == "infinitive" and action is not None and after_agent and not cue.subtype == "enable":
            head = (head[0], min(head[1], action.left_edge.i))
    return head, tail, (verb.i, agent.i + 1), cue.passive


def is_event(doc: object, end: Range) -> bool:
    """Whether the range names something that happens rather than a thing or a person."""
    words = doc[end[0] : end[1]]  # type: ignore[index]
    root = words.root
    if root.tag_.startswith("VB"):
        return True
    word = root.lower_
    singular = word[:-1] if root.tag_ == "NNS" and word.endswith("s") else word
    return root.tag_ in ("NN", "NNS") and (singular in _EVENT_NOUNS or (len(singular) > 5 and singular.endswith(_EVENT_ENDINGS)))


def doer(verb: Token, previous: Range | None) -> End | None:
    """What stands as the subject of ``verb``, wherever the sentence puts it; None where that is not safe to say."""
    subject = subject_of(verb)
    if subject is not None:
        return _from_subject(verb, subject, previous)
    doc, left, head = verb.doc, verb.i - 1, verb.head
    if verb.dep_ == "acl":
        if left >= 0 and doc[left].text == "," and verb.tag_ == "VBG":
            return _clause_before(verb, left)
        if verb.tag_ not in ("VBG", "VBN", "VBD") or head.i > verb.i:
            return None  # *a way to prevent X* has not prevented it
        return _antecedent(verb, verb.left_edge.i, near=verb.tag_ != "VBG")
    if verb.dep_ == "advcl" and verb.tag_ == "VBG" and head.i < verb.i and not _has_marker(verb):
        return _clause_before(verb, verb.left_edge.i)
    if verb.dep_ == "conj" and head.i < verb.i:
        return _from_conjunct(verb, head, previous)
    if verb.dep_ == "xcomp" and head.lower_ in _RAISING:
        if head.dep_ in ("acomp", "oprd") and subject_of(head) is None:
            head = head.head
        return doer(head, previous)
    return None


def _has_marker(verb: Token) -> bool:
    return any(c.dep_ in ("mark", "aux") or (c.dep_ in ("advmod", "prep") and c.tag_ in ("WRB", "IN")) for c in verb.lefts)


def _from_subject(verb: Token, subject: Token, previous: Range | None) -> End | None:
    doc = verb.doc
    if subject.tag_ in ("WDT", "WP") or (subject.lower_ == "that" and verb.dep_ == "relcl"):
        if verb.dep_ != "relcl" or subject.lower_ in ("what", "whatever", "who") and verb.head.i > verb.i:
            return None
        if subject.lower_ == "which" and doc[max(subject.i - 1, 0)].text == ",":
            return _clause_before(verb, subject.i - 1)
        return _antecedent(verb, subject.left_edge.i, near=subject.lower_ != "which")
    if subject.lower_ in ("this", "that") and subject.tag_ == "DT":
        first = next((t for t in verb.sent if not t.is_punct and not t.is_space and t.tag_ != "CC"), subject)
        return End(previous, previous=True) if first.i >= subject.i - 2 and previous is not None else None
    if subject.tag_ in ("PRP", "EX", "DT", "WDT", "WP") or subject.lower_ in _VAGUE_NOUNS:
        return None
    if is_finite_or_verb(subject) and subject.dep_ in ("csubj", "csubjpass"):
        start, end = subject.left_edge.i, subject.right_edge.i + 1
        return None if doc[start].tag_ in ("WP", "WDT") else End((start, min(end, verb.i)))
    return _noun_end(subject, verb.i)


def _antecedent(verb: Token, before: int, *, near: bool) -> End | None:
    """The noun that a relative clause or participle describes: the nearest, or the top of its chain of prepositions.

    A noun that only completes an infinitive (*a change to fix the page which broke others*) is not what acts.
    """
    noun = verb.head if near else whole_noun(verb.head)
    if not near and noun.dep_ in ("dobj", "pobj") and noun.head.tag_ == "VB" and noun.head.dep_ in ("xcomp", "advcl", "acl"):
        return _clause_before(verb, before)
    return _noun_end(noun, before)


def _noun_end(noun: Token, before: int) -> End | None:
    if noun.tag_ in ("PRP", "WDT", "WP", "EX") or noun.lower_ in _VAGUE_NOUNS:
        return None
    if is_finite_or_verb(noun) and noun.tag_ != "VBG":
        return None
    return End(noun_phrase(noun, before))


def _clause_before(verb: Token, end: int) -> End | None:
    """The clause that a participle or *which* after it comments on; a lone noun phrase if there is no clause."""
    governor = verb.head
    while not is_finite_or_verb(governor) or governor.i >= end:
        if governor.head == governor or governor.i < governor.sent.start:
            return _noun_end(verb.head, end) if verb.head.i < end else None
        governor = governor.head
    climbed = governor
    while climbed.dep_ in ("xcomp", "conj") and subject_of(climbed) is None and climbed.head.i < climbed.i:
        climbed = climbed.head
    if is_finite_or_verb(climbed):
        governor = climbed
    if governor.tag_ in ("VBG", "VB") and subject_of(governor) is None and verb.head.tag_.startswith("NN"):
        return _noun_end(verb.head, end)
    subject = subject_of(governor)
    if subject is not None and verb.head is subject:
        return _noun_end(subject, end)
    start = clause(governor, before=end)[0]
    return End((start, end)) if start < end else None


def _from_conjunct(verb: Token, head: Token, previous: Range | None) -> End | None:
    """*X did this and caused Y*: the clause before is the cause, unless it says a causal link of its own."""
    if not is_finite_or_verb(head):
        return None
    own = [c.i for c in verb.lefts if c.dep_ in ("aux", "auxpass", "advmod", "neg")]
    start = min([verb.i, *own])
    if head.lower_ in VERBS or any(c.dep_ == "auxpass" for c in verb.children) or verb.tag_ == "VBN":
        return doer(head, previous)
    if verb.tag_ == "VBG" and head.tag_ == "VBG":
        return doer(head, previous)
    subject = subject_of(head)
    if subject is None:
        return doer(head, previous)
    if subject.tag_ in ("WDT", "WP", "DT"):
        return _from_subject(head, subject, previous)
    return End((clause_start(head, subject), start))


def participle_relations(token: Token, sentence: Span) -> Iterator[Candidate]:
    """*…, leaving three users unable to log in*: the clause before the comma led to what the participle says."""
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
    if comma <= sentence.start or (doc[comma].text != "," and token.lower_ != "thereby") or verb.dep_ not in ("advcl", "acl", "conj"):
        return
    if verb.head.i > comma or not any(c.dep_ in ("dobj", "ccomp", "xcomp", "nsubj") for c in verb.rights):
        return
    cause = _clause_before(verb, comma if doc[comma].text == "," else token.i)
    if cause is None or cause.range is None:
        return
    end = complement(verb)
    if end is None:
        return
    first = end[0] if token.lower_ in ("leaving", "making", "rendering") else verb.i
    yield Candidate(CAUSAL, "result", cause.range, (first, end[1]), (token.i, token.i + 1), confidence,
                    f"participle:{token.lower_}", verb, polarity_of(verb), modality_of(verb))  # fmt: skip


__all__ = ["End", "doer", "is_event", "participle_relations", "verb_relations"]
