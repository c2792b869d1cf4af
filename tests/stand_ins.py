"""Small stand-ins for the models, and documents made of sentences that the stand-in extractor understands."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from extractors.keys import statement_key
from extractors.ports import ExtractedRelation, ExtractionResult, TextSpan
from graphrag.knowledge_base import KnowledgeBase
from storage.ports import Side, Vector
from storage.records import Modality, Polarity, RelationType
from storage.terms import search_terms

DIMENSIONS = 64

OpenKb = Callable[..., KnowledgeBase]
"""The fixture ``open_kb``."""

WriteFiles = Callable[..., Path]
"""The fixture ``files``."""


class WordEmbedder:
    """Sums one fixed pseudo-random vector per word: equal texts are equal, texts that share words are near."""

    def __init__(self) -> None:
        self.embedded: list[str] = []

    @property
    def name(self) -> str:
        return "words@1/stand-in"

    @property
    def dimensions(self) -> int:
        return DIMENSIONS

    def embed(self, texts: Sequence[str], side: Side) -> Vector:
        self.embedded += texts
        if not texts:
            return np.empty((0, DIMENSIONS), np.float32)
        rows = np.stack([np.sum([word_vector(w) for w in search_terms(t) or [t]], axis=0) for t in texts])
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


class HashEmbedder(WordEmbedder):
    """One pseudo-random vector per text, seeded by its hash: as fast as an embedder can be."""

    @property
    def name(self) -> str:
        return "hashes@1/stand-in"

    def embed(self, texts: Sequence[str], side: Side) -> Vector:
        self.embedded += texts
        if not texts:
            return np.empty((0, DIMENSIONS), np.float32)
        return np.stack([word_vector.__wrapped__(t) for t in texts])


@lru_cache(maxsize=4096)
def word_vector(word: str) -> Vector:
    """A unit vector that only the SHAKE-256 of ``word`` decides."""
    digest = hashlib.shake_256(word.encode("utf-8", "surrogatepass")).digest(DIMENSIONS * 2)
    values = np.frombuffer(digest, "<i2").astype(np.float32)
    return values / np.float32(np.linalg.norm(values))


_CUES = {
    " does not cause ": ("en", RelationType.CAUSAL, "cause"),
    " may cause ": ("en", RelationType.CAUSAL, "cause"),
    " causes ": ("en", RelationType.CAUSAL, "cause"),
    " precedes ": ("en", RelationType.SEQUENTIAL, "before"),
    " supports ": ("en", RelationType.SUPPORTING, "evidence"),
    "并不导致": ("zh", RelationType.CAUSAL, "cause"),
    "可能导致": ("zh", RelationType.CAUSAL, "cause"),
    "导致": ("zh", RelationType.CAUSAL, "cause"),
    "先于": ("zh", RelationType.SEQUENTIAL, "before"),
}
"""The first that a clause holds counts."""

_CLAUSE = re.compile(r"[^.!?;|\n。！？；，]+")


class SentenceExtractor:
    """Reads "A causes B." and "A导致B。" (also not, may, precedes, supports), and nothing else."""

    def __init__(self, version: int = 1) -> None:
        self._version = version
        self.extracted = 0

    @property
    def name(self) -> str:
        return f"sentences@{self._version}"

    def extract(self, text: str, language: str) -> ExtractionResult:
        self.extracted += 1
        found = [r for m in _CLAUSE.finditer(text) if (r := _relation(m)) is not None]
        return ExtractionResult(language=language, relations=tuple(found), extractor=self.name)


def _relation(clause: re.Match[str]) -> ExtractedRelation | None:
    cue = next((cue for cue in _CUES if cue in clause[0]), None)
    if cue is None or clause.string[clause.end() : clause.end() + 1] not in tuple(".;。；"):
        return None
    language, type_, subtype = _CUES[cue]
    head, _, tail = clause[0].partition(cue)
    spans = []
    for words, start in (
        (head, clause.start()),
        (cue, clause.start() + len(head)),
        (tail, clause.start() + len(head) + len(cue)),
    ):
        start += len(words) - len(words.lstrip())
        words = words.strip()
        spans.append(TextSpan(start=start, end=start + len(words), text=words) if words else None)
    keys = [statement_key(words, language) if words.strip() else None for words in (head, tail)]
    if None in spans or None in keys:
        return None
    return ExtractedRelation(
        type=type_,
        head=spans[0],
        cue=spans[1],
        tail=spans[2],
        head_key=keys[0],
        tail_key=keys[1],
        polarity=Polarity.NEGATED if cue in (" does not cause ", "并不导致") else Polarity.AFFIRMED,
        modality=Modality.HEDGED if cue in (" may cause ", "可能导致") else Modality.ASSERTED,
        subtype=subtype,
        confidence=0.9,
        rule=cue.strip(),
    )


FLOOD = {
    "rain.md": "# Rain\n\nThe storm causes heavy rain. Heavy rain causes the flooded road.\n",
    "port.md": "# Port\n\nThe flooded road causes the closed port.\n\nNobody was hurt.\n",
    "release.md": "# Release\n\nThe closed port causes the late shipment.\n",
    "雨.txt": "暴雨导致道路积水。道路积水导致列车晚点。\n",
}
"""A story over four files: storm → heavy rain → flooded road → closed port → late shipment, and one in Chinese."""
