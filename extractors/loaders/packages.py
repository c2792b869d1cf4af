"""Files that are ZIP archives, office documents and e-books among them: opened without being blown up by them."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Collection, Iterator
from pathlib import PurePath
from typing import Any

from lxml import etree

from extractors.loaders.signatures import is_ole
from storage.errors import LoadError

MAX_MEMBER = 256 * 1024 * 1024
"""How many bytes one member may unpack to."""

# XML of office documents shrinks 5 to 40 times; a bomb of zeros 1,000 times. Below 16 MB nothing is worth refusing.
_MAX_BYTES = 256 * 1024 * 1024
_MAX_RATIO = 200
_SMALL = 16 * 1024 * 1024
_MAX_MEMBERS = 100_000
_MAX_NESTED = 100
# zlib stops unpacking where it is told; the other methods unpack all they are given, 4 KB to at most 80 MB.
_PIECE, _SMALL_PIECE = 1024 * 1024, 4096

_SAFE: dict[str, Any] = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "remove_comments": True,
    "remove_pis": True,
    "huge_tree": False,
}


def open_archive(path: PurePath, data: bytes) -> zipfile.ZipFile:
    """The archive in ``data``. Raises LoadError when it is none, cut off, or an office file that is encrypted."""
    if is_ole(data):
        raise LoadError(
            f"{path.name} is protected by a password or of an old Office format; neither can be read here. "
            "Open it in an office program and save it in a format of today (docx, pptx, xlsx) without a password"
        )
    try:
        return zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise LoadError(f"{path.name} is damaged or cut off: it is no whole archive. Copy or save it again") from error


def refuse_bomb(path: PurePath, data: bytes, *, encrypted: bool = False) -> None:
    """Raise LoadError when the archive would unpack to far more than it is: looked up, not unpacked.

    ``encrypted``: whether members that need a password are let pass, for who has one.
    """
    with open_archive(path, data) as archive:
        members = archive.infolist()
    if not encrypted and any(member.flag_bits & 1 for member in members):
        raise LoadError(f"{path.name} is protected by a password. Save it without one")
    size = sum(member.file_size for member in members)
    if size > _MAX_BYTES or (size > _SMALL and size > len(data) * _MAX_RATIO):
        raise LoadError(f"{path.name} would unpack to {size:,} bytes and is refused. Split it into smaller documents")
    nested = sum(member.filename.lower().endswith(".zip") for member in members)
    if len(members) > _MAX_MEMBERS or nested > _MAX_NESTED:
        raise LoadError(
            f"{path.name} holds {len(members):,} files, {nested:,} of them archives, and is refused. "
            "Unpack it and read the folder"
        )


def read_member(archive: zipfile.ZipFile, name: str, limit: int = MAX_MEMBER, password: bytes | None = None) -> bytes:
    """The bytes of one member, unpacked until ``limit``: what the directory says of its size may be a lie.

    Raises:
        LoadError: it is missing, damaged, packed in a way that is not known, or longer than ``limit``.
    """
    try:
        info = archive.getinfo(name)
        piece = _PIECE if info.compress_type in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED} else _SMALL_PIECE
        parts: list[bytes] = []
        size = 0
        with archive.open(info, pwd=password) as member:
            while part := member.read(piece):
                parts.append(part)
                size += len(part)
                if size > limit:
                    raise LoadError(f"{name} unpacks to more than {limit:,} bytes. Split it into smaller files")
    except KeyError as error:
        raise LoadError(f"{name} is missing. Save the file again") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError) as error:
        raise LoadError(f"{name} is damaged or packed in an unknown way. Save the file again") from error
    return b"".join(parts)


def parse_xml(data: bytes, name: str) -> Any:
    """The root element of ``data``: no network, no entities but those of XML itself, no comments.

    Raises:
        LoadError: it is not well formed, or nested more than 256 elements deep.
    """
    try:
        return etree.fromstring(data, etree.XMLParser(**_SAFE))
    except (etree.XMLSyntaxError, ValueError) as error:
        raise _not_well_formed(name) from error


def iter_xml(data: bytes, name: str, tags: Collection[str]) -> Iterator[Any]:
    """The elements of ``data`` that have one of the ``tags``, in order; each is emptied once the next is asked for.

    Raises:
        LoadError: as :func:`parse_xml`, when it comes to the place.
    """
    try:
        for _, element in etree.iterparse(io.BytesIO(data), events=("end",), tag=tags, **_SAFE):
            yield element
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
    except (etree.XMLSyntaxError, ValueError) as error:
        raise _not_well_formed(name) from error


def _not_well_formed(name: str) -> LoadError:
    return LoadError(f"{name} is damaged: it is no well-formed XML. Save the file again")


__all__ = ["MAX_MEMBER", "iter_xml", "open_archive", "parse_xml", "read_member", "refuse_bomb"]
