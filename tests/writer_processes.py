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
import shutil
import signal
import subprocess
import sys
import time
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
QUESTION = "Why did the late shipment happen?"
ROOT = Path(__file__).parents[1]


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
    keep_versions = options.pop("keep_versions", False)
    chunk_tokens = options.pop("chunk_tokens", 350)
    if (documents := options.pop("batch_documents", None)) is not None:
        import graphrag.ingest

        graphrag.ingest.BATCH_DOCUMENTS = documents
    lock_wait = options.pop("lock_wait", 30.0)
    with _open(store, chunk_tokens=chunk_tokens, lock_wait=lock_wait, keep_versions=keep_versions) as kb:
        return kb.ingest([Path(notes)], **options).model_dump(mode="json")


def ingest_rounds(store: Path, writers: list[int], rounds: int, start: str = "") -> list[str]:
    """Take in documents that others take in too, round by round; those that this process was first with.

    Writer ``n`` has six documents a round, of which it shares four with those before it and four with those after it.
    It begins when the file ``start`` is there.
    """
    from graphrag import Document

    added: list[str] = []
    with _open(store, lock_wait=300.0) as kb:
        while start and not Path(start).exists():
            time.sleep(0.01)
        for number in range(rounds):
            for writer in writers:
                ids = [f"{1000 * number + i}" for i in range(2 * writer, 2 * writer + 6)]
                text = "The event {0} causes the fire {0}."
                report = kb.ingest([Document(id=i, text=text.format(i), language="en") for i in ids])
                assert report.unchanged + len(report.added) == len(ids)
                added += report.added
    return added


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


def supersede(store: Path) -> None:
    """Take in another version of one file, which holds for a month so far, and keep the one that was there."""
    from graphrag import Document

    text = "The storm causes heavy rain. The storm causes the wind."
    with _open(store, keep_versions=True) as kb:
        month_ago = NOON.replace(month=NOON.month - 1)
        kb.ingest(Document(id="rain.md", title="Rain", text=text, valid_from=month_ago), namespace="notes")


def remove(store: Path, name: str) -> Any:
    """Remove a source, unless it is gone."""
    from storage.errors import NotFoundError

    with _open(store) as kb, contextlib.suppress(NotFoundError):
        return kb.remove(name).model_dump(mode="json")


def propose(store: Path) -> Any:
    """Ask, and propose the chain of the answer, unless something was proposed before."""
    with _open(store) as kb:
        if kb.proposals():
            return []
        return [p.model_dump(mode="json") for p in kb.ask(QUESTION, propose=True).proposals]


def accept(store: Path) -> Any:
    """Accept what waits."""
    with _open(store) as kb:
        return [
            kb.accept(p.id, reason="it holds", actor="ada").batch
            for p in kb.proposals()
            if p.status.value == "quarantined"
        ]


def reject(store: Path) -> None:
    """Refuse what waits."""
    with _open(store) as kb:
        for p in kb.proposals():
            if p.status.value == "quarantined":
                kb.reject(p.id, reason="it does not hold", actor="ada")


def doubt(store: Path) -> None:
    """Reject a relation that an accepted chain goes over, unless it is rejected."""
    with _open(store) as kb:
        [(chain, _)] = kb._stores.graph.derived_chains()
        if not kb.verdicts():
            kb.reject(chain.relation_ids[0], reason="it does not hold", actor="ada")


def roll_back(store: Path) -> None:
    """Undo what was accepted."""
    with _open(store) as kb:
        for p in kb.proposals():
            if p.status.value == "accepted":
                assert p.batch is not None
                kb.rollback(p.batch, reason="a mistake", actor="ada")


def optimize(store: Path) -> None:
    """Fold the files of the index together, and compact the graph."""
    with _open(store) as kb:
        kb.optimize()


def backup(store: Path, file: str) -> str:
    """Write a backup; the state hash that is in it."""
    with _open(store) as kb:
        return str(kb.backup(file, overwrite=True).state_hash)


def restore(store: Path, file: str) -> None:
    """Make a store of a backup, unless it is there."""
    from graphrag.knowledge_base import KnowledgeBase

    if not (store / "manifest.json").exists():
        KnowledgeBase.restore(file, store, settings=_settings(store), clock=lambda: NOON, on_write_step=_hook)


def migrate(store: Path, to: str) -> None:
    """Copy the graph to another graph store, unless it is there."""
    from graphrag.migrate import migrate
    from storage.manifest import read_manifest

    manifest = read_manifest(store)
    assert manifest is not None
    if manifest.graph != to:
        migrate(store, to, _settings(store), clock=lambda: NOON, reached=_hook)  # type: ignore[arg-type]


def reindex(store: Path) -> None:
    """Embed the store anew in tables of its own per access class, unless it is; then change the groups of all."""
    from stand_ins import HashEmbedder

    from graphrag.knowledge_base import KnowledgeBase
    from graphrag.writing import recover, update_sources
    from storage.manifest import read_manifest
    from storage.writer_lock import writer_lock

    manifest = read_manifest(store)
    assert manifest is not None
    if manifest.isolation != "strict":
        KnowledgeBase.reindex(
            store,
            embedder=HashEmbedder(),
            isolation="strict",
            settings=_settings(store),
            clock=lambda: NOON,
            on_write_step=_hook,
        )
    with _open(store, embedder=HashEmbedder()) as kb, writer_lock(store, wait_seconds=30):
        recover(kb._stores)
        sources = kb._stores.graph.every_source()
        due = [s.model_copy(update={"groups": ("hr",)}) for s in sources if s.groups != ("hr",)]
        update_sources(kb._stores, due)


