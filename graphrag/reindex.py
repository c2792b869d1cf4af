"""``clew reindex``: another embedder, or tables of their own per access class, built beside the old tables.

Documents are copied in batches; one that is in the new tables as it should be is left alone, so a reindex that was
interrupted goes on where it stopped, and what was embedded comes from the cache. The new tables are checked, then the
manifest is rewritten in one step: until then the old ones count. They are kept for those who are reading them, and
removed by the first write an hour later. Ids, records and the state hash stay; links between statements, which depend
on the embedder, are made anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from extractors.embedders import setting_of
from graphrag.deep_check import Progress
from graphrag.graph_choice import graph_kind, open_graph
from graphrag.inventory import size_on_disk
from graphrag.opening import embedder_of, embedder_setting, kept_setting, model_of, open_stores
from graphrag.reindex_copy import Copied, Copying, check_rows, copy_rows
from graphrag.results import Result
from graphrag.settings import Settings
from graphrag.stores import Stores
from graphrag.switch import (
    GRACE,
    Mark,
    drop_former_indexes,
    drop_unfinished_indexes,
    finish_switch,
    former_indexes,
    read_mark,
    write_mark,
)
from graphrag.writing import recover
from storage.errors import NotFoundError, StoreError, StoreFullError, UsageError
from storage.fault_points import Reached, unwatched
from storage.identity import content_digest
from storage.manifest import FIRST_INDEX, Isolation, Manifest, read_manifest, write_manifest
from storage.ports import Embedder
from storage.text_index import open_text_index
from storage.writer_lock import writer_lock


class ReindexReport(Result):
    """What the store's vectors are made with from now on, and what was written for it."""

    store: str
    embedder: str
    embedder_before: str
    isolation: Isolation
    isolation_before: Isolation
    documents: int  # written
    already_there: int  # from a reindex that was interrupted
    rows: dict[str, int]
    same_as: int  # links between statements, as they are now
    former_bytes: int  # kept for an hour for those who are reading them
    state_hash: str
    notes: tuple[str, ...] = ()

    def as_text(self) -> str:
        documents = self.documents + self.already_there
        before = f", {self.already_there} of them before this run" if self.already_there else ""
        what = (
            f"embedded by {self.embedder}" if self.embedder != self.embedder_before else f"in {self.isolation} tables"
        )
        rows = ", ".join(f"{n} {name}" for name, n in self.rows.items())
        return "\n".join(
            [
                f"{self.store}: {documents} documents are now {what}{before}; {rows}; {self.same_as} links "
                f"between statements; counts, ids and vectors were checked, state hash {self.state_hash[:12]}… is as "
                "before.",
                f"The old tables ({self.former_bytes / 1e6:.1f} MB) are kept for those who are reading them; the first "
                f"write or clew doctor --optimize after {GRACE.seconds // 60} minutes removes them.",
                *(f"note: {note}" for note in self.notes),
            ]
        )


@dataclass(frozen=True, slots=True)
class _Plan:
    """What a store is, and what it is to be."""

    folder: Path
    before: Manifest
    after: Manifest
    embedder: Embedder
    embeds: bool  # False: vectors stay as they are
    relinks: bool


def reindex(
    folder: Path,
    settings: Settings,
    *,
    embedder: str | Embedder | None = None,
    isolation: Isolation | None = None,
    clock: Callable[[], datetime],
    reached: Reached = unwatched,
    progress: Progress = lambda *_: None,
) -> ReindexReport:
    """Embed a store anew, or keep its access classes apart (or together again); readers go on meanwhile.

    Args:
        folder: of the store; its writer lock is held to the end.
        settings: of the store.
        embedder: as in the setting, or one of the caller's; None: what is set, else the store's own.
        isolation: None: what is set, else as it is.

    Raises:
        NotFoundError: there is no store.
        UsageError: it is already as it is to be.
        StoreError: what was built is not equal; the store is as before.
        StoreFullError: there is no room; the store is as before, or is finished by the next write.
    """
    if read_manifest(folder) is None:
        raise NotFoundError(f"There is no Clew store in {folder}. Make one with: clew ingest FOLDER --store {folder}")
    with writer_lock(folder, wait_seconds=settings.lock_wait), _typed(folder):
        manifest = read_manifest(folder)  # once more: another process may have switched it before
        assert manifest is not None
        plan = _plan(folder, manifest, settings, embedder, isolation)
        digest = _settle(plan, settings, clock, reached)
        copied, rows = _build(plan, settings, clock, reached, progress)
        write_manifest(folder, plan.after.model_copy(update={"index_since": clock()}))
        reached("reindex.switched")
        links, after = _finish(plan, settings, clock, reached)
        if after != digest:
            raise StoreError(
                f"The state hash of {folder} was {digest[:12]}… and is {after[:12]}…, though a reindex changes no "
                "record. Look at the store with clew doctor --deep, and report this."
            )
    return ReindexReport(
        store=str(folder),
        embedder=plan.after.embedder,
        embedder_before=plan.before.embedder,
        isolation=plan.after.isolation,
        isolation_before=plan.before.isolation,
        documents=copied.documents,
        already_there=copied.already_there,
        rows=rows,
        same_as=links,
        former_bytes=sum(size_on_disk(path) for path in former_indexes(folder, plan.after)),
        state_hash=after,
        notes=tuple(_notes(plan, settings)),
    )


