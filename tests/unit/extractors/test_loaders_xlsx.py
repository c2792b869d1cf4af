"""XLSX files made here, read back."""

from __future__ import annotations

import io
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from office_files import changed, saved
from openpyxl.comments import Comment

from extractors.loaders import load_document, load_file
from extractors.ports import LoadOptions
from storage.errors import LoadError
from storage.records import Document, PlaceKind, TextKind

PATH = Path("a.xlsx")
ROWS = [["Region", "Sales", "Cause"], ["North", 41, "storm"], ["South", 52, "fair"]]


def workbook(rows: list[list[Any]], title: str = "Sales", first_row: int = 1) -> Any:
    """A workbook with one sheet."""
    made = openpyxl.Workbook()
    sheet = made.active
    sheet.title = title
    put(sheet, rows, first_row)
    return made


def put(sheet: Any, rows: list[list[Any]], first_row: int = 1, first_column: int = 1) -> None:
    for r, row in enumerate(rows):
        for c, value in enumerate(row):
            sheet.cell(first_row + r, first_column + c, value)


def read(made: Any, parts: Any = None, **options: Any) -> Document:
    data = changed(saved(made), parts) if parts else saved(made)
    return load_document(PATH, data, LoadOptions(**options))


def cells(document: Document, table: int = 0) -> list[list[str]]:
    return [[document.text[c.start : c.end] if c else "" for c in row] for row in document.tables[table].rows]


def test_a_sheet_is_a_place_with_a_table_and_its_header() -> None:
    document = read(workbook(ROWS))
    assert document.text == "Region | Sales | Cause\nNorth | 41 | storm\nSouth | 52 | fair"
    assert document.kind is TextKind.TABLE
    assert cells(document) == [["Region", "Sales", "Cause"], ["North", "41", "storm"], ["South", "52", "fair"]]
    (table,) = document.tables
    assert (table.header, table.first_row) == (1, 1)
    assert [(p.kind, p.label, p.start, p.end) for p in document.places] == [
        (PlaceKind.SHEET, "Sales", 0, len(document.text))
    ]


def test_rows_have_the_numbers_that_they_have_in_the_sheet() -> None:
    made = workbook(ROWS, first_row=11)
    made.active["A1"] = "Report of May"
    document = read(made)
    assert document.text.startswith("Report of May\n\nRegion | Sales")
    (table,) = document.tables
    assert (table.first_row, table.caption) == (11, "Report of May")
    assert document.title == "Report of May"


def test_tables_parted_by_empty_rows_are_tables_of_their_own() -> None:
    made = workbook(ROWS)
    put(made.active, [["Port", "State"], ["North", "closed"]], first_row=6)
    document = read(made)
    assert [table.first_row for table in document.tables] == [1, 6]
    assert cells(document, 1) == [["Port", "State"], ["North", "closed"]]


def test_rows_below_a_gap_go_on_with_the_table_above() -> None:
    made = workbook(ROWS)
    put(made.active, [["East", 12, "rain"], ["West", 7, "frost"]], first_row=5)
    document = read(made)
    (table,) = document.tables
    assert len(table.rows) == 6
    assert table.rows[3] == (None, None, None)
    assert cells(document)[5] == ["West", "7", "frost"]


def test_tables_side_by_side_are_read_one_after_the_other() -> None:
    made = workbook(ROWS)
    put(made.active, [["Port", "State"], ["North", "closed"], ["East", "open"]], first_column=5)
    document = read(made)
    assert document.text.endswith("South | 52 | fair\n\nPort | State\nNorth | closed\nEast | open")
    assert [len(table.rows[0]) for table in document.tables] == [3, 2]


def test_merged_cells_fill_what_they_cover() -> None:
    made = workbook([["Day", "Time", "What"], ["Monday", "9:00", "storm"], [None, "10:00", "calm"], ["All", None, "x"]])
    made.active.merge_cells("A2:A3")
    made.active.merge_cells("A4:B4")
    document = read(made)
    assert document.text == "Day | Time | What\nMonday | 9:00 | storm\n| 10:00 | calm\nAll |  | x"
    assert cells(document)[2:] == [["Monday", "10:00", "calm"], ["All", "All", "x"]]


