"""Causal readings that a construction suggests but does not say, each with a subtype of its own and never asserted.

*When X, Y* tells of a time, and mostly of a reason too; *the strike over pay*, *a rally demanding a recount* and *fined
for speeding* name what somebody acted on. Corpora disagree on whether these are causal, so they stay possibilities.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from extractors.english_candidates import Candidate, Site, modality_of, polarity_of
from extractors.english_connectives import clause_pair, host
from extractors.english_cues import CAUSAL, SHOWING_VERBS
from extractors.english_events import is_event
from extractors.english_lexicon import TIME_NOUNS, word_set
from extractors.english_spans import clause, clause_end, is_finite_or_verb, noun_phrase, subject_of
from storage.records import Modality

if TYPE_CHECKING:
    from spacy.tokens import Token

TEMPORAL_CAUSAL = "temporal-causal"
TIME_WORDS = ("when", "whenever", "as", "after", "following")
OPEN_CONDITIONS = ("unless", "until", "till")
AIMING_PARTICIPLES = word_set("""
    demanding seeking calling asking urging requesting alleging claiming accusing protesting hoping wanting fearing
    citing appealing insisting condemning denouncing opposing criticising criticizing
""")
MATTER_PREPOSITIONS = ("over", "against", "for")
_TEMPORAL, _CONDITION, _MATTER = 0.3, 0.3, 0.25
_REPORTED = word_set("""
    said says say told reported noted shown seen described mentioned expected known usual stated explained put
""")
_ACTS = word_set("""
    strike strikes protest protests rally rallies march marches demonstration demonstrations riot riots clash clashes
    dispute disputes row anger outrage concern concerns complaint complaints lawsuit lawsuits campaign campaigns arrest
    arrests criticism backlash boycott walkout unrest apology award prize fine penalty reward praise
""")
_THANKING = word_set("""
    thank thanked thanks thanking apologise apologised apologize apologized forgive forgave punish punished
""")
_ACTING = word_set("""
    protest protests protested protesting rally rallied march marched demonstrate demonstrated demonstrating strike
    struck complain complained resign resigned clash clashed quit sue sued
