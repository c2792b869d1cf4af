"""Generated documents as files of every format, for measuring how fast they are read.

All of it is a pure function of a seed, but for the dates that the libraries write into their files. It needs the
libraries that write files (the extra ``dev``). ``python -m graphrag.evaluation.generated_files FILE.pdf PAGES SEED``
writes one long PDF.
"""

from __future__ import annotations

import csv
import html
import io
import json
import sys
import zipfile
from collections.abc import Callable
from email.message import EmailMessage
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphrag.evaluation.generated import Shape, documents

if TYPE_CHECKING:
    from storage.records import Document

SHAPE = Shape(paragraphs=40, fillers=4)
ROWS = 200
"""Of a generated table that is a file by itself."""
_SMALL = Shape(paragraphs=2, fillers=2)
_SUFFIXES = {"chat": "txt", "txt": "txt"}


def write_files(folder: Path, format: str, count: int, seed: int) -> list[Path]:
    """Write ``count`` documents as files of a format, in turn English and Chinese (PDF: English)."""
    taken = islice(documents(seed, SHAPE), 0, None, 2) if format == "pdf" else documents(seed, SHAPE)
    paths = []
    for number, document in enumerate(islice(taken, count)):
        path = folder / f"{format}-{number}.{_SUFFIXES.get(format, format)}"
        path.write_bytes(WRITERS[format](document))
        paths.append(path)
    return paths


def write_small_files(folder: Path, count: int, seed: int) -> list[Path]:
    """Write ``count`` files of a few sentences each: plain text, Markdown, HTML and mails in turn."""
    formats = ("txt", "md", "html", "eml")
    paths = []
    for number, document in enumerate(islice(documents(seed, _SMALL), count)):
        format = formats[number % len(formats)]
        path = folder / f"{number:05}.{format}"
        path.write_bytes(WRITERS[format](document))
        paths.append(path)
    return paths


def long_pdf(path: Path, pages: int, seed: int) -> None:
    """Write a PDF of ``pages`` pages with running heads, headings and text set in lines."""
    from reportlab.lib.pagesizes import A4
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(path), pagesize=A4, invariant=True)
    taken = islice(documents(seed, SHAPE), 0, None, 2)
    lines = _lines(next(taken))
    for number in range(1, pages + 1):
        canvas.setFont("Helvetica", 8)
        canvas.drawString(72, 810, "Annals of the region")
        canvas.drawString(290, 30, str(number))
        canvas.setFont("Helvetica-Bold", 14)
        canvas.drawString(72, 770, f"Part {number}")
        canvas.setFont("Helvetica", 10)
        for y in range(740, 60, -14):
            if not lines:
                lines = _lines(next(taken))
            canvas.drawString(72, y, lines.pop(0))
        canvas.showPage()
    canvas.save()


def _lines(document: Document, width: int = 88) -> list[str]:
    from textwrap import wrap

    return [line for paragraph in document.text.split("\n\n") for line in wrap(paragraph, width)]


def _parts(document: Document) -> list[tuple[str, list[str]]]:
    """Headings and the paragraphs under each."""
    paragraphs = document.text.split("\n\n")
    return [(f"{document.title} {i // 5 + 1}", paragraphs[i : i + 5]) for i in range(0, len(paragraphs), 5)]


def _table(document: Document, rows: int = ROWS) -> list[list[str]]:
    """A header and rows: number, place and what happened."""
    paragraphs = document.text.split("\n\n")
    body = [[str(i), f"{document.title} {i % 7}", paragraphs[i % len(paragraphs)][:80]] for i in range(1, rows)]
    return [["Number", "Place", "Event"], *body]


def _pdf(document: Document) -> bytes:
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import Paragraph, SimpleDocTemplate, Table

    styles = getSampleStyleSheet()
    flow: list[Any] = []
    for heading, paragraphs in _parts(document):
        flow.append(Paragraph(heading, styles["Heading1"]))
        flow += [Paragraph(paragraph, styles["BodyText"]) for paragraph in paragraphs]
    flow.append(Table(_table(document, 20), style=[("GRID", (0, 0), (-1, -1), 0.5, "black")]))
    out = io.BytesIO()
    SimpleDocTemplate(out, invariant=True).build(flow)
    return out.getvalue()


