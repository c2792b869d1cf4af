"""``clew backup``: the whole of a knowledge base at one moment in one file; ``clew restore``: a store made of it.

An embedded graph is copied by SQLite, any other as a stream of records; the rows of the text index are copied as they
are at this moment, without older versions, so that what was removed is not in a backup. Settings are not in it either,
since they may hold keys.
"""

from __future__ import annotations

import io
import os
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from feedback import verify
from graphrag.graph_choice import open_graph
from graphrag.results import Result
from graphrag.settings import Settings
from graphrag.stores import Stores
from storage.archive import (
    ARCHIVE_FORMAT,
    GRAPH_FILE,
    GRAPH_RECORDS,
    ROWS,
    ArchiveReader,
    ArchiveWriter,
    Contents,
    reading_archive,
    writing_archive,
)
from storage.embedded_graph import EmbeddedGraphStore
from storage.encoding import record_json, record_of
from storage.errors import StoreError, StoreFullError, UsageError
from storage.fault_points import Reached, unwatched
from storage.identity import make_id
from storage.manifest import FIRST_INDEX, GraphKind, Manifest, read_manifest, write_manifest
from storage.ports import COLLECTIONS, Change, DocumentGraph, GraphStore, Intent, Residue, TextIndex
from storage.records import Record, UtcTime
from storage.state_hash import state_hash
from storage.text_index import LanceIndex, open_text_index
from storage.writer_lock import writer_lock

if TYPE_CHECKING:
    import pyarrow as pa

BATCH = 50
"""Documents of which the records are held in memory at one time."""

_OURS = {"clew.toml", "writer.lock", "writer.json"}
"""What a folder may hold into which a store is restored."""


class BackupReport(Result):
    """What is in a backup."""

    file: str
    bytes: int
    sources: int
    rows: dict[str, int]
    ledger_entries: int
    ledger_head: str
    state_hash: str

    def as_text(self) -> str:
        rows = ", ".join(f"{n} {name}" for name, n in self.rows.items())
        return (
            f"{self.file}: {self.bytes / 1e6:.1f} MB, {self.sources} sources, {rows}, {self.ledger_entries} ledger "
            f"entries\nstate_hash  {self.state_hash}\n"
            "clew.toml is not in it, since it may hold keys: keep it apart. The texts in it are not encrypted."
        )


class RestoreReport(Result):
    """A store that was made of a backup, and proved to be equal to what was backed up."""

    store: str
    file: str
    graph: GraphKind
    created_at: UtcTime  # of the backup
    sources: int
    rows: dict[str, int]
    ledger_entries: int
    state_hash: str

    def as_text(self) -> str:
        rows = ", ".join(f"{n} {name}" for name, n in self.rows.items())
        return (
            f"{self.store}: restored from {self.file} of {self.created_at:%Y-%m-%d %H:%M} UTC: {self.sources} sources, "
            f"{rows}, {self.ledger_entries} ledger entries, graph in the {self.graph} store\n"
            f"state_hash  {self.state_hash}, as it was backed up"
        )


# --- backup ----------------------------------------------------------------------------------------------------------


def backup(stores: Stores, file: Path, *, overwrite: bool = False) -> BackupReport:
    """Write a backup into ``file``, which is there when it is whole, and not before. The caller holds the writer lock.

    Raises UsageError if the file is there already and ``overwrite`` is False, StoreFullError if it cannot be written.
    """
    if file.is_dir() or (file.exists() and not overwrite):
        raise UsageError(f"{file} is there already. Name another file, or say --overwrite.")
    if not isinstance(stores.index, LanceIndex):
        raise UsageError("Only a knowledge base with a LanceDB text index can be backed up.")
    manifest = read_manifest(stores.folder)
    assert manifest is not None
    facts = _facts(stores.graph, stores.index)
    with writing_archive(file) as archive:
        _write_graph(archive, stores, file)
        stores.reached("backup.graph.written")
        for collection in COLLECTIONS:
            _write_rows(archive, stores.index, collection)
            stores.reached("backup.rows.written")
        contents = archive.finish(
            Contents(
                format=ARCHIVE_FORMAT,
                clew_version=version("clew"),
                created_at=stores.clock(),
                manifest=manifest,
                **facts.model_dump(),
            )
        )
        stores.reached("backup.finished")
    return BackupReport(file=str(file), bytes=file.stat().st_size, **_shown(contents))


class _Facts(Record):
    """What must be equal after a restore; nothing of it depends on when it is asked."""

    state_hash: str
    records: dict[str, int]
    sources: int
    rows: dict[str, int]
    ledger_entries: int
    ledger_head: str


