"""The shapes of a slide with where they lie, taken from its layout where the slide does not say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from extractors.loaders.office_package import OfficePackage
from extractors.loaders.office_text import DRAWING, chosen, is_alternatives, number
from extractors.loaders.reading_order import Box, reading_order
from storage.errors import LoadError

P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_SHAPES = frozenset(f"{P}{name}" for name in ("sp", "graphicFrame", "grpSp", "pic", "cxnSp"))
_TITLES = frozenset(("title", "ctrTitle"))
_FURNITURE = frozenset(("dt", "ftr", "sldNum", "hdr", "sldImg"))
_SAME = {"ctrTitle": "title", "subTitle": "body", "obj": "body"}  # kinds whose place the master gives by another kind


@dataclass(slots=True)
class Shape:
    """One shape that is no group."""

    element: Any
    box: Box | None
    placeholder: str | None = None  # its kind

    @property
    def is_title(self) -> bool:
        """Whether it holds the title of the slide."""
        return self.placeholder in _TITLES

    @property
    def is_furniture(self) -> bool:
        """Whether it holds what stands on every slide: date, footer, number."""
        return self.placeholder in _FURNITURE


class Layouts:
    """Where placeholders lie, by layouts and masters; each is read once."""

    def __init__(self, package: OfficePackage) -> None:
        self._package = package
        self._places: dict[str, dict[str, Box]] = {}

    def place(self, part: str, index: str, kind: str) -> Box | None:
        """Where the layout of slide ``part``, or the master of that, puts a placeholder."""
        for layout in self._package.related(part, "slideLayout"):
            own = self._of(layout)
            found = own.get(f"#{index}") or own.get(kind)
            if found:
                return found
            for master in self._package.related(layout, "slideMaster"):
                return self._of(master).get(_SAME.get(kind, kind))
        return None

    def _of(self, part: str) -> dict[str, Box]:
        if part not in self._places:
            places: dict[str, Box] = {}
            try:
                for shape in self._package.xml(part).iter(f"{P}sp"):
                    mark, box = _placeholder(shape), _box(shape)
                    if mark is not None and box is not None:
                        places.setdefault(f"#{mark.get('idx', '0')}", box)
                        places.setdefault(mark.get("type", "obj"), box)
            except LoadError:
                pass  # a damaged layout says nothing
            self._places[part] = places
        return self._places[part]


def shapes_in_order(part: str, tree: Any, layouts: Layouts) -> list[Shape]:
    """The shapes in ``tree`` (of slide ``part``) as they are read: by where they lie, those of a group together."""
    found: list[tuple[Any, Box | None, str | None]] = []
    for element in _direct(tree):
        if _is_hidden(element):
            continue
        mark, box = _placeholder(element), _box(element)
        kind = None if mark is None else mark.get("type", "obj")
        if box is None and mark is not None and kind is not None:
            box = layouts.place(part, mark.get("idx", "0"), kind)
        found.append((element, box, kind))
    placed = [entry for entry in found if entry[1] is not None]
    order = [placed[i] for i in reading_order([box for _, box, _ in placed if box is not None])]
    order += [entry for entry in found if entry[1] is None]
    shapes: list[Shape] = []
    for element, box, kind in order:
        if element.tag == f"{P}grpSp":
            shapes.extend(shapes_in_order(part, element, layouts))
        else:
            shapes.append(Shape(element, box, kind))
    return shapes


def _direct(tree: Any) -> Iterator[Any]:
    for element in tree:
        if is_alternatives(element):
            form = chosen(element)
            yield from () if form is None else _direct(form)
        elif element.tag in _SHAPES:
            yield element


def _placeholder(element: Any) -> Any | None:
    return next((mark for outer in element if (mark := outer.find(f"{P}nvPr/{P}ph")) is not None), None)


def _is_hidden(element: Any) -> bool:
    return any(
        properties.get("hidden") in {"1", "true"}
        for outer in element
        if (properties := outer.find(f"{P}cNvPr")) is not None
    )


def _box(element: Any) -> Box | None:
    frame = element.find(f"{P}xfrm")
    for holder in (f"{P}spPr", f"{P}grpSpPr"):
        frame = element.find(f"{holder}/{DRAWING}xfrm") if frame is None else frame
    offset = None if frame is None else frame.find(f"{DRAWING}off")
    size = None if frame is None else frame.find(f"{DRAWING}ext")
    if offset is None or size is None:
        return None
    x, y, width, height = (
        number(offset.get("x")),
        number(offset.get("y")),
        number(size.get("cx")),
        number(size.get("cy")),
    )
    return Box(x, y, width, height)


__all__ = ["Layouts", "P", "Shape", "shapes_in_order"]
