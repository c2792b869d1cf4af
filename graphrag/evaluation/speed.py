"""Speed and memory on generated documents: ``python -m graphrag.evaluation.speed [--out FILE] [--cases a,b]``.

Each case runs in a process of its own, so that its peak memory is its own. Written is a list of rows ``{case, measure,
system, value, unit, n}`` as JSON.

``ingest`` uses the real extractor and embedder with an empty cache, models loaded before. Stages overlap (documents are
prepared while earlier ones are embedded), so they add up to more than the whole. ``retrieval@N`` searches N chunks of
about a hundred tokens with vectors drawn from hashes, so that no question waits for a model. ``start-up`` is
``clew --help``. The ``loading`` cases are in :mod:`graphrag.evaluation.speed_loading`, ``extraction`` is in
:mod:`graphrag.evaluation.speed_extraction`.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from graphrag.evaluation.bench_row import BenchRow, row
from graphrag.evaluation.generated import GeneratedRelations, GeneratedVectors, Shape, documents, questions
from graphrag.evaluation.report import peak_rss_mb
from graphrag.evaluation.speed_extraction import extraction_case
from graphrag.evaluation.speed_loading import loading_case, long_pdf_case, small_files_case

if TYPE_CHECKING:
    from graphrag.knowledge_base import KnowledgeBase
    from graphrag.results import IngestReport
    from storage.ports import Embedder, Side, Vector

INGEST_CHUNKS = 200
RETRIEVAL_SIZES = (1_000, 10_000, 100_000)
QUESTIONS = 200
_WARM_UP = 20
_STARTS = 7
_INGEST_SHAPE = Shape(paragraphs=12, fillers=3)
_RETRIEVAL_SHAPE = Shape(paragraphs=20, fillers=3)
_RETRIEVAL_CHUNK_TOKENS = 100


# --- ingest ----------------------------------------------------------------------------------------------------------


class RecordingEmbedder:
    """Passes on to another embedder and remembers every text, to embed exactly the same ones again."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.texts: dict[str, None] = {}

    @property
    def name(self) -> str:
        """The other's name."""
        return self._inner.name

    @property
    def dimensions(self) -> int:
        """The other's dimensions."""
        return self._inner.dimensions

    def embed(self, texts: Sequence[str], side: Side) -> Vector:
        """The other's vectors."""
        self.texts.update(dict.fromkeys(texts))
        return self._inner.embed(texts, side)


def ingest_case(seed: int, chunks: int = INGEST_CHUNKS, embedder: Embedder | None = None) -> list[BenchRow]:
    """Seconds per 1,000 chunks by stage, and the whole over the time to embed alone what ingest embeds."""
    from extractors.embedders import open_embedder
    from graphrag.knowledge_base import KnowledgeBase
    from graphrag.settings import Settings

    started = time.perf_counter()
    inner = embedder or open_embedder("auto", cache_dir=None)
    with tempfile.TemporaryDirectory() as folder:  # a first small ingest loads models and libraries
        settings = Settings(cache=Path(folder) / "cache")
        with KnowledgeBase.open(Path(folder) / "store", settings=settings, embedder=inner) as kb:
            kb.ingest(list(islice(documents(seed + 1, Shape(paragraphs=1, fillers=0)), 2)), namespace="bench")
    loading = time.perf_counter() - started
    recording = RecordingEmbedder(inner)
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(cache=Path(folder) / "cache")
        with KnowledgeBase.open(Path(folder) / "store", settings=settings, embedder=recording) as kb:
            started = time.perf_counter()
            report = _ingest_chunks(kb, seed, _INGEST_SHAPE, chunks)[0]
            whole = time.perf_counter() - started
    started = time.perf_counter()
    inner.embed(sorted(recording.texts, key=len), "passage")
    embedding = time.perf_counter() - started
    n = report.chunks
    rows = [
        row("ingest", f"{stage}_per_1000_chunks", 1000 * s / n, "s", n) for stage, s in sorted(report.stages.items())
    ]
    return [
        *rows,
        row("ingest", "whole_per_1000_chunks", 1000 * whole / n, "s", n),
        row("ingest", "embedding_alone_per_1000_chunks", 1000 * embedding / n, "s", n),
        row("ingest", "whole_over_embedding", whole / embedding, "ratio", len(recording.texts)),
        row("ingest", "relations_per_chunk", sum(report.relations.values()) / n, "count", n),
        row("ingest", "loading_models", loading, "s", 1),
    ]


def _ingest_chunks(kb: KnowledgeBase, seed: int, shape: Shape, chunks: int) -> tuple[IngestReport, int]:
    """Take in one call so many documents that they make about ``chunks`` chunks; the report and how many they were."""
    from extractors import default_chunker

    chunker = default_chunker(kb.settings.chunk_tokens, kb.settings.chunk_overlap)
    taken = []
    planned = 0
    for document in documents(seed, shape):
        if planned >= chunks:
            break
        planned += len(chunker.chunk(document))
        taken.append(document)
    return kb.ingest(taken, namespace="bench"), len(taken)


# --- retrieval -------------------------------------------------------------------------------------------------------


