"""The baselines: on values worked out by hand, and on the published floors where the data is at hand."""

import math
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from graphrag.evaluation.baselines import BM25Index, DenseIndex, fused, tokens
from graphrag.evaluation.datasets import Passage, read_ranking_set
from graphrag.evaluation.measures import score_ranking
from storage.ports import Side, Vector

BENCH = Path(os.environ.get("CLEW_BENCH_DATA", ""))
needs_bench = pytest.mark.skipif(
    not os.environ.get("CLEW_BENCH_DATA") or not (BENCH / "corpus" / "musique").is_dir(),
    reason="CLEW_BENCH_DATA does not name a folder with the benchmark data",
)


def test_tokens_are_words_and_for_chinese_characters_and_their_pairs() -> None:
    assert tokens("It's 5G, 猪肉", chinese=False) == ["it", "s", "5g"]
    assert tokens("5G猪肉价", chinese=True) == ["5g", "猪", "肉", "价", "猪肉", "肉价"]


def test_bm25_scores_follow_the_formula() -> None:
    index = BM25Index([Passage("a", "storm storm port"), Passage("b", "port"), Passage("c", "calm sea")], chinese=False)
    scores = index.scores("storm port")
    # three passages of 3, 1 and 2 words: mean 2; "storm" is in one, "port" in two
    storm, port = math.log(1 + 2.5 / 1.5), math.log(1 + 1.5 / 2.5)
    assert scores["a"] == pytest.approx(storm * 2 * 2.2 / (2 + 1.2 * 1.375) + port * 2.2 / (1 + 1.2 * 1.375))
    assert scores["b"] == pytest.approx(port * 2.2 / (1 + 1.2 * 0.625))
    assert "c" not in scores
    assert index.rank("storm port", 1) == ["a"]


def test_bm25_ties_stand_in_the_order_of_the_corpus() -> None:
    index = BM25Index([Passage("z", "storm"), Passage("a", "storm"), Passage("m", "storm")], chinese=False)
    assert index.rank("storm", 10) == ["z", "a", "m"]


def test_a_title_counts_as_words_of_its_passage() -> None:
    assert BM25Index([Passage("a", "text", "Storm")], chinese=False).rank("storm", 10) == ["a"]


def test_dense_ranks_whole_passages_by_cosine() -> None:
    seen: list[str] = []

    class Fake:
        name = "fake"
        dimensions = 2

        def embed(self, texts: Sequence[str], side: Side) -> Vector:
            seen.extend(texts)
            angles = {"T\none": 0.0, "two": 1.0, "three": 0.4, "question": 0.1}
            return np.array([[math.cos(angles[t]), math.sin(angles[t])] for t in texts], dtype=np.float32)

    passages = [Passage("a", "one", "T"), Passage("b", "two"), Passage("c", "three")]
    index = DenseIndex(passages, Fake(), lambda _: None)
    assert index.rank("question", 2) == ["a", "c"]
    assert seen == ["T\none", "two", "three", "question"]


def test_fusion_adds_reciprocal_ranks() -> None:
    # a: 1/61 + 1/63, b: 1/62 + 1/61, c: 1/62, d: 1/63
    assert fused([["a", "b", "d"], ["b", "c", "a"]], 4) == ["b", "a", "c", "d"]
    assert fused([["a"], ["b"]], 1) == ["a"]


@needs_bench
@pytest.mark.parametrize(
    ("suite", "name", "floors"),
    [
        ("retrieval", "musique", {"recall@2": 37.3, "recall@5": 45.4, "recall@10": 53.5, "all_gold@5": 7.8}),
        ("retrieval", "musique/untitled", {"recall@2": 31.7, "recall@5": 40.4, "recall@10": 48.0, "all_gold@5": 6.3}),
        ("chain", "ece_chain_zh", {"chain@2": 25.2, "chain@5": 37.9, "chain@10": 49.2, "full@5": 12.5}),
    ],
)
def test_bm25_reproduces_the_published_floors(suite: str, name: str, floors: dict[str, float]) -> None:
    data = read_ranking_set(suite, BENCH, name)  # type: ignore[arg-type]
    index = BM25Index(data.passages, chinese=data.chinese)
    items = {q["id"]: {"ranked": index.rank(q["question"], 10)} for q in data.questions}
    found = {m.measure: 100 * m.value for m in score_ranking(data.questions, items)}
    for measure, floor in floors.items():
        assert found[measure] == pytest.approx(floor, abs=0.1)
