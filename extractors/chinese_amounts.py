"""Numbers, amounts and dates in a Chinese mention: what tells one event from another of its kind.

三月停工 is not 五月停工, 涨3% is not 涨30%. What the calendar or a number names counts; what depends on when a text was
written (今年, 上周, 同比) or says an amount only roughly (大幅, 数十) does not.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from extractors.chinese_tables import listed
from extractors.chinese_words import Word

_DIGITS = r"\d{1,12}(?:,\d{3}){0,4}(?:\.\d{1,6}){0,3}"
_NUMERAL = "[一二两三四五六七八九十百千万亿零〇]"
_INSIDE = "[一二两三四五六七八九十百千零〇]"  # behind one of these no number begins
_VALUES = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000}

_COUNTED = frozenset(listed("个 家 台 辆 艘 架 座 条 起 例 名 位 人 头 只 张 次 项 批 处 户 部 套 件 颗 枚 种 号"))
"""Measure words and persons: beside the number they say no more than what is counted says itself."""
_CALENDAR = frozenset(listed("年 月 月份 日 号 季度"))
_UNITS = listed("""
    % ‰ 个百分点 百分点 万亿元 亿元 万元 美元 欧元 元 万吨 亿吨 吨 公斤 千克 公里 平方米 立方米 厘米 毫米 米 千瓦时
    千瓦 兆瓦 天 小时 分钟 秒 毫秒 周岁 岁 个月 倍 成 度 级 点 万 亿 亩 万人 万头 万辆 万台
""")
_SPELT = (
    frozenset(listed("成 天 小时 分钟 秒 倍 元 万元 亿元 吨 万吨 公里 米 个月 岁 亩 个百分点")) | _CALENDAR | _COUNTED
)
"""What may follow a number in characters; other words begin like one (二手, 一度, 万一)."""

_SUFFIX = "|".join(sorted({*_UNITS, *_COUNTED, *_CALENDAR}, key=lambda s: (-len(s), s)))
_AMOUNT = re.compile(
    rf"(?P<weekday>(?:周|星期|礼拜)[一二三四五六日天])|(?P<half>[上下]半年)"
    rf"|百分之(?P<percent>{_DIGITS}|{_NUMERAL}{{1,12}})"
    rf"|(?<![A-Za-z\d.])(?P<nth>第)?(?P<number>{_DIGITS}|(?<!{_INSIDE}){_NUMERAL}{{1,12}}?)(?:[-—~～至到](?P<to>{_DIGITS}))?(?P<suffix>{_SUFFIX})"
    rf"|(?<![A-Za-z\d.第])(?P<bare>{_DIGITS})(?![A-Za-z\d])"
)
_ROUGHLY = "近约超逾达第"
_YEAR = re.compile(r"(?:1[89]|20|21)\d\d")
_MONTHS = frozenset(map(str, range(1, 13)))


class Amount(NamedTuple):
    """One number, amount or date: its term, and ``[start, end)`` in the text."""

    term: str
    start: int
    end: int


def amounts(text: str, words: Sequence[Word]) -> list[Amount]:
    """The amounts of ``text`` (simplified script), whose words are given; one that cuts into a word is none."""
    plain = _narrow(text)
    starts, ends = {w.start for w in words}, {w.end for w in words}
    found: list[Amount] = []
    dated = -1  # where a date ended: 15日 behind 9月 is a day, 1号机组 is no date
    for match in _AMOUNT.finditer(plain):
        begins = match.start() in starts or plain[match.start() - 1 : match.start()] in (*_ROUGHLY, "-", ".")
        if not begins or match.end() not in ends:
            continue
        term = _term(match, dated == match.start())
        if term is not None:
            found.append(Amount(term, match.start(), match.end()))
        if match["suffix"] in _CALENDAR:
            dated = match.end()
    return found


def _narrow(text: str) -> str:
    """Full-width digits and signs as narrow ones, every character in its place."""
    return "".join(c if len(n := unicodedata.normalize("NFKC", c)) != 1 else n for c in text)


def _term(match: re.Match[str], after_date: bool) -> str | None:
    if match["weekday"]:
        return f"周{match['weekday'][-1]}".replace("天", "日")
    if match["half"]:
        return match["half"]
    if match["percent"]:
        return f"{_value(match['percent'])}%"
    if match["bare"]:
        return _value(match["bare"])
    written, suffix = match["number"], match["suffix"]
    spelt = not written[0].isdigit()
    if spelt and suffix not in _SPELT:
        return None
    number = _value(written)
    if suffix == "季度":
        return f"{number}季度"
    if suffix in ("月", "月份"):
        return f"{number}-{match['to']}月" if match["to"] else f"{number}月" if number in _MONTHS else None
    if suffix == "年" and not _YEAR.fullmatch(number) and spelt and number == "1":
        return None  # 一年
    if suffix in ("日", "号") and after_date:
        return f"{number}日"
    if match["nth"]:
        return f"第{number}"
    if suffix == "成" and "." not in number:
        return f"{int(number) * 10}%"
    if suffix in _COUNTED:
        return None if spelt and number == "1" else number  # 一家公司: no more than a company
    return f"{number}-{match['to']}{suffix}" if match["to"] else f"{number}{suffix}"


def _value(written: str) -> str:
    """A number in digits; years and the like are read digit by digit."""
    if written[0].isdigit():
        return written.replace(",", "")
    if not any(c in _SCALES for c in written):
        return "".join(str(_VALUES[c]) for c in written)
    total, section, digit = 0, 0, 0
    for c in written:
        if c in _VALUES:
            digit = _VALUES[c]
        elif (scale := _SCALES[c]) < 10_000:
            section += max(digit, 1) * scale
            digit = 0
        else:
            total += max(section + digit, 1) * scale
            section = digit = 0
    return str(total + section + digit)


__all__ = ["Amount", "amounts"]
