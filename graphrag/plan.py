"""What is to be done about one input: compared with what is stored, before anything is extracted or written."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Literal

from extractors.language import detect_language
from extractors.loaders import DEFAULTS, loader_of
from extractors.loaders.pictures import load_signature
from extractors.ports import LoadOptions
from graphrag.inputs import PART, Input, portable
from graphrag.language_places import language_places
from graphrag.loader_versions import CALLER, INSIDE, current_loader, loader_of_source
from graphrag.stores import DEGRADED, Stores
from graphrag.succession import Succession, succession
from storage.errors import LoadError
from storage.identity import content_digest, make_id
from storage.ports import Failure
from storage.records import Document, Groups, PlaceKind, Source
from storage.versions import Time

_PLACE_IN_FILE = (PlaceKind.ROW.value, PlaceKind.LINE.value)  # of a row that is a document, among its metadata

Action = Literal["add", "replace", "update", "unchanged", "stale", "failed", "remove"]


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """How the caller wants documents taken in; what is given here comes before what a document says itself."""

    groups: Groups | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    prune: bool = False
    reprocess: bool = False
    retry_degraded: bool = False  # also process anew what a model could not read all of
    dry_run: bool = False
    load: LoadOptions = DEFAULTS


@dataclass(frozen=True, slots=True)
class Step:
    """One input, or one document of several in it, and what is to be done about it."""

    action: Action
    input: Input
    source: Source | None = None  # as it will be stored, for add, replace and update; as it is, for remove
    document: Document | None = None  # for add and replace
    keeps: tuple[Source, ...] = ()  # older versions that stay, as they are from then on
    drops: tuple[str, ...] = ()  # document ids of older versions that go
    replaces: str | None = None  # document id of the version that goes
    reason: str = ""  # for failed
    notes: tuple[str, ...] = ()  # what could not be read though the rest of its file was
    left_out: tuple[str, ...] = ()  # what of its file was left out on purpose
    seen: bool = True  # for update: whether anything differs that a person would see


class Planner:
    """Decides about one input after the other; remembers them, since two of one run may claim the same identity."""

    def __init__(
        self,
        stores: Stores,
        known: Mapping[str, Source],
        options: IngestOptions,
        failures: Iterable[Failure] = (),
        older: Iterable[Source] = (),
    ) -> None:
        self._stores = stores
        self._known = known
        self._older: dict[str, list[Source]] = defaultdict(list)
        for version in older:
            self._older[version.id].append(version)
        self._options = options
        self._seen: dict[str, tuple[Input, str]] = {}
        self._paths = sorted((s.namespace, s.path, id_) for id_, s in known.items())
        self._failures = sorted((f.namespace, f.path, f.source_id) for f in failures)
        self._failed = {id_ for _, _, id_ in self._failures}

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
        files, known = self._stores.files, self._of_file(item)
        data = None if known and not self._options.reprocess else files.read(item.location)
        raw = files.digest(item.location) if data is None else content_digest(data)
        if (clash := self._clash(item, raw, self._known[known[0].source_id] if known else None)) is not None:
            return [clash]
        if known and not self.failed_before(item) and (stored := self._all_stored(item.location, known, raw, data)):
            return stored
        if data is None:
            data = files.read(item.location)
            raw = content_digest(data)  # it may have changed since
        loaded = files.load(item.location, data, self._options.load)
        del data
        steps = [Step("failed", item.part(p.part), reason=p.reason) for p in loaded.problems]
        for document in loaded.documents:
            part = item.part(document.id)
            fingerprint = self._fingerprint(loaded.loader_of(document))
            try:
                step = self._stored(part, raw, fingerprint, document)
                steps.append(step or self._new(part, raw, fingerprint, with_language(document)))
            except LoadError as error:
                steps.append(Step("failed", part, reason=str(error)))
        if steps:
            notes, left_out = (*steps[0].notes, *loaded.notes), (*steps[0].left_out, *loaded.left_out)
            steps[0] = replace(steps[0], notes=notes, left_out=left_out)
        there = {step.input.source_id for step in steps}
        unread = [step.input for step in steps if step.action == "failed"]  # an archive in it may be one of them
        gone = (
            part
            for part in known
            if part.source_id not in there and not any(other.holds(part.path) for other in unread)
        )
        return [*steps, *(Step("remove", part, self._known[part.source_id]) for part in gone)]

    def failed_before(self, item: Input) -> list[str]:
        """The source ids of this file and of parts of it that could not be taken in the last time."""
        own = [item.source_id] if item.source_id in self._failed else []
        return [*own, *(id_ for _, id_ in _within(self._failures, item))]

    def _all_stored(self, location: Path, known: list[Input], raw: str, data: bytes | None) -> list[Step]:
        """What is to be done when every document of a file is stored with these bytes; else nothing.

        ``data`` are the bytes themselves where another loader may be there by now that knows such files better.
        """
        if any(self._known[part.source_id].raw_hash != raw for part in known):
            return []
        outer = None
        if data is not None:
            outer = self._stores.files.loader_name(location, data, self._options.load)
        elif self._options.load.format is not None:
            outer = loader_of(self._options.load.format).name
        steps = []
        for part in known:
            loader = current_loader(loader_of_source(self._known[part.source_id].fingerprint))
            if outer is not None:
                loader = outer + "".join(loader.partition(INSIDE)[1:])
            steps.append(self._stored(part, raw, self._fingerprint(loader)))
        return [step for step in steps if step is not None] if all(steps) else []

    def _fingerprint(self, loader: str) -> str:
        signature = load_signature(self._options.load)
        return self._stores.fingerprint(f"{loader}({signature})" if signature else loader)

    def _of_file(self, item: Input) -> list[Input]:
        """What is known of this file: itself, or the documents in it."""
        known = [item] if item.source_id in self._known else []
        for path, id_ in _within(self._paths, item):
            location = self._known[id_].location
            # Another file may be called like a part of this one: report.md#old.md beside report.md.
            if location is not None and portable(Path(location).name) == PurePosixPath(item.path).name:
                known.append(item.part(path.removeprefix(f"{item.path}{PART}")))
        return known

    def _stored(self, item: Input, raw: str, fingerprint: str, document: Document | None = None) -> Step | None:
        """What is to be done when ``item`` is stored with these bytes, so that nothing needs to be read; else None."""
        known = self._known.get(item.source_id)
        if known is None or known.raw_hash != raw:
            return None
        degraded = known.fingerprint == fingerprint + DEGRADED
        if self._options.reprocess and known.fingerprint != fingerprint:
            return None
        if self._options.retry_degraded and degraded:
            return None
        step = self._update(item, self._succession(item, known.document_id, raw, known.fingerprint, document, known))
        if step.source != known or step.keeps or step.drops:
            return step
        if degraded:
            return Step("unchanged", item, notes=("a model could not read all of it. Redo it with --retry-degraded",))
        return Step("unchanged" if known.fingerprint == fingerprint else "stale", item)

    def _new(self, item: Input, raw: str, fingerprint: str, document: Document) -> Step:
        """What is to be done about a document that has been read, and its language named."""
        if not document.text.strip():
            raise LoadError("the document holds no text. Remove it from the input, or check that it is whole.")
        known = self._known.get(item.source_id)
        document_id = make_id("doc", item.source_id, document.content_hash)
        found = self._succession(item, document_id, raw, fingerprint, document, known)
        if known is None:
            return Step("add", item, found.source, document)
        if known.document_id == document_id and known.fingerprint == fingerprint:
            step = self._update(item, found)
            return replace(step, seen=not item.whole or _differs(found.source, known) or bool(found.keeps))
        return Step(
            "replace",
            item,
            found.source,
            document,
            keeps=found.keeps,
            drops=found.drops,
            replaces=found.replaces,
            left_out=(found.note,) if found.note else (),
        )

    def _update(self, item: Input, found: Succession) -> Step:
        notes = (found.note,) if found.note else ()
        return Step("update", item, found.source, keeps=found.keeps, drops=found.drops, left_out=notes)

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

    def _succession(
        self, item: Input, document_id: str, raw: str, fingerprint: str, document: Document | None, known: Source | None
    ) -> Succession:
        """The source as it will be stored, its validity as the caller says, else as the document does, else as it is.

        A new version beside which the old one stays does not inherit that one's validity: it begins at this moment.
        """
        options = self._options
        bounds = (
            next((b for b in (getattr(options, name), getattr(document, name, None)) if b is not None), None)
            for name in ("valid_from", "valid_to")
        )
        return succession(
            self._source(item, document_id, raw, fingerprint, document, known),
            said=Time(*bounds),
            known=known,
            older=self._older.get(item.source_id, ()),
            keeping=self._stores.settings.keep_versions,
            now=self._stores.clock(),
        )

    def _source(
        self, item: Input, document_id: str, raw: str, fingerprint: str, document: Document | None, known: Source | None
    ) -> Source:
        """All of it but its validity."""
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
            document_id=document_id,
            raw_hash=raw,
            fingerprint=fingerprint,
            ingested_at=known.ingested_at if known and known.raw_hash == raw else self._stores.clock(),
        )


def _within(paths: list[tuple[str, str, str]], item: Input) -> Iterator[tuple[str, str]]:
    """Path and id of those in a sorted list that stand for documents in the file ``item``."""
    prefix = f"{item.path}{PART}"
    for namespace, path, id_ in paths[bisect_left(paths, (item.namespace, prefix, "")) :]:
        if namespace != item.namespace or not path.startswith(prefix):
            break
        yield path, id_


def _differs(source: Source, known: Source) -> bool:
    """Whether more has changed than the bytes of the file around a document."""
    around = {"raw_hash": known.raw_hash, "location": known.location, "ingested_at": known.ingested_at}
    moved = {name: known.metadata[name] for name in _PLACE_IN_FILE if {name} <= source.metadata.keys() & known.metadata}
    return source.model_copy(update={**around, "metadata": source.metadata | moved}) != known


def with_language(document: Document) -> Document:
    """The document with its language named, and that of parts in another: the same on every reading, as its content."""
    language = document.language or detect_language(document.text)
    places = document.places
    if not any(place.kind is PlaceKind.LANGUAGE for place in places):
        places += language_places(document, language)
    return document.model_copy(update={"language": language, "places": places})


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


__all__ = ["Action", "IngestOptions", "Planner", "Step", "with_language"]
