"""Sentence ends, worked out by hand."""

from __future__ import annotations

import time

import pytest

from extractors.sentences import sentence_bounds, sentence_spans


def split(text: str) -> list[str]:
    return [text[span.start : span.end] for span in sentence_spans(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Mr. Smith saw Dr. J. Brown. They talked.", ["Mr. Smith saw Dr. J. Brown.", "They talked."]),
        ("It cost $3.50 (see Fig. 3). Then v1.2 came.", ["It cost $3.50 (see Fig. 3).", "Then v1.2 came."]),
        ("The U.S. Navy left the U.S. The fleet sailed.", ["The U.S. Navy left the U.S.", "The fleet sailed."]),
        ("Use ropes, e.g. No. 5, i.e. thick ones.", ["Use ropes, e.g. No. 5, i.e. thick ones."]),
        ("The answer is no. Then we left.", ["The answer is no.", "Then we left."]),
        ("Rain fell on Jan. 5. It froze.", ["Rain fell on Jan. 5.", "It froze."]),
        ('"Why?" he asked. "Stop!" Then it ended.', ['"Why?" he asked.', '"Stop!"', "Then it ended."]),
        ("(It rained.) It froze.", ["(It rained.)", "It froze."]),
        ("Well... maybe. Really... Yes.", ["Well... maybe.", "Really...", "Yes."]),
        ("Acme Inc. Chairman Li et al. agreed. It passed.", ["Acme Inc. Chairman Li et al. agreed.", "It passed."]),
        ("", []),
        (" \n\t ", []),
    ],
)
def test_english(text: str, expected: list[str]) -> None:
    assert split(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("台风登陆。港口停工！真的吗？是；好……完", ["台风登陆。", "港口停工！", "真的吗？", "是；", "好……", "完"]),
        ("他说：“台风来了。”港口停工。", ["他说：“台风来了。”", "港口停工。"]),
        ("（见第3节。）然后结束。", ["（见第3节。）", "然后结束。"]),
        ("版本v1.2发布，涨幅3.5%。下一步", ["版本v1.2发布，涨幅3.5%。", "下一步"]),
        ("使用 LanceDB. 然后检索！好", ["使用 LanceDB.", "然后检索！", "好"]),
        ("真的吗？！「是。」", ["真的吗？！", "「是。」"]),
    ],
)
def test_chinese(text: str, expected: list[str]) -> None:
    assert split(text) == expected


def test_lines_end_sentences_where_they_are_items_headings_or_short() -> None:
    text = "Causes\n- rain\n- wind\n1. First. Then\n2. Second\n\nEnd"
    assert split(text) == ["Causes", "- rain", "- wind", "1. First.", "Then", "2. Second", "End"]


def test_a_wrapped_line_goes_on() -> None:
    english = "The committee decided after a long debate that the port\nshould be closed. Next."
    assert split(english) == ["The committee decided after a long debate that the port\nshould be closed.", "Next."]
    chinese = "由于台风在沿海地区登陆，港口停止作业，船只只能在外海\n等待天气好转。好"
    assert split(chinese) == ["由于台风在沿海地区登陆，港口停止作业，船只只能在外海\n等待天气好转。", "好"]


def test_a_row_of_a_table_is_a_sentence() -> None:
    row = "Harbour of the north | closed because of the typhoon | since Monday"
    assert split(f"{row}\nharbour of the south | open | -") == [row, "harbour of the south | open | -"]


def test_bounds_of_a_part_are_offsets_into_the_whole() -> None:
    assert list(sentence_bounds("One. Two. Three.", 5, 9)) == [(5, 9)]


@pytest.mark.parametrize(
    "unit", ["a", ".", "e.g. ", "）", " ", "\n", "a\n", "word ", "。", '."', "A. ", "1.", "\u200d"]
)
def test_long_runs_of_anything_take_linear_time(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    start = time.process_time()
    for _ in sentence_bounds(text):
        pass
    assert time.process_time() - start < 3
