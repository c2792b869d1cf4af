"""What the first bytes of a file say it is."""

from __future__ import annotations

import io
import zipfile

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_UNREAD = (
    (b"\x89PNG", "a PNG picture"), (b"\xff\xd8\xff", "a JPEG picture"), (b"GIF8", "a GIF picture"),
    (b"II*\x00", "a TIFF picture"), (b"MM\x00*", "a TIFF picture"), (b"\x1f\x8b", "a gzip archive"),
    (b"\xfd7zXZ\x00", "an xz archive"), (b"7z\xbc\xaf", "a 7-Zip archive"),
    (b"Rar!\x1a", "a RAR archive"), (b"\x7fELF", "a program"), (b"MZ\x90\x00", "a program"),
    (b"SQLite format 3\x00", "an SQLite database"), (b"{\\rtf", "an RTF document"), (b"%!PS", "a PostScript file"),
    (b"OggS", "a sound or film"), (b"ID3\x02", "a sound"), (b"ID3\x03", "a sound"),
    (b"ID3\x04", "a sound"), (b"fLaC", "a sound"), (b"\x1aE\xdf\xa3", "a film"), (b"(\xb5/\xfd", "a Zstandard archive"),
    (b"\xca\xfe\xba\xbe", "a program"), (b"\x00asm", "a program"), (b"wOFF", "a font"), (b"wOF2", "a font"),
    (b"\x00\x00\x01\x00", "an icon"), (b"PAR1", "a Parquet table"),
)  # fmt: skip
_UNREAD_FURTHER = (  # the mark and where it stands
    (b"1AY&SY", 4, "a bzip2 archive"), (b"ustar", 257, "a tar archive"), (b"ftyp", 4, "a film, a sound or a picture"),
    (b"WAVEfmt", 8, "a sound"), (b"AVI LIST", 8, "a film"), (b"WEBPVP8", 8, "a WebP picture"),
)  # fmt: skip


def what_it_is(data: bytes) -> str | None:
    """What kind of file these bytes are, in words, if it is a known one that is not text; None if it is not known."""
    if is_zip(data):
        names = zip_names(data)
        return "a damaged or cut off archive" if names is None else package_of(names) or "an archive"
    if data.startswith(_OLE):
        return "an office document of before 2007, or one that is protected by a password"
    further = (kind for magic, at, kind in _UNREAD_FURTHER if data.startswith(magic, at))
    return next((kind for magic, kind in _UNREAD if data.startswith(magic)), next(further, None))


def is_ole(data: bytes) -> bool:
    """Whether these are the bytes of an old office document, or of a new one that is encrypted."""
    return data.startswith(_OLE)


def is_zip(data: bytes) -> bool:
    """Whether these are the bytes of a ZIP archive, which many formats are."""
    return data.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def zip_names(data: bytes) -> frozenset[str] | None:
    """The names of the members of a ZIP archive, read from its directory; None if it is none, or damaged."""
    if not is_zip(data):
        return None
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return frozenset(archive.namelist())
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return None


def package_of(names: frozenset[str]) -> str | None:
    """What an archive with these members is besides an archive, in words: a document; None for a plain archive."""
    if "[Content_Types].xml" in names:
        return "an Office package"
    if "mimetype" in names and "META-INF/container.xml" in names:
        return "an e-book"
    if "mimetype" in names and "META-INF/manifest.xml" in names:
        return "an OpenDocument file"
    if "Index/Document.iwa" in names or "index.apxl" in names:
        return "an iWork document"
    return None


def is_office(data: bytes, folder: str) -> bool:
    """Whether this is an Office Open XML package whose main part lies in ``folder``: word, ppt or xl."""
    names = zip_names(data)
    return names is not None and "[Content_Types].xml" in names and any(n.startswith(f"{folder}/") for n in names)


__all__ = ["is_office", "is_ole", "is_zip", "package_of", "what_it_is", "zip_names"]
