"""A writer on Neo4j that is killed at any step leaves what one on the embedded store leaves: all or nothing."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import neo4j
import neo4j_server
import pytest
from crash.test_kill_anywhere import CASES, Case, check_equal, check_killed, check_whole, prepare
from writer_processes import NOON, ForkServer, fork_server

from graphrag.migrate import migrate
from graphrag.settings import Settings
from storage.neo4j_database import Neo4jAddress

SOAK = os.environ.get("CLEW_SOAK") == "1"
KILLED = ("replace", "remove", "accept", "roll-back", "prune", "restore") if SOAK else ("replace", "remove", "accept")


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
        yield lambda: neo4j_server.clear(driver, neo4j_address.database)


@pytest.mark.parametrize("name", KILLED)
def test_a_write_on_neo4j_killed_at_a_step_is_whole_or_undone_and_can_be_completed(
    name: str, servers: tuple[ForkServer, ForkServer], neo4j_settings: dict[str, Any], clear: Any, tmp_path: Path
) -> None:
    server, _ = servers
    ready = prepare(CASES[name], server, tmp_path)
    straight = ready.copy()
    ended = server.run(ready.case.operation, straight, **ready.options)
    assert ended.code == 0, ended.stderr
    after = server.do("state", straight, **ready.case.settings)
    settings = Settings(cache=tmp_path / "cache", **neo4j_settings)
    for i in range(1, len(ended.steps) + 1, 1 if SOAK else 3):
        clear()
        store = ready.copy()
        migrate(store, "neo4j", settings, clock=lambda: NOON)
        check_killed(ready, store, ended.steps, i, after)
        shutil.rmtree(store.parent)


def test_a_first_ingest_on_neo4j_killed_at_some_steps_can_be_completed(
    servers: tuple[ForkServer, ForkServer], clear: Any, tmp_path: Path
) -> None:
    embedded, server = servers
    case: Case = CASES["ingest"]
    ready = prepare(case, embedded, tmp_path)
    straight = ready.copy()
    ended = embedded.run("ingest", straight, **ready.options)
    after = embedded.do("state", straight)
    for i in range(1, len(ended.steps) + 1, 1 if SOAK else 5):
        clear()
        store = tmp_path / f"new-{i}" / "store"
        assert server.run("ingest", store, kill_at=i, **ready.options).code == -signal.SIGKILL
        found, completed = server.do("reopened", store, again="ingest", options=ready.options, settings={})
        check_whole(found, ready.before, after, case)
        check_equal(completed, after)
