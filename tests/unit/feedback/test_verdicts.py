"""A person's verdicts on relations, chains and same_as links, and what they do to proposals and to the index."""

from __future__ import annotations

from datetime import timedelta

import pytest

from feedback import is_judged, list_stored, show_stored, standing, verify
from storage.errors import NotFoundError, ProposalError, UsageError
from storage.identity import make_id
from storage.ports import HeldChain
from storage.receipt import Receipt
from storage.records import OWNER, Chain, ProposalStatus, RelationStatus, SameAs

from .conftest import FLOOD, NOON, OUTAGE, STORM, Says, World, statement

REJECTED = RelationStatus.REJECTED


def links_of(world: World, *sentences: Says) -> Chain:
    return Chain(relation_ids=tuple(s.relation.id for s in sentences), derived=True)


def accepted(world: World, *sentences: Says) -> str:
    """A written-back chain; its id."""
    return world.accept(world.propose(*sentences)).chains[0]


# --- what a verdict says ---------------------------------------------------------------------------------------------


def test_a_verdict_is_in_the_ledger_with_name_reason_and_batch(told: World) -> None:
    decision = told.reject_stored(FLOOD.relation.id, actor="ada", reason="the two only coincide")
    [entry] = told.graph.ledger()
    assert (entry.action, entry.actor, entry.reason) == ("reject", "ada", "the two only coincide")
    assert entry.ids == (FLOOD.relation.id,)
    assert entry.batch == decision.batch is not None
    [verdict] = standing(told.graph)
    assert (verdict.id, verdict.kind, verdict.batch) == (FLOOD.relation.id, "relation", decision.batch)
    assert verdict.in_words() == "rejected by ada on 2024-05-01: the two only coincide"


def test_a_verdict_needs_a_name_and_a_reason(told: World) -> None:
    with pytest.raises(UsageError, match="name of the person"):
        told.reject_stored(FLOOD.relation.id, actor=" ")
    with pytest.raises(UsageError, match="reason"):
        told.reject_stored(FLOOD.relation.id, reason="")
    assert list(told.graph.ledger()) == []


def test_what_is_not_there_cannot_be_rejected_and_what_is_rejected_not_again(told: World) -> None:
    with pytest.raises(NotFoundError, match="no relation, chain or same_as link"):
        told.reject_stored(make_id("rel", "no"))
    told.reject_stored(FLOOD.relation.id)
    with pytest.raises(ProposalError, match="was rejected by ada on 2024-05-01: it is not so"):
        told.reject_stored(FLOOD.relation.id, actor="bob")
    with pytest.raises(ProposalError, match="not rejected"):
        told.take_back(STORM.relation.id)
    assert len(list(told.graph.ledger())) == 1


@pytest.mark.parametrize(
    ("id_", "judged"), [("rel_1", True), ("chn_", True), ("lnk_0f", True), ("prp_1", False), ("0f", False)]
)
def test_the_beginning_of_an_id_says_what_is_judged(id_: str, judged: bool) -> None:
    assert is_judged(id_) is judged


def test_the_latest_verdict_is_the_one_that_stands(told: World) -> None:
    first = told.reject_stored(FLOOD.relation.id, actor="ada").batch
    told.take_back(FLOOD.relation.id)
    assert standing(told.graph) == ()
    second = told.reject_stored(FLOOD.relation.id, actor="bob", reason="still not").batch
    [verdict] = standing(told.graph, [FLOOD.relation.id])
    assert (verdict.actor, verdict.reason, verdict.batch) == ("bob", "still not", second)
    assert first != second
    with pytest.raises(ProposalError, match="taken back already"):
        told.rollback(first or "")
    assert told.rollback(second or "").subjects == (FLOOD.relation.id,)
    assert standing(told.graph) == ()


