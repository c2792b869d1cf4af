"""From what a caller names to what is ingested: folders are walked, every file gets its identity."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from extractors.loaders import supported_suffixes
from graphrag.results import FileProblem
from storage.errors import UsageError
from storage.identity import make_id
from storage.records import Document

_UNPAIRED = re.compile("[\ud800-\udc7f\udd00-\udfff]")  # surrogates that stand for no byte of a file name

PART = "#"
"""Stands between the path of a file and the name of one of several documents in it."""

Ingestible = str | os.PathLike[str] | Document


@dataclass(frozen=True, slots=True)
class Input:
    """One thing to ingest: a file that is still to be read, or a document that the caller made."""

    namespace: str
    path: str
    location: Path | None = None
    size: int = 0  # bytes, for progress
    document: Document | None = None
    whole: str = ""  # of one of several documents in a file: the path of the file

    @property
    def file(self) -> str:
        """The path of the file it is, or is in."""
        return self.whole or self.path

    @property
    def source_id(self) -> str:
        """The identity of the source it will be stored under."""
        return make_id("src", self.namespace, self.path)

    def part(self, name: str | None) -> Input:
        """One of several documents in this file, or the file itself when it holds just one."""
        if name is None:
            return self
        return replace(self, path=f"{self.path}{PART}{portable(name)}", size=0, whole=self.path)

    def holds(self, path: str) -> bool:
        """Whether ``path`` is that of this file, or of a document in it."""
        return path == self.path or path.startswith(f"{self.path}{PART}")


@dataclass(slots=True)
class Listing:
    """What the named folders and files hold, and what in them is passed over."""

    inputs: list[Input] = field(default_factory=list)
    skipped: list[FileProblem] = field(default_factory=list)
    failed: list[FileProblem] = field(default_factory=list)
    roots: list[tuple[str, Path]] = field(default_factory=list)  # (namespace, folder) of every folder walked whole


def list_inputs(sources: Ingestible | Sequence[Ingestible], *, namespace: str | None = None) -> Listing:
    """Walk what is named, in a fixed order. What cannot be looked at is listed as failed, never raised."""
    listing = Listing()
    named: Iterable[Ingestible] = [sources] if isinstance(sources, str | os.PathLike | Document) else sources
    for source in named:
        if isinstance(source, Document):
            path = source.id if source.id is not None else f"text-{source.content_hash[:16]}"
            if not path.strip():
                raise UsageError("A document has an empty id. Give it an id that is not blank, or none at all.")
            listing.inputs.append(
                Input(namespace or "documents", portable(path), size=len(source.text), document=source)
            )
            continue
        location = Path(source).absolute()
        try:
            is_folder, exists = location.is_dir(), location.exists()
        except OSError as error:
            listing.failed.append(FileProblem(path=portable(str(source)), reason=f"cannot be read: {_why(error)}"))
            continue
        if is_folder:
            _walk(location, namespace or folder_name(location), listing)
        elif not exists:
            listing.failed.append(FileProblem(path=portable(str(source)), reason="there is no such file or folder"))
        else:
            _take(location, location.parent, namespace or folder_name(location.parent), listing, named=True)
    return listing


def folder_name(folder: Path) -> str:
    """The namespace that a folder gives: its own name, never where it lies."""
    return portable(folder.resolve().name) or "root"


def portable(path: str) -> str:
    """A path as it is stored: composed characters, and bytes that are no text replaced."""
    data = _UNPAIRED.sub("\ufffd", path).encode("utf-8", "surrogateescape")
    return unicodedata.normalize("NFC", data.decode("utf-8", "replace"))


def _walk(root: Path, namespace: str, listing: Listing) -> None:
    trouble = len(listing.failed)
    for location in _files(root, root, {_identity(root)}, listing):
        _take(location, root, namespace, listing, named=False)
    if len(listing.failed) == trouble:  # a folder that could not be read must not look like one that was emptied
        listing.roots.append((namespace, root.resolve()))


def _files(folder: Path, root: Path, above: set[tuple[int, int]], listing: Listing) -> Iterator[Path]:
    """Files below ``folder`` in the order of their names; links are followed unless they lead back above themselves."""
    try:
        entries = sorted(os.scandir(folder), key=lambda e: e.name)
    except OSError as error:
        listing.failed.append(FileProblem(path=_shown(folder, root), reason=f"cannot be listed: {_why(error)}"))
        return
    for entry in entries:
        place = Path(entry.path)
        if entry.name.startswith("."):
            listing.skipped.append(FileProblem(path=_shown(place, root), reason="hidden"))
            continue
        try:
            identity = _identity(place) if entry.is_dir() else None
        except OSError as error:  # a link round in a circle or into a place that may not be entered
            listing.failed.append(FileProblem(path=_shown(place, root), reason=f"cannot be read: {_why(error)}"))
            continue
        if identity is None:
            yield place
        elif identity in above:
            reason = "a link that leads back to a folder above it"
            listing.skipped.append(FileProblem(path=_shown(place, root), reason=reason))
        else:
            yield from _files(place, root, above | {identity}, listing)


def _take(location: Path, root: Path, namespace: str, listing: Listing, *, named: bool) -> None:
    shown = _shown(location, root)
    if not named and location.suffix.lower() not in supported_suffixes():
        reason = f"not a supported format ({', '.join(supported_suffixes())})"
        listing.skipped.append(FileProblem(path=shown, reason=reason))
        return
    try:
        size = location.stat().st_size
    except OSError as error:
        listing.failed.append(FileProblem(path=shown, reason=f"cannot be read: {_why(error)}"))
        return
    if not location.is_file():
        listing.failed.append(FileProblem(path=shown, reason="not a regular file"))
        return
    listing.inputs.append(Input(namespace, shown, location, size))


def _shown(location: Path, root: Path) -> str:
    relative = location.relative_to(root)
    return portable(relative.as_posix()) if relative.parts else "."


def _identity(folder: Path) -> tuple[int, int]:
    status = folder.stat()
    return status.st_dev, status.st_ino


def _why(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


__all__ = ["PART", "Ingestible", "Input", "Listing", "folder_name", "list_inputs", "portable"]
