"""The versions of a source: when each of them holds, as pure functions over their records.

A time is a list of periods in order: a text that came back holds in several. A :class:`~storage.records.Source` says
them as one stretch with gaps, so that a filter which knows stretches only never leaves out too much.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import NamedTuple

from storage.errors import UsageError
from storage.ports import DocumentGraph
from storage.records import Period, Source

_FIRST = datetime.min.replace(tzinfo=UTC)


class Time(NamedTuple):
    """From a moment (None: always before) until before another (None: for ever)."""

    start: datetime | None
    end: datetime | None


def times_of(source: Source) -> list[Time]:
    """When a version holds, in order; the last is the one that its own dates are about."""
    edges = [source.valid_from, *(edge for gap in source.gaps for edge in (gap.start, gap.end)), source.valid_to]
    return [Time(edges[i], edges[i + 1]) for i in range(0, len(edges), 2)]


def holding(source: Source, times: Sequence[Time]) -> Source:
    """The same version with these times, of which there is at least one, in order."""
    gaps = []
    for time, later in pairwise(times):
        assert time.end is not None
        assert later.start is not None
        gaps.append(Period(start=time.end, end=later.start))
    return source.model_copy(update={"valid_from": times[0].start, "valid_to": times[-1].end, "gaps": tuple(gaps)})


def before(times: Sequence[Time], moment: datetime | None) -> list[Time]:
    """What of these times lies before a moment; before None, which is always, lies nothing."""
    if moment is None:
        return []
    cut = [Time(start, moment if end is None else min(end, moment)) for start, end in times]
    return [time for time in cut if time.end is not None and (time.start is None or time.start < time.end)]


def until(source: Source, moment: datetime | None) -> Source | None:
    """A version that holds no longer from ``moment`` on; None if it has no time at all then."""
    left = before(times_of(source), moment)
    return holding(source, left) if left else None


def end_at(source: Source, moment: datetime | None) -> datetime | None:
    """When the period ends in which ``moment`` lies; None if it does not end, or lies in none."""
    if moment is None:
        return source.valid_to
    for start, end in times_of(source):
        if (start is None or start <= moment) and (end is None or moment < end):
            return end
    return None


def placed(adds: Iterable[DocumentGraph]) -> list[DocumentGraph]:
    """What a change adds, present versions first; of two that take one place, the last.

    Raises UsageError where a source and its document do not name each other.
    """
    present: dict[str, DocumentGraph] = {}
    older: dict[str, DocumentGraph] = {}
    for graph in adds:
        source, document = graph.source, graph.document
        if document.source_id != source.id or source.document_id != document.id:
            raise UsageError(f"source {source.id} ({source.path}) and document {document.id} do not name each other.")
        if graph.current:
            present[source.id] = graph
        else:
            older[document.id] = graph
    taken = {graph.document.id for graph in present.values()}
    return [*present.values(), *(graph for id_, graph in older.items() if id_ not in taken)]


def by_place_and_time(source: Source) -> tuple[str, str, datetime]:
    """The order in which sources are listed."""
    return source.namespace, source.path, source.valid_from or _FIRST


def by_source_and_time(source: Source) -> tuple[str, datetime, str]:
    """The order in which versions are copied."""
    return source.id, source.valid_from or _FIRST, source.document_id


__all__ = [
    "Time",
    "before",
    "by_place_and_time",
    "by_source_and_time",
    "end_at",
    "holding",
    "placed",
    "times_of",
    "until",
]
