"""Evidence that a noun carries or a clause cites: *the survey supports the view that Y*, *as the log shows, Y*."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from extractors.english_candidates import Candidate, Site, modality_of, polarity_of
from extractors.english_claims import is_somebody
from extractors.english_cues import SHOWING_VERBS, SUPPORTING
from extractors.english_lexicon import word_set
from extractors.english_spans import Range, clause, clause_end, is_finite_or_verb, noun_phrase, subject_of

if TYPE_CHECKING:
    from spacy.tokens import Token

BACKING_VERBS = word_set("""
    support supports supported back backs backed reinforce reinforces reinforced strengthen strengthens strengthened
    corroborate corroborates corroborated substantiate substantiates substantiated confirm confirms confirmed
    is was are were provide provides provided give gives gave offer offers offered
""")
"""Verbs whose object or complement names a claim, as far as ``_CLAIMS`` or ``_EVIDENCE`` allows."""

_CLAIMS = word_set("""
    view views idea hypothesis theory claim claims notion argument suspicion assumption conclusion belief assertion
    position thesis prediction suggestion conjecture
""")
_EVIDENCE = word_set("""
    evidence proof sign signs indication indications support confirmation testimony
""")
_SOURCES = word_set("""
    data results result survey surveys study studies report reports log logs metrics analysis tests test findings
    evidence figures graph chart measurements records research experiments experiment statistics observations trace
    traces telemetry table audit poll polls review investigation trial trials inspection inspections analyses
    experiments readings simulation simulations
""")
_BE = word_set("is was are were")
FOUND = word_set("find finds found")


def backs_claim(site: Site) -> Iterator[Candidate]:
    """*X supports the view that Y*; *X is evidence that Y*; *X provides evidence for Y*."""
    verb, sentence, previous = site.token, site.sentence, site.previous
    subject = subject_of(verb)
    if not is_finite_or_verb(verb) or subject is None or subject.dep_ not in ("nsubj", "csubj"):
        return
    named = next((c for c in verb.rights if c.dep_ in ("dobj", "attr") and c.lower_ in _CLAIMS | _EVIDENCE), None)
    if named is None:
        return
    witness = named.lower_ in _EVIDENCE
    if witness == (verb.lower_ not in _BE and not verb.lower_.startswith(("provide", "give", "gave", "offer"))):
        return  # *is the view that*, *supports evidence*: no such construction
    claim = _claim_of(named, prepositions=("for", "of") if witness else ())
    if claim is None:
        return
    if subject.tag_ == "DT" and subject.lower_ in ("this", "that") and subject.i <= sentence.start + 1:
        evidence = previous
    else:
        evidence = None if is_somebody(subject) else noun_phrase(subject, verb.i)
    if evidence is None:
        return
    yield Candidate(SUPPORTING, "backs", evidence, claim, (verb.i, claim[0]), 0.7, "backs-claim", verb,
                    polarity_of(verb), modality_of(verb))  # fmt: skip


def _claim_of(noun: Token, *, prepositions: tuple[str, ...]) -> Range | None:
    """What the noun claims or bears witness to: its clause after *that*, or the phrase after *for*."""
    clausal = next((c for c in noun.rights if c.dep_ in ("acl", "relcl", "ccomp") and is_finite_or_verb(c)), None)
    if clausal is None:  # the parser hangs the clause on the verb as often
        clausal = next((c for c in noun.head.rights if c.dep_ == "ccomp" and c.i > noun.i), None)
    if clausal is not None:
        that = next((c for c in clausal.lefts if c.lower_ == "that" and c.tag_ in ("IN", "WDT")), None)
        return None if that is None else (that.i + 1, clause_end(clausal))
    after = [*noun.rights, *(c for c in noun.head.rights if c.i == noun.right_edge.i + 1)]
    word = next((c for c in after if c.dep_ == "prep" and c.lower_ in prepositions), None)
    target = next((c for c in word.rights if c.dep_ == "pobj"), None) if word is not None else None
    return None if word is None or target is None else (word.i + 1, noun_phrase(target)[1])


def data_show(site: Site) -> Iterator[Candidate]:
    """*The data indicate prices fell*, *the trial found that the drug works*: a source that cannot speak itself.

    Other subjects need a *that* and a verb of showing, and whoever finds something may be a court.
    """
    verb = site.token
    subject = subject_of(verb)
    claim = next((c for c in verb.rights if c.dep_ == "ccomp"), None)
    if subject is None or claim is None or subject.lower_ not in _SOURCES or not is_finite_or_verb(verb):
        return
    named = subject_of(claim)
    found = verb.lower_ in FOUND
    that = found and verb.nbor().lower_ == "that"  # else *that* was read elsewhere
    first = verb.i + 2 if that else verb.i + 1
    if named is None or named.left_edge.i != first or named.tag_ in ("WP", "WDT"):
        return  # the clause does not follow at once
    yield Candidate(SUPPORTING, "shows", noun_phrase(subject, verb.i), (first, clause_end(claim)), (verb.i, first),
                    0.65, "data-show", verb, polarity_of(verb), modality_of(verb))  # fmt: skip


def as_shown(site: Site) -> Iterator[Candidate]:
    """*As the log shows, Y*: a source that is cited in a clause of its own."""
    token = site.token
    verb = token.head
    subject = subject_of(verb)
    if verb.lower_ not in SHOWING_VERBS or verb.dep_ != "advcl" or subject is None or subject.i < token.i:
        return
    governor = verb.head
    if is_somebody(subject) or not is_finite_or_verb(governor) or any(c.dep_ == "dobj" for c in verb.rights):
        return
    fronted = verb.i < governor.i
    claim = clause(governor, after=verb.right_edge.i + 1) if fronted else clause(governor, before=token.i)
    yield Candidate(SUPPORTING, "evidence", noun_phrase(subject, verb.i), claim, (token.i, verb.i + 1), 0.7, "as-shown",
                    governor, modality=modality_of(governor))  # fmt: skip


__all__ = ["BACKING_VERBS", "FOUND", "as_shown", "backs_claim", "data_show"]
