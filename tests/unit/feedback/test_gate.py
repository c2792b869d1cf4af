"""Each clause of the gate, worked out by hand: one candidate that it lets through and one that it stops."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from feedback.gate import (
    CHECKS,
    Candidate,
    EvidenceFacts,
    LinkFacts,
    asks_for_cause,
    check,
    failures,
    is_origin,
    passed,
)
from storage.belief import belief
from storage.ports import RelationView
from storage.records import (
    Evidence,
    Modality,
    Polarity,
    Proposal,
    ProposalStatus,
    Relation,
    RelationType,
    Span,
)

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)


def fact(
    relation: Relation,
    document: str,
    *,
    modality: Modality = Modality.ASSERTED,
    origin: str = "english@1",
    problem: str = "",
    words: str | None = None,
) -> EvidenceFacts:
    evidence = Evidence(
        relation_id=relation.id, document_id=document, head=Span(start=0, end=4), tail=Span(start=9, end=12),
        cue=None, subtype="cause", modality=modality, explicit=True, confidence=0.8, origin=origin,
    )  # fmt: skip
    return EvidenceFacts(evidence=evidence, problem=problem, fingerprint=document if words is None else words)


def link(
    head: str,
    tail: str,
    *documents: str,
    type: RelationType = RelationType.CAUSAL,
    polarity: Polarity = Polarity.AFFIRMED,
    **about: object,
) -> LinkFacts:
    relation = Relation(type=type, head=head, tail=tail, polarity=polarity)
    facts = tuple(fact(relation, document, **about) for document in documents or ("one",))  # type: ignore[arg-type]
    view = RelationView(relation=relation, belief=belief([f.evidence for f in facts]))
    return LinkFacts(relation_id=relation.id, view=view, evidence=facts)


STORM = link("storm", "flood", "one")
FLOOD = link("flood", "outage", "two")
OUTAGE = link("outage", "loss", "three")


def failed(candidate: Candidate) -> dict[str, str]:
    return {v.check: v.reason for v in check(candidate) if not v.passed}


def earlier(status: ProposalStatus) -> Proposal:
    return Proposal(relation_ids=(), proposer="somebody", proposed_at=NOON, status=status)


def test_a_new_path_through_two_documents_passes_every_check() -> None:
    verdicts = check(Candidate(links=(STORM, FLOOD)))
    assert [v.check for v in verdicts] == list(CHECKS) == ["form", "grounding", "types", "support", "view"]
    assert passed(verdicts)
    assert failures(verdicts) == ""
    assert all(v.reason for v in verdicts)


def test_the_gate_is_a_function_of_its_candidate_alone() -> None:
    candidate = Candidate(links=(STORM, FLOOD, OUTAGE))
    assert check(candidate) == check(Candidate.model_validate(candidate.model_dump()))


# form


@pytest.mark.parametrize("links", [(), (STORM,)])
def test_form_asks_for_two_links(links: tuple[LinkFacts, ...]) -> None:
    assert f"not {len(links)}" in failed(Candidate(links=links))["form"]


def test_form_asks_that_ends_join() -> None:
    reason = failed(Candidate(links=(STORM, FLOOD, link("price", "loss", "three"))))["form"]
    assert reason == "link 2 does not end where link 3 begins"


@pytest.mark.parametrize("pair", [("flood", "flooding"), ("flooding", "flood")])
def test_form_lets_ends_join_through_same_as_in_either_order(pair: tuple[str, str]) -> None:
    links = (STORM, link("flooding", "outage", "two"))
    assert "form" in failed(Candidate(links=links))
    assert failed(Candidate(links=links, same_as=frozenset({pair}))) == {}


def test_form_refuses_a_relation_that_stands_twice() -> None:
    assert "twice" in failed(Candidate(links=(STORM, link("flood", "storm", "two"), STORM)))["form"]


def test_form_refuses_a_cycle() -> None:
    back = link("outage", "storm", "three")
    assert failed(Candidate(links=(STORM, FLOOD, back)))["form"] == "it comes back to a statement it has passed"


def test_form_refuses_a_link_from_a_statement_to_itself() -> None:
    assert "comes back" in failed(Candidate(links=(STORM, link("flood", "flood", "two"))))["form"]


def test_form_refuses_a_cycle_that_closes_through_same_as() -> None:
    links = (STORM, FLOOD, link("outage", "tempest", "three"))
    assert failed(Candidate(links=links)) == {}
    closed = Candidate(links=links, same_as=frozenset({("storm", "tempest")}))
    assert failed(closed) == {"form": "it comes back to a statement it has passed"}


def test_form_refuses_what_is_stored() -> None:
    assert failed(Candidate(links=(STORM, FLOOD), stored=True)) == {"form": "the chain is stored already"}


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (ProposalStatus.QUARANTINED, "the chain already waits for review"),
        (ProposalStatus.ACCEPTED, "the chain was already accepted"),
        (ProposalStatus.REJECTED, "the chain was rejected by a person"),
        (ProposalStatus.ROLLED_BACK, "the chain was accepted and rolled back"),
    ],
)
def test_form_refuses_a_replay_and_says_of_what(status: ProposalStatus, said: str) -> None:
    assert failed(Candidate(links=(STORM, FLOOD), earlier=(earlier(status),))) == {"form": said}


def test_a_chain_that_the_gate_refused_is_judged_anew() -> None:
    assert failed(Candidate(links=(STORM, FLOOD), earlier=(earlier(ProposalStatus.REFUSED),))) == {}


def test_form_refuses_a_proposer_with_too_many_waiting() -> None:
    assert failed(Candidate(links=(STORM, FLOOD), pending=6, max_pending=7)) == {}
    assert "7 proposals" in failed(Candidate(links=(STORM, FLOOD), pending=7, max_pending=7))["form"]


# grounding


def test_grounding_refuses_one_quote_that_cannot_be_read_again() -> None:
    altered = link("flood", "outage", "two", problem="the stored text is not the one it was read from")
    assert list(failed(Candidate(links=(STORM, altered)))) == ["grounding"]
    assert "link 2" in failed(Candidate(links=(STORM, altered)))["grounding"]


def test_grounding_refuses_a_link_with_one_bad_quote_among_good_ones() -> None:
    assert FLOOD.view is not None
    bad = fact(FLOOD.view.relation, "four", problem="its document is not in the store")
    mixed = FLOOD.model_copy(update={"evidence": (*FLOOD.evidence, bad)})
    assert failed(Candidate(links=(STORM, mixed))) == {
        "grounding": f"link 2 ({mixed.relation_id}): its document is not in the store (four)"
    }


def test_grounding_refuses_a_link_without_evidence() -> None:
    bare = FLOOD.model_copy(update={"evidence": ()})
    assert "has no evidence" in failed(Candidate(links=(STORM, bare, OUTAGE)))["grounding"]


# types


def test_types_refuses_a_link_that_is_said_not_to_hold() -> None:
    negated = link("flood", "outage", "two", polarity=Polarity.NEGATED)
    assert list(failed(Candidate(links=(STORM, negated)))) == ["types"]


def test_types_refuses_a_link_that_is_only_supposed() -> None:
    supposed = link("flood", "outage", "two", modality=Modality.HYPOTHETICAL)
    assert list(failed(Candidate(links=(STORM, supposed)))) == ["types"]


def test_types_lets_a_hedged_link_pass_and_says_so() -> None:
    verdicts = check(Candidate(links=(STORM, link("flood", "outage", "two", modality=Modality.HEDGED))))
    assert passed(verdicts)
    assert verdicts[2].reason == "causal, causal; said with a hedge: link 2"


THEN = (
    link("storm", "flood", "one", type=RelationType.SEQUENTIAL),
    link("flood", "outage", "two", type=RelationType.SEQUENTIAL),
)


@pytest.mark.parametrize("question", ["Why was there an outage?", "停电的原因是什么？", "What led to the outage?"])
def test_types_refuses_mere_sequence_as_the_answer_to_a_why(question: str) -> None:
    assert failed(Candidate(links=THEN, question=question)) == {
        "types": "the question asks for a cause, and every link is sequential"
    }


def test_types_lets_a_sequence_answer_other_questions() -> None:
    assert failed(Candidate(links=THEN, question="What happened after the storm?")) == {}


def test_types_lets_a_mixed_chain_with_a_causal_link_answer_a_why() -> None:
    assert failed(Candidate(links=(THEN[0], FLOOD), question="Why was there an outage?")) == {}


def test_words_inside_other_words_ask_for_no_cause() -> None:
    assert not asks_for_cause("Is reasonable treasoning misled?")
    assert asks_for_cause("WHY?")


# support


def test_support_refuses_a_chain_from_a_single_document() -> None:
    alone = (link("storm", "flood", "one"), link("flood", "outage", "one"))
    assert list(failed(Candidate(links=alone))) == ["support"]


def test_support_counts_copies_of_one_text_once() -> None:
    copies = (link("storm", "flood", "one", words="same"), link("flood", "outage", "two", words="same"))
    assert failed(Candidate(links=copies)) == {"support": "its evidence stands in 1 different documents, 2 are needed"}


@pytest.mark.parametrize(
    "origin", ["derived@1", "generated:gpt@2", "recalled", "", "model", "clew-derived@1", "human:"]
)
def test_support_refuses_a_link_with_no_evidence_from_a_document(origin: str) -> None:
    derived = link("flood", "outage", "two", origin=origin)
    assert list(failed(Candidate(links=(STORM, derived, OUTAGE)))) == ["support"]


def test_support_does_not_count_derived_evidence_as_a_document() -> None:
    alone = link("storm", "flood", "one")
    assert FLOOD.view is not None
    both = FLOOD.model_copy(
        update={"evidence": (fact(FLOOD.view.relation, "one"), fact(FLOOD.view.relation, "two", origin="derived@1"))}
    )
    assert list(failed(Candidate(links=(alone, both)))) == ["support"]


@pytest.mark.parametrize("origin", ["english@1", "zh-rules@2.1", "model:gpt-4o@2024", "human:Ada", "human:derived"])
def test_extractors_and_people_are_origins(origin: str) -> None:
    assert is_origin(origin)


# view


def test_every_check_fails_alike_for_a_link_that_the_proposer_does_not_see() -> None:
    hidden = LinkFacts(relation_id=FLOOD.relation_id)
    found = failed(Candidate(links=(STORM, hidden)))
    assert list(found) == list(CHECKS)
    assert set(found.values()) == {f"link 2 ({FLOOD.relation_id}) is not an active relation that the proposer sees"}
