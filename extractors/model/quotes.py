"""Finds in a text what a model says it has quoted: verbatim but for white space and the width of characters."""

from __future__ import annotations

import unicodedata
from itertools import product

from extractors.ports import TextSpan

_MOST = 20
"""Places of one quote that are looked at: what stands more often is no statement."""
_OUTER = " \t\n\r\f\v\u3000\"'“”‘’「」『』.,;:!?。，；：！？、…"


class Quotable:
    """A text prepared for finding quotes in it; offsets are code points of the text as it was given."""

    def __init__(self, text: str) -> None:
        self._text = text
        plain: list[str] = []
        self._origin: list[int] = []  # of each character of the plain text
        for i, character in enumerate(text):
            if not character.isspace():
                for part in unicodedata.normalize("NFKC", character):
                    if not part.isspace():
                        plain.append(part)
                        self._origin.append(i)
        self._plain = "".join(plain)

    def places(self, quote: str) -> list[TextSpan]:
        """Where ``quote`` stands, in order; marks and quotation marks around it do not count."""
        wanted = "".join(c for c in unicodedata.normalize("NFKC", quote.strip(_OUTER)) if not c.isspace())
        found: list[TextSpan] = []
        at = self._plain.find(wanted) if wanted else -1
        while at >= 0 and len(found) < _MOST:
            start, end = self._origin[at], self._origin[at + len(wanted) - 1] + 1
            if not self._cuts_word(start) and not self._cuts_word(end):
                found.append(TextSpan(start=start, end=end, text=self._text[start:end]))
            at = self._plain.find(wanted, at + 1)
        return found

    def pair(self, head: str, tail: str) -> tuple[TextSpan, TextSpan] | None:
        """The places of two quotes that stand nearest to each other without sharing a character."""
        pairs = [
            (max(a.start, b.start) - min(a.end, b.end), a, b)
            for a, b in product(self.places(head), self.places(tail))
            if not a.overlaps(b)
        ]
        if not pairs:
            return None
        _, first, second = min(pairs, key=lambda p: (p[0], p[1].start))
        return first, second

    def cue(self, cue: str, head: TextSpan, tail: TextSpan) -> TextSpan | None:
        """The place of a cue nearest to both ends, outside of them; None where there is none."""
        middle = (head.start + head.end + tail.start + tail.end) / 4
        places = [p for p in self.places(cue) if not p.overlaps(head) and not p.overlaps(tail)]
        return min(places, key=lambda p: abs((p.start + p.end) / 2 - middle), default=None)

    def _cuts_word(self, position: int) -> bool:
        if not 0 < position < len(self._text):
            return False
        before, after = self._text[position - 1], self._text[position]
        return before.isascii() and after.isascii() and before.isalnum() and after.isalnum()


__all__ = ["Quotable"]
