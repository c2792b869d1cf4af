"""Runs a suite: finds its sets, has every system predict and be scored, and reports."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from graphrag.evaluation.baselines import Progress
from graphrag.evaluation.datasets import find_sets, joined_sha256, read_ranking_set
from graphrag.evaluation.extraction import EXTRACTION_SYSTEMS, run_extraction
from graphrag.evaluation.loading import LOADING_SYSTEMS, run_loading
from graphrag.evaluation.ranking import RANKING_SYSTEMS, run_ranking
from graphrag.evaluation.report import EvaluationReport, RunRecord, SkippedSet, peak_rss_mb
from graphrag.evaluation.run_state import Request, RunState
from graphrag.evaluation.systems import OpenStore, open_knowledge_base
from storage.errors import ConfigurationError, UsageError

if TYPE_CHECKING:
    from extractors.ports import RelationExtractor
    from graphrag.settings import Settings
    from storage.ports import Embedder


def run(
    request: Request,
    settings: Settings,
    *,
    progress: Progress = lambda _: None,
    embedder: Embedder | None = None,
    extractor: RelationExtractor | None = None,
    open_store: OpenStore = open_knowledge_base,
) -> EvaluationReport:
    """Measure what ``request`` asks for.

    Args:
        request: suite, data, sets, systems and sample.
        settings: of the product under test; its cache keeps vectors and stores for the next run.
        progress: is told what is being done, a few times a minute.
        embedder: instead of the one that ``settings`` name.
        extractor: instead of the default one (suite ``extraction``).
        open_store: opens the store under test.

    Raises:
        UsageError: the folder or a system does not exist.
        LoadError: a set that is there cannot be read.
    """
    started = time.monotonic()
    systems = _systems(request)
    if not request.folder.is_dir():
        raise UsageError(
            f"There is no folder {request.folder}. Name the benchmark data with --data or CLEW_BENCH_DATA."
        )
    found, missing = find_sets(request.suite, request.folder, request.sets)
    opened: list[Embedder] = [embedder] if embedder else []

    def the_embedder() -> Embedder:
        if not opened:
            opened.append(_open_embedder(settings))
        return opened[0]

    with _items_file(request.items) as items_file:
        state = RunState(request, settings, systems, progress, the_embedder, open_store, items_file)
        state.skipped += [SkippedSet(set=item.set, reason=item.reason) for item in missing]
        if request.suite == "extraction":
            run_extraction(state, found, extractor)
        elif request.suite == "loading":
            run_loading(state, found)
        else:
            for name in found:
                progress(f"{name}: reading")
                run_ranking(state, read_ranking_set(request.suite, request.folder, name))
    return EvaluationReport(
        run=RunRecord(
            version=_version(),
            config_sha256=config_sha256(settings),
            data_sha256=joined_sha256(state.data),
            embedder=opened[0].name if opened else settings.embedder,
            seconds=round(time.monotonic() - started, 3),
            peak_rss_mb=peak_rss_mb(),
        ),
        rows=tuple(state.rows),
        skipped=tuple(state.skipped),
    )


def config_sha256(settings: Settings) -> str:
    """SHA-256 of the settings without secrets, addresses and places, which do not change what is measured."""
    values = settings.model_dump(mode="json", exclude={"openai_api_key", "openai_base_url", "cache", "lock_wait"})
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def _systems(request: Request) -> tuple[str, ...]:
    known = {"extraction": EXTRACTION_SYSTEMS, "loading": LOADING_SYSTEMS}.get(request.suite, RANKING_SYSTEMS)
    for system in request.systems or ():
        if system not in known:
            raise UsageError(f"There is no system {system!r} for {request.suite}. Choose from: {', '.join(known)}.")
    return tuple(dict.fromkeys(request.systems or known))


def _open_embedder(settings: Settings) -> Embedder:
    from extractors.embedders import open_embedder

    key = settings.openai_api_key
    return open_embedder(
        settings.embedder,
        cache_dir=settings.cache,
        openai_api_key=key.get_secret_value() if key else None,
        openai_base_url=settings.openai_base_url,
    )


@contextmanager
def _items_file(path: Path | None) -> Iterator[IO[str] | None]:
    """The items file, opened before hours of work and not after."""
    if path is None:
        yield None
        return
    try:
        file = path.open("w", encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(f"--items {path} cannot be written: {error.strerror}.") from error
    with file:
        yield file


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("clew")
    except PackageNotFoundError:
        return "unknown"  # run from a copy of the source that was never installed


__all__ = ["Request", "config_sha256", "run"]
