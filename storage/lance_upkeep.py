"""Indexes of a LanceDB table: which it has, when they are built, folded together and built anew.

All functions may run while others search: an index is swapped in by one commit, and rows that no index covers yet are
searched by a scan, so a search finds everything before, during and after.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

from storage.lance_failures import is_conflict

SCALAR_INDEX_ROWS = 5_000
"""From here a filter by id, document, class or tag is faster with an index (2,000 rows scan in 3 ms)."""

VECTOR_INDEX_ROWS = 10_000
"""Up to here every vector is compared (20 ms); above, a RaBitQ index nominates and true distances decide."""

_SCALAR = ("id", "document_id", "access_class", "tags")

_MAX_SEGMENTS = 8  # more of them slow every search down and block compaction
_KEPT_VERSIONS = timedelta(hours=1)  # a reader of another process may still be on an older version
_ATTEMPTS = 8


def ensure_text_index(table: Any) -> None:
    """Give ``table`` its full-text index, if it has none; an empty table can have one."""
    if "terms" not in _indexed_columns(table):
        with_retries(table, lambda: None if "terms" in _indexed_columns(table) else _build_text_index(table))


def optimize_table(table: Any) -> None:
    """Build the indexes that the table is large enough for, fold the rest in, and fold small files together."""
    rows = table.count_rows()
    columns = _indexed_columns(table)
    if "terms" in table.schema.names:
        ensure_text_index(table)
    if rows >= SCALAR_INDEX_ROWS:
        _build_scalar_indexes(table, columns)
    if "vector" in table.schema.names and "vector" not in columns and rows > VECTOR_INDEX_ROWS:
        with_retries(table, partial(_build_vector_index, table))
    with_retries(table, partial(table.optimize, cleanup_older_than=_KEPT_VERSIONS))
    _rebuild_split_indexes(table)


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
    """Do ``work``, again on the latest version when another writer committed first."""
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
    "VECTOR_INDEX_ROWS",
    "ensure_text_index",
    "optimize_table",
    "rebuild_indexes",
    "unindexed_rows",
    "with_retries",
]
