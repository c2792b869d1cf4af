"""The text in a picture inside a document: decoded, recognised, its lines put in order and wrapped ones joined."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import Any

from extractors.loaders.line_joining import LIST_ITEM, LineJoiner, is_wide
from extractors.loaders.ocr import RecognisedLine, TextRecognizer
from extractors.loaders.reading_order import Box, reading_order
from storage.errors import LoadError

_LARGEST = 2000  # pixels of the longer side: the engine makes larger ones smaller itself
# The engine blows pictures up whose shorter side is shorter: 400 × 100 took it 1.3 s, with a margin 0.4 s, both right.
_SMALLEST = 736
_FULL_LINE = 4  # words that a line has at least which its width has cut; half of the Chinese characters count as words


class TextInPictures:
    """Reads the text in pictures by text recognition."""

    def __init__(self, recognizer: TextRecognizer) -> None:
        self.name = recognizer.name
        self._recognizer = recognizer

    def read(self, picture: bytes) -> str:
        """The words in ``picture``, line by line. Raises LoadError when it is damaged."""
        return _joined(_ordered(self._recognizer.lines(_pixels(picture))))


def _pixels(picture: bytes) -> Any:
    """The picture upright, on white, as an array of height × width × 3 bytes."""
    import numpy as np
    from PIL import Image, ImageOps

    try:
        with Image.open(BytesIO(picture)) as image:
            image.draft("RGB", (_LARGEST, _LARGEST))  # a JPEG need not be decoded larger
            colours = image.convert("RGBA" if image.has_transparency_data else "RGB")
            colours.thumbnail((_LARGEST, _LARGEST))
            ImageOps.exif_transpose(colours, in_place=True)
    except (OSError, SyntaxError, ValueError, IndexError, TypeError, ArithmeticError) as error:
        raise LoadError("the picture is damaged. Save it again") from error
    width, height = colours.size
    page = Image.new("RGB", (max(width, _SMALLEST), max(height, _SMALLEST)), "white")
    page.paste(colours, (0, 0), colours if colours.mode == "RGBA" else None)
    return np.asarray(page)


def _ordered(lines: Sequence[RecognisedLine]) -> list[RecognisedLine]:
    boxes = [Box(line.left, line.top, line.right - line.left, line.bottom - line.top) for line in lines]
    return [lines[index] for index in reading_order(boxes)]


def _joined(lines: Sequence[RecognisedLine]) -> str:
    """The lines, those as one of which the first ends only because there was no more room."""
    joiner = LineJoiner(line.text for line in lines)
    out: list[str] = []
    for block in _blocks(lines):
        widest = max(line.right - line.left for line in block)
        for at, line in enumerate(block):
            if at and _was_cut(block[at - 1], line, widest):
                tail, gap = joiner.tail_and_gap(out.pop(), line.text)
                out.append(tail + gap + line.text.strip())
            else:
                out.append(line.text.strip())
    return "\n".join(out)


def _blocks(lines: Sequence[RecognisedLine]) -> list[list[RecognisedLine]]:
    blocks: list[list[RecognisedLine]] = []
    for line in lines:
        if blocks and _is_below(blocks[-1][-1], line):
            blocks[-1].append(line)
        else:
            blocks.append([line])
    return blocks


def _is_below(upper: RecognisedLine, lower: RecognisedLine) -> bool:
    """Whether one line follows the other in a block of text, set to the left or the middle, in one size."""
    size = min(upper.bottom - upper.top, lower.bottom - lower.top)
    return (
        lower.bottom - lower.top < 1.6 * size
        and upper.bottom - upper.top < 1.6 * size
        and -0.5 * size < lower.top - upper.bottom < size
        and min(abs(lower.left - upper.left), abs(lower.left + lower.right - upper.left - upper.right) / 2) < size
    )


def _was_cut(upper: RecognisedLine, lower: RecognisedLine, widest: float) -> bool:
    """Whether the first word of ``lower`` had no room in ``upper``, a line of running text."""
    wide = sum(map(is_wide, upper.text))
    if wide / 2 + len(upper.text.split()) < _FULL_LINE or LIST_ITEM.match(lower.text):
        return False
    width = lower.right - lower.left
    first = lower.text.strip().split(None, 1)[0]
    share = 2 / max(len(lower.text), 2) if is_wide(first[0]) else (len(first) + 1) / len(lower.text)
    return upper.right - upper.left + width * share > widest * 0.95


__all__ = ["TextInPictures"]
