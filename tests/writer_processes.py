"""Processes that write to a store and can be killed at any step, forked from one that has everything imported.

Importing LanceDB takes seconds, and a test that kills a writer at each of a hundred steps needs two hundred processes.
Run as a program, this module reads one JSON request a line from stdin, forks a process for each and answers with its
process id and how it ended. What a process prints, and its result, are left in files.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
QUESTION = "Why did the late shipment happen?"
ROOT = Path(__file__).parents[1]
GRAPH_WRITES = (
    "begin",
    "commit",
    "finish",
    "record_failures",
    "update_sources",
    "intern",
    "decide",
)
INDEX_WRITES = ("write", "delete_documents", "delete", "update_documents", "optimize")


@dataclass(frozen=True)
class Ended:
    """How a process ended."""

    code: int  # negative: the signal that killed it
    result: Any
    stderr: str
    steps: list[str]


class ForkServer:
    """Starts the processes; for use by tests."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = 0
        environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{Path(__file__).parent}"}
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=folder,
            env=environment,
        )

    def start(self, operation: str, store: Path, **options: Any) -> Running:
        """Begin ``operation`` (a function of this module) on ``store`` in a process of its own."""
        self._count += 1
        out = self._folder / f"process-{self._count}"
        self._ask({"do": "start", "operation": operation, "store": str(store), "options": options, "out": str(out)})
        return Running(self, int(self._answer()), out)

    def run(self, operation: str, store: Path, **options: Any) -> Ended:
        """Do ``operation`` and wait for its end."""
        return self.start(operation, store, **options).wait()

    def do(self, operation: str, store: Path, **options: Any) -> Any:
        """Do ``operation``, which must succeed; its result."""
        ended = self.run(operation, store, **options)
        assert ended.code == 0, ended.stderr
        return ended.result

    def wait(self, pid: int) -> int:
        """Wait for a process; its return code as :mod:`subprocess` gives it."""
        self._ask({"do": "wait", "pid": pid})
        return int(self._answer())

    def close(self) -> None:
        """End the server."""
        self._process.communicate()

    def _ask(self, request: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the fork server is gone"
        return line


@dataclass(frozen=True)
class Running:
    """A process that was started."""

    server: ForkServer
    pid: int
    out: Path

    def wait(self) -> Ended:
        """Wait for its end."""
        code = self.server.wait(self.pid)
        result = self.out.with_suffix(".json")
        steps = self.out.with_suffix(".steps")
        return Ended(
            code,
            json.loads(result.read_text("utf-8")) if result.exists() else None,
            self.out.with_suffix(".err").read_text("utf-8"),
            steps.read_text("utf-8").splitlines() if steps.exists() else [],
        )

    def reached(self, step: str, *, timeout: float = 60) -> None:
        """Wait until it has passed a step."""
        path, deadline = self.out.with_suffix(".steps"), time.monotonic() + timeout
        while not (path.exists() and step in path.read_text("utf-8")):
            assert time.monotonic() < deadline, f"{step} was not reached"
            time.sleep(0.005)


@contextlib.contextmanager
def fork_server(folder: Path) -> Iterator[ForkServer]:
    """A fork server for the time of the block."""
    server = ForkServer(folder)
    try:
        yield server
    finally:
        server.close()


# what the processes do


def ingest(store: Path, notes: str, **options: Any) -> Any:
    """Take a folder in."""
    chunk_tokens = options.pop("chunk_tokens", 350)
    if (documents := options.pop("batch_documents", None)) is not None:
        import graphrag.ingest

        graphrag.ingest.BATCH_DOCUMENTS = documents
    lock_wait = options.pop("lock_wait", 30.0)
    with _open(store, chunk_tokens=chunk_tokens, lock_wait=lock_wait) as kb:
        return kb.ingest([Path(notes)], **options).model_dump(mode="json")


def ingest_with_small_files(store: Path, notes: str, limit: int) -> Any:
    """Take a folder in, while no file may become larger than ``limit`` bytes."""
    import resource

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        return ingest(store, notes)
    finally:  # so that what went wrong can be written down
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))


def look(store: Path) -> dict[str, Any]:
    """Read a store: what is in it, and an answer."""
    with _open(store, read_only=True) as kb:
        answer = kb.ask("Why did the event 1 happen?")
        return {"paths": [f"{d.namespace}/{d.path}" for d in kb.documents().documents], "abstained": answer.abstained}


def remove(store: Path, name: str) -> Any:
    """Remove a source, unless it is gone."""
    from storage.errors import NotFoundError

    with _open(store) as kb, contextlib.suppress(NotFoundError):
        return kb.remove(name).model_dump(mode="json")


