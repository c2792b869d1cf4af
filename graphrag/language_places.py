"""Parts of a document that are in another language than the rest."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from extractors.language import Language, language_runs
from storage.records import Document, Place, PlaceKind, TextKind

LEAST: dict[Language, int] = {"en": 200, "zh": 80}
"""Characters from which on a part in another language counts: about two sentences. Less is a name or a quote."""


def language_places(document: Document, language: str) -> tuple[Place, ...]:
    """The stretches of whole sentences of ``document`` that are in the other language than ``language``.

    Source code has none: what is written in its comments says nothing about the rest of a line.
    """
    if document.kind is TextKind.CODE or (language == "en" and document.text.isascii()):
        return ()
    return tuple(
        Place(kind=PlaceKind.LANGUAGE, label=code, start=span.start, end=span.end)
        for span, code in language_runs(document.text)
        if code != language and span.end - span.start >= LEAST[code]
    )


class Languages:
    """Which language a document is in at each place."""

    def __init__(self, places: Sequence[Place], language: str) -> None:
        self._language = language
        self._places = sorted((p for p in places if p.kind is PlaceKind.LANGUAGE), key=lambda place: place.start)

    def at(self, position: int) -> str:
        """The language of the code point at ``position``."""
        index = bisect_right(self._places, position, key=lambda place: place.start) - 1
        there = index >= 0 and position < self._places[index].end
        return self._places[index].label if there else self._language


__all__ = ["LEAST", "Languages", "language_places"]
