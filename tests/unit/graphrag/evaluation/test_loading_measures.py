"""The measures of the suite ``loading``, against values worked out by hand."""

from typing import Any

import pytest

from graphrag.evaluation.loading_measures import as_expected, score_file, score_files, score_wild
from graphrag.evaluation.loading_tables import score_tables
from graphrag.evaluation.loading_text import apart, common_subsequence, occurrences, plain, solid, tokens
from graphrag.evaluation.measures import Measured


def gold(text: str, **fields: Any) -> dict[str, Any]:
    return {"file": "f", "format": "txt", "gold_text": text, "headings": [], "tables": [], "sentences": []} | fields


def item(text: str, **fields: Any) -> dict[str, Any]:
    return {"file": "f", "text": text, "headings": [], "tables": [], "pages": None, "error": None} | fields


# --- texts


def test_tokens_are_words_and_single_chinese_characters() -> None:
    assert tokens("- The “Port” closed.\n2) 港口停工，it's so") == [
        "the",
        "port",
        "closed",
        "港",
        "口",
        "停",
        "工",
        "it",
        "s",
        "so",
    ]
    assert tokens("ﬁre\u00ad wall ＡＢ snake_case") == ["fire", "wall", "ab", "snake", "case"]


def test_typography_and_markdown_marks_do_not_count() -> None:
    assert plain("It **was** _late_ – `see` \\[1\\]<br/>now") == "it was late - see [1] now"
    assert plain("港口 停工 了\n2 天") == "港口停工了2天"
    assert plain("2 * 3 and a_b") == "2 * 3 and a_b"
    assert solid(" Closed\n port ") == "closedport"


@pytest.mark.parametrize(
    ("a", "b", "length"),
    [("", "abc", 0), ("abc", "abc", 3), ("abcbdab", "bdcaba", 4), ("xabcx", "xacbx", 4), ("aaab", "ba", 1)],
)
def test_the_longest_common_subsequence(a: str, b: str, length: int) -> None:
    assert common_subsequence(a, b) == length
    assert common_subsequence(b, a) == length


def test_runs_may_overlap_and_be_set_apart() -> None:
    assert occurrences(["a", "a"], list("aaaa")) == [0, 1, 2]
    assert apart([0, 1, 2], 2) == [0, 2]
    assert occurrences([], ["a"]) == []


# --- one file


def test_order_counts_in_f1_and_not_in_bag() -> None:
    score = score_file(gold("a b c d"), item("c d a b"))
    assert score["f1"] == 2 * 2 / 8  # "a b" or "c d"
    assert score["bag"] == 1.0


def test_what_is_lost_and_what_is_added_lower_f1() -> None:
    assert score_file(gold("a b c d"), item("a b"))["f1"] == 2 * 2 / 6
    assert score_file(gold("a b"), item("a b x x"))["f1"] == 2 * 2 / 6


def test_neutral_phrases_count_neither_way() -> None:
    neutral = gold("The port closed.", optional=["By Ann Lee"], footnotes=["Local time is meant."])
    assert score_file(neutral, item("By Ann Lee\nThe port closed.\nLocal time is meant."))["f1"] == 1.0
    assert score_file(neutral, item("The port closed."))["f1"] == 1.0
    # a phrase of two words or fewer is left out once only: 2 tokens of 2 + 3
    assert score_file(gold("a b", optional=["draft"]), item("draft a b draft"))["f1"] == 2 * 2 / 5


def test_a_phrase_that_the_gold_text_holds_stays() -> None:
    assert score_file(gold("the end of it", optional=["the end of it"]), item("the end of it"))["f1"] == 1.0


def test_a_merged_cell_may_be_repeated_as_often_as_it_covers() -> None:
    merged = gold("North east 1 2", repeatable=[["North east", 1]])
    assert score_file(merged, item("North east 1 North east 2"))["f1"] == 1.0  # 2 * 4 / (4 + 6 - 2)
    assert score_file(merged, item("North east 1 North east 2 North east"))["f1"] == 2 * 4 / (4 + 8 - 2)


def test_sentences_are_found_unbroken() -> None:
    wanted = gold(
        "",
        sentences=["It was late.", "The port closed.", "港口停工了。"],
        broken_by_page=["The port closed."],
        broken_by_hyphen=["港口停工了。"],
    )
    score = score_file(wanted, item("It was\nlate. The port 3 closed. 港口\n停工了。"))
    assert score["sent"] == 2 / 3
    assert score["sent_pg"] == 0.0
    assert score["sent_hy"] == 1.0
    assert score_file(gold(""), item("x"))["sent"] is None


def test_forbidden_strings_leak_at_once_or_when_they_come_again() -> None:
    wanted = gold("", must_not=["Accept cookies"], must_not_repeat=["Annual Report", "Page head"])
    assert score_file(wanted, item("Annual Report body Annual  Report, Page head"))["leak"] == 1 / 3
    assert score_file(wanted, item("accept cookies"))["leak"] == 1 / 3
    assert score_file(gold(""), item("x"))["leak"] is None


