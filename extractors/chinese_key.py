"""The normalised key of a Chinese mention: a pure function of its words alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from extractors.chinese_cues import CUE_WORDS
from extractors.chinese_events import Event, direction_of, find_events, is_noun, is_skipped
from extractors.chinese_lexicon import ATTRIBUTES, GENERIC, NEGATORS
from extractors.chinese_script import simplified
from extractors.chinese_words import Word, words
from storage.records import StatementKey

_LONGEST_MENTION = 200
"""Characters of a mention that are looked at."""
_MOST_TERMS = 24
_DATE = re.compile(r"(?:\d+|[一二三四五六七八九十百零〇]+)[年月日号季]")


def chinese_key(text: str) -> StatementKey | None:
    """The key of one mention, or None where it has no content words.

    A mention that is one event (a direction word with its attribute and subject) gets the subject's words, then the
    attribute's canonical word, and the direction, so that wordings of one event agree. Any other mention gets its
    content words in text order, without direction.

    >>> chinese_key("玉米涨价").text == chinese_key("玉米价格上涨").text
    True
    """
    found = words(simplified(text)[:_LONGEST_MENTION])
    event = main_event(found)
    if event is not None:
        return StatementKey(
            language="zh", terms=event.terms[:_MOST_TERMS], direction=event.direction, negated=event.negated
        )
    terms = _content(found)
    if not terms:
        return None
    return StatementKey(
        language="zh", terms=tuple(dict.fromkeys(terms))[:_MOST_TERMS], negated=any(w.text in NEGATORS for w in found)
    )


def main_event(found: Sequence[Word]) -> Event | None:
    """The event that a mention is about: its last one, unless most content words lie outside of it."""
    events = find_events(found)
    if not events:
        return None
    event = next((e for e in reversed(events) if e.has_subject), events[-1])
    outside = _content([w for w in found if w.end <= event.start or w.start >= event.end])
    return event if len(outside) <= max(3, 2 * len(event.terms)) else None


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
    if _DATE.fullmatch(word.text):
        return True  # 三月版本 is not 九月版本
    return is_noun(word) or direction_of(word) is not None or not (is_skipped(word) or word.flag[0] in "cpruxeoky")


__all__ = ["chinese_key", "main_event"]
