"""What every graph store must do, whatever keeps its data."""

from __future__ import annotations

import itertools
import threading
from datetime import UTC, datetime, timedelta

import pytest

from storage import embedded_walk, neo4j_walk
from storage.errors import NotFoundError, ProposalError, StoreError, UsageError
from storage.identity import make_id
from storage.ports import Change, ChangeReceipt, DocumentCounts, Failure, Intent, LedgerDraft
from storage.records import (
    OWNER,
    AccessClass,
    Chain,
    Proposal,
    ProposalStatus,
    RelationStatus,
    RelationType,
    SameAs,
    Scope,
    View,
)
from storage.similarity import blocking_terms
from storage.state_hash import state_hash

ALL = tuple(RelationType)
NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)


def groups(*names):
    return View(groups=frozenset(names))


def confidences(store, samples, word, scope, *, forward=True, types=ALL, min_confidence=0.0, fan_out=10):
    """The edges at ``word`` as {other word's statement id: confidence}, in order, and whether some were cut off."""
    near = samples.statement(word).id
    hop = store.edges([near], scope, forward=forward, types=types, min_confidence=min_confidence, fan_out=fan_out)
    assert all((e.head if forward else e.tail) == near for e in hop.edges)
    return [((e.tail if forward else e.head), e.confidence) for e in hop.edges], hop.truncated == {near}


def draft(action="accept", **fields):
    return LedgerDraft(**{"action": action, "actor": "ann", "at": NOW, **fields})


# --- documents -------------------------------------------------------------------------------------------------------


def test_a_document_comes_back_as_it_was_put(graph, samples):
    put = samples.document(
        "道/a.md", [("rain", "flood", 0.8)], metadata={"year": 2026, "draft": True, "score": 1.0, "by": "李"},
        groups=("red", "blue"), location="/tmp/a.md",
    )  # fmt: skip
    samples.put(graph, put)
    scope = graph.scope(OWNER)
    assert graph.sources(scope) == [put.source]
    assert type(graph.sources(scope)[0].metadata["draft"]) is bool
    assert type(graph.sources(scope)[0].metadata["score"]) is float
    assert graph.documents([put.document.id], scope) == {put.document.id: put.document}
    assert graph.chunks([put.document.id], scope) == {put.document.id: list(put.chunks)}
    assert graph.document_counts([put.document.id], scope) == {put.document.id: DocumentCounts(chunks=2, relations=1)}
    assert graph.evidence([put.relations[0].id], scope) == {put.relations[0].id: list(put.evidence)}


def test_names_with_undecodable_bytes_survive(graph, samples):
    put = samples.document("bad\udc80name", groups=("gr\udc81up",), metadata={"k\udc82": "v\udc83"})
    samples.put(graph, put)
    assert graph.sources(graph.scope(OWNER)) == [put.source]


def test_sources_are_sorted_by_namespace_and_path_and_found_by_id(graph, samples):
    b, a = samples.document("b"), samples.document("a")
    samples.put(graph, b, a)
    scope = graph.scope(OWNER)
    assert [s.path for s in graph.sources(scope)] == ["a", "b"]
    assert [s.path for s in graph.sources(scope, [b.source.id, make_id("src", "no")])] == ["b"]
    assert graph.sources(scope, []) == []


def test_every_source_of_a_path_is_found_whatever_bytes_it_has(graph, samples):
    odd, shown_alike, other = (samples.document(path) for path in ("a/b\udc80", "a/b?", "b"))
    samples.put(graph, odd, shown_alike, other)
    everything = sorted([odd.source, shown_alike.source, other.source], key=lambda s: s.id)
    assert graph.every_source() == everything
    assert graph.every_source(["b", "b"]) == [other.source]
    assert graph.every_source(["a/b\udc80"]) == [odd.source]
    assert graph.every_source(["a/b?", "nowhere"]) == [shown_alike.source]
    assert graph.every_source([]) == []


def test_unknown_ids_are_left_out(graph):
    scope = graph.scope(OWNER)
    unknown = ["x", "' OR 1=1 --", make_id("rel", "no")]
    for read in (graph.documents, graph.chunks, graph.statements, graph.relations, graph.evidence, graph.chains):
        assert read(unknown, scope) == {}
    assert graph.document_counts(unknown, scope) == {}
    assert graph.same_as(unknown, scope) == []


# --- who may see what ------------------------------------------------------------------------------------------------


def test_a_scope_holds_the_classes_its_groups_satisfy(graph, samples):
    samples.put(
        graph,
        samples.document("p"),
        samples.document("r", groups=("red",)),
        samples.document("rb", groups=("red", "blue")),
        samples.document("nobody", groups=()),
    )
    public, red, both = (AccessClass.of([g]).id for g in (("public",), ("red",), ("red", "blue")))
    assert graph.scope(OWNER).classes is None
    assert graph.scope(groups()).classes == frozenset()
    assert graph.scope(groups("public")).classes == {public}
    assert graph.scope(groups("red")).classes == {red, both}
    assert graph.scope(groups("blue", "public")).classes == {public, both}
    assert graph.scope(OWNER).at == NOW
    assert [s.path for s in graph.sources(graph.scope(groups("red")))] == ["r", "rb"]
    assert [s.path for s in graph.sources(graph.scope(groups("blue")))] == ["rb"]
    assert [s.path for s in graph.sources(graph.scope(groups("nobody", "public")))] == ["p"]
    assert len(graph.sources(graph.scope(OWNER))) == 4


def test_interned_rules_are_resolved_and_are_no_state(graph):
    rule = AccessClass.of([("red",), ("blue", "green")])
    before = graph.state_hash()
    graph.intern([rule])
    graph.intern([rule])
    assert graph.scope(groups("red", "green")).classes == {rule.id}
    assert graph.scope(groups("red")).classes == frozenset()
    assert graph.state_hash() == before


def test_validity_is_half_open(graph, samples):
    start, end = NOW, NOW + timedelta(days=1)
    put = samples.document("a", [("rain", "flood", 0.8)], valid_from=start, valid_to=end)
    samples.put(graph, put)

    def seen(moment):
        scope = graph.scope(View(as_of=moment))
        found = [len(graph.sources(scope)), len(confidences(graph, samples, "rain", scope)[0])]
        found += [len(graph.relations([put.relations[0].id], scope)), graph.counts(scope).evidence]
        assert len(set(found)) == 1
        return found[0] == 1

    tick = timedelta(microseconds=1)
    assert [seen(start - tick), seen(start), seen(end - tick), seen(end)] == [False, True, True, False]


