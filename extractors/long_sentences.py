"""Cuts a sentence that is longer than a chunk where it hurts least."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from extractors.sentences import CLOSING
from extractors.token_estimate import estimate_tokens

_CLAUSE_END = re.compile(rf"[，,；;：:、—][{re.escape(CLOSING)}\"']*")
_WHITE = re.compile(r"\s+")
_JOINERS = "\u200d\ufe0e\ufe0f"  # what holds an emoji sequence together
_BACK = 64
_STEP = 64  # characters by which the length of a piece is found


def cut_long(text: str, start: int, end: int, size: float) -> Iterator[tuple[int, int]]:
    """Pieces of ``text[start:end]`` of at most about ``size`` tokens, in order, without the white space at the cuts.

    A piece ends behind a comma or the like in its second half, else at white space, else between two characters;
    never before a closing mark or inside a combined character, as long as there is another place.
    """
    position = start
    while position < end:
        limit = _reach(text, position, end, size)
        cut = limit if limit >= end else _best_cut(text, position, limit)
        stop = cut
        while stop > position and text[stop - 1].isspace():
            stop -= 1
        if stop > position:
            yield position, stop
        while cut < end and text[cut].isspace():
            cut += 1
        position = cut


def _reach(text: str, start: int, end: int, size: float) -> int:
    """How far a piece of ``size`` tokens reaches: at least one character, to the accuracy of a few words."""
    tokens = 0.0
    position = start
    while position < end:
        step = min(position + _STEP, end)
        tokens += estimate_tokens(text[position:step])
        if tokens > size and position > start:
            return position
        position = step
    return end


def _best_cut(text: str, start: int, limit: int) -> int:
    half = start + (limit - start) // 2
    for pattern in (_CLAUSE_END, _WHITE):
        ends = [match.end() for match in pattern.finditer(text, half, limit)]
        if ends and _may_start(text, ends[-1]):
            return ends[-1]
    # A run of marks longer than this is cut inside: looking further back for each cut would not be linear.
    return next((at for at in range(limit, max(half, limit - _BACK), -1) if _may_start(text, at)), limit)


def _may_start(text: str, position: int) -> bool:
    """Whether a piece may start here."""
    if position >= len(text):
        return True
    character = text[position]
    if character in CLOSING or character in _JOINERS or unicodedata.combining(character):
        return False
    return text[position - 1] != "\u200d" and not "\U0001f3fb" <= character <= "\U0001f3ff"


__all__ = ["cut_long"]
