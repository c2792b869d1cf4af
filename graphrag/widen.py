"""What stands around a chunk: its section, or as much of it as a bound allows."""

from __future__ import annotations

from collections.abc import Sequence

from extractors.sentences import sentence_bounds
from extractors.token_estimate import estimate_tokens
from storage.records import Chunk, Section, Span

WIDER_TOKENS = 1_500
"""Estimated tokens of a widened hit."""

_CHARACTERS = 8  # a token: how far the bound can reach


def widened(sections: Sequence[Section], text: str, chunk: Chunk, *, tokens: float = WIDER_TOKENS) -> Span:
    """The section in which a chunk stands, with those under it, or sentences around it up to the bound."""
    start, end = _section(sections, len(text), chunk)
    room = tokens - estimate_tokens(text[chunk.start : chunk.end])
    reach = int(tokens * _CHARACTERS)
    low, high = max(start, chunk.start - reach), min(end, chunk.end + reach)
    before = list(sentence_bounds(text, low, chunk.start))
    behind = list(sentence_bounds(text, chunk.end, high))
    first, last = chunk.start, chunk.end
    sides = [iter(reversed(before)), iter(behind)]
    while sides:  # one sentence on either side after the other
        for side in list(sides):
            sentence = next(side, None)
            cost = estimate_tokens(text[sentence[0] : sentence[1]]) if sentence else 0.0
            if sentence is None or cost > room:
                sides.remove(side)
                continue
            room -= cost
            first, last = min(first, sentence[0]), max(last, sentence[1])
    return Span(start=first, end=last)


def _section(sections: Sequence[Section], length: int, chunk: Chunk) -> tuple[int, int]:
    around = [s for s in sections if s.start <= chunk.start < s.end]
    if not around:
        start = max((s.end for s in sections if s.end <= chunk.start), default=0)
        return start, max(chunk.end, min((s.start for s in sections if s.start > chunk.start), default=length))
    inner = max(around, key=lambda s: (s.start, -s.end))
    end = max(inner.end, chunk.end)
    for section in sorted(sections, key=lambda s: s.start):
        if inner.start < section.start <= end:
            under = section.path[: len(inner.path)] == inner.path and len(section.path) > len(inner.path)
            if not under and section.start >= chunk.end:
                break
            end = max(end, section.end)
    return inner.start, min(end, length)


__all__ = ["WIDER_TOKENS", "widened"]
