"""Plain text."""

from __future__ import annotations

from pathlib import Path

import pytest

from extractors.loaders import load_document
from extractors.loaders.line_joining import LineJoiner, unwrap
from storage.records import Document


def load(name: str, source: str) -> Document:
    return load_document(Path(name), source.encode())


def test_hard_wrapped_paragraphs_become_lines() -> None:
    wrapped = (
        "The committee decided after a long debate that the\nport should be closed until the weather, which\n"
        "was bad, improved. The ships waited outside of the\nharbour.\n\n"
        "- an item that is as long as the others of it\n- another item that is as long as the others ones\n\n"
        "The end of the story came on Monday as the weather\nimproved."
    )
    assert load("a.txt", wrapped).text.split("\n") == [
        "The committee decided after a long debate that the port should be closed until the weather, which was bad, "
        "improved. The ships waited outside of the harbour.",
        "",
        "- an item that is as long as the others of it",
        "- another item that is as long as the others ones",
        "",
        "The end of the story came on Monday as the weather improved.",
    ]


def test_wrapped_chinese_joins_without_blanks() -> None:
    line = "由于台风在沿海地区登陆，港口停止作业，船只只能等"
    assert unwrap("\n".join([line] * 6)) == line * 6


def test_text_that_is_not_wrapped_keeps_its_lines() -> None:
    text = "roses\nare red\nand a much longer line than all of the others that stand around it here\nviolets\nblue\nx"
    assert unwrap(text) == text


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("the har-", "bour", "the harbour"),
        ("a post-", "mortem", "a post-mortem"),  # the document has it with a hyphen elsewhere
        ("in 2022-", "08", "in 2022-08"),
        ("the Franco-", "British", "the Franco-British"),
        ("港口", "停工", "港口停工"),
        ("the port", "closed", "the port closed"),
    ],
)
def test_line_ends(before: str, after: str, expected: str) -> None:
    tail, gap = LineJoiner(["the harbour", "a post-mortem"]).tail_and_gap(before, after)
    assert tail + gap + after == expected
