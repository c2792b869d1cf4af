"""A store of the first release becomes one of this release by being opened: all of it or nothing, whoever looks on."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from feedback import verify
from storage import records as kinds
from storage.embedded_connection import Connections
from storage.embedded_graph import EmbeddedGraphStore
from storage.embedded_schema import SCHEMA_VERSION
from storage.errors import StoreBusyError, StoreVersionError
from storage.records import OWNER, Record, RelationType, Source, View
from storage.state_hash import canonical_line, state_hash

ROOT = Path(__file__).parents[3]
DATA = Path(__file__).parent / "data"
SAID = "486a7d7e86cd940bfa06a485f6cf572608cd1759094ad9c84a9ceb21c02f3abb"
"""The state hash that the first release said of this store."""
NOON = datetime(2026, 1, 6, 12, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The graph of a store of the first release: it knows no other tables than those that are written down there."""
    made = tmp_path / "graph.db"
    with closing(sqlite3.connect(made)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript((DATA / "schema_1.sql").read_text("utf-8"))
        connection.commit()
    return made


@pytest.fixture
def store(path: Path) -> Iterator[EmbeddedGraphStore]:
    with EmbeddedGraphStore(path, clock=lambda: NOON) as opened:
        yield opened


def written() -> list[Record]:
    """What the first release knew, in its own words."""
    lines = (DATA / "schema_1_records.jsonl").read_text("utf-8").splitlines()
    return [getattr(kinds, kind).model_validate(fields) for kind, fields in map(json.loads, lines)]


def version_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        version: int = connection.execute("PRAGMA user_version").fetchone()[0]
        return version


def shape_of(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every table's columns and every index's, whatever the words that they were made with."""
    with closing(sqlite3.connect(path)) as connection:
        names = connection.execute("SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'").fetchall()
        return {
            f"{kind} {name}": sorted(
                tuple(column[1:4]) if kind == "table" else tuple(column)
                for column in connection.execute(f"PRAGMA {kind}_info({name})")
            )
            for kind, name in names
        }


def test_every_record_is_there_and_the_state_hash_is_what_it_was(store: EmbeddedGraphStore) -> None:
    assert sorted(map(canonical_line, store.records())) == sorted(map(canonical_line, written()))
    assert store.state_hash() == state_hash(store.records()) == SAID
    assert store.faults() == []


def test_the_ledger_is_unbroken_and_proposals_are_as_they_were(store: EmbeddedGraphStore) -> None:
    report = verify(store.ledger())
    assert report.intact
    assert [entry.action for entry in store.ledger()] == ["propose", "accept", "propose"]
    assert sorted(p.status.value for p in store.proposals()) == ["accepted", "quarantined"]
    [(chain, status)] = store.derived_chains()
    assert (len(chain.relation_ids), status.value) == (2, "active")


def test_an_upgraded_store_is_read_and_written_like_a_new_one(store: EmbeddedGraphStore, tmp_path: Path) -> None:
    scope = store.scope(OWNER)
    # "later.md" holds from the 14th of January on, "old.md" was removed
    assert [s.path for s in store.sources(scope)] == ["rain.md", "road.md", "shop.md", "雨.txt"]
    assert [s.path for s in store.sources(store.scope(View(groups=frozenset({"hr"}))))] == ["shop.md"]
    heads = [r.head for r in written() if isinstance(r, kinds.Relation)]
    hop = store.edges(heads, scope, forward=True, types=list(RelationType), min_confidence=0, fan_out=9)
    assert len(hop.edges) == 5
    before = store.state_hash()
    [source] = [s for s in store.every_source() if s.path == "rain.md"]
    graphs = store.document_graphs([source.document_id])
    store.update_sources([source.model_copy(update={"groups": ("hr",)})])
    assert store.state_hash() != before
    store.update_sources([source])
    assert store.state_hash() == before
    assert store.document_graphs([source.document_id]) == graphs
    EmbeddedGraphStore(tmp_path / "new.db").close()
    assert shape_of(tmp_path / "graph.db") == shape_of(tmp_path / "new.db")


def test_an_upgrade_is_done_once(path: Path) -> None:
    for _ in range(3):
        with EmbeddedGraphStore(path) as opened:
            assert opened.state_hash() == SAID
        assert version_of(path) == SCHEMA_VERSION


def test_references_hold_after_an_upgrade_and_are_enforced(path: Path) -> None:
    EmbeddedGraphStore(path).close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connections = Connections(path, busy_timeout=1)
    with pytest.raises(Exception, match="FOREIGN KEY"), connections.writing() as connection:
        connection.execute("INSERT INTO mention VALUES ('stm_none', 'doc_none', 0, 1, 'x')")
    connections.close()


_DIES = """
import os, signal, sqlite3, sys
from pathlib import Path
from storage.embedded_graph import EmbeddedGraphStore
path, at = Path(sys.argv[1]), sys.argv[2]
if at.isdigit():
    left, plain = int(at), sqlite3.connect
    def counting(*args, **kwargs):
        connection = plain(*args, **kwargs)
        def count(statement):
            global left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        connection.set_trace_callback(count)
        return connection
    sqlite3.connect = counting
def reached(name):
    if name == at:
        os.kill(os.getpid(), signal.SIGKILL)
EmbeddedGraphStore(path, reached=reached).close()
if at.isdigit():
    print(int(at) - left)
"""


def start(path: Path, at: str = "never") -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", _DIES, str(path), at], cwd=ROOT, stdout=subprocess.PIPE, text=True)


def end_of(process: subprocess.Popen[str]) -> tuple[int, str]:
    said, _ = process.communicate(timeout=120)
    return process.returncode, said


def test_an_upgrade_that_is_killed_changed_nothing_and_can_be_done_again(path: Path, tmp_path: Path) -> None:
    measured = tmp_path / "measured.db"
    measured.write_bytes(path.read_bytes())
    code, said = end_of(start(measured, "100000"))
    assert code == 0
    moments = [str(int(int(said) * share)) for share in (0.3, 0.6, 0.8)]
    for at in [*moments, "graph.committing"]:
        assert end_of(start(path, at)) == (-signal.SIGKILL, ""), at
        assert version_of(path) == 1, at
    assert end_of(start(path, "graph.committed"))[0] == -signal.SIGKILL
    assert version_of(path) == SCHEMA_VERSION
    with EmbeddedGraphStore(path) as opened:
        assert opened.state_hash() == SAID
        assert opened.faults() == []


def test_several_processes_that_open_an_old_store_at_once_upgrade_it_once(path: Path) -> None:
    running = [start(path) for _ in range(4)]
    assert [end_of(process)[0] for process in running] == [0, 0, 0, 0]
    with EmbeddedGraphStore(path) as opened:
        assert opened.state_hash() == SAID
        assert opened.faults() == []


def test_a_reader_of_the_old_release_sees_the_old_state_until_it_is_done(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        before = reader.execute("SELECT source, class FROM document ORDER BY id").fetchall()
        EmbeddedGraphStore(path).close()
        assert reader.execute("SELECT source, class FROM document ORDER BY id").fetchall() == before
        assert reader.execute("PRAGMA table_info(same_as)").fetchall()[-1][1] == "origin"
        reader.execute("COMMIT")
        assert reader.execute("PRAGMA table_info(same_as)").fetchall()[-1][1] == "status"


def test_an_old_store_that_is_being_written_is_not_upgraded_meanwhile(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusyError, match="another process is writing"):
            EmbeddedGraphStore(path, busy_timeout=0.1)
        writer.execute("COMMIT")
    assert version_of(path) == 1


def test_a_store_of_this_release_is_opened_while_another_process_is_writing(path: Path) -> None:
    EmbeddedGraphStore(path).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("UPDATE meta SET value = value + 1 WHERE name = 'data_version'")
        with EmbeddedGraphStore(path, busy_timeout=0.1) as reader:
            assert len(reader.every_source()) == 5
        writer.execute("ROLLBACK")


def test_a_store_of_a_newer_version_is_refused_and_left_as_it_is(path: Path) -> None:
    EmbeddedGraphStore(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = path.read_bytes()
    with pytest.raises(StoreVersionError, match="Upgrade Clew"):
        EmbeddedGraphStore(path)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


def test_the_first_release_gave_times_that_are_still_the_same_moments(store: EmbeddedGraphStore) -> None:
    [later] = [r for r in written() if isinstance(r, Source) and r.path == "later.md"]
    found = next(s for s in store.every_source() if s.path == "later.md")
    assert found.valid_from == later.valid_from == datetime(2026, 1, 14, 12, tzinfo=UTC)
    assert found.ingested_at == datetime(2026, 1, 5, 12, tzinfo=UTC)
