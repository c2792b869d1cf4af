"""Pictures on PDF pages that have text too: rendered as they are seen, and given to the reader of pictures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from io import BytesIO
from typing import Any, NamedTuple

from extractors.loaders.pdf_words import Turned, Word
from extractors.loaders.pictures import Pictures

_DPI = 200
_LARGEST = 2000  # pixels of the longer side
_SMALLEST = 24.0  # points of a side: icons and rules
_TOUCHING = 2.0  # points: some programs cut a picture into strips
_MOST = 100  # picture objects of one page


_Bounds = tuple[float, float, float, float]
"""Left, bottom, right, top in the coordinates of the file."""


class _Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float


def words_of_pictures(page: Any, number: int, words: Sequence[Word], turned: Turned, pictures: Pictures) -> list[str]:
    """What the pictures on a page say, from the top down.

    One with text over it is a background, or a scan that was read before.

    Args:
        page: of PDFium.
        number: of the page, from 1.
        words: of the page.
        turned: how the coordinates of the file lie on the page for ``words``.
        pictures: what reads them.
    """
    seen = Turned(page.get_rotation() // 90, page.get_bbox())
    found: list[tuple[float, float, str]] = []
    for at, bounds in enumerate(_joined(_bounds(page))):
        box = _on(page, _Box(*seen.box_of(*bounds)))
        under_words = any(_lies_in(word, _Box(*turned.box_of(*bounds))) for word in words)
        if min(box.right - box.left, box.bottom - box.top) >= _SMALLEST and not under_words:
            said = pictures.words(f"{number} {at}", partial(_rendered, page, box))
            found.append((box.top, box.left, said))
    return [said for _, _, said in sorted(found) if said]


def _bounds(page: Any) -> list[_Bounds]:
    from pypdfium2 import raw

    objects = page.get_objects(filter=(raw.FPDF_PAGEOBJ_IMAGE,), max_depth=1)
    return [tuple(each.get_bounds()) for each, _ in zip(objects, range(_MOST), strict=False)]


def _joined(boxes: Sequence[_Bounds]) -> list[_Bounds]:
    """The boxes, those that touch as one."""
    joined: list[_Bounds] = []
    for box in boxes:
        left, bottom, right, top = box
        apart: list[_Bounds] = []
        for other in joined:
            if _touch((left, bottom, right, top), other):
                left, bottom = min(left, other[0]), min(bottom, other[1])
                right, top = max(right, other[2]), max(top, other[3])
            else:
                apart.append(other)
        joined = [*apart, (left, bottom, right, top)]
    return joined


def _touch(one: _Bounds, other: _Bounds) -> bool:
    return all(a[side] < b[side + 2] + _TOUCHING for a, b in ((one, other), (other, one)) for side in (0, 1))


def _on(page: Any, box: _Box) -> _Box:
    """The part of ``box`` that is on the page."""
    width, height = page.get_size()
    return _Box(max(box.left, 0.0), max(box.top, 0.0), min(box.right, width), min(box.bottom, height))


def _lies_in(word: Word, box: _Box) -> bool:
    x, y = (word.left + word.right) / 2, (word.top + word.bottom) / 2
    return box.left < x < box.right and box.top < y < box.bottom


def _rendered(page: Any, box: _Box) -> bytes:
    width, height = page.get_size()
    scale = min(_DPI / 72, _LARGEST / max(box.right - box.left, box.bottom - box.top))
    bitmap = page.render(scale=scale, crop=(box.left, height - box.bottom, width - box.right, box.top))
    try:
        buffer = BytesIO()
        bitmap.to_pil().save(buffer, "PNG")
    finally:
        bitmap.close()
    return buffer.getvalue()


__all__ = ["words_of_pictures"]
