"""Lines of a printed page to paragraphs and headings: pure rules over where the lines stand."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import pairwise

from extractors.loaders.line_joining import HYPHENS, LIST_ITEM, is_wide


@dataclass(frozen=True)
class Line:
    """One line of a page in points, measured from the top left; a height of 0 means that its place is unknown."""

    text: str
    page: int
    left: float = 0.0
    top: float = 0.0
    right: float = 0.0
    height: float = 0.0
    bold: bool = False


Paragraph = list[Line]

_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"(?:page|p\.|第)?\s{0,3}[-–—]?\s{0,3}\d{1,4}\s{0,3}[-–—]?\s{0,3}(?:页|頁|(?:of|/|共)\s{0,3}\d{1,4}\s{0,3}页?)?",
    re.IGNORECASE,
)
_ENDS = frozenset('.。!！?？:：;；…”"」』')
_MARGIN_LINES = 3  # how many lines from the top and the bottom of a page may be running ones
_LONGEST_HEADING = 160
_BODY_SHARE = 0.2


def drop_running_lines(pages: list[list[Line]]) -> list[list[Line]]:
    """The pages without headers and footers.

    A running line stands at the same height of two or more pages, among the outermost lines, and reads the same but
    for its numbers. A page number alone at the very edge is one as well.
    """
    seen: dict[tuple[str, int], set[int]] = defaultdict(set)
    edges = [_edge_lines(page) for page in pages]
    for number, edge in enumerate(edges):
        for line in edge:
            for slot in _slots(line):
                seen[_DIGITS.sub("0", line.text), slot].add(number)
    kept = []
    for page, edge in zip(pages, edges, strict=True):
        running = {
            id(line)
            for line in edge
            if any(len(seen[_DIGITS.sub("0", line.text), slot]) > 1 for slot in _slots(line))
            or (len(pages) > 1 and line in (edge[0], edge[-1]) and _PAGE_NUMBER.fullmatch(line.text))
        }
        rest = [line for line in page if id(line) not in running]
        kept.append(rest or page)  # pages that say nothing else say it
    return kept


def _edge_lines(page: list[Line]) -> list[Line]:
    placed = sorted((line for line in page if line.height), key=lambda line: line.top)
    return placed if len(placed) <= 2 * _MARGIN_LINES else placed[:_MARGIN_LINES] + placed[-_MARGIN_LINES:]


def _slots(line: Line) -> tuple[int, int]:
    """Two overlapping 6-point slots, so that lines 3 points apart always share one."""
    return round(line.top / 6) * 2, int(line.top // 6) * 2 + 1


def paragraphs(pages: list[list[Line]]) -> list[Paragraph]:
    """All lines grouped into paragraphs; one that a column or page end cuts is put together again."""
    blocks: list[Paragraph] = []
    for page in pages:
        gap = _usual_gap(page)
        for line in page:
            if blocks and _belongs(blocks[-1], line, page, gap):
                blocks[-1].append(line)
            else:
                blocks.append([line])
    return blocks


def _usual_gap(page: list[Line]) -> float:
    """The usual distance from one line to the next, in line heights."""
    gaps = [
        (after.top - line.top) / line.height
        for line, after in pairwise(page)
        if line.height and 0 < after.top - line.top < 3 * line.height and abs(after.height - line.height) < 1
    ]
    return sorted(gaps)[len(gaps) // 2] if gaps else 1.2


def _belongs(block: Paragraph, line: Line, page: list[Line], gap: float) -> bool:
    """Whether ``line`` goes on with the paragraph."""
    last = block[-1]
    if LIST_ITEM.match(line.text):
        return False
    if last.text[-1] in HYPHENS:
        return True
    if not line.height or not last.height:
        return last.text[-1] not in _ENDS
    if abs(line.height - last.height) > 0.12 * last.height or (line.bold != last.bold and len(block) == 1):
        return False
    moved_on = line.page != last.page or line.top < last.top - last.height
    if moved_on:  # the next column or page: the sentence decides
        return last.text[-1] not in _ENDS and len(last.text) > 12 and not line.text[0].isupper()
    if line.top - last.top > (gap + 0.35) * last.height:
        return False
    if abs(line.top - last.top) < last.height * 0.3:
        return line.left - last.right < 2 * last.height
    if line.left > block[-1].left + 0.8 * line.height and len(block) > 1:
        return False
    return _is_full(last, line, page)


def _is_full(last: Line, line: Line, page: list[Line]) -> bool:
    """Whether the first word of ``line`` would not have fitted behind ``last``, so that the line end means nothing."""
    reach = 3 * last.height
    if last.page != line.page:
        page = [last, line]
    edge = max(
        (other.right for other in page if other.height and abs(other.left - min(last.left, line.left)) < reach),
        default=last.right,
    )
    per_character = (line.right - line.left) / max(len(line.text), 1)
    if is_wide(line.text[0]):
        needed = 2.2 * last.height
    else:
        needed = per_character * (1 + len(line.text.split(None, 1)[0][:30])) * 1.1
    return last.right + needed > edge


def heading_levels(blocks: list[Paragraph]) -> list[int | None]:
    """For each paragraph its level as a heading (1 is the largest type), or None.

    The body is the largest size in which a good part of the characters is set: the most common one may be that of a
    long table. A heading is short and larger, or one bold line over a
    body that is not bold.
    """
    sizes: Counter[float] = Counter()
    bold = 0
    for block in blocks:
        for line in block:
            sizes[_size(line)] += len(line.text)
            bold += len(line.text) * line.bold
    total = sum(sizes.values())
    common = sizes.most_common(1)[0][0] if sizes else 0.0
    body = max((size for size, count in sizes.items() if count >= total * _BODY_SHARE), default=common)
    body_is_bold = bold * 2 > total
    marks = [_heading_mark(block, body, body_is_bold=body_is_bold) for block in blocks]
    ranks = sorted({mark for mark in marks if mark is not None}, reverse=True)
    return [None if mark is None else min(ranks.index(mark) + 1, 6) for mark in marks]


def _size(line: Line) -> float:
    return round(line.height * 2) / 2


def _heading_mark(block: Paragraph, body: float, *, body_is_bold: bool) -> float | None:
    line = block[0]
    words = sum(len(part.text) for part in block)
    if not body or not line.height or words > _LONGEST_HEADING or not any(c.isalpha() for c in line.text):
        return None
    if LIST_ITEM.match(line.text) and line.text[0] in "-*•‣◦▪–—·●○■□":
        return None
    size = _size(line)
    ends_sentence = block[-1].text[-1] in ".。!！;；,，"
    if size >= body * 1.12 and not ends_sentence:
        return size
    if line.bold and not body_is_bold and len(block) == 1 and size >= body * 0.98 and not ends_sentence:
        return size
    return None


__all__ = ["Line", "Paragraph", "drop_running_lines", "heading_levels", "paragraphs"]
