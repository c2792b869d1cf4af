"""The structure of one document as chunkers ask for it: what lies where, found in logarithmic time."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Generic, NamedTuple, TypeVar

from extractors.ports import ChunkSpan
from storage.records import Document, PlaceKind, PlaceName

T = TypeVar("T")

NAMED = (PlaceKind.SHEET, PlaceKind.SLIDE, PlaceKind.MESSAGE, PlaceKind.TURN)
"""The places that a chunk is named by, from the outermost."""


class Stretch(NamedTuple, Generic[T]):
    """A part of the text and the innermost thing that lies around all of it."""

    start: int
    end: int
    inside: T


class Layout:
    """A document, its text cut at every heading and at every place."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.text = document.text
        self._page_starts = [page.start for page in document.pages]

    @cached_property
    def regions(self) -> list[Stretch[tuple[str, ...]]]:
        """The text cut at every heading, each part with the path of its section."""
        sections = sorted(self.document.sections, key=lambda section: len(section.path))
        return flattened([(s.start, s.end, s.path) for s in sections], len(self.text), ())

    @cached_property
    def _region_starts(self) -> list[int]:
        return [region.start for region in self.regions]

    @cached_property
    def _places(self) -> dict[PlaceKind, list[Stretch[str]]]:
        length, places = len(self.text), self.document.places
        kinds = {place.kind for place in places}
        return {
            kind: flattened([(p.start, p.end, p.label) for p in places if p.kind is kind], length, "") for kind in kinds
        }

    def regions_in(self, start: int, end: int) -> list[Stretch[tuple[str, ...]]]:
        """The parts of ``text[start:end]`` under one heading each."""
        first = max(0, bisect_right(self._region_starts, start) - 1)
        last = bisect_left(self._region_starts, end)
        return [Stretch(max(r.start, start), min(r.end, end), r.inside) for r in self.regions[first:last]]

    def section(self, position: int) -> tuple[str, ...]:
        """The headings above ``position``."""
        return self.regions[bisect_right(self._region_starts, position) - 1].inside

    def page(self, position: int) -> int | None:
        """The page on which ``position`` lies."""
        page = bisect_right(self._page_starts, position) - 1
        return self.document.pages[page].number if page >= 0 else None

    def parts(self, kind: PlaceKind, start: int, end: int) -> list[Stretch[str]]:
        """``text[start:end]`` cut at the places of a kind; "" is the label of what lies in none."""
        places = self._places.get(kind, [])
        first = max(0, bisect_right(places, start, key=lambda part: part.start) - 1)
        last = bisect_left(places, end, key=lambda part: part.start)
        parts = [Stretch(max(p.start, start), min(p.end, end), p.inside) for p in places[first:last]]
        return parts or [Stretch(start, end, "")]

    def is_one_place(self, start: int, end: int) -> bool:
        """Whether no place that a chunk is named by begins or ends inside ``text[start:end]``."""
        return all(len(self.parts(kind, start, end)) == 1 for kind in NAMED)

    def places(self, start: int, end: int) -> tuple[PlaceName, ...]:
        """What a person calls the places of a chunk: one of each kind, from the first to the last that it touches."""
        names = []
        for kind in NAMED:
            if kind in self._places:
                labels = [part.inside for part in self.parts(kind, start, end) if part.inside]
                if labels:
                    names.append(PlaceName(kind=kind, label=ranged(labels[0], labels[-1])))
        return tuple(names)

    def chunk(self, start: int, end: int, *, context: str = "", places: Iterable[PlaceName] = ()) -> ChunkSpan:
        """The chunk ``text[start:end]`` with everything that its place in the document says of it."""
        return ChunkSpan(
            start=start,
            end=end,
            section=self.section(start),
            page=self.page(start),
            places=(*self.places(start, end), *places),
            context=context,
        )


def ranged(first: str, last: str) -> str:
    """A range as a person writes it: 12–40, 12 alone, Anna – Ben."""
    blank = "" if first.isdigit() and last.isdigit() else " "
    return first if first == last else f"{first}{blank}–{blank}{last}"


def flattened(spans: Sequence[tuple[int, int, T]], length: int, outside: T) -> list[Stretch[T]]:
    """A text of ``length`` cut at the ends of ``spans``; where these lie inside each other the innermost counts."""
    kept = [(start, min(end, length), value) for start, end, value in spans if start < min(end, length)]
    cuts = sorted({0, length, *(start for start, _, _ in kept), *(end for _, end, _ in kept)})
    kept.sort(key=lambda span: (span[0], -span[1]))
    parts: list[Stretch[T]] = []
    opened = 0
    around: list[tuple[int, T]] = []  # end and value of the spans around the cut, innermost last
    for start, end in pairwise(cuts):
        begins = False
        while opened < len(kept) and kept[opened][0] <= start:
            around.append((kept[opened][1], kept[opened][2]))
            begins = begins or kept[opened][0] == start
            opened += 1
        while around and around[-1][0] <= start:
            around.pop()
        inside = around[-1][1] if around else outside
        if parts and parts[-1].inside == inside and not begins:
            parts[-1] = Stretch(parts[-1].start, end, inside)
        else:
            parts.append(Stretch(start, end, inside))
    return parts or [Stretch(0, length, outside)]


__all__ = ["NAMED", "Layout", "Stretch", "flattened", "ranged"]
