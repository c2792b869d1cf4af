"""A Neo4j database of schema 1 becomes one of this release by being opened, and again if that was cut off."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import neo4j
import pytest

from feedback import verify
from storage import records as kinds
from storage.errors import StoreVersionError
from storage.neo4j_database import Neo4jAddress
from storage.neo4j_graph import Neo4jGraphStore
from storage.neo4j_schema import SCHEMA_VERSION
from storage.records import OWNER, SameAs
from storage.state_hash import canonical_line, state_hash

DATA = Path(__file__).parent / "data" / "neo4j_schema_1.json"
"""Nodes, relationships, constraints and indexes as schema 1 had them, dumped from a server; never made anew."""
NOON = datetime(2026, 1, 6, 12, tzinfo=UTC)


class Cut(BaseException):
    """Stands for the death of the process."""


@pytest.fixture
def old(neo4j_address: Neo4jAddress) -> Iterator[tuple[Neo4jAddress, dict[str, Any], neo4j.Driver]]:
    said = json.loads(DATA.read_text("utf-8"))
    database = neo4j_address.database
    auth = (neo4j_address.username, neo4j_address.password)
    with neo4j.GraphDatabase.driver(neo4j_address.uri, auth=auth) as driver:
        driver.execute_query("MATCH (n) DETACH DELETE n", database_=database)
        driver.execute_query("DROP CONSTRAINT clew_receipt_id IF EXISTS", database_=database)
        for statement in said["schema"]:
            driver.execute_query(statement.replace(" FOR ", " IF NOT EXISTS FOR ", 1), database_=database)
        numbers: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for number, (labels, properties) in enumerate(said["nodes"]):
            numbers[":".join(labels)].append({"number": number, "properties": properties})
        for labels, rows in numbers.items():
            made = f"UNWIND $rows AS row CREATE (n:{labels}) SET n = row.properties, n._number = row.number"
            driver.execute_query(made, rows=rows, database_=database)
        ends: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for start, kind, end, properties in said["relationships"]:
            ends[kind].append({"start": start, "end": end, "properties": properties})
        for kind, rows in ends.items():
            made = (
                "UNWIND $rows AS row MATCH (a {_number: row.start}), (b {_number: row.end}) "
                f"CREATE (a)-[r:{kind}]->(b) SET r = row.properties"
            )
            driver.execute_query(made, rows=rows, database_=database)
        driver.execute_query("MATCH (n) REMOVE n._number", database_=database)
        yield neo4j_address, said, driver
        driver.execute_query("MATCH (n) DETACH DELETE n", database_=database)  # also which schema it has


def schema_of(driver: neo4j.Driver, address: Neo4jAddress) -> int:
    found = driver.execute_query("MATCH (s:ClewStore {id: 'store'}) RETURN s.schema", database_=address.database)
    version: int = found.records[0][0]
    return version


def check_equal(store: Neo4jGraphStore, said: dict[str, Any]) -> None:
    written = [getattr(kinds, kind).model_validate(fields) for kind, fields in said["records"]]
    found = [r for r in store.records() if not isinstance(r, SameAs)]
    assert sorted(map(canonical_line, found)) == sorted(canonical_line(r) for r in written if not isinstance(r, SameAs))
    assert store.state_hash() == state_hash(written)
    assert store.faults() == []
    assert verify(store.ledger()).intact
    assert [status.value for _, status in store.derived_chains()] == ["active"]
    assert [s.path for s in store.sources(store.scope(OWNER))] == ["rain.md", "road.md", "shop.md"]


def test_a_neo4j_database_of_schema_1_is_upgraded_when_it_is_opened(
    old: tuple[Neo4jAddress, dict[str, Any], neo4j.Driver],
) -> None:
    address, said, driver = old
    assert schema_of(driver, address) == 1
    with Neo4jGraphStore(address, clock=lambda: NOON) as store:
        check_equal(store, said)
        [source] = [s for s in store.every_source() if s.path == "rain.md"]
        before = store.state_hash()
        store.update_sources([source.model_copy(update={"groups": ("hr",)})])
        assert store.state_hash() != before
        store.update_sources([source])
        assert store.state_hash() == before
    assert schema_of(driver, address) == SCHEMA_VERSION


def test_an_upgrade_of_neo4j_that_was_cut_off_is_done_again(
    old: tuple[Neo4jAddress, dict[str, Any], neo4j.Driver],
) -> None:
    address, said, driver = old
    passed = 0

    def cut(name: str) -> None:
        nonlocal passed
        if name in ("graph.schema.changed", "graph.committing"):
            passed += 1
            raise Cut

    for _ in range(2):
        with pytest.raises(Cut):
            Neo4jGraphStore(address, reached=cut)
        assert schema_of(driver, address) == 1
    assert passed == 2
    with Neo4jGraphStore(address, clock=lambda: NOON) as store:
        check_equal(store, said)


def test_a_neo4j_database_of_a_newer_schema_is_refused(
    old: tuple[Neo4jAddress, dict[str, Any], neo4j.Driver],
) -> None:
    address, _, driver = old
    newer = "MATCH (s:ClewStore {id: 'store'}) SET s.schema = $version"
    driver.execute_query(newer, version=SCHEMA_VERSION + 1, database_=address.database)
    with pytest.raises(StoreVersionError, match="Upgrade Clew"):
        Neo4jGraphStore(address)
    assert schema_of(driver, address) == SCHEMA_VERSION + 1
