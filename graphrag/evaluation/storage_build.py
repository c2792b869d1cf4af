"""Building the stores that ``make bench-storage`` measures: a generated world, written through the product's own ports.

A folder holds one text index, which all graph stores share, and the embedded graph; a graph in Neo4j lies in its
server. What is built is noted in the folder with the time it took: a build that was cut off goes on where it was, and
what is there is measured again without being built again.

The index gets what a million chunks have: their rows, the whole texts, and one row per statement, in the words of the
first document that says it. (In a store made by ingest a statement has a row per document, and chains have rows too.)
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from extractors import default_chunker
from extractors.bilingual import BilingualExtractor
from graphrag.evaluation.bench_row import BenchRow, row
from graphrag.evaluation.generated import GeneratedRelations, GeneratedVectors
from graphrag.evaluation.report import peak_rss_mb
from graphrag.evaluation.storage_world import DIMENSIONS, Size, World
from graphrag.file_reader import FileReader
from graphrag.graph_choice import neo4j_address
from graphrag.inventory import size_on_disk
from graphrag.prepare import Prepared
from graphrag.settings import Settings
from graphrag.stores import Stores
from storage.embedded_graph import EmbeddedGraphStore
from storage.identity import make_id
from storage.lance_index import LanceTextIndex
from storage.manifest import FORMAT_VERSION, Manifest
from storage.neo4j_database import Neo4jDatabase
from storage.neo4j_graph import Neo4jGraphStore
from storage.ports import Change, Collection, DocumentGraph, GraphStore, IndexRow, Intent
from storage.records import OWNER

CASE = "storage-build"
_COLLECTIONS: tuple[Collection, ...] = ("documents", "chunks", "statements")
BATCH = 500
"""Documents of one write and of one graph transaction."""
HUB_BATCH = 10
"""The same of those that state a thousand relations each: a server of Neo4j keeps all of a transaction in memory."""

_NOW = datetime(2026, 6, 1, tzinfo=UTC)


@dataclass(slots=True)
class Built:
    """How far one store is built, and what that took."""

    documents: int = 0
    seconds: float = 0.0
    finishing_seconds: float = 0.0  # of what is done once, after the last document
    peak_rss: float = 0.0  # MB
    done: bool = False


@dataclass(frozen=True, slots=True)
class Bench:
    """A folder with stores of one seed and scale, and where its Neo4j is."""

    folder: Path
    seed: int
    scale: float
    settings: Settings

    @property
    def world(self) -> World:
        """The documents that the stores hold."""
        return World(self.seed, Size.of(self.scale))

    def index(self) -> LanceTextIndex:
        """The text index."""
        return LanceTextIndex(self.folder / "lance", dimensions=DIMENSIONS)

    def graph(self, system: str) -> GraphStore:
        """The graph store of a system: ``embedded`` or ``neo4j``."""
        if system == "embedded":
            return EmbeddedGraphStore(self.folder / "graph.db", clock=now)
        owner = make_id("bat", "bench", str(self.folder.resolve()), self.seed, str(self.scale))
        return Neo4jGraphStore(neo4j_address(self.settings), clock=now, owner=owner)

    def stores(self, system: str) -> Stores:
        """What the product's own operations work on."""
        relations = GeneratedRelations()
        return Stores(
            folder=self.folder,
            settings=self.settings,
            graph=self.graph(system),
            index=self.index(),
            files=FileReader(self.settings),
            embedder=GeneratedVectors(),
            chunker=default_chunker(self.settings.chunk_tokens, self.settings.chunk_overlap),
            extractor=BilingualExtractor({"en": relations, "zh": relations}),
            clock=now,
            manifest=Manifest(
                format_version=FORMAT_VERSION,
                embedder=GeneratedVectors().name,
                dimensions=DIMENSIONS,
                created_at=now(),
                graph="neo4j" if system == "neo4j" else "embedded",
            ),
        )

    # what is built

    def built(self, system: str) -> Built:
        """How far a system is built. Raises SystemExit if the folder holds another world."""
        noted = self._noted()
        return Built(**noted.get(system, {}))

    def note(self, system: str, built: Built) -> None:
        """Keep how far a system is built."""
        noted = self._noted() | {"seed": self.seed, "scale": self.scale, system: asdict(built)}
        part = self._file.with_suffix(".part")
        part.write_text(json.dumps(noted, indent=1), encoding="utf-8")
        part.replace(self._file)

    def _noted(self) -> dict[str, Any]:
        self.folder.mkdir(parents=True, exist_ok=True)
        if not self._file.exists():
            return {}
        noted = json.loads(self._file.read_text(encoding="utf-8"))
        if (noted["seed"], noted["scale"]) != (self.seed, self.scale):
            raise SystemExit(
                f"{self.folder} holds a world of seed {noted['seed']} and scale {noted['scale']}: give these, or "
                "another --folder."
            )
        return dict(noted)

    @property
    def _file(self) -> Path:
        return self.folder / "built.json"


