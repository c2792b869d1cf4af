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

    def shifted(self, offset: int) -> TextSpan:
        """The same words, ``offset`` code points further on."""
        return TextSpan(start=self.start + offset, end=self.end + offset, text=self.text)


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
    origin: str = ""  # name and version of the extractor; filled in by the one that puts several together
    confirmed_by: tuple[str, ...] = ()  # other voices that say the same of the same places
    doubted_by: tuple[str, ...] = ()  # voices that say the text does not state it

    @property
    def order(self) -> tuple[int, int, int, RelationType]:
        """Where it stands among the relations of a text."""
        return min(self.head.start, self.tail.start), self.head.start, self.tail.start, self.type

    def is_same(self, other: ExtractedRelation, *, shared: float) -> bool:
        """Whether the two say the same of the same places: both ends share at least so much of their length."""
        return (
            self.type is other.type
            and self.polarity is other.polarity
            and self.head.shared(other.head) >= shared
            and self.tail.shared(other.tail) >= shared
        )

    def shifted(self, offset: int) -> ExtractedRelation:
        """The same relation, ``offset`` code points further on."""
        moved = {"head": self.head.shifted(offset), "tail": self.tail.shifted(offset)}
        return self.model_copy(update={**moved, "cue": self.cue.shifted(offset) if self.cue else None})


class ExtractionResult(Record):
    """All relations of one text in the order of their first code point."""

    language: str
    relations: tuple[ExtractedRelation, ...] = ()
    extractor: str  # name and version
    degraded: tuple[str, ...] = ()  # what could not be done, in words for people
    retry: bool = False  # extracting again may find more: a model could not be asked


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
    pictures: bool = False  # read pictures inside documents
    picture_seconds: float | None = Field(default=None, gt=0)  # for those of one document; None: see loader_seconds

    @property
    def signature(self) -> str:
        """What differs from the defaults and changes what is read, for the fingerprint; "" for the defaults."""
        changed = self.model_dump(exclude_defaults=True, exclude={"password"})
        return ",".join(f"{name}={value}" for name, value in sorted(changed.items()))


class PartProblem(Record):
    """A part of a file that could not be read: a member of an archive, a line that is no record."""

    part: str  # what a person calls it: a member's name, "line 12" or "row 12"; no other document's id
    reason: str


class LoadedFile(Record):
    """What a file holds: one document without an id, or several, each with an id that is unique in the file."""

    documents: tuple[Document, ...]
    problems: tuple[PartProblem, ...] = ()
    notes: tuple[str, ...] = ()  # what could not be read though the file was, in words for people
    left_out: tuple[str, ...] = ()  # what is left out on purpose: quotes of earlier mails, hidden sheets
    loader: str = ""  # name of the loader that read it; load_file puts it in
    inner: dict[str, str] = Field(default_factory=dict)
    """Which loader read a document that stands in a file of its own in this one, by its id, "" for a lone one's."""

    def loader_of(self, document: Document) -> str:
        """Names of the loaders that a document has passed, from the outermost: ``zip@1+docx@3``."""
        inner = self.inner.get(document.id or "")
        return f"{self.loader}+{inner}" if inner else self.loader


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
