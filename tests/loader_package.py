"""A package as another would write it: a loader for ``.xyz`` files that does what the file says."""

from __future__ import annotations

from pathlib import Path

_MODULE = """
import os, signal, socket, subprocess, sys, time
from pathlib import Path
from extractors.ports import Likeness, LoadedFile
from storage.errors import LoadError
from storage.records import Document

kept = []


class XyzLoader:
    name = "xyz@1"
    suffixes = (".xyz",)

    def recognises(self, path, data):
        return Likeness.CONTENT if data.startswith(b"xyz ") else Likeness.NO

    def load(self, path, data, options):
        word, _, rest = data[4:].decode().partition(" ")
        text = getattr(self, word)(rest, options) or "done"
        return LoadedFile(documents=(Document(text=text),))

    def say(self, rest, options):
        return rest

    def refuse(self, rest, options):
        raise LoadError(rest)

    def stumble(self, rest, options):
        raise ZeroDivisionError(rest)

    def wait(self, rest, options):
        time.sleep(float(rest))

    def loop(self, rest, options):
        while True:
            pass

    def crash(self, rest, options):
        os.kill(os.getpid(), signal.SIGSEGV)

    def leave(self, rest, options):
        os._exit(3)

    def fill(self, rest, options):
        return str(len(bytearray(int(rest) * 1_000_000)))

    def keep(self, rest, options):
        kept.append(b"x" * (int(rest) * 1_000_000))

    def produce(self, rest, options):
        return "word " * (int(rest) // 5)

    def surrogate(self, rest, options):
        return "a\\ud800b"

    def chatter(self, rest, options):
        print(rest, flush=True)
        os.write(1, b"noise")
        os.write(2, b"noise")
        return repr(sys.stdin.read())

    def write(self, rest, options):
        Path(rest).write_text("written")

    def write_below_python(self, rest, options):
        import ctypes

        libc = ctypes.CDLL(None)
        number = libc.open(rest.encode(), os.O_WRONLY | os.O_CREAT, 0o600)
        return str(libc.write(number, b"words", 5))

    def connect(self, rest, options):
        socket.create_connection(("127.0.0.1", int(rest)), timeout=1)

    def spawn(self, rest, options):
        subprocess.run(["true"])

    def environment(self, rest, options):
        return "\\n".join(f"{name}={value}" for name, value in sorted(os.environ.items()))

    def arguments(self, rest, options):
        return "\\n".join(sys.orig_argv)

    def password(self, rest, options):
        return options.password.get_secret_value()

    def process(self, rest, options):
        return str(os.getpid())
"""


def write_loader_package(folder: Path) -> Path:
    """Put module and entry point into ``folder``, which only has to be on ``sys.path``."""
    information = folder / "xyz_loader-1.0.dist-info"
    information.mkdir(parents=True)
    (folder / "xyz_loader.py").write_text(_MODULE, encoding="utf-8")
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: xyz-loader\nVersion: 1.0\n", encoding="utf-8")
    (information / "entry_points.txt").write_text("[clew.loaders]\nxyz = xyz_loader:XyzLoader\n", encoding="utf-8")
    return folder


__all__ = ["write_loader_package"]
