"""Lists whose items follow one another in time: numbered steps, and lines that begin with ascending times."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, NamedTuple

from extractors.document_labels import NO_ORDER, STEP_LEADS, TIME_COLUMNS, announces_steps, announces_times
from extractors.document_lines import Line

_MOST_LINES = 12
"""Lines that one item may take."""
_LEAD = 160
"""Characters before a list that may say what it is a list of."""
_SKIPPED = 2
"""Items that say nothing of their own may lie between two neighbours, so many at most."""
_WRAPPED = 50
"""A shorter line is not cut by a margin."""
_HAN_STEP = re.compile(r"第([一二三四五六七八九十]|\d{1,2})步[:：,，、是 ]{0,2}")
_HAN = "一二三四五六七八九十"
_BEFORE_STEP = " \t\r\n\u3000。；;，,：:！!（(“"
_STEP_REACH = 400
"""Characters between two inline steps of one procedure."""


class Item(NamedTuple):
    """One stretch of text that is read for its first statement, and the mark before it."""

    start: int
    end: int
    marker: tuple[int, int] = (0, 0)
    named: bool = False  # it is said to name an event, and does so even without a verb


@dataclass
class ItemList:
    """Items in the order of the text; those of a timeline with the value of their times."""

    kind: Literal["steps", "timeline"]
    announced: bool
    items: list[Item] = field(default_factory=list)
    times: list[tuple[int, ...]] = field(default_factory=list)

    def neighbours(self, telling: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Neighbours among the positions of items that tell something; two of the same time are in no order."""
        for earlier, later in pairwise(telling):
            if later - earlier <= _SKIPPED + 1 and (not self.times or self.times[later] > self.times[earlier]):
                yield earlier, later


def sequences(rows: Sequence[Line | None]) -> Iterator[ItemList]:
    """The numbered procedures and the timelines among the lines of a document."""
    yield from _numbered(rows)
    yield from _timed(rows)


def inline_steps(text: str) -> Iterator[ItemList]:
    """第一步 …，第二步 … within running text, at least two of them in order."""
    run: list[tuple[int, int, int]] = []
    for found in [*_HAN_STEP.finditer(text), None]:
        number = 0 if found is None else _step_number(found[1])
        opens = found is not None and (found.start() == 0 or text[found.start() - 1] in _BEFORE_STEP)
        if found is not None and not opens:
            continue
        goes_on = (
            bool(run) and number == run[-1][0] + 1 and found is not None and found.start() - run[-1][2] < _STEP_REACH
        )
        if run and not goes_on:
            if len(run) > 1:
                yield ItemList("steps", announced=True, items=_inline_items(text, run))
            run = []
        if found is not None and (goes_on or number == 1):
            run.append((number, found.start(), found.end()))


def _step_number(numeral: str) -> int:
    return int(numeral) if numeral.isdigit() else _HAN.index(numeral) + 1


def _inline_items(text: str, run: list[tuple[int, int, int]]) -> list[Item]:
    ends = [start for _, start, _ in run[1:]] + [run[-1][2] + _STEP_REACH]
    items = []
    for (_, start, begin), end in zip(run, ends, strict=True):
        stop = text.find("\n", begin, end)
        items.append(Item(begin, min(len(text), stop if stop >= 0 else end), (start, begin)))
    return items


class _Context:
    """What has been read above a list: the heading that it stands under and the line right before it."""

    def __init__(self) -> None:
        self.heading = ""
        self.lead = ""
        self.columns = ""

    def read(self, line: Line) -> None:
        if line.heading:
            self.heading, self.columns = line.label, ""
        elif line.cells > 1 and line.moment is None:
            self.columns = line.text.lower()
        self.lead = line.text[-_LEAD:]

    @property
    def says_steps(self) -> bool:
        """Whether what follows is done in order."""
        return announces_steps(self.heading) or bool(STEP_LEADS.search(self.lead))

    @property
    def says_no_order(self) -> bool:
        """Whether what follows is a list of things, in no order."""
        return not self.says_steps and bool(NO_ORDER.search(self.heading) or NO_ORDER.search(self.lead))

    @property
    def says_times(self) -> bool:
        """Whether what follows is told in the order of time."""
        return announces_times(self.heading) or any(word in self.columns for word in TIME_COLUMNS)


