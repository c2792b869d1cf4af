"""What Clew needs of a text index, a graph store, an embedder and a chat model.

Ports are synchronous and small; each backend is one file, and one contract-test suite runs against every backend of a
port. A reading method takes a :class:`~storage.records.Scope`: the caller's view, resolved once per operation by
:meth:`GraphStore.scope`. The text index *nominates*; what is current, active and visible is the graph's word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from storage.held import Held, HeldChain, HeldRelation, Judgement
from storage.receipt import Receipt
from storage.records import (
    AccessClass,
    Belief,
    Chain,
    Chunk,
    Direction,
    Evidence,
    LedgerEntry,
    Mention,
    Proposal,
    ProposalStatus,
    Record,
    Relation,
    RelationStatus,
    RelationType,
    SameAs,
    Scope,
    Source,
    Statement,
    StatementKey,
    StoredDocument,
    Structure,
    UtcTime,
    View,
)

T = TypeVar("T")

Vector = NDArray[np.float32]
Side = Literal["query", "passage"]
Collection = Literal["documents", "chunks", "statements", "chains"]
COLLECTIONS: tuple[Collection, ...] = ("documents", "chunks", "statements", "chains")

# --- models ----------------------------------------------------------------------------------------------------------


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors whose dot product is their similarity."""

    @property
    def name(self) -> str:
        """Identity of model and engine: vectors of embedders with equal names may be compared."""

    @property
    def dimensions(self) -> int:
        """Length of a vector."""

    def embed(self, texts: Sequence[str], side: Side) -> Vector:
        """Vectors of shape ``(len(texts), dimensions)``, each of length 1, for questions or for passages."""


class ChatMessage(Record):
    """One message of a conversation with a chat model."""

    role: Literal["system", "user", "assistant"]
    content: str


class ChatReply(Record):
    """What a chat model answered, and what it took."""

    text: str
    prompt_tokens: int = Field(default=0, ge=0)
    completion_tokens: int = Field(default=0, ge=0)


class ChatModel(Protocol):
    """Answers a conversation with one text."""

    @property
    def name(self) -> str:
        """Identity of the model and its server, never a secret."""

    def complete(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, form: type[BaseModel] | None = None
    ) -> ChatReply:
        """The model's answer, of at most ``max_tokens``.

        With ``form`` the model is asked for JSON of that form, as strictly as its server can; the caller checks it.

        Raises:
            UnreachableError: the server does not answer, is overloaded or limits the rate.
            ConfigurationError: the server refuses the key, the model or the request.
            ModelError: the answer is cut off, or is none.
        """


# --- text index ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IndexRow:
    """One searchable text.

    ``owner`` is the thing that the text stands for: the chunk's or document's own id, a statement's, a chain's. A
    statement or a chain has one row per document that says it, in that document's words, so a search can never match
    words that the caller may not see. ``context`` (title, section) is searched and embedded before the text and is no
    part of it. ``vector`` may be None only in the collection ``documents``, which is not searched; only there is
    ``structure`` (JSON of :class:`storage.records.Structure`) kept.
    """

    id: str
    owner: str
    document_id: str  # "" for the text of a derived chain, which stands in no single document
    access_class: str
    language: str
    text: str
    context: str = ""
    structure: str = ""
    tags: tuple[str, ...] = ()
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    vector: Vector | None = None

    def kept_structure(self) -> Structure:
        """What a row of ``documents`` keeps beside the text. Raises ValidationError if that is no structure."""
        return Structure.model_validate_json(self.structure) if self.structure else Structure()


@dataclass(frozen=True, slots=True)
class Nomination:
    """A row that a search proposes; ``score`` is higher for better and comparable only within one search.

    ``text`` is given for chunks, which are shown as they are found; statements and chains are shown in the words that
    the graph gives, and reading theirs would cost a third of the search.
    """

    id: str
    owner: str
    document_id: str
    text: str
    score: float


