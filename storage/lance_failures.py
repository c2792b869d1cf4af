"""What LanceDB raises, as our errors: it knows few types of its own, so the words of a message must do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from storage.errors import ClewError, StoreError, StoreFullError

# ENOSPC, EDQUOT, EFBIG, EIO, EROFS as Rust prints them.
_FULL = re.compile(
    r"No space left|quota exceeded|File too large|Read-only file ?system|Input/output error"
    r"|os error (28|122|27|5|30)\b",
    re.I,
)
_CONFLICT = re.compile(r"commit conflict|conflict.{0,40}retr|retryable|concurrent(ly)? (commit|modif|transact)", re.I)

_MISSING = re.compile(r"^Table '[a-z]+' was not found")


class CutShortError(Exception):
    """The end of a file could not be written, which LanceDB does not say itself."""


@contextmanager
def lance_failures(doing: str, where: str) -> Iterator[None]:
    """Raise StoreFullError or StoreError for whatever goes wrong inside; ``doing`` completes "… failed"."""
    try:
        yield
    except ClewError:
        raise
    except Exception as error:  # the one edge to LanceDB: it raises OSError, ValueError, RuntimeError and Arrow's own
        reason = _first_line(error)
        if is_full(error):
            raise StoreFullError(
                f"{doing} failed: the disk under {where} is full or refuses to write ({reason}). "
                "Free some space and repeat the command; nothing was half written."
            ) from error
        raise StoreError(
            f"{doing} failed in the text index at {where} ({reason}). If files there are missing or damaged, "
            "restore the store from a backup, or ingest into a new one."
        ) from error


def is_full(error: BaseException) -> bool:
    """Whether the disk is full or refuses to write."""
    return isinstance(error, CutShortError) or _FULL.search(str(error)) is not None


def is_missing(error: BaseException) -> bool:
    """Whether there is no such table."""
    return _MISSING.search(str(error)) is not None


def is_conflict(error: BaseException) -> bool:
    """Whether another writer came first, and trying again on the latest version can succeed."""
    return _CONFLICT.search(str(error)) is not None


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0][:300]


__all__ = ["CutShortError", "is_conflict", "is_full", "is_missing", "lance_failures"]
