"""Causes told apart from their cue: *angered by X, they left*; *X was behind Y*; *X, which is why Y*."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from extractors.english_candidates import Candidate, Site, modality_of, polarity_of
from extractors.english_claims import is_somebody
from extractors.english_connectives import host
from extractors.english_cues import CAUSAL, EFFECT_NOUNS
from extractors.english_events import core_noun, is_event
from extractors.english_lexicon import word_set
from extractors.english_spans import Range, clause_end, end_of, is_finite_or_verb, noun_phrase, subject_of
from extractors.english_subjects import clause_before

if TYPE_CHECKING:
    from spacy.tokens import Token

FELT = word_set("""
    angered anguished annoyed alarmed appalled disappointed discouraged disgusted dismayed distressed disturbed
    embarrassed emboldened encouraged enraged exasperated exhausted frightened frustrated horrified impressed
    incensed infuriated intrigued irritated motivated outraged overwhelmed panicked provoked saddened
    scared shaken shocked spooked spurred startled stung stunned surprised terrified troubled unnerved upset worried
""")
"""What somebody is made to feel by what happens, before doing something about it."""
_HOPES = word_set("""
    hope hopes fear fears anger desire desires ambition ambitions aspiration aspirations worry worries doubt doubts
    greed pride hatred grievance grievances decision decisions
""")
_POINTERS = frozenset({"this", "that"})
_FELT, _BEHIND, _WHY, _POSSIBLE = 0.6, 0.6, 0.7, 0.65


def felt(site: Site) -> Iterator[Candidate]:
    """*Angered by X, they left*: what somebody feels about X is why the rest is done."""
    word, sentence = site.token, site.sentence
    agent = next((c for c in word.rights if c.lower_ in ("by", "at") and c.dep_ in ("agent", "prep")), None)
    target = next((c for c in agent.rights if c.dep_ in ("pobj", "pcomp")), None) if agent is not None else None
    if word.tag_ not in ("VBN", "VBD") or word.dep_ not in ("advcl", "acl") or agent is None or target is None:
        return
    if word.head.i < word.i or subject_of(word) is not None or target.tag_ == "PRP":
        return
    cause = agent.i + 1, end_of(target)
    found = host(word, word.left_edge.i, cause[1], sentence)
    if found is None or not is_finite_or_verb(found[0]) or found[1][0] < cause[1]:
        return
    anchor, deed, _ = found
    yield Candidate(CAUSAL, "reason", cause, deed, (word.i, agent.i + 1), _FELT, "felt", anchor,
                    modality=modality_of(anchor))  # fmt: skip


def behind(site: Site) -> Iterator[Candidate]:
    """*X was behind Y*, of what happens or is felt: people are behind things too, and things stand behind things."""
    word = site.token
    be = word.head
    target = next((c for c in word.rights if c.dep_ == "pobj"), None)
    subject = subject_of(be)
    if word.dep_ != "prep" or be.lower_ not in ("is", "was", "are", "were") or target is None or subject is None:
        return
    if be.i > word.i or not (_comes_about(subject) and _comes_about(target)):
        return
    yield Candidate(CAUSAL, "cause", noun_phrase(subject, be.i), noun_phrase(target), (be.i, word.i + 1), _BEHIND,
                    "behind", be, polarity_of(be), modality_of(be))  # fmt: skip


def _comes_about(noun: Token) -> bool:
    named = core_noun(noun)
    if is_somebody(named):
        return False
    return named.lower_ in _HOPES or named.lower_ in EFFECT_NOUNS or is_event(named.doc, (named.i, named.i + 1))


def made_possible(site: Site) -> Iterator[Candidate]:
    """*Y was made possible by X*, and *impossible*."""
    word = site.token
    made = word.head
    agents = [c for h in (word, made) for c in h.rights if c.lower_ == "by" and c.i > word.i]
    target = next((c for by in agents for c in by.rights if c.dep_ in ("pobj", "pcomp")), None)
    subject = subject_of(made)
    if made.lower_ != "made" or target is None or subject is None or subject.tag_ in ("PRP", "WDT", "DT"):
        return
    if not any(c.dep_ == "auxpass" for c in made.lefts) or is_somebody(target):
        return
    end = end_of(target)
    subtype = "enable" if word.lower_ == "possible" else "prevent"
    by = target.head
    yield Candidate(CAUSAL, subtype, (by.i + 1, end), noun_phrase(subject, made.i), (made.i, by.i + 1), _POSSIBLE,
                    "made-possible", made, polarity_of(made), modality_of(made))  # fmt: skip


def why(site: Site) -> Iterator[Candidate]:
    """*X, which is why Y*; *X. This is why Y*."""
    word = site.token
    verb = word.head
    be = verb.head
    if word.dep_ != "advmod" or verb.dep_ not in ("ccomp", "advcl", "attr") or subject_of(verb) is None:
        return
    pointer = subject_of(be)
    if be.lower_ not in ("is", "was", "'s") or pointer is None or pointer.i > be.i or be.i > word.i:
        return
    cause: Range | None = None
    if pointer.lower_ == "which" and pointer.i > site.sentence.start and pointer.nbor(-1).text == ",":
        end = clause_before(be, pointer.i - 1)
        cause = end.range if end is not None else None
    elif pointer.lower_ in _POINTERS and pointer.i <= site.sentence.start + 1:
        cause = site.previous
    if cause is None:
        return
    yield Candidate(CAUSAL, "result", cause, (word.i + 1, clause_end(verb)), (pointer.i, word.i + 1), _WHY, "why", be,
                    polarity_of(be), modality_of(be))  # fmt: skip


__all__ = ["FELT", "behind", "felt", "made_possible", "why"]
