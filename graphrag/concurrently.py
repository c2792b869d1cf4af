"""Several independent searches at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

WORKERS = 4
"""Searches in flight at a time: the text index works outside of Python's lock."""


def concurrently(calls: Sequence[Callable[[], T]]) -> list[T]:
    """The results of ``calls`` in their order, each made in a thread; an exception is raised when all are done."""
    with ThreadPoolExecutor(max_workers=WORKERS) as pool:
        return [future.result() for future in [pool.submit(call) for call in calls]]


__all__ = ["WORKERS", "concurrently"]
