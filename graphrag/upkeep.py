"""Upkeep of a store that may be damaged, opened with no more than the work needs: what the command line calls."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from graphrag.deep_check import DeepReport, Progress, deep_check
from graphrag.graph_choice import graph_kind, open_graph
from graphrag.opening import open_stores, utc_now
from graphrag.progress import LINE_EVERY
from graphrag.repair import RepairReport, repair
from graphrag.settings import Settings
from storage.errors import NotFoundError
from storage.manifest import read_manifest
from storage.text_index import open_text_index
from storage.writer_lock import is_held, writer_lock


def check_store(folder: Path, settings: Settings, *, progress: Progress) -> DeepReport:
    """Check a store without any model, and without finishing what was interrupted: that is a finding."""
    manifest = read_manifest(folder)
    if manifest is None:
        raise NotFoundError(f"There is no Clew store in {folder}. Make one with: clew ingest FOLDER --store {folder}")
    kind = graph_kind(folder, manifest, settings)
    with (
        closing(open_graph(kind, folder, manifest, settings, clock=utc_now)) as graph,
        closing(open_text_index(folder, manifest)) as index,
    ):
        return deep_check(
            graph,
            index,
            dimensions=manifest.dimensions,
            now=utc_now(),
            writing=is_held(folder),
            progress=progress,
        )


def repair_store(folder: Path, settings: Settings, *, progress: Progress) -> RepairReport:
    """Repair a store that may be too damaged to be opened as usual."""
    stores = open_stores(
        folder,
        settings=settings,
        embedder=None,
        extractor=None,
        chunker=None,
        clock=utc_now,
        create=False,
        reached=lambda _: None,
    )
    try:
        with writer_lock(folder, wait_seconds=settings.lock_wait):
            return repair(stores, progress=progress)
    finally:
        stores.files.close()
        stores.graph.close()
        stores.index.close()


@contextmanager
def counting(title: str) -> Iterator[Callable[[int, int], None]]:
    """A function that says on stderr how many documents are done: at once in a terminal, now and then elsewhere."""
    terminal = sys.stderr.isatty()
    last = time.monotonic()

    def show(done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if terminal:
            print(f"\r{title}: {done} of {total} documents", end="", file=sys.stderr, flush=True)
        elif now - last >= LINE_EVERY:
            last = now
            print(f"{title}: {done} of {total} documents", file=sys.stderr)

    try:
        yield show
    finally:
        if terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


__all__ = ["check_store", "counting", "repair_store"]
