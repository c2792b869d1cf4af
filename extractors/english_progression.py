"""Steps beyond what was said: *not only X but also Y*, *X and even Y*, *X; moreover, Y*."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from extractors.english_candidates import Candidate, Site, modality_of
from extractors.english_cues import PROGRESSIVE
from extractors.english_links import adverb_link
from extractors.english_spans import clause, clause_end, end_of, is_finite_or_verb, subject_of

if TYPE_CHECKING:
    from spacy.tokens import Token

ADDING_ADVERBS = ("moreover", "furthermore", "additionally")


def not_only(site: Site) -> Iterator[Candidate]:
    """*not only X but (also) Y*, *not only X; Y also*: Y goes beyond X."""
    token, sentence = site.token, site.sentence
    doc, i = token.doc, token.i
    if i + 1 >= sentence.end or token.nbor().lower_ not in ("only", "just", "merely"):
        return
    but = next((t for t in doc[i + 2 : sentence.end] if t.lower_ == "but"), None)
    also = next((t for t in doc[i + 2 : sentence.end] if t.lower_ == "also"), None)
    if but is None:
        yield from _without_but(token, also)
        return
    first = but.head
    later = next((c for c in first.rights if c.dep_ == "conj" and c.i > but.i), None)
    if later is None:
        return
    if token.nbor().lower_ != "only" and (also is None or also.i < but.i):
        return
    start = i + 2 if first.i > i else i
    if is_finite_or_verb(first):
        own = subject_of(first)
        beginning = own.left_edge.i if own is not None and own.i > i else (i + 2 if first.i > i else i)
        inverted = [c.i for c in first.lefts if c.dep_ == "aux" and c.i > i]
        start = min([beginning, *inverted]) if own is not None and own.i > i else beginning
    end = end_of(later)
    yield Candidate(PROGRESSIVE, "not-only", (start, but.i), (but.i + 1, end), (i, i + 2), 0.8, "not-only", first,
                    modality=modality_of(first))  # fmt: skip


def _without_but(token: Token, also: Token | None) -> Iterator[Candidate]:
    """*Not only did X fail, Y also stopped*; *X not only failed; it also Y*."""
    if also is None:
        return
    later = also.head
    named = subject_of(later)
    if not is_finite_or_verb(later) or named is None:
        return
    pause = next((t for t in reversed(token.doc[token.i : also.i]) if t.text in (",", ";")), None)
    first = next((t for t in (token.head, later.head, *later.lefts) if is_finite_or_verb(t) and t.i > token.i), None)
    if pause is None or first is None or first.i > pause.i or named.i < pause.i:
        return
    own = subject_of(first)
    start = own.left_edge.i if own is not None and own.i > token.i else token.i + 2
    yield Candidate(PROGRESSIVE, "not-only", (start, pause.i), (pause.i + 1, clause_end(later)), (token.i, token.i + 2),
                    0.7, "not-only", first, modality=modality_of(first))  # fmt: skip


def even(site: Site) -> Iterator[Candidate]:
    """*X and even Y*: of two deeds of one subject the second goes further."""
    token = site.token
    later = token.head
    if token.dep_ != "advmod" or token.i == 0 or token.nbor(-1).lower_ not in ("and", "or", ","):
        return
    if later.dep_ != "conj" or not is_finite_or_verb(later) or later.i < token.i or not is_finite_or_verb(later.head):
        return
    if any(c.dep_ == "mark" for c in later.lefts) or token.nbor().lower_ in ("if", "though", "when", "as", "so"):
        return
    first = later.head
    own = subject_of(later)
    start = own.left_edge.i if own is not None and own.i > token.i else token.i + 1
    yield Candidate(PROGRESSIVE, "even", clause(first, before=token.i - 1), (start, clause_end(later)),
                    (token.i, token.i + 1), 0.65, "even", later, modality=modality_of(later))  # fmt: skip


def adding_adverb(site: Site) -> Iterator[Candidate]:
    """*X; moreover, Y*: the second clause of one sentence; at its start the word links it to the sentence before."""
    token, sentence = site.token, site.sentence
    verb = token.head
    if token.dep_ == "advmod" and is_finite_or_verb(verb) and token.i > sentence.start + 2:
        yield from adverb_link(token, verb, None, 0.65, f"adverb:{token.lower_}", "addition", PROGRESSIVE)


__all__ = ["ADDING_ADVERBS", "adding_adverb", "even", "not_only"]
