"""Where something stands in a document, as a person would say it: page 3; sheet Sales, row 12, column Cause."""

from __future__ import annotations

from collections.abc import Sequence

from extractors.tables import column_name
from storage.records import PlaceKind, PlaceName, Structure, Table, TextKind

_WORDS: dict[PlaceKind, tuple[str, str]] = {  # in English and in Chinese
    PlaceKind.SLIDE: ("slide {}", "第 {} 张幻灯片"),
    PlaceKind.SHEET: ("sheet {}", "工作表“{}”"),
    PlaceKind.ROW: ("row {}", "第 {} 行"),
    PlaceKind.COLUMN: ("column {}", "“{}”列"),
    PlaceKind.MESSAGE: ("message of {}", "{} 的邮件"),
    PlaceKind.TURN: ("{}", "{}"),
    PlaceKind.LINE: ("line {}", "第 {} 行"),
}
_RANGES = {"row {}": "rows {}", "line {}": "lines {}"}


def places_at(structure: Structure, text: str, position: int) -> tuple[PlaceName, ...]:
    """The names of the places in which the code point at ``position`` of ``text`` lies, from the outermost."""
    names = [
        place.name
        for place in structure.places
        if place.start <= position < place.end and place.kind is not PlaceKind.LANGUAGE
    ]
    for table in structure.tables:
        if table.start <= position < table.end:
            names += _cell(table, text, position)
    if structure.kind is TextKind.CODE:
        names.append(PlaceName(kind=PlaceKind.LINE, label=str(text.count("\n", 0, position) + 1)))
    return tuple(names)


def in_words(places: Sequence[PlaceName], language: str = "en") -> list[str]:
    """Each place as a citation names it, in English or Chinese."""
    return [_named(place, language) for place in places if place.kind in _WORDS]


def _named(place: PlaceName, language: str) -> str:
    english, chinese = _WORDS[place.kind]
    if language == "zh":
        return chinese.format(place.label)
    return (_RANGES.get(english, english) if "–" in place.label else english).format(place.label)


def _cell(table: Table, text: str, position: int) -> list[PlaceName]:
    for r, row in enumerate(table.rows):
        for c, span in enumerate(row):
            if span and span.start <= position < span.end:
                names = [PlaceName(kind=PlaceKind.ROW, label=str(table.first_row + r))]
                if r >= table.header and (column := column_name(table, text, c)):
                    names.append(PlaceName(kind=PlaceKind.COLUMN, label=column))
                return names
    return []


__all__ = ["in_words", "places_at"]
