"""Writes of LanceDB that a full disk cut short, and the way back from them.

LanceDB gives a file its name when all of it is written, but does not look whether its last few kilobytes could be
(``LocalWriter`` of lance-io 13 takes a last flush that failed for one that is done): on a full disk a file is cut
short, its version committed, and the write said to be done, though no row of it can be read any more. So after each
write the files that it made are looked at, all of which end in a known way, and a version over one that was cut short
is taken back.
"""

from __future__ import annotations

import logging
import os
import struct
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path

from storage.lance_failures import CutShortError

_ENDS = {".lance": b"LANC", ".manifest": b"LANC", ".arrow": b"ARROW1"}
_FOLDERS = ("data", "_deletions", "_indices", "_versions")

_VERSIONS_OF_A_WRITE = 4
"""The most versions that one write makes: bringing indexes up to date and folding files together makes three."""

_log = logging.getLogger(__name__)


@contextmanager
def noticed_when_cut_short(table: Path) -> Iterator[None]:
    """Raise CutShortError if what is written to the folder of a table meanwhile is not whole, and take it back.

    Whoever has the table open must open it again then. The caller holds the store's writer lock.
    """
    before = _entries(table)
    try:
        yield
    finally:  # of a write in several steps, the first may be cut short and a later one fail of it
        new = _entries(table) - before
        if cut := _cut_short(table, new):
            _take_back(table, cut, at_most=sum(folder == "_versions" for folder, _ in new))
            raise CutShortError(f"the end of {cut[0].relative_to(table.parent)} could not be written")


def take_back_cut_writes(index: Path) -> int:
    """Take back, in every table of an index, what was cut short when its writer died of it; how many versions went.

    Only the last write can be of that kind. A file that is cut short under older versions too is damage, and left.
    The caller holds the store's writer lock, and opens the tables afterwards.
    """
    count = 0
    for table in sorted(index.glob("*.lance")):
        count += _take_back(table, _cut_short(table, _entries(table)), at_most=_VERSIONS_OF_A_WRITE)
    if count:
        _log.warning("Writing to %s was cut short by a full disk; what was not whole is taken back.", index)
    return count


def newest_version_written(table: Path) -> float:
    """When the newest version of a table was written, in seconds since the epoch."""
    return max(manifest.stat().st_mtime for manifest in _manifests(table)[:1])


def _take_back(table: Path, cut: list[Path], *, at_most: int) -> int:
    """Remove the newest versions that need a file which is cut short; how many. Those under them are whole."""
    marks = [_mark(file) for file in cut if file.suffix != ".manifest"]

    def needs_one(manifest: Path) -> bool:
        return manifest in cut or any(mark in manifest.read_bytes() for mark in marks)

    found = list(takewhile(needs_one, _manifests(table)[: at_most + 1])) if cut else []
    if len(found) > at_most:
        found = []
    found += [file for file in cut if file.suffix == ".manifest" and file not in found]  # nobody can read these
    for manifest in found:  # the newest first: cut off in between, the rest is taken back the next time
        manifest.unlink()
    return len(found)


def _mark(file: Path) -> bytes:
    """What stands for a file in the manifest of each version that needs it."""
    if file.suffix in (".arrow", ".bin"):  # FRAGMENT-VERSION-ID, whose id is the third field of a message
        return b"\x18" + _varint(int(file.stem.rsplit("-", 1)[1]))
    if file.parent.parent.name == "_indices":
        return uuid.UUID(file.parent.name).bytes
    return file.name.encode()


def _varint(number: int) -> bytes:
    """As Protocol Buffers write it: seven bits a byte, the lowest first."""
    parts = []
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*parts, number])


def _manifests(table: Path) -> list[Path]:
    """The newest first. They are named by what is left of the largest number of 64 bits, so in twenty digits."""
    return sorted((table / "_versions").glob("*.manifest"))


def _entries(table: Path) -> set[tuple[str, str]]:
    """Names in the folders of a table; what one of an index holds never changes."""
    found: set[tuple[str, str]] = set()
    for folder in _FOLDERS:
        try:
            found.update((folder, name) for name in os.listdir(table / folder))
        except FileNotFoundError:
            continue  # it is made by the first file that belongs there
    return found


def _cut_short(table: Path, entries: set[tuple[str, str]]) -> list[Path]:
    files: list[Path] = []
    for folder, name in sorted(entries):
        path = table / folder / name
        files += sorted(path.iterdir()) if folder == "_indices" and path.is_dir() else [path]
    return [file for file in files if not _is_whole(file)]


def _is_whole(file: Path) -> bool:
    try:
        if file.suffix == ".bin":
            data = file.read_bytes()
            return len(data) >= _length_of_bitmap(data)
        end = _ENDS.get(file.suffix)
        if end is None:
            return True
        with open(file, "rb") as opened:
            opened.seek(-min(len(end), os.fstat(opened.fileno()).st_size), os.SEEK_END)
            return opened.read() == end
    except FileNotFoundError:
        return True  # a file of an old version may be cleaned up at any time


def _length_of_bitmap(data: bytes) -> int:
    """How long a Roaring bitmap of deleted rows is by its head, in the portable format; 0 if it is of another kind."""
    if len(data) < 8:
        return 8
    cookie, containers = struct.unpack_from("<II", data)  # the kind, and how many containers of 65,536 numbers it has
    if cookie != 12_346:
        return 0
    described = 8 + 4 * int(containers)  # each: its key, and how many numbers it holds, less one
    if len(data) < described:
        return described
    numbers = [int(less_one) + 1 for _, less_one in struct.iter_unpack("<HH", data[8:described])]
    return described + 4 * len(numbers) + sum(2 * n if n <= 4096 else 8192 for n in numbers)


__all__ = ["newest_version_written", "noticed_when_cut_short", "take_back_cut_writes"]
