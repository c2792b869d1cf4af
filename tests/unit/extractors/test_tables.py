"""Rows of tables as they read by themselves."""

from __future__ import annotations

from extractors.loaders.text_builder import TextBuilder
from extractors.tables import TableWords, column_names, row_words, table_rows, tables_in_order
from storage.records import Document, Span, Table


def document(*grids: list[list[str]], **options: object) -> Document:
    builder = TextBuilder()
    builder.paragraph("Before.")
    for grid in grids:
        builder.table(grid, **options)  # type: ignore[arg-type]
    builder.paragraph("Behind.")
    return builder.document("T")


def test_a_row_names_its_columns_and_leaves_empty_cells_out() -> None:
    doc = document([["Region", "Q3", "Note"], ["North", "41", ""]], header=1)
    assert row_words(doc.tables[0], doc.text, 1) == "Region: North; Q3: 41"
    assert row_words(doc.tables[0], doc.text, 0) == "Region; Q3; Note"


def test_header_rows_are_joined_and_merged_cells_filled() -> None:
    grid = [["Region", "2025", ""], ["", "Q3", "Q4"], ["North", "41", "42"], ["", "7", "8"]]
    merged = {(0, 2): (0, 1), (1, 0): (0, 0), (3, 0): (2, 0)}
    doc = document(grid, header=2, merged=merged)
    table = doc.tables[0]
    assert column_names(table, doc.text) == ("Region", "2025 › Q3", "2025 › Q4")
    assert row_words(table, doc.text, 3) == "Region: North; 2025 › Q3: 7; 2025 › Q4: 8"


def test_a_cell_that_fills_the_row_stands_alone_and_one_cell_of_several_does_not() -> None:
    doc = document([["Region", "Q3"], ["Europe", ""], ["", "9"]], header=1, merged={(1, 1): (1, 0)})
    assert [row_words(doc.tables[0], doc.text, row) for row in (1, 2)] == ["Europe", "Q3: 9"]


def test_without_a_header_the_words_stand_alone() -> None:
    doc = document([["North", "41"]])
    assert row_words(doc.tables[0], doc.text, 0) == "North; 41"


def test_a_row_begins_with_its_bars() -> None:
    doc = document([["", "a", ""], ["b", "", "c"]])
    assert [doc.text[row.start : row.end] for row in table_rows(doc.tables[0], doc.text)] == ["| a", "b |  | c"]


def test_a_row_with_nothing_but_merged_cells_is_none() -> None:
    doc = document([["a", "b"], ["", ""], ["c", "d"]], merged={(1, 0): (0, 0), (1, 1): (0, 1)})
    assert [row.number for row in table_rows(doc.tables[0], doc.text)] == [0, 2]


def test_cells_out_of_order_or_outside_of_the_text_are_no_rows() -> None:
    backwards = Table(rows=((Span(start=5, end=6),), (Span(start=0, end=1),)))
    outside = Table(rows=((Span(start=5, end=60),),))
    assert table_rows(backwards, "a b c d e f") == table_rows(outside, "a b c d e f") == []
    inner = Table(rows=((Span(start=2, end=3),),))
    outer = Table(rows=((Span(start=0, end=5),), (Span(start=6, end=7),)))
    assert [table for table, _ in tables_in_order([inner, outer], "a b c d e f")] == [outer]


def test_the_reading_of_a_slice_has_its_whole_rows_in_words() -> None:
    doc = document([["Region", "Q3"], ["North", "41"], ["South", "7"]], header=1)
    words, text = TableWords(doc.tables, doc.text), doc.text
    assert words.reading(0, len(text)) == "Before.\nRegion: North; Q3: 41\nRegion: South; Q3: 7\nBehind."
    south = text.index("South")
    assert words.reading(south, south + 9) == "Region: South; Q3: 7"
    assert words.reading(south, south + 5) == words.reading(0, 7) == ""
    assert words.between(0, text.index("\nNorth")) == ("Region; Q3",)
    assert words.row_at(text.index("41")) == "Region: North; Q3: 41"
    assert words.row_at(text.index("Q3")) == words.row_at(0) == words.row_at(len(text) - 1) == ""
