"""What a mail in HTML repeats of earlier ones, and its signature: taken out of its tree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from extractors.loaders.html_tree import BREAK, lines, words_of
from extractors.loaders.mail_quotes import Stripped, announces, begins_original, is_forwarded, is_signature

_QUOTE_NAMES = re.compile(
    r"\b(?:gmail_quote(?:_container)?|yahoo_quoted|protonmail_quote|ntes-mailmaster-quote|moz-cite-prefix|"
    r"gmail_attr|zmail_extra|mail-quote)\b",
    re.IGNORECASE,
)
_SIGNATURE_NAMES = re.compile(
    r"\b(?:gmail_signature|moz-signature|ms-outlook-mobile-signature|(?:x_)?signature|mobileaddtlsignature)\b",
    re.IGNORECASE,
)
_REST_NAMES = re.compile(r"\b(?:divrplyfwdmsg|appendonsend|outlookmessageheader)\b", re.IGNORECASE)
_BLOCKS = frozenset(str.split("p div td li tr table blockquote pre h1 h2 h3 h4 h5 h6 ul ol"))
_LOOKED_AT = 300  # pieces of text of one element
_LONGEST_SIGNATURE = 15  # lines


def strip_tree(root: Any, *, forward: bool) -> Stripped:
    """Take out of ``root`` what quotes earlier mails, and the signature; only the numbers of lines come back."""
    return _Stripper(root, forward).strip()


class _Stripper:
    def __init__(self, root: Any, forward: bool) -> None:
        self._root = root
        self._forward = forward
        self._gone: set[Any] = set()

    def strip(self) -> Stripped:
        counted = Stripped()
        for element in list(self._root.iter(*_BLOCKS)):
            if element is self._root or element in self._gone:
                continue
            names = f"{element.get('class') or ''} {element.get('id') or ''}"
            if _SIGNATURE_NAMES.search(names):
                counted.signature += self._remove(element)
            elif not self._forward and _REST_NAMES.search(names):
                counted.quoted += self._remove_rest(element)
            elif not self._forward and self._is_quote(element, names):
                counted.quoted += self._remove(element)
            elif not any(child.tag in _BLOCKS for child in element):
                self._mark(element, counted)
        return counted

    def _mark(self, element: Any, counted: Stripped) -> None:
        """Look whether a paragraph begins an earlier mail or the signature."""
        found = _lines_of(element)
        if not found:
            return
        if not self._forward and begins_original(found[0], chain(found[1:], _lines_after(element))):
            counted.quoted += self._remove_rest(element)
        elif is_signature(found[0]):
            after = list(islice(_lines_after(element), _LONGEST_SIGNATURE + 1)) if len(found) == 1 else []
            if len(found) + len(after) <= _LONGEST_SIGNATURE:
                counted.signature += self._remove_rest(element) if len(found) == 1 else self._remove(element)

    def _is_quote(self, element: Any, names: str) -> bool:
        if element.tag != "blockquote":
            return _QUOTE_NAMES.search(names) is not None and not is_forwarded(words_of(element).strip())
        announced = self._drop_announcement(element)
        return announced or element.get("type") == "cite" or _QUOTE_NAMES.search(names) is not None

    def _drop_announcement(self, quote: Any) -> bool:
        """Take away the words before ``quote`` that announce it; whether there are any."""
        before, parent = quote.getprevious(), quote.getparent()
        while before is not None and before.tag == "br" and not (before.tail or "").strip():
            before = before.getprevious()
        if before is None:
            found = announces(_words(parent.text))
            parent.text = None if found else parent.text
        elif (before.tail or "").strip():
            found = announces(_words(before.tail))
            before.tail = None if found else before.tail
        else:
            found = announces(words_of(before).strip())
            if found:
                self._remove(before)
        return found

    def _remove(self, element: Any) -> int:
        """Take ``element`` away, but not the words after it; how many lines it had."""
        count = len(_lines_of(element, pieces=None))
        parent, previous, tail = element.getparent(), element.getprevious(), element.tail or ""
        if previous is not None:
            previous.tail = (previous.tail or "") + tail
        else:
            parent.text = (parent.text or "") + tail
        self._gone.update(element.iter())
        parent.remove(element)
        return count

    def _remove_rest(self, element: Any) -> int:
        """Take ``element`` and everything after it away."""
        count = 0
        doomed = [element, *element.itersiblings()]
        while element is not self._root:
            parent = element.getparent()
            for later in doomed:
                count += len(_lines_of(later, pieces=None)) + bool((later.tail or "").strip())
                self._gone.update(later.iter())
                parent.remove(later)
            element = parent
            if element is not self._root:
                count += bool((element.tail or "").strip())
                element.tail = None
                doomed = list(element.itersiblings())
        return count


def _words(text: str | None) -> str:
    """The words of a text between elements."""
    return " ".join((text or "").split())


def _lines_of(element: Any, pieces: int | None = _LOOKED_AT) -> list[str]:
    """The lines of an element that have words, of no more than ``pieces`` elements inside."""
    parts = [element.text or ""]
    for inner in islice(element.iterdescendants(), pieces):
        if isinstance(inner.tag, str):
            parts.append((BREAK if inner.tag == "br" or inner.tag in _BLOCKS else "") + (inner.text or ""))
        parts.append(inner.tail or "")
    return [line for line in lines("".join(parts)).split("\n") if line]


def _lines_after(element: Any) -> Iterator[str]:
    return (line for later in islice(element.itersiblings(), 20) for line in _lines_of(later))


__all__ = ["strip_tree"]
