"""A tree of HTML as blocks: headings, paragraphs, items of lists, code and tables, in reading order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from extractors.loaders.html_notes import Notes
from extractors.loaders.html_page import Facts, is_never_shown, measure
from extractors.loaders.html_table import OpenTable, is_data_table
from extractors.loaders.html_tree import BREAK, lines, plain
from extractors.loaders.text_builder import TextBuilder

_BLOCKS = frozenset(
    str.split(
        "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure "
        "footer form header hr html legend li main nav ol p pre section summary table tbody td tfoot th thead tr ul"
    )
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_CODE_WORDS = ("code", "highlight", "prettyprint")


def add_html(
    builder: TextBuilder,
    root: Any,
    *,
    is_left_out: Callable[[Any], bool] = is_never_shown,
    facts: dict[Any, Facts] | None = None,
) -> None:
    """Add the text under ``root`` block by block: headings, paragraphs, items, tables, each footnote after its block.

    Args:
        builder: what it is added to.
        root: an element of a tree of HTML.
        is_left_out: tells the elements, other than ``root``, whose text is not wanted.
        facts: what :func:`extractors.loaders.html_page.measure` says of the tree, to save saying it again.
    """
    _Walk(builder, Notes(root.getroottree().getroot()), is_left_out, measure(root) if facts is None else facts).run(
        root
    )


class _Walk:
    """One pass over the tree without recursion: however deep it is, the stack of Python is not."""

    def __init__(
        self, builder: TextBuilder, notes: Notes, is_left_out: Callable[[Any], bool], facts: dict[Any, Facts]
    ) -> None:
        self._builder = builder
        self._notes = notes
        self._is_left_out = is_left_out
        self._facts = facts
        self._inline: list[str] = []
        self._item: str | None = None  # the mark of the list item that has begun
        self._numbers: list[int] = []  # of the open lists; -1: it has bullets
        self._heading: Any | None = None
        self._code: Any | None = None  # the open ``pre``
        self._table: OpenTable | None = None

    def run(self, root: Any) -> None:
        """Add everything under ``root``."""
        stack: list[tuple[Any, bool]] = [(root, False)]
        while stack:
            element, closing = stack.pop()
            if closing:
                self._close(element)
            elif not isinstance(element.tag, str) or (element is not root and self._is_skipped(element)):
                if element.tag == "tr" or element.tag in _BLOCKS:
                    self._break()
            else:
                self._open(element)
                stack.append((element, True))
                stack.extend((child, False) for child in reversed(element))
                continue
            if element is not root and element.tail:
                self._add(element.tail)
        self._flush()
        self._remarks()

    def _is_skipped(self, element: Any) -> bool:
        if self._table is None:
            return self._is_left_out(element) or self._notes.is_given(element) or self._notes.is_mark(element)
        return is_never_shown(element) or self._notes.is_given(element) or self._notes.is_mark(element)

    def _add(self, text: str) -> None:
        self._inline.append(text.replace("\n", BREAK) if self._code is not None else text)

    def _break(self) -> None:
        """A block begins or ends."""
        if (self._table is not None and self._table.cell is not None) or self._heading is not None:
            self._inline.append(" ")
        elif self._code is not None:
            self._inline.append(BREAK)
        else:
            self._flush()

    def _open(self, element: Any) -> None:
        tag = element.tag
        if tag == "br":
            self._inline.append(BREAK)
        elif tag == "q":
            self._inline.append("“")
        elif self._table is not None:
            self._open_in_table(self._table, element)
        elif tag == "table" and self._is_data_table(element):
            self._flush()
            self._table = OpenTable(element)
        elif tag in _HEADINGS and self._heading is None:
            self._flush()
            self._heading = element
        elif tag in _BLOCKS or tag in _HEADINGS:
            self._break()
            self._open_block(element)
        if element.text:
            self._add(element.text)

    def _open_block(self, element: Any) -> None:
        tag = element.tag
        if tag == "ol":
            self._numbers.append(_start(element))
        elif tag == "ul":
            self._numbers.append(-1)
        elif tag == "li":
            self._item = self._mark()
        elif tag == "pre" and self._heading is None:
            self._code = element

    def _open_in_table(self, table: OpenTable, element: Any) -> None:
        tag = element.tag
        if tag == "table":
            table.depth += 1
        if table.depth == 0 and tag == "tr":
            self._flush()
            table.open_row(element)
        elif table.depth == 0 and tag in {"td", "th"}:
            self._flush()
            table.open_cell(element)
        elif tag in _BLOCKS or tag in _HEADINGS:
            self._break()

    def _close(self, element: Any) -> None:
        tag = element.tag
        if tag == "q":
            self._inline.append("”")
        elif self._table is not None:
            self._close_in_table(self._table, element)
        elif element is self._heading:
            self._builder.heading(plain("".join(self._inline)), _HEADINGS[tag])
            self._inline.clear()
            self._heading = self._item = None
        elif element is self._code:
            self._flush_code(element)
        elif tag in _BLOCKS or tag in _HEADINGS:
            self._break()
            if tag in {"ol", "ul"} and self._numbers:
                self._numbers.pop()
                if not self._numbers:
                    self._remarks()

    def _close_in_table(self, table: OpenTable, element: Any) -> None:
        tag = element.tag
        if element is table.element:
            self._table = None
            self._flush()
            table.add_to(self._builder)
            self._remarks()
        elif tag == "table":
            table.depth -= 1
            self._break()
        elif table.depth == 0 and tag in {"td", "th", "caption"}:
            words = plain("".join(self._inline))
            self._inline.clear()
            if table.cell is not None and tag != "caption":
                table.cell.words = words
                table.cell = None
            else:
                table.caption = words
        elif tag in _BLOCKS or tag in _HEADINGS:
            self._break()

    def _mark(self) -> str:
        if self._numbers and self._numbers[-1] >= 0:
            self._numbers[-1] += 1
            return f"{self._numbers[-1]}. "
        return "- "

    def _flush(self) -> None:
        inline = "".join(self._inline)
        self._inline.clear()
        if not inline or inline.isspace() or not (text := lines(inline)):
            return
        if self._item is not None:
            self._builder.line(self._item + text)
            self._item = None
        elif self._table is None:
            self._builder.paragraph(text)
            if not self._numbers:
                self._remarks()
        else:
            self._builder.paragraph(text)  # words in a table that are in no cell of it

    def _flush_code(self, element: Any) -> None:
        text = "".join(self._inline).replace(BREAK, "\n").strip("\n").rstrip()
        self._inline.clear()
        self._code = self._item = None
        names = f"{element.get('class', '')}".lower()
        if any(child.tag in {"code", "samp", "kbd"} for child in element) or any(w in names for w in _CODE_WORDS):
            text = f"```\n{text}\n```" if text.strip() else ""
        self._builder.paragraph(text)

    def _remarks(self) -> None:
        for words in self._notes.due():
            self._builder.paragraph(words)

    def _is_data_table(self, element: Any) -> bool:
        facts = self._facts.get(element, Facts())
        return is_data_table(element, holds_sections=facts.sections, holds_tables=facts.tables)


def _start(element: Any) -> int:
    written = (element.get("start") or "").strip()[:6]
    return int(written) - 1 if written.isascii() and written.isdigit() and int(written) > 0 else 0


__all__ = ["add_html"]
