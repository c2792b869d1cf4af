"""Loaders: a file in, its text with headings and pages out.

    load_file(path) ── loader_for(path, data) ── what the bytes are decides; the extension only tells texts apart
                                                 pdf | docx | html | markdown | text

To add a format: one file with a class that has ``name`` and ``load``, and one line in the registry below.
"""

from __future__ import annotations

import logging
from pathlib import Path

from extractors.loaders.content_type import ContentType, content_type
from extractors.loaders.docx import DocxLoader
from extractors.loaders.html import HtmlLoader
from extractors.loaders.markdown import MarkdownLoader
from extractors.loaders.pdf import PdfLoader
from extractors.loaders.plain import PlainLoader
from extractors.ports import Loader
from storage.errors import LoadError
from storage.records import Document

SUPPORTED_SUFFIXES = (".txt", ".text", ".md", ".markdown", ".html", ".htm", ".xhtml", ".pdf", ".docx")
"""Which files of a folder are read; a file named by itself is read whatever its suffix."""

_LOADERS: dict[ContentType, Loader] = {
    "pdf": PdfLoader(),
    "docx": DocxLoader(),
    "html": HtmlLoader(),
    "markdown": MarkdownLoader(),
    "text": PlainLoader(),
}

_log = logging.getLogger(__name__)


def loader_for(path: Path, data: bytes) -> Loader:
    """The loader for these bytes. Raises LoadError when they are of a kind that Clew does not read."""
    return _LOADERS[content_type(path, data)]


def loader_names() -> tuple[str, ...]:
    """The names of all loaders: format and version."""
    return tuple(loader.name for loader in _LOADERS.values())


def load_file(path: Path, data: bytes | None = None) -> Document:
    """The document in the file at ``path``; ``data`` saves reading it again.

    Raises LoadError, and nothing else, for whatever is wrong with the file: it cannot be opened, is empty, is
    damaged or protected, or is of a kind that is not read.
    """
    if data is None:
        try:
            data = path.read_bytes()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise LoadError(f"{path.name} cannot be opened ({reason}). Check that it exists and may be read") from error
    if not data.strip():
        raise LoadError(f"{path.name} is empty. Nothing was read from it")
    try:
        document = loader_for(path, data).load(path, data)
    except LoadError:
        raise
    except Exception as error:  # the parsers behind the loaders raise what they please on damaged files
        _log.debug("loading %s failed", path.name, exc_info=True)
        kind = type(error).__name__
        raise LoadError(f"{path.name} cannot be read; it may be damaged ({kind}). Save it again, or as text") from error
    if not document.text.strip():
        raise LoadError(f"{path.name} is empty: no text is in it")
    return document


__all__ = ["SUPPORTED_SUFFIXES", "load_file", "loader_for", "loader_names"]
