"""What chunkers pack: stretches of text that fit into a chunk and are not parted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from extractors.long_sentences import cut_long
from extractors.sentences import sentence_bounds
from extractors.token_estimate import estimate_tokens
from extractors.unparted import CLOSING_MARKS, Brackets, quick_tokens, unparted


class Piece(NamedTuple):
    """A sentence, row, turn or the like, or a part of one that is longer than a chunk."""

    start: int
    end: int
    tokens: float


def sentence_pieces(text: str, start: int, end: int, size: float) -> Iterator[Piece]:
    """The sentences of ``text[start:end]``, those joined that a bracket or a closing mark ties, long ones cut."""
    brackets = Brackets(text, start, end, size)
    for first, last in unparted(text, sentence_bounds(text, start, end), brackets):
        tokens = quick_tokens(text, first, last, size)
        if tokens <= size:
            yield Piece(first, last, tokens)
            continue
        for cut_start, cut_end in cut_long(text, first, last, size, brackets=brackets):
            in_run = cut_end < last and is_run(text, cut_end)
            yield Piece(cut_start, cut_end, size if in_run else estimate_tokens(text[cut_start:cut_end]))


def is_run(text: str, position: int) -> bool:
    """Whether what is cut at ``position`` counts for more in one piece: a run of signs without blanks."""
    return "!" <= text[position - 1] <= "~" and "!" <= text[position] <= "~"


def whole_pieces(text: str, bounds: Iterable[tuple[int, int]], size: float) -> Iterator[Piece]:
    """What ``bounds`` hold (turns, blocks, ...), each whole if it fits, else its sentences.

    One that starts with a closing mark is joined to the one before it, if the two fit together.
    """
    for group in tied(text, bounds):
        start, end = group[0][0], group[-1][1]
        if (tokens := quick_tokens(text, start, end, size)) <= size:
            yield Piece(start, end, tokens)
            continue
        for first, last in group:
            if len(group) > 1 and (tokens := quick_tokens(text, first, last, size)) <= size:
                yield Piece(first, last, tokens)
            else:
                yield from sentence_pieces(text, first, last, size)


def tied(text: str, bounds: Iterable[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    """``bounds`` in order, each with those behind it that start with a closing mark."""
    group: list[tuple[int, int]] = []
    for start, end in bounds:
        if group and text[start] not in CLOSING_MARKS:
            yield group
            group = []
        group.append((start, end))
    if group:
        yield group


def stripped(text: str, start: int, end: int) -> tuple[int, int]:
    """``[start, end)`` without the white space at its ends; empty at ``end`` if it holds nothing else."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def packed(pieces: Iterable[Piece], size: float) -> Iterator[tuple[int, int]]:
    """Start and end of chunks of whole pieces, each as many as fit."""
    start: int | None = None
    end, tokens = 0, 0.0
    for piece in pieces:
        if start is not None and tokens + piece.tokens > size:
            yield start, end
            start = None
        if start is None:
            start, tokens = piece.start, 0.0
        end, tokens = piece.end, tokens + piece.tokens
    if start is not None:
        yield start, end


__all__ = ["Piece", "is_run", "packed", "sentence_pieces", "stripped", "tied", "whole_pieces"]
