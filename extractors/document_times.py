"""Dates and times at the beginning of a line, as values that can be put in order."""

from __future__ import annotations

import re
from dataclasses import dataclass

_MONTHS = {
    name: number
    for number, names in enumerate(
        ("jan january", "feb february", "mar march", "apr april", "may", "jun june", "jul july", "aug august",
         "sep sept september", "oct october", "nov november", "dec december"), 1,
    )
    for name in names.split()
}  # fmt: skip
_MONTH = "(?P<{0}>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\.?"
_WEEKDAY = (
    r"(?:(?:on\s+)?(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\s+|(?:mon|tue|wed|thu|fri|sat|sun)\.?,?\s+|on\s+)?"
)
_ZONE = (
    r"(?:\s?(?:utc|gmt|z|cet|cest|pst|pdt|pt|est|edt|et|bst|ist|jst|cst|cdt|mst|mdt)(?:[+-]\d{1,2}(?::?\d\d)?)?\b"
    r"|\s?[+-]\d\d:?\d\d\b)?"
)
_CLOCK = (
    r"(?:at\s+)?(?P<half>上午|下午|晚上|凌晨|早上|中午|傍晚|深夜)?\s?"
    r"(?:(?P<hour>\d{1,2})[:：](?P<minute>\d\d)(?:[:：](?P<second>\d\d))?(?P<fraction>[.,]\d{1,6})?"
    r"|(?P<hanhour>\d{1,2})\s?[时時点點](?!间|間)(?:(?P<hanminute>\d{1,2})分?|(?P<hanhalf>半))?(?:许|左右)?)"
    rf"(?:\s?(?P<noon>[ap])\.?m\b\.?)?{_ZONE}"
)
_DATE = (
    r"(?:(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})(?!\d)"
    rf"|{_WEEKDAY}(?P<day2>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?{_MONTH.format('month2')}(?:,?\s+(?P<year2>\d{{4}}))?\b"
    rf"|{_WEEKDAY}{_MONTH.format('month3')}\s+(?P<day3>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(?P<year3>\d{{4}})\b)?"
    r"|(?:(?P<year4>\d{4})\s?年\s?)?(?P<month4>\d{1,2})\s?月\s?(?P<day4>\d{1,2})\s?[日号號]"
    rf"|{_MONTH.format('month5')}\s+(?P<year5>\d{{4}})\b"
    r"|(?P<year6>\d{4})\s?年(?:\s?(?P<month6>\d{1,2})\s?月)?"
    r"|(?P<year7>(?:1[5-9]|20)\d\d)(?=\s?(?:[:：|–—]|-\s)))"
)
_DATED = re.compile(
    rf"\s*+[|(（\[*_`~≈]{{0,4}}\s?{_DATE}(?:(?:[T,，]?\s{{0,3}}|[ \t]{{0,99}}\|[ \t]{{0,99}}){_CLOCK})?", re.IGNORECASE
)
_TIMED = re.compile(rf"\s*+[|(（\[*_`~≈]{{0,4}}\s?{_CLOCK}", re.IGNORECASE)
_RANGE = re.compile(
    rf"\s?[-–—~～至到]{{1,2}}\s?(?:{_DATE.replace('?P<', '?P<r_')}[T,]?\s?)?(?:{_CLOCK.replace('?P<', '?P<r_')})?",
    re.IGNORECASE,
)
_SEPARATORS = " \t\u3000|:：,，–—•→>])）*_`-"
_MARKS = "|:：–—•→>])）-\t"
_LOG_LEVEL = re.compile(r"[\[<(]?(?:trace|debug|info|notice|warn|warning|error|fatal|critical)\b", re.IGNORECASE)
_LATE = ("下午", "晚上", "傍晚", "深夜")


@dataclass(frozen=True)
class Moment:
    """A date or time that a line begins with; offsets within the line."""

    start: int
    end: int
    until: int  # where the words behind it begin
    date: tuple[int, int, int] | None  # year 0: not said
    clock: tuple[int, int, int] | None
    listed: bool = True  # a mark parts it from what stands behind: it is no beginning of a sentence (*On 5 May, we …*)
    log: bool = False  # the line looks like one of a log


def leading_moment(row: str, at: int = 0) -> Moment | None:
    """The date or time with which ``row`` begins at ``at``, if words of their own stand behind it or nothing does."""
    found = _DATED.match(row, at) or _TIMED.match(row, at)
    if found is None:
        return None
    groups = found.groupdict()
    date, clock = _date(groups), _clock(groups)
    if (date is None and clock is None) or (clock is not None and clock[0] > 24):
        return None
    end = found.end()
    if (over := _RANGE.match(row, end)) and any(over.groupdict().values()):
        end = over.end()
    if end < len(row) and not _parts(row, end):
        return None  # 9:15am-ish, 12.5
    until = end
    while until < len(row) and row[until] in _SEPARATORS:
        until += 1
    log = groups.get("fraction") is not None or bool(_LOG_LEVEL.match(row, until))
    start = found.start() + len(found.group()) - len(found.group().lstrip(" \t|([*_`~≈（"))
    listed = clock is not None or until == len(row) or any(mark in row[end:until] for mark in _MARKS)
    return Moment(start, end, until, date, clock, listed, log)


def _parts(row: str, end: int) -> bool:
    """Whether what stands at ``end`` begins something new: a mark, a space, or a Chinese character."""
    if row[end] == "-":
        return row[end + 1 : end + 2] in ("", " ", "-")
    return row[end] in _SEPARATORS or "\u4e00" <= row[end] <= "\u9fff"


def _date(groups: dict[str, str | None]) -> tuple[int, int, int] | None:
    def first(name: str) -> str:
        return next((v for suffix in ("", *"234567") if (v := groups.get(name + suffix))), "")

    year, month, day = first("year"), first("month"), first("day")
    if not (year or month):
        return None
    number = _MONTHS.get(month.lower(), 0) if month and not month.isdigit() else int(month or 0)
    if number > 12 or int(day or 0) > 31:
        return None
    return int(year or 0), number, int(day or 0)


def _clock(groups: dict[str, str | None]) -> tuple[int, int, int] | None:
    hour = groups.get("hour") or groups.get("hanhour")
    if hour is None:
        return None
    minute = groups.get("minute") or groups.get("hanminute") or ("30" if groups.get("hanhalf") else "0")
    number = int(hour)
    if (groups.get("noon") or "").lower() == "p" or groups.get("half") in _LATE:
        number += 12 if number < 12 else 0
    elif (groups.get("noon") or "").lower() == "a" and number == 12:
        number = 0
    return number, int(minute), int(groups.get("second") or 0)


__all__ = ["Moment", "leading_moment"]
