"""Order in time and condition: *after*, *before*, *once*, *followed by*, *if*."""

from __future__ import annotations

from collections.abc import Iterator

from extractors.english_candidates import Candidate, Site, modality_of
from extractors.english_connectives import TIME_NOUNS, clause_pair, host
from extractors.english_cues import CAUSAL, SEQUENTIAL
from extractors.english_events import is_event
from extractors.english_lexicon import word_set
from extractors.english_spans import Range, clause_end, is_finite_or_verb, noun_phrase, subject_of
from extractors.english_subjects import doer
from storage.records import Modality

_UNSPECIFIC = word_set("""
    all that this it which them
""")


def after_before(site: Site) -> Iterator[Candidate]:
    """*Y after X*, *X before Y*, with a clause, a gerund or a noun that names an event."""
    token, sentence = site.token, site.sentence
    word = token.lower_
    if token.i + 1 >= sentence.end or (token.nbor().lower_ in _UNSPECIFIC and token.dep_ != "mark"):
        return
    if token.i > sentence.start and token.nbor(-1).lower_ == "even":
        return  # *even after X*: in spite of it
    other: Range | None
    pair = clause_pair(token, token.i + 1)
    if pair is not None and subject_of(pair[0]) is not None:
        _, other, anchor, main = pair
        confidence = 0.75
    else:
        target = next((c for c in token.rights if c.dep_ in ("pobj", "pcomp")), None)
        if token.dep_ not in ("prep", "mark", "advmod") or target is None:
            return
        if is_finite_or_verb(target):
            other, confidence = (token.i + 1, clause_end(target)), 0.75
        elif is_event(token.doc, noun_phrase(target)) and target.lower_ not in TIME_NOUNS:
            other, confidence = noun_phrase(target), 0.6
        else:
            return
        found = host(token, token.i, other[1], sentence)
        if (
            found is None
            or not is_finite_or_verb(found[0])
            or not (token.head is found[0] or token.i == sentence.start)
        ):
            return
        anchor, main, _ = found
    if anchor.tag_ == "VB" and modality_of(anchor) is Modality.ASSERTED and subject_of(anchor) is None:
        return  # an instruction, not an event
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
    pair = clause_pair(token, token.i + 1)
    if pair is None or subject_of(pair[0]) is None:
        return
    _, first, anchor, main = pair
    yield Candidate(SEQUENTIAL, "once", first, (main[0], min(main[1], cue[0])) if main[0] < cue[0] else main, cue, 0.65,
                    "once", anchor, modality=modality_of(anchor))  # fmt: skip


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
