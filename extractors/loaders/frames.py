"""How the process that reads files and the one that asks it speak: frames of a JSON header and a body of bytes."""

from __future__ import annotations

import io
import struct
from collections.abc import Mapping
from json import dumps, loads
from typing import IO, Any

_SIZES = struct.Struct(">IQ")
_PIECE = 1 << 20

Header = dict[str, Any]


class FrameError(Exception):
    """What came is no whole frame, or is longer than allowed."""


def write_frame(stream: IO[bytes], header: Mapping[str, Any], body: bytes = b"") -> None:
    """Send one frame. Raises OSError when nobody reads."""
    words = dumps(header).encode()
    stream.write(_SIZES.pack(len(words), len(body)) + words)
    stream.write(body)
    stream.flush()


def read_frame(stream: IO[bytes], limit: int | None = None) -> tuple[Header, bytes] | None:
    """The next frame, or None at the end. Raises FrameError if it is cut off or has more than ``limit`` bytes."""
    sizes = stream.read(_SIZES.size)
    if not sizes:
        return None
    if len(sizes) < _SIZES.size:
        raise FrameError("cut off")
    words, body = _SIZES.unpack(sizes)
    if limit is not None and words + body > limit:
        raise FrameError("too long")
    try:
        header = loads(_read(stream, words))
    except ValueError as error:
        raise FrameError("no JSON") from error
    if not isinstance(header, dict):
        raise FrameError("no JSON object")
    return header, _read(stream, body)


def _read(stream: IO[bytes], size: int) -> bytes:
    data = io.BytesIO()  # gives its bytes away without a copy
    while (left := size - data.tell()) > 0:
        piece = stream.read(min(left, _PIECE))
        if not piece:
            raise FrameError("cut off")
        data.write(piece)
    return data.getvalue()


__all__ = ["FrameError", "Header", "read_frame", "write_frame"]
