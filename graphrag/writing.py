"""Writing, always in the same order: intent → text index → one graph transaction → clean-up.

Until the transaction nothing of it is seen, after it everything is. What is cut off in between is finished or undone
by :func:`recover`, which every writer calls first. The caller of each function here holds the writer lock.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from feedback import sync_derived_rows
from graphrag.concurrently import uninterrupted
from graphrag.loader_versions import loader_of_source
from graphrag.prepare import Prepared, embedded_text, prepare, row_access
from graphrag.same_as_search import same_as_links
from graphrag.stores import Stores
from graphrag.switch import after_switch, check_not_switched
from storage.identity import make_id
from storage.kept_document import kept_document
from storage.ports import Change, ChangeReceipt, Collection, IndexRow, Intent, Vector
from storage.records import Source

SEARCHED: tuple[Collection, ...] = ("chunks", "statements", "chains")
EMBED_SLICE = 64
"""Texts embedded between two reports of progress: what is finished before an interrupt takes effect."""


def embed_rows(
    stores: Stores, batch: Sequence[Prepared], *, progress: Callable[[float], None] = lambda _: None
) -> list[dict[Collection, list[IndexRow]]]:
    """The rows of each document with their vectors; ``progress`` gets the share done, in (0, 1]."""
    texts = list(dict.fromkeys(embedded_text(r, p.readings) for p in batch for c in SEARCHED for r in p.rows[c]))
    texts.sort(key=len)  # texts of one length share a pace, which makes the reported rate steady
    vectors: dict[str, Vector] = {}
    total = sum(map(len, texts)) or 1
    done = 0
    for i in range(0, len(texts), EMBED_SLICE):
        part = texts[i : i + EMBED_SLICE]
        vectors.update(zip(part, uninterrupted(partial(stores.embedder.embed, part, "passage")), strict=True))
        done += sum(map(len, part))
        progress(done / total)
    return [
        {
            collection: [
                replace(row, vector=vectors[embedded_text(row, prepared.readings)]) if collection in SEARCHED else row
                for row in rows
            ]
            for collection, rows in prepared.rows.items()
        }
        for prepared in batch
    ]


def write_documents(
    stores: Stores,
    batch: Sequence[Prepared],
    rows: Sequence[dict[Collection, list[IndexRow]]],
    replaced: Iterable[str],
    *,
    keeps: Sequence[Source] = (),
    drops: Sequence[str] = (),
) -> ChangeReceipt:
    """Store prepared documents in one step as queries see it; ``replaced`` are the documents they supersede.

    ``keeps`` are older versions as they are from then on, ``drops`` documents of older versions that go, or that are
    among the prepared ones: a text that came back.
    """
    adds = tuple(p.graph.document.id for p in batch)
    removes = tuple(sorted({*replaced, *drops}))
    again = sorted(set(adds) & set(removes))  # the same text, processed anew: its text row is there all the time
    intent = _begin(stores, adds=adds, removes=removes, updates=tuple(s.document_id for s in keeps))
    if again:
        stores.index.delete_documents(again, collections=SEARCHED)
    for collection in ("documents", *SEARCHED):
        written = [row for document_rows in rows for row in document_rows[collection]]
        stores.index.write(collection, written)
        stores.reached(f"ingest.{collection}.written")
    receipt = stores.graph.commit(
        Change(
            intent_id=intent.id,
            adds=tuple(p.graph for p in batch),
            keeps=tuple(keeps),
            drops=tuple(drops),
            same_as=tuple(same_as_links(stores, [s for p in batch for s in p.graph.statements], _vectors(rows))),
            at=stores.clock(),
        )
    )
    stores.reached("ingest.committed")
    if keeps:
        _update_rows(stores, keeps)
        stores.reached("update.rows.written")
    _clean_up(stores, intent.id, [d for d in removes if d not in again])
    return receipt


def remove_sources(stores: Stores, sources: Sequence[Source], *, actor: str, reason: str) -> ChangeReceipt:
    """Take sources with all their versions out of both stores; what only they proved is retired.

    ``reason`` stands in the receipt.
    """
    versions = (*sources, *stores.graph.kept_versions([s.id for s in sources]))
    documents = tuple(sorted({s.document_id for s in versions}))
    intent = _begin(stores, removes=documents)
    receipt = stores.graph.commit(
        Change(
            intent_id=intent.id,
            removes=tuple(sorted(s.id for s in sources)),
            actor=actor,
            reason=reason,
            at=stores.clock(),
        )
    )
    stores.reached("remove.committed")
    _clean_up(stores, intent.id, documents)
    return receipt


def update_sources(stores: Stores, sources: Sequence[Source], *, drops: Sequence[str] = ()) -> None:
    """Store other groups, metadata or validity; the graph's word changes first, so nothing is shown too long.

    ``sources`` may be records of older versions; ``drops`` are documents of older versions that go in the same step.
    """
    if not sources:
        return
    intent = _begin(stores, removes=tuple(drops), updates=tuple(s.document_id for s in sources))
    stores.graph.commit(Change(intent_id=intent.id, keeps=tuple(sources), drops=tuple(drops), at=stores.clock()))
    stores.reached("update.committed")
    _update_rows(stores, sources)
    stores.reached("update.rows.written")
    _clean_up(stores, intent.id, drops)


def recover(stores: Stores) -> int:
    """Finish or undo what earlier writers left open; returns how many intents that were.

    Raises StoreVersionError where another process has given the store another index or graph store since it was opened.
    """
    check_not_switched(stores)
    intents = stores.graph.open_intents()
    if intents:
        stores.index.mend()
    for intent in intents:
        again = set(intent.adds) & set(intent.removes)
        if intent.updates:
            # Every version: one that is not valid at this moment is seen in no view of this moment.
            versions = (*stores.graph.every_source(), *stores.graph.kept_versions())
            _update_rows(stores, [s for s in versions if s.document_id in set(intent.updates)])
        if intent.committed:
            gone = [d for d in intent.removes if d not in again]
            _clean_up(stores, intent.id, gone, finish=not again)
        else:
            stores.index.delete_documents([d for d in intent.adds if d not in again])
            stores.reached("recover.undone")
        if again:  # rows of old and new processing may be mixed: make them once more from the stored text
            rewrite(stores, sorted(again))
        if again or not intent.committed:
            sync_derived_rows(stores.graph, stores.index, stores.embedder)
            stores.graph.finish(intent.id)
    after_switch(stores)
    return len(intents)


def rewrite(stores: Stores, document_ids: Sequence[str], *, renewed: bool = False) -> None:
    """Process documents again from their stored text, each in its place; ``renewed``: and say that it was done so now.

    Raises BudgetReachedError, before anything is written, where a chat model may not be asked any more.
    """
    graphs = stores.graph.document_graphs(document_ids)
    texts = stores.index.rows("documents", [g.document.id for g in graphs])
    batch = []
    for graph in graphs:
        row = texts.get(graph.document.id)
        source, version = graph.source, graph.document
        document = kept_document(
            row, source_id=source.id, document_id=source.document_id, version=version, metadata=source.metadata
        )
        if renewed:
            source = source.model_copy(update={"fingerprint": stores.fingerprint(loader_of_source(source.fingerprint))})
        if document is not None:  # else there is nothing to make it from: clew doctor --deep names it
            prepared = prepare(document, source, chunker=stores.chunker, extractor=stores.extractor)
            batch.append(replace(prepared, graph=prepared.graph.model_copy(update={"current": graph.current})))
    if batch:
        write_documents(stores, batch, embed_rows(stores, batch), replaced=[p.graph.document.id for p in batch])


def _begin(
    stores: Stores, *, adds: tuple[str, ...] = (), removes: tuple[str, ...] = (), updates: tuple[str, ...] = ()
) -> Intent:
    intent = Intent(id=make_id("int", uuid.uuid4().hex), adds=adds, removes=removes, updates=updates, at=stores.clock())
    stores.graph.begin(intent)
    stores.reached("intent.begun")
    return intent


def _clean_up(stores: Stores, intent_id: str, gone: Sequence[str], *, finish: bool = True) -> None:
    stores.index.delete_documents(gone)
    stores.reached("cleanup.rows.deleted")
    sync_derived_rows(stores.graph, stores.index, stores.embedder)
    stores.reached("cleanup.derived.synced")
    if finish:
        stores.graph.finish(intent_id)


def _vectors(rows: Sequence[dict[Collection, list[IndexRow]]]) -> dict[str, list[Vector]]:
    """By statement, the vectors of its rows."""
    vectors: dict[str, list[Vector]] = defaultdict(list)
    for document_rows in rows:
        for row in document_rows["statements"]:
            if row.vector is not None:
                vectors[row.owner].append(row.vector)
    return vectors


def _update_rows(stores: Stores, sources: Iterable[Source]) -> None:
    stores.index.update_documents({s.document_id: row_access(s) for s in sources})


__all__ = [
    "EMBED_SLICE",
    "embed_rows",
    "recover",
    "remove_sources",
    "rewrite",
    "update_sources",
    "write_documents",
]