""")


def temporal_causal(site: Site) -> Iterator[Candidate]:
    """*When X, Y*; *Y as X*; *Y after X*: X came first or at once, and may be why."""
    token, sentence = site.token, site.sentence
    if token.i > sentence.start and token.nbor(-1).lower_ in ("even", "just", "same", "such", "as", "until"):
        return
    if token.i + 1 < sentence.end and token.nbor().lower_ == "which":
        return  # *X, after which Y*: the other way round
    pair = clause_pair(token, token.i + 1)
    if pair is not None and subject_of(pair[0]) is not None:
        verb, other, governor, main = pair
        cited = verb.lower_ in _REPORTED | SHOWING_VERBS or token.nbor().lower_ == "if"
        if verb.dep_ != "advcl" or (token.lower_ == "as" and cited):
            return
    else:
        target = next((c for c in token.rights if c.dep_ in ("pobj", "pcomp")), None)
        if token.lower_ not in ("after", "following") or token.dep_ != "prep" or target is None:
            return
        if target.lower_ in TIME_NOUNS:
            return
        verbal = is_finite_or_verb(target)
        if not verbal and not is_event(token.doc, noun_phrase(target)):
            return
        other = (token.i + 1, clause_end(target)) if verbal else noun_phrase(target)
        found = host(token, token.i, other[1], sentence)
        if found is None:
            return
        governor, main, _ = found
    yield Candidate(CAUSAL, TEMPORAL_CAUSAL, other, main, (token.i, token.i + 1), _TEMPORAL,
                    f"temporal-causal:{token.lower_}", governor, modality=modality_of(governor))  # fmt: skip


def open_condition(site: Site) -> Iterator[Candidate]:
    """*Y unless X*, *Y until X*: what would end or undo Y."""
    token = site.token
    pair = clause_pair(token, token.i + 1)
    if pair is None or subject_of(pair[0]) is None:
        return
    _, premise, governor, main = pair
    supposed = token.lower_ == "unless" or modality_of(governor) is not Modality.ASSERTED
    yield Candidate(CAUSAL, "condition", premise, main, (token.i, token.i + 1), _CONDITION,
                    f"condition:{token.lower_}", governor,
                    modality=Modality.HYPOTHETICAL if supposed else Modality.ASSERTED)  # fmt: skip


def aim(site: Site) -> Iterator[Candidate]:
    """*They marched, demanding X*; *Demanding X, they marched*: what somebody wants with an act."""
    token, sentence = site.token, site.sentence
    if token.tag_ != "VBG" or token.dep_ not in ("advcl", "acl", "xcomp", "conj", "pcomp"):
        return
    noun = token.head if token.dep_ == "acl" and token.head.tag_.startswith("NN") else None
    if noun is not None and noun.lower_ in _ACTS and noun.i == token.left_edge.i - 1:
        main = noun_phrase(noun, token.left_edge.i)
        anchor = noun
    else:
        found = host(token, token.left_edge.i, clause_end(token), sentence)
        fronted = found is not None and found[0].i > token.i and token.dep_ == "advcl"
        if found is None or not is_finite_or_verb(found[0]) or (found[1][0] >= token.i and not fronted):
            return
        anchor, main, _ = found
    yield Candidate(CAUSAL, "purpose", (token.left_edge.i, clause_end(token)), main, (token.i, token.i + 1), _MATTER,
                    "aim", anchor, modality=modality_of(anchor))  # fmt: skip


def matter(site: Site) -> Iterator[Candidate]:
    """*a strike over pay*, *they protested against the dam*, *fined for speeding*: what somebody reacts to."""
    token = site.token
    target = next((c for c in token.rights if c.dep_ in ("pobj", "pcomp")), None)
    if token.dep_ != "prep" or target is None or target.tag_ in ("CD", "PRP") or target.lower_ in TIME_NOUNS:
        return
    governor = token.head
    if token.lower_ == "for" and governor.dep_ == "dobj" and governor.head.lower_ in _THANKING:
        governor = governor.head
    verbal = is_finite_or_verb(target)
    reacts = governor.lower_ in _ACTS or governor.lower_ in _ACTING
    if token.lower_ == "for" and not (
        governor.lower_ in _THANKING or (_is_a_doing(target) and _is_done_to_somebody(governor))
    ):
        return
    if token.lower_ != "for" and not reacts:
        return
    end = clause_end(target) if verbal else noun_phrase(target)[1]
    if governor.tag_.startswith("NN"):
        main, anchor = noun_phrase(governor, token.i), governor
    elif is_finite_or_verb(governor):
        main, anchor = clause(governor, before=token.i), governor
    else:
        return
    penalty = token.lower_ == "for"
    yield Candidate(CAUSAL, "reason", (token.i + 1, end), main, (token.i, token.i + 1), 0.4 if penalty else _MATTER,
                    f"matter:{token.lower_}", anchor, polarity_of(anchor), modality_of(anchor))  # fmt: skip


def _is_a_doing(word: Token) -> bool:
    opening = word.left_edge
    return "VBG" in (word.tag_, opening.tag_) or (word.tag_ == "NN" and word.lower_.endswith("ing"))


def _is_done_to_somebody(verb: Token) -> bool:
    """*was fined for*, *arrested him for*, *criticised the mayor for*: a passive, or an object that stands before."""
    if not is_finite_or_verb(verb) or verb.lower_ in ("used", "designed", "needed", "made", "known", "built"):
        return False
    passive = any(c.dep_ == "auxpass" for c in verb.children) or (verb.tag_ == "VBN" and verb.dep_ == "acl")
    return passive or any(c.dep_ == "dobj" and _may_be_somebody(c) for c in verb.rights)


def _may_be_somebody(noun: Token) -> bool:
    if noun.tag_ in ("PRP", "NNP", "NNPS"):
        return True
    return noun.lower_.endswith(("ers", "er", "or", "ors", "ist", "ists", "man", "men", "people", "ents", "ent"))


__all__ = [
    "AIMING_PARTICIPLES",
    "MATTER_PREPOSITIONS",
    "OPEN_CONDITIONS",
    "TEMPORAL_CAUSAL",
    "TIME_WORDS",
    "aim",
    "matter",
    "open_condition",
    "temporal_causal",
]
