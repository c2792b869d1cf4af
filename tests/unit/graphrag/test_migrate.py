"""``clew migrate``: the copy is equal, whatever interrupts it, and the old graph counts until it is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from stand_ins import SentenceExtractor, WordEmbedder

from graphrag import Document
from graphrag import migrate as migration
from graphrag.graph_choice import open_graph
from graphrag.knowledge_base import KnowledgeBase
from graphrag.migrate import migrate
from graphrag.settings import Settings
from storage.errors import NotFoundError, StoreError, StoreVersionError, UsageError
from storage.manifest import read_manifest

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
TEXTS = {
    "rain.md": "Heavy rain causes a flooded road.",
    "road.md": "A flooded road causes a late shipment.",
    "shop.md": "A late shipment causes empty shelves.",
    "old.md": "Old news causes nothing new.",
}


class Interrupted(BaseException):
    """Stands for the death of the process."""


@pytest.fixture
def settings(neo4j_address, tmp_path):
    return Settings(
        cache=tmp_path / "cache", neo4j_uri=neo4j_address.uri, neo4j_username=neo4j_address.username,
        neo4j_password=neo4j_address.password, neo4j_database=neo4j_address.database,
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path, settings):
    """A knowledge base with everything that a graph can hold besides documents."""
    with open_kb(tmp_path / "store", settings) as kb:
        kb.ingest([Document(id=name, text=text) for name, text in TEXTS.items()])
        kb.ingest(
            [Document(id="later.md", text="Snow causes ice.", valid_from=NOON + timedelta(days=9), groups=("a",))]
        )
        proposed = kb.ask("Why did empty shelves happen?", propose=True).proposals
        assert proposed
        kb.accept(proposed[0].id, reason="it holds", actor="ada")
        kb.remove("old.md")
        kb.remove("road.md")  # the accepted chain is retired
        kb.ingest([tmp_path / "none.pdf"])
    return tmp_path / "store"


def open_kb(folder, settings):
    return KnowledgeBase.open(
        folder, settings=settings, embedder=WordEmbedder(), extractor=SentenceExtractor(), clock=lambda: NOON
    )


def run(folder, to, settings, **options):
    return migrate(folder, to, settings, clock=lambda: NOON, **options)


def residue_of(folder, settings):
    manifest = read_manifest(folder)
    graph = open_graph(manifest.graph, folder, manifest, settings, clock=lambda: NOON)
    try:
        return graph.residue(), graph.document_graphs([s.document_id for s in graph.every_source()])
    finally:
        graph.close()


def test_there_and_back_again_nothing_is_lost(folder, settings):
    before = residue_of(folder, settings)
    assert before[0].relations
    assert before[0].chains
    report = run(folder, "neo4j", settings)
    assert (report.origin, report.target, report.copied, report.already_there) == ("embedded", "neo4j", 3, 0)
    assert "counts and state hash" in str(report)
    assert read_manifest(folder).graph == "neo4j"
    assert residue_of(folder, settings) == before
    with open_kb(folder, settings) as kb:
        kb.ingest([Document(id="road.md", text=TEXTS["road.md"])])  # brings the chain back
        assert kb.ask("Why did empty shelves happen?").chains
        state = kb._stores.graph.state_hash()
    after = residue_of(folder, settings)
    assert run(folder, "embedded", settings).state_hash == state
    assert residue_of(folder, settings) == after
    with open_kb(folder, settings) as kb:
        assert kb.verify_ledger().intact
        assert kb.ask("Why did empty shelves happen?").chains


@pytest.mark.parametrize("step", ["migrate.batch", "migrate.adopted"])
def test_an_interrupted_migration_goes_on_where_it_stopped(folder, settings, step, monkeypatch):
    monkeypatch.setattr(migration, "BATCH", 1)
    before = residue_of(folder, settings)
    reached = []

    def die(name):
        reached.append(name)
        if name == step and reached.count(name) == (2 if step == "migrate.batch" else 1):
            raise Interrupted

    with pytest.raises(Interrupted):
        run(folder, "neo4j", settings, reached=die)
    assert read_manifest(folder).graph == "embedded"
    with open_kb(folder, settings) as kb:
        kb.remove("shop.md")  # the copy that was begun has a document too many now
        kb.ingest([Document(id="shop.md", text=TEXTS["shop.md"])])
    report = run(folder, "neo4j", settings)
    assert report.already_there >= 1
    assert report.copied + report.already_there == 3
    restored = residue_of(folder, settings)
    assert restored[1] == before[1]


def test_a_copy_that_differs_is_not_used(folder, settings, monkeypatch):
    monkeypatch.setattr("storage.neo4j_copy.link", lambda *_: None)
    monkeypatch.setattr("storage.neo4j_ledger.put_entry", lambda *_: None)
    with pytest.raises(StoreError, match="differs in ledger"):
        run(folder, "neo4j", settings)
    assert read_manifest(folder).graph == "embedded"


def test_what_cannot_be_migrated_says_why(folder, settings, tmp_path):
    with pytest.raises(UsageError, match="already"):
        run(folder, "embedded", settings)
    with pytest.raises(NotFoundError):
        run(tmp_path / "none", "neo4j", settings)
    run(folder, "neo4j", settings)
    with pytest.raises(StoreVersionError, match="clew migrate --to embedded"):
        open_kb(folder, settings.model_copy(update={"graph": "embedded"}))


def test_a_database_that_holds_another_knowledge_base_is_refused(folder, settings, tmp_path):
    run(folder, "neo4j", settings)
    later = settings.model_copy(update={"graph": "neo4j"})
    with pytest.raises(StoreError, match="another knowledge base"):
        KnowledgeBase.open(
            tmp_path / "other", settings=later, embedder=WordEmbedder(), extractor=SentenceExtractor(),
            clock=lambda: NOON + timedelta(seconds=1),
        )  # fmt: skip
    assert not (tmp_path / "other").exists()


def test_older_versions_are_copied_there_and_back(tmp_path, settings):
    keeping = settings.model_copy(update={"keep_versions": True})
    with open_kb(tmp_path / "store", keeping) as kb:
        for text, days in (("Snow causes ice.", 30), ("Frost causes ice.", 20), ("Snow causes ice.", 10)):
            kb.ingest([Document(id="winter.md", text=text, valid_from=NOON - timedelta(days=days))])
        before = kb.documents(versions=True).documents
        assert [(row.older, len(row.gaps)) for row in before] == [(False, 1), (True, 0)]
    for to in ("neo4j", "embedded"):
        (tmp_path / "store" / "graph.db").unlink() if to == "embedded" else None
        report = run(tmp_path / "store", to, settings)
        assert (report.copied, report.already_there) == (2, 0)
        with open_kb(tmp_path / "store", settings) as kb:
            assert kb.documents(versions=True).documents == before
            assert kb.search("ice", as_of=NOON - timedelta(days=15)).hits[0].text == "Frost causes ice."
            assert kb.check().healthy
