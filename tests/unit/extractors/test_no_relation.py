"""Sentences of several kinds that state no relation, written before the extractors were run on them."""

from __future__ import annotations

from pathlib import Path

import pytest

from extractors.ports import RelationExtractor

DATA = Path(__file__).parent / "data"


def sentences(language: str) -> list[str]:
    return (DATA / f"no-relation-{language}.txt").read_text(encoding="utf-8").splitlines()


def share_with_a_relation(extractor: RelationExtractor, language: str) -> float:
    """Share of the sentences with an affirmed relation at the threshold that the product walks by default."""
    texts = sentences(language)
    hits = 0
    for text in texts:
        relations = extractor.extract(text, language).relations
        hits += any(
            r.confidence >= 0.5 and r.polarity == "affirmed" and r.modality != "hypothetical" for r in relations
        )
    return hits / len(texts)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_there_are_150_different_sentences(language: str) -> None:
    assert len(set(sentences(language))) == 150


def test_chinese_sentences_without_a_relation_get_none() -> None:
    from extractors.chinese import ChineseExtractor

    assert share_with_a_relation(ChineseExtractor(), "zh") <= 0.05


def test_english_sentences_without_a_relation_get_none() -> None:
    from extractors.english import EnglishExtractor

    assert share_with_a_relation(EnglishExtractor(), "en") <= 0.05