def propose(store: Path) -> Any:
    """Ask, and propose the chain of the answer."""
    with _open(store) as kb:
        return [p.model_dump(mode="json") for p in kb.ask(QUESTION, propose=True).proposals]


def accept(store: Path) -> Any:
    """Accept what waits."""
    with _open(store) as kb:
        return [
            kb.accept(p.id, reason="it holds", actor="ada").batch
            for p in kb.proposals()
            if p.status.value == "quarantined"
        ]


def roll_back(store: Path) -> None:
    """Undo what was accepted."""
    with _open(store) as kb:
        for p in kb.proposals():
            if p.status.value == "accepted":
                assert p.batch is not None
                kb.rollback(p.batch, reason="a mistake", actor="ada")


def recover(store: Path, **settings: Any) -> None:
    """Open the store, which finishes or undoes what was cut off."""
    with _open(store, **settings):
        pass


def state(store: Path, **settings: Any) -> dict[str, Any]:
    """Everything that is in the two stores, as opening leaves it."""
    with _open(store, **settings) as kb:
        return dump(kb)


def reopened(store: Path, again: str, options: dict[str, Any], settings: dict[str, Any]) -> list[dict[str, Any]]:
    """The state as opening leaves it, and then after doing the operation ``again``."""
    first = state(store, **settings)
    globals()[again](store, **options)
    return [first, state(store, **settings)]


def dump(kb: Any) -> dict[str, Any]:
    """Everything that is in the two stores of a knowledge base, in a form that can be compared."""
    from storage.ports import COLLECTIONS
    from storage.records import OWNER

    graph, index = kb._stores.graph, kb._stores.index
    scope = graph.scope(OWNER)
    sources = graph.sources(scope)
    chunks = graph.chunks([s.document_id for s in sources], scope)
    rows: dict[str, dict[str, dict[str, str]]] = {}
    for collection in COLLECTIONS:
        for row in index._table(collection).search().limit(100_000).to_list():
            row.pop("_rowid", None)
            digest = hashlib.sha256(repr(sorted(row.items(), key=lambda i: i[0])).encode("utf-8", "replace"))
            of_document = rows.setdefault(row["document_id"], {}).setdefault(collection, {})
            assert row["id"] not in of_document, f"{row['id']} is there twice"
            of_document[row["id"]] = digest.hexdigest()
    return {
        "state_hash": graph.state_hash(),
        "sources": {f"{s.namespace}/{s.path}": s.document_id for s in sources},
        "fingerprints": sorted({s.fingerprint for s in sources}),
        "chunks": {d: sorted(c.id for c in found) for d, found in chunks.items()},
        "rows": rows,
        "intents": len(graph.open_intents()),
        "derived": sorted([c.id, s.value] for c, s in graph.derived_chains()),
        "ledger": [e.action for e in graph.ledger()],
        "counts": graph.counts(scope).model_dump(),
    }


def read_until(store: Path, stop: str, question: str) -> dict[str, Any]:
    """Search again and again until the file ``stop`` is there: the sets of texts seen at once, and the longest time."""
    seen: set[tuple[str, ...]] = set()
    errors: set[str] = set()
    slowest = reads = 0.0
    with _open(store, read_only=True) as kb:
        while not Path(stop).exists():
            begun = time.monotonic()
            try:
                found = kb.search(question, limit=50)
                kb.ask(question)
            except Exception as error:  # noqa: BLE001 - told to the test
                errors.add(repr(error))
            else:
                seen.add(tuple(sorted(h.text for h in found.hits)))
            slowest = max(slowest, time.monotonic() - begun)
            reads += 1
    return {"seen": sorted(seen), "errors": sorted(errors), "slowest": slowest, "reads": reads}


def write_versions(store: Path, versions: list[dict[str, str]], rounds: int) -> None:
    """Ingest one version of all documents after the other, each in one step."""
    from graphrag import Document

    with _open(store) as kb:
        for i in range(rounds):
            documents = [Document(id=name, text=text) for name, text in versions[i % len(versions)].items()]
            kb.ingest(documents)


