"""Ingest: compare every input with what is stored, prepare what is new, and write it batch by batch."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from extractors.model.estimate import Estimate, Estimating
from graphrag.extractor_choice import prices_of
from graphrag.gone import file_of, gone_failures, gone_sources
from graphrag.inputs import Input, Listing
from graphrag.inventory import is_stale
from graphrag.plan import IngestOptions, Planner, Step
from graphrag.prefetch import prefetched
from graphrag.prepare import Prepared, prepare
from graphrag.results import FileProblem, IngestReport, ModelUse
from graphrag.stores import Stores
from graphrag.writing import embed_rows, remove_sources, rewrite, update_sources, write_documents
from storage.errors import BudgetReachedError
from storage.ports import Failure
from storage.records import Source

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
    notes: list[FileProblem] = field(default_factory=list)
    unchanged: int = 0
    chunks: int = 0
    chains: int = 0
    truncated_chains: int = 0
    relations: Counter[str] = field(default_factory=Counter)
    stages: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)
    cleared: list[str] = field(default_factory=list)  # source ids of inputs that did not fail
    stopped: str = ""  # why it ended before the last input
    estimate: Estimate = field(default_factory=Estimate)
    preparing: tuple[str, str] = ("load", "")  # stage and input; replaced as a whole, since another thread reads it


@dataclass(slots=True)
class _Batch:
    """Steps whose documents are prepared, in the order of the inputs."""

    steps: list[Step] = field(default_factory=list)
    prepared: list[Prepared] = field(default_factory=list)
    bytes: int = 0  # of every input dealt with on the way, whatever became of it
    updates: list[Source] = field(default_factory=list)  # older versions among them
    drops: list[str] = field(default_factory=list)  # documents of older versions that an update leaves no time
    removes: list[Source] = field(default_factory=list)  # that a changed file no longer holds
    unfinished: Input | None = None  # a file of which more documents come in later batches

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
    known = {s.id: s for s in stores.graph.every_source()}  # also those that hold at another time than now
    failures = stores.graph.failures()
    planner = Planner(stores, known, options, failures, stores.graph.kept_versions())
    if options.dry_run:
        for item in listing.inputs:
            for step in planner.steps(item):
                _count(step, tally)
                _estimate(stores, step, tally)
    else:
        _write_all(stores, listing, planner, tally, progress)
        if options.reprocess and not tally.stopped:
            _reprocess_older(stores, tally)
    if options.prune:
        gone = gone_sources(listing, known)
        tally.removed += [s.path for s in gone]
        if gone and not options.dry_run:
            remove_sources(stores, gone, actor="ingest", reason="ingest --prune: the file is gone")
            tally.cleared += [s.id for s in gone]
        files = {file_of(s) for s in gone}
        tally.cleared += [
            f.source_id for f in failures if any(i.namespace == f.namespace and i.holds(f.path) for i in files)
        ]
    if not options.dry_run:
        tally.cleared += gone_failures(failures, listing)
        stores.graph.record_failures(tally.failures, cleared=tally.cleared)
        if tally.added or tally.replaced or tally.removed:
            with _timed(tally, "index"):
                stores.index.keep_up(ingested=True)
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
        notes=tuple(tally.notes),
        chunks=tally.chunks,
        relations=dict(sorted(tally.relations.items())),
        chains=tally.chains,
        truncated_chains=tally.truncated_chains,
        seconds=time.perf_counter() - started,
        stages=dict(sorted(tally.stages.items())),
        stopped=tally.stopped,
        model=_use_of_model(stores, tally, dry_run=options.dry_run),
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
            if batch.unfinished:
                stores.graph.record_failures([_unfinished(batch.unfinished, stores)], cleared=[])
            if batch.prepared:
                write_documents(
                    stores,
                    batch.prepared,
                    rows,
                    [s.replaces for s in batch.steps if s.replaces],
                    keeps=[source for s in batch.steps for source in s.keeps],
                    drops=[document for s in batch.steps for document in s.drops],
                )
            if batch.removes:
                remove_sources(stores, batch.removes, actor="ingest", reason="ingest: the file is read as another kind")
            # Last: what has the present bytes of its file is taken for read, and the rest of that file with it.
            update_sources(stores, batch.updates, drops=batch.drops)
        for prepared in batch.prepared:
            tally.chunks += len(prepared.graph.chunks)
            tally.chains += len(prepared.graph.chains)
            tally.truncated_chains += prepared.truncated_chains
            types = {r.id: r.type.value for r in prepared.graph.relations}
            tally.relations.update(types[e.relation_id] for e in prepared.graph.evidence)
        done += batch.bytes
        documents += len(batch.prepared)
        report(0.0, stage="stored")


def _reprocess_older(stores: Stores, tally: _Tally) -> None:
    """Process older versions anew, from their stored text, that an older chunker, extractor or embedder processed."""
    stale = [v for v in stores.graph.kept_versions(tally.cleared) if is_stale(stores, v, older=True)]
    for start in range(0, len(stale), BATCH_DOCUMENTS):
        batch = stale[start : start + BATCH_DOCUMENTS]
        try:
            with _timed(tally, "older versions"):
                rewrite(stores, [version.document_id for version in batch], renewed=True)
        except BudgetReachedError as error:
            tally.stopped = f"{error}; what is left is taken in by the same command"
            return
        tally.notes += [FileProblem(path=v.path, reason="an older version of it was processed anew") for v in batch]


def _batches(stores: Stores, listing: Listing, planner: Planner, tally: _Tally) -> Iterator[_Batch]:
    """Batches of prepared documents; this runs one batch ahead of the writing."""
    batch = _Batch()
    for item in listing.inputs:
        tally.preparing = ("load", item.path)
        with _timed(tally, "load"):
            steps = planner.steps(item)
        for number, step in enumerate(steps, 1):
            try:
                _take_in(batch, stores, step, tally)
            except BudgetReachedError as error:
                tally.stopped = f"{error}; what is left is taken in by the same command"
                batch.unfinished = item if len(steps) > 1 else None
                yield batch
                return
            if batch.full:
                batch.unfinished = item if number < len(steps) else None
                yield batch
                batch = _Batch()
        if not any(step.action == "failed" and step.input is item for step in steps):
            tally.cleared += planner.failed_before(item)
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
        batch.updates += (step.source, *step.keeps)
        batch.drops += step.drops
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


def _prepare_into(batch: _Batch, stores: Stores, step: Step, tally: _Tally) -> Step:
    """Prepare the document of ``step``; what goes wrong in one document fails that document only."""
    assert step.document is not None
    assert step.source is not None
    try:
        prepared = prepare(step.document, step.source, chunker=stores.chunker, extractor=stores.extractor)
    except BudgetReachedError:
        raise
    except Exception as error:
        log.exception("%s could not be processed", step.input.path)
        reason = f"could not be processed ({type(error).__name__}: {error}). Please report this with the document."
        return replace(step, action="failed", reason=reason)
    batch.steps.append(step)
    batch.prepared.append(prepared)
    tally.degraded += [FileProblem(path=step.input.path, reason=reason) for reason in prepared.degraded]
    return step


def _estimate(stores: Stores, step: Step, tally: _Tally) -> None:
    """Add what a step would ask of a model, if the extractor asks one."""
    if step.document is not None and isinstance(stores.extractor, Estimating):
        assert step.document.language is not None  # the planner has named it
        tally.estimate += stores.extractor.estimate(step.document.text, step.document.language)


def _use_of_model(stores: Stores, tally: _Tally, *, dry_run: bool) -> ModelUse | None:
    """What the model was asked, or what a dry run expects; None where there is none."""
    if not isinstance(stores.extractor, Estimating):
        return None
    if not dry_run:
        return ModelUse(calls=stores.budget.calls, tokens=stores.budget.tokens, cost=stores.budget.cost)
    expected = tally.estimate
    cost = prices_of(stores.settings).of(expected.prompt_tokens, expected.completion_tokens)
    return ModelUse(calls=expected.calls, tokens=expected.prompt_tokens + expected.completion_tokens, cost=cost)


def _count(step: Step, tally: _Tally) -> None:
    tally.degraded += [FileProblem(path=step.input.file, reason=note) for note in step.notes]
    tally.notes += [FileProblem(path=step.input.file, reason=note) for note in step.left_out]
    match step.action:
        case "add":
            tally.added.append(step.input.path)
        case "replace":
            tally.replaced.append(step.input.path)
        case "update" if step.seen:
            tally.updated.append(step.input.path)
        case "update":
            tally.unchanged += 1
        case "unchanged":
            tally.unchanged += 1
        case "stale":
            tally.stale.append(step.input.path)
        case "remove":
            tally.removed.append(step.input.path)
        case "failed":
            tally.failed.append(FileProblem(path=step.input.path, reason=step.reason))


def _unfinished(item: Input, stores: Stores) -> Failure:
    """What the store says of a file while only some of its documents are in it: it is read again after an interrupt."""
    reason = "was interrupted before all of its documents were taken in. Ingest it again."
    return Failure(source_id=item.source_id, namespace=item.namespace, path=item.path, reason=reason, at=stores.clock())


@contextmanager
def _timed(tally: _Tally, stage: str) -> Iterator[None]:
    started = time.perf_counter()
    try:
        yield
    finally:
        tally.stages[stage] += time.perf_counter() - started  # type: ignore[assignment]


__all__ = ["BATCH_CHARACTERS", "BATCH_DOCUMENTS", "Progress", "ingest"]
