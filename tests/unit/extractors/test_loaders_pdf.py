"""PDF files made here, read back."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import pytest

from extractors.loaders import load_document
from extractors.loaders.pdf import PdfLoader
from extractors.ports import LoadOptions
from storage.errors import LoadError

canvas_module = pytest.importorskip("reportlab.pdfgen.canvas")

Row = tuple[float, float, str, float, str]  # x, y from the bottom, font, size, words


def pdf(pages: Sequence[Sequence[Row]], *, title: str = "", password: str | None = None) -> bytes:
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont

    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
    buffer = io.BytesIO()
    canvas = canvas_module.Canvas(buffer, pagesize=(400, 600), encrypt=password, invariant=1)
    if title:
        canvas.setTitle(title)
    for rows in pages:
        for x, y, font, size, words in rows:
            canvas.setFont(font, size)
            canvas.drawString(x, y, words)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def lines(y: float, *words: str, font: str = "Times-Roman", size: float = 11) -> list[Row]:
    return [(50, y - 13 * i, font, size, each) for i, each in enumerate(words)]


ENGLISH = [
    [
        *lines(580, "Harbour news, page 1", size=8),
        *lines(540, "The great storm", font="Times-Bold", size=18),
        *lines(
            500, "The port closed because the typhoon made land-", "fall near the coast, and all of the ships had to"
        ),
        *lines(474, "wait."),
        *lines(440, "The crane stood still until the day was good and"),
    ],
    [
        *lines(580, "Harbour news, page 2", size=8),
        *lines(540, "the harbour master gave the order to open again."),
        *lines(500, "Outlook", font="Times-Bold", size=14),
        *lines(470, "More storms will come to the harbour this year."),
    ],
]


def test_lines_become_paragraphs_over_line_and_page_ends() -> None:
    document = load_document(Path("a.pdf"), pdf(ENGLISH))
    assert document.text.split("\n\n") == [
        "The great storm",
        "The port closed because the typhoon made landfall near the coast, and all of the ships had to wait.",
        "The crane stood still until the day was good and the harbour master gave the order to open again.",
        "Outlook",
        "More storms will come to the harbour this year.",
    ]


def test_headings_pages_and_title() -> None:
    document = load_document(Path("a.pdf"), pdf(ENGLISH))
    assert [s.path for s in document.sections] == [("The great storm",), ("The great storm", "Outlook")]
    second = document.text.index("the harbour master gave")
    assert [(p.number, p.start, p.end) for p in document.pages] == [(1, 0, second), (2, second, len(document.text))]
    assert document.title == "The great storm"
    assert load_document(Path("a.pdf"), pdf(ENGLISH, title="Storm report")).title == "Storm report"


def test_chinese_lines_join_without_a_blank() -> None:
    first, second = "由于台风在沿海地区登陆，港口停止作业，船", "只只能在外海等待。"
    rows = lines(500, first, second, font="STSong-Light", size=12)
    assert load_document(Path("a.pdf"), pdf([rows])).text == first + second


def test_an_empty_page_is_counted() -> None:
    document = load_document(Path("a.pdf"), pdf([ENGLISH[1], [], ENGLISH[1]]))
    assert [p.number for p in document.pages] == [1, 2, 3]
    assert document.pages[1].start == document.pages[1].end == document.pages[2].start


def test_a_pdf_that_needs_a_password_says_so() -> None:
    with pytest.raises(LoadError, match="protected by a password"):
        load_document(Path("a.pdf"), pdf(ENGLISH, password="secret"))


def test_a_pdf_without_text_asks_for_text_recognition() -> None:
    with pytest.raises(LoadError, match="OCR"):
        load_document(Path("a.pdf"), pdf([[]]))


@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.9])
def test_a_cut_off_pdf_is_refused_and_not_read_in_part(share: float) -> None:
    data = pdf(ENGLISH)
    with pytest.raises(LoadError, match="damaged or cut off"):
        load_document(Path("a.pdf"), data[: int(len(data) * share)])


def test_a_pdf_that_takes_too_long_is_refused() -> None:
    with pytest.raises(LoadError, match="took longer than"):
        PdfLoader(seconds=-1).load(Path("a.pdf"), pdf(ENGLISH), LoadOptions())
