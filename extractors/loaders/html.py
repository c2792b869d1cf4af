"""HTML: the main content as text, without navigation, banners, scripts and what is hidden."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Any

from extractors.language import detect_language
from extractors.loaders.encoding import decode
from extractors.loaders.html_page import PageParts
from extractors.loaders.html_tree import parse_html, parse_xhtml, plain, words_of
from extractors.loaders.html_walk import add_html
from extractors.loaders.text_builder import TextBuilder
from extractors.ports import Likeness, LoadedFile, LoadOptions
from storage.errors import LoadError
from storage.records import Metadata

_HTML_START = re.compile(
    rb"(?:\xef\xbb\xbf)?\s{0,200}(?:<\?xml[^>]{0,200}\?>\s{0,200})?(?:<!--[^>]{0,500}-->\s{0,200}){0,5}"
    rb"<(?:!doctype\s+html|html[\s>])",
    re.IGNORECASE,
)
_XML_START = re.compile(
    r"\ufeff?\s{0,200}(?:<\?xml\b|<!DOCTYPE\s{1,20}html\s{1,20}PUBLIC[^>]{0,80}XHTML)", re.IGNORECASE
)
_META_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s{0,9}=\s{0,9}[\"']?\s{0,9}([\w:.-]{1,40})", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"^\s{0,9}<\?xml[^>]{0,100}?encoding=[\"']([\w.-]{1,40})", re.IGNORECASE)
_METADATA = {
    "author": "author", "dc.creator": "author", "dcterms.creator": "author", "article:author": "author",
    "date": "date", "dc.date": "date", "dcterms.date": "date", "dc.date.issued": "date", "dcterms.issued": "date",
    "article:published_time": "date", "pubdate": "date", "publishdate": "date", "datepublished": "date",
    "article:modified_time": "modified", "last-modified": "modified", "dcterms.modified": "modified",
    "datemodified": "modified", "description": "description", "og:description": "description", "keywords": "keywords",
    "news_keywords": "keywords", "og:site_name": "site",
}  # fmt: skip
_LONGEST_VALUE = 2000
_LITTLE_TEXT = 200
_VALUE_IS_A_LINK = re.compile(r"https?://", re.IGNORECASE)


class HtmlLoader:
    """Reads HTML with libxml2's parser, which knows no network and expands no entities of the document's own."""

    name = "html@3"
    suffixes = (".html", ".htm", ".xhtml")

    def recognises(self, path: PurePath, data: bytes) -> Likeness:
        """How sure it is that this is its format."""
        if _HTML_START.match(data):
            return Likeness.CONTENT
        return Likeness.NAMED if path.suffix.lower() in self.suffixes else Likeness.NO

    def load(self, path: PurePath, data: bytes, options: LoadOptions) -> LoadedFile:
        """The document; the title is that of the page, else its first heading."""
        source = decode_html(data, path.name)
        root = parse_xhtml(source, path.name) if _XML_START.match(source) else parse_html(source, path.name)
        builder = TextBuilder()
        parts = PageParts(root)
        content = parts.main_content()
        if (heading := parts.title_heading(content)) is not None:
            builder.heading(words_of(heading), 1)
        add_html(builder, content, is_left_out=parts.is_around, facts=parts.facts)
        text = builder.text()
        scripts = sum(1 for _ in root.iter("script"))
        if not text.strip() and scripts:
            raise LoadError(
                f"{path.name} is empty: its text is put there by scripts, which are not run. "
                "Open it in a browser and save the complete page, or print it to a PDF file"
            )
        notes: tuple[str, ...] = ()
        if len(text) < _LITTLE_TEXT and scripts > 2:
            notes = (
                f"{path.name} holds little text ({len(text)} characters) and {scripts} scripts: what these put on the "
                "page is not read. If words are missing, save the complete page from a browser",
            )
        title = plain(root.findtext(".//head/title") or "")
        document = builder.document(
            title or (builder.headings[0] if builder.headings else path.stem),
            language=_declared_language(root, text),
            metadata=page_metadata(root),
        )
        return LoadedFile(documents=(document,), notes=notes)


def decode_html(data: bytes, name: str, declared: str | None = None) -> str:
    """The source that ``data`` holds; ``declared``: the encoding that is said outside of it, by a mail for example."""
    found = _META_CHARSET.search(data[:4096]) or _XML_ENCODING.search(data[:200])
    return decode(data, declared=declared or (found.group(1).decode("ascii", "replace") if found else None), name=name)


def page_metadata(root: Any) -> Metadata:
    """What the head of the page says of author, dates, subject and site; the first of several."""
    metadata: Metadata = {}
    for element in root.iter("meta"):
        said = element.get("name") or element.get("property") or element.get("itemprop") or element.get("http-equiv")
        key = _METADATA.get((said or "").strip().lower())
        value = plain(element.get("content") or "")[:_LONGEST_VALUE]
        if key and value and not (key == "author" and _VALUE_IS_A_LINK.match(value)):
            metadata.setdefault(key, value)
    return metadata


def _declared_language(root: Any, text: str) -> str | None:
    """The language that the page declares, if its words agree: templates declare one that nobody has changed."""
    declared = (root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or "")[:2].lower()
    return declared if declared in {"en", "zh"} and declared == detect_language(text) else None


__all__ = ["HtmlLoader", "decode_html", "page_metadata"]
