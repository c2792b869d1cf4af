"""The bench on sizes small enough for a test, and the generated data that it runs on."""

import json
import math
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
import pytest

from extractors.loaders import load_file
from graphrag.evaluation import generated_files, speed, speed_loading
from graphrag.evaluation.generated import GeneratedRelations, GeneratedVectors, Shape, documents, questions
from graphrag.evaluation.generated_files import WRITERS, write_files

SHAPE = Shape(paragraphs=4, fillers=1)


def test_generated_documents_are_a_function_of_the_seed() -> None:
    first = list(islice(documents(1, SHAPE), 6))
    assert first == list(islice(documents(1, SHAPE), 6))
    assert first[4:] == list(islice(documents(1, SHAPE, first=4), 2))
    assert first != list(islice(documents(2, SHAPE), 6))


@pytest.mark.parametrize(("number", "language"), [(0, "en"), (1, "zh"), (2, "en"), (3, "zh")])
def test_every_paragraph_states_one_relation_that_the_next_goes_on_from(number: int, language: str) -> None:
    document = next(documents(0, SHAPE, first=number))
    found = GeneratedRelations().extract(document.text, language).relations
    assert len(found) == SHAPE.paragraphs
    for relation in found:
        for span in (relation.head, relation.tail):
            assert document.text[span.start : span.end] == span.text
            assert span.text == span.text.strip()
    for before, after in pairwise(found):
        assert before.tail_key == after.head_key


def test_the_first_cause_of_a_document_is_the_last_effect_of_an_earlier_one() -> None:
    found = [
        GeneratedRelations().extract(document.text, "zh" if i % 2 else "en").relations
        for i, document in enumerate(islice(documents(0, SHAPE), 8))
    ]
    effects = {relations[-1].tail_key for relations in found[:-2]}
    assert all(relations[0].head_key in effects for relations in found[2:])


def test_questions_ask_for_effects_that_are_stated() -> None:
    texts = " ".join(d.text.lower() for d in islice(documents(0, SHAPE), 10))
    for question in questions(0, 20, SHAPE, known=10):
        event = question.removeprefix("为什么").removeprefix("Why did it happen that ").rstrip("？?")
        assert event.lower() in texts


def test_generated_vectors_have_length_one_and_follow_the_text() -> None:
    vectors = GeneratedVectors().embed(["a", "b", "a"], "query")
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert np.array_equal(vectors[0], vectors[2])
    assert abs(float(vectors[0] @ vectors[1])) < 0.3


def test_growth_is_the_exponent_of_the_size() -> None:
    rows = [speed.row("retrieval@1000", "p95", 10.0, "ms", 5), speed.row("retrieval@10000", "p95", 40.0, "ms", 5)]
    assert speed.growth(rows)[0]["value"] == pytest.approx(math.log10(4))
    assert speed.growth(rows)[0]["case"] == "retrieval@10000"
    assert speed.growth([]) == []


def test_retrieval_is_measured_on_the_product(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "QUESTIONS", 5)
    monkeypatch.setattr(speed, "_WARM_UP", 1)
    rows = {r["measure"]: r for r in speed.retrieval_case(0, 30)}
    assert rows["p50"]["n"] == 5
    assert 0 < rows["p50"]["value"] <= rows["p95"]["value"]
    assert rows["chunks"]["value"] >= 30


def test_ingest_is_measured_by_stage() -> None:
    rows = {r["measure"]: r for r in speed.ingest_case(0, 5, embedder=GeneratedVectors())}
    assert {"embed_per_1000_chunks", "prepare_per_1000_chunks", "whole_over_embedding"} <= set(rows)
    assert rows["whole_per_1000_chunks"]["n"] >= 5
    assert rows["relations_per_chunk"]["value"] > 0  # the real extractor has work to do


def test_every_format_is_read_beside_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed_loading, "FILES", 1)
    monkeypatch.setattr(speed_loading, "ROUNDS", 1)
    monkeypatch.setattr(generated_files, "SHAPE", Shape(paragraphs=2, fillers=1))
    rows = {(r["measure"], r["system"]): r["value"] for r in speed_loading.loading_case(0)}
    ratios = {measure for measure, _ in rows if measure.endswith("_over_library")}
    formats = set(WRITERS) - {"chat", "txt"}
    assert ratios == {f"{format}_over_library" for format in formats} | {"all_over_library"}
    clew, library = rows["docx_per_file", "clew"], rows["docx_per_file", "library"]
    assert rows["docx_over_library", "clew"] == pytest.approx(clew / library)


def test_generated_files_hold_the_generated_text(tmp_path: Path) -> None:
    for format in WRITERS:
        (path,) = write_files(tmp_path, format, 1, seed=3)
        words = "1" if format in ("csv", "xlsx") else next(documents(3, generated_files.SHAPE)).text.split()[0]
        loaded = load_file(path)
        assert words in loaded.documents[0].text, format
        assert not loaded.problems


def test_a_long_pdf_and_small_files_are_read_whole() -> None:
    rows = {r["measure"]: r["value"] for r in speed_loading.long_pdf_case(0, pages=3)}
    assert rows["pages"] == 3
    assert rows["whole"] > 0
    rows = {r["measure"]: r["value"] for r in speed_loading.small_files_case(0, files=8)}
    assert rows["ingest_with_process"] > 0


def test_rows_are_written_as_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "bench.json"
    assert speed.main(["--cases", "", "--out", str(out)]) == 0
    assert json.loads(out.read_text(encoding="utf-8")) == []


def test_an_unknown_case_is_refused() -> None:
    with pytest.raises(SystemExit) as stopped:
        speed.main(["--cases", "loadng"])
    assert stopped.value.code == 2
