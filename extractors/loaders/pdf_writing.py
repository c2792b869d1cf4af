"""Blocks of printed pages to the text of a document."""

from __future__ import annotations

import re
from collections.abc import Sequence

from extractors.loaders.line_joining import LIST_ITEM, LineJoiner
from extractors.loaders.pdf_layout import Block
from extractors.loaders.pdf_lines import Line
from extractors.loaders.pdf_tables import PrintedTable, bold_header, cell_text
from extractors.loaders.table_header import header_rows
from extractors.loaders.text_builder import TextBuilder

_LEADERS = re.compile(r"(?: ?[.·…]){5,400} ?")
"""The dots between an entry of a table of contents and its page."""

_DEEPER = 0.6  # type sizes further to the right: an item in an item


def write(builder: TextBuilder, found: Sequence[Block], levels: Sequence[int | None], joiner: LineJoiner) -> None:
    """Add the blocks, each with its footnotes after it."""
    lefts: list[float] = []  # of the items around the current one
    for block, level in zip(found, levels, strict=True):
        item = None
        if block.table is not None:
            _write_table(builder, block.table, joiner)
        else:
            if level is None and LIST_ITEM.match(block.lines[0].text):
                lefts = [left for left in lefts if left < block.lines[0].left - block.lines[0].size * _DEEPER]
                item = len(lefts)
                lefts.append(block.lines[0].left)
            builder.paged_paragraph(_joined(block.lines, joiner), level, item=item)
        if item is None:
            lefts = []
        for note in block.notes:
            builder.paged_paragraph(_joined(note.lines, joiner))


def _write_table(builder: TextBuilder, table: PrintedTable, joiner: LineJoiner) -> None:
    grid = [[cell_text(cell, joiner).replace("\ufffe", "-") for cell in row] for row in table.rows]
    pages = {0: table.page, **table.pages}
    header = bold_header(table) or header_rows(grid, table.merged)
    builder.table(grid, header=header, merged=table.merged, pages=pages)


def _joined(lines: Sequence[Line], joiner: LineJoiner) -> list[tuple[int, str]]:
    """The lines of a paragraph with what belongs between them, each with its page."""
    lines = [line for line in lines if line.text]
    parts = []
    token = ""
    left = min((line.left for line in lines), default=0.0)
    for line, after in zip(lines, [*lines[1:], None], strict=True):
        if line.mono:
            indent = " " * min(round((line.left - left) / (0.6 * line.size)), 40) if line.size else ""
            parts.append((line.page, indent + line.text + ("\n" if after else "")))
        elif after is None:
            parts.append((line.page, line.text))
        else:
            # A web address may go on over several lines.
            token = token if " " not in line.text and "://" in token else ""
            tail, gap = joiner.tail_and_gap(token + line.text, after.text)
            parts.append((line.page, tail[len(token) :] + gap))
            token = "" if gap else tail.rsplit(None, 1)[-1]
    return [(page, _LEADERS.sub(" … ", text.replace("\ufffe", "-"))) for page, text in parts]


__all__ = ["write"]
