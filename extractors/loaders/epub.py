"""EPUB: the chapters of a book in the order of its spine, without its lists of contents."""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any
from urllib.parse import unquote, urlsplit

from extractors.language import detect_language
from extractors.loaders.epub_pictures import picture_links, put_in_words
from extractors.loaders.html import decode_html
from extractors.loaders.html_page import is_never_shown
from extractors.loaders.html_tree import parse_xhtml, plain, words_of
from extractors.loaders.html_walk import add_html
from extractors.loaders.packages import MAX_MEMBER, open_archive, parse_xml, read_member, refuse_bomb
from extractors.loaders.pictures import MAX_PICTURE, Pictures, pictures_of
from extractors.loaders.signatures import is_zip, zip_names
from extractors.loaders.text_builder import TextBuilder
from extractors.ports import Likeness, LoadedFile, LoadOptions
from storage.errors import LoadError
from storage.records import Metadata

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_MIMETYPE = b"application/epub+zip"
_TYPE = "{http://www.idpf.org/2007/ops}type"
_CHAPTER_TYPES = frozenset({"application/xhtml+xml", "text/html", "text/x-oeb1-document", "application/xml"})
_FONT_SCRAMBLING = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_CONTENTS_TYPES = frozenset({"toc", "landmarks", "page-list", "lot", "loi", "index-group"})
_FRONT_TYPES = frozenset({"titlepage", "title-page", "cover", "halftitlepage"})
_METADATA = {"creator": "author", "date": "date", "publisher": "publisher", "subject": "keywords",
             "description": "description", "language": "language", "identifier": "identifier"}  # fmt: skip
_LONGEST_FRONT = 600  # characters of a title page
_MOST_CHAPTERS = 20_000
_CONTENTS_SHARE = 0.8  # of the words of a list of contents stand in links to chapters
_MARKUP = re.compile(r"<[^>]{0,200}>")


class EpubLoader:
    """Reads EPUB 2 and 3 with lxml and the walk for HTML; nothing is fetched and nothing unpacked to disk."""

    name = "epub@2"
    suffixes = (".epub",)

    def recognises(self, path: PurePath, data: bytes) -> Likeness:
        """How sure it is that this is its format: an archive whose first member says so, or that has a container."""
        if not is_zip(data):
            return Likeness.NO
        if _MIMETYPE in data[:100] or _CONTAINER in (zip_names(data) or ()):
            return Likeness.CONTENT
        return Likeness.NO

    def load(self, path: PurePath, data: bytes, options: LoadOptions) -> LoadedFile:
        """The book; its title is the one of its package, else its first heading."""
        refuse_bomb(path, data)
        with open_archive(path, data) as archive:
            return _Book(path, archive).load(options)