def test_where_keeps_documents_with_every_value_of_the_same_type(graph, samples):
    a = samples.document("a", [("rain", "flood", 0.5)], metadata={"year": 1, "lang": "en"})
    b = samples.document("b", [("rain", "flood", 0.6)], metadata={"year": 1, "lang": "zh"})
    c = samples.document("c", [("rain", "flood", 0.7)], metadata={"year": True})
    samples.put(graph, a, b, c)
    relation = a.relations[0].id

    def confidence(**where):
        scope = graph.scope(View(where=where))
        view = graph.relations([relation], scope).get(relation)
        edges, _ = confidences(graph, samples, "rain", scope)
        assert [e[1] for e in edges] == ([view.belief.confidence] if view else [])
        return view.belief.confidence if view else None

    assert confidence(year=1) == 0.8  # 1 - .5 * .4
    assert confidence(year=1, lang="zh") == 0.6
    assert confidence(year=True) == 0.7
    assert confidence(year=2) is None
    assert confidence(**{"year": 1, "' OR 1=1": "x"}) is None


# --- statements ------------------------------------------------------------------------------------------------------


def test_a_statement_speaks_in_the_first_visible_words(graph, samples):
    documents = [samples.document(path, [("rain", "flood", 0.8)], groups=(path,)) for path in ("one", "two", "three")]
    samples.put(graph, *documents)
    first, second, third = sorted(documents, key=lambda d: d.document.id)
    rain = samples.statement("rain")
    view = graph.statements([rain.id], graph.scope(OWNER))[rain.id]
    assert (view.statement, view.text, view.document_id, view.span_start) == (
        rain, f"rain in {first.source.path}", first.document.id, 0,
    )  # fmt: skip
    later = graph.scope(groups(second.source.path, third.source.path))
    assert graph.statements([rain.id], later)[rain.id].text == f"rain in {second.source.path}"
    samples.put(graph, removes=[first])
    assert graph.statements([rain.id], graph.scope(OWNER))[rain.id].document_id == second.document.id
    assert graph.statements([rain.id], graph.scope(groups())) == {}


def test_statements_are_found_by_blocking_terms_while_they_are_active(graph, samples):
    put = samples.document("a", [("corn price", "bread", 0.8)])
    samples.put(graph, put)
    key = samples.statement("corn price").key
    terms = blocking_terms(key)
    assert terms
    assert graph.statements_sharing("en", [*terms, "no"]) == [key]
    assert graph.statements_sharing("zh", terms) == []
    samples.put(graph, removes=[put])
    assert graph.statements_sharing("en", terms) == []
    samples.put(graph, put)
    assert graph.statements_sharing("en", terms) == [key]


def test_keys_of_statements_are_given_while_they_are_active(graph, samples):
    put = samples.document("a", [("corn price", "bread", 0.8)])
    samples.put(graph, put)
    corn, bread = samples.statement("corn price"), samples.statement("bread")
    keys = {corn.id: corn.key, bread.id: bread.key}
    assert graph.statement_keys([bread.id, corn.id, samples.statement("rain").id, "no id"]) == keys
    assert graph.statement_keys([]) == {}
    samples.put(graph, removes=[put])
    assert graph.statement_keys(list(keys)) == {}
    samples.put(graph, put)
    assert graph.statement_keys(list(keys)) == keys


def test_same_as_links_are_shown_when_both_ends_are_visible(graph, samples):
    a = samples.document("a", [("rain", "flood", 0.8)], groups=("red",))
    b = samples.document("b", [("storm", "flood", 0.8)], groups=("blue",))
    first, second = sorted([samples.statement("rain").id, samples.statement("storm").id])
    link = SameAs(first=first, second=second, score=0.7, origin="test")
    samples.put(graph, a, b, same_as=[link])
    samples.put(graph, a, same_as=[link])
    for end in (first, second):
        assert graph.same_as([end], graph.scope(OWNER)) == [link]
    assert graph.same_as([first, second], graph.scope(groups("red", "blue"))) == [link]
    assert graph.same_as([first, second], graph.scope(groups("red"))) == []
    assert graph.counts(graph.scope(OWNER)).same_as == 1
    assert graph.counts(graph.scope(groups("red"))).same_as == 0
    samples.put(graph, removes=[b])
    assert graph.same_as([first], graph.scope(OWNER)) == []
    samples.put(graph, b)
    assert graph.same_as([first], graph.scope(OWNER)) == [link]


# --- relations, belief and the walk ----------------------------------------------------------------------------------


def test_belief_counts_only_visible_documents_one_voice_each(graph, samples):
    a = samples.document("a", [("rain", "flood", 0.4), ("rain", "flood", 0.85, {"modality": "hedged"})])
    b = samples.document(
        "b", [("rain", "flood", 0.65, {"subtype": "enable", "modality": "hypothetical"})], groups=("red",)
    )
    c = samples.document("c", [("rain", "flood", 0.5)], groups=("blue",))
    samples.put(graph, a, b, c)
    relation = a.relations[0].id
    flood = samples.statement("flood").id

    def seen(*names):
        scope = graph.scope(groups(*names))
        belief = graph.relations([relation], scope)[relation].belief
        assert confidences(graph, samples, "rain", scope) == ([(flood, belief.confidence)], False)
        return belief.confidence, belief.documents, belief.modality, belief.subtype

    assert seen("public") == (0.85, 1, "asserted", "cause")
    assert seen("red") == (0.65, 1, "hypothetical", "enable")
    assert seen("public", "red") == (0.9475, 2, "asserted", "cause")  # 1 - .15 * .35
    assert seen("public", "red", "blue") == (0.97375, 3, "asserted", "cause")  # 1 - .15 * .35 * .5


def test_a_confidence_half_way_between_two_roundings_is_the_same_in_belief_and_edge(graph, samples):
    # 1 - .5 * .45 * .35 * .35 = .9724375: the rounding to six places hangs on the last bit of the product, which is
    # another one if each class's documents are multiplied first.
    voices = [("p", "red", 0.5), ("q", "red", 0.55), ("r", "blue", 0.65), ("s", "blue", 0.65)]
    documents = [samples.document(path, [("rain", "flood", c)], groups=(g,)) for path, g, c in voices]
    samples.put(graph, *documents)
    relation = documents[0].relations[0].id
    for seen in (graph.scope(OWNER), graph.scope(groups("red", "blue")), graph.scope(groups("red"))):
        belief = graph.relations([relation], seen)[relation].belief
        assert [c for _, c in confidences(graph, samples, "rain", seen)[0]] == [belief.confidence]


