"""What evidence is worth together, by hand."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from storage.belief import belief, noisy_or
from storage.identity import make_id
from storage.records import Evidence, Modality, Span


def said(
    document: str,
    confidence: float,
    *,
    modality: Modality = Modality.ASSERTED,
    subtype: str = "cause",
    start: int = 0,
) -> Evidence:
    return Evidence(
        relation_id=make_id("rel", "r"),
        document_id=document,
        head=Span(start=start, end=start + 5),
        tail=Span(start=start + 10, end=start + 15),
        cue=None,
        subtype=subtype,
        modality=modality,
        explicit=True,
        confidence=confidence,
        origin="test@1",
    )


@pytest.mark.parametrize(
    ("confidences", "together"),
    [
        ([], 0.0),
        ([0.3], 0.3),
        ([0.5, 0.5], 0.75),
        ([0.5, 0.5, 0.5], 0.875),
        ([0.9, 0.8], 0.98),  # 1 - 0.1 * 0.2
        ([1.0, 0.2], 1.0),
    ],
)
def test_independent_voices_add_up_by_noisy_or(confidences: list[float], together: float) -> None:
    assert noisy_or(confidences) == pytest.approx(together, abs=1e-12)


def test_a_document_is_one_voice_however_often_it_says_it() -> None:
    once = belief([said("d1", 0.8)])
    often = belief([said("d1", 0.8), said("d1", 0.7, start=100), said("d1", 0.8, start=200)])
    assert often.confidence == once.confidence == 0.8
    assert often.documents == 1


def test_documents_are_independent_voices_each_worth_its_best() -> None:
    result = belief([said("d1", 0.5), said("d1", 0.6, start=50), said("d2", 0.5)])
    assert result.confidence == 0.8  # 1 - 0.4 * 0.5
    assert result.documents == 2


def test_confidence_is_rounded_to_the_sixth_decimal() -> None:
    third = 1 / 3
    assert belief([said("d1", third), said("d2", third)]).confidence == 0.555556  # 5/9


def test_the_firmest_saying_anywhere_decides_the_modality() -> None:
    hedged, hypothetical = Modality.HEDGED, Modality.HYPOTHETICAL
    assert belief([said("d1", 0.9, modality=hypothetical)]).modality is hypothetical
    assert belief([said("d1", 0.9, modality=hypothetical), said("d2", 0.1, modality=hedged)]).modality is hedged
    assert belief([said("d1", 0.9, modality=hedged), said("d2", 0.1)]).modality is Modality.ASSERTED


def test_the_most_confident_evidence_names_the_subtype_and_ties_go_to_the_smaller_word() -> None:
    assert belief([said("d1", 0.6, subtype="enable"), said("d2", 0.7, subtype="purpose")]).subtype == "purpose"
    tied = [said("d1", 0.7, subtype="purpose"), said("d2", 0.7, subtype="condition")]
    assert belief(tied).subtype == belief(tied[::-1]).subtype == "condition"


def test_the_faintest_evidence_is_still_a_belief() -> None:
    """A belief is rounded to the sixth decimal and never 0, so fainter evidence is refused when it is made."""
    assert belief([said("d1", 1e-6)]).confidence == 1e-6
    with pytest.raises(ValidationError):
        said("d1", 1e-7)
