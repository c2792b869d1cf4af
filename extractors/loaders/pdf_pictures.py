"""Pages of a PDF that are pictures: rendered, and read by text recognition."""

from __future__ import annotations

from statistics import median
from typing import Any

from extractors.loaders.ocr import TextRecognizer
from extractors.loaders.pdf_words import Word

_DPI = 200
_LARGEST = 4000  # pixels of the longer side: larger pages are rendered more coarsely
_TYPE_SIZE = 0.8  # of the height of a recognised line
_SAME_SIZE = 0.75


def recognised_words(page: Any, recognizer: TextRecognizer) -> list[Word]:
    """The lines that are recognised on ``page``, each as one word with its place in points."""
    scale = min(_DPI / 72, _LARGEST / max(page.get_size()))
    bitmap = page.render(scale=scale)
    try:
        lines = recognizer.lines(bitmap.to_numpy())
    finally:
        bitmap.close()
    if not lines:
        return []
    heights = [(line.bottom - line.top) / scale * _TYPE_SIZE for line in lines]
    usual = median(heights)
    words = []
    for order, (line, height) in enumerate(zip(lines, heights, strict=True)):
        # Boxes of one type size differ by a few pixels, with and without letters below the line.
        size = usual if _SAME_SIZE <= height / usual <= 1 / _SAME_SIZE else height
        left, top, right, bottom = (value / scale for value in line[1:])
        baseline = (top + bottom) / 2 + 0.35 * size
        words.append(
            Word(
                text=line.text.strip(), left=left, top=top, right=right, bottom=bottom, baseline=baseline, size=size,
                bold=False, mono=False, order=order, gap="\n", drawn=True,
            )
        )  # fmt: skip
    return words


__all__ = ["recognised_words"]
