"""Pictures inside documents: read by the extra ``ocr``, or by the reader of another package, in their place."""

from __future__ import annotations

import importlib
import io
import re
import struct
import sys
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import docx
import pptx
import pytest
from docx.oxml import parse_xml
from office_files import changed, saved
from picture_package import noted, write_picture_package
from PIL import Image, ImageDraw, ImageFont
from pptx.util import Inches
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from extractors.loaders import load_file, pictures
from extractors.loaders.limits import LoadLimits
from extractors.loaders.ocr import RecognisedLine
from extractors.loaders.picture_text import TextInPictures
from extractors.loaders.pictures import Pictures, load_signature, picture_reader
from extractors.loaders.worker import LoadWorker
from extractors.ports import LoadedFile, LoadOptions
from storage.errors import LoadError
from storage.records import Document

ON = LoadOptions(pictures=True)


@pytest.fixture(autouse=True)
def reader_anew() -> Iterator[None]:
    """Which reader there is, is asked anew in each test."""
    picture_reader.cache_clear()
    yield
    picture_reader.cache_clear()


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The reader of another package that says what is noted in a picture."""
    monkeypatch.syspath_prepend(str(write_picture_package(tmp_path / "site")))
    importlib.invalidate_caches()
    yield
    sys.modules.pop("note_reader", None)


def written(*lines: str, size: tuple[int, int] = (700, 120)) -> bytes:
    """A picture with these lines of 28 pixels."""
    picture = Image.new("RGB", size, "white")
    draw, font = ImageDraw.Draw(picture), ImageFont.load_default(28)
    for at, line in enumerate(lines):
        draw.text((20, 15 + at * 40), line, fill="black", font=font)
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()


def word(*parts: str | bytes) -> bytes:
    """A DOCX of paragraphs and pictures."""
    made = docx.Document()
    for part in parts:
        if isinstance(part, str):
            made.add_paragraph(part)
        else:
            made.add_picture(io.BytesIO(part))
    return saved(made)


def slides(*slides: Sequence[str | bytes]) -> bytes:
    """A PPTX: on each slide words and pictures from the top down."""
    made = pptx.Presentation()
    for parts in slides:
        slide = made.slides.add_slide(made.slide_layouts[6])
        for at, part in enumerate(parts):
            if isinstance(part, str):
                slide.shapes.add_textbox(Inches(1), Inches(at * 1.5), Inches(5), Inches(0.5)).text_frame.text = part
            else:
                slide.shapes.add_picture(io.BytesIO(part), Inches(1), Inches(at * 1.5), Inches(2), Inches(1))
    return saved(made)


def book(body: str, **members: bytes) -> bytes:
    """An EPUB of one chapter, and other members of its folder."""
    root = '<rootfile full-path="b/book.opf" media-type="application/oebps-package+xml"/>'
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata/><manifest>'
        '<item id="c" href="text/c.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="c"/></spine></package>'
    )
    chapter = f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{body}</body></html>'
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr(
            "META-INF/container.xml",
            f'<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>{root}</rootfiles>'
            "</container>",
        )
        archive.writestr("b/book.opf", package)
        archive.writestr("b/text/c.xhtml", chapter)
        for name, data in members.items():
            archive.writestr(f"b/{name.replace('__', '.')}", data)
    return buffer.getvalue()


def load(name: str, data: bytes, options: LoadOptions = ON) -> LoadedFile:
    return load_file(Path(name), data, options)


def text(name: str, data: bytes, options: LoadOptions = ON) -> str:
    (document,) = load(name, data, options).documents
    return document.text


def blocks(name: str, data: bytes) -> list[str]:
    return text(name, data).split("\n\n")


# --- text recognition ------------------------------------------------------------------------------------------------

PUMP = ("The pump failed because", "the seal was worn.")


def test_the_words_of_a_picture_stand_where_it_stands_as_one_sentence() -> None:
    said = "[Picture: The pump failed because the seal was worn.]"
    assert blocks("a.docx", word("Before.", written(*PUMP), "After.")) == ["Before.", said, "After."]


def test_a_damaged_picture_is_told_of() -> None:
    with Image.open(io.BytesIO(written(*PUMP))) as picture:
        buffer = io.BytesIO()
        picture.save(buffer, "JPEG")
    cut = changed(word("Before.", buffer.getvalue()), {"word/media/image1.jpg": buffer.getvalue()[:3000]})
    loaded = load("a.docx", cut)
    assert loaded.documents[0].text == "Before."
    assert loaded.notes == (
        "1 picture was not read: damaged, larger than 32 MB, or none of PNG, JPEG, GIF, BMP, TIFF, WEBP.",
    )


class _Recognizer:
    """Recognises the lines it is given, and keeps the picture."""

    name = "stand-in@1"

    def __init__(self, *lines: RecognisedLine) -> None:
        self._lines = list(lines)
        self.picture: Any = None

    def lines(self, picture: Any) -> list[RecognisedLine]:
        self.picture = picture
        return self._lines


def line(text: str, left: float, top: float, width: float) -> RecognisedLine:
    return RecognisedLine(text, left, top, left + width, top + 20)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (  # cut by the width: "worn." had no room; the third line is another block
            [line("seal was worn.", 10, 30, 140), line("The pump stopped because the", 10, 5, 280),
             line("Figure 3", 10, 120, 80)],
            "The pump stopped because the seal was worn.\nFigure 3",
        ),
        ([line("Valve 3", 10, 5, 70), line("Valve 30", 10, 30, 80)], "Valve 3\nValve 30"),
        (  # "Then" had room in the line above, so the line ended on purpose
            [line("It rained all day.", 10, 5, 180), line("Then the river rose over it all", 10, 30, 310)],
            "It rained all day.\nThen the river rose over it all",
        ),
        ([line("因为密封件磨损所以水泵", 10, 5, 220), line("停了。", 10, 30, 60)], "因为密封件磨损所以水泵停了。"),
        (  # further apart from side to side than from line to line: columns
            [line("Rain", 10, 5, 50), line("Flood", 400, 5, 60), line("Heat", 10, 60, 55), line("Dry", 400, 60, 60)],
            "Rain\nHeat\nFlood\nDry",
        ),
    ],
)  # fmt: skip
def test_lines_are_put_in_order_and_wrapped_ones_joined(lines: list[RecognisedLine], expected: str) -> None:
    assert TextInPictures(_Recognizer(*lines)).read(written()) == expected


def test_a_picture_is_recognised_upright_on_white_and_no_larger_than_needed() -> None:
    recognizer = _Recognizer()
    buffer = io.BytesIO()
    turned = Image.Exif()
    turned[0x0112] = 6  # the top is at the right
    Image.new("RGBA", (3000, 1000), (0, 0, 0, 0)).save(buffer, "PNG", exif=turned)
    TextInPictures(recognizer).read(buffer.getvalue())
    assert recognizer.picture.shape == (2000, 736, 3)
    assert recognizer.picture.min() == 255


# --- the reader of a package, and where what it says stands ----------------------------------------------------------


@pytest.mark.parametrize("name", ["a.docx", "a.pptx", "a.epub"])
def test_without_the_option_nothing_changes(notes: None, name: str) -> None:
    picture = noted("say A caption.")
    data = {
        "a.docx": word("Before.", picture, "After."),
        "a.pptx": slides(["Before.", picture, "After."]),
        "a.epub": book('<p>Before.</p><p><img src="../x.png" alt="Seen"/></p><p>After.</p>', x__png=picture),
    }[name]
    off = load(name, data, LoadOptions())
    assert off.documents[0].text == "Before.\n\nAfter."
    assert off.notes == ()
    assert blocks(name, data) == ["Before.", "[Picture: A caption.]", "After."]


def test_lines_stay_lines_and_the_mark_is_in_the_language_of_the_words(notes: None) -> None:
    expected = ["[Picture: Rain|Flood]".replace("|", "\n"), "[图片：暴雨导致洪水。]"]
    pictures = [noted("say  Rain | |Flood"), noted("say 暴雨导致洪水。")]
    assert blocks("a.docx", word(*pictures)) == expected
    assert blocks("a.pptx", slides(pictures)) == expected
    members = {"1.png": pictures[0], "2.png": pictures[1]}
    assert blocks("a.epub", book('<img src="../1.png"/><img src="../2.png"/>', **members)) == expected


def test_a_picture_is_read_once_and_one_that_stands_three_times_is_a_logo(notes: None) -> None:
    logo, twice = noted("say ACME"), noted("say Twice.")
    made = slides([logo, "One."], [logo, twice, "Two."], [logo, twice, "Three."])
    assert blocks("a.pptx", made) == ["One.", "[Picture: Twice.]", "Two.", "Three."]
    assert blocks("a.docx", word(logo, "One.", logo, twice, logo, twice)) == ["One.", "[Picture: Twice.]"]
    image = '<p><img src="../l.png"/></p>'
    assert blocks("a.epub", book(image * 3 + "<p>One.</p>", l__png=logo)) == ["One."]


def test_icons_and_rules_are_not_read(notes: None) -> None:
    sizes = [(99, 99), (700, 11), (100, 12)]
    made = word("Text.", *(noted(f"say {w} by {h}", (w, h)) for w, h in sizes))
    loaded = load("a.docx", made)
    assert loaded.documents[0].text == "Text.\n\n[Picture: 100 by 12]"
    assert loaded.notes == ()


def alternative(data: bytes, words: str) -> bytes:
    """A DOCX whose only picture has an alternative text."""
    return changed(data, {"word/document.xml": ('name="Picture 1"', f'name="Picture 1" descr="{words}"')})


@pytest.mark.parametrize(
    ("note", "said", "expected"),
    [
        ("", "A pump without its seal", "[Picture: A pump without its seal]"),
        ("say Read.", "A pump without its seal", "[Picture: Read.]"),
        ("stumble", "A pump", "[Picture: A pump]"),
        ("", "A pump&#10;&#10;Description automatically generated with low confidence", "[Picture: A pump]"),
        ("", "scan-17.JPG", ""),
        ("", "Picture 3", ""),
        ("", "图片 2", ""),
        ("", "一台水泵", "[图片：一台水泵]"),
    ],
)
def test_what_the_author_says_of_a_picture_stands_in_for_words(
    notes: None, note: str, said: str, expected: str
) -> None:
    data = alternative(word("Text.", noted(note)), said)
    assert text("a.docx", data) == "\n\n".join(filter(None, ["Text.", expected]))
    made = pptx.Presentation()
    slide = made.slides.add_slide(made.slide_layouts[6])
    picture = slide.shapes.add_picture(io.BytesIO(noted(note)), 0, 0)
    picture._element.nvPicPr.cNvPr.set("descr", said.replace("&#10;", "\n"))
    slide.shapes.add_textbox(0, Inches(3), Inches(5), Inches(1)).text_frame.text = "Text."
    assert text("a.pptx", saved(made)) == "\n\n".join(filter(None, [expected, "Text."]))
    chapter = book(f'<p>Text.</p><p><img src="../x.png" alt="{said}"/></p>', x__png=noted(note))
    assert text("a.epub", chapter) == "\n\n".join(filter(None, ["Text.", expected]))


def test_a_picture_in_a_table_stands_after_it(notes: None) -> None:
    made = docx.Document()
    table = made.add_table(2, 2)
    for at, cell in enumerate(cell for row in table.rows for cell in row.cells):
        cell.text = f"cell {at}"
    table.cell(0, 0).paragraphs[0].add_run().add_picture(io.BytesIO(noted("say In the table.")))
    assert blocks("a.docx", saved(made)) == ["cell 0 | cell 1\ncell 2 | cell 3", "[Picture: In the table.]"]


def test_a_picture_in_a_note_is_that_of_the_note(notes: None) -> None:
    data = word("Text.", noted("say Of the text."))
    reference = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    kinds = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    relations = "word/_rels/document.xml.rels"
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        (same,) = re.findall(r'r:embed="(\w+)"', archive.read("word/document.xml").decode())
    picture = (
        '<w:p><w:r><w:pict xmlns:v="urn:schemas-microsoft-com:vml"><v:shape>'
        f'<v:imagedata r:id="{same}" xmlns:r="{kinds}"/></v:shape></w:pict></w:r></w:p>'
    )
    parts: dict[str, bytes | tuple[str, str]] = {
        "word/document.xml": ("Text.</w:t></w:r>", f"Text.</w:t></w:r>{reference}"),
        relations: (
            "</Relationships>",
            f'<Relationship Id="n" Type="{kinds}/footnotes" Target="footnotes.xml"/></Relationships>',
        ),
        "word/footnotes.xml": (
            '<w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
            f'<w:footnote w:id="2">{picture}</w:footnote></w:footnotes>'
        ).encode(),
        "word/_rels/footnotes.xml.rels": (
            '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            f'<Relationship Id="{same}" Type="{kinds}/image" Target="media/note.png"/></Relationships>'
        ).encode(),
        "word/media/note.png": noted("say Of the note."),
    }
    assert blocks("a.docx", changed(data, parts)) == ["Text.", "[Picture: Of the note.]", "[Picture: Of the text.]"]


def test_an_old_picture_of_a_shape_is_read_and_a_pattern_is_not(notes: None) -> None:
    made = docx.Document()
    reference, _ = made.part.get_or_add_image(io.BytesIO(noted("say Old.")))
    made.element.body.insert(0, parse_xml(
        '<w:p xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
        'xmlns:v="urn:schemas-microsoft-com:vml" '
        'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><w:r><w:pict><v:shape '
        f'alt="An old one"><v:imagedata r:id="{reference}"/></v:shape></w:pict></w:r></w:p>'
    ))  # fmt: skip
    assert text("a.docx", saved(made)) == "[Picture: Old.]"
    data = changed(saved(made), {"word/document.xml": ("v:imagedata", "v:fill")})
    with pytest.raises(LoadError, match="is empty"):
        load("a.docx", data)


def test_in_a_book_a_picture_keeps_the_text_around_it(notes: None) -> None:
    body = (
        '<h1>One<img src="../h.png"/></h1><p>Left <img src="../m.png"/> right.</p>'
        '<ul><li>Item<img src="../i.png"/></li></ul>'
        '<svg xmlns="http://www.w3.org/2000/svg"><image xmlns:x="http://www.w3.org/1999/xlink" x:href="../s.png"/>'
        '</svg><div style="display:none"><img src="../n.png"/></div><img src="http://127.0.0.1/x.png" alt="Far"/>'
        '<img src="../../../etc/passwd"/><img src="../none.png" alt="Missing"/>'
    )
    members = {f"{name}.png": noted(f"say {name}") for name in "hmisn"}
    loaded = load("a.epub", book(body, **members))
    assert loaded.documents[0].text.split("\n\n") == [
        "One", "[Picture: h]", "Left", "[Picture: m]", "right.", "- Item", "[Picture: i]", "[Picture: s]",
        "[Picture: Missing]",
    ]  # fmt: skip
    assert [s.path for s in loaded.documents[0].sections] == [("One",)]
    assert len(loaded.notes) == 1


def test_a_slide_of_pictures_alone_is_told_of_only_if_nothing_was_found(notes: None) -> None:
    made = slides(["Words."], [noted("say Seen.")], [noted("")])
    assert load("a.pptx", made, LoadOptions()).notes == (
        "Slide 2 holds only pictures, which are not read.",
        "Slide 3 holds only pictures, which are not read.",
    )
    loaded = load("a.pptx", made)
    assert loaded.notes == ("Slide 3 holds only pictures, in which no words were found.",)
    (document,) = loaded.documents
    assert [document.text[p.start : p.end].strip() for p in document.pages] == ["Words.", "[Picture: Seen.]", ""]
    assert [(p.label, document.text[p.start : p.end]) for p in document.places] == [
        ("1", "Words."),
        ("2", "[Picture: Seen.]"),
    ]


# --- PDF -------------------------------------------------------------------------------------------------------------


def printed(*pages: Sequence[tuple[str | bytes, float, float]], turn: int = 0) -> bytes:
    """A PDF; on each page words and pictures of 350 × 60 points at a place from the bottom left."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(700, 700))
    for page in pages:
        canvas.setPageRotation(turn)
        for part, x, y in page:
            if isinstance(part, str):
                canvas.drawString(x, y, part)
            else:
                canvas.drawImage(ImageReader(io.BytesIO(part)), x, y, 350, 60)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


