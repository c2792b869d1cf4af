"""What a question asks for, read from its form: which way to walk, and from what."""

from __future__ import annotations

import re
from dataclasses import dataclass

from extractors.language import detect_language
from graphrag.question_forms import CHINESE, ENGLISH, Ask
from storage.records import RelationType


@dataclass(frozen=True, slots=True)
class Question:
    """A question, what it asks for, and the words that name where to start and where to end.

    A walk towards causes ends at ``end``; one towards effects starts at ``start``; a path has both, or neither where
    the form of the question does not tell them apart: then any two things that it names may be the ends.
    """

    text: str
    language: str
    ask: Ask
    start: str | None = None
    end: str | None = None

    @property
    def focus(self) -> str:
        """The words that name what the question is about."""
        return " ".join(part for part in (self.start, self.end) if part) or self.text


_CHINESE_WHY = re.compile(r"(?:究竟|到底)?(?:为什么|为何|为啥|缘何|何以|怎么会|咋)(?:会|要)?")
_CHINESE_HOW = re.compile(r"(?:如何|怎样)(?!$)|怎么(?!会|样|$)")
_ENGLISH_HOW = re.compile(r"how (?!(?:many|much|long|old|often|far|big|large|tall|high|deep|wide|heavy|fast)\b)", re.I)
_TRAILING = re.compile(r"(?<![\s?？!！。.…])[\s?？!！。.…]+$")
_POINTING = re.compile(r"^(?:this|that|it)(?: that)?:\s*(?:that\s+)?", re.IGNORECASE)
_PARTICLES = re.compile(r"(?<![呢吗啊呀的了])[呢吗啊呀的了]+$")

WALKS: dict[Ask, tuple[tuple[RelationType, ...], bool | None]] = {
    Ask.WHY: ((RelationType.CAUSAL,), False),
    Ask.EFFECTS: ((RelationType.CAUSAL,), True),
    Ask.NEXT: ((RelationType.SEQUENTIAL, RelationType.PROGRESSIVE), True),
    Ask.BEFORE: ((RelationType.SEQUENTIAL,), False),
    Ask.SUPPORT: ((RelationType.SUPPORTING,), False),
    Ask.PATH: (tuple(RelationType), True),
    Ask.OPEN: (tuple(RelationType), None),
}
"""The relation types that answer each kind of question, and the way: True forward, False backward, None both."""


def read_question(text: str) -> Question:
    """Read what ``text`` asks for; what has no known form is an open question about all of its words."""
    language = detect_language(text)
    body = _TRAILING.sub("", " ".join(text.split()))
    patterns = _CHINESE_PATTERNS if language == "zh" else _ENGLISH_PATTERNS
    if len(body) > 1_000:  # no question has a form at that length
        return Question(text, language, Ask.OPEN)
    for ask, pattern in patterns:
        if found := pattern.match(body):
            groups = found.groupdict()
            start, end = _cleaned(groups.get("start")), _cleaned(groups.get("end"))
            if start or end:
                return Question(text, language, ask, start, end)
    if (language == "en" and _ENGLISH_HOW.match(body)) or (language == "zh" and _CHINESE_HOW.search(body)):
        return Question(text, language, Ask.PATH)  # how one thing came of another, said in a verb of its own
    if language == "zh" and _CHINESE_WHY.search(body):
        return Question(text, language, Ask.WHY, end=_cleaned(_CHINESE_WHY.sub("", body, count=1)) or body)
    return Question(text, language, Ask.OPEN)


def _cleaned(phrase: str | None) -> str | None:
    if phrase is None:
        return None
    phrase = _POINTING.sub("", phrase)
    phrase = _PARTICLES.sub("", _TRAILING.sub("", phrase.strip(" ,，:：“”\"'"))).strip()
    return phrase or None


_ENGLISH_PATTERNS = [(ask, re.compile(pattern, re.IGNORECASE)) for ask, pattern in ENGLISH]
_CHINESE_PATTERNS = [(ask, re.compile(pattern)) for ask, pattern in CHINESE]

__all__ = ["WALKS", "Ask", "Question", "read_question"]
