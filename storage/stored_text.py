"""The one form in which text is stored, and to which every offset refers."""

from __future__ import annotations

import re

STORED_TEXT_VERSION = 1
"""Part of every source's fingerprint: another form makes other offsets."""

_NEWLINES = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_DROPPED = re.compile("[\x00\ud800-\udfff]")


def stored_text(text: str) -> str:
    """Normalise ``text`` for storing: newlines become ``\\n``, NUL and lone surrogates go, nothing else changes.

    Offsets everywhere in Clew are Unicode code points of this form. Compatibility forms (full-width letters,
    ligatures) are kept: a quote must stand in the store as it stood in the document.
    """
    return _DROPPED.sub("", _NEWLINES.sub("\n", text))


__all__ = ["STORED_TEXT_VERSION", "stored_text"]
