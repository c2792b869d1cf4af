"""Order in time that a text tells by its own order: *X did this and did that*, clock times and dates that rise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from extractors.english_candidates import Candidate, Site, modality_of
from extractors.english_cues import SEQUENTIAL, SPEECH_VERBS, VERBS
from extractors.english_lexicon import word_set
from extractors.english_spans import clause, clause_end, is_finite_or_verb, subject_of
from extractors.english_subjects import FINDING_VERBS

if TYPE_CHECKING:
    from spacy.tokens import Token

NARRATIVE = 0.5
"""Readers take two events joined by *and* in the order told, but nothing says so: the weakest assertion there is."""

_STATES = word_set("""
    was were is are be been had has have did knew thought felt wanted needed liked loved hated seemed looked remained
    contained included consisted belonged lived believed understood meant owned kept continued featured ranged
    varied depended represented stood lay sat lacked required covered enjoyed showed suggested indicated found
    said told asked added noted claimed stated argued focused worked used rose fell increased
    decreased improved declined grew made helped allowed enabled
    relied involved impacted affected ignored lasted considered concerned related applied meant
""")
_MOVES = word_set("""
    go goes went come comes came sit sat stand stood get got run ran walk walked return returned leave left
""")
_HAVING = word_set("""
    had has have used going gon managed began started
""")
"""Verbs whose infinitive is what was done: *they had to go back and wait*."""
_SUBORDINATORS = word_set("""
    before after when while as because until since so although though if where
""")
_TOGETHER = word_set("""
    even both simultaneously meanwhile also respectively either instead rather still always often usually sometimes
""")


def narrated(site: Site) -> Iterator[Candidate]:
    """*He opened the valve and left*; *go home and rest*; *choose a leaf and cut it*: two deeds in the order told."""
    token = site.token
    first = token.head
    if token.dep_ != "cc" or not is_finite_or_verb(first) or first.i > token.i:
        return
    later = next((c for c in first.rights if c.dep_ == "conj" and c.i > token.i), None)
    if later is None or not is_finite_or_verb(later) or any(t.lower_ == "or" for t in first.rights):
        return
    if (
        {first.lower_, later.lower_} & VERBS.keys()
        or later.tag_ == "VBG"
        or (first.lower_ in FINDING_VERBS and first.tag_ == "VBN")
    ):
        return  # what it brought about, or a finding that is no event of the story
    named = subject_of(first)
    if named is None and first.tag_ not in ("VB", "VBP"):
        return  # a later deed of a list, whose doer stands too far away
    if first.dep_ == "advcl" and token.nbor(-1).text == ",":
        return  # *when the key expired, and was renewed*: the later verb may belong to the main clause
    if named is not None and (named.tag_ == "VBG" or named.tag_ in ("WDT", "WP")):
        return  # what a deed brought about, twice
    told = _is_event(later) and (_is_event(first) or _goes_on(first, later)) and not _is_spoken_of(first)
    if not (told or _goes_first(first, later) or _takes_up(first, later)) or _is_loose(first, later):
        return
    if token.i == first.i + 1 and first.lower_ not in _MOVES and first.tag_ != "VBN":
        return  # *met and formed a friendship*: they may share what comes later
    own = subject_of(later)
    if own is None and any(c.dep_ == "conj" and c.i > later.i for c in later.rights):
        return  # a list of deeds
    start = own.left_edge.i if own is not None else token.i + 1
    if own is not None and own.tag_ != "PRP":
        return  # two things side by side, in no told order
    had_to = first.head if first.dep_ == "xcomp" and first.tag_ == "VB" and first.head.lower_ in _HAVING else first
    yield Candidate(SEQUENTIAL, "narrative", clause(had_to, before=token.i), (start, event_end(later)),
                    (token.i, token.i + 1), NARRATIVE, "narrative", later, modality=modality_of(later))  # fmt: skip


def event_end(verb: Token) -> int:
    """The end of the clause without further deeds after a comma and without clauses of time or reason behind it."""
    end = clause_end(verb)
    for child in verb.rights:
        if child.dep_ == "conj" and verb.doc[child.left_edge.i - 1].text == ",":
            end = min(end, child.left_edge.i - 1)
        if child.dep_ == "advcl" and child.left_edge.lower_ in _SUBORDINATORS and child.left_edge.i - verb.i > 1:
            end = min(end, child.left_edge.i)
    for i in range(verb.i + 2, end - 1):
        if verb.doc[i].text == "," and verb.doc[i + 1].lower_ in _SUBORDINATORS:
            return i
    return end


def _goes_on(first: Token, later: Token) -> bool:
    """*was coming in and drew a knife*, *was an early member and in 1927 left*: a state that an event ends or dates."""
    if first.tag_ == "VBG":
        return any(c.lower_ in ("was", "were") for c in first.lefts)
    dated = any(c.dep_ == "prep" and any(g.tag_ == "CD" for g in c.children) for c in later.lefts)
    return first.tag_ == "VBD" and dated


def _goes_first(first: Token, later: Token) -> bool:
    """*went home and rested*, *sit down and eat*: a movement, then what it was for."""
    alone = first.lower_ in ("get", "got") and not any(c.dep_ == "prt" for c in first.rights)
    return first.lower_ in _MOVES and not alone and subject_of(later) is None and first.tag_ == later.tag_


def _takes_up(first: Token, later: Token) -> bool:
    """*choose a leaf and cut it*: the second deed is done to what the first one chose or made."""
    taken = next((c for c in first.rights if c.dep_ == "dobj" and c.tag_.startswith("NN")), None)
    objects = [*later.rights, *(g for c in later.rights if c.dep_ == "prep" for g in c.rights)]
    again = next((c for c in objects if c.dep_ in ("dobj", "pobj") and c.lower_ in ("it", "them")), None)
    return taken is not None and again is not None and first.tag_ == later.tag_ and subject_of(later) is None


def _is_event(verb: Token) -> bool:
    """A deed or an event in the simple past, as a matter of fact."""
    helpers = {c.lower_ for c in verb.lefts if c.dep_ in ("aux", "auxpass")}
    if verb.lower_ in _STATES or verb.lower_ in SPEECH_VERBS or any(c.dep_ == "neg" for c in verb.children):
        return False
    return (verb.tag_ == "VBD" and not helpers) or (verb.tag_ == "VBN" and bool(helpers) and helpers <= {"was", "were"})


def _is_spoken_of(verb: Token) -> bool:
    """Whether the pair is only spoken of: in a condition, a question or what somebody says."""
    if verb.dep_ == "advcl":
        marks = {c.lower_ for c in verb.lefts if c.dep_ in ("mark", "advmod", "prep")}
        return not marks & {"after", "before", "when", "because", "once"}
    return verb.dep_ in ("acl", "csubj", "pcomp") or verb.sent.text.rstrip().endswith("?")


def _is_loose(first: Token, later: Token) -> bool:
    between = first.doc[first.left_edge.i : later.right_edge.i + 1]
    return any(t.lower_ in _TOGETHER for t in between if t.head in (first, later))


__all__ = ["NARRATIVE", "event_end", "narrated"]
