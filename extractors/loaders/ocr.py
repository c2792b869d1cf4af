"""Text recognition (OCR): what a loader needs of it for pages that are pictures, and the engine of the extra."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Any, NamedTuple, Protocol

_LONGEST_SIDE = 1472  # pixels, to find where lines stand, which takes most of the time; they are read at full size
_SUREST = 0.5  # below it, what was recognised is mostly specks and parts of drawings


class RecognisedLine(NamedTuple):
    """Words in one line of a picture, and its box in pixels from the top left."""

    text: str
    left: float
    top: float
    right: float
    bottom: float


class TextRecognizer(Protocol):
    """Reads the text in pictures."""

    @property
    def name(self) -> str:
        """Engine and version."""

    def lines(self, picture: Any) -> list[RecognisedLine]:
        """What is written in ``picture``, an array of height × width × 3 bytes, in any order."""


@cache
def installed_recognizer() -> TextRecognizer | None:
    """The engine of the extra ``ocr``, or None if it is not installed."""
    if find_spec("rapidocr") is None:
        return None
    return _RapidOcr()


class _RapidOcr:
    """PP-OCRv6 by RapidOCR: Chinese and English among others, with the models in its package; no network."""

    def __init__(self) -> None:
        from importlib.metadata import version

        self.name = f"rapidocr@{version('rapidocr')}"
        self._engine: Any = None

    def lines(self, picture: Any) -> list[RecognisedLine]:
        """What is written in ``picture``."""
        if self._engine is None:
            from rapidocr import RapidOCR

            finding = {"Det.limit_type": "max", "Det.limit_side_len": _LONGEST_SIDE}
            self._engine = RapidOCR(params={"Global.log_level": "error", **finding})
        result = self._engine(picture, use_cls=False)  # the pages of a document stand upright
        if result.boxes is None:
            return []
        return [
            RecognisedLine(text, *box.min(axis=0).tolist(), *box.max(axis=0).tolist())
            for box, text, score in zip(result.boxes, result.txts, result.scores, strict=True)
            if score >= _SUREST and text.strip()
        ]


__all__ = ["RecognisedLine", "TextRecognizer", "installed_recognizer"]