def retrieval_case(seed: int, chunks: int) -> list[BenchRow]:
    """Median and 95th percentile of a search, without embedding the question, in a store of ``chunks`` chunks."""
    from extractors.bilingual import BilingualExtractor
    from graphrag.knowledge_base import KnowledgeBase
    from graphrag.settings import Settings

    case = f"retrieval@{chunks}"
    relations = GeneratedRelations()
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(cache=Path(folder) / "cache", chunk_tokens=_RETRIEVAL_CHUNK_TOKENS)
        with KnowledgeBase.open(
            Path(folder) / "store",
            settings=settings,
            embedder=GeneratedVectors(),
            extractor=BilingualExtractor({"en": relations, "zh": relations}),
        ) as kb:
            report, count = _ingest_chunks(kb, seed, _RETRIEVAL_SHAPE, chunks)
            seconds = _search_seconds(kb, questions(seed, QUESTIONS + _WARM_UP, _RETRIEVAL_SHAPE, known=count))
    ordered = sorted(seconds)
    return [
        row(case, "p50", 1000 * statistics.median(ordered), "ms", len(ordered)),
        row(case, "p95", 1000 * ordered[math.ceil(0.95 * len(ordered)) - 1], "ms", len(ordered)),
        row(case, "chunks", report.chunks, "count", 1),
        row(case, "ingest_per_1000_chunks", 1000 * report.seconds / report.chunks, "s", report.chunks),
    ]


def _search_seconds(kb: KnowledgeBase, asked: Sequence[str]) -> list[float]:
    seconds = []
    for question in asked:
        started = time.perf_counter()
        kb.search(question, limit=10)
        seconds.append(time.perf_counter() - started)
    return seconds[_WARM_UP:]


def growth(rows: Iterable[BenchRow]) -> list[BenchRow]:
    """How p95 grows from each size to the next: the exponent of N, 1 for linear growth."""
    sizes = {
        int(r["case"].partition("@")[2]): r
        for r in rows
        if r["case"].startswith("retrieval@") and r["measure"] == "p95"
    }
    out = []
    for small, large in zip(sorted(sizes), sorted(sizes)[1:], strict=False):
        exponent = math.log(sizes[large]["value"] / sizes[small]["value"]) / math.log(large / small)
        out.append(row(f"retrieval@{large}", f"p95_growth_from_{small}", exponent, "exponent", sizes[large]["n"]))
    return out


# --- start-up --------------------------------------------------------------------------------------------------------


def start_up_case(seed: int) -> list[BenchRow]:  # noqa: ARG001 - every case is called alike
    """Seconds of ``clew --help``: the median of several starts, after one that warms the file cache."""
    command = [sys.executable, "-c", "from graphrag.console import main; main()", "--help"]
    seconds = []
    for _ in range(_STARTS + 1):
        started = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - our own interpreter and module
        seconds.append(time.perf_counter() - started)
    measured = seconds[1:]
    return [
        row("start-up", "clew_help", statistics.median(measured), "s", len(measured)),
        row("start-up", "clew_help_fastest", min(measured), "s", len(measured)),
    ]


# --- all cases -------------------------------------------------------------------------------------------------------

CASES: dict[str, Callable[[int], list[BenchRow]]] = {
    "start-up": start_up_case,
    "loading": loading_case,
    "loading-long-pdf": long_pdf_case,
    "loading-small-files": small_files_case,
    "extraction": extraction_case,
    "ingest": ingest_case,
    **{f"retrieval@{n}": lambda seed, n=n: retrieval_case(seed, n) for n in RETRIEVAL_SIZES},  # type: ignore[misc]
}


def measured(case: str, seed: int) -> list[BenchRow]:
    """The rows of one case, with the most memory that this process (for ``start-up``: a child) ever held."""
    rows = CASES[case](seed)
    peak = peak_rss_mb(children=case == "start-up")
    return rows if peak is None else [*rows, row(case, "peak_rss", peak, "MB", 1)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the cases, one process each, and write their rows; 1 if one of them failed."""
    parser = argparse.ArgumentParser(
        prog="python -m graphrag.evaluation.speed", description="Measure speed and memory."
    )
    parser.add_argument("--out", type=Path, help="write the rows here instead of to stdout")
    parser.add_argument("--cases", default=",".join(CASES), help="joined by commas; default: %(default)s")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--one", choices=CASES, help=argparse.SUPPRESS)  # what a process of a case is started with
    options = parser.parse_args(arguments)
    if options.one:
        with _stdout_for_rows_only() as write:
            write(json.dumps(measured(options.one, options.seed)))
        return 0
    names = [name for part in options.cases.split(",") if (name := part.strip())]
    if unknown := [name for name in names if name not in CASES]:
        parser.error(f"no case {unknown[0]!r}; choose from {', '.join(CASES)}")
    rows: list[BenchRow] = []
    failed = []
    for name in names:
        print(f"{name} …", file=sys.stderr, flush=True)
        command = [sys.executable, "-m", "graphrag.evaluation.speed", "--one", name, "--seed", str(options.seed)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, encoding="utf-8", check=False)  # noqa: S603
        if done.returncode:
            failed.append(name)
            continue
        found: list[BenchRow] = json.loads(done.stdout)
        for r in found:  # at once: a run that is cut off still has shown what it measured
            print(
                f"  {r['measure']} {r['value']:.4g} {r['unit']} ({r['system']}, n {r['n']})",
                file=sys.stderr,
                flush=True,
            )
        rows += found
    rows += growth(rows)
    text = json.dumps(rows, indent=1)
    if options.out:
        options.out.write_text(text + "\n", encoding="utf-8")
    else:
        print(text)
    for name in failed:
        print(f"{name} failed; see above", file=sys.stderr)
    return 1 if failed else 0


@contextlib.contextmanager
def _stdout_for_rows_only() -> Iterator[Callable[[str], object]]:
    """Whatever a library prints goes to stderr; only the rows go to stdout."""
    stdout = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):
        yield lambda text: print(text, file=stdout)


if __name__ == "__main__":
    sys.exit(main())
