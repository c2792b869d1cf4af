"""Indexes of a LanceDB table: which it has, when they are built, folded together and built anew.

All functions may run while others search: an index is swapped in by one commit, and rows that no index covers yet are
searched by a scan, so a search finds everything before, during and after.
"""

from __future__ import annotations

import random
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from storage.fault_points import Reached, unwatched
from storage.lance_cut_writes import newest_version_written, noticed_when_cut_short
from storage.lance_failures import is_conflict

SCALAR_INDEX_ROWS = 5_000
"""From here a filter by id, document, class or tag is faster with an index (2,000 rows scan in 3 ms)."""

VECTOR_INDEX_ROWS = 10_000
"""Up to here every vector is compared (20 ms); above, a RaBitQ index nominates and true distances decide."""

_SCALAR = ("id", "document_id", "access_class", "tags")

TAIL_ROWS = 1_000
"""Rows outside the full-text index that it is brought up to date for: each costs a search 10 µs (5 ms for 100,000 rows
became 15), and bringing it up to date writes the whole of it anew (7 s of one processor for 100,000 rows)."""

SMALL_ROWS = 20_000
"""Up to here that takes no longer than a second or so, and is done at the end of every ingest."""

_WRITES_PER_LOOK, _WRITES_PER_FOLD = 8, 64
"""Each write adds a file to every later scan: after 600 writes of one row, the next took 188 ms and a search 1 s."""

_VERSIONS_PER_FOLD = 1_024  # a deletion leaves no tail, but a version and a file
_SHARE = 3  # of a long ingest, at most a quarter of the time goes into upkeep
_SHORT_SECONDS = 1.0  # what takes no longer need not be spared

_MAX_SEGMENTS = 8  # more of them slow every search down and block compaction
_KEPT_VERSIONS = timedelta(hours=1)  # a reader of another process may still be on an older version
_FOR_EVER = timedelta(days=36_500)
_ATTEMPTS = 8
_TEXT_INDEX_MEMORY = 512  # MB for all threads that build one; by default a gigabyte for each


@dataclass(slots=True)
class Writes:
    """What one process has written to a table since it was last optimized, and whether it is time to do that again.

    Searches stay fast if it is done often, writes if it is done seldom: it takes time by the size of the table, not of
    what is new. So it is done when much has been written, and not before three times as long as it took has passed.
    """

    clock: Callable[[], float] = time.monotonic
    count: int = 0
    seconds: float = 0.0  # that the last time took
    ended: float = 0.0

    def ask_for_upkeep(self, table: Any) -> bool:
        """Whether to optimize before the next write."""
        if self.seconds > _SHORT_SECONDS and self.clock() - self.ended < _SHARE * self.seconds:
            return False
        if self.count >= _WRITES_PER_FOLD:
            return True
        return self.count > 0 and self.count % _WRITES_PER_LOOK == 0 and _tail(table) >= TAIL_ROWS

    def optimize(self, table: Any, *, reached: Reached = unwatched) -> None:
        """Do it now."""
        started = self.clock()
        optimize_table(table, reached=reached)
        self.ended = self.clock()
        self.seconds, self.count = self.ended - started, 0


def is_behind(table: Any, version: int, *, ingested: bool) -> bool:
    """Whether, at the end of an ingest or a removal that began at ``version`` of the table, it pays to optimize it."""
    if table.version // _VERSIONS_PER_FOLD > version // _VERSIONS_PER_FOLD:
        return True
    tail = _tail(table)
    return tail >= TAIL_ROWS or (ingested and tail > 0 and table.count_rows() <= SMALL_ROWS)


def _tail(table: Any) -> int:
    """Rows outside the index that every search by words reads; of a table without one, all if it lies in many files."""
    columns = _indexed_columns(table)
    name = columns.get("terms") or columns.get("id")
    statistics = table.index_stats(name) if name else None
    if statistics is not None:
        return int(statistics.num_unindexed_rows)
    return int(table.count_rows()) if table.stats()["fragment_stats"]["num_fragments"] > _WRITES_PER_LOOK else 0


def ensure_text_index(table: Any) -> None:
    """Give ``table`` its full-text index, if it has none; an empty table can have one."""
    if "terms" not in _indexed_columns(table):
        with_retries(table, lambda: None if "terms" in _indexed_columns(table) else _build_text_index(table))


def optimize_table(table: Any, *, reached: Reached = unwatched) -> None:
    """Build the indexes that the table is large enough for, fold the rest in, and fold small files together."""
    rows = table.count_rows()
    columns = _indexed_columns(table)
    if "terms" in table.schema.names:
        ensure_text_index(table)
    if rows >= SCALAR_INDEX_ROWS:
        _build_scalar_indexes(table, columns)
    if "vector" in table.schema.names and "vector" not in columns and rows > VECTOR_INDEX_ROWS:
        with_retries(table, partial(_build_vector_index, table))
    reached("index.indexed")
    # The version that is there now stays whatever its age, for the case that what is folded together is cut short.
    age = timedelta(seconds=time.time() - newest_version_written(Path(table.uri)) + 1)
    with_retries(table, partial(table.optimize, cleanup_older_than=max(_KEPT_VERSIONS, age)))
    reached("index.compacted")
    _rebuild_split_indexes(table)


