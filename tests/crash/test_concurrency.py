"""Several processes at one store: writers take turns or say who is writing, readers never wait and see whole states."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import soak_figures
from stand_ins import OpenKb
from writer_processes import ForkServer, fork_server

from graphrag import Document, KnowledgeBase
from graphrag.consistent_read import TRIES
from storage.errors import NotFoundError
from storage.neo4j_database import Neo4jAddress

READERS = 4
WRITERS = 8
ROUNDS = 50 if os.environ.get("CLEW_SOAK") == "1" else 5


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkServer]:
    with fork_server(tmp_path_factory.mktemp("processes")) as started:
        yield started


def write(folder: Path, contents: dict[str, str]) -> Path:
    folder.mkdir(parents=True)
    for name, text in contents.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def story(numbers: range) -> dict[str, str]:
    return {f"{i}.md": f"The event {i} causes the event {i + 1}.\n\n事件{i}导致火灾{i}。\n" for i in numbers}


def test_two_ingesters_with_overlapping_folders_store_everything_once(server: ForkServer, tmp_path: Path) -> None:
    first = write(tmp_path / "one" / "notes", story(range(12)))
    second = write(tmp_path / "two" / "notes", story(range(6, 18)))
    both = write(tmp_path / "both" / "notes", story(range(18)))
    expected_store = tmp_path / "expected" / "store"
    server.do("ingest", expected_store, notes=str(both))
    expected = server.do("state", expected_store)
    store = tmp_path / "shared" / "store"
    running = [
        server.start("ingest", store, notes=str(notes), batch_documents=3, pause_at_steps=0.003)
        for notes in (first, second)
    ]
    reports = [process.wait() for process in running]
    for ended in reports:
        assert ended.code == 0, ended.stderr
        assert ended.result["failed"] == []
    # Which of the two came first is open; the documents that both hold are stored by one of them.
    assert sorted(len(r.result["added"]) for r in reports) == [6, 12]
    assert sorted(r.result["unchanged"] for r in reports) == [0, 6]
    found = server.do("state", store)
    for part in ("state_hash", "sources", "chunks", "rows", "counts", "intents"):
        assert found[part] == expected[part], part


def test_a_writer_that_does_not_wait_is_told_who_is_writing(server: ForkServer, tmp_path: Path) -> None:
    notes = write(tmp_path / "notes", story(range(4)))
    store = tmp_path / "store"
    server.do("ingest", store, notes=str(notes))
    other = write(tmp_path / "other", story(range(4, 8)))
    hold_at = ("ingest.chunks.written", str(tmp_path / "go-on"))
    slow = server.start("ingest", store, notes=str(other), hold_at=hold_at)
    slow.reached("ingest.chunks.written")
    busy = server.run("ingest", store, notes=str(notes), groups=["hr"], lock_wait=0.0)
    assert busy.code == 1
    assert "StoreBusyError" in busy.stderr
    assert f"process {slow.pid} " in busy.stderr
    assert "reading is possible meanwhile" in busy.stderr
    (tmp_path / "go-on").touch()
    assert slow.wait().code == 0
    assert server.do("state", store)["intents"] == 0
    assert len(server.do("state", store)["sources"]) == 8


def test_the_lock_of_a_writer_that_was_killed_is_free_at_once(server: ForkServer, tmp_path: Path) -> None:
    notes = write(tmp_path / "notes", story(range(4)))
    store = tmp_path / "store"
    hold_at = ("ingest.chunks.written", str(tmp_path / "never"))
    holder = server.start("ingest", store, notes=str(notes), hold_at=hold_at)
    holder.reached("ingest.chunks.written")
    os.kill(holder.pid, signal.SIGKILL)
    assert holder.wait().code == -signal.SIGKILL
    report = server.do("ingest", store, notes=str(notes), lock_wait=0.0)
    assert sorted(report["added"]) == sorted(story(range(4)))
    assert server.do("state", store)["intents"] == 0


def check_rounds(server: ForkServer, alone: ForkServer, store: Path, expected: Path, rounds: int) -> None:
    """Eight writers at one store: every document is in once, and all is as one writer would have it."""
    start = store.parent / "start"
    server.do("ingest_rounds", store, writers=[0], rounds=0)  # makes the store
    running = [
        server.start("ingest_rounds", store, writers=[n], rounds=rounds, start=str(start)) for n in range(WRITERS)
    ]
    start.touch()
    added: list[str] = []
    for process in running:
        ended = process.wait()
        assert ended.code == 0, ended.stderr
        added += ended.result
    documents = {f"{1000 * r + i}" for r in range(rounds) for i in range(2 * WRITERS + 4)}
    assert sorted(added) == sorted(documents)  # each by one of those that hold it
    found = server.do("state", store)
    assert len(found["sources"]) == len(documents)
    one = len(documents)  # each is one chunk, one relation and one piece of evidence, and none is there twice
    assert [found["counts"][c] for c in ("documents", "chunks", "relations", "evidence")] == [one, one, one, one]
    alone.do("ingest_rounds", expected, writers=list(range(WRITERS)), rounds=rounds)
    wanted = alone.do("state", expected)
    for part in ("state_hash", "sources", "chunks", "rows", "intents"):
        assert found[part] == wanted[part], part
    soak_figures.note("8 ingesters of overlapping documents at once", tries=rounds, unit="rounds")


def test_eight_ingesters_of_overlapping_documents_store_everything_once(server: ForkServer, tmp_path: Path) -> None:
    check_rounds(server, server, tmp_path / "one" / "store", tmp_path / "expected" / "store", ROUNDS)


def test_eight_ingesters_on_neo4j_store_everything_once(
    server: ForkServer, neo4j_address: Neo4jAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {
        "graph": "neo4j",
        "neo4j_uri": neo4j_address.uri,
        "neo4j_username": neo4j_address.username,
        "neo4j_password": neo4j_address.password,
        "neo4j_database": neo4j_address.database,
    }
    monkeypatch.setenv("CLEW_TEST_SETTINGS", json.dumps(settings))
    (tmp_path / "processes").mkdir()
    with fork_server(tmp_path / "processes") as on_neo4j:
        check_rounds(on_neo4j, server, tmp_path / "one" / "store", tmp_path / "expected" / "store", max(1, ROUNDS // 5))


@pytest.fixture(scope="module")
def read_meanwhile(server: ForkServer, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What each of four readers saw while all five documents were replaced, in one step, six times."""

    def version(word: str) -> dict[str, str]:
        return {f"{i}": f"The {word} storm {i} causes the {word} flood {i}." for i in range(5)}

    folder = tmp_path_factory.mktemp("reader")
    store, stop = folder / "store", folder / "stop"
    server.do("write_versions", store, versions=[version("old")], rounds=1)
    question = "Why did the flood 3 happen?"
    readers = [server.start("read_until", store, stop=str(stop), question=question) for _ in range(READERS)]
    try:
        versions = [version("new"), version("old")]
        server.do("write_versions", store, versions=versions, rounds=6, pause_at_steps=0.008)
    finally:
        stop.touch()
    results = []
    for reader in readers:
        ended = reader.wait()
        assert ended.code == 0, ended.stderr
        results.append(ended.result)
    return results


