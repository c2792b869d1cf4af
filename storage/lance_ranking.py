"""A fixed order for what LanceDB finds."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from storage.ports import Nomination

if TYPE_CHECKING:
    import pyarrow as pa

_MAX_TIES = 4_096  # rows fetched, at most, to order those that tie at the end of a result
_K1, _B = 1.2, 0.75  # as LanceDB has them


def best_rows(
    fetch: Callable[[int], pa.Table], score: Callable[[dict[str, Any]], float], limit: int
) -> list[Nomination]:
    """The first ``limit`` rows by score, then id; ``fetch(n)`` gives the best ``n`` in any order."""
    return [_nomination(row, value) for value, row in _first(fetch, score, limit)]


def best_among(
    fetch: Callable[[int], pa.Table],
    score: Callable[[dict[str, Any]], float],
    terms: Sequence[str],
    limit: int,
    *,
    among: int,
) -> list[Nomination]:
    """The first ``limit`` rows by BM25 over ``terms``, then id, of the ``among`` rows with the best ``score``.

    Every count is taken over these rows alone, whose words stand in their column ``terms``: how rare a word is among
    all that is stored says something of what others may read. Where rows tie at the end of the ``among``, none of them
    counts, as long as ``limit`` remain.
    """
    found = [(score(row), row) for row in fetch(among + 1).to_pylist()]
    if len(found) > among:
        last = min(value for value, _ in found)
        found = [pair for pair in found if pair[0] > last]
        if len(found) < limit:
            found = _first(fetch, score, among)
    rows = [row for _, row in found]
    counted = [Counter(row["terms"].split(" ")) for row in rows]
    lengths = [count.total() for count in counted]
    average = sum(lengths) / len(rows) if rows else 0.0
    weights = {}
    for term in terms:
        having = sum(term in count for count in counted)
        weights[term] = math.log(1 + (len(rows) - having + 0.5) / (having + 0.5))

    def own_score(count: Counter[str], length: int) -> float:
        damped = _K1 * (1 - _B + _B * length / average)
        return sum(weights[term] * count[term] * (_K1 + 1) / (count[term] + damped) for term in terms if count[term])

    scored = [(own_score(count, length), row) for row, count, length in zip(rows, counted, lengths, strict=True)]
    scored.sort(key=lambda pair: (-pair[0], pair[1]["id"]))
    return [_nomination(row, value) for value, row in scored[:limit]]


def _first(
    fetch: Callable[[int], pa.Table], score: Callable[[dict[str, Any]], float], limit: int
) -> list[tuple[float, dict[str, Any]]]:
    # LanceDB cuts its result in the middle of rows that tie: fetch on until the cut falls between two scores.
    count = limit + 1
    while True:
        rows = fetch(count).to_pylist()
        ranked = sorted(((score(row), row) for row in rows), key=lambda pair: (-pair[0], pair[1]["id"]))
        complete = len(ranked) < count or ranked[limit - 1][0] > ranked[-1][0]
        if complete or count >= max(_MAX_TIES, limit + 1):
            return ranked[:limit]
        count = min(4 * count, max(_MAX_TIES, limit + 1))


def _nomination(row: dict[str, Any], score: float) -> Nomination:
    return Nomination(
        id=row["id"], owner=row["owner"], document_id=row["document_id"], text=row.get("text", ""), score=score
    )


__all__ = ["best_among", "best_rows"]