class _Book:
    def __init__(self, path: PurePath, archive: zipfile.ZipFile) -> None:
        self._path = path
        self._archive = archive
        self._names = set(archive.namelist())
        self._notes: list[str] = []

    def load(self, options: LoadOptions) -> LoadedFile:
        package_name = self._package_name()
        package = parse_xml(self._read(package_name), f"{self._path.name}: {package_name}")
        metadata = _metadata(package)
        title = _first(package, "title")
        chapters = self._chapters(package, package_name)
        self._refuse_protected(set(chapters))
        pictures = pictures_of(options, lambda: self._picture_names(chapters))
        builder = TextBuilder()
        for chapter in chapters:
            self._add(builder, chapter, set(chapters), pictures)
        self._notes += () if pictures is None else pictures.left_out()
        declared = str(metadata.get("language", ""))[:2].lower()
        language = declared if declared in {"en", "zh"} and declared == detect_language(builder.text()) else None
        document = builder.document(
            title or (builder.headings[0] if builder.headings else self._path.stem),
            language=language,
            metadata=metadata,
        )
        return LoadedFile(documents=(document,), notes=tuple(self._notes))

    def _read(self, name: str, limit: int = MAX_MEMBER) -> bytes:
        try:
            return read_member(self._archive, name, limit)
        except LoadError as error:
            raise LoadError(f"{self._path.name}: {error}") from error

    def _package_name(self) -> str:
        """Where the package document lies; a path that leads out of the archive names no member of it."""
        if _CONTAINER not in self._names:
            found = sorted(name for name in self._names if name.lower().endswith(".opf"))
            if found:
                return found[0]
            raise LoadError(
                f"{self._path.name} is no EPUB book, or it is damaged: it has no {_CONTAINER}. Save it again"
            )
        container = parse_xml(self._read(_CONTAINER), f"{self._path.name}: {_CONTAINER}")
        for element in container.iter("{*}rootfile"):
            if (name := _inside("", element.get("full-path") or "")) in self._names:
                return name
        raise LoadError(f"{self._path.name} is damaged: its package document is missing. Save it again")

    def _chapters(self, package: Any, package_name: str) -> list[str]:
        """The members that make up the text in reading order, each once, without the document of navigation."""
        folder = posixpath.dirname(package_name)
        manifest = {item.get("id"): item for item in package.iter("{*}item")}
        front = {
            _inside(folder, reference.get("href") or "")
            for reference in package.iter("{*}reference")
            if (reference.get("type") or "").lower() in {"toc", "cover", "title-page"}
        }
        chapters: dict[str, None] = {}
        for reference in package.iter("{*}itemref"):
            item = manifest.get(reference.get("idref"))
            if item is None:
                continue
            name = _inside(folder, item.get("href") or "")
            is_text = (item.get("media-type") or "").lower() in _CHAPTER_TYPES
            if "nav" in (item.get("properties") or "").split() or not is_text or name in front:
                continue
            if name not in self._names:
                self._notes.append(f"{item.get('href')} is missing in the book and left out")
                continue
            chapters[name] = None
        if len(chapters) > _MOST_CHAPTERS:
            raise LoadError(f"{self._path.name} has {len(chapters):,} chapters and is refused. Split it")
        if not chapters:
            raise LoadError(f"{self._path.name} has no chapters that can be read. Save it again, or as text")
        return list(chapters)

    def _refuse_protected(self, chapters: set[str]) -> None:
        """Raise LoadError when chapters are encrypted; scrambled fonts do no harm."""
        if _ENCRYPTION not in self._names:
            return
        listed = parse_xml(self._read(_ENCRYPTION), f"{self._path.name}: {_ENCRYPTION}")
        for data in listed.iter("{*}EncryptedData"):
            methods = {method.get("Algorithm") for method in data.iter("{*}EncryptionMethod")}
            names = {_inside("", reference.get("URI") or "") for reference in data.iter("{*}CipherReference")}
            if not methods <= set(_FONT_SCRAMBLING) and not names.isdisjoint(chapters):
                raise LoadError(
                    f"{self._path.name} is protected against copying (DRM) and cannot be read. "
                    "Get it without protection from where it was bought"
                )

    def _body(self, name: str) -> Any:
        label = f"{self._path.name}: {name}"
        root = parse_xhtml(decode_html(self._read(name), label), label)
        return next(root.iter("body"), root)

    def _picture_names(self, chapters: list[str]) -> Iterator[str]:
        """The members that are pictures, each as often as it stands in the book."""
        for chapter in chapters:
            for _, link in picture_links(self._body(chapter)):
                yield _inside(posixpath.dirname(chapter), link)

    def _add(self, builder: TextBuilder, name: str, chapters: set[str], pictures: Pictures | None) -> None:
        body = self._body(name)
        if _is_contents(body, name, chapters) or _is_title_page(body):
            return
        if pictures is not None:
            folder = posixpath.dirname(name)
            put_in_words(
                body,
                pictures,
                lambda link: _inside(folder, link),
                lambda member: self._read(member, MAX_PICTURE),
                _is_left_out,
            )
        add_html(builder, body, is_left_out=_is_left_out)


def _is_left_out(element: Any) -> bool:
    if element.tag == "nav" or is_never_shown(element):
        return True
    return not _CONTENTS_TYPES.isdisjoint((element.get(_TYPE) or "").split())


def _is_contents(body: Any, name: str, chapters: set[str]) -> bool:
    """Whether nearly all words of this chapter are links to other chapters."""
    links = [link for link in body.iter("a") if _inside(posixpath.dirname(name), link.get("href") or "") in chapters]
    if len(links) < 3:
        return False
    linked = sum(len("".join(words_of(link).split())) for link in links)
    return linked >= len("".join(words_of(body).split())) * _CONTENTS_SHARE


def _is_title_page(body: Any) -> bool:
    """Whether this is a page that calls itself the title page or cover; what it says, the package says too."""
    types = {kind for e in (body, *body.iter("section", "div")) for kind in (e.get(_TYPE) or "").lower().split()}
    return not types.isdisjoint(_FRONT_TYPES) and len(words_of(body)) <= _LONGEST_FRONT


def _inside(folder: str, href: str) -> str:
    """The name of the member that ``href`` in ``folder`` means; "" for what lies outside of the archive."""
    try:
        parts = urlsplit(href)
    except ValueError:
        return ""
    if parts.scheme or parts.netloc or not parts.path:
        return ""
    name = posixpath.normpath(posixpath.join(folder, unquote(parts.path)))
    return "" if name.startswith(("/", "..")) or name == "." else name


def _first(package: Any, name: str) -> str:
    return next(
        (plain("".join(e.itertext())) for e in package.iter(f"{{*}}{name}") if plain("".join(e.itertext()))), ""
    )


def _metadata(package: Any) -> Metadata:
    metadata: Metadata = {}
    for name, key in _METADATA.items():
        values = [plain(_MARKUP.sub(" ", "".join(e.itertext()))) for e in package.iter(f"{{*}}{name}")]
        values = list(dict.fromkeys(filter(None, values)))
        if values:
            metadata[key] = ", ".join(values) if key in {"author", "keywords"} else values[0]
    for element in package.iter("{*}meta"):
        if element.get("property") == "dcterms:modified" and (value := plain("".join(element.itertext()))):
            metadata["modified"] = value
    return metadata


__all__ = ["EpubLoader"]
