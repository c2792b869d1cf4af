"""Text and tables inside the shapes of a slide."""

from __future__ import annotations

from typing import Any, NamedTuple

from extractors.loaders.office_text import DRAWING, MATH_MARKS, MATH_WORDS, elements, number, one_line, typed
from extractors.loaders.table_header import header_rows
from extractors.loaders.text_builder import Position, TextBuilder

_MOST_COLUMNS = 1000
_COUNTED = frozenset(("slidenum", "datetime"))


class SlideParagraph(NamedTuple):
    """A paragraph of a shape: its words, its level, and what stands before it if it is an item of a list."""

    text: str
    level: int
    mark: str


def paragraphs(body: Any, *, bulleted: bool) -> list[SlideParagraph]:
    """The paragraphs of a text body; ``bulleted``: whether they are items where they do not say."""
    found: list[SlideParagraph] = []
    counts: dict[int, int] = {}
    for paragraph in body.iter(f"{DRAWING}p"):
        properties = paragraph.find(f"{DRAWING}pPr")
        level = min(max(number(None if properties is None else properties.get("lvl")), 0), 8)
        text = paragraph_text(paragraph)
        if not text.strip():
            continue
        automatic = None if properties is None else properties.find(f"{DRAWING}buAutoNum")
        counts = {at: count for at, count in counts.items() if at <= level}
        mark = "-" if bulleted else ""
        if automatic is not None:
            counts[level] = counts.get(level, number(automatic.get("startAt"), 1) - 1) + 1
            mark = f"{counts[level]}."
        elif properties is not None and properties.find(f"{DRAWING}buNone") is not None:
            mark = ""
        elif properties is not None and any(
            properties.find(f"{DRAWING}{name}") is not None for name in ("buChar", "buBlip")
        ):
            mark = "-"
        if automatic is None:
            counts.pop(level, None)
        found.append(SlideParagraph(text, level, mark))
    return found


def paragraph_text(paragraph: Any) -> str:
    """The words of a paragraph; its number of the slide and its date, which the program fills in, are left out."""
    parts: list[str] = []
    for element in elements(paragraph, whole={f"{DRAWING}fld"}):
        if element.tag in {f"{DRAWING}t", MATH_WORDS}:
            parts.append(element.text or "")
        elif element.tag == f"{DRAWING}br":
            parts.append("\n")
        elif element.tag == f"{DRAWING}tab":
            continue
        elif element.tag == f"{DRAWING}fld" and not element.get("type", "").startswith(tuple(_COUNTED)):
            parts.append(element.findtext(f"{DRAWING}t") or "")
        elif element.tag in MATH_MARKS and any(e.text for e in element.iter(MATH_WORDS)):
            parts.append(MATH_MARKS[element.tag])
    return typed("".join(parts).replace("\x0b", "\n"))


def add_table(builder: TextBuilder, table: Any) -> None:
    """Add a table of a slide."""
    grid: list[list[str]] = []
    merged: dict[Position, Position] = {}
    for r, row in enumerate(table.findall(f"{DRAWING}tr")):
        grid.append([])
        for c, cell in enumerate(row.findall(f"{DRAWING}tc")[:_MOST_COLUMNS]):
            body = cell.find(f"{DRAWING}txBody")
            grid[-1].append("" if body is None else one_line(map(paragraph_text, body.iter(f"{DRAWING}p"))))
            if cell.get("hMerge") in {"1", "true"} and c:
                merged[r, c] = merged.get((r, c - 1), (r, c - 1))
            elif cell.get("vMerge") in {"1", "true"} and r and c < len(grid[r - 1]):
                merged[r, c] = merged.get((r - 1, c), (r - 1, c))
    properties = table.find(f"{DRAWING}tblPr")
    marked = properties is not None and properties.get("firstRow") in {"1", "true"} and len(grid) > 1
    builder.table(grid, header=header_rows(grid, merged) or int(marked), merged=merged)


__all__ = ["SlideParagraph", "add_table", "paragraph_text", "paragraphs"]