def _facts(graph: GraphStore, index: TextIndex) -> _Facts:
    counts: Counter[str] = Counter()

    def counted() -> Iterator[Record]:
        for record in graph.records():
            counts[type(record).__name__] += 1
            yield record

    digest = state_hash(counted())  # worked out anew: a number that is kept could be copied with what it describes
    ledger = verify(graph.ledger())
    return _Facts(
        state_hash=digest,
        records=dict(sorted(counts.items())),
        sources=len(graph.every_source()),
        rows={collection: index.count(collection) for collection in COLLECTIONS},
        ledger_entries=ledger.entries,
        ledger_head=ledger.head,
    )


def _shown(contents: Contents) -> dict[str, Any]:
    return contents.model_dump(include={"sources", "rows", "ledger_entries", "ledger_head", "state_hash"})


def _write_graph(archive: ArchiveWriter, stores: Stores, file: Path) -> None:
    if not isinstance(stores.graph, EmbeddedGraphStore):
        with archive.member(GRAPH_RECORDS) as stream:
            for line in _record_lines(stores.graph):
                stream.write(line.encode("ascii") + b"\n")
        return
    copy = file.with_name(f".{file.name}.graph")
    try:
        copy.unlink(missing_ok=True)  # of a backup that was killed
        stores.graph.copy_to(copy)
        with archive.member(GRAPH_FILE) as stream, copy.open("rb") as graph:
            shutil.copyfileobj(graph, stream, 1 << 20)
    finally:
        with suppress(OSError):
            copy.unlink(missing_ok=True)


def _record_lines(graph: GraphStore) -> Iterator[str]:
    """Each document's part of the graph on a line, older versions after all others, then the rest on the last line."""
    documents = [source.document_id for source in (*graph.every_source(), *graph.kept_versions())]
    for start in range(0, len(documents), BATCH):
        for document in graph.document_graphs(documents[start : start + BATCH]):
            yield record_json(document)
    yield record_json(graph.residue())


def _write_rows(archive: ArchiveWriter, index: LanceIndex, collection: str) -> None:
    import pyarrow as pa

    name = next(c for c in COLLECTIONS if c == collection)
    schema, batches = index.batches(name)
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with (
        archive.member(ROWS[name], compressed=False) as stream,
        pa.ipc.new_stream(stream, schema, options=options) as writer,
    ):
        for batch in batches:
            writer.write_batch(batch)


# --- restore ---------------------------------------------------------------------------------------------------------


def restore(
    file: Path,
    folder: Path,
    settings: Settings,
    *,
    clock: Callable[[], datetime],
    reached: Reached = unwatched,
) -> RestoreReport:
    """Make a store in the new or empty ``folder`` of a backup.

    It is made beside the folder and takes its place when it has proved to be equal to what was backed up.

    Raises:
        UsageError: the folder holds something, or the settings name a graph store that the backup is not for.
        StoreError: the file was cut off or altered, or what was made of it is not equal; nothing is left.
    """
    _check_target(folder)
    staging = folder.absolute().with_name(f".{folder.absolute().name}.restoring")
    with reading_archive(file) as archive:
        kind = _kind(archive.contents, settings)
        manifest = _manifest(archive.contents.manifest, kind, settings)
        try:
            staging.mkdir(parents=True, exist_ok=True)
            with writer_lock(staging, wait_seconds=0):
                _clear(staging)  # what a restore left that was killed
                with suppress(FileNotFoundError):
                    shutil.copyfile(folder / "clew.toml", staging / "clew.toml")
                facts = _fill(archive, staging, manifest, settings, clock, reached)
                reached("restore.verified")
                write_manifest(staging, manifest)
            _put_in_place(staging, folder, reached)
        except OSError as error:
            raise StoreFullError(f"{folder} cannot be restored ({error}). Free some space, then try again.") from error
        finally:
            shutil.rmtree(staging, ignore_errors=True)
        return RestoreReport(
            store=str(folder),
            file=str(file),
            graph=kind,
            created_at=archive.contents.created_at,
            **facts.model_dump(include={"sources", "rows", "ledger_entries", "state_hash"}),
        )


