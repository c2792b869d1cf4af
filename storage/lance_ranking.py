"""A fixed order for what LanceDB finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from storage.ports import Nomination

if TYPE_CHECKING:
    import pyarrow as pa

_MAX_TIES = 4_096  # rows fetched, at most, to order those that tie at the end of a result


def best_rows(
    fetch: Callable[[int], pa.Table], score: Callable[[dict[str, Any]], float], limit: int
) -> list[Nomination]:
    """The first ``limit`` rows by score, then id; ``fetch(n)`` gives the best ``n`` in any order.

    LanceDB cuts its result in the middle of rows that tie: fetch on until the cut falls between two scores.
    """
    count = limit + 1
    while True:
        rows = fetch(count).to_pylist()
        ranked = sorted(((score(row), row) for row in rows), key=lambda pair: (-pair[0], pair[1]["id"]))
        complete = len(ranked) < count or ranked[limit - 1][0] > ranked[-1][0]
        if complete or count >= max(_MAX_TIES, limit + 1):
            break
        count = min(4 * count, max(_MAX_TIES, limit + 1))
    return [
        Nomination(
            id=row["id"], owner=row["owner"], document_id=row["document_id"], text=row.get("text", ""), score=value
        )
        for value, row in ranked[:limit]
    ]


__all__ = ["best_rows"]
