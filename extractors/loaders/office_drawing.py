"""Diagrams (SmartArt) and charts in office documents: the words and figures that they show."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from extractors.loaders.office_package import OFFICE, OfficePackage
from extractors.loaders.office_text import DRAWING, WORD, elements, number, one_line
from extractors.loaders.text_builder import TextBuilder
from storage.errors import LoadError

_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_REFERENCES = frozenset((f"{_DIAGRAM}relIds", f"{_CHART}chart"))
_MOST_POINTS = 10_000  # of a series: more are for the eye, not for reading


def add_drawings(builder: TextBuilder, package: OfficePackage, part: str, drawings: Iterable[Any]) -> None:
    """Add the lines of the diagrams and the tables of the charts that ``drawings`` in ``part`` refer to."""
    for drawing in drawings:
        for reference in elements(drawing, whole={f"{WORD}txbxContent"}):
            if reference.tag not in _REFERENCES:
                continue
            is_chart = reference.tag == f"{_CHART}chart"
            relation = package.relations(part).get(reference.get(f"{OFFICE}{'id' if is_chart else 'dm'}", ""))
            if relation is None:
                continue
            try:
                root = package.xml(relation.target)
            except LoadError:
                continue
            if is_chart:
                _add_chart(builder, root)
            else:
                _add_diagram(builder, root)


def _add_diagram(builder: TextBuilder, root: Any) -> None:
    """The points of a diagram as a list, each under the one it belongs to."""
    points = {point.get("modelId", ""): point for point in root.iter(f"{_DIAGRAM}pt")}
    below: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for link in root.iter(f"{_DIAGRAM}cxn"):
        if link.get("type", "parOf") == "parOf":
            below[link.get("srcId", "")].append((number(link.get("srcOrd")), link.get("destId", "")))
    roots = [name for name, point in points.items() if point.get("type") == "doc"]
    stack = [(name, -1) for name in reversed(roots)]
    while stack:
        name, level = stack.pop()
        point = points.pop(name, None)
        if point is None:
            continue
        text = one_line(_paragraphs(point))
        builder.line(f"- {text}" if text else "", level=min(max(level, 0), 8))
        stack.extend((child, level + 1) for _, child in sorted(below[name], reverse=True))


def _add_chart(builder: TextBuilder, root: Any) -> None:
    """The figures of a chart as a table: a row for each category, a column for each series."""
    title = root.find(f"{_CHART}chart/{_CHART}title")
    caption = "" if title is None else one_line(_paragraphs(title))
    series = list(root.iter(f"{_CHART}ser"))[:100]
    names = [one_line(_values(one.find(f"{_CHART}tx")).values()) for one in series]
    columns = [_values(_first(one, "val", "yVal")) for one in series]
    labels: dict[int, str] = {}
    for one in series:
        labels = labels or _values(_first(one, "cat", "xVal"))
    builder.paragraph(caption)
    points = sorted({*labels, *(at for column in columns for at in column)})[:_MOST_POINTS]
    rows = [[labels.get(at, ""), *(column.get(at, "") for column in columns)] for at in points]
    if rows:
        header = int(any(names))
        builder.table([["", *names], *rows] if header else rows, header=header, caption=caption)


def _first(series: Any, *names: str) -> Any | None:
    return next((found for name in names if (found := series.find(f"{_CHART}{name}")) is not None), None)


def _values(holder: Any | None) -> dict[int, str]:
    """The values that a chart keeps of its source, by their position."""
    if holder is None:
        return {}
    points = list(holder.iter(f"{_CHART}pt"))
    if not points:
        return {0: text} if (text := holder.findtext(f"{_CHART}v") or "") else {}
    found: dict[int, str] = {}
    for point in points[:_MOST_POINTS]:
        at, value = number(point.get("idx")), _plain(point.findtext(f"{_CHART}v") or "")
        found[at] = f"{found[at]} {value}" if at in found else value
    return found


def _plain(value: str) -> str:
    """A figure without the noise of its binary form; other values as they are."""
    try:
        return f"{float(value):.12g}" if "." in value else value
    except ValueError:
        return value


def _paragraphs(root: Any) -> Iterable[str]:
    return ["".join(t.text or "" for t in p.iter(f"{DRAWING}t")) for p in root.iter(f"{DRAWING}p")]


__all__ = ["add_drawings"]