class TextIndex(Protocol):
    """Texts with vectors and a full-text index, in four collections."""

    def write(self, collection: Collection, rows: Sequence[IndexRow]) -> None:
        """Add rows, replacing those with the same id; all of them or none."""

    def search_text(self, collection: Collection, query: str, scope: Scope, *, limit: int) -> list[Nomination]:
        """The best rows by BM25 over the words of ``query`` (Chinese and English), best first, ties by id.

        Which statements and chains a caller of some classes is given depends on the rows of these classes alone.
        """

    def search_vector(self, collection: Collection, vector: Vector, scope: Scope, *, limit: int) -> list[Nomination]:
        """The nearest rows by cosine, best first, ties by id."""

    def vectors(self, collection: Collection) -> Iterator[tuple[list[str], Vector]]:
        """Owner and vector of every row, in blocks and no particular order (for writers: no scope).

        A block's vectors are one array of shape (rows, dimensions); to compare each is a search without an index.
        """

    def rows(self, collection: Collection, ids: Sequence[str]) -> dict[str, IndexRow]:
        """The rows with these ids, without vectors; ids that are not there are left out."""

    def derived_rows(self, *, vectors: bool = False) -> list[IndexRow]:
        """The rows of derived chains (collection ``chains``, no document), by id; without vectors unless asked."""

    def document_rows(self, collection: Collection, document_ids: Sequence[str]) -> list[IndexRow]:
        """Every row of these documents with its vector, by id; a row that is there twice is given twice."""

    def delete_documents(self, document_ids: Sequence[str], *, collections: Sequence[Collection] = COLLECTIONS) -> None:
        """Remove every row of these documents in the collections."""

    def delete(self, collection: Collection, ids: Sequence[str]) -> None:
        """Remove the rows with these ids."""

    def update_documents(self, changes: Mapping[str, RowAccess]) -> None:
        """Give every row of each document (by id) a new access class, tags and validity, without embedding anew."""

    def count(self, collection: Collection) -> int:
        """How many rows a collection holds."""

    def document_ids(self) -> set[str]:
        """The documents that have a row in any collection."""

    def optimize(self, *, rebuild: bool = False) -> None:
        """Bring the search indexes up to date and fold small files together; searches stay right meanwhile.

        With ``rebuild`` every search index is built anew.
        """

    def keep_up(self, *, ingested: bool) -> None:
        """Optimize the collections in which so much was written or removed that it pays, after an ingest or removal."""

    def purge(self) -> int:
        """Leave nothing of rows that were deleted or replaced on the disk; how many older versions of tables went.

        The caller holds the writer lock. A reader that has an older version open must open it again.
        """

    def condition(self) -> list[CollectionState]:
        """How each collection lies on the disk."""

    def broken(self) -> dict[Collection, Literal["lost", "unreadable"]]:
        """Collections that are gone though others are there, and those that cannot be opened."""

    def mend(self) -> None:
        """Take back a write that was cut short and whose writer died of it. The caller holds the writer lock."""

    def make_anew(self, collection: Collection) -> None:
        """Make a collection empty, whatever there is of it."""

    def close(self) -> None:
        """Let go of what is open; the index can be opened again."""


class CollectionState(Record):
    """How one collection of a text index lies on the disk."""

    collection: Collection
    rows: int
    files: int  # of rows; small ones are folded together
    versions: int
    unindexed: int  # rows that no search index covers yet: they are scanned


@dataclass(frozen=True, slots=True)
class RowAccess:
    """What a search filters a document's rows by."""

    access_class: str
    tags: tuple[str, ...]
    valid_from: datetime | None
    valid_to: datetime | None


# --- graph store -----------------------------------------------------------------------------------------------------


