"""What a set of evidence is worth hangs on the set alone, and can be put together from parts."""

from __future__ import annotations

import math
from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storage.belief import belief, noisy_or
from storage.identity import make_id
from storage.records import Evidence, Modality, Span

evidence = st.builds(
    lambda document, confidence, modality, subtype, start: Evidence(
        relation_id=make_id("rel", "r"),
        document_id=document,
        head=Span(start=start, end=start + 1),
        tail=Span(start=start + 2, end=start + 3),
        cue=None,
        subtype=subtype,
        modality=modality,
        explicit=True,
        confidence=confidence,
        origin="test@1",
    ),
    st.sampled_from(["d1", "d2", "d3", "d4", "d5"]),
    st.floats(1e-6, 1.0),
    st.sampled_from(list(Modality)),
    st.sampled_from(["cause", "enable", "purpose"]),
    st.integers(0, 5),
)
sets = st.lists(evidence, min_size=1, max_size=12)


@settings(deadline=None)
@given(sets, st.randoms())
def test_belief_does_not_hang_on_the_order_of_the_evidence(items: list[Evidence], random: object) -> None:
    shuffled = list(items)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert belief(shuffled) == belief(items)


@settings(deadline=None)
@given(sets)
def test_belief_is_one_minus_the_product_of_the_doubts_of_documents(items: list[Evidence]) -> None:
    best: dict[str, float] = defaultdict(float)
    for item in items:
        best[item.document_id] = max(best[item.document_id], item.confidence)
    result = belief(items)
    assert result.confidence == pytest.approx(1 - math.prod(1 - c for c in best.values()), abs=1e-6)
    assert result.documents == len(best)


@settings(deadline=None)
@given(sets, evidence)
def test_more_evidence_never_lowers_a_belief(items: list[Evidence], more: Evidence) -> None:
    before, after = belief(items), belief([*items, more])
    firmness = [Modality.ASSERTED, Modality.HEDGED, Modality.HYPOTHETICAL]
    assert after.confidence >= before.confidence
    assert firmness.index(after.modality) <= firmness.index(before.modality)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.floats(1e-6, 1.0)), max_size=20))
def test_voices_grouped_by_the_class_of_their_document_compose(voices: list[tuple[int, float]]) -> None:
    """A projection holds one confidence per access class; those of the caller's classes are combined when asked."""
    classes: dict[int, list[float]] = defaultdict(list)
    for class_, confidence in voices:
        classes[class_].append(confidence)
    whole = noisy_or(confidence for _, confidence in voices)
    assert noisy_or(noisy_or(members) for members in classes.values()) == pytest.approx(whole, abs=1e-9)


@settings(deadline=None)
@given(sets)
def test_confidence_has_six_decimals_and_is_never_zero(items: list[Evidence]) -> None:
    confidence = belief(items).confidence
    assert confidence == round(confidence, 6)
    assert 1e-6 <= confidence <= 1.0
