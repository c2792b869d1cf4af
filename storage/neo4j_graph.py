"""The graph store on a Neo4j server, behind the port :class:`storage.ports.GraphStore`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Self, TypeVar

from storage import (
    journal,
    neo4j_copy,
    neo4j_counts,
    neo4j_faults,
    neo4j_ledger,
    neo4j_read,
    neo4j_verdicts,
    neo4j_write,
)
from storage.fault_points import Reached, unwatched
from storage.neo4j_database import Neo4jAddress, Neo4jDatabase, fetch
from storage.neo4j_schema import bring_up_to_date, check_unclaimed, claim
from storage.neo4j_scope import admitted_classes, any_bounded
from storage.neo4j_walk import Neo4jSteps
from storage.ports import (
    ChainView,
    Change,
    ChangeReceipt,
    Counts,
    DocumentCounts,
    DocumentGraph,
    Failure,
    GraphFault,
    Held,
    Hop,
    Intent,
    Judgement,
    LedgerDraft,
    RelationView,
    Residue,
    StatementView,
    Steps,
)
from storage.receipt import Receipt
from storage.records import (
    AccessClass,
    Chain,
    Chunk,
    Evidence,
    LedgerEntry,
    Proposal,
    ProposalStatus,
    Record,
    RelationStatus,
    RelationType,
    SameAs,
    Scope,
    Source,
    StatementKey,
    StoredDocument,
    View,
    metadata_tag,
)
from storage.state_hash import state_hash

if TYPE_CHECKING:
    from neo4j import ManagedTransaction

T = TypeVar("T")


def _now() -> datetime:
    return datetime.now(UTC)


class Neo4jGraphStore:
    """Statements, typed relations, their evidence and chains; the journal; the ledger; in one database of a server.

    It may be used from several threads, processes and machines at once: readers do not wait, writers take turns. Raises
    ConfigurationError (log-in, database), UnreachableError, StoreBusyError, StoreFullError, StoreVersionError or
    StoreError, and MissingExtraError where the driver is not installed.
    """

    def __init__(
        self,
        address: Neo4jAddress,
        *,
        clock: Callable[[], datetime] = _now,
        owner: str | None = None,
        reached: Reached = unwatched,
    ) -> None:
        """Open the database; ``owner`` names the knowledge base whose graph it must hold or, if new, will hold."""
        self._clock = clock
        self._database = Neo4jDatabase(address, reached=reached)
        try:
            bring_up_to_date(self._database)
            if owner is not None:
                claim(self._database, owner)
        except BaseException:
            self._database.close()
            raise

    def __repr__(self) -> str:
        return f"Neo4jGraphStore({self._database!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def check_unclaimed(self) -> None:
        """Raise StoreError if the database holds the graph of a knowledge base already."""
        check_unclaimed(self._database)

    def server(self) -> str:
        """Name and version of the server, for example ``Neo4j/5.26.30``."""
        return self._database.server()

    # who may see what

    def scope(self, view: View) -> Scope:
        """Resolve a view: the access classes its groups satisfy, its moment, its metadata, what is being written."""

        def resolve(tx: ManagedTransaction) -> Scope:
            return Scope(
                classes=None if view.groups is None else admitted_classes(tx, view.groups),
                at=view.as_of or self._clock(),
                bounded=any_bounded(tx),
                tags=frozenset(metadata_tag(name, value) for name, value in view.where.items()),
                hidden=journal.hidden_documents(neo4j_ledger.open_intents(tx)),
            )

        return self._database.reading(resolve)

    def version(self) -> str:
        """A token that changes with every phase of a write: two reads that see the same token saw one state."""
        return str(self._database.commits())

    # reading

    def sources(self, scope: Scope, ids: Sequence[str] | None = None) -> list[Source]:
        """Sources by (namespace, path); all that are visible, or those of ``ids``."""
        return self._database.reading(lambda tx: neo4j_read.sources(tx, ids, scope))

    def documents(self, ids: Sequence[str], scope: Scope) -> dict[str, StoredDocument]:
        """The documents with these ids: current ones, or older versions where the scope is of their time."""
        return self._database.reading(lambda tx: neo4j_read.documents(tx, ids, scope))

    def chunks(self, document_ids: Sequence[str], scope: Scope) -> dict[str, list[Chunk]]:
        """Each document's chunks in order; a document without chunks is left out."""
        return self._database.reading(lambda tx: neo4j_read.chunks(tx, document_ids, scope))

    def statements(self, ids: Sequence[str], scope: Scope) -> dict[str, StatementView]:
        """Statements in visible words."""
        return self._database.reading(lambda tx: neo4j_read.statements(tx, ids, scope))

    def statements_sharing(self, language: str, terms: Sequence[str]) -> list[StatementKey]:
        """Keys of active statements of a language that have one of these blocking terms, by statement id."""
        return self._database.reading(lambda tx: neo4j_read.statements_sharing(tx, language, terms))

    def statement_keys(self, ids: Sequence[str]) -> dict[str, StatementKey]:
        """Keys of those of these statements that are active."""
        return self._database.reading(lambda tx: neo4j_read.statement_keys(tx, ids))

    def relations(self, ids: Sequence[str], scope: Scope) -> dict[str, RelationView]:
        """Active relations with their belief."""
        return self._database.reading(lambda tx: neo4j_read.relations(tx, ids, scope))

    def evidence(self, relation_ids: Sequence[str], scope: Scope) -> dict[str, list[Evidence]]:
        """Each active relation's visible evidence, by (document id, quote start, id)."""
        return self._database.reading(lambda tx: neo4j_read.evidence(tx, relation_ids, scope))

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
        """One step of a walk over affirmed relations: from heads to tails, or backwards from tails to heads."""
        return self._database.asking(
            lambda ask: Neo4jSteps(ask).edges(
                statement_ids, scope, forward=forward, types=types, min_confidence=min_confidence, fan_out=fan_out
            )
        )

    def same_as(self, statement_ids: Sequence[str], scope: Scope) -> list[SameAs]:
        """The links of these statements to visible statements, by score descending, then ids."""
        return self._database.asking(lambda ask: Neo4jSteps(ask).same_as(statement_ids, scope))

    def in_one_transaction(self, work: Callable[[Steps], T]) -> T:
        """Run ``work``, which may be run again, with a graph that answers it from one read transaction."""
        return self._database.reading(lambda tx: work(Neo4jSteps(partial(fetch, tx))))

    def chains(self, ids: Sequence[str], scope: Scope) -> dict[str, ChainView]:
        """Active chains of which every link is visible, and that a person accepted or a visible document holds."""
        return self._database.reading(lambda tx: neo4j_read.chains(tx, ids, scope))

    def document_counts(self, document_ids: Sequence[str], scope: Scope) -> dict[str, DocumentCounts]:
        """How much each visible document holds."""
        return self._database.reading(lambda tx: neo4j_counts.document_counts(tx, document_ids, scope))

    def counts(self, scope: Scope) -> Counts:
        """How much of everything is visible, all at one moment."""
        return self._database.consistent(lambda tx: neo4j_counts.counts(tx, scope))

    def ids_starting(self, prefix: str, scope: Scope, *, limit: int) -> list[str]:
        """Visible ids that start with ``prefix``, ascending; raises UsageError if it cannot begin an id."""
        return self._database.reading(lambda tx: neo4j_read.ids_starting(tx, prefix, scope, limit=limit))

    def records(self) -> Iterator[Record]:
        """Every active record of one moment, in no particular order: what the state hash is taken over."""
        yield from self._database.consistent(lambda tx: list(neo4j_read.records(tx)))

    def state_hash(self) -> str:
        """SHA-256 of the canonical export; kept until the data changes."""

        def digest(tx: ManagedTransaction) -> tuple[int, str, bool]:
            changes, kept = fetch(tx, "MATCH (s:ClewStore {id: 'store'}) RETURN s.changes, s.state_hash")[0]
            if kept is not None and kept.startswith(f"{changes}:"):
                return changes, kept.partition(":")[2], True
            return changes, state_hash(neo4j_read.records(tx)), False

        changes, found, kept = self._database.consistent(digest)
        if not kept:
            keep = "MATCH (s:ClewStore {id: 'store', changes: $changes}) SET s.state_hash = $hash"
            values = {"changes": changes, "hash": f"{changes}:{found}"}
            self._database.quietly(lambda tx: tx.run(keep, values).consume())
        return found

    # writing

    def begin(self, intent: Intent) -> None:
        """Record an intent, durably."""
        self._database.writing(lambda tx: neo4j_ledger.begin(tx, intent))

    def commit(self, change: Change) -> ChangeReceipt:
        """Do all of a change in one transaction and mark its intent committed."""

        def work(tx: ManagedTransaction) -> ChangeReceipt:
            receipt = neo4j_write.commit(tx, change)
            _data_changes(tx)
            return receipt

        return self._database.writing(work)

    def finish(self, intent_id: str) -> None:
        """Close an intent: its clean-up is done, or it was undone. Closing one that is not open does nothing."""
        self._database.writing(lambda tx: neo4j_ledger.finish(tx, intent_id), counts=bool)

    def record_failures(self, failures: Sequence[Failure], *, cleared: Sequence[str]) -> None:
        """Remember inputs that could not be taken in, and forget those of the source ids in ``cleared``."""
        self._database.writing(lambda tx: neo4j_ledger.record_failures(tx, failures, cleared))

    def failures(self) -> list[Failure]:
        """Inputs that could not be taken in when they were last tried, by (namespace, path)."""
        return self._database.reading(neo4j_ledger.failures)

    def open_intents(self) -> list[Intent]:
        """Intents that were begun and not finished, oldest first."""
        return self._database.reading(neo4j_ledger.open_intents)

    def update_sources(self, sources: Sequence[Source]) -> None:
        """Store new groups, metadata, validity, fingerprint, location or raw hash of sources already there."""

        def work(tx: ManagedTransaction) -> None:
            neo4j_write.update_sources(tx, sources)
            _data_changes(tx)

        self._database.writing(work)

    def intern(self, classes: Sequence[AccessClass]) -> None:
        """Make access rules known, so that a scope resolves its groups to them too; those known are left alone."""
        self._database.writing(lambda tx: neo4j_write.put_classes(tx, classes), counts=lambda _: False)

    # writing back

    def proposals(self, *, statuses: Iterable[ProposalStatus] | None = None) -> list[Proposal]:
        """Proposals, oldest first."""
        wanted = None if statuses is None else list(statuses)
        return self._database.reading(lambda tx: neo4j_ledger.proposals(tx, wanted))

    def decide(
        self,
        proposals: Sequence[Proposal],
        entry: LedgerDraft,
        *,
        accepted: Sequence[Chain] = (),
        withdrawn: Sequence[str] = (),
    ) -> LedgerEntry:
        """Store proposals, activate or withdraw derived chains and write the ledger, all or nothing."""

        def work(tx: ManagedTransaction) -> LedgerEntry:
            written = neo4j_ledger.decide(tx, proposals, entry, accepted=accepted, withdrawn=withdrawn)
            _data_changes(tx)
            return written

        return self._database.writing(work)

    def derived_chains(self) -> list[tuple[Chain, RelationStatus]]:
        """Chains that were accepted and not withdrawn, with whether they are active or retired, by id."""
        return self._database.reading(neo4j_read.accepted_chains)

    def ledger(self) -> Iterator[LedgerEntry]:
        """Every entry in order."""
        yield from self._database.reading(neo4j_ledger.ledger)

    def receipts(self) -> list[Receipt]:
        """The receipts of all removals, oldest first."""
        return self._database.reading(neo4j_ledger.receipts)

    # a person's verdict on what is stored

    def held(self, ids: Sequence[str]) -> Held:
        """The relations, chains and same_as links with these ids, whatever their status."""
        return self._database.consistent(lambda tx: neo4j_verdicts.held(tx, ids))

    def rejected(self, ids: Sequence[str] | None = None) -> Held:
        """Those of these relations, chains and links that a person rejected, without evidence; None: all of them."""
        return self._database.reading(lambda tx: neo4j_verdicts.rejected(tx, ids))

    def held_ids_starting(self, prefix: str, *, limit: int) -> list[str]:
        """Ids of relations, chains and same_as links of any status that start with ``prefix``, ascending."""
        return self._database.reading(lambda tx: neo4j_verdicts.held_ids_starting(tx, prefix, limit=limit))

    def judge(self, subjects: Held, entry: LedgerDraft, *, rejected: bool) -> Judgement:
        """Reject these relations, chains and links, or take that back, and write the ledger; all or nothing."""

        def work(tx: ManagedTransaction) -> Judgement:
            judgement = neo4j_verdicts.judge(tx, subjects, entry, rejected=rejected)
            _data_changes(tx)
            return judgement

        return self._database.writing(work)

    # copying into another store

    def every_source(self, paths: Sequence[str] | None = None) -> list[Source]:
        """All sources, or those with one of these paths, by id, each in its present version, whenever that holds."""
        return self._database.reading(lambda tx: neo4j_copy.every_source(tx, paths))

    def kept_versions(self, source_ids: Sequence[str] | None = None) -> list[Source]:
        """The older versions that are kept of these sources, or of all, by source id and beginning."""
        return self._database.reading(lambda tx: neo4j_read.kept_versions(tx, source_ids))

    def document_graphs(self, document_ids: Sequence[str]) -> list[DocumentGraph]:
        """All that these documents contribute, by source id; the present version of a source before older ones."""
        return self._database.consistent(lambda tx: neo4j_copy.document_graphs(tx, document_ids))

    def residue(self) -> Residue:
        """What there is besides the documents, each part sorted."""
        return self._database.consistent(neo4j_copy.residue)

    def adopt(self, residue: Residue) -> None:
        """Put the residue of another store in the place of one's own."""

        def work(tx: ManagedTransaction) -> None:
            neo4j_copy.adopt(tx, residue)
            _data_changes(tx)

        self._database.writing(work)

    # upkeep

    def faults(self) -> list[GraphFault]:
        """What contradicts itself inside the graph."""
        return self._database.consistent(neo4j_faults.faults)

    def mend(self) -> list[GraphFault]:
        """Put right what :meth:`faults` finds; what that was."""

        def work(tx: ManagedTransaction) -> list[GraphFault]:
            mended = neo4j_faults.mend(tx)
            _data_changes(tx)
            return mended

        return self._database.writing(work)

    def purge(self) -> tuple[str, ...]:
        """Nothing: what was deleted is gone from the database, and its files are the server's; that is said."""
        return (
            "Neo4j removes records from its database, not from its files: words of what was removed can stand in free "
            "places of the store files until they are used again, and in transaction logs until the server drops them "
            "(db.tx_log.rotation.retention_policy); a dump loaded into a new database has none of it",
        )

    def optimize(self) -> None:
        """Nothing: the server does it by itself."""

    def close(self) -> None:
        """Let go of what is open; the store can be opened again."""
        self._database.close()


def _data_changes(tx: ManagedTransaction) -> None:
    tx.run("MATCH (w:ClewStore {id: 'store'}) SET w.changes = coalesce(w.changes, 0) + 1").consume()


__all__ = ["Neo4jGraphStore"]
