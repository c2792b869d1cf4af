"""Reads files in a process of its own: the side that is asked, see :mod:`extractors.loaders.worker`.

What the process may do is cut down before it reads anything: memory, no file written, no network, no other program, no
dump of its memory. On Linux the kernel sees to it; on other systems, memory is not limited where the system has no such
limit, and files, network and programs are refused by Python's audit events alone.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import IO, Any

from extractors.loaders import load_file, loader_for, loaders
from extractors.loaders.frames import FrameError, Header, read_frame, write_frame
from extractors.loaders.limits import LoadLimits
from extractors.loaders.ocr import installed_recognizer
from extractors.ports import LoadedFile, LoadOptions
from storage.errors import LoadError, UsageError

if sys.platform != "win32":
    import resource

_GRACE_SECONDS = 10
"""After the parent's time limit: the process ends itself, should the parent not be there to do it."""

_REFUSED = (
    "socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.startfile", "os.system",
    "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown",
    "shutil.", "tempfile.",
)  # fmt: skip
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def main(limits: str, parent: int) -> None:
    """Answer one request after the other until the parent closes the pipe or is gone."""
    allowed = LoadLimits.model_validate_json(limits)
    requests, replies = _own_pipes()
    loaders()  # what they import is not the files' doing
    _restrict()
    memory = _Memory()
    _end_with(parent)
    write_frame(replies, {"kind": "ready"})
    try:
        while (request := read_frame(requests)) is not None:
            memory.limit(allowed.memory_for(recognition=_recognises(request[0]["options"])))
            _set_alarm(allowed.seconds + _GRACE_SECONDS)
            header, body = _answer(request[0], request[1], allowed, memory)
            del request
            _set_alarm(0)
            write_frame(replies, header | {"kept": memory.kept}, body)
    except (FrameError, OSError):
        return  # the parent is gone


def _recognises(options: Header) -> bool:
    return bool(options["pictures"]) or (bool(options["ocr"]) and installed_recognizer() is not None)


def _answer(request: Header, data: bytes, limits: LoadLimits, memory: _Memory) -> tuple[Header, bytes]:
    path, options = Path(request["path"]), LoadOptions.model_validate(request["options"])
    if options.picture_seconds is None:  # a file with very many is read in part rather than given up
        options = options.model_copy(update={"picture_seconds": limits.seconds / 2})
    try:
        if request["ask"] == "name":
            return {"kind": "done", "loader": loader_for(path, data, options.format).name}, b""
        return {"kind": "done"}, _as_json(path.name, load_file(path, data, options), limits)
    except UsageError as error:
        return {"kind": "usage", "message": str(error)}, b""
    except (LoadError, MemoryError) as error:
        if memory.ran_out(error):
            return {"kind": "memory", "message": memory.too_large(path.name)}, b""
        return {"kind": "failed", "message": str(error)}, b""


def _as_json(name: str, loaded: LoadedFile, limits: LoadLimits) -> bytes:
    limits.check_output(name, loaded.documents)
    try:
        text = loaded.model_dump_json()
    except ValueError as error:  # words that are no Unicode
        raise LoadError(f"{name} cannot be read; it may be damaged. Save it again, or as text") from error
    del loaded
    body = text.encode()
    if len(body) > limits.reply_bytes:
        raise limits.too_much(name)
    return body


def _own_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """What the parent speaks through, kept from what a parser prints or reads."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    return requests, replies


def _restrict() -> None:
    """Give up what reading needs not. What a system does not know is left out."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        _set_limit("RLIMIT_CORE", 0)
        _set_limit("RLIMIT_FSIZE", 0)
    if sys.platform == "linux":
        user_and_network = 0x10000000 | 0x40000000  # CLONE_NEWUSER | CLONE_NEWNET; refused in some containers
        ctypes.CDLL(None).unshare(user_and_network)
    sys.addaudithook(_refuse)


if sys.platform != "win32":

    def _set_limit(name: str, most: int) -> None:
        number = getattr(resource, name, None)
        if number is None:
            return
        hard = resource.getrlimit(number)[1]
        if hard != resource.RLIM_INFINITY:
            most = min(most, hard)
        with contextlib.suppress(ValueError, OSError):  # macOS refuses some
            resource.setrlimit(number, (most, hard if most else 0))


class _Memory:
    """The memory that this process has beyond what it had at the start, in megabytes; limited where that can be."""

    def __init__(self) -> None:
        self._at_start = _statm()
        self._most = 0

    def limit(self, megabytes: int) -> None:
        """What a file may take from now on."""
        if megabytes == self._most:
            return
        self._most = megabytes
        if sys.platform != "win32":
            size, _, data = self._at_start
            _set_limit("RLIMIT_DATA", (data + megabytes) * 1_000_000)
            _set_limit("RLIMIT_AS", (size + 2 * megabytes) * 1_000_000)

    @property
    def kept(self) -> float:
        """Which share of the limit is in use."""
        return (_statm()[1] - self._at_start[1]) / self._most if self._most else 0.0

    def ran_out(self, error: BaseException) -> bool:
        """Whether the limit caused ``error``: it or what is behind it says so, or the limit was nearly reached."""
        seen: BaseException | None = error
        while seen is not None:
            if isinstance(seen, MemoryError):
                return True
            seen = seen.__cause__ or seen.__context__
        return _peak() > self._at_start[1] + 0.9 * self._most

    def too_large(self, name: str) -> str:
        """That a file took more."""
        return (
            f"{name} needs more than {self._most:,} MB of memory to read and was given up. Split it, or raise "
            "loader_memory_mb"
        )


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open":
        flags = arguments[2]
        if isinstance(flags, int) and flags & _WRITING and arguments[0] != os.devnull:
            raise PermissionError("a loader may not write files")
    elif event.startswith(_REFUSED):
        raise PermissionError(f"a loader may not do this: {event}")


def _end_with(parent: int) -> None:
    """End this process soon after the parent, whatever it is at.

    The kernel's own way (PR_SET_PDEATHSIG) follows the thread that started the process, and that one may end.
    """
    if sys.platform == "win32":
        return

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.stack_size(256 * 1024)
    threading.Thread(target=watch, daemon=True).start()
    threading.stack_size(0)


def _set_alarm(seconds: float) -> None:
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_REAL, seconds)  # its signal ends the process


def _statm() -> tuple[int, int, int]:
    """Megabytes of address space, in memory and of data; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            pages = [int(number) for number in file.read().split()]
    except OSError:
        return 0, 0, 0
    size = os.sysconf("SC_PAGE_SIZE")
    return pages[0] * size // 1_000_000, pages[1] * size // 1_000_000, pages[5] * size // 1_000_000


def _peak() -> float:
    """The most megabytes that this process ever held in memory; 0 where the system does not say.

    On Linux ``getrusage`` also counts what the parent held when it started this process.
    """
    if sys.platform == "win32":
        return 0.0
    with contextlib.suppress(OSError), open("/proc/self/status", encoding="utf-8") as file:
        for line in file:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1000
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1_000_000 if sys.platform == "darwin" else peak / 1000


__all__ = ["main"]
