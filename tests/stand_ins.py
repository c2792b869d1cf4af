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
    "causes": (RelationType.CAUSAL, "cause"),
    "does not cause": (RelationType.CAUSAL, "cause"),
    "may cause": (RelationType.CAUSAL, "cause"),
    "precedes": (RelationType.SEQUENTIAL, "before"),
    "supports": (RelationType.SUPPORTING, "evidence"),
    "导致": (RelationType.CAUSAL, "cause"),
    "并不导致": (RelationType.CAUSAL, "cause"),
    "可能导致": (RelationType.CAUSAL, "cause"),
    "先于": (RelationType.SEQUENTIAL, "before"),
}
_SENTENCES = {
    "en": re.compile(
        r"(?P<head>[^\s.!?。][^.!?。\n]{0,200}?) (?P<cue>causes|does not cause|may cause|precedes|supports) "
        r"(?P<tail>[^.!?。\n]{1,200})\."
    ),
    "zh": re.compile(
        r"(?P<head>[^\s.!?。，][^.!?。，\n]{0,100}?)(?P<cue>并不导致|可能导致|导致|先于)(?P<tail>[^.!?。，\n]{1,100})。"
    ),
}


class SentenceExtractor:
    """Reads "A causes B." and "A导致B。" (also not, may, precedes, supports), and nothing else."""

    def __init__(self, version: int = 1) -> None:
        self._version = version
        self.extracted = 0

    @property
    def name(self) -> str:
        return f"sentences@{self._version}"

    def origin(self, language: str) -> str:
        return f"sentences-{language}@{self._version}"

    def extract(self, text: str, language: str) -> ExtractionResult:
        self.extracted += 1
        found = [r for code, rule in _SENTENCES.items() for m in rule.finditer(text) if (r := _relation(m, code))]
        found.sort(key=lambda r: r.head.start)
        return ExtractionResult(language=language, relations=tuple(found), extractor=self.name)


def _relation(match: re.Match[str], language: str) -> ExtractedRelation | None:
    keys = {name: statement_key(match[name], language) for name in ("head", "tail")}
    if keys["head"] is None or keys["tail"] is None:
        return None
    cue = match["cue"]
    type_, subtype = _CUES[cue]
    return ExtractedRelation(
        type=type_,
        **{name: TextSpan(start=match.start(name), end=match.end(name), text=match[name]) for name in ("head", "tail")},
        cue=TextSpan(start=match.start("cue"), end=match.end("cue"), text=cue),
        head_key=keys["head"],
        tail_key=keys["tail"],
        polarity=Polarity.NEGATED if cue in ("does not cause", "并不导致") else Polarity.AFFIRMED,
        modality=Modality.HEDGED if cue in ("may cause", "可能导致") else Modality.ASSERTED,
        subtype=subtype,
        confidence=0.9,
        rule=cue,
    )


FLOOD = {
    "rain.md": "# Rain\n\nThe storm causes heavy rain. Heavy rain causes the flooded road.\n",
    "port.md": "# Port\n\nThe flooded road causes the closed port.\n\nNobody was hurt.\n",
    "release.md": "# Release\n\nThe closed port causes the late shipment.\n",
    "雨.txt": "暴雨导致道路积水。道路积水导致列车晚点。\n",
}
"""A story over four files: storm → heavy rain → flooded road → closed port → late shipment, and one in Chinese."""