def now() -> datetime:
    """The moment of everything that is written or read."""
    return _NOW


def build(bench: Bench, system: str, *, progress: Callable[[str], None]) -> list[BenchRow]:
    """Build one system as far as it is not there yet; the rows of what that took."""
    if system == "lancedb":
        with_index(bench, progress)
        return index_rows_built(bench)
    with_graph(bench, system, progress)
    return graph_rows_built(bench, system)


# --- the text index --------------------------------------------------------------------------------------------------


def with_index(bench: Bench, progress: Callable[[str], None]) -> None:
    """Write the rows of all documents."""
    built = bench.built("lancedb")
    if built.done:
        return
    index = bench.index()
    said = {owner for owners, _ in index.vectors("statements") for owner in owners}
    for batch in _batches(bench.world, built.documents):
        rows = [_rows_of(prepared, said) for prepared in batch]  # to make them is no part of what is measured
        started = time.perf_counter()
        for collection in _COLLECTIONS:
            index.write(collection, [r for found in rows for r in found[collection]])
        _step(bench, "lancedb", built, len(batch), time.perf_counter() - started, progress)
    started = time.perf_counter()
    index.optimize()
    _finished(bench, "lancedb", built, time.perf_counter() - started)
    index.close()


def _rows_of(prepared: Prepared, said: set[str]) -> dict[Collection, list[IndexRow]]:
    new = [r for r in prepared.rows["statements"] if r.owner not in said]
    said.update(r.owner for r in new)
    return {**prepared.rows, "statements": new}


def index_rows_built(bench: Bench) -> list[BenchRow]:
    """What building the text index took, and what it takes on the disk."""
    built, world = bench.built("lancedb"), bench.world
    index = bench.index()
    counts = {name: index.count(name) for name in _COLLECTIONS}
    index.close()
    rows = [row(CASE, f"rows_of_{name}", count, "count", 1, "lancedb") for name, count in counts.items()]
    return [
        *rows,
        *_time_and_memory(built, "lancedb"),
        row(CASE, "rows_per_second", sum(counts.values()) / _seconds(built), "rows/s", world.size.documents, "lancedb"),
        row(CASE, "disk", size_on_disk(bench.folder / "lance") / 1e6, "MB", 1, "lancedb"),
    ]


# --- a graph store ---------------------------------------------------------------------------------------------------


def with_graph(bench: Bench, system: str, progress: Callable[[str], None]) -> None:
    """Commit all documents."""
    built = bench.built(system)
    graph = bench.graph(system)
    try:
        if built.documents and not _is_there(graph, bench.world, built.documents - 1):
            built = Built()  # a server with a new data folder
        if built.done:
            return
        for intent in graph.open_intents():  # of a build that was cut off: its documents are put in once more
            graph.finish(intent.id)
        for batch in _batches(bench.world, built.documents):
            started = time.perf_counter()
            commit(graph, [p.graph for p in batch], number=built.documents)
            _step(bench, system, built, len(batch), time.perf_counter() - started, progress)
        started = time.perf_counter()
        graph.optimize()
        _finished(bench, system, built, time.perf_counter() - started)
    finally:
        graph.close()


def commit(graph: GraphStore, documents: Sequence[DocumentGraph], *, number: int) -> None:
    """One intent and one transaction, as ingest writes a batch."""
    intent = Intent(id=make_id("int", number), adds=tuple(d.document.id for d in documents), at=now())
    graph.begin(intent)
    graph.commit(Change(intent_id=intent.id, adds=tuple(documents), at=now()))
    graph.finish(intent.id)


