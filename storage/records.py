"""The nouns of Clew as frozen records: what is stored, and the identity of each.

Records have no behaviour beyond derivation and validation. Offsets are Unicode code points of the stored text
(:func:`storage.stored_text.stored_text`); times are timezone-aware UTC.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import AfterValidator, ConfigDict, Field, computed_field, field_validator, model_validator

from storage.identity import content_digest, link_id, make_id
from storage.stored_text import stored_text
from storage.structure import Page, Place, PlaceKind, PlaceName, Record, Section, Span, Structure, Table, TextKind

PUBLIC = "public"
"""The group a document belongs to when its store names no other default."""


def _as_utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


UtcTime = Annotated[datetime, AfterValidator(_as_utc)]
Metadata = dict[str, str | int | float | bool]
Groups = tuple[str, ...]


class RelationType(StrEnum):
    """The four typed, directed links between statements."""

    CAUSAL = "causal"  # 因果: cause → effect
    SEQUENTIAL = "sequential"  # 时序: earlier → later
    SUPPORTING = "supporting"  # 支撑: evidence → claim
    PROGRESSIVE = "progressive"  # 递进: base → step beyond


class Polarity(StrEnum):
    """Whether a relation is said to hold or said not to hold."""

    AFFIRMED = "affirmed"
    NEGATED = "negated"


class Modality(StrEnum):
    """How firmly a relation is said, strongest first."""

    ASSERTED = "asserted"
    HEDGED = "hedged"
    HYPOTHETICAL = "hypothetical"


class Direction(StrEnum):
    """Which way the thing that a statement is about changes."""

    UP = "up"
    DOWN = "down"
    NONE = "none"


class RelationStatus(StrEnum):
    """Where a relation or a chain stands in its life."""

    ACTIVE = "active"
    QUARANTINED = "quarantined"
    REJECTED = "rejected"
    RETIRED = "retired"


# --- documents -------------------------------------------------------------------------------------------------------


class Document(Record):
    """What goes in: the text of one document with its structure, from a loader or from the caller.

    ``id`` is the caller's own name for it (unique within a namespace); a file has none and is named by its path.
    ``text`` and ``title`` are stored in normalised form (see :mod:`storage.stored_text`), so offsets given in
    ``sections``, ``pages``, ``places`` and ``tables`` must refer to text that is already normalised. ``groups`` of
    None means the store's default; an empty tuple means nobody but the owner.
    """

    text: str
    id: str | None = None
    title: str = ""
    language: str | None = None
    sections: tuple[Section, ...] = ()
    pages: tuple[Page, ...] = ()
    kind: TextKind = TextKind.PROSE
    places: tuple[Place, ...] = ()
    tables: tuple[Table, ...] = ()
    groups: Groups | None = None
    metadata: Metadata = Field(default_factory=dict)
    valid_from: UtcTime | None = None
    valid_to: UtcTime | None = None

    @field_validator("text", "title")
    @classmethod
    def _normalised(cls, value: str) -> str:
        return stored_text(value)

    @field_validator("groups")
    @classmethod
    def _sorted_groups(cls, value: Groups | None) -> Groups | None:
        return None if value is None else tuple(sorted(set(value)))

    @property
    def content_hash(self) -> str:
        """SHA-256 over text, title, language and structure: two documents with equal content have equal hashes."""
        content = self.model_dump(mode="json", include={"text", "title", "language", "sections", "pages"})
        content |= self.structure.model_dump(mode="json", exclude_defaults=True)
        data = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return content_digest(data.encode("utf-8", "replace"))

    @property
    def structure(self) -> Structure:
        """What is kept beside the text for citing cells, rows, messages and lines."""
        return Structure(kind=self.kind, places=self.places, tables=self.tables)


class Period(Record):
    """A stretch of time: from its start until before its end."""

    start: UtcTime
    end: UtcTime

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.start > self.end:
            raise ValueError("a period ends before it starts")
        return self


class Source(Record):
    """Where a document comes from, who may see it, and which version of it is current.

    It is also the record of an older version that is kept: the source as it was with that document. Of one source, no
    two versions hold at the same time.
    """

    namespace: str
    path: str  # relative to the ingested root with "/" between its parts, or the caller's own id
    location: str | None = None  # where the file was read from; never part of an identity or of the state hash
    groups: Groups = (PUBLIC,)
    metadata: Metadata = Field(default_factory=dict)
    valid_from: UtcTime | None = None
    valid_to: UtcTime | None = None
    gaps: tuple[Period, ...] = ()  # in order, between these two: another version held, and this text came back
    document_id: str
    raw_hash: str  # of the bytes as read: an unchanged file costs one hash
    fingerprint: str  # of loader, chunker, embedder, extractor and normaliser
    ingested_at: UtcTime

    @property
    def id(self) -> str:
        """Identity: namespace and path."""
        return make_id("src", self.namespace, self.path)


class StoredDocument(Record):
    """One version of one source, as the graph knows it; its text lies in the text index."""

    source_id: str
    content_hash: str
    title: str
    language: str
    length: int = Field(ge=0)  # code points of the text
    sections: tuple[Section, ...] = ()
    pages: tuple[Page, ...] = ()

    @property
    def id(self) -> str:
        """Identity: source and content."""
        return make_id("doc", self.source_id, self.content_hash)


class Chunk(Record):
    """A contiguous slice of a document: ``document.text[start:end] == text``."""

    document_id: str
    start: int = Field(ge=0)
    end: int
    ordinal: int = Field(ge=0)
    section: tuple[str, ...] = ()
    page: int | None = None
    places: tuple[PlaceName, ...] = ()  # from the outermost: a sheet, then the rows in it
    context: str = ""  # what must be read with it and is no part of it: the header of its table

    @property
    def id(self) -> str:
        """Identity: document and offsets."""
        return make_id("chk", self.document_id, self.start, self.end)


# --- statements and relations ----------------------------------------------------------------------------------------


class StatementKey(Record):
    """The normalised form of a mention: a pure function of its words alone.

    ``terms`` are content lemmas in the order of the text, without the words that only say a direction or a negation.
    """

    language: str
    terms: tuple[str, ...] = Field(min_length=1)
    direction: Direction = Direction.NONE
    negated: bool = False

    @property
    def text(self) -> str:
        """The key as one string, for example ``not up:corn price``."""
        return f"{'not ' if self.negated else ''}{self.direction}:{' '.join(self.terms)}"


class Statement(Record):
    """An event, state or claim, identified by its key and shown in the words of a mention."""

    key: StatementKey

    @property
    def id(self) -> str:
        """Identity: language and normalised key."""
        return make_id("stm", self.key.language, self.key.text)


class Mention(Record):
    """A span of a document that expresses a statement, in its own words."""

    statement_id: str
    document_id: str
    span: Span
    text: str


class SameAs(Record):
    """Two keys that say the same, in either order; scored, removable, crossed by a walk at a cost."""

    first: str
    second: str
    score: float = Field(ge=0, le=1)
    origin: str

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.first >= self.second:
            raise ValueError("a same_as link names two different statements, the smaller id first")
        return self

    @property
    def id(self) -> str:
        """Identity: the two statements."""
        return link_id(self.first, self.second)


class Relation(Record):
    """A typed, directed link between two statements; what it is worth follows from its evidence."""

    type: RelationType
    head: str
    tail: str
    polarity: Polarity = Polarity.AFFIRMED

    @property
    def id(self) -> str:
        """Identity: type, head, tail and polarity."""
        return make_id("rel", self.type, self.head, self.tail, self.polarity)


class Evidence(Record):
    """Proof of one relation in one document: where its two ends and its cue stand, and how it is said there."""

    relation_id: str
    document_id: str
    head: Span
    tail: Span
    cue: Span | None
    subtype: str
    modality: Modality
    explicit: bool
    confidence: float = Field(ge=1e-6, le=1)  # at least the grain of a belief, which must not be 0
    origin: str  # extractor and version, or "human:NAME"
    confirmed_by: tuple[str, ...] = ()  # other voices that read the same in the same places
    doubted_by: tuple[str, ...] = ()  # voices that say the text does not state it; they have lowered the confidence

    @property
    def id(self) -> str:
        """Identity: relation, document and the offsets of head, tail and cue."""
        cue = (self.cue.start, self.cue.end) if self.cue else (None, None)
        return make_id(
            "evd", self.relation_id, self.document_id,
            self.head.start, self.head.end, self.tail.start, self.tail.end, *cue,
        )  # fmt: skip

    @property
    def quote(self) -> Span:
        """The smallest range that holds head, tail and cue."""
        spans = [self.head, self.tail, *([self.cue] if self.cue else [])]
        return Span(start=min(s.start for s in spans), end=max(s.end for s in spans))


class Belief(Record):
    """What the evidence that a caller may see says about one relation; see :func:`storage.belief.belief`."""

    confidence: float = Field(gt=0, le=1)
    modality: Modality
    subtype: str
    documents: int = Field(ge=1)


class Chain(Record):
    """An ordered path of relations, each tail the next head (or linked to it by same_as)."""

    relation_ids: tuple[str, ...] = Field(min_length=1)
    derived: bool = False  # True: written back across documents; False: found whole inside one document

    @property
    def id(self) -> str:
        """Identity: the relation ids in order."""
        return make_id("chn", *self.relation_ids)


# --- writing back ----------------------------------------------------------------------------------------------------


class ProposalStatus(StrEnum):
    """Where a proposal stands: it is accepted or rejected by a person, never by itself."""

    QUARANTINED = "quarantined"
    REFUSED = "refused"  # a check of the gate failed
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    ROLLED_BACK = "rolled_back"


class Verdict(Record):
    """What one check of the gate said about one proposal."""

    check: str
    passed: bool
    reason: str


class Proposal(Record):
    """A chain of existing relations that someone wants kept, with every check's verdict."""

    model_config = ConfigDict(frozen=True, extra="ignore")  # its ids are written with it, and derived again when read

    relation_ids: tuple[str, ...]
    proposer: str
    question: str = ""
    proposed_at: UtcTime
    status: ProposalStatus
    verdicts: tuple[Verdict, ...] = ()
    batch: str | None = None  # of its acceptance

    @computed_field  # type: ignore[prop-decorator]
    @property
    def id(self) -> str:
        """Identity: content and proposer."""
        return make_id("prp", self.proposer, *self.relation_ids)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def chain_id(self) -> str:
        """The id that the proposed chain has, or will have."""
        return Chain(relation_ids=self.relation_ids).id


