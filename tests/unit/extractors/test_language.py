"""Which language, by script."""

from __future__ import annotations

import pytest

from extractors.language import detect_language, language_runs


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The port closed.", "en"),
        ("港口停工。", "zh"),
        ("使用 GraphRAG 和 LanceDB 存储向量。", "zh"),
        ("The word 因果 means cause and effect.", "en"),
        ("12345 !?", "en"),
        ("", "en"),
    ],
)
def test_detect_language(text: str, language: str) -> None:
    assert detect_language(text) == language


def test_a_long_text_is_sampled_at_three_places() -> None:
    assert detect_language("港" * 150_000 + "word " * 40_000 + "口" * 150_000) == "zh"


def test_runs_follow_the_sentences() -> None:
    text = "The port closed today. 因为台风登陆，港口停工。船只等待。The ships waited outside."
    assert [(text[s.start : s.end], language) for s, language in language_runs(text)] == [
        ("The port closed today.", "en"),
        ("因为台风登陆，港口停工。船只等待。", "zh"),
        ("The ships waited outside.", "en"),
    ]


def test_a_sentence_that_does_not_tell_goes_with_its_neighbour() -> None:
    text = "1. 因为台风登陆，港口停工。OK. 所以船只等待。"
    assert [(span.start, span.end, language) for span, language in language_runs(text)] == [(0, len(text), "zh")]


def test_text_without_words_is_one_run() -> None:
    assert [(s.start, s.end, language) for s, language in language_runs(" 12. 34! ")] == [(1, 8, "en")]
    assert language_runs("  ") == []
