"""What every graph store must do with a person's verdicts, and with the receipts of removals."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from storage.errors import NotFoundError, UsageError
from storage.held import HeldLink, HeldRelation
from storage.identity import link_id, make_id
from storage.ports import Held, HeldChain, LedgerDraft
from storage.records import OWNER, Chain, RelationStatus, RelationType, SameAs, View

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
ALL = tuple(RelationType)
REJECTED, ACTIVE, RETIRED = RelationStatus.REJECTED, RelationStatus.ACTIVE, RelationStatus.RETIRED


def judge(graph, *ids, rejected=True, actor="ann", batch=None):
    draft = LedgerDraft(
        action="reject" if rejected else "accept", actor=actor, at=NOW, batch=batch, reason="so it is", ids=ids
    )
    return graph.judge(graph.held(ids), draft, rejected=rejected)


def edges(graph, samples, word):
    hop = graph.edges([samples.statement(word).id], graph.scope(OWNER), forward=True, types=ALL,
                      min_confidence=0.0, fan_out=10)  # fmt: skip
    return [edge.tail for edge in hop.edges]


def write_back(graph, chain):
    graph.decide([], LedgerDraft(action="accept", actor="ann", at=NOW, ids=(chain.id,)), accepted=[chain])


def same_as(samples, one, other, score=0.9):
    first, second = sorted((samples.statement(one).id, samples.statement(other).id))
    return SameAs(first=first, second=second, score=score, origin="words@1")


@pytest.fixture
def rains(samples):
    """Rain causes a flood in two documents, a flood damage in one, which holds the chain of both links as well."""
    both = samples.chain("rain", "flood", "damage")
    singles = [samples.chain("rain", "flood"), samples.chain("flood", "damage")]
    one = samples.document("one", [("rain", "flood", 0.8), ("flood", "damage", 0.7)], chains=[*singles, both])
    two = samples.document("two", [("rain", "flood", 0.5)], chains=singles[:1])
    return one, two, both


# --- relations -------------------------------------------------------------------------------------------------------


def test_a_rejected_relation_is_nowhere_and_keeps_its_evidence(graph, samples, rains):
    one, two, both = rains
    samples.put(graph, one, two)
    scope, before = graph.scope(OWNER), graph.counts(graph.scope(OWNER))
    relation = samples.relation("rain", "flood")
    judgement = judge(graph, relation.id)
    assert judgement.retired == tuple(sorted([samples.chain("rain", "flood").id, both.id]))
    assert judgement.restored == ()
    assert graph.relations([relation.id], scope) == {}
    assert graph.evidence([relation.id], scope) == {}
    assert edges(graph, samples, "rain") == []
    assert graph.ids_starting(relation.id, scope, limit=5) == []
    assert list(graph.chains([c.id for c in one.chains], scope)) == [samples.chain("flood", "damage").id]
    after = graph.counts(scope)
    assert (before.relations, before.evidence, before.chains) == (2, 3, 3)
    assert (after.relations, after.evidence, after.chains) == (1, 1, 1)
    assert (after.statements, after.mentions) == (before.statements, before.mentions)
    counted = graph.document_counts([one.document.id, two.document.id], scope)
    assert {id_: found.relations for id_, found in counted.items()} == {one.document.id: 1, two.document.id: 0}
    held = graph.held([relation.id])
    assert [(h.relation, h.status) for h in held.relations] == [(relation, REJECTED)]
    assert {item.id for item in held.evidence} == {one.evidence[0].id, two.evidence[0].id}
    assert graph.faults() == []


def test_the_state_has_neither_a_rejected_relation_nor_its_evidence(graph, samples):
    said = samples.document("one", [("rain", "flood", 0.8), ("flood", "damage", 0.7)])
    samples.put(graph, said)
    judge(graph, samples.relation("rain", "flood").id)
    without = {type(r).__name__: r for r in graph.records() if type(r).__name__ in ("Relation", "Evidence")}
    assert without == {"Relation": samples.relation("flood", "damage"), "Evidence": said.evidence[1]}


def test_a_verdict_outlives_ingesting_again_removal_and_repair(graph, samples, rains):
    one, two, _ = rains
    samples.put(graph, one, two)
    relation = samples.relation("rain", "flood")
    judge(graph, relation.id)
    rejected = graph.state_hash()

    def stands():
        assert edges(graph, samples, "rain") == []
        return [h.status for h in graph.held([relation.id]).relations] == [REJECTED]

    samples.put(graph, one, two)  # processed anew
    assert stands()
    assert graph.state_hash() == rejected
    assert samples.put(graph, removes=[one, two]).relations == (samples.relation("flood", "damage").id,)
    assert stands()
    other = samples.document("three", [("rain", "flood", 0.9)])  # somebody else says it
    samples.put(graph, one, two, other)
    assert stands()
    samples.put(graph, removes=[other])
    assert graph.state_hash() == rejected
    assert graph.mend() == []
    assert stands()


def test_taking_a_verdict_back_restores_what_it_took_away(graph, samples, rains):
    one, two, both = rains
    samples.put(graph, one, two)
    before, relation = graph.state_hash(), samples.relation("rain", "flood")
    judge(graph, relation.id)
    back = judge(graph, relation.id, rejected=False)
    assert back.restored == tuple(sorted([samples.chain("rain", "flood").id, both.id]))
    assert graph.state_hash() == before
    assert edges(graph, samples, "rain") == [samples.statement("flood").id]
    assert [(e.action, e.ids) for e in graph.ledger()] == [("reject", (relation.id,)), ("accept", (relation.id,))]


def test_a_retired_relation_can_be_rejected_and_is_retired_when_that_is_taken_back(graph, samples):
    put = samples.document("one", [("rain", "flood", 0.8)])
    samples.put(graph, put)
    samples.put(graph, removes=[put])
    id_ = put.relations[0].id
    judge(graph, id_)
    assert graph.held([id_]).statuses == {id_: REJECTED}
    assert graph.held([id_]).evidence == ()
    judge(graph, id_, rejected=False)
    assert graph.held([id_]).statuses == {id_: RETIRED}


def test_taking_back_what_is_not_rejected_changes_no_status(graph, samples, rains):
    one, two, both = rains
    samples.put(graph, one, two)
    before = graph.state_hash()
    judgement = judge(graph, samples.relation("rain", "flood").id, both.id, rejected=False)
    assert (judgement.retired, judgement.restored) == ((), ())
    assert graph.state_hash() == before


def test_an_accepted_chain_goes_and_comes_back_with_a_verdict_and_the_ledger_says_so(graph, samples):
    samples.put(graph, samples.document("one", [("rain", "flood", 0.8)]))
    samples.put(graph, samples.document("two", [("flood", "damage", 0.7)]))
    chain, relation = samples.chain("rain", "flood", "damage", derived=True), samples.relation("flood", "damage")
    write_back(graph, chain)
    batch = make_id("bat", "b")
    assert judge(graph, relation.id, batch=batch).retired == (chain.id,)
    assert graph.derived_chains() == [(chain, RETIRED)]
    assert judge(graph, relation.id, rejected=False, batch=batch).restored == (chain.id,)
    assert graph.derived_chains() == [(chain, ACTIVE)]
    assert [(e.action, e.ids, e.batch) for e in graph.ledger()][1:] == [
        ("reject", (relation.id,), batch), ("retire", (chain.id,), batch),
        ("accept", (relation.id,), batch), ("restore", (chain.id,), batch),
    ]  # fmt: skip


# --- chains ----------------------------------------------------------------------------------------------------------


def test_a_rejected_chain_leaves_its_links_alone(graph, samples, rains):
    one, two, both = rains
    samples.put(graph, one, two)
    before = graph.state_hash()
    assert judge(graph, both.id).retired == (both.id,)
    assert graph.chains([both.id], graph.scope(OWNER)) == {}
    assert edges(graph, samples, "rain") == [samples.statement("flood").id]
    assert graph.counts(graph.scope(OWNER)).chains == 2
    samples.put(graph, removes=[one])
    samples.put(graph, one)
    assert graph.held([both.id]).statuses == {both.id: REJECTED}
    assert graph.rejected([both.id, one.relations[0].id]).chains == graph.held([both.id]).chains
    assert judge(graph, both.id, rejected=False).restored == (both.id,)
    assert graph.state_hash() == before


def test_a_chain_that_was_only_walked_is_stored_to_be_rejected(graph, samples):
    samples.put(graph, samples.document("one", [("rain", "flood", 0.8)]))
    samples.put(graph, samples.document("two", [("flood", "damage", 0.7)]))
    before, chain = graph.state_hash(), samples.chain("rain", "flood", "damage")
    subject = Held(chains=(HeldChain(relation_ids=chain.relation_ids, status=RETIRED),))
    draft = LedgerDraft(action="reject", actor="ann", at=NOW, reason="no", ids=(chain.id,))
    assert graph.judge(subject, draft, rejected=True).retired == ()
    assert graph.rejected().chains == (HeldChain(relation_ids=chain.relation_ids, status=REJECTED),)
    assert graph.state_hash() == before
    assert graph.faults() == []


# --- same_as links ---------------------------------------------------------------------------------------------------


def test_a_rejected_link_joins_nothing_and_is_not_revived_by_finding_it_again(graph, samples):
    link = same_as(samples, "flood", "inundation")
    one, two = samples.document("one", [("rain", "flood", 0.8)]), samples.document("two", [("inundation", "loss", 0.7)])
    samples.put(graph, one, two, same_as=[link])
    scope, id_ = graph.scope(OWNER), link_id(link.second, link.first)
    assert id_ == link.id
    assert graph.same_as([link.first], scope) == [link]
    judge(graph, id_)
    assert graph.same_as([link.first, link.second], scope) == []
    public = graph.scope(View(groups=frozenset({"public"})))
    assert [graph.counts(seen).same_as for seen in (scope, public)] == [0, 0]
    again = same_as(samples, "flood", "inundation", score=0.95)
    samples.put(graph, removes=[two])
    samples.put(graph, two, same_as=[again])
    assert graph.same_as([link.first], scope) == []
    assert [(h.link, h.status) for h in graph.rejected([id_]).links] == [(again, REJECTED)]
    judge(graph, id_, rejected=False)
    assert graph.same_as([link.first], scope) == [again]
    assert [graph.counts(seen).same_as for seen in (scope, public)] == [1, 1]


def test_a_chain_over_a_rejected_link_does_not_hold(graph, samples):
    link = same_as(samples, "flood", "inundation")
    one, two = samples.document("one", [("rain", "flood", 0.8)]), samples.document("two", [("inundation", "loss", 0.7)])
    samples.put(graph, one, two, same_as=[link])
    crossing = Chain(relation_ids=(one.relations[0].id, two.relations[0].id), derived=True)
    write_back(graph, crossing)
    with_it = graph.state_hash()
    assert judge(graph, link.id).retired == (crossing.id,)
    assert graph.derived_chains() == [(crossing, RETIRED)]
    assert samples.put(graph, one, two).restored == ()  # nothing else revives it
    assert graph.faults() == []
    assert graph.mend() == []
    assert judge(graph, link.id, rejected=False).restored == (crossing.id,)
    assert graph.state_hash() == with_it


# --- finding ---------------------------------------------------------------------------------------------------------


def test_what_is_held_is_found_by_the_beginning_of_its_id_whatever_its_status(graph, samples, rains):
    one, two, _ = rains
    link = same_as(samples, "rain", "flood")
    samples.put(graph, one, two, same_as=[link])
    judge(graph, samples.relation("rain", "flood").id)
    samples.put(graph, removes=[one])
    for kind, ids in (("rel", {r.id for r in one.relations}), ("chn", {c.id for c in one.chains}), ("lnk", {link.id})):
        found = {i for digit in "0123456789abcdef" for i in graph.held_ids_starting(f"{kind}_{digit}", limit=9)}
        assert found == ids
        assert all(graph.held_ids_starting(id_[:20], limit=9) == [id_] for id_ in ids)
    assert graph.held_ids_starting("stm_0", limit=9) == []
    with pytest.raises(UsageError, match="does not begin an id"):
        graph.held_ids_starting("lnk_", limit=9)


def test_unknown_things_cannot_be_judged(graph, samples, rains):
    one, _, _ = rains
    samples.put(graph, one)
    assert graph.held(["x", "' OR 1=1 --", make_id("rel", "no"), make_id("lnk", "no")]) == Held()
    assert graph.rejected(["x", make_id("lnk", "no")]) == Held()
    chain = Held(chains=(HeldChain(relation_ids=(make_id("rel", "no"),), status=RETIRED),))
    link = Held(links=(HeldLink(link=same_as(samples, "rain", "drizzle"), status=ACTIVE),))
    relation = Held(relations=(HeldRelation(relation=samples.relation("rain", "drizzle"), status=ACTIVE),))
    for subjects in (chain, link, relation):
        draft = LedgerDraft(action="reject", actor="ann", at=NOW, ids=tuple(subjects.statuses))
        with pytest.raises(NotFoundError, match="nothing can be decided about it"):
            graph.judge(subjects, draft, rejected=True)
    assert graph.held([*chain.statuses, *relation.statuses]) == Held()
    assert list(graph.ledger()) == []


# --- receipts --------------------------------------------------------------------------------------------------------


def test_a_removal_leaves_a_receipt_that_the_ledger_names(graph, samples, rains):
    one, two, _ = rains
    samples.put(graph, one, two)
    went = samples.put(graph, removes=[one], actor="carol")
    [receipt] = graph.receipts()
    assert receipt.id == went.receipt
    assert (receipt.actor, receipt.at) == ("carol", NOW)
    assert (receipt.sources, receipt.documents) == ((one.source.id,), (one.document.id,))
    assert receipt.chunks == tuple(sorted(c.id for c in one.chunks))
    assert receipt.evidence == tuple(sorted(e.id for e in one.evidence))
    assert receipt.relations == (samples.relation("flood", "damage").id,)
    assert receipt.statements == (samples.statement("damage").id,)
    assert (receipt.chains, receipt.counts["chains"]) == (went.chains, 2)
    assert [(e.action, e.actor, e.ids) for e in graph.ledger()] == [("remove", "carol", (receipt.id, one.source.id))]


def test_receipts_are_in_order_and_a_replacement_has_none(graph, samples):
    put = samples.document("one", [("rain", "flood", 0.8)])
    samples.put(graph, put)
    changed = samples.document("one", [("rain", "flood", 0.8)], text="2")
    assert samples.put(graph, changed).receipt is None
    assert samples.put(graph, removes=[samples.document("ghost")]).receipt is None
    assert graph.receipts() == []
    first = samples.put(graph, removes=[changed]).receipt
    samples.put(graph, changed)
    assert samples.put(graph, removes=[changed]).receipt == first  # the same, at the same moment of a clock that stands
    assert [r.id for r in graph.receipts()] == [first]
    assert [e.ids[0] for e in graph.ledger()] == [first, first]


def test_verdicts_and_receipts_are_copied_with_the_rest(graph, samples, rains):
    one, two, both = rains
    link = same_as(samples, "rain", "damage")
    gone = samples.document("gone", [("x", "y", 0.5)])
    samples.put(graph, one, two, gone, same_as=[link, same_as(samples, "x", "y")])
    samples.put(graph, removes=[gone])
    judge(graph, samples.relation("rain", "flood").id, both.id, link.id)
    residue, state = graph.residue(), graph.state_hash()
    assert residue.rejected_links == (link.id,)
    assert residue.receipts == tuple(graph.receipts())
    for id_ in (samples.relation("rain", "flood").id, both.id, link.id):
        judge(graph, id_, rejected=False)
    judge(graph, samples.relation("flood", "damage").id)
    graph.adopt(residue)
    assert graph.residue() == residue
    assert graph.state_hash() == state
    assert set(graph.rejected().statuses) == {samples.relation("rain", "flood").id, both.id, link.id}
    assert graph.faults() == []
