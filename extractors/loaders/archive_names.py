"""Names of the members of a ZIP archive as a person would write them, whatever program packed it."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable
from pathlib import PurePosixPath

_UTF8 = 0x800
_HANZI = re.compile(rb"[\x81-\xfe][\x30-\xfe]")
_GB2312 = re.compile(rb"[\xa1-\xf7][\xa1-\xfe]")
_DRIVE = re.compile(r"[A-Za-z]:(?=/)")


def member_names(members: Iterable[zipfile.ZipInfo]) -> dict[str, str]:
    """For each name in the directory of an archive the one to show: a path without root, drive, ``.`` and ``..``.

    A name that is not marked as UTF-8 was taken for code page 437 by :mod:`zipfile`. Programs write UTF-8 without the
    mark and, on Chinese systems, GB18030: all names together tell which, for one name alone is too short.
    """
    members = list(members)
    raw = {m.filename: m.filename.encode("cp437") for m in members if not m.flag_bits & _UTF8}
    encoding = _encoding(b"\n".join(raw.values()))
    names: dict[str, str] = {}
    for member in members:
        name = raw[member.filename].decode(encoding) if member.filename in raw else member.filename
        if "/" not in name:
            name = name.replace("\\", "/")
        parts = [part for part in PurePosixPath(_DRIVE.sub("", name)).parts if part.strip("/") not in {"", ".", ".."}]
        names[member.filename] = "/".join(parts) or "member"
    return names


def _encoding(data: bytes) -> str:
    try:
        data.decode("utf-8")
        return "utf-8"
    except UnicodeDecodeError:
        pass
    pairs = _HANZI.findall(data)
    try:
        data.decode("gb18030")
    except UnicodeDecodeError:
        return "cp437"
    return "gb18030" if sum(map(bool, map(_GB2312.match, pairs))) >= len(pairs) * 0.8 else "cp437"


__all__ = ["member_names"]
