"""``clew doctor --optimize``: upkeep of a store by hand, and what it gained. Searches stay right meanwhile."""

from __future__ import annotations

import time

from graphrag.inventory import size_on_disk
from graphrag.results import Result
from graphrag.stores import Stores
from graphrag.switch import drop_unfinished_indexes
from storage.ports import CollectionState
from storage.records import Record


class Condition(Record):
    """How a store lies on the disk."""

    bytes_on_disk: int
    collections: tuple[CollectionState, ...]

    def total(self, what: str) -> int:
        """The sum over all collections."""
        return sum(getattr(state, what) for state in self.collections)


class OptimizeReport(Result):
    """How a store lay on the disk before its upkeep and after it."""

    store: str
    before: Condition
    after: Condition
    seconds: float

    def as_text(self) -> str:
        changes = [f"{before / 1e6:.1f} → {after / 1e6:.1f} MB" for before, after in [self._bytes]]
        for name, words in (
            ("files", "files"),
            ("versions", "versions"),
            ("unindexed", "rows outside the search indexes"),
        ):
            changes.append(f"{self.before.total(name)} → {self.after.total(name)} {words}")
        return f"{self.store}: {', '.join(changes)}, in {self.seconds:.1f} s"

    @property
    def _bytes(self) -> tuple[int, int]:
        return self.before.bytes_on_disk, self.after.bytes_on_disk


def optimize(stores: Stores) -> OptimizeReport:
    """Fold files and index tails together, drop versions older than an hour, compact and analyse the graph's file.

    What a reindex began to build and did not finish goes as well; its vectors stay in the cache of the user.
    """
    started = time.monotonic()
    before = _condition(stores)
    drop_unfinished_indexes(stores.folder, stores.manifest)
    stores.index.optimize()
    stores.graph.optimize()
    return OptimizeReport(
        store=str(stores.folder), before=before, after=_condition(stores), seconds=time.monotonic() - started
    )


def _condition(stores: Stores) -> Condition:
    return Condition(bytes_on_disk=size_on_disk(stores.folder), collections=tuple(stores.index.condition()))


__all__ = ["Condition", "OptimizeReport", "optimize"]
