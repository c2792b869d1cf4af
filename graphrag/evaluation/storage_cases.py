"""What ``make bench-storage`` measures in stores that are built: searching, walking, changing documents, opening.

Times are of the product's own operations, in milliseconds, without embedding the question: searches as a question makes
them (text and vectors at once, ten of each), walks through :func:`graphrag.walk.walk`, changes with everything that
they entail in both stores.
"""

from __future__ import annotations

import math
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from graphrag.concurrently import concurrently
from graphrag.evaluation.bench_row import BenchRow, row
from graphrag.evaluation.storage_build import Bench, now, server_rows
from graphrag.evaluation.storage_world import RARE_EVERY, RARE_FIRST, RARE_GROUP, Question, World
from graphrag.knowledge_base import KnowledgeBase
from graphrag.prepare import Prepared
from graphrag.stores import Stores
from graphrag.walk import Bounds, Walk, walk
from graphrag.writing import write_documents
from storage.ports import Collection, GraphStore, Hop, IndexRow, Steps, TextIndex
from storage.records import OWNER, AccessClass, RelationType, SameAs, Scope, View

T = TypeVar("T")

FOUND = 10
QUESTIONS, WALKS, CHANGES, OPENINGS = 300, 300, 40, 5
HOPS, SEEDS = 3, 10
_WARM_UP = 20


def percentiles(case: str, measure: str, seconds: Sequence[float], system: str) -> list[BenchRow]:
    """Median and 95th percentile in milliseconds."""
    ordered = sorted(seconds)
    return [
        row(case, f"{measure}_p50", 1000 * statistics.median(ordered), "ms", len(ordered), system),
        row(case, f"{measure}_p95", 1000 * ordered[math.ceil(0.95 * len(ordered)) - 1], "ms", len(ordered), system),
    ]


def _timed(calls: Iterable[Callable[[], object]], *, warm_up: int = 0) -> list[float]:
    seconds = []
    for call in calls:
        started = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - started)
    return seconds[warm_up:]


# --- searching -------------------------------------------------------------------------------------------------------


def search_case(bench: Bench) -> list[BenchRow]:
    """Hybrid searches over all chunks, and over the one in a hundred that a group sees, with recall against exact."""
    case = "storage-search"
    index, world = bench.index(), bench.world
    asked = [world.question(i) for i in range(QUESTIONS + _WARM_UP)]
    rows = []
    for name, scope in (("hybrid", everyone()), ("filtered", rare())):
        rows += percentiles(case, name, searching(index, asked, scope), "lancedb")
        text = _timed((partial(_by_text, index, q, scope) for q in asked), warm_up=_WARM_UP)
        near = _timed((partial(_by_vector, index, q, scope) for q in asked), warm_up=_WARM_UP)
        rows += percentiles(case, f"{name}_text", text, "lancedb")
        rows += percentiles(case, f"{name}_vector", near, "lancedb")
    rows += recalls(case, index, world, asked[:QUESTIONS])
    index.close()
    return rows


def searching(index: TextIndex, asked: Sequence[Question], scope: Scope) -> list[float]:
    """Seconds of each question's search by text and vector at once."""

    def hybrid(question: Question) -> None:
        concurrently([partial(_by_text, index, question, scope), partial(_by_vector, index, question, scope)])

    return _timed((partial(hybrid, q) for q in asked), warm_up=_WARM_UP)


def everyone() -> Scope:
    """The owner's scope of a store in which every document holds at every time."""
    return Scope(classes=None, at=now(), bounded=False)


def rare() -> Scope:
    """What the group sees that one document in a hundred belongs to."""
    return Scope(classes=frozenset({AccessClass.of([[RARE_GROUP]]).id}), at=now(), bounded=False)


def _by_text(index: TextIndex, question: Question, scope: Scope) -> list[str]:
    return [n.id for n in index.search_text("chunks", question.text, scope, limit=FOUND)]


def _by_vector(index: TextIndex, question: Question, scope: Scope) -> list[str]:
    return [n.id for n in index.search_vector("chunks", question.vector, scope, limit=FOUND)]


def recalls(case: str, index: TextIndex, world: World, asked: Sequence[Question]) -> list[BenchRow]:
    """Share of the truly nearest chunks, found by comparing every vector, that the searches find."""
    members = {c.id for p in _rare_documents(world) for c in p.graph.chunks}
    questions = np.stack([q.vector for q in asked])
    all_ids, rare_ids = _Nearest(len(asked)), _Nearest(len(asked))
    for owners, vectors in index.vectors("chunks"):
        similar = questions @ vectors.T
        all_ids.see(owners, similar)
        places = [i for i, owner in enumerate(owners) if owner in members]
        rare_ids.see([owners[i] for i in places], similar[:, places])
    rows = []
    for name, scope, exact in (("hybrid", everyone(), all_ids), ("filtered", rare(), rare_ids)):
        found = [_by_vector(index, q, scope) for q in asked]
        shares = [len(exact.ids(i) & set(ids)) / max(1, len(exact.ids(i))) for i, ids in enumerate(found)]
        rows.append(row(case, f"{name}_recall_at_{FOUND}", statistics.fmean(shares), "share", len(shares), "lancedb"))
    return rows


