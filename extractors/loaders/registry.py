"""Which loader reads a file: the one that is surest by what is in it."""

from __future__ import annotations

import logging
from functools import cache
from importlib.metadata import entry_points
from pathlib import PurePath

from extractors.loaders.signatures import is_ole, what_it_is
from extractors.ports import Likeness, Loader
from storage.errors import LoadError, UsageError

ENTRY_POINTS = "clew.loaders"
"""The group in which a package names its loaders; the name of the entry is that of the format."""

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
        if format not in known:
            raise UsageError(f"There is no format {format!r}. Formats: {', '.join(known)}.")
        return known[format]
    likeness = {name: loader.recognises(path, data) for name, loader in known.items()}
    best = max(likeness, key=lambda name: likeness[name], default=None)
    if best is not None and likeness[best] is Likeness.CONTENT:
        return known[best]
    if is_ole(data):
        raise LoadError(
            f"{path.name} is protected by a password or of an old Office format. "
            "Open it in an office program and save it in a format of today (docx, pptx, xlsx) without a password"
        )
    if (kind := what_it_is(data)) is not None:
        raise LoadError(f"{path.name} is {kind}, which is not read. Convert it to one of {', '.join(known)}")
    named = next((n for n, loader in known.items() if path.suffix.lower() in loader.suffixes), None)
    if named is not None and likeness[named] is Likeness.NO:
        raise LoadError(f"{path.name} is not a {named.upper()} file, or it is damaged. Save it again")
    if best is None or likeness[best] is Likeness.NO:
        raise LoadError(f"{path.name} is of no format that is read. Convert it to one of {', '.join(known)}")
    return known[best]


def loader_names() -> tuple[str, ...]:
    """The names of all loaders: format and version."""
    return tuple(loader.name for loader in loaders().values())


__all__ = ["ENTRY_POINTS", "loader_for", "loader_names", "loaders", "supported_suffixes"]
