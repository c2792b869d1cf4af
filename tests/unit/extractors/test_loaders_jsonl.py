"""JSON Lines and JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from extractors.loaders import load_document, load_file, loader_for
from extractors.ports import LoadedFile, LoadOptions
from storage.errors import LoadError
from storage.structure import TextKind


def load(source: str, name: str = "a.jsonl", **options: Any) -> LoadedFile:
    return load_file(Path(name), source.encode(), LoadOptions(**options))


def test_each_line_is_a_document_with_its_id_title_and_metadata() -> None:
    loaded = load(
        '{"id": 7, "title": "Storm", "text": "The port closed.\\nIt was late.", "year": 2026, "open": true, '
        '"source": {"desk": "north", "by": {"name": "Li", "of": {"a": 1}}}, "tags": ["a", "b"], "none": null}\n'
        '\n{"正文": "x", "text": "港口停工。"}\n'
    )
    first, second = loaded.documents
    assert (first.id, first.title, first.text) == ("7", "Storm", "The port closed.\nIt was late.")
    assert first.metadata == {
        "year": 2026, "open": True, "source.desk": "north", "source.by.name": "Li", "source.by.of": '{"a": 1}',
        "tags": "a, b", "line": 1,
    }  # fmt: skip
    assert (second.title, second.text, second.metadata["line"]) == ("a", "港口停工。", 3)


def test_a_bad_line_is_a_problem_and_the_others_are_read() -> None:
    loaded = load('{"text": "One."}\n{"text": \n[1]\n{"text": "Two.", "n": %s}\n{"text": "Three."}' % ("9" * 5000))
    assert [d.text for d in loaded.documents] == ["One.", "Three."]
    assert [p.part for p in loaded.problems] == ["line 2", "line 3", "line 4"]
    assert "line 2 is not JSON: expecting value" in loaded.problems[0].reason
    assert "line 3 is not a JSON object: [1]" in loaded.problems[1].reason
    assert "a number that is too long" in loaded.problems[2].reason


def test_named_fields_and_fields_that_are_not_there() -> None:
    source = '{"q": "Why?", "a": "The storm.", "key": "k"}\n{"q": "And?", "a": "None.", "key": "k"}\n'
    loaded = load(source, text_columns=("q", "a"), id_column="key")
    assert [(d.id, d.text) for d in loaded.documents] == [("k", "Why?\n\nThe storm."), ("k#2", "And?\n\nNone.")]
    with pytest.raises(LoadError, match=r"a.jsonl has no column 'body'. Its columns: q, a, key"):
        load(source, text_columns=("body",))
    with pytest.raises(LoadError, match="no field that is called text"):
        load(source, rows="documents")


def test_flat_records_without_a_text_are_a_table_with_the_numbers_of_their_lines() -> None:
    (document,) = load('{"port": "North", "open": false}\n\n{"open": true, "depth": 1.5}\n').documents
    assert document.kind is TextKind.TABLE
    assert document.text == "port | open | depth\nNorth | false\n| true | 1.5"
    (table,) = document.tables
    words = [[document.text[c.start : c.end] if c else "" for c in row] for row in table.rows]
    assert words == [["port", "open", "depth"], ["North", "false", ""], [], ["", "true", "1.5"]]
    assert (table.header, table.first_row) == (1, 0)


def test_a_table_can_be_asked_for() -> None:
    assert load('{"text": "One."}\n{"text": "Two."}\n', rows="table").documents[0].kind is TextKind.TABLE


@pytest.mark.parametrize("name", ["a.json", "a.ndjson", "a.txt", "a"])
def test_lines_are_told_under_other_names(name: str) -> None:
    source = '{"text": "One."}\n{"text": "Two."}\n'
    assert loader_for(Path(name), source.encode()).name == "jsonl@2"
    assert [d.text for d in load(source, name).documents] == ["One.", "Two."]


@pytest.mark.parametrize(
    "value", [[{"text": "One."}, {"text": "Two."}], {"items": [{"text": "One."}, {"text": "Two."}]}]
)
def test_a_json_file_of_records_is_read_like_lines(value: Any) -> None:
    assert [d.text for d in load(json.dumps(value, indent=1), "a.json").documents] == ["One.", "Two."]


def test_what_an_object_says_beside_its_list_is_said_of_each_record() -> None:
    value = {"desk": "north", "items": [{"text": "One.", "n": 1}, {"text": "Two."}]}
    assert [d.metadata for d in load(json.dumps(value), "a.json").documents] == [
        {"desk": "north", "n": 1, "row": 1},
        {"desk": "north", "row": 2},
    ]


def test_a_json_object_with_a_text_is_one_document_without_an_id() -> None:
    (document,) = load('{"id": "x", "title": "Storm", "text": "Closed.", "notes": [{"a": 1}]}', "a.json").documents
    assert (document.id, document.title, document.text) == (None, "Storm", "Closed.")
    assert document.metadata == {"notes": '[{"a": 1}]'}


def test_other_json_becomes_lines_of_names_and_values() -> None:
    value = {
        "service": {"name": "port", "hosts": ["a", "b"], "up": True},
        "steps": [{"do": "x"}, {"do": "y"}],
        "none": None,
    }
    assert load(json.dumps(value), "a.json").documents[0].text.split("\n") == [
        "service.name: port", "service.hosts: a, b", "service.up: true", "steps.1.do: x", "steps.2.do: y",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "source", "message"),
    [
        ("a.json", '{"text": "cut', "a.json is not JSON: unterminated string"),
        ("a.json", "no JSON", "a.json is not JSON"),
        ("a.json", "[" * 100_000, "nested too deeply"),
        ("a.json", '[{"text": "a"}, {"text"', "a.json is not JSON"),
        ("a.jsonl", "no\nJSON", "holds no record"),
        ("a.jsonl", "{}\n{}", "is empty"),
    ],
)
def test_what_is_no_json_is_said(name: str, source: str, message: str) -> None:
    with pytest.raises(LoadError, match=message):
        load(source, name)


def test_deep_values_do_not_end_the_reading() -> None:
    deep = '{"a":' * 500 + "1" + "}" * 500
    assert load_document(Path("a.json"), deep.encode()).text.startswith("a.a.a.")
    assert load(f'{{"text": "One.", "b": {deep}}}').documents[0].text == "One."
