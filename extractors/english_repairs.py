"""Causal verbs that the small parser takes for nouns, as in *Exposure to heat results in burns*."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from extractors.english_candidates import Candidate, Site
from extractors.english_cues import CAUSAL

if TYPE_CHECKING:
    from spacy.tokens import Token

REPAIRED_WORDS = ("cause", "causes", "trigger", "triggers", "leads", "results")
_CONFIDENCE = 0.65  # the parse is wrong here, so the ends come from the order of words alone
_FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})
_OBJECT_STARTS = frozenset({"DT", "JJ", "NN", "NNS", "PRP$", "CD", "VBG", "NNP"})
_OBJECT_WORDS = _OBJECT_STARTS | {"IN", "CC", "POS", "HYPH", "RB", "VBN"}


def misread_verb(site: Site) -> Iterator[Candidate]:
    """A sentence without any finite verb whose would-be noun stands between two noun phrases."""
    token, sentence = site.token, site.sentence
    doc, i = token.doc, token.i
    if not token.tag_.startswith("NN") or i <= sentence.start or i + 2 >= sentence.end:
        return
    if any(t.tag_ in _FINITE for t in sentence) or doc[sentence.end - 1].text not in (".", "!"):
        return
    cue_end = i + 1
    if token.lower_ in ("leads", "results"):
        if token.nbor().lower_ != ("to" if token.lower_ == "leads" else "in"):
            return
        cue_end = i + 2
    if doc[cue_end].tag_ not in _OBJECT_STARTS or not _agrees(token, sentence.start):
        return
    end = cue_end
    while end < sentence.end and doc[end].tag_ in _OBJECT_WORDS:
        end += 1
    yield Candidate(
        CAUSAL, "cause", (sentence.start, i), (cue_end, end), (i, cue_end), _CONFIDENCE, "repaired-verb", token
    )


def _agrees(token: Token, start: int) -> bool:
    """Whether the words before could be the subject of this form."""
    doc, before = token.doc, token.nbor(-1)
    if before.tag_[:2] not in ("NN", "VB") or any(t.tag_ in (",", ":") for t in doc[start : token.i]):
        return False
    joined = any(t.lower_ in ("and", "or") for t in doc[start : token.i])
    plural = joined or before.tag_ == "NNS"
    return plural != token.lower_.endswith("s") or any(t.tag_ in ("IN", "TO") for t in doc[start : token.i])


__all__ = ["REPAIRED_WORDS", "misread_verb"]