def clew(store: Path, arguments: list[str], embedded: str = "", pause: float = 0.0) -> None:
    """The command line with the stand-ins; ``embedded`` gets one line per text that is really embedded."""
    from stand_ins import SentenceExtractor, WordEmbedder

    from extractors.embedders.cache import CachedEmbedder
    from graphrag import console, extractor_choice, opening

    class Counted(WordEmbedder):
        def embed(self, texts: Any, side: Any) -> Any:
            time.sleep(pause)
            vectors = super().embed(texts, side)
            if embedded:
                with open(embedded, "a", encoding="utf-8") as file:
                    file.writelines(json.dumps([side, t]) + "\n" for t in texts)
            return vectors

    cache = store.parent / "cache" / "embeddings.sqlite"
    opening.open_embedder = lambda *_, **__: CachedEmbedder(Counted(), cache)
    extractor_choice.default_extractor = SentenceExtractor
    sys.argv = ["clew", *arguments]
    console.main()


def _open(store: Path, *, read_only: bool = False, **settings: Any) -> Any:
    from stand_ins import SentenceExtractor, WordEmbedder

    from graphrag.knowledge_base import KnowledgeBase
    from graphrag.settings import Settings

    settings.setdefault("lock_wait", 30.0)
    settings |= json.loads(os.environ.get("CLEW_TEST_SETTINGS", "{}"))
    return KnowledgeBase.open(
        store,
        embedder=WordEmbedder(),
        extractor=SentenceExtractor(),  # type: ignore[arg-type]
        settings=Settings(cache=store.parent / "cache", **settings),
        clock=lambda: NOON,
        create=not read_only,
        on_write_step=_hook,
    )


# steps


class _Steps:
    """The moments between two changes of the stores, named; the process can die at one of them."""

    def __init__(self, log: Path, kill_at: int | None, pause: float) -> None:
        self._log = log
        self._kill_at = kill_at
        self._pause = pause
        self._done = 0
        self._since: str | None = None  # the change after which no step was passed yet

    def changed(self, name: str) -> None:
        self._since = name

    def passed(self, name: str | None = None) -> None:
        """A step: named by the hook of the product, or by the change before it."""
        name = name or (f"after {self._since}" if self._since else None)
        if name is None:
            return
        self._since = None
        self._done += 1
        with open(self._log, "a", encoding="utf-8") as file:
            file.write(name + "\n")
        if self._done == self._kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(self._pause)


_steps: _Steps | None = None


def _hook(name: str) -> None:
    if _steps:
        _steps.passed(name)


def _watch(steps: _Steps) -> None:
    from storage.embedded_graph import EmbeddedGraphStore
    from storage.lance_index import LanceTextIndex
    from storage.neo4j_graph import Neo4jGraphStore

    def wrap(cls: type, name: str) -> None:
        original: Callable[..., Any] = getattr(cls, name)

        def watched(*args: Any, **kwargs: Any) -> Any:
            steps.passed()
            try:
                return original(*args, **kwargs)
            finally:
                steps.changed(name)

        setattr(cls, name, watched)

    for cls in (EmbeddedGraphStore, Neo4jGraphStore):
        for name in GRAPH_WRITES:
            wrap(cls, name)
    for name in INDEX_WRITES:
        wrap(LanceTextIndex, name)


def _child(request: dict[str, Any]) -> int:
    global _steps
    out = Path(request["out"])
    with open(out.with_suffix(".err"), "w", encoding="utf-8") as err, open(os.devnull, encoding="utf-8") as nothing:
        os.dup2(nothing.fileno(), 0)
        os.dup2(err.fileno(), 1)
        os.dup2(err.fileno(), 2)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    options = request["options"]
    _steps = _Steps(out.with_suffix(".steps"), options.pop("kill_at", None), options.pop("pause_at_steps", 0.0))
    _watch(_steps)
    try:
        result = globals()[request["operation"]](Path(request["store"]), **options)
        out.with_suffix(".json").write_text(json.dumps(result), encoding="utf-8")
    except SystemExit as end:
        return int(end.code or 0)
    except BaseException:  # noqa: BLE001 - what the process would have died of
        traceback.print_exc()
        return 1
    return 0


def _serve() -> None:
    warnings.simplefilter("ignore")  # forking with threads: nothing of LanceDB is in use here yet
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    import lancedb  # noqa: F401

    import graphrag.console
    import graphrag.knowledge_base  # noqa: F401
    from extractors.keys import statement_key

    statement_key("the storm", "en"), statement_key("暴雨", "zh")  # dictionaries are loaded once
    for line in sys.stdin:
        request = json.loads(line)
        if request["do"] == "wait":
            print(os.waitstatus_to_exitcode(os.waitpid(request["pid"], 0)[1]), flush=True)
            continue
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                code = _child(request)
            finally:
                sys.stderr.flush()
                os._exit(code)
        print(pid, flush=True)


if __name__ == "__main__":
    # The processes find everything under the name that tests import it by.
    sys.modules["writer_processes"] = sys.modules["__main__"]
    _serve()
