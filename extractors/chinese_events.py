"""Events in Chinese words: a direction word with its attribute and its subject (玉米 价格 上涨)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from extractors.chinese_cues import CUE_WORDS
from extractors.chinese_lexicon import (
    ACTIVITIES,
    ADJECTIVES,
    ATTRIBUTES,
    COMPOUNDS,
    DIRECTION_WORDS,
    DRIVERS,
    FUNCTION_VERBS,
    GENERIC,
    MEASURES,
    MODALS,
    MODIFIERS,
    NEGATORS,
    PRICE_SUFFIX_EXCEPTIONS,
    PRICE_WORDS,
    RATE_WORDS,
    REPORTING,
    SIGNED_CAUSATIVES,
    SLOWING,
    TRANSITIVE,
)
from extractors.chinese_tables import listed
from extractors.chinese_words import Word
from storage.records import Direction

_GAP = 12
"""Most words between a direction word and its attribute; those that may stand there carry no content."""
_SUBJECT = 10
"""Most words a subject reaches to the left of its attribute."""

_NOUN_FLAGS = ("n", "vn", "j", "eng", "b", "l", "an", "i", "g")
_SKIPPED_FLAGS = ("d", "ad", "vd", "m", "q", "t", "f", "u", "z", "zg", "y")
_JOINTS = frozenset(listed("和 与 及 以及 、 / 或"))
_FEELINGS = frozenset(listed("担忧 忧虑 恐慌 猜测 疑虑 期待 担心"))
_TRADE = ("进口", "出口")
_OPPOSITE = {Direction.UP: Direction.DOWN, Direction.DOWN: Direction.UP, Direction.NONE: Direction.NONE}


class Event(NamedTuple):
    """What changes and which way: ``terms`` are subject words then the attribute's canonical word."""

    terms: tuple[str, ...]
    attribute: str
    direction: Direction
    negated: bool
    start: int
    end: int
    has_subject: bool


def is_noun(word: Word) -> bool:
    """Whether the word can belong to the name of a thing."""
    if word.text[0].isdigit() or word.text in REPORTING:
        return False
    return word.flag.startswith(_NOUN_FLAGS) or word.text in ATTRIBUTES or word.text in ACTIVITIES


def is_skipped(word: Word) -> bool:
    """Whether the word says nothing about which event is meant (adverbs, numbers, times, particles)."""
    if word.text[0].isdigit() or word.text[0] == "\x01":  # a blanked aside
        return True
    return (
        word.flag.startswith(_SKIPPED_FLAGS) or word.text in GENERIC or word.text in NEGATORS or word.text in "%％.+-~"
    )


def direction_of(word: Word) -> Direction | None:
    """The direction that a word says, alone or with its attribute."""
    if word.text in COMPOUNDS:
        return COMPOUNDS[word.text][1]
    return DIRECTION_WORDS.get(word.text) or RATE_WORDS.get(word.text)


def find_events(words: Sequence[Word]) -> list[Event]:
    """The events of one clause, in order; no two share their direction word."""
    events: list[Event] = []
    taken = 0  # words before this index belong to the events found so far
    for i, word in enumerate(words):
        direction = direction_of(word)
        if direction is None and word.text in ADJECTIVES and _describes(words, i, taken):
            direction = ADJECTIVES[word.text]
        if direction is None and word.text in DRIVERS and _drives(words, i):
            direction = DRIVERS[word.text]
        if direction is None or i < taken:
            continue
        event, taken = _event(words, i, direction, taken)
        if event is not None:
            events.append(event)
    return events


