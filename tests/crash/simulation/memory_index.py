"""A text index in memory: the port's promises with nothing behind them, so that a simulation takes many steps a second.

It passes the same fault points as the real one, and as there each write to one collection is all or nothing. Scores are
cosines of vectors and shares of words: no two indexes rank alike, and only what both promise may be relied on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from storage.fault_points import Reached, unwatched
from storage.lance_failures import lance_failures
from storage.ports import COLLECTIONS, Collection, CollectionState, IndexRow, Nomination, RowAccess, Vector
from storage.records import Scope
from storage.terms import query_terms, search_terms

Tables = dict[Collection, dict[str, IndexRow]]


def empty_tables() -> Tables:
    """What an index holds that was just made."""
    return {collection: {} for collection in COLLECTIONS}


class MemoryIndex:
    """A :class:`~storage.ports.TextIndex` over tables that outlive it, as files outlive a process."""

    def __init__(self, tables: Tables, *, dimensions: int, reached: Reached = unwatched) -> None:
        self._tables = tables
        self._dimensions = dimensions
        self._reached = reached

    # writing

    def write(self, collection: Collection, rows: Sequence[IndexRow]) -> None:
        if not rows:
            return
        with lance_failures("Writing rows", "memory"):
            self._reached("index.writing")
            self._tables[collection].update((row.id, row) for row in rows)
            self._reached("index.written")

    def delete_documents(self, document_ids: Sequence[str], *, collections: Sequence[Collection] = COLLECTIONS) -> None:
        gone = set(document_ids)
        for collection in collections:
            self._delete(collection, lambda row: row.document_id in gone, asked=bool(gone))

    def delete(self, collection: Collection, ids: Sequence[str]) -> None:
        gone = set(ids)
        self._delete(collection, lambda row: row.id in gone, asked=bool(gone))

    def update_documents(self, changes: Mapping[str, RowAccess]) -> None:
        for collection in COLLECTIONS if changes else ():
            table = self._tables[collection]
            with lance_failures("Updating rows", "memory"):
                for row in [row for row in table.values() if row.document_id in changes]:
                    new = changes[row.document_id]
                    table[row.id] = replace(
                        row,
                        access_class=new.access_class,
                        tags=new.tags,
                        valid_from=new.valid_from,
                        valid_to=new.valid_to,
                    )
                self._reached("index.updated")

    # searching

    def search_text(self, collection: Collection, query: str, scope: Scope, *, limit: int) -> list[Nomination]:
        asked = set(query_terms(query))

        def score(row: IndexRow) -> float:
            words = search_terms(f"{row.context} {row.text}")
            return sum(word in asked for word in words) / (1 + len(words))

        return self._best(collection, scope, score, limit)

    def search_vector(self, collection: Collection, vector: Vector, scope: Scope, *, limit: int) -> list[Nomination]:
        return self._best(collection, scope, lambda row: float(np.dot(_vector(row), vector)), limit, floor=-1.0)

    def vectors(self, collection: Collection) -> Iterator[tuple[list[str], Vector]]:
        rows = list(self._tables[collection].values())
        if rows:
            yield [row.owner for row in rows], np.stack([_vector(row) for row in rows])

    # reading

    def rows(self, collection: Collection, ids: Sequence[str]) -> dict[str, IndexRow]:
        table = self._tables[collection]
        return {i: replace(table[i], vector=None) for i in dict.fromkeys(ids) if i in table}

    def derived_rows(self, *, vectors: bool = False) -> list[IndexRow]:
        found = [row for row in self._tables["chains"].values() if not row.document_id]
        return sorted((row if vectors else replace(row, vector=None) for row in found), key=lambda row: row.id)

    def document_rows(self, collection: Collection, document_ids: Sequence[str]) -> list[IndexRow]:
        wanted = set(document_ids)
        found = [row for row in self._tables[collection].values() if row.document_id in wanted]
        return sorted(found, key=lambda row: row.id)

    def count(self, collection: Collection) -> int:
        return len(self._tables[collection])

    def document_ids(self) -> set[str]:
        return {row.document_id for table in self._tables.values() for row in table.values()} - {""}

    # upkeep

    def optimize(self, *, rebuild: bool = False) -> None:
        for _ in COLLECTIONS:
            with lance_failures("Optimizing", "memory"):
                self._reached("index.indexed")
                self._reached("index.compacted")

    def keep_up(self, *, ingested: bool) -> None:
        self.optimize()

    def condition(self) -> list[CollectionState]:
        return [
            CollectionState(collection=c, rows=self.count(c), files=1, versions=1, unindexed=0) for c in COLLECTIONS
        ]

    def broken(self) -> dict[Collection, Any]:
        return {}

    def mend(self) -> None:
        """No write is ever cut short."""

    def make_anew(self, collection: Collection) -> None:
        self._tables[collection].clear()

    def close(self) -> None:
        """Nothing is open."""

    # parts of the above

    def _delete(self, collection: Collection, is_gone: Callable[[IndexRow], bool], *, asked: bool) -> None:
        if not asked:
            return
        table = self._tables[collection]
        with lance_failures("Deleting rows", "memory"):
            for row_id in [row.id for row in table.values() if is_gone(row)]:
                del table[row_id]
            self._reached("index.deleted")

    def _best(
        self,
        collection: Collection,
        scope: Scope,
        score: Callable[[IndexRow], float],
        limit: int,
        *,
        floor: float = 0.0,
    ) -> list[Nomination]:
        scored = [
            Nomination(
                id=row.id, owner=row.owner, document_id=row.document_id, text=row.text, score=round(score(row), 6)
            )
            for row in self._tables[collection].values()
            if _visible(row, scope)
        ]
        return sorted((n for n in scored if n.score > floor), key=lambda n: (-n.score, n.id))[:limit]


_EARLIEST, _LATEST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


def _visible(row: IndexRow, scope: Scope) -> bool:
    return (
        (scope.classes is None or row.access_class in scope.classes)
        and (row.valid_from or _EARLIEST) <= scope.at < (row.valid_to or _LATEST)
        and scope.tags <= set(row.tags)
        and row.document_id not in scope.hidden
    )


def _vector(row: IndexRow) -> Vector:
    assert row.vector is not None
    return row.vector
