"""Row 18 of SECURITY.md: one statement on everybody's lips does not make a walk longer than its bounds."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import soak_figures
from generated_graphs import NOW

from graphrag.walk import Bounds, walk
from storage.embedded_graph import EmbeddedGraphStore
from storage.identity import content_digest, make_id
from storage.neo4j_database import Neo4jAddress
from storage.neo4j_graph import Neo4jGraphStore
from storage.ports import Change, DocumentGraph, GraphStore, Intent
from storage.records import (
    OWNER,
    Evidence,
    Mention,
    Modality,
    Relation,
    RelationType,
    Source,
    Span,
    Statement,
    StatementKey,
    StoredDocument,
    View,
)

SOAK = bool(os.environ.get("CLEW_SOAK"))
RELATIONS = {"embedded": 1_000_000 if SOAK else 20_000, "neo4j": 100_000 if SOAK else 2_000}
EACH = 1_000  # relations of one document
SHARED = 20  # of so many documents, one says what another group's document says too
FAN_OUT = 24
SECONDS = 2.0

HUB = Statement(key=StatementKey(language="en", terms=("hub",)))


def spoke(number: int) -> Statement:
    return Statement(key=StatementKey(language="en", terms=(f"spoke{number}",)))


def confidence(number: int) -> float:
    """Each relation has one of its own, spread so that the best lie in many documents; none ties in the sixth digit."""
    return round(0.3 + 0.6 * ((number * 7919) % 1_000_003) / 1_000_003, 9)


def document(numbers: range, groups: tuple[str, ...], *, of: int) -> DocumentGraph:
    """A document in which the hub causes each of the spokes ``numbers``, and the first of them causes another."""
    source = make_id("src", "n", f"{groups}{numbers.start}")
    stored = StoredDocument(
        source_id=source, content_hash=content_digest(source.encode()), title="t", language="en", length=9 * of
    )
    pairs = [(HUB, spoke(n), confidence(n)) for n in numbers]
    pairs.append((spoke(numbers.start), spoke(of + numbers.start), 0.9))
    statements = {s.id: s for head, tail, _ in pairs for s in (head, tail)}
    return DocumentGraph(
        source=Source(
            namespace="n", path=f"{groups}{numbers.start}", groups=groups, document_id=stored.id, raw_hash="r",
            fingerprint="f", ingested_at=NOW,
        ),
        document=stored,
        chunks=(),
        statements=tuple(statements.values()),
        mentions=tuple(
            Mention(statement_id=id_, document_id=stored.id, span=Span(start=i, end=i + 1), text="x")
            for i, id_ in enumerate(statements)
        ),
        relations=tuple(Relation(type=RelationType.CAUSAL, head=h.id, tail=t.id) for h, t, _ in pairs),
        evidence=tuple(
            Evidence(
                relation_id=Relation(type=RelationType.CAUSAL, head=h.id, tail=t.id).id, document_id=stored.id,
                head=Span(start=9 * i, end=9 * i + 1), tail=Span(start=9 * i + 2, end=9 * i + 3), cue=None,
                subtype="cause", modality=Modality.ASSERTED, explicit=True, confidence=c, origin="t@1",
            )
            for i, (h, t, c) in enumerate(pairs)
        ),
    )  # fmt: skip


def add(store: GraphStore, graph: DocumentGraph) -> None:
    intent = make_id("int", graph.document.id)
    store.begin(Intent(id=intent, adds=(graph.document.id,), at=NOW))
    store.commit(Change(intent_id=intent, adds=(graph,), at=NOW))
    store.finish(intent)


@pytest.fixture(params=["embedded", "neo4j"])
def hub(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, GraphStore]]:
    """A store with the hub: all of its relations are said to group a, some of them to group b as well."""
    store: GraphStore
    if request.param == "embedded":
        store = EmbeddedGraphStore(tmp_path / "graph.db", clock=lambda: NOW)
    else:
        address: Neo4jAddress = request.getfixturevalue("neo4j_address")
        store = Neo4jGraphStore(address, clock=lambda: NOW)
    count = RELATIONS[request.param]
    for start in range(0, count, EACH):
        add(store, document(range(start, start + EACH), ("a",), of=count))
        if start // EACH % SHARED == 0:
            add(store, document(range(start, start + EACH), ("b",), of=count))
    yield request.param, store
    store.close()


def is_shared(number: int) -> bool:
    """Whether group b has a document that says it too."""
    return number // EACH % SHARED == 0


def best(count: int, groups: set[str]) -> list[tuple[str, float]]:
    """The relations to follow from the hub, worked out from the numbers alone."""
    seen = []
    for number in range(count):
        voices = ("a" in groups) + ("b" in groups and is_shared(number))
        if voices:
            seen.append((round(1 - (1 - confidence(number)) ** voices, 6), number))
    seen.sort(key=lambda s: -s[0])
    return [(spoke(number).id, value) for value, number in seen[:FAN_OUT]]


def test_a_walk_from_a_hub_keeps_its_bounds_and_says_so(hub: tuple[str, GraphStore]) -> None:
    name, store = hub
    count = RELATIONS[name]
    bounds = Bounds(max_hops=3, fan_out=FAN_OUT, min_confidence=0.3, seconds=SECONDS)
    for view, groups in (
        (OWNER, {"a", "b"}),
        (View(groups=frozenset("a")), {"a"}),
        (View(groups=frozenset("b")), {"b"}),
        (View(groups=frozenset("ab")), {"a", "b"}),
        (View(groups=frozenset("c")), set()),
    ):
        scope, started, worked = store.scope(view), time.perf_counter(), time.process_time()
        found = walk(store, scope, {HUB.id: 1.0}, forward=True, types=tuple(RelationType), bounds=bounds)
        seconds = time.perf_counter() - started
        print(f"{name}, {count:,} relations, groups {sorted(groups)}: {1000 * seconds:.0f} ms")
        soak_figures.note(f"walks from a hub beyond their bounds, {name}", tries=1, unit="walks")
        expected = best(count, groups)
        first = [(p.edges[0].tail, p.edges[0].confidence) for p in found.paths if len(p.edges) == 1]
        assert sorted(first) == sorted(expected)
        cut = [r for r in found.reasons if "relations at one statement" in r]
        assert len(cut) == bool(groups), found.reasons
        # Of a busy machine the clock says little, so it is the work that is bounded, and the clock in a soak.
        assert time.process_time() - worked < SECONDS
        assert seconds < 2 * SECONDS or not SOAK
