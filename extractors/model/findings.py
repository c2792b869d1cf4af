"""The form in which a model tells what it has found in a text."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, model_validator


class Check(BaseModel):
    """What the model thinks of a relation that the rules have found, by its number."""

    number: int
    verdict: Literal["confirm", "doubt"]


class FoundRelation(BaseModel):
    """A relation in the words of the text."""

    type: Literal["causal", "sequential", "supporting", "progressive"]
    head: str
    tail: str
    cue: str
    negated: bool
    modality: Literal["asserted", "hedged", "hypothetical"]

    @model_validator(mode="before")
    @classmethod
    def _unsaid(cls, value: Any) -> Any:
        # Small models leave out what is as usual; the schema that they are given asks for every field.
        return {"cue": "", "negated": False, "modality": "asserted", **value} if isinstance(value, dict) else value


class Findings(BaseModel):
    """All that a model found in one stretch of text."""

    checked: list[Check]
    found: list[FoundRelation]

    @model_validator(mode="before")
    @classmethod
    def _unsaid(cls, value: Any) -> Any:
        if not isinstance(value, dict) or not ({"checked", "found"} & value.keys()):
            return value
        return {"checked": [], "found": [], **value}


__all__ = ["Check", "Findings", "FoundRelation"]
