"""CSV and TSV: which delimiter, which cells, a table or a document for each row."""

from __future__ import annotations

import csv
import re
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from extractors.loaders import load_document, load_file
from extractors.loaders.csv_table import cell_value, column_names
from extractors.loaders.delimited import delimiter_of, read_rows
from extractors.ports import LoadOptions
from storage.errors import LoadError
from storage.records import Document
from storage.structure import TextKind

LONG = ("The port closed because the storm made landfall and the ships waited outside of the harbour. " * 2).strip()


def load(source: str, name: str = "a.csv", **options: Any) -> Document:
    return load_document(Path(name), source.encode(), LoadOptions(**options))


def cells(document: Document) -> list[list[str]]:
    """The words at the span of each cell of the one table."""
    (table,) = document.tables
    return [[document.text[c.start : c.end] if c else "" for c in row] for row in table.rows]


def test_a_table_has_its_cells_its_header_and_the_row_numbers_of_the_file() -> None:
    document = load("Port,State\nNorth,closed\n\nSouth,open\n")
    assert document.text == "Port | State\nNorth | closed\nSouth | open"
    assert (document.kind, document.title, document.id) == (TextKind.TABLE, "a", None)
    assert cells(document) == [["Port", "State"], ["North", "closed"], [], ["South", "open"]]
    assert (document.tables[0].header, document.tables[0].first_row) == (1, 1)


def test_empty_lines_before_the_table_count_as_rows() -> None:
    assert load("\n\nPort,State\nNorth,closed\n").tables[0].first_row == 3


def test_cells_without_a_word_are_an_empty_file() -> None:
    with pytest.raises(LoadError, match="is empty: no cell holds a word"):
        load(',,"" ,\n;\n')


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_told_by_the_number_of_cells(delimiter: str) -> None:
    rows = [["Port", "State", "Why"], ["North", "closed", 'a "storm", and\nwaves'], ["South", "open", "none; so far"]]
    source = "\r\n".join(
        delimiter.join(f'"{cell}"'.replace('"storm"', '""storm""') if cell[:1] == "a" else cell for cell in row)
        for row in rows
    ).replace("none; so far", '"none; so far"')
    expected = [[" ".join(cell.split()) for cell in row] for row in rows]
    assert cells(load(source)) == expected
    assert cells(load(source, "a.tsv")) == expected


def test_decimal_commas_do_not_make_a_comma_the_delimiter() -> None:
    assert delimiter_of("port;depth\n1,5;2,5\n3,5;4,5\n") == ";"


def test_commas_in_the_sentences_of_a_tab_file_are_no_delimiters() -> None:
    assert delimiter_of("time\tevent\n1\tfirst, then, so\n2\tnext, last\n3\tend\n") == "\t"


def test_a_column_of_sentences_stays_one_column() -> None:
    source = "Event\nThe port closed, and so on\nThe ships waited\nAll went home\nThe storm, at last, ended\n"
    assert cells(load(source)) == [[line] for line in source.splitlines()]


def test_a_table_under_lines_of_prose_keeps_its_columns() -> None:
    source = "Report\nof the desk\n\nmade by hand\nlast year\n\nport,state,why\nN,closed,storm\nS,open,none\n"
    assert cells(load(source))[-1] == ["S", "open", "none"]


def test_the_delimiter_that_a_spreadsheet_names_is_taken() -> None:
    assert cells(load("sep=|\na,b|c,d\ne,f|g,h\n")) == [["a,b", "c,d"], ["e,f", "g,h"]]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "gb18030"])
def test_encodings(encoding: str) -> None:
    source = "类别,内容\n摘录,由于台风在沿海登陆，港口停止作业。\n数据,船只在外海等待\n"
    assert cells(load_document(Path("a.csv"), source.encode(encoding))) == [r.split(",") for r in source.split()]


def test_ragged_rows_keep_all_of_their_cells() -> None:
    assert cells(load("a,b,c\n1,2\n3,4,5,6\n7,8,9\n")) == [
        ["a", "b", "c"],
        ["1", "2"],
        ["3", "4", "5", "6"],
        list("789"),
    ]


@pytest.mark.parametrize(
    "source",
    ['a,b\n"x, ""y""",z\n', '"a\n\nb",c\n', ',,\n"",x\n', 'a"b,c\n', '"",""\n', 'one\n"two"', 'a,b\n"c" ,d\n'],
)
def test_cells_are_those_of_the_csv_module(source: str) -> None:
    expected = [[c.rstrip() for c in row] for row in csv.reader(source.splitlines(keepends=True))]
    assert [[c.rstrip() for c in row] for row in read_rows(source, ",")] == expected


def test_a_quotation_mark_that_is_never_closed_does_not_swallow_the_file() -> None:
    assert list(read_rows('a,b\n"c,d\ne,f\n', ",")) == [["a", "b"], ['"c', "d"], ["e", "f"]]
    assert list(read_rows('"He said "no" to me",b\n', ",")) == [['He said "no" to me', "b"]]


def test_a_cell_of_any_size_is_read_and_the_limit_of_the_csv_module_is_not_touched() -> None:
    before = csv.field_size_limit()
    assert len(load(f'a,b\n1,"{"x" * 500_000}"\n').text) > 500_000
    assert csv.field_size_limit() == before


