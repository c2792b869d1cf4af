"""Chooses the chunker: by the kind of the document, and for each table in it the one for tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from extractors.chunkers.code import CodeChunker
from extractors.chunkers.layout import Layout
from extractors.chunkers.pieces import stripped
from extractors.chunkers.placed import DialogueChunker, MailChunker, SlideChunker
from extractors.chunkers.table import TableChunker
from extractors.chunking import SCRAP, StructureChunker
from extractors.ports import ChunkSpan
from extractors.tables import tables_in_order
from extractors.unparted import quick_tokens
from storage.records import Document, TextKind

_SENTENCE_ENDS = "。！？；.!?;"


class StretchChunker(Protocol):
    """A chunker that can be asked for a part of a document."""

    @property
    def name(self) -> str:
        """Method, version and settings."""

    def cut(self, layout: Layout, start: int, end: int) -> Iterator[ChunkSpan]:
        """The chunks of a part of a document, in order."""


class KindChunker:
    """Cuts each document by what kind of text it is, and the tables in it by their rows.

    A heading or a line that introduces a table goes with its first rows.
    """

    def __init__(self, size_tokens: int = 350, overlap: float = 0.12) -> None:
        """``size_tokens``: estimated tokens of a chunk, 16 or more; ``overlap``: share of it repeated in prose."""
        self._size = size_tokens
        self._prose = StructureChunker(size_tokens, overlap)
        self._tables = TableChunker(size_tokens)
        self._by_kind: dict[TextKind, StretchChunker] = {
            TextKind.CODE: CodeChunker(size_tokens),
            TextKind.DIALOGUE: DialogueChunker(size_tokens),
            TextKind.SLIDES: SlideChunker(size_tokens),
            TextKind.MAIL: MailChunker(size_tokens),
        }

    @property
    def name(self) -> str:
        """Methods, versions and settings."""
        return "+".join([self._prose.name, self._tables.name, *(part.name for part in self._by_kind.values())])

    def chunk(self, document: Document) -> list[ChunkSpan]:
        """Slices in order that together hold all of the text but white space."""
        layout = Layout(document)
        chunker = self._by_kind.get(document.kind, self._prose)
        if not document.tables or document.kind is TextKind.CODE:
            return list(chunker.cut(layout, 0, len(document.text)))
        return list(self._around_tables(layout, chunker))

    def _around_tables(self, layout: Layout, chunker: StretchChunker) -> Iterator[ChunkSpan]:
        position = 0
        for table, rows in tables_in_order(layout.document.tables, layout.text):
            lead = self._lead(layout, position, rows[0].start)
            yield from chunker.cut(layout, position, rows[0].start if lead is None else lead)
            yield from self._tables.cut(layout, table, rows, lead=lead)
            position = rows[-1].end
        yield from chunker.cut(layout, position, len(layout.text))

    def _lead(self, layout: Layout, start: int, table: int) -> int | None:
        """Where the words begin that introduce the table which starts at ``table``; None if there are none."""
        start, end = stripped(layout.text, layout.regions_in(start, table)[-1].start if start < table else start, table)
        if start == end:
            return None
        blank = layout.text.rfind("\n\n", start, end)
        if blank >= 0 and quick_tokens(layout.text, start, end, self._size) > SCRAP * self._size:
            if layout.text[end - 1] in _SENTENCE_ENDS:
                return None
            start = blank + 2
        few = quick_tokens(layout.text, start, end, self._size) <= SCRAP * self._size
        return start if few and layout.is_one_place(start, table + 1) else None


__all__ = ["KindChunker", "StretchChunker"]
