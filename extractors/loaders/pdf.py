"""PDF: pages as paragraphs in reading order, with headings told by their type size."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from extractors.loaders.line_joining import LineJoiner
from extractors.loaders.pdf_layout import Line, Paragraph, drop_running_lines, heading_levels, paragraphs
from extractors.loaders.text_builder import TextBuilder
from extractors.ports import Likeness, LoadedFile, LoadOptions
from storage.errors import LoadError
from storage.records import Document

# PDFium keeps state for the whole process and is not safe for threads; its bindings leave the locking to the caller.
_PDFIUM = threading.Lock()
_DAMAGED = "is damaged or cut off. Get a whole copy of it, or print it to a new PDF"
_SECONDS = 120.0  # looked at between pages: a page of a common document takes some 10 ms
_TAIL = 2048


class PdfLoader:
    """Reads the text layer of a PDF with PDFium."""

    name = "pdf@1"
    suffixes = (".pdf",)

    def __init__(self, *, seconds: float = _SECONDS) -> None:
        """``seconds`` is how long one file may take before it is refused."""
        self._seconds = seconds

    def recognises(self, path: PurePath, data: bytes) -> Likeness:
        """How sure it is that this is its format."""
        # The standard wants the mark at the start; readers accept it in the first 1,024 bytes.
        if data.lstrip()[:5] == b"%PDF-" or (path.suffix.lower() == ".pdf" and b"%PDF-" in data[:1024]):
            return Likeness.CONTENT
        return Likeness.NO

    def load(self, path: PurePath, data: bytes, options: LoadOptions) -> LoadedFile:
        """The document; the title is that of its properties, else its first heading, else the file's name."""
        if b"%%EOF" not in data[-_TAIL:] and b"startxref" not in data[-_TAIL:]:
            # PDFium would rebuild what is there and say nothing of what is not.
            raise LoadError(f"{path.name} {_DAMAGED}")
        with _PDFIUM:
            title, pages = self._read(path, data)
        if not any(line.text.strip() for page in pages for line in page):
            raise LoadError(f"{path.name} has no text layer: its pages are pictures. Run text recognition (OCR) on it")
        kept = drop_running_lines(pages)
        blocks = paragraphs(kept)
        levels = heading_levels(blocks)
        joiner = LineJoiner(line.text for page in kept for line in page)
        builder = TextBuilder()
        for block, level in zip(blocks, levels, strict=True):
            builder.paged_paragraph(_joined(block, joiner), level)
        headings = builder.headings
        return LoadedFile(
            documents=(
                Document(
                    text=builder.text(),
                    title=title or (headings[0] if headings else path.stem),
                    sections=builder.sections(),
                    pages=builder.pages(len(pages)),
                ),
            )
        )

    def _read(self, path: PurePath, data: bytes) -> tuple[str, list[list[Line]]]:
        import pypdfium2

        deadline = time.monotonic() + self._seconds
        try:
            document = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            if "password" in str(error).lower():
                raise LoadError(f"{path.name} is protected by a password. Save it without one") from error
            raise LoadError(f"{path.name} {_DAMAGED}") from error
        try:
            pages = []
            for number in range(len(document)):
                if time.monotonic() > deadline:
                    raise LoadError(f"{path.name} took longer than {self._seconds:.0f} s to read. Split it into parts")
                pages.append(_page_lines(document, number))
            return _title(document.get_metadata_dict().get("Title", ""), path), pages
        except pypdfium2.PdfiumError as error:
            raise LoadError(f"{path.name} {_DAMAGED}") from error
        finally:
            document.close()


def _page_lines(document: Any, number: int) -> list[Line]:
    page = document[number]
    try:
        text_page = page.get_textpage()
        try:
            text = text_page.get_text_range() if text_page.count_chars() else ""
            height = page.get_height()
            # Offsets of PDFium are UTF-16 units; without characters beyond the first plane they are ours.
            exact = len(text) == text_page.count_chars()
            return [
                _line(text_page, start, words, number + 1, height, exact=exact)
                for start, words in _split(text)
                if words.strip()
            ]
        finally:
            text_page.close()
    finally:
        page.close()


def _split(text: str) -> list[tuple[int, str]]:
    lines = []
    start = 0
    for part in text.split("\n"):
        lines.append((start, part.rstrip("\r")))
        start += len(part) + 1
    return lines


def _line(text_page: Any, start: int, words: str, page: int, height: float, *, exact: bool) -> Line:
    if not exact:
        return Line(words.strip(), page)
    first = start + len(words) - len(words.lstrip())
    last = start + len(words.rstrip()) - 1
    # The height of a letter's box is that of its font: digits and bullets may be set in another.
    letter = first + next((i for i, c in enumerate(words.strip()) if c.isalpha()), 0)
    left = text_page.get_charbox(first, loose=True)[0]
    _, bottom, _, top = text_page.get_charbox(letter, loose=True)
    _, _, right, _ = text_page.get_charbox(last, loose=True)
    return Line(words.strip(), page, left, height - top, max(right, left), top - bottom, _is_bold(text_page, letter))


def _is_bold(text_page: Any, index: int) -> bool:
    import ctypes

    from pypdfium2 import raw

    name = ctypes.create_string_buffer(128)
    raw.FPDFText_GetFontInfo(text_page.raw, index, name, 128, ctypes.c_int())
    return b"bold" in name.value.lower() or b"black" in name.value.lower()


def _title(title: str, path: PurePath) -> str:
    """The title in the properties, unless a program put its own words or the file's name there."""
    title = " ".join(title.split())
    machine_made = title.lower().startswith(("microsoft word", "untitled", "(anonymous)", "unspecified"))
    is_file_name = title.lower().endswith((".doc", ".docx", ".indd", ".tex", ".pdf", ".dvi"))
    return "" if machine_made or is_file_name or title == path.name else title


def _joined(block: Paragraph, joiner: LineJoiner) -> Sequence[tuple[int, str]]:
    """The lines of a paragraph with what belongs between them, each with its page."""
    parts = []
    for line, after in zip(block, [*block[1:], None], strict=True):
        if after is None:
            parts.append((line.page, line.text))
        else:
            tail, gap = joiner.tail_and_gap(line.text, after.text)
            parts.append((line.page, tail + gap))
    return [(page, _inner_hyphens(text, joiner)) for page, text in parts]


def _inner_hyphens(text: str, joiner: LineJoiner) -> str:
    """Undo the hyphens of line ends that PDFium has joined already and marked with U+FFFE."""
    while "\ufffe" in text.strip("\ufffe"):
        before, after = text.split("\ufffe", 1)
        tail, gap = joiner.tail_and_gap(before + "\ufffe", after)
        text = tail + gap + after
    return text.replace("\ufffe", "-")


__all__ = ["PdfLoader"]
