"""ZIP archives: the documents in their files, archives in archives included."""

from __future__ import annotations

import stat
import zipfile
from collections import Counter
from pathlib import Path, PurePath

from extractors.loaders import load_file
from extractors.loaders.archive_names import member_names
from extractors.loaders.packages import MAX_MEMBER, open_archive, read_member, refuse_bomb
from extractors.loaders.registry import loader_for, loaders, supported_suffixes
from extractors.loaders.signatures import is_zip, package_of, zip_names
from extractors.ports import Likeness, LoadedFile, LoadOptions, PartProblem
from storage.errors import LoadError
from storage.records import Document

PART = "#"
"""Parts the name of a member from the id of one of several documents in it: ``inner/rows.jsonl#12``."""

_DEEPEST = 3
# What all members together may unpack to, those of inner archives included: as much as one archive alone may.
_MOST_BYTES = 256 * 1024 * 1024
_MOST_RATIO = 200
_SMALL = 16 * 1024 * 1024
_MOST_ENCRYPTED = 16 * 1024 * 1024  # Python decrypts about 2 MB in a second
_AES = 99
_SYSTEM = frozenset({".ds_store", "thumbs.db", "desktop.ini", "__macosx"})
_KINDS_SAID = 8
_PAST_LIMIT = "files after the one that passed the limit"


class ArchiveLoader:
    """Reads each member with the loader for it; nothing is written to disk, names are only names."""

    name = "zip@2"
    suffixes = (".zip",)

    def recognises(self, path: PurePath, data: bytes) -> Likeness:
        """How sure it is that this is its format: an archive that is no document of another format."""
        names = zip_names(data) if is_zip(data) else None
        return Likeness.NO if names is None or package_of(names) else Likeness.CONTENT

    def load(self, path: PurePath, data: bytes, options: LoadOptions) -> LoadedFile:
        """The documents of all members that can be read; what cannot be read is a problem, other kinds a note."""
        reading = _Reading(options, min(_MOST_BYTES, max(_SMALL, len(data) * _MOST_RATIO)))
        reading.archive(path, data, "", 1)
        loaded = reading.loaded()
        if not loaded.documents and not loaded.problems:
            said = "; ".join((*loaded.notes, *loaded.left_out)) or "it has no members"
            raise LoadError(f"{path.name} holds no file that can be read: {said}. Read are {', '.join(loaders())}")
        return loaded


