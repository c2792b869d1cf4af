"""In which access classes rows lie: where an index that keeps each class apart finds a row by its id or document.

A place is written before its row and removed after it, so every row has its place; a place without its row is harmless.
The file can be made again from the rows at any time.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TypeVar

from filelock import FileLock

from storage.errors import StoreError, StoreFullError
from storage.lance_failures import is_full
from storage.lance_tables import MAKING_LOCK
from storage.ports import COLLECTIONS, Collection

T = TypeVar("T")

Place = tuple[str, str, str]
"""Row id, document id, access class."""

_BUSY_SECONDS = 30.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS place (
  collection INTEGER NOT NULL, id TEXT NOT NULL, document TEXT NOT NULL, class TEXT NOT NULL,
  PRIMARY KEY (collection, id, class)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS place_document ON place (document, collection, class);
CREATE INDEX IF NOT EXISTS place_class ON place (class, collection);
"""


class ClassPlaces:
    """The places of all rows, in one SQLite file; several processes may read while one writes.

    Args:
        path: the file.
        rows: gives every (collection, places) there is, to make the file of when it is missing.
    """

    def __init__(self, path: Path, *, rows: Callable[[], Iterable[tuple[Collection, Sequence[Place]]]]) -> None:
        self._path = path
        self._rows = rows

    def exists(self) -> bool:
        """Whether the file is there."""
        return self._path.exists()

    def add(self, collection: Collection, places: Iterable[Place]) -> None:
        """Note places, durably; those that are noted already stay."""
        with self._open() as connection:
            _add(connection, collection, places)

    def remove(self, collection: Collection, ids: Sequence[str], class_: str) -> None:
        """Forget the places of these rows in one class."""
        query = "DELETE FROM place WHERE collection = ? AND class = ? AND id IN (SELECT value FROM json_each(?))"
        with self._open() as connection:
            connection.execute(query, (COLLECTIONS.index(collection), class_, json.dumps(list(ids))))

    def remove_documents(self, collection: Collection, document_ids: Sequence[str], class_: str) -> None:
        """Forget the places of all rows of these documents in one class."""
        query = "DELETE FROM place WHERE collection = ? AND class = ? AND document IN (SELECT value FROM json_each(?))"
        with self._open() as connection:
            connection.execute(query, (COLLECTIONS.index(collection), class_, json.dumps(list(document_ids))))

    def remove_class(self, collection: Collection, class_: str) -> None:
        """Forget all places in one class."""
        with self._open() as connection:
            connection.execute(
                "DELETE FROM place WHERE collection = ? AND class = ?", (COLLECTIONS.index(collection), class_)
            )

    def of_rows(self, collection: Collection, ids: Sequence[str]) -> dict[str, list[str]]:
        """By class, those of these rows that are there; classes and ids in order."""
        query = (
            "SELECT place.class, place.id FROM json_each(?) AS wanted CROSS JOIN place"
            " ON place.collection = ? AND place.id = wanted.value ORDER BY place.class, place.id"
        )
        with self._open() as connection:
            return _grouped(connection.execute(query, (json.dumps(list(ids)), COLLECTIONS.index(collection))))

    def of_documents(self, collection: Collection, document_ids: Sequence[str]) -> dict[str, list[str]]:
        """By class, those of these documents that have rows there; classes and ids in order."""
        query = (
            "SELECT DISTINCT place.class, place.document FROM json_each(?) AS wanted CROSS JOIN place"
            " ON place.document = wanted.value AND place.collection = ? ORDER BY place.class, place.document"
        )
        with self._open() as connection:
            return _grouped(connection.execute(query, (json.dumps(list(document_ids)), COLLECTIONS.index(collection))))

    def classes(self, collection: Collection) -> list[str]:
        """The classes in which a collection has rows."""
        # Each step is one look into the index; DISTINCT would read every place.
        query = (
            "WITH RECURSIVE found(class) AS (SELECT min(class) FROM place UNION ALL"
            " SELECT (SELECT min(class) FROM place WHERE class > found.class) FROM found WHERE class IS NOT NULL)"
            " SELECT class FROM found WHERE class IS NOT NULL"
            " AND EXISTS (SELECT 1 FROM place WHERE place.class = found.class AND collection = ?)"
        )
        with self._open() as connection:
            return [row[0] for row in connection.execute(query, (COLLECTIONS.index(collection),))]

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """A connection for one transaction: it takes under a millisecond, and threads and ``fork()`` are no concern."""
        try:
            if not self._path.exists():
                self._path.parent.mkdir(parents=True, exist_ok=True)
                with FileLock(self._path.with_name(MAKING_LOCK)):
                    if not self._path.exists():
                        self._make()
            with closing(_connect(self._path)) as connection, connection:
                yield connection
        except (sqlite3.Error, OSError) as error:
            if is_full(error) or "disk is full" in str(error):
                raise StoreFullError(
                    f"{self._path} cannot be written: the disk is full ({error}). Free some space and repeat the "
                    "command; nothing was half written."
                ) from error
            raise StoreError(
                f"{self._path} cannot be used ({error}). It only says where rows lie: if it is damaged, delete it, and "
                "it is made anew."
            ) from error

    def _make(self) -> None:
        part = self._path.with_name(f"{self._path.name}.part")
        for suffix in ("", "-wal", "-shm", "-journal"):
            part.with_name(part.name + suffix).unlink(missing_ok=True)  # of one who was killed here
        with closing(_connect(part, journal="DELETE")) as connection, connection:
            connection.executescript(_SCHEMA)
            for collection, places in self._rows():
                _add(connection, collection, places)
        part.replace(self._path)


def _connect(path: Path, *, journal: str = "WAL") -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_BUSY_SECONDS)
    try:
        connection.execute(f"PRAGMA journal_mode = {journal}")
        connection.execute("PRAGMA synchronous = FULL")  # a row must never be there without its place
    except BaseException:
        connection.close()
        raise
    return connection


def _add(connection: sqlite3.Connection, collection: Collection, places: Iterable[Place]) -> None:
    number = COLLECTIONS.index(collection)
    connection.executemany("INSERT OR IGNORE INTO place VALUES (?, ?, ?, ?)", ((number, *place) for place in places))


def _grouped(found: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = defaultdict(list)
    for class_, id_ in found:
        groups[class_].append(id_)
    return dict(groups)


__all__ = ["ClassPlaces", "Place"]