def test_a_hop_is_ordered_filtered_and_capped_by_combined_confidence(graph, samples):
    a = samples.document("a", [("x", "low", 0.3), ("x", "mid", 0.6), ("x", "top", 0.9), ("x", "both", 0.5)])
    b = samples.document("b", [("x", "both", 0.4), ("y", "top", 0.2)], groups=("red",))
    samples.put(graph, a, b)
    low, mid, top, both = (samples.statement(w).id for w in ("low", "mid", "top", "both"))
    scope = graph.scope(OWNER)
    everything = [(top, 0.9), (both, 0.7), (mid, 0.6), (low, 0.3)]  # both: 1 - .5 * .6
    assert confidences(graph, samples, "x", scope) == (everything, False)
    assert confidences(graph, samples, "x", scope, fan_out=4) == (everything, False)
    assert confidences(graph, samples, "x", scope, fan_out=2) == (everything[:2], True)
    assert confidences(graph, samples, "x", scope, min_confidence=0.7) == (everything[:2], False)
    assert confidences(graph, samples, "x", scope, min_confidence=0.7, fan_out=1) == (everything[:1], True)
    public = graph.scope(groups("public"))
    assert confidences(graph, samples, "x", public, fan_out=2) == ([(top, 0.9), (mid, 0.6)], True)
    assert confidences(graph, samples, "x", public, min_confidence=0.51) == ([(top, 0.9), (mid, 0.6)], False)
    x, y = samples.statement("x").id, samples.statement("y").id
    assert confidences(graph, samples, "top", scope, forward=False) == ([(x, 0.9), (y, 0.2)], False)
    hop = graph.edges([y, x, x], scope, forward=True, types=ALL, min_confidence=0, fan_out=1)
    assert [e.head for e in hop.edges] == sorted([x, y])
    assert hop.truncated == {x}


def test_equal_confidences_are_ordered_and_cut_by_relation_id(graph, samples):
    words = [f"w{i}" for i in range(9)]
    samples.put(graph, samples.document("a", [("x", w, 0.5) for w in words]))
    ids = sorted(samples.relation("x", w).id for w in words)
    hop = graph.edges(
        [samples.statement("x").id], graph.scope(OWNER), forward=True, types=ALL, min_confidence=0.5, fan_out=4
    )
    assert [e.relation_id for e in hop.edges] == ids[:4]


@pytest.fixture
def few_make_a_hub(monkeypatch):
    """A hop of four edges is read as one from a hub is."""
    for module in (embedded_walk, neo4j_walk):
        monkeypatch.setattr(module, "_BUDGET", 4)
        monkeypatch.setattr(module, "_BUDGET_EACH", 0)


@pytest.mark.parametrize("forward", [True, False])
def test_a_hub_is_ordered_and_cut_as_any_statement(graph, samples, few_make_a_hub, forward):
    def said(by, **voices):
        links = [("x", word, c) if forward else (word, "x", c) for word, c in voices.items()]
        return samples.document(by, links, groups=(by,))

    red = said("red", a=0.9, b=0.7, c=0.6, d=0.2, p=0.5, q=0.5, r=0.2, s=0.6)
    blue = said("blue", p=0.5, q=0.8, r=0.2, s=0.6)
    samples.put(graph, red, blue)

    def best(view, fan_out, least=0.0):
        found, cut = confidences(
            graph, samples, "x", graph.scope(view), forward=forward, fan_out=fan_out, min_confidence=least
        )
        words = {samples.statement(word).id: word for word in "abcdpqrs"}
        return [(words[id_], confidence) for id_, confidence in found], cut

    def by_id(*words):
        relations = {w: samples.relation("x", w) if forward else samples.relation(w, "x") for w in words}
        return sorted(words, key=lambda w: relations[w].id)

    # Of two groups: p 1 - .5 * .5, q 1 - .5 * .2, r 1 - .8 * .8, s 1 - .4 * .4.
    first, second = by_id("a", "q")
    everything = [
        (first, 0.9),
        (second, 0.9),
        ("s", 0.84),
        ("p", 0.75),
        ("b", 0.7),
        ("c", 0.6),
        ("r", 0.36),
        ("d", 0.2),
    ]
    for fan_out in range(1, 8):
        for view in (OWNER, groups("red", "blue")):
            assert best(view, fan_out) == (everything[:fan_out], True)
    assert best(OWNER, 8) == (everything, False)
    assert best(OWNER, 3, least=0.75) == (everything[:3], True)
    assert best(OWNER, 4, least=0.75) == (everything[:4], False)
    assert best(groups("blue"), 2) == ([("q", 0.8), ("s", 0.6)], True)
    third, fourth = by_id("c", "s")
    assert best(groups("red"), 3) == ([("a", 0.9), ("b", 0.7), (third, 0.6)], True)
    assert best(groups("red"), 4) == ([("a", 0.9), ("b", 0.7), (third, 0.6), (fourth, 0.6)], True)
    assert best(groups("green"), 4) == ([], False)


def test_a_hub_of_confidences_half_way_between_two_roundings_is_cut_by_belief(graph, samples, few_make_a_hub):
    words = [f"w{i}" for i in range(6)]
    voices = [("p", "red", 0.5), ("q", "red", 0.55), ("r", "blue", 0.65), ("s", "blue", 0.65)]  # .9724375, as above
    documents = [samples.document(path, [("x", w, c) for w in words], groups=(g,)) for path, g, c in voices]
    certain = samples.document("t", [("x", "above", 0.972438), ("x", "below", 0.972437)], groups=("red",))
    samples.put(graph, *documents, certain)
    relations = [r.id for r in (*documents[0].relations, *certain.relations)]
    for scope in (graph.scope(OWNER), graph.scope(groups("red", "blue"))):
        beliefs = {id_: view.belief.confidence for id_, view in graph.relations(relations, scope).items()}
        ranked = sorted(relations, key=lambda id_: (-beliefs[id_], id_))
        for fan_out in range(1, 8):
            hop = graph.edges(
                [samples.statement("x").id], scope, forward=True, types=ALL, min_confidence=0.0, fan_out=fan_out
            )
            assert [(e.relation_id, e.confidence) for e in hop.edges] == [(i, beliefs[i]) for i in ranked[:fan_out]]


