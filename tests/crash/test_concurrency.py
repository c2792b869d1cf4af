"""Several processes at one store: writers take turns or say who is writing, readers never wait and see whole states."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from stand_ins import OpenKb
from writer_processes import ForkServer, fork_server

from graphrag import Document, KnowledgeBase
from graphrag.consistent_read import TRIES
from storage.errors import NotFoundError


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
        server.start("ingest", store, notes=str(notes), batch_documents=3, pause_at_steps=0.01)
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
    slow = server.start("ingest", store, notes=str(other), pause_at_steps=0.4)
    slow.reached("ingest.chunks.written")
    busy = server.run("ingest", store, notes=str(notes), groups=["hr"], lock_wait=0.0)
    assert busy.code == 1
    assert "StoreBusyError" in busy.stderr
    assert f"process {slow.pid} " in busy.stderr
    assert "reading is possible meanwhile" in busy.stderr
    assert slow.wait().code == 0
    assert server.do("state", store)["intents"] == 0
    assert len(server.do("state", store)["sources"]) == 8


@pytest.fixture(scope="module")
def read_meanwhile(server: ForkServer, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a reader saw while all five documents were replaced, in one step, six times."""

    def version(word: str) -> dict[str, str]:
        return {f"{i}": f"The {word} storm {i} causes the {word} flood {i}." for i in range(5)}

    folder = tmp_path_factory.mktemp("reader")
    store, stop = folder / "store", folder / "stop"
    server.do("write_versions", store, versions=[version("old")], rounds=1)
    reader = server.start("read_until", store, stop=str(stop), question="Why did the flood 3 happen?")
    try:
        versions = [version("new"), version("old")]
        server.do("write_versions", store, versions=versions, rounds=6, pause_at_steps=0.03)
    finally:
        stop.touch()
    ended = reader.wait()
    assert ended.code == 0, ended.stderr
    result: dict[str, Any] = ended.result
    return result


def test_a_reader_never_waits_and_never_mixes_two_states(read_meanwhile: dict[str, Any]) -> None:
    assert read_meanwhile["reads"] >= 3
    assert read_meanwhile["slowest"] < 5
    for texts in read_meanwhile["seen"]:
        assert len({text.split()[1] for text in texts}) <= 1, texts


def test_a_reader_always_sees_one_whole_state(read_meanwhile: dict[str, Any]) -> None:
    assert read_meanwhile["errors"] == []
    assert {len(texts) for texts in read_meanwhile["seen"]} == {5}


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
