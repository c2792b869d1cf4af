"""What the styles and the numbering of a DOCX say: which paragraphs are headings, items of lists, contents, hidden."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from extractors.loaders.office_text import WORD, is_on, number

_HEADING = re.compile(r"(?:heading|标题|標題)\s{0,3}(\d)", re.IGNORECASE)
_CONTENTS = re.compile(
    r"(?:toc|目录|目錄)\s{0,3}\d|toc heading|table of (?:figures|authorities)|index \d", re.IGNORECASE
)
_CODE = re.compile(r"source code|html preformatted|code\b|plain text|代码", re.IGNORECASE)
_TITLES = frozenset(("title", "标题", "標題"))
_CAPTIONS = frozenset(("caption", "table caption", "题注", "題註"))
_CHINESE = "零一二三四五六七八九十"
_PLACEHOLDER = re.compile(r"%(\d)")


@dataclass(frozen=True, slots=True)
class Style:
    """What a style makes of a paragraph or run, with all it takes from the styles it is based on."""

    level: int | None = None  # of a heading; 0: the title
    list: tuple[str, int] | None = None  # number of the list and level in it
    contents: bool = False  # an entry of a table of contents
    caption: bool = False
    code: bool = False
    hidden: bool = False
    first_row: bool = False  # a style of tables that sets the first row apart


_PLAIN = Style()


class Styles:
    """The styles of one document by their id."""

    def __init__(self, root: Any | None) -> None:
        found = [] if root is None else root.findall(f"{WORD}style")
        self._elements = {style.get(f"{WORD}styleId", ""): style for style in found}
        self._read: dict[str, Style] = {}

    def get(self, style_id: str | None) -> Style:
        """The style of that id; one that is not there says nothing."""
        if style_id is None or style_id not in self._elements:
            return _PLAIN
        if style_id not in self._read:
            self._read[style_id] = self._resolved(style_id)
        return self._read[style_id]

    def of(self, properties: Any | None, name: str = "pStyle") -> Style:
        """The style that the properties of a paragraph, run or table name."""
        named = None if properties is None else properties.find(f"{WORD}{name}")
        return self.get(None if named is None else named.get(f"{WORD}val"))

    def _resolved(self, style_id: str) -> Style:
        line: list[Any] = []  # from the style itself to what it is based on
        while style_id in self._elements and len(line) < 20 and self._elements[style_id] not in line:
            line.append(self._elements[style_id])
            based = line[-1].find(f"{WORD}basedOn")
            style_id = "" if based is None else based.get(f"{WORD}val", "")
        names = [_value(style.find(f"{WORD}name")).lower() for style in line]
        levels = [_heading_level(name, style) for name, style in zip(names, line, strict=True)]
        numbered = [style.find(f"{WORD}pPr/{WORD}numPr") for style in line]
        vanish = [style.find(f"{WORD}rPr") for style in line if style.find(f"{WORD}rPr/{WORD}vanish") is not None]
        return Style(
            level=next((level for level in levels if level is not None), None),
            list=next((list_of(properties) for properties in numbered if properties is not None), None),
            contents=any(_CONTENTS.match(name) for name in names),
            caption=any(name in _CAPTIONS for name in names),
            code=any(_CODE.match(name) for name in names),
            hidden=bool(vanish) and is_on(vanish[0], f"{WORD}vanish"),
            first_row=any(part.get(f"{WORD}type") == "firstRow" for s in line for part in s.iter(f"{WORD}tblStylePr")),
        )


def _value(element: Any | None) -> str:
    return "" if element is None else element.get(f"{WORD}val", "")


def _heading_level(name: str, style: Any) -> int | None:
    if name in _TITLES:
        return 0
    if named := _HEADING.match(name):
        return int(named.group(1))
    return outline_level(style.find(f"{WORD}pPr"))


def outline_level(properties: Any | None) -> int | None:
    """The level of heading that properties of a paragraph set by themselves."""
    outline = None if properties is None else properties.find(f"{WORD}outlineLvl")
    level = number(_value(outline), 9)
    return level + 1 if 0 <= level < 9 else None


def list_of(properties: Any | None) -> tuple[str, int] | None:
    """Number of the list and level in it, from a ``numPr``."""
    if properties is None:
        return None
    return _value(properties.find(f"{WORD}numId")), number(_value(properties.find(f"{WORD}ilvl")))


class Numbering:
    """Counts the items of lists as they come and says what stands before each."""

    def __init__(self, root: Any | None) -> None:
        abstract: dict[str, dict[int, tuple[str, str, int]]] = {}
        self._lists: dict[str, dict[int, tuple[str, str, int]]] = {}
        self._same: dict[str, str] = {}  # lists of one definition go on counting where the other left off
        self._counts: dict[str, dict[int, int]] = defaultdict(dict)
        for definition in () if root is None else root.findall(f"{WORD}abstractNum"):
            abstract[definition.get(f"{WORD}abstractNumId", "")] = _levels(definition)
        for entry in () if root is None else root.findall(f"{WORD}num"):
            name, base = entry.get(f"{WORD}numId", ""), _value(entry.find(f"{WORD}abstractNumId"))
            levels = dict(abstract.get(base, {}))
            own = entry.findall(f"{WORD}lvlOverride")
            for override in own:
                at = number(override.get(f"{WORD}ilvl"))
                levels |= _levels(override)
                start = override.find(f"{WORD}startOverride")
                if start is not None and at in levels:
                    levels[at] = (*levels[at][:2], number(_value(start), 1))
            self._lists[name] = levels
            self._same[name] = f"num {name}" if own else base

    def mark(self, name: str, level: int) -> str:
        """What stands before the next item of list ``name`` at ``level``: a dash, or its number."""
        levels = self._lists.get(name, {})
        style, pattern, start = levels.get(level, ("bullet", "", 1))
        counts = self._counts[self._same.get(name, name)]
        counts[level] = counts.get(level, start - 1) + 1
        for deeper in [other for other in counts if other > level]:
            del counts[deeper]
        if style in {"bullet", "none"} or not _PLACEHOLDER.search(pattern):
            return "-"

        def figure(match: re.Match[str]) -> str:
            at = int(match.group(1)) - 1
            kind, _, first = levels.get(at, ("decimal", "", 1))
            return _figure(counts.get(at, first), kind)

        return _PLACEHOLDER.sub(figure, pattern)


def _levels(definition: Any) -> dict[int, tuple[str, str, int]]:
    return {
        number(level.get(f"{WORD}ilvl")): (
            _value(level.find(f"{WORD}numFmt")) or "decimal",
            _value(level.find(f"{WORD}lvlText"))[:40],
            number(_value(level.find(f"{WORD}start")), 1),
        )
        for level in definition.findall(f"{WORD}lvl")
    }


def _figure(value: int, kind: str) -> str:
    if kind in {"lowerLetter", "upperLetter"} and 0 < value <= 26:
        letter = chr(ord("a") + value - 1)
        return letter if kind == "lowerLetter" else letter.upper()
    if kind in {"lowerRoman", "upperRoman"} and 0 < value < 40:
        tens, ones = divmod(value, 10)
        roman = "x" * tens + ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")[ones]
        return roman if kind == "lowerRoman" else roman.upper()
    if kind.startswith(("chinese", "japanese", "taiwanese", "ideograph")) and 0 < value < 20:
        return _CHINESE[value] if value <= 10 else "十" + _CHINESE[value - 10]
    return str(value)


__all__ = ["Numbering", "Style", "Styles", "list_of", "outline_level"]
