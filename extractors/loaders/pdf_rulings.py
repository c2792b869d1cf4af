"""The straight lines drawn on a PDF page, which rule its tables, read through PDFium's C interface."""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from extractors.loaders.pdf_words import Turned

_THIN = 2.5  # points: a rectangle not thicker than this is a line
_SHORTEST = 4.0
_MOST_OBJECTS = 20_000  # a map or a plot has more, and no table
_MOST_SEGMENTS = 400
_LINE_TO, _BEZIER_TO, _MOVE_TO = 0, 1, 2
_DEEPEST = 3

Matrix = tuple[float, float, float, float, float, float]


class Rulings(NamedTuple):
    """Lines from the top left: across as (y, left, right), down as (x, top, bottom)."""

    across: list[tuple[float, float, float]]
    down: list[tuple[float, float, float]]


class Drawn(NamedTuple):
    """What is drawn on a page beside its text."""

    rulings: Rulings
    pictures: int
    shapes: int


def page_rulings(page: Any, turned: Turned) -> Drawn:
    """The rulings of a page, and how many pictures and shapes are on it."""
    reader = _Reader(turned)
    reader.read(page.raw, None, 0)
    return Drawn(reader.rulings, reader.pictures, reader.shapes)


class _Reader:
    def __init__(self, turned: Turned) -> None:
        from pypdfium2 import raw

        self._raw = raw
        self._turned = turned
        self._left = _MOST_OBJECTS
        self._box = tuple(ctypes.c_float() for _ in range(4))
        self._refs = tuple(ctypes.byref(value) for value in self._box)
        self._matrix = raw.FS_MATRIX()
        self._fill, self._stroke = ctypes.c_int(), ctypes.c_int()
        self.rulings = Rulings([], [])
        self.pictures = 0
        self.shapes = 0

    def read(self, holder: Any, outer: Matrix | None, depth: int) -> None:
        """Take in the objects of a page, or of a form that lies on it by ``outer``."""
        raw = self._raw
        if depth:
            count, get = raw.FPDFFormObj_CountObjects(holder), raw.FPDFFormObj_GetObject
        else:
            count, get = raw.FPDFPage_CountObjects(holder), raw.FPDFPage_GetObject
        for index in range(min(count, self._left)):
            handle = get(holder, index)
            kind = raw.FPDFPageObj_GetType(handle)
            if kind == raw.FPDF_PAGEOBJ_PATH:
                self.shapes += 1
                self._path(handle, outer)
            elif kind == raw.FPDF_PAGEOBJ_IMAGE:
                self.pictures += 1
            elif kind == raw.FPDF_PAGEOBJ_FORM and depth < _DEEPEST:
                self.read(handle, _times(self._matrix_of(handle), outer), depth + 1)
        self._left -= min(count, self._left)

    def _matrix_of(self, handle: Any) -> Matrix:
        if not self._raw.FPDFPageObj_GetMatrix(handle, ctypes.byref(self._matrix)):
            return (1, 0, 0, 1, 0, 0)
        m = self._matrix
        return (m.a, m.b, m.c, m.d, m.e, m.f)

    def _path(self, handle: Any, outer: Matrix | None) -> None:
        raw = self._raw
        if not raw.FPDFPageObj_GetBounds(handle, *self._refs):
            return
        if not raw.FPDFPath_GetDrawMode(handle, ctypes.byref(self._fill), ctypes.byref(self._stroke)):
            return
        if not self._fill.value and not self._stroke.value:
            return
        left, bottom, right, top = (value.value for value in self._box)
        segments = raw.FPDFPath_CountSegments(handle)
        if right - left <= _THIN or top - bottom <= _THIN:
            self._add(left, bottom, right, top, outer)
        elif segments <= _MOST_SEGMENTS:
            matrix = _times(self._matrix_of(handle), outer)
            sides = [
                (min(ax, bx), min(ay, by), max(ax, bx), max(ay, by))
                for (ax, ay), (bx, by) in self._sides(handle, segments, matrix)
                if abs(ax - bx) <= 1 or abs(ay - by) <= 1
            ]
            places = Counter(_place(side) for side in sides)
            for side in sides:
                # Between two sides at one place nothing is filled: the border of a box that has none there.
                if self._stroke.value or places[_place(side)] == 1:
                    self._add(*side, None)

    def _sides(
        self, handle: Any, segments: int, matrix: Matrix
    ) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
        """The straight parts of a path."""
        raw = self._raw
        x, y = ctypes.c_float(), ctypes.c_float()
        here = start = (0.0, 0.0)
        for index in range(segments):
            segment = raw.FPDFPath_GetPathSegment(handle, index)
            raw.FPDFPathSegment_GetPoint(segment, ctypes.byref(x), ctypes.byref(y))
            point = _moved(matrix, x.value, y.value)
            kind = raw.FPDFPathSegment_GetType(segment)
            if kind == _MOVE_TO:
                start = point
            elif kind == _LINE_TO:
                yield here, point
            here = point
            if raw.FPDFPathSegment_GetClose(segment):
                yield here, start
                here = start

    def _add(self, left: float, bottom: float, right: float, top: float, outer: Matrix | None) -> None:
        if outer is not None:
            (ax, ay), (bx, by) = _moved(outer, left, bottom), _moved(outer, right, top)
            left, bottom, right, top = min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)
        left, top, right, bottom = self._turned.box_of(left, bottom, right, top)
        if bottom - top <= _THIN and right - left >= _SHORTEST:
            self.rulings.across.append(((top + bottom) / 2, left, right))
        elif right - left <= _THIN and bottom - top >= _SHORTEST:
            self.rulings.down.append(((left + right) / 2, top, bottom))


def _place(side: tuple[float, float, float, float]) -> tuple[bool, float]:
    left, bottom, right, _ = side
    upright = right - left <= 1
    return upright, round(left if upright else bottom, 1)


def _moved(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def _times(inner: Matrix, outer: Matrix | None) -> Matrix:
    if outer is None:
        return inner
    a, b, c, d, e, f = inner
    g, h, i, j, k, m = outer
    return (
        a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m,
    )  # fmt: skip


__all__ = ["Drawn", "Rulings", "page_rulings"]
