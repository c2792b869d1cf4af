"""The graph store that needs no server: one SQLite file behind the port :class:`storage.ports.GraphStore`."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Self, TypeVar

from storage import (
    embedded_copy,
    embedded_counts,
    embedded_faults,
    embedded_ledger,
    embedded_read,
    embedded_verdicts,
    embedded_walk,
    embedded_write,
)
from storage.embedded_connection import Connections
from storage.embedded_scope import admitted_classes, any_bounded, sight
from storage.errors import StoreBusyError, StoreFullError
from storage.fault_points import Reached, unwatched
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

T = TypeVar("T")


def _now() -> datetime:
    return datetime.now(UTC)


class EmbeddedGraphStore:
    """Statements, typed relations, their evidence and chains; the journal; the ledger; in one file.

    It may be used from several threads and processes at once: readers see a snapshot and never wait, writers take turns
    for up to ``busy_timeout`` seconds. Raises StoreBusyError, StoreFullError, StoreVersionError or StoreError.
    """

    def __init__(
        self,
        path: Path,
        *,
        clock: Callable[[], datetime] = _now,
        busy_timeout: float = 30.0,
        reached: Reached = unwatched,
    ) -> None:
        self._clock = clock
        self._connections = Connections(Path(path), busy_timeout=busy_timeout, reached=reached)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # who may see what

    def scope(self, view: View) -> Scope:
        """Resolve a view: the access classes its groups satisfy, its moment, its metadata, what is being written."""
        with self._connections.reading() as connection:
            return Scope(
                classes=None if view.groups is None else admitted_classes(connection, view.groups),
                at=view.as_of or self._clock(),
                bounded=any_bounded(connection),
                tags=frozenset(metadata_tag(name, value) for name, value in view.where.items()),
                hidden=embedded_ledger.hidden_documents(connection),
            )

    def version(self) -> str:
        """A token that changes with every phase of a write: two reads that see the same token saw one state."""
        with self._connections.reading() as connection:
            return ".".join(map(str, (*embedded_ledger.phase(connection), _data_version(connection))))

    # reading

    def sources(self, scope: Scope, ids: Sequence[str] | None = None) -> list[Source]:
        """Sources by (namespace, path); all that are visible, or those of ``ids``."""
        with self._connections.reading() as connection:
            return embedded_read.sources(connection, ids, sight(connection, scope))

    def documents(self, ids: Sequence[str], scope: Scope) -> dict[str, StoredDocument]:
        """The documents with these ids: current ones, or older versions where the scope is of their time."""
        with self._connections.reading() as connection:
            return embedded_read.documents(connection, ids, sight(connection, scope))

    def chunks(self, document_ids: Sequence[str], scope: Scope) -> dict[str, list[Chunk]]:
        """Each document's chunks in order; a document without chunks is left out."""
        with self._connections.reading() as connection:
            return embedded_read.chunks(connection, document_ids, sight(connection, scope))

    def statements(self, ids: Sequence[str], scope: Scope) -> dict[str, StatementView]:
        """Statements in visible words."""
        with self._connections.reading() as connection:
            return embedded_read.statements(connection, ids, sight(connection, scope))

    def statements_sharing(self, language: str, terms: Sequence[str]) -> list[StatementKey]:
        """Keys of active statements of a language that have one of these blocking terms, by statement id."""
        with self._connections.reading() as connection:
            return embedded_read.statements_sharing(connection, language, terms)

    def statement_keys(self, ids: Sequence[str]) -> dict[str, StatementKey]:
        """Keys of those of these statements that are active."""
        with self._connections.reading() as connection:
            return embedded_read.statement_keys(connection, ids)

    def relations(self, ids: Sequence[str], scope: Scope) -> dict[str, RelationView]:
        """Active relations with their belief."""
        with self._connections.reading() as connection:
            return embedded_read.relations(connection, ids, sight(connection, scope))

    def evidence(self, relation_ids: Sequence[str], scope: Scope) -> dict[str, list[Evidence]]:
        """Each active relation's visible evidence, by (document id, quote start, id)."""
        with self._connections.reading() as connection:
            return embedded_read.evidence(connection, relation_ids, sight(connection, scope))

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
        return self.in_one_transaction(
            lambda graph: graph.edges(
                statement_ids, scope, forward=forward, types=types, min_confidence=min_confidence, fan_out=fan_out
            )
        )

    def same_as(self, statement_ids: Sequence[str], scope: Scope) -> list[SameAs]:
        """The links of these statements to visible statements, by score descending, then ids."""
        return self.in_one_transaction(lambda graph: graph.same_as(statement_ids, scope))

    def in_one_transaction(self, work: Callable[[Steps], T]) -> T:
        """Run ``work`` with a graph that answers it from one snapshot."""
        with self._connections.reading() as connection:
            return work(embedded_walk.EmbeddedSteps(connection))

    def chains(self, ids: Sequence[str], scope: Scope) -> dict[str, ChainView]:
        """Active chains of which every link is visible, and that a person accepted or a visible document holds."""
        with self._connections.reading() as connection:
            return embedded_read.chains(connection, ids, sight(connection, scope))

    def document_counts(self, document_ids: Sequence[str], scope: Scope) -> dict[str, DocumentCounts]:
        """How much each visible document holds."""
        with self._connections.reading() as connection:
            return embedded_counts.document_counts(connection, document_ids, sight(connection, scope))

    def counts(self, scope: Scope) -> Counts:
        """How much of everything is visible."""
        with self._connections.reading() as connection:
            return embedded_counts.counts(connection, sight(connection, scope))

    def ids_starting(self, prefix: str, scope: Scope, *, limit: int) -> list[str]:
        """Visible ids that start with ``prefix``, ascending; raises UsageError if it cannot begin an id."""
        with self._connections.reading() as connection:
            return embedded_read.ids_starting(connection, prefix, sight(connection, scope), limit=limit)

    def records(self) -> Iterator[Record]:
        """Every active record of one moment, in no particular order: what the state hash is taken over."""
        with self._connections.reading() as connection:
            yield from embedded_read.records(connection)

    def state_hash(self) -> str:
        """SHA-256 of the canonical export; kept until the data changes."""
        with self._connections.reading() as connection:
            version = _data_version(connection)
            kept = connection.execute("SELECT value FROM meta WHERE name = 'state_hash'").fetchone()
            if kept is not None and kept[0].startswith(f"{version}:"):
                return str(kept[0].partition(":")[2])
            digest = state_hash(embedded_read.records(connection))
        try:
            with self._connections.writing(wait=False) as connection:
                connection.execute("INSERT OR REPLACE INTO meta VALUES ('state_hash', ?)", (f"{version}:{digest}",))
        except (StoreBusyError, StoreFullError):
            pass  # the answer is right; only the next caller works it out again
        return digest

    # writing

    def begin(self, intent: Intent) -> None:
        """Record an intent, durably."""
        with self._connections.writing() as connection:
            embedded_ledger.begin(connection, intent)

    def commit(self, change: Change) -> ChangeReceipt:
        """Do all of a change in one transaction and mark its intent committed."""
        with self._connections.writing() as connection:
            _data_changes(connection)
            return embedded_write.commit(connection, change)

    def finish(self, intent_id: str) -> None:
        """Close an intent: its clean-up is done, or it was undone. Closing one that is not open does nothing."""
        with self._connections.writing() as connection:
            connection.execute("DELETE FROM intent WHERE id = ?", (intent_id,))

    def record_failures(self, failures: Sequence[Failure], *, cleared: Sequence[str]) -> None:
        """Remember inputs that could not be taken in, and forget those of the source ids in ``cleared``."""
        with self._connections.writing() as connection:
            embedded_ledger.record_failures(connection, failures, cleared)

    def failures(self) -> list[Failure]:
        """Inputs that could not be taken in when they were last tried, by (namespace, path)."""
        with self._connections.reading() as connection:
            return embedded_ledger.failures(connection)

    def open_intents(self) -> list[Intent]:
        """Intents that were begun and not finished, oldest first."""
        with self._connections.reading() as connection:
            return embedded_ledger.open_intents(connection)

    def update_sources(self, sources: Sequence[Source]) -> None:
        """Store new groups, metadata, validity, fingerprint, location or raw hash of sources already there."""
        with self._connections.writing() as connection:
            _data_changes(connection)
            embedded_write.update_sources(connection, sources)

    def intern(self, classes: Sequence[AccessClass]) -> None:
        """Make access rules known, so that a scope resolves its groups to them too; those known are left alone."""
        with self._connections.writing() as connection:
            embedded_write.put_classes(connection, classes)

    # writing back

    def proposals(self, *, statuses: Iterable[ProposalStatus] | None = None) -> list[Proposal]:
        """Proposals, oldest first."""
        with self._connections.reading() as connection:
            return embedded_ledger.proposals(connection, statuses)

    def decide(
        self,
        proposals: Sequence[Proposal],
        entry: LedgerDraft,
        *,
        accepted: Sequence[Chain] = (),
        withdrawn: Sequence[str] = (),
    ) -> LedgerEntry:
        """Store proposals, activate or withdraw derived chains and write the ledger, all or nothing."""
        with self._connections.writing() as connection:
            _data_changes(connection)
            return embedded_ledger.decide(connection, proposals, entry, accepted=accepted, withdrawn=withdrawn)

    def derived_chains(self) -> list[tuple[Chain, RelationStatus]]:
        """Chains that were accepted and not withdrawn, with whether they are active or retired, by id."""
        with self._connections.reading() as connection:
            return [(chain, RelationStatus(status)) for chain, status in embedded_read.accepted_chains(connection)]

    def ledger(self) -> Iterator[LedgerEntry]:
        """Every entry in order."""
        with self._connections.reading() as connection:
            yield from embedded_ledger.ledger(connection)

    def receipts(self) -> list[Receipt]:
        """The receipts of all removals, oldest first."""
        with self._connections.reading() as connection:
            return embedded_ledger.receipts(connection)

    # a person's verdict on what is stored

    def held(self, ids: Sequence[str]) -> Held:
        """The relations, chains and same_as links with these ids, whatever their status."""
        with self._connections.reading() as connection:
            return embedded_verdicts.held(connection, ids)

    def rejected(self, ids: Sequence[str] | None = None) -> Held:
        """Those of these relations, chains and links that a person rejected, without evidence; None: all of them."""
        with self._connections.reading() as connection:
            return embedded_verdicts.rejected(connection, ids)

    def held_ids_starting(self, prefix: str, *, limit: int) -> list[str]:
        """Ids of relations, chains and same_as links of any status that start with ``prefix``, ascending."""
        with self._connections.reading() as connection:
            return embedded_verdicts.held_ids_starting(connection, prefix, limit=limit)

    def judge(self, subjects: Held, entry: LedgerDraft, *, rejected: bool) -> Judgement:
        """Reject these relations, chains and links, or take that back, and write the ledger; all or nothing."""
        with self._connections.writing() as connection:
            _data_changes(connection)
            return embedded_verdicts.judge(connection, subjects, entry, rejected=rejected)

    # copying into another store

    def every_source(self, paths: Sequence[str] | None = None) -> list[Source]:
        """All sources, or those with one of these paths, by id, each in its present version, whenever that holds."""
        with self._connections.reading() as connection:
            return embedded_copy.every_source(connection, paths)

    def kept_versions(self, source_ids: Sequence[str] | None = None) -> list[Source]:
        """The older versions that are kept of these sources, or of all, by source id and beginning."""
        with self._connections.reading() as connection:
            return embedded_read.kept_versions(connection, source_ids)

    def document_graphs(self, document_ids: Sequence[str]) -> list[DocumentGraph]:
        """All that these documents contribute, by source id; the present version of a source before older ones."""
        with self._connections.reading() as connection:
            return embedded_copy.document_graphs(connection, document_ids)

    def residue(self) -> Residue:
        """What there is besides the documents, each part sorted."""
        with self._connections.reading() as connection:
            return embedded_copy.residue(connection)

    def adopt(self, residue: Residue) -> None:
        """Put the residue of another store in the place of one's own."""
        with self._connections.writing() as connection:
            _data_changes(connection)
            embedded_copy.adopt(connection, residue)

    # upkeep

    def faults(self) -> list[GraphFault]:
        """What contradicts itself inside the graph."""
        with self._connections.reading() as connection:
            return embedded_faults.faults(connection)

    def mend(self) -> list[GraphFault]:
        """Put right what :meth:`faults` finds and can be put right; what that was."""
        with self._connections.writing() as connection:
            _data_changes(connection)
            return embedded_faults.mend(connection)

    def optimize(self) -> None:
        """Give free space back to the disk, and look at the data anew for the plans of queries."""
        self._connections.compact()

    def purge(self) -> tuple[str, ...]:
        """Leave nothing of records that were deleted in the file; what cannot be promised, in words."""
        if self._connections.purge():
            return ()
        return (
            "a reader held an older state of the graph open: the log of its file (graph.db-wal) may hold removed words "
            "until all readers are done; then run clew doctor --purge",
        )

    def copy_to(self, path: Path) -> None:
        """Write all of it as it is at this moment into a new file, without what was deleted."""
        self._connections.copy_to(path)

    def close(self) -> None:
        """Let go of what is open; the store can be opened again."""
        self._connections.close()


def _data_version(connection: sqlite3.Connection) -> int:
    row: tuple[int] = connection.execute("SELECT value FROM meta WHERE name = 'data_version'").fetchone()
    return row[0]


def _data_changes(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE meta SET value = value + 1 WHERE name = 'data_version'")


__all__ = ["EmbeddedGraphStore"]
