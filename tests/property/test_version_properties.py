"""Random histories of dated versions against a model that keeps, for each source, a list of (from, to, text)."""

from __future__ import annotations

import os
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stand_ins import SentenceExtractor, WordEmbedder

from graphrag import Document, KnowledgeBase, Settings
from graphrag.succession import succession
from storage.embedded_graph import EmbeddedGraphStore
from storage.identity import content_digest, make_id
from storage.neo4j_graph import Neo4jGraphStore
from storage.ports import Change, DocumentGraph, Intent
from storage.records import OWNER, Mention, Source, Span, Statement, StatementKey, StoredDocument, View
from storage.state_hash import state_hash
from storage.versions import Time

SOAK = os.environ.get("CLEW_SOAK") == "1"
DAY = timedelta(days=1)
DAYS = [datetime(2026, 1, 1, tzinfo=UTC) + DAY * i for i in range(10)]
MOMENTS = [
    DAYS[0] - DAY,
    *(moment for day in DAYS for moment in (day - timedelta(microseconds=1), day)),
    DAYS[-1] + DAY,
]
TEXTS = ("wind", "rain", "snow")

steps = st.tuples(
    st.sampled_from(["a", "b"]),
    st.sampled_from(TEXTS),
    st.one_of(st.none(), st.sampled_from(DAYS)),  # from when it says that it holds
    st.sampled_from([None, None, DAY, 3 * DAY]),  # for how long
    st.sampled_from([True, True, True, False]),  # whether what it replaces is kept
)
histories = st.lists(steps, min_size=1, max_size=9)


def sized(examples: int, soak: int) -> settings:
    return settings(
        max_examples=soak if SOAK else examples, deadline=None, derandomize=not SOAK, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip


class Model:
    """What holds when: of each source, stretches of time with their text, the one that was taken in last at the end."""

    def __init__(self):
        self.lines: dict[str, list[tuple[datetime | None, datetime | None, str]]] = {}

    def take_in(self, source, text, start, end, *, keeping, now):
        """Cut what held from ``start`` on and put the text there; False, and nothing done, if it would never hold."""
        line = self.lines.get(source, [])
        if line:
            since, until, present = line[-1]
            if present == text or not keeping:
                start, end = start or since, end or until
            else:
                start = start or now
            if present == text:
                line = line[:-1]
            elif not keeping:
                line = [stretch for stretch in line if stretch[2] != present]
        if start is not None and end is not None and end <= start:
            return False
        before = [
            (a, start if b is None else min(b, start), t)
            for a, b, t in line
            if start is not None and (a is None or a < start)
        ]
        self.lines[source] = [*before, (start, end, text)]
        return True

    def at(self, moment):
        return {
            (source, text)
            for source, line in self.lines.items()
            for start, end, text in line
            if (start is None or start <= moment) and (end is None or moment < end)
        }


def graph_of(source, text):
    """A document that mentions one statement, its text."""
    id_ = make_id("src", "notes", source)
    document = StoredDocument(
        source_id=id_, content_hash=content_digest(text.encode()), title=text, language="en", length=4
    )
    statement = Statement(key=StatementKey(language="en", terms=(text,)))
    return DocumentGraph(
        source=Source(
            namespace="notes", path=source, document_id=document.id, raw_hash=text, fingerprint="f", ingested_at=DAYS[0]
        ),
        document=document,
        chunks=(),
        statements=(statement,),
        mentions=(
            Mention(statement_id=statement.id, document_id=document.id, span=Span(start=0, end=4), text=text),
        ),
    )  # fmt: skip


def apply(store, graph, start, end, *, keeping, now):
    """What an ingest does of one document, to the graph store alone."""
    known = next((s for s in store.every_source() if s.id == graph.source.id), None)
    older = store.kept_versions([graph.source.id])
    found = succession(graph.source, said=Time(start, end), known=known, older=older, keeping=keeping, now=now)
    same = known is not None and known.document_id == graph.document.id
    change = {"keeps": (found.source, *found.keeps)} if same else {
        "adds": (graph.model_copy(update={"source": found.source}),), "keeps": found.keeps
    }  # fmt: skip
    intent = make_id("int", str(now), graph.document.id)
    store.begin(Intent(id=intent, at=now))
    store.commit(Change(intent_id=intent, drops=found.drops, at=now, **change))
    store.finish(intent)


def check_moments(store, model, moments):
    for moment in moments:
        scope = store.scope(View(as_of=moment))
        sources = store.sources(scope)
        documents = store.documents([s.document_id for s in sources], scope)
        assert {(s.path, documents[s.document_id].title) for s in sources} == model.at(moment), moment
        assert len(sources) == store.counts(scope).documents == store.counts(scope).sources


def check_history(store, history):
    model = Model()
    for number, (source, text, start, lasting, keeping) in enumerate(history):
        now = DAYS[min(number, 9)]
        end = None if lasting is None else (start or now) + lasting
        if not model.take_in(source, text, start, end, keeping=keeping, now=now):
            continue
        apply(store, graph_of(source, text), start, end, keeping=keeping, now=now)
        check_moments(store, model, MOMENTS[:: 1 if number == len(history) - 1 else 5])
    always = store.scope(OWNER).model_copy(update={"at": None})
    versions = [*store.every_source(), *store.kept_versions()]
    assert {s.document_id for s in store.sources(always)} == {s.document_id for s in versions}
    assert len(versions) == len({s.document_id for s in versions}) <= sum(map(len, model.lines.values()))
    assert store.faults() == []
    assert store.state_hash() == state_hash(store.records())


@sized(60, 5_000)
@given(histories)
def test_every_moment_is_answered_from_the_version_that_held(history):
    with tempfile.TemporaryDirectory() as folder, EmbeddedGraphStore(Path(folder) / "graph.db") as store:
        check_history(store, history)


@pytest.fixture
def remote(neo4j_address):
    with Neo4jGraphStore(neo4j_address) as store:
        yield store


@sized(3, 500)
@given(st.lists(steps, min_size=4, max_size=7))
def test_every_moment_is_answered_from_the_version_that_held_on_neo4j(remote, history):
    ids = tuple(s.id for s in remote.every_source())
    intent = make_id("int", "empty")
    remote.begin(Intent(id=intent, at=DAYS[0]))
    remote.commit(Change(intent_id=intent, removes=ids, at=DAYS[0]))
    remote.finish(intent)
    check_history(remote, history)


@sized(4, 100)
@given(st.lists(steps, min_size=3, max_size=6))
def test_searches_find_the_text_of_every_moment_and_nothing_else(history):
    clock = [DAYS[0]]
    model = Model()
    with (
        tempfile.TemporaryDirectory() as folder,
        KnowledgeBase.open(
            Path(folder) / "store", embedder=WordEmbedder(), extractor=SentenceExtractor(), clock=lambda: clock[0],
            settings=Settings(cache=Path(folder) / "cache", keep_versions=True),
        ) as kb,
    ):  # fmt: skip
        for number, (source, text, start, lasting, _) in enumerate(history):
            clock[0] = DAYS[number]
            end = None if lasting is None else (start or clock[0]) + lasting
            if model.take_in(source, text, start, end, keeping=True, now=clock[0]):
                words = f"The {text} of {source} causes the storm."
                kb.ingest(Document(id=source, text=words, valid_from=start, valid_to=end))
        for moment in MOMENTS[::2]:
            found = {hit.text for hit in kb.search("What causes the storm?", as_of=moment).hits}
            assert found == {f"The {text} of {source} causes the storm." for source, text in model.at(moment)}, moment
        assert kb.check().healthy, kb.check()
