"""A small store with documents whose links are told to it: what the feedback tests begin with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from feedback import Decision, accept, propose, reject, reject_stored, rollback, sync_derived_rows, take_back
from storage.embedded_graph import EmbeddedGraphStore
from storage.lance_index import LanceTextIndex
from storage.ports import Change, DocumentGraph, GraphStore, HeldChain, IndexRow, Intent, TextIndex, Vector
from storage.records import (
    OWNER,
    AccessClass,
    Chain,
    Chunk,
    Document,
    Evidence,
    Mention,
    Modality,
    Polarity,
    Proposal,
    Relation,
    RelationType,
    SameAs,
    Source,
    Span,
    Statement,
    StatementKey,
    StoredDocument,
    View,
)

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)


class LetterEmbedder:
    """Counts letters: equal texts have equal vectors."""

    name = "letters@1"
    dimensions = 26

    def embed(self, texts: Sequence[str], side: str) -> Vector:
        counts = np.array([[text.lower().count(chr(97 + i)) + 0.01 for i in range(26)] for text in texts], np.float32)
        return counts / np.linalg.norm(counts, axis=1, keepdims=True)


@dataclass(frozen=True)
class Says:
    """One sentence of a document: ``head`` so ``tail``."""

    head: str
    tail: str
    type: RelationType = RelationType.CAUSAL
    polarity: Polarity = Polarity.AFFIRMED
    modality: Modality = Modality.ASSERTED
    origin: str = "english@1"

    @property
    def relation(self) -> Relation:
        return Relation(
            type=self.type, head=statement(self.head).id, tail=statement(self.tail).id, polarity=self.polarity
        )


def statement(words: str) -> Statement:
    """The statement of some words: *The Flood* and *the flood* are one."""
    return Statement(key=StatementKey(language="en", terms=tuple(words.lower().split())))


def document_graph(name: str, sentences: Sequence[Says], **about: Any) -> tuple[DocumentGraph, str]:
    """All that a document of these sentences contributes, and its text."""
    text, spans = "", []
    for said in sentences:
        head = Span(start=len(text), end=len(text) + len(said.head))
        cue = Span(start=head.end + 1, end=head.end + 3)
        tail = Span(start=cue.end + 1, end=cue.end + 1 + len(said.tail))
        text += f"{said.head} so {said.tail}.\n"
        spans.append((head, cue, tail))
    content = Document(text=text, title=about.pop("title", name), language=about.pop("language", "en"))
    namespace, path = "test", name
    source_id = Source(
        namespace=namespace, path=path, document_id="", raw_hash="", fingerprint="", ingested_at=NOON
    ).id  # fmt: skip
    stored = StoredDocument(
        source_id=source_id, content_hash=content.content_hash, title=content.title, language="en", length=len(text)
    )
    source = Source(
        namespace=namespace, path=path, document_id=stored.id, raw_hash=content.content_hash, fingerprint="f",
        ingested_at=NOON, **about,
    )  # fmt: skip
    evidence, mentions = [], []
    for said, (head, cue, tail) in zip(sentences, spans, strict=True):
        evidence.append(
            Evidence(
                relation_id=said.relation.id, document_id=stored.id, head=head, tail=tail, cue=cue, subtype="cause",
                modality=said.modality, explicit=True, confidence=0.8, origin=said.origin,
            )
        )  # fmt: skip
        mentions += [
            Mention(statement_id=statement(words).id, document_id=stored.id, span=span, text=words)
            for words, span in ((said.head, head), (said.tail, tail))
        ]
    ids = [said.relation.id for said in sentences]
    chains = [Chain(relation_ids=(i,)) for i in ids]
    chains += [
        Chain(relation_ids=(one.relation.id, two.relation.id))
        for one, two in pairwise(sentences)
        if one.relation.tail == two.relation.head
    ]
    return DocumentGraph(
        source=source,
        document=stored,
        chunks=(Chunk(document_id=stored.id, start=0, end=len(text), ordinal=0),),
        statements=tuple(
            {s.id: s for said in sentences for s in (statement(said.head), statement(said.tail))}.values()
        ),
        mentions=tuple(mentions),
        relations=tuple({said.relation.id: said.relation for said in sentences}.values()),
        evidence=tuple(evidence),
        chains=tuple({c.id: c for c in chains}.values()),
    ), text


@dataclass
class World:
    """A graph, an index, and the few steps that a knowledge base would take with them."""

    graph: GraphStore
    index: TextIndex
    embedder: LetterEmbedder = field(default_factory=LetterEmbedder)
    now: datetime = NOON
    steps: int = 0

    def clock(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now

    def ingest(self, name: str, *sentences: Says, same_as: Sequence[SameAs] = (), **about: Any) -> str:
        """Store a document; returns its id."""
        made, text = document_graph(name, sentences, **about)
        access = AccessClass.of([made.source.groups])
        row = IndexRow(
            id=made.document.id, owner=made.document.id, document_id=made.document.id, access_class=access.id,
            language="en", text=text,
        )  # fmt: skip
        intent = self._intent(adds=(made.document.id,))
        self.graph.begin(intent)
        self.index.write("documents", [row])
        self.graph.commit(Change(intent_id=intent.id, adds=(made,), same_as=tuple(same_as), at=self.now))
        self.graph.finish(intent.id)
        return made.document.id

    def remove(self, name: str) -> None:
        made, _ = document_graph(name, ())
        [source] = self.graph.sources(self.graph.scope(OWNER), [made.source.id])
        intent = self._intent(removes=(source.document_id,))
        self.graph.begin(intent)
        self.graph.commit(Change(intent_id=intent.id, removes=(source.id,), at=self.now))
        self.index.delete_documents([source.document_id])
        self.graph.finish(intent.id)

    def alter(self, document_id: str, text: str) -> None:
        """Change a stored text behind the graph's back."""
        row = self.index.rows("documents", [document_id])[document_id]
        self.index.write(
            "documents",
            [
                IndexRow(
                    id=row.id, owner=row.owner, document_id=row.document_id, access_class=row.access_class,
                    language=row.language, text=text,
                )
            ],
        )  # fmt: skip

    def propose(self, *sentences: Says, view: View = OWNER, proposer: str = "ask", **about: Any) -> Proposal:
        return propose(
            self.graph, self.index, relation_ids=[s.relation.id for s in sentences], view=view, proposer=proposer,
            clock=self.clock, **about,
        )  # fmt: skip

    def accept(self, proposal: Proposal, actor: str = "ada") -> Decision:
        return accept(
            self.graph, self.index, self.embedder, proposal_id=proposal.id, actor=actor, reason="it holds",
            clock=self.clock,
        )  # fmt: skip

    def reject(self, proposal: Proposal, actor: str = "ada") -> Decision:
        return reject(self.graph, proposal_id=proposal.id, actor=actor, reason="it does not hold", clock=self.clock)

    def rollback(self, batch: str) -> Decision:
        return rollback(
            self.graph, self.index, self.embedder, batch=batch, actor="ada", reason="a mistake", clock=self.clock
        )

    def reject_stored(self, subject: str | HeldChain, actor: str = "ada", reason: str = "it is not so") -> Decision:
        return reject_stored(
            self.graph, self.index, self.embedder, subject=subject, actor=actor, reason=reason, clock=self.clock
        )

    def take_back(self, subject_id: str, actor: str = "bob") -> Decision:
        return take_back(
            self.graph, self.index, self.embedder, subject_id=subject_id, actor=actor, reason="it is", clock=self.clock
        )

    def sync(self) -> int:
        return sync_derived_rows(self.graph, self.index, self.embedder)

    def derived(self) -> dict[str, str]:
        """Each active or retired derived chain and its status."""
        return {chain.id: status.value for chain, status in self.graph.derived_chains()}

    def _intent(self, **about: Any) -> Intent:
        self.steps += 1
        return Intent(id=f"int_{self.steps:032x}", at=self.now, **about)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """An empty embedded store."""
    graph = EmbeddedGraphStore(tmp_path / "graph.db")
    index = LanceTextIndex(tmp_path / "lance", dimensions=LetterEmbedder.dimensions)
    yield World(graph=graph, index=index)
    index.close()
    graph.close()


STORM = Says("the storm", "a flood")
FLOOD = Says("a flood", "an outage")
OUTAGE = Says("an outage", "a loss")


@pytest.fixture
def told(world: World) -> World:
    """A storm causes a flood (in *one*), a flood causes an outage (in *two*), an outage a loss (in *three*)."""
    for name, said in (("one", STORM), ("two", FLOOD), ("three", OUTAGE)):
        world.ingest(name, said)
    return world


@pytest.fixture
def says() -> type[Says]:
    """The class of sentences, for tests that make their own."""
    return Says


@pytest.fixture
def story() -> tuple[Says, Says, Says]:
    """The three sentences of ``told``."""
    return STORM, FLOOD, OUTAGE
