"""Headings that announce a cause: *Root cause*, *Why it happened*, 根本原因."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from extractors.document_labels import CAUSE_LABELS, EVENT_LABELS, KNOWN_LABELS, SUMMARY_LABELS, SUSPECTED
from extractors.document_lines import Line
from extractors.document_sequences import Item

_TITLE_FRAME = re.compile(
    r"(?:(?:incident|outage|problem|root cause)?\s?(?:post-?\s?mortem|report|review|analysis|retrospective|rca)\b"
    r"(?:\s(?:for|of|on|about|to))?|[a-z]{2,10}-?\d{3,}[\w-]*|(?:事故|故障|事件|问题)?(?:复盘|报告|分析报告|总结)|\d{4}[-/.]\d\d?[-/.]\d\d?)"
    r"\s*[:：–—-]?\s*",
    re.IGNORECASE,
)
_NAMED, _TITLED, _SUMMED_UP = 0.48, 0.46, 0.4
"""Confidence by where the effect stands: under a label that names it, in a heading above, first in a summary. None is
asserted: of real reports about six in ten say the cause in the first clause under its heading, others begin with how
things work."""


@dataclass(frozen=True)
class AnnouncedCause:
    """A heading, the statement under it, and where what it caused may stand, best first."""

    heading: tuple[int, int]
    cause: Item
    effects: tuple[Item, ...]
    confidences: tuple[float, ...]
    hedged: bool

    @property
    def ends(self) -> tuple[Item, ...]:
        """All that has to be read."""
        return (self.cause, *self.effects)


def announced_causes(rows: Sequence[Line | None]) -> Iterator[AnnouncedCause]:
    """The causes that the headings and labels of a document announce, each with the incident above it."""
    told = [line for line in rows if line is not None]
    labels = [SUSPECTED.sub("", line.label, count=1) if SUSPECTED.match(line.label) else line.label for line in told]
    count = sum(label in CAUSE_LABELS for label in labels)
    named: Item | None = None
    summary: Item | None = None
    title = _named_by(told[0]) if count == 1 and told and told[0].heading else None
    above: Item | None = None  # the nearest heading that is no label, other than the title
    for i, (line, label) in enumerate(zip(told, labels, strict=True)):
        if line.heading and label not in KNOWN_LABELS and i:
            above, named = _named_by(line), None
        if label in EVENT_LABELS | SUMMARY_LABELS and (under := _under(told, i)) is not None:
            if label in EVENT_LABELS:
                named = under._replace(named=True)
            elif summary is None or count > 1:
                summary = under
        if label not in CAUSE_LABELS:
            continue
        cause = _under(told, i)
        if cause is not None:
            places = ((named, _NAMED), (above, _TITLED), (title, _TITLED), (summary, _SUMMED_UP))
            ends = [(item, confidence) for item, confidence in places if item is not None]
            yield AnnouncedCause(
                _heading(line), cause, tuple(e for e, _ in ends), tuple(c for _, c in ends),
                bool(SUSPECTED.match(line.label)),
            )  # fmt: skip
        named = summary = None


def _heading(line: Line) -> tuple[int, int]:
    """The words of the heading or label."""
    words = line.text if line.heading else re.split("[:：]", line.text, maxsplit=1)[0]
    stripped = words.strip(" \t\r\u3000*_`#:：|")
    start = line.start + words.index(stripped)
    return start, start + len(stripped)


def _under(told: Sequence[Line], i: int) -> Item | None:
    """What stands behind the colon of line ``i``, else the first line below it; None where another heading follows."""
    line = told[i]
    colon = next((k for k, c in enumerate(line.text) if c in ":："), None)
    if colon is not None and line.text[colon + 1 :].strip(" *_`|"):
        if line.heading:
            return None  # *Cause: a heading of its own*
        begin = colon + 1
        while line.text[begin] in " \t*_`|":
            begin += 1
        return Item(line.start + begin, line.end)
    if i + 1 == len(told) or told[i + 1].heading or told[i + 1].label or told[i + 1].cells > 1:
        return None
    return Item(told[i + 1].start, told[i + 1].end)


def _named_by(line: Line) -> Item | None:
    """What a heading names, without what only says that it is a report."""
    if line.label in KNOWN_LABELS:
        return None
    begin = 0
    while (frame := _TITLE_FRAME.match(line.text, begin)) is not None and frame.end() > begin:
        begin = frame.end()
    end = len(line.text.rstrip(" \t\r*_#"))
    return Item(line.start + begin, line.start + end) if end - begin > 1 else None


__all__ = ["AnnouncedCause", "announced_causes"]
