"""Identities: what a thing is called follows from what it is, never from when or where it was seen."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Literal, get_args

from storage.errors import UsageError

Kind = Literal["src", "doc", "chk", "stm", "rel", "evd", "chn", "lnk", "prp", "acl", "int", "bat", "rcp"]

_KINDS = "|".join(get_args(Kind))
_ID = re.compile(rf"({_KINDS})_[0-9a-f]{{32}}")
_ID_PREFIX = re.compile(rf"({_KINDS})_[0-9a-f]{{1,32}}")


def make_id(kind: Kind, *parts: str | int | None) -> str:
    """Hash ``parts`` into an id such as ``chk_5f2c…`` (kind, underscore, 128 bits of SHA-256 in hexadecimal).

    The parts are hashed as a JSON array, so no choice of separators inside them can make two different lists equal.
    """
    data = json.dumps([kind, *parts], ensure_ascii=False, separators=(",", ":"))
    return f"{kind}_{hashlib.sha256(data.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"


def link_id(one: str, other: str) -> str:
    """The id of the same_as link between two statements, named in either order."""
    return make_id("lnk", *sorted((one, other)))


def is_id(text: str, kind: Kind | None = None) -> bool:
    """Whether ``text`` is a whole id (of ``kind``, if given): the only strings that may enter a store's filter."""
    return _ID.fullmatch(text) is not None and (kind is None or text.startswith(f"{kind}_"))


def check_prefix(prefix: str) -> tuple[str, str]:
    """The bounds ``low <= id < high`` of ids that start with ``prefix``; UsageError if it cannot begin an id."""
    if not _ID_PREFIX.fullmatch(prefix):
        raise UsageError(f"{prefix!r} does not begin an id such as doc_5f2c: kind, underscore, hexadecimal digits.")
    return prefix, f"{prefix}g"  # the first letter after the hexadecimal digits


def content_digest(data: bytes) -> str:
    """SHA-256 of ``data`` in hexadecimal (64 characters)."""
    return hashlib.sha256(data).hexdigest()


def file_digest(path: Path) -> str:
    """SHA-256 of a file in hexadecimal, read piece by piece. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


__all__ = ["Kind", "check_prefix", "content_digest", "file_digest", "is_id", "link_id", "make_id"]