def _rare_documents(world: World) -> Iterable[Prepared]:
    numbers = range(RARE_FIRST, world.size.documents + world.size.hub_documents, RARE_EVERY)
    for number in numbers:
        yield from world.documents(number, number + 1)


class _Nearest:
    """The ten nearest of each question so far."""

    def __init__(self, questions: int) -> None:
        self._best: list[list[tuple[float, str]]] = [[] for _ in range(questions)]

    def see(self, owners: Sequence[str], similar: NDArray[np.float32]) -> None:
        """Take in a block: similarities of shape (questions, owners)."""
        if not owners:
            return
        count = min(FOUND, len(owners))
        places = np.argpartition(-similar, count - 1, axis=1)[:, :count]
        for i, best in enumerate(self._best):
            best += [(float(similar[i, p]), owners[p]) for p in places[i]]
            best.sort(reverse=True)
            del best[FOUND:]

    def ids(self, question: int) -> set[str]:
        return {owner for _, owner in self._best[question]}


# --- searching while somebody writes ---------------------------------------------------------------------------------


def upkeep_case(bench: Bench) -> list[BenchRow]:
    """Hybrid searches while another process takes documents out and puts them back, and folds the index together."""
    case = "storage-upkeep"
    index, world = bench.index(), bench.world
    asked = [world.question(i) for i in range(QUESTIONS + _WARM_UP)]
    searching(index, asked[: 2 * _WARM_UP], everyone())
    command = [sys.executable, "-m", "graphrag.evaluation.speed_storage", "--one", "upkeep-writer"]
    command += ["--folder", str(bench.folder), "--scale", str(bench.scale), "--seed", str(bench.seed)]
    seconds: list[float] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:  # noqa: S603 - our own module
        assert writer.stdout is not None
        writer.stdout.readline()  # it begins now
        while writer.poll() is None:
            seconds += searching(index, asked[: 2 * _WARM_UP], everyone())
        said = writer.stdout.read()
    index.close()
    if writer.returncode:
        raise SystemExit("the process that writes failed; see above")
    written, took = (float(word) for word in said.split())
    return [
        *percentiles(case, "hybrid_while_writing", seconds, "lancedb"),
        row(case, "rows_written", written, "count", 1, "lancedb"),
        row(case, "seconds", took, "s", 1, "lancedb"),
    ]


