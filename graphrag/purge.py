"""Dropping for good what removed texts leave behind: versions and free pages of the stores, entries of the caches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from extractors.forgetting import Forgetting
from graphrag.prepare import embedded_text, table_readings
from graphrag.results import PurgeReport
from graphrag.stores import Stores
from graphrag.switch import drop_former_indexes, drop_unfinished_indexes
from graphrag.writing import SEARCHED
from storage.kept_document import kept_document
from storage.ports import DocumentGraph
from storage.records import Source

_BATCH = 32
"""Documents whose texts are held in memory at one time."""

_EVER = datetime.max.replace(tzinfo=UTC)


def forget_caches(stores: Stores, sources: Sequence[Source]) -> PurgeReport:
    """Drop what the user's caches remember of the texts of these sources, all their versions.

    To be called before they are removed: afterwards nobody knows what to look for. Cut off in between, it costs no more
    than embedding or asking again. Other stores of the user share the caches, and embed or ask for equal texts again.
    """
    versions = [*sources, *stores.graph.kept_versions([s.id for s in sources])]
    ids = sorted({source.document_id for source in versions})
    vectors = answers = 0
    for start in range(0, len(ids), _BATCH):
        batch = ids[start : start + _BATCH]
        graphs = stores.graph.document_graphs(batch)
        rows = stores.index.rows("documents", batch)
        if isinstance(stores.embedder, Forgetting):
            vectors += stores.embedder.forget(sorted(set(_embedded_texts(stores, graphs))))
        if isinstance(stores.extractor, Forgetting):
            answers += stores.extractor.forget([rows[id_].text for id_ in batch if id_ in rows])
    stores.graph.record_failures([], cleared=sorted({source.id for source in sources}))
    return PurgeReport(vectors=vectors, answers=answers)


def purge_stores(stores: Stores) -> PurgeReport:
    """Drop what the stores themselves keep of what was removed or replaced. The caller holds the writer lock."""
    drop_unfinished_indexes(stores.folder, stores.manifest)
    drop_former_indexes(stores.folder, stores.manifest, _EVER)
    notes = list(stores.graph.purge())
    if stores.manifest.graph != "embedded" and (stores.folder / "graph.db").exists():
        notes.append(f"{stores.folder / 'graph.db'} is the graph before a migration and was left: remove it yourself")
    return PurgeReport(index_versions=stores.index.purge(), notes=tuple(notes))


def _embedded_texts(stores: Stores, graphs: Sequence[DocumentGraph]) -> Iterator[str]:
    """Every text of these documents of which a vector was made, those of derived chains over them among them."""
    rows = stores.index.rows("documents", [graph.document.id for graph in graphs])
    readings: dict[str, str] = {}
    for graph in graphs:
        version = graph.document
        document = kept_document(
            rows.get(version.id), source_id=version.source_id, document_id=version.id, version=version
        )
        if document is not None:
            readings |= table_readings(document, graph.chunks)
    for collection in SEARCHED:
        for row in stores.index.document_rows(collection, [graph.document.id for graph in graphs]):
            yield embedded_text(row, readings)
    yield from _derived_texts(stores, (relation.id for graph in graphs for relation in graph.relations))


def _derived_texts(stores: Stores, relation_ids: Iterable[str]) -> Iterator[str]:
    proven = set(relation_ids)
    over = {chain.id for chain, _ in stores.graph.derived_chains() if not proven.isdisjoint(chain.relation_ids)}
    if over:
        yield from (row.text for row in stores.index.derived_rows() if row.owner in over)


__all__ = ["forget_caches", "purge_stores"]
