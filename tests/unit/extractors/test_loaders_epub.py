"""EPUB books made here, read back."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from extractors.loaders import load_document, load_file, loader_for
from extractors.ports import LoadedFile
from storage.errors import LoadError

CONTAINER = '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>{}</rootfiles></container>'
ROOTFILE = '<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/>'
PACKAGE = """<?xml version="1.0"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:title>Storm</dc:title><dc:creator>Li Na</dc:creator><dc:creator>Bo</dc:creator><dc:date>2026-01-31</dc:date>
<dc:language>en-GB</dc:language><meta property="dcterms:modified">2026-02-01T00:00:00Z</meta></metadata>
<manifest>{items}</manifest><spine>{spine}</spine>{guide}</package>"""
CHAPTER = (
    '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml" '
    'xmlns:epub="http://www.idpf.org/2007/ops"><head><title/></head><body{}>{}</body></html>'
)
NAV = '<nav epub:type="toc"><h1>Contents</h1><ol><li><a href="c1.xhtml">One</a></li></ol></nav>'


def chapter(body: str, attributes: str = "") -> str:
    return CHAPTER.format(attributes, body)


def book(chapters: dict[str, str], guide: str = "", **more: str) -> bytes:
    """A book with these chapters in this order; a name with "nav" in it is the document of navigation."""
    items = "".join(
        f'<item id="i{n}" href="{name}" media-type="application/xhtml+xml"{" properties=" + chr(34) + "nav" + chr(34) if "nav" in name else ""}/>'  # noqa: E501
        for n, name in enumerate(chapters)
    )
    spine = "".join(f'<itemref idref="i{n}"/>' for n in range(len(chapters)))
    members = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER.format(ROOTFILE),
        "OEBPS/book.opf": PACKAGE.format(items=items, spine=spine, guide=guide),
    }
    members |= {f"OEBPS/{name.replace('%20', ' ')}": source for name, source in reversed(chapters.items())}
    members |= {name.replace("__", "/"): source for name, source in more.items()}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, source in members.items():
            if source:
                archive.writestr(name, source, zipfile.ZIP_STORED if name == "mimetype" else None)
    return buffer.getvalue()


def read(data: bytes) -> LoadedFile:
    return load_file(Path("a.epub"), data)


WORDS = "The port closed because the storm came, and it stayed closed."


def test_chapters_come_in_the_order_of_the_spine_with_headings_and_tables() -> None:
    table = "<table><tr><th>Port</th><th>State</th></tr><tr><td>North</td><td>closed</td></tr></table>"
    data = book({
        "title%20page.xhtml": chapter("<h1>Storm</h1><p>Li Na</p>", ' epub:type="titlepage"'),
        "nav.xhtml": chapter(NAV),
        "z.xhtml": chapter(f"<h1>One</h1><p>{WORDS}&nbsp;</p>"),
        "a/b.xhtml": chapter(f"<section><h1>Two</h1><h2>Ports</h2>{table}</section>"),
    })  # fmt: skip
    assert loader_for(Path("a.bin"), data).name == "epub@2"
    document = read(data).documents[0]
    assert document.text == f"One\n\n{WORDS}\n\nTwo\n\nPorts\n\nPort | State\nNorth | closed"
    assert [s.path for s in document.sections] == [("One",), ("Two",), ("Two", "Ports")]
    assert len(document.tables) == 1
    assert (document.title, document.language) == ("Storm", "en")
    assert document.metadata == {
        "author": "Li Na, Bo",
        "date": "2026-01-31",
        "language": "en-GB",
        "modified": "2026-02-01T00:00:00Z",
    }


def test_lists_of_contents_are_left_out_however_they_are_marked() -> None:
    links = "".join(f'<p><a href="c{n}.xhtml#top">Part {n}</a></p>' for n in range(1, 4))
    chapters = {f"c{n}.xhtml": chapter(f"<h1>Part {n}</h1><p>{WORDS}</p>{NAV}") for n in range(1, 4)}
    guide = '<guide><reference type="toc" href="listed.xhtml"/></guide>'
    data = book({"contents.xhtml": chapter(links), "listed.xhtml": chapter("<p>Part 1 … 5</p>"), **chapters}, guide)
    document = read(data).documents[0]
    assert document.text == "\n\n".join(f"Part {n}\n\n{WORDS}" for n in range(1, 4))


def test_footnotes_stand_after_their_paragraph() -> None:
    body = (
        '<p>The port closed.<a epub:type="noteref" href="#n1">1</a></p><p>It opened.<sup>'
        '<a href="notes.xhtml#n2">2</a></sup></p><aside epub:type="footnote" id="n1">'
        '<p>Local time. <a href="#r1">↩</a></p></aside>'
    )
    assert read(book({"c.xhtml": chapter(body)})).documents[0].text == "The port closed.\n\nLocal time.\n\nIt opened."


def test_a_chapter_that_is_no_xml_is_read_as_html() -> None:
    assert (
        read(book({"c.xhtml": "<html><title/><body><p>Open<br>lines<p>and &eacute;"})).documents[0].text
        == "Open\nlines\n\nand é"
    )


def test_a_missing_chapter_is_said() -> None:
    data = book({"c.xhtml": chapter(f"<p>{WORDS}</p>"), "gone.xhtml": ""})
    loaded = read(data)
    assert loaded.documents[0].text == WORDS
    assert loaded.notes == ("gone.xhtml is missing in the book and left out",)


ENCRYPTED = (
    '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:e="http://www.w3.org/2001/04/xmlenc#">'
    '<e:EncryptedData><e:EncryptionMethod Algorithm="{}"/><e:CipherData><e:CipherReference URI="{}"/></e:CipherData>'
    "</e:EncryptedData></encryption>"
)


def test_copy_protection_is_reported_and_scrambled_fonts_are_not() -> None:
    chapters = {"c.xhtml": chapter(f"<p>{WORDS}</p>")}
    aes = ENCRYPTED.format("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "OEBPS/c.xhtml")
    with pytest.raises(LoadError, match="protected against copying"):
        read(book(chapters, **{"META-INF__encryption.xml": aes}))
    font = ENCRYPTED.format("http://www.idpf.org/2008/embedding", "OEBPS/f.otf")
    assert read(book(chapters, **{"META-INF__encryption.xml": font})).documents[0].text == WORDS


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../../etc/passwd", "file:///etc/passwd", "http://[x", "", "OEBPS/../.."]
)
def test_a_container_that_leads_out_of_the_archive_leads_nowhere(path: str) -> None:
    rootfile = CONTAINER.format(f'<rootfile full-path="{path}"/>')
    with pytest.raises(LoadError, match="its package document is missing"):
        read(book({"c.xhtml": chapter("<p>x</p>")}, **{"META-INF__container.xml": rootfile}))


def test_chapters_outside_of_the_archive_are_not_looked_for() -> None:
    data = book({"../../../etc/passwd": "", "c.xhtml": chapter(f"<p>{WORDS}</p>")})
    assert read(data).documents[0].text == WORDS


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"META-INF__container.xml": "<container"}, "no well-formed XML"),
        ({"OEBPS__book.opf": PACKAGE.format(items="", spine="", guide="")}, "has no chapters"),
        ({"OEBPS__book.opf": ""}, "package document is missing"),
        ({"META-INF__container.xml": "", "OEBPS__book.opf": ""}, "is no EPUB book"),
    ],
)
def test_what_is_wrong_with_a_book_is_said(members: dict[str, str], message: str) -> None:
    with pytest.raises(LoadError, match=f"a.epub.*{message}"):
        load_document(Path("a.epub"), book({"c.xhtml": chapter("<p>x</p>")}, **members))


def test_entities_of_the_books_own_are_not_expanded(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("TOP SECRET")
    entities = f'<!DOCTYPE html [<!ENTITY x SYSTEM "file://{secret}"><!ENTITY y "yyyy"><!ENTITY z "&y;&y;">]>'
    source = chapter(f"<p>{WORDS}&x;&z;</p>").replace("<html", f"{entities}<html", 1)
    text = read(book({"c.xhtml": source})).documents[0].text
    assert text.startswith(WORDS)
    assert "SECRET" not in text
    assert "yyyy" not in text


def test_a_bomb_is_refused() -> None:
    with pytest.raises(LoadError, match="would unpack"):
        read(book({"c.xhtml": chapter("<p>" + " " * 40_000_000 + "</p>")}))