@pytest.mark.parametrize("unit", ['"a b\n', '"",', '"', '" "', ",", '"x"y,\n', " " * 5 + '"'])
def test_odd_quotation_marks_take_linear_time(unit: str) -> None:
    started = time.process_time()
    assert list(read_rows(unit * (400_000 // len(unit)), ","))
    assert time.process_time() - started < 3


# --- documents -------------------------------------------------------------------------------------------------------

ROWS = f"id,title,text,year,code\nx1,Storm,{LONG},2026,007\n,,Short.,1.5,a\nx1,Again,More.,,b\n"


def test_named_columns_make_each_row_a_document() -> None:
    loaded = load_file(Path("a.csv"), ROWS.encode(), LoadOptions(text_columns=("title", "text"), title_column="title"))
    first, second, third = loaded.documents
    assert first.text == f"Storm\n\n{LONG}"
    assert (first.id, first.title, first.metadata) == ("x1", "Storm", {"year": 2026, "code": "007", "row": 2})
    assert (second.title, second.metadata) == ("a", {"year": 1.5, "code": "a", "row": 3})
    assert re.fullmatch("[0-9a-f]{12}", second.id or "")
    assert (third.id, third.text, third.metadata) == ("x1#2", "Again\n\nMore.", {"code": "b", "row": 4})
    assert loaded.left_out == ("1 row with an id that an earlier one has: a count is added to it",)


def test_rows_are_documents_by_themselves_when_a_column_is_called_text_and_holds_text() -> None:
    rows = "".join(f"{n},{LONG}\n" for n in range(3))
    assert len(load_file(Path("a.csv"), f"id,content\n{rows}".encode()).documents) == 3
    assert len(load_file(Path("a.csv"), f"Text\n{LONG}\n{LONG}!\n".encode()).documents) == 2
    assert load(f"id,content\n{rows}", rows="table").kind is TextKind.TABLE
    assert load(f"id,time,port,remark\n1,2,3,{LONG}\n4,5,6,{LONG}\n").kind is TextKind.TABLE


@pytest.mark.parametrize(
    "source",
    ["类别,序号,内容,字数\n数据,1,港口停止作业,6\n数据,2,船只等待,4\n", "id,text\n1,closed\n2,open\n", "text\na\nb\n"],
)
def test_short_cells_stay_a_table_whatever_the_column_is_called(source: str) -> None:
    assert load(source).kind is TextKind.TABLE


def test_a_column_that_is_not_there_is_said_with_those_that_are() -> None:
    for options in ({"text_columns": ("body",)}, {"rows": "documents", "text_columns": ("a",), "id_column": "body"}):
        with pytest.raises(LoadError, match=r"a.csv has no column 'body'. Its columns: a, b"):
            load("a,b\n1,2\n", **options)
    with pytest.raises(LoadError, match="no column that is called text"):
        load("a,b\n1,2\n", rows="documents")


@pytest.mark.parametrize("name", ["text,port", "id,text,port"])
def test_a_row_that_goes_changes_no_other(name: str) -> None:
    def read(numbers: list[int]) -> dict[str | None, str]:
        cells = [f"{n}," * name.startswith("id") + f"The port closed for storm {n // 2}.,North" for n in numbers]
        loaded = load_file(Path("a.csv"), "\n".join([name, *cells]).encode(), LoadOptions(rows="documents"))
        return {document.id: document.content_hash for document in loaded.documents}

    whole, less = read(list(range(40))), read([n for n in range(40) if n != 8])
    assert (len(whole), len(less)) == (40, 39)
    assert less.items() < whole.items()


def test_a_title_over_the_table_is_part_of_no_name() -> None:
    assert column_names([["Report of 2026", ""], ["port", "state"], ["North", "closed"]], 2) == ["port", "state"]
    assert column_names([["Q1", "", "Q2"], ["in", "out", "in"], ["1", "2", "3", "4"]], 2) == [
        "Q1 in", "out", "Q2 in", "column 4",
    ]  # fmt: skip
    assert column_names([["a", "a"]], 1) == ["a", "a (column 2)"]


def test_rows_without_text_are_counted_and_validity_is_taken() -> None:
    source = (
        "text,valid_from,valid_to\nA.,2026-01-31,2026-02-01\n,,\n ,2026-01-01,\nB.,soon,\nC.,2026-02-01,2026-01-01\n"
    )
    loaded = load_file(Path("a.csv"), source.encode(), LoadOptions(rows="documents"))
    assert loaded.documents[0].valid_from == datetime(2026, 1, 31, tzinfo=UTC)
    assert loaded.documents[1].metadata == {"valid_from": "soon", "row": 5}
    assert [p.part for p in loaded.problems] == ["row 6"]
    assert loaded.left_out == ("1 row without text in text left out",)


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("12", 12),
        ("-3", -3),
        ("1.50", 1.5),
        ("007", "007"),
        ("1e5", "1e5"),
        ("1,200", "1,200"),
        (" x ", "x"),
        ("-0", "-0"),
    ],
)
def test_numbers_are_numbers_unless_that_would_lose_something(cell: str, value: object) -> None:
    assert cell_value(cell) == value
    assert type(cell_value(cell)) is type(value)


def test_a_long_table_takes_linear_time() -> None:
    def seconds(rows: int) -> float:
        data = "".join(f"{n},port {n},closed because of the storm,{n * 2}\n" for n in range(rows)).encode()
        started = time.process_time()
        load_document(Path("a.csv"), data)
        return time.process_time() - started

    seconds(1_000)
    assert seconds(40_000) < max(seconds(4_000) * 40, 5)
