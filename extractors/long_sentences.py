"""Cuts a sentence that is longer than a chunk where it hurts least."""

from __future__ import annotations

import re
from collections.abc import Iterator

from extractors.sentences import CLOSING
from extractors.token_estimate import estimate_tokens
from extractors.unparted import NO_BRACKETS, Brackets, may_cut, may_start

CLAUSE_END = re.compile(rf"[，,；;：:、—][{re.escape(CLOSING)}\"']*")
WHITE = re.compile(r"\s+")
_BACK = 64
_SHORTEST = 24  # characters: of fewer it cannot be seen that they are part of a run without blanks
_STEP = 64  # characters by which the length of a piece is found, if it is no smaller than that


def cut_long(
    text: str,
    start: int,
    end: int,
    size: float,
    *,
    brackets: Brackets = NO_BRACKETS,
    ends: tuple[re.Pattern[str], ...] = (CLAUSE_END, WHITE),
) -> Iterator[tuple[int, int]]:
    """Pieces of ``text[start:end]`` of at most about ``size`` tokens, in order, without the white space at the cuts.

    A piece ends behind a comma or the like in its second half (behind the first of ``ends`` that is there), else at
    white space, else between two characters; never before a closing mark or inside a word, a number, a combined
    character or one of ``brackets``, as long as there is another place.
    """
    position = start
    while position < end:
        limit = _reach(text, position, end, size)
        cut = limit if limit >= end else _best_cut(text, position, limit, end, size, brackets, ends)
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
    step = min(_STEP, max(_SHORTEST, int(size)))
    while position < end:
        reached = min(position + step, end)
        tokens += estimate_tokens(text[position:reached])
        if tokens > size and position > start:
            return position
        position = reached
    return end


def _best_cut(
    text: str,
    start: int,
    limit: int,
    end: int,
    size: float,
    brackets: Brackets,
    ends: tuple[re.Pattern[str], ...],
) -> int:
    half = start + (limit - start) // 2
    for pattern in ends:
        found = [match.end() for match in pattern.finditer(text, half, limit)]
        for at in reversed(found):
            if (following := _skip_white(text, at, end)) >= end or may_cut(text, following, brackets):
                return at
    for at in range(limit, start, -1):
        if may_cut(text, at, brackets):
            return at
    # What must not be cut begins where the piece does. It may end right behind, as the reach is not exact.
    for at in range(limit + 1, min(limit + _STEP, end) + 1):
        if at == end or may_cut(text, at, brackets):
            if estimate_tokens(text[start:at]) <= size:
                return at
            break
    for at in range(limit, start, -1):
        if may_cut(text, at, NO_BRACKETS):
            return at
    # A run of marks longer than this is cut inside: looking further back for each cut would not be linear.
    return next((at for at in range(limit, max(half, limit - _BACK), -1) if may_start(text, at)), limit)


def _skip_white(text: str, position: int, end: int) -> int:
    match = WHITE.match(text, position, end)
    return match.end() if match else position


__all__ = ["CLAUSE_END", "WHITE", "cut_long"]