class _Colours:
    """Says the colour in the middle of a picture, and its size in tens of pixels."""

    name = "colours@1"

    def read(self, picture: bytes) -> str:
        with Image.open(io.BytesIO(picture)) as image:
            middle = image.convert("RGB").getpixel((image.width // 2, image.height // 2))
            return f"{middle} {round(image.width, -1)} by {round(image.height, -1)}"


def plain(colour: str) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (700, 120), colour).save(buffer, "PNG")
    return buffer.getvalue()


def test_a_picture_on_a_page_of_a_pdf_is_read_at_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "picture_reader", _Colours)
    data = printed(
        [("Before.", 50, 600), (plain("red"), 50, 500), (plain("blue"), 50, 300), ("After.", 50, 100)],
        [("Second.", 50, 600), (plain("red"), 50, 500), (plain("green"), 900, 500)],
    )
    document = load("a.pdf", data).documents[0]
    red, blue = "[Picture: (255, 0, 0) 970 by 170]", "[Picture: (0, 0, 255) 970 by 170]"  # 350 × 60 at 200 dpi
    assert document.text.split("\n\n") == ["Before.", "After.", red, blue, "Second."]
    assert [document.text[p.start : p.end].strip()[-7:] for p in document.pages] == ["by 170]", "Second."]
    assert text("a.pdf", data, LoadOptions()) == "Before.\n\nAfter.\n\nSecond."


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_on_a_turned_page_a_picture_is_read_as_it_is_seen(monkeypatch: pytest.MonkeyPatch, turn: int) -> None:
    monkeypatch.setattr(pictures, "picture_reader", _Colours)
    words = text("a.pdf", printed([("Before.", 50, 650), (plain("red"), 50, 500)], turn=turn))
    size = "170 by 970" if turn in {90, 270} else "970 by 170"
    assert words == f"Before.\n\n[Picture: (255, 0, 0) {size}]"