def test_a_hop_heeds_a_validity_that_is_newer_than_its_scope(graph, samples):
    samples.put(graph, samples.document("a", [("x", "a", 0.5)]))
    scope = graph.scope(OWNER)
    over = samples.document("b", [("x", "a", 0.5), ("x", "b", 0.5)], valid_to=NOW - timedelta(days=1))
    samples.put(graph, over)
    assert confidences(graph, samples, "x", scope) == ([(samples.statement("a").id, 0.5)], False)


def test_what_a_walk_asks_is_answered_alike_in_one_transaction(graph, samples):
    samples.put(graph, samples.document("a", [("x", "a", 0.5), ("x", "b", 0.6), ("y", "b", 0.7)]))
    x, y = sorted(samples.statement(w).id for w in "xy")
    samples.put(graph, same_as=[SameAs(first=x, second=y, score=0.9, origin="test words")])
    scope = graph.scope(OWNER)

    def asked(steps):
        links = steps.same_as([x], scope)
        near = [links[0].first, links[0].second]
        return links, steps.edges(near, scope, forward=True, types=ALL, min_confidence=0.55, fan_out=2)

    links, hop = graph.in_one_transaction(asked)
    assert links == [SameAs(first=x, second=y, score=0.9, origin="test words")]
    assert sorted(e.confidence for e in hop.edges) == [0.6, 0.7]
    assert (links, hop) == asked(graph)
    with pytest.raises(ZeroDivisionError):
        graph.in_one_transaction(lambda _: 1 / 0)


def test_a_walk_follows_the_wanted_types_and_never_a_negation(graph, samples):
    put = samples.document(
        "a",
        [
            ("x", "a", 0.5),
            ("x", "b", 0.5, {"type": "sequential"}),
            ("x", "c", 0.5, {"type": "supporting"}),
            ("x", "d", 0.9, {"polarity": "negated"}),
        ],
        chains=[Chain(relation_ids=(samples.relation("x", "d", polarity="negated").id,))],
    )
    samples.put(graph, put)
    scope = graph.scope(OWNER)
    assert {c[0] for c in confidences(graph, samples, "x", scope)[0]} == {samples.statement(w).id for w in "abc"}
    wanted = [RelationType.SEQUENTIAL, RelationType.SUPPORTING]
    found, _ = confidences(graph, samples, "x", scope, types=wanted)
    assert {c[0] for c in found} == {samples.statement(w).id for w in "bc"}
    assert confidences(graph, samples, "x", scope, types=[]) == ([], False)
    negated = samples.relation("x", "d", polarity="negated").id
    assert graph.relations([negated], scope)[negated].belief.confidence == 0.9
    assert set(graph.chains([put.chains[0].id], scope)) == {put.chains[0].id}


def test_evidence_is_ordered_by_document_and_place(graph, samples):
    a = samples.document("a", [("x", "y", 0.4), ("p", "q", 0.5), ("x", "y", 0.6)])
    b = samples.document("b", [("x", "y", 0.7)])
    samples.put(graph, a, b)
    found = graph.evidence([samples.relation("x", "y").id], graph.scope(OWNER))[samples.relation("x", "y").id]
    assert [(e.document_id, e.quote.start) for e in found] == sorted((e.document_id, e.quote.start) for e in found)
    assert sorted(e.confidence for e in found) == [0.4, 0.6, 0.7]


# --- chains ----------------------------------------------------------------------------------------------------------


def test_a_chain_is_visible_when_every_link_is(graph, samples):
    chain = samples.chain("c", "b", "a")
    both = samples.document("both", [("c", "b", 0.8), ("b", "a", 0.7)], chains=[chain], groups=("red",))
    half = samples.document("half", [("c", "b", 0.6)], groups=("blue",))
    samples.put(graph, both, half)
    view = graph.chains([chain.id], graph.scope(groups("red")))[chain.id]
    assert view.chain == chain
    assert [(link.relation.id, link.belief.confidence) for link in view.links] == [
        (samples.relation("c", "b").id, 0.8), (samples.relation("b", "a").id, 0.7),
    ]  # fmt: skip
    assert graph.chains([chain.id], graph.scope(groups("blue"))) == {}
    assert graph.counts(graph.scope(groups("red"))).chains == 1
    assert graph.counts(graph.scope(groups("blue"))).chains == 0


def test_that_a_hidden_document_holds_a_chain_is_not_told(graph, samples):
    chain, other = samples.chain("a", "b", "c"), samples.chain("x", "y", "z", derived=True)
    samples.put(
        graph,
        samples.document("one", [("a", "b", 0.8), ("x", "y", 0.8)], groups=("blue",)),
        samples.document("two", [("b", "c", 0.6), ("y", "z", 0.6)], groups=("blue",)),
        samples.document(
            "whole",
            [("a", "b", 0.5), ("b", "c", 0.5), ("x", "y", 0.5), ("y", "z", 0.5)],
            groups=("red",),
            chains=[chain, samples.chain("x", "y", "z")],
        ),
    )
    graph.decide([], draft(), accepted=[other])
    blue, red = graph.scope(groups("blue")), graph.scope(groups("red"))
    asked = [chain.id, other.id]
    assert {v.chain.id: v.chain.derived for v in graph.chains(asked, blue).values()} == {other.id: True}
    assert {v.chain.id: v.chain.derived for v in graph.chains(asked, red).values()} == dict.fromkeys(asked, False)
    for scope, chains, derived in ((blue, 1, 1), (red, 2, 0), (graph.scope(OWNER), 2, 0)):
        counts = graph.counts(scope)
        assert (counts.chains, counts.derived_chains) == (chains, derived)
    assert [graph.ids_starting(id_, blue, limit=2) for id_ in asked] == [[], [other.id]]
    assert [graph.ids_starting(id_, red, limit=2) for id_ in asked] == [[id_] for id_ in asked]


def test_a_chain_may_use_one_relation_twice_and_keeps_its_order(graph, samples):
    there, back = samples.relation("a", "b").id, samples.relation("b", "a").id
    loop = Chain(relation_ids=(there, back, there))
    samples.put(graph, samples.document("d", [("a", "b", 0.5), ("b", "a", 0.5)], chains=[loop]))
    view = graph.chains([loop.id], graph.scope(OWNER))[loop.id]
    assert tuple(link.relation.id for link in view.links) == loop.relation_ids
    assert loop in list(graph.records())


# --- truth maintenance -----------------------------------------------------------------------------------------------


