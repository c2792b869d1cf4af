"""Row 7 of SECURITY.md: two groups with common things in one store, and neither is told anything of the other.

What is shown to a caller holds no word and no id of what only others may read, and is what a store shows that holds the
caller's own documents and nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
import soak_figures
from access_corpus import Corpus, allowed_ids, foreign
from access_faces import Asking, CommandLineFace, Face, OpenStore, PythonFace, comparable

from graphrag import KnowledgeBase
from storage.errors import NotFoundError
from storage.records import OWNER, View

SOAK = bool(os.environ.get("CLEW_SOAK"))
QUERIES = {"embedded": 10_000 if SOAK else 800, "neo4j": 10_000 if SOAK else 200}
SEED = 7
CALLERS = "abc"  # nobody's documents are for c


@pytest.fixture(scope="module")
def alone(open_store: OpenStore, documents: Corpus) -> dict[str, KnowledgeBase]:
    """By caller: a store of what that caller may read."""
    stores = {caller: open_store() for caller in CALLERS}
    for caller in "ab":
        stores[caller].ingest(documents.of(caller))
    return stores


def fill(kb: KnowledgeBase, documents: Corpus, alone: dict[str, KnowledgeBase]) -> None:
    """Put all documents in; the owner looks at everything, and accepts chains of both groups and across them."""
    kb.ingest(list(documents.documents))
    for caller in "ab":
        mine = [chain for t in documents.named[caller] for chain in alone[caller].chains(start=t.words).chains]
        accepted = 0
        for links in sorted({tuple(link.relation_id for link in c.links) for c in mine if len(c.links) > 1}):
            if accepted < 6 and accept(kb, links):
                accept(alone[caller], links)
                accepted += 1
        assert accepted
    across, readable = 0, [allowed_ids(kb, caller) for caller in "ab"]
    for thing in documents.named["a"]:
        for chain in kb.chains(start=thing.words, limit=20).chains:
            links = [link.relation_id for link in chain.links]
            if len(links) > 1 and across < 12 and not any(ids.issuperset(links) for ids in readable):
                across += accept(kb, links)
    assert across


def accept(kb: KnowledgeBase, relation_ids: Sequence[str]) -> bool:
    """Propose a chain of stored relations and accept it; False where the gate refuses it."""
    proposal = kb.propose(list(relation_ids), proposer="owner")
    if proposal.status == "quarantined":
        kb.accept(proposal.id, reason="it holds", actor="owner")
    return proposal.status == "quarantined"


@pytest.fixture(scope="module")
def together_embedded(open_store: OpenStore, documents: Corpus, alone: dict[str, KnowledgeBase]) -> KnowledgeBase:
    """One store with the documents of both groups and of the owner."""
    kb = open_store()
    fill(kb, documents, alone)
    return kb


@pytest.fixture
def together(
    request: pytest.FixtureRequest,
    graph: Any,
    open_store: OpenStore,
    documents: Corpus,
    alone: dict[str, KnowledgeBase],
) -> Iterator[KnowledgeBase]:
    """The same on either graph store."""
    name, settings = graph
    if name == "embedded":
        yield request.getfixturevalue("together_embedded")
    else:
        with open_store(**settings) as kb:
            fill(kb, documents, alone)
            yield kb


def test_no_group_is_told_anything_of_another(
    graph: Any,
    together: KnowledgeBase,
    alone: dict[str, KnowledgeBase],
    documents: Corpus,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for kb in (together, *alone.values()):  # what the other graph store's turn made them remember is not compared
        kb._walked._path.unlink(missing_ok=True)
    allowed = {caller: allowed_ids(together, caller) for caller in CALLERS}
    references: dict[str, Face] = {caller: PythonFace(kb) for caller, kb in alone.items()}
    faces: list[Face] = [PythonFace(together), CommandLineFace(together, monkeypatch)]
    asking = Asking(documents, together, SEED)
    shown_something = 0
    for number in range(QUERIES[graph[0]]):
        query, caller = asking.query(), "abababc"[number % 7]
        expected = references[caller].show(query, [caller])
        assert expected is not None
        for face in faces if SOAK else [faces[number % 2]]:
            shown = face.show(query, [caller])
            if shown is None:
                continue
            where = (number, face.name, caller, query)
            assert foreign(shown.data, shown.besides(query), allowed[caller], caller) == [], where
            assert comparable(query, shown) == comparable(query, expected), where
        shown_something += "error" not in expected.data
    assert shown_something > QUERIES[graph[0]] / 3  # silence would prove nothing
    faces_asked = len(faces) if SOAK else 1
    soak_figures.note(f"foreign things told, {graph[0]}", tries=QUERIES[graph[0]] * faces_asked, unit="answers")


def test_the_corpus_holds_what_could_leak(
    together_embedded: KnowledgeBase, alone: dict[str, KnowledgeBase], documents: Corpus
) -> None:
    """Chains across documents, links of one meaning across groups, accepted chains, other beliefs: all are there."""
    together, whole = together_embedded, together_embedded._stores.graph
    scope = whole.scope
    seen = {c: whole.counts(scope(View(groups=frozenset(c)))) for c in "ab"}
    everything = whole.counts(scope(OWNER))
    for caller in "ab":
        lone = alone[caller]._stores.graph
        assert seen[caller] == lone.counts(lone.scope(View(groups=frozenset(caller))))
        assert seen[caller].derived_chains > 0
    assert everything.same_as > seen["a"].same_as + seen["b"].same_as
    assert everything.chains > seen["a"].chains + seen["b"].chains
    assert everything.derived_chains > seen["a"].derived_chains + seen["b"].derived_chains
    names = [{t.words for t in documents.named[c] if len(t.words.split()) in (1, 3)} for c in "ab"]
    assert [round(len(names[0] & names[1]) / len(n), 1) for n in names] == [0.3, 0.3]
    crossing = [
        chain for t in documents.named["a"] for chain in together.chains(start=t.words, groups=["a"]).chains
        if not set.intersection(*({e.document_id for e in link.evidence} for link in chain.links))
    ]  # fmt: skip
    assert {len(chain.links) for chain in crossing} >= {2, 3, 4}
    stronger = [
        r for r, view in whole.relations(sorted(allowed_ids(together, "a")), scope(OWNER)).items()
        if view.belief != whole.relations([r], scope(View(groups=frozenset("a"))))[r].belief
    ]  # fmt: skip
    assert stronger


def test_an_id_of_others_is_answered_like_one_that_does_not_exist(together_embedded: KnowledgeBase) -> None:
    theirs = sorted(allowed_ids(together_embedded, "b") - allowed_ids(together_embedded, "a"))
    asked = [id_ for id_ in theirs if id_.startswith(("rel_", "chn_"))]
    assert asked
    for id_ in asked:
        invented = id_[:4] + id_[4:][::-1]
        told = []
        for name in (id_, invented):
            with pytest.raises(NotFoundError) as raised:
                together_embedded.explain(name, groups=["a"])
            told.append(str(raised.value).replace(name, "ID"))
        assert told[0] == told[1]
