"""Ingest: compare every input with what is stored, prepare what is new, and write it batch by batch."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from graphrag.inputs import Listing
from graphrag.plan import IngestOptions, Planner, Step
from graphrag.prefetch import prefetched
from graphrag.prepare import Prepared, prepare
from graphrag.results import FileProblem, IngestReport
from graphrag.stores import Stores
from graphrag.writing import embed_rows, remove_sources, update_sources, write_documents
from storage.ports import Failure
from storage.records import OWNER, Source

log = logging.getLogger(__name__)

BATCH_DOCUMENTS = 32
BATCH_CHARACTERS = 200_000
"""A batch is one intent and one graph transaction: the most that an interrupt can cost."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an ingest is: ``done`` of ``total`` bytes of input are dealt with."""

    done: float
    total: int
    documents: int
    stage: str  # load, prepare, embed or stored
    document: str = ""  # path of the input that is being loaded or prepared


@dataclass(slots=True)
class _Tally:
    """What has happened so far, in the order of the inputs."""

    added: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    failed: list[FileProblem] = field(default_factory=list)
    degraded: list[FileProblem] = field(default_factory=list)
    unchanged: int = 0
    chunks: int = 0
    chains: int = 0
    truncated_chains: int = 0
    relations: Counter[str] = field(default_factory=Counter)
    stages: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)
    cleared: list[str] = field(default_factory=list)  # source ids of inputs that did not fail
    preparing: tuple[str, str] = ("load", "")  # stage and input; replaced as a whole, since another thread reads it


@dataclass(slots=True)
class _Batch:
    """Steps whose documents are prepared, in the order of the inputs."""

    steps: list[Step] = field(default_factory=list)
    prepared: list[Prepared] = field(default_factory=list)
    bytes: int = 0  # of every input dealt with on the way, whatever became of it
    updates: list[Source] = field(default_factory=list)
    removes: list[Source] = field(default_factory=list)  # that a changed file no longer holds

    @property
    def full(self) -> bool:
        characters = sum(p.graph.document.length for p in self.prepared)
        return len(self.prepared) >= BATCH_DOCUMENTS or characters >= BATCH_CHARACTERS


def ingest(
    stores: Stores, listing: Listing, options: IngestOptions, *, progress: Callable[[Progress], None]
) -> IngestReport:
    """Take in what ``listing`` names. The caller holds the writer lock, but for a dry run, which writes nothing."""
    started = time.perf_counter()
    tally = _Tally(failed=list(listing.failed))
    known = {s.id: s for s in stores.graph.sources(stores.graph.scope(OWNER))}
    planner = Planner(stores, known, options)
    if options.dry_run:
        for item in listing.inputs:
            for step in planner.steps(item):
                _count(step, tally)
    else:
        _write_all(stores, listing, planner, tally, progress)
    if options.prune:
        gone = _gone(listing, known)
        tally.removed += [s.path for s in gone]
        if gone and not options.dry_run:
            remove_sources(stores, gone, actor="ingest --prune")
            tally.cleared += [s.id for s in gone]
    if not options.dry_run:
        stores.graph.record_failures(tally.failures, cleared=tally.cleared)
        if tally.added or tally.replaced or tally.removed:
            with _timed(tally, "index"):
                stores.index.optimize()
    return IngestReport(
        added=tuple(tally.added),
        replaced=tuple(tally.replaced),
        updated=tuple(tally.updated),
        unchanged=tally.unchanged,
        removed=tuple(tally.removed),
        stale=tuple(tally.stale),
        failed=tuple(tally.failed),
        skipped=tuple(listing.skipped),
        degraded=tuple(tally.degraded),
        chunks=tally.chunks,
        relations=dict(sorted(tally.relations.items())),
        chains=tally.chains,
        truncated_chains=tally.truncated_chains,
        seconds=time.perf_counter() - started,
        stages=dict(sorted(tally.stages.items())),
        dry_run=options.dry_run,
    )


