"""What the libraries behind the loaders give by themselves: the system ``naive`` of the suite ``loading``.

Each format is read in the way that its library's first page of documentation shows. Headings and tables are given
where the library names them.
"""

from __future__ import annotations

import csv
import email
import email.policy
import io
import json
import re
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from storage.errors import ConfigurationError, LoadError

Row = dict[str, Any]


class NotInstalledError(ConfigurationError):
    """The library of a format is not installed."""


def read_naively(path: Path, format: str) -> Row:
    """Text, headings, tables and pages of a file as the library of its format gives them.

    Args:
        path: the file.
        format: as a set of the suite is named; for ``wild`` the ending of the file's name says it.

    Raises:
        LoadError: the library refuses the file.
        NotInstalledError: there is no such library.
    """
    read = READERS.get(format) or READERS.get(path.suffix.lower().removeprefix("."), read_text)
    try:
        with warnings.catch_warnings(action="ignore"):
            return read(path.read_bytes())
    except ImportError as error:
        raise NotInstalledError(f"{error.name} is not installed") from error
    except Exception as error:  # every library raises what it pleases on a damaged file
        raise LoadError(f"{path.name}: {type(error).__name__}: {error}") from error


def read_pdf(data: bytes) -> Row:
    """``get_text_range`` of pypdfium2, page by page."""
    import pypdfium2

    with pypdfium2.PdfDocument(data) as pdf:
        texts = []
        for number in range(len(pdf)):
            page = pdf[number]
            texts.append(page.get_textpage().get_text_range())
            page.close()
        return {"text": "\n".join(texts), "pages": len(texts)}


def read_docx(data: bytes) -> Row:
    """Paragraphs and tables of python-docx in their order."""
    import docx
    from docx.table import Table

    lines: list[str] = []
    headings: list[str] = []
    tables = []
    for block in docx.Document(io.BytesIO(data)).iter_inner_content():
        if isinstance(block, Table):
            tables.append([[cell.text for cell in row.cells] for row in block.rows])
            lines += ["\t".join(row) for row in tables[-1]]
        else:
            lines.append(block.text)
            if block.style is not None and (block.style.name or "").startswith(("Heading", "Title")):
                headings.append(block.text)
    return {"text": "\n".join(lines), "headings": headings, "tables": tables}


def read_pptx(data: bytes) -> Row:
    """Text frames and tables of python-pptx, slide by slide."""
    import pptx

    lines: list[str] = []
    headings = []
    tables = []
    slides = pptx.Presentation(io.BytesIO(data)).slides
    for slide in slides:
        if slide.shapes.title is not None:
            headings.append(slide.shapes.title.text_frame.text)
        for shape in slide.shapes:
            if shape.has_text_frame:
                lines.append(shape.text_frame.text)
            if shape.has_table:
                tables.append([[cell.text for cell in row.cells] for row in shape.table.rows])
                lines += ["\t".join(row) for row in tables[-1]]
    return {"text": "\n".join(lines), "headings": headings, "tables": tables, "pages": len(slides)}


def read_xlsx(data: bytes) -> Row:
    """The values of openpyxl, sheet by sheet and row by row."""
    import openpyxl

    tables = []
    for sheet in openpyxl.load_workbook(io.BytesIO(data), data_only=True).worksheets:
        rows = [["" if value is None else str(value) for value in row] for row in sheet.iter_rows(values_only=True)]
        tables.append([row for row in rows if any(row)])
    return {"text": "\n".join("\t".join(row) for table in tables for row in table), "tables": tables}


def read_html(data: bytes, encoding: str | None = None) -> Row:
    """The text nodes of lxml, and its elements ``h1`` to ``h6`` and ``table``."""
    from lxml import etree, html

    root = html.document_fromstring(data, parser=html.HTMLParser(encoding=encoding))
    etree.strip_elements(root, "script", "style", "head", etree.Comment, with_tail=False)
    tables = [
        [[_words(cell) for cell in row.xpath("./td|./th")] for row in table.iter("tr")] for table in root.iter("table")
    ]
    return {
        "text": "\n".join(line for text in root.itertext() if (line := text.strip())),
        "headings": [_words(heading) for heading in root.iter("h1", "h2", "h3", "h4", "h5", "h6")],
        "tables": tables,
    }


def read_epub(data: bytes) -> Row:
    """The pages of the archive in the order of their names, each as HTML."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = sorted(name for name in archive.namelist() if name.endswith((".xhtml", ".html", ".htm")))
        pages = [read_html(archive.read(name)) for name in names]
    return {
        "text": "\n".join(page["text"] for page in pages),
        "headings": [heading for page in pages for heading in page["headings"]],
        "tables": [table for page in pages for table in page["tables"]],
    }


def read_csv(data: bytes) -> Row:
    """The rows of the module ``csv``, its dialect guessed by its sniffer."""
    text = data.decode("utf-8-sig")
    try:
        dialect: Any = csv.Sniffer().sniff(text[:4096], ",;\t")
    except csv.Error:
        dialect = csv.excel
    rows = list(csv.reader(io.StringIO(text, newline=""), dialect))
    return {"text": "\n".join("\t".join(row) for row in rows), "tables": [rows]}


def read_mail(data: bytes) -> Row:
    """The plain part of the module ``email``, else its HTML part."""
    body = email.message_from_bytes(data, policy=email.policy.default).get_body(("plain", "html"))
    if body is None:
        return {"text": ""}
    content = body.get_content()
    if body.get_content_subtype() == "html":
        return read_html(content.encode(), "utf-8")
    return {"text": content}


def read_json_lines(data: bytes) -> Row:
    """The values of every record."""
    records = [json.loads(line) for line in data.decode("utf-8-sig").splitlines() if line.strip()]
    return {"text": "\n".join(str(value) for record in records for value in record.values())}


def read_markdown(data: bytes) -> Row:
    """The text as it is; lines that begin with ``#`` are headings, those with bars are rows."""
    text = data.decode("utf-8-sig")
    lines = text.splitlines()
    tables: list[list[list[str]]] = [[]]
    for line in lines:
        if line.startswith("|"):
            if not re.fullmatch(r"[|:\- ]+", line):
                tables[-1].append([cell.strip() for cell in line.strip("|").split("|")])
        elif tables[-1]:
            tables.append([])
    headings = [line.lstrip("#").strip() for line in lines if line.startswith("#")]
    return {"text": text, "headings": headings, "tables": [table for table in tables if table]}


def read_text(data: bytes) -> Row:
    """The text as UTF-8."""
    return {"text": data.decode("utf-8-sig")}


def _words(element: Any) -> str:
    return " ".join("".join(element.itertext()).split())


READERS: dict[str, Callable[[bytes], Row]] = {
    "chat": read_text,
    "csv": read_csv,
    "docx": read_docx,
    "eml": read_mail,
    "epub": read_epub,
    "html": read_html,
    "jsonl": read_json_lines,
    "md": read_markdown,
    "pdf": read_pdf,
    "pptx": read_pptx,
    "txt": read_text,
    "xlsx": read_xlsx,
}

__all__ = ["READERS", "NotInstalledError", "read_naively"]
