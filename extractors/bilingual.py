"""One extractor for texts in English, in Chinese, and in both."""

from __future__ import annotations

from collections.abc import Mapping

from extractors.language import language_runs
from extractors.ports import ExtractedRelation, ExtractionResult, RelationExtractor, TextSpan


class BilingualExtractor:
    """Gives each run of one language to the extractor of that language."""

    def __init__(self, extractors: Mapping[str, RelationExtractor]) -> None:
        self._extractors = extractors

    @property
    def name(self) -> str:
        """The names of both extractors, for the fingerprint."""
        return "+".join(e.name for _, e in sorted(self._extractors.items()))

    def origin(self, language: str) -> str:
        """Which extractor finds the relations of a language: the origin of evidence."""
        return self._extractors[language].name

    def extract(self, text: str, language: str) -> ExtractionResult:
        """The relations of ``text``; ``language`` names its main language."""
        relations: list[ExtractedRelation] = []
        degraded: list[str] = []
        for span, run_language in language_runs(text):
            result = self._extractors[run_language].extract(text[span.start : span.end], run_language)
            relations += [_shifted(r, span.start) for r in result.relations]
            degraded += [reason for reason in result.degraded if reason not in degraded]
        relations.sort(key=lambda r: (min(r.head.start, r.tail.start), r.head.start, r.tail.start, r.type))
        return ExtractionResult(
            language=language, relations=tuple(relations), extractor=self.name, degraded=tuple(degraded)
        )


def _shifted(relation: ExtractedRelation, offset: int) -> ExtractedRelation:
    def moved(span: TextSpan) -> TextSpan:
        return TextSpan(start=span.start + offset, end=span.end + offset, text=span.text)

    return relation.model_copy(
        update={
            "head": moved(relation.head),
            "tail": moved(relation.tail),
            "cue": moved(relation.cue) if relation.cue else None,
        }
    )


__all__ = ["BilingualExtractor"]
