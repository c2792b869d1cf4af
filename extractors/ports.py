"""What Clew needs of a loader, a chunker and a relation extractor, and what they give."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from pydantic import Field

from storage.records import (
    Document,
    Modality,
    Polarity,
    Record,
    RelationType,
    Span,
    StatementKey,
)


class TextSpan(Span):
    """A span and the words that stand there."""

    text: str


class ExtractedRelation(Record):
    """One relation as a text states it: offsets are code points of the text that was given."""

    type: RelationType
    head: TextSpan
    tail: TextSpan
    cue: TextSpan | None
    head_key: StatementKey
    tail_key: StatementKey
    polarity: Polarity = Polarity.AFFIRMED
    modality: Modality = Modality.ASSERTED
    subtype: str
    explicit: bool = True
    confidence: float = Field(ge=1e-6, le=1)
    rule: str  # which rule or model call made it


class ExtractionResult(Record):
    """All relations of one text in the order of their first code point."""

    language: str
    relations: tuple[ExtractedRelation, ...] = ()
    extractor: str  # name and version
    degraded: tuple[str, ...] = ()  # what could not be done, in words for people


class ChunkSpan(Record):
    """Where a chunker cuts: ``text[start:end]`` is the chunk."""

    start: int = Field(ge=0)
    end: int
    section: tuple[str, ...] = ()
    page: int | None = None


class Loader(Protocol):
    """Reads one kind of file."""

    @property
    def name(self) -> str:
        """Format and version, for the fingerprint, for example ``pdf@1``."""

    def load(self, path: Path, data: bytes) -> Document:
        """The document in ``data``; ``path`` only names it. Raises LoadError saying what is wrong and what to do."""


class Chunker(Protocol):
    """Cuts a document into chunks."""

    @property
    def name(self) -> str:
        """Method, version and settings, for the fingerprint."""

    def chunk(self, document: Document) -> list[ChunkSpan]:
        """Slices in order that together hold all of the text but white space."""


class RelationExtractor(Protocol):
    """Finds relations between statements."""

    @property
    def name(self) -> str:
        """Method and version, for the fingerprint and for the origin of evidence."""

    def extract(self, text: str, language: str) -> ExtractionResult:
        """The relations that ``text`` (in language ``en`` or ``zh``) states."""


__all__ = [
    "ChunkSpan",
    "Chunker",
    "ExtractedRelation",
    "ExtractionResult",
    "Loader",
    "RelationExtractor",
    "TextSpan",
]