def test_a_merged_cell_holds_rows_together() -> None:
    made = workbook([["Day", "Note"], ["Monday", "storm"], [None, None], ["Tuesday", "calm"]])
    made.active.merge_cells("A2:A3")
    assert len(read(made).tables) == 1


def test_figures_and_dates_are_shown_as_people_write_them() -> None:
    made = workbook(
        [
            ["Kind", "Value"],
            ["float", 0.1 + 0.2],
            ["date", date(2024, 3, 5)],
            ["moment", datetime(2024, 3, 5, 14, 7)],
            ["time", time(9, 30)],
            ["share", 0.125],
            ["money", 1234.5],
            ["truth", True],
            ["wrong", "#N/A"],
        ]
    )
    made.active["B6"].number_format = "0.0%"
    made.active["B7"].number_format = '"€"#,##0.00'
    assert [row[1] for row in cells(read(made))[1:]] == [
        "0.3", "2024-03-05", "2024-03-05 14:07", "09:30:00", "12.5%", "€1,234.50", "TRUE", "#N/A",
    ]  # fmt: skip


def test_a_formula_has_its_stored_value_and_one_without_is_said() -> None:
    made = workbook([["Part", "Sum"], ["North", "=1+2"], ["South", "=3+4"]])
    sheet = "xl/worksheets/sheet1.xml"
    data = changed(saved(made), {sheet: ("<f>1+2</f><v></v>", "<f>1+2</f><v>3</v>")})
    loaded = load_file(PATH, data)
    assert cells(loaded.documents[0]) == [["Part", "Sum"], ["North", "3"], ["South", ""]]
    assert loaded.notes == (
        "1 cell with a formula, whose value is not stored: open the file in a spreadsheet program and save it again.",
    )


def test_hidden_sheets_are_left_out_and_said_and_empty_ones_skipped() -> None:
    made = workbook(ROWS)
    put(made.create_sheet("Lists"), [["a", "b"], ["c", "d"]])
    made["Lists"].sheet_state = "hidden"
    made.create_sheet("Empty")
    put(made.create_sheet("More"), [["Port", "State"], ["North", "closed"]])
    loaded = load_file(PATH, saved(made))
    assert loaded.left_out == ("The sheet Lists is hidden and is left out.",)
    (document,) = loaded.documents
    assert [place.label for place in document.places] == ["Sales", "More"]
    more = document.places[1]
    assert document.text[more.start : more.end] == "Port | State\nNorth | closed"


def test_comments_come_in_only_when_asked_for() -> None:
    made = workbook(ROWS)
    made.active["B2"].comment = Comment("Checked twice.", "Anna")
    assert "Checked" not in read(made).text
    assert read(made, comments=True).text.endswith("\n\n[Comment of Anna on B2: Checked twice.]")


def test_rich_text_is_read_without_its_phonetic_reading() -> None:
    namespace = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    strings = (
        f'<sst xmlns="{namespace}"><si><r><t>豊田</t></r><r><t>車</t></r><rPh sb="0" eb="2"><t>トヨタ</t></rPh></si>'
        "<si><t>line_x000D_\nend</t></si></sst>"
    )
    rows = "".join(f'<row><c t="s"><v>{at}</v></c><c><v>{at}</v></c></row>' for at in (0, 1, 9))
    sheet = f'<worksheet xmlns="{namespace}"><sheetData>{rows}</sheetData></worksheet>'
    relation = '<Relationship Id="rS" Type="http://x/sharedStrings" Target="sharedStrings.xml"/>'
    parts = {
        "xl/sharedStrings.xml": strings.encode(),
        "xl/worksheets/sheet1.xml": sheet.encode(),
        "xl/_rels/workbook.xml.rels": ("</Relationships>", f"{relation}</Relationships>"),
    }
    assert cells(read(workbook(ROWS), parts)) == [["豊田車", "0"], ["line end", "1"], ["", "9"]]