def test_removing_a_document_retires_what_only_it_said_with_a_receipt(graph, samples):
    chain = samples.chain("a", "b", "c")
    gone = samples.document("gone", [("a", "b", 0.8), ("b", "c", 0.8)], chains=[chain])
    stays = samples.document("stays", [("a", "b", 0.5)])
    samples.put(graph, gone, stays)
    whole = graph.state_hash()
    receipt = samples.put(graph, removes=[gone])
    assert receipt.chunks == tuple(sorted(c.id for c in gone.chunks))
    assert receipt.evidence == tuple(sorted(e.id for e in gone.evidence))
    assert receipt.relations == (samples.relation("b", "c").id,)
    assert receipt.statements == (samples.statement("c").id,)
    assert receipt.chains == (chain.id,)
    assert receipt.restored == ()
    scope = graph.scope(OWNER)
    assert graph.sources(scope) == [stays.source]
    assert graph.statements([samples.statement("c").id], scope) == {}
    assert graph.relations([samples.relation("b", "c").id], scope) == {}
    assert graph.relations([samples.relation("a", "b").id], scope)[samples.relation("a", "b").id].belief.documents == 1
    assert confidences(graph, samples, "b", scope) == ([], False)
    assert confidences(graph, samples, "a", scope) == ([(samples.statement("b").id, 0.5)], False)
    assert graph.chains([chain.id], scope) == {}
    samples.put(graph, gone)
    assert graph.state_hash() == whole
    assert set(graph.chains([chain.id], graph.scope(OWNER))) == {chain.id}


def test_replacing_a_document_by_itself_changes_nothing(graph, samples):
    put = samples.document("a", [("a", "b", 0.8), ("b", "c", 0.6)], chains=[samples.chain("a", "b", "c")])
    samples.put(graph, put)
    before = graph.state_hash()
    receipt = samples.put(graph, put)
    assert receipt == ChangeReceipt()
    assert graph.state_hash() == before == state_hash(graph.records())


def test_a_new_version_replaces_the_old_one(graph, samples):
    old = samples.document("a", [("a", "b", 0.8), ("b", "c", 0.6)])
    new = samples.document("a", [("b", "c", 0.7), ("c", "d", 0.6)], text="2", groups=("red",))
    samples.put(graph, old)
    receipt = samples.put(graph, new)
    assert receipt.relations == (samples.relation("a", "b").id,)
    assert receipt.statements == (samples.statement("a").id,)
    assert set(receipt.chunks) == {c.id for c in old.chunks}
    scope = graph.scope(OWNER)
    assert graph.documents([old.document.id, new.document.id], scope) == {new.document.id: new.document}
    assert graph.sources(scope) == [new.source]
    assert confidences(graph, samples, "b", graph.scope(groups("public"))) == ([], False)
    assert confidences(graph, samples, "b", graph.scope(groups("red")))[0] == [(samples.statement("c").id, 0.7)]


def test_order_and_batching_do_not_matter(open_graph, graph, samples):
    one = samples.document("one", [("a", "b", 0.8), ("b", "c", 0.6)], chains=[samples.chain("a", "b", "c")])
    two = samples.document("two", [("a", "b", 0.5)], groups=("red",))
    old = samples.document("two", [("x", "y", 0.5)], text="old")
    samples.put(graph, one, two)
    at_once = graph.state_hash()
    samples.put(graph, removes=[one, two])
    empty = graph.state_hash()
    for document in (old, two, one):
        samples.put(graph, document)
    assert graph.state_hash() == at_once
    samples.put(graph, removes=[two])
    samples.put(graph, removes=[one])
    assert graph.state_hash() == empty == state_hash([])


def test_removing_what_is_not_there_does_nothing(graph, samples):
    before = graph.state_hash()
    receipt = samples.put(graph, removes=[samples.document("ghost")])
    assert receipt == ChangeReceipt()
    assert graph.state_hash() == before


def test_a_change_that_fails_leaves_nothing(graph, samples):
    good = samples.document("good", [("a", "b", 0.8)])
    dangling = good.evidence[0].model_copy(update={"relation_id": make_id("rel", "no")})
    bad = samples.document("bad", [("c", "d", 0.8)]).model_copy(update={"evidence": (dangling,)})
    before = graph.state_hash()
    with pytest.raises(StoreError):
        samples.put(graph, good, bad)
    assert graph.state_hash() == before
    assert [intent.committed for intent in graph.open_intents()] == [False]
    other = samples.document("other").source
    with pytest.raises(UsageError):
        samples.put(graph, good.model_copy(update={"source": other}))


def test_counts_are_of_what_is_visible(graph, samples):
    chain = samples.chain("a", "b", "c")
    samples.put(
        graph,
        samples.document(
            "one", [("a", "b", 0.8), ("b", "c", 0.6), ("c", "d", 0.5, {"type": "sequential"})], chains=[chain]
        ),
        samples.document("two", [("a", "b", 0.5), ("p", "q", 0.5)], groups=("red",), chunks=3),
    )
    every = graph.counts(graph.scope(OWNER)).model_dump()
    assert every == {
        "sources": 2, "documents": 2, "chunks": 5, "statements": 6, "mentions": 10, "relations": 4,
        "relations_by_type": {"causal": 3, "sequential": 1}, "evidence": 5, "same_as": 0, "chains": 1,
        "derived_chains": 0, "quarantined": 0,
    }  # fmt: skip
    assert graph.counts(graph.scope(groups("public", "red"))).model_dump() == every
    assert graph.counts(graph.scope(groups("red"))).model_dump() == {
        "sources": 1, "documents": 1, "chunks": 3, "statements": 4, "mentions": 4, "relations": 2,
        "relations_by_type": {"causal": 2}, "evidence": 2, "same_as": 0, "chains": 0,
        "derived_chains": 0, "quarantined": 0,
    }  # fmt: skip


# --- sources that change without being read again --------------------------------------------------------------------


