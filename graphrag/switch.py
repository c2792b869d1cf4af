"""What follows when a store's index was switched to another one, and what must not be written after that.

A mark in the folder of an index says that something is left to do about it: while it is built, and after the switch
until links and fingerprints are those of its embedder. Whoever writes next does that first.
"""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path

from pydantic import ValidationError

from graphrag.same_as_search import same_as_links
from graphrag.stores import Stores, embedded_by
from storage.errors import StoreBusyError, StoreError, StoreVersionError
from storage.manifest import FIRST_INDEX, Manifest, read_manifest
from storage.ports import GraphStore, Vector
from storage.records import Record, SameAs, Statement

GRACE = timedelta(hours=1)
"""How long the folder of a former index is kept: a process may still be reading it."""

_MARK = "reindex.json"
_STATEMENTS = 2_048  # compared with all others in one pass over them
_SOURCES = 500  # changed in one transaction


class Mark(Record):
    """What is left to do about an index."""

    relink: bool  # links and fingerprints are those of another embedder or isolation


def read_mark(index: Path) -> Mark | None:
    """The mark in the folder of an index, if something is left to do about it."""
    try:
        return Mark.model_validate_json((index / _MARK).read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        raise StoreError(f"{index / _MARK} cannot be read ({error}). Run the same clew reindex again.") from error


def write_mark(index: Path, mark: Mark) -> None:
    """Put a mark into the folder of an index, which is made for it."""
    index.mkdir(parents=True, exist_ok=True)
    part = index / f".{_MARK}"
    part.write_text(mark.model_dump_json() + "\n", encoding="utf-8")
    part.replace(index / _MARK)


def check_not_switched(stores: Stores) -> None:
    """Refuse to write where another process has switched index or graph meanwhile: it would be written to nowhere."""
    if what := _switched(stores):
        raise StoreVersionError(f"{what} Nothing was written: open it again.")


@contextmanager
def explaining_a_switch(stores: Stores) -> Iterator[None]:
    """Say of a failure to read what is behind it, where the index that was read is another's former one and gone."""
    try:
        yield
    except StoreError as error:
        if not isinstance(error, StoreBusyError) and (what := _switched(stores)):
            raise StoreVersionError(f"{what} What it had before is gone: open it again.") from error
        raise


def _switched(stores: Stores) -> str:
    """Which part of a store is another one since it was opened; "" if none is."""
    was, now = stores.manifest, read_manifest(stores.folder)
    if now is None or (now.index, now.graph) == (was.index, was.graph):
        return ""
    part = "index" if now.index != was.index else "graph store"
    return f"{stores.folder} was given another {part} since it was opened here (clew reindex, clew migrate)."


def after_switch(stores: Stores) -> None:
    """Do what a reindex left to do, and remove what nobody reads any more. The caller holds the writer lock."""
    finish_switch(stores)
    drop_former_indexes(stores.folder, stores.manifest, stores.clock())


def finish_switch(stores: Stores) -> None:
    """Make links and fingerprints those of the embedder that a reindex switched to, if that was left to do.

    Similarity links are made anew, as an ingest into this index would have made them. Those that a person rejected
    stay, and stay rejected. What was embedded is said to be of this embedder; whatever else is stale stays so.
    """
    manifest = stores.manifest
    mark = read_mark(stores.folder / manifest.index)
    if mark is None:
        return
    if mark.relink:
        _relink(stores)
        stores.reached("reindex.linked")
        _rename_embedder(stores.graph, manifest.embedder)
        stores.reached("reindex.finished")
    (stores.folder / manifest.index / _MARK).unlink(missing_ok=True)


def former_indexes(folder: Path, manifest: Manifest) -> list[Path]:
    """Folders of indexes that this one took the place of."""
    return [path for path in _others(folder, manifest) if not (path / _MARK).exists()]


def drop_former_indexes(folder: Path, manifest: Manifest, now: datetime) -> None:
    """Remove former indexes once nobody should be reading them any more. The caller holds the writer lock."""
    if manifest.index_since is not None and now - manifest.index_since >= GRACE:
        for path in former_indexes(folder, manifest):
            shutil.rmtree(path, ignore_errors=True)  # a file in use elsewhere goes the next time


def drop_unfinished_indexes(folder: Path, manifest: Manifest, *, but: str = "") -> None:
    """Remove what reindexes began to build and did not finish, except the folder ``but``; needs the writer lock too."""
    for path in _others(folder, manifest):
        if path.name != but and (path / _MARK).exists():
            shutil.rmtree(path, ignore_errors=True)


def _others(folder: Path, manifest: Manifest) -> Iterator[Path]:
    with suppress(FileNotFoundError):
        for path in sorted(folder.iterdir()):
            if path.name != manifest.index and (path.name == FIRST_INDEX or path.name.startswith(f"{FIRST_INDEX}-")):
                yield path


def _relink(stores: Stores) -> None:
    """Put the links that follow from embedder and isolation in the place of those that are there."""
    residue = stores.graph.residue()
    links = {link.id: link for link in _every_link(stores)}
    for link in residue.same_as:
        if link.id in residue.rejected_links:
            links.setdefault(link.id, link)
    made = tuple(sorted(links.values(), key=lambda link: (link.first, link.second)))
    if made != residue.same_as:
        stores.graph.adopt(residue.model_copy(update={"same_as": made}))


def _every_link(stores: Stores) -> Iterator[SameAs]:
    """The links of all statements, a number of them compared with all at a time; a link may come twice."""
    waiting: dict[str, list[Vector]] = defaultdict(list)
    for owners, matrix in stores.index.vectors("statements"):
        for owner, vector in zip(owners, matrix, strict=True):
            waiting[owner].append(vector)
        if len(waiting) >= _STATEMENTS:
            yield from _links_of(stores, waiting)
            waiting.clear()
    yield from _links_of(stores, waiting)


def _links_of(stores: Stores, vectors: dict[str, list[Vector]]) -> list[SameAs]:
    keys = stores.graph.statement_keys(sorted(vectors))
    return same_as_links(stores, [Statement(key=key) for _, key in sorted(keys.items())], vectors)


def _rename_embedder(graph: GraphStore, embedder: str) -> None:
    sources = [*graph.every_source(), *graph.kept_versions()]
    changed = [s.model_copy(update={"fingerprint": embedded_by(s.fingerprint, embedder)}) for s in sources]
    due = [new for new, old in zip(changed, sources, strict=True) if new != old]
    for start in range(0, len(due), _SOURCES):
        graph.update_sources(due[start : start + _SOURCES])


__all__ = [
    "GRACE",
    "Mark",
    "after_switch",
    "check_not_switched",
    "drop_former_indexes",
    "drop_unfinished_indexes",
    "explaining_a_switch",
    "finish_switch",
    "former_indexes",
    "read_mark",
    "write_mark",
]