def purge_table(table: Any) -> int:
    """Leave nothing of rows that were deleted or replaced: neither in files nor in indexes; how many versions went.

    Folding files together keeps a deleted row's words until a tenth of its file is deleted, and an index keeps words
    that no row has any more. So every row is written once more and every index built anew, each in a step of its own
    that searches see whole. Files of writes that were cut off go too: nobody else may be writing. A reader that has
    an older version open must open it again.
    """
    versions = len(table.list_versions())
    if versions > 1 and table.count_rows():
        with_retries(table, partial(table.update, where="true", values_sql={"id": "id"}))
        rebuild_indexes(table)
        with_retries(table, partial(table.optimize, cleanup_older_than=_FOR_EVER))  # whole, before the others go
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it warns of what is wanted here
        with_retries(table, partial(table.optimize, cleanup_older_than=timedelta(0), delete_unverified=True))
    return versions - len(table.list_versions())


def rebuild_indexes(table: Any) -> None:
    """Build every index that ``table`` has once more from its rows."""
    present = _indexed_columns(table)
    builders = {"terms": _build_text_index, "vector": _build_vector_index}
    for column in present:
        if column in builders:
            with_retries(table, partial(builders[column], table))
    if not present.keys().isdisjoint(_SCALAR):
        _build_scalar_indexes(table, {})


def unindexed_rows(table: Any) -> int:
    """How many rows at most one of the table's indexes does not cover."""
    statistics = [table.index_stats(name) for name in _indexed_columns(table).values()]
    return max((int(s.num_unindexed_rows) for s in statistics if s is not None), default=0)


def with_retries(table: Any, work: Callable[[], Any]) -> None:
    """Do ``work``, again on the latest version when another writer committed first.

    Raises CutShortError if it was said to be done and is not whole: then nothing of it is left.
    """
    with noticed_when_cut_short(Path(table.uri)):
        for attempt in range(_ATTEMPTS):
            try:
                work()
                return
            except Exception as error:
                if not is_conflict(error) or attempt == _ATTEMPTS - 1:
                    raise
                time.sleep(random.uniform(0.5, 1) * min(2.0, 0.05 * 2**attempt))  # noqa: S311 (spreads writers, hides nothing)
                table.checkout_latest()


def _indexed_columns(table: Any) -> dict[str, str]:
    return {index.columns[0]: index.name for index in table.list_indices()}


def _build_text_index(table: Any) -> None:
    from lancedb.index import FTS

    # The column holds our own terms: nothing may be split, folded, stemmed or dropped a second time.
    config = FTS(
        base_tokenizer="whitespace",
        lower_case=False,
        stem=False,
        remove_stop_words=False,
        ascii_folding=False,
        max_token_length=1024,
        with_position=False,
        memory_limit=_TEXT_INDEX_MEMORY,
    )
    table.create_index("terms", config=config, replace=True)


def _build_vector_index(table: Any) -> None:
    from lancedb.index import IvfFlat, IvfRq

    packs = table.schema.field("vector").type.list_size % 8 == 0  # RaBitQ packs bits into bytes
    config = IvfRq(distance_type="dot") if packs else IvfFlat(distance_type="dot")
    table.create_index("vector", config=config, replace=True)


def _build_scalar_indexes(table: Any, present: dict[str, str]) -> None:
    from lancedb.index import Bitmap, BTree, LabelList

    configs: tuple[Any, ...] = (BTree(), BTree(), Bitmap(), LabelList())
    for column, config in zip(_SCALAR, configs, strict=True):
        if column not in present:
            with_retries(table, partial(table.create_index, column, config=config, replace=True))


def _rebuild_split_indexes(table: Any) -> None:
    builders = {"terms": _build_text_index, "vector": _build_vector_index}
    for column, name in _indexed_columns(table).items():
        statistics = table.index_stats(name)
        if statistics is not None and (statistics.num_indices or 1) > _MAX_SEGMENTS and column in builders:
            with_retries(table, partial(builders[column], table))


__all__ = [
    "SCALAR_INDEX_ROWS",
    "SMALL_ROWS",
    "TAIL_ROWS",
    "VECTOR_INDEX_ROWS",
    "Writes",
    "ensure_text_index",
    "is_behind",
    "optimize_table",
    "purge_table",
    "rebuild_indexes",
    "unindexed_rows",
    "with_retries",
]
