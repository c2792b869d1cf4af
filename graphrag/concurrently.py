"""Work in threads: several searches at once, and work that an interrupt does not cut in two."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

WORKERS = 4
"""Searches in flight at a time: the text index works outside of Python's lock."""


def concurrently(calls: Sequence[Callable[[], T]]) -> list[T]:
    """The results of ``calls`` in their order, each made in a thread; an exception is raised when all are done."""
    with ThreadPoolExecutor(max_workers=WORKERS) as pool:
        return [future.result() for future in [pool.submit(call) for call in calls]]


def uninterrupted(work: Callable[[], T]) -> T:
    """The result of ``work``; an interrupt that comes meanwhile is raised when it is done, a second one at once.

    For work that is short and would have to be done again: Python raises an interrupt in the main thread between any
    two of its steps, so the work is done in another one, which does not outlive the process.
    """
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised in the caller's thread
            future.set_exception(error)

    thread = threading.Thread(target=run, name="clew-uninterrupted", daemon=True)
    try:
        thread.start()
        return future.result()
    except KeyboardInterrupt:
        if thread.is_alive():
            thread.join()
        raise


__all__ = ["WORKERS", "concurrently", "uninterrupted"]
