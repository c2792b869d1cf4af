"""Words of a PDF page to segments: stretches of a line that no gutter and no cell border cuts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from extractors.loaders.pdf_words import Word

_WIDEST_BLANK = 1.2  # in type sizes: between words of a justified line


@dataclass(slots=True)
class Segment:
    """Words that follow each other in the file and on the page: no gutter is between them."""

    left: float
    right: float
    top: float
    bottom: float
    words: list[Word]

    @property
    def text(self) -> str:
        """Its words."""
        return " ".join(word.text for word in self.words)

    @property
    def baseline(self) -> float:
        """On which its first word stands."""
        return self.words[0].baseline

    @property
    def middle(self) -> float:
        """Half the way down."""
        return (self.top + self.bottom) / 2


def segments_of(words: Sequence[Word]) -> list[Segment]:
    """The words in the order of the file, those together that follow each other there and on the page."""
    segments: list[Segment] = []
    before: Word | None = None
    for word in words:
        if before is not None and word.order == before.order + 1 and word.gap != "\n":
            size = max(before.size, word.size)
            near = -0.5 * size < word.left - before.right < _WIDEST_BLANK * size
            if near and abs(word.baseline - before.baseline) < 0.5 * size:
                segment = segments[-1]
                segment.words.append(word)
                segment.right = max(segment.right, word.right)
                segment.top, segment.bottom = min(segment.top, word.top), max(segment.bottom, word.bottom)
                before = word
                continue
        segments.append(Segment(word.left, word.right, word.top, word.bottom, [word]))
        before = word
    return segments


__all__ = ["Segment", "segments_of"]
