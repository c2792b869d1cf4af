"""Finding and reading sets."""

import json
from pathlib import Path

import pytest

from graphrag.evaluation.datasets import find_sets, read_extraction_set, read_ranking_set, sample
from storage.errors import LoadError


def test_what_is_not_there_is_skipped_with_the_missing_file(bench: Path) -> None:
    found, skipped = find_sets("retrieval", bench, None)
    assert found == ["musique", "musique/untitled", "multihoprag+distractors/untitled"]
    reasons = {s.set: s.reason for s in skipped}
    assert set(reasons) == {"2wiki", "2wiki/untitled", "hotpotqa", "hotpotqa/untitled", "rgb_zh"}
    assert "multihop/2wiki/questions.jsonl" in reasons["2wiki"]


def test_an_unknown_name_is_skipped_with_the_nearest_one(bench: Path) -> None:
    found, skipped = find_sets("retrieval", bench, ["musiqe", "musique"])
    assert found == ["musique"]
    assert "'musique'" in skipped[0].reason


def test_every_folder_is_an_extraction_set(bench: Path) -> None:
    assert find_sets("extraction", bench, None) == (["cnc", "ece_zh"], [])


def test_an_untitled_set_never_reads_a_title(bench: Path) -> None:
    titled = read_ranking_set("retrieval", bench, "musique")
    untitled = read_ranking_set("retrieval", bench, "musique/untitled")
    news = read_ranking_set("retrieval", bench, "multihoprag+distractors/untitled")
    assert titled.passages[0].whole == "Port\nThe storm closed the harbour."
    assert untitled.passages[0].whole == "The storm closed the harbour."
    assert [(p.id, p.title) for p in news.passages] == [("m1", ""), ("m2", "")]


def test_the_digest_of_the_corpus_does_not_depend_on_the_questions(bench: Path) -> None:
    before = read_ranking_set("chain", bench, "ece_chain_zh")
    with (bench / "chain/ece_chain_zh/questions.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"id": "q9", "question": "?", "gold_doc_ids": []}) + "\n")
    after = read_ranking_set("chain", bench, "ece_chain_zh")
    assert before.corpus_sha256 == after.corpus_sha256
    assert before.data_sha256 != after.data_sha256


@pytest.mark.parametrize(
    ("line", "reason"),
    [("{not json", "not JSON"), ('{"id": "s3"}', "text, relations is missing"), ("[]", "JSON object")],
)
def test_a_bad_line_is_named(bench: Path, line: str, reason: str) -> None:
    path = bench / "extraction/cnc/sentences.jsonl"
    path.write_text(path.read_text(encoding="utf-8") + line + "\n", encoding="utf-8")
    with pytest.raises(LoadError, match=reason) as error:
        read_extraction_set(bench, "cnc")
    assert "line 3" in str(error.value)


def test_a_sample_depends_on_seed_set_and_size_only() -> None:
    rows = [{"id": str(i)} for i in range(100)]
    drawn = sample(rows, 10, seed=1, name="a")
    assert len(drawn) == 10
    assert drawn == sample(rows, 10, seed=1, name="a")
    assert drawn != sample(rows, 10, seed=2, name="a")
    assert [int(row["id"]) for row in drawn] == sorted(int(row["id"]) for row in drawn)
    assert sample(rows, None, seed=1, name="a") == tuple(rows)
    assert sample(rows, 200, seed=1, name="a") == tuple(rows)
