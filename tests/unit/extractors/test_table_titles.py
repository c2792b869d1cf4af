"""A title above a table is its caption, not the upper half of its columns' names."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from extractors.loaders.text_builder import TextBuilder
from extractors.table_titles import Position, title_rows
from extractors.tables import column_names, row_words

WIDE = {(0, 1): (0, 0), (0, 2): (0, 0)}


def rows(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in text.split("\n")]


@pytest.mark.parametrize(
    ("text", "header", "merged", "expected"),
    [
        ("Register||\nCause|Effect|Since\nstorm|closed|May", 2, WIDE, 1),
        ("Register||\nCause|Effect|Since\nstorm|closed|May", 2, {}, 1),
        ("Register||\nof May||\nCause|Effect|Since\nstorm|closed|May", 3, {}, 2),
        ("Register||\n||\nCause|Effect|Since\nstorm|closed|May", 3, {}, 2),
        ("Region||\n|2019|2020\nNorth|1|2", 2, {}, 0),  # the upper half of a name
        ("Region|Years|\n|2019|2020\nNorth|1|2", 2, {(0, 2): (0, 1), (1, 0): (0, 0)}, 0),
        ("|Years|\nRegion|2019|2020\nNorth|1|2", 2, {(0, 2): (0, 1)}, 0),  # over some of the columns
        ("Cause|Effect\nstorm|closed", 1, {}, 0),
        ("Register||\nstorm|closed|May", 1, {}, 0),
        ("", 0, {}, 0),
    ],
)
def test_which_rows_are_the_title(text: str, header: int, merged: Mapping[Position, Position], expected: int) -> None:
    assert title_rows(rows(text), header, merged) == expected


@pytest.mark.parametrize("merged", [WIDE, {}])
def test_a_title_row_is_the_caption_and_no_part_of_a_column_name(merged: Mapping[Position, Position]) -> None:
    builder = TextBuilder()
    grid = rows("Register of causes, Northgate||\nCause|Effect|Since\nstorm|closed|May")
    builder.table(grid, header=2, merged=merged, first_row=4)
    document = builder.document("x")
    assert document.text == "Register of causes, Northgate\nCause | Effect | Since\nstorm | closed | May"
    (table,) = document.tables
    assert (table.caption, table.header, table.first_row) == ("Register of causes, Northgate", 2, 4)
    assert column_names(table, document.text) == ("Cause", "Effect", "Since")
    assert row_words(table, document.text, 2) == "Cause: storm; Effect: closed; Since: May"


def test_a_group_of_columns_is_a_part_of_their_names() -> None:
    builder = TextBuilder()
    grid = rows("Region|Years|\n|2019|2020\nNorth|1|2")
    builder.table(grid, header=2, merged={(0, 2): (0, 1), (1, 0): (0, 0)})
    document = builder.document("x")
    assert column_names(document.tables[0], document.text) == ("Region", "Years › 2019", "Years › 2020")
    assert document.tables[0].caption == ""


def test_a_caption_that_is_given_stays() -> None:
    builder = TextBuilder()
    builder.table(rows("Register||\nCause|Effect|Since\nstorm|closed|May"), header=2, merged=WIDE, caption="Table 1")
    assert builder.document("x").tables[0].caption == "Table 1"


def test_no_bars_stand_behind_the_last_words_of_a_row() -> None:
    builder = TextBuilder()
    builder.table(rows("Cause|Effect|Since\nstorm||\nflood|closed|"), header=1)
    document = builder.document("x")
    assert document.text == "Cause | Effect | Since\nstorm\nflood | closed"
    assert [document.text[s.start : s.end] for s in document.tables[0].rows[2] if s] == ["flood", "closed"]
