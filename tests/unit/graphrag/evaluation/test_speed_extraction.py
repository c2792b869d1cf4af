"""The speed of extraction is measured beside that of the libraries alone."""

import pytest

from graphrag.evaluation import speed_extraction


def test_rates_are_of_the_same_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed_extraction, "DOCUMENTS", 2)
    monkeypatch.setattr(speed_extraction, "ROUNDS", 1)
    rows = {(r["measure"], r["system"]): r for r in speed_extraction.extraction_case(0)}
    for measure, library in (("english_per_cpu_second", "spacy"), ("chinese_per_cpu_second", "jieba")):
        own, alone = rows[measure, "clew"], rows[measure, library]
        assert own["n"] == alone["n"] > 100
        assert own["value"] > 0
        assert alone["value"] > 0
    assert rows["english_over_spacy", "clew"]["value"] == pytest.approx(
        rows["english_per_cpu_second", "spacy"]["value"] / rows["english_per_cpu_second", "clew"]["value"]
    )
