"""One file that holds a whole knowledge base: a zip archive whose members are known by name, size and SHA-256.

Nothing of it is ever extracted by the names it gives: what may be in it is a fixed list.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from pydantic import Field, ValidationError

from storage.errors import ClewError, StoreError, StoreFullError, StoreVersionError
from storage.manifest import Manifest
from storage.ports import COLLECTIONS, Collection
from storage.records import Record, UtcTime

ARCHIVE_FORMAT = 1
CONTENTS = "backup.json"
GRAPH_FILE, GRAPH_RECORDS = "graph.db", "graph.jsonl"
ROWS: dict[Collection, str] = {collection: f"rows/{collection}.arrow" for collection in COLLECTIONS}
_MEMBERS = {GRAPH_FILE, GRAPH_RECORDS, *ROWS.values()}
_PIECE = 1 << 20
_CONTENTS_LIMIT = 1 << 20


class Member(Record):
    """One file in the archive."""

    bytes: int = Field(ge=0)
    sha256: str


class Contents(Record):
    """What an archive says of itself."""

    format: int
    clew_version: str
    created_at: UtcTime
    manifest: Manifest
    state_hash: str
    records: dict[str, int]  # active records of the graph, by kind
    sources: int
    rows: dict[str, int]  # of the text index, by collection
    ledger_entries: int
    ledger_head: str
    members: dict[str, Member] = Field(default_factory=dict)


class ArchiveWriter:
    """Writes members one after the other."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._members: dict[str, Member] = {}

    @contextmanager
    def member(self, name: str, *, compressed: bool = True) -> Iterator[IO[bytes]]:
        """A stream for the bytes of the next member."""
        info = zipfile.ZipInfo(name)
        info.compress_type = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
        with self._archive.open(info, "w", force_zip64=True) as stream:
            hashed = _Hashed(stream)
            yield hashed  # type: ignore[misc]  # as far as writing goes, it is one
            self._members[name] = Member(bytes=hashed.count, sha256=hashed.digest.hexdigest())

    def finish(self, contents: Contents) -> Contents:
        """Write the list of contents, last of all."""
        contents = contents.model_copy(update={"members": self._members})
        self._archive.writestr(CONTENTS, contents.model_dump_json(indent=2))
        return contents


@contextmanager
def writing_archive(path: Path) -> Iterator[ArchiveWriter]:
    """Write an archive that is under ``path`` when it is whole, and not before. Raises StoreFullError."""
    partial = path.with_name(f".{path.name}.partial")
    try:
        with zipfile.ZipFile(partial, "w", compresslevel=1) as archive:
            yield ArchiveWriter(archive)
        with partial.open("rb+") as file:
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        raise StoreFullError(
            f"{path} cannot be written ({error}). Free some space or check the folder, then back up again; nothing "
            "is left under that name."
        ) from error
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


class ArchiveReader:
    """Reads an archive of which every byte was checked."""

    def __init__(self, path: Path, archive: zipfile.ZipFile, contents: Contents) -> None:
        self._path = path
        self._archive = archive
        self.contents = contents

    @contextmanager
    def member(self, name: str) -> Iterator[IO[bytes]]:
        """A stream of the bytes of a member."""
        with _whole(self._path), self._archive.open(name) as stream:
            yield stream

    def extract(self, name: str, to: Path) -> None:
        """Write a member into the new file ``to``."""
        with self.member(name) as stream, to.open("xb") as file:
            while piece := stream.read(_PIECE):
                file.write(piece)


@contextmanager
def reading_archive(path: Path) -> Iterator[ArchiveReader]:
    """Open an archive after checking all of it. Raises StoreError if it is cut off, altered or something else."""
    with _whole(path):
        archive = zipfile.ZipFile(path)
    with archive:
        with _whole(path):
            contents = _checked(path, archive)
        yield ArchiveReader(path, archive, contents)


def _checked(path: Path, archive: zipfile.ZipFile) -> Contents:
    names = archive.namelist()
    if strange := sorted(set(names) - _MEMBERS - {CONTENTS}):
        raise StoreError(
            f"{path} is not a backup that Clew wrote: it holds {strange[0][:200]!r}. Nothing was restored."
        )
    if CONTENTS not in names or archive.getinfo(CONTENTS).file_size > _CONTENTS_LIMIT:
        raise StoreError(f"{path} is not a backup that Clew wrote: it has no list of contents. Nothing was restored.")
    said = json.loads(archive.read(CONTENTS))
    if not isinstance(said, dict) or said.get("format") != ARCHIVE_FORMAT:
        version = said.get("format") if isinstance(said, dict) else None
        raise StoreVersionError(
            f"{path} is a backup of format {version}; this version of Clew reads format {ARCHIVE_FORMAT}. Use the "
            "version that wrote it."
        )
    contents = Contents.model_validate(said)
    if len(names) != len(set(names)) or set(names) != {CONTENTS, *contents.members}:
        raise _altered(path, "its members are not those of its list of contents")
    for name, member in contents.members.items():
        digest, count = hashlib.sha256(), 0
        with archive.open(name) as stream:
            while count <= member.bytes and (piece := stream.read(_PIECE)):
                digest.update(piece)
                count += len(piece)
        if (count, digest.hexdigest()) != (member.bytes, member.sha256):
            raise _altered(path, f"{name} is not what was written into it")
    return contents


@contextmanager
def _whole(path: Path) -> Iterator[None]:
    try:
        yield
    except ClewError:
        raise
    except FileNotFoundError:
        raise StoreError(f"There is no backup {path}. Name the file that clew backup wrote.") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, ValidationError, ValueError, NotImplementedError) as error:
        raise _altered(path, str(error).splitlines()[0] if str(error) else "it ends too early") from error
    except (RuntimeError, OSError) as error:
        raise StoreError(f"{path} cannot be read ({error}). Nothing was restored.") from error


def _altered(path: Path, why: str) -> StoreError:
    return StoreError(
        f"{path} was cut off or altered, or is no backup ({why[:200]}). Use another copy; nothing was restored."
    )


class _Hashed(io.RawIOBase):
    """Passes bytes on, counting and hashing them."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.digest = hashlib.sha256()
        self.count = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        self._stream.write(view)
        self.digest.update(view)
        self.count += len(view)
        return len(view)


__all__ = [
    "ARCHIVE_FORMAT",
    "CONTENTS",
    "GRAPH_FILE",
    "GRAPH_RECORDS",
    "ROWS",
    "ArchiveReader",
    "ArchiveWriter",
    "Contents",
    "Member",
    "reading_archive",
    "writing_archive",
]
