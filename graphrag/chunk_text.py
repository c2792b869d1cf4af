"""Where a file is cut into chunks and why there: what ``clew ingest --explain-chunks`` prints."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from extractors.ports import Chunker, ChunkSpan
from extractors.sentences import CLOSING
from extractors.tables import TableWords
from extractors.token_estimate import estimate_tokens
from graphrag.places import in_words
from graphrag.results import Result
from storage.records import Document, PlaceKind, PlaceName, Record, TextKind

Ending = Literal[
    "document", "section", "paragraph", "sentence", "size", "table", "row", "turn", "message", "slide", "definition",
    "statement",
]  # fmt: skip
"""What ends where a chunk does; ``size``: nothing does, and it was full."""

_PLACES: dict[PlaceKind, Ending] = {
    PlaceKind.SLIDE: "slide",
    PlaceKind.MESSAGE: "message",
    PlaceKind.TURN: "turn",
}
_WORDS = 6
_CHARACTERS = 30
_SENTENCE_ENDS = "。！？；….!?:："


class Cut(Record):
    """One chunk, and why it ends where it does."""

    number: int
    start: int
    end: int
    tokens: int  # estimated
    kind: TextKind
    section: tuple[str, ...] = ()
    page: int | None = None
    places: tuple[PlaceName, ...] = ()
    context: str = ""
    ends: Ending
    repeated: int = 0  # characters at its beginning that the chunk before has as well
    first_words: str
    last_words: str

    def as_text(self) -> str:
        """Three lines: where it stands, how it begins, how it ends."""
        where = [f"§ {' › '.join(self.section)}"] if self.section else []
        where += [f"p. {self.page}"] if self.page is not None else []
        where += in_words(self.places)
        lines = [
            f"{self.number}. [{self.start}:{self.end}] {self.tokens} tokens, {self.kind.value}"
            + "".join(f", {place}" for place in where)
            + (f", repeats {self.repeated} characters" if self.repeated else "")
        ]
        lines += [f"   above it: {' / '.join(self.context.split(chr(10)))}"] if self.context else []
        lines.append(f"   “{self.first_words} … {self.last_words}”")
        lines.append(f"   ends {_ENDINGS[self.ends]}")
        return "\n".join(lines)


_ENDINGS: dict[Ending, str] = {
    "document": "with the document",
    "section": "with its section",
    "paragraph": "with a paragraph",
    "sentence": "with a sentence, full",
    "size": "inside a sentence that is longer than a chunk",
    "table": "with the table, or before one",
    "row": "with a row, full",
    "turn": "with a turn, full",
    "message": "with the message",
    "slide": "with the slide",
    "definition": "with a definition",
    "statement": "with a statement",
}


class DocumentCuts(Record):
    """The chunks of one document."""

    title: str
    id: str | None = None
    kind: TextKind
    cuts: tuple[Cut, ...]


class ChunkListing(Result):
    """The chunks of a file, document by document."""

    path: str
    chunker: str
    documents: tuple[DocumentCuts, ...]

    def as_text(self) -> str:
        lines = [f"{self.path}: chunker {self.chunker}"]
        for document in self.documents:
            lines += ["", f"{document.id or document.title}: {document.kind.value}, {len(document.cuts)} chunks"]
            lines += [cut.as_text() for cut in document.cuts]
        return "\n".join(lines)


def list_chunks(path: Path, documents: Sequence[Document], chunker: Chunker) -> ChunkListing:
    """Cut every document of a file; stores nothing."""
    return ChunkListing(
        path=str(path),
        chunker=chunker.name,
        documents=tuple(
            DocumentCuts(title=d.title, id=d.id, kind=d.kind, cuts=tuple(_cuts(d, chunker.chunk(d)))) for d in documents
        ),
    )


def _cuts(document: Document, chunks: Sequence[ChunkSpan]) -> list[Cut]:
    tables = TableWords(document.tables, document.text)
    cuts = []
    for i, chunk in enumerate(chunks):
        text = document.text[chunk.start : chunk.end]
        before = chunks[i - 1].end if i else 0
        in_table = any(place.kind is PlaceKind.ROW for place in chunk.places)
        cuts.append(
            Cut(
                number=i + 1,
                start=chunk.start,
                end=chunk.end,
                tokens=round(estimate_tokens(text)),
                kind=TextKind.TABLE if in_table else document.kind,
                section=chunk.section,
                page=chunk.page,
                places=chunk.places,
                context=chunk.context,
                ends=_ending(document, tables, chunk, chunks[i + 1] if i + 1 < len(chunks) else None),
                repeated=max(0, before - chunk.start),
                first_words=_edge(text, last=False),
                last_words=_edge(text, last=True),
            )
        )
    return cuts


def _ending(document: Document, tables: TableWords, chunk: ChunkSpan, following: ChunkSpan | None) -> Ending:
    if following is None:
        return "document"
    text, end, begin = document.text, chunk.end, max(following.start, chunk.end)
    for place in document.places:
        if place.kind in _PLACES and (place.start == begin or end <= place.end < begin):
            return _PLACES[place.kind]
    row, row_after = (any(p.kind is PlaceKind.ROW for p in c.places) for c in (chunk, following))
    if row and row_after and not tables.starts_table(begin):
        return "row" if tables.ends_row(end) else "size"
    if row or row_after:
        return "table"
    if document.kind is TextKind.CODE:
        if "\n" not in text[end:begin]:
            return "size"
        return "definition" if following.section[: len(chunk.section)] != chunk.section else "statement"
    if any(end <= section.start <= following.start for section in document.sections):
        return "section"
    if text.count("\n", end, _next_word(text, end)) > 1:
        return "paragraph"
    mark = text[:end][-3:].rstrip(CLOSING + "\"'")[-1:]
    return "sentence" if (mark and mark in _SENTENCE_ENDS) or "\n" in text[end : _next_word(text, end)] else "size"


def _next_word(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def _edge(text: str, *, last: bool) -> str:
    """The first or last words of a chunk, on one line."""
    part = text[-200:] if last else text[:200]
    words = part.split()[-_WORDS:] if last else part.split()[:_WORDS]
    while len(words) > 1 and len(" ".join(words)) > _CHARACTERS:
        del words[0 if last else -1]
    edge = " ".join(words)
    return edge[-_CHARACTERS:] if last else edge[:_CHARACTERS]


__all__ = ["ChunkListing", "Cut", "DocumentCuts", "list_chunks"]
