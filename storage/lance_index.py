"""The text index on LanceDB: four tables, BM25 over our own terms, and vectors, filtered by scope inside the search."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from storage.errors import StoreError, StoreFullError, UsageError
from storage.fault_points import Reached, unwatched
from storage.lance_cut_writes import noticed_when_cut_short, take_back_cut_writes
from storage.lance_failures import lance_failures
from storage.lance_ranking import best_among, best_rows
from storage.lance_rows import (
    access_values,
    documents_filter,
    from_table,
    read_columns,
    rows_filter,
    scope_filter,
    to_table,
    unit_vector,
    well_formed,
)
from storage.lance_tables import broken_tables, check_columns, check_there, make_table_anew, open_tables, upgraded
from storage.lance_upkeep import Writes, is_behind, purge_table, rebuild_indexes, unindexed_rows, with_retries
from storage.ports import COLLECTIONS, Collection, CollectionState, IndexRow, Nomination, RowAccess, Vector
from storage.records import Scope
from storage.terms import query_terms

if TYPE_CHECKING:
    import pyarrow as pa

_IDS_PER_FILTER = 500  # longer lists take more time to parse than a second pass takes
_EXACT_ROWS = 12_000  # visible rows up to which comparing each takes no longer than probing the vector index
_FOUND: dict[Collection, tuple[str, ...]] = {
    "chunks": ("id", "owner", "document_id", "text"),
    "statements": ("id", "owner", "document_id"),
    "chains": ("id", "owner", "document_id"),
}  # each column of a result costs about a millisecond
_CANDIDATES = 250  # nominated by the vector index, at least: one bit per dimension is a coarse guess
_NARROW_CANDIDATES = 1_500  # under a filter the nearest are less near: of 1% of a million, 1,000 lost 1.4% of them
_COUNTED = 1_000  # rows of statements or chains whose words are counted for a caller who may not see all
_ROWS_PER_BLOCK = 8_192
_SCORE_DIGITS = 4  # BM25 sums float32 in no fixed order: equal texts may differ beyond this
_SIMILARITY_DIGITS = 6


class LanceTextIndex:
    """A :class:`~storage.ports.TextIndex` in a folder of LanceDB tables.

    Opened on first use: importing LanceDB takes seconds, and many commands never search. One object may be used by
    several threads. Each method sees what other processes have written. Writers must hold the store's writer lock;
    a writer that does not can make another repeat its work, and cannot double or tear rows.

    Args:
        path: The folder; made, with its tables, when it is not there.
        dimensions: Length of a vector.
        there: Whether the folder must be there: an index that has vanished is not made anew, and empty.
        one_class: Whether all rows are of one access class, so that their counts tell nothing of others.
        reached: Told each fault point as it is passed.

    Raises:
        StoreVersionError: (on first use) the tables hold vectors of another length.
        StoreError: a table is missing or cannot be read.
        StoreFullError: the disk is full or refuses to write.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        dimensions: int,
        there: bool = False,
        one_class: bool = False,
        reached: Reached = unwatched,
    ) -> None:
        if dimensions < 1:
            raise UsageError(f"A vector has at least one dimension, not {dimensions}.")
        self._path = Path(path)
        self._dimensions = dimensions
        self._there = there
        self._one_class = one_class
        self._reached = reached
        self._lock = threading.RLock()
        self._mended = False
        self._tables: dict[Collection, Any] = {}
        self._writes: dict[Collection, Writes] = {name: Writes() for name in COLLECTIONS}
        self._versions: dict[Collection, int] = {}  # of each table when its upkeep was last looked after

    # writing

    def write(self, collection: Collection, rows: Sequence[IndexRow]) -> None:
        """Add rows, replacing those with the same id; all of them or none."""
        if not rows:
            return
        data = to_table(collection, rows, self._dimensions)
        table = self._table_to_write(collection)
        # One commit, 27 ms for 500 rows among 50,000 (two for delete-then-add, which can be cut between). Not through
        # the index on id: with it, concurrent merges of one key double the row (lancedb#3377).
        with self._failures("Writing rows"):
            if self._writes[collection].ask_for_upkeep(table):  # before, not after: a failure must mean no row
                self._writes[collection].optimize(table, reached=self._reached)
            self._reached("index.writing")
            merge = table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().use_index(False)
            with_retries(table, partial(merge.execute, data))
            self._reached("index.written")
            self._writes[collection].count += 1

    def delete_documents(self, document_ids: Sequence[str], *, collections: Sequence[Collection] = COLLECTIONS) -> None:
        """Remove every row of these documents in the collections."""
        filters = [documents_filter(part) for part in _parts(document_ids)]
        for collection in collections:
            self._delete(collection, filters)

    def delete(self, collection: Collection, ids: Sequence[str]) -> None:
        """Remove the rows with these ids."""
        self._delete(collection, [rows_filter(part) for part in _parts([i for i in ids if well_formed(i)])])

    def update_documents(self, changes: Mapping[str, RowAccess]) -> None:
        """Give every row of each document (by id) a new access class, tags and validity, without embedding anew."""
        groups: dict[RowAccess, list[str]] = {}
        for document_id, access in changes.items():
            groups.setdefault(access, []).append(document_id)
        updates = [
            (documents_filter(part), access_values(access))
            for access, document_ids in groups.items()
            for part in _parts(document_ids)
        ]
        for collection in COLLECTIONS:
            table = self._table_to_write(collection)
            with self._failures("Updating rows"):
                for where, values in updates:
                    self._unless_none(table, where, partial(table.update, where=where, values_sql=values))
                    self._reached("index.updated")

    # searching

    def search_text(self, collection: Collection, query: str, scope: Scope, *, limit: int) -> list[Nomination]:
        """The best rows by BM25 (k1 1.2, b 0.75) over the words of ``query``, best first, ties by id.

        Words and their number of occurrences are those of :func:`storage.terms.search_terms`; one of them suffices.
        For a caller who may not see everything, words of statements and chains are counted among the visible rows that
        hold one of them (of more than 1,000: the first by the counts of all), so that which are found does not depend
        on those of others.
        """
        _searched(collection)
        terms, where = query_terms(query), scope_filter(scope)
        if not terms or where is None or limit < 1:
            return []
        table = self._table(collection)
        counted = collection != "chunks" and scope.classes is not None and not self._one_class
        columns = [*_FOUND[collection], "_score", *(["terms"] if counted else [])]

        def fetch(count: int) -> pa.Table:
            from lancedb.query import MatchQuery

            # A match query has no syntax: its text is cut at spaces into terms, and terms hold none.
            match = MatchQuery(" ".join(terms), "terms")  # type: ignore[call-arg]  # all others have defaults
            return _where(table.search(match, query_type="fts"), where).limit(count).select(columns).to_arrow()

        def score(row: dict[str, Any]) -> float:
            return round(float(row["_score"]), _SCORE_DIGITS)

        with self._failures("Searching"):
            if counted:
                return best_among(fetch, score, terms, limit, among=max(_COUNTED, limit))
            return best_rows(fetch, score, limit)

    def search_vector(self, collection: Collection, vector: Vector, scope: Scope, *, limit: int) -> list[Nomination]:
        """The nearest rows by cosine, best first, ties by id.

        Exact up to ``storage.lance_upkeep.VECTOR_INDEX_ROWS`` rows, and where few rows are visible; otherwise the
        index nominates at least ten times as many and their true distances decide (recall@50 1.0 of 100,000 rows).
        """
        _searched(collection)
        unit, where = unit_vector(vector, self._dimensions, of="the query"), scope_filter(scope)
        if where is None or limit < 1:
            return []
        table = self._table(collection)
        with self._failures("Searching"):
            narrow = scope.classes is not None or bool(scope.tags)
            exact = narrow and table.count_rows(where) <= max(_EXACT_ROWS, 4 * limit)

            def fetch(count: int) -> pa.Table:
                search = table.search(unit, vector_column_name="vector").distance_type("dot")
                search = _where(search, where)
                if exact:
                    search = search.bypass_vector_index()
                else:  # A fixed number of probes misses half under a selective filter: probe until there are enough.
                    # Without an index these settings mean nothing, and every row is compared.
                    candidates = _NARROW_CANDIDATES if narrow else _CANDIDATES
                    search = search.minimum_nprobes(20).maximum_nprobes(0)
                    search = search.refine_factor(max(3, -(-candidates // count)))
                return search.limit(count).select([*_FOUND[collection], "_distance"]).to_arrow()

            return best_rows(fetch, lambda row: round(1 - float(row["_distance"]), _SIMILARITY_DIGITS), limit)

    def vectors(self, collection: Collection) -> Iterator[tuple[list[str], Vector]]:
        """Owner and vector of every row, in blocks and no particular order; vectors of shape (rows, dimensions)."""
        _searched(collection)
        table = self._table(collection)
        with self._failures("Searching"):
            for batch in table.search().select(["owner", "vector"]).to_batches(_ROWS_PER_BLOCK):
                flat = batch.column("vector").flatten().to_numpy(zero_copy_only=False)
                yield batch.column("owner").to_pylist(), flat.reshape(-1, self._dimensions)

    # reading

    def rows(self, collection: Collection, ids: Sequence[str]) -> dict[str, IndexRow]:
        """The rows with these ids, without vectors; ids that are not there are left out."""
        table = self._table(collection)
        found: dict[str, IndexRow] = {}
        for part in _parts([i for i in ids if well_formed(i)]):
            with self._failures("Reading rows"):
                found.update((row.id, row) for row in self._scan(collection, table, rows_filter(part)))
        return {row_id: found[row_id] for row_id in dict.fromkeys(ids) if row_id in found}

    def derived_rows(self, *, vectors: bool = False) -> list[IndexRow]:
        """The rows of derived chains (collection ``chains``, no document), by id; without vectors unless asked."""
        table = self._table("chains")
        with self._failures("Reading rows"):
            found = self._scan("chains", table, "document_id = ''", vectors=vectors)
        return sorted(found, key=lambda row: row.id)

    def document_rows(self, collection: Collection, document_ids: Sequence[str]) -> list[IndexRow]:
        """Every row of these documents with its vector, by id; a row that is there twice is given twice."""
        table = self._table(collection)
        found: list[IndexRow] = []
        for part in _parts(document_ids):
            with self._failures("Reading rows"):
                found += self._scan(collection, table, documents_filter(part), vectors=collection != "documents")
        return sorted(found, key=lambda row: row.id)

    def count(self, collection: Collection) -> int:
        """How many rows a collection holds."""
        table = self._table(collection)
        with self._failures("Counting rows"):
            return int(table.count_rows())

    def document_ids(self) -> set[str]:
        """The documents that have a row in any collection."""
        ids: set[str] = set()
        for collection in COLLECTIONS:
            table = self._table(collection)
            with self._failures("Reading rows"):
                for batch in table.search().select(["document_id"]).to_batches():
                    ids.update(batch.column("document_id").unique().to_pylist())
        return ids - {""}

    # upkeep

    def optimize(self, *, rebuild: bool = False) -> None:
        """Bring the search indexes up to date and fold small files together; searches stay right meanwhile.

        With ``rebuild`` every search index is built anew.
        """
        for collection in COLLECTIONS:
            table = self._table_to_write(collection)
            with self._failures("Optimizing"):
                if rebuild:
                    rebuild_indexes(table)
                self._writes[collection].optimize(table, reached=self._reached)
                self._versions[collection] = table.version

    def keep_up(self, *, ingested: bool) -> None:
        """Optimize the collections in which so much was written or removed that it pays: after an operation.

        After an ingest, any tail of a small table is folded in; else it waits until it slows searches down.
        """
        for collection in COLLECTIONS:
            table = self._table_to_write(collection)
            with self._failures("Optimizing"):
                if is_behind(table, self._versions[collection], ingested=ingested):
                    self._writes[collection].optimize(table, reached=self._reached)
                self._versions[collection] = table.version

    def purge(self) -> int:
        """Leave nothing of rows that were deleted or replaced on the disk; how many older versions of tables went."""
        gone = 0
        for collection in COLLECTIONS:
            table = self._table_to_write(collection)
            with self._failures("Purging"):
                gone += purge_table(table)
            self._writes[collection].count = 0
        return gone

    def condition(self) -> list[CollectionState]:
        """How each collection lies on the disk."""
        states = []
        for collection in COLLECTIONS:
            table = self._table(collection)
            with self._failures("Reading statistics"):
                states.append(
                    CollectionState(
                        collection=collection,
                        rows=table.count_rows(),
                        files=table.stats()["fragment_stats"]["num_fragments"],
                        versions=len(table.list_versions()),
                        unindexed=unindexed_rows(table),
                    )
                )
        return states

    def broken(self) -> dict[Collection, Literal["lost", "unreadable"]]:
        """Collections that are gone though others are there, and those that cannot be opened."""
        with self._failures("Opening"):
            return broken_tables(self._path)

    def mend(self) -> None:
        """Take back what a full disk cut short when its writer died of it, unless that was looked after already."""
        with self._lock:
            if not self._mended:
                with self._failures("Opening"):
                    if take_back_cut_writes(self._path):
                        self._tables = {}
                self._mended = True

    def make_anew(self, collection: Collection) -> None:
        """Make a collection empty, whatever there is of it."""
        self.close()
        with self._failures("Making a table"):
            make_table_anew(self._path, collection, self._dimensions)

    # copying

    def batches(self, collection: Collection) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
        """All rows of a collection as they are at this moment, a piece at a time."""
        table = self._table(collection)

        def read() -> Iterator[pa.RecordBatch]:
            with self._failures("Reading rows"):
                yield from table.search().to_batches()

        return table.schema, read()

    def fill(self, collection: Collection, reader: pa.RecordBatchReader) -> None:
        """Put the rows of another index, given by :meth:`batches`, into an empty collection."""
        table = self._table_to_write(collection)
        with self._failures("Writing rows"):
            if table.count_rows():
                raise StoreError(f"The table '{collection}' at {self._path} holds rows already.")
            check_columns(collection, reader.schema, table.schema)
            with noticed_when_cut_short(Path(table.uri)):
                table.add(upgraded(reader, table.schema))
            self._reached("index.written")

    def append(self, collection: Collection, data: pa.Table) -> None:
        """Add rows as :meth:`batches` gives them, none of which is there yet."""
        table = self._table_to_write(collection)
        with self._failures("Writing rows"):
            with noticed_when_cut_short(Path(table.uri)):
                table.add(data)
            self._reached("index.written")

    def ids(self, collection: Collection, columns: Sequence[str] = ("id",)) -> Iterator[pa.RecordBatch]:
        """These columns of every row as they are at this moment, a piece at a time."""
        table = self._table(collection)
        with self._failures("Reading rows"):
            yield from table.search().select(list(columns)).to_batches(_ROWS_PER_BLOCK)

    def close(self) -> None:
        """Let go of what is open; the index can be opened again."""
        with self._lock:
            self._tables = {}
            self._mended = False

    # opening

    def _table_to_write(self, collection: Collection) -> Any:
        self.mend()
        return self._table(collection)

    def _table(self, collection: Collection) -> Any:
        if collection not in COLLECTIONS:
            raise UsageError(f"No collection is called {collection!r}; there are {', '.join(COLLECTIONS)}.")
        with self._lock:
            if not self._tables:
                with self._failures("Opening"):
                    if self._there:
                        check_there(self._path)
                    self._tables = open_tables(self._path, self._dimensions, self._reached)
                    self._there = True
                    self._versions = {name: table.version for name, table in self._tables.items()}
            table = self._tables[collection]
        # What other processes wrote is looked for once an operation; read_consistency_interval would have LanceDB look
        # several times within one search (a quarter of its time).
        with self._failures("Opening"):
            table.checkout_latest()
        return table

    @contextmanager
    def _failures(self, doing: str) -> Iterator[None]:
        try:
            with lance_failures(doing, str(self._path)):
                yield
        except StoreFullError:
            self.close()  # a version that was cut short is taken back, and not under a table that is open
            raise

    # parts of the above

    def _delete(self, collection: Collection, filters: Sequence[str]) -> None:
        table = self._table_to_write(collection)
        with self._failures("Deleting rows"):
            for where in filters:
                self._unless_none(table, where, partial(table.delete, where))
                self._reached("index.deleted")

    def _unless_none(self, table: Any, where: str, work: Callable[[], Any]) -> None:
        # Each delete or update is a version with a file of its own, even of no row.
        if table.count_rows(where):
            with_retries(table, work)

    def _scan(self, collection: Collection, table: Any, where: str, *, vectors: bool = False) -> list[IndexRow]:
        columns = [*read_columns(collection), "vector"] if vectors else read_columns(collection)
        return from_table(table.search().where(where).select(columns).to_arrow())


def _searched(collection: Collection) -> None:
    if collection == "documents":
        raise UsageError("The collection 'documents' keeps whole texts and is not searched: search 'chunks'.")


def _where(search: Any, where: str) -> Any:
    return search.where(where, prefilter=True) if where else search


def _parts(ids: Sequence[str]) -> list[list[str]]:
    unique = list(dict.fromkeys(ids))
    return [unique[i : i + _IDS_PER_FILTER] for i in range(0, len(unique), _IDS_PER_FILTER)]


__all__ = ["LanceTextIndex"]
