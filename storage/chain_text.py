"""A chain as text: what it is searched and embedded by, and how it is drawn for people."""

from __future__ import annotations

from collections.abc import Sequence

from storage.records import Polarity, RelationType

ARROWS: dict[RelationType, str] = {
    RelationType.CAUSAL: "causes",
    RelationType.SEQUENTIAL: "then",
    RelationType.SUPPORTING: "supports",
    RelationType.PROGRESSIVE: "leads on to",
}
"""The word in the arrow of each relation type: A ─causes→ B ─then→ C."""


_DENIED: dict[RelationType, str] = {
    RelationType.CAUSAL: "does not cause",
    RelationType.SEQUENTIAL: "not then",
    RelationType.SUPPORTING: "does not support",
    RelationType.PROGRESSIVE: "does not lead on to",
}


def arrow(relation_type: RelationType, polarity: Polarity = Polarity.AFFIRMED) -> str:
    """The arrow between two statements, for example ``─causes→`` or, negated, ``─does not cause→``."""
    words = ARROWS if polarity is Polarity.AFFIRMED else _DENIED
    return f"─{words[relation_type]}→"


def chain_text(links: Sequence[tuple[str, str]]) -> str:
    """The words of a chain in order, for search: heads and tails joined by arrows.

    Where a tail and the next head are said in other words, both stand, joined by an equals sign.
    """
    words = [links[0][0]]
    for i, (head, tail) in enumerate(links):
        if i and head != links[i - 1][1]:
            words += ["=", head]
        words += ["→", tail]
    return " ".join(words)


__all__ = ["ARROWS", "arrow", "chain_text"]
