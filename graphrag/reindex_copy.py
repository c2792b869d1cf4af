"""The rows of a text index in another one, with vectors of another embedder or in other tables, and the proof."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from graphrag.deep_check import Progress
from graphrag.document_check import same_row, vector_fault
from graphrag.prepare import embedded_text, table_readings
from graphrag.writing import SEARCHED
from storage.errors import StoreError
from storage.fault_points import Reached
from storage.kept_document import kept_document
from storage.ports import COLLECTIONS, Collection, Embedder, GraphStore, IndexRow
from storage.text_index import LanceIndex

BATCH = 32
"""Documents of which all rows are held in memory and written at one time."""

SAMPLE = 8
"""Documents whose every row is embedded once more to see that each has the vector of its own text."""

_SAME = 0.999  # cosine of a text embedded twice: a server need not give the same bits

Rows = dict[Collection, list[IndexRow]]


@dataclass(frozen=True, slots=True)
class Copying:
    """What is copied where; without an embedder, vectors are copied as they are."""

    graph: GraphStore
    origin: LanceIndex
    target: LanceIndex
    embedder: Embedder | None
    dimensions: int


@dataclass(slots=True)
class Copied:
    """How much was written, and how much was there from a run that was interrupted."""

    documents: int = 0
    already_there: int = 0
    rows: int = 0


def copy_rows(copying: Copying, *, reached: Reached, progress: Progress) -> Copied:
    """Bring the target's rows to those of the origin. A document that is there as it should be is left alone."""
    copied = Copied()
    documents = sorted(copying.origin.document_ids())
    if extra := sorted(copying.target.document_ids() - set(documents)):  # removed since an interrupted run
        copying.target.delete_documents(extra)
    for start in range(0, len(documents), BATCH):
        batch = documents[start : start + BATCH]
        wanted, there = (_by_document(index, batch) for index in (copying.origin, copying.target))
        due = {id_: rows for id_, rows in wanted.items() if not _same(rows, there[id_])}
        copied.already_there += len(batch) - len(due)
        copied.documents += len(due)
        copied.rows += _write(copying, due)
        reached("reindex.batch")
        progress(min(start + BATCH, len(documents)), len(documents))
    copied.rows += _copy_derived(copying)
    return copied


def check_rows(copying: Copying) -> dict[str, int]:
    """Prove that the target holds the same rows, each with a vector of its text; how many by collection.

    Raises StoreError naming the first thing that differs.
    """
    counts: dict[str, int] = {}
    for collection in COLLECTIONS:
        wanted, found = (_fingerprint(index, collection) for index in (copying.origin, copying.target))
        if wanted != found:
            raise _different(f"the rows of '{collection}' are not the same ({wanted[0]} and {found[0]})")
        counts[collection] = found[0]
    for collection in SEARCHED:
        seen = 0
        for _, matrix in copying.target.vectors(collection):
            lengths = np.linalg.norm(matrix.astype(np.float64), axis=1)
            if matrix.shape[1] != copying.dimensions or not np.all(np.abs(lengths - 1) <= 1e-2):
                raise _different(f"a vector of '{collection}' is not one of {copying.dimensions} dimensions, length 1")
            seen += len(matrix)
        if seen != counts[collection]:
            raise _different(f"only {seen} of {counts[collection]} rows of '{collection}' have a vector")
    _check_sample(copying)
    return counts


# --- copying ---------------------------------------------------------------------------------------------------------


def _by_document(index: LanceIndex, document_ids: Sequence[str]) -> dict[str, Rows]:
    found: dict[str, Rows] = {id_: {name: [] for name in COLLECTIONS} for id_ in document_ids}
    for collection in COLLECTIONS:
        for row in index.document_rows(collection, document_ids):
            found[row.document_id][collection].append(row)
    return found


def _same(rows: Rows, there: Rows) -> bool:
    return all(
        len(rows[name]) == len(there[name]) and all(map(same_row, rows[name], there[name])) for name in COLLECTIONS
    )


def _write(copying: Copying, due: Mapping[str, Rows]) -> int:
    if not due:
        return 0
    rows: Rows = {name: [row for found in due.values() for row in found[name]] for name in COLLECTIONS}
    if copying.embedder is not None:
        rows = _embedded(copying.embedder, rows, _readings(copying.graph, rows["documents"]))
    copying.target.delete_documents(list(due))
    for collection in (*SEARCHED, "documents"):
        copying.target.write(collection, rows[collection])
    return sum(map(len, rows.values()))


