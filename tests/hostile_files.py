"""Files as an attacker would make them: small outside and huge inside, calling home, nested without end."""

from __future__ import annotations

import io
import os
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

SOAK = bool(os.environ.get("CLEW_SOAK"))
SIZE = 10 if SOAK else 1
"""How much larger than in every run."""

MB = 1_000_000


def archive(members: Mapping[str, bytes | Iterator[bytes]]) -> bytes:
    """A ZIP archive; a member may be given in pieces."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            with file.open(name, "w") as member:
                for piece in [data] if isinstance(data, bytes) else data:
                    member.write(piece)
    return buffer.getvalue()


def with_members(package: bytes, members: Mapping[str, bytes | Iterator[bytes]]) -> bytes:
    """The package with these members in place of its own, or added."""
    with zipfile.ZipFile(io.BytesIO(package)) as file:
        kept = {name: file.read(name) for name in file.namelist() if name not in members}
    return archive(kept | dict(members))


def zeros(size: int, filler: bytes = b" ") -> Iterator[bytes]:
    for _ in range(size // MB):
        yield filler * MB


# --- well-formed packages to spoil -----------------------------------------------------------------------------------


def docx() -> bytes:
    import docx

    document, buffer = docx.Document(), io.BytesIO()
    document.add_heading("Storm", 1)
    document.add_paragraph("The port closed.")
    document.save(buffer)
    return buffer.getvalue()


_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def xlsx() -> bytes:
    import openpyxl

    book, buffer = openpyxl.Workbook(), io.BytesIO()
    book.active.append([1, 2])
    book.save(buffer)
    package = buffer.getvalue()
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    override = f'<Override PartName="/xl/sharedStrings.xml" ContentType="{kind}"/></Types>'
    base = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings"
    relation = f'<Relationship Id="rIdWords" Type="{base}" Target="sharedStrings.xml"/></Relationships>'
    types, relations = "[Content_Types].xml", "xl/_rels/workbook.xml.rels"
    words = "".join(f"<si><t>{word}</t></si>" for word in ("cause", "effect", "storm", "flood"))
    rows = "".join(
        f'<row r="{r}"><c r="A{r}" t="s"><v>{first}</v></c><c r="B{r}" t="s"><v>{first + 1}</v></c></row>'
        for r, first in ((1, 0), (2, 2))
    )
    return with_members(
        package,
        {
            types: member(package, types).replace(b"</Types>", override.encode()),
            relations: member(package, relations).replace(b"</Relationships>", relation.encode()),
            "xl/sharedStrings.xml": f'<sst xmlns="{_SHEET}">{words}</sst>'.encode(),
            "xl/worksheets/sheet1.xml": (
                f'<worksheet xmlns="{_SHEET}"><sheetData>{rows}</sheetData></worksheet>'.encode()
            ),
        },
    )


def pptx() -> bytes:
    import pptx

    deck, buffer = pptx.Presentation(), io.BytesIO()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Storm"
    slide.placeholders[1].text = "The port closed."
    deck.save(buffer)
    return buffer.getvalue()


_CONTAINER = (
    b'<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles><rootfile '
    b'full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
_PACKAGE = (
    b'<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata '
    b'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Storm</dc:title></metadata><manifest>'
    b'<item id="c" href="c.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="c"/></spine>'
    b"</package>"
)


def xhtml(body: bytes) -> bytes:
    return (
        b'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Storm</title></head><body>' + body + b"</body></html>"
    )


def epub(chapter: bytes | None = None) -> bytes:
    return archive(
        {
            "mimetype": b"application/epub+zip",
            "META-INF/container.xml": _CONTAINER,
            "book.opf": _PACKAGE,
            "c.xhtml": xhtml(b"<p>The port closed.</p>") if chapter is None else chapter,
        }
    )


PACKAGES: dict[str, tuple[Callable[[], bytes], tuple[str, ...]]] = {
    "docx": (docx, ("word/document.xml", "word/styles.xml", "docProps/core.xml", "[Content_Types].xml")),
    "xlsx": (xlsx, ("xl/worksheets/sheet1.xml", "xl/workbook.xml", "xl/sharedStrings.xml", "docProps/core.xml")),
    "pptx": (pptx, ("ppt/slides/slide1.xml", "ppt/presentation.xml", "docProps/core.xml")),
    "epub": (epub, ("c.xhtml", "book.opf", "META-INF/container.xml")),
}
"""Format → a good file, and the parts of it that a loader reads."""


def member(package: bytes, name: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(package)) as file:
        return file.read(name)


def with_doctype(xml: bytes, doctype: bytes, reference: bytes) -> bytes:
    """The part with a document type before its root, and a reference in the words that are read first."""
    start = xml.find(b"?>") + 2 if xml.lstrip().startswith(b"<?xml") else 0
    body = xml[start:]
    for words in (b"The port closed.", b"storm", b"Storm", b"Sheet"):
        body = body.replace(words, words + reference, 1)
    return xml[:start] + doctype + body


LAUGHS = (
    b"<!DOCTYPE lolz [<!ENTITY l0 'ha'>"
    + b"".join(b"<!ENTITY l%d '%s'>" % (n, b"&l%d;" % (n - 1) * 10) for n in range(1, 11))
    + b"]>"
)
"""Ten thousand million laughs: ``&l10;``."""


def fetching(address: str) -> bytes:
    """A document type that asks for files and addresses when it is read: ``&x;``."""
    at = address.encode()
    inside = b"<!ENTITY %% p SYSTEM '%s/parameter'> %%p; <!ENTITY x SYSTEM '%s/entity'>" % (at, at)
    return b"<!DOCTYPE r SYSTEM '%s/dtd' [%s]>" % (at, inside)


# --- archives --------------------------------------------------------------------------------------------------------


def nested_archives(depth: int, width: int) -> bytes:
    """Archives in archives: ``width`` in each, ``depth`` deep, 4 MB of blanks in each of the innermost."""
    data = archive({"a.txt": zeros(4 * MB)})
    for _ in range(depth):
        data = archive({f"{number}.zip": data for number in range(width)})
    return data


def overlapping(members: int) -> bytes:
    """A directory that names the same 20 MB again and again."""
    base = archive({"a00000.txt": zeros(20 * MB, b"words ")})
    end = base.rindex(b"PK\x05\x06")
    (offset,) = struct.unpack_from("<I", base, end + 16)
    entry = base[offset:end]
    entries = b"".join(entry.replace(b"a00000", b"a%05d" % number) for number in range(members))
    return (
        base[:offset]
        + entries
        + struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, members, members, len(entries), offset, 0)
    )


def lying(package: bytes, name: str, size: int) -> bytes:
    """The package with a member of ``size`` bytes of which the directory says that it has 100."""
    data = with_members(package, {name: zeros(size)})
    place = data.rindex(name.encode()) - 46  # its entry in the directory
    return data[: place + 24] + struct.pack("<I", 100) + data[place + 28 :]


# --- PDF -------------------------------------------------------------------------------------------------------------


def pdf(objects: Mapping[int, bytes]) -> bytes:
    """A PDF of these objects, the first of which is its catalogue."""
    out, offsets = io.BytesIO(), {}
    out.write(b"%PDF-1.7\n")
    for number, body in objects.items():
        offsets[number] = out.tell()
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    table, size = out.tell(), max(objects) + 1
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % size)
    for number in range(1, size):
        out.write(b"%010d 00000 n \n" % offsets[number] if number in offsets else b"0000000000 00000 f \n")
    out.write(b"trailer\n<</Size %d /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (size, table))
    return out.getvalue()


def stream(data: bytes, more: bytes = b"") -> bytes:
    return b"<<%s /Length %d>>\nstream\n%s\nendstream" % (more, len(data), data)


def deflated(pieces: Iterator[bytes], more: bytes = b"") -> bytes:
    packer = zlib.compressobj(9)
    data = b"".join([*(packer.compress(piece) for piece in pieces), packer.flush()])
    return stream(data, b"/Filter /FlateDecode " + more)


CATALOGUE = b"<</Type /Catalog /Pages 2 0 R>>"
FONT = b"<</Font <</F <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>>>>>"
PAGE = b"<</Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources " + FONT + b">>"
PAGES = b"<</Type /Pages /Kids [3 0 R] /Count 1>>"
WORDS = b"BT /F 12 Tf 50 700 Td (The port closed.) Tj ET\n"


def one_page(content: bytes, **others: bytes) -> bytes:
    return pdf({1: CATALOGUE, 2: PAGES, 3: PAGE, 4: content, **{int(n[1:]): body for n, body in others.items()}})


def pdf_attacks() -> dict[str, Callable[[], bytes]]:
    """Name → how to make it."""
    many = 100_000 * SIZE
    return {
        "content that unpacks to 1 GB": lambda: one_page(deflated(zeros(1000 * MB))),
        "filters one in another": lambda: one_page(
            stream(
                zlib.compress(zlib.compress(b"".join(zeros(200 * MB)), 9), 9), b"/Filter [/FlateDecode /FlateDecode] "
            )
        ),
        "words that unpack to 100 MB": lambda: one_page(deflated(WORDS * 20_000 for _ in range(100))),
        "page tree in a circle": lambda: pdf(
            {1: CATALOGUE, 2: b"<</Type /Pages /Kids [2 0 R 2 0 R] /Count 1000000000>>"}
        ),
        "page tree without end": lambda: pdf(
            {1: CATALOGUE}
            | {n: b"<</Type /Pages /Kids [%d 0 R] /Count 1>>" % (n + 1) for n in range(2, 20_000)}
            | {20_000: b"<</Type /Page /MediaBox [0 0 9 9]>>"}
        ),
        "many tiny objects": lambda: pdf(
            {1: CATALOGUE, 2: PAGES, 3: PAGE, 4: stream(WORDS)} | dict.fromkeys(range(5, 10 * many), b"0")
        ),
        "many pages": lambda: pdf(
            {
                1: CATALOGUE,
                2: b"<</Type /Pages /Kids [" + b"3 0 R " * 10_000 + b"] /Count 10000>>",
                3: PAGE,
                4: stream(WORDS),
            }
        ),
        "a huge object stream": lambda: one_page(
            stream(WORDS), _5=deflated(zeros(300 * MB, b"0 "), b"/Type /ObjStm /N 100000000 /First 10 ")
        ),
        "arrays in arrays": lambda: one_page(stream(WORDS), _5=b"[" * (5 * many) + b"]" * (5 * many)),
        "a form that paints itself": lambda: pdf(
            {
                1: CATALOGUE,
                2: PAGES,
                3: PAGE.replace(FONT, b"<</XObject <</X 5 0 R>>>>"),
                4: stream(b"/X Do " * 1000),
                5: stream(
                    b"/X Do " * 1000,
                    b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources <</XObject <</X 5 0 R>>>>",
                ),
            }
        ),
        "a page of rules": lambda: one_page(deflated(b"0 0 m 9 9 l S\n" * 1000 for _ in range(many // 1000))),
        "a page of letters in all places": lambda: one_page(
            stream(b"".join(b"BT /F 9 Tf %d %d Td (x) Tj ET\n" % (n % 600, n % 797) for n in range(many // 4)))
        ),
    }


# --- texts -----------------------------------------------------------------------------------------------------------


def text_attacks() -> dict[str, Callable[[], tuple[str, bytes]]]:
    """Name → how to make it: name and bytes of a file."""
    many = 1_000_000 if SOAK else 100_000
    return {
        "html: 10 MB of elements in elements": lambda: ("a.html", b"<div>" * 2 * MB),
        "html: tables in tables": lambda: ("a.html", b"<table><tr><td>x" * many),
        "html: formats never closed": lambda: ("a.html", b"<p><b><i><a>x" * many),
        "html: lists in lists": lambda: ("a.html", b"<ul><li>x" * many),
        "html: quotes in quotes": lambda: ("a.html", b"<blockquote>x" * many),
        "html: a cell across all columns": lambda: (
            "a.html",
            b"<table>" + b"<tr><td colspan=1000 rowspan=65534>x</td></tr>" * 2000 + b"</table>",
        ),
        "html: attributes": lambda: ("a.html", b"<p " + b"".join(b"a%d=1 " % n for n in range(many)) + b">x"),
        "html: entities": lambda: ("a.html", b"<p>" + b"&amp;lt;" * many),
        "html: comments": lambda: ("a.html", b"<!--" * many + b"<p>x"),
        "html: a page of script": lambda: ("a.html", b"<p>x<script>" + b"</scrip" * many),
        "html: notes to notes": lambda: (
            "a.html", b"".join(b'<p id="n%d"><a href="#n%d">%d</a>' % (n, n + 1, n) for n in range(many // 5)),
        ),
        "csv: a cell of 100 MB": lambda: ("a.csv", b"a,b\n1," + b"x" * (10 * SIZE * MB) + b"\n"),
        "csv: a quote never closed": lambda: ("a.csv", b'a,b\n1,"' + b"x,y\n" * (many * 2)),
        "csv: only quotes": lambda: ("a.csv", b"a,b\n" + b'"' * (many * 10 + 1)),
        "csv: a million columns": lambda: ("a.csv", (b"1," * many * 2 + b"1\n") * 3),
        "csv: one wide row among narrow ones": lambda: ("a.csv", b"a,b\n1,2\n" * 30_000 + b"1," * 30_000 + b"\n"),
        "jsonl: arrays in arrays": lambda: ("a.jsonl", b'{"a": ' + b"[" * many + b"]" * many + b"}\n"),
        "jsonl: other fields in each line": lambda: (
            "a.jsonl", b"".join(b'{"field%d": "x"}\n' % n for n in range(many // 10)),
        ),
        "jsonl: a long number": lambda: ("a.jsonl", b'{"a": ' + b"9" * many * 10 + b"}\n"),
        "json: a chat in a chat": lambda: ("a.json", b'{"messages": [' * many),
        "markdown: brackets": lambda: ("a.md", b"[" * many * 5),
        "markdown: links in links": lambda: ("a.md", b"[a](" * many),
        "markdown: stars": lambda: ("a.md", b"*a **b " * many),
        "markdown: quotes in quotes": lambda: ("a.md", b">" * many * 5 + b"x"),
        "markdown: lists in lists": lambda: ("a.md", b"- " * many + b"x"),
        "markdown: backticks": lambda: ("a.md", b"".join(b"`" * n + b"x" for n in range(1400))),
        "markdown: a wide table": lambda: ("a.md", b"|a" * 20_000 + b"|\n" + b"|-" * 20_000 + b"|\n" + b"|\n" * 200),
        "markdown: reference definitions": lambda: (
            "a.md", b"".join(b"[a%d]: b\n" % n for n in range(many // 5)) + b"[a1] " * (many // 5),
        ),
        "markdown: aliases of aliases in the front matter": lambda: (
            "a.md",
            b"---\na0: &a0 [x, x]\n"
            + b"".join(b"a%d: &a%d [%s]\n" % (n, n, b", ".join([b"*a%d" % (n - 1)] * 10)) for n in range(1, 10))
            + b"---\nText\n",
        ),
        "markdown: brackets in the front matter": lambda: ("a.md", b"---\na: " + b"[" * many + b"\n---\nText\n"),
        "mail: parts in parts": lambda: (
            "a.eml",
            b"From: a@b\nMIME-Version: 1.0\n"
            + b"".join(b'Content-Type: multipart/mixed; boundary="%d"\n\n--%d\n' % (n, n) for n in range(many // 50))
            + b"\nText",
        ),
        "mail: messages in messages": lambda: (
            "a.eml", b"From: a@b\nContent-Type: message/rfc822\n\n" * (many // 50) + b"From: a@b\n\nText",
        ),
        "mail: headers": lambda: (
            "a.eml", b"From: a@b\n" + b"".join(b"X-%d: y\n" % n for n in range(many)) + b"\nText",
        ),
        "mail: encoded words": lambda: (
            "a.eml", b"From: a@b\nSubject: " + b"=?utf-8?q?a?= " * (many // 5) + b"\n\nText",
        ),
        "mail: a header of brackets": lambda: (
            "a.eml", b"From: " + b"(" * (many // 5) + b"\nTo: " + b"<" * many + b"\n\nText",
        ),
        "mail: quotes in quotes": lambda: ("a.eml", b"From: a@b\n\n" + b">" * many + b" x\n" + b"> y\n" * many),
        "chat: a million turns": lambda: ("a.txt", b"".join(b"Anna: x%d\nBen: y\n" % n for n in range(many // 2))),
        "code: brackets": lambda: ("a.py", b"x = " + b"(" * many * 5),
        "code: a string never closed": lambda: ("a.py", b'"""' + b"\\'" * many * 5),
        "text: one line": lambda: ("a.txt", b"word " * (5 * SIZE * MB)),
        "text: only line ends": lambda: ("a.txt", b"x" + b"\n" * (10 * MB)),
        "text: only hyphens": lambda: ("a.txt", b"a-\n" * many * 3),
        "text: bytes that fit no encoding": lambda: ("a.txt", bytes(range(128, 256)) * (many // 10)),
    }  # fmt: skip


def sheet_attacks() -> dict[str, Callable[[], bytes]]:
    """Name → an XLSX file that says that it is huge, or is."""
    part = "xl/worksheets/sheet1.xml"
    start = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'

    def sheet(inside: Any) -> bytes:
        pieces = [inside] if isinstance(inside, bytes) else inside
        return with_members(xlsx(), {part: b"".join([start, *pieces, b"</worksheet>"])})

    far = (
        b'<sheetData><row r="1"><c r="A1"><v>1</v></c></row>'
        b'<row r="1048576"><c r="XFD1048576"><v>2</v></c></row></sheetData>'
    )
    return {
        "a cell in the farthest corner": lambda: sheet(b'<dimension ref="A1:XFD1048576"/>' + far),
        "one cell merged over the whole sheet": lambda: sheet(
            far + b'<mergeCells count="1"><mergeCell ref="A1:XFD1048576"/></mergeCells>'
        ),
        "cells merged again and again": lambda: sheet(
            far
            + b'<mergeCells count="9">'
            + b"".join(b'<mergeCell ref="A%d:XFD%d"/>' % (n, n + 9999) for n in range(1, 2000))
            + b"</mergeCells>"
        ),
        "the same row number again and again": lambda: sheet(
            b"<sheetData>" + b'<row r="1"><c r="A1"><v>1</v></c></row>' * 200_000 + b"</sheetData>"
        ),
        "cells along the diagonal": lambda: sheet(
            b"<sheetData>"
            + b"".join(b'<row r="%d"><c r="%s%d"><v>1</v></c></row>' % (n, column(n), n) for n in range(1, 16_000))
            + b"</sheetData>"
        ),
        "a long string in every cell": lambda: with_members(
            xlsx(),
            {
                "xl/sharedStrings.xml": b'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>'
                + b"x" * MB
                + b"</t></si></sst>",
                part: start
                + b"<sheetData>"
                + b"".join(b'<row r="%d"><c r="A%d" t="s"><v>0</v></c></row>' % (n, n) for n in range(1, 5000))
                + b"</sheetData></worksheet>",
            },
        ),
    }


def column(number: int) -> bytes:
    letters = b""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = bytes([65 + rest]) + letters
    return letters
