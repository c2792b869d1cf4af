"""What reading texts with a model would ask of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Estimate:
    """Calls and tokens, about; what is remembered from before is not counted."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Estimate) -> Estimate:
        return Estimate(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )


@runtime_checkable
class Estimating(Protocol):
    """An extractor that asks a model, and can tell beforehand how much."""

    def estimate(self, text: str, language: str) -> Estimate:
        """What extracting from ``text`` would ask of the model, about."""


__all__ = ["Estimate", "Estimating"]
