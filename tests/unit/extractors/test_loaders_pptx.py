"""PPTX files made here, read back."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import pptx
import pytest
from office_files import changed, saved
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from extractors.loaders import load_document, load_file
from extractors.ports import LoadOptions
from storage.errors import LoadError
from storage.records import Document, PlaceKind, TextKind

PATH = Path("a.pptx")
TITLE_AND_CONTENT, COMPARISON, TITLE_ONLY, BLANK = 1, 4, 5, 6
PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def slide(made: Any, title: str = "", layout: int = TITLE_ONLY) -> Any:
    added = made.slides.add_slide(made.slide_layouts[layout])
    if title:
        added.shapes.title.text = title
    return added


def box(added: Any, text: str, left: float, top: float, width: float = 4, height: float = 1) -> Any:
    shape = added.shapes.add_textbox(Inches(left), Inches(top), Inches(width), Inches(height))
    shape.text_frame.text = text
    return shape


def read(made: Any, **options: Any) -> Document:
    return load_document(PATH, saved(made), LoadOptions(**options))


def test_each_slide_is_a_page_and_a_place_under_its_title() -> None:
    made = pptx.Presentation()
    for title, words in (("Storm", "The port closed."), ("原因", "台风登陆，港口停工。")):
        slide(made, title, TITLE_AND_CONTENT).placeholders[1].text = words
    document = read(made)
    assert document.text == "Storm\n\nThe port closed.\n\n原因\n\n台风登陆，港口停工。"
    assert document.kind is TextKind.SLIDES
    assert [section.path for section in document.sections] == [("Storm",), ("原因",)]
    assert [(p.number, document.text[p.start : p.end].strip()) for p in document.pages] == [
        (1, "Storm\n\nThe port closed."),
        (2, "原因\n\n台风登陆，港口停工。"),
    ]
    assert [(p.kind, p.label, document.text[p.start : p.end]) for p in document.places] == [
        (PlaceKind.SLIDE, "1", "Storm\n\nThe port closed."),
        (PlaceKind.SLIDE, "2", "原因\n\n台风登陆，港口停工。"),
    ]
    assert document.title == "Storm"


def test_boxes_are_read_by_where_they_lie_not_by_when_they_were_made() -> None:
    made = pptx.Presentation()
    added = slide(made, "Ports")
    box(added, "right", 5, 2, height=4)
    box(added, "left below", 0.5, 4)
    box(added, "left above", 0.5, 2)
    box(added, "over both", 0.5, 1.6, width=9, height=0.3)
    assert read(made).text == "Ports\n\nover both\n\nleft above\n\nleft below\n\nright"


def test_columns_with_headlines_are_read_column_by_column() -> None:
    made = pptx.Presentation()
    added = slide(made, "Compared", COMPARISON)
    for index, text in ((1, "North"), (2, "closed"), (3, "South"), (4, "open")):
        added.placeholders[index].text = text
    assert read(made).text == "Compared\n\nNorth\n\nclosed\n\nSouth\n\nopen"


def test_bullets_keep_their_levels() -> None:
    made = pptx.Presentation()
    frame = slide(made, "Causes", TITLE_AND_CONTENT).placeholders[1].text_frame
    frame.text = "Storm"
    for text, level in (("wind", 1), ("rain", 1), ("Strike", 0)):
        paragraph = frame.add_paragraph()
        paragraph.text, paragraph.level = text, level
    assert read(made).text == "Causes\n\n- Storm\n  - wind\n  - rain\n- Strike"


def test_a_table_has_its_cells_header_and_merges() -> None:
    made = pptx.Presentation()
    shape = slide(made, "Ports").shapes.add_table(3, 2, Inches(1), Inches(2), Inches(6), Inches(2))
    for cell, text in zip(shape.table.iter_cells(), ["Port", "State", "North", "closed", "", "open"], strict=True):
        cell.text = text
    shape.table.cell(1, 0).merge(shape.table.cell(2, 0))
    document = read(made)
    assert document.text == "Ports\n\nPort | State\nNorth | closed\n| open"
    (table,) = document.tables
    assert table.header == 1
    assert [[document.text[c.start : c.end] if c else "" for c in row] for row in table.rows] == [
        ["Port", "State"],
        ["North", "closed"],
        ["North", "open"],
    ]


def test_shapes_of_a_group_are_read_together() -> None:
    made = pptx.Presentation()
    added = slide(made, "Ports")
    group = added.shapes.add_group_shape()
    for text, top in (("second", 3), ("first", 2)):
        shape = group.shapes.add_textbox(Inches(5), Inches(top), Inches(3), Inches(0.5))
        shape.text_frame.text = text
    box(added, "left", 0.5, 2, height=2)
    assert read(made).text == "Ports\n\nleft\n\nfirst\n\nsecond"


def test_what_is_repeated_at_the_edge_of_slides_is_left_out() -> None:
    made = pptx.Presentation()
    for number in range(1, 5):
        added = slide(made, f"Part {number}")
        box(added, f"Words {number}.", 1, 2)
        box(added, "Same in the middle.", 1, 4)
        box(added, "Firm, confidential", 1, 7, height=0.3)
        box(added, str(number), 8 + number / 10, 7, width=1, height=0.3)
    text = read(made).text
    assert "Firm" not in text
    assert text.count("Same in the middle.") == 4
    assert text.startswith("Part 1\n\nWords 1.\n\nSame in the middle.\n\nPart 2")


def test_footer_date_and_number_of_the_layout_are_left_out() -> None:
    made = pptx.Presentation()
    added = slide(made, "Storm")
    for kind, words in (("ftr", "Firm"), ("dt", "5 March"), ("sldNum", "1")):
        mark = box(added, words, 1, 3)._element.nvSpPr.nvPr
        mark.append(mark.makeelement(f"{{{mark.nsmap['p']}}}ph", {"type": kind}))
    assert read(made).text == "Storm"


def test_notes_are_the_last_paragraph_of_their_slide() -> None:
    made = pptx.Presentation()
    added = slide(made, "Storm")
    added.notes_slide.notes_text_frame.text = "Pause here.\nAsk for questions."
    box(added, "Words.", 1, 2)
    document = read(made)
    assert document.text == "Storm\n\nWords.\n\nNotes: Pause here.\nAsk for questions."
    assert document.places[0].end == len(document.text)


def test_hidden_slides_are_left_out_and_said_and_the_others_keep_their_numbers() -> None:
    made = pptx.Presentation()
    for title in ("First", "Second", "Third"):
        slide(made, title)
    made.slides[1]._element.set("show", "0")
    loaded = load_file(PATH, saved(made))
    (document,) = loaded.documents
    assert document.text == "First\n\nThird"
    assert loaded.left_out == ("Slide 2 is hidden and is left out.",)
    assert [page.number for page in document.pages] == [1, 2, 3]
    assert [place.label for place in document.places] == ["1", "3"]


def test_a_damaged_slide_is_said_and_the_others_are_read() -> None:
    made = pptx.Presentation()
    for title in ("First", "Second"):
        slide(made, title)
    loaded = load_file(PATH, changed(saved(made), {"ppt/slides/slide1.xml": b"<p:sld"}))
    assert loaded.notes == ("Slide 1 is missing or damaged and is left out.",)
    assert loaded.documents[0].text == "Second"


def test_a_slide_of_pictures_alone_is_said() -> None:
    made = pptx.Presentation()
    slide(made, "Words")
    slide(made, layout=BLANK).shapes.add_picture(io.BytesIO(PICTURE), Inches(1), Inches(1))
    assert load_file(PATH, saved(made)).notes == ("Slide 2 holds only pictures, which are not read.",)


def test_a_chart_is_a_table_of_its_figures() -> None:
    made = pptx.Presentation()
    figures = CategoryChartData()
    figures.categories = ["North", "South"]
    figures.add_series("Sales", (41, 52.5))
    chart = slide(made, "Year").shapes.add_chart(
        XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(2), Inches(6), Inches(4), figures
    )
    chart.chart.has_title = True
    chart.chart.chart_title.text_frame.text = "Sales by region"
    document = read(made)
    assert document.text == "Year\n\nSales by region\n\n| Sales\nNorth | 41\nSouth | 52.5"
    assert (document.tables[0].header, document.tables[0].caption) == (1, "Sales by region")


DIAGRAM = """<dgm:dataModel xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"
 xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><dgm:ptLst><dgm:pt modelId="0" type="doc"/>
 <dgm:pt modelId="3"><dgm:t><a:p><a:r><a:t>wind</a:t></a:r></a:p></dgm:t></dgm:pt>
 <dgm:pt modelId="2"><dgm:t><a:p><a:r><a:t>Closure</a:t></a:r></a:p></dgm:t></dgm:pt>
 <dgm:pt modelId="1"><dgm:t><a:p><a:r><a:t>Storm</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst><dgm:cxnLst>
 <dgm:cxn srcId="0" destId="2" srcOrd="1"/><dgm:cxn srcId="0" destId="1" srcOrd="0"/>
 <dgm:cxn srcId="1" destId="3" srcOrd="0"/><dgm:cxn srcId="3" destId="1" srcOrd="0"/></dgm:cxnLst></dgm:dataModel>"""
FRAME = """<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="9" name="d"/><p:cNvGraphicFramePr/><p:nvPr/>
 </p:nvGraphicFramePr><p:xfrm><a:off x="0" y="0"/><a:ext cx="9" cy="9"/></p:xfrm><a:graphic><a:graphicData>
 <dgm:relIds xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" r:dm="rD"/>
 </a:graphicData></a:graphic></p:graphicFrame></p:spTree>"""


def test_a_diagram_is_a_list_in_its_order() -> None:
    made = pptx.Presentation()
    slide(made, "Chain")
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/diagramData"
    relation = f'<Relationship Id="rD" Type="{kind}" Target="../diagrams/data1.xml"/></Relationships>'
    root = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    data = changed(
        saved(made),
        {
            "ppt/diagrams/data1.xml": DIAGRAM.encode(),
            "ppt/slides/_rels/slide1.xml.rels": ("</Relationships>", relation),
            "ppt/slides/slide1.xml": ("</p:spTree>", FRAME.replace("<p:graphicFrame>", f"<p:graphicFrame {root}>")),
        },
    )
    assert load_document(PATH, data).text == "Chain\n\n- Storm\n  - wind\n- Closure"


def test_comments_come_in_only_when_asked_for() -> None:
    made = pptx.Presentation()
    slide(made, "Storm")
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    relation = '<Relationship Id="rC" Type="{}/{}" Target="{}"/></Relationships>'
    namespace = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
    data = changed(
        saved(made),
        {
            "ppt/comments/comment1.xml": (
                f'<p:cmLst {namespace}><p:cm authorId="4" idx="1"><p:text>Since when?</p:text></p:cm></p:cmLst>'
            ).encode(),
            "ppt/commentAuthors.xml": (
                f'<p:cmAuthorLst {namespace}><p:cmAuthor id="4" name="Anna"/></p:cmAuthorLst>'
            ).encode(),
            "ppt/slides/_rels/slide1.xml.rels": (
                "</Relationships>",
                relation.format(kind, "comments", "../comments/comment1.xml"),
            ),
            "ppt/_rels/presentation.xml.rels": (
                "</Relationships>",
                relation.format(kind, "commentAuthors", "commentAuthors.xml"),
            ),
        },
    )
    assert load_document(PATH, data).text == "Storm"
    assert load_document(PATH, data, LoadOptions(comments=True)).text == "Storm\n\n[Comment of Anna: Since when?]"


def test_a_presentation_without_slides_is_said() -> None:
    with pytest.raises(LoadError, match=r"a\.pptx is empty: it holds no slides"):
        load_document(PATH, saved(pptx.Presentation()))


def test_properties_become_metadata() -> None:
    made = pptx.Presentation()
    made.core_properties.title, made.core_properties.author = "Storm report", "Anna"
    slide(made, "Storm")
    document = read(made)
    assert (document.title, document.metadata["author"]) == ("Storm report", "Anna")