def reindexed_state(store: Path) -> dict[str, Any]:
    """Everything that :func:`reindex` changes, and what it must leave."""
    from stand_ins import HashEmbedder

    from storage.ports import COLLECTIONS

    with _open(store, embedder=HashEmbedder()) as kb:
        graph, index = kb._stores.graph, kb._stores.index
        sources = graph.every_source()
        found: dict[str, Any] = {name: [] for name in COLLECTIONS}
        for name in COLLECTIONS:
            rows = index.document_rows(name, [s.document_id for s in sources])
            rows += index.derived_rows(vectors=True) if name == "chains" else []
            for row in rows:
                digest = "" if row.vector is None else hashlib.sha256(row.vector.tobytes()).hexdigest()
                found[name].append([row.id, row.access_class, row.text, digest])
            found[name].sort()
        return {
            "state_hash": graph.state_hash(),
            "rows": found,
            "counts": [index.count(name) for name in COLLECTIONS],
            "fingerprints": sorted({s.fingerprint for s in sources}),
            "groups": sorted({group for s in sources for group in s.groups}),
            "same_as": [link.model_dump() for link in graph.residue().same_as],
            "manifest": kb._stores.manifest.model_dump(mode="json", include={"embedder", "isolation", "dimensions"}),
            "healthy": kb.check().healthy,
            "left": sorted(str(p.relative_to(store)) for p in store.glob("lance*/reindex.json")),
        }


def damage(store: Path) -> None:
    """Lose a table, rows of others, and a status of the graph."""
    import sqlite3

    with _open(store) as kb:
        index = kb._stores.index
        documents = sorted(index.document_ids())
        index.delete_documents(documents[:2], collections=("chunks",))
        index.delete("chains", [row.id for row in index.derived_rows()])
    shutil.rmtree(store / "lance" / "statements.lance")
    with contextlib.closing(sqlite3.connect(store / "graph.db")) as graph:
        graph.execute("UPDATE relation SET status = 'retired' WHERE id = (SELECT min(id) FROM relation)")
        graph.commit()


def repair(store: Path) -> bool:
    """Repair a store; whether all agrees then."""
    from graphrag.repair import repair
    from storage.writer_lock import writer_lock

    with _open(store, recovering=False) as kb, writer_lock(store, wait_seconds=30):
        return bool(repair(kb._stores).healthy)


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
    always = scope.model_copy(update={"at": None})
    sources = graph.sources(always)
    older = {s.document_id for s in graph.kept_versions()}
    chunks = graph.chunks([s.document_id for s in sources], always)
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
        "sources": {
            f"{s.namespace}/{s.path}{f' ({s.document_id})' if s.document_id in older else ''}": s.document_id
            for s in sources
        },
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


def _settings(store: Path, **settings: Any) -> Any:
    from graphrag.settings import Settings

    settings.setdefault("lock_wait", 30.0)
    settings.setdefault("walk_seconds", 60.0)  # what a walk finds must not depend on how busy the machine is
    settings |= json.loads(os.environ.get("CLEW_TEST_SETTINGS", "{}"))
    return Settings(cache=store.parent / "cache", **settings)


def _open(
    store: Path, *, read_only: bool = False, recovering: bool = True, embedder: Any = None, **settings: Any
) -> Any:
    """A knowledge base with the stand-ins; without ``recovering``, as a damaged store is opened to be repaired."""
    from stand_ins import SentenceExtractor, WordEmbedder

    from graphrag.knowledge_base import KnowledgeBase
    from graphrag.opening import open_stores

    parts: dict[str, Any] = {
        "embedder": embedder or WordEmbedder(),
        "extractor": SentenceExtractor(),
        "settings": _settings(store, **settings),
        "clock": lambda: NOON,
        "create": not read_only,
    }
    if recovering:
        return KnowledgeBase.open(store, **parts, on_write_step=_hook)
    return KnowledgeBase(open_stores(store, **parts, chunker=None, reached=_hook))


# steps


class _Steps:
    """The fault points that were passed, in order; the process can die at one, or wait there for a file to be made."""

    def __init__(self, log: Path, kill_at: int | None, pause: float, hold_at: tuple[str, str] | None) -> None:
        self._log = log
        self._kill_at = kill_at
        self._pause = pause
        self._hold_at = hold_at
        self._done = 0

    def passed(self, name: str) -> None:
        """A fault point of the product, which must be in its table."""
        from storage.fault_points import FAULT_POINTS

        if name not in FAULT_POINTS:
            raise LookupError(f"{name} is no fault point of storage.fault_points")
        self._done += 1
        with open(self._log, "a", encoding="utf-8") as file:
            file.write(name + "\n")
        if self._done == self._kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(self._pause)
        deadline = time.monotonic() + 120
        while self._hold_at and name == self._hold_at[0] and not Path(self._hold_at[1]).exists():
            assert time.monotonic() < deadline, f"nobody made {self._hold_at[1]}"
            time.sleep(0.01)


_steps: _Steps | None = None


def _hook(name: str) -> None:
    if _steps:
        _steps.passed(name)


def _child(request: dict[str, Any]) -> int:
    global _steps
    out = Path(request["out"])
    with open(out.with_suffix(".err"), "w", encoding="utf-8") as err, open(os.devnull, encoding="utf-8") as nothing:
        os.dup2(nothing.fileno(), 0)
        os.dup2(err.fileno(), 1)
        os.dup2(err.fileno(), 2)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    options = request["options"]
    _steps = _Steps(
        out.with_suffix(".steps"),
        options.pop("kill_at", None),
        options.pop("pause_at_steps", 0.0),
        options.pop("hold_at", None),
    )
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
