"""What only the embedded graph store promises: its file, its errors, its verdict column."""

from __future__ import annotations

import os
import sqlite3
import threading

import pytest

from storage.embedded_graph import EmbeddedGraphStore
from storage.embedded_schema import SCHEMA_VERSION
from storage.errors import StoreBusyError, StoreError, StoreFullError, StoreVersionError
from storage.records import OWNER, RelationType


@pytest.fixture
def path(tmp_path):
    return tmp_path / "graph.db"


def run(path, *statements):
    connection = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        connection.execute(statement)
    connection.close()


def test_a_newer_schema_is_refused_and_left_alone(path):
    EmbeddedGraphStore(path).close()
    run(path, f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    with pytest.raises(StoreVersionError, match="Upgrade Clew"):
        EmbeddedGraphStore(path)
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION + 1,)
    connection.close()


def test_a_foreign_database_is_refused_and_left_alone(path):
    run(path, "CREATE TABLE theirs (x)")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="not a Clew graph store"):
        EmbeddedGraphStore(path)
    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_refused(path):
    path.write_bytes(b"not a database, but long enough to be looked at " * 100)
    with pytest.raises(StoreError, match="damaged or is not a database"):
        EmbeddedGraphStore(path)


def test_a_damaged_file_is_reported_as_such(path, samples):
    with EmbeddedGraphStore(path) as store:
        samples.put(store, samples.document("a", [(f"w{i}", f"v{i}", 0.5) for i in range(300)]))
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)
    with pytest.raises(StoreError, match="damaged"), EmbeddedGraphStore(path) as store:
        store.state_hash()


def test_a_folder_in_the_place_of_the_file_is_reported(path):
    path.mkdir()
    with pytest.raises(StoreFullError, match="cannot be opened"):
        EmbeddedGraphStore(path)


def test_a_writer_that_does_not_finish_makes_others_give_up(path, samples):
    with EmbeddedGraphStore(path, busy_timeout=0.1) as store:
        blocking = sqlite3.connect(path, isolation_level=None)
        blocking.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusyError, match="another process"):
            samples.put(store, samples.document("a"))
        assert store.counts(store.scope(OWNER)).documents == 0  # readers do not wait
        assert len(store.state_hash()) == 64
        blocking.execute("ROLLBACK")
        blocking.close()
        samples.put(store, samples.document("a"))
        assert store.counts(store.scope(OWNER)).documents == 1


def test_a_full_disk_leaves_nothing_of_the_change(path, samples):
    with EmbeddedGraphStore(path) as store:
        samples.put(store, samples.document("a", [("a", "b", 0.5)]))
        before = store.state_hash()
        with store._connections.writing() as connection:
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
            connection.execute(f"PRAGMA max_page_count = {pages + 2}")
        big = samples.document("big", [(f"w{i}", f"v{i}", 0.5) for i in range(500)])
        with pytest.raises(StoreFullError, match="Free some space"):
            samples.put(store, big)
        assert store.state_hash() == before
        with store._connections.writing() as connection:
            connection.execute("PRAGMA max_page_count = 1000000")
        samples.put(store, big)
        assert store.counts(store.scope(OWNER)).documents == 2


def test_what_a_person_rejected_stays_rejected_through_removal_and_return(path, samples):
    chain = samples.chain("a", "b", "c")
    put = samples.document("d", [("a", "b", 0.5), ("b", "c", 0.5)], chains=[chain, samples.chain("b", "c")])
    first, second = samples.relation("a", "b").id, samples.relation("b", "c").id
    with EmbeddedGraphStore(path) as store:
        samples.put(store, put)
        for table, id_ in (("relation", first), ("chain", samples.chain("b", "c").id)):
            with store._connections.writing() as connection:
                connection.execute(f"UPDATE {table} SET status = 'rejected' WHERE id = ?", (id_,))
        for _ in range(2):
            samples.put(store, put)
            scope = store.scope(OWNER)
            assert set(store.relations([first, second], scope)) == {second}
            assert store.chains([c.id for c in put.chains], scope) == {}
            assert store.evidence([first], scope) == {}
            hop = store.edges(
                [samples.statement(w).id for w in "ab"], scope, forward=True, types=tuple(RelationType),
                min_confidence=0, fan_out=9,
            )  # fmt: skip
            assert [e.relation_id for e in hop.edges] == [second]
            samples.put(store, removes=[put])


def test_retired_statements_lose_their_words(path, samples):
    put = samples.document("d", [("secret", "b", 0.5)])
    with EmbeddedGraphStore(path) as store:
        samples.put(store, put)
        samples.put(store, removes=[put])
    connection = sqlite3.connect(path)
    dump = "\n".join(connection.iterdump())
    connection.close()
    assert put.relations[0].id in dump
    assert "secret" not in dump
    assert "Title" not in dump


def test_many_short_threads_leave_few_connections(path):
    with EmbeddedGraphStore(path) as store:
        for _ in range(5):
            threads = [threading.Thread(target=store.scope, args=(OWNER,)) for _ in range(20)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert len(store._connections._idle) <= 8


def test_threads_that_create_one_store_at_once_agree(path):
    errors = []

    def create():
        try:
            EmbeddedGraphStore(path).close()
        except BaseException as error:  # noqa: BLE001 - reported below
            errors.append(error)

    threads = [threading.Thread(target=create) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_opens_connections_of_its_own(path, samples):
    with EmbeddedGraphStore(path) as store:
        samples.put(store, samples.document("a"))
        child = os.fork()
        if child == 0:
            samples.put(store, samples.document("b"))
            os._exit(0 if store.counts(store.scope(OWNER)).documents == 2 else 1)
        assert os.waitpid(child, 0)[1] == 0
        samples.put(store, samples.document("c"))
        assert store.counts(store.scope(OWNER)).documents == 3
