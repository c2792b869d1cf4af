"""Which loader reads a file: the one that is surest by what is in it."""

from __future__ import annotations

import logging
from functools import cache
from importlib.metadata import entry_points
from pathlib import PurePath

from extractors.loaders.encoding import is_binary
from extractors.loaders.signatures import is_ole, is_zip, what_it_is, zip_names
from extractors.ports import Likeness, Loader
from storage.errors import LoadError, UsageError

ENTRY_POINTS = "clew.loaders"
"""The group in which a package names its loaders; the name of the entry is that of the format."""

_TEXT_FORMATS = frozenset({"chat", "code", "csv", "eml", "html", "jsonl", "markdown", "text"})
_PARTS_OF_PDF = (b"endobj", b"endstream")
_SAMPLE = 65_536

_log = logging.getLogger(__name__)


@cache
def loaders() -> dict[str, Loader]:
    """Every loader that is installed, by the name of its format. One that cannot be imported is left out and logged."""
    found: dict[str, Loader] = {}
    for entry in sorted(entry_points(group=ENTRY_POINTS), key=lambda e: e.name):
        try:
            found[entry.name] = entry.load()()
        except Exception as error:  # noqa: BLE001 - another package's code
            _log.warning("The loader %s of %s cannot be used (%s)", entry.name, entry.value, error)
    return found


def supported_suffixes() -> tuple[str, ...]:
    """Which files of a folder are read; a file named by itself is read whatever its suffix."""
    return tuple(sorted({suffix for loader in loaders().values() for suffix in loader.suffixes}))


def loader_for(path: PurePath, data: bytes, format: str | None = None) -> Loader:
    """The loader for these bytes, or the one of ``format``.

    Raises:
        LoadError: they are of a kind that no loader reads; the message says what they are.
        UsageError: there is no such format.
    """
    known = loaders()
    if format is not None:
        return loader_of(format)
    suffix = path.suffix.lower()
    named = next((name for name, loader in known.items() if suffix in loader.suffixes), None)
    likeness = {name: loader.recognises(path, data) for name, loader in known.items()}
    best = max(likeness, key=lambda name: (likeness[name], suffix in known[name].suffixes), default=None)
    if best is not None and likeness[best] is Likeness.CONTENT:
        return known[best]
    supported = f"Formats that are read: {', '.join(known)}"
    if is_ole(data):
        raise LoadError(
            f"{path.name} is protected by a password or of an old Office format. "
            "Open it in an office program and save it in a format of today (docx, pptx, xlsx) without a password"
        )
    if (kind := what_it_is(data)) is not None:
        if is_zip(data) and zip_names(data) is None:
            raise LoadError(f"{path.name} is {kind}. Copy it again from where it came. {supported}")
        raise LoadError(f"{path.name} is {kind}, which is not read. Convert it. {supported}")
    if named is not None and likeness[named] is Likeness.NO:
        raise LoadError(f"{path.name} is not {_called(named)} file{_what_instead(data)}. {supported}")
    if best is None or likeness[best] is Likeness.NO:
        raise LoadError(f"{path.name} is of no format that is read. Convert it. {supported}")
    if best in _TEXT_FORMATS and is_binary(data):
        raise LoadError(f"{path.name} holds binary data, not text. Give it its true file type. {supported}")
    return known[best]


def label_note(path: PurePath, loader: Loader) -> str | None:
    """What to tell people when the bytes of a file are of a format that its name denies; None when the two agree.

    A name that belongs to plain text denies no text format: a transcript may well be called .txt.
    """
    known = loaders()
    suffix = path.suffix.lower()
    named = next((name for name, other in known.items() if suffix in other.suffixes), None)
    chosen = next((name for name, other in known.items() if other is loader), None)
    if None in {named, chosen} or suffix in loader.suffixes or (chosen in _TEXT_FORMATS and named in _TEXT_FORMATS):
        return None
    return f"{path.name} is {_called(chosen or '')} file, whatever its name says, and was read as one"


def _called(format: str) -> str:
    words = format.upper() if len(format) < 6 else format
    return f"{'an' if words[0] in 'AEHLMXaeio' else 'a'} {words}"


def _what_instead(data: bytes) -> str:
    """What a file is that its name calls something else, and what to do about it."""
    if is_binary(data) or any(mark in data[:_SAMPLE] for mark in _PARTS_OF_PDF):
        return ", or it is damaged. Save it again"
    return ": it holds text. Name it .txt, or have it read with the format text"


def loader_of(format: str) -> Loader:
    """The loader of ``format``. Raises UsageError naming the formats if there is none."""
    known = loaders()
    if format not in known:
        raise UsageError(f"There is no format {format!r}. Formats: {', '.join(known)}.")
    return known[format]


def loader_names() -> tuple[str, ...]:
    """The names of all loaders: format and version."""
    return tuple(loader.name for loader in loaders().values())


__all__ = ["ENTRY_POINTS", "label_note", "loader_for", "loader_names", "loader_of", "loaders", "supported_suffixes"]
