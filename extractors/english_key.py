"""The identity of an English statement: a pure function of its words, without a model or a parse.

Lemmas come from simplemma's dictionary rather than from a stemmer: Snowball's stems merge words that name different
things (*importance* and *import*, *experience* and *experiment*), and its terms (*latenc*, *servic*) cannot be shown
to people. The dictionary costs 19 MB on disk and a quarter of a second once.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise

import simplemma

from extractors.english_lexicon import (
    BARE_ADJECTIVES,
    DEVERBAL,
    DOWN,
    FUNCTION_WORDS,
    GENERIC_ADVERBS,
    LEMMAS,
    MOVING,
    NEGATORS,
    NUMBERS,
    SIDEWAYS,
    UP,
    VERB_SIGNS,
    word_set,
)
from extractors.english_motion import is_motion
from storage.records import Direction, StatementKey

_WORD = re.compile(r"n't\b|%|[^\W_]+?(?=n't\b)|[^\W_]+(?:[.,:/][0-9][^\W_]*)*")
_QUOTES = str.maketrans("‘’‛ʼ＇`´", "'''''''")
_POSSESSIVE = re.compile(r"(?<=\w)'(?:s|d|ll|re|ve|m)?(?!\w)")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_RELATIVE_TIME = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow)\b"
    r"|\b(?:this|last|next|past|previous|coming|recent) (?:day|week|weekend|month|quarter|year|decade)s?\b"
    r"|\b(year|quarter|month|week)[ -](?:on|over)[ -]\1\b"
)
"""Times that depend on when a text was written: they tell no event from another."""
_BEFORE_A_MONTH = word_set("in of by since until till early mid late last next from")
_MAY = "May"
"""The month, which no other word is written like once all are in small letters."""
_CONTRACTED = {"ca": "can", "wo": "will", "sha": "shall", "ai": "be"}
_FAIL = frozenset({"fail", "fails", "failed", "failing"})


def english_key(text: str) -> StatementKey | None:
    """The normalised key of ``text``; None if it holds no content word and no number.

    Numbers, amounts and dates are terms as other words are; times that depend on when a text was written are none.

    >>> key = english_key("the rise in crude prices")
    >>> key.terms, key.direction.value
    (('crude', 'price'), 'up')
    >>> english_key("crude prices surged") == key
    True
    """
    words = _words(text)
    terms: list[tuple[str, Direction]] = []
    negated = False
    for i, word in enumerate(words):
        before = words[i - 1] if i else ""
        after = words[i + 1] if i + 1 < len(words) else ""
        negates = word in NEGATORS or (word in _FAIL and after == "to")
        if negates and not negated:
            negated = True
        elif negates:  # a second one may cancel the first or repeat it: kept, so that neither reading meets the other
            terms.append(("not", Direction.NONE))
        elif word == "longer" and before == "no":
            continue
        elif word not in FUNCTION_WORDS and word not in GENERIC_ADVERBS:
            if word in ("up", "down") and before not in MOVING and terms and terms[-1][1] is not Direction.NONE:
                continue  # slowed down, went up: said already
            terms.append((_lemma(word), _direction(words, i)))
    directions = {direction for _, direction in terms} - {Direction.NONE}
    direction = directions.pop() if len(directions) == 1 else Direction.NONE
    content = tuple(t for t, d in terms if d is Direction.NONE or direction is Direction.NONE)
    if direction is not Direction.NONE:
        content = _without_moving(words, content)
    if not content:  # "the increase": nothing but a direction, which then is the thing itself
        content, direction = tuple(t for t, _ in terms), Direction.NONE
    if not content:
        return None
    return StatementKey(language="en", terms=content, direction=direction, negated=negated)


def _without_moving(words: list[str], content: tuple[str, ...]) -> tuple[str, ...]:
    """Without the verb of *went up*, which says nothing besides the direction."""
    moving = {_lemma(w) for w, after in pairwise(words) if w in MOVING and after in ("up", "down")}
    return tuple(t for t in content if t not in moving)


def _words(text: str) -> list[str]:
    """Lower-cased words and numbers; hyphens part words, contractions are spelt out."""
    plain = unicodedata.normalize("NFKC", text).translate(_QUOTES).lower()
    plain = _THOUSANDS.sub("", plain).replace("per cent", "percent")
    plain = _POSSESSIVE.sub(" ", plain)
    found = _WORD.findall(_RELATIVE_TIME.sub(" ", plain)) or _WORD.findall(plain)
    words: list[str] = []
    for i, word in enumerate(found):
        after = found[i + 1] if i + 1 < len(found) else ""
        if word in ("%", "percent") and words and words[-1][0].isdigit():
            words[-1] += "%"
            continue
        if word == "%":
            word = "percent"
        elif after == "n't":
            word = _CONTRACTED.get(word, word)
        elif word == "may" and (after[:1].isdigit() or (i and _dates(found[i - 1]))):
            word = _MAY
        words.append(NUMBERS.get(word, word))
    return words


def _dates(before: str) -> bool:
    """Whether *may* behind this word is the month."""
    return before in _BEFORE_A_MONTH or before[0].isdigit()


@lru_cache(maxsize=65_536)
def _lemma(word: str) -> str:
    if word in LEMMAS:
        return LEMMAS[word]
    if word == _MAY:
        return word.lower()
    lemma = simplemma.lemmatize(word, "en").lower() if word.isalpha() and word.isascii() else word
    return DEVERBAL.get(lemma, lemma)


def _direction(words: list[str], i: int) -> Direction:
    """Which way the word at ``i`` says something goes, where it can say nothing else."""
    word = words[i]
    before = words[i - 1] if i else ""
    if word in ("up", "down"):
        if before not in MOVING:
            return Direction.NONE
        return Direction.UP if word == "up" else Direction.DOWN
    if i + 1 < len(words) and words[i + 1] in SIDEWAYS:
        return Direction.NONE
    if word in BARE_ADJECTIVES and before not in VERB_SIGNS:
        return Direction.NONE
    lemma = _lemma(word)
    if lemma not in UP and lemma not in DOWN:
        return Direction.NONE
    if is_motion(lemma, words, i, _lemma):
        return Direction.NONE
    return Direction.UP if lemma in UP else Direction.DOWN


__all__ = ["english_key"]
