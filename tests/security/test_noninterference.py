"""Row 8 of SECURITY.md: whatever happens to the documents of others, a caller's questions are answered as before.

In a store with one index for all, scores of words and the order of passages may move (see
:func:`access_faces.comparable`); with ``isolation = strict`` every byte stays what it was.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
import soak_figures
from access_corpus import MARKS, Corpus
from access_faces import Asking, OpenStore, PythonFace, Query, Shown, comparable

from graphrag import Document, KnowledgeBase

QUERIES = 400 if os.environ.get("CLEW_SOAK") else 20
SEED = 8
STORES = [("embedded", "shared"), ("embedded", "strict"), ("neo4j", "shared")]  # isolation is the index's alone


@pytest.fixture(scope="module")
def queries(open_store: OpenStore, documents: Corpus) -> list[Query]:
    """Questions of a caller of group a about everything there is."""
    whole = open_store()
    whole.ingest(list(documents.documents))
    asking = Asking(documents, whole, SEED)
    return [asking.query() for _ in range(QUERIES)]


def told(kb: KnowledgeBase, queries: Sequence[Query], *, exactly: bool) -> list[Any]:
    """What a caller of group a is shown."""
    face = PythonFace(kb)
    shown = [face.show(query, ["a"]) for query in queries]
    return [s if exactly or s is None else comparable(q, s) for q, s in zip(queries, shown, strict=True)]


def changed(document: Document) -> Document:
    """Another version, that says more of everything, and that others may read."""
    english, chinese = MARKS["b"]
    more = f"\n\nThat {english}new causes that zqslate. {chinese}新锅炉起火导致{chinese}旧锅炉停机。\n"
    # With one document that is valid for a time only, no store answers from its projection any more.
    valid = {"valid_from": datetime(2020, 1, 1, tzinfo=UTC)}
    update = {"text": document.text + 3 * more, "groups": ("b", "c"), "title": "zqb other", **valid}
    return document.model_copy(update=update)


@pytest.mark.parametrize(("graph", "isolation"), STORES, indirect=["graph"], ids=["-".join(s) for s in STORES])
def test_what_others_add_change_and_remove_makes_no_difference(
    graph: Any, isolation: str, open_store: OpenStore, documents: Corpus, queries: list[Query]
) -> None:
    kb = open_store(**graph[1], isolation=isolation)
    mine, theirs = documents.of("a"), [d for d in documents.documents if "a" not in (d.groups or ())]
    kb.ingest(mine)
    told(kb, queries, exactly=False)  # a chain that was shown once can be explained by its id from then on
    before = told(kb, queries, exactly=isolation == "strict")
    assert sum("error" not in (b.data if isinstance(b, Shown) else b) for b in before) > QUERIES / 3

    steps: dict[str, Callable[[], object]] = {
        "added": lambda: kb.ingest(theirs),
        "looked at and accepted": lambda: owner_works(kb, documents),
        "changed": lambda: kb.ingest([changed(d) for d in theirs]),
        "ingested again": lambda: kb.ingest([*map(changed, theirs), *mine], reprocess=True),
        "given to others": lambda: kb.ingest(theirs[:9], groups=["c"]),
        "folded together": kb.optimize,
        "removed": lambda: [kb.remove(d.id or "") for d in theirs],
    }
    for step, happen in steps.items():
        happen()
        after = told(kb, queries, exactly=isolation == "strict")
        for query, was, now in zip(queries, before, after, strict=True):
            assert now == was, (step, query)
    tries = len(steps) * len(queries)
    soak_figures.note(f"answers moved by others' documents, {graph[0]}, {isolation}", tries=tries, unit="answers")


def owner_works(kb: KnowledgeBase, documents: Corpus) -> None:
    """The owner asks, and accepts chains of which the caller may not see every link."""
    accepted = 0
    for thing in documents.named["b"]:
        for chain in kb.chains(start=thing.said(by="b")).chains:
            hidden = [x for x in chain.links if all(e.source[:2] == "b/" for e in x.evidence)]
            if hidden and len(chain.links) > 1 and accepted < 5:
                proposal = kb.propose([link.relation_id for link in chain.links], proposer="owner")
                if proposal.status == "quarantined":
                    accepted += 1
                    kb.accept(proposal.id, reason="it holds", actor="owner")
    assert accepted