def test_new_groups_metadata_and_validity_move_every_read(graph, samples):
    a = samples.document("a", [("x", "y", 0.8)])
    b = samples.document("b", [("x", "y", 0.5)])
    samples.put(graph, a, b)
    moved = a.source.model_copy(update={"groups": ("red",), "metadata": {"k": "v"}})
    graph.update_sources([moved])
    y = samples.statement("y").id
    assert confidences(graph, samples, "x", graph.scope(groups("public")))[0] == [(y, 0.5)]
    assert confidences(graph, samples, "x", graph.scope(groups("red")))[0] == [(y, 0.8)]
    assert confidences(graph, samples, "x", graph.scope(OWNER))[0] == [(y, 0.9)]
    assert confidences(graph, samples, "x", graph.scope(View(where={"k": "v"})))[0] == [(y, 0.8)]
    assert graph.sources(graph.scope(OWNER), [a.source.id]) == [moved]
    graph.update_sources([moved.model_copy(update={"valid_to": NOW})])
    assert confidences(graph, samples, "x", graph.scope(OWNER))[0] == [(y, 0.5)]
    graph.update_sources([a.source])
    assert confidences(graph, samples, "x", graph.scope(groups("public")))[0] == [(y, 0.9)]
    with pytest.raises(NotFoundError):
        graph.update_sources([samples.document("ghost").source])
    with pytest.raises(UsageError):
        graph.update_sources([a.source.model_copy(update={"document_id": b.document.id})])


# --- journal ---------------------------------------------------------------------------------------------------------


def test_an_intent_is_open_until_it_is_finished(open_graph, graph, samples):
    new, old = samples.document("new"), samples.document("old")
    samples.put(graph, old)
    intent = Intent(id=make_id("int", "x"), adds=(new.document.id,), removes=(old.document.id,), updates=("u",), at=NOW)
    graph.begin(intent)
    assert open_graph().open_intents() == [intent]
    assert graph.scope(OWNER).hidden == {new.document.id}
    with pytest.raises(StoreError):
        graph.begin(intent)
    graph.commit(Change(intent_id=intent.id, adds=(new,), removes=(old.source.id,), at=NOW))
    assert graph.open_intents() == [intent.model_copy(update={"committed": True})]
    assert graph.scope(OWNER).hidden == {old.document.id}
    graph.finish(intent.id)
    graph.finish(intent.id)
    assert graph.open_intents() == []
    assert graph.scope(OWNER).hidden == frozenset()
    with pytest.raises(StoreError):
        graph.commit(Change(intent_id=intent.id, at=NOW))


def test_the_version_changes_with_every_phase_of_a_write_and_only_then(open_graph, graph, samples):
    put = samples.document("a", [("x", "y", 0.8)])
    seen = [graph.version()]

    def phase():
        assert graph.version() == open_graph().version()
        seen.append(graph.version())

    for i in range(2):  # the second time round, everything is as it was but for the time
        intent = Intent(id=make_id("int", "again"), adds=(put.document.id,), at=NOW)
        graph.begin(intent)
        phase()
        graph.commit(Change(intent_id=intent.id, adds=(put,), at=NOW))
        phase()
        graph.finish(intent.id)
        phase()
        graph.update_sources([put.source.model_copy(update={"groups": (f"g{i}",)})])
        phase()
        graph.decide([], draft())
        phase()
    assert len(set(seen)) == len(seen)
    graph.finish(intent.id)
    for read in (graph.counts, graph.sources):
        read(graph.scope(OWNER))
    graph.state_hash()
    assert graph.version() == seen[-1]


def test_a_document_processed_anew_stays_in_the_graph_while_searches_do_not_see_it(graph, samples):
    put = samples.document("a", [("x", "y", 0.8)])
    samples.put(graph, put)
    intent = Intent(id=make_id("int", "y"), adds=(put.document.id,), removes=(put.document.id,), at=NOW)
    graph.begin(intent)
    scope = graph.scope(OWNER)
    assert scope.hidden == {put.document.id}
    assert set(graph.documents([put.document.id], scope)) == {put.document.id}
    graph.commit(Change(intent_id=intent.id, adds=(put,), at=NOW))
    assert graph.scope(OWNER).hidden == frozenset()


def test_failures_are_kept_until_they_are_cleared(graph):
    ids = [make_id("src", str(i)) for i in range(3)]
    first, second, third = (
        Failure(source_id=id_, namespace="n", path=path, reason="broken", at=NOW)
        for id_, path in zip(ids, ("b", "a\udc80", "c"), strict=True)
    )
    graph.record_failures([first, second], cleared=[])
    assert graph.failures() == [second, first]
    worse = first.model_copy(update={"reason": "worse"})
    graph.record_failures([worse, third], cleared=[second.source_id])
    assert graph.failures() == [worse, third]


# --- writing back ----------------------------------------------------------------------------------------------------


def proposal(chain, status=ProposalStatus.QUARANTINED, **fields):
    return Proposal(
        **{"relation_ids": chain.relation_ids, "proposer": "bob", "proposed_at": NOW, "status": status, **fields}
    )


def test_a_derived_chain_lives_as_long_as_its_links_and_comes_back_with_them(graph, samples):
    one, two = samples.document("one", [("a", "b", 0.8)]), samples.document("two", [("b", "c", 0.6)])
    samples.put(graph, one, two)
    chain = samples.chain("a", "b", "c", derived=True)
    plain = graph.state_hash()
    graph.decide([proposal(chain)], draft("propose"))
    assert graph.counts(graph.scope(OWNER)).quarantined == 1
    assert graph.counts(graph.scope(groups("public"))).quarantined == 0
    assert graph.chains([chain.id], graph.scope(OWNER)) == {}
    accepted = proposal(chain, ProposalStatus.ACCEPTED, batch="bat")
    entry = graph.decide([accepted], draft("accept", ids=(chain.id,)), accepted=[chain])
    assert (entry.position, entry.action, entry.ids) == (1, "accept", (chain.id,))
    assert graph.chains([chain.id], graph.scope(OWNER))[chain.id].chain == chain
    assert graph.counts(graph.scope(OWNER)).derived_chains == 1
    assert graph.derived_chains() == [(chain, RelationStatus.ACTIVE)]
    assert graph.proposals() == [accepted]
    with_chain = graph.state_hash()
    assert with_chain != plain
    receipt = samples.put(graph, removes=[two], actor="carol")
    assert receipt.chains == (chain.id,)
    assert graph.derived_chains() == [(chain, RelationStatus.RETIRED)]
    assert graph.chains([chain.id], graph.scope(OWNER)) == {}
    receipt = samples.put(graph, two, actor="dave")
    assert receipt.restored == (chain.id,)
    assert graph.state_hash() == with_chain
    graph.decide([proposal(chain, ProposalStatus.ROLLED_BACK)], draft("rollback"), withdrawn=[chain.id])
    assert graph.derived_chains() == []
    assert graph.state_hash() == plain
    samples.put(graph, removes=[two])
    assert samples.put(graph, two).restored == ()
    entries = list(graph.ledger())
    assert [(e.action, e.actor) for e in entries] == [
        ("propose", "ann"), ("accept", "ann"), ("remove", "carol"), ("retire", "carol"), ("restore", "dave"),
        ("rollback", "ann"), ("remove", "ingest"),
    ]  # fmt: skip
    assert entries[2].ids[1:] == (two.source.id,)
    assert entries[3].ids == entries[4].ids == (chain.id,)


