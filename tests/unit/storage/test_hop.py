"""One step of a walk: what is combined, projected and cut, worked out by hand."""

from __future__ import annotations

import pytest

from storage.hop import combined, cut, projected
from storage.records import RelationType

CAUSAL, SEQUENTIAL = RelationType.CAUSAL, RelationType.SEQUENTIAL


def test_classes_combine_as_independent_voices():
    found = combined({"r": [0.5, 0.6], "alone": [0.1234567]}, lambda _: {})
    assert found == {"r": 0.8, "alone": 0.123457}


def test_a_rounding_in_doubt_is_settled_by_what_each_document_says():
    asked = []

    def voices(relations):
        asked.append(relations)
        return {"r": [0.5, 0.55, 0.65, 0.65]}

    # 1 - .5 * .45 * .35 * .35 = .9724375: half way between two roundings.
    found = combined({"r": [0.775, 0.8775], "sure": [0.5, 0.5]}, voices)
    assert asked == [{"r"}]
    assert found == {"r": pytest.approx(0.972437, abs=2e-6), "sure": 0.75}


def test_the_most_certain_edges_are_followed_and_the_cut_is_told():
    found = {
        "b": [(-0.5, "r2", CAUSAL, "x"), (-0.9, "r3", SEQUENTIAL, "y"), (-0.5, "r1", CAUSAL, "z")],
        "a": [(-0.2, "r4", CAUSAL, "x")],
    }
    hop = cut(found, forward=True, min_confidence=0.5, fan_out=2)
    assert [(e.relation_id, e.head, e.tail, e.confidence) for e in hop.edges] == [
        ("r3", "b", "y", 0.9), ("r1", "b", "z", 0.5),
    ]  # fmt: skip
    assert hop.truncated == {"b"}
    back = cut(found, forward=False, min_confidence=0.0, fan_out=9)
    assert back.truncated == frozenset()
    assert (back.edges[0].head, back.edges[0].tail) == ("x", "a")


def test_a_relation_has_one_edge_for_each_class_that_proves_it():
    edges = projected(
        [
            ("r", "h", "t", "causal", "red", 0.5),
            ("r", "h", "t", "causal", "red", 0.6),
            ("r", "h", "t", "causal", "blue", 0.9),
            ("s", "h", "t", "sequential", "red", 0.4),
        ]
    )
    assert [(e.relation, e.access_class, round(e.confidence, 9), e.shared, e.type) for e in edges] == [
        ("r", "blue", 0.9, True, CAUSAL), ("r", "red", 0.8, True, CAUSAL), ("s", "red", 0.4, False, SEQUENTIAL),
    ]  # fmt: skip
