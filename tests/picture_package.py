"""A package as another would write it: a reader of pictures that says, or does, what is noted in the file."""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image
from PIL.PngImagePlugin import PngInfo

_MODULE = """
import io, socket
from PIL import Image


class NoteReader:
    name = "notes@1"

    def read(self, picture):
        word, _, rest = Image.open(io.BytesIO(picture)).info.get("note", "").partition(" ")
        return getattr(self, word)(rest) if word else ""

    def say(self, rest):
        return rest.replace("|", "\\n")

    def stumble(self, rest):
        raise ZeroDivisionError(rest)

    def fill(self, rest):
        raise MemoryError

    def wait(self, rest):
        import time
        time.sleep(float(rest))
        return "late"

    def connect(self, rest):
        socket.create_connection(("127.0.0.1", int(rest)), timeout=1)


class BrokenReader:
    def __init__(self):
        raise RuntimeError("no model")
"""


def write_picture_package(folder: Path, reader: str = "NoteReader") -> Path:
    """Put module and entry point into ``folder``, which only has to be on ``sys.path``."""
    information = folder / "note_reader-1.0.dist-info"
    information.mkdir(parents=True)
    (folder / "note_reader.py").write_text(_MODULE, encoding="utf-8")
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: note-reader\nVersion: 1.0\n", encoding="utf-8")
    (information / "entry_points.txt").write_text(f"[clew.pictures]\nnotes = note_reader:{reader}\n", encoding="utf-8")
    return folder


def noted(note: str, size: tuple[int, int] = (200, 100)) -> bytes:
    """A white picture for that reader."""
    information, buffer = PngInfo(), io.BytesIO()
    information.add_itxt("note", note)
    Image.new("RGB", size, "white").save(buffer, "PNG", pnginfo=information)
    return buffer.getvalue()


__all__ = ["noted", "write_picture_package"]
