"""A person's verdict: whole or not at all, once, reversible, and kept through what happens to the documents."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from feedback import accept, list_proposals, reject, show, verify
from storage.errors import NotFoundError, ProposalError, UsageError
from storage.records import OWNER, ProposalStatus
from storage.writer_lock import writer_lock


def failed(proposal: Any) -> list[str]:
    return [v.check for v in proposal.verdicts if not v.passed]


def test_accept_activates_the_chain_and_rollback_restores_the_earlier_state(told: Any, story: Any) -> None:
    proposal = told.propose(*story)
    before = told.graph.state_hash()

    decision = told.accept(proposal)

    assert decision.chains == (proposal.chain_id,)
    assert told.derived() == {proposal.chain_id: "active"}
    assert told.graph.state_hash() != before
    [view] = told.graph.chains([proposal.chain_id], told.graph.scope(OWNER)).values()
    assert view.chain.derived
    assert [link.relation.id for link in view.links] == list(proposal.relation_ids)
    [row] = told.index.derived_rows()
    assert (row.owner, row.text) == (proposal.chain_id, "the storm → a flood → an outage → a loss")
    [stored] = told.graph.proposals()
    assert (stored.status, stored.batch) == (ProposalStatus.ACCEPTED, decision.batch)

    undone = told.rollback(decision.batch)

    assert undone.chains == (proposal.chain_id,)
    assert told.graph.state_hash() == before
    assert told.derived() == {}
    assert told.index.derived_rows() == []
    assert [p.status for p in told.graph.proposals()] == [ProposalStatus.ROLLED_BACK]
    assert [e.action for e in told.graph.ledger()] == ["propose", "accept", "rollback"]
    assert [e.batch for e in told.graph.ledger()] == [None, decision.batch, decision.batch]
    assert verify(told.graph.ledger()).intact
    assert told.graph.open_intents() == []


def test_a_rolled_back_chain_does_not_come_back(told: Any, story: Any) -> None:
    proposal = told.propose(*story)
    batch = told.accept(proposal).batch
    told.rollback(batch)
    with pytest.raises(ProposalError, match="rolled back"):
        told.accept(proposal)
    with pytest.raises(ProposalError, match="rolled back already"):
        told.rollback(batch)
    assert failed(told.propose(*story, proposer="eve")) == ["form"]
    told.remove("two")
    told.ingest("two", story[1])
    assert told.sync() == 0
    assert told.derived() == {}


def test_rollback_takes_back_its_own_batch_only(told: Any, story: Any) -> None:
    first, second = told.propose(story[0], story[1]), told.propose(story[1], story[2])
    batch = told.accept(first).batch
    middle = told.graph.state_hash()
    told.rollback(told.accept(second).batch)
    assert told.graph.state_hash() == middle
    assert told.derived() == {first.chain_id: "active"}
    assert {row.owner for row in told.index.derived_rows()} == {first.chain_id}
    told.rollback(batch)


def test_a_chain_retires_with_its_link_and_returns_with_it(told: Any, story: Any) -> None:
    proposal = told.propose(*story)
    told.accept(proposal)
    accepted = told.graph.state_hash()

    told.remove("two")
    assert told.sync() == 1
    assert told.derived() == {proposal.chain_id: "retired"}
    assert told.index.derived_rows() == []
    assert told.graph.chains([proposal.chain_id], told.graph.scope(OWNER)) == {}

    told.ingest("two", story[1])
    assert told.sync() == 1
    assert told.derived() == {proposal.chain_id: "active"}
    assert told.graph.state_hash() == accepted
    assert len(told.index.derived_rows()) == 1


def test_a_chain_can_be_rolled_back_while_it_is_retired(told: Any, story: Any) -> None:
    batch = told.accept(told.propose(*story)).batch
    told.remove("two")
    told.rollback(batch)
    told.ingest("two", story[1])
    assert told.sync() == 0
    assert told.derived() == {}


def test_a_rejection_survives_reingestion(told: Any, story: Any) -> None:
    proposal = told.propose(*story)
    before = told.graph.state_hash()
    assert told.reject(proposal).proposals[0].status is ProposalStatus.REJECTED
    assert told.graph.state_hash() == before
    for name, said in zip(("one", "two", "three"), story, strict=True):
        told.remove(name)
        told.ingest(name, said)
    assert failed(told.propose(*story)) == ["form"]
    assert failed(told.propose(*story, proposer="eve")) == ["form"]
    with pytest.raises(ProposalError, match="already rejected"):
        told.accept(proposal)
    with pytest.raises(ProposalError, match="already rejected"):
        told.reject(proposal)


def test_accept_looks_again_and_refuses_what_no_longer_holds(told: Any, story: Any) -> None:
    proposal = told.propose(*story)
    told.remove("two")
    with pytest.raises(ProposalError, match="no longer passes the gate: form: link 2"):
        told.accept(proposal)
    assert told.graph.proposals() == [proposal]
    assert told.derived() == {}
    document = told.ingest("two", story[1])
    told.alter(document, "nothing of the kind")
    with pytest.raises(ProposalError, match="grounding: link 2"):
        told.accept(proposal)
    told.ingest("two", story[1])
    told.remove("two")
    told.ingest("two", story[1])
    assert told.accept(proposal).chains == (proposal.chain_id,)


def test_accept_refuses_a_chain_that_a_document_now_holds_whole(told: Any, story: Any) -> None:
    proposal = told.propose(story[0], story[1])
    told.ingest("all", story[0], story[1])
    with pytest.raises(ProposalError, match="stored already"):
        told.accept(proposal)


def test_a_refused_proposal_cannot_be_accepted(told: Any, story: Any) -> None:
    refused = told.propose(story[0], story[2])
    with pytest.raises(ProposalError, match="the gate refused it"):
        told.accept(refused)


def test_two_reviewers_at_once_make_one_acceptance(told: Any, story: Any, tmp_path: Path) -> None:
    proposal = told.propose(*story)
    start = threading.Barrier(2)

    def review(actor: str) -> str:
        start.wait()
        with writer_lock(tmp_path, wait_seconds=30):
            try:
                return str(told.accept(proposal, actor=actor).batch)
            except ProposalError as error:
                return str(error)

    with ThreadPoolExecutor(2) as pool:
        said = list(pool.map(review, ["ada", "eve"]))
    batch = next(s for s in said if s.startswith("bat_"))
    assert [s for s in said if f"already accepted in batch {batch}" in s]
    assert [e.action for e in told.graph.ledger()] == ["propose", "accept"]
    assert len(told.index.derived_rows()) == 1


@pytest.mark.parametrize(("actor", "reason"), [("", "why not"), ("ada", " \n")])
def test_a_decision_needs_a_person_and_a_reason(told: Any, story: Any, actor: str, reason: str) -> None:
    proposal = told.propose(*story)
    words = {"actor": actor, "reason": reason, "clock": told.clock}
    with pytest.raises(UsageError):
        accept(told.graph, told.index, told.embedder, proposal_id=proposal.id, **words)
    with pytest.raises(UsageError):
        reject(told.graph, proposal_id=proposal.id, **words)
    assert told.graph.proposals() == [proposal]


def test_what_is_not_there_is_said(told: Any) -> None:
    with pytest.raises(NotFoundError, match="review list"):
        reject(told.graph, proposal_id="prp_" + "0" * 32, actor="ada", reason="x", clock=told.clock)
    with pytest.raises(NotFoundError, match="review list"):
        told.rollback("bat_" + "0" * 32)
    with pytest.raises(UsageError):
        told.rollback("everything")


@pytest.mark.parametrize("fault", ["write", "decide", "finish"])
def test_an_acceptance_that_is_cut_off_is_whole_or_not_at_all(
    told: Any, story: Any, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    proposal = told.propose(*story)
    before = told.graph.state_hash()
    with monkeypatch.context() as patch:

        def cut(*_: Any, **__: Any) -> None:
            raise KeyboardInterrupt

        patch.setattr(told.index if fault == "write" else told.graph, fault, cut)
        with pytest.raises(KeyboardInterrupt):
            told.accept(proposal)

    # What opening the store does.
    [intent] = told.graph.open_intents()
    told.sync()
    told.graph.finish(intent.id)

    if fault == "finish":
        assert told.derived() == {proposal.chain_id: "active"}
        assert len(told.index.derived_rows()) == 1
    else:
        assert told.graph.state_hash() == before
        assert told.graph.proposals() == [proposal]
        assert told.index.derived_rows() == []
        assert told.accept(proposal).chains == (proposal.chain_id,)


@pytest.mark.parametrize("fault", ["decide", "delete", "finish"])
def test_a_rollback_that_is_cut_off_is_whole_or_not_at_all(
    told: Any, story: Any, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    proposal = told.propose(*story)
    batch = told.accept(proposal).batch
    with monkeypatch.context() as patch:

        def cut(*_: Any, **__: Any) -> None:
            raise KeyboardInterrupt

        patch.setattr(told.index if fault == "delete" else told.graph, fault, cut)
        with pytest.raises(KeyboardInterrupt):
            told.rollback(batch)
    [intent] = told.graph.open_intents()
    told.sync()
    told.graph.finish(intent.id)
    assert told.derived() == ({proposal.chain_id: "active"} if fault == "decide" else {})
    assert len(told.index.derived_rows()) == (1 if fault == "decide" else 0)


def test_a_reviewer_is_shown_every_link_with_its_words(told: Any, story: Any) -> None:
    told.ingest("four", story[1], story[0])
    proposal = told.propose(*story)
    item = show(told.graph, told.index, proposal_id=proposal.id)
    assert item.text == "the storm ─causes→ a flood ─causes→ an outage ─causes→ a loss"
    assert [link.evidence for link in item.links] == [2, 2, 1]
    [quote] = item.links[2].quotes
    assert (quote.title, quote.text) == ("three", "an outage so a loss")
    assert (quote.head, quote.cue, quote.tail) == ("an outage", "so", "a loss")
    assert all(v.passed for v in item.verdicts_now)


def test_a_reviewer_is_shown_what_is_missing_by_now(told: Any, story: Any) -> None:
    proposal = told.propose(*story)
    told.remove("two")
    item = show(told.graph, told.index, proposal_id=proposal.id)
    assert item.text == "the storm ─causes→ a flood ≈ … ─?→ … ≈ an outage ─causes→ a loss"
    assert item.links[1].view is None
    assert not any(v.passed for v in item.verdicts_now)


def test_the_list_holds_what_waits_oldest_first(told: Any, story: Any) -> None:
    first, second = told.propose(story[1], story[2]), told.propose(story[0], story[1])
    third = told.propose(*story)
    told.reject(second)
    assert list_proposals(told.graph) == (first, third)
    assert [p.id for p in list_proposals(told.graph, statuses=None)] == [first.id, second.id, third.id]
