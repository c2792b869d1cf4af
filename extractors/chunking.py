"""Cuts a document into chunks along its sections and sentences."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from extractors.chunkers.layout import Layout, Stretch
from extractors.chunkers.pieces import Piece, sentence_pieces
from extractors.ports import ChunkSpan
from extractors.unparted import quick_tokens
from storage.errors import ConfigurationError
from storage.records import Document

SCRAP = 0.1
"""Share of a chunk: a section this small is a heading and at most a line."""

_PARAGRAPH_FROM = 0.7  # of a chunk: from here on an end of a paragraph is a better end than a full chunk


_Region = Stretch[tuple[str, ...]]


class StructureChunker:
    """Packs whole sentences into chunks that keep to the sections of the document.

    - A chunk never crosses into another section, but for small neighbours under one parent, which share a chunk as
      long as they fit, and a lone heading, which goes with what it heads.
    - It ends at the end of a sentence; of a paragraph, where one ends in its last third. A sentence longer than a
      chunk is cut at a comma or the like, else at white space, else between characters.
    - It does not end inside a bracket that fits into a chunk, nor start with a mark that closes something.
    - Inside a section it repeats whole sentences of the one before: as many as come closest to the overlap.

    Runs in linear time over any text, and holds besides it no more than one chunk and where its brackets stand.
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
        return f"structure@2(size={self._size},overlap={self._overlap:g})"

    def chunk(self, document: Document) -> list[ChunkSpan]:
        """Slices in order that together hold all of the text but white space."""
        return list(self.cut(Layout(document), 0, len(document.text)))

    def cut(self, layout: Layout, start: int, end: int) -> Iterator[ChunkSpan]:
        """The chunks of a part of a document."""
        for group in self._groups(layout.text, layout.regions_in(start, end)):
            for first, last in self._packed(layout.text, group[0].start, group[-1].end):
                yield layout.chunk(first, last)

    def _groups(self, text: str, regions: list[_Region]) -> Iterator[list[_Region]]:
        """Neighbouring regions that share a chunk, or one region alone."""
        group: list[_Region] = []
        tokens = 0.0
        for region, following in zip(regions, [*regions[1:], None], strict=False):
            size = quick_tokens(text, region.start, region.end, self._size)
            # A heading with nothing but lower headings under it belongs to those, not to what stands before it.
            leads = following is not None and size < self._size * SCRAP and _is_under(following.inside, region.inside)
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
        if _is_under(region.inside, group[-1].inside) and tokens < self._size * SCRAP:
            return True
        siblings = region.inside[:-1] == group[0].inside[:-1] or _is_under(region.inside, group[0].inside)
        return siblings and not leads and min(tokens, size) < self._size / 2 and tokens + size <= self._size

    def _packed(self, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        current: deque[Piece] = deque()
        tokens = 0.0
        repeated = 0  # how many of the current pieces the chunk before has as well
        for piece in sentence_pieces(text, start, end, self._size):
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

    def _cut_after(self, text: str, pieces: deque[Piece], repeated: int) -> int:
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

    def _repeat_from(self, pieces: deque[Piece], kept: int, upcoming: Piece) -> int:
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


__all__ = ["SCRAP", "StructureChunker"]
