"""Purposes: *V in order to W*, *sent a crew to W*, *a plan to W*. What an action is for is why it is done.

Many corpora do not call this causal, so it is a subtype of its own and a possibility only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from extractors.english_candidates import Candidate, Site, modality_of
from extractors.english_connectives import host
from extractors.english_cues import CAUSAL
from extractors.english_lexicon import word_set
from extractors.english_spans import Range, clause_end, is_finite_or_verb, noun_phrase, subject_of

if TYPE_CHECKING:
    from spacy.tokens import Token

_IN_ORDER, _BARE, _OF_NOUN = 0.4, 0.3, 0.25
_UNFINISHED = word_set("""
    want wants wanted try tries tried trying begin begins began begun start starts started continue continues continued
    fail fails failed refuse refuses refused need needs needed have has had having seem seems seemed appear appears
    appeared decide decides decided plan plans planned agree agrees agreed promise promises promised threaten threatens
    threatened expect expects expected like likes liked attempt attempts attempted seek seeks sought manage manages
    managed tend tends tended use used suppose supposed go goes going ought allow allows allowed enable enables enabled
    force forces forced cause causes caused hope hopes hoped hesitate learn learns learned prefer prefers preferred
    intend intends intended happen happens happened prompt prompts prompted compel compels compelled is was are were be
    been claim claims claimed deserve know knows knew
    bound tempted considered believed thought said known found seen reported meant inclined entitled destined scheduled
    poised estimated deemed understood proven proved contemplated
""")
"""Verbs whose infinitive says what is wanted, begun or brought about, not what the action is for."""
_ASKING = word_set("""
    urge urges urged urging ask asks asked asking request requests requested requesting direct directs directed
    directing tell tells told telling order orders ordered ordering instruct instructs instructed instructing advise
    advises advised advising invite invites invited inviting encourage encourages encouraged warn warns warned remind
    reminds reminded beg begs begged permit permits permitted empower empowers empowered authorise authorises
    authorised authorize authorizes authorized require requires required oblige obliges obliged persuade persuades
    persuaded convince convinces convinced leave leaves left lead leads led bring brings brought
""")
"""Verbs whose infinitive after an object is what somebody is to do: *they asked the firm to close*."""
_MEANS = word_set("""
    move moves bid bids attempt attempts effort efforts measure measures step steps plan plans campaign campaigns call
    calls drive law laws bill scheme programme program programs project funds money
""")


def purpose(site: Site) -> Iterator[Candidate]:
    """*V in order to W*, *V to W*, *a plan to W*; a verb without a subject of its own is itself what is done."""
    token, sentence = site.token, site.sentence
    verb = token.head
    if token.tag_ != "TO" or token.dep_ != "aux" or verb.tag_ != "VB":
        return
    by = next((c for c in verb.rights if c.lower_ == "by" and any(g.tag_ == "VBG" for g in c.rights)), None)
    end = clause_end(verb) if by is None else by.i  # how it is to be reached is another matter
    above = verb.head
    ordered = verb.dep_ == "acl" and above.lower_ == "order" and above.i > sentence.start
    if verb.dep_ == "acl" and not ordered:
        if above.lower_ in _MEANS and above.i < token.i:
            yield _for(token, (token.i + 1, end), noun_phrase(above, token.i), above, _OF_NOUN, token.i)
        return
    start = above.i - 1 if ordered else token.i
    governor = above.head.head if ordered else above
    subject = subject_of(governor)
    if not is_finite_or_verb(governor) or governor == verb or (subject is not None and subject.lower_ == "it"):
        return  # *it takes time to V*: the infinitive is the subject
    if governor.lower_ in _UNFINISHED | _ASKING and not ordered and _has_its_actor(governor, token):
        return  # *led the firm to close*, read as a purpose
    if verb.dep_ == "xcomp" and not ordered and not _is_complete(governor, token):
        return
    if verb.dep_ not in ("acl", "advcl", "xcomp"):
        return
    if subject is None and governor.tag_ in ("VB", "VBG") and governor.i < start:
        done: Range | None = (governor.i, start)
    else:
        found = host(above.head if ordered else verb, start, end, sentence) if subject is not None else None
        done = found[1] if found is not None else None
    if done is not None:
        yield _for(token, (token.i + 1, end), done, governor, _IN_ORDER if ordered else _BARE, start)


def _has_its_actor(governor: Token, to: Token) -> bool:
    """Whether somebody is named who is to act: an object, or in the passive the subject."""
    passive = governor.lower_ in _ASKING and any(c.dep_ == "auxpass" for c in governor.lefts)
    return passive or any(c.dep_ == "dobj" and c.i < to.i for c in governor.rights)


def _is_complete(governor: Token, to: Token) -> bool:
    """*used a rope to climb*, *gathered in the square to protest*: the action is whole before its purpose."""
    if governor.lower_ in _UNFINISHED or governor.i > to.i:
        return False
    done = any(c.dep_ == "auxpass" for c in governor.lefts) and governor.lower_ not in _ASKING
    return done or any(
        c.i < to.i and (c.dep_ in ("dobj", "prep") or (c.dep_ == "prt" and c.lower_ != "out")) for c in governor.rights
    )  # *set out to V*, *find out how to V*


def _for(to: Token, aim: Range, done: Range, governor: Token, confidence: float, start: int) -> Candidate:
    return Candidate(CAUSAL, "purpose", aim, done, (start, to.i + 1), confidence, "purpose", governor,
                     modality=modality_of(governor))  # fmt: skip


__all__ = ["purpose"]