class DocumentGraph(Record):
    """All that one document contributes to the graph."""

    source: Source
    current: bool = True  # False: an older version of the source that is kept
    document: StoredDocument
    chunks: tuple[Chunk, ...]
    statements: tuple[Statement, ...] = ()
    mentions: tuple[Mention, ...] = ()
    relations: tuple[Relation, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    chains: tuple[Chain, ...] = ()  # whose links all lie in this document


class Intent(Record):
    """What a writer is about to do: recorded before the first row is written, closed when all is done.

    Documents in ``adds`` are not seen before the graph transaction, those in ``removes`` not after it.
    """

    id: str
    adds: tuple[str, ...] = ()
    removes: tuple[str, ...] = ()
    updates: tuple[str, ...] = ()  # whose rows get another access class, tags or validity
    committed: bool = False
    at: UtcTime


class Failure(Record):
    """An input that could not be taken in: kept until it is taken in, or gone."""

    source_id: str
    namespace: str
    path: str
    reason: str
    at: UtcTime


class Change(Record):
    """What one graph transaction does to documents: the only commit point of an intent."""

    intent_id: str
    adds: tuple[DocumentGraph, ...] = ()  # what was the present version of such a source goes, unless it is in keeps
    keeps: tuple[Source, ...] = ()  # versions that stay, each as it is from now on, whether older or the present one
    drops: tuple[str, ...] = ()  # document ids of older versions that go; others stay
    removes: tuple[str, ...] = ()  # source ids, with all their versions
    same_as: tuple[SameAs, ...] = ()
    actor: str = "ingest"
    reason: str = ""  # why sources are removed, for the receipt and the ledger
    at: UtcTime


class ChangeReceipt(Record):
    """What a graph transaction took away and brought back; all tuples sorted."""

    chunks: tuple[str, ...] = ()  # removed
    evidence: tuple[str, ...] = ()  # removed
    relations: tuple[str, ...] = ()  # retired: no evidence is left
    statements: tuple[str, ...] = ()  # retired: no mention is left
    chains: tuple[str, ...] = ()  # retired: a link went, or no document holds all links
    restored: tuple[str, ...] = ()  # derived chains whose links are all active again
    receipt: str | None = None  # the id of the stored receipt, if sources were removed


class StatementView(Record):
    """A statement in the words of its first mention (by document id, then start) that the caller may see."""

    statement: Statement
    text: str
    document_id: str
    span_start: int


class RelationView(Record):
    """An active relation and what the visible evidence says about it."""

    relation: Relation
    belief: Belief


class ChainView(Record):
    """A stored chain that is active and whose every link the caller may see."""

    chain: Chain
    links: tuple[RelationView, ...]


class Edge(NamedTuple):
    """One relation as a walk sees it; a tuple, since a walk makes hundreds of them."""

    relation_id: str
    type: RelationType
    head: str
    tail: str
    confidence: float  # in the belief of the caller's scope, rounded to 1e-6


@dataclass(frozen=True, slots=True)
class Hop:
    """All edges of one step of a walk, and the statements at which the fan-out cut some off."""

    edges: tuple[Edge, ...]  # by (from-statement, confidence descending, relation id)
    truncated: frozenset[str]


class DocumentCounts(Record):
    """How much of a document is stored."""

    chunks: int = 0
    relations: int = 0


class Counts(Record):
    """How much of everything a caller may see."""

    sources: int = 0
    documents: int = 0
    chunks: int = 0
    statements: int = 0
    mentions: int = 0
    relations: int = 0
    relations_by_type: dict[str, int] = Field(default_factory=dict)
    evidence: int = 0
    same_as: int = 0
    chains: int = 0
    derived_chains: int = 0
    quarantined: int = 0  # proposals that wait for a person


class LedgerDraft(Record):
    """A ledger entry before the store gives it a position and the hash of the one before."""

    action: str
    actor: str
    at: UtcTime
    batch: str | None = None
    reason: str = ""
    ids: tuple[str, ...] = ()


class RetiredStatement(Record):
    """What is kept of a statement that nobody says any more."""

    id: str
    language: str = ""
    direction: Direction = Direction.NONE
    negated: bool = False


class Residue(Record):
    """What a graph store holds besides what its current documents say; journal and caches are no part of it."""

    classes: tuple[AccessClass, ...] = ()
    statements: tuple[RetiredStatement, ...] = ()
    relations: tuple[HeldRelation, ...] = ()
    chains: tuple[HeldChain, ...] = ()
    same_as: tuple[SameAs, ...] = ()
    rejected_links: tuple[str, ...] = ()  # ids of those of them that a person rejected
    proposals: tuple[Proposal, ...] = ()
    ledger: tuple[LedgerEntry, ...] = ()
    receipts: tuple[Receipt, ...] = ()
    failures: tuple[Failure, ...] = ()


class GraphFault(Record):
    """One thing in which the records of a graph store contradict each other."""

    kind: Literal["orphan", "status", "edge", "access", "identity", "file"]
    id: str  # of the document, statement, relation or chain; "" for the whole file
    what: str
    mendable: bool = True


class Steps(Protocol):
    """What a walk asks a graph at every hop."""

    def edges(
        self,
        statement_ids: Sequence[str],
        scope: Scope,
        *,
        forward: bool,
        types: Sequence[RelationType],
        min_confidence: float,
        fan_out: int,
    ) -> Hop:
        """One step of a walk over affirmed relations: from heads to tails, or backwards from tails to heads.

        At most ``fan_out`` (> 0) edges per statement are given, those of highest confidence.
        """

    def same_as(self, statement_ids: Sequence[str], scope: Scope) -> list[SameAs]:
        """The links of these statements to visible statements, by score descending, then ids."""


class GraphStore(Steps, Protocol):
    """Statements, typed relations, their evidence and chains; the journal; the ledger."""

    # who may see what

    def scope(self, view: View) -> Scope:
        """Resolve a view: the access classes its groups satisfy, its moment, its metadata, what is being written."""

    def version(self) -> str:
        """A token that changes with every phase of a write: two reads that see the same token saw one state."""

    # reading: only what is active, current and visible in the scope

    def sources(self, scope: Scope, ids: Sequence[str] | None = None) -> list[Source]:
        """Sources by (namespace, path); all that are visible, or those of ``ids``.

        Each is as it was with the version that is visible: at one moment one, at any time all of them in order.
        """

    def documents(self, ids: Sequence[str], scope: Scope) -> dict[str, StoredDocument]:
        """The documents with these ids: current ones, or older versions where the scope is of their time."""

    def chunks(self, document_ids: Sequence[str], scope: Scope) -> dict[str, list[Chunk]]:
        """Each document's chunks in order."""

    def statements(self, ids: Sequence[str], scope: Scope) -> dict[str, StatementView]:
        """Statements in visible words."""

    def statements_sharing(self, language: str, terms: Sequence[str]) -> list[StatementKey]:
        """Keys of active statements of a language that have one of these blocking terms (for writers: no scope)."""

    def statement_keys(self, ids: Sequence[str]) -> dict[str, StatementKey]:
        """Keys of those of these statements that are active (for writers: no scope)."""

    def relations(self, ids: Sequence[str], scope: Scope) -> dict[str, RelationView]:
        """Active relations with their belief."""

    def evidence(self, relation_ids: Sequence[str], scope: Scope) -> dict[str, list[Evidence]]:
        """Each relation's visible evidence, by (document id, quote start, id)."""

    def in_one_transaction(self, work: Callable[[Steps], T]) -> T:
        """Run ``work``, which may be run again, with a graph that answers it from one read transaction."""

    def chains(self, ids: Sequence[str], scope: Scope) -> dict[str, ChainView]:
        """Active chains of which every link is visible, and that a person accepted or a visible document holds.

        ``derived`` is what they are in this scope: accepted, and held by no document that is visible.
        """

    def document_counts(self, document_ids: Sequence[str], scope: Scope) -> dict[str, DocumentCounts]:
        """How much each visible document holds."""

    def counts(self, scope: Scope) -> Counts:
        """How much of everything is visible."""

    def ids_starting(self, prefix: str, scope: Scope, *, limit: int) -> list[str]:
        """Visible ids of sources, documents, statements, relations and chains, and ids of proposals (owner only)
        that start with ``prefix`` (kind, underscore, at least one hexadecimal digit)."""

    def records(self) -> Iterator[Record]:
        """Every active record, in no particular order: what the state hash is taken over."""

    def state_hash(self) -> str:
        """SHA-256 of the canonical export; see :mod:`storage.state_hash`."""

    # writing: the caller holds the writer lock

    def begin(self, intent: Intent) -> None:
        """Record an intent, durably."""

    def commit(self, change: Change) -> ChangeReceipt:
        """Do all of a change in one transaction and mark its intent committed.

        Where sources are removed, their receipt is stored and named in the ledger in the same transaction.
        """

    def finish(self, intent_id: str) -> None:
        """Close an intent: its clean-up is done, or it was undone."""

    def record_failures(self, failures: Sequence[Failure], *, cleared: Sequence[str]) -> None:
        """Remember inputs that could not be taken in, and forget those of the source ids in ``cleared``."""

    def failures(self) -> list[Failure]:
        """Inputs that could not be taken in when they were last tried, by (namespace, path)."""

    def open_intents(self) -> list[Intent]:
        """Intents that were begun and not finished, oldest first."""

    def update_sources(self, sources: Sequence[Source]) -> None:
        """Store new groups, metadata, validity, fingerprint, location or raw hash of sources already there.

        A record may be that of an older version. Groups are a source's: its versions all take those of the present one.
        """

    def intern(self, classes: Sequence[AccessClass]) -> None:
        """Make access rules known, so that a scope resolves its groups to them too; those known already are left alone.

        For rows whose words stand in several documents; a rule is no part of the state hash.
        """

    # writing back

    def proposals(self, *, statuses: Iterable[ProposalStatus] | None = None) -> list[Proposal]:
        """Proposals, oldest first."""

    def decide(
        self,
        proposals: Sequence[Proposal],
        entry: LedgerDraft,
        *,
        accepted: Sequence[Chain] = (),
        withdrawn: Sequence[str] = (),
    ) -> LedgerEntry:
        """Store proposals in their new state, activate or withdraw derived chains, write the ledger; all or nothing."""

    def derived_chains(self) -> list[tuple[Chain, RelationStatus]]:
        """Chains that were accepted and not withdrawn, with whether they are active or retired, by id."""

    def ledger(self) -> Iterator[LedgerEntry]:
        """Every entry in order."""

    def receipts(self) -> list[Receipt]:
        """The receipts of all removals, oldest first."""

    # a person's verdict on what is stored: an overlay by id, which no ingest, copy or repair takes away

    def held(self, ids: Sequence[str]) -> Held:
        """The relations, chains and same_as links with these ids, whatever their status (for the owner: no scope)."""

    def rejected(self, ids: Sequence[str] | None = None) -> Held:
        """Those of these relations, chains and links that a person rejected, without evidence; None: all of them."""

    def held_ids_starting(self, prefix: str, *, limit: int) -> list[str]:
        """Ids of relations, chains and same_as links of any status that start with ``prefix`` (for the owner)."""

    def judge(self, subjects: Held, entry: LedgerDraft, *, rejected: bool) -> Judgement:
        """Reject these relations, chains and links, or take that back, and write the ledger; all or nothing.

        What is rejected keeps its evidence and is in no answer, walk, count or state hash. Taken back, it has the
        status that its evidence earns. A chain that was only walked is stored to be rejected. Raises NotFoundError
        if a relation or link is not in the store.
        """

    # copying into another store

    def every_source(self, paths: Sequence[str] | None = None) -> list[Source]:
        """All sources, or those with one of these paths, by id, each in its present version, whenever that holds."""

    def kept_versions(self, source_ids: Sequence[str] | None = None) -> list[Source]:
        """The older versions that are kept of these sources, or of all, by source id and beginning."""

    def document_graphs(self, document_ids: Sequence[str]) -> list[DocumentGraph]:
        """All that these documents contribute, by source id; the present version of a source before older ones."""

    def residue(self) -> Residue:
        """What there is besides the documents, each part sorted."""

    def adopt(self, residue: Residue) -> None:
        """Put the residue of another store in the place of one's own; the documents are those of that store already."""

    # upkeep

    def faults(self) -> list[GraphFault]:
        """What contradicts itself inside the graph: records of no document, statuses that the evidence does not earn,
        edges that are not what the evidence says, access rules that are not those of the source, and statements (by
        their id) and evidence (by that of its document) that are not what their ids were made from."""

    def mend(self) -> list[GraphFault]:
        """Put right what :meth:`faults` finds and can be put right; what that was.

        A statement with other words than its id loses them: documents that say it give them back. Evidence is left.
        """

    def optimize(self) -> None:
        """Give free space back and look at the data anew for plans of queries, where the store does not by itself."""

    def purge(self) -> tuple[str, ...]:
        """Leave nothing of records that were deleted in the store's own files; what cannot be promised, in words."""

    def close(self) -> None:
        """Let go of what is open; the store can be opened again."""


__all__ = [
    "COLLECTIONS",
    "ChainView",
    "Change",
    "ChangeReceipt",
    "ChatMessage",
    "ChatModel",
    "ChatReply",
    "Collection",
    "CollectionState",
    "Counts",
    "DocumentCounts",
    "DocumentGraph",
    "Edge",
    "Embedder",
    "Failure",
    "GraphFault",
    "GraphStore",
    "Held",
    "HeldChain",
    "HeldRelation",
    "Hop",
    "IndexRow",
    "Intent",
    "Judgement",
    "LedgerDraft",
    "Nomination",
    "RelationView",
    "Residue",
    "RetiredStatement",
    "RowAccess",
    "Side",
    "StatementView",
    "Steps",
    "TextIndex",
    "Vector",
]
