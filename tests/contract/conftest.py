"""The graph stores that the contract is run against, and a small language for the documents put into them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from storage.embedded_graph import EmbeddedGraphStore
from storage.identity import content_digest, make_id
from storage.neo4j_database import Neo4jAddress
from storage.neo4j_graph import Neo4jGraphStore
from storage.ports import Change, ChangeReceipt, DocumentGraph, GraphStore, Intent
from storage.records import (
    Chain,
    Chunk,
    Direction,
    Evidence,
    Mention,
    Modality,
    Polarity,
    Relation,
    RelationType,
    SameAs,
    Source,
    Span,
    Statement,
    StatementKey,
    StoredDocument,
)

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)


class Samples:
    """Documents written as links such as ``("rain", "flood", 0.8)``; a word is a statement whose key is that word."""

    now = NOW

    def statement(self, word: str, *, language: str = "en") -> Statement:
        return Statement(key=StatementKey(language=language, terms=tuple(word.split()), direction=Direction.NONE))

    def relation(self, head: str, tail: str, *, type: str = "causal", polarity: str = "affirmed") -> Relation:
        return Relation(
            type=RelationType(type),
            head=self.statement(head).id,
            tail=self.statement(tail).id,
            polarity=Polarity(polarity),
        )

    def chain(self, *words: str, derived: bool = False) -> Chain:
        links = [self.relation(a, b).id for a, b in pairwise(words)]
        return Chain(relation_ids=tuple(links), derived=derived)

    def document(
        self,
        path: str,
        links: Sequence[tuple[Any, ...]] = (),
        *,
        chains: Sequence[Chain] = (),
        text: str = "1",
        chunks: int = 2,
        **source: Any,
    ) -> DocumentGraph:
        """A document saying ``links``: (head, tail, confidence, and a dict of what is unusual about it)."""
        source_id = make_id("src", "notes", path)
        document = StoredDocument(
            source_id=source_id,
            content_hash=content_digest(text.encode()),
            title=f"Title of {source_id}",
            language="en",
            length=1000,
        )
        statements: dict[str, Statement] = {}
        mentions, relations, evidence = [], {}, []
        position = 0
        for head, tail, confidence, *more in links:
            spans = []
            for word in (head, tail):
                statement = self.statement(word)
                statements[statement.id] = statement
                spans.append(Span(start=position, end=position + len(word)))
                mentions.append(
                    Mention(
                        statement_id=statement.id, document_id=document.id, span=spans[-1], text=f"{word} in {path}"
                    )
                )
                position += len(word) + 1
            unusual = {"type": "causal", "polarity": "affirmed", "modality": "asserted", "subtype": "cause"}
            unusual |= more[0] if more else {}
            relation = self.relation(head, tail, type=unusual["type"], polarity=unusual["polarity"])
            relations[relation.id] = relation
            evidence.append(
                Evidence(
                    relation_id=relation.id,
                    document_id=document.id,
                    head=spans[0],
                    tail=spans[1],
                    cue=None,
                    subtype=unusual["subtype"],
                    modality=Modality(unusual["modality"]),
                    explicit=True,
                    confidence=confidence,
                    origin="test@1",
                )
            )
        return DocumentGraph(
            source=Source(
                namespace="notes",
                path=path,
                document_id=document.id,
                raw_hash="raw",
                fingerprint="print",
                ingested_at=NOW,
                **source,
            ),
            document=document,
            chunks=tuple(
                Chunk(document_id=document.id, start=i * 500, end=(i + 1) * 500, ordinal=i, section=("Part", str(i)))
                for i in range(chunks)
            ),
            statements=tuple(statements.values()),
            mentions=tuple(mentions),
            relations=tuple(relations.values()),
            evidence=tuple(evidence),
            chains=tuple(chains),
        )

    def put(
        self,
        store: GraphStore,
        *adds: DocumentGraph,
        removes: Sequence[DocumentGraph] = (),
        same_as: Sequence[SameAs] = (),
        actor: str = "ingest",
    ) -> ChangeReceipt:
        """One whole change: intent, transaction, clean-up."""
        self._count = getattr(self, "_count", 0) + 1
        intent = make_id("int", self._count)
        store.begin(
            Intent(
                id=intent,
                adds=tuple(a.document.id for a in adds),
                removes=tuple(r.document.id for r in removes),
                at=NOW,
            )
        )
        receipt = store.commit(
            Change(
                intent_id=intent,
                adds=adds,
                removes=tuple(r.source.id for r in removes),
                same_as=tuple(same_as),
                actor=actor,
                at=NOW,
            )
        )
        store.finish(intent)
        return receipt


@pytest.fixture
def samples() -> Samples:
    return Samples()


def _embedded(request: pytest.FixtureRequest) -> Callable[[], GraphStore]:
    path: Path = request.getfixturevalue("tmp_path")
    return lambda: EmbeddedGraphStore(path / "graph.db", clock=lambda: NOW, busy_timeout=5)


def _neo4j(request: pytest.FixtureRequest) -> Callable[[], GraphStore]:
    address: Neo4jAddress = request.getfixturevalue("neo4j_address")
    return lambda: Neo4jGraphStore(address, clock=lambda: NOW)


def _arcadedb(request: pytest.FixtureRequest) -> Callable[[], GraphStore]:
    address: Neo4jAddress = request.getfixturevalue("arcadedb_address")
    return lambda: Neo4jGraphStore(address, clock=lambda: NOW)


GRAPH_STORES: dict[str, Callable[[pytest.FixtureRequest], Callable[[], GraphStore]]] = {
    "embedded": _embedded,
    "neo4j": _neo4j,
    "arcadedb": _arcadedb,
}


@pytest.fixture(params=sorted(GRAPH_STORES))
def open_graph(request: pytest.FixtureRequest) -> Iterator[Callable[[], GraphStore]]:
    """Opens the same store each time it is called; all are closed at the end."""
    opened: list[GraphStore] = []
    make = GRAPH_STORES[request.param](request)

    def open_store() -> GraphStore:
        opened.append(make())
        return opened[-1]

    yield open_store
    for store in opened:
        store.close()


@pytest.fixture
def graph(open_graph: Callable[[], GraphStore]) -> GraphStore:
    return open_graph()