def test_readers_never_wait_and_never_mix_two_states(read_meanwhile: list[dict[str, Any]]) -> None:
    for reader in read_meanwhile:
        assert reader["reads"] >= 2
        assert reader["slowest"] < 30  # on the busiest machine; one that waited would wait for all of the writing
        for texts in reader["seen"]:
            assert len({text.split()[1] for text in texts}) <= 1, texts


def test_readers_always_see_one_whole_state(read_meanwhile: list[dict[str, Any]]) -> None:
    for reader in read_meanwhile:
        assert reader["errors"] == []
        assert {len(texts) for texts in reader["seen"]} == {5}


def version(i: int) -> Document:
    return Document(id="a", text=f"The storm {i} causes the flood.")


def write_at(kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch, name: str, write: Callable[[], object]) -> None:
    """Write each time the graph is about to be asked for ``name`` by a reader, but not by the writing itself."""
    original, writing = getattr(kb._stores.graph, name), False

    def read(*args: Any, **options: Any) -> Any:
        nonlocal writing
        if not writing:
            writing = True
            try:
                write()
            finally:
                writing = False
        return original(*args, **options)

    monkeypatch.setattr(kb._stores.graph, name, read)


@pytest.mark.parametrize("name", ["statements", "evidence", "chunks", "documents", "sources"])
def test_a_commit_between_two_reads_of_one_operation_is_not_seen(
    open_kb: OpenKb, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    kb = open_kb()
    versions = iter(range(1, 3))
    kb.ingest(version(0))

    def write() -> None:
        if (i := next(versions, None)) is not None:
            kb.ingest(version(i))

    write_at(kb, monkeypatch, name, write)
    expected = ["The storm 2 causes the flood."]
    assert [h.text for h in kb.search("Why did the flood happen?").hits] == expected
    assert next(versions, None) is None
    versions = iter(range(3, 5))
    answer = kb.ask("Why did the flood happen?")
    assert next(versions, None) is None
    assert {c.quote for c in answer.citations} == {"The storm 4 causes the flood"}
    if name != "chunks":
        versions = iter(range(5, 7))
        [chain] = kb.chains(end="flood").chains
        assert next(versions, None) is None
        assert chain.links[0].head == "The storm 6"
    if name in ("documents", "sources"):
        versions = iter(range(7, 9))
        assert len(kb.documents().documents) == 1
        assert next(versions, None) is None


def test_what_goes_at_every_try_is_read_as_it_is_and_what_is_not_there_is_looked_for_once(
    open_kb: OpenKb, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb = open_kb()
    kb.ingest(version(0))
    writes: list[int] = []

    def write() -> None:
        writes.append(len(writes) + 1)
        kb.ingest(version(writes[-1]))

    with monkeypatch.context() as patch:
        write_at(kb, patch, "chunks", write)
        assert kb.search("Why did the flood happen?").hits == ()
    assert len(writes) >= TRIES
    looks: list[str] = []
    write_at(kb, monkeypatch, "scope", lambda: looks.append("scope"))
    with pytest.raises(NotFoundError):
        kb.explain("chn_" + "0" * 32)
    assert looks == ["scope"]
