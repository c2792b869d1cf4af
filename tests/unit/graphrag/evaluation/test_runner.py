"""Whole runs on a tiny benchmark folder, with a store that stands in for the product."""

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from graphrag.evaluation import runner
from graphrag.evaluation.datasets import Passage, read_extraction_set, read_ranking_set
from graphrag.evaluation.measures import score_extraction, score_ranking
from graphrag.evaluation.report import EvaluationReport
from graphrag.evaluation.run_state import Request
from graphrag.evaluation.systems import documents_of, ingest_fingerprint, ranked_rows, rows_by_document
from graphrag.results import Hit, SearchResult
from graphrag.settings import Settings
from storage.errors import LoadError, UsageError
from storage.ports import Embedder
from storage.records import Document

from .conftest import CauseExtractor, WordEmbedder, WordStore, proof, write_rows

Evaluate = Callable[..., EvaluationReport]


@pytest.fixture
def stores() -> list[WordStore]:
    return []


@pytest.fixture
def evaluate(bench: Path, settings: Settings, stores: list[WordStore]) -> Evaluate:
    kept: dict[Path, dict[str, Document]] = {}

    def open_store(path: Path, settings: Settings, embedder: Embedder) -> WordStore:
        stores.append(WordStore(path, kept))
        return stores[-1]

    def evaluate(suite: Any, **options: Any) -> EvaluationReport:
        return runner.run(
            Request(suite, options.pop("folder", bench), **options),
            settings,
            embedder=WordEmbedder(),
            extractor=CauseExtractor(),
            open_store=open_store,
        )

    return evaluate


