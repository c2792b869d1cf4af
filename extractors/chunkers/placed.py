"""Cuts what consists of places of one kind: slides and mail by each, dialogue by whole turns."""

from __future__ import annotations

from collections.abc import Iterator

from extractors.chunkers.layout import Layout, Stretch
from extractors.chunkers.pieces import packed, stripped, whole_pieces
from extractors.chunking import SCRAP, StructureChunker
from extractors.ports import ChunkSpan
from extractors.unparted import quick_tokens
from storage.records import Document, PlaceKind

_TITLE = 120
"""Characters of a first line that can be a title."""


class _PlaceChunker:
    """What the chunkers of this module share: the document is cut at the places of one kind."""

    kind: PlaceKind
    method: str

    def __init__(self, size_tokens: int = 350) -> None:
        """``size_tokens``: estimated tokens of a chunk, 16 or more."""
        self._size = size_tokens
        self._prose = StructureChunker(size_tokens, overlap=0)

    @property
    def name(self) -> str:
        """Method, version and settings."""
        return f"{self.method}(size={self._size})"

    def chunk(self, document: Document) -> list[ChunkSpan]:
        """Slices in order that together hold all of the text but white space."""
        return list(self.cut(Layout(document), 0, len(document.text)))

    def cut(self, layout: Layout, start: int, end: int) -> Iterator[ChunkSpan]:
        """The chunks of a part of a document."""
        raise NotImplementedError

    def _parts(self, layout: Layout, start: int, end: int) -> Iterator[Stretch[str]]:
        """The places and what lies between them; a line or two before a place belong to it."""
        lead: Stretch[str] | None = None
        for part in layout.parts(self.kind, start, end):
            part = Stretch(*stripped(layout.text, part.start, part.end), part.inside)
            if part.start == part.end:
                continue
            if lead is not None and part.inside:
                part = Stretch(lead.start, part.end, part.inside)
            elif lead is not None:
                yield lead
            lead = None
            scrap = not part.inside and quick_tokens(layout.text, part.start, part.end, self._size) < SCRAP * self._size
            if scrap:
                lead = part
            else:
                yield part
        if lead is not None:
            yield lead


class SlideChunker(_PlaceChunker):
    """Gives each slide chunks of its own, however small; its title is the context of those that continue it."""

    kind = PlaceKind.SLIDE
    method = "slides@1"

    def cut(self, layout: Layout, start: int, end: int) -> Iterator[ChunkSpan]:
        for part in self._parts(layout, start, end):
            title = _title(layout, part) if part.inside else ""
            for span in self._prose.cut(layout, part.start, part.end):
                yield span if span.start == part.start else span.model_copy(update={"context": title})


class MailChunker(_PlaceChunker):
    """Gives each message chunks of its own; whose it is, is the context of those that continue it."""

    kind = PlaceKind.MESSAGE
    method = "messages@1"

    def cut(self, layout: Layout, start: int, end: int) -> Iterator[ChunkSpan]:
        for part in self._parts(layout, start, end):
            for span in self._prose.cut(layout, part.start, part.end):
                yield span if span.start == part.start else span.model_copy(update={"context": part.inside})


class DialogueChunker(_PlaceChunker):
    """Packs whole turns into chunks; a turn longer than a chunk is cut at its sentences.

    Who speaks is the context of a chunk that starts inside a turn. Turns that make half a chunk or
    more end where their section does.
    """

    kind = PlaceKind.TURN
    method = "turns@1"

    def cut(self, layout: Layout, start: int, end: int) -> Iterator[ChunkSpan]:
        text, size = layout.text, self._size
        run: list[tuple[int, int]] = []
        speakers: dict[int, str] = {}
        tokens = 0.0
        section: tuple[str, ...] | None = None
        for part in self._parts(layout, start, end):
            here = layout.section(part.start)
            if run and here != section and tokens >= size / 2:
                yield from self._chunks(layout, run, speakers)
                run, speakers, tokens = [], {}, 0.0
            section = here
            run.append((part.start, part.end))
            speakers[part.start] = part.inside
            tokens += quick_tokens(text, part.start, part.end, size)
        yield from self._chunks(layout, run, speakers)

    def _chunks(self, layout: Layout, turns: list[tuple[int, int]], speakers: dict[int, str]) -> Iterator[ChunkSpan]:
        for start, end in packed(whole_pieces(layout.text, turns, self._size), self._size):
            inside = layout.parts(self.kind, start, end)[0].inside
            yield layout.chunk(start, end, context="" if start in speakers else inside)


def _title(layout: Layout, slide: Stretch[str]) -> str:
    """What a slide is called: its heading, else its first line if that is short."""
    path = layout.section(slide.start)
    if path and layout.text.startswith(path[-1], slide.start):
        return path[-1]
    line = layout.text[slide.start : slide.end].split("\n", 1)[0].strip()
    return line if len(line) <= _TITLE else ""


__all__ = ["DialogueChunker", "MailChunker", "SlideChunker"]
