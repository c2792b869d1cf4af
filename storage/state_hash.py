"""One number for the state of a graph: equal documents and settings give equal numbers, in any order of ingestion."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from storage.records import Record, SameAs, Source

_NOT_STATE = {"ingested_at", "location", "raw_hash", "fingerprint"}
"""Fields of a source that say when, from where and with what it was read, not what is known."""


def canonical_line(record: Record) -> str:
    """One record as one line of canonical JSON: its kind, then its fields by name, without times and places."""
    exclude = _NOT_STATE if isinstance(record, Source) else None
    fields = record.model_dump(mode="json", exclude=exclude)
    if isinstance(record, Source):  # pydantic's JSON mode loses lone surrogates in keys: two names would be one
        fields["metadata"] = record.metadata
    return json.dumps([type(record).__name__, fields], ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def state_hash(records: Iterable[Record]) -> str:
    """SHA-256 over the sorted canonical lines of all records but similarity links."""
    digest = hashlib.sha256()
    for line in sorted(canonical_line(r) for r in records if not isinstance(r, SameAs)):
        digest.update(line.encode("utf-8", "surrogatepass"))
        digest.update(b"\n")
    return digest.hexdigest()


__all__ = ["canonical_line", "state_hash"]