def test_replacing_a_link_by_itself_leaves_a_derived_chain_alone(graph, samples):
    one, two = samples.document("one", [("a", "b", 0.8)]), samples.document("two", [("b", "c", 0.6)])
    samples.put(graph, one, two)
    chain = samples.chain("a", "b", "c", derived=True)
    graph.decide([], draft(), accepted=[chain])
    receipt = samples.put(graph, two)
    assert (receipt.chains, receipt.restored) == ((), ())
    assert [e.action for e in graph.ledger()] == ["accept"]


def test_a_chain_found_whole_in_a_document_is_not_derived_while_that_document_is_there(graph, samples):
    chain = samples.chain("a", "b", "c", derived=True)
    one, two = samples.document("one", [("a", "b", 0.8)]), samples.document("two", [("b", "c", 0.6)])
    whole = samples.document("whole", [("a", "b", 0.5), ("b", "c", 0.5)], chains=[samples.chain("a", "b", "c")])
    samples.put(graph, one, two)
    graph.decide([], draft(), accepted=[chain])
    samples.put(graph, whole)
    assert graph.chains([chain.id], graph.scope(OWNER))[chain.id].chain.derived is False
    assert graph.counts(graph.scope(OWNER)).derived_chains == 0
    samples.put(graph, removes=[whole])
    assert graph.chains([chain.id], graph.scope(OWNER))[chain.id].chain.derived is True
    samples.put(graph, whole)
    graph.decide([], draft("rollback"), withdrawn=[chain.id])
    assert graph.chains([chain.id], graph.scope(OWNER))[chain.id].chain.derived is False


def test_a_chain_over_an_unknown_relation_is_refused_whole(graph, samples):
    samples.put(graph, samples.document("one", [("a", "b", 0.8)]))
    chain = samples.chain("a", "b", "nowhere")
    with pytest.raises(ProposalError):
        graph.decide([proposal(chain)], draft(), accepted=[chain])
    assert graph.proposals() == []
    assert list(graph.ledger()) == []


def test_a_chain_accepted_while_a_link_is_retired_waits_for_it(graph, samples):
    one, two = samples.document("one", [("a", "b", 0.8)]), samples.document("two", [("b", "c", 0.6)])
    samples.put(graph, one, two)
    samples.put(graph, removes=[two])
    chain = samples.chain("a", "b", "c", derived=True)
    graph.decide([], draft(), accepted=[chain])
    assert graph.derived_chains() == [(chain, RelationStatus.RETIRED)]
    assert samples.put(graph, two).restored == (chain.id,)


def test_proposals_are_listed_oldest_first_and_by_status(graph, samples):
    early = proposal(samples.chain("a", "b"), proposed_at=NOW - timedelta(days=1), status=ProposalStatus.REFUSED)
    late = proposal(samples.chain("b", "c"))
    graph.decide([late, early], draft("propose"))
    assert graph.proposals() == [early, late]
    assert graph.proposals(statuses=[ProposalStatus.QUARANTINED]) == [late]
    assert graph.proposals(statuses=[]) == []
    rejected = late.model_copy(update={"status": ProposalStatus.REJECTED})
    graph.decide([rejected], draft("reject"))
    assert graph.proposals() == [early, rejected]


def test_the_ledger_is_an_unbroken_chain_of_hashes(open_graph, graph):
    written = [graph.decide([], draft(reason=f"第{i}", ids=("x",))) for i in range(5)]
    assert list(open_graph().ledger()) == written
    assert written[0].previous == "0" * 64
    assert [e.position for e in written] == [0, 1, 2, 3, 4]
    assert [e.previous for e in written[1:]] == [e.hash for e in written[:-1]]


# --- ids, state, life cycle ------------------------------------------------------------------------------------------


def test_ids_are_found_by_prefix_if_visible(graph, samples):
    chain = samples.chain("a", "b")
    red = samples.document("r", [("a", "b", 0.8)], groups=("red",), chains=[chain])
    samples.put(graph, red, samples.document("p", [("c", "d", 0.8)]))
    waiting = proposal(chain)
    graph.decide([waiting], draft("propose"))
    owner, public = graph.scope(OWNER), graph.scope(groups("public"))
    for id_ in (red.source.id, red.document.id, red.statements[0].id, red.relations[0].id, chain.id):
        assert graph.ids_starting(id_, owner, limit=5) == [id_]
        assert graph.ids_starting(id_[:12], owner, limit=5) == [id_]
        assert graph.ids_starting(id_, public, limit=5) == []
    assert graph.ids_starting(waiting.id[:9], owner, limit=5) == [waiting.id]
    assert graph.ids_starting(waiting.id, public, limit=5) == []
    assert graph.ids_starting(waiting.id, graph.scope(groups("red")), limit=5) == []
    every = sorted(samples.statement(w).id for w in "abcd")
    digits = {id_[:5] for id_ in every}
    assert sorted(i for d in digits for i in graph.ids_starting(d, owner, limit=9)) == every
    assert graph.ids_starting(every[0][:5], owner, limit=1) == every[:1]
    assert graph.ids_starting(red.chunks[0].id, owner, limit=5) == []


@pytest.mark.parametrize("prefix", ["", "rel", "rel_", "rel_%", "rel_G", "x' OR 1=1", "stm_" + "0" * 33, "rel_0\n"])
def test_what_cannot_begin_an_id_is_refused(graph, prefix):
    with pytest.raises(UsageError):
        graph.ids_starting(prefix, graph.scope(OWNER), limit=5)


def test_the_state_hash_is_that_of_the_records_and_follows_every_change(open_graph, graph, samples):
    seen = [graph.state_hash()]
    put = samples.document("a", [("a", "b", 0.8)])
    samples.put(graph, put)
    seen.append(graph.state_hash())
    graph.update_sources([put.source.model_copy(update={"groups": ("red",)})])
    seen.append(graph.state_hash())
    assert len(set(seen)) == 3
    assert open_graph().state_hash() == graph.state_hash() == state_hash(graph.records())
    graph.update_sources([put.source.model_copy(update={"location": "/elsewhere", "raw_hash": "other"})])
    assert graph.state_hash() == seen[1]


