"""HTML: the main content as text, without navigation, scripts, styles and what is hidden."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Any

from lxml import etree

from extractors.loaders.encoding import decode
from extractors.loaders.line_joining import is_wide
from extractors.loaders.text_builder import TextBuilder
from extractors.ports import Likeness, LoadedFile, LoadOptions
from storage.errors import LoadError
from storage.records import Document
from storage.stored_text import stored_text

_SKIPPED = frozenset(
    str.split(
        "head script style noscript template nav aside footer form button select option textarea iframe svg "
        "canvas object embed audio video map dialog menu"
    )
)
_SKIPPED_ROLES = frozenset(str.split("navigation banner contentinfo search dialog alertdialog complementary menu"))
# Class and id words of what surrounds the text of a page; matched as whole words, so "menubar" needs its own entry.
_SKIPPED_WORDS = frozenset(
    str.split(
        "nav navbar navigation menu menubar sidebar breadcrumb breadcrumbs cookie cookies consent gdpr banner "
        "advert ads footer share sharing social related newsletter subscribe popup modal"
    )
)
_BLOCKS = frozenset(
    str.split(
        "address article blockquote body center dd details div dl dt fieldset figcaption figure header hr html li "
        "main ol p section summary table tbody td tfoot th thead tr ul caption"
    )
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_HTML_START = re.compile(rb"(?:\xef\xbb\xbf)?\s{0,200}<(?:!doctype\s+html|html[\s>])", re.IGNORECASE)
_META_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s{0,9}=\s{0,9}[\"']?\s{0,9}([\w:.-]{1,40})", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"^\s{0,9}<\?xml[^>]{0,100}?encoding=[\"']([\w.-]{1,40})", re.IGNORECASE)
_HIDDEN_STYLE = re.compile(r"display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden", re.IGNORECASE)
_WORDS = re.compile(r"[a-z]+")
_BREAK = "\x1e"  # a line break that was meant, while the source's own line ends are still white space
_WHITE = re.compile(r"[ \t\r\n\f]+")


class HtmlLoader:
    """Reads HTML with libxml2's parser, which knows no network and expands no entities of the document's own."""

    name = "html@1"
    suffixes = (".html", ".htm", ".xhtml")

    def recognises(self, path: PurePath, data: bytes) -> Likeness:
        """How sure it is that this is its format."""
        if _HTML_START.match(data):
            return Likeness.CONTENT
        return Likeness.NAMED if path.suffix.lower() in self.suffixes else Likeness.NO

    def load(self, path: PurePath, data: bytes, options: LoadOptions) -> LoadedFile:
        """The document; the title is that of the page, else its first heading."""
        declared = _META_CHARSET.search(data[:4096]) or _XML_ENCODING.search(data[:200])
        label = declared.group(1).decode("ascii", "replace") if declared else None
        source = decode(data, declared=label, name=path.name)
        root = parse_html(source, path.name)
        builder = TextBuilder()
        add_html(builder, _main_content(root))
        title = _plain(root.findtext(".//head/title") or "")
        first = builder.headings[0] if builder.headings else path.stem
        return LoadedFile(documents=(Document(text=builder.text(), title=title or first, sections=builder.sections()),))


def parse_html(source: str, name: str) -> Any:
    """The root element of ``source``. Raises LoadError when it is nested deeper than the parser keeps."""
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, huge_tree=True)
    root = etree.fromstring(stored_text(source).encode("utf-8"), parser)
    # libxml2 drops what lies deeper than its limit and goes on: half a page would pass for a whole one.
    if any("depth" in entry.message.lower() for entry in parser.error_log):
        raise LoadError(f"{name} nests its elements too deeply to be read. Save it as plain text")
    if root is None:
        raise LoadError(f"{name} is empty: no text is in it")
    return root


def add_html(builder: TextBuilder, root: Any) -> None:
    """Add the text under ``root`` block by block: headings, paragraphs, items, rows of tables."""
    _Walk(builder).run(root)


class _Walk:
    """One pass over the tree without recursion: however deep it is, the stack of Python is not."""

    def __init__(self, builder: TextBuilder) -> None:
        self._builder = builder
        self._inline: list[str] = []
        self._item: str | None = None  # the mark of the list item that has begun
        self._rows: list[list[str]] = []  # open data tables: the cells of the current row
        self._numbers: list[int] = []

    def run(self, root: Any) -> None:
        stack: list[tuple[Any, bool]] = [(root, False)]
        while stack:
            element, closing = stack.pop()
            if closing:
                self._close(element)
                if element is not root:
                    self._inline.append(element.tail or "")
                continue
            if not isinstance(element.tag, str) or (element is not root and _is_skipped(element)):
                self._inline.append(element.tail or "")
                continue
            self._open(element)
            stack.append((element, True))
            stack.extend((child, False) for child in reversed(element))
        self._flush()

    def _open(self, element: Any) -> None:
        tag = element.tag
        if tag == "br":
            self._inline.append(_BREAK)
        elif tag == "table" and _is_data_table(element):
            self._flush()
            self._rows.append([])
        elif self._rows:
            self._inline.append(" " if tag in _BLOCKS else "")
        elif tag in _HEADINGS or tag in _BLOCKS or tag == "pre":
            self._flush()
            if tag == "ol":
                self._numbers.append(0)
            elif tag == "ul":
                self._numbers.append(-1)
            elif tag == "li":
                self._item = self._mark()
        text = element.text or ""
        self._inline.append(text.replace("\n", _BREAK) if tag == "pre" else text)

    def _close(self, element: Any) -> None:
        tag = element.tag
        if self._rows:
            if tag in {"td", "th"}:
                self._rows[-1].append(_plain("".join(self._inline)))
                self._inline.clear()
            elif tag in {"tr", "table"}:
                self._builder.row(self._rows[-1])
                self._rows[-1].clear()
                if tag == "table" and _is_data_table(element):
                    self._rows.pop()
        elif tag in _HEADINGS:
            self._builder.heading(_plain("".join(self._inline)), _HEADINGS[tag])
            self._inline.clear()
        elif tag in _BLOCKS or tag == "pre":
            self._flush()
            if tag in {"ol", "ul"} and self._numbers:
                self._numbers.pop()

    def _mark(self) -> str:
        if self._numbers and self._numbers[-1] >= 0:
            self._numbers[-1] += 1
            return f"{self._numbers[-1]}. "
        return "- "

    def _flush(self) -> None:
        text = _lines("".join(self._inline))
        self._inline.clear()
        if text and self._item is not None:
            self._builder.line(self._item + text)
            self._item = None
        elif text:
            self._builder.paragraph(text)


def _lines(text: str) -> str:
    return "\n".join(filter(None, map(_plain, text.split(_BREAK))))


def _plain(text: str) -> str:
    """White space as one blank; a line end of the source between two Chinese characters is none at all."""
    pieces = _WHITE.split(text.replace(_BREAK, "\n"))
    out = ""
    parts: list[str] = []
    for piece in pieces:
        if not piece:
            continue
        if parts:
            parts.append("" if is_wide(out[-1]) and is_wide(piece[0]) else " ")
        parts.append(piece)
        out = piece
    return "".join(parts)


def _is_skipped(element: Any) -> bool:
    tag, attributes = element.tag, element.attrib
    if tag in _SKIPPED:
        return True
    if "hidden" in attributes or attributes.get("aria-hidden") == "true":
        return True
    if attributes.get("role", "").lower() in _SKIPPED_ROLES or _HIDDEN_STYLE.search(attributes.get("style", "")):
        return True
    if tag in {"div", "ul", "ol", "section", "header", "table", "td", "p"}:
        words = _WORDS.findall(f"{attributes.get('class', '')} {attributes.get('id', '')}".lower())
        return not _SKIPPED_WORDS.isdisjoint(words) or _is_link_list(element)
    return False


def _is_link_list(element: Any) -> bool:
    """Whether this is a bar or list of links: three or more that hold nearly all of its few words."""
    if element.tag == "p" or len(element) > 40:
        return False
    links = [link for link in element.iter("a") if link.get("href")]
    if not 3 <= len(links) <= 60:
        return False
    linked = sum(len("".join("".join(link.itertext()).split())) for link in links)
    total = len("".join("".join(element.itertext()).split()))
    return total < 1000 and linked >= total * 0.8


def _is_data_table(table: Any) -> bool:
    """A table of figures or words, not one that only lays out the page: that holds tables, headings or long text."""
    if table.get("role") in {"presentation", "none"}:
        return False
    holds = {element.tag for element in table.iter() if element is not table and isinstance(element.tag, str)}
    if holds & {"table", "h1", "h2", "h3", "main", "article"}:
        return False
    return max((len(row) for row in table.iter("tr")), default=0) > 1


def _main_content(root: Any) -> Any:
    for tag in ("main", "article"):
        found = list(root.iter(tag))
        if len(found) == 1 and "".join(found[0].itertext()).strip():
            return found[0]
    body = root.find("body")
    return root if body is None else body


__all__ = ["HtmlLoader", "add_html", "parse_html"]
