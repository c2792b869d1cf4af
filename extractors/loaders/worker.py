"""Reads files in a process of its own, which is ended when a file costs too much: the side that asks.

    KnowledgeBase ─ LoadWorker ── file bytes ──► worker_main: limits, then load_file
                        ▲                            │
                        └──── documents as JSON ─────┘

One process serves many files. It starts at the first, and anew after one that it did not survive, after
:data:`FILES` files, or when it has kept much memory. Nothing is written to disk and nothing secret is in its
environment.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from extractors.loaders.frames import FrameError, Header, read_frame, write_frame
from extractors.loaders.limits import LoadLimits
from extractors.ports import LoadedFile, LoadOptions
from storage.errors import ConfigurationError, LoadError, StoreError, UsageError

FILES = 1000
"""After so many files the process is replaced: what leaks in a parser stays bounded."""

_KEPT_SHARE = 0.5
"""Of its memory limit: when the process keeps more between two files, it is replaced."""

_START_SECONDS = 60.0
_GREETING = 1 << 16
"""Most bytes of the first thing that the process says."""

_PASSED_ON = (
    "PATH", "HOME", "USERPROFILE", "SYSTEMROOT", "WINDIR", "TMPDIR", "TEMP", "TMP", "TZ", "LANG", "LANGUAGE",
    "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONHOME", "PYTHONHASHSEED", "OMP_NUM_THREADS",
)  # fmt: skip

_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from extractors.loaders.worker_main import main; main(sys.argv[2], int(sys.argv[3]))"
)


class LoadWorker:
    """Loads files one at a time; may be used by several threads. Close it, or let it be collected."""

    def __init__(self, limits: LoadLimits | None = None) -> None:
        self._limits = limits or LoadLimits()
        self._lock = threading.Lock()
        self._processes: list[subprocess.Popen[bytes]] = []  # at most one
        self._files = 0
        self._closed = False
        self._finalizer = weakref.finalize(self, _end_all, self._processes)

    @property
    def pid(self) -> int | None:
        """The process that serves at the moment."""
        return next((process.pid for process in self._processes), None)

    def load(self, path: Path, data: bytes, options: LoadOptions) -> LoadedFile:
        """What :func:`extractors.loaders.load_file` gives for ``data``.

        Raises:
            LoadError: it raised one, or the file passed a limit, or what read it crashed.
            UsageError: ``options`` name a format that there is not.
            ConfigurationError: the process cannot be started.
            StoreError: the worker was closed.
        """
        _, body = self._ask("load", path, data, options)
        try:
            return LoadedFile.model_validate_json(body)
        except ValidationError:
            raise LoadError(f"{path.name} cannot be read; it may be damaged. Save it again, or as text") from None

    def loader_name(self, path: Path, data: bytes, options: LoadOptions) -> str:
        """Name and version of the loader that would read ``data``. Raises as :meth:`load` does."""
        return str(self._ask("name", path, data, options)[0]["loader"])

    def close(self) -> None:
        """End the process, also while it reads."""
        self._closed = True
        for process in list(self._processes):
            process.kill()
        with self._lock:
            _end_all(self._processes)

    def _ask(self, what: str, path: Path, data: bytes, options: LoadOptions) -> tuple[Header, bytes]:
        password = options.password.get_secret_value() if options.password else None
        request = {
            "ask": what,
            "path": str(path),
            "options": options.model_dump(mode="json", exclude={"password"}) | {"password": password},
        }
        with self._lock:
            try:
                reply = self._reply(path.name, request, data)
            except BaseException:  # also an interrupt: what the process would still say belongs to no one
                _end_all(self._processes)
                raise
        kind, message = reply[0]["kind"], str(reply[0].get("message", ""))
        if kind == "usage":
            raise UsageError(message)
        if kind != "done":
            raise LoadError(message)
        return reply

    def _reply(self, name: str, request: Header, data: bytes) -> tuple[Header, bytes]:
        """What the process says; it is replaced when it cannot serve on. Raises LoadError if it does not survive."""
        process = self._serving()
        with _killed_after(self._limits.seconds, process) as overdue:
            reply = _exchange(process, request, data, self._limits.reply_bytes)
        self._check_open()
        if overdue.is_set():
            raise LoadError(
                f"{name} took more than {self._limits.seconds:g} s to read and was given up. "
                "Split it or save it in a simpler format, or raise loader_seconds"
            )
        if reply is None:
            raise LoadError(
                f"{name} cannot be read: what reads it crashed ({_ending(process)}), or needed more than "
                f"{self._limits.memory_mb:,} MB of memory. It may be damaged: save it again; or split it"
            )
        self._files += 1
        if reply[0].get("kept", 0) > _KEPT_SHARE or self._files >= FILES or reply[0]["kind"] == "memory":
            _end_all(self._processes)
        return reply

    def _serving(self) -> subprocess.Popen[bytes]:
        """The process, started if there is none."""
        self._check_open()
        if self._processes and self._processes[0].poll() is not None:
            _end_all(self._processes)  # it ended between two files
        if not self._processes:
            self._files = 0
            process = _started(self._limits)
            self._processes.append(process)
            with _killed_after(_START_SECONDS, process):
                ready = _exchange(process, None, b"", _GREETING)
            self._check_open()
            if ready is None:
                raise _no_process(_ending(process))
        return self._processes[0]

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError("The knowledge base is closed. Open it again")


def _exchange(
    process: subprocess.Popen[bytes], request: Header | None, data: bytes, limit: int
) -> tuple[Header, bytes] | None:
    """Send a request (None: nothing) and wait for the answer; None when there is none: the process has to be ended."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        if request is not None:
            write_frame(process.stdin, request, data)
        return read_frame(process.stdout, limit)
    except (OSError, FrameError):
        return None


def _started(limits: LoadLimits) -> subprocess.Popen[bytes]:
    environment = {name: value for name in _PASSED_ON if (value := os.environ.get(name)) is not None}
    path = json.dumps([entry or os.getcwd() for entry in sys.path])
    arguments = [path, limits.model_dump_json(), str(os.getpid())]
    try:
        return subprocess.Popen(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-P", "-B", "-c", _START, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            start_new_session=True,  # an interrupt typed in the terminal is for the parent, who ends it
        )
    except OSError as error:
        raise _no_process(error.strerror or str(error)) from error


def _no_process(reason: str) -> ConfigurationError:
    return ConfigurationError(
        f"The process that reads files cannot be started ({reason}). Set loader_process = false to read them in this "
        "one, without limits of time and memory"
    )


@contextlib.contextmanager
def _killed_after(seconds: float, process: subprocess.Popen[bytes]) -> Iterator[threading.Event]:
    """End the process when what is done inside takes longer; the event says whether that happened."""
    overdue = threading.Event()

    def end() -> None:
        overdue.set()
        process.kill()

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield overdue
    finally:
        timer.cancel()


def _end_all(processes: list[subprocess.Popen[bytes]]) -> None:
    """End what runs."""
    while processes:
        process = processes.pop()
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):  # what was still to be sent
                    stream.close()


def _ending(process: subprocess.Popen[bytes]) -> str:
    """How the process ended that does not answer any more."""
    try:
        status = process.wait(timeout=1.0)
    except subprocess.TimeoutExpired:
        return "no answer"
    if status < 0:
        with contextlib.suppress(ValueError):
            return signal.Signals(-status).name
    return f"exit code {status}"


__all__ = ["FILES", "LoadWorker"]
