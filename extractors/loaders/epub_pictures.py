"""Pictures in the chapters of a book: what they say is put into the chapter in their place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from lxml import etree

from extractors.loaders.pictures import Pictures

_LINK = "{http://www.w3.org/1999/xlink}href"
_HEADINGS = frozenset(f"h{level}" for level in range(1, 7))


def picture_links(body: Any) -> Iterator[tuple[Any, str]]:
    """The elements under ``body`` that are pictures, each with what it refers to."""
    for element in body.iter("img", "image"):
        if link := element.get("src") or element.get(_LINK) or element.get("href"):
            yield element, link


def put_in_words(
    body: Any,
    pictures: Pictures,
    inside: Callable[[str], str],
    read: Callable[[str], bytes],
    is_left_out: Callable[[Any], bool],
) -> None:
    """Put a paragraph with what it says in the place of each picture under ``body``, after a heading that it is in.

    Args:
        body: of a chapter.
        pictures: what reads them.
        inside: the member of the archive that a link means, "" if it means none.
        read: the bytes of a member; may raise LoadError.
        is_left_out: tells the elements whose contents are not wanted.
    """
    for element, link in list(picture_links(body)):
        name = inside(link)
        outer = [element, *element.iterancestors()]
        drawing = next((one for one in outer if one.tag == "svg"), element)
        around = list(drawing.iterancestors())
        if not name or any(is_left_out(one) for one in around):
            continue
        words = pictures.words(name, partial(read, name), element.get("alt") or "")
        if words:
            heading = next((one for one in reversed(around) if one.tag in _HEADINGS), None)
            _put_after(drawing if heading is None else heading, words)


def _put_after(element: Any, words: str) -> None:
    paragraph = etree.Element("p")
    first, *others = words.split("\n")
    paragraph.text = _plain(first)
    for line in others:
        etree.SubElement(paragraph, "br").tail = _plain(line)
    paragraph.tail, element.tail = element.tail, None
    element.addnext(paragraph)


def _plain(line: str) -> str:
    """``line`` without the characters that no XML may hold."""
    return "".join(c for c in line if c >= " " and not "\ud800" <= c <= "\udfff" and c not in "\ufffe\uffff")


__all__ = ["picture_links", "put_in_words"]
