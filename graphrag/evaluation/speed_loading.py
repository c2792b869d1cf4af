"""How fast files are read, and with how much memory: cases of ``make bench``.

Files are generated and each is read by the product and by the library of its format alone, in the same process, in
turn. The first file of a format is read once before, which loads libraries. A ratio is over the sums of seconds.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from graphrag.evaluation.bench_row import BenchRow, row
from graphrag.evaluation.generated import GeneratedRelations, GeneratedVectors
from graphrag.evaluation.generated_files import WRITERS, write_files, write_small_files
from graphrag.evaluation.loading_baselines import read_naively

FILES = 6  # of each format
ROUNDS = 3  # the fastest of them counts: other work on the machine only ever adds
LONG_PAGES = 1000
SMALL_FILES = 1000
LIBRARY = "library"
NO_LIBRARY = ("chat", "txt")
"""Formats that no library reads: decoding them alone takes microseconds, and a ratio to it says nothing."""


def loading_case(seed: int) -> list[BenchRow]:
    """Seconds per file and per MB by format, beside the library of the format alone."""
    from extractors.loaders import load_file

    rows: list[BenchRow] = []
    files = 0
    sums = dict.fromkeys(("clew", LIBRARY), 0.0)
    with tempfile.TemporaryDirectory() as folder:
        for format in WRITERS:
            paths = write_files(Path(folder), format, FILES, seed)
            size = sum(path.stat().st_size for path in paths) / 1e6
            readers: dict[str, Callable[[Path], Any]] = {
                "clew": load_file,
                LIBRARY: _parse_markdown if format == "md" else partial(read_naively, format=format),
            }
            seconds = _fastest(readers, paths)
            for system, value in seconds.items():
                rows.append(row("loading", f"{format}_per_file", value / len(paths), "s", len(paths), system))
                rows.append(row("loading", f"{format}_per_mb", value / size, "s", len(paths), system))
            if format in NO_LIBRARY:
                continue
            ratio = seconds["clew"] / seconds[LIBRARY]
            rows.append(row("loading", f"{format}_over_library", ratio, "ratio", len(paths)))
            files += len(paths)
            for system, value in seconds.items():
                sums[system] += value
    return [*rows, row("loading", "all_over_library", sums["clew"] / sums[LIBRARY], "ratio", files)]


def _parse_markdown(path: Path) -> object:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table").parse(path.read_text(encoding="utf-8"))


def _fastest(readers: dict[str, Callable[[Path], Any]], paths: list[Path]) -> dict[str, float]:
    """Seconds to read all files, by reader: for each file the fastest of some rounds, readers in turn."""
    seconds = dict.fromkeys(readers, 0.0)
    for read in readers.values():
        read(paths[0])
    for path in paths:
        for name, read in readers.items():
            seconds[name] += min(_seconds(read, path) for _ in range(ROUNDS))
    return seconds


def _seconds(read: Callable[[Path], Any], path: Path) -> float:
    started = time.perf_counter()
    read(path)
    return time.perf_counter() - started


def long_pdf_case(seed: int, pages: int = LONG_PAGES) -> list[BenchRow]:
    """Seconds for a long PDF; that the process reads nothing else makes its peak memory that of the PDF."""
    from extractors.loaders import load_file

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.pdf"
        command = [sys.executable, "-m", "graphrag.evaluation.generated_files", str(path), str(pages), str(seed)]
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - our own interpreter and module
        started = time.perf_counter()
        loaded = load_file(path)
        seconds = time.perf_counter() - started
        size = path.stat().st_size / 1e6
    return [
        row("loading-long-pdf", "whole", seconds, "s", 1),
        row("loading-long-pdf", "per_mb", seconds / size, "s", 1),
        row("loading-long-pdf", "pages", len(loaded.documents[0].pages), "count", 1),
    ]


def small_files_case(seed: int, files: int = SMALL_FILES) -> list[BenchRow]:
    """Seconds to ingest many small files with and without a process for reading them, models being stand-ins.

    With real models the difference would be smaller, since most of the time is theirs.
    """
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "files"
        source.mkdir()
        write_small_files(source, files, seed)
        _ingest_seconds(source, Path(folder) / "warm", process=True)
        pairs = [
            [_ingest_seconds(source, Path(folder) / f"{i}-{process}", process=process) for process in (True, False)]
            for i in range(ROUNDS)
        ]
    with_process, without = (min(pair[i] for pair in pairs) for i in (0, 1))
    ratios = [pair[0] / pair[1] for pair in pairs]
    return [
        row("loading-small-files", "ingest_with_process", with_process, "s", files),
        row("loading-small-files", "ingest_without_process", without, "s", files),
        row("loading-small-files", "process_over_without", statistics.median(ratios), "ratio", files),
    ]


def _ingest_seconds(source: Path, store: Path, *, process: bool) -> float:
    from extractors.bilingual import BilingualExtractor
    from graphrag.knowledge_base import KnowledgeBase
    from graphrag.settings import Settings

    relations = GeneratedRelations()
    started = time.perf_counter()
    with KnowledgeBase.open(
        store,
        settings=Settings(cache=store.with_suffix(".cache"), loader_process=process),
        embedder=GeneratedVectors(),
        extractor=BilingualExtractor({"en": relations, "zh": relations}),
    ) as kb:
        report = kb.ingest(source)
    if report.failed:
        raise RuntimeError(f"{report.failed[0].path}: {report.failed[0].reason}")
    return time.perf_counter() - started


__all__ = ["FILES", "LIBRARY", "NO_LIBRARY", "loading_case", "long_pdf_case", "small_files_case"]
