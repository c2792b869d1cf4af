"""Sentences of manuals, incident reports, business, law and medicine that state a relation plainly: how many are found.

Each line holds the type, words of the head, words of the tail, and the sentence. They were written before the rules
that find them now; those that only a merely temporal or conditional reading gives are possibilities, and count as
missed here.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from extractors.ports import RelationExtractor

DATA = Path(__file__).parent / "data"


def lines(language: str) -> list[list[str]]:
    text = (DATA / f"plain-relations-{language}.tsv").read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines()]


def share_found(extractor: RelationExtractor, language: str) -> float:
    """Share of the sentences whose relation is asserted, with its type and direction."""
    found = 0
    for kind, head, tail, sentence in lines(language):
        found += any(
            r.type == kind
            and r.confidence >= 0.5
            and head.lower() in r.head.text.lower()
            and tail.lower() in r.tail.text.lower()
            for r in extractor.extract(sentence, language).relations
        )
    return found / len(lines(language))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_there_are_100_different_sentences_that_hold_the_words_of_both_ends(language: str) -> None:
    assert len({sentence for *_, sentence in lines(language)}) == 100
    for _, head, tail, sentence in lines(language):
        assert head.lower() in sentence.lower()
        assert tail.lower() in sentence.lower()


def test_most_plain_english_relations_are_asserted() -> None:
    from extractors.english import EnglishExtractor

    assert share_found(EnglishExtractor(), "en") >= 0.6


def test_plain_chinese_relations_are_asserted() -> None:
    from extractors.chinese import ChineseExtractor

    assert share_found(ChineseExtractor(), "zh") >= 0.7