def test_a_store_can_be_closed_and_opened_again(open_graph, graph, samples):
    samples.put(graph, samples.document("a", [("a", "b", 0.8)]))
    before = graph.state_hash()
    graph.close()
    graph.close()
    with pytest.raises(StoreError):
        graph.state_hash()
    assert open_graph().state_hash() == before


def test_a_reader_keeps_its_moment_while_records_are_written(graph, samples):
    samples.put(graph, samples.document("a"), samples.document("b"))
    reading = graph.records()
    first = next(reading)
    samples.put(graph, removes=[samples.document("a"), samples.document("b")])
    assert len([first, *reading]) == 8  # two sources, two documents, two chunks each
    assert list(graph.records()) == []


def test_many_threads_read_whole_changes_while_one_writes(graph, samples):
    pair = [samples.document(p, [("a", "b", 0.5), ("b", "c", 0.5)]) for p in ("one", "two")]
    stop, wrong = threading.Event(), []

    def read():
        while not stop.is_set():
            try:
                counts = graph.counts(graph.scope(OWNER))
                if (counts.documents, counts.evidence) not in {(0, 0), (2, 4)}:
                    wrong.append(counts)
            except BaseException as error:  # noqa: BLE001 - reported below
                wrong.append(error)
                return

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for _ in range(15):
        samples.put(graph, *pair)
        samples.put(graph, removes=pair)
    stop.set()
    for reader in readers:
        reader.join()
    assert wrong == []


def test_what_is_read_while_it_is_removed_is_there_or_is_not(graph, samples):
    chain = samples.chain("rain", "flood", "delay")
    first, second = sorted(samples.statement(word).id for word in ("rain", "regen"))
    link = SameAs(first=first, second=second, score=0.9, origin="test")
    documents = [
        samples.document("one", [("rain", "flood", 0.8), ("flood", "delay", 0.7)], chains=[chain], groups=("red",)),
        samples.document("two", [("regen", "flood", 0.6)], groups=("blue", "red"), valid_from=NOW - timedelta(days=9)),
    ]
    of_sources, of_documents = [d.source.id for d in documents], [d.document.id for d in documents]
    statements, relations = sorted({s.id for d in documents for s in d.statements}), list(chain.relation_ids)
    failure = Failure(source_id=of_sources[0], namespace="notes", path="one", reason="broken", at=NOW)
    views = (OWNER, groups("red"), groups("blue", "red"), View(as_of=NOW, groups=frozenset({"red"})))
    reads = {
        "sources": lambda scope: graph.sources(scope),
        "sources by id": lambda scope: graph.sources(scope, of_sources),
        "documents": lambda scope: graph.documents(of_documents, scope),
        "chunks": lambda scope: graph.chunks(of_documents, scope),
        "statements": lambda scope: graph.statements(statements, scope),
        "sharing": lambda _: graph.statements_sharing("en", ["rain", "flood"]),
        "keys": lambda _: graph.statement_keys(statements),
        "relations": lambda scope: graph.relations(relations, scope),
        "evidence": lambda scope: graph.evidence(relations, scope),
        "edges": lambda scope: graph.edges(
            statements, scope, forward=True, types=ALL, min_confidence=0.0, fan_out=9
        ).edges,
        "same_as": lambda scope: graph.same_as(statements, scope),
        "steps": lambda scope: graph.in_one_transaction(lambda steps: steps.same_as(statements, scope)),
        "chains": lambda scope: graph.chains([chain.id], scope),
        "document counts": lambda scope: graph.document_counts(of_documents, scope),
        "ids": lambda scope: [
            found for id_ in (*of_sources, *of_documents, *statements, *relations, chain.id)
            for found in graph.ids_starting(id_[:6], scope, limit=9)
        ],
        "records": lambda _: list(graph.records()),
        "failures": lambda _: graph.failures(),
        "intents": lambda _: graph.open_intents(),
        "derived": lambda _: graph.derived_chains(),
        "ledger": lambda _: list(graph.ledger()),
        "receipts": lambda _: graph.receipts(),
        "held": lambda _: graph.held([*relations, chain.id, link.id]),
        "held ids": lambda _: graph.held_ids_starting(relations[0][:6], limit=9),
        "every source": lambda _: graph.every_source(),
        "kept": lambda _: graph.kept_versions(),
        "graphs": lambda _: graph.document_graphs(of_documents),
        "residue": lambda _: graph.residue(),
    }  # fmt: skip
    stop, wrong = threading.Event(), []

    def read(first):
        for turn in itertools.count(first):
            if stop.is_set():
                return
            name = list(reads)[turn % len(reads)]
            try:
                reads[name](graph.scope(views[turn % len(views)]))
            except BaseException as error:  # noqa: BLE001 - reported below
                wrong.append((name, error))

    readers = [threading.Thread(target=read, args=(7 * i,)) for i in range(4)]
    for reader in readers:
        reader.start()
    for _ in range(25):
        samples.put(graph, *documents, same_as=[link])
        graph.record_failures([failure], cleared=[])
        samples.put(graph, removes=documents)
        graph.record_failures([], cleared=[failure.source_id])
    stop.set()
    for reader in readers:
        reader.join()
    assert wrong == []


def test_a_scope_made_by_hand_is_taken_as_it_is(graph, samples):
    samples.put(graph, samples.document("a", [("a", "b", 0.8)]))
    nothing = Scope(classes=frozenset({"' OR 1=1 --"}), at=NOW)
    assert graph.sources(nothing) == []
    assert graph.counts(nothing).relations == 0


# --- upkeep ----------------------------------------------------------------------------------------------------------


def test_a_store_that_only_clew_wrote_has_no_faults(graph, samples) -> None:
    chain = samples.chain("rain", "flood", "delay")
    first = samples.document("a", [("rain", "flood", 0.8), ("flood", "delay", 0.7)], chains=[chain], groups=("hr",))
    second = samples.document(
        "b", [("rain", "flood", 0.6), ("delay", "loss", 0.5, {"polarity": "negated"})], metadata={"year": 2026},
        valid_from=NOW,
    )  # fmt: skip
    samples.put(graph, first, second)
    assert graph.faults() == []
    before = graph.state_hash()
    assert graph.mend() == []
    assert graph.state_hash() == before
    samples.put(graph, removes=[first])
    assert graph.faults() == []
    graph.optimize()
    samples.put(graph, first)
    assert graph.faults() == []
    assert graph.state_hash() == before