def test_headings_are_compared_whole() -> None:
    wanted = gold("", headings=["Summary", "Time Line"], optional=["Report"])
    given = item("x", headings=[{"text": "summary", "level": 1}, "# Report", "Time", "Summary"])
    score = score_file(wanted, given)
    assert score["head"] == 1 / 2  # a heading given twice counts once
    assert score["head_p"] == 3 / 4  # "Time" is none; a neutral one is no fault
    assert score_file(wanted, item("x"))["head_p"] is None
    assert score_file(gold(""), given)["head"] is None


def test_pages_and_failures() -> None:
    assert score_file(gold("a", pages=3), item("a", pages=3))["pages"] == 1.0
    assert score_file(gold("a", pages=3), item("a", pages=2))["pages"] == 0.0
    assert score_file(gold("a", pages=3), item("a"))["pages"] is None
    assert score_file(gold("a"), item("a"))["fail"] == 0.0
    assert score_file(gold("a"), item("a", error="protected"))["fail"] == 1.0
    assert score_file(gold("a"), item(" "))["fail"] == 1.0
    missing = score_file(gold("a", headings=["h"]), None)
    assert (missing["fail"], missing["f1"], missing["head"]) == (1.0, 0.0, 0.0)


# --- tables

TABLE = [["Time", "Event"], ["10:00", "Rain"], ["", "Flood"]]


def test_cells_and_whole_rows_are_counted() -> None:
    score = score_tables([TABLE], [[["Time", "Event"], ["10:00"], ["Rain", "Flood"]]])
    assert score.cell == 1.0  # all five words, wherever they stand
    assert score.row == 1 / 3
    assert score_tables([TABLE], []) == (0.0, 0.0, 0)
    assert score_tables([], []) == (None, None, 0)


def test_a_cell_over_several_rows_may_be_repeated() -> None:
    assert score_tables([TABLE], [[["Time", "Event"], ["10:00", "Rain"], ["10:00", "Flood"]]]).row == 1.0


def test_a_table_cut_by_a_page_end_is_put_together() -> None:
    score = score_tables([TABLE], [TABLE[:2], TABLE[2:]])
    assert score == (1.0, 1.0, 0)


def test_a_table_given_counts_for_one_gold_table_only() -> None:
    other = [["Rain", "Cost"], ["10:00", "5"]]
    # the one table given shares five cells with TABLE and two with the other: the other is not found
    assert score_tables([other, TABLE], [TABLE]) == (5 / 9, 3 / 5, 0)


def test_tables_that_are_none_are_counted() -> None:
    layout = [["Home", "News"], ["About", "Help"]]
    assert score_tables([], [layout, [["one row", "only"]], [["one"], ["column"]]]).extra == 1


# --- sets


def test_a_measure_is_the_mean_over_the_files_that_have_it() -> None:
    rows = [gold("a b", headings=["H"]) | {"file": "1"}, gold("a b") | {"file": "2"}]
    found = {m.measure: m for m in score_files(rows, {"1": item("a b", headings=["H"])})}
    assert found["f1"] == Measured("f1", 0.5, 2)
    assert found["head"] == Measured("head", 1.0, 1)
    assert found["fail"] == Measured("fail", 0.5, 2)
    assert "leak" not in found


@pytest.mark.parametrize(
    ("expect", "given", "right"),
    [
        ("text", item("The Port\nclosed"), True),
        ("text", item("The port"), False),  # "port closed" is lacking
        ("text", item("The port closed", error="half of it"), False),
        ("text", item("The port closed %PDF-1.4"), False),
        ("error", item("", error="protected"), True),
        ("error", item(""), False),
        ("empty", item(" " * 90 + "x" * 40), True),
        ("empty", item("x" * 41), False),
        ("any", item("", error="damaged"), True),
        ("any", item("%PDF-1.4 stream"), False),
        ("any", None, False),
    ],
)
def test_what_is_expected_of_a_wild_file(expect: str, given: dict[str, Any] | None, right: bool) -> None:
    wanted = {"file": "wild/w", "expect": expect, "contains": ["port closed"], "must_not": ["%PDF-1"]}
    assert as_expected(wanted, given) is right


def test_wild_files_are_counted_by_what_is_expected_of_them() -> None:
    rows = [{"file": f"wild/{i}", "expect": e, "contains": []} for i, e in enumerate(["text", "text", "error"])]
    items = {"wild/0": item("words"), "wild/2": item("", error="no")}
    assert score_wild(rows, items) == [
        Measured("as_expected", 2 / 3, 3),
        Measured("as_expected.text", 0.5, 2),
        Measured("as_expected.error", 1.0, 1),
    ]