def _write_all(
    stores: Stores, listing: Listing, planner: Planner, tally: _Tally, progress: Callable[[Progress], None]
) -> None:
    total = sum(i.size for i in listing.inputs)
    done = documents = 0

    def report_preparing() -> None:
        stage, document = tally.preparing
        progress(Progress(done, total, documents, stage, document))

    report_preparing()
    for batch in prefetched(_batches(stores, listing, planner, tally), waiting=report_preparing):

        def report(share: float, *, stage: str = "embed", batch: _Batch = batch) -> None:
            progress(Progress(done + share * batch.bytes, total, documents, stage))  # noqa: B023 - called at once

        report(0.0)
        with _timed(tally, "embed"):
            rows = embed_rows(stores, batch.prepared, progress=report)
        with _timed(tally, "write"):
            update_sources(stores, batch.updates)
            if batch.removes:
                remove_sources(stores, batch.removes, actor="ingest")
            if batch.prepared:
                write_documents(stores, batch.prepared, rows, [s.replaces for s in batch.steps if s.replaces])
        for prepared in batch.prepared:
            tally.chunks += len(prepared.graph.chunks)
            tally.chains += len(prepared.graph.chains)
            tally.truncated_chains += prepared.truncated_chains
            types = {r.id: r.type.value for r in prepared.graph.relations}
            tally.relations.update(types[e.relation_id] for e in prepared.graph.evidence)
        done += batch.bytes
        documents += len(batch.prepared)
        report(0.0, stage="stored")


def _batches(stores: Stores, listing: Listing, planner: Planner, tally: _Tally) -> Iterator[_Batch]:
    """Batches of prepared documents; this runs one batch ahead of the writing."""
    batch = _Batch()
    for item in listing.inputs:
        tally.preparing = ("load", item.path)
        with _timed(tally, "load"):
            steps = planner.steps(item)
        for step in steps:
            _take_in(batch, stores, step, tally)
            if batch.full:
                yield batch
                batch = _Batch()
        batch.bytes += item.size
    yield batch


def _take_in(batch: _Batch, stores: Stores, step: Step, tally: _Tally) -> None:
    """Put what a step needs done into the batch, and count it."""
    item = step.input
    if step.action in ("add", "replace"):
        tally.preparing = ("prepare", item.path)
        with _timed(tally, "prepare"):
            step = _prepare_into(batch, stores, step, tally)
    elif step.action == "update" and step.source:
        batch.updates.append(step.source)
    elif step.action == "remove" and step.source:
        batch.removes.append(step.source)
    _count(step, tally)
    if step.action == "failed":
        failure = Failure(
            source_id=item.source_id,
            namespace=item.namespace,
            path=item.path,
            reason=step.reason,
            at=stores.clock(),
        )
        tally.failures.append(failure)
    else:
        tally.cleared.append(item.source_id)
    tally.degraded += [FileProblem(path=item.path, reason=note) for note in step.notes]


def _prepare_into(batch: _Batch, stores: Stores, step: Step, tally: _Tally) -> Step:
    """Prepare the document of ``step``; what goes wrong in one document fails that document only."""
    assert step.document is not None
    assert step.source is not None
    try:
        prepared = prepare(step.document, step.source, chunker=stores.chunker, extractor=stores.extractor)
    except Exception as error:
        log.exception("%s could not be processed", step.input.path)
        reason = f"could not be processed ({type(error).__name__}: {error}). Please report this with the document."
        return Step("failed", step.input, reason=reason)
    batch.steps.append(step)
    batch.prepared.append(prepared)
    tally.degraded += [FileProblem(path=step.input.path, reason=reason) for reason in prepared.degraded]
    return step


def _count(step: Step, tally: _Tally) -> None:
    match step.action:
        case "add":
            tally.added.append(step.input.path)
        case "replace":
            tally.replaced.append(step.input.path)
        case "update":
            tally.updated.append(step.input.path)
        case "unchanged":
            tally.unchanged += 1
        case "stale":
            tally.stale.append(step.input.path)
        case "remove":
            tally.removed.append(step.input.path)
        case "failed":
            tally.failed.append(FileProblem(path=step.input.path, reason=step.reason))


def _gone(listing: Listing, known: dict[str, Source]) -> list[Source]:
    """Stored sources that were read from below an ingested folder and are no longer there."""
    present = {i.source_id for i in listing.inputs}
    return sorted(
        (
            source
            for id_, source in known.items()
            if id_ not in present
            and source.location is not None
            and any(
                source.namespace == namespace and Path(source.location).resolve().is_relative_to(root)
                for namespace, root in listing.roots
            )
            and not Path(source.location).exists()
        ),
        key=lambda s: s.path,
    )


@contextmanager
def _timed(tally: _Tally, stage: str) -> Iterator[None]:
    started = time.perf_counter()
    try:
        yield
    finally:
        tally.stages[stage] += time.perf_counter() - started  # type: ignore[assignment]


__all__ = ["BATCH_CHARACTERS", "BATCH_DOCUMENTS", "Progress", "ingest"]
