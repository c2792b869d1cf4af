"""Work in threads: results in order, failures raised, and an interrupt that waits for what has begun."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from graphrag.concurrently import concurrently, uninterrupted


def test_results_come_in_the_order_of_the_calls() -> None:
    assert concurrently([lambda i=i: i * i for i in range(9)]) == [i * i for i in range(9)]  # type: ignore[misc]


def test_uninterrupted_work_gives_its_result_or_its_failure() -> None:
    assert uninterrupted(lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        uninterrupted(lambda: 1 / 0)


def test_an_interrupt_takes_effect_when_the_work_is_done() -> None:
    begun, done = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        time.sleep(0.3)
        done.set()

    def interrupt() -> None:
        begun.wait()
        signal.raise_signal(signal.SIGINT)

    previous = signal.signal(signal.SIGINT, signal.default_int_handler)  # started in the background, none is raised
    try:
        threading.Thread(target=interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            uninterrupted(work)
    finally:
        signal.signal(signal.SIGINT, previous)
    assert done.is_set()
