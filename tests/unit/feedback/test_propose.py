"""Proposing: what the gate is given is read from the stores, and what it says is stored and journalled."""

from __future__ import annotations

from typing import Any

import pytest

from feedback import propose, verify
from feedback.propose import MAX_LINKS
from storage.errors import UsageError
from storage.records import OWNER, Modality, Polarity, ProposalStatus, RelationType, SameAs, View


def failed(proposal: Any) -> list[str]:
    return [v.check for v in proposal.verdicts if not v.passed]


def test_a_chain_across_documents_is_quarantined_and_nothing_else_changes(told: Any, story: Any) -> None:
    before = told.graph.state_hash()
    proposal = told.propose(*story, question="Why was there a loss?")
    assert proposal.status is ProposalStatus.QUARANTINED
    assert failed(proposal) == []
    assert told.graph.proposals() == [proposal]
    assert told.graph.state_hash() == before
    assert told.index.derived_rows() == []
    [entry] = told.graph.ledger()
    assert (entry.action, entry.actor, entry.ids) == ("propose", "ask", (proposal.id, proposal.chain_id))


def test_an_unknown_relation_makes_a_refused_proposal(told: Any, story: Any, says: Any) -> None:
    proposal = told.propose(story[0], says("a flood", "a sinking"))
    assert proposal.status is ProposalStatus.REFUSED
    assert failed(proposal) == ["form", "grounding", "types", "support", "view"]
    assert told.graph.proposals() == [proposal]
    assert [e.action for e in told.graph.ledger()] == ["refuse"]


@pytest.mark.parametrize("bad", ["", "rel_1", "stm_" + "0" * 32, "rel_" + "0" * 33, "rel_' OR 1=1 --"])
def test_a_malformed_id_is_a_usage_error_and_leaves_nothing(told: Any, bad: str) -> None:
    with pytest.raises(UsageError):
        propose(told.graph, told.index, relation_ids=[bad], view=OWNER, proposer="ask", clock=told.clock)
    assert told.graph.proposals() == []
    assert list(told.graph.ledger()) == []


def test_too_many_links_and_a_blank_proposer_are_usage_errors(told: Any, story: Any) -> None:
    with pytest.raises(UsageError, match="33 links"):
        told.propose(*[story[0]] * (MAX_LINKS + 1))
    with pytest.raises(UsageError, match="name"):
        told.propose(*story, proposer=" ")


def test_a_replay_is_refused_and_does_not_overwrite_the_first(told: Any, story: Any) -> None:
    first = told.propose(*story)
    again = told.propose(*story)
    assert again.id == first.id
    assert again.status is ProposalStatus.REFUSED
    assert failed(again) == ["form"]
    assert told.graph.proposals() == [first]
    assert [e.action for e in told.graph.ledger()] == ["propose", "refuse"]


def test_a_replay_by_another_proposer_is_refused(told: Any, story: Any) -> None:
    told.propose(*story)
    other = told.propose(*story, proposer="eve")
    assert failed(other) == ["form"]
    assert [p.status.value for p in told.graph.proposals()] == ["quarantined", "refused"]


def test_a_refused_chain_can_be_proposed_again_when_the_reason_is_gone(told: Any, story: Any, says: Any) -> None:
    more = says("a loss", "a lawsuit")
    assert told.propose(story[2], more).status is ProposalStatus.REFUSED
    told.ingest("four", more)
    proposal = told.propose(story[2], more)
    assert proposal.status is ProposalStatus.QUARANTINED
    assert told.graph.proposals() == [proposal]


def test_a_chain_that_stands_whole_in_one_document_is_stored_already(world: Any, story: Any) -> None:
    world.ingest("one", story[0], story[1])
    world.ingest("two", story[1])
    assert failed(world.propose(story[0], story[1])) == ["form"]


def test_over_quota_is_refused_per_proposer(told: Any, story: Any) -> None:
    assert failed(told.propose(story[0], story[1], max_pending=1)) == []
    assert failed(told.propose(story[1], story[2], max_pending=1)) == ["form"]
    assert failed(told.propose(story[1], story[2], proposer="ada", max_pending=1)) == []


def test_a_text_that_was_altered_fails_grounding(told: Any, story: Any) -> None:
    document = told.ingest("two", story[1])
    told.alter(document, "the flood so no outage.\n")
    assert failed(told.propose(story[0], story[1])) == ["grounding", "support"]


def test_a_text_that_is_gone_fails_grounding(told: Any, story: Any) -> None:
    told.index.delete_documents([told.ingest("two", story[1])])
    proposal = told.propose(*story)
    assert failed(proposal) == ["grounding"]
    assert "not in the store" in proposal.verdicts[1].reason


def test_a_copy_of_a_document_is_no_second_document(world: Any, story: Any) -> None:
    # Two sources of one text, apart in title, case and spacing; neither holds the chain as a path of its own.
    world.ingest("one", story[1], story[0], title="first")
    world.ingest("two", story[1], story[0], title="second")
    assert failed(world.propose(story[0], story[1])) == ["support"]


def test_a_join_by_same_as_passes(world: Any, story: Any, says: Any) -> None:
    one, two = story[0], says("the flooding", "an outage")
    world.ingest("one", one)
    world.ingest("two", two)
    assert failed(world.propose(one, two)) == ["form"]
    first, second = sorted([one.relation.tail, two.relation.head])
    world.ingest("three", story[2], same_as=[SameAs(first=first, second=second, score=0.9, origin="terms@1")])
    assert failed(world.propose(one, two)) == []


@pytest.mark.parametrize(
    ("about", "checks"),
    [
        ({"polarity": Polarity.NEGATED}, ["types"]),
        ({"modality": Modality.HYPOTHETICAL}, ["types"]),
        ({"modality": Modality.HEDGED}, []),
        ({"origin": "derived@1"}, ["support"]),
        ({"type": RelationType.SEQUENTIAL}, []),
    ],
)
def test_what_a_link_is_decides(world: Any, story: Any, says: Any, about: Any, checks: list[str]) -> None:
    second = says("a flood", "an outage", **about)
    world.ingest("one", story[0])
    world.ingest("two", second)
    world.ingest("three", story[2])
    assert failed(world.propose(story[0], second, question="Why?")) == checks


def test_a_hidden_link_and_one_that_does_not_exist_are_answered_alike(world: Any, story: Any) -> None:
    world.ingest("one", story[0])
    public = View(groups=frozenset({"public"}))
    missing = world.propose(story[0], story[1], view=public)
    world.ingest("two", story[1], groups=("board",))
    hidden = world.propose(story[0], story[1], view=public, proposer="other")
    assert hidden.status is ProposalStatus.REFUSED
    assert hidden.verdicts == missing.verdicts
    board = View(groups=frozenset({"public", "board"}))
    assert failed(world.propose(story[0], story[1], view=board)) == []
    # That the chain waits is told to those only who see all of it.
    assert world.propose(story[0], story[1], view=public, proposer="third").verdicts == missing.verdicts


def test_evidence_that_the_proposer_does_not_see_supports_nothing(world: Any, story: Any) -> None:
    world.ingest("one", story[1], story[0])
    world.ingest("two", story[1], groups=("board",))
    assert failed(world.propose(story[0], story[1], view=View(groups=frozenset({"public"})))) == ["support"]
    assert failed(world.propose(story[0], story[1], proposer="owner")) == []


def test_the_ledger_of_proposals_is_unbroken(told: Any, story: Any) -> None:
    told.propose(*story)
    told.propose(*story)
    told.propose(story[0], story[2])
    report = verify(told.graph.ledger())
    assert (report.entries, report.intact) == (3, True)
