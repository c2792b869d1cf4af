"""Whether the two stores agree about one document: a pure function of what each of them holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal

import numpy as np

from graphrag.prepare import index_rows
from storage.kept_document import kept_document
from storage.ports import COLLECTIONS, Collection, DocumentGraph, IndexRow
from storage.records import Document, Record, Source, Span, StoredDocument

UNIT = 1e-3
"""How far the length of a vector may be from 1: what the text index takes for a unit vector."""

Kind = Literal[
    "document", "chunk", "statement", "relation", "evidence", "chain",  # what the graph says of a document
    "row", "vector",  # of the text index
    "orphan", "status", "edge", "access", "identity", "file",  # what contradicts itself inside the graph
    "table", "intent", "derived", "ledger", "proposal", "verdict", "receipt", "state",
]  # fmt: skip


class Remedy(StrEnum):
    """What puts a finding right."""

    ROWS = "rows"  # the rows are written again from the graph and the stored text
    PROCESS = "process"  # the document is processed again from its stored text
    MEND = "mend"  # the graph store puts it right by itself
    SYNC = "sync"  # rows of derived chains are written or removed
    RECOVER = "recover"  # an interrupted write is finished or undone
    TABLE = "table"  # a table is made anew, and its rows are written again
    REMOVE = "remove"  # rows that belong to nothing are removed
    INGEST = "ingest"  # the text is gone: the file must be ingested again
    RESTORE = "restore"  # nothing but a backup has it


class Finding(Record):
    """One thing that is not as it should be."""

    kind: Kind
    id: str
    what: str
    remedy: Remedy
    path: str = ""  # of the document it concerns

    @property
    def repairable(self) -> bool:
        """Whether ``clew doctor --repair`` puts it right."""
        return self.remedy not in (Remedy.INGEST, Remedy.RESTORE)


@dataclass(frozen=True, slots=True)
class Held:
    """What the stores hold of one document."""

    source: Source
    graph: DocumentGraph | None  # None: its records are missing or cannot be read
    version: StoredDocument | None  # the one of them without which its text is not whole
    rows: Mapping[Collection, Sequence[IndexRow]]  # without the collections that cannot be read
    older: bool = False  # a version that was replaced and is kept: no file has its text any more


@dataclass(slots=True)
class Checked:
    """What was found about one document, and what the rows of it should be."""

    document: Document | None  # as it was taken in; None: its text is gone or altered
    findings: list[Finding] = field(default_factory=list)
    due: dict[Collection, list[IndexRow]] = field(default_factory=dict)
    wrong: dict[Collection, set[str]] = field(default_factory=dict)  # rows to be written, or to go


def check_document(held: Held, dimensions: int) -> Checked:
    """Everything that is wrong with one document."""
    source, graph = held.source, held.graph
    lost = Remedy.RESTORE if held.older else Remedy.INGEST
    row = next(iter(held.rows.get("documents", ())), None)
    whole = kept_document(
        row, source_id=source.id, document_id=source.document_id, version=held.version, metadata=source.metadata
    )
    checked = Checked(whole)

    def found(kind: Kind, id_: str, what: str, remedy: Remedy) -> None:
        checked.findings.append(
            Finding(kind=kind, id=id_, what=what, remedy=remedy, path=f"{source.namespace}/{source.path}")
        )

    if whole is None and "documents" in held.rows and (row is None or held.version is not None):
        what = "its text is missing" if row is None else "its text is not the one that was taken in"
        found("document", source.document_id, what, lost)
    if graph is None:
        remedy = lost if whole is None else Remedy.PROCESS
        found("document", source.document_id, "its records in the graph are missing or cannot be read", remedy)
        return checked
    for kind, id_, what in _graph_faults(source, graph, whole):
        # Offsets that do not fit a text that is not the right one say nothing more.
        found(kind, id_, what, Remedy.PROCESS if whole is not None else lost)
    if whole is None or checked.findings:
        return checked  # rows are compared with what the graph says, once it says the right thing
    checked.due = index_rows(whole, graph)
    for collection in COLLECTIONS:
        if collection in held.rows:
            for kind, id_, what in _row_faults(checked, collection, held.rows[collection], dimensions):
                checked.wrong.setdefault(collection, set()).add(id_)
                found(kind, id_, f"{what} (collection '{collection}')", Remedy.ROWS)
    return checked


def _graph_faults(source: Source, graph: DocumentGraph, document: Document | None) -> Iterator[tuple[Kind, str, str]]:
    text = document.text if document is not None else None
    length = graph.document.length if text is None else len(text)

    def slice_of(span: Span) -> str | None:
        """The words of a span; None where they are not known."""
        return None if text is None else text[span.start : span.end]

    if graph.document.id != source.document_id or graph.document.source_id != source.id:
        yield "document", source.document_id, "its record does not give its id"
    if graph.document.length != length:
        yield "document", source.document_id, f"its text has {length} characters, not {graph.document.length}"
    yield from _chunk_faults(graph, length)
    statements = {s.id for s in graph.statements}
    mentions = set()
    for mention in graph.mentions:
        mentions.add((mention.statement_id, mention.span.start, mention.span.end))
        if mention.statement_id not in statements:
            yield "statement", mention.statement_id, "it is mentioned and has no words, or other words than its id"
        if mention.span.end > length or slice_of(mention.span) not in (mention.text, None):
            yield "statement", mention.statement_id, f"the text at {_at(mention.span)} is not the words of its mention"
    relations = {r.id: r for r in graph.relations}
    for item in graph.evidence:
        relation = relations.get(item.relation_id)
        if relation is None:
            yield "evidence", item.id, "the relation that it proves is not there"
            continue
        for name, span in (("head", item.head), ("tail", item.tail), ("cue", item.cue)):
            if span is None:
                continue
            if span.end > length:
                yield "evidence", item.id, f"its {name} at {_at(span)} lies outside the text"
            elif not (slice_of(span) or "?").strip():
                yield "evidence", item.id, f"its {name} at {_at(span)} is blank"
            elif name != "cue":
                statement = relation.head if name == "head" else relation.tail
                if (statement, span.start, span.end) not in mentions:
                    yield "evidence", item.id, f"its {name} at {_at(span)} is no mention of the statement {statement}"
    proven = {item.relation_id for item in graph.evidence}
    for chain in graph.chains:
        if missing := [r for r in chain.relation_ids if r not in proven]:
            yield "chain", chain.id, f"the document that holds it does not prove its link {missing[0]}"


def _chunk_faults(graph: DocumentGraph, length: int) -> Iterator[tuple[Kind, str, str]]:
    for chunk in graph.chunks:
        if not 0 <= chunk.start < chunk.end <= length:
            yield "chunk", chunk.id, f"it lies outside the text at [{chunk.start}, {chunk.end})"
    if [chunk.ordinal for chunk in graph.chunks] != list(range(len(graph.chunks))):
        yield "document", graph.document.id, "its chunks are not numbered one after the other: some are missing"


def _row_faults(
    checked: Checked, collection: Collection, rows: Sequence[IndexRow], dimensions: int
) -> Iterator[tuple[Kind, str, str]]:
    due = {row.id: row for row in checked.due[collection]}
    there = {row.id: row for row in rows}
    for id_ in sorted(due.keys() - there.keys()):
        yield "row", id_, "it is missing"
    for id_, count in sorted(Counter(row.id for row in rows).items()):
        if id_ not in due:
            yield "row", id_, "the graph knows nothing that it stands for"
            continue
        if count > 1:
            yield "row", id_, f"it is there {count} times"
        if different := _different(there[id_], due[id_]):
            yield "row", id_, f"it has another {' and '.join(different)} than the graph and the text say"
        if collection != "documents" and (fault := vector_fault(there[id_], dimensions)):
            yield "vector", id_, fault


def _different(row: IndexRow, due: IndexRow) -> list[str]:
    fields = ("owner", "text", "context", "language", "access_class", "tags", "valid_from", "valid_to")
    return [name.replace("_", " ") for name in fields if getattr(row, name) != getattr(due, name)]


def vector_fault(row: IndexRow, dimensions: int) -> str:
    """What is wrong with the vector of a searched row; "" if nothing is."""
    if row.vector is None:
        return "it has no vector"
    if row.vector.shape != (dimensions,):
        return f"its vector has {row.vector.size} dimensions, not {dimensions}"
    length = float(np.linalg.norm(row.vector.astype(np.float64)))
    return "" if abs(length - 1) <= UNIT else f"its vector has the length {length:.3g}, not 1"


def same_row(row: IndexRow, other: IndexRow) -> bool:
    """Whether two rows are equal but for their vectors."""
    return replace(row, vector=None) == replace(other, vector=None)


def _at(span: Span) -> str:
    return f"[{span.start}, {span.end})"


__all__ = ["Checked", "Finding", "Held", "Kind", "Remedy", "check_document", "same_row", "vector_fault"]
