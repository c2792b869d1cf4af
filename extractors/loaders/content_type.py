"""What a file is: told by its bytes; the extension only tells one text format from another."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path
from typing import Literal

from storage.errors import LoadError

ContentType = Literal["pdf", "docx", "html", "markdown", "text"]

_TEXT_SUFFIXES: dict[str, ContentType] = {
    ".md": "markdown", ".markdown": "markdown", ".html": "html", ".htm": "html", ".xhtml": "html",
}  # fmt: skip
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_UNREAD = (
    (b"\x89PNG", "a PNG picture"), (b"\xff\xd8\xff", "a JPEG picture"), (b"GIF8", "a GIF picture"),
    (b"II*\x00", "a TIFF picture"), (b"MM\x00*", "a TIFF picture"), (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"), (b"\xfd7zXZ\x00", "an xz archive"), (b"7z\xbc\xaf", "a 7-Zip archive"),
    (b"Rar!", "a RAR archive"), (b"\x7fELF", "a program"), (b"MZ\x90\x00", "a program"),
    (b"SQLite format 3\x00", "an SQLite database"), (b"{\\rtf", "an RTF document"), (b"%!PS", "a PostScript file"),
    (b"OggS", "a sound or film"), (b"ID3", "a sound"), (b"\x00\x00\x01\x00", "an icon"), (b"PAR1", "a Parquet table"),
)  # fmt: skip
_HTML_START = re.compile(rb"(?:\xef\xbb\xbf)?\s{0,200}<(?:!doctype\s+html|html[\s>])", re.IGNORECASE)


def content_type(path: Path, data: bytes) -> ContentType:
    """Which loader reads these bytes. Raises LoadError naming what they are when none does."""
    suffix = path.suffix.lower()
    # The standard wants the mark at the start; readers accept it in the first 1,024 bytes.
    if data.lstrip()[:5] == b"%PDF-" or (suffix == ".pdf" and b"%PDF-" in data[:1024]):
        return "pdf"
    if data.startswith(b"PK\x03\x04"):
        return _zip_type(path, data)
    if data.startswith(_OLE):
        raise LoadError(
            f"{path.name} is protected by a password or of an old Office format. "
            "Open it in an office program and save it as DOCX without a password"
        )
    for magic, kind in _UNREAD:
        if data.startswith(magic):
            raise LoadError(f"{path.name} is {kind}, which is not read. Convert it to one of txt, md, html, pdf, docx")
    if suffix in {".pdf", ".docx"}:
        raise LoadError(f"{path.name} is not a {suffix[1:].upper()} file, or it is damaged. Save it again")
    if _HTML_START.match(data):
        return "html"
    return _TEXT_SUFFIXES.get(suffix, "text")


def _zip_type(path: Path, data: bytes) -> ContentType:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise LoadError(f"{path.name} is a damaged or cut off archive. Get a whole copy of it") from error
    if "[Content_Types].xml" in names and any(name.startswith("word/") for name in names):
        return "docx"
    raise LoadError(f"{path.name} is an archive but not a DOCX, and is not read. Convert it, or unpack it first")


__all__ = ["ContentType", "content_type"]
