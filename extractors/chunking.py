"""Cuts a document into chunks along its sections and sentences."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from extractors.long_sentences import cut_long
from extractors.ports import ChunkSpan
from extractors.sentences import sentence_bounds
from extractors.token_estimate import estimate_tokens
from storage.errors import ConfigurationError
from storage.records import Document

_SCRAP = 0.1  # of a chunk: a section this small is a heading and at most a line
_LONGEST_TOKEN = 20  # characters: text of more than this many a token is certainly longer than the chunk
_PARAGRAPH_FROM = 0.7  # of a chunk: from here on an end of a paragraph is a better end than a full chunk


class _Piece(NamedTuple):
    """A sentence, or a part of one that is longer than a chunk."""

    start: int
    end: int
    tokens: float


class _Region(NamedTuple):
    """A stretch of text under one heading."""

    start: int
    end: int
    path: tuple[str, ...]


class StructureChunker:
    """Packs whole sentences into chunks that keep to the sections of the document.

    - A chunk never crosses into another section, but for small neighbours under one parent, which share a chunk as
      long as they fit, and a lone heading, which goes with what it heads.
    - It ends at the end of a sentence; of a paragraph, where one ends in its last third. A sentence longer than a
      chunk is cut at a comma or the like, else at white space, else between characters.
    - Inside a section it repeats whole sentences of the one before: as many as come closest to the overlap.

    Runs in linear time over any text, and holds besides it no more than one chunk.
    """

    def __init__(self, size_tokens: int = 350, overlap: float = 0.12) -> None:
        """``size_tokens``: estimated tokens of a chunk, 16 or more; ``overlap``: share of it repeated, 0 to 0.5."""
        if size_tokens < 16:
            raise ConfigurationError(f"a chunk of {size_tokens} tokens is too small. Use 16 or more")
        if not 0 <= overlap <= 0.5:
            raise ConfigurationError(f"an overlap of {overlap} is out of range. Use a share from 0 to 0.5")
        self._size = size_tokens
        self._overlap = overlap * size_tokens

    @property
    def name(self) -> str:
        """Method, version and settings."""
        return f"structure@1(size={self._size},overlap={self._overlap:g})"

    def chunk(self, document: Document) -> list[ChunkSpan]:
        """Slices in order that together hold all of the text but white space."""
        page_starts = [page.start for page in document.pages]
        chunks = []
        for group in self._groups(document.text, _regions(document)):
            starts = [region.start for region in group]
            for start, end in self._packed(document.text, group[0].start, group[-1].end):
                page = bisect_right(page_starts, start) - 1
                chunks.append(
                    ChunkSpan(
                        start=start,
                        end=end,
                        section=group[bisect_right(starts, start) - 1].path,
                        page=document.pages[page].number if page >= 0 else None,
                    )
                )
        return chunks

    def _groups(self, text: str, regions: list[_Region]) -> Iterator[list[_Region]]:
        """Neighbouring regions that share a chunk, or one region alone."""
        group: list[_Region] = []
        tokens = 0.0
        for region, following in zip(regions, [*regions[1:], None], strict=False):
            size = self._tokens(text, region)
            # A heading with nothing but lower headings under it belongs to those, not to what stands before it.
            leads = following is not None and size < self._size * _SCRAP and _is_under(following.path, region.path)
            if group and self._joins(group, tokens, region, size, leads=leads):
                group.append(region)
                tokens += size
                continue
            if group:
                yield group
            group, tokens = [region], size
        if group:
            yield group

    def _joins(self, group: list[_Region], tokens: float, region: _Region, size: float, *, leads: bool) -> bool:
        if _is_under(region.path, group[-1].path) and tokens < self._size * _SCRAP:
            return True
        siblings = region.path[:-1] == group[0].path[:-1] or _is_under(region.path, group[0].path)
        return siblings and not leads and min(tokens, size) < self._size / 2 and tokens + size <= self._size

    def _tokens(self, text: str, region: _Region) -> float:
        if region.end - region.start > self._size * _LONGEST_TOKEN:
            return float(region.end - region.start)
        return estimate_tokens(text[region.start : region.end])

    def _pieces(self, text: str, start: int, end: int) -> Iterator[_Piece]:
        for first, last in sentence_bounds(text, start, end):
            if last - first <= self._size * _LONGEST_TOKEN:
                tokens = estimate_tokens(text[first:last])
                if tokens <= self._size:
                    yield _Piece(first, last, tokens)
                    continue
            for cut_start, cut_end in cut_long(text, first, last, self._size):
                yield _Piece(cut_start, cut_end, estimate_tokens(text[cut_start:cut_end]))

    def _packed(self, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        current: deque[_Piece] = deque()
        tokens = 0.0
        repeated = 0  # how many of the current pieces the chunk before has as well
        for piece in self._pieces(text, start, end):
            while current and tokens + piece.tokens > self._size:
                kept = self._cut_after(text, current, repeated)
                if kept:
                    yield current[0].start, current[kept - 1].end
                first = self._repeat_from(current, kept, piece)
                for _ in range(first):
                    current.popleft()
                repeated = kept - first
                tokens = sum(each.tokens for each in current)
            current.append(piece)
            tokens += piece.tokens
        if len(current) > repeated:
            yield current[0].start, current[-1].end

    def _cut_after(self, text: str, pieces: deque[_Piece], repeated: int) -> int:
        """How many pieces make the chunk: up to the last end of a paragraph if that is late enough, else all.

        0 when all of them are in the chunk before: they make room for the next piece and are no chunk themselves.
        """
        if len(pieces) <= repeated:
            return 0
        total = sum(piece.tokens for piece in pieces)
        for count in range(len(pieces) - 1, repeated, -1):
            total -= pieces[count].tokens
            if total < self._size * _PARAGRAPH_FROM:
                break
            if text.count("\n", pieces[count - 1].end, pieces[count].start) > 1:
                return count
        return len(pieces)

    def _repeat_from(self, pieces: deque[_Piece], kept: int, upcoming: _Piece) -> int:
        """The first piece of the next chunk: whole sentences that come closest to the overlap, if they fit."""
        if not kept:
            return 1
        rest = sum(pieces[index].tokens for index in range(kept, len(pieces))) + upcoming.tokens
        first, shared = kept, 0.0
        while first > 1:
            more = shared + pieces[first - 1].tokens
            if abs(more - self._overlap) >= abs(shared - self._overlap) or more + rest > self._size:
                break
            first, shared = first - 1, more
        return first


def _is_under(path: tuple[str, ...], parent: tuple[str, ...]) -> bool:
    return 0 < len(parent) < len(path) and path[: len(parent)] == parent


def _regions(document: Document) -> list[_Region]:
    """The text cut at every heading; where a caller's sections lie inside each other the innermost counts."""
    length = len(document.text)
    sections = [s for s in document.sections if s.start < min(s.end, length)]
    cuts = sorted({0, length, *(s.start for s in sections), *(min(s.end, length) for s in sections)})
    sections.sort(key=lambda s: (s.start, -s.end, len(s.path)))
    regions: list[_Region] = []
    opened = 0
    inside: list[tuple[int, tuple[str, ...]]] = []  # end and path of the sections around the cut, innermost last
    for start, end in pairwise(cuts):
        while opened < len(sections) and sections[opened].start <= start:
            inside.append((sections[opened].end, sections[opened].path))
            opened += 1
        while inside and inside[-1][0] <= start:
            inside.pop()
        path = inside[-1][1] if inside else ()
        if regions and regions[-1].path == path and not any(s.start == start for s in sections[opened - 1 : opened]):
            regions[-1] = _Region(regions[-1].start, end, path)
        else:
            regions.append(_Region(start, end, path))
    return regions


__all__ = ["StructureChunker"]
