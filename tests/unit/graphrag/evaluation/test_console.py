"""The command ``eval run``: arguments, exit codes, what goes to stdout and what to stderr."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from graphrag.evaluation.console import app

from .conftest import write_rows

cli = CliRunner()


def test_json_is_all_that_stands_on_stdout(bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CLEW_BENCH_DATA", str(bench))
    result = cli.invoke(app, ["run", "retrieval", "--systems", "bm25", "--sets", "musique,rgb_zh", "--json"])
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert {row["system"] for row in report["rows"]} == {"bm25"}
    assert [s["set"] for s in report["skipped"]] == ["rgb_zh"]
    assert "musique" in result.stderr


def test_without_json_a_table_is_printed(bench: Path) -> None:
    result = cli.invoke(app, ["run", "retrieval", "--data", str(bench), "--systems", "bm25", "--sets", "musique"])
    assert result.exit_code == 0
    assert "recall@5" in result.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "retrievel"],
        ["run", "retrieval", "--data", "no/such/folder"],
        ["run", "retrieval", "--sample", "0"],
        ["run", "retrieval", "--data", ".", "--systems", "google"],
        ["run", "extraction", "--data", ".", "--items", "no/such/folder/items.jsonl"],
    ],
)
def test_wrong_arguments_exit_with_2(arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = cli.invoke(app, arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr


def test_a_damaged_set_exits_with_1(bench: Path) -> None:
    write_rows(bench / "corpus/musique/corpus.jsonl", [{"id": "p1"}])
    result = cli.invoke(app, ["run", "retrieval", "--data", str(bench), "--systems", "bm25"])
    assert result.exit_code == 1
    assert "line 1" in result.stderr
