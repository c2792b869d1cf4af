"""``clew doctor --deep``: proves that the text index and the graph agree, document by document; it writes nothing.

What another process is writing at this moment is left out: its intent says so. A batch in which something was
committed meanwhile is read again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from pydantic import Field

from feedback import standing, verify
from feedback.derived_rows import DerivedRow, derived_rows
from feedback.ledger import START
from graphrag.document_check import Checked, Finding, Held, Kind, Remedy, check_document, same_row, vector_fault
from graphrag.results import Result
from storage.errors import StoreBusyError, StoreError
from storage.identity import is_id
from storage.ports import COLLECTIONS, Collection, DocumentGraph, GraphFault, GraphStore, IndexRow, TextIndex
from storage.records import OWNER, ProposalStatus, Source, StoredDocument
from storage.state_hash import state_hash

T = TypeVar("T")

BATCH = 16
"""Documents whose text, rows and records are held in memory at one time."""

LISTED = 1_000
"""Findings that a report keeps; all are counted."""

SHOWN = 40
"""Findings that a report prints."""

_TRIES = 5
_UNREADABLE = (StoreError, LookupError, ValueError, TypeError, AttributeError)
"""What reading records that somebody altered may raise."""

_TODO = {
    Remedy.INGEST: "its text is gone; ingest that file again",
    Remedy.RESTORE: "only a backup has it: clew restore",
}

Progress = Callable[[int, int], None]
"""Is told how many documents are done, and of how many."""


class DeepReport(Result):
    """What a deep check looked at, and everything that is not as it should be."""

    healthy: bool
    documents: int
    chunks: int = 0
    evidence: int = 0
    rows: int = 0
    ledger_entries: int = 0
    ledger_head: str = START
    state_hash: str = ""
    findings: tuple[Finding, ...] = ()  # the first LISTED
    found: dict[str, int] = Field(default_factory=dict)  # all of them, by kind
    notes: tuple[str, ...] = ()

    def as_text(self) -> str:
        lines = [
            f"{self.documents} documents, {self.chunks} chunks, {self.evidence} pieces of evidence and {self.rows} "
            f"rows of the text index were checked; {self.ledger_entries} ledger entries, head {self.ledger_head[:12]}…",
            f"state_hash  {self.state_hash or 'cannot be computed'}",
            *(f"note: {note}" for note in self.notes),
            *findings_text(self.findings, sum(self.found.values())),
        ]
        if self.healthy:
            lines.append("The stores agree.")
        else:
            counts = ", ".join(f"{n} {kind}" for kind, n in sorted(self.found.items()))
            lines.append(f"{sum(self.found.values())} things are wrong ({counts}).")
            if any(f.repairable for f in self.findings):
                lines.append("Put right what can be with: clew doctor --repair")
        return "\n".join(lines)


def findings_text(findings: Sequence[Finding], total: int) -> Iterator[str]:
    """Findings as lines, the first ``SHOWN`` of them."""
    for finding in findings[:SHOWN]:
        where = f" in {finding.path}" if finding.path else ""
        todo = f" [{_TODO[finding.remedy]}]" if finding.remedy in _TODO else ""
        yield f"FAIL {finding.kind} {finding.id}{where}: {finding.what}{todo}"
    if total > SHOWN:
        yield f"… and {total - SHOWN} more"


@dataclass(slots=True)
class Tally:
    """What is found, and how much was looked at; bounded however much it is."""

    findings: list[Finding] = field(default_factory=list)
    found: Counter[str] = field(default_factory=Counter)
    looked_at: Counter[str] = field(default_factory=Counter)

    def add(self, findings: Iterable[Finding]) -> None:
        """Count findings, and keep the first ones."""
        for finding in findings:
            self.found[finding.kind] += 1
            if len(self.findings) < LISTED:
                self.findings.append(finding)


def deep_check(
    graph: GraphStore,
    index: TextIndex,
    *,
    dimensions: int,
    now: datetime,
    writing: bool = False,
    progress: Progress = lambda *_: None,
) -> DeepReport:
    """Check everything; ``writing`` says that another process is writing, so that open intents are its own."""
    tally, notes = Tally(), []
    intents = graph.open_intents()
    if intents and writing:
        notes.append(f"{len(intents)} writes are going on; the documents they are about were left out")
    elif intents:
        what = "a write was interrupted: it is to be finished or undone"
        tally.add(Finding(kind="intent", id=i.id, what=what, remedy=Remedy.RECOVER) for i in intents)
    broken = index.broken()
    tally.add(table_finding(name, f"the table is {state}", gone=state == "lost") for name, state in broken.items())
    tables = Tables(index, unusable=dict.fromkeys(COLLECTIONS, "") if broken else {})
    if broken:
        notes.append("rows can be compared only when every table is there")
    sources = [*graph.every_source(), *graph.kept_versions()]
    for held, checked in examined(graph, tables, sources, dimensions=dimensions, progress=progress):
        tally.add(checked.findings)
        tally.looked_at["documents"] += 1
        tally.looked_at["rows"] += sum(map(len, held.rows.values()))
        if held.graph is not None:
            tally.looked_at["chunks"] += len(held.graph.chunks)
            tally.looked_at["evidence"] += len(held.graph.evidence)
    if not broken:
        tally.add(table_finding(name, f"it cannot be read: {why}", gone=False) for name, why in tables.unusable.items())
    if not tables.unusable:
        tally.add(_steadily(graph, lambda: orphan_rows(graph, index)))
        tally.add(_steadily(graph, lambda: derived_faults(graph, index, dimensions, now).findings))
    tally.add(_steadily(graph, lambda: graph_faults(graph)))
    digest, findings = _steadily(graph, lambda: state_fault(graph))
    tally.add(findings)
    ledger, findings = _steadily(graph, lambda: _ledger(graph))
    tally.add(findings)
    return DeepReport(
        healthy=not tally.found,
        documents=tally.looked_at["documents"],
        chunks=tally.looked_at["chunks"],
        evidence=tally.looked_at["evidence"],
        rows=tally.looked_at["rows"],
        ledger_entries=ledger[0],
        ledger_head=ledger[1],
        state_hash=digest,
        findings=tuple(tally.findings),
        found=dict(tally.found),
        notes=tuple(notes),
    )


# --- documents -------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Tables:
    """The collections of a text index, read until one turns out to be damaged."""

    index: TextIndex
    unusable: dict[Collection, str] = field(default_factory=dict)  # and why

    def rows(self, document_ids: Sequence[str]) -> dict[str, dict[Collection, list[IndexRow]]]:
        """By document, the rows in every collection that can be read."""
        found: dict[str, dict[Collection, list[IndexRow]]] = {id_: {} for id_ in document_ids}
        for collection in COLLECTIONS:
            if collection in self.unusable:
                continue
            try:
                rows = self.index.document_rows(collection, document_ids)
            except StoreBusyError:
                raise
            except StoreError as error:
                self.unusable[collection] = str(error)
                continue
            for by_collection in found.values():
                by_collection[collection] = []
            for row in rows:
                found[row.document_id][collection].append(row)
        return found


def examined(
    graph: GraphStore,
    tables: Tables,
    sources: Sequence[Source],
    *,
    dimensions: int,
    progress: Progress = lambda *_: None,
) -> Iterator[tuple[Held, Checked]]:
    """What the stores hold of the document of each version of a source, and what is wrong with it."""
    version = graph.version()
    for start in range(0, len(sources), BATCH):
        batch = sources[start : start + BATCH]
        for held in _steadily(graph, lambda batch=batch: _held(graph, tables, batch, version)):  # type: ignore[misc]
            yield held, check_document(held, dimensions)
        progress(min(start + BATCH, len(sources)), len(sources))


def _held(graph: GraphStore, tables: Tables, batch: Sequence[Source], listed: str) -> list[Held]:
    if graph.version() != listed:  # written since the sources were listed
        now = {source.id: source for source in graph.every_source()}
        kept = {source.document_id: source for source in graph.kept_versions([source.id for source in batch])}
        present = dict.fromkeys(source.id for source in batch if source.document_id not in kept)
        batch = [kept[source.document_id] for source in batch if source.document_id in kept]
        batch += [now[id_] for id_ in present if id_ in now]
    busy = {id_ for intent in graph.open_intents() for id_ in (*intent.adds, *intent.removes, *intent.updates)}
    batch = [source for source in batch if source.document_id not in busy]
    ids = [source.document_id for source in batch if is_id(source.document_id, "doc")]
    rows = tables.rows(ids)
    graphs = _graphs(graph, ids)
    older = {source.document_id for source in graph.kept_versions([source.id for source in batch])}
    found = []
    for source in batch:
        id_ = source.document_id
        of_it = graphs.get(id_)
        version = of_it.document if of_it is not None else _version(graph, source)
        found.append(Held(source, of_it, version, rows.get(id_, {}), older=id_ in older))
    return found


def _version(graph: GraphStore, source: Source) -> StoredDocument | None:
    """The record of a document of which others cannot be read."""
    try:
        always = graph.scope(OWNER).model_copy(update={"at": None})
        return graph.documents([source.document_id], always).get(source.document_id)
    except StoreBusyError:
        raise
    except _UNREADABLE:
        return None


def _graphs(graph: GraphStore, document_ids: Sequence[str]) -> dict[str, DocumentGraph]:
    """The records of each document; one that cannot be read does not keep the others from being read."""
    try:
        return {g.source.document_id: g for g in graph.document_graphs(document_ids)}
    except StoreBusyError:
        raise
    except _UNREADABLE:
        if len(document_ids) == 1:
            return {}
    return {id_: found for one in document_ids for id_, found in _graphs(graph, [one]).items()}


def table_finding(name: Collection, what: str, *, gone: bool) -> Finding:
    """A damaged table: all but the one that keeps the texts are made from what is elsewhere."""
    remedy = Remedy.TABLE if name != "documents" or gone else Remedy.RESTORE
    return Finding(kind="table", id=name, what=what, remedy=remedy)


# --- what belongs to no document -------------------------------------------------------------------------------------


def orphan_rows(graph: GraphStore, index: TextIndex) -> list[Finding]:
    """Documents that have rows and are unknown to the graph, unless a write says that it is about them."""
    there = index.document_ids()
    known = {source.document_id for source in (*graph.every_source(), *graph.kept_versions())}
    known.update(id_ for intent in graph.open_intents() for id_ in (*intent.adds, *intent.removes))
    return [
        Finding(
            kind="row",
            id=id_,
            what="rows of a document that the graph does not know",
            remedy=Remedy.REMOVE if is_id(id_, "doc") else Remedy.RESTORE,
        )
        for id_ in sorted(there - known)
    ]


def graph_faults(graph: GraphStore) -> list[Finding]:
    """What contradicts itself inside the graph."""
    try:
        faults = graph.faults()
    except StoreBusyError:
        raise
    except _UNREADABLE as error:
        what = f"the graph could not be checked as a whole ({_brief(error)})"
        return [Finding(kind="file", id="", what=what, remedy=Remedy.RESTORE)]
    return [Finding(kind=f.kind, id=f.id, what=f.what, remedy=_remedy(f)) for f in faults]


def _remedy(fault: GraphFault) -> Remedy:
    if fault.mendable:
        return Remedy.MEND
    return Remedy.PROCESS if fault.kind == "identity" else Remedy.RESTORE


@dataclass(frozen=True, slots=True)
class DerivedFaults:
    """What is wrong with the rows of derived chains."""

    findings: list[Finding]
    wrong: list[str]  # rows that are there and must go


def derived_faults(graph: GraphStore, index: TextIndex, dimensions: int, now: datetime) -> DerivedFaults:
    """Whether every active derived chain has the rows that it should have, and nothing else has any."""
    due: dict[str, DerivedRow] = {}
    findings: list[Finding] = []
    wrong: list[str] = []

    def found(kind: Kind, row: IndexRow, what: str) -> None:
        findings.append(Finding(kind=kind, id=row.id, what=f"{what} (chain {row.owner})", remedy=Remedy.SYNC))

    try:
        due = {r.row.id: r for r in derived_rows(graph, index)}
    except StoreBusyError:
        raise
    except _UNREADABLE as error:
        what = f"derived chains cannot be read ({_brief(error)})"
        return DerivedFaults([Finding(kind="derived", id="", what=what, remedy=Remedy.SYNC)], [])
    there = index.derived_rows(vectors=True)
    for row in there:
        ended = row.valid_to is not None and row.valid_to <= now  # it filters itself; the next write takes it out
        fault = vector_fault(row, dimensions)
        if row.id not in due:
            if not ended:
                found("derived", row, "a row of no active derived chain")
                wrong.append(row.id)
        elif not same_row(row, due[row.id].row) or fault:
            found("derived", row, fault or "its row has other words or another access than the chain's evidence")
            wrong.append(row.id)
    for id_ in sorted(due.keys() - {row.id for row in there}):
        found("derived", due[id_].row, "its row is missing")
    return DerivedFaults(findings, wrong)


def state_fault(graph: GraphStore) -> tuple[str, list[Finding]]:
    """The state hash, and whether it is the one that the graph says of itself."""
    try:
        digest = state_hash(graph.records())
        kept = graph.state_hash()
    except StoreBusyError:
        raise
    except _UNREADABLE as error:
        what = f"it cannot be computed: a record cannot be read ({_brief(error)})"
        return "", [Finding(kind="state", id="state_hash", what=what, remedy=Remedy.PROCESS)]
    if kept == digest:
        return digest, []
    what = f"the graph says {kept[:12]}… of itself, its records give {digest[:12]}…: somebody else changed them"
    return digest, [Finding(kind="state", id="state_hash", what=what, remedy=Remedy.MEND)]


def _ledger(graph: GraphStore) -> tuple[tuple[int, str], list[Finding]]:
    try:
        entries = list(graph.ledger())
        proposals = graph.proposals()
        receipts, verdicts = graph.receipts(), standing(graph)
    except StoreBusyError:
        raise
    except _UNREADABLE as error:
        what = f"an entry, a proposal, a verdict or a receipt cannot be read ({_brief(error)})"
        return (0, START), [Finding(kind="ledger", id="", what=what, remedy=Remedy.RESTORE)]
    report = verify(entries, receipts=receipts)
    findings = []
    if not report.intact:
        findings.append(Finding(kind="ledger", id=str(report.broken_at), what=report.reason, remedy=Remedy.RESTORE))
    named = {id_ for entry in entries for id_ in entry.ids}
    batches = {entry.batch for entry in entries}
    for proposal in proposals:
        if proposal.id not in named or (proposal.status is ProposalStatus.ACCEPTED and proposal.batch not in batches):
            what = "the ledger does not hold what was decided about it: entries were cut off"
            findings.append(Finding(kind="proposal", id=proposal.id, what=what, remedy=Remedy.RESTORE))
    for verdict in verdicts:
        if verdict.at is None:
            what = "it is rejected, and the ledger does not say by whom: somebody else did, or entries were cut off"
            findings.append(Finding(kind="verdict", id=verdict.id, what=what, remedy=Remedy.RESTORE))
    for receipt in receipts:
        if receipt.id not in named:
            what = "the ledger does not name it: it was altered, or entries were cut off"
            findings.append(Finding(kind="receipt", id=receipt.id, what=what, remedy=Remedy.RESTORE))
    return (report.entries, report.head), findings


def _steadily(graph: GraphStore, read: Callable[[], T]) -> T:
    """What ``read`` gives of one state; if somebody writes all the time, what it gave last."""
    for _ in range(_TRIES - 1):
        version = graph.version()
        found = read()
        if graph.version() == version:
            return found
    return read()


def _brief(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]


__all__ = [
    "BATCH",
    "LISTED",
    "DeepReport",
    "DerivedFaults",
    "Progress",
    "Tables",
    "deep_check",
    "derived_faults",
    "examined",
    "findings_text",
    "graph_faults",
    "orphan_rows",
    "state_fault",
    "table_finding",
]