def read_items(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def values(report: EvaluationReport) -> dict[tuple[str, str, str], float]:
    return {(row.set, row.system, row.measure): row.value for row in report.rows}


def test_retrieval_has_a_row_for_every_set_system_and_measure(evaluate: Evaluate) -> None:
    report = evaluate("retrieval")
    found = values(report)
    assert {row.system for row in report.rows if row.set == "musique"} == {"clew", "bm25", "dense", "rrf"}
    assert found["musique", "clew", "recall@2"] == 1.0  # "What closed the harbour?" shares most words with p1
    assert found["musique", "bm25", "all_gold@10"] == 0.5  # no word of q1 stands in p2
    assert {s.set for s in report.skipped} >= {"2wiki", "rgb_zh"}


def test_only_clew_has_measures_of_abstention(evaluate: Evaluate) -> None:
    found = values(evaluate("retrieval", sets=("multihoprag+distractors/untitled",)))
    name = "multihoprag+distractors/untitled"
    assert found[name, "clew", "abstain_auroc"] == 1.0
    assert found[name, "clew", "abstain_rate"] == 1.0
    assert found[name, "clew", "answer_rate"] == 1.0
    assert (name, "bm25", "abstain_auroc") not in found


def test_the_chain_suite_ranks_texts_and_rows(evaluate: Evaluate, tmp_path: Path) -> None:
    items = tmp_path / "items.jsonl"
    found = values(evaluate("chain", items=items))
    assert found["ece_chain_zh", "clew", "full@2"] == 1.0
    assert found["relqa_en_far", "clew", "recall@5"] == 1.0
    ranked = {(line["set"], line["system"]): line["ranked"] for line in read_items(items)}
    assert "d#2" not in ranked["relqa_en_far", "clew"]  # given by the question
    assert "d#2" not in ranked["relqa_en_far", "bm25"]


def test_extraction_systems_differ_in_what_they_keep(evaluate: Evaluate, tmp_path: Path) -> None:
    items = tmp_path / "items.jsonl"
    report = evaluate("extraction", items=items)
    lines = read_items(items)
    kept = {(i["set"], i["system"]): i["relations"] for i in lines if i["id"] == "s1"}
    assert len(kept["cnc", "clew"]) == 1
    assert len(kept["cnc", "clew-wide"]) == 2  # the one of low confidence as well, never the negated one
    assert ("cnc", "clew-crisp") not in kept
    assert kept["ece_zh", "clew-crisp"] == [{"type": "causal", "from": [0, 2], "to": [6, 10]}]
    assert kept["ece_zh", "clew"] == [{"type": "causal", "from": [0, 2], "to": [2, 10]}]  # widened up to the other end
    found = values(report)
    assert found["cnc", "clew", "sentence_f1.causal"] == 1.0
    assert found["ece_zh", "clew", "slot_f1"] == 1.0


def test_a_kept_store_is_used_again(evaluate: Evaluate, stores: list[WordStore]) -> None:
    first = evaluate("retrieval", sets=("musique",), systems=("clew",))
    again = evaluate("retrieval", sets=("musique",), systems=("clew",))
    assert [store.taken for store in stores] == [3, 0]
    assert all(store.closed for store in stores)
    assert first.rows == again.rows


def test_another_corpus_gets_another_store(evaluate: Evaluate, stores: list[WordStore], bench: Path) -> None:
    evaluate("retrieval", sets=("musique",), systems=("clew",))
    path = bench / "corpus/musique/corpus.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace("early", "late"), encoding="utf-8")
    evaluate("retrieval", sets=("musique",), systems=("clew",))
    assert [store.taken for store in stores] == [3, 3]


def test_the_fingerprint_follows_embedder_and_chunk_size(settings: Settings) -> None:
    embedder = WordEmbedder()
    assert ingest_fingerprint(settings, embedder) == ingest_fingerprint(settings, WordEmbedder())
    other = settings.model_copy(update={"chunk_tokens": 100})
    assert ingest_fingerprint(other, embedder) != ingest_fingerprint(settings, embedder)
    embedder.name = "words@2"
    assert ingest_fingerprint(settings, embedder) != ingest_fingerprint(settings, WordEmbedder())


def test_documents_that_were_not_taken_in_are_said(evaluate: Evaluate, bench: Path) -> None:
    with (bench / "corpus/musique/corpus.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"id": "p4", "text": "unreadable"}) + "\n")
    report = evaluate("retrieval", sets=("musique",), systems=("clew",))
    assert report.rows
    assert "1 of 4 documents" in report.skipped[0].reason


def test_a_sample_draws_questions_and_never_the_corpus(evaluate: Evaluate, stores: list[WordStore]) -> None:
    report = evaluate("retrieval", sets=("musique",), sample=1, seed=3)
    assert {row.n for row in report.rows} == {1}
    assert stores[0].taken == 3


def test_an_empty_folder_skips_everything(evaluate: Evaluate, tmp_path: Path) -> None:
    report = evaluate("extraction", folder=tmp_path)
    assert report.rows == ()
    assert report.skipped[0].set == "extraction"


def test_what_cannot_be_asked_for_is_refused(evaluate: Evaluate, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no system 'clue'"):
        evaluate("retrieval", systems=("clue",))
    with pytest.raises(UsageError, match="CLEW_BENCH_DATA"):
        evaluate("retrieval", folder=tmp_path / "nowhere")


def test_a_damaged_set_is_an_error(evaluate: Evaluate, bench: Path) -> None:
    (bench / "corpus/musique/corpus.jsonl").write_text("{", encoding="utf-8")
    with pytest.raises(LoadError, match="line 1"):
        evaluate("retrieval", sets=("musique",))


def test_the_report_for_machines_has_the_documented_shape(evaluate: Evaluate) -> None:
    data = json.loads(evaluate("extraction", sets=("cnc", "gone")).as_json())
    assert list(data) == ["schema", "run", "rows", "skipped"]
    assert data["schema"] == 1
    assert set(data["run"]) == {"version", "config_sha256", "data_sha256", "embedder", "seconds", "peak_rss_mb"}
    assert set(data["rows"][0]) == {"set", "measure", "system", "value", "n"}
    assert data["skipped"][0]["set"] == "gone"


def test_the_report_for_people_names_sets_systems_and_values(evaluate: Evaluate) -> None:
    text = str(evaluate("retrieval", sets=("musique", "rgb_zh")))
    assert "musique" in text.splitlines()[0]
    assert "bm25" in text.splitlines()[0]
    assert "100.0" in text
    assert "skipped rgb_zh" in text


def test_rows_of_evidence_come_before_rows_of_hits() -> None:
    passages = [Passage(f"d#{i}", text, document="d") for i, text in enumerate(["aaaa", "bbbb", "cccc", "dddd"])]
    assert documents_of(passages)[0].text == "aaaa\nbbbb\ncccc\ndddd"
    rows = rows_by_document(passages)
    assert rows["d"][2] == (10, 14, "d#2")
    hit = Hit(chunk_id="c", document_id="doc", source="d", start=0, end=14, text="", score=1.0, channels={})
    result = SearchResult(question="?", hits=(hit,), chains=(proof("d", 12, 16),))
    # evidence lies in d#2 and d#3; of the hit's rows d#1 has the better score; a border alone is no overlap
    assert ranked_rows(result, rows, {"d#1": 2.0, "d#0": 1.0}) == ["d#2", "d#3", "d#1", "d#0"]


def test_more_chunks_are_asked_for_until_there_are_enough_documents(bench: Path, evaluate: Evaluate) -> None:
    corpus = [{"id": f"p{i}", "title": "", "text": f"storm number {i} went by"} for i in range(30)]
    write_rows(bench / "corpus/musique/corpus.jsonl", corpus)
    items = bench / "items.jsonl"
    evaluate("retrieval", sets=("musique",), systems=("clew",), items=items)
    assert all(len(set(item["ranked"])) == 10 for item in read_items(items))


BENCH = Path(os.environ.get("CLEW_BENCH_DATA", ""))


@pytest.mark.skipif(
    not os.environ.get("CLEW_BENCH_DATA") or not (BENCH / "score.py").is_file(),
    reason="CLEW_BENCH_DATA does not name a folder with the benchmark's score.py",
)
def test_our_measures_agree_with_the_benchmark_s_own_scorer(tmp_path: Path) -> None:
    draw = random.Random(7)
    lines: list[dict[str, Any]] = []
    expected: dict[tuple[str, str], tuple[float, int]] = {}
    for suite, name in (
        ("retrieval", "musique"),
        ("retrieval", "multihoprag+distractors/untitled"),
        ("retrieval", "rgb_zh"),
        ("chain", "ece_chain_zh"),
        ("chain", "relqa_en_far"),
    ):
        data = read_ranking_set(suite, BENCH, name)  # type: ignore[arg-type]
        ids = [p.id for p in data.passages]
        items: dict[str, dict[str, Any]] = {}
        for question in data.questions:
            some = [g for g in question["gold_doc_ids"] if draw.random() < 0.5]
            ranked = some[:6] + draw.sample(ids, 8)
            draw.shuffle(ranked)
            score = round(draw.random(), 1)
            items[question["id"]] = {"ranked": ranked, "abstained": score < 0.4, "evidence_score": score}
        lines += [{"set": name, "system": "x", "id": id_, **item} for id_, item in items.items()]
        expected |= {(name, m.measure): (m.value, m.n) for m in score_ranking(data.questions, items)}
    for name in ("gum", "cnc", "altlex", "ece_zh", "tedcdb_zh", "argmicro"):
        texts = read_extraction_set(BENCH, name)
        items = {row["id"]: {"relations": _guesses(draw, row)} for rows in texts.levels.values() for row in rows}
        lines += [{"set": name, "system": "x", "id": id_, **item} for id_, item in items.items()]
        expected |= {(name, m.measure): (m.value, m.n) for m in score_extraction(name, texts.levels, items)}
    path = tmp_path / "items.jsonl"
    write_rows(path, lines)
    command = [sys.executable, str(BENCH / "score.py"), str(path), "--data", str(BENCH)]
    output = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout
    theirs = {(row["set"], row["measure"]): (row["value"], row["n"]) for row in json.loads(output)["rows"]}
    assert theirs == expected


def _guesses(draw: random.Random, row: dict[str, Any]) -> list[dict[str, Any]]:
    """Relations near the gold ones, some wrong: shifted, turned round, of another type, or made up."""
    guesses = []
    names = {"sequence": "sequential", "support": "supporting", "progression": "progressive"}
    length = len(row["text"])
    for gold in row["relations"]:
        if isinstance(gold["from"], dict):
            words = [
                (end.get("product") or end.get("industry") or [row["text"][:1]])[0]
                for end in (gold["from"], gold["to"])
            ]
            spans = [[at := max(row["text"].find(w), 0), at + len(w) + draw.randrange(3)] for w in words]
        else:
            spans = [[max(0, s + draw.randrange(-3, 4)), e] for s, e in (gold["from"], gold["to"])]
        if draw.random() < 0.2:
            spans.reverse()
        kind = names.get(gold["type"], gold["type"]) if draw.random() < 0.9 else "progressive"
        guesses += [{"type": kind, "from": spans[0], "to": spans[1]}] * draw.randrange(3)
    if draw.random() < 0.2 and length > 4:
        guesses.append({"type": "causal", "from": [0, 2], "to": [length - 2, length]})
    return guesses
