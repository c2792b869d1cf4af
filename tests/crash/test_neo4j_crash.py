"""A writer on Neo4j that is killed anywhere leaves what one on the embedded store leaves: all or nothing."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import neo4j
import neo4j_server
import pytest
import soak_figures
from crash.test_kill_anywhere import (
    CASES,
    SERVER_ONLY,
    Case,
    Prepared,
    State,
    check_equal,
    check_killed,
    check_whole,
    prepare,
    sample_of,
)
from writer_processes import NOON, ForkServer, fork_server

from graphrag.migrate import migrate
from graphrag.settings import Settings
from storage.neo4j_database import Neo4jAddress

SOAK = os.environ.get("CLEW_SOAK") == "1"
KILLED = (
    ("replace", "remove", "accept", "roll-back", "prune", "restore", "reject", "groups")
    if SOAK
    else ("replace", "accept")
)
RANDOM_KILLS = 100 if SOAK else 2


def killed_at(steps: list[str], seed: str) -> list[int]:
    """Two of the fault points (numbered from 1); in a soak, all of them."""
    return list(range(1, len(steps) + 1)) if SOAK else sample_of(steps, set(steps), seed)[:2]


@pytest.fixture
def neo4j_settings(neo4j_address: Neo4jAddress) -> dict[str, Any]:
    return {
        "neo4j_uri": neo4j_address.uri,
        "neo4j_username": neo4j_address.username,
        "neo4j_password": neo4j_address.password,
        "neo4j_database": neo4j_address.database,
    }


@pytest.fixture
def servers(
    tmp_path: Path, neo4j_settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[ForkServer, ForkServer]]:
    """Processes that use the embedded store unless a store says otherwise, and processes that make stores on Neo4j."""
    monkeypatch.setenv("CLEW_TEST_SETTINGS", json.dumps(neo4j_settings))
    (tmp_path / "embedded").mkdir()
    (tmp_path / "neo4j").mkdir()
    with fork_server(tmp_path / "embedded") as plain:
        monkeypatch.setenv("CLEW_TEST_SETTINGS", json.dumps({**neo4j_settings, "graph": "neo4j"}))
        with fork_server(tmp_path / "neo4j") as made_on_neo4j:
            yield plain, made_on_neo4j


@pytest.fixture
def clear(neo4j_address: Neo4jAddress) -> Iterator[Any]:
    auth = (neo4j_address.username, neo4j_address.password)
    with neo4j.GraphDatabase.driver(neo4j_address.uri, auth=auth) as driver:

        def cleared(*, schema: bool = False) -> None:
            neo4j_server.clear(driver, neo4j_address.database)
            if schema:  # constraints and indexes stay, but the next store to be opened goes through all of them
                driver.execute_query("MATCH (s:ClewStore) REMOVE s.schema", database_=neo4j_address.database)

        yield cleared


def moved(ready: Prepared, neo4j_settings: dict[str, Any], clear: Any, folder: Path) -> Path:
    """A copy of a prepared store with its graph on Neo4j, and nothing else there."""
    clear()
    store = ready.copy()
    migrate(store, "neo4j", Settings(cache=folder / "cache", **neo4j_settings), clock=lambda: NOON)
    return store


@pytest.mark.parametrize("name", KILLED)
def test_a_write_on_neo4j_killed_at_a_fault_point_is_whole_or_undone_and_can_be_completed(
    name: str, servers: tuple[ForkServer, ForkServer], neo4j_settings: dict[str, Any], clear: Any, tmp_path: Path
) -> None:
    server, _ = servers
    ready = prepare(CASES[name], server, tmp_path)
    straight = moved(ready, neo4j_settings, clear, tmp_path)
    ended = server.run(ready.case.operation, straight, **ready.options)
    assert ended.code == 0, ended.stderr
    after = server.do("state", straight, **ready.case.settings)
    embedded = ready.copy()
    server.do(ready.case.operation, embedded, **ready.options)
    check_equal(after, server.do("state", embedded, **ready.case.settings))
    for i in killed_at(ended.steps, name):
        store = moved(ready, neo4j_settings, clear, tmp_path)
        check_killed(ready, store, ended.steps, i, after)
        soak_figures.note("kill -9 at a fault point, Neo4j", tries=1)
        shutil.rmtree(store.parent)


def test_a_first_ingest_on_neo4j_killed_at_some_fault_points_can_be_completed(
    servers: tuple[ForkServer, ForkServer], clear: Any, tmp_path: Path
) -> None:
    embedded, server = servers
    case: Case = CASES["ingest"]
    ready = prepare(case, embedded, tmp_path)
    clear()
    straight = tmp_path / "straight" / "store"
    ended = server.run("ingest", straight, **ready.options)
    after = server.do("state", straight)
    for i in killed_at(ended.steps, "ingest"):
        clear()
        store = tmp_path / f"new-{i}" / "store"
        assert server.run("ingest", store, kill_at=i, **ready.options).code == -signal.SIGKILL
        found, completed = server.do("reopened", store, again="ingest", options=ready.options, settings={})
        check_whole(found, ready.before, after, case)
        check_equal(completed, after)
        soak_figures.note("kill -9 at a fault point, Neo4j", tries=1)


def test_a_write_on_neo4j_killed_at_random_times_can_be_completed(
    servers: tuple[ForkServer, ForkServer], neo4j_settings: dict[str, Any], clear: Any, tmp_path: Path
) -> None:
    server, _ = servers
    ready = prepare(CASES["all-at-once"], server, tmp_path)
    store = moved(ready, neo4j_settings, clear, tmp_path)
    begun = time.monotonic()
    server.do("ingest", store, **ready.options)
    seconds = time.monotonic() - begun
    after: State = server.do("state", store, **ready.case.settings)
    chance = random.Random(13)
    for _ in range(RANDOM_KILLS):
        store = moved(ready, neo4j_settings, clear, tmp_path)
        running = server.start("ingest", store, **ready.options)
        time.sleep(chance.uniform(0.05, seconds))
        os.kill(running.pid, signal.SIGKILL)
        running.wait()
        found, completed = ready.reopened(store)
        check_whole(found, ready.before, after, ready.case)
        check_equal(completed, after)
        soak_figures.note("kill -9 at a random moment, Neo4j", tries=1)
        shutil.rmtree(store.parent)


def test_a_migration_killed_at_a_fault_point_goes_on_where_it_was(
    servers: tuple[ForkServer, ForkServer], clear: Any, tmp_path: Path
) -> None:
    server, _ = servers
    ready = prepare(Case("state", prepared_by=("ingest", "propose", "accept")), server, tmp_path)
    clear(schema=True)
    ended = server.run("migrate", ready.copy(), to="neo4j")
    assert ended.code == 0, ended.stderr
    assert set(ended.steps) >= SERVER_ONLY
    first = {ended.steps.index(step) + 1 for step in SERVER_ONLY}
    for i in sorted(range(1, len(ended.steps) + 1) if SOAK else first):
        clear(schema=True)
        store = ready.copy()
        killed = server.run("migrate", store, to="neo4j", kill_at=i)
        assert (killed.code, killed.steps) == (-signal.SIGKILL, ended.steps[:i])
        check_equal(server.do("state", store), ready.before)  # of either graph: both are whole when the switch is made
        server.do("migrate", store, to="neo4j")
        check_equal(server.do("state", store), ready.before)
        soak_figures.note("kill -9 at a fault point, migration", tries=1)
        shutil.rmtree(store.parent)
