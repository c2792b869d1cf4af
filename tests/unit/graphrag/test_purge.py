"""After a removal no record holds a word of the text; after a purge, no byte of the store and the caches does."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from extractors import default_extractor
from extractors.chat.cached import CachedChat, CostLedger
from extractors.embedders.cache import CachedEmbedder
from extractors.model import HybridExtractor, ModelExtractor
from graphrag import Document, KnowledgeBase
from graphrag.settings import Settings
from storage.embedded_graph import EmbeddedGraphStore
from storage.neo4j_database import Neo4jAddress, Neo4jDatabase
from storage.ports import ChatReply
from tests.stand_ins import WordEmbedder

SECRET = Document(
    id="secret.md",
    title="Zanzibarium",
    text="The quagmirium collapsed because the xylophonist fainted. The zygotron stopped as the quagmirium collapsed.",
)
KEPT = [
    Document(
        id=f"kept-{i}.md", text=f"Pump {i} stopped because valve {i} leaked. Line {i} idled because pump {i} stopped."
    )
    for i in range(14)
]
WORDS = ("quagmirium", "xylophonist", "zygotron", "zanzibarium")


class Quoting:
    """A model that quotes the first two words of the text that it is asked about."""

    name = "quoting@1"

    def complete(self, messages, *, max_tokens, form=None):  # type: ignore[no-untyped-def]
        lines = messages[1].content.splitlines()
        head, tail = lines[1].split()[1], lines[1].split()[2]
        found = {"type": "causal", "head": head, "tail": tail}
        return ChatReply(text=json.dumps({"checked": [], "found": [found]}), prompt_tokens=1, completion_tokens=1)


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def kb(tmp_path: Path, cache: Path) -> Iterator[KnowledgeBase]:
    chat = CachedChat(Quoting(), CostLedger(cache / "answers.sqlite"))
    with KnowledgeBase.open(
        tmp_path / "kb",
        settings=Settings(cache=cache),
        embedder=CachedEmbedder(WordEmbedder(), cache / "embeddings.sqlite"),
        extractor=HybridExtractor(default_extractor(), ModelExtractor(chat)),
    ) as opened:
        opened.ingest(KEPT)
        opened.ingest([SECRET])
        yield opened


def files_with_a_word(folder: Path) -> list[str]:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return [f.relative_to(folder).as_posix() for f in files if any(w.encode() in f.read_bytes().lower() for w in WORDS)]


def cells_with_a_word(database: Path) -> set[str]:
    with closing(sqlite3.connect(database)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return {
            table
            for table in tables
            for row in connection.execute(f"SELECT * FROM {table}")
            if any(word in str(cell).lower() for cell in row for word in WORDS)
        }


def test_the_text_is_found_where_it_should_be_before_it_is_removed(kb: KnowledgeBase, tmp_path: Path) -> None:
    files = files_with_a_word(tmp_path)
    assert any(name.startswith("kb/lance/") for name in files)
    assert any(name.startswith("kb/graph.db") for name in files)
    assert any(name.startswith("cache/answers.sqlite") for name in files)
    assert {"mention", "statement", "statement_term"} <= cells_with_a_word(tmp_path / "kb" / "graph.db")


def test_after_a_removal_no_record_holds_a_word_of_the_text(kb: KnowledgeBase, tmp_path: Path) -> None:
    receipt = kb.remove("secret.md")
    assert receipt.purged is None
    assert len(receipt.statements) > 0
    assert cells_with_a_word(tmp_path / "kb" / "graph.db") == set()
    assert all(word not in kb.receipts()[0].model_dump_json() for word in (*WORDS, "secret.md"))


def test_after_a_purge_no_byte_holds_a_word_of_the_text(kb: KnowledgeBase, cache: Path, tmp_path: Path) -> None:
    before, vectors = kb.status().state_hash, vectors_in(cache)
    receipt = kb.remove("secret.md", purge=True)
    assert receipt.purged is not None
    assert receipt.purged.index_versions > 0
    assert receipt.purged.vectors > 0
    assert receipt.purged.answers == 1
    assert receipt.purged.notes == ()
    assert vectors_in(cache) == vectors - receipt.purged.vectors
    assert files_with_a_word(tmp_path) == []
    assert kb.check().healthy
    assert kb.search("Why did pump 7 stop?").hits[0].source == "kept-7.md"
    kb.ingest([SECRET])
    assert kb.status().state_hash == before


def test_a_purge_afterwards_leaves_no_byte_in_the_store(kb: KnowledgeBase, tmp_path: Path) -> None:
    kb.remove("secret.md")
    assert files_with_a_word(tmp_path / "kb") != []
    report = kb.purge()
    assert report.index_versions > 0
    assert files_with_a_word(tmp_path / "kb") == []
    assert kb.purge().index_versions == 0  # nothing is left to drop
    assert kb.check().healthy


def test_a_purge_while_somebody_reads_an_older_state_says_that_it_is_not_complete(tmp_path: Path) -> None:
    store = EmbeddedGraphStore(tmp_path / "graph.db", busy_timeout=0.2)
    with closing(sqlite3.connect(tmp_path / "graph.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM source").fetchall()
        [note] = store.purge()
        assert "graph.db-wal" in note
        reader.execute("COMMIT")
    assert store.purge() == ()
    assert (tmp_path / "graph.db-wal").stat().st_size == 0
    store.close()


def test_on_neo4j_no_property_holds_a_word_and_what_cannot_be_promised_is_said(
    neo4j_address: Neo4jAddress, tmp_path: Path, cache: Path
) -> None:
    settings = Settings(
        cache=cache, graph="neo4j", neo4j_uri=neo4j_address.uri, neo4j_username=neo4j_address.username,
        neo4j_password=neo4j_address.password, neo4j_database=neo4j_address.database,
    )  # fmt: skip

    def properties() -> str:
        database = Neo4jDatabase(neo4j_address)
        with closing(database):
            found = database.rows("MATCH (n) RETURN properties(n)") + database.rows(
                "MATCH ()-[r]->() RETURN properties(r)"
            )
        return json.dumps([row[0] for row in found], default=str).lower()

    with KnowledgeBase.open(tmp_path / "kb", settings=settings, embedder=WordEmbedder()) as kb:
        kb.ingest([SECRET])
        assert all(word in properties() for word in WORDS)
        receipt = kb.remove("secret.md", purge=True)
        assert not any(word in properties() for word in WORDS)
    assert receipt.purged is not None
    assert "transaction logs" in receipt.purged.notes[0]
    assert "note: Neo4j removes records from its database, not from its files" in str(receipt)


def vectors_in(cache: Path) -> int:
    with closing(sqlite3.connect(cache / "embeddings.sqlite")) as connection:
        count: int = connection.execute("SELECT count(*) FROM vector").fetchone()[0]
        return count