def _copy_derived(copying: Copying) -> int:
    """The rows of derived chains, which belong to no document: few, and an id says all that is in a row."""
    wanted = {row.id: row for row in copying.origin.derived_rows(vectors=True)}
    there = {row.id for row in copying.target.derived_rows()}
    copying.target.delete("chains", sorted(there - wanted.keys()))
    due = [row for id_, row in wanted.items() if id_ not in there]
    if due:
        rows = {"chains": due} if copying.embedder is None else _embedded(copying.embedder, {"chains": due}, {})
        copying.target.write("chains", rows["chains"])
    return len(due)


def _embedded(embedder: Embedder, rows: Mapping[Collection, list[IndexRow]], readings: Mapping[str, str]) -> Rows:
    """Rows with the vectors of this embedder; each text is embedded once."""
    texts = {row.id: embedded_text(row, readings) for name in rows if name in SEARCHED for row in rows[name]}
    different = sorted(set(texts.values()), key=lambda text: (len(text), text))
    vectors = dict(zip(different, embedder.embed(different, "passage"), strict=True)) if different else {}
    return {
        name: [replace(row, vector=vectors[texts[row.id]]) for row in found] if name in SEARCHED else list(found)
        for name, found in rows.items()
    }


def _readings(graph: GraphStore, rows: Sequence[IndexRow]) -> dict[str, str]:
    """What is embedded in place of the text of chunks that hold rows of a table; made again from kept documents."""
    tables = {row.document_id: row for row in rows if row.structure and row.kept_structure().tables}
    readings: dict[str, str] = {}
    graphs = {g.document.id: g for g in graph.document_graphs(sorted(tables))} if tables else {}
    for document_id, row in tables.items():
        found = graphs.get(document_id)
        document = found and kept_document(
            row,
            source_id=found.source.id,
            document_id=document_id,
            version=found.document,
            metadata=found.source.metadata,
        )
        if not found or not document:
            raise StoreError(
                f"The stored text of {document_id} is not the one it was made from, so its tables cannot be embedded. "
                "Repair the store first: clew doctor --repair"
            )
        readings |= table_readings(document, found.chunks)
    return readings


# --- proof -----------------------------------------------------------------------------------------------------------


def _fingerprint(index: LanceIndex, collection: Collection) -> tuple[int, int]:
    """How many rows there are, and a sum over their ids and classes that does not depend on their order."""
    count = total = 0
    for batch in index.ids(collection, ("id", "document_id", "access_class")):
        for values in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            digest = hashlib.blake2b("\0".join(values).encode(), digest_size=16).digest()
            total = (total + int.from_bytes(digest, "big")) % (1 << 128)
            count += 1
    return count, total


def _check_sample(copying: Copying) -> None:
    """Embed some documents once more, or compare with the vectors that were copied; derived chains all the same."""
    ids = sorted(copying.origin.document_ids(), key=lambda id_: hashlib.sha256(id_.encode()).digest())[:SAMPLE]
    found, wanted = (_sampled(index, ids) for index in (copying.target, copying.origin))
    if copying.embedder is not None:
        wanted = _embedded(copying.embedder, wanted, _readings(copying.graph, wanted["documents"]))
    for collection in SEARCHED:
        for row, other in zip(found[collection], wanted[collection], strict=True):
            if not same_row(row, other):
                raise _different(f"row {row.id} of '{collection}' has other words or another access")
            if fault := vector_fault(row, copying.dimensions):
                raise _different(f"row {row.id} of '{collection}': {fault}")
            assert row.vector is not None
            assert other.vector is not None
            if float(np.dot(row.vector, other.vector)) < _SAME * float(np.linalg.norm(other.vector)):
                raise _different(f"row {row.id} of '{collection}' has the vector of another text")


def _sampled(index: LanceIndex, document_ids: Sequence[str]) -> Rows:
    rows: Rows = {name: index.document_rows(name, document_ids) for name in COLLECTIONS}
    rows["chains"] = [*rows["chains"], *index.derived_rows(vectors=True)[: 16 * SAMPLE]]
    return rows


def _different(what: str) -> StoreError:
    return StoreError(
        f"The new tables differ from the old ones: {what}. The store goes on using the old ones. Run the reindex "
        "again; if this stays, look at the store with clew doctor --deep, and report it."
    )


__all__ = ["BATCH", "SAMPLE", "Copied", "Copying", "check_rows", "copy_rows"]
