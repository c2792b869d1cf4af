"""What one step of a walk asks a Neo4j, which is a function here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from storage.belief import noisy_or
from storage.identity import make_id
from storage.neo4j_database import Row
from storage.neo4j_walk import Neo4jSteps
from storage.ports import Edge, Hop
from storage.records import RelationType, Scope

X, A, B = (make_id("stm", word) for word in "xab")
FIRST, SECOND = sorted(make_id("rel", n) for n in (1, 2))
SCOPE = Scope(classes=None, at=None, bounded=False)


class Answers:
    """Gives the answers that it was made with, one after the other, and keeps what it was asked."""

    def __init__(self, *answers: list[Row]) -> None:
        self._answers = list(answers)
        self.asked: list[str] = []

    def __call__(self, query: str, parameters: Mapping[str, Any]) -> list[Row]:
        self.asked.append(query)
        return self._answers.pop(0)


def step(answers: Answers, *, scope: Scope = SCOPE, forward: bool = True, fan_out: int = 2) -> Hop:
    causal = [RelationType.CAUSAL]
    found = Neo4jSteps(answers).edges([X], scope, forward=forward, types=causal, min_confidence=0.3, fan_out=fan_out)
    assert not answers._answers
    return found


def line(far: str, relation: str, confidence: float) -> str:
    return f"{X} {relation} CAUSES {far} {confidence}"


def test_a_step_is_one_query() -> None:
    answers = Answers([[False, [line(A, FIRST, 0.4), line(B, SECOND, 0.1 + 0.2 + 0.3)]]])
    expected = (Edge(SECOND, RelationType.CAUSAL, X, B, 0.6), Edge(FIRST, RelationType.CAUSAL, X, A, 0.4))
    assert step(answers) == Hop(expected, frozenset())
    assert len(answers.asked) == 1
    assert "(s:Statement {id: id})-[e:CAUSES]->()" in answers.asked[0]


def test_backwards_the_far_statement_is_the_head() -> None:
    answers = Answers([[False, [line(A, FIRST, 0.4)]]])
    assert step(answers, forward=False).edges == (Edge(FIRST, RelationType.CAUSAL, A, X, 0.4),)
    assert "startNode(e).id" in answers.asked[0]


def test_nothing_to_follow_is_no_row() -> None:
    assert step(Answers([])) == Hop((), frozenset())


def test_classes_that_say_the_same_relation_are_one_edge() -> None:
    answers = Answers([[False, [line(A, FIRST, 0.5), line(A, FIRST, 0.4)]]])
    assert [e.confidence for e in step(answers).edges] == [0.7]  # 1 - .5 * .6


def test_more_edges_than_can_be_followed_are_cut_in_the_database() -> None:
    many = [line(A, make_id("rel", "many", n), 0.5) for n in range(528)]  # 512, and 16 for the one statement
    answers = Answers([[False, many]], [[False, [line(A, FIRST, 0.9), line(B, SECOND, 0.8)]]])
    hop = step(answers, fan_out=1)
    assert [e.relation_id for e in hop.edges] == [FIRST]
    assert hop.truncated == {X}
    assert "LIMIT $limit" in answers.asked[1]


def test_where_documents_are_valid_only_for_a_time_the_evidence_is_asked() -> None:
    late = Answers([[True, [line(A, FIRST, 0.9)]]], [[[line(A, FIRST, 0.5), line(A, FIRST, 0.4)]]])
    assert [e.confidence for e in step(late).edges] == [0.7]
    known = Answers([[[line(A, FIRST, 0.5)]]])
    assert [e.confidence for e in step(known, scope=Scope(classes=None, at=None, bounded=True)).edges] == [0.5]
    assert late.asked[1:] == known.asked


def test_a_rounding_that_hangs_on_float_noise_is_made_from_what_each_document_says() -> None:
    # 1 - .5 * .45 * .35 * .35 = .9724375, of which each class has two voices.
    parts = [line(A, FIRST, 1 - 0.5 * 0.45), line(A, FIRST, 1 - 0.35 * 0.35)]
    voices: list[Row] = [[FIRST, f"d{c}{n}", c] for n, c in enumerate((0.5, 0.55, 0.65, 0.65))]
    answers = Answers([[False, parts]], voices)
    [edge] = step(answers).edges
    assert len(answers.asked) == 2
    assert edge.confidence == round(noisy_or([0.5, 0.55, 0.65, 0.65]), 6)
