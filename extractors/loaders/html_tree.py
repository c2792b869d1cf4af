"""HTML and XHTML as a tree, and the white space of their text."""

from __future__ import annotations

import re
from html.entities import html5
from typing import Any

from lxml import etree

from extractors.loaders.line_joining import WIDE
from storage.errors import LoadError
from storage.stored_text import stored_text

BREAK = "\x1e"
"""A line break that was meant, while the source's own line ends are still white space."""

_WHITE = re.compile(rf"[ \t\r\n\f{BREAK}]+")
_WIDE_GAP = re.compile(f"(?<={WIDE}) (?={WIDE})")
_UNSEEN = str.maketrans(dict.fromkeys("\u00ad\u200b\ufeff"))  # where a word may be broken; no part of it
_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]{1,31};)")
_XML_ENTITIES = frozenset({"amp;", "lt;", "gt;", "quot;", "apos;"})
_DECLARATION = re.compile(r"\A\s{0,20}<\?xml[^>]{0,200}\?>")
_SELF_CLOSED = re.compile(r"<(title|script|style|a|p|div|span|i|b|em|td|th|li)\b([^<>]{0,500})/>", re.IGNORECASE)

# The parser compares each attribute of an element with all others of it.
_LONG_STRETCH = re.compile(r"<[A-Za-z][^<]{4000}")
_TAG = re.compile(r"""<[A-Za-z][A-Za-z0-9]{0,20}+((?:[^<>"']++|"[^"]*+"|'[^']*+')*+)""")
_BETWEEN_ATTRIBUTES = re.compile(r"[\s/\"']")
_MOST_ATTRIBUTES = 1000


def parse_html(source: str, name: str) -> Any:
    """The root element of ``source``. Raises LoadError when it is empty, or nested deeper than is kept."""
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, huge_tree=True)
    if _LONG_STRETCH.search(source):
        source = _TAG.sub(_bounded, source)
    try:
        root = etree.fromstring(stored_text(source).encode("utf-8"), parser)
    except (etree.XMLSyntaxError, ValueError):  # there is no element at all
        root = None
    # libxml2 drops what lies deeper than its limit and goes on: half a page would pass for a whole one.
    if any("depth" in entry.message.lower() for entry in parser.error_log):
        raise LoadError(f"{name} nests its elements too deeply to be read. Save it as plain text")
    if root is None:
        raise LoadError(f"{name} is empty: no text is in it")
    return root


def _bounded(tag: re.Match[str]) -> str:
    """A tag as it is, or without its attributes when it may have very many."""
    attributes = tag.group(1)
    if len(attributes) <= _MOST_ATTRIBUTES or len(_BETWEEN_ATTRIBUTES.findall(attributes)) <= _MOST_ATTRIBUTES:
        return tag.group()
    return tag.group()[: tag.start(1) - tag.start()]


def parse_xhtml(source: str, name: str) -> Any:
    """The root element of ``source``, read as XML where it is well formed, else as HTML; its tags are those of HTML."""
    words = _DECLARATION.sub("", stored_text(source))
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True, huge_tree=False
    )
    try:
        root = etree.fromstring(_ENTITY.sub(_named_character, words).encode("utf-8"), parser)
    except (etree.XMLSyntaxError, ValueError):
        return parse_html(_SELF_CLOSED.sub(r"<\1\2></\1>", words), name)
    for element in root.iter(etree.Element):
        element.tag = etree.QName(element).localname.lower()
    return root


def _named_character(entity: re.Match[str]) -> str:
    name = entity.group(1)
    return entity.group() if name in _XML_ENTITIES else html5.get(name, entity.group())


def plain(text: str) -> str:
    """White space as one blank; a line end of the source between two Chinese characters is none at all."""
    if text.isascii():
        return _WHITE.sub(" ", text).strip(" ")
    return _WIDE_GAP.sub("", _WHITE.sub(" ", text.translate(_UNSEEN)).strip(" "))


def lines(text: str) -> str:
    """The same for each of the lines that were meant."""
    return "\n".join(filter(None, map(plain, text.split(BREAK))))


def words_of(element: Any) -> str:
    """All words under ``element``, without structure."""
    return plain(" ".join(element.itertext()))


__all__ = ["BREAK", "lines", "parse_html", "parse_xhtml", "plain", "words_of"]
