"""Remembers what chains shown lately are made of, so that their ids can be explained though they are not stored."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from storage.identity import content_digest

KEPT = 20_000
"""Chains remembered for one set of groups, the latest ones; ids only, no text."""

_OWNER = "owner"


class WalkedChains:
    """A small file in the user's cache. Losing it loses nothing but the convenience, so no failure is an error.

    What was shown to one set of groups is neither found by another nor pushed out by what it asks: that somebody asked
    is not for others to know. The owner (groups of None) finds all of it.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / "walked.sqlite"

    def remember(self, chains: Iterable[tuple[str, tuple[str, ...]]], groups: frozenset[str] | None) -> None:
        """Keep (chain id, relation ids) of chains that were shown to a caller of these groups."""
        caller = _caller(groups)
        rows = [(caller, id_, json.dumps(relations)) for id_, relations in chains]
        if not rows:
            return
        with contextlib.suppress(sqlite3.Error, OSError), contextlib.closing(self._open()) as connection, connection:
            connection.executemany("INSERT OR REPLACE INTO shown (caller, id, relations) VALUES (?, ?, ?)", rows)
            connection.execute(
                "DELETE FROM shown WHERE caller = ?1 AND place <= "
                "(SELECT place FROM shown WHERE caller = ?1 ORDER BY place DESC LIMIT 1 OFFSET ?2)",
                (caller, KEPT),
            )

    def starting(self, prefix: str, groups: frozenset[str] | None) -> dict[str, tuple[str, ...]]:
        """Chain id → relation ids, by id, of the chains shown to these groups whose id starts with ``prefix``."""
        try:
            with contextlib.closing(self._open()) as connection:
                rows = connection.execute(
                    "SELECT id, relations FROM shown WHERE (?1 OR caller = ?2) AND substr(id, 1, ?3) = ?4 ORDER BY id",
                    (groups is None, _caller(groups), len(prefix), prefix),
                ).fetchall()
        except (sqlite3.Error, OSError):
            return {}
        return {id_: tuple(json.loads(relations)) for id_, relations in rows}

    def _open(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self._path, timeout=1.0)
        connection.execute(
            "CREATE TABLE IF NOT EXISTS shown (place INTEGER PRIMARY KEY AUTOINCREMENT, caller TEXT NOT NULL, "
            "id TEXT NOT NULL, relations TEXT NOT NULL, UNIQUE (caller, id))"
        )
        connection.execute("CREATE INDEX IF NOT EXISTS shown_place ON shown (caller, place)")
        connection.execute("DROP TABLE IF EXISTS walked")  # of an older version, which did not know its callers
        return connection


def _caller(groups: frozenset[str] | None) -> str:
    """A digest of the groups: what they are called is nobody's business in a cache."""
    return _OWNER if groups is None else content_digest(json.dumps(sorted(groups)).encode())


__all__ = ["KEPT", "WalkedChains"]