def test_a_rejection_of_a_proposal_is_no_verdict_on_the_chain_it_proposes(told: World) -> None:
    told.reject(told.propose(STORM, FLOOD))
    assert standing(told.graph) == ()
    chain = links_of(told, STORM, FLOOD)
    told.reject_stored(HeldChain(relation_ids=chain.relation_ids, status=RelationStatus.RETIRED), reason="never")
    [verdict] = standing(told.graph)
    assert (verdict.id, verdict.reason) == (chain.id, "never")


def test_a_batch_that_nobody_made_is_not_found(told: World) -> None:
    with pytest.raises(NotFoundError, match="Nothing was accepted or rejected"):
        told.rollback(make_id("bat", "no"))


# --- what a verdict does ---------------------------------------------------------------------------------------------


def test_rejecting_a_relation_takes_the_rows_of_accepted_chains_over_it(told: World) -> None:
    chain = accepted(told, STORM, FLOOD)
    before = told.graph.state_hash()
    assert [row.owner for row in told.index.derived_rows()] == [chain]
    decision = told.reject_stored(FLOOD.relation.id)
    assert (decision.subjects, decision.chains) == (
        (FLOOD.relation.id,),
        tuple(sorted([chain, Chain(relation_ids=(FLOOD.relation.id,)).id])),
    )
    assert told.index.derived_rows() == []
    assert told.sync() == 0
    assert told.derived() == {chain: "retired"}
    back = told.take_back(FLOOD.relation.id)
    assert chain in back.chains
    assert [row.owner for row in told.index.derived_rows()] == [chain]
    assert told.graph.state_hash() == before
    assert told.graph.open_intents() == []


def test_a_rollback_of_a_rejection_restores_the_state(told: World) -> None:
    before = told.graph.state_hash()
    batch = told.reject_stored(OUTAGE.relation.id).batch
    assert told.graph.state_hash() != before
    decision = told.rollback(batch or "")
    assert (decision.action, decision.batch) == ("rollback", batch)
    assert told.graph.state_hash() == before


def test_nothing_can_be_proposed_over_a_rejected_relation(told: World) -> None:
    waiting = told.propose(STORM, FLOOD)
    told.reject_stored(FLOOD.relation.id)
    refused = told.propose(FLOOD, OUTAGE)
    assert refused.status is ProposalStatus.REFUSED
    assert "is not an active relation" in refused.verdicts[0].reason
    with pytest.raises(ProposalError, match="not an active relation"):
        told.accept(waiting)


def test_a_rejected_chain_cannot_be_proposed_or_accepted(told: World) -> None:
    waiting = told.propose(STORM, FLOOD)
    chain = links_of(told, STORM, FLOOD)
    told.reject_stored(HeldChain(relation_ids=chain.relation_ids, status=RelationStatus.RETIRED))
    assert "the chain was rejected by a person" in told.propose(STORM, FLOOD, proposer="other").verdicts[0].reason
    with pytest.raises(ProposalError, match="rejected by a person"):
        told.accept(waiting)
    assert told.propose(STORM, FLOOD, OUTAGE).status is ProposalStatus.QUARANTINED  # another chain


def test_a_rejected_link_joins_no_proposal(world: World) -> None:
    first, second = sorted((statement("a flood").id, statement("high water").id))
    link = SameAs(first=first, second=second, score=0.9, origin="words@1")
    water = Says("high water", "an outage")
    world.ingest("one", STORM)
    world.ingest("two", water, same_as=[link])
    world.reject_stored(link.id)
    assert "does not end where" in world.propose(STORM, water).verdicts[0].reason
    world.ingest("two", water, same_as=[link])  # found once more
    assert "does not end where" in world.propose(STORM, water).verdicts[0].reason
    world.take_back(link.id)
    assert world.propose(STORM, water).status is ProposalStatus.QUARANTINED


