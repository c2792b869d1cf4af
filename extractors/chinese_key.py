"""The normalised key of a Chinese mention: a pure function of its words alone."""

from __future__ import annotations

from collections.abc import Sequence

from extractors.chinese_amounts import Amount, amounts
from extractors.chinese_cues import CUE_WORDS
from extractors.chinese_events import Event, direction_of, find_events, is_noun, is_skipped
from extractors.chinese_lexicon import ATTRIBUTES, GENERIC, NEGATORS
from extractors.chinese_script import simplified
from extractors.chinese_tables import listed
from extractors.chinese_words import Word, words
from storage.records import Direction, StatementKey

_LONGEST_MENTION = 200
"""Characters of a mention that are looked at."""
_MOST_TERMS = 24
_FALLS = frozenset(listed("降 跌落 滑落 滑坡"))
_FALLING = frozenset(
    listed("""
    雨 大雨 暴雨 大暴雨 小雨 中雨 阵雨 雷阵雨 雨水 雪 大雪 暴雪 雨雪 冰雹 霜 露水 大雾 山体 边坡 坡体 岩石 巨石 落石
    石块 树枝 广告牌 脚手架 工人 人员 乘客 行人 游客 孩子 老人 男子 女子 电梯 吊篮 货物 夜幕 炸弹 甘霖
    """)
)
"""What falls without becoming less: 天降大雨, 山体滑坡."""

_PARTS = frozenset(
    listed("东部 南部 西部 北部 中部 东北部 西北部 东南部 西南部 东侧 西侧 南侧 北侧 东区 西区 南区 北区")
)
"""Words for a part of a place, which the tagger takes for prepositions: 北部港口关闭 is not 港口关闭."""

_WHERE = {"国际": ("国际", "国外", "海外", "全球", "外盘"), "国内": ("国内", "我国", "中国", "国产")}
"""Words for where something holds, by the one that stands in a key; two places are told apart by them alone."""


def chinese_key(text: str) -> StatementKey | None:
    """The key of one mention, or None where it has no content words.

    A mention that is one event (a direction word with its attribute and subject) gets the subject's words, then the
    attribute's canonical word, and the direction, so that wordings of one event agree. Any other mention gets its
    content words in text order, without direction. Behind them stand the numbers, amounts and dates of the mention.

    >>> chinese_key("玉米涨价").text == chinese_key("玉米价格上涨").text
    True
    >>> chinese_key("三月停工").text
    'down:供给 3月'
    """
    plain = simplified(text)[:_LONGEST_MENTION]
    found = words(plain)
    measured = amounts(plain, found)
    event = main_event(found, measured)
    terms = event.terms if event is not None else tuple(dict.fromkeys(_content(_without(found, measured))))
    if not terms:
        return None
    return StatementKey(
        language="zh",
        terms=tuple(dict.fromkeys((*terms, *_parts(found), *(a.term for a in measured))))[:_MOST_TERMS],
        direction=event.direction if event is not None else Direction.NONE,
        negated=event.negated if event is not None else any(w.text in NEGATORS for w in found),
    )


def told_apart(key: StatementKey, first: str, second: str) -> tuple[StatementKey, StatementKey]:
    """The keys of two mentions that have one key: with the place of each, where both say where they hold.

    国际油价上涨 and 国内油价上涨 are one rise to who asks for it, and two where the one leads to the other.
    """
    here, there = _place(first), _place(second)
    if not here or not there or here == there:
        return key, key
    first_key, second_key = (key.model_copy(update={"terms": (place, *key.terms)}) for place in (here, there))
    return first_key, second_key


def _place(text: str) -> str:
    plain = simplified(text)
    return next((place for place, names in _WHERE.items() if any(name in plain for name in names)), "")


def _parts(found: Sequence[Word]) -> list[str]:
    return [w.text for w in found if w.text in _PARTS]


def main_event(found: Sequence[Word], measured: Sequence[Amount] = ()) -> Event | None:
    """The event that a mention is about: its last one, unless most content words lie outside of it."""
    events = [e for e in find_events(found) if not _is_a_fall(found, e)]
    if not events:
        return None
    event = next((e for e in reversed(events) if e.has_subject), events[-1])
    rest = _without(found, measured)
    outside = _content([w for w in rest if w.end <= event.start or w.start >= event.end])
    return event if len(outside) <= max(3, 2 * len(event.terms)) else None


def _without(found: Sequence[Word], measured: Sequence[Amount]) -> list[Word]:
    """The words that are no part of an amount."""
    return [w for w in found if not any(w.start < a.end and a.start < w.end for a in measured)]


def _is_a_fall(found: Sequence[Word], event: Event) -> bool:
    """Whether something falls down, rather than that there is less of it."""
    inside = {w.text for w in found if event.start <= w.start < event.end}
    return bool(inside & _FALLS) and bool(inside & _FALLING)


def _content(found: Sequence[Word]) -> list[str]:
    """Content words; generic ones only where nothing else is left.

    An attribute that ends them names what may change (设备订单), and stands by its canonical word as in an event.
    """
    content = [w for w in found if _is_content(w)]
    telling = [w.text for w in content if w.text not in GENERIC] or [w.text for w in content]
    return [*telling[:-1], ATTRIBUTES.get(telling[-1], telling[-1])] if telling else []


def _is_content(word: Word) -> bool:
    if word.text in CUE_WORDS or not any(c.isalnum() for c in word.text):
        return False
    if word.flag.startswith(("v", "a", "s")):
        return word.text not in ("是", "有", "会", "要", "能", "可以", "可能", "应该", "说", "让", "使")
    return is_noun(word) or direction_of(word) is not None or not (is_skipped(word) or word.flag[0] in "cpruxeoky")


__all__ = ["chinese_key", "main_event", "told_apart"]