def _event(words: Sequence[Word], i: int, direction: Direction, floor: int) -> tuple[Event | None, int]:
    """The event of the direction word at ``i`` and the index after its last word."""
    word, last = words[i], i
    following = words[i + 1] if i + 1 < len(words) else None
    if following is not None and following.text in SLOWING:
        last = i + 1
        direction = direction if word.text in RATE_WORDS else _OPPOSITE[direction]
    elif following is not None and word.text in RATE_WORDS and direction_of(following):
        last = i + 1
    elif following is not None and direction_of(following) and _object(words, i + 1) is None:
        return None, floor  # of adjacent direction words the last one counts: 企稳 回升
    behind = _object(words, last)
    if behind is None and word.text in ("支撑", "刺激"):
        return None, i  # 成本 支撑 减弱: a noun unless something is supported
    attribute_at = _attribute_before(words, i, floor)
    named_before = attribute_at is not None and _attribute_name(words[attribute_at].text) != ""
    listed_object = behind is not None and _attribute_name(words[behind[1]].text) != ""
    if behind is not None and (not named_before or (word.text in TRANSITIVE and listed_object)):
        first, end = behind
        attribute_at, last = end, end
        subject = _subject(words, end, first)
        if not subject and word.text not in SIGNED_CAUSATIVES and word.text not in DRIVERS:
            subject = _subject(words, i, floor)
    else:
        if _is_attributive(words, last):
            return None, i
        left = attribute_at if attribute_at is not None else i
        subject = _subject(words, left + (0 if named_before or attribute_at is None else 1), floor)
    return _assemble(words, i, last, attribute_at, subject, direction, floor)


def _assemble(
    words: Sequence[Word],
    i: int,
    last: int,
    attribute_at: int | None,
    subject: list[int],
    direction: Direction,
    floor: int,
) -> tuple[Event | None, int]:
    word = words[i]
    attribute, stem = "", ""
    if attribute_at is not None:
        attribute = _attribute_name(words[attribute_at].text)
        stem = _price_stem(words[attribute_at].text)
    terms = [words[j].text for j in subject if words[j].text not in GENERIC and j != attribute_at]
    if stem:
        terms.append(stem)
    elif attribute_at is not None and not attribute and words[attribute_at].text not in (*terms, *GENERIC):
        terms.append(words[attribute_at].text)
    if word.text in COMPOUNDS:
        own = COMPOUNDS[word.text][0]
        if attribute and attribute != own and word.text not in ("短缺", "过剩"):
            terms.append(attribute)
            attribute = own
        attribute = attribute or own
    elif not attribute and (word.text in PRICE_WORDS or word.text in RATE_WORDS) and not _is_measure(terms):
        attribute = ATTRIBUTES["价"]
    if not attribute:
        trade = next((t for t in terms if t in _TRADE), "")  # 进口 大豆 激增 is 大豆 进口 激增
        if trade and len(terms) > 1:
            terms.remove(trade)
            attribute = trade
    if not terms and not attribute:
        return None, i
    indices = [*subject, i, last, *([attribute_at] if attribute_at is not None else [])]
    start, end = min(indices), max(indices)
    negated = any(words[j].text in NEGATORS for j in range(max(floor, start - 1), end))
    has_subject = bool(terms)
    terms = list(dict.fromkeys(terms))
    telling = [t for t in terms if t not in MODIFIERS]
    terms = telling or terms
    names = (*terms, attribute) if attribute and attribute not in terms else tuple(terms)
    return Event(names, attribute, direction, negated, words[start].start, words[end].end, has_subject), end + 1


def _describes(words: Sequence[Word], i: int, floor: int) -> bool:
    """Whether 高, 低 and the like end a statement about an attribute: 库存 高, not 库存 高 企业."""
    if i + 1 < len(words) and (is_noun(words[i + 1]) or words[i + 1].text == "的"):
        return False
    at = _attribute_before(words, i, floor)
    return at is not None and _attribute_name(words[at].text) != ""


def _drives(words: Sequence[Word], i: int) -> bool:
    """Whether a listed attribute stands behind the verb at ``i`` and nothing there says which way it goes."""
    behind = _object(words, i)
    if behind is None or _attribute_name(words[behind[1]].text) == "":
        return False
    return not any(direction_of(w) or w.text in ADJECTIVES or w.text == "的" for w in words[behind[1] + 1 :])


def _attribute_before(words: Sequence[Word], i: int, floor: int) -> int | None:
    """Index of the nearest content word to the left when it is a noun: the attribute, or the bare subject."""
    adjacent = True
    for j in range(i - 1, max(floor, i - 1 - _GAP) - 1, -1):
        word = words[j]
        adjacent = adjacent and direction_of(word) is not None
        if adjacent:
            continue  # 企稳 回升
        if word.text in CUE_WORDS or word.text in _JOINTS:
            return None
        if word.text in ATTRIBUTES:
            return j
        if is_skipped(word) or word.text in MODALS:
            continue
        return j if is_noun(word) else None
    return None


