"""Taken in again, edited, removed and taken in once more, documents keep their ids, and what hangs on them follows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from stand_ins import FLOOD, OpenKb, WriteFiles

from graphrag import KnowledgeBase
from storage.neo4j_database import Neo4jAddress
from storage.ports import COLLECTIONS
from storage.records import SameAs
from storage.state_hash import canonical_line


@pytest.fixture(params=["embedded", "neo4j"])
def opened(request: pytest.FixtureRequest, open_kb: OpenKb) -> KnowledgeBase:
    settings: dict[str, Any] = {"walk_seconds": 60.0}  # on a busy machine as on an idle one
    if request.param == "neo4j":
        address: Neo4jAddress = request.getfixturevalue("neo4j_address")
        settings |= {
            "graph": "neo4j",
            "neo4j_uri": address.uri,
            "neo4j_username": address.username,
            "neo4j_password": address.password,
            "neo4j_database": address.database,
        }
    return open_kb(set=settings)


def everything(kb: KnowledgeBase) -> tuple[set[str], dict[str, list[str]]]:
    """Every active record of the graph, and the id of every row of the index."""
    index = kb._stores.index
    ids = sorted(index.document_ids())
    lines = {canonical_line(r) for r in kb._stores.graph.records() if not isinstance(r, SameAs)}
    return lines, {c: [row.id for row in index.document_rows(c, ids)] for c in COLLECTIONS}


def derived(kb: KnowledgeBase) -> list[str]:
    return [status.value for _, status in kb._stores.graph.derived_chains()]


def check_no_orphans(kb: KnowledgeBase) -> None:
    report = kb.check()
    assert report.healthy, report.as_text()


def test_again_edited_removed_and_taken_in_once_more(opened: KnowledgeBase, files: WriteFiles) -> None:
    kb, folder = opened, files()
    kb.ingest([folder])
    [proposal] = kb.ask("Why did the late shipment happen?", propose=True).proposals
    kb.accept(proposal.id, reason="it holds", actor="ada")
    before = everything(kb)
    rows = [row.id for row in kb._stores.index.derived_rows()]
    assert len(rows) == 1
    digest = kb.status().state_hash

    for _ in range(3):
        report = kb.ingest([folder])
        assert (report.unchanged, report.added, report.replaced) == (4, (), ())
        assert everything(kb) == before

    def put(text: str | None) -> Callable[[], object]:
        def change() -> object:
            path = Path(folder) / "port.md"
            if text is None:
                path.unlink()
                return kb.ingest([folder], prune=True)
            path.write_text(text, encoding="utf-8")
            return kb.ingest([folder])

        return change

    away: tuple[Callable[[], object], ...] = (
        put("# Port\n\nThe strike causes the closed port.\n"),
        put(None),
        lambda: kb.remove("notes/port.md"),
    )
    for take_away in away:
        take_away()
        assert derived(kb) == ["retired"]
        assert kb._stores.index.derived_rows() == []
        assert kb.status().state_hash != digest
        check_no_orphans(kb)
        put(FLOOD["port.md"])()
        assert derived(kb) == ["active"]
        assert everything(kb) == before
        assert [row.id for row in kb._stores.index.derived_rows()] == rows
        assert kb.status().state_hash == digest
        check_no_orphans(kb)
    actions = [entry.action for entry in kb._stores.graph.ledger()]
    assert (actions.count("retire"), actions.count("restore")) == (3, 3)
