"""Causes that somebody names: *blamed on*, *attributed to*, *responsible for*."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from extractors.english_candidates import Candidate, Site, modality_of, polarity_of
from extractors.english_claims import is_somebody
from extractors.english_cues import CAUSAL, EFFECT_NOUNS
from extractors.english_events import is_event
from extractors.english_lexicon import word_set
from extractors.english_spans import clause, clause_end, is_finite_or_verb, noun_phrase, subject_of, with_place

if TYPE_CHECKING:
    pass

ASCRIBING_VERBS = word_set("""
    attribute attributes attributed attributing ascribe ascribes ascribed blame blames blamed blaming
""")
MOOD_WORDS = ("on", "over", "amid", "amidst")
_ASCRIBED, _OPINION, _RESPONSIBLE, _MOOD = 0.6, 0.45, 0.65, 0.6
_MOODS = word_set("""
    fear fears concern concerns worry worries hope hopes expectation expectations speculation optimism pessimism news
    uncertainty doubt doubts demand rumour rumours rumor rumors jitters panic
""")
_MOVEMENTS = word_set("""
    rose rise rises risen rising fell fall falls fallen falling dropped drop drops dropping jumped jump jumps surged
    surge surges slipped slip slips climbed climb climbs gained gain gains declined decline declines tumbled tumble
    tumbles plunged plunge plunges rallied rally rallies soared soar soars sank sink sinks weakened weaken strengthened
    slid slide slides dipped dip dips rebounded eased ease
""")


def ascribed(site: Site) -> Iterator[Candidate]:
    """*Y was attributed to X*, *they blamed Y on X*, *X was blamed for Y*: a cause, as somebody sees it."""
    verb = site.token
    if not is_finite_or_verb(verb):
        return
    passive = any(c.dep_ == "auxpass" for c in verb.children)
    direct = subject_of(verb) if passive else next((c for c in verb.rights if c.dep_ == "dobj"), None)
    if direct is None and verb.dep_ == "acl" and verb.tag_ in ("VBN", "VBD"):
        direct = verb.head
    words = ("on", "for") if verb.lower_.startswith("blam") else ("to",)
    word = next((c for c in verb.rights if c.dep_ in ("prep", "dative") and c.lower_ in words), None)
    if word is None and direct is not None:  # *blamed the delay | on the fog*, hung on the object
        word = next((c for c in direct.rights if c.dep_ == "prep" and c.lower_ in words), None)
    target = next((c for c in word.rights if c.dep_ in ("pobj", "pcomp")), None) if word is not None else None
    if word is None or target is None or direct is None or not direct.tag_.startswith("NN"):
        return
    named = noun_phrase(direct, word.i if direct.i < word.i else None)
    other = word.i + 1, clause_end(target) if is_finite_or_verb(target) else with_place(verb, noun_phrase(target)[1])
    head, tail = (named, other) if word.lower_ == "for" else (other, named)
    yield Candidate(CAUSAL, "cause", head, tail, (verb.i, word.i + 1),
                    _ASCRIBED if passive or direct == verb.head else _OPINION, "ascribed", verb, polarity_of(verb),
                    modality_of(verb))  # fmt: skip


def responsible(site: Site) -> Iterator[Candidate]:
    """*The fog was responsible for the delay*, of things and events: who is in charge of a task causes none."""
    token = site.token
    be = token.head
    word = next((c for c in token.rights if c.dep_ == "prep" and c.lower_ == "for"), None)
    target = next((c for c in word.rights if c.dep_ == "pobj"), None) if word is not None else None
    subject = subject_of(be)
    if token.dep_ != "acomp" or word is None or target is None or subject is None or is_somebody(subject):
        return
    effect = noun_phrase(target)
    if not (target.lower_ in EFFECT_NOUNS or is_event(token.doc, effect)):
        return
    yield Candidate(CAUSAL, "cause", noun_phrase(subject, be.i), effect, (token.i, word.i + 1), _RESPONSIBLE,
                    "responsible", be, polarity_of(be), modality_of(be))  # fmt: skip


def mood(site: Site) -> Iterator[Candidate]:
    """*Shares fell on fears of a strike*, *rallied amid hopes*: what people fear or hope moves what rises or falls."""
    word = site.token
    feeling = next((c for c in word.rights if c.dep_ == "pobj"), None)
    verb = word.head
    if word.dep_ != "prep" or feeling is None or feeling.lower_ not in _MOODS or verb.i > word.i:
        return
    if not is_finite_or_verb(verb) or verb.lower_ not in _MOVEMENTS or subject_of(verb) is None:
        return
    yield Candidate(CAUSAL, "reason", noun_phrase(feeling), clause(verb, before=word.i), (word.i, word.i + 1), _MOOD,
                    "mood", verb, polarity_of(verb), modality_of(verb))  # fmt: skip


__all__ = ["ASCRIBING_VERBS", "MOOD_WORDS", "ascribed", "mood", "responsible"]
