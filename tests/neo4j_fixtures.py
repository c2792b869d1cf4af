"""Fixtures of the tests that need a real Neo4j: the server of the run, and its database, empty and one's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import arcadedb_server
import neo4j_server
import pytest

from storage.neo4j_database import Neo4jAddress


@pytest.fixture(scope="session")
def neo4j_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all workers of this run share."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if neo4j_server.is_worker() else base


@pytest.fixture(scope="session")
def neo4j_running(neo4j_folder: Path) -> neo4j_server.Server:
    """The server of this run; without one the test is skipped, or fails in continuous integration."""
    if reason := neo4j_server.why_missing():
        (pytest.fail if neo4j_server.required() else pytest.skip)(f"no Neo4j: {reason}")
    return neo4j_server.server(neo4j_folder)


@pytest.fixture(scope="session")
def arcadedb_running(neo4j_folder: Path) -> neo4j_server.Server:
    """The ArcadeDB of this run."""
    if reason := arcadedb_server.why_missing():
        (pytest.fail if neo4j_server.required() else pytest.skip)(f"no ArcadeDB: {reason}")
    return arcadedb_server.server(neo4j_folder)


@pytest.fixture
def arcadedb_address(arcadedb_running: neo4j_server.Server, neo4j_folder: Path) -> Iterator[Neo4jAddress]:
    """The database of ArcadeDB, empty, and nobody else's while the test runs."""
    with neo4j_server.emptied(arcadedb_running, neo4j_folder) as server:
        yield Neo4jAddress(server.uri, server.username, server.password, server.database)


@pytest.fixture
def neo4j_address(neo4j_running: neo4j_server.Server, neo4j_folder: Path) -> Iterator[Neo4jAddress]:
    """The server's database, empty, and nobody else's while the test runs."""
    with neo4j_server.emptied(neo4j_running, neo4j_folder) as server:
        yield Neo4jAddress(server.uri, server.username, server.password, server.database)
