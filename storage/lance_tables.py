"""The tables of a text index: opened, made where they are missing, brought up to date where they are old."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from filelock import FileLock

from storage.errors import StoreError, StoreVersionError
from storage.fault_points import Reached
from storage.lance_cut_writes import noticed_when_cut_short
from storage.lance_failures import is_missing, lance_failures
from storage.lance_rows import STRUCTURE, lacks_structure, table_schema, with_structure
from storage.lance_upkeep import ensure_text_index
from storage.ports import COLLECTIONS, Collection

if TYPE_CHECKING:
    import pyarrow as pa

_INDEX_CACHE, _METADATA_CACHE = 512 << 20, 128 << 20
"""Bytes LanceDB may keep of indexes and of the footers of files; by default seven gigabytes, which an ingest fills."""

MAKING_LOCK = "making.lock"
"""Held while tables are made or get another column; a reader that finds some missing waits for it."""


def open_tables(path: Path, dimensions: int, reached: Reached) -> dict[Collection, Any]:
    """The tables in a folder, made when there are none. Raises StoreVersionError if they are not as we write them."""
    # Read once, when LanceDB is imported: it warns on stderr of what is no fault, such as equal vectors.
    os.environ.setdefault("LANCEDB_LOG", "error")
    import lancedb

    caches = lancedb.Session(index_cache_size_bytes=_INDEX_CACHE, metadata_cache_size_bytes=_METADATA_CACHE)
    database = lancedb.connect(str(path), session=caches)
    opened = _present(database)
    if len(opened) < len(COLLECTIONS):
        # Another process may be making them at this moment: it is waited for, and then looked again.
        path.mkdir(parents=True, exist_ok=True)
        with FileLock(path / MAKING_LOCK):
            opened = _present(database)
            _make_missing(database, path, opened, dimensions, reached)
    if lacks_structure(opened["documents"].schema):
        with FileLock(path / MAKING_LOCK):
            _add_structure(opened["documents"], reached)
    for name, table in opened.items():
        _check(name, table, path, dimensions)
        if name != "documents":
            ensure_text_index(table)
    return opened


def broken_tables(path: Path) -> dict[Collection, Literal["lost", "unreadable"]]:
    """Tables that are gone though others are there, and those that cannot be opened."""
    import lancedb

    found: dict[Collection, Literal["lost", "unreadable"]] = {}
    database = lancedb.connect(str(path))
    present = set(database.list_tables(limit=1000).tables)
    for name in COLLECTIONS:
        if name not in present:
            found[name] = "lost"
            continue
        try:
            with lance_failures("Opening", str(path)):
                database.open_table(name).count_rows()
        except StoreError:
            found[name] = "unreadable"
    return {} if set(found) == set(COLLECTIONS) and not present else found  # new: tables are made at first use


def make_table_anew(path: Path, collection: Collection, dimensions: int) -> None:
    """Make a table empty, whatever there is of it."""
    import lancedb

    database = lancedb.connect(str(path))
    if collection in database.list_tables(limit=1000).tables:
        database.drop_table(collection)
    with noticed_when_cut_short(_folder(path, collection)):
        table = database.create_table(collection, schema=table_schema(collection, dimensions))
    if collection != "documents":
        ensure_text_index(table)


def check_there(path: Path) -> None:
    """Raise StoreError if the folder of an index is gone."""
    if not path.is_dir():
        raise StoreError(
            f"The text index at {path} is gone. If the store was reindexed since it was opened here, open it again; "
            "else restore it from a backup, or make it anew from the graph with: clew doctor --repair"
        )


def check_columns(collection: Collection, given: pa.Schema, wanted: pa.Schema) -> None:
    """Raise StoreVersionError unless rows have the columns of a table; those of the first release may lack one."""
    names, types = list(given.names), list(given.types)
    if collection == "documents" and lacks_structure(given):
        at = wanted.get_field_index(STRUCTURE)
        names.insert(at, STRUCTURE)
        types.insert(at, wanted.field(at).type)
    if names != wanted.names or types != wanted.types:
        raise StoreVersionError(
            f"The rows of '{collection}' have other columns than this version of Clew writes. "
            "Use the version that wrote them."
        )


def upgraded(reader: pa.RecordBatchReader, wanted: pa.Schema) -> pa.RecordBatchReader:
    """Rows that passed :func:`check_columns`, with every column of a table of this version."""
    import pyarrow as pa

    if STRUCTURE not in wanted.names or not lacks_structure(reader.schema):
        return reader
    return pa.RecordBatchReader.from_batches(wanted, (with_structure(batch, wanted) for batch in reader))


def _present(database: Any) -> dict[Collection, Any]:
    """The tables that are there whole; one that another process is just making may be listed and not yet open."""
    present = set(database.list_tables(limit=1000).tables)
    opened = {}
    for name in COLLECTIONS:
        if name in present:
            try:
                opened[name] = database.open_table(name)
            except ValueError as error:
                if not is_missing(error):
                    raise
    return opened


def _make_missing(database: Any, path: Path, opened: dict[Collection, Any], dimensions: int, reached: Reached) -> None:
    missing = [name for name in COLLECTIONS if name not in opened]
    # Tables are made in one go; if that was cut off, none that exists holds a row.
    if missing and any(table.count_rows() for table in opened.values()):
        raise StoreError(
            f"The text index at {path} has lost its table '{missing[0]}'. Restore the "
            "store from a backup, or make it anew from the graph with: clew doctor --repair"
        )
    for name in missing:
        with noticed_when_cut_short(_folder(path, name)):
            opened[name] = database.create_table(name, schema=table_schema(name, dimensions), exist_ok=True)
        reached("index.table.made")


def _folder(path: Path, collection: Collection) -> Path:
    return path / f"{collection}.lance"


def _add_structure(table: Any, reached: Reached) -> None:
    """Bring a table of the first release up to date; one commit, which readers see whole or not at all."""
    table.checkout_latest()
    if lacks_structure(table.schema):  # else another process was first
        with noticed_when_cut_short(Path(table.uri)):
            table.add_columns({STRUCTURE: "arrow_cast('', 'LargeUtf8')"})
        reached("index.column.added")
        table.checkout_latest()


def _check(name: Collection, table: Any, path: Path, dimensions: int) -> None:
    if table.schema.names != table_schema(name, dimensions).names:
        raise StoreVersionError(
            f"The table '{name}' of the text index at {path} has other columns than this version "
            "of Clew writes. Ingest into a new store."
        )
    if name == "documents":
        return
    stored = table.schema.field("vector").type.list_size
    if stored != dimensions:
        raise StoreVersionError(
            f"The text index at {path} holds vectors of {stored} dimensions, the embedder makes "
            f"{dimensions}. Set the embedder back, or ingest into a new store."
        )


__all__ = [
    "MAKING_LOCK",
    "broken_tables",
    "check_columns",
    "check_there",
    "make_table_anew",
    "open_tables",
    "upgraded",
]