def keep_writing(bench: Bench, *, begun: Callable[[], None]) -> tuple[int, float]:
    """Take the rows of some documents out of the index and put them back, batch by batch as ingest does; then fold."""
    index, world = bench.index(), bench.world
    batches = [list(world.documents(s, s + 32)) for s in range(0, min(640, world.size.documents // 2), 32)]
    begun()
    started = time.perf_counter()
    count = 0
    for batch in batches:
        index.delete_documents([p.graph.document.id for p in batch])
        for collection in _COLLECTIONS:
            rows = [r for p in batch for r in p.rows[collection]]
            index.write(collection, rows)
            count += len(rows)
    index.optimize()
    index.close()
    return count, time.perf_counter() - started


_COLLECTIONS: tuple[Collection, ...] = ("documents", "chunks", "statements")


# --- walking ---------------------------------------------------------------------------------------------------------


class _TimedGraph:
    """Passes on what a walk asks of a graph store, and adds up the time that takes, its transaction included."""

    def __init__(self, graph: GraphStore) -> None:
        self._graph = graph
        self._steps: Steps = graph
        self.seconds = 0.0

    def in_one_transaction(self, work: Callable[[Steps], Walk]) -> Walk:
        def timed(steps: Steps) -> Walk:
            self._steps = steps
            started = time.perf_counter()
            try:
                return work(self)
            finally:
                self.seconds -= time.perf_counter() - started  # in which the store's own time is counted already

        return self._measured(lambda: self._graph.in_one_transaction(timed))

    def edges(self, *args: Any, **options: Any) -> Hop:
        return self._measured(self._steps.edges, *args, **options)

    def same_as(self, *args: Any, **options: Any) -> list[SameAs]:
        return self._measured(self._steps.same_as, *args, **options)

    def _measured(self, call: Callable[..., T], *args: Any, **options: Any) -> T:
        started = time.perf_counter()
        try:
            return call(*args, **options)
        finally:
            self.seconds += time.perf_counter() - started


def walk_case(bench: Bench, system: str) -> list[BenchRow]:
    """Walks of three hops from ten statements, and from the hub, over which a walk keeps its bounds and says so."""
    case = "storage-walk"
    graph, world = bench.graph(system), bench.world
    scope, narrow = graph.scope(OWNER), graph.scope(View(groups=frozenset({RARE_GROUP})))
    timed = _TimedGraph(graph)
    walks: list[Walk] = []
    in_store: list[float] = []

    def three_hops(seeds: Sequence[str], scope: Scope) -> None:
        timed.seconds = 0.0
        walks.append(_walk(bench, timed, seeds, scope))
        in_store.append(timed.seconds)

    seeds = [world.seeds(i, SEEDS) for i in range(WALKS + _WARM_UP)]
    rows = percentiles(case, "walk", _timed((partial(three_hops, s, scope) for s in seeds), warm_up=_WARM_UP), system)
    rows += percentiles(case, "walk_in_the_store", in_store[_WARM_UP:], system)
    rows.append(row(case, "paths", statistics.fmean(len(w.paths) for w in walks), "count", len(walks), system))
    few = _timed((partial(three_hops, s, narrow) for s in seeds), warm_up=_WARM_UP)
    rows += percentiles(case, "walk_filtered", few, system)
    walks.clear()
    from_hub = [[world.hub.id, *s[1:]] for s in seeds[:60]]
    hub = _timed((partial(three_hops, s, scope) for s in from_hub), warm_up=len(from_hub) // 6)
    rows += percentiles(case, "walk_from_hub", hub, system)
    said = [any("relations at one statement" in reason for reason in w.reasons) for w in walks]
    rows.append(row(case, "hub_said_to_be_truncated", statistics.fmean(said), "share", len(said), system))
    rows.append(row(case, "hub_relations", world.size.hub_relations, "count", 1, system))
    graph.close()
    return [*rows, *(server_rows(case) if system == "neo4j" else [])]


def _walk(bench: Bench, graph: GraphStore | _TimedGraph, seeds: Sequence[str], scope: Scope) -> Walk:
    settings = bench.settings
    bounds = Bounds(HOPS, settings.fan_out, settings.min_confidence, settings.walk_seconds)
    scores = dict.fromkeys(seeds, 1.0)
    return graph.in_one_transaction(
        lambda steps: walk(steps, scope, scores, forward=True, types=tuple(RelationType), bounds=bounds)
    )


# --- changing --------------------------------------------------------------------------------------------------------


def change_case(bench: Bench, system: str) -> list[BenchRow]:
    """Replacing a document and removing one, in both stores; what is taken out is put back, so it can be repeated."""
    case = "storage-change"
    stores, world = bench.stores(system), bench.world
    # Each system has documents of its own to change, since they share the index.
    first = {"embedded": 0, "neo4j": 2}[system]
    count = min(CHANGES, world.size.documents // 8)
    numbers = [first + 4 * i for i in range(count)]
    with KnowledgeBase(stores) as kb:
        replaced, back, removed, again = [], [], [], []
        for number in numbers:
            old, new = world.document(number), world.document(number, version=1)
            replaced += _timed([partial(_put, stores, new, old.graph.document.id)])
            back += _timed([partial(_put, stores, old, new.graph.document.id)])
            removed += _timed([partial(kb.remove, old.graph.source.path)])
            again += _timed([partial(_put, stores, old, None)])
    rows = percentiles(case, "replace", [*replaced[1:], *back[1:]], system)
    rows += percentiles(case, "remove", removed[1:], system)
    rows += percentiles(case, "add", again[1:], system)
    rows.append(row(case, "first_replace", 1000 * replaced[0], "ms", 1, system))
    return rows


def _put(stores: Stores, prepared: Prepared, replaced: str | None) -> None:
    rows: dict[Collection, list[IndexRow]] = prepared.rows
    write_documents(stores, [prepared], [rows], [replaced] if replaced else [])


# --- opening ---------------------------------------------------------------------------------------------------------


def open_case(bench: Bench, system: str) -> list[BenchRow]:
    """From nothing to the answer of the first search and walk, in new processes; the disk's cache may be warm."""
    case = "storage-open"
    command = [sys.executable, "-m", "graphrag.evaluation.speed_storage", "--one", f"first-query:{system}"]
    command += ["--folder", str(bench.folder), "--scale", str(bench.scale), "--seed", str(bench.seed)]
    said = [
        subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.split()  # noqa: S603 - as above
        for _ in range(OPENINGS)
    ]
    rows = [row(case, "open_and_first_query", statistics.median(float(s[0]) for s in said), "s", OPENINGS, system)]
    rows.append(row(case, "peak_rss", max(float(s[1]) for s in said), "MB", OPENINGS, system))
    return rows


def first_query(bench: Bench, system: str) -> float:
    """Seconds from opening both stores to the first answer, LanceDB's own import among them."""
    question, seeds = bench.world.question(0), bench.world.seeds(0, SEEDS)
    started = time.perf_counter()
    index, graph = bench.index(), bench.graph(system)
    scope = graph.scope(OWNER)
    concurrently([partial(_by_text, index, question, scope), partial(_by_vector, index, question, scope)])
    _walk(bench, graph, seeds, scope)
    seconds = time.perf_counter() - started
    index.close()
    graph.close()
    return seconds


__all__ = [
    "change_case", "everyone", "first_query", "keep_writing", "open_case", "percentiles", "rare", "recalls",
    "search_case", "upkeep_case", "walk_case",
]  # fmt: skip