def test_a_picture_under_words_is_not_read_and_strips_are_one_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "picture_reader", _Colours)
    scan = printed([(plain("red"), 50, 500), ("A scan that was read before.", 60, 520)])
    assert text("a.pdf", scan) == "A scan that was read before."
    strips = printed([("Before.", 50, 650), (plain("red"), 50, 500), (plain("red"), 50, 440), (plain("blue"), 50, 200)])
    assert text("a.pdf", strips).split("\n\n") == [
        "Before.",
        "[Picture: (255, 0, 0) 970 by 330]",
        "[Picture: (0, 0, 255) 970 by 170]",
    ]


# --- what goes wrong -------------------------------------------------------------------------------------------------


def bomb(width: int, height: int) -> bytes:
    """A small PNG that says it is very large."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(b"\0" * 1000))
        + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize("size", [(60_000, 60_000), (12_000, 10_000), (40_001, 1000)])
def test_a_picture_that_would_unpack_to_too_much_is_not_opened(notes: None, size: tuple[int, int]) -> None:
    loaded = load("a.docx", word("Text.", bomb(*size)))
    assert loaded.documents[0].text == "Text."
    assert loaded.notes == ("1 picture was not read: larger than 40 million pixels.",)


@pytest.mark.parametrize(
    "junk", [b"", b"junk", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"%!PS-Adobe-3.0 EPSF-3.0\n", b"II*\0\xff"]
)
def test_what_is_no_picture_is_told_of(notes: None, junk: bytes) -> None:
    data = changed(word("Text.", noted("say Seen."), noted("say Lost.")), {"word/media/image1.png": junk})
    loaded = load("a.docx", data)
    assert loaded.documents[0].text == "Text.\n\n[Picture: Lost.]"
    assert [note.partition(":")[0] for note in loaded.notes] == ["1 picture was not read"]


def test_a_reader_that_fails_loses_its_pictures_alone(notes: None) -> None:
    loaded = load("a.docx", word("Text.", noted("stumble over it"), noted("stumble again"), noted("say Seen.")))
    assert loaded.documents[0].text == "Text.\n\n[Picture: Seen.]"
    assert loaded.notes == (
        "2 pictures were not read: notes@1 failed (ZeroDivisionError: over it). A reader that needs the network or "
        "writes files needs loader_process = false.",
    )


def test_two_hundred_pictures_are_read_and_no_more(notes: None) -> None:
    made = word("Text.", *(noted(f"say number {at}") for at in range(203)))
    loaded = load("a.docx", made)
    expected = ["Text.", *(f"[Picture: number {at}]" for at in range(200))]
    assert loaded.documents[0].text.split("\n\n") == expected
    assert loaded.notes == ("3 pictures were not read: of one document 200 are read. Split it.",)


def test_when_their_time_is_over_the_others_are_left_out(notes: None) -> None:
    made = word(noted("wait 0.3"), noted("say Not read."), "Text.")
    loaded = load("a.docx", made, LoadOptions(pictures=True, picture_seconds=0.2))
    assert loaded.documents[0].text == "[Picture: late]\n\nText."
    assert loaded.notes[0].startswith("1 picture was not read: the 0.2 s for them, half of loader_seconds, were over.")


def test_words_without_end_are_cut() -> None:
    class Endless:
        name = "endless@1"

        def read(self, picture: bytes) -> str:
            return "word " * 100_000

    assert len(Pictures(Endless()).words("x", lambda: noted(""))) == 20_000 + len("[Picture: ]")


def test_without_a_reader_that_is_said_and_the_alternative_texts_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "installed_recognizer", lambda: None)
    data = alternative(word("Text.", noted("say Unseen.")), "A pump")
    loaded = load("a.docx", data)
    assert loaded.documents[0].text == "Text.\n\n[Picture: A pump]"
    assert "pip install 'clew[ocr]'" in loaded.notes[0]
    assert load("a.docx", word("No picture.")).notes == ()


def test_a_reader_that_cannot_be_made_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(write_picture_package(tmp_path / "site", "BrokenReader")))
    loaded = load("a.docx", word("Text.", written(*PUMP)))
    assert loaded.documents[0].text == "Text."
    assert "the package with the entry point clew.pictures" in loaded.notes[0]
    sys.modules.pop("note_reader", None)


# --- the fingerprint, and the process that reads ---------------------------------------------------------------------


def test_the_signature_names_who_reads(notes: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_signature(LoadOptions()) == ""
    assert load_signature(ON) == "pictures=True,picture_reader=notes@1"


def test_the_signature_says_when_nobody_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "installed_recognizer", lambda: None)
    assert load_signature(ON) == "pictures=True,picture_reader=none"


@pytest.fixture
def worker() -> Iterator[LoadWorker]:
    made = LoadWorker(LoadLimits(seconds=60))
    yield made
    made.close()


def one(loaded: LoadedFile) -> Document:
    (document,) = loaded.documents
    return document


def test_pictures_are_read_in_the_process_of_its_own(worker: LoadWorker) -> None:
    said = "[Picture: The pump failed because the seal was worn.]"
    assert one(worker.load(Path("a.docx"), word(written(*PUMP)), ON)).text == said


def test_there_a_reader_has_no_network_and_the_next_file_is_read(notes: None, worker: LoadWorker) -> None:
    made = word("Text.", noted("connect 9"))
    loaded = worker.load(Path("a.docx"), made, ON)
    assert one(loaded).text == "Text."
    assert "may not do this: socket." in loaded.notes[0]
    with pytest.raises(LoadError, match="needs more than"):
        worker.load(Path("a.docx"), word(noted("fill")), ON)
    assert one(worker.load(Path("a.docx"), word(noted("say Seen.")), ON)).text == "[Picture: Seen.]"


def test_there_half_of_the_time_is_for_pictures(notes: None) -> None:
    worker = LoadWorker(LoadLimits(seconds=4))
    try:
        loaded = worker.load(Path("a.docx"), word(noted("wait 2.1"), noted("say Late."), "Text."), ON)
    finally:
        worker.close()
    assert one(loaded).text == "[Picture: late]\n\nText."
    assert "the 2 s for them, half of loader_seconds, were over" in loaded.notes[0]
