"""Loaders: a file in, its documents out: text with headings, pages, places and tables.

    load_file(path) ── loader_for(path, data) ── what the bytes are decides; the extension only tells texts apart
                              │
                              └─ pdf docx pptx xlsx epub html markdown eml csv jsonl chat code zip text, and any that
                                 another package adds by an entry point in the group ``clew.loaders``

To add a format: one file with a class behind the port :class:`extractors.ports.Loader`, and one entry point.
"""

from __future__ import annotations

import logging
from pathlib import Path

from extractors.loaders.registry import label_note, loader_for, loader_names, loader_of, loaders, supported_suffixes
from extractors.ports import LoadedFile, LoadOptions
from storage.errors import LoadError, UsageError
from storage.records import Document

DEFAULTS = LoadOptions()

_log = logging.getLogger(__name__)


def load_file(path: Path, data: bytes | None = None, options: LoadOptions = DEFAULTS) -> LoadedFile:
    """What is in the file at ``path``; ``data`` saves reading it again.

    Raises:
        LoadError: whatever is wrong with the file: it cannot be opened, is empty, is damaged or protected, or is of a
            kind that is not read. Nothing else is raised for what a file holds.
        UsageError: ``options`` name a format that there is not.
    """
    if data is None:
        try:
            data = path.read_bytes()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise LoadError(f"{path.name} cannot be opened ({reason}). Check that it exists and may be read") from error
    if not data or data.isspace():
        raise LoadError(f"{path.name} is empty. Nothing was read from it")
    try:
        loader = loader_for(path, data, options.format)
        loaded = loader.load(path, data, options)
    except (LoadError, UsageError):
        raise
    except MemoryError as error:
        raise LoadError(f"{path.name} needs more memory to be read than there is. Split it") from error
    except Exception as error:  # the parsers behind the loaders raise what they please on damaged files
        _log.debug("loading %s failed", path.name, exc_info=True)
        kind = type(error).__name__
        raise LoadError(f"{path.name} cannot be read; it may be damaged ({kind}). Save it again, or as text") from error
    documents = tuple(document for document in loaded.documents if document.text.strip())
    if not documents and not loaded.problems:
        raise LoadError(f"{path.name} is empty: no text is in it")
    note = None if options.format else label_note(path, loader)
    notes = (*loaded.notes, *filter(None, (note,)))
    return loaded.model_copy(update={"documents": documents, "notes": notes, "loader": loader.name})


def load_document(path: Path, data: bytes | None = None, options: LoadOptions = DEFAULTS) -> Document:
    """The one document in a file. Raises LoadError also when the file holds several, or parts that cannot be read."""
    loaded = load_file(path, data, options)
    if loaded.problems:
        raise LoadError(f"{path.name}: {loaded.problems[0].part}: {loaded.problems[0].reason}")
    if len(loaded.documents) != 1:
        raise LoadError(f"{path.name} holds {len(loaded.documents)} documents. Read it with load_file")
    return loaded.documents[0]


__all__ = [
    "DEFAULTS",
    "load_document",
    "load_file",
    "loader_for",
    "loader_names",
    "loader_of",
    "loaders",
    "supported_suffixes",
]