def _object(words: Sequence[Word], i: int) -> tuple[int, int] | None:
    """First and last index of the noun run behind a direction word that ends in an attribute (降低 纸厂 成本)."""
    if words[i].text not in TRANSITIVE and not (i + 1 < len(words) and words[i + 1].text == "的"):
        return None
    first, attribute, noun = None, None, None
    for j in range(i + 1, min(len(words), i + 1 + _GAP)):
        word = words[j]
        if j == i + 1 and word.text in ("对", "对于"):
            continue  # 降低 对 玉米 的 需求
        if word.text in _JOINTS and attribute is not None:
            break  # 提高 收购价 及 …: what follows is another event
        if direction_of(word) is not None:
            return None  # the attribute belongs to the direction word behind it: 推高 价格 上涨
        if is_noun(word) or (word.text in _JOINTS and first is not None):
            first = j if first is None else first
            attribute = j if _attribute_name(word.text) else attribute
            noun = j if is_noun(word) and word.text not in GENERIC else noun
        elif noun == j - 1 and attribute is None and word.flag.startswith("v") and len(word.text) > 1:
            noun = j  # 增加 用户 投诉
        elif not is_skipped(word):
            break
    last = noun if attribute is None else attribute  # 增加 用户 投诉 has an object too, if no listed attribute
    return None if first is None or last is None else (first, last)


def _is_attributive(words: Sequence[Word], last: int) -> bool:
    """下跌 的 股票 is about the share, not about a fall; 下跌 的 影响 is about the fall."""
    if last + 2 >= len(words) or words[last + 1].text != "的":
        return False
    behind = words[last + 2]
    return behind.text in _FEELINGS or (is_noun(behind) and behind.text not in GENERIC)


def _subject(words: Sequence[Word], right: int, floor: int) -> list[int]:
    """Indices of the words left of ``right`` that name whose attribute it is."""
    found: list[int] = []
    named = right < len(words) and _price_stem(words[right].text) != ""
    joint = False
    for j in range(right - 1, max(floor, right - 1 - _SUBJECT) - 1, -1):
        word = words[j]
        if direction_of(word) is not None or word.text in CUE_WORDS:
            break
        if joint and word.text in ATTRIBUTES:
            if found or named:
                break  # 煤炭 消费量 和 煤价 下降: the other attribute's subject
            continue  # 钢 价格 及 利润 下降: both of one subject
        joint = joint or word.text in _JOINTS
        if is_noun(word) or ((found[-1] if found else right) == j + 1 and _is_splinter(words, j)):
            found.append(j)
        elif word.text in _JOINTS or word.text in "的“”\"'" or is_skipped(word):
            continue
        else:
            break
    while found and words[found[-1]].text in GENERIC:
        found.pop()  # 国内 市场 ... at the outer edge names nothing
    return found[::-1]


def _is_splinter(words: Sequence[Word], j: int) -> bool:
    """A single character cut off a compound that the dictionary does not know: 粗 钢, 猪 料 消费."""
    word = words[j]
    if len(word.text) > 1 or is_skipped(word) or word.text in MODALS or word.text in FUNCTION_VERBS:
        return False
    return word.flag.startswith(("a", "v"))


def _attribute_name(text: str) -> str:
    if text in ATTRIBUTES:
        return ATTRIBUTES[text]
    return ATTRIBUTES["价"] if _price_stem(text) else ""


def _price_stem(text: str) -> str:
    """猪 of 猪价."""
    ends = text.endswith("价") and 2 <= len(text) <= 4
    return text[:-1] if ends and text not in PRICE_SUFFIX_EXCEPTIONS and text not in ATTRIBUTES else ""


def _is_measure(terms: Sequence[str]) -> bool:
    return bool(terms) and (terms[-1] in MEASURES or terms[-1][-1] in MEASURES)


__all__ = ["Event", "direction_of", "find_events", "is_noun", "is_skipped"]
