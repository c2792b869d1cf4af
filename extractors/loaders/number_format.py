"""Figures as a spreadsheet shows them, where the format is simple; dates as ISO 8601 writes them."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from functools import lru_cache
from math import isfinite
from typing import NamedTuple

_MONEY, _MONEY_AND_CENTS = "$#,##0", "$#,##0.00"
_DAY, _CHINESE_DAY = "yyyy-mm-dd", "yyyy年m月d日"
_BUILT_IN = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 5: _MONEY, 6: _MONEY, 7: _MONEY_AND_CENTS, 8: _MONEY_AND_CENTS,
    9: "0%", 10: "0.00%", 14: _DAY, 15: _DAY, 16: "d-mmm", 17: "yyyy-mm", 18: "h:mm", 19: "h:mm:ss", 20: "h:mm",
    21: "h:mm:ss", 22: f"{_DAY} h:mm", 27: "yyyy年m月", 28: "m月d日", 29: "m月d日", 30: _DAY, 31: _CHINESE_DAY,
    32: "h:mm", 33: "h:mm:ss", 36: "yyyy年m月", 37: "#,##0", 38: "#,##0", 39: "#,##0.00", 40: "#,##0.00", 45: "mm:ss",
    46: "[h]:mm:ss", 47: "mm:ss", 50: "yyyy年m月", 51: "m月d日", 57: "yyyy年m月", 58: "m月d日",
}  # fmt: skip
_HIDDEN = re.compile(r"\[[^\]]{0,40}\]|_.|\*.|\\(?=.)|\"")  # colours, conditions, blanks as wide as a character, quotes
_HALF_OF_DAY = re.compile("am/pm|a/p|上午/下午", re.IGNORECASE)
_CURRENCY = re.compile(r"\[\$([^\]-]{0,10})(?:-[^\]]{0,20})?\]")
_QUOTED = re.compile(r"\"[^\"]{0,100}\"|\\.")
_ELAPSED = re.compile(r"\[(h+|m+|s+)\]", re.IGNORECASE)
_SIMPLE = re.compile(
    r"([^\d#?,.%]{0,12})([#?,]{0,12}[0#?](?:[#?0,]{0,12}))(\.[0#?]{1,15})?(,{0,3})( ?%)?([^\d#?,.%]{0,12})"
)
_DATE_PARTS = re.compile(r"y+|m+|d+|h+|s+|年|月|日", re.IGNORECASE)
_HALF_SECOND = timedelta(microseconds=500_000)
_FIRST_1904 = datetime(1904, 1, 1)


class Format(NamedTuple):
    """What a format does to a figure."""

    dates: str = ""  # which of y, m, d, h, n (minutes), s a date is shown with; e: elapsed time
    chinese: bool = False
    before: str = ""
    after: str = ""
    decimals: int | None = None  # None: as many as there are
    grouped: bool = False
    digits: int = 1  # before the point, at least
    percent: bool = False


GENERAL = Format()
"""As many digits as there are."""


def built_in(number: int) -> str:
    """The code of a format that has a number only; "" for the general one."""
    return _BUILT_IN.get(number, "")


@lru_cache(maxsize=4096)
def read_format(code: str) -> Format:
    """What the format ``code`` does to positive figures; one that is not simple does nothing."""
    first = _HALF_OF_DAY.sub("", code[:200].split(";")[0])
    if elapsed := _ELAPSED.search(first):
        return Format(dates="e" + ("s" if "s" in first.lower().replace(elapsed.group(), "") else ""))
    first = _CURRENCY.sub(lambda found: f'"{found.group(1)}"', first)
    bare = _HIDDEN.sub("", _QUOTED.sub("", first)) + "".join(re.findall("[年月日]", first))
    if re.search("[ymdhs]", bare, re.IGNORECASE) and "general" not in bare.lower() and not re.search("[#0?]", bare):
        return Format(dates=_date_parts(bare), chinese="年" in first or "月" in first)
    plain = _HIDDEN.sub("", first).strip()
    shown = _SIMPLE.fullmatch(plain)
    if shown is None or shown.group(4):
        return GENERAL
    before, whole, fraction, _, percent, after = shown.groups()
    if any(letter in before + after for letter in "@/") or re.search(r"[eE][+-]", after):
        return GENERAL
    return Format(
        before=before.lstrip("-("),
        after=after.rstrip(")"),
        decimals=len(fraction or ".") - 1 if not fraction or set(fraction) == {".", "0"} else None,
        grouped="," in whole,
        digits=whole.count("0"),
        percent=bool(percent),
    )


def show(value: float, form: Format, *, since_1904: bool = False) -> str:
    """``value`` as ``form`` shows it."""
    if form.dates and isfinite(value):
        return _show_date(value, form, since_1904=since_1904)
    general = f"{value:.15g}"
    if (form == GENERAL and "e" not in general) or not isfinite(value):
        return general
    try:
        figure = Decimal(general)
        figure = figure * 100 if form.percent else figure
        if form.decimals is not None:
            figure = figure.quantize(Decimal(1).scaleb(-form.decimals), ROUND_HALF_UP)
    except InvalidOperation:
        return general
    if not -30 < figure.adjusted() < 21:
        return general
    words = f"{abs(figure):,f}" if form.grouped else f"{abs(figure):f}"
    if form.decimals is None and "." in words:
        words = words.rstrip("0").rstrip(".")
    if not form.grouped and form.digits > 1:
        words = words.zfill(form.digits + (form.decimals + 1 if form.decimals else 0))
    sign = "-" if figure < 0 else ""
    return f"{sign}{form.before}{words}{'%' if form.percent else ''}{form.after}".strip()


def _date_parts(code: str) -> str:
    """Which parts of a date a format shows; m is minutes after hours and before seconds, else months."""
    found: list[str] = []
    for match in _DATE_PARTS.finditer(code.lower()):
        part = {"年": "y", "月": "m", "日": "d"}.get(match.group()[0], match.group()[0])
        if part == "m" and found and found[-1] == "h" and match.group() != "月":
            part = "n"
        if part == "s" and found and found[-1] == "m":
            found[-1] = "n"
        found.append(part)
    return "".join(part for part in "ymdhns" if part in found)


def _show_date(value: float, form: Format, *, since_1904: bool) -> str:
    if form.dates.startswith("e"):
        seconds = round(abs(value) * 86400)
        hours, rest = divmod(seconds, 3600)
        tail = f":{rest % 60:02d}" if "s" in form.dates else ""
        return f"{'-' if value < 0 else ''}{hours}:{rest // 60:02d}{tail}"
    # Day 60 is a 29 February 1900 that never was.
    start = _FIRST_1904 if since_1904 else datetime(1899, 12, 31 if value < 60 else 30)
    try:
        moment = start + timedelta(days=value) + _HALF_SECOND
    except OverflowError:
        return f"{value:.15g}"
    if value < 0:
        return f"{value:.15g}"
    parts = [_show_day(moment, form), _show_time(moment, form)]
    return " ".join(filter(None, parts))


def _show_day(moment: datetime, form: Format) -> str:
    shown = [part for part in "ymd" if part in form.dates]
    if form.chinese and shown:
        words = {"y": f"{moment.year}年", "m": f"{moment.month}月", "d": f"{moment.day}日"}
        return "".join(words[part] for part in shown)
    if not shown or shown == ["d"]:
        return str(moment.day) if shown else ""
    # A day without its year would be read as another one: ISO 8601 has no form for it.
    return f"{moment:%Y-%m-%d}" if "d" in shown else f"{moment:%Y-%m}" if "m" in shown else f"{moment:%Y}"


def _show_time(moment: datetime, form: Format) -> str:
    if "h" not in form.dates and "n" not in form.dates and "s" not in form.dates:
        return ""
    if "h" not in form.dates:
        return f"{moment:%M:%S}"
    if "y" in form.dates and (moment.hour, moment.minute, moment.second) == (0, 0, 0):
        return ""
    return f"{moment:%H:%M:%S}" if "s" in form.dates and (moment.second or "y" not in form.dates) else f"{moment:%H:%M}"


__all__ = ["GENERAL", "Format", "built_in", "read_format", "show"]
