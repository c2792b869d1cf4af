"""One number for the state of a graph: equal documents and settings give equal numbers, in any order of ingestion."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping

from storage.records import Record, SameAs, Source

_NOT_STATE = {"ingested_at", "location", "raw_hash", "fingerprint"}
"""Fields of a source that say when, from where and with what it was read, not what is known."""

_LATER: Mapping[str, tuple[str, ...]] = {
    "Source": ("gaps",),
    "Chunk": ("places", "context"),
    "Evidence": ("confirmed_by", "doubted_by"),
}
"""Fields that records did not have at first. Empty they are left out: an older store's hash stays what it was."""


def canonical_line(record: Record, *, empty: bool = False) -> str:
    """One record as one line of canonical JSON: its kind, then its fields by name, without times and places.

    ``empty``: with fields of chunks and evidence that records did not have at first, though there is nothing in them.
    """
    kind = type(record).__name__
    later = () if empty and not isinstance(record, Source) else _LATER.get(kind, ())
    exclude = {name for name in later if not getattr(record, name)}
    fields = record.model_dump(mode="json", exclude=exclude | _NOT_STATE if isinstance(record, Source) else exclude)
    if isinstance(record, Source):  # pydantic's JSON mode loses lone surrogates in keys: two names would be one
        fields["metadata"] = record.metadata
    return json.dumps([kind, fields], ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def state_hash(records: Iterable[Record], *, empty: bool = False) -> str:
    """SHA-256 over the sorted canonical lines of all records but similarity links.

    ``empty``: as it was for a while, see :func:`canonical_line`; backups of that time say it so.
    """
    digest = hashlib.sha256()
    for line in sorted(canonical_line(r, empty=empty) for r in records if not isinstance(r, SameAs)):
        digest.update(line.encode("utf-8", "surrogatepass"))
        digest.update(b"\n")
    return digest.hexdigest()


__all__ = ["canonical_line", "state_hash"]
