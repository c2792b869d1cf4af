"""One writer at a time: between threads, and between processes that may die."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from storage.errors import StoreBusyError, StoreError
from storage.writer_lock import writer_lock

HOLDER = """
import sys, time
from pathlib import Path
from storage.writer_lock import writer_lock
with writer_lock(Path(sys.argv[-1]), wait_seconds=0):
    print("held", flush=True)
    sys.stdin.readline()
print("released", flush=True)
"""
ROOT = Path(__file__).parents[3]


@contextmanager
def another_writer(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the lock until a line is written to it."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, "ingest", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def test_a_second_process_is_told_who_is_writing(tmp_path: Path) -> None:
    with another_writer(tmp_path) as holder:
        with pytest.raises(StoreBusyError) as raised, writer_lock(tmp_path, wait_seconds=0):
            pass
        message = str(raised.value)
        assert str(tmp_path) in message
        assert f"process {holder.pid} " in message
        assert "ingest" in message
        assert os.uname().nodename in message


def test_a_second_process_waits_as_long_as_it_was_told(tmp_path: Path) -> None:
    with another_writer(tmp_path):
        started = time.monotonic()
        with pytest.raises(StoreBusyError), writer_lock(tmp_path, wait_seconds=0.4):
            pass
        assert 0.4 <= time.monotonic() - started < 5


def test_a_second_process_gets_the_lock_when_the_first_is_done(tmp_path: Path) -> None:
    with another_writer(tmp_path) as holder:
        assert holder.stdin is not None
        threading.Timer(0.3, lambda: holder.stdin and (holder.stdin.write("\n"), holder.stdin.flush())).start()
        started = time.monotonic()
        with writer_lock(tmp_path, wait_seconds=10):
            assert time.monotonic() - started >= 0.2


def test_a_killed_holder_leaves_no_lock(tmp_path: Path) -> None:
    with another_writer(tmp_path) as holder:
        os.kill(holder.pid, signal.SIGKILL)
        holder.wait()
        with writer_lock(tmp_path, wait_seconds=0):
            pass


def test_two_threads_exclude_each_other(tmp_path: Path) -> None:
    inside, most, guard = 0, 0, threading.Lock()

    def write() -> None:
        nonlocal inside, most
        for _ in range(5):
            with writer_lock(tmp_path, wait_seconds=20):
                with guard:
                    inside += 1
                    most = max(most, inside)
                time.sleep(0.005)
                with guard:
                    inside -= 1

    threads = [threading.Thread(target=write) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_the_lock_is_not_reentrant_and_says_so_rather_than_hang(tmp_path: Path) -> None:
    with (
        writer_lock(tmp_path, wait_seconds=0),
        pytest.raises(StoreBusyError, match=f"process {os.getpid()} "),
        writer_lock(tmp_path, wait_seconds=0),
    ):
        pass


def test_an_error_while_writing_lets_go(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), writer_lock(tmp_path, wait_seconds=0):
        raise ZeroDivisionError
    with writer_lock(tmp_path, wait_seconds=0):
        pass


def test_a_holder_that_left_no_word_is_still_reported(tmp_path: Path) -> None:
    with another_writer(tmp_path):
        for content in ("", "{", "[]", "{}", '{"pid": 1}'):
            (tmp_path / "writer.json").write_text(content, encoding="utf-8")
            with pytest.raises(StoreBusyError, match="another process"), writer_lock(tmp_path, wait_seconds=0):
                pass


def test_a_folder_that_cannot_be_locked_is_an_error_of_the_store(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(StoreError, match="cannot be locked"), writer_lock(tmp_path / "file", wait_seconds=0):
        pass


def test_a_full_disk_does_not_keep_a_removal_from_making_room(tmp_path: Path) -> None:
    (tmp_path / "writer.json").mkdir()  # the holder cannot be noted down
    with (
        writer_lock(tmp_path, wait_seconds=0),
        pytest.raises(StoreBusyError, match="another process"),
        writer_lock(tmp_path, wait_seconds=0),
    ):
        pass
