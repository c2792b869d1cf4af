"""Causal verbs that the small parser takes for nouns, as in *Exposure to heat results in burns*."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from extractors.english_candidates import Candidate, Site, modality_of
from extractors.english_cues import CAUSAL
from extractors.english_spans import NOUN_PHRASE_TAGS, subject_of

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

REPAIRED_WORDS = ("cause", "causes", "trigger", "triggers", "lead", "leads", "result", "results")
_CONFIDENCE = 0.65  # the parse is wrong here, so the ends come from the order of words alone
_FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})
_CLAUSE_OPENERS = frozenset({"that", "because", "since", "and", "but", "so", "as", "while", "if", "when"})
_OBJECT_STARTS = frozenset({"DT", "JJ", "NN", "NNS", "PRP$", "CD", "VBG", "NNP", "VB"})
_OBJECT_WORDS = NOUN_PHRASE_TAGS | {"IN", "CC", "RB", "VB"}
_SUBJECT_WORDS = NOUN_PHRASE_TAGS | {"IN", "CC", ",", "RB", "TO", "VB"}
_LINKS = {"lead": "to", "leads": "to", "result": "in", "results": "in"}


def misread_verb(site: Site) -> Iterator[Candidate]:
    """A would-be noun between two noun phrases, in a clause that has no other finite verb."""
    token, sentence = site.token, site.sentence
    doc, i = token.doc, token.i
    unsubjected = token.tag_ in ("VBP", "VB") and token.dep_ == "ROOT" and subject_of(token) is None
    if not (token.tag_.startswith("NN") or unsubjected) or i <= sentence.start or i + 2 >= sentence.end:
        return
    cue_end = i + 1
    if token.lower_ in _LINKS:
        if token.nbor().lower_ != _LINKS[token.lower_]:
            return
        cue_end = i + 2
    start = _subject_start(doc, sentence.start, i)
    if start is None or doc[cue_end].tag_ not in _OBJECT_STARTS or not _agrees(token, start):
        return
    end = cue_end
    while end < sentence.end and doc[end].tag_ in _OBJECT_WORDS:
        end += 1
    if end < sentence.end and doc[end].tag_ in _FINITE:
        return  # *The root cause analysis took two days*: a noun after all, unless a new clause began
    yield Candidate(CAUSAL, "cause", (start, i), (cue_end, end), (i, cue_end), _CONFIDENCE, "repaired-verb", token,
                    modality=modality_of(token))  # fmt: skip


def _subject_start(doc: Doc, first: int, i: int) -> int | None:
    """Where the run of noun phrases before ``i`` begins; None if something else stands before it in its clause."""
    start = i
    while start > first and doc[start - 1].tag_ in _SUBJECT_WORDS and doc[start - 1].lower_ not in ("that", "because"):
        start -= 1
    if start > first and (doc[start - 1].tag_ in _FINITE or doc[start - 1].lower_ not in _CLAUSE_OPENERS):
        return None
    fronted = next((k for k in range(start, i) if doc[k].text == ","), None)
    if fronted is not None and doc[start].tag_ in ("IN", "RB"):  # *For example, frost and hail cause losses*
        start = fronted + 1
    return start if start < i else None


def _agrees(token: Token, start: int) -> bool:
    """Whether the words before could be the subject of this form."""
    doc, before = token.doc, token.nbor(-1)
    if before.tag_ == "RB" and before.i > start and before.lower_.endswith("ly"):
        before = before.nbor(-1)
    if before.tag_[:2] not in ("NN", "VB"):
        return False
    joined = any(t.lower_ in ("and", "or") for t in doc[start : token.i])
    plural = joined or before.tag_ == "NNS"
    return plural != token.lower_.endswith("s") or any(t.tag_ in ("IN", "TO") for t in doc[start : token.i])


__all__ = ["REPAIRED_WORDS", "misread_verb"]
