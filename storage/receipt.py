"""The receipt of a removal: what went, by id alone, so that it can be kept when the text is gone."""

from __future__ import annotations

import json

from pydantic import ConfigDict, computed_field

from storage.identity import make_id
from storage.records import UtcTime
from storage.structure import Record

COUNTED = ("sources", "documents", "chunks", "evidence", "relations", "statements", "chains")
"""The parts of a receipt that hold ids, each sorted."""


class Receipt(Record):
    """What one transaction took away when it removed sources; no path and no text of theirs."""

    model_config = ConfigDict(frozen=True, extra="ignore")  # id and counts are written with it, and derived when read

    at: UtcTime
    actor: str
    reason: str = ""  # what removed them: a command, or a person's words
    sources: tuple[str, ...]
    documents: tuple[str, ...] = ()
    chunks: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()  # retired: nothing else proves them
    statements: tuple[str, ...] = ()  # retired: nothing else says them
    chains: tuple[str, ...] = ()  # retired: a link went, or no document holds all links

    @computed_field  # type: ignore[prop-decorator]
    @property
    def id(self) -> str:
        """Identity: all of the content, so that an altered receipt no longer has the id that the ledger names."""
        content = self.model_dump(mode="json", include=set(type(self).model_fields))
        return make_id("rcp", json.dumps(content, sort_keys=True))

    @computed_field  # type: ignore[prop-decorator]
    @property
    def counts(self) -> dict[str, int]:
        """How many of each there are."""
        return {name: len(getattr(self, name)) for name in COUNTED}


__all__ = ["COUNTED", "Receipt"]
