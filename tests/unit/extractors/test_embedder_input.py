"""Text is made safe for native tokenizers without changing what is harmless."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.embedders.embedder_input import MAX_CHARACTERS, safe_text
from extractors.embedders.unit_vectors import unit_rows
from storage.errors import ModelError


@pytest.mark.parametrize("text", ["", "Ünïcödé, 港口 e\u0301 ﬁ\n\t", "x" * MAX_CHARACTERS])
def test_harmless_text_is_left_as_it_is(text: str) -> None:
    assert safe_text(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a\0b", "a b"), ("a\ud800b", "a?b"), ("x" * 20_001, "x" * 20_000)],
    ids=["nul", "half", "long"],
)
def test_what_breaks_a_tokenizer_is_replaced(text: str, expected: str) -> None:
    assert safe_text(text) == expected


@given(st.text(st.characters(), max_size=60) | st.text("\ufdfa\ufdfb\u3300a", max_size=60))
def test_the_bound_holds_before_and_after_normalisation(text: str) -> None:
    safe = safe_text(text, max_characters=40)
    assert len(safe) <= 40
    assert len(unicodedata.normalize("NFKC", safe)) <= 40
    assert "\0" not in safe
    safe.encode("utf-8")


def test_rows_are_brought_to_unit_length() -> None:
    rows = unit_rows(np.array([[3, 4], [-1e20, 0]]), model="m")
    assert rows.dtype == np.float32
    assert rows == pytest.approx(np.array([[0.6, 0.8], [-1, 0]]))


@pytest.mark.parametrize("row", [[0, 0], [float("nan"), 1], [float("inf"), 1]])
def test_a_row_without_direction_is_a_model_error(row: list[float]) -> None:
    with pytest.raises(ModelError, match="zero or not finite"):
        unit_rows(np.array([[1, 0], row]), model="m")
