"""Random histories of documents and verdicts: the stores against a set of what is rejected, and a build without it.

A store in which relations are rejected shows what one shows that never took them in; rejected chains and links are
left out of what the documents say. So nothing depends on whether the verdict or the document came first.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from generated_graphs import NOW, STATEMENTS, documents, put, views
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storage.embedded_graph import EmbeddedGraphStore
from storage.ports import DocumentGraph, LedgerDraft
from storage.records import RelationType
from storage.state_hash import canonical_line, state_hash

SOAK = os.environ.get("CLEW_SOAK") == "1"

_ids = st.integers(0, 30)
_steps = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.lists(documents(), min_size=1, max_size=3, unique_by=lambda d: d.source.id)),
        st.tuples(st.just("remove"), st.sampled_from("wxyz")),
        st.tuples(st.just("again"), _ids),  # a document that was there is processed anew, or comes back
        st.tuples(st.just("reject relation"), _ids),
        st.tuples(st.just("reject chain"), _ids),
        st.tuples(st.just("accept"), _ids),
    ),
    min_size=3,
    max_size=14,
)


@contextmanager
def opened() -> Iterator[EmbeddedGraphStore]:
    with tempfile.TemporaryDirectory() as folder, EmbeddedGraphStore(Path(folder) / "g.db", clock=lambda: NOW) as store:
        yield store


class Model:
    """The current documents by source, and what is rejected by id."""

    def __init__(self) -> None:
        self.current: dict[str, DocumentGraph] = {}
        self.ever: dict[str, DocumentGraph] = {}
        self.rejected: list[str] = []

    def put(self, graphs: list[DocumentGraph]) -> None:
        for graph in graphs:
            self.current[graph.source.id] = self.ever[graph.source.document_id] = graph

    def known(self) -> tuple[list[str], list[str]]:
        """All relations and chains that a document ever held."""
        graphs = self.ever.values()
        return sorted({r.id for g in graphs for r in g.relations}), sorted({c.id for g in graphs for c in g.chains})

    def lines(self) -> list[str]:
        """What is to be exported: of rejected relations nothing, and no chain that is rejected or goes over one."""
        gone = set(self.rejected)
        lines = set()
        for g in self.current.values():
            evidence = [e for e in g.evidence if e.relation_id not in gone]
            kept = [r for r in g.relations if r.id not in gone]
            chains = [c for c in g.chains if c.id not in gone and gone.isdisjoint(c.relation_ids)]
            lines |= {
                canonical_line(record)
                for record in (g.source, g.document, *g.chunks, *g.statements, *g.mentions, *kept, *evidence, *chains)
            }
        return sorted(lines)


def judge(store: EmbeddedGraphStore, id_: str, *, rejected: bool) -> None:
    draft = LedgerDraft(action="reject" if rejected else "accept", actor="a", at=NOW, reason="r", ids=(id_,))
    store.judge(store.held([id_]), draft, rejected=rejected)


def play(store: EmbeddedGraphStore, model: Model, steps: list[tuple[str, object]]) -> None:
    for what, about in steps:
        if what == "put":
            assert isinstance(about, list)
            put(store, about, [])
            model.put(about)
        elif what == "remove":
            gone = [id_ for id_, g in model.current.items() if g.source.path == about]
            put(store, [], gone)
            for id_ in gone:
                del model.current[id_]
        elif what == "again" and model.ever:
            assert isinstance(about, int)
            graph = list(model.ever.values())[about % len(model.ever)]
            put(store, [graph], [])
            model.put([graph])
        elif what.startswith("reject"):
            assert isinstance(about, int)
            known = [id_ for id_ in model.known()[what == "reject chain"] if id_ not in model.rejected]
            if known:
                model.rejected.append(known[about % len(known)])
                judge(store, model.rejected[-1], rejected=True)
        elif what == "accept" and model.rejected:
            assert isinstance(about, int)
            judge(store, model.rejected.pop(about % len(model.rejected)), rejected=False)


@settings(
    max_examples=200 if SOAK else 25, deadline=None, derandomize=not SOAK, suppress_health_check=list(HealthCheck)
)
@given(_steps, views)
def test_a_store_with_verdicts_is_one_that_never_took_in_what_is_rejected(steps, view) -> None:  # type: ignore[no-untyped-def]
    model = Model()
    with opened() as store:
        play(store, model, steps)
        assert sorted(map(canonical_line, store.records())) == model.lines()
        assert store.state_hash() == state_hash(store.records())
        assert set(store.rejected().statuses) == set(model.rejected)
        assert store.faults() == []
        assert store.mend() == []
        assert sorted(map(canonical_line, store.records())) == model.lines()
        shown = set(store.relations([r.id for g in model.ever.values() for r in g.relations], store.scope(view)))
        assert shown.isdisjoint(model.rejected)
        walked = store.edges(
            [s.id for s in STATEMENTS.values()], store.scope(view), forward=True, types=tuple(RelationType),
            min_confidence=0.0, fan_out=50,
        )  # fmt: skip
        assert {e.relation_id for e in walked.edges}.isdisjoint(model.rejected)
        chains = store.chains([c.id for g in model.ever.values() for c in g.chains], store.scope(view))
        assert chains.keys().isdisjoint(model.rejected)
        check_copy(store)


def check_copy(store: EmbeddedGraphStore) -> None:
    """Another store that adopts all of it holds the same, whatever it held before."""
    with opened() as copy:
        graphs = store.document_graphs([s.document_id for s in store.every_source()])
        put(copy, graphs, [])
        if graphs and graphs[0].relations:
            judge(copy, graphs[0].relations[0].id, rejected=True)
        copy.adopt(store.residue())
        assert copy.state_hash() == store.state_hash()
        assert copy.rejected() == store.rejected()
        assert copy.faults() == []


@settings(
    max_examples=100 if SOAK else 12, deadline=None, derandomize=not SOAK, suppress_health_check=list(HealthCheck)
)
@given(st.lists(documents(), min_size=1, max_size=4, unique_by=lambda d: d.source.id), st.data())
def test_it_does_not_matter_whether_the_verdict_or_the_document_comes_first(graphs, data) -> None:  # type: ignore[no-untyped-def]
    every = sorted({r.id for g in graphs for r in g.relations})
    chosen = data.draw(st.lists(st.sampled_from(every), unique=True)) if every else []
    order = data.draw(st.permutations(range(len(graphs))))
    hashes = set()
    for early in (True, False):
        with opened() as store:
            put(store, graphs, [])
            if early:
                for id_ in chosen:
                    judge(store, id_, rejected=True)
            put(store, [], [g.source.id for g in graphs])
            for i in order:
                put(store, [graphs[i]], [])
            if not early:
                for id_ in chosen:
                    judge(store, id_, rejected=True)
            hashes.add(store.state_hash())
    assert len(hashes) == 1
