"""The loop from documents to found chains: what is stored is a function of the documents, in any order, alone."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stand_ins import SentenceExtractor, WordEmbedder

import graphrag.ingest
from graphrag import Document, KnowledgeBase, Settings

SOAK = os.environ.get("CLEW_SOAK") == "1"
THINGS = ["the storm", "heavy rain", "the flooded road", "the closed port", "the strike", "late shipments"]
EVENTS = ["暴雨", "道路积水", "列车晚点", "停电"]

english = st.builds(
    lambda a, cue, b: f"{a[0].upper()}{a[1:]} {cue} {b}.",
    st.sampled_from(THINGS),
    st.sampled_from(["causes", "causes", "precedes", "does not cause", "may cause"]),
    st.sampled_from(THINGS),
)
chinese = st.builds(
    lambda a, cue, b: f"{a}{cue}{b}。",
    st.sampled_from(EVENTS),
    st.sampled_from(["导致", "可能导致"]),
    st.sampled_from(EVENTS),
)
texts = st.lists(st.one_of(english, chinese), min_size=1, max_size=4).map("\n".join)
collections = st.dictionaries(st.sampled_from("abcdefgh"), texts, min_size=1, max_size=5)
groups = st.sampled_from([None, ("public",), ("hr",), ("hr", "board")])
QUESTIONS = ["What caused the closed port?", "What did the storm lead to?", "列车为什么晚点？"]
slow = settings(
    max_examples=60 if SOAK else 6, deadline=None, derandomize=not SOAK, suppress_health_check=list(HealthCheck)
)  # fmt: skip


@contextmanager
def opened() -> Iterator[KnowledgeBase]:
    with (
        tempfile.TemporaryDirectory() as folder,
        KnowledgeBase.open(
            Path(folder) / "store",
            embedder=WordEmbedder(),
            extractor=SentenceExtractor(),
            settings=Settings(cache=Path(folder) / "cache"),
        ) as kb,
    ):
        yield kb


@contextmanager
def batches_of(documents: int) -> Iterator[None]:
    before = graphrag.ingest.BATCH_DOCUMENTS
    graphrag.ingest.BATCH_DOCUMENTS = documents
    try:
        yield
    finally:
        graphrag.ingest.BATCH_DOCUMENTS = before


def seen(kb: KnowledgeBase) -> dict[str, Any]:
    """All that may depend on nothing but the documents."""
    index = kb._stores.index
    found: dict[str, Any] = {"state": kb.status().state_hash, "counts": kb.status().counts}
    for collection in ("documents", "chunks", "statements", "chains"):
        rows = index._table(collection).search().limit(10_000).to_list()
        found[collection] = sorted((r["id"], r["access_class"], r["text"]) for r in rows)
    for question in QUESTIONS:
        result, answer = kb.search(question), kb.ask(question)
        found[question] = {
            "hits": sorted(h.chunk_id for h in result.hits),
            "chains": [(c.id, c.score) for c in result.chains],
            "answer": (answer.text, answer.evidence_score),
        }
    return found


def documents(contents: dict[str, str]) -> list[Document]:
    return [Document(id=name, text=text) for name, text in contents.items()]


@slow
@given(contents=collections, data=st.data())
def test_any_order_and_any_batching_give_the_same_state(contents: dict[str, str], data: st.DataObject) -> None:
    with opened() as kb:
        kb.ingest(documents(contents))
        expected = seen(kb)
    with opened() as kb, batches_of(data.draw(st.integers(1, 3))):
        shuffled = data.draw(st.permutations(documents(contents)))
        cut = data.draw(st.integers(0, len(shuffled)))
        kb.ingest(shuffled[:cut])
        kb.ingest(shuffled[cut:])
        assert seen(kb) == expected


changes = st.lists(
    st.tuples(st.sampled_from("abcd"), st.one_of(st.none(), texts), groups), min_size=2, max_size=7
)  # fmt: skip


@slow
@given(steps=changes)
def test_any_history_ends_in_the_state_of_what_is_left(steps: list[tuple[str, str | None, Any]]) -> None:
    left: dict[str, Document] = {}
    with opened() as kb:
        for name, text, who in steps:
            if text is not None:
                document = Document(id=name, text=text, groups=who)
                kb.ingest(document)
                kept = left[name].groups if who is None and name in left else who
                left[name] = document.model_copy(update={"groups": kept})
            elif name in left:
                kb.remove(f"documents/{name}")
                del left[name]
        found = seen(kb)
    with opened() as kb:
        kb.ingest(list(left.values()))
        assert seen(kb) == found


@slow
@given(contents=collections)
def test_ingesting_again_changes_nothing(contents: dict[str, str]) -> None:
    with opened() as kb:
        kb.ingest(documents(contents))
        before = seen(kb)
        assert kb.ingest(documents(contents)).unchanged == len(contents)
        for name in contents:
            kb.remove(f"documents/{name}")
        emptied = kb.status().counts
        assert not any(emptied.values()), emptied
        assert not kb._stores.index.document_ids()
        kb.ingest(documents(contents))
        assert seen(kb) == before
