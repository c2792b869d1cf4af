"""One writer at a time, across threads and processes; readers never wait."""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from storage.errors import StoreBusyError, StoreError


@contextmanager
def writer_lock(folder: Path, *, wait_seconds: float) -> Iterator[None]:
    """Hold the store in ``folder`` for writing; the operating system releases it when the holder dies.

    Waits up to ``wait_seconds`` (0: not at all), then raises StoreBusyError naming the holder.
    """
    lock = FileLock(folder / "writer.lock")  # one object per acquisition: two threads exclude each other as well
    holder = folder / "writer.json"
    try:
        lock.acquire(timeout=wait_seconds)
    except Timeout:
        raise StoreBusyError(
            f"{folder} is being written by {_describe(holder)}. Wait for it to finish and try again; "
            f"reading is possible meanwhile."
        ) from None
    except OSError as error:
        raise StoreError(f"{folder} cannot be locked for writing ({error}). Check its permissions.") from error
    try:
        with suppress(OSError):  # a courtesy to others: a full disk must not keep a removal from making room
            _announce(holder)
        yield
    finally:
        lock.release()


def is_held(folder: Path) -> bool:
    """Whether somebody is writing to the store in ``folder`` at this moment."""
    lock = FileLock(folder / "writer.lock")
    try:
        with lock.acquire(timeout=0):
            return False
    except Timeout:
        return True
    except OSError:
        return False  # a folder that is only to be read has no writer here


def _announce(holder: Path) -> None:
    program = Path(sys.argv[0]).name if sys.argv and sys.argv[0] else "python"
    verb = sys.argv[1] if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else ""
    holder.write_text(
        json.dumps(
            {
                "pid": os.getpid(),
                "host": socket.gethostname(),
                "program": f"{program} {verb}".strip(),
                "since": datetime.now(UTC).isoformat(timespec="seconds"),
            }
        ),
        encoding="utf-8",
    )


def _describe(holder: Path) -> str:
    try:
        who = json.loads(holder.read_text(encoding="utf-8"))
        return f"process {who['pid']} ({who['program']}) on {who['host']} since {who['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"


__all__ = ["is_held", "writer_lock"]
