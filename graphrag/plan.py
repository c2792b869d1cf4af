"""What is to be done about one input: compared with what is stored, before anything is extracted or written."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Literal

from extractors.language import detect_language
from extractors.loaders import DEFAULTS, loader_for
from extractors.ports import LoadOptions
from graphrag.inputs import PART, Input
from graphrag.stores import Stores
from storage.errors import LoadError
from storage.identity import content_digest, make_id
from storage.records import Document, Groups, Source

Action = Literal["add", "replace", "update", "unchanged", "stale", "failed", "remove"]

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
    load: LoadOptions = DEFAULTS


@dataclass(frozen=True, slots=True)
class Step:
    """One input, or one document of several in it, and what is to be done about it."""

    action: Action
    input: Input
    source: Source | None = None  # as it will be stored, for add, replace and update; as it is, for remove
    document: Document | None = None  # for add and replace
    replaces: str | None = None  # document id
    reason: str = ""  # for failed
    notes: tuple[str, ...] = ()  # what was left out though it was read


class Planner:
    """Decides about one input after the other; remembers them, since two of one run may claim the same identity."""

    def __init__(self, stores: Stores, known: Mapping[str, Source], options: IngestOptions) -> None:
        self._stores = stores
        self._known = known
        self._options = options
        self._seen: dict[str, tuple[Input, str]] = {}
        self._paths = sorted((s.namespace, s.path, id_) for id_, s in known.items())

    def steps(self, item: Input) -> list[Step]:
        """What is to be done about ``item``. A file that cannot be read is a failed step, never an exception."""
        try:
            return self._file(item) if item.document is None else [self._made(item, with_language(item.document))]
        except LoadError as error:
            return [Step("failed", item, reason=str(error))]

    def _made(self, item: Input, document: Document) -> Step:
        raw, fingerprint = document.content_hash, self._stores.fingerprint(CALLER)
        return (
            self._clash(item, raw, self._known.get(item.source_id))
            or self._stored(item, raw, fingerprint, document)
            or self._new(item, raw, fingerprint, document)
        )

    def _file(self, item: Input) -> list[Step]:
        assert item.location is not None
        data, options = _read(item), self._options.load
        raw = content_digest(data)
        loader = loader_for(item.location, data, options.format).name
        known = self._of_file(item)
        if (clash := self._clash(item, raw, self._known[known[0].source_id] if known else None)) is not None:
            return [clash]
        fingerprint = self._stores.fingerprint(f"{loader}({options.signature})" if options.signature else loader)
        stored = [self._stored(part, raw, fingerprint) for part in known]
        if stored and all(stored):
            return [step for step in stored if step is not None]
        loaded = self._stores.load(item.location, data, options)
        steps = [Step("failed", item.part(p.part), reason=p.reason) for p in loaded.problems]
        for document in loaded.documents:
            part = item.part(document.id)
            try:
                step = self._stored(part, raw, fingerprint, document) or self._new(part, raw, fingerprint, document)
                steps.append(step)
            except LoadError as error:
                steps.append(Step("failed", part, reason=str(error)))
        if steps and loaded.notes:
            steps[-1] = replace(steps[-1], notes=loaded.notes)
        there = {step.input.source_id for step in steps}
        gone = (part for part in known if part.source_id not in there)
        return [*steps, *(Step("remove", part, self._known[part.source_id]) for part in gone)]

    def _of_file(self, item: Input) -> list[Input]:
        """What is known of this file: itself, or the documents in it."""
        known = [item] if item.source_id in self._known else []
        prefix = f"{item.path}{PART}"
        for namespace, path, _ in self._paths[bisect_left(self._paths, (item.namespace, prefix, "")) :]:
            if namespace != item.namespace or not path.startswith(prefix):
                break
            known.append(item.part(path.removeprefix(prefix)))
        return known

    def _stored(self, item: Input, raw: str, fingerprint: str, document: Document | None = None) -> Step | None:
        """What is to be done when ``item`` is stored with these bytes, so that nothing needs to be read; else None."""
        known = self._known.get(item.source_id)
        if known is None or known.raw_hash != raw:
            return None
        if self._options.reprocess and known.fingerprint != fingerprint:
            return None
        source = self._source(item, known.document_id, raw, known.fingerprint, document, known)
        if source != known:
            return Step("update", item, source)
        return Step("unchanged" if known.fingerprint == fingerprint else "stale", item)

    def _new(self, item: Input, raw: str, fingerprint: str, document: Document) -> Step:
        """What is to be done about a document that has been read."""
        document = with_language(document)
        if not document.text.strip():
            raise LoadError("the document holds no text. Remove it from the input, or check that it is whole.")
        known = self._known.get(item.source_id)
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
