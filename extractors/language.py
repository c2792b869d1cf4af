"""Which language a text is in, by its script: enough for two languages that share none."""

from __future__ import annotations

import re
from typing import Literal

from extractors.sentences import sentence_bounds
from storage.records import Span

Language = Literal["en", "zh"]

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_LATIN_WORD = re.compile(r"[A-Za-z\u00c0-\u024f]+")
_SAMPLE = 100_000  # characters looked at in the beginning, the middle and the end of a long text
_FEW = 3  # a sentence of fewer words and characters (a number, "OK.") says nothing of its language


def detect_language(text: str) -> Language:
    """``zh`` when the text has at least as many Chinese characters as Latin words, else ``en``.

    A Chinese word has 1.6 characters on average, so the threshold lies at two fifths of the words: a Chinese sentence
    full of foreign names stays Chinese, an English one that cites a few Chinese words stays English. Text without
    either is ``en``. Of a text of more than 300,000 characters three samples are looked at.
    """
    han, words = _counts(text)
    return "zh" if han and han >= words else "en"


def language_runs(text: str) -> list[tuple[Span, Language]]:
    """The text as runs of whole sentences of one language each, in order; together all of it but white space.

    A sentence of fewer than three words or characters goes with the sentence before it (the first ones with the first
    that tells), so that a number or a short exclamation does not tear a run in two.
    """
    runs: list[tuple[int, int, Language]] = []
    untold: int | None = None  # where leading sentences begin that do not tell their language
    for start, end in sentence_bounds(text):
        han, words = _counts(text[start:end])
        language: Language = "zh" if han and han >= words else "en"
        if han + words < _FEW:
            if not runs:
                untold = start if untold is None else untold
                continue
            language = runs[-1][2]
        if runs and runs[-1][2] == language:
            runs[-1] = (runs[-1][0], end, language)
        else:
            runs.append((start if untold is None else untold, end, language))
            untold = None
    if not runs and untold is not None:
        stripped = len(text.rstrip())
        runs.append((untold, stripped, detect_language(text)))
    return [(Span(start=start, end=end), language) for start, end, language in runs]


def _counts(text: str) -> tuple[int, int]:
    """Chinese characters and Latin words."""
    if len(text) > 3 * _SAMPLE:
        middle = len(text) // 2
        text = f"{text[:_SAMPLE]} {text[middle : middle + _SAMPLE]} {text[-_SAMPLE:]}"
    return len(_HAN.findall(text)), len(_LATIN_WORD.findall(text))


__all__ = ["Language", "detect_language", "language_runs"]
