"""Running one item ahead."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from graphrag.prefetch import prefetched


def eventually(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 5
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.005)
    return condition()


def alive() -> bool:
    return any(t.name == "clew-prefetch" for t in threading.enumerate())


@pytest.mark.parametrize("count", [0, 1, 2, 50])
def test_items_come_in_order_each_once(count: int) -> None:
    assert list(prefetched(iter(range(count)))) == list(range(count))
    assert eventually(lambda: not alive())


def test_an_item_may_be_none() -> None:
    assert list(prefetched(iter([None, 1, None]))) == [None, 1, None]


def test_nothing_is_made_before_it_is_asked_for() -> None:
    made: list[int] = []

    def items() -> Iterator[int]:
        made.append(0)
        yield 0

    prefetched(items())
    assert made == []


def test_the_next_item_is_made_while_this_one_is_used_and_no_more_than_two_are() -> None:
    made: list[int] = []

    def items() -> Iterator[int]:
        for i in range(100):
            made.append(i)
            yield i

    run = prefetched(items())
    assert next(run) == 0
    assert eventually(lambda: 1 in made)
    time.sleep(0.1)
    assert len(made) <= 3  # the one in use, one that waits, one that is being made
    run.close()  # type: ignore[attr-defined]


def test_items_are_made_in_another_thread() -> None:
    def items() -> Iterator[str]:
        yield threading.current_thread().name

    assert list(prefetched(items())) == ["clew-prefetch"]


@pytest.mark.parametrize("error", [ValueError("broken"), KeyboardInterrupt(), SystemExit(3)])
def test_what_goes_wrong_while_making_is_raised_to_the_caller_after_the_items_before_it(error: BaseException) -> None:
    def items() -> Iterator[int]:
        yield 1
        yield 2
        raise error

    run = prefetched(items())
    assert (next(run), next(run)) == (1, 2)
    with pytest.raises(type(error)) as raised:
        next(run)
    assert raised.value is error


def test_the_thread_ends_when_the_caller_stops_early() -> None:
    made: list[int] = []

    def items() -> Iterator[int]:
        i = 0
        while True:
            made.append(i)
            yield i
            i += 1

    for item in prefetched(items()):
        if item == 3:
            break
    assert eventually(lambda: not alive())
    count = len(made)
    assert count <= 6
    time.sleep(0.05)
    assert len(made) == count


def test_the_thread_ends_when_the_caller_fails() -> None:
    def use() -> None:
        for _ in prefetched(iter(range(1000))):
            raise RuntimeError("caller")

    with pytest.raises(RuntimeError, match="caller"):
        use()
    assert eventually(lambda: not alive())


def test_an_interrupted_process_need_not_wait_for_the_thread() -> None:
    started = threading.Event()
    go_on = threading.Event()

    def items() -> Iterator[int]:
        yield 0
        started.set()
        go_on.wait(5)
        yield 1

    run = prefetched(items())
    next(run)
    assert started.wait(5)
    thread = next(t for t in threading.enumerate() if t.name == "clew-prefetch")
    assert thread.daemon
    began = time.monotonic()
    run.close()  # type: ignore[attr-defined]
    assert time.monotonic() - began < 1
    go_on.set()
    assert eventually(lambda: not alive())
