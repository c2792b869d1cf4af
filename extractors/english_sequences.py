"""Order in time and condition: *after*, *before*, *once*, *followed by*, *if*."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from extractors.english_candidates import Candidate, Site, modality_of
from extractors.english_connectives import clause_pair, host
from extractors.english_cues import CAUSAL, SEQUENTIAL
from extractors.english_events import is_event
from extractors.english_lexicon import TIME_NOUNS, word_set
from extractors.english_spans import Range, clause, clause_end, is_finite_or_verb, noun_phrase, subject_of
from extractors.english_subjects import doer
from storage.records import Modality

if TYPE_CHECKING:
    from spacy.tokens import Token

_UNSPECIFIC = word_set("""
    all that this it them
""")
_STEPS = 0.6
"""The order of two steps of an instruction."""


def after_before(site: Site) -> Iterator[Candidate]:
    """*Y after X*, *X before Y*, with a clause, a gerund or a noun that names an event."""
    token, sentence = site.token, site.sentence
    word = token.lower_
    if token.i + 1 < sentence.end and token.nbor().lower_ == "which":
        yield from _which_came(token)
        return
    if token.i + 1 >= sentence.end or (token.nbor().lower_ in _UNSPECIFIC and token.dep_ != "mark"):
        return
    if token.i > sentence.start and token.nbor(-1).lower_ == "even":
        return  # *even after X*: in spite of it
    pair = clause_pair(token, token.i + 1)
    if pair is not None and subject_of(pair[0]) is not None:
        done, other, anchor, main = pair
        confidence = 0.75
    elif (found := _nominal(site)) is not None:
        done, other, anchor, main, confidence = found
    else:
        return
    if _is_ordered(anchor):
        if not is_finite_or_verb(done) or not _is_a_step(done):
            return  # an instruction, not an event: *call us before the deadline*
        confidence = _STEPS
    head, tail = (other, main) if word == "after" else (main, other)
    yield Candidate(SEQUENTIAL, word, head, tail, (token.i, token.i + 1), confidence, word, anchor,
                    modality=modality_of(anchor))  # fmt: skip


def once(site: Site) -> Iterator[Candidate]:
    """*Once X, Y*; *as soon as X, Y*."""
    token, sentence = site.token, site.sentence
    cue = token.i, token.i + 1
    if token.lower_ == "soon":
        if (
            token.i == sentence.start
            or token.nbor(-1).lower_ != "as"
            or token.i + 1 >= sentence.end
            or token.nbor().lower_ != "as"
        ):
            return
        token = token.nbor()
        cue = token.i - 2, token.i + 1
    pair = clause_pair(token, token.i + 1) or _fronted(token)
    if pair is None or subject_of(pair[0]) is None:
        return
    _, first, anchor, main = pair
    yield Candidate(SEQUENTIAL, "once", first, (main[0], min(main[1], cue[0])) if main[0] < cue[0] else main, cue, 0.65,
                    "once", anchor, modality=modality_of(anchor))  # fmt: skip


def _nominal(site: Site) -> tuple[Token, Range, Token, Range, float] | None:
    """*after closing the valve*, *before the flood*: the word of what happens, its range, the other verb and clause."""
    token, sentence = site.token, site.sentence
    target = next((c for c in token.rights if c.dep_ in ("pobj", "pcomp")), None)
    if token.dep_ not in ("prep", "mark", "advmod") or target is None:
        return None
    if is_finite_or_verb(target):
        other, confidence = (token.i + 1, clause_end(target)), 0.75
    elif is_event(token.doc, noun_phrase(target)) and target.lower_ not in TIME_NOUNS:
        other, confidence = noun_phrase(target), 0.6
    else:
        return None
    found = host(token, token.i, other[1], sentence)
    if found is None or not is_finite_or_verb(found[0]):
        return None
    if token.i != sentence.start and not (token.head == found[0] and _is_past_or_ordered(found[0])):
        return None  # in the present it tells of what is usual, not of what happened
    return target, other, found[0], found[1], confidence


def _is_past_or_ordered(verb: Token) -> bool:
    return (verb.tag_ in ("VBD", "VBN") and subject_of(verb) is not None) or _is_ordered(verb)


def _is_ordered(verb: Token) -> bool:
    """Whether the verb gives an order: a base form without a subject."""
    return verb.tag_ == "VB" and modality_of(verb) is Modality.ASSERTED and subject_of(verb) is None


def _is_a_step(verb: Token) -> bool:
    """Whether the clause names something that the reader is to do too: *you close it*, *closing it*."""
    if any(t.lower_ in ("always", "never") for t in verb.sent):
        return False  # a rule for every day, and no step of one procedure
    subject = subject_of(verb)
    if subject is None:
        return verb.tag_ == "VBG" and any(c.dep_ == "dobj" and c.tag_ != "PRP" for c in verb.rights)
    return subject.lower_ == "you" and any(c.dep_ == "dobj" and c.tag_ != "PRP" for c in verb.rights)


def _which_came(token: Token) -> Iterator[Candidate]:
    """*X, after which Y*: the clause behind *which* is the later one."""
    doc = token.doc
    verb = next((t for t in doc[token.i + 2 : token.sent.end] if is_finite_or_verb(t) and subject_of(t)), None)
    if token.lower_ != "after" or token.i < token.sent.start + 3 or doc[token.i - 1].text != "," or verb is None:
        return
    subject = subject_of(verb)
    first = next((t for t in token.ancestors if t.i < token.i and is_finite_or_verb(t) and subject_of(t)), None)
    if subject is None or first is None or subject.left_edge.i < token.i:
        return
    start = max(subject.left_edge.i, token.i + 2)
    yield Candidate(SEQUENTIAL, "after", clause(first, before=token.i - 1), (start, clause_end(verb)),
                    (token.i, token.i + 2), 0.75, "after-which", first, modality=modality_of(first))  # fmt: skip


def _fronted(token: Token) -> tuple[Token, Range, Token, Range] | None:
    """*Once X, do Y*, where the parser took the order for a part of the clause before the comma."""
    verb = token.head
    if token.i != token.sent.start or token.dep_ not in ("mark", "advmod") or not is_finite_or_verb(verb):
        return None
    order = next((c for c in verb.rights if c.dep_ == "conj" and c.tag_ == "VB" and subject_of(c) is None), None)
    if verb.dep_ != "ROOT" or order is None or order.left_edge.i - 1 <= verb.i:
        return None
    comma = order.left_edge.i - 1
    if verb.doc[comma].text != ",":
        return None
    return verb, (token.i + 1, comma), verb, (order.left_edge.i, clause_end(order))


def followed_by(site: Site) -> Iterator[Candidate]:
    """*X was followed by Y*; *X, followed by Y*."""
    token, previous = site.token, site.previous
    agent = next((c for c in token.rights if c.lower_ == "by" and c.dep_ in ("agent", "prep")), None)
    target = next((c for c in agent.rights if c.dep_ in ("pobj", "pcomp")), None) if agent is not None else None
    if agent is None or target is None:
        return
    first = doer(token, previous)
    later = noun_phrase(target)
    if first is None or first.range is None or token.tag_ not in ("VBN", "VBD"):
        return
    if not (is_event(token.doc, first.range) or is_event(token.doc, later)):
        return  # people follow people
    yield Candidate(SEQUENTIAL, "followed", first.range, (agent.i + 1, later[1]), (token.i, agent.i + 1), 0.75,
                    "followed-by", token, modality=modality_of(token))  # fmt: skip


def following(site: Site) -> Iterator[Candidate]:
    """*Following X, Y* with a noun that names an event."""
    token, sentence = site.token, site.sentence
    if token.i != sentence.start:
        return
    target = next((c for c in token.rights if c.dep_ in ("pobj", "dobj")), None)
    if target is None or not is_event(token.doc, noun_phrase(target)) or not is_finite_or_verb(token.head):
        return
    found = host(token, token.i, noun_phrase(target)[1], sentence)
    if found is not None:
        yield Candidate(SEQUENTIAL, "after", (token.i + 1, noun_phrase(target)[1]), found[1],
                        (token.i, token.i + 1), 0.6,
                        "following", found[0], modality=modality_of(found[0]))  # fmt: skip


def condition(site: Site) -> Iterator[Candidate]:
    """*Y if X*: said of a world that may not be ours, so never asserted."""
    token, sentence = site.token, site.sentence
    if token.i > sentence.start and token.nbor(-1).lower_ in ("as", "even", "only"):
        return
    pair = clause_pair(token, token.i + 1)
    if pair is None or pair[0].dep_ != "advcl" or subject_of(pair[0]) is None:
        return
    _, premise, anchor, main = pair
    yield Candidate(CAUSAL, "condition", premise, main, (token.i, token.i + 1), 0.6, "condition", anchor,
                    modality=Modality.HYPOTHETICAL)  # fmt: skip


__all__ = ["after_before", "condition", "followed_by", "following", "once"]