class LedgerEntry(Record):
    """One line of the append-only record of what was decided; it holds ids and hashes, never document text."""

    position: int = Field(ge=0)
    previous: str  # hash of the entry before; 64 zeros for the first
    action: str  # propose | refuse | accept | reject | rollback | remove | retire | restore
    actor: str
    at: UtcTime
    batch: str | None = None
    reason: str = ""
    ids: tuple[str, ...] = ()

    @property
    def hash(self) -> str:
        """SHA-256 over every field, the previous hash included."""
        data = json.dumps(self.model_dump(mode="json"), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return content_digest(data.encode("utf-8", "replace"))


# --- who asks --------------------------------------------------------------------------------------------------------


class View(Record):
    """Who asks and from where.

    ``groups`` of None is the owner, who sees everything; an empty set is nobody. ``where`` keeps documents whose
    metadata has each of these values; ``as_of`` (default: now) keeps those valid at that moment.
    """

    groups: frozenset[str] | None = None
    as_of: UtcTime | None = None
    where: Metadata = Field(default_factory=dict)


OWNER = View()


class Scope(Record):
    """A view resolved against one graph store: what every read filters by. Made by ``GraphStore.scope`` only."""

    classes: frozenset[str] | None  # access classes the caller may see; None: all of them
    at: UtcTime | None  # None: at any time, which gives all versions of a source (for lists, never for answers)
    bounded: bool = True  # False: no document is valid only for a time, so the moment makes no difference
    tags: frozenset[str] = frozenset()  # see metadata_tag; a document must have all of them
    hidden: frozenset[str] = frozenset()  # documents being written or being cleaned up at this moment


def metadata_tag(name: str, value: Any) -> str:
    """A fixed-form digest of one metadata value: what is compared in a store's filter instead of the user's text.

    Values are compared as they are written: 2026, 2026.0 and the text "2026" are one, as are true and "true".
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    written = str(value).lower() if isinstance(value, bool) else str(value)
    return content_digest(json.dumps([name, written], ensure_ascii=False).encode("utf-8", "replace"))[:32]


class AccessClass(Record):
    """A distinct access rule: a conjunction of any-of sets of groups, in minimal form."""

    rule: tuple[Groups, ...]

    @classmethod
    def of(cls, any_of_sets: Iterable[Iterable[str]]) -> AccessClass:
        """The minimal form: sets sorted, duplicates and sets implied by a smaller one left out."""
        sets = {frozenset(s) for s in any_of_sets}
        minimal = [s for s in sets if not any(other < s for other in sets)]
        return cls(rule=tuple(sorted(tuple(sorted(s)) for s in minimal)))

    @property
    def id(self) -> str:
        """Identity: the rule."""
        return make_id("acl", json.dumps(self.rule, ensure_ascii=False))

    def admits(self, groups: frozenset[str] | None) -> bool:
        """Whether a caller with these groups (None: the owner) satisfies every any-of set."""
        return groups is None or all(not groups.isdisjoint(s) for s in self.rule)


__all__ = [
    "OWNER",
    "PUBLIC",
    "AccessClass",
    "Belief",
    "Chain",
    "Chunk",
    "Direction",
    "Document",
    "Evidence",
    "Groups",
    "LedgerEntry",
    "Mention",
    "Metadata",
    "Modality",
    "Page",
    "Period",
    "Place",
    "PlaceKind",
    "PlaceName",
    "Polarity",
    "Proposal",
    "ProposalStatus",
    "Record",
    "Relation",
    "RelationStatus",
    "RelationType",
    "SameAs",
    "Scope",
    "Section",
    "Source",
    "Span",
    "Statement",
    "StatementKey",
    "StoredDocument",
    "Structure",
    "Table",
    "TextKind",
    "UtcTime",
    "Verdict",
    "View",
    "metadata_tag",
]