def _docx(document: Document) -> bytes:
    import docx

    file = docx.Document()
    for heading, paragraphs in _parts(document):
        file.add_heading(heading, 1)
        for paragraph in paragraphs:
            file.add_paragraph(paragraph)
    grid = _table(document, 20)
    table = file.add_table(len(grid), len(grid[0]))
    for cells, words in zip(table.rows, grid, strict=True):
        for cell, text in zip(cells.cells, words, strict=True):
            cell.text = text
    return _saved(file)


def _pptx(document: Document) -> bytes:
    import pptx

    deck = pptx.Presentation()
    for heading, paragraphs in _parts(document):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = heading
        slide.placeholders[1].text = "\n".join(paragraphs)
    return _saved(deck)


def _xlsx(document: Document) -> bytes:
    import openpyxl

    book = openpyxl.Workbook()
    for row in _table(document):
        book.active.append(row)
    return _saved(book)


def _saved(file: Any) -> bytes:
    out = io.BytesIO()
    file.save(out)
    return out.getvalue()


def _page(document: Document) -> str:
    body = "".join(
        f"<h2>{html.escape(heading)}</h2>" + "".join(f"<p>{html.escape(p)}</p>" for p in paragraphs)
        for heading, paragraphs in _parts(document)
    )
    rows = "".join(
        f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>" for row in _table(document, 20)
    )
    title = html.escape(document.title)
    return (
        f"<html xmlns='http://www.w3.org/1999/xhtml'><head><title>{title}</title><meta charset='utf-8'/></head><body>"
        f"<nav><a href='/'>Home</a></nav><main><h1>{title}</h1>{body}<table>{rows}</table></main></body></html>"
    )


def _epub(document: Document) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr(
            "META-INF/container.xml",
            "<container xmlns='urn:oasis:names:tc:opendocument:xmlns:container' version='1.0'><rootfiles><rootfile "
            "full-path='book.opf' media-type='application/oebps-package+xml'/></rootfiles></container>",
        )
        archive.writestr(
            "book.opf",
            "<package xmlns='http://www.idpf.org/2007/opf' version='3.0'><metadata "
            f"xmlns:dc='http://purl.org/dc/elements/1.1/'><dc:title>{html.escape(document.title)}</dc:title></metadata>"
            "<manifest><item id='a' href='a.xhtml' media-type='application/xhtml+xml'/></manifest>"
            "<spine><itemref idref='a'/></spine></package>",
        )
        archive.writestr("a.xhtml", _page(document))
    return out.getvalue()


def _markdown(document: Document) -> str:
    parts = "\n\n".join("\n\n".join([f"## {heading}", *paragraphs]) for heading, paragraphs in _parts(document))
    header, *rows = [f"| {' | '.join(row)} |" for row in _table(document, 20)]
    return "\n".join([f"# {document.title}\n\n{parts}\n", header, "|---|---|---|", *rows, ""])


def _csv(document: Document) -> str:
    out = io.StringIO(newline="")
    csv.writer(out).writerows(_table(document))
    return out.getvalue()


def _json_lines(document: Document) -> str:
    rows = [{"id": str(i), "text": paragraph} for i, paragraph in enumerate(document.text.split("\n\n"))]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _mail(document: Document) -> bytes:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "ann@example.org", "bo@example.org", document.title
    mail["Date"] = "Mon, 06 May 2024 09:14:00 +0000"
    mail.set_content(document.text)
    mail.add_alternative(_page(document), subtype="html")
    return mail.as_bytes()


def _chat(document: Document) -> str:
    turns = document.text.split("\n\n")
    return "\n".join(f"[10:{i % 60:02}] {'Ann' if i % 2 else 'Bo'}: {turn}" for i, turn in enumerate(turns))


def _encoded(write: Callable[[Document], str]) -> Callable[[Document], bytes]:
    return lambda document: write(document).encode()


WRITERS: dict[str, Callable[[Document], bytes]] = {
    "chat": _encoded(_chat),
    "csv": _encoded(_csv),
    "docx": _docx,
    "eml": _mail,
    "epub": _epub,
    "html": _encoded(_page),
    "jsonl": _encoded(_json_lines),
    "md": _encoded(_markdown),
    "pdf": _pdf,
    "pptx": _pptx,
    "txt": _encoded(lambda document: document.text),
    "xlsx": _xlsx,
}

if __name__ == "__main__":
    long_pdf(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))

__all__ = ["ROWS", "SHAPE", "WRITERS", "long_pdf", "write_files", "write_small_files"]
