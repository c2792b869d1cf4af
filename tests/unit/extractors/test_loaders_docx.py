"""DOCX files made here, read back."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import docx
import pytest
from docx.oxml import parse_xml
from office_files import changed, saved

from extractors.loaders import load_document, load_file
from extractors.ports import LoadOptions
from storage.errors import LoadError
from storage.records import Document

NAMESPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
PATH = Path("a.docx")


def element(markup: str) -> Any:
    """The one element in ``markup``, whose names have the prefix w."""
    return parse_xml(f"<w:x {NAMESPACE}>{markup}</w:x>")[0]


def words(text: str, properties: str = "") -> str:
    """A run."""
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t xml:space='preserve'>{text}</w:t></w:r>"


def add_table(made: Any, *rows: str) -> Any:
    """A table whose cells are parted by bars."""
    grid = [row.split("|") for row in rows]
    table = made.add_table(rows=len(grid), cols=len(grid[0]))
    for cell, text in zip(table._cells, (text for row in grid for text in row), strict=True):
        cell.text = text
    return table


def read(made: Any, parts: Any = None, **options: Any) -> Document:
    """What the loader makes of it."""
    data = changed(saved(made), parts) if parts else saved(made)
    return load_document(PATH, data, LoadOptions(**options))


def cells(document: Document, table: int = 0) -> list[list[str]]:
    """The words of each cell of a table."""
    return [[document.text[c.start : c.end] if c else "" for c in row] for row in document.tables[table].rows]


def test_headings_paragraphs_lists_and_tables_in_reading_order() -> None:
    made = docx.Document()
    made.add_heading("Storm", 1)
    made.add_paragraph("The port closed.")
    add_table(made, "Port|State|Since", "North|closed|Monday")
    made.add_heading("原因", 2)
    made.add_paragraph("台风登陆，港口停工。")
    document = load_document(Path("a.docx"), saved(made))
    assert document.text == (
        "Storm\n\nThe port closed.\n\nPort | State | Since\nNorth | closed | Monday\n\n原因\n\n台风登陆，港口停工。"
    )
    assert [s.path for s in document.sections] == [("Storm",), ("Storm", "原因")]
    assert document.title == "Storm"


def test_the_title_of_the_properties_comes_first() -> None:
    made = docx.Document()
    made.core_properties.title = "Report"
    made.add_heading("Named by style", 0)
    assert load_document(Path("a.docx"), saved(made)).title == "Report"


def test_merged_cells_are_read_once() -> None:
    made = docx.Document()
    table = made.add_table(rows=2, cols=2)
    table.cell(0, 0).merge(table.cell(1, 0)).text = "both"
    table.cell(0, 1).text, table.cell(1, 1).text = "first", "second"
    assert load_document(Path("a.docx"), saved(made)).text == "both | first\n| second"


def test_inserted_text_counts_and_deleted_text_does_not() -> None:
    made = docx.Document()
    paragraph = made.add_paragraph("The port ")
    paragraph._p.append(parse_xml(f"<w:del {NAMESPACE}><w:r><w:delText>opened</w:delText></w:r></w:del>"))
    paragraph._p.append(parse_xml(f"<w:ins {NAMESPACE}><w:r><w:t>closed</w:t></w:r></w:ins>"))
    control = f"<w:sdt {NAMESPACE}><w:sdtContent><w:p><w:r><w:t>Controlled.</w:t></w:r></w:p></w:sdtContent></w:sdt>"
    paragraph._p.addnext(parse_xml(control))
    assert load_document(Path("a.docx"), saved(made)).text == "The port closed\n\nControlled."


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
    with zipfile.ZipFile(io.BytesIO(saved(made))) as old, zipfile.ZipFile(buffer, "w") as new:
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
    whole = saved(docx.Document())
    with pytest.raises(LoadError, match="cut off"):
        load_document(Path("a.docx"), whole[: len(whole) // 2])


def test_a_table_keeps_its_cells_and_its_header() -> None:
    made = docx.Document()
    add_table(made, "Port|State", "North|closed")
    document = read(made)
    assert cells(document) == [["Port", "State"], ["North", "closed"]]
    assert document.tables[0].header == 1


def test_rows_marked_as_header_are_the_header() -> None:
    made = docx.Document()
    table = add_table(made, "1|2", "3|4", "5|6")
    for row in list(table.rows)[:2]:
        row._tr.get_or_add_trPr().append(element("<w:tblHeader/>"))
    assert read(made).tables[0].header == 2


def test_a_bold_first_row_is_the_header_of_figures() -> None:
    made = docx.Document()
    table = add_table(made, "2019|2019", "1|2")
    assert read(made).tables[0].header == 0
    for cell in table.rows[0].cells:
        cell.paragraphs[0].runs[0].bold = True
    assert read(made).tables[0].header == 1


def test_merged_cells_fill_what_they_cover() -> None:
    made = docx.Document()
    table = made.add_table(rows=3, cols=3)
    for cell, text in zip(
        table._cells, ["Day", "Time", "What", "Monday", "9:00", "storm", "-", "10:00", "calm"], strict=True
    ):
        cell.text = text
    table.cell(2, 0).text = ""
    table.cell(1, 0).merge(table.cell(2, 0))
    table.cell(2, 1).text = ""
    table.cell(2, 1).merge(table.cell(2, 2))
    document = read(made)
    assert document.text == "Day | Time | What\nMonday | 9:00 | storm\n| calm"
    assert cells(document) == [["Day", "Time", "What"], ["Monday", "9:00", "storm"], ["Monday", "calm", "calm"]]


def test_columns_in_which_no_cell_begins_are_none() -> None:
    made = docx.Document()
    cell = "<w:tc><w:tcPr><w:gridSpan w:val='{}'/></w:tcPr><w:p>{}</w:p></w:tc>"
    rows = ["".join(cell.format(3, words(text)) for text in row) for row in (("Port", "State"), ("North", "closed"))]
    made.element.body.insert(0, element("<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in rows) + "</w:tbl>"))
    document = read(made)
    assert document.text == "Port | State\nNorth | closed"
    assert cells(document) == [["Port", "State"], ["North", "closed"]]


def test_a_nested_table_is_read_in_its_cell_once() -> None:
    made = docx.Document()
    table = add_table(made, "Port|State", "North|before")
    inner = table.cell(1, 1).add_table(rows=1, cols=2)
    inner.cell(0, 0).text, inner.cell(0, 1).text = "in", "side"
    table.cell(1, 1).add_paragraph("after")
    document = read(made)
    assert document.text == "Port | State\nNorth | before in side after"
    assert len(document.tables) == 1


def test_a_table_that_only_lays_out_the_page_is_none() -> None:
    made = docx.Document()
    outer = made.add_table(rows=1, cols=1)
    outer.cell(0, 0).paragraphs[0].text = "Boxed."
    outer.cell(0, 0).add_paragraph("Storm", style="Heading 1")
    inner = outer.cell(0, 0).add_table(rows=2, cols=2)
    for cell, text in zip(inner._cells, ["Port", "State", "North", "closed"], strict=True):
        cell.text = text
    document = read(made)
    assert document.text == "Boxed.\n\nStorm\n\nPort | State\nNorth | closed"
    assert [section.path for section in document.sections] == [("Storm",)]
    assert len(document.tables) == 1


def test_rows_deleted_with_tracking_are_left_out() -> None:
    made = docx.Document()
    table = add_table(made, "Port|State", "North|open", "South|closed")
    list(table.rows)[1]._tr.get_or_add_trPr().append(element("<w:del w:id='1' w:author='x'/>"))
    assert cells(read(made)) == [["Port", "State"], ["South", "closed"]]


def test_a_paragraph_whose_end_was_deleted_goes_on_in_the_next() -> None:
    made = docx.Document()
    first = made.add_paragraph("The port ")
    first._p.get_or_add_pPr().append(element("<w:rPr><w:del w:id='1' w:author='x'/></w:rPr>"))
    made.add_paragraph("closed.")
    assert read(made).text == "The port closed."


def test_what_was_moved_stands_where_it_was_moved_to() -> None:
    made = docx.Document()
    made.add_paragraph("")._p.append(element(f"<w:moveFrom w:id='1'>{words('Moved.')}</w:moveFrom>"))
    made.add_paragraph("Between.")
    made.add_paragraph("")._p.append(element(f"<w:moveTo w:id='2'>{words('Moved.')}</w:moveTo>"))
    assert read(made).text == "Between.\n\nMoved."


def test_hidden_text_is_left_out() -> None:
    made = docx.Document()
    made.add_paragraph("Seen. ")._p.append(element(words("Unseen.", "<w:vanish/>")))
    made.paragraphs[0]._p.append(element(words("Shown.", "<w:vanish w:val='0'/>")))
    style = made.styles.add_style("Secret", 1)
    style.font.hidden = True
    made.add_paragraph("Unseen too.", style="Secret")
    assert read(made).text == "Seen. Shown."


def test_the_result_of_a_field_counts_and_its_code_does_not() -> None:
    made = docx.Document()
    paragraph = made.add_paragraph("Page ")
    steps = ["<w:fldChar w:fldCharType='begin'/>", "<w:instrText>IF </w:instrText>", "<w:t>code</w:t>",
             "<w:fldChar w:fldCharType='separate'/>", "<w:t>seven</w:t>", "<w:fldChar w:fldCharType='end'/>",
             "<w:t>.</w:t>"]  # fmt: skip
    for step in steps:
        paragraph._p.append(element(f"<w:r>{step}</w:r>"))
    simple = f"<w:fldSimple w:instr='REF x'>{words(' Table 2')}</w:fldSimple>"
    paragraph._p.append(element(simple))
    assert read(made).text == "Page seven. Table 2"


def test_a_field_that_never_ends_hides_no_later_paragraph() -> None:
    made = docx.Document()
    made.add_paragraph("Before.")._p.append(element("<w:r><w:fldChar w:fldCharType='begin'/></w:r>"))
    made.add_paragraph("After.")
    assert read(made).text == "Before.\n\nAfter."


def test_a_table_of_contents_is_left_out() -> None:
    made = docx.Document()
    contents = (
        "<w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val='Table of Contents'/></w:docPartObj></w:sdtPr>"
        f"<w:sdtContent><w:p>{words('Contents')}</w:p><w:p>{words('Storm 3')}</w:p></w:sdtContent></w:sdt>"
    )
    made.add_heading("Storm", 1)
    made.add_paragraph("Storm\t3", style=made.styles.add_style("toc 1", 1))
    made.element.body.insert(0, element(contents))
    assert read(made).text == "Storm"


def test_a_text_box_is_read_once_after_its_paragraph() -> None:
    made = docx.Document()
    box = f"<w:txbxContent><w:p>{words('Boxed.')}</w:p></w:txbxContent>"
    made.add_paragraph("Anchor.")._p.append(
        element(
            '<w:r><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
            f'<mc:Choice Requires="wps"><w:drawing>{box}</w:drawing></mc:Choice>'
            f"<mc:Fallback><w:pict>{box}</w:pict></mc:Fallback></mc:AlternateContent></w:r>"
        )
    )
    made.add_paragraph("Next.")
    assert read(made).text == "Anchor.\n\nBoxed.\n\nNext."


def test_a_placeholder_of_a_form_is_left_out() -> None:
    made = docx.Document()
    control = "<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>{}</w:sdtContent></w:sdt>"
    made.add_paragraph("Name: ")._p.append(element(control.format(words("Click here"))))
    assert read(made).text == "Name:"


NOTES = (
    f'<w:footnotes {NAMESPACE}><w:footnote w:type="separator" w:id="-1"><w:p/></w:footnote>'
    f'<w:footnote w:id="1"><w:p>{words("By its own count.")}</w:p></w:footnote></w:footnotes>'
).encode()
RELATION = (
    "</Relationships>",
    '<Relationship Id="rN" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/{0}" '
    'Target="{0}.xml"/></Relationships>',
)


def with_part(kind: str, content: bytes) -> dict[str, Any]:
    """A part of that kind and what refers to it."""
    relation = (RELATION[0], RELATION[1].format(kind))
    return {f"word/{kind}.xml": content, "word/_rels/document.xml.rels": relation}


def test_a_footnote_stands_after_its_paragraph_once() -> None:
    made = docx.Document()
    for text in ("First.", "Second.", "Third."):
        made.add_paragraph(text)
    for at in (0, 1):
        made.paragraphs[at]._p.append(element("<w:r><w:footnoteReference w:id='1'/></w:r>"))
    document = read(made, with_part("footnotes", NOTES))
    assert document.text == "First.\n\nBy its own count.\n\nSecond.\n\nThird."


def test_a_footnote_of_a_table_stands_after_the_table() -> None:
    made = docx.Document()
    table = add_table(made, "Port|State", "North|closed")
    table.cell(1, 0).paragraphs[0]._p.append(element("<w:r><w:footnoteReference w:id='1'/></w:r>"))
    assert read(made, with_part("footnotes", NOTES)).text == "Port | State\nNorth | closed\n\nBy its own count."


def test_comments_come_in_only_when_asked_for() -> None:
    made = docx.Document()
    paragraph = made.add_paragraph("The port closed.")
    made.add_comment(paragraph.runs, text="Since when?", author="Anna", initials="A")
    made.add_paragraph("Next.")
    assert read(made).text == "The port closed.\n\nNext."
    assert read(made, comments=True).text == "The port closed.\n\n[Comment of Anna: Since when?]\n\nNext."


def test_headers_and_footers_are_left_out() -> None:
    made = docx.Document()
    made.sections[0].header.paragraphs[0].text = "Firm"
    made.sections[0].footer.paragraphs[0].text = "Page 1"
    made.add_paragraph("Words.")
    assert read(made).text == "Words."


def test_a_style_based_on_a_heading_is_one() -> None:
    made = docx.Document()
    own = made.styles.add_style("Chapter of ours", 1)
    own.base_style = made.styles["Heading 2"]
    deeper = made.styles.add_style("Sub of ours", 1)
    deeper.base_style = own
    made.add_heading("Storm", 1)
    made.add_paragraph("Cause", style=deeper)
    assert [section.path for section in read(made).sections] == [("Storm",), ("Storm", "Cause")]


def test_a_paragraph_that_only_looks_like_a_heading_is_none() -> None:
    made = docx.Document()
    made.add_heading("The port closed. " * 20, 1)
    assert read(made).sections == ()


def test_styles_based_on_each_other_in_a_circle_end() -> None:
    made = docx.Document()
    one, two = made.styles.add_style("One", 1), made.styles.add_style("Two", 1)
    one.base_style, two.base_style = two, one
    made.add_paragraph("Words.", style=one)
    assert read(made).text == "Words."


def test_lists_have_their_marks_numbers_and_levels() -> None:
    made = docx.Document()
    for style in ("List Bullet", "List Number", "List Number"):
        made.add_paragraph(style, style=style)
    assert read(made).text == "- List Bullet\n1. List Number\n2. List Number"


def numbering(*levels: tuple[str, str]) -> bytes:
    """A numbering part with one list."""
    made = "".join(
        f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for at, (kind, text) in enumerate(levels)
    )
    return (
        f'<w:numbering {NAMESPACE}><w:abstractNum w:abstractNumId="0">{made}</w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
        '<w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/>'
        "</w:lvlOverride></w:num></w:numbering>"
    ).encode()


def test_numbers_are_counted_as_the_list_says() -> None:
    made = docx.Document()
    for name, level in ((1, 0), (1, 1), (1, 1), (1, 0), (1, 1), (1, 2), (2, 0)):
        properties = made.add_paragraph("item")._p.get_or_add_pPr()
        properties.append(element(f"<w:numPr><w:ilvl w:val='{level}'/><w:numId w:val='{name}'/></w:numPr>"))
    part = numbering(("decimal", "%1."), ("lowerLetter", "(%1.%2)"), ("lowerRoman", "%3)"))
    assert read(made, {"word/numbering.xml": part}).text.split("\n") == [
        "1. item",
        "  (1.a) item",
        "  (1.b) item",
        "2. item",
        "  (2.a) item",
        "    i) item",
        "7. item",
    ]


def test_words_are_as_a_reader_would_type_them() -> None:
    made = docx.Document()
    made.add_paragraph("of\ufb01ce   hours\u00a0are\t9 to 5, co\u00adoperation")
    made.add_paragraph("\u3000\u3000台风登陆。")
    assert read(made).text == "office hours are 9 to 5, cooperation\n\n台风登陆。"


def test_lines_of_a_chinese_cell_are_joined_without_a_blank() -> None:
    made = docx.Document()
    add_table(made, "港口|状态", "北港|台风登陆，\n港口停工")
    assert cells(read(made))[1] == ["北港", "台风登陆，港口停工"]


def test_formulas_and_symbols_are_words() -> None:
    made = docx.Document()
    namespace = "xmlns:m='http://schemas.openxmlformats.org/officeDocument/2006/math'"
    over, under = (f"<m:r><m:t>{letter}</m:t></m:r>" for letter in "ab")
    fraction = f"<m:oMath {namespace}><m:f><m:num>{over}</m:num><m:den>{under}</m:den></m:f></m:oMath>"
    paragraph = made.add_paragraph("x = ")
    paragraph._p.append(element(fraction))
    paragraph._p.append(element("<w:r><w:sym w:font='Wingdings' w:char='F0E0'/></w:r>"))
    assert read(made).text == "x = a/b→"


def test_a_caption_names_the_table_below_it() -> None:
    made = docx.Document()
    made.add_paragraph("Table 1: Ports", style="Caption")
    add_table(made, "Port|State", "North|closed")
    document = read(made)
    assert document.tables[0].caption == "Table 1: Ports"
    assert document.text.count("Table 1: Ports") == 1


def test_properties_become_metadata() -> None:
    made = docx.Document()
    made.core_properties.author = "Anna"
    made.add_paragraph("Words.")
    assert read(made).metadata["author"] == "Anna"


def test_a_strict_document_is_read() -> None:
    made = docx.Document()
    made.add_heading("Storm", 1)
    made.add_paragraph("The port closed.")
    data = saved(made)
    strict = {
        name: (old, "http://purl.oclc.org/ooxml/wordprocessingml/main")
        for name, old in (
            ("word/document.xml", "http://schemas.openxmlformats.org/wordprocessingml/2006/main"),
            ("word/styles.xml", "http://schemas.openxmlformats.org/wordprocessingml/2006/main"),
        )
    }
    strict["_rels/.rels"] = (
        "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument",
        "http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument",
    )
    document = load_document(PATH, changed(data, strict))
    assert document.text == "Storm\n\nThe port closed."
    assert [section.path for section in document.sections] == [("Storm",)]


def test_an_inserted_file_is_said_to_be_left_out() -> None:
    made = docx.Document()
    made.add_paragraph("Words.")._p.addnext(element("<w:altChunk/>"))
    loaded = load_file(PATH, saved(made))
    assert loaded.notes == ("A file that was inserted is left out: open the document in Word and save it again.",)


def test_tables_nested_deeply_do_not_end_the_stack() -> None:
    made = docx.Document()
    nested = "<w:p/>"
    for _ in range(70):
        nested = f"<w:tbl><w:tr><w:tc><w:p>{words('in')}</w:p>{nested}</w:tc></w:tr></w:tbl>"
    made.element.body.insert(0, element(nested))
    assert read(made).text.split() == ["in"] * 70
