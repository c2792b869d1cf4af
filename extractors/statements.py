"""The first statement of a stretch of text: what a reader of either language finds in it."""

from __future__ import annotations

from typing import NamedTuple


class FirstStatement(NamedTuple):
    """``[start, end)`` of a text that is a clause or a phrase."""

    start: int
    end: int
    happens: bool  # something happens or is done in it, and it does not only name a thing
    hedged: bool = False
    vague: bool = False  # it says that nothing is known, asks, or points to something else


__all__ = ["FirstStatement"]
