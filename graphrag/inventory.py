"""What is in a store, and finding things in it by path, id or the beginning of an id."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from importlib import metadata
from pathlib import Path

from graphrag.inputs import PART, portable
from graphrag.loader_versions import current_loader, loader_of_source, options_of
from graphrag.results import DocumentRow, DocumentsResult, FileProblem, Status
from graphrag.same_as import same_as_by
from graphrag.stores import Stores
from storage.errors import NotFoundError, UsageError
from storage.identity import Kind, is_id
from storage.manifest import FORMAT_VERSION, read_manifest
from storage.ports import DocumentCounts, GraphStore
from storage.records import OWNER, Scope, Source

LISTED = 8
"""Candidates named in the message about an ambiguous name."""


def documents(
    stores: Stores,
    scope: Scope,
    groups: frozenset[str] | None,
    *,
    stale: bool,
    failed: bool,
    versions: bool = False,
) -> DocumentsResult:
    """What is in, and what could not be taken in; with ``stale`` or ``failed`` only that.

    With ``versions`` whatever is in at any time: also what does not hold now, and older versions that are kept.
    A caller is told of a document's groups only those that it has itself; the owner (``groups`` of None) all of them.
    """
    if versions:
        scope = scope.model_copy(update={"at": None})
    sources = stores.graph.sources(scope)
    records = stores.graph.documents([s.document_id for s in sources], scope)
    counts = stores.graph.document_counts(list(records), scope)
    bounded = [s.id for s in sources if s.valid_to is not None]
    older = {s.document_id for s in (stores.graph.kept_versions(bounded) if bounded else ())}
    rows = []
    for source in sources:
        document = records[source.document_id]
        count = counts.get(document.id, DocumentCounts())
        rows.append(
            DocumentRow(
                source_id=source.id,
                document_id=document.id,
                namespace=source.namespace,
                path=source.path,
                title=document.title,
                language=document.language,
                chunks=count.chunks,
                relations=count.relations,
                groups=tuple(g for g in source.groups if groups is None or g in groups),
                metadata=source.metadata,
                ingested_at=source.ingested_at,
                stale=is_stale(stores, source, older=source.document_id in older),
                valid_from=source.valid_from,
                valid_to=source.valid_to,
                gaps=source.gaps,
                older=source.document_id in older,
            )
        )
    problems = [
        FileProblem(path=f"{f.namespace}/{f.path}", reason=f.reason)
        for f in (stores.graph.failures() if scope.classes is None else [])
    ]
    if stale or failed:
        rows = [r for r in rows if stale and r.stale]
        problems = problems if failed else []
    return DocumentsResult(documents=tuple(rows), failed=tuple(problems))


def is_stale(stores: Stores, source: Source, *, older: bool = False) -> bool:
    """Whether another loader, chunker, extractor or embedder processed a source than those in use now.

    Of an older version the file is gone, so its loader is what it is.
    """
    loader = loader_of_source(source.fingerprint)
    if older:
        return source.fingerprint != stores.fingerprint(loader)
    return source.fingerprint != stores.fingerprint(current_loader(loader) + options_of(loader))


def status(stores: Stores) -> Status:
    """Counts, sizes and versions, as the owner sees them."""
    scope = stores.graph.scope(OWNER)
    counts = stores.graph.counts(scope).model_dump()
    by_type = counts.pop("relations_by_type")
    manifest = read_manifest(stores.folder)
    assert manifest is not None
    return Status(
        store=str(stores.folder),
        format_version=FORMAT_VERSION,
        clew_version=metadata.version("clew"),
        embedder=manifest.embedder,
        dimensions=manifest.dimensions,
        isolation=manifest.isolation,
        same_as_by=same_as_by(stores.embedder),
        counts=counts,
        relations_by_type=by_type,
        bytes_on_disk=size_on_disk(stores.folder),
        stale=sum(is_stale(stores, s) for s in stores.graph.sources(scope)),
        failed=len(stores.graph.failures()),
        versions=len(stores.graph.kept_versions()),
        state_hash=stores.graph.state_hash(),
    )


def find_sources(graph: GraphStore, name: str) -> list[Source]:
    """The one source with this path (with or without its namespace), id, or beginning of an id, whenever it holds.

    Several, sorted by path, only when ``name`` is a file that holds several documents. The id of an older version is
    one of its source.
    """
    wanted = name.removeprefix("./")
    # Nearly always it is a path: of a hundred thousand sources, only those are read that have it.
    found = [s for s in graph.every_source(_paths_in(wanted)) if wanted in (s.path, f"{s.namespace}/{s.path}")]
    if found:
        return _only(found, name)
    sources = graph.every_source()
    versions: dict[str, list[str]] = defaultdict(list)  # by source, its documents
    for version in (*sources, *(graph.kept_versions() if name.startswith("doc_") else ())):
        versions[version.id].append(version.document_id)
    found = [s for s in sources if wanted in (s.id, *versions[s.id])]
    if not found and name.partition("_")[0] in ("src", "doc"):
        found = [s for s in sources if any(id_.startswith(name) for id_ in (s.id, *versions[s.id]))]
    if not found:
        absolute = str(Path(name).absolute())
        found = [s for s in sources if s.location in (wanted, absolute) or _is_in_file(s, wanted)]
        if len({(s.namespace, s.location) for s in found}) == 1:
            return sorted(found, key=lambda s: s.path)
    if not found:
        raise NotFoundError(f"Nothing that was ingested is called {name!r}. See what is in with: clew documents")
    return _only(found, name)


def _paths_in(name: str) -> list[str]:
    """The path that ``name`` is, and those that it can be with a namespace before it, which may hold slashes."""
    return [name, *(name[i + 1 :] for i, character in enumerate(name) if character == "/")]


def _only(found: list[Source], name: str) -> list[Source]:
    if len(found) > 1:
        names = ", ".join(sorted(f"{s.namespace}/{s.path}" for s in found)[:LISTED])
        raise UsageError(f"{name!r} could be any of {len(found)}: {names}. Give the namespace or an id as well.")
    return found


def _is_in_file(source: Source, file: str) -> bool:
    """Whether it is one of several documents in the file with this path (with or without its namespace)."""
    if source.location is None:
        return False
    location = portable(Path(source.location).as_posix())
    return any(
        source.path.startswith(f"{path}{PART}") and location.endswith(f"/{path}")
        for path in (file, file.removeprefix(f"{source.namespace}/"))
    )


def whole_id(graph: GraphStore, scope: Scope, prefix: str, kind: Kind) -> str:
    """The id that begins with ``prefix``. Raises NotFoundError if there is none, UsageError if there are several."""
    if is_id(prefix, kind):
        return prefix
    name = prefix if prefix.startswith(f"{kind}_") else f"{kind}_{prefix}"
    found = graph.ids_starting(name, scope, limit=LISTED) if len(name) > len(kind) + 1 else []
    if not found:
        raise NotFoundError(f"There is no id that begins with {prefix!r}.")
    if len(found) > 1:
        raise UsageError(f"{prefix!r} could be {', '.join(found)}. Give more of the id.")
    return found[0]


def size_on_disk(folder: Path) -> int:
    """Bytes of all files below a folder."""
    total = 0
    for path in folder.rglob("*"):
        with suppress(OSError):  # a writer may fold it away at this moment
            total += path.stat().st_size if path.is_file() else 0
    return total


__all__ = ["documents", "find_sources", "is_stale", "size_on_disk", "status", "whole_id"]
