"""The minimal form of an access rule admits exactly whom the rule admits, tried out on every set of groups; and a store
whose documents were given other groups is the store that was given them in the first place."""

from __future__ import annotations

import os
import random
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from typing import Any

import neo4j
import neo4j_server
import pytest
from access_corpus import corpus
from access_faces import Asking, PythonFace, Query, comparable
from hypothesis import given, settings
from hypothesis import strategies as st
from stand_ins import SentenceExtractor, WordEmbedder

from graphrag import KnowledgeBase
from graphrag.settings import Settings
from storage.neo4j_database import Neo4jAddress
from storage.ports import COLLECTIONS
from storage.records import OWNER, AccessClass, View

GROUPS = ["a", "b", "c", "d", "e"]
EVERY_CALLER = [frozenset(c) for n in range(len(GROUPS) + 1) for c in combinations(GROUPS, n)]

rules = st.lists(st.lists(st.sampled_from(GROUPS), max_size=4), max_size=5)


def admits(rule: list[list[str]], groups: frozenset[str]) -> bool:
    """The rule as it is said: of every any-of set at least one."""
    return all(any(group in groups for group in any_of) for any_of in rule)


@settings(deadline=None, max_examples=300)
@given(rules)
def test_the_minimal_form_admits_exactly_whom_the_rule_admits(rule: list[list[str]]) -> None:
    minimal = AccessClass.of(rule)
    for caller in EVERY_CALLER:
        assert minimal.admits(caller) is admits(rule, caller)
    assert minimal.admits(None)  # the owner


@settings(deadline=None, max_examples=300)
@given(rules, rules)
def test_two_rules_have_one_id_exactly_if_they_admit_the_same(one: list[list[str]], other: list[list[str]]) -> None:
    same = all(admits(one, caller) is admits(other, caller) for caller in EVERY_CALLER)
    assert (AccessClass.of(one).id == AccessClass.of(other).id) is same


@settings(deadline=None)
@given(rules, st.randoms())
def test_the_minimal_form_does_not_hang_on_order_or_repetition(rule: list[list[str]], random: object) -> None:
    shuffled = [list(reversed(any_of)) + any_of[:1] for any_of in rule] + rule[:1]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert AccessClass.of(shuffled) == AccessClass.of(rule)
    assert AccessClass.of(AccessClass.of(rule).rule) == AccessClass.of(rule)


@settings(deadline=None)
@given(rules, rules)
def test_a_conjunction_of_rules_admits_whom_both_admit(one: list[list[str]], other: list[list[str]]) -> None:
    """What a derived chain is shown by: the rules of all its links together."""
    both = AccessClass.of([*AccessClass.of(one).rule, *AccessClass.of(other).rule])
    for caller in EVERY_CALLER:
        assert both.admits(caller) is (admits(one, caller) and admits(other, caller))


# --- changing groups -------------------------------------------------------------------------------------------------

SOAK = bool(os.environ.get("CLEW_SOAK"))
HISTORIES = {"embedded": 100 if SOAK else 2, "neo4j": 20 if SOAK else 1}
CALLERS: list[list[str]] = [["a"], ["b"], ["a", "b"], ["c"], []]


def opened(folder: Path, extractor: SentenceExtractor, **more: Any) -> KnowledgeBase:
    return KnowledgeBase.open(
        folder / "store",
        embedder=WordEmbedder(),
        extractor=extractor,
        settings=Settings(cache=folder / "cache", walk_seconds=600, **more),
        clock=lambda: datetime(2026, 3, 1, tzinfo=UTC),
    )


def accept_some(kb: KnowledgeBase, starts: list[str]) -> None:
    """Write chains across documents back; which ones does not hang on groups."""
    for start in starts:
        for chain in kb.chains(start=start).chains[:2]:
            links = [link.relation_id for link in chain.links]
            if len(links) > 1 and (proposal := kb.propose(links, proposer="owner")).status == "quarantined":
                kb.accept(proposal.id, reason="it holds", actor="owner")


def seen(kb: KnowledgeBase, queries: list[Query]) -> list[Any]:
    """What every caller is shown, and how much there is for each."""
    graph, face = kb._stores.graph, PythonFace(kb)
    shown: list[Any] = [graph.counts(graph.scope(View(groups=frozenset(groups)))) for groups in CALLERS]
    for query in queries:
        for groups in CALLERS:
            found = face.show(query, groups)
            shown.append(found if found is None else comparable(query, found))
    return shown


def classes(kb: KnowledgeBase) -> dict[str, set[tuple[str, str]]]:
    """Id and access class of every row of the text index."""
    graph, index = kb._stores.graph, kb._stores.index
    ids = [s.document_id for s in graph.sources(graph.scope(OWNER))]
    rows = {c: {(r.id, r.access_class) for r in index.document_rows(c, ids)} for c in COLLECTIONS}
    return rows | {"derived": {(r.id, r.access_class) for r in index.derived_rows()}}


@pytest.mark.parametrize("store", ["embedded", "neo4j"])
def test_other_groups_take_effect_everywhere_without_extraction(
    store: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    for seed in range(HISTORIES[store]):
        rng = random.Random(seed)
        documents = corpus(seed, documents=2)
        starts = [t.said(by="a") for t in documents.named["a"][::3]]
        given = {d.id: d for d in documents.documents}
        with opened(tmp_path / f"kept-{seed}", SentenceExtractor()) as straight:
            groups_of = {id_: random_groups(rng) for id_ in given}
            straight.ingest([d.model_copy(update={"groups": groups_of[id_]}) for id_, d in given.items()])
            accept_some(straight, starts)
            asking = Asking(documents, straight, seed)
            queries = [asking.query() for _ in range(8)]
            more = on(store, request)
            extractor = SentenceExtractor()
            with opened(tmp_path / f"{store}-{seed}", extractor, **more) as kb:
                kb.ingest(list(given.values()))
                accept_some(kb, starts)
                read = extractor.extracted
                for _ in range(4):
                    kb.ingest(rng.sample(list(given.values()), 3), groups=random_groups(rng))
                kb.ingest([d.model_copy(update={"groups": groups_of[id_]}) for id_, d in given.items()])
                assert extractor.extracted == read
                assert classes(kb) == classes(straight)
                assert kb.status().state_hash == straight.status().state_hash
                assert seen(kb, queries) == seen(straight, queries)


def random_groups(rng: random.Random) -> tuple[str, ...]:
    return tuple(sorted(rng.sample("abc", rng.randint(0, 3))))


def on(store: str, request: pytest.FixtureRequest) -> dict[str, Any]:
    """The settings that choose a graph store; a Neo4j database is emptied for every history."""
    if store == "embedded":
        return {}
    address: Neo4jAddress = request.getfixturevalue("neo4j_address")
    with neo4j.GraphDatabase.driver(address.uri, auth=(address.username, address.password)) as driver:
        neo4j_server.clear(driver, address.database)
    return {
        "graph": "neo4j", "neo4j_uri": address.uri, "neo4j_username": address.username,
        "neo4j_password": address.password, "neo4j_database": address.database,
    }  # fmt: skip