def _check_target(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file. Name a new or empty folder with --store.")
    if folder.is_dir() and (there := sorted(set(os.listdir(folder)) - _OURS)):
        raise UsageError(
            f"{folder} holds {there[0]!r}: a backup is restored into a new or empty folder only. Name another with "
            "--store."
        )


def _kind(contents: Contents, settings: Settings) -> GraphKind:
    if GRAPH_FILE in contents.members:
        if settings.graph == "neo4j":
            raise UsageError(
                "This backup holds an embedded graph. Restore it with CLEW_GRAPH=embedded, then copy the graph with: "
                "clew migrate --to neo4j"
            )
        return "embedded"
    return contents.manifest.graph if settings.graph == "auto" else settings.graph


def _manifest(backed_up: Manifest, kind: GraphKind, settings: Settings) -> Manifest:
    """The manifest of the new store: its index has the first folder again, and is kept as it was unless one is set."""
    isolation = backed_up.isolation if settings.isolation == "auto" else settings.isolation
    return backed_up.model_copy(
        update={"graph": kind, "isolation": isolation, "index": FIRST_INDEX, "index_since": None}
    )


def _fill(
    archive: ArchiveReader,
    staging: Path,
    manifest: Manifest,
    settings: Settings,
    clock: Callable[[], datetime],
    reached: Reached,
) -> _Facts:
    """Put everything into the stores; what they then hold, which is what was backed up."""
    contents = archive.contents
    if missing := [name for name in ROWS.values() if name not in contents.members]:
        raise StoreError(f"The backup has no member {missing[0]}. Use another copy; nothing was restored.")
    if GRAPH_FILE in contents.members:
        archive.extract(GRAPH_FILE, staging / "graph.db")
        _check_plain(staging / "graph.db")
    index = open_text_index(staging, manifest, reached=reached)
    with (
        closing(open_graph(manifest.graph, staging, manifest, settings, clock=clock, reached=reached)) as graph,
        closing(index),
    ):
        if GRAPH_FILE not in contents.members:
            with archive.member(GRAPH_RECORDS) as stream:
                _put_records(graph, stream, clock)
        reached("restore.graph.written")
        for collection in COLLECTIONS:
            with archive.member(ROWS[collection]) as stream, _opened(stream) as reader:
                index.fill(collection, reader)
            reached("restore.rows.written")
        index.optimize()
        facts = _facts(graph, index)
        older = "" if facts.state_hash == contents.state_hash else state_hash(graph.records(), empty=True)
    wanted = _Facts.model_validate(contents.model_dump(include=set(_Facts.model_fields)))
    different = [name for name in _Facts.model_fields if getattr(facts, name) != getattr(wanted, name)]
    if different == ["state_hash"] and older == wanted.state_hash:
        return facts  # backed up by a version that counted empty fields
    if different:
        raise StoreError(
            f"What was restored differs from what was backed up in {', '.join(different)}. Nothing is left of it; use "
            "another copy, and report this if it stays."
        )
    return facts


def _opened(stream: IO[bytes]) -> pa.RecordBatchReader:
    import pyarrow as pa

    try:
        return pa.ipc.open_stream(stream)
    except pa.ArrowException as error:
        raise StoreError(f"The rows in the backup cannot be read ({error}). Use another copy.") from error


def _check_plain(path: Path) -> None:
    """Refuse a database that would do something of its own: a store of ours has tables and indexes only."""
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            found = connection.execute("SELECT name FROM sqlite_schema WHERE type NOT IN ('table', 'index')").fetchone()
    except sqlite3.Error as error:
        raise StoreError(f"The graph in the backup is not a database ({error}). Use another copy.") from error
    if found:
        raise StoreError(f"The graph in the backup holds {found[0]!r}, which Clew did not write. Nothing was restored.")


def _put_records(graph: GraphStore, stream: IO[bytes], clock: Callable[[], datetime]) -> None:
    if graph.every_source() or graph.proposals() or next(graph.ledger(), None) is not None:
        raise StoreError(
            "The database that is set holds a graph already, perhaps of a restore that was interrupted. Empty it "
            "(MATCH (n) DETACH DELETE n), or name another, and restore again."
        )
    batch: list[DocumentGraph] = []
    last: bytes | None = None
    for line in io.BufferedReader(stream):  # type: ignore[type-var]  # a stream of bytes has lines
        if last is not None:
            batch.append(record_of(DocumentGraph, last.decode("ascii")))
            if len(batch) == BATCH:
                _commit(graph, batch, clock)
                batch = []
        last = line
    if batch:
        _commit(graph, batch, clock)
    if last is None:
        raise StoreError("The backup holds no records. Use another copy; nothing was restored.")
    graph.adopt(record_of(Residue, last.decode("ascii")))


def _commit(graph: GraphStore, batch: list[DocumentGraph], clock: Callable[[], datetime]) -> None:
    now = clock()
    intent = Intent(id=make_id("int", "restore", batch[0].source.id), at=now)
    graph.begin(intent)
    graph.commit(Change(intent_id=intent.id, adds=tuple(batch), actor="restore", at=now))
    graph.finish(intent.id)


def _clear(staging: Path) -> None:
    for path in staging.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.name != "writer.lock":
            path.unlink()


def _put_in_place(staging: Path, folder: Path, reached: Reached) -> None:
    """Let the finished store take the place of the folder, which holds at most what :func:`_check_target` allows."""
    _check_target(folder)
    if folder.is_dir():
        for name in _OURS:
            (folder / name).unlink(missing_ok=True)
        folder.rmdir()
    reached("restore.target.cleared")
    staging.rename(folder)


__all__ = ["BackupReport", "RestoreReport", "backup", "restore"]
