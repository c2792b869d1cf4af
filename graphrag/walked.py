"""Remembers what chains shown lately are made of, so that their ids can be explained though they are not stored."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterable
from pathlib import Path

KEPT = 20_000
"""Chains remembered, the latest ones; ids only, no text."""


class WalkedChains:
    """A small file in the user's cache. Losing it loses nothing but the convenience, so no failure is an error."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "walked.sqlite"

    def remember(self, chains: Iterable[tuple[str, tuple[str, ...]]]) -> None:
        """Keep (chain id, relation ids) of chains that were shown."""
        rows = [(id_, json.dumps(relations)) for id_, relations in chains]
        if not rows:
            return
        with contextlib.suppress(sqlite3.Error, OSError), contextlib.closing(self._open()) as connection, connection:
            connection.executemany("INSERT OR REPLACE INTO walked (id, relations) VALUES (?, ?)", rows)
            connection.execute("DELETE FROM walked WHERE rowid <= (SELECT max(rowid) FROM walked) - ?", (KEPT,))

    def starting(self, prefix: str) -> dict[str, tuple[str, ...]]:
        """Chain id → relation ids of remembered chains whose id starts with ``prefix``."""
        try:
            with contextlib.closing(self._open()) as connection:
                rows = connection.execute(
                    "SELECT id, relations FROM walked WHERE substr(id, 1, ?) = ? LIMIT 20", (len(prefix), prefix)
                ).fetchall()
        except (sqlite3.Error, OSError):
            return {}
        return {id_: tuple(json.loads(relations)) for id_, relations in rows}

    def _open(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self._path, timeout=1.0)
        connection.execute("CREATE TABLE IF NOT EXISTS walked (id TEXT UNIQUE NOT NULL, relations TEXT NOT NULL)")
        return connection


__all__ = ["WalkedChains"]
