"""Cuts tables by rows; the header goes with every further chunk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from extractors.chunkers.layout import Layout, ranged
from extractors.chunkers.pieces import Piece, stripped, tied, whole_pieces
from extractors.ports import ChunkSpan
from extractors.tables import Row, column_names, row_words, tables_in_order, titles_of
from extractors.token_estimate import estimate_tokens
from extractors.unparted import quick_tokens
from storage.records import Document, PlaceKind, PlaceName, Table

_HEADER = 0.5
"""Share of a chunk up to which a header is repeated: a longer one would leave no room for rows."""


class _Rows(NamedTuple):
    """Rows that stay together, or a part of a row that is longer than a chunk."""

    piece: Piece
    first: int
    last: int
    first_in_row: bool


class TableChunker:
    """Packs whole rows into chunks.

    - A chunk has as many rows as fit, as they stand in the text and as they read by themselves (with the names of
      their columns). Only a row whose text is longer than a chunk is cut, between its cells, else as a sentence is.
    - The header rows stand in the first chunk; each further one has them as its context, below the table's caption.
    - The chunk's place is its rows, by their numbers in the original; header rows are counted only if it has no other.
    """

    def __init__(self, size_tokens: int = 350) -> None:
        """``size_tokens``: estimated tokens of a chunk, 16 or more."""
        self._size = size_tokens

    @property
    def name(self) -> str:
        """Method, version and settings."""
        return f"rows@2(size={self._size})"

    def chunk(self, document: Document) -> list[ChunkSpan]:
        """The chunks of the tables; what stands around them is left to other chunkers."""
        layout = Layout(document)
        return [c for t, rows in tables_in_order(document.tables, document.text) for c in self.cut(layout, t, rows)]

    def cut(self, layout: Layout, table: Table, rows: Sequence[Row], *, lead: int | None = None) -> Iterator[ChunkSpan]:
        """The chunks of one table. ``lead``: where words begin that introduce it and go with its first rows."""
        text = layout.text
        titles = titles_of(table)
        header = "\n".join(text[row.start : row.end] for row in rows if titles <= row.number < table.header)
        room = float(self._size)
        if (header_tokens := quick_tokens(header, 0, len(header), self._size)) > _HEADER * self._size:
            header = ""
        start = lead
        lead_tokens = 0.0 if lead is None else estimate_tokens(text[lead : rows[0].start])
        chunk: list[_Rows] = []
        used = lead_tokens
        for part in self._parts(text, table, rows):
            if chunk and used + part.piece.tokens > room:
                yield self._chunk(layout, table, chunk, header, start)
                start, chunk, used = None, [], 0.0
                room = self._size - (header_tokens if header else 0.0)
            elif not chunk and start is not None and used + part.piece.tokens > room:
                stop = start + len(text[start : rows[0].start].rstrip())
                yield layout.chunk(start, stop, context=table.caption)
                start, used = None, 0.0
            chunk.append(part)
            used += part.piece.tokens
        if chunk:
            yield self._chunk(layout, table, chunk, header, start)

    def _chunk(self, layout: Layout, table: Table, parts: Sequence[_Rows], header: str, lead: int | None) -> ChunkSpan:
        first, last = parts[0], parts[-1]
        start = first.piece.start if lead is None else lead
        goes_on = first.first >= table.header or not first.first_in_row
        above = [table.caption if table.caption not in layout.text[start : first.piece.end] else ""]
        above.append(header if goes_on else "")
        named = first.first if last.last < table.header else max(first.first, table.header)
        label = ranged(str(table.first_row + named), str(table.first_row + last.last))
        return layout.chunk(
            start,
            last.piece.end,
            context="\n".join(words for words in above if words),
            places=[PlaceName(kind=PlaceKind.ROW, label=label)],
        )

    def _parts(self, text: str, table: Table, rows: Sequence[Row]) -> Iterator[_Rows]:
        names = column_names(table, text)
        by_start = {row.start: row for row in rows}
        for bounds in tied(text, ((row.start, row.end) for row in rows)):
            group = [by_start[start] for start, _ in bounds]
            if len(group) > 1 and (tokens := self._tokens(text, table, group, names)) <= self._size:
                first, last = group[0], group[-1]
                yield _Rows(Piece(first.start, last.end, tokens), first.number, last.number, True)
                continue
            for row in group:
                yield from self._row(text, table, row, names)

    def _row(self, text: str, table: Table, row: Row, names: Sequence[str]) -> Iterator[_Rows]:
        if quick_tokens(text, row.start, row.end, self._size) <= self._size:
            tokens = self._tokens(text, table, [row], names)
            yield _Rows(Piece(row.start, row.end, tokens), row.number, row.number, True)
            return
        for piece in self._cells(text, row):
            yield _Rows(piece, row.number, row.number, piece.start == row.start)

    def _cells(self, text: str, row: Row) -> Iterator[Piece]:
        """The cells of a row with the bars behind them, those longer than a chunk cut as prose is."""
        starts = [row.start, *(cell.start for cell in row.cells[1:]), row.end]
        cells = (stripped(text, start, following) for start, following in pairwise(starts))
        return whole_pieces(text, (cell for cell in cells if cell[0] < cell[1]), self._size)

    def _tokens(self, text: str, table: Table, rows: Sequence[Row], names: Sequence[str]) -> float:
        """The larger of what the rows count as they stand and as they read by themselves, at most one chunk's size."""
        written = sum(quick_tokens(text, row.start, row.end, self._size) for row in rows)
        if written >= self._size:
            return written
        said = sum(estimate_tokens(row_words(table, text, row.number, names)) for row in rows)
        return max(written, min(said, float(self._size)))


__all__ = ["TableChunker"]
