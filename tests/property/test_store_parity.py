"""Row 5 of SECURITY.md: on generated graphs Neo4j gives what the embedded store gives, to the last digit."""

from __future__ import annotations

import os
import tempfile
from functools import partial
from pathlib import Path

import neo4j
import neo4j_server
import pytest
from generated_graphs import NOW, STATEMENTS, changes, put, views
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from graphrag.walk import Bounds, walk
from storage import embedded_walk, neo4j_walk
from storage.embedded_graph import EmbeddedGraphStore
from storage.identity import make_id
from storage.neo4j_graph import Neo4jGraphStore
from storage.ports import Change, Intent, LedgerDraft
from storage.records import OWNER, Chain, Relation, RelationType, SameAs, Source

GRAPHS = 1000 if os.environ.get("CLEW_SOAK") else 100
IDS = sorted(s.id for s in STATEMENTS.values())
TYPES = tuple(RelationType)

links = st.lists(
    st.builds(
        lambda pair, score: SameAs(first=min(pair), second=max(pair), score=score, origin="t"),
        st.lists(st.sampled_from(IDS), min_size=2, max_size=2, unique=True),
        st.sampled_from([0.6, 0.75, 0.9]),
    ),
    max_size=2,
)


@pytest.fixture
def twins(neo4j_address):
    """Makes an empty embedded store and an empty Neo4j store, again and again on one server."""
    auth = (neo4j_address.username, neo4j_address.password)
    with (
        neo4j.GraphDatabase.driver(neo4j_address.uri, auth=auth) as driver,
        Neo4jGraphStore(neo4j_address, clock=lambda: NOW) as remote,
        tempfile.TemporaryDirectory() as folder,
    ):
        made = []

        def make():
            neo4j_server.clear(driver, neo4j_address.database)
            made.append(EmbeddedGraphStore(Path(folder) / f"{len(made)}.db", clock=lambda: NOW))
            return made[-1], remote

        yield make
        for store in made:
            store.close()


def relate(store, same_as):
    """Put similarity links in."""
    intent = Intent(id=make_id("int", "same"), at=NOW)
    store.begin(intent)
    receipt = store.commit(Change(intent_id=intent.id, same_as=tuple(same_as), at=NOW))
    store.finish(intent.id)
    return receipt


def _walk(graph, **how):
    return walk(graph, seeds=dict.fromkeys(IDS[:3], 1.0), **how)


def answers(store, view, *, fan_out, least):
    """Everything that a store says in a view, in the order in which it says it."""
    scope = store.scope(view)
    records = list(store.records())
    relations = sorted(r.id for r in records if isinstance(r, Relation))
    chains = sorted(r.id for r in records if isinstance(r, Chain))
    documents = sorted(r.document_id for r in records if isinstance(r, Source))
    bounds = Bounds(max_hops=3, fan_out=fan_out, min_confidence=least, seconds=60)
    walks = [
        store.in_one_transaction(partial(_walk, scope=scope, forward=forward, types=types, bounds=bounds))
        for forward, types in ((True, TYPES), (False, TYPES[:1]))
    ]
    hops = [
        store.edges(IDS, scope, forward=forward, types=TYPES, min_confidence=least, fan_out=fan_out)
        for forward in (True, False)
    ]
    return {
        "scope": scope,
        "walks": walks,
        "hops": hops,
        "relations": store.relations(relations, scope),
        "evidence": store.evidence(relations, scope),
        "chains": store.chains(chains, scope),
        "statements": store.statements(IDS, scope),
        "same_as": store.same_as(IDS, scope),
        "sources": store.sources(scope),
        "documents": store.documents(documents, scope),
        "chunks": store.chunks(documents, scope),
        "document_counts": store.document_counts(documents, scope),
        "counts": store.counts(scope),
        "ids": [
            store.ids_starting(f"{kind}_{d}", scope, limit=3) for kind in ("stm", "rel", "chn", "doc") for d in "0a"
        ],
    }


@settings(
    max_examples=GRAPHS, deadline=None, derandomize=True, database=None, phases=[Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
@given(
    history=st.lists(changes, min_size=1, max_size=3),
    same_as=links,
    view=views,
    fan_out=st.integers(1, 4),
    least=st.sampled_from([0.0, 0.5, 0.9]),
    moved=st.sampled_from([None, "red", "blue"]),
    accepted=st.booleans(),
    crowded=st.booleans(),
)
def test_generated_graphs_read_alike(twins, history, same_as, view, fan_out, least, moved, accepted, crowded):
    stores = twins()
    for adds, removes in history:
        first, second = (put(store, adds, removes - {a.source.id for a in adds}) for store in stores)
        assert first == second
    assert len({relate(store, same_as) for store in stores}) == 1
    if moved is not None:
        for store in stores:
            store.update_sources(
                [s.model_copy(update={"groups": (moved,)}) for s in store.sources(store.scope(OWNER))[:1]]
            )
    known = sorted(r.id for r in stores[0].records() if isinstance(r, Relation))
    if accepted and len(known) > 1:
        chain = Chain(relation_ids=(known[0], known[-1]), derived=True)
        draft = LedgerDraft(action="accept", actor="ann", at=NOW, ids=(chain.id,))
        assert len({store.decide([], draft, accepted=[chain]).hash for store in stores}) == 1
        gone = [s.id for s in stores[0].sources(stores[0].scope(OWNER))][:1]
        assert len({put(store, (), gone) for store in stores}) == 1
    assert stores[0].state_hash() == stores[1].state_hash()
    assert list(stores[0].ledger()) == list(stores[1].ledger())
    assert stores[0].derived_chains() == stores[1].derived_chains()
    with pytest.MonkeyPatch.context() as patch:
        for module in (embedded_walk, neo4j_walk) if crowded else ():  # every statement is taken for a hub
            patch.setattr(module, "_BUDGET", 1)
            patch.setattr(module, "_BUDGET_EACH", 0)
        embedded, remote = (answers(store, view, fan_out=fan_out, least=least) for store in stores)
    assert embedded == remote