def test_a_verdict_on_an_accepted_chain_stands_beside_its_acceptance(told: World) -> None:
    chain = accepted(told, STORM, FLOOD)
    with_it = told.graph.state_hash()
    told.reject_stored(chain)
    assert told.derived() == {chain: "rejected"}
    assert told.index.derived_rows() == []
    told.take_back(chain)
    assert told.derived() == {chain: "active"}
    assert told.graph.state_hash() == with_it
    assert [row.owner for row in told.index.derived_rows()] == [chain]


# --- what a person is shown ------------------------------------------------------------------------------------------


def test_a_relation_is_shown_with_its_quotes_also_when_it_is_rejected(told: World) -> None:
    before = show_stored(told.graph, told.index, subject_id=FLOOD.relation.id)
    assert (before.status, before.verdict) == (RelationStatus.ACTIVE, None)
    told.reject_stored(FLOOD.relation.id, reason="no")
    after = show_stored(told.graph, told.index, subject_id=FLOOD.relation.id)
    assert (after.kind, after.status, after.text) == ("relation", REJECTED, "a flood ─causes→ an outage")
    [link] = after.links
    assert (link.view, link.evidence) == (None, 1)
    assert [quote.text for quote in link.quotes] == ["a flood so an outage"]
    assert after.verdict is not None
    assert after.verdict.reason == "no"


def test_a_chain_is_shown_link_by_link(told: World) -> None:
    chain = accepted(told, STORM, FLOOD)
    item = show_stored(told.graph, told.index, subject_id=chain)
    assert item.text == "the storm ─causes→ a flood ─causes→ an outage"
    assert [quote.text for link in item.links for quote in link.quotes] == [
        "the storm so a flood", "a flood so an outage",
    ]  # fmt: skip


def test_all_that_is_rejected_is_listed_in_words(told: World) -> None:
    told.reject_stored(FLOOD.relation.id)
    told.reject_stored(
        HeldChain(relation_ids=links_of(told, STORM, OUTAGE).relation_ids, status=RelationStatus.RETIRED)
    )
    told.remove("two")
    told.remove("three")
    items = list_stored(told.graph)
    assert [(item.kind, item.text) for item in items] == [
        ("relation", "a flood ─causes→ …"),  # nobody says any more what it led to
        ("chain", "the storm ─causes→ a flood ≈ … ─causes→ …"),
    ]
    assert all(item.verdict is not None and item.verdict.actor == "ada" for item in items)


# --- receipts and the ledger -----------------------------------------------------------------------------------------


def test_the_ledger_is_broken_where_a_receipt_that_it_names_was_altered_or_lost(told: World) -> None:
    told.reject_stored(FLOOD.relation.id)
    told.remove("one")
    entries, [receipt] = list(told.graph.ledger()), told.graph.receipts()
    assert verify(entries, receipts=[receipt]).intact
    altered = receipt.model_copy(update={"actor": "mallory"})
    assert altered.id != receipt.id
    for receipts in ([], [altered]):
        report = verify(entries, receipts=receipts)
        assert (report.intact, report.broken_at) == (False, 1)
        assert receipt.id in report.reason
    assert verify(entries).intact  # not asked about


def test_a_receipts_id_is_the_hash_of_all_its_content() -> None:
    receipt = Receipt(at=NOON, actor="ada", sources=("src_1",))
    assert receipt.id == Receipt.model_validate(receipt.model_dump()).id
    changes: list[dict[str, object]] = [
        {"at": NOON + timedelta(seconds=1)}, {"actor": "bob"}, {"reason": "x"}, {"sources": ("src_2",)},
        *({name: ("x",)} for name in ("documents", "chunks", "evidence", "relations", "statements", "chains")),
    ]  # fmt: skip
    assert len({receipt.id, *(receipt.model_copy(update=change).id for change in changes)}) == len(changes) + 1


def test_the_owner_sees_the_count_of_what_is_left(told: World) -> None:
    told.reject_stored(FLOOD.relation.id)
    counts = told.graph.counts(told.graph.scope(OWNER))
    assert (counts.relations, counts.evidence, counts.chains) == (2, 2, 2)
