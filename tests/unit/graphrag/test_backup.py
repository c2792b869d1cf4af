"""A backup is the whole of a knowledge base in one file; what is made of it is equal, or is not there."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import threading
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from stand_ins import FLOOD, OpenKb, SentenceExtractor, WordEmbedder

from graphrag import Document
from graphrag.knowledge_base import KnowledgeBase
from graphrag.settings import Settings
from storage.errors import StoreError, StoreFullError, UsageError
from storage.manifest import read_manifest

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
QUESTION = "Why did the late shipment happen?"


class Killed(BaseException):
    """Stands for the death of the process."""


def at(step: str) -> Callable[[str], None]:
    def die(reached: str) -> None:
        if reached == step:
            raise Killed

    return die


@pytest.fixture
def whole(open_kb: OpenKb, files: Callable[..., Path]) -> KnowledgeBase:
    kb = open_kb("store", clock=lambda: NOON)
    kb.ingest([files()])
    kb.ingest([Document(id="later", text="Snow causes ice.", valid_from=NOON + timedelta(days=9))])
    kb.ingest([Document(id="secret", text="The hidden plan causes a surprise.")])
    kb.remove("secret")
    proposed = kb.ask(QUESTION, propose=True).proposals
    kb.accept(proposed[0].id, reason="it holds", actor="ada")
    return kb


@pytest.fixture
def restored(tmp_path: Path) -> Callable[..., Any]:
    def make(file: Path, name: str = "copy", **options: Any) -> Any:
        settings = Settings(cache=tmp_path / "cache", **options.pop("set", {}))
        return KnowledgeBase.restore(file, tmp_path / name, settings=settings, clock=lambda: NOON, **options)

    return make


def test_a_restored_store_is_equal_and_answers_alike(
    whole: KnowledgeBase, restored: Callable[..., Any], open_kb: OpenKb, tmp_path: Path
) -> None:
    file = tmp_path / "a.clew-backup"
    made = whole.backup(file)
    report = restored(file)
    assert report.state_hash == made.state_hash == whole.status().state_hash
    assert report.rows == made.rows
    assert made.rows["documents"] == len(FLOOD) + 1
    assert made.ledger_entries == 3  # proposed, accepted, and the removal of a document
    copy = open_kb("copy", clock=lambda: NOON)
    assert copy.ask(QUESTION).text == whole.ask(QUESTION).text
    assert [c.id for c in copy.ask(QUESTION).chains] == [c.id for c in whole.ask(QUESTION).chains]
    found, expected = (kb.search("flooded road", limit=3).hits for kb in (copy, whole))
    assert [hit.chunk_id for hit in found] == [hit.chunk_id for hit in expected]
    assert list(copy._stores.graph.ledger()) == list(whole._stores.graph.ledger())
    assert copy.check().healthy, copy.check()
    copy.ingest([Document(id="new", text="Frost causes cracks.")])
    assert {p.name for p in tmp_path.iterdir()} == {"a.clew-backup", "cache", "copy", "notes", "store"}


def test_what_was_removed_is_not_in_a_backup(whole: KnowledgeBase, tmp_path: Path) -> None:
    file = tmp_path / "a.zip"
    whole.backup(file)
    with zipfile.ZipFile(file) as archive:
        for name in archive.namelist():
            assert b"hidden plan" not in archive.read(name)
        database = archive.read("graph.db")
    assert b"hidden" not in database


def test_settings_are_not_in_a_backup(whole: KnowledgeBase, tmp_path: Path) -> None:
    (tmp_path / "store" / "clew.toml").write_text('openai_api_key = "sk-very-secret"\n')
    report = whole.backup(tmp_path / "a.zip")
    assert "clew.toml is not in it" in report.as_text()
    assert b"sk-very-secret" not in (tmp_path / "a.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert not any("toml" in name for name in archive.namelist())


def test_readers_go_on_during_a_backup_and_writers_wait(whole: KnowledgeBase, open_kb: OpenKb, tmp_path: Path) -> None:
    other = open_kb("store", clock=lambda: NOON, set={"lock_wait": 0.1})
    seen: list[bool] = []

    def look(step: str) -> None:
        if step == "backup.rows.written":
            seen.append(other.ask(QUESTION).abstained)
            with pytest.raises(StoreError, match="being written"):
                other.ingest([Document(id="new", text="Frost causes cracks.")])

    object.__setattr__(whole._stores, "reached", look)
    thread = threading.Thread(target=whole.backup, args=(tmp_path / "a.zip",))
    thread.start()
    thread.join()
    assert seen == [False] * 4


@pytest.mark.parametrize("step", ["backup.graph.written", "backup.rows.written", "backup.finished"])
def test_an_interrupted_backup_leaves_no_file(step: str, whole: KnowledgeBase, tmp_path: Path) -> None:
    object.__setattr__(whole._stores, "reached", at(step))
    before = set(tmp_path.iterdir())
    with pytest.raises(Killed):
        whole.backup(tmp_path / "a.zip")
    assert set(tmp_path.iterdir()) == before


def test_a_backup_does_not_replace_a_file_unasked(whole: KnowledgeBase, tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_text("mine")
    with pytest.raises(UsageError, match="there already"):
        whole.backup(tmp_path / "a.zip")
    whole.backup(tmp_path / "a.zip", overwrite=True)
    with pytest.raises(StoreFullError):
        whole.backup(tmp_path / "none" / "a.zip")


STEPS = ("restore.graph.written", "restore.rows.written", "restore.verified")


@pytest.mark.parametrize("step", STEPS)
def test_a_half_written_restore_is_no_store(
    step: str, whole: KnowledgeBase, restored: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole.backup(tmp_path / "a.zip")
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", lambda *a, **k: None)  # a process that dies cleans nothing up
        with pytest.raises(Killed):
            restored(tmp_path / "a.zip", on_write_step=at(step))
    assert not (tmp_path / "copy").exists()
    assert read_manifest(tmp_path / ".copy.restoring") is None
    assert restored(tmp_path / "a.zip").sources == len(FLOOD) + 1
    assert not (tmp_path / ".copy.restoring").exists()


def test_only_a_new_or_empty_folder_is_restored_into(
    whole: KnowledgeBase, restored: Callable[..., Any], tmp_path: Path
) -> None:
    whole.backup(tmp_path / "a.zip")
    with pytest.raises(UsageError, match="new or empty"):
        restored(tmp_path / "a.zip", "store")
    with pytest.raises(UsageError, match="new or empty"):
        restored(tmp_path / "a.zip", "notes")
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "clew.toml").write_text("answer_tokens = 500\n")
    restored(tmp_path / "a.zip")
    assert (tmp_path / "copy" / "clew.toml").read_text() == "answer_tokens = 500\n"
    (tmp_path / "empty").mkdir()
    restored(tmp_path / "a.zip", "empty")


def test_a_cut_file_is_refused_wherever_it_is_cut(
    whole: KnowledgeBase, restored: Callable[..., Any], tmp_path: Path
) -> None:
    whole.backup(tmp_path / "a.zip")
    data = (tmp_path / "a.zip").read_bytes()
    for length in (0, 1, 30, len(data) // 2, len(data) - 100, len(data) - 1):
        (tmp_path / "b.zip").write_bytes(data[:length])
        with pytest.raises(StoreError, match="cut off or altered"):
            restored(tmp_path / "b.zip")
    with pytest.raises(StoreError, match="no backup"):
        restored(tmp_path / "none.zip")
    assert not (tmp_path / "copy").exists()


def test_an_altered_file_is_refused_wherever_it_is_altered(
    whole: KnowledgeBase, restored: Callable[..., Any], tmp_path: Path
) -> None:
    whole.backup(tmp_path / "a.zip")
    data = bytearray((tmp_path / "a.zip").read_bytes())
    harmless, refusals = 0, set()
    for place in range(0, len(data), max(1, len(data) // 60)):
        altered = bytearray(data)
        altered[place] ^= 0x55
        (tmp_path / "b.zip").write_bytes(altered)
        try:
            restored(tmp_path / "b.zip")
            harmless += 1  # a date or an attribute, which nothing reads
            shutil.rmtree(tmp_path / "copy")
        except StoreError as error:
            refusals.add(str(error).endswith("othing was restored."))
        assert not (tmp_path / "copy").exists()
    assert harmless <= 3
    assert refusals == {True}


def rewritten(file: Path, to: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    """The same archive with other members, whose sums and sizes are right."""
    import hashlib

    with zipfile.ZipFile(file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    contents = json.loads(members.pop("backup.json"))
    for name, member in members.items():
        contents["members"][name] = {"bytes": len(member), "sha256": hashlib.sha256(member).hexdigest()}
    contents["members"] = {name: sums for name, sums in contents["members"].items() if name in members}
    with zipfile.ZipFile(to, "w") as archive:
        for name, member in members.items():
            archive.writestr(name, member)
        archive.writestr("backup.json", json.dumps(contents))
    return to


@pytest.mark.parametrize("name", ["../evil", "/tmp/evil", "rows/../../evil", "C:\\evil", "lance/x", "clew.toml"])
def test_a_member_that_clew_did_not_write_is_refused(
    name: str, whole: KnowledgeBase, restored: Callable[..., Any], tmp_path: Path
) -> None:
    whole.backup(tmp_path / "a.zip")
    file = rewritten(tmp_path / "a.zip", tmp_path / "b.zip", lambda m: m.update({name: b"evil"}))
    with pytest.raises(StoreError, match="Nothing was restored"):
        restored(file)
    assert not any("evil" in path.name for path in tmp_path.rglob("*"))
    assert not Path("/tmp/evil").exists()


def other_state(members: dict[str, bytes]) -> None:
    contents = json.loads(members["backup.json"])
    contents["state_hash"] = "0" * 64
    members["backup.json"] = json.dumps(contents).encode()


def fewer_rows(members: dict[str, bytes]) -> None:
    members["rows/chains.arrow"] = members["rows/statements.arrow"]


def no_rows(members: dict[str, bytes]) -> None:
    del members["rows/chunks.arrow"]


def no_arrow(members: dict[str, bytes]) -> None:
    members["rows/chunks.arrow"] = b"none"


def trigger(members: dict[str, bytes]) -> None:
    connection = sqlite3.connect(":memory:")
    connection.deserialize(members["graph.db"])
    connection.execute("CREATE TRIGGER evil AFTER INSERT ON source BEGIN DELETE FROM ledger; END")
    connection.commit()
    members["graph.db"] = connection.serialize()


def no_database(members: dict[str, bytes]) -> None:
    members["graph.db"] = b"none" * 1000


@pytest.mark.parametrize("change", [other_state, fewer_rows, no_rows, no_arrow, trigger, no_database])
def test_what_does_not_prove_equal_is_not_kept(
    change: Callable[[dict[str, bytes]], None], whole: KnowledgeBase, restored: Callable[..., Any], tmp_path: Path
) -> None:
    whole.backup(tmp_path / "a.zip")
    with pytest.raises(StoreError):
        restored(rewritten(tmp_path / "a.zip", tmp_path / "b.zip", change))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.zip", "b.zip", "cache", "notes", "store"]


def test_a_full_disk_leaves_nothing(
    whole: KnowledgeBase, restored: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(StoreFullError, match="Free some space"):
            whole.backup(tmp_path / "a.zip")
    assert not (tmp_path / "a.zip").exists()


def test_a_neo4j_graph_is_backed_up_and_restored_to_either_store(
    neo4j_address: Any, open_kb: OpenKb, restored: Callable[..., Any], tmp_path: Path
) -> None:
    server = {
        "neo4j_uri": neo4j_address.uri, "neo4j_username": neo4j_address.username,
        "neo4j_password": neo4j_address.password, "neo4j_database": neo4j_address.database,
    }  # fmt: skip
    kb = open_kb("remote", clock=lambda: NOON, set={"graph": "neo4j", **server})
    for name, text in FLOOD.items():
        kb.ingest([Document(id=name, text=text, metadata={"\ud800": 1})])
    proposed = kb.ask(QUESTION, propose=True).proposals
    kb.accept(proposed[0].id, reason="it holds", actor="ada")
    assert kb.check().healthy, kb.check()
    made = kb.backup(tmp_path / "a.zip")
    assert restored(tmp_path / "a.zip", set={"graph": "embedded"}).state_hash == made.state_hash
    copy = open_kb("copy", clock=lambda: NOON)
    assert copy.ask(QUESTION).text == kb.ask(QUESTION).text
    with pytest.raises(StoreError, match="holds a graph already"):
        restored(tmp_path / "a.zip", "second", set=server)
    import neo4j
    import neo4j_server

    kb.close()
    with neo4j.GraphDatabase.driver(neo4j_address.uri, auth=(neo4j_address.username, neo4j_address.password)) as driver:
        neo4j_server.clear(driver, neo4j_address.database)
    report = restored(tmp_path / "a.zip", "second", set=server)
    assert (report.graph, report.state_hash) == ("neo4j", made.state_hash)
    again = open_kb("second", clock=lambda: NOON, set=server)
    assert again.check().healthy
    assert again.ask(QUESTION).text == copy.ask(QUESTION).text


def test_the_parts_work_for_asynchronous_programs(tmp_path: Path) -> None:
    import asyncio

    from graphrag import AsyncKnowledgeBase

    async def loop() -> None:
        settings = Settings(cache=tmp_path / "cache")
        parts = {"embedder": WordEmbedder(), "extractor": SentenceExtractor(), "settings": settings}
        async with await AsyncKnowledgeBase.open(tmp_path / "store", **parts) as kb:
            await kb.ingest([Document(id="a", text="Rain causes mud.")])
            assert (await kb.check()).healthy
            assert (await kb.repair()).healthy
            assert (await kb.optimize()).after.collections
            made = await kb.backup(tmp_path / "a.zip")
            report = await AsyncKnowledgeBase.restore(tmp_path / "a.zip", tmp_path / "copy", settings=settings)
            assert report.state_hash == made.state_hash

    asyncio.run(loop())
