"""The suite ``loading`` on a half made here, and beside the benchmark's own scorer where its data is there."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from graphrag.evaluation import loading_baselines, runner
from graphrag.evaluation.datasets import find_sets, loading_rows, loading_sha256, read_rows
from graphrag.evaluation.loading import item_of, read_with_clew
from graphrag.evaluation.report import EvaluationReport
from graphrag.evaluation.run_state import Request
from graphrag.settings import Settings
from storage.errors import LoadError, UsageError

from .conftest import write_rows

PAGE = """<html><head><title>Port</title></head><body><nav>Skip to content</nav>
<main><h1>The port</h1><p>The storm closed the port.</p>
<table><tr><th>Day</th><th>Ships</th></tr><tr><td>Monday</td><td>4</td></tr></table></main></body></html>"""


def gold(file: str, format: str, text: str, **fields: Any) -> dict[str, Any]:
    return {"file": file, "format": format, "gold_text": text, "headings": [], "tables": [], "sentences": []} | fields


@pytest.fixture
def half(tmp_path: Path) -> Path:
    """Two text files, of which one is empty, a page, and two wild files."""
    folder = tmp_path / "half"
    for name, content in {
        "files/a.txt": "The storm closed the port.\nNobody was hurt.\n",
        "files/b.txt": "",
        "files/c.html": PAGE,
        "wild/w1.txt": "Plain words.",
        "wild/w2.pdf": "%PDF-1.4 cut off",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    write_rows(
        folder / "files.jsonl",
        [
            gold(
                "files/a.txt",
                "txt",
                "The storm closed the port.\nNobody was hurt.",
                sentences=["Nobody was hurt.", "All went well."],
            ),
            gold("files/b.txt", "txt", "Lost."),
            gold(
                "files/c.html",
                "html",
                "The port\nThe storm closed the port.\nDay\tShips\nMonday\t4",
                headings=["The port"],
                tables=[[["Day", "Ships"], ["Monday", "4"]]],
                must_not=["Skip to content"],
                optional=["Port"],
            ),
        ],
    )
    write_rows(
        folder / "wild/wild.jsonl",
        [
            {"file": "w1.txt", "expect": "text", "contains": ["plain words"], "must_not": []},
            {"file": "w2.pdf", "expect": "error", "contains": [], "must_not": []},
        ],
    )
    return folder


def evaluate(half: Path, settings: Settings, **options: Any) -> EvaluationReport:
    return runner.run(Request("loading", half, **options), settings)


def values(report: EvaluationReport) -> dict[tuple[str, str, str], tuple[float, int]]:
    return {(row.set, row.system, row.measure): (row.value, row.n) for row in report.rows}


def test_every_format_is_a_set_and_so_are_the_wild_files(half: Path, settings: Settings) -> None:
    report = evaluate(half, settings)
    found = values(report)
    assert {row.set for row in report.rows} == {"txt", "html", "wild"}
    assert {row.system for row in report.rows} == {"clew", "naive"}
    assert report.skipped == ()
    for system in ("clew", "naive"):
        assert found["txt", system, "f1"] == (0.5, 2)  # one read whole, one empty
        assert found["txt", system, "fail"] == (0.5, 2)
        assert found["txt", system, "sent"] == (0.5, 1)
        assert found["wild", system, "as_expected"] == (1.0, 2)
        assert found["html", system, "head"] == (1.0, 1)
    assert found["html", "clew", "f1"] == (1.0, 1)
    assert found["html", "clew", "leak"] == (0.0, 1)
    assert found["html", "clew", "row"] == (1.0, 1)
    assert found["html", "naive", "leak"] == (1.0, 1)
    assert found["html", "naive", "f1"] == (2 * 11 / (11 + 14), 1)  # "Skip to content" stands before all


def test_items_are_those_of_the_first_system_in_the_form_of_the_data(
    half: Path, settings: Settings, tmp_path: Path
) -> None:
    path = tmp_path / "items.jsonl"
    evaluate(half, settings, items=path)
    items = {line["file"]: line for line in map(json.loads, path.read_text(encoding="utf-8").splitlines())}
    assert list(items) == ["files/c.html", "files/a.txt", "files/b.txt", "wild/w1.txt", "wild/w2.pdf"]
    assert items["files/c.html"] == {
        "file": "files/c.html",
        "text": "The port\n\nThe storm closed the port.\n\nDay | Ships\nMonday | 4",
        "headings": [{"text": "The port", "level": 1}],
        "tables": [[["Day", "Ships"], ["Monday", "4"]]],
        "pages": None,
        "error": None,
    }
    assert items["files/b.txt"]["text"] == ""
    assert "empty" in items["files/b.txt"]["error"]
    evaluate(half, settings, items=path, systems=("naive",), sets=("html",))
    (line,) = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    assert line["text"].startswith("Skip to content")


def test_sets_that_are_not_there_are_skipped(half: Path, settings: Settings) -> None:
    report = evaluate(half, settings, sets=("pdf", "html"))
    assert {row.set for row in report.rows} == {"html"}
    assert [s.set for s in report.skipped] == ["pdf"]
    (half / "files.jsonl").unlink()
    found, skipped = find_sets("loading", half, None)
    assert found == ["wild"]
    assert {s.reason for s in skipped} == {"missing: files.jsonl"}
    assert "pdf" in {s.set for s in skipped}


def test_an_unknown_system_is_refused(half: Path, settings: Settings) -> None:
    with pytest.raises(UsageError, match="clew, naive"):
        evaluate(half, settings, systems=("bm25",))


def test_a_sample_draws_files_and_the_digest_covers_them_all(half: Path, settings: Settings) -> None:
    report = evaluate(half, settings, sets=("txt",), sample=1, seed=3, systems=("clew",))
    assert values(report)["txt", "clew", "fail"][1] == 1
    assert report.run.data_sha256 == evaluate(half, settings, sets=("txt",), systems=("clew",)).run.data_sha256
    before = loading_sha256(half, "txt")
    (half / "files/b.txt").write_text("Found.", encoding="utf-8")
    assert loading_sha256(half, "txt") != before
    (half / "files/b.txt").unlink()
    with pytest.raises(LoadError, match=r"b\.txt is missing"):
        loading_sha256(half, "txt")


def test_a_library_that_is_not_installed_leaves_its_set_out(
    half: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "lxml", None)
    monkeypatch.setitem(loading_baselines.READERS, "txt", loading_baselines.read_html)
    report = evaluate(half, settings, sets=("txt",))
    assert {row.system for row in report.rows} == {"clew"}
    assert report.skipped[0].set == "txt"
    assert "lxml is not installed" in report.skipped[0].reason


def test_the_words_of_a_merged_cell_stand_in_its_first_place(tmp_path: Path) -> None:
    path = tmp_path / "merged.html"
    path.write_text(
        "<html><body><p>Text before it.</p><table><tr><td rowspan=2>North</td><td>1</td></tr>"
        "<tr><td>2</td></tr></table></body></html>",
        encoding="utf-8",
    )
    assert item_of(tmp_path, "merged.html", read_with_clew)["tables"] == [[["North", "1"], ["", "2"]]]


BENCH = Path(os.environ.get("CLEW_BENCH_DATA", ""), "loading")


@pytest.mark.skipif(
    not os.environ.get("CLEW_BENCH_DATA") or not (BENCH / "score_loading.py").is_file(),
    reason="CLEW_BENCH_DATA does not name a folder with the benchmark's loading/score_loading.py",
)
@pytest.mark.parametrize("system", ["clew", "naive"])
def test_our_measures_agree_with_the_benchmark_s_own_scorer(system: str, settings: Settings, tmp_path: Path) -> None:
    half, items, scored = BENCH / "dev", tmp_path / "items.jsonl", tmp_path / "scored.json"
    ours = values(evaluate(half, settings, systems=(system,), items=items))
    command = [sys.executable, str(BENCH / "score_loading.py"), str(half), str(items), "--wild", "--json", str(scored)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    theirs = json.loads(scored.read_text(encoding="utf-8"))
    formats = {row["format"] for row in read_rows(half / "files.jsonl", ("format",))}
    expected = {
        (format, system, measure): value
        for format in formats
        for measure, value in theirs["groups"][format].items()
        if value is not None
    }
    wild = [row["ok"] for row in theirs["wild"]]
    expected["wild", system, "as_expected"] = sum(wild) / len(loading_rows(half, "wild"))
    assert {key: value for key, (value, _) in ours.items() if "." not in key[2]} == pytest.approx(expected, abs=1e-9)
