"""PDF: paragraphs, headings, tables and footnotes in reading order, told from where the characters stand."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from extractors.loaders.line_joining import LineJoiner
from extractors.loaders.ocr import TextRecognizer, installed_recognizer
from extractors.loaders.pdf_info import attachments, metadata_of, page_ranges, title_of
from extractors.loaders.pdf_layout import blocks, body_size, heading_levels
from extractors.loaders.pdf_lines import Line
from extractors.loaders.pdf_notes import Note, take_notes
from extractors.loaders.pdf_page import PrintedPage, read_page
from extractors.loaders.pdf_running import running_asides, running_lines
from extractors.loaders.pdf_writing import write
from extractors.loaders.pictures import Pictures, pictures_of
from extractors.loaders.text_builder import TextBuilder
from extractors.ports import Likeness, LoadedFile, LoadOptions
from storage.errors import LoadError

# PDFium keeps state for the whole process and is not safe for threads; its bindings leave the locking to the caller.
_PDFIUM = threading.Lock()
_DAMAGED = "is damaged or cut off. Get a whole copy of it, or print it to a new PDF"
_SECONDS = 120.0  # looked at between pages: a page of a common document takes some 10 ms
_TAIL = 2048


class PdfLoader:
    """Reads the text layer of a PDF with PDFium, and pages that are pictures with the extra ``ocr``."""

    name = "pdf@3"
    suffixes = (".pdf",)

    def __init__(self, *, seconds: float = _SECONDS) -> None:
        """``seconds`` is how long one file may take before it is refused; text recognition is not counted."""
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
        recognizer = installed_recognizer() if options.ocr else None
        pictures = pictures_of(options, tuple)
        with _PDFIUM:
            document = _opened(path, data, options)
            try:
                pages, unread = self._pages(path, document, recognizer, options, pictures)
                properties, files = document.get_metadata_dict(), attachments(document)
            finally:
                document.close()
        if not any(page.columns or page.asides for page in pages):
            raise LoadError(_without_text(path, pages, unread, recognizer, options))
        builder = TextBuilder()
        _write_pages(builder, pages)
        headings = builder.headings
        unread_pictures = () if pictures is None else pictures.left_out()
        found = builder.document(
            title_of(properties, path) or (headings[0] if headings else path.stem),
            pages=len(pages),
            metadata=metadata_of(properties),
        )
        return LoadedFile(documents=(found,), notes=(*_left_out(pages, unread, files, recognizer), *unread_pictures))

    def _pages(
        self,
        path: PurePath,
        document: Any,
        recognizer: TextRecognizer | None,
        options: LoadOptions,
        pictures: Pictures | None,
    ) -> tuple[list[PrintedPage], list[int]]:
        """The pages, and the numbers of those that cannot be read."""
        import pypdfium2

        left = self._seconds
        pages: list[PrintedPage] = []
        unread: list[int] = []
        gutters: list[float] = []
        for index in range(len(document)):
            started, with_pictures = time.monotonic(), 0.0 if pictures is None else pictures.spent
            if left < 0:
                raise LoadError(f"{path.name} took longer than {self._seconds:.0f} s to read. Split it into parts")
            try:
                page = read_page(
                    document, index, gutters, recognizer, with_comments=options.comments, pictures=pictures
                )
            except pypdfium2.PdfiumError:
                page = PrintedPage(index + 1)
                unread.append(index + 1)
            pages.append(page)
            if not page.recognised:
                left -= time.monotonic() - started - (0.0 if pictures is None else pictures.spent - with_pictures)
        return pages, unread


def _opened(path: PurePath, data: bytes, options: LoadOptions) -> Any:
    import pypdfium2
    from pypdfium2 import raw

    password = options.password.get_secret_value() if options.password else None
    try:
        return pypdfium2.PdfDocument(data, password=password)
    except pypdfium2.PdfiumError as error:
        if error.err_code == raw.FPDF_ERR_PASSWORD:
            wrong = "the password that was given does not open it. Give the right one"
            missing = "it can be read with its password only. Give it, or save the file without one"
            raise LoadError(
                f"{path.name} is protected by a password: {missing if password is None else wrong}"
            ) from error
        if error.err_code == raw.FPDF_ERR_SECURITY:
            raise LoadError(
                f"{path.name} is protected in a way that is not known. Open it in its own program and print it to a PDF"
            ) from error
        raise LoadError(f"{path.name} {_DAMAGED}") from error


def _write_pages(builder: TextBuilder, pages: Sequence[PrintedPage]) -> None:
    items = [[item for column in page.columns for item in column] for page in pages]
    body = body_size(item for page in items for item in page if isinstance(item, Line))
    running = running_lines(items, body) | running_asides([page.asides for page in pages])
    notes: list[list[Note]] = []
    open_marks: set[str] = set()
    for page in pages:
        page.columns = [[item for item in column if id(item) not in running] for column in page.columns]
        asides = [Note("", [line], page.number) for line in page.asides if id(line) not in running]
        notes.append([*take_notes(page.columns, body, open_marks), *asides])
    found = blocks([page.columns for page in pages], notes)
    joiner = LineJoiner(line.text for block in found for line in block.all_lines())
    write(builder, found, heading_levels(found, body), joiner)


def _without_text(
    path: PurePath,
    pages: Sequence[PrintedPage],
    unread: Sequence[int],
    recognizer: TextRecognizer | None,
    options: LoadOptions,
) -> str:
    pictures = sum(page.picture for page in pages)
    if len(unread) == len(pages):
        return f"{path.name} {_DAMAGED}"
    if not pictures:
        return f"{path.name} is empty: no text is on its {len(pages)} page{'s' * (len(pages) > 1)}"
    are = "is an image" if pictures == 1 else "are images"
    what = f"{path.name} has no text layer: {pictures} of {len(pages)} pages {are}"
    if not options.ocr:
        return f"{what}. Allow text recognition (OCR), or run it on the file"
    if recognizer is None:
        return f"{what}. Install text recognition (OCR) with: pip install 'clew[ocr]'"
    return f"{what}, and text recognition (OCR) found no words in them. Scan them again more sharply"


def _left_out(
    pages: Sequence[PrintedPage], unread: list[int], files: list[str], recognizer: TextRecognizer | None
) -> tuple[str, ...]:
    notes = []
    if unread:
        notes.append(f"{page_ranges(unread).capitalize()} of {len(pages)} cannot be read: damaged.")
    pictures = [page.number for page in pages if page.picture and not page.recognised]
    if pictures:
        hold = "holds pictures only" if len(pictures) == 1 else "hold pictures only"
        none, off = "text recognition (OCR) found no words there", "text recognition (OCR) is off or not installed"
        why = f" and {none}" if recognizer else f" and {'was' if len(pictures) == 1 else 'were'} not read: {off}"
        notes.append(f"{page_ranges(pictures).capitalize()} of {len(pages)} {hold}{why}.")
    recognised = [page.number for page in pages if page.recognised]
    if recognised:
        were = "was" if len(recognised) == 1 else "were"
        notes.append(f"{page_ranges(recognised).capitalize()} of {len(pages)} {were} read by text recognition (OCR).")
    if files:
        notes.append(f"Attached files were not read: {', '.join(files)}.")
    return tuple(notes)


__all__ = ["PdfLoader"]