def _is_there(graph: GraphStore, world: World, number: int) -> bool:
    prepared = next(world.documents(number, number + 1))
    return bool(graph.documents([prepared.graph.document.id], graph.scope(OWNER)))


def graph_rows_built(bench: Bench, system: str) -> list[BenchRow]:
    """What building a graph store took, and what it takes on the disk."""
    built, graph = bench.built(system), bench.graph(system)
    try:
        counts = graph.counts(graph.scope(OWNER))
    finally:
        graph.close()
    names = ("documents", "chunks", "statements", "mentions", "relations", "evidence")
    n = bench.world.size.documents
    rows = [row(CASE, name, getattr(counts, name), "count", 1, system) for name in names]
    rows += _time_and_memory(built, system)
    rows.append(row(CASE, "relations_per_second", counts.relations / _seconds(built), "1/s", n, system))
    if system == "embedded":
        rows.append(row(CASE, "disk", (bench.folder / "graph.db").stat().st_size / 1e6, "MB", 1, system))
        return rows
    nodes, links = written_in_neo4j(bench)
    rows.append(row(CASE, "nodes_and_relationships", nodes + links, "count", 1, system))
    rows.append(row(CASE, "nodes_and_relationships_per_second", (nodes + links) / _seconds(built), "1/s", n, system))
    return rows + server_rows(CASE)


def written_in_neo4j(bench: Bench) -> tuple[int, int]:
    """How many nodes and relationships the database holds, by its own count."""
    database = Neo4jDatabase(neo4j_address(bench.settings))
    try:
        nodes = database.rows("MATCH (n) RETURN count(n)")[0][0]
        return nodes, database.rows("MATCH ()-[r]->() RETURN count(r)")[0][0]
    finally:
        database.close()


def server_rows(case: str) -> list[BenchRow]:
    """Memory and disk of the server, where whoever started it has named its process and its folder."""
    rows = []
    status = Path(f"/proc/{os.environ.get('CLEW_BENCH_SERVER_PID', '')}/status")
    if status.is_file():
        peak = next((line for line in status.read_text("utf-8").splitlines() if line.startswith("VmHWM:")), "VmHWM: 0")
        rows.append(row(case, "server_peak_rss", int(peak.split()[1]) * 1.024 / 1e3, "MB", 1, "neo4j"))
    if home := os.environ.get("CLEW_BENCH_SERVER_HOME"):
        rows.append(row(case, "disk", size_on_disk(Path(home) / "data") / 1e6, "MB", 1, "neo4j"))
    return rows


# --- parts of both ---------------------------------------------------------------------------------------------------


def _batches(world: World, start: int) -> Iterator[list[Prepared]]:
    ordinary, last = world.size.documents, world.size.documents + world.size.hub_documents
    for first, stop, count in ((start, ordinary, BATCH), (max(start, ordinary), last, HUB_BATCH)):
        documents = world.documents(first, stop)
        while batch := list(islice(documents, count)):
            yield batch


def _step(bench: Bench, system: str, built: Built, count: int, seconds: float, progress: Callable[[str], None]) -> None:
    built.documents += count
    built.seconds += seconds
    bench.note(system, built)
    if built.documents % (20 * BATCH) < count:
        progress(f"{system}: {built.documents:,} documents, {built.documents / built.seconds:.0f}/s")


def _finished(bench: Bench, system: str, built: Built, seconds: float) -> None:
    built.finishing_seconds += seconds
    built.peak_rss = max(built.peak_rss, peak_rss_mb() or 0.0)
    built.done = True
    bench.note(system, built)


def _seconds(built: Built) -> float:
    return built.seconds + built.finishing_seconds


def _time_and_memory(built: Built, system: str) -> list[BenchRow]:
    return [
        row(CASE, "seconds", _seconds(built), "s", 1, system),
        row(CASE, "optimizing_seconds", built.finishing_seconds, "s", 1, system),
        row(CASE, "peak_rss", built.peak_rss, "MB", 1, system),
    ]


__all__ = ["BATCH", "CASE", "Bench", "Built", "build", "commit", "now", "server_rows"]
