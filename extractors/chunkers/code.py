"""Cuts source code by definition, and long definitions at the ends of statements."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from extractors.chunkers import grammars
from extractors.chunkers.grammars import Unit
from extractors.chunkers.layout import Layout, ranged
from extractors.chunkers.pieces import Piece, is_run, stripped
from extractors.chunking import SCRAP
from extractors.long_sentences import CLAUSE_END, WHITE, cut_long
from extractors.ports import ChunkSpan
from extractors.token_estimate import PER_LONG_RUN
from extractors.unparted import CLOSING_MARKS, Brackets, may_cut, quick_tokens
from storage.records import Document, PlaceKind, PlaceName

Path = tuple[str, ...]

LANGUAGE = "programming_language"
"""The name in a document's metadata under which the language of its code stands."""

_ENDS = (re.compile(r"\n"), re.compile(r"[;{}]"), CLAUSE_END, WHITE)
_BLANK = re.compile(r"\n[^\S\n]*\n")


class _Part(NamedTuple):
    """Lines that stay together, with the names of the definitions around them and of what they define."""

    piece: Piece
    inside: Path
    named: Path


class CodeChunker:
    """Packs whole definitions and statements into chunks.

    - A chunk holds one definition, or neighbours inside the same one, as long as they fit. A definition longer than a
      chunk is cut at the ends of its statements, these at line ends.
    - The comments and decorators right above a definition belong to it.
    - A chunk's section is the names of the definitions around it, its place is its lines.

    Definitions are found where the document's metadata name a language whose grammar is there. Elsewhere blocks between
    empty lines are packed, those joined that are indented under another.
    """

    def __init__(self, size_tokens: int = 350) -> None:
        """``size_tokens``: estimated tokens of a chunk, 16 or more."""
        self._size = size_tokens

    @property
    def name(self) -> str:
        """Method, version and settings."""
        return f"code@1(size={self._size})"

    def chunk(self, document: Document) -> list[ChunkSpan]:
        """Slices in order that together hold all of the text but white space."""
        return list(self.cut(Layout(document), 0, len(document.text)))

    def cut(self, layout: Layout, start: int, end: int) -> Iterator[ChunkSpan]:
        """The chunks of a part of a document."""
        text = layout.text[start:end]
        language = str(layout.document.metadata.get(LANGUAGE, ""))
        parser = grammars.parser_of(language)
        found = grammars.units(text, language, parser, self._size) if parser else _blocks(text, self._size)
        line, counted = layout.text.count("\n", 0, start) + 1, start
        for group in self._packed(self._parts(text, _whole(text, found))):
            first, last = start + group[0].piece.start, start + group[-1].piece.end
            line += layout.text.count("\n", counted, first)
            counted = first
            label = ranged(str(line), str(line + layout.text.count("\n", first, last)))
            chunk = layout.chunk(first, last, places=[PlaceName(kind=PlaceKind.LINE, label=label)])
            yield chunk.model_copy(update={"section": (*chunk.section, *_shared([part.named for part in group]))})

    def _parts(self, text: str, found: Iterable[Unit]) -> Iterator[_Part]:
        """Whole lines of ``found``; what is too long for a chunk is cut further."""
        brackets = Brackets(text, 0, len(text), self._size)

        def on_lines(end: int, start: int) -> bool:
            return "\n" in text[end:start] and may_cut(text, start, brackets)

        for lines in _joined(found, on_lines):
            if (part := self._part(text, lines)) is not None:
                yield part
                continue
            for units in _joined(lines, lambda _, start: may_cut(text, start, brackets)):
                if (part := self._part(text, units)) is not None:
                    yield part
                else:
                    yield from self._cut(text, units, brackets)

    def _cut(self, text: str, units: Sequence[Unit], brackets: Brackets) -> Iterator[_Part]:
        around = _shared([unit.named for unit in units])
        for start, end in cut_long(text, units[0].start, units[-1].end, self._size, brackets=brackets, ends=_ENDS):
            yield _Part(Piece(start, end, self._tokens(text, start, end)), units[0].inside, around)

    def _part(self, text: str, units: Sequence[Unit]) -> _Part | None:
        start, end = units[0].start, units[-1].end
        tokens = self._tokens(text, start, end)
        if tokens > self._size:
            return None
        main = max(units, key=lambda unit: unit.end - unit.start)
        return _Part(Piece(start, end, tokens), units[0].inside, main.named)

    def _tokens(self, text: str, start: int, end: int) -> float:
        tokens = quick_tokens(text, start, end, self._size)
        beside = (start > 0 and is_run(text, start)) or (end < len(text) and is_run(text, end))
        return max(tokens, PER_LONG_RUN * (end - start)) if beside else tokens

    def _packed(self, parts: Iterable[_Part]) -> Iterator[list[_Part]]:
        group: list[_Part] = []
        tokens = 0.0
        for part in parts:
            if group and not self._joins(group, tokens, part):
                yield group
                group, tokens = [], 0.0
            group.append(part)
            tokens += part.piece.tokens
        if group:
            yield group

    def _joins(self, group: Sequence[_Part], tokens: float, part: _Part) -> bool:
        if tokens + part.piece.tokens > self._size:
            return False
        around = group[-1].inside
        heads = tokens < SCRAP * self._size and part.inside[: len(around)] == around
        return part.inside == around or heads


def _joined(units: Iterable[Unit], apart: Callable[[int, int], bool]) -> Iterator[list[Unit]]:
    """Runs of units that must stay together. ``apart``: whether one may end at an offset, the next start at another."""
    run: list[Unit] = []
    for unit in units:
        if run and apart(run[-1].end, unit.start):
            yield run
            run = []
        run.append(unit)
    if run:
        yield run


def _whole(text: str, units: Iterable[Unit]) -> Iterator[Unit]:
    """The units without white space at their ends, and what lies between them and no grammar knows."""
    reached = 0
    for unit in units:
        if (between := stripped(text, reached, unit.start))[0] < between[1]:
            yield Unit(*between, unit.inside, unit.inside)
        if (own := stripped(text, unit.start, unit.end))[0] < own[1]:
            yield Unit(*own, unit.inside, unit.named)
        reached = unit.end
    if (rest := stripped(text, reached, len(text)))[0] < rest[1]:
        yield Unit(*rest, (), ())


def _blocks(text: str, size: float) -> Iterator[Unit]:
    """Blocks between empty lines, each with those indented under it if they fit together."""
    start, end = 0, 0
    for first, last in _between_blanks(text):
        under = text[first].isspace() or text[first] in CLOSING_MARKS
        if end and not (under and quick_tokens(text, start, last, size) <= size):
            yield Unit(start, end, (), ())
            start = first
        end = last
    if end:
        yield Unit(start, end, (), ())


def _between_blanks(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _BLANK.finditer(text):
        if text[start : match.start()].strip():
            yield start, match.start()
            start = match.end()
    if text[start:].strip():
        yield start, len(text)


def _shared(paths: Sequence[Path]) -> Path:
    """The definitions that lie around all of them."""
    first, last = min(paths), max(paths)
    common = 0
    while common < min(len(first), len(last)) and first[common] == last[common]:
        common += 1
    return first[:common]


__all__ = ["LANGUAGE", "CodeChunker"]
