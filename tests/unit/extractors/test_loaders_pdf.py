"""PDF files made here, read back: what is said about files, pages and properties."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from pdf_files import lines, pdf, picture
from pydantic import SecretStr

import extractors.loaders.pdf as pdf_module
from extractors.loaders import load_document, load_file
from extractors.loaders.ocr import RecognisedLine, installed_recognizer
from extractors.loaders.pdf import PdfLoader
from extractors.loaders.pdf_info import metadata_of, page_ranges
from extractors.ports import LoadOptions
from storage.errors import LoadError

A = Path("a.pdf")

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


def scan(canvas: Any, index: int) -> None:
    canvas.drawInlineImage(picture(["The crane fell because the rope broke."]), 20, 300, width=360, height=66)


def test_headings_pages_and_title() -> None:
    document = load_document(A, pdf(ENGLISH))
    assert [s.path for s in document.sections] == [("The great storm",), ("The great storm", "Outlook")]
    second = document.text.index("the harbour master gave")
    assert [(p.number, p.start, p.end) for p in document.pages] == [(1, 0, second), (2, second, len(document.text))]
    assert document.title == "The great storm"
    assert load_document(A, pdf(ENGLISH, title="Storm report")).title == "Storm report"


def test_an_empty_page_is_counted() -> None:
    document = load_document(A, pdf([ENGLISH[1], [], ENGLISH[0]]))
    assert [p.number for p in document.pages] == [1, 2, 3]
    assert document.pages[1].start == document.pages[1].end == document.pages[2].start


def test_what_the_file_says_of_itself_is_metadata() -> None:
    metadata = load_document(A, pdf(ENGLISH, author="Ada  Lovelace")).metadata
    assert metadata["author"] == "Ada Lovelace"
    assert metadata["created"] == "2000-01-01T00:00:00+00:00"


@pytest.mark.parametrize(
    ("date", "iso"),
    [
        ("D:20240229134501+02'00'", "2024-02-29T13:45:01+02:00"),
        ("D:20240229134501Z", "2024-02-29T13:45:01+00:00"),
        ("D:202402291345", "2024-02-29T13:45:00"),
        ("D:20240229", "2024-02-29"),
        ("D:2024", "2024"),
        ("yesterday", None),
    ],
)
def test_dates_are_iso_text(date: str, iso: str | None) -> None:
    assert metadata_of({"ModDate": date}).get("modified") == iso


def test_a_protected_pdf_opens_with_its_password_only() -> None:
    data = pdf(ENGLISH, password="secret")
    with pytest.raises(LoadError, match=r"a\.pdf is protected by a password: it can be read with its password only"):
        load_document(A, data)
    with pytest.raises(LoadError, match="the password that was given does not open it") as caught:
        load_document(A, data, LoadOptions(password=SecretStr("guess")))
    assert "guess" not in str(caught.value)
    opened = load_document(A, data, LoadOptions(password=SecretStr("secret")))
    assert opened.text == load_document(A, pdf(ENGLISH)).text


def test_a_pdf_with_nothing_on_its_pages_is_empty() -> None:
    with pytest.raises(LoadError, match="empty: no text is on its 2 pages"):
        load_document(A, pdf([[], []]))


@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.9])
def test_a_cut_off_pdf_is_refused_and_not_read_in_part(share: float) -> None:
    data = pdf(ENGLISH)
    with pytest.raises(LoadError, match="damaged or cut off"):
        load_document(A, data[: int(len(data) * share)])


def test_a_pdf_that_takes_too_long_is_refused() -> None:
    with pytest.raises(LoadError, match="took longer than"):
        PdfLoader(seconds=-1).load(A, pdf(ENGLISH), LoadOptions())


def test_a_pdf_of_pictures_says_how_many_pages_are_images(monkeypatch: pytest.MonkeyPatch) -> None:
    data = pdf([[], []], draw=scan)
    with pytest.raises(LoadError, match=r"2 of 2 pages are images\. Allow text recognition"):
        load_document(A, data, LoadOptions(ocr=False))
    monkeypatch.setattr(pdf_module, "installed_recognizer", lambda: None)
    with pytest.raises(LoadError, match=r"2 of 2 pages are images. Install .* pip install 'clew\[ocr\]'"):
        load_document(A, data)


def test_a_partly_scanned_pdf_says_which_pages_were_not_read() -> None:
    data = pdf(
        [ENGLISH[1], [], [], ENGLISH[0], []], draw=lambda canvas, index: scan(canvas, index) if index % 3 else None
    )
    loaded = load_file(A, data, LoadOptions(ocr=False))
    assert loaded.notes == (
        "Pages 2–3, 5 of 5 hold pictures only and were not read: text recognition (OCR) is off or not installed.",
    )


class _Reader:
    name = "fake@1"

    def lines(self, picture: Any) -> list[RecognisedLine]:
        assert picture.shape[2] == 3
        return [
            RecognisedLine("ships could not leave.", 100, 240, 700, 270),
            RecognisedLine("The port closed, so the", 100, 200, 700, 229),
        ]


def test_recognised_lines_become_paragraphs_and_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_module, "installed_recognizer", _Reader)
    loaded = load_file(A, pdf([ENGLISH[1], []], draw=lambda canvas, index: scan(canvas, index) if index else None))
    document = loaded.documents[0]
    assert document.text.endswith("this year.\n\nThe port closed, so the ships could not leave.")
    assert document.text[document.pages[1].start :].startswith("The port closed")
    assert loaded.notes == ("Page 2 of 2 was read by text recognition (OCR).",)


def test_pictures_without_words_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    class Blind(_Reader):
        def lines(self, picture: Any) -> list[RecognisedLine]:
            return []

    monkeypatch.setattr(pdf_module, "installed_recognizer", Blind)
    with pytest.raises(LoadError, match="1 of 1 pages is an image, and text recognition"):
        load_document(A, pdf([[]], draw=scan))


@pytest.mark.skipif(find_spec("rapidocr") is None, reason="needs the extra ocr")
def test_a_picture_of_text_is_read_with_the_extra() -> None:
    recognizer = installed_recognizer()
    assert recognizer is not None
    assert recognizer.name.startswith("rapidocr@")
    assert load_document(A, pdf([[]], draw=scan)).text == "The crane fell because the rope broke."


def test_filled_in_fields_stand_in_the_text() -> None:
    def form(canvas: Any, index: int) -> None:
        canvas.acroForm.textfield(name="who", value="Ada Lovelace", x=120, y=495, width=200, height=20)

    assert load_document(A, pdf([lines(500, "Reported by")], draw=form)).text == "Reported by Ada Lovelace"


def test_comments_are_read_only_when_asked_for() -> None:
    def remark(canvas: Any, index: int) -> None:
        canvas.textAnnotation("Is this so?", Rect=[300, 500, 320, 520])

    data = pdf([lines(500, "The rope broke.")], draw=remark)
    assert load_document(A, data).text == "The rope broke."
    commented = load_document(A, data, LoadOptions(comments=True)).text
    assert commented == "The rope broke.\n\n[Comment of unknown: Is this so?]"


@pytest.mark.parametrize(
    ("numbers", "words"), [([3], "page 3"), ([1, 2], "pages 1–2"), ([1, 4, 5, 6, 9], "pages 1, 4–6, 9")]
)
def test_page_numbers_as_a_person_writes_them(numbers: list[int], words: str) -> None:
    assert page_ranges(numbers) == words
