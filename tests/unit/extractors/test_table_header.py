"""How many rows are a header, for tables as people make them."""

from __future__ import annotations

import pytest

from extractors.loaders.table_header import header_rows


def rows(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in text.strip().split("\n")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Region|Sales\nNorth|41\nSouth|52", 1),
        ("Port|State|Since\nNorth|closed|Monday", 1),
        ("地区|销量\n华北|41\n华南|52", 1),
        ("Region|2019|2020\nNorth|41|52", 1),
        ("|Q1|Q2\nNorth|41|52\nSouth|1|2", 1),
        ("Time|What\n14:05|The port closed.\n15:10|The ships turned back.", 1),
        ("Name|Phone No.\nAnna|555-1234", 1),
        ("No|Note\n1|closed\n2|open", 1),
        ("Field|Value\nSeverity|high\nLasted|4 minutes", 1),
        ("Severity|high\nCause|storm\nLasted|4 minutes", 0),
        ("Report of May||\nRegion|Sales|Cause\nNorth|41|storm", 2),
        ("|2019||2020|\nRegion|Sales|Costs|Sales now|Costs now\nNorth|1|2|3|4\nSouth|5|6|7|8", 2),
        ("14:05|The port closed.\n15:10|The ships turned back.", 0),
        ("North|41\nSouth|52", 0),
        ("1|2\n3|4", 0),
        ("2019|1\n2020|2", 0),
        ("Author:|Smith\nDate:|Monday", 0),
        ("yes|no\nno|yes", 0),
        ("A storm came in the night.|x1\nThe port closed.|x2", 0),
        ("A|A\n1|2", 0),
        ("Region|Sales", 0),
        ("Region\nNorth", 0),
        ("", 0),
    ],
)
def test_the_header_is_what_names_the_columns(text: str, expected: int) -> None:
    assert header_rows(rows(text)) == expected


def test_no_rows_have_no_header() -> None:
    assert header_rows([]) == 0
    assert header_rows([[], []]) == 0
    assert header_rows([["", ""], ["", ""], ["", ""]]) == 0


def test_a_cell_merged_over_columns_takes_the_row_below_in() -> None:
    grid = rows("Region|2020||2021|\n|Sales|Costs|Sales|Costs\nNorth|1|2|3|4")
    merged = {(0, 2): (0, 1), (0, 4): (0, 3), (1, 0): (0, 0)}
    assert header_rows(grid, merged) == 2


def test_a_title_merged_over_the_table_is_part_of_the_header() -> None:
    grid = rows("Report||\nRegion|Sales|Cause\nNorth|41|storm")
    assert header_rows(grid, {(0, 1): (0, 0), (0, 2): (0, 0)}) == 2


def test_a_merged_cell_of_the_body_changes_nothing() -> None:
    grid = rows("Day|Time|What\nMonday|14:05|closed\n|15:10|open")
    assert header_rows(grid, {(2, 0): (1, 0)}) == 1


def test_rows_of_different_lengths_are_read() -> None:
    assert header_rows([["Region", "Sales"], ["North", "41", ""], ["South"]]) == 1
