"""One extractor for texts in English, in Chinese, and in both."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence

from extractors.language import language_runs
from extractors.ports import ExtractedRelation, ExtractionResult, RelationExtractor

_SAME = 0.7
"""Intersection over union at both ends from which two finds of one type are one."""


class BilingualExtractor:
    """Gives each run of one language to the extractor of that language, and the whole text to those beside them.

    Args:
        extractors: by language, ``en`` and ``zh``.
        beside: read the whole text as well; of two finds that say the same of the same places, the surer stays.
        own: rules of the user, which take the place of what the others say of the same places.
    """

    def __init__(
        self,
        extractors: Mapping[str, RelationExtractor],
        beside: Sequence[RelationExtractor] = (),
        *,
        own: RelationExtractor | None = None,
    ) -> None:
        self._extractors = extractors
        self._beside = (*beside, *([own] if own else []))
        self._own = own

    @property
    def name(self) -> str:
        """The names of all of them, for the fingerprint."""
        return "+".join(e.name for e in (*(e for _, e in sorted(self._extractors.items())), *self._beside))

    def extract(self, text: str, language: str) -> ExtractionResult:
        """The relations of ``text``; ``language`` names its main language."""
        relations: list[ExtractedRelation] = []
        degraded: list[str] = []
        for span, run_language in language_runs(text):
            extractor = self._extractors[run_language]
            result = extractor.extract(text[span.start : span.end], run_language)
            relations += [r.shifted(span.start) for r in _from(extractor, result)]
            degraded += [reason for reason in result.degraded if reason not in degraded]
        for extractor in self._beside:
            result = extractor.extract(text, language)
            relations = _joined(relations, _from(extractor, result), always=extractor is self._own)
            degraded += [reason for reason in result.degraded if reason not in degraded]
        relations.sort(key=lambda r: r.order)
        return ExtractionResult(
            language=language, relations=tuple(relations), extractor=self.name, degraded=tuple(degraded)
        )


def _from(extractor: RelationExtractor, result: ExtractionResult) -> list[ExtractedRelation]:
    return [r.model_copy(update={"origin": extractor.name}) for r in result.relations]


def _joined(
    known: Sequence[ExtractedRelation], more: Iterable[ExtractedRelation], *, always: bool
) -> list[ExtractedRelation]:
    """Both, but one of two that say the same of the same places: the new one if ``always``, else the surer."""
    ordered = sorted(known, key=lambda r: r.head.start)
    starts = [r.head.start for r in ordered]
    dropped: set[int] = set()
    added = []
    for relation in more:
        # Spans that share most of their length begin within that length of each other.
        reach = relation.head.end - relation.head.start
        near = range(
            bisect_left(starts, relation.head.start - reach), bisect_right(starts, relation.head.start + reach)
        )
        same = [i for i in near if i not in dropped and ordered[i].is_same(relation, shared=_SAME)]
        if not always and any(ordered[i].confidence > relation.confidence for i in same):
            continue
        dropped.update(same)
        added.append(relation)
    return [r for i, r in enumerate(ordered) if i not in dropped] + added


__all__ = ["BilingualExtractor"]
