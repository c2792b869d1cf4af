"""Lines of printed pages to paragraphs, tables and headings: pure rules over where the lines stand."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from extractors.loaders.line_joining import HYPHENS, LIST_ITEM, is_wide
from extractors.loaders.pdf_lines import Line, is_full
from extractors.loaders.pdf_notes import Item, Note, lines_in, match_notes
from extractors.loaders.pdf_tables import PrintedTable, join_pieces

_ENDS = frozenset('.。!！?？:：;；…"”」』')
_LONGEST_HEADING = 160
_BODY_SHARE = 0.2
_MOST_OF = 0.7  # of the width of a column: as far as a ragged line reaches
_LEADER = re.compile(r"(?: ?[.·…]){4}")
_TITLE = 1.12  # how much larger than the body the type of a heading is


@dataclass(slots=True)
class Block:
    """A paragraph or a table, and the footnotes that it refers to."""

    lines: list[Line] = field(default_factory=list)
    table: PrintedTable | None = None
    notes: list[Note] = field(default_factory=list)
    gap: float = 1.2  # the usual distance of lines where it stands, in type sizes

    def all_lines(self) -> list[Line]:
        """Those of the paragraph or the cells, and of the footnotes."""
        own = self.lines if self.table is None else lines_in(self.table)
        return [*own, *(line for note in self.notes for line in note.lines)]


def body_size(lines: Iterable[Line]) -> float:
    """The type size of the text.

    It is the largest size in which a good part of the characters is set: the most common one may be that of a long
    list of references.
    """
    sizes: Counter[float] = Counter()
    for line in lines:
        if not line.mono:
            sizes[line.size] += len(line.text)
    total = sum(sizes.values())
    common = sizes.most_common(1)[0][0] if sizes else 0.0
    return max((size for size, count in sizes.items() if count >= total * _BODY_SHARE), default=common)


def blocks(pages: Sequence[Sequence[Sequence[Item]]], notes: Sequence[Sequence[Note]]) -> list[Block]:
    """All columns of all pages as blocks; one that a column or page end cuts is put together again."""
    found: list[Block] = []
    referred = match_notes(pages, notes)
    for columns, page_notes in zip(pages, notes, strict=True):
        waiting = list(page_notes)
        for column in columns:
            gap = _usual_gap([item for item in column if isinstance(item, Line)])
            for item in column:
                block = _taken_in(found, item, gap)
                for note in (note for line in lines_in(item) for note in referred.get(id(line), ())):
                    if note in waiting:  # and no endnote, which stays where it stands
                        waiting.remove(note)
                        block.notes.append(note)
        if waiting and not found:
            found.append(Block(waiting.pop(0).lines))
        if found:
            found[-1].notes.extend(waiting)
    return found


def _taken_in(found: list[Block], item: Item, gap: float) -> Block:
    """The block that ``item`` goes on with, or a new one, with ``item`` in it."""
    previous = found[-1] if found else None
    if isinstance(item, PrintedTable):
        if previous and previous.table and join_pieces(previous.table, item):
            return previous
        found.append(Block(table=item))
        return found[-1]
    if previous and previous.lines and _belongs(previous, item):
        previous.lines.append(item)
        return previous
    if (cut := _cut_by_float(found, item)) is not None:
        cut.lines.append(item)
        return cut
    found.append(Block([item], gap=gap))
    return found[-1]


def _cut_by_float(found: list[Block], line: Line) -> Block | None:
    """The paragraph before the last tables if ``line``, which begins in lower case, goes on with it."""
    at = len(found) - 1
    while at >= 0 and found[at].table is not None:
        at -= 1
    if at < 0 or at == len(found) - 1 or not found[at].lines:
        return None
    last = found[at].lines[-1]
    moved_on = last.last and (line.page != last.page or line.left > last.right or line.top < last.top)
    starts = line.text[0].islower() or is_wide(line.text[0])
    return found[at] if moved_on and starts and _goes_on_later(found[at], line) else None


def _usual_gap(lines: Sequence[Line]) -> float:
    """The usual distance from one line to the next, in type sizes."""
    gaps = [
        (after.top - line.top) / line.size
        for line, after in pairwise(lines)
        if line.size and 0 < after.top - line.top < 3 * line.size and abs(after.size - line.size) < 1
    ]
    return sorted(gaps)[len(gaps) // 2] if gaps else 1.2


def _belongs(block: Block, line: Line) -> bool:
    """Whether ``line`` goes on with the paragraph."""
    last = block.lines[-1]
    if not line.size or not last.size:
        return False
    if abs(line.size - last.size) > 0.12 * last.size or line.mono != last.mono:
        return False
    if line.page != last.page or line.top < last.top - last.size:  # the next column or page: the sentence decides
        return _goes_on_later(block, line)
    distance = (line.top - last.top) / last.size
    if line.mono:
        return distance <= block.gap + 0.6
    if LIST_ITEM.match(line.text) or distance > block.gap + 0.35:
        return False
    if last.text[-1] in HYPHENS:
        return True
    if line.bold != last.bold and len(block.lines) == 1 and not (distance <= block.gap + 0.1 and is_full(last, line)):
        return False
    if line.left > last.left + 0.8 * line.size and len(block.lines) > 1:
        return False
    if is_full(last, line):
        return True
    # Ragged lines, and paragraphs that are narrower than their column: the sentence goes on.
    widest = max(each.right for each in block.lines)
    reaches = (
        last.right - last.left > _MOST_OF * (max(last.edge, widest) - last.left) or last.right > widest - last.size
    )
    return distance <= block.gap + 0.15 and reaches and last.text[-1] not in _ENDS and line.text[0].islower()


def _goes_on_later(block: Block, line: Line) -> bool:
    last = block.lines[-1]
    if abs(line.size - last.size) > 0.06 * last.size or line.mono != last.mono:
        return False
    if last.mono:
        return True
    if LIST_ITEM.match(line.text) or (line.bold != last.bold and len(block.lines) == 1):
        return False
    if last.text[-1] in HYPHENS:
        return True
    if last.text[-1] in _ENDS:
        return False
    if line.text[0].islower():
        return True
    return is_full(last, line) and (len(block.lines) > 1 or len(last.text) > 12)


def heading_levels(found: Sequence[Block], body: float) -> list[int | None]:
    """For each block its level as a heading (1 is the largest type), or None.

    A heading is short and in larger type than the body, or one bold line over a body that is not bold.
    """
    lines = [line for block in found for line in block.lines if not line.mono]
    body_is_bold = sum(len(line.text) * line.bold for line in lines) * 2 > sum(len(line.text) for line in lines)
    sizes = [_heading_size(block, body, body_is_bold=body_is_bold) for block in found]
    ranks = sorted({size for size in sizes if size is not None}, reverse=True)
    return [None if size is None else min(ranks.index(size) + 1, 6) for size in sizes]


def _heading_size(block: Block, body: float, *, body_is_bold: bool) -> float | None:
    if block.table is not None or not body:
        return None
    line = block.lines[0]
    words = sum(len(part.text) for part in block.lines)
    if not line.size or line.mono or line.parted or words > _LONGEST_HEADING or not any(c.isalpha() for c in line.text):
        return None
    if _LEADER.search(block.lines[-1].text):  # an entry of a table of contents
        return None
    if LIST_ITEM.match(line.text) and line.text[0] in "-*•‣◦▪–—·●○■□":
        return None
    if block.lines[-1].text[-1] in ".。!！;；,，":
        return None
    if line.size >= body * _TITLE:
        return line.size
    if line.bold and not body_is_bold and len(block.lines) == 1 and line.size >= body * 0.98:
        return line.size
    return None


__all__ = ["Block", "blocks", "body_size", "heading_levels"]
