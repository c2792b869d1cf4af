"""``clew doctor --repair``: puts right what a deep check finds, from the graph and from the stored texts.

Each step leaves the store better or as it was, so a repair that was cut off is simply run again. The caller holds the
writer lock.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from feedback import sync_derived_rows
from graphrag.deep_check import (
    DeepReport,
    Progress,
    Tables,
    deep_check,
    derived_faults,
    examined,
    findings_text,
    graph_faults,
    orphan_rows,
    state_fault,
    table_finding,
)
from graphrag.document_check import Checked, Finding, Held, Remedy
from graphrag.inventory import is_stale
from graphrag.loader_versions import loader_of_source
from graphrag.prepare import embedded_text, prepare, table_readings
from graphrag.results import Result
from graphrag.stores import Stores
from graphrag.writing import SEARCHED, embed_rows, recover, remove_sources, write_documents
from storage.identity import is_id
from storage.ports import COLLECTIONS, Collection, IndexRow
from storage.records import Document

DAMAGED = ";damaged"
"""Ends the fingerprint of a source whose text is gone: ingesting its file again processes it anew."""


class Repaired(Result):
    """One kind of thing that was done, how often, and to what (the first few)."""

    what: str
    count: int
    examples: tuple[str, ...] = ()

    def as_text(self) -> str:
        more = ", …" if self.count > len(self.examples) else ""
        return f"{self.what}: {self.count}" + (f" ({', '.join(self.examples)}{more})" if self.examples else "")


class RepairReport(Result):
    """What was done, and what is left to be done by a person."""

    healthy: bool
    done: tuple[Repaired, ...]
    left: tuple[Finding, ...]
    check: DeepReport  # made when all was done

    def as_text(self) -> str:
        lines = [repaired.as_text() for repaired in self.done] or ["nothing to repair"]
        lines += findings_text(self.left, sum(self.check.found.values()))
        lines.append(
            f"The stores agree; state_hash {self.check.state_hash}"
            if self.healthy
            else "What is left needs you: ingest the files named above again, or restore a backup (clew restore)."
        )
        return "\n".join(lines)


@dataclass(slots=True)
class _Log:
    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def add(self, what: str, *ids: str, count: int | None = None) -> None:
        self.counts[what] += len(ids) if count is None else count
        self.examples.setdefault(what, []).extend(ids[: max(0, 3 - len(self.examples.get(what, ())))])

    def report(self) -> tuple[Repaired, ...]:
        return tuple(
            Repaired(what=what, count=n, examples=tuple(self.examples.get(what, ())))
            for what, n in self.counts.items()
            if n
        )


def repair(stores: Stores, *, progress: Progress = lambda *_: None) -> RepairReport:
    """Repair what can be repaired, then check everything once more."""
    log = _Log()
    stores.index.mend()
    _make_tables(stores, log)
    if not stores.index.broken():
        log.add("interrupted writes finished or undone", count=recover(stores))
        stores.reached("repair.recovered")
    altered = {f.id for f in graph_faults(stores.graph) if f.remedy is Remedy.PROCESS}
    log.add("state hashes worked out anew", *(f.id for f in state_fault(stores.graph)[1] if f.remedy is Remedy.MEND))
    mended = stores.graph.mend()
    log.add("records of the graph put right", *dict.fromkeys(fault.id for fault in mended))
    stores.reached("repair.mended")
    if not stores.index.broken():
        while (damaged := _documents(stores, altered, log, progress)) in SEARCHED:
            stores.index.make_anew(damaged)
            log.add("tables made anew", damaged)
        if damaged is None:
            _the_rest(stores, log)
    check = deep_check(
        stores.graph, stores.index, dimensions=stores.embedder.dimensions, now=stores.clock(), progress=progress
    )
    return RepairReport(healthy=check.healthy, done=log.report(), left=check.findings, check=check)


def _make_tables(stores: Stores, log: _Log) -> None:
    for name, state in stores.index.broken().items():
        if table_finding(name, f"the table is {state}", gone=state == "lost").remedy is Remedy.TABLE:
            stores.index.make_anew(name)
            log.add("tables made anew", name)
            stores.reached("repair.table.made")


def _documents(stores: Stores, altered: set[str], log: _Log, progress: Progress) -> Collection | None:
    """Repair every document, those ``altered`` in any case.

    Gives the name of a table that turned out to be unreadable, after which to begin again.
    """
    tables = Tables(stores.index)
    sources = [*stores.graph.every_source(), *stores.graph.kept_versions()]
    dimensions = stores.embedder.dimensions
    for held, checked in examined(stores.graph, tables, sources, dimensions=dimensions, progress=progress):
        if tables.unusable:
            return min(tables.unusable, key=SEARCHED.__contains__)  # without the texts, nothing else can be repaired
        again = held.source.document_id in altered
        if checked.findings or again:
            _document(stores, held, checked, log, again=again)
            altered.discard(held.source.document_id)
            stores.reached("repair.document.done")
    return None


def _document(stores: Stores, held: Held, checked: Checked, log: _Log, *, again: bool) -> None:
    remedies = {finding.remedy for finding in checked.findings}
    document, name = checked.document, f"{held.source.namespace}/{held.source.path}"
    if document is None:
        if Remedy.INGEST in remedies:
            _await_file(stores, held, name, log)
    elif again or Remedy.PROCESS in remedies or _graph_lost_something(stores, held, checked):
        _process_again(stores, held, document)
        log.add("documents processed again from their stored text", name)
    elif held.graph is not None:
        written, removed = _write_rows(stores, held, checked, document)
        log.add("rows written again", name, count=written)
        log.add("rows removed that stood for nothing", name, count=removed)


def _await_file(stores: Stores, held: Held, name: str, log: _Log) -> None:
    """Make sure that the next ingest of the file takes it in again."""
    source = held.source
    if held.graph is None:  # neither text nor records: there is nothing left of it
        remove_sources(stores, [source], actor="repair", reason="doctor --repair: nothing of it was left")
        log.add("sources removed of which nothing was left; ingest their files again", name)
    elif not source.fingerprint.endswith(DAMAGED):
        changed = {"raw_hash": "", "fingerprint": source.fingerprint + DAMAGED}
        stores.graph.update_sources([source.model_copy(update=changed)])
        log.add("documents marked that lost their text; ingest their files again", name)


def _graph_lost_something(stores: Stores, held: Held, checked: Checked) -> bool:
    """Whether rows stand for what the graph does not know, of a document that would be processed today as it was."""
    extra = any(
        checked.wrong.get(collection, set()) - {row.id for row in checked.due[collection]} for collection in SEARCHED
    )
    return extra and not is_stale(stores, held.source)


def _process_again(stores: Stores, held: Held, document: Document) -> None:
    fingerprint = stores.fingerprint(loader_of_source(held.source.fingerprint))
    source = held.source.model_copy(update={"fingerprint": fingerprint})
    prepared = prepare(document, source, chunker=stores.chunker, extractor=stores.extractor)
    prepared = replace(prepared, graph=prepared.graph.model_copy(update={"current": not held.older}))
    write_documents(stores, [prepared], embed_rows(stores, [prepared]), replaced=[source.document_id])


def _write_rows(stores: Stores, held: Held, checked: Checked, document: Document) -> tuple[int, int]:
    """Write what is missing or wrong of a document, and remove what should not be there; how many rows each."""
    assert held.graph is not None
    readings = table_readings(document, held.graph.chunks)
    written = removed = 0
    for collection in COLLECTIONS:
        wrong = checked.wrong.get(collection, set())
        due = [row for row in checked.due[collection] if row.id in wrong]
        present = {row.id for row in held.rows[collection]}
        if collection != "documents":  # the row that keeps the text is replaced in one step, never taken away
            stores.index.delete(collection, sorted(wrong & present))
        elif len(held.rows[collection]) > 1:
            stores.index.delete(collection, sorted(present))
        stores.index.write(collection, _embedded(stores, due, readings) if collection in SEARCHED else due)
        written += len(due)
        removed += len(wrong - {row.id for row in due})
    return written, removed


def _embedded(stores: Stores, rows: list[IndexRow], readings: Mapping[str, str]) -> list[IndexRow]:
    if not rows:
        return []
    vectors = stores.embedder.embed([embedded_text(row, readings) for row in rows], "passage")
    return [replace(row, vector=vector) for row, vector in zip(rows, vectors, strict=True)]


def _the_rest(stores: Stores, log: _Log) -> None:
    orphans = [f.id for f in orphan_rows(stores.graph, stores.index) if is_id(f.id, "doc")]
    stores.index.delete_documents(orphans)
    log.add("documents whose rows were removed, since the graph does not know them", *orphans)
    faults = derived_faults(stores.graph, stores.index, stores.embedder.dimensions, stores.clock())
    stores.index.delete("chains", faults.wrong)
    log.add("rows of derived chains removed", *faults.wrong)
    synced = sync_derived_rows(stores.graph, stores.index, stores.embedder)
    log.add("rows of derived chains written or removed", count=synced)
    stores.reached("repair.derived.synced")
    if log.counts.total():
        stores.index.optimize(rebuild=True)
        log.add("search indexes built anew", *COLLECTIONS)


__all__ = ["DAMAGED", "RepairReport", "Repaired", "repair"]
