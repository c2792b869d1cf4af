"""Order in time by the times themselves: *On 3 May X. On 5 May Y.*; *At 10:05 X. At 10:20 Y.*"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from extractors.english_candidates import Candidate, modality_of
from extractors.english_cues import SEQUENTIAL
from extractors.english_spans import Range
from storage.records import Modality

if TYPE_CHECKING:
    from spacy.tokens import Span

_TOLD_BY_TIMES = 0.55
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_OPENING = r"(?:on|at|in|by|around|about|only at|later at)? ?(?:[a-z]{3,6}day,? )?"
_YEAR = r"(?:,? (?P<year>1[5-9]\d\d|20\d\d))?"
_TIMES = tuple(
    re.compile(_OPENING + body + r"(?!\w)", re.IGNORECASE)
    for body in (
        r"(?P<hour>\d{1,2}):(?P<minute>\d\d)(?: ?(?P<half>[ap])\.?m\.?)?",
        f"{_DAY} {_MONTH}{_YEAR}",
        f"{_MONTH} {_DAY}{_YEAR}",
        r"(?P<year>1[5-9]\d\d|20\d\d)",
    )
)
_LONGEST = 48  # characters that an opening time may take

Moment = tuple[str, int]
"""What kind of time it is, and a number that grows with it; only times of one kind can be compared."""


def moment(text: str) -> tuple[Moment, int] | None:
    """The time that ``text`` opens with, and where the words for it end; None if it opens with something else."""
    for pattern in _TIMES:
        found = pattern.match(text[:_LONGEST])
        if found is not None:
            return _value({k: v for k, v in found.groupdict().items() if v is not None}), found.end()
    return None


def _value(parts: dict[str, str]) -> Moment:
    if "hour" in parts:
        hour = int(parts["hour"])
        if "half" in parts:
            hour = hour % 12 + (12 if parts["half"].lower() == "p" else 0)
        return f"clock{'12' if 'half' in parts else ''}", hour * 60 + int(parts["minute"])
    year = int(parts.get("year", 0))
    if "month" not in parts:
        return "year", year
    day = _MONTHS.index(parts["month"].lower()) * 31 + int(parts["day"])
    return ("dated" if year else "date"), year * 400 + day


def in_time_order(
    sentence: Span, before: Span | None, previous: Range | None, statement: Range | None
) -> Iterator[Candidate]:
    """Two sentences in a row that open with times of one kind, the second one later."""
    if before is None or previous is None or statement is None:
        return
    earlier, later = moment(before.text), moment(sentence.text)
    if earlier is None or later is None or earlier[0][0] != later[0][0] or earlier[0][1] >= later[0][1]:
        return
    end = next((t.i for t in sentence if t.idx - sentence.start_char >= later[1]), sentence.end)
    modality = modality_of(sentence.root)
    if modality is Modality.ASSERTED and end <= statement[0] and sentence.start < end:
        yield Candidate(SEQUENTIAL, "times", previous, statement, (sentence.start, end), _TOLD_BY_TIMES, "times",
                        sentence.root)  # fmt: skip


__all__ = ["Moment", "in_time_order", "moment"]
