"""What is to be done about one input: compared with what is stored, before anything is extracted or written."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from extractors.language import detect_language
from extractors.loaders import load_file, loader_for
from graphrag.inputs import Input
from graphrag.stores import Stores
from storage.errors import LoadError
from storage.identity import content_digest, make_id
from storage.records import Document, Groups, Source

Action = Literal["add", "replace", "update", "unchanged", "stale", "failed"]

CALLER = "caller@1"
"""The loader of a document that the caller made."""


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """How the caller wants documents taken in; what is given here comes before what a document says itself."""

    groups: Groups | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    prune: bool = False
    reprocess: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One input and what is to be done about it."""

    action: Action
    input: Input
    source: Source | None = None  # as it will be stored; for add, replace and update
    document: Document | None = None  # for add and replace
    replaces: str | None = None  # document id
    reason: str = ""  # for failed


class Planner:
    """Decides about one input after the other; remembers them, since two of one run may claim the same identity."""

    def __init__(self, stores: Stores, known: Mapping[str, Source], options: IngestOptions) -> None:
        self._stores = stores
        self._known = known
        self._options = options
        self._seen: dict[str, tuple[Input, str]] = {}

    def step(self, item: Input) -> Step:
        """What is to be done about ``item``. A file that cannot be read is a failed step, never an exception."""
        try:
            return self._step(item)
        except LoadError as error:
            return Step("failed", item, reason=str(error))

    def _step(self, item: Input) -> Step:
        if item.document is not None:
            document, data, loader = with_language(item.document), b"", CALLER
            raw = document.content_hash
        else:
            assert item.location is not None
            data = _read(item)
            document, raw, loader = None, content_digest(data), loader_for(item.location, data).name
        known = self._known.get(item.source_id)
        if (clash := self._clash(item, raw, known)) is not None:
            return clash
        fingerprint = self._stores.fingerprint(loader)
        same = known is not None and known.raw_hash == raw
        if known is not None and same and not (self._options.reprocess and known.fingerprint != fingerprint):
            source = self._source(item, known.document_id, raw, known.fingerprint, document, known)
            if source != known:
                return Step("update", item, source)
            return Step("unchanged" if known.fingerprint == fingerprint else "stale", item)
        if document is None:
            assert item.location is not None
            document = with_language(load_file(item.location, data))
        if not document.text.strip():
            raise LoadError("the document holds no text. Remove it from the input, or check that it is whole.")
        document_id = make_id("doc", item.source_id, document.content_hash)
        source = self._source(item, document_id, raw, fingerprint, document, known)
        if known is None:
            return Step("add", item, source, document)
        if known.document_id == document_id and known.fingerprint == fingerprint:
            return Step("update", item, source)  # other bytes, the same text
        return Step("replace", item, source, document, replaces=known.document_id)

    def _clash(self, item: Input, raw: str, known: Source | None) -> Step | None:
        earlier = self._seen.get(item.source_id)
        if earlier is not None:
            first, first_raw = earlier
            if first_raw == raw:
                return Step("unchanged", item)
            return _two_places(item, str(first.location or first.path))
        self._seen[item.source_id] = (item, raw)
        if known is None or known.location is None or item.location is None or known.raw_hash == raw:
            return None
        if _is_another_file(known.location, item.location):
            return _two_places(item, known.location)
        return None

    def _source(
        self, item: Input, document_id: str, raw: str, fingerprint: str, document: Document | None, known: Source | None
    ) -> Source:
        options = self._options
        own = document if document is not None else known
        groups = options.groups
        if groups is None and document is not None:
            groups = document.groups
        if groups is None:
            groups = known.groups if known else self._stores.settings.default_groups
        location = str(item.location) if item.location else None
        if known and known.raw_hash == raw and known.location and _exists(known.location):
            location = known.location
        return Source(
            namespace=item.namespace,
            path=item.path,
            location=location,
            groups=tuple(sorted(set(groups))),
            metadata=own.metadata if own else {},
            valid_from=self._validity("valid_from", document, known),
            valid_to=self._validity("valid_to", document, known),
            document_id=document_id,
            raw_hash=raw,
            fingerprint=fingerprint,
            ingested_at=known.ingested_at if known and known.raw_hash == raw else self._stores.clock(),
        )

    def _validity(
        self, bound: Literal["valid_from", "valid_to"], document: Document | None, known: Source | None
    ) -> datetime | None:
        """As the caller says, else as the document does, else as before."""
        said = (getattr(place, bound) for place in (self._options, document, known) if place is not None)
        return next((moment for moment in said if moment is not None), None)


def with_language(document: Document) -> Document:
    """The document with its language named: part of its content, so that it is the same on every reading."""
    return document if document.language else document.model_copy(update={"language": detect_language(document.text)})


def _read(item: Input) -> bytes:
    assert item.location is not None
    try:
        return item.location.read_bytes()
    except OSError as error:
        raise LoadError(f"cannot be read: {(error.strerror or str(error)).lower()}. Check its permissions.") from error


def _exists(location: str) -> bool:
    try:
        return Path(location).exists()
    except OSError:
        return False


def _is_another_file(location: str, other: Path) -> bool:
    """Whether there still is a file at ``location``, and not the one that ``other`` names in another way."""
    try:
        return not os.path.samefile(location, other)
    except OSError:
        return False


def _two_places(item: Input, other: str) -> Step:
    here = item.location or item.path
    return Step(
        "failed",
        item,
        reason=f"{here} and {other} would both be {item.namespace}/{item.path}, with different content. "
        f"Ingest one of them with --namespace NAME.",
    )


__all__ = ["CALLER", "Action", "IngestOptions", "Planner", "Step", "with_language"]
