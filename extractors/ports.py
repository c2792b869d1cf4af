"""What Clew needs of a loader, a chunker and a relation extractor, and what they give."""

from __future__ import annotations

from enum import IntEnum
from pathlib import PurePath
from typing import Literal, Protocol

from pydantic import Field, SecretStr

from storage.records import (
    Document,
    Modality,
    PlaceName,
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
    places: tuple[PlaceName, ...] = ()  # from the outermost: a sheet, then the rows in it
    context: str = ""  # read and embedded before the text, no part of it: the header of its table


class LoadOptions(Record):
    """How the caller wants files read. Everything but the password may change what is read, see ``signature``."""

    format: str | None = None  # read as this format, whatever the file looks like
    password: SecretStr | None = None  # of protected files
    comments: bool = False  # take in the comments of reviewers
    quoted: bool = False  # keep what a mail quotes of earlier ones
    rows: Literal["auto", "table", "documents"] = "auto"  # of CSV, TSV and JSONL; auto: documents if a column is text
    text_columns: tuple[str, ...] = ()  # which columns are the text of a row that is a document
    title_column: str | None = None
    id_column: str | None = None
    ocr: bool = True  # read pages that are pictures, where the extra for it is installed

    @property
    def signature(self) -> str:
        """What differs from the defaults and changes what is read, for the fingerprint; "" for the defaults."""
        changed = self.model_dump(exclude_defaults=True, exclude={"password"})
        return ",".join(f"{name}={value}" for name, value in sorted(changed.items()))


class PartProblem(Record):
    """A part of a file that could not be read: a member of an archive, a line that is no record."""

    part: str  # the id its document would have
    reason: str


class LoadedFile(Record):
    """What a file holds: one document without an id, or several, each with an id that is unique in the file."""

    documents: tuple[Document, ...]
    problems: tuple[PartProblem, ...] = ()
    notes: tuple[str, ...] = ()  # what was left out though the file was read, in words for people


class Likeness(IntEnum):
    """How sure a loader is that a file is of its kind."""

    NO = 0
    ANY_TEXT = 1  # it reads any text there is
    NAMED = 2  # the name says so and the bytes do not contradict
    CONTENT = 3  # the bytes say so


class Loader(Protocol):
    """Reads one format. A package adds one by an entry point in the group ``clew.loaders``, named as the format."""

    @property
    def name(self) -> str:
        """Format and version, for the fingerprint, for example ``pdf@1``."""

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Endings of the names of such files, lower case with the dot: which files of a folder are looked at."""

    def recognises(self, path: PurePath, data: bytes) -> Likeness:
        """How sure it is that ``data`` is of its format; looks at names and signatures, parses nothing."""

    def load(self, path: PurePath, data: bytes, options: LoadOptions) -> LoadedFile:
        """What is in ``data``; ``path`` only names it. Raises LoadError saying what is wrong and what to do."""


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
    "Likeness",
    "LoadOptions",
    "LoadedFile",
    "Loader",
    "PartProblem",
    "RelationExtractor",
    "TextSpan",
]