def _numbered(rows: Sequence[Line | None]) -> Iterator[ItemList]:
    context = _Context()
    run: list[Line] = []
    ends: list[int] = []
    announced = False
    since = 0  # lines since the last number
    whole = True  # nothing more belongs to the sentence of the last item
    for line in rows:
        if line is None:
            whole = True
            continue
        if line.number is None:
            since += 1
            over = line.heading and not (run and run[-1].heading)
            if run and (over or since > _MOST_LINES):
                yield from _steps(run, ends, announced=announced)
                run, ends = [], []
            if run and not whole and not line.bullet:
                ends[-1], whole = line.end, _is_whole(line)
            context.read(line)
            continue
        since = 0
        if not run or line.number != (run[-1].number or 0) + 1 or line.step != run[-1].step:
            yield from _steps(run, ends, announced=announced)
            run, ends = [], []
            if line.number not in (0, 1):
                continue
            if not line.step and context.says_no_order:
                continue
            announced = line.step or context.says_steps
        run.append(line)
        ends.append(line.end)
        whole = _is_whole(line)
    yield from _steps(run, ends, announced=announced)


def _is_whole(line: Line) -> bool:
    """Whether the line ends a sentence, or is too short to be cut by a margin."""
    return line.end - line.start < _WRAPPED or line.text.rstrip().endswith(
        (".", "!", "?", ":", ";", "。", "！", "？", "：", "；")
    )


def _steps(run: list[Line], ends: list[int], *, announced: bool) -> Iterator[ItemList]:
    items = [Item(line.start, end, line.marker) for line, end in zip(run, ends, strict=True)]
    if len(items) > 1 and all(item.end > item.start for item in items):
        yield ItemList("steps", announced=announced, items=items)


def _timed(rows: Sequence[Line | None]) -> Iterator[ItemList]:
    context = _Context()
    run = ItemList("timeline", announced=False)
    date = (0, 0, 0)
    others = 0  # lines since the last entry
    for line in rows:
        if line is None:
            continue
        moment = line.moment
        if moment is None or moment.log:
            others += 1
            if run.items and (others > _MOST_LINES or (line.heading and not line.bullet) or not run.announced):
                yield from _told(run)
                run = ItemList("timeline", announced=False)
            context.read(line)
            continue
        if not moment.listed and not (run.announced or context.says_times):
            continue
        others = 0
        if moment.date is not None:
            date = (moment.date[0] or date[0], *moment.date[1:])
        if not line.text.strip(" |"):
            continue  # a date above its entries
        time = (*date, *moment.clock) if moment.clock is not None else date
        # Entries of different exactness are not compared; one that goes back begins anew.
        if run.items and (len(time) != len(run.times[-1]) or time < run.times[-1]):
            yield from _told(run)
            run = ItemList("timeline", announced=run.announced)
        if not run.items:
            run.announced = run.announced or context.says_times
        run.items.append(_entry(line))
        run.times.append(time)
    yield from _told(run)


def _entry(line: Line) -> Item:
    """What a line says behind its time: of a row with more columns, the longest cell."""
    begin, cells = line.start, line.text.split("|")
    best = max(cells, key=lambda cell: len(cell.strip()))
    for cell in cells:
        if cell is best:
            break
        begin += len(cell) + 1
    return Item(begin, begin + len(best), line.marker)


def _told(run: ItemList) -> Iterator[ItemList]:
    if len(run.items) > 1:
        yield run


__all__ = ["Item", "ItemList", "inline_steps", "sequences"]
