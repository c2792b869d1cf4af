"""Office Open XML packages: the parts of a DOCX, PPTX or XLSX file and how they refer to each other.

Strict files (ISO 29500) are read as the transitional ones that programs write: their names of elements are mapped.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator
from pathlib import PurePath
from typing import Any, NamedTuple
from urllib.parse import unquote

from extractors.loaders.packages import iter_xml, open_archive, parse_xml, read_member, refuse_bomb
from storage.errors import LoadError
from storage.records import Metadata

OFFICE = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
"""The namespace of the attributes that refer to other parts, as a prefix."""

_STRICT_MARK = b"purl.oclc.org/ooxml"
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w{1,40})/")
_CORE = {"creator": "author", **{name: name for name in ("created", "modified", "subject", "keywords", "category")}}
# What office programs write as the title of a document that nobody has given one.
_NO_TITLES = frozenset(("powerpoint presentation", "powerpoint 演示文稿", "word document", "presentation"))


class Relation(NamedTuple):
    """What a part refers to: the last word of the kind of reference, and the name of the part."""

    kind: str
    target: str


class OfficePackage:
    """Reads parts by name as they are asked for; nothing else of the file is unpacked."""

    def __init__(self, path: PurePath, data: bytes) -> None:
        """Raises LoadError when the file is no whole archive, encrypted, or would unpack to far too much."""
        archive = open_archive(path, data)
        refuse_bomb(path, data)
        self._archive = archive
        self._path = path
        self._names = {name.casefold(): name for name in archive.namelist()}
        self._relations: dict[str, dict[str, Relation]] = {}

    def main_part(self) -> str:
        """The name of the part that the others hang on. Raises LoadError when there is none."""
        found = self.related("", "officeDocument")
        if not found:
            raise LoadError(f"{self._path.name} is no whole office document: its main part is missing. Save it again")
        return found[0]

    def has(self, part: str) -> bool:
        """Whether there is a part of that name."""
        return part.casefold() in self._names

    def xml(self, part: str) -> Any:
        """The root element of a part. Raises LoadError when it is missing or damaged."""
        try:
            return parse_xml(self._read(part), part)
        except LoadError as error:
            raise self._named(error) from error

    def stream(self, part: str, tags: Collection[str]) -> Iterator[Any]:
        """The elements of a part with one of the ``tags``, one at a time. Raises LoadError as :meth:`xml`."""
        try:
            yield from iter_xml(self._read(part), part, tags)
        except LoadError as error:
            raise self._named(error) from error

    def data(self, part: str, limit: int) -> bytes:
        """The bytes of a part that is no XML. Raises LoadError when it is missing, damaged or longer than ``limit``."""
        return read_member(self._archive, self._names.get(part.casefold(), part), limit)

    def _read(self, part: str) -> bytes:
        data = read_member(self._archive, self._names.get(part.casefold(), part))
        return _STRICT.sub(rb"http://schemas.openxmlformats.org/\1/2006/", data) if _STRICT_MARK in data else data

    def _named(self, error: LoadError) -> LoadError:
        return LoadError(f"{self._path.name}: {error}")

    def relations(self, part: str) -> dict[str, Relation]:
        """What ``part`` ("" for the package itself) refers to inside the package, by the id of the reference."""
        if part not in self._relations:
            folder, name = posixpath.split(part)
            holder = posixpath.join(folder, "_rels", f"{name}.rels")
            found: dict[str, Relation] = {}
            for relation in self.xml(holder) if self.has(holder) else ():
                target = unquote(relation.get("Target", "")) if relation.get("TargetMode") != "External" else ""
                kind = relation.get("Type", "").rsplit("/", 1)[-1]
                target = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/") if target else ""
                if self.has(target):
                    found[relation.get("Id", "")] = Relation(kind, target)
            self._relations[part] = found
        return self._relations[part]

    def related(self, part: str, kind: str) -> list[str]:
        """The parts of that kind that ``part`` refers to."""
        return [relation.target for relation in self.relations(part).values() if relation.kind == kind]

    def properties(self) -> tuple[str, Metadata]:
        """Title and other properties that the file declares of itself; damaged ones are none."""
        title, metadata = "", Metadata()
        for part in self.related("", "core-properties"):
            try:
                root = self.xml(part)
            except LoadError:
                continue
            for element in root:
                name = element.tag.rsplit("}", 1)[-1] if isinstance(element.tag, str) else ""
                words = " ".join("".join(element.itertext()).split())
                if name == "title" and words.casefold() not in _NO_TITLES:
                    title = words
                elif name in _CORE and words:
                    metadata[_CORE[name]] = words
        return title, metadata


__all__ = ["OFFICE", "OfficePackage", "Relation"]
