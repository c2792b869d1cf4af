"""One page of a PDF as columns of lines and tables in reading order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from extractors.loaders.ocr import TextRecognizer
from extractors.loaders.pdf_aligned import aligned_tables
from extractors.loaders.pdf_annotations import comments, with_fields
from extractors.loaders.pdf_columns import columns, without_foot
from extractors.loaders.pdf_figures import words_of_pictures
from extractors.loaders.pdf_grids import grids
from extractors.loaders.pdf_lines import Line, lines_of
from extractors.loaders.pdf_notes import Item
from extractors.loaders.pdf_pictures import recognised_words
from extractors.loaders.pdf_rulings import page_rulings
from extractors.loaders.pdf_segments import Segment, segments_of
from extractors.loaders.pdf_tables import PrintedTable, ruled_tables
from extractors.loaders.pdf_words import Word, page_words
from extractors.loaders.pictures import Pictures

_FULL_LINES = 0.1  # share of the lines of a column that end near its edge, at least
_SAME_EDGE = 3.0  # type sizes
_DRAWN = 50  # shapes on a page without text: its letters may be drawn as outlines


@dataclass(slots=True)
class PrintedPage:
    """What stands on a page."""

    number: int
    columns: list[list[Item]] = field(default_factory=list)
    asides: list[Line] = field(
        default_factory=list
    )  # text in another direction than the page's, comments, words in pictures
    picture: bool = False  # no text, but something to see
    recognised: bool = False  # read by text recognition


def read_page(
    document: Any,
    index: int,
    gutters: list[float],
    recognizer: TextRecognizer | None,
    *,
    with_comments: bool,
    pictures: Pictures | None = None,
) -> PrintedPage:
    """Page ``index``; ``gutters`` holds the middles of those known so far and takes the new ones."""
    found = PrintedPage(index + 1)
    page = document[index]
    try:
        remarks = comments(page) if with_comments else []
        page = with_fields(document, page, index)
        text_page = page.get_textpage()
        try:
            words, others, turned = page_words(text_page, page.get_bbox())
        finally:
            text_page.close()
        drawn = page_rulings(page, turned)
        if not words and not others and (drawn.pictures or drawn.shapes >= _DRAWN):
            found.picture = True
            if recognizer is not None:
                words = recognised_words(page, recognizer)
                found.recognised = bool(words)
        elif pictures is not None and drawn.pictures:
            remarks += words_of_pictures(page, found.number, words, turned, pictures)
    finally:
        page.close()
    tables, rest = ruled_tables(grids(drawn.rulings), words, found.number)
    size = _usual_size(words)
    aligned, loose = aligned_tables(segments_of(rest), drawn.rulings, size, found.number)
    boxes: list[Any] = [*loose, *tables, *aligned]
    parts = columns(boxes, size, gutters)
    if len(parts) > 1:  # a foot that begins in the left column does not belong to it
        inner, foot = without_foot(boxes, size)
        parts = [*columns(inner, size, gutters), foot] if foot else parts
    found.columns = [column for part in parts if (column := _column(part, found.number))]
    found.asides = [Line(text, found.number) for text in (*others, *remarks)]
    return found


def _usual_size(words: Sequence[Word]) -> float:
    sizes: Counter[float] = Counter()
    for word in words:
        sizes[word.size] += len(word.text)
    return max(sizes.most_common(1)[0][0], 1.0) if sizes else 10.0


def _column(boxes: Sequence[Any], page: int) -> list[Item]:
    """Lines and tables of one column from the top."""
    lines = lines_of([word for box in boxes if isinstance(box, Segment) for word in box.words], page)
    edge = _edge(lines)
    for line in lines:
        line.edge = edge
    items: list[Item] = [*lines, *(box for box in boxes if isinstance(box, PrintedTable))]
    items.sort(key=lambda item: item.top)
    if items and isinstance(last := items[-1], Line):
        last.last = True
    return items


def _edge(lines: Sequence[Line]) -> float:
    """How far lines reach to the right; a few that reach further, as an address too long to be cut, do not count."""
    rights = sorted((line.right for line in lines), reverse=True)
    needed = max(1, round(_FULL_LINES * len(rights)))
    for at in range(len(rights) - needed):
        if rights[at + needed] > rights[at] - _SAME_EDGE * lines[0].size:
            return rights[at]
    return rights[0] if rights else 0.0


__all__ = ["PrintedPage", "read_page"]
