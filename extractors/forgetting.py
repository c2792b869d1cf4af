"""What remembers something about texts, and can forget it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable


@runtime_checkable
class Forgetting(Protocol):
    """An embedder or an extractor with a memory."""

    def forget(self, texts: Sequence[str]) -> int:
        """Remove what is remembered of ``texts``; how many things that were."""


__all__ = ["Forgetting"]
