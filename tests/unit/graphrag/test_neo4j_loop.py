"""The whole loop on Neo4j: every step gives what it gives on the embedded store."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime

import pytest
from stand_ins import FLOOD

from graphrag.doctor import examine
from graphrag.settings import Settings, load_settings
from storage.errors import ConfigurationError, UnreachableError
from storage.manifest import read_manifest
from storage.records import OWNER

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
TIMES = {"seconds", "stages"}
QUESTION = "Why did the late shipment happen?"


@pytest.fixture
def on_neo4j(neo4j_address):
    return {
        "graph": "neo4j",
        "neo4j_uri": neo4j_address.uri,
        "neo4j_username": neo4j_address.username,
        "neo4j_password": neo4j_address.password,
        "neo4j_database": neo4j_address.database,
    }


def said(answer):
    """An answer without times and places."""
    return (answer.text, answer.abstained, [str(c) for c in answer.chains], [str(c) for c in answer.citations])


def test_ingest_ask_propose_accept_roll_back_remove_are_those_of_the_embedded_store(open_kb, files, on_neo4j):
    notes = files(FLOOD)
    pair = [open_kb("embedded", clock=lambda: NOON), open_kb("remote", set=on_neo4j, clock=lambda: NOON)]
    assert read_manifest(pair[1]._stores.folder).graph == "neo4j"

    def both(work):
        first, second = (work(kb) for kb in pair)
        assert first == second
        assert pair[0]._stores.graph.state_hash() == pair[1]._stores.graph.state_hash()
        return first

    def counts(kb):
        return kb._stores.graph.counts(kb._stores.graph.scope(OWNER))

    report = both(lambda kb: kb.ingest([notes]).model_dump(exclude=TIMES))
    assert report["added"]
    both(lambda kb: kb.ingest([notes]).model_dump(exclude=TIMES))
    answer = both(lambda kb: said(kb.ask(QUESTION)))
    assert not answer[1]
    both(lambda kb: [(h.text, h.score) for h in kb.search(QUESTION).hits])
    both(lambda kb: [str(c) for c in kb.chains(start="storm", max_hops=4).chains])
    proposed = both(lambda kb: [p.id for p in kb.ask(QUESTION, propose=True).proposals])
    assert proposed
    both(lambda kb: kb.accept(proposed[0], reason="it holds", actor="ada").action)
    assert both(lambda kb: [(c.id, s) for c, s in kb._stores.graph.derived_chains()])
    both(lambda kb: said(kb.ask(QUESTION)))
    both(lambda kb: said(kb.ask(QUESTION, groups=["nobody"])))
    for kb in pair:
        kb.rollback(next(p.batch for p in kb.proposals() if p.batch), reason="a mistake", actor="ada")
    both(lambda kb: [(e.action, len(e.ids)) for e in kb._stores.graph.ledger()])
    both(lambda kb: kb.remove("port.md").model_dump(exclude=TIMES))
    both(lambda kb: said(kb.ask(QUESTION)))
    both(lambda kb: kb.verify_ledger().intact)
    both(counts)


def test_settings_come_from_the_variables_that_everybody_uses(tmp_path):
    environ = {"NEO4J_URI": "bolt://a", "NEO4J_PASSWORD": "pw", "CLEW_GRAPH": "neo4j", "CLEW_NEO4J_URI": "bolt://b"}
    settings = load_settings(None, environ=environ)
    assert (settings.graph, settings.neo4j_uri, settings.neo4j_username) == ("neo4j", "bolt://b", "neo4j")
    assert "pw" not in repr(settings)
    with pytest.raises(ConfigurationError, match="CLEW_GRAPH: graph"):
        load_settings(None, environ={"CLEW_GRAPH": "oracle"})


def test_a_server_that_is_not_there_leaves_no_store_behind(open_kb, tmp_path):
    away = {"graph": "neo4j", "neo4j_uri": "bolt://127.0.0.1:1"}
    with pytest.raises(UnreachableError):
        open_kb("away", set=away)
    assert not (tmp_path / "away").exists()


def test_doctor_says_whether_neo4j_answers_and_which_version(neo4j_address, tmp_path):
    environ = {
        "CLEW_GRAPH": "neo4j",
        "CLEW_EMBEDDER": "use",
        "NEO4J_URI": neo4j_address.uri,
        "NEO4J_PASSWORD": neo4j_address.password,
    }
    graph = next(f for f in examine(tmp_path / "none", environ).findings if f.name == "graph")
    assert graph.ok
    assert graph.detail.startswith("Neo4j/")
    wrong = examine(tmp_path / "none", {**environ, "NEO4J_URI": "bolt://127.0.0.1:1"})
    assert [f.name for f in wrong.findings if not f.ok] == ["graph"]
    assert neo4j_address.password not in wrong.as_text()


def test_an_unreachable_server_ends_the_command_with_4(tmp_path):
    environ = {**os.environ, "CLEW_GRAPH": "neo4j", "NEO4J_URI": "bolt://127.0.0.1:1", "NEO4J_PASSWORD": "s3cret-word"}
    ended = subprocess.run(
        [sys.executable, "-m", "graphrag.console", "init", "--store", str(tmp_path / "s")],
        env=environ, capture_output=True, text=True,
    )  # fmt: skip
    assert ended.returncode == 4, ended.stderr
    assert "does not answer" in ended.stderr
    assert "s3cret-word" not in ended.stderr + ended.stdout


def test_default_settings_use_the_embedded_store():
    assert Settings().graph == "auto"