class _Reading:
    """What was found in one archive and the archives in it."""

    def __init__(self, options: LoadOptions, most_bytes: int) -> None:
        self._options = options.model_copy(update={"format": None})
        self._password = options.password.get_secret_value().encode() if options.password else None
        self._documents: list[Document] = []
        self._problems: list[PartProblem] = []
        self._inner: dict[str, str] = {}
        self._notes: list[str] = []
        self._left: list[str] = []
        self._unread: Counter[str] = Counter()
        self._left_out: Counter[str] = Counter()
        self._ids: set[str] = set()
        self._bytes = most_bytes
        self._full = False
        self._encrypted = _MOST_ENCRYPTED
        self._suffixes = frozenset(supported_suffixes())

    def archive(self, path: PurePath, data: bytes, prefix: str, depth: int) -> None:
        """Read the members of the archive in ``data``; ``prefix`` stands before their names."""
        refuse_bomb(path, data, encrypted=True)
        with open_archive(path, data) as archive:
            infos = {info.filename: info for info in archive.infolist()}
            if (repeated := len(archive.infolist()) - len(infos)) > 0:
                self._left_out["older versions of files that stand in it again"] += repeated
            names = member_names(infos.values())
            for info in infos.values():
                if not info.is_dir():
                    self._member(archive, info, names[info.filename], prefix, depth)

    def _member(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str, prefix: str, depth: int) -> None:
        path = Path(name)
        if _SYSTEM & {part.lower() for part in path.parts} or path.name.startswith("._"):
            return
        if stat.S_ISLNK(info.external_attr >> 16):
            self._left_out["links"] += 1
        elif any(part.startswith(".") for part in path.parts):
            self._left_out["hidden files"] += 1
        elif path.suffix and path.suffix.lower() not in self._suffixes:
            self._unread[path.suffix.lower()] += 1
        elif info.file_size == 0:
            self._left_out["empty files"] += 1
        elif self._full:
            self._left_out[_PAST_LIMIT] += 1
        else:
            part = self._unique(f"{prefix}{name}")
            try:
                self._read(path, self._unpacked(archive, info), part, depth)
            except LoadError as error:
                self._problems.append(PartProblem(part=part, reason=str(error)))

    def _unpacked(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
        encrypted = bool(info.flag_bits & 1)
        name = PurePath(info.filename).name
        if encrypted and self._password is None:
            raise LoadError(f"{name} is protected by a password. Give it, or unpack the archive")
        if encrypted and info.compress_type == _AES:
            raise LoadError(f"{name} is encrypted with AES, which is not read. Unpack the archive")
        limit = min(MAX_MEMBER, self._bytes, self._encrypted if encrypted else self._bytes)
        if info.file_size > limit:
            self._full = True
            raise LoadError(f"{name} is left out: what is unpacked of one archive has a limit. Split the archive")
        try:
            data = read_member(archive, info.filename, limit, self._password if encrypted else None)
        except RuntimeError as error:  # zipfile has no other word for a wrong password
            raise LoadError(f"{name} is protected by another password. Give it, or unpack the archive") from error
        self._bytes -= len(data)
        self._encrypted -= len(data) if encrypted else 0
        return data

    def _read(self, path: Path, data: bytes, part: str, depth: int) -> None:
        if is_zip(data) and isinstance(loader_for(path, data), ArchiveLoader):
            if depth == _DEEPEST:
                raise LoadError(f"{path.name} lies {depth} archives deep and is not opened. Unpack the outer ones")
            self.archive(path, data, f"{part}{PART}", depth + 1)
            return
        try:
            loaded = load_file(path, data, self._options)
        except LoadError:
            if path.suffix:
                raise
            self._unread["without an ending"] += 1  # programs and keys have none either
            return
        for document in loaded.documents:
            id = part if document.id is None else self._unique(f"{part}{PART}{document.id}")
            self._documents.append(document.model_copy(update={"id": id}))
            self._inner[id] = loaded.loader_of(document)
        self._problems += [PartProblem(part=f"{part}{PART}{p.part}", reason=p.reason) for p in loaded.problems]
        self._notes += [f"{part}: {note}" for note in loaded.notes]
        self._left += [f"{part}: {note}" for note in loaded.left_out]

    def _unique(self, id: str) -> str:
        unique, count = id, 1
        while unique in self._ids:
            count += 1
            unique = f"{id} ({count})"
        self._ids.add(unique)
        return unique

    def loaded(self) -> LoadedFile:
        """All of it; members that were passed over are counted in ``left_out``."""
        left = list(self._left)
        if self._unread:
            kinds = [f"{kind} {count:,}" for kind, count in self._unread.most_common(_KINDS_SAID)]
            more = ", …" if len(self._unread) > _KINDS_SAID else ""
            files = "file" if self._unread.total() == 1 else "files"
            left.append(f"{self._unread.total():,} {files} of kinds that are not read ({', '.join(kinds)}{more})")
        passed_limit = self._left_out.pop(_PAST_LIMIT, 0)
        left += [f"{what}: {count:,}" for what, count in self._left_out.items()]
        return LoadedFile(
            documents=tuple(self._documents),
            problems=tuple(self._problems),
            notes=(*self._notes, *([f"{_PAST_LIMIT}: {passed_limit:,}"] if passed_limit else ())),
            left_out=tuple(left),
            inner=self._inner,
        )


__all__ = ["PART", "ArchiveLoader"]
