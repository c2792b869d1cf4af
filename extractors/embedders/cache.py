"""Remembers vectors in one file per user, so that no store embeds a text twice."""

from __future__ import annotations

import hashlib
import json
import logging
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeVar

import numpy as np

from storage.ports import Embedder, Side, Vector

_Result = TypeVar("_Result")

_logger = logging.getLogger(__name__)

_SLICE = 256
"""Texts embedded between two writes: what an interrupt can lose (about six seconds of e5)."""
_BUSY_SECONDS = 10.0
_SIDES: tuple[Side, ...] = ("query", "passage")


class CachedEmbedder:
    """Puts a cache before another embedder.

    The key is the SHA-256 of model name, side and text; the text itself is not kept. Several processes and threads may
    share the file, also across ``fork()``. A cache is never worth a failure: when its file is damaged, full or not
    writable, that is logged once as a warning and embedding goes on without it.

    Args:
        inner: the embedder that is asked for what is not remembered.
        path: the SQLite file; it and its folder are made when missing, readable by their owner only.

    Attributes:
        name: the inner embedder's.
        dimensions: the inner embedder's.
    """

    def __init__(self, inner: Embedder, path: Path) -> None:
        self._inner = inner
        self._path = path
        self._usable = True

    @property
    def name(self) -> str:
        """Identity of the inner embedder, whose vectors these are."""
        return self._inner.name

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._inner.dimensions

    def embed(self, texts: Sequence[str], side: Side) -> Vector:
        """Return one unit vector per text, of shape (len(texts), dimensions); equal texts are embedded once.

        Raises:
            ClewError: whatever the inner embedder raises; what it has given until then is remembered.
        """
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        keys = [self._key(text, side) for text in texts]
        wanted = dict(zip(keys, texts, strict=True))
        known = self._read(list(wanted))
        missing = [key for key in wanted if key not in known]
        for start in range(0, len(missing), _SLICE):
            part = missing[start : start + _SLICE]
            fresh = dict(zip(part, self._inner.embed([wanted[key] for key in part], side), strict=True))
            self._write(fresh)
            known.update(fresh)
        if len({vector.size for vector in known.values()}) > 1:
            return self._inner.embed(texts, side)  # the model has changed under its name; what is remembered is stale
        return np.stack([known[key] for key in keys])

    def forget(self, texts: Sequence[str]) -> int:
        """Remove what is remembered of ``texts``, on both sides, for this model; return how many vectors that were.

        Their bytes are overwritten in the file, and its log is folded in as far as others who read let it.
        """
        keys = list({self._key(text, side) for text in texts for side in _SIDES})

        def delete(connection: sqlite3.Connection) -> int:
            connection.execute("PRAGMA secure_delete = ON")
            query = "DELETE FROM vector WHERE key IN (SELECT value FROM json_each(?))"
            gone = connection.execute(query, [json.dumps(keys)]).rowcount
            connection.commit()
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            return gone

        return self._attempt(delete, otherwise=0)

    def _key(self, text: str, side: Side) -> str:
        # Joined by NUL: neither a model's name nor a side holds one, so no two triples look alike.
        return hashlib.sha256(f"{self.name}\0{side}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()

    def _read(self, keys: list[str]) -> dict[str, Vector]:
        def select(connection: sqlite3.Connection) -> list[tuple[str, object]]:
            query = "SELECT key, value FROM vector WHERE key IN (SELECT value FROM json_each(?))"
            return connection.execute(query, [json.dumps(keys)]).fetchall()

        nothing: list[tuple[str, object]] = []
        rows = self._attempt(select, otherwise=nothing)
        return {key: vector for key, value in rows if (vector := _decoded(value)) is not None}

    def _write(self, vectors: dict[str, Vector]) -> None:
        rows = [(key, vector.astype("<f4").tobytes()) for key, vector in vectors.items()]

        def insert(connection: sqlite3.Connection) -> None:
            connection.executemany("INSERT OR REPLACE INTO vector (key, value) VALUES (?, ?)", rows)

        self._attempt(insert, otherwise=None)

    def _attempt(self, operation: Callable[[sqlite3.Connection], _Result], *, otherwise: _Result) -> _Result:
        """Do one thing with the file, in one transaction; when that fails, say so and do without from now on.

        A connection of its own for each attempt costs under a millisecond and makes threads and ``fork()`` no concern.
        """
        if not self._usable:
            return otherwise
        try:
            with closing(self._open()) as connection, connection:
                return operation(connection)
        except (sqlite3.Error, OSError) as error:
            self._usable = False
            _logger.warning(
                "The embedding cache %s cannot be used (%s); going on without it. "
                "Remove the file, free disk space, or set CLEW_CACHE to another folder.",
                self._path,
                error,
            )
            return otherwise

    def _open(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not self._path.exists():
            self._path.touch(mode=0o600)
        connection = sqlite3.connect(self._path, timeout=_BUSY_SECONDS)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")  # after a power cut, a lost vector is embedded again
            connection.execute("CREATE TABLE IF NOT EXISTS vector (key TEXT PRIMARY KEY, value BLOB NOT NULL)")
        except BaseException:
            connection.close()
            raise
        return connection


def _decoded(value: object) -> Vector | None:
    """Return the stored vector, or None if it is not one: then the text is embedded again."""
    if not isinstance(value, bytes) or not value or len(value) % 4:
        return None
    vector = np.frombuffer(value, "<f4").astype(np.float32)
    return vector if abs(float(np.linalg.norm(vector.astype(np.float64))) - 1) < 1e-3 else None
