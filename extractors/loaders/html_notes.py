"""Footnotes of HTML: a mark in the text that leads to a remark further down."""

from __future__ import annotations

import re
from typing import Any

from extractors.loaders.html_tree import plain

_MARK = re.compile(r"[\[(]?(?:\d{1,4}|[a-z]|[ivxlc]{1,6}|[*†‡§¶]{1,3})[\])]?", re.IGNORECASE)
_REFERENCE_WORDS = re.compile(r"note-?ref|footnote|fnref", re.IGNORECASE)
_TYPE = "{http://www.idpf.org/2007/ops}type"
_TARGETS = frozenset({"li", "p", "div", "aside", "dd", "section", "td"})
_INLINE = frozenset({"a", "sup", "span", "b", "strong", "small"})
_LONGEST = 3000
_BACK = frozenset("↩↑^⏎⤴")


class Notes:
    """The footnotes of one tree: which elements are marks, and which remarks they lead to."""

    def __init__(self, root: Any) -> None:
        self._remarks: dict[Any, Any] = {}  # mark → remark
        self._dead: set[Any] = set()  # marks that lead nowhere, or to another file
        self._back: set[Any] = set()
        self._given: set[Any] = set()
        self._waiting: list[Any] = []
        links = [e for e in root.iter("a") if "#" in e.get("href", "")[:-1]]
        if links:
            self._find(root, links)

    def _find(self, root: Any, links: list[Any]) -> None:
        named: dict[str, Any] = {}
        order: dict[Any, int] = {}
        for number, element in enumerate(root.iter()):
            if isinstance(element.tag, str):
                for name in filter(None, (element.get("id"), element.get("name"))):
                    named.setdefault(name, element)
                    order.setdefault(element, number)
                if element.tag == "a":
                    order.setdefault(element, number)
        for link in links:
            href = link.get("href")
            target = named.get(href[1:]) if href.startswith("#") else None
            if target is None:
                if (dead := _mark(link)) is not None:
                    self._dead.add(dead)
                elif set("".join(link.itertext()).strip()) <= _BACK:
                    self._back.add(link)
                continue
            if order[target] < order[link]:
                if _is_back_link(link):
                    self._back.add(link)
                continue
            remark, mark = target, _mark(link)
            while remark is not None and remark.tag in _INLINE:
                remark = remark.getparent()
            if mark is not None and remark is not None and remark.tag in _TARGETS and _is_remark(remark, link):
                self._remarks[mark] = remark
        remarks = set(self._remarks.values())
        outermost = {remark for remark in remarks if remarks.isdisjoint(remark.iterancestors())}
        self._remarks = {mark: remark for mark, remark in self._remarks.items() if remark in outermost}
        self._back = {link for link in self._back if not outermost.isdisjoint(link.iterancestors())}

    def is_mark(self, element: Any) -> bool:
        """Whether this is the mark of a footnote; its remark is then due after the block."""
        remark = self._remarks.get(element)
        if remark is None:
            return element in self._dead
        if remark not in self._given:
            self._given.add(remark)
            self._waiting.append(remark)
        return True

    def is_given(self, element: Any) -> bool:
        """Whether this remark has its place after the paragraph that it belongs to, or is a link back to it."""
        return element in self._given or element in self._back

    def due(self) -> list[str]:
        """The words of the remarks since the last time."""
        words = [self._words(remark) for remark in self._waiting]
        self._waiting.clear()
        return words

    def _words(self, remark: Any) -> str:
        parts: list[str] = []
        skipped = 0
        for piece in _texts(remark):
            if isinstance(piece, str):
                parts.append("" if skipped else piece)
            elif piece[0] in self._back:
                skipped += piece[1]
        return plain("".join(parts)).lstrip("^ ")


def _texts(root: Any) -> list[Any]:
    """The texts under ``root`` in order, with (element, 1) and (element, -1) where a link begins and ends."""
    found: list[Any] = []
    stack: list[tuple[Any, bool]] = [(root, False)]
    while stack:
        element, closing = stack.pop()
        if closing:
            if element.tag == "a":
                found.append((element, -1))
            if element is not root:
                found.append(element.tail or "")
            continue
        if not isinstance(element.tag, str):
            found.append(element.tail or "")
            continue
        if element.tag == "a":
            found.append((element, 1))
        found.append((" " if element.tag in _TARGETS else "") + (element.text or ""))
        stack.append((element, True))
        stack.extend((child, False) for child in reversed(element))
    return found


def _is_back_link(link: Any) -> bool:
    words = "".join(link.itertext()).strip().rstrip("\ufe0e\ufe0f")
    return not words or set(words) <= _BACK or _MARK.fullmatch(words) is not None


def _mark(link: Any) -> Any | None:
    """The whole mark that ``link`` makes: itself, or the raised text that it stands in."""
    parent = link.getparent()
    words = "".join(link.itertext()).strip()
    if not _MARK.fullmatch(words):
        return None
    if parent is not None and parent.tag == "sup":
        return parent if _MARK.fullmatch("".join(parent.itertext()).strip()) else link
    if any(child.tag == "sup" for child in link):
        return link
    names = f"{link.get('class', '')} {link.get('role', '')} {link.get(_TYPE, '')} {link.get('epub:type', '')}"
    return link if _REFERENCE_WORDS.search(names) else None


def _is_remark(element: Any, link: Any) -> bool:
    """Whether ``element`` is short, without parts of its own, and does not hold the ``link`` to it."""
    if any(above is element for above in link.iterancestors()):
        return False
    length = 0
    for inner in element.iter():
        if inner.tag in {"h1", "h2", "h3", "table"}:
            return False
        length += len(inner.text or "") + len(inner.tail or "")
        if length > _LONGEST:
            return False
    return True


__all__ = ["Notes"]