def test_strict_and_inline_files_are_read() -> None:
    namespace = "http://purl.oclc.org/ooxml/spreadsheetml/main"
    sheet = (
        f'<worksheet xmlns="{namespace}"><sheetData><row><c t="inlineStr"><is><t>Port</t></is></c>'
        '<c t="str"><v>Since</v></c></row><row><c t="inlineStr"><is><t>North</t></is></c>'
        '<c t="d"><v>2024-03-05T00:00:00</v></c></row></sheetData></worksheet>'
    )
    document = read(workbook(ROWS), {"xl/worksheets/sheet1.xml": sheet.encode()})
    assert cells(document) == [["Port", "Since"], ["North", "2024-03-05"]]


def test_a_binary_workbook_is_said() -> None:
    data = changed(
        saved(workbook(ROWS)), {"xl/workbook.bin": b"x", "_rels/.rels": ("xl/workbook.xml", "xl/workbook.bin")}
    )
    with pytest.raises(LoadError, match=r"a\.xlsb is a binary workbook \(XLSB\), which is not read\. Open it"):
        load_document(Path("a.xlsb"), data)


def test_cells_far_apart_are_refused() -> None:
    cell = '<row r="{0}"><c r="{1}{0}"><v>1</v></c></row>'
    columns = [f"{a}{b}{c}" for a in "ABCDEFGHIJ" for b in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" for c in "ABCDEFGHIJ"]
    rows = "".join(cell.format(at, column) for at, column in enumerate(columns, 1))
    namespace = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    sheet = f'<worksheet xmlns="{namespace}"><sheetData>{rows}</sheetData></worksheet>'
    with pytest.raises(LoadError, match=r"a\.xlsx: the sheet Sales has its cells too far apart to be one table"):
        read(workbook(ROWS), {"xl/worksheets/sheet1.xml": sheet.encode()})


def test_a_long_string_that_many_cells_share_is_refused() -> None:
    namespace = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    rows = '<row><c t="s"><v>0</v></c></row>' * 600
    sheet = f'<worksheet xmlns="{namespace}"><sheetData>{rows}</sheetData></worksheet>'
    relation = '<Relationship Id="rS" Type="http://x/sharedStrings" Target="sharedStrings.xml"/>'
    parts = {
        "xl/sharedStrings.xml": f'<sst xmlns="{namespace}"><si><t>{"x" * 100_000}</t></si></sst>'.encode(),
        "xl/worksheets/sheet1.xml": sheet.encode(),
        "xl/_rels/workbook.xml.rels": ("</Relationships>", f"{relation}</Relationships>"),
    }
    with pytest.raises(LoadError, match=r"a\.xlsx holds more than 50,000,000 characters"):
        read(workbook(ROWS), parts)


def test_merged_areas_without_end_cost_no_time() -> None:
    merged = '<mergeCell ref="A1:XFD1048576"/>' * 20_000
    part = ("</sheetData>", f"</sheetData><mergeCells>{merged}</mergeCells>")
    document = read(workbook(ROWS * 500), {"xl/worksheets/sheet1.xml": part})
    assert document.text == "Region"


def test_every_cell_stands_in_the_text_once() -> None:
    document = read(workbook([[f"r{r}c{c}" for c in range(7)] for r in range(30)]))
    assert sorted(document.text.replace("|", " ").split()) == sorted(f"r{r}c{c}" for r in range(30) for c in range(7))
    for r, row in enumerate(document.tables[0].rows):
        for c, span in enumerate(row):
            assert span is not None
            assert document.text[span.start : span.end] == f"r{r}c{c}"


def test_an_empty_workbook_is_said() -> None:
    buffer = io.BytesIO()
    openpyxl.Workbook().save(buffer)
    with pytest.raises(LoadError, match=r"a\.xlsx is empty"):
        load_document(PATH, buffer.getvalue())
