"""Rules and a model together: the rules find, the model adds, confirms or doubts; every voice stays told apart."""

from __future__ import annotations

from collections.abc import Sequence

from extractors.bilingual import BilingualExtractor
from extractors.model.estimate import Estimate
from extractors.model.model_extractor import ModelExtractor, Reading
from extractors.ports import ExtractedRelation, ExtractionResult

DOUBTED = 0.5
"""What remains of the confidence of a relation that the model doubts: below what is shown as an answer."""

SAME = 0.5
"""Ends that share this much of their length are the same ends."""


class HybridExtractor:
    """The offline extractor, with a model beside it.

    A model may lower trust and never raises it: what it confirms is marked so, what it doubts counts half and is marked
    so, what it adds is evidence of its own origin. Where it cannot be asked, the rules alone are heard.
    """

    def __init__(self, offline: BilingualExtractor, model: ModelExtractor) -> None:
        self._offline = offline
        self._model = model

    @property
    def name(self) -> str:
        """The names of all voices, for the fingerprint."""
        return f"{self._offline.name}+{self._model.name}"

    def extract(self, text: str, language: str) -> ExtractionResult:
        """The relations of ``text``. Raises BudgetReachedError when asking would cost more than is allowed."""
        offline = self._offline.extract(text, language)
        reading = self._model.read(text, offline.relations)
        relations = self._judged(offline.relations, reading)
        relations += [r for r in reading.relations if not any(r.is_same(known, shared=SAME) for known in relations)]
        relations.sort(key=lambda r: r.order)
        return ExtractionResult(
            language=language,
            relations=tuple(relations),
            extractor=self.name,
            degraded=(*offline.degraded, *reading.degraded),
            retry=bool(reading.unread),
        )

    def estimate(self, text: str, language: str) -> Estimate:
        """What extracting from ``text`` would ask of the model, about."""
        return self._model.estimate_reading(text, self._offline.extract(text, language).relations)

    def forget(self, texts: Sequence[str]) -> int:
        """Remove the model's remembered answers about ``texts``; how many that were."""
        return self._model.forget(texts)

    def _judged(self, relations: tuple[ExtractedRelation, ...], reading: Reading) -> list[ExtractedRelation]:
        judged = []
        for position, relation in enumerate(relations):
            again = any(relation.is_same(found, shared=SAME) for found in reading.relations)
            if position in reading.doubted and not again:
                lowered = max(round(relation.confidence * DOUBTED, 3), 1e-3)
                changes = {"doubted_by": (*relation.doubted_by, self._model.name), "confidence": lowered}
                judged.append(relation.model_copy(update=changes))
            elif position in reading.confirmed or again:
                judged.append(relation.model_copy(update={"confirmed_by": (*relation.confirmed_by, self._model.name)}))
            else:
                judged.append(relation)
        return judged


__all__ = ["DOUBTED", "HybridExtractor"]
