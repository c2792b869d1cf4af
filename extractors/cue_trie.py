"""Finds the longest of many cues at each place of a sequence of words or characters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

_Value = TypeVar("_Value")


@dataclass
class _Node(Generic[_Value]):
    after: dict[str, _Node[_Value]] = field(default_factory=dict)
    values: list[_Value] = field(default_factory=list)


class CueTrie(Generic[_Value]):
    """Cues by their parts, words or characters. A search takes time in the text times the longest cue."""

    def __init__(self, cues: Iterable[tuple[Sequence[str], _Value]]) -> None:
        self._root: _Node[_Value] = _Node()
        for parts, value in cues:
            node = self._root
            for part in parts:
                node = node.after.setdefault(part, _Node())
            node.values.append(value)

    def find(self, parts: Sequence[str]) -> Iterator[tuple[int, int, tuple[_Value, ...]]]:
        """Start and end of each cue in ``parts`` and what belongs to it: from the left, the longest, no overlaps."""
        position = 0
        while position < len(parts):
            node, end, values = self._root, position, []
            for i in range(position, len(parts)):
                following = node.after.get(parts[i])
                if following is None:
                    break
                node = following
                if node.values:
                    end, values = i + 1, node.values
            if values:
                yield position, end, tuple(values)
            position = max(end, position + 1)


__all__ = ["CueTrie"]
