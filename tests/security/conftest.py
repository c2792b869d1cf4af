"""What the tests of access share: stores that share nothing, the documents of two groups, and the graph stores."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from access_corpus import Corpus, corpus
from access_faces import OpenStore
from stand_ins import SentenceExtractor, WordEmbedder

from graphrag import KnowledgeBase
from graphrag.settings import Settings
from storage.neo4j_database import Neo4jAddress

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def documents() -> Corpus:
    return corpus()


@pytest.fixture(scope="module")
def open_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenStore]:
    """Opens empty stores that share nothing, not even a cache; a walk is never cut by the clock of a slow machine."""
    opened = []

    def make(embedder: WordEmbedder | None = None, **settings: Any) -> KnowledgeBase:
        folder = tmp_path_factory.mktemp("store")
        opened.append(
            KnowledgeBase.open(
                folder / "store",
                embedder=embedder or WordEmbedder(),
                extractor=SentenceExtractor(),
                settings=Settings(cache=folder / "cache", walk_seconds=600, **settings),
                clock=lambda: NOW,
            )
        )
        return opened[-1]

    yield make
    for kb in opened:
        kb.close()


@pytest.fixture(params=["embedded", "neo4j"])
def graph(request: pytest.FixtureRequest) -> tuple[str, dict[str, Any]]:
    """The name of a graph store, and the settings that choose it; a test may name it itself."""
    if request.param == "embedded":
        return "embedded", {}
    address: Neo4jAddress = request.getfixturevalue("neo4j_address")
    return "neo4j", {
        "graph": "neo4j", "neo4j_uri": address.uri, "neo4j_username": address.username,
        "neo4j_password": address.password, "neo4j_database": address.database,
    }  # fmt: skip
