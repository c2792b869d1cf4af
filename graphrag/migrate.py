"""``clew migrate``: copies a knowledge base's graph into another graph store, checks the copy, then switches.

Documents are copied in batches, each in one transaction; one that is there already as it should be is left alone, so
a migration that was interrupted goes on where it stopped. Until the manifest is rewritten, in one step, the old graph
is the one that counts; it is left where it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path

from graphrag.graph_choice import open_graph
from graphrag.results import Result
from graphrag.settings import Settings
from storage.errors import NotFoundError, StoreError, UsageError
from storage.fault_points import Reached, unwatched
from storage.identity import make_id
from storage.manifest import GraphKind, Manifest, read_manifest, write_manifest
from storage.ports import Change, Counts, GraphStore, Intent
from storage.records import OWNER, Source
from storage.writer_lock import writer_lock

BATCH = 50
"""Documents copied in one transaction."""


class MigrationReport(Result):
    """What was copied where, and the state that both stores now have."""

    store: str
    origin: GraphKind
    target: GraphKind
    copied: int  # documents
    already_there: int  # from a migration that was interrupted
    counts: Counts
    ledger_entries: int
    state_hash: str

    def as_text(self) -> str:
        before = f", {self.already_there} were there already" if self.already_there else ""
        return (
            f"{self.store}: the graph is now in the {self.target} store: {self.copied} documents copied{before}, "
            f"{self.counts.relations} relations, {self.counts.chains} chains, {self.ledger_entries} ledger entries; "
            f"counts and state hash {self.state_hash[:12]}… agree. The {self.origin} graph is left as it is."
        )


def migrate(
    folder: Path,
    to: GraphKind,
    settings: Settings,
    *,
    clock: Callable[[], datetime],
    reached: Reached = unwatched,
) -> MigrationReport:
    """Copy the graph of the store in ``folder``.

    Raises NotFoundError without a store, UsageError if its graph is there already or a write is to be finished first,
    StoreError if the copy is not equal; then nothing is switched.
    """
    manifest = read_manifest(folder)
    if manifest is None:
        raise NotFoundError(f"There is no Clew store in {folder}. Make one with: clew ingest FOLDER --store {folder}")
    if manifest.graph == to:
        raise UsageError(f"{folder} keeps its graph in the {to} store already.")
    with (
        writer_lock(folder, wait_seconds=settings.lock_wait),
        closing(open_graph(manifest.graph, folder, manifest, settings, clock=clock)) as origin,
        closing(open_graph(to, folder, manifest, settings, clock=clock, reached=reached)) as target,
    ):
        if origin.open_intents():
            raise UsageError(
                f"{folder} was left in the middle of a write. Finish or undo it with: clew status --store {folder}"
            )
        copied, there = _copy_documents(origin, target, clock, reached)
        target.adopt(origin.residue())
        reached("migrate.adopted")
        counts, entries, digest = _verified(origin, target)
        write_manifest(folder, switched(manifest, to))
        reached("migrate.switched")
    return MigrationReport(
        store=str(folder),
        origin=manifest.graph,
        target=to,
        copied=copied,
        already_there=there,
        counts=counts,
        ledger_entries=entries,
        state_hash=digest,
    )


def switched(manifest: Manifest, to: GraphKind) -> Manifest:
    """The manifest of the same store with its graph elsewhere."""
    return manifest.model_copy(update={"graph": to})


def _copy_documents(
    origin: GraphStore,
    target: GraphStore,
    clock: Callable[[], datetime],
    reached: Reached,
) -> tuple[int, int]:
    """Bring the documents of ``target`` to those of ``origin``; how many were copied, and how many were there."""
    for intent in target.open_intents():  # of a migration that was cut off
        target.finish(intent.id)
    wanted, there = _by_document(origin.every_source()), _by_document(target.every_source())
    older, older_there = _by_document(origin.kept_versions()), _by_document(target.kept_versions())
    sources = {source.id for source in wanted.values()}
    _change(
        target,
        clock,
        removes=sorted({source.id for source in there.values()} - sources),
        drops=sorted(older_there.keys() - older.keys()),
    )
    missing = _different(wanted, there)
    missing += _different(older, older_there)  # then: what is an older version here may be the present one there
    for start in range(0, len(missing), BATCH):
        _change(target, clock, adds=tuple(origin.document_graphs(missing[start : start + BATCH])))
        reached("migrate.batch")
    return len(missing), len(wanted) + len(older) - len(missing)


def _different(wanted: Mapping[str, Source], there: Mapping[str, Source]) -> list[str]:
    """The documents of which the other store has no equal record, by source."""
    return sorted((id_ for id_, source in wanted.items() if there.get(id_) != source), key=lambda id_: wanted[id_].id)


def _by_document(sources: Sequence[Source]) -> dict[str, Source]:
    return {source.document_id: source for source in sources}


def _change(target: GraphStore, clock: Callable[[], datetime], **what: Sequence[object]) -> None:
    if any(what.values()):
        now = clock()
        intent = Intent(id=make_id("int", "migrate", now.isoformat(), *map(len, what.values())), at=now)
        target.begin(intent)
        target.commit(Change.model_validate({"intent_id": intent.id, "actor": "migrate", "at": now, **what}))
        target.finish(intent.id)


def _verified(origin: GraphStore, target: GraphStore) -> tuple[Counts, int, str]:
    """What both stores hold; raises StoreError naming what differs."""
    facts = [
        {
            "counts": store.counts(store.scope(OWNER)),
            "older versions": store.kept_versions(),
            "state hash": store.state_hash(),
            "accepted chains": store.derived_chains(),
            "ledger": [entry.hash for entry in store.ledger()],
            "proposals": store.proposals(),
            "verdicts": store.rejected(),
            "receipts": store.receipts(),
            "failures": store.failures(),
        }
        for store in (origin, target)
    ]
    different = [name for name in facts[0] if facts[0][name] != facts[1][name]]
    if different:
        raise StoreError(
            f"the copy differs in {', '.join(different)}; the store still uses the old graph. Run the migration again, "
            "and report this if it stays."
        )
    counts, ledger = facts[0]["counts"], facts[0]["ledger"]
    assert isinstance(counts, Counts)
    assert isinstance(ledger, list)
    return counts, len(ledger), str(facts[0]["state hash"])


__all__ = ["BATCH", "MigrationReport", "migrate", "switched"]
