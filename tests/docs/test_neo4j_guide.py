"""The guide to Neo4j: each of its queries runs and finds something, and ``compose.yaml`` is what it says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import neo4j
import pytest
import yaml
from stand_ins import FLOOD, OpenKb

from graphrag import Document
from storage.neo4j_database import Neo4jAddress

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "guides" / "neo4j.md"
QUERIES = re.findall(r"^```cypher\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
MORE = {
    "again.md": "Heavy rain causes the flooded road.",
    "doubt.md": "Heavy rain does not cause the flooded road.",
}


def test_there_are_ten_queries() -> None:
    assert len(QUERIES) == 10


def test_every_query_of_the_guide_finds_something(open_kb: OpenKb, neo4j_address: Neo4jAddress) -> None:
    on_neo4j: dict[str, Any] = {
        "graph": "neo4j",
        "neo4j_uri": neo4j_address.uri,
        "neo4j_username": neo4j_address.username,
        "neo4j_password": neo4j_address.password,
        "neo4j_database": neo4j_address.database,
    }
    kb = open_kb(set=on_neo4j)
    kb.ingest([Document(id=name, text=text) for name, text in {**FLOOD, **MORE}.items()])
    kb.accept(kb.ask("Why did the late shipment happen?", propose=True).proposals[0].id, reason="read", actor="ada")
    found = {}
    with neo4j.GraphDatabase.driver(
        neo4j_address.uri, auth=(neo4j_address.username, neo4j_address.password), warn_notification_severity="WARNING"
    ) as driver:
        for query in QUERIES:
            records = driver.execute_query(query, database_=neo4j_address.database).records
            assert records, f"finds nothing:\n{query}"
            found[query] = [r.data() for r in records]
    steps = next(rows for query, rows in found.items() if "SHORTEST" in query)[0]["steps"]
    assert (steps[0], steps[-1], len(steps)) == ("The storm", "the late shipment", 5)
    root = next(rows for query, rows in found.items() if "AS root" in query)[0]
    assert (root["root"], root["reaches"]) == ("The storm", 4)
    chain = next(rows for query, rows in found.items() if "accepted" in query)[0]
    assert chain["status"] == "active"
    assert len(chain["links"]) > 1


def test_the_compose_file_starts_neo4j_and_clew_with_one_password() -> None:
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    server, clew = compose["services"]["neo4j"], compose["services"]["clew"]
    assert server["image"].startswith("neo4j:5.26")
    assert "NEO4J_PASSWORD" in server["environment"]["NEO4J_AUTH"]
    assert "NEO4J_PASSWORD" in clew["environment"]["NEO4J_PASSWORD"]
    assert clew["environment"]["CLEW_GRAPH"] == "neo4j"
    assert all(port.startswith("127.0.0.1:") for port in server["ports"])
    named = {v.partition(":")[0] for s in compose["services"].values() for v in s["volumes"] if not v.startswith(".")}
    assert named == set(compose["volumes"])


@pytest.mark.parametrize("word", ["NEO4J_URI", "NEO4J_USERNAME", "NEO4J_PASSWORD", "NEO4J_DATABASE", "clew migrate"])
def test_the_guide_names_every_setting(word: str) -> None:
    assert word in GUIDE.read_text(encoding="utf-8")