def _plan(
    folder: Path,
    manifest: Manifest,
    settings: Settings,
    embedder: str | Embedder | None,
    isolation: Isolation | None,
) -> _Plan:
    setting = embedder if isinstance(embedder, str) else "" if embedder else embedder_setting(settings, manifest)
    target = embedder_of(setting, settings) if isinstance(embedder, str) or embedder is None else embedder
    if isolation is None:
        isolation = manifest.isolation if settings.isolation == "auto" else settings.isolation
    # An engine that was updated under its store is another one only to those who name it.
    same = (
        target.name == manifest.embedder
        if embedder is not None
        else model_of(target.name) == model_of(manifest.embedder)
    )
    if same and isolation == manifest.isolation:
        raise UsageError(
            f"{folder} is embedded by {manifest.embedder} with isolation {manifest.isolation} already. Name another "
            "with --embedder or --isolation."
        )
    left = read_mark(folder / manifest.index)
    name = manifest.embedder if same else target.name
    parts = (manifest.index, name, target.dimensions, isolation)
    return _Plan(
        folder=folder,
        before=manifest,
        after=manifest.model_copy(
            update={
                # One name for one purpose: the same reindex, run again, finds what it had built.
                "index": f"{FIRST_INDEX}-{content_digest(repr(parts).encode())[:12]}",
                "embedder": name,
                "dimensions": target.dimensions,
                "embedder_setting": manifest.embedder_setting if same else kept_setting(setting, target),
                "isolation": isolation,
            }
        ),
        embedder=target,
        embeds=not same,
        relinks=not same or isolation != manifest.isolation or (left is not None and left.relink),
    )


def _settle(plan: _Plan, settings: Settings, clock: Callable[[], datetime], reached: Reached) -> str:
    """Finish or undo what was cut off, with the store's own embedder if that is needed; the state hash then."""
    kind = graph_kind(plan.folder, plan.before, settings)
    with closing(open_graph(kind, plan.folder, plan.before, settings, clock=clock)) as graph:
        if not graph.open_intents():
            return graph.state_hash()
    own = plan.embedder if not plan.embeds else None
    with _opened(plan.folder, settings, own, clock, reached) as stores:
        recover(stores)
        return stores.graph.state_hash()


def _build(
    plan: _Plan, settings: Settings, clock: Callable[[], datetime], reached: Reached, progress: Progress
) -> tuple[Copied, dict[str, int]]:
    """Fill and check the new tables; how much was written, and how many rows there are."""
    drop_unfinished_indexes(plan.folder, plan.before, but=plan.after.index)
    drop_former_indexes(plan.folder, plan.before, clock())
    write_mark(plan.folder / plan.after.index, Mark(relink=plan.relinks))
    kind = graph_kind(plan.folder, plan.before, settings)
    with (
        closing(open_graph(kind, plan.folder, plan.before, settings, clock=clock)) as graph,
        closing(open_text_index(plan.folder, plan.before)) as origin,
        closing(open_text_index(plan.folder, plan.after, reached=reached)) as target,
    ):
        copying = Copying(graph, origin, target, plan.embedder if plan.embeds else None, plan.after.dimensions)
        copied = copy_rows(copying, reached=reached, progress=progress)
        reached("reindex.copied")
        target.optimize()
        rows = check_rows(copying)
        reached("reindex.verified")
    return copied, rows


def _finish(plan: _Plan, settings: Settings, clock: Callable[[], datetime], reached: Reached) -> tuple[int, str]:
    """Links and fingerprints after the switch; how many links there are, and the state hash."""
    with _opened(plan.folder, settings, plan.embedder, clock, reached) as stores:
        finish_switch(stores)
        return len(stores.graph.residue().same_as), stores.graph.state_hash()


@contextmanager
def _typed(folder: Path) -> Iterator[None]:
    """What the file system says of manifest and marks, as an error of ours."""
    try:
        yield
    except OSError as error:
        raise StoreFullError(
            f"{folder} cannot be reindexed ({error}). Free some space or check its permissions, then run the command "
            "again: it goes on where it stopped."
        ) from error


@contextmanager
def _opened(
    folder: Path, settings: Settings, embedder: Embedder | None, clock: Callable[[], datetime], reached: Reached
) -> Iterator[Stores]:
    """The stores as the manifest says they are, whatever is set."""
    stores = open_stores(
        folder,
        settings=settings.model_copy(update={"embedder": "auto", "isolation": "auto"}),
        embedder=embedder,
        extractor=None,
        chunker=None,
        clock=clock,
        create=False,
        reached=reached,
    )
    try:
        yield stores
    finally:
        stores.files.close()
        stores.graph.close()
        stores.index.close()


def _notes(plan: _Plan, settings: Settings) -> Iterator[str]:
    """Settings with which the store could not be opened any more."""
    embedder = plan.after.embedder_setting or setting_of(plan.after.embedder)
    for name, now in (("embedder", embedder), ("isolation", plan.after.isolation)):
        if (is_set := getattr(settings, name)) not in ("auto", now):
            yield (
                f"CLEW_{name.upper()} or clew.toml says {name} = {is_set!r}, with which the store is not opened. "
                f"Set it to 'auto'{f' or {now!r}' if now else ''}."
            )


__all__ = ["ReindexReport", "reindex"]
