"""Run an iterator one item ahead in a thread of its own."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from typing import TypeVar

T = TypeVar("T")


WAITING_EVERY = 0.5
"""Seconds between two calls of ``waiting``."""


def prefetched(items: Iterator[T], *, waiting: Callable[[], None] = lambda: None) -> Iterator[T]:
    """Yield ``items`` in order while the next one is already being made; its exceptions are raised here.

    ``waiting`` is called now and then, in the caller's thread, while the caller has to wait for an item.
    The thread is a daemon and stops after the item it is making when the caller stops, so that an interrupt ends the
    process at once.
    """
    ready: queue.Queue[tuple[T | None, BaseException | None, bool]] = queue.Queue(maxsize=1)
    stopped = threading.Event()

    def put(entry: tuple[T | None, BaseException | None, bool]) -> None:
        while not stopped.is_set():
            try:
                ready.put(entry, timeout=0.1)
            except queue.Full:
                continue
            return

    def run() -> None:
        try:
            for item in items:
                put((item, None, False))
                if stopped.is_set():
                    return
        except BaseException as error:  # noqa: BLE001 - handed over to the consumer's thread, which raises it
            put((None, error, True))
        else:
            put((None, None, True))

    thread = threading.Thread(target=run, name="clew-prefetch", daemon=True)
    thread.start()
    try:
        while True:
            try:
                item, error, last = ready.get(timeout=WAITING_EVERY)
            except queue.Empty:
                waiting()
                continue
            if error is not None:
                raise error
            if last:
                return
            yield item  # type: ignore[misc]
    finally:
        stopped.set()


__all__ = ["WAITING_EVERY", "prefetched"]
