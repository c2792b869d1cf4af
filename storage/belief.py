"""What a set of evidence says about one relation: a pure function of the evidence that the caller may see."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from storage.records import Belief, Evidence, Modality

_FIRMNESS = {Modality.ASSERTED: 0, Modality.HEDGED: 1, Modality.HYPOTHETICAL: 2}


def noisy_or(confidences: Iterable[float]) -> float:
    """1 − Π(1 − c): what independent voices are worth together; unrounded, so that parts combine in any grouping."""
    return 1.0 - math.prod(1.0 - c for c in sorted(confidences))


def belief(evidence: Sequence[Evidence]) -> Belief:
    """Combine the visible evidence of one relation.

    A document is one voice, worth its most confident evidence; documents combine by noisy-or. The modality is the
    firmest that is said anywhere, the subtype that of the most confident evidence (ties: the smaller word).
    """
    by_document: dict[str, float] = {}
    for item in evidence:
        by_document[item.document_id] = max(item.confidence, by_document.get(item.document_id, 0.0))
    best = min(evidence, key=lambda e: (-e.confidence, e.subtype))
    return Belief(
        confidence=round(noisy_or(by_document.values()), 6),
        modality=min((e.modality for e in evidence), key=_FIRMNESS.__getitem__),
        subtype=best.subtype,
        documents=len(by_document),
    )


__all__ = ["belief", "noisy_or"]
