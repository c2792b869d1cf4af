"""DOCX files made here, read back."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import docx
import pytest
from docx.oxml import parse_xml

from extractors.loaders import load_document
from storage.errors import LoadError

NAMESPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def data(document: Any) -> bytes:
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def test_headings_paragraphs_lists_and_tables_in_reading_order() -> None:
    made = docx.Document()
    made.add_heading("Storm", 1)
    made.add_paragraph("The port closed.")
    table = made.add_table(rows=2, cols=3)
    for cell, words in zip(table._cells, ["Port", "State", "Since", "North", "closed", "Monday"], strict=True):
        cell.text = words
    made.add_heading("原因", 2)
    made.add_paragraph("台风登陆，港口停工。")
    document = load_document(Path("a.docx"), data(made))
    assert document.text == (
        "Storm\n\nThe port closed.\n\nPort | State | Since\nNorth | closed | Monday\n\n原因\n\n台风登陆，港口停工。"
    )
    assert [s.path for s in document.sections] == [("Storm",), ("Storm", "原因")]
    assert document.title == "Storm"


def test_the_title_of_the_properties_comes_first() -> None:
    made = docx.Document()
    made.core_properties.title = "Report"
    made.add_heading("Named by style", 0)
    assert load_document(Path("a.docx"), data(made)).title == "Report"


def test_merged_cells_are_read_once() -> None:
    made = docx.Document()
    table = made.add_table(rows=2, cols=2)
    table.cell(0, 0).merge(table.cell(1, 0)).text = "both"
    table.cell(0, 1).text, table.cell(1, 1).text = "first", "second"
    assert load_document(Path("a.docx"), data(made)).text == "both | first\n| second"


def test_inserted_text_counts_and_deleted_text_does_not() -> None:
    made = docx.Document()
    paragraph = made.add_paragraph("The port ")
    paragraph._p.append(parse_xml(f"<w:del {NAMESPACE}><w:r><w:delText>opened</w:delText></w:r></w:del>"))
    paragraph._p.append(parse_xml(f"<w:ins {NAMESPACE}><w:r><w:t>closed</w:t></w:r></w:ins>"))
    control = f"<w:sdt {NAMESPACE}><w:sdtContent><w:p><w:r><w:t>Controlled.</w:t></w:r></w:p></w:sdtContent></w:sdt>"
    paragraph._p.addnext(parse_xml(control))
    assert load_document(Path("a.docx"), data(made)).text == "The port closed\n\nControlled."


def test_a_bomb_is_refused_before_it_is_opened() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", b"<x/>")
        archive.writestr("word/document.xml", b"\x00" * 40_000_000)
    assert len(buffer.getvalue()) < 100_000
    with pytest.raises(LoadError, match="would unpack to 40,000,004 bytes"):
        load_document(Path("a.docx"), buffer.getvalue())


def test_an_external_entity_is_not_fetched(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("TOP SECRET")
    made = docx.Document()
    made.add_paragraph("PLACE")
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data(made))) as old, zipfile.ZipFile(buffer, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "word/document.xml":
                entity = f'<!DOCTYPE x [<!ENTITY x SYSTEM "file://{tmp_path}/secret">]><w:document'.encode()
                content = content.replace(b"<w:document", entity, 1).replace(b"PLACE", b"before &x; after")
            new.writestr(name, content)
    try:
        text = load_document(Path("a.docx"), buffer.getvalue()).text
    except LoadError:
        text = ""
    assert "TOP SECRET" not in text


def test_a_cut_off_docx_is_refused() -> None:
    whole = data(docx.Document())
    with pytest.raises(LoadError, match="cut off"):
        load_document(Path("a.docx"), whole[: len(whole) // 2])
