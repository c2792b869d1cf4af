"""Verbs of change said of what moves: *heavy rain fell*, *smoke rose*, *a digger cut the cable*.

Rain that falls does not become less, and smoke that rises is not more: such a word says no direction of a quantity.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from extractors.english_lexicon import FUNCTION_WORDS, GENERIC_ADVERBS, word_set

_FALLS = word_set("fall drop plunge tumble")
_RISES = word_set("rise climb soar jump")
_FALLING = word_set("""
    rain downpour drizzle shower snow sleet hail hailstone frost dew ash confetti darkness night dusk
    silence hush calm shadow bomb bombshell shell missile grenade leaf leave tree branch bough rock boulder stone debris
    rubble brick tile meteorite meteor curtain tear wall scaffold scaffolding ladder crane pole mast pylon tower roof
    ceiling statue government regime cabinet monarchy dictatorship dynasty empire city town fortress stronghold
    man woman child boy girl worker climber patient passenger pedestrian cyclist rider hiker soldier tourist parachutist
    bus car lorry plane helicopter elevator lift axe
""")
"""What falls down, by its lemma."""
_RISING = word_set("""
    sun moon star smoke steam mist curtain balloon man woman crowd audience cat dog horse hiker climber
""")
_SEVERED = word_set("""
    cable wire rope cord line pipe pipeline hose tree grass hair branch finger hand arm leg throat skin vein artery
    fibre fiber tyre tire power electricity ribbon cake bread vegetable corner
""")
"""What is cut through rather than down."""
_CERTAIN = ("by", "percent", "sharply", "half")
"""Behind the verb these say how much less or more there is, whatever it is of."""


def is_motion(lemma: str, words: Sequence[str], i: int, lemma_of: Callable[[str], str]) -> bool:
    """Whether the word of change at ``i`` tells how a thing moves, or is cut through."""
    if lemma in _FALLS or lemma in _RISES:
        return not _is_measured(words, i) and _moves(words, i, _FALLING if lemma in _FALLS else _RISING, lemma_of)
    if lemma == "cut":
        behind = _run(words, i + 1)
        return (bool(behind) and lemma_of(behind[-1]) in _SEVERED) or (
            not behind and _subject(words, i, lemma_of) in _SEVERED
        )
    return False


def _moves(words: Sequence[str], i: int, things: frozenset[str], lemma_of: Callable[[str], str]) -> bool:
    behind = _run(words, i + 1)
    if i + 1 < len(words) and words[i + 1] == "of":  # the fall of snow
        named = _run(words, i + 2)
        return bool(named) and lemma_of(named[-1]) in things
    if words[i].endswith(("ing", "en")) and behind and lemma_of(behind[-1]) in things:  # falling rocks
        return True
    return _subject(words, i, lemma_of) in things


def _run(words: Sequence[str], start: int) -> list[str]:
    """The words of the noun phrase that begins at ``start``."""
    while start < len(words) and words[start] in ("a", "an", "the", "its", "his", "her", "their", "this", "that"):
        start += 1
    end = start
    while end < len(words) and words[end] not in FUNCTION_WORDS and words[end] not in GENERIC_ADVERBS:
        end += 1
    return list(words[start:end])


def _subject(words: Sequence[str], i: int, lemma_of: Callable[[str], str]) -> str:
    """The lemma of the nearest noun before, unless *of* makes it a part of another (*sales of bombs fell*)."""
    at = i - 1
    while at >= 0 and (words[at] in FUNCTION_WORDS or words[at] in GENERIC_ADVERBS):
        if words[at] in ("in", "of", "on", "from"):
            return ""
        at -= 1
    if at < 0 or "of" in words[max(0, at - 3) : at]:
        return ""
    return lemma_of(words[at])


def _is_measured(words: Sequence[str], i: int) -> bool:
    """*Snow fell by half*, *bus fares rose 5%*: an amount stands behind."""
    rest = words[i + 1 : i + 3]
    return any(w in _CERTAIN or w.endswith("%") for w in rest)


__all__ = ["is_motion"]
