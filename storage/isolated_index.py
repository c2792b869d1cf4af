"""A text index that keeps each access class in tables of its own, so that nothing a caller finds depends on others.

The words of a shared index are counted over all rows, its vectors are parted by all of them: a score can shift by what
the caller does not see. Here a search looks only into the classes that its scope may see. BM25 counts within a class;
what the classes give is merged by score, ties by id.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

from storage.class_places import ClassPlaces, Place
from storage.errors import StoreError, UsageError
from storage.fault_points import Reached, unwatched
from storage.identity import is_id
from storage.lance_index import LanceTextIndex
from storage.lance_rows import (
    check_row,
    documents_filter,
    parts_by_class,
    scope_filter,
    table_schema,
    unit_vector,
    well_formed,
    with_access,
)
from storage.lance_tables import check_columns, check_there, upgraded
from storage.ports import COLLECTIONS, Collection, CollectionState, IndexRow, Nomination, RowAccess, Vector
from storage.records import Scope

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T")

OPEN_CLASSES = 256
"""Classes whose tables are held open at a time, four tables and well under 1 MB each; to open one takes 15 ms."""

_DOCUMENTS_PER_MOVE = 50  # of which all rows are held in memory
_ROWS_PER_APPEND = 8_192


class IsolatedTextIndex:
    """A :class:`~storage.ports.TextIndex` of one :class:`LanceTextIndex` per access class, each in a folder called by
    the class's id, which is a hash.

    A write is one commit per class. Rows that get another class are written there first and then taken away from where
    they were; between the two they are in both, and a search that sees both gives them once. Doing it again finishes
    it.

    Args:
        path: The folder; made when it is not there.
        dimensions: Length of a vector.
        there: Whether the folder must be there: an index that has vanished is not taken for an empty one.
        reached: Told each fault point as it is passed.

    Raises:
        StoreVersionError, StoreError, StoreFullError: as :class:`LanceTextIndex` does.
    """

    def __init__(self, path: str | Path, *, dimensions: int, there: bool = False, reached: Reached = unwatched) -> None:
        if dimensions < 1:
            raise UsageError(f"A vector has at least one dimension, not {dimensions}.")
        self._path = Path(path)
        self._dimensions = dimensions
        self._there = there
        self._reached = reached
        self._lock = threading.Lock()
        self._open: OrderedDict[str, LanceTextIndex] = OrderedDict()
        self._written: set[str] = set()  # classes, since they were last optimized
        self._places = ClassPlaces(self._path / "places.db", rows=self._every_place)

    # writing

    def write(self, collection: Collection, rows: Sequence[IndexRow]) -> None:
        """Add rows, replacing those with the same id wherever they are; in each class all of them or none."""
        _known(collection)
        unique = {row.id: row for row in rows}
        if not unique:
            return
        by_class: dict[str, list[IndexRow]] = defaultdict(list)
        for row in unique.values():  # all are looked at before any is written
            check_row(row)
            if collection != "documents":
                unit_vector(row.vector, self._dimensions, of=row.id)
            by_class[row.access_class].append(row)
        before = self._of_rows(collection, list(unique))
        self._places.add(collection, [(row.id, row.document_id, row.access_class) for row in unique.values()])
        for class_, found in sorted(by_class.items()):
            self._at(class_, new=True).write(collection, found)
            self._written.add(class_)
            self._there = True
        for class_, ids in before.items():
            if moved := [id_ for id_ in ids if unique[id_].access_class != class_]:
                self._reached("index.moved")
                self._delete_in(class_, collection, moved)

    def delete_documents(self, document_ids: Sequence[str], *, collections: Sequence[Collection] = COLLECTIONS) -> None:
        """Remove every row of these documents in the collections."""
        documents_filter(document_ids)  # which refuses what is no id
        for collection in collections:
            for class_, ids in self._of_documents(collection, document_ids).items():
                self._at(class_).delete_documents(ids, collections=[collection])
                self._places.remove_documents(collection, ids, class_)
                self._written.add(class_)

    def delete(self, collection: Collection, ids: Sequence[str]) -> None:
        """Remove the rows with these ids."""
        _known(collection)
        for class_, found in self._of_rows(collection, [i for i in ids if well_formed(i)]).items():
            self._delete_in(class_, collection, found)

    def update_documents(self, changes: Mapping[str, RowAccess]) -> None:
        """Give every row of each document another access class, tags and validity; rows move to their new class."""
        documents_filter(changes)
        staying: dict[str, dict[str, RowAccess]] = defaultdict(dict)
        for collection in COLLECTIONS:
            for class_, ids in self._of_documents(collection, list(changes)).items():
                staying[class_].update((id_, changes[id_]) for id_ in ids if changes[id_].access_class == class_)
                moving = [id_ for id_ in ids if changes[id_].access_class != class_]
                for start in range(0, len(moving), _DOCUMENTS_PER_MOVE):
                    rows = self._at(class_).document_rows(collection, moving[start : start + _DOCUMENTS_PER_MOVE])
                    self.write(collection, [with_access(row, changes[row.document_id]) for row in rows])
        for class_, found in staying.items():
            if found:
                self._at(class_).update_documents(found)
                self._written.add(class_)

    def _delete_in(self, class_: str, collection: Collection, ids: Sequence[str]) -> None:
        self._at(class_).delete(collection, ids)
        self._places.remove(collection, ids, class_)
        self._written.add(class_)

    # searching

    def search_text(self, collection: Collection, query: str, scope: Scope, *, limit: int) -> list[Nomination]:
        """The best rows by BM25 within their class, best first, ties by id; see :class:`LanceTextIndex`."""
        return self._merged(
            collection, scope, limit, lambda index, own: index.search_text(collection, query, own, limit=limit)
        )

    def search_vector(self, collection: Collection, vector: Vector, scope: Scope, *, limit: int) -> list[Nomination]:
        """The nearest rows by cosine, best first, ties by id; see :class:`LanceTextIndex`."""
        unit_vector(vector, self._dimensions, of="the query")
        return self._merged(
            collection, scope, limit, lambda index, own: index.search_vector(collection, vector, own, limit=limit)
        )

    def vectors(self, collection: Collection) -> Iterator[tuple[list[str], Vector]]:
        """Owner and vector of every row, in blocks and no particular order; vectors of shape (rows, dimensions)."""
        _searched(collection)
        for class_ in self._with_rows(collection):
            yield from self._at(class_).vectors(collection)

    def _merged(
        self,
        collection: Collection,
        scope: Scope,
        limit: int,
        search: Callable[[LanceTextIndex, Scope], list[Nomination]],
    ) -> list[Nomination]:
        _searched(collection)
        scope_filter(scope)  # which refuses what nobody made
        there = self._with_rows(collection)
        best: dict[str, Nomination] = {}
        for class_ in there if scope.classes is None else sorted(scope.classes.intersection(there)):
            own = scope.model_copy(update={"classes": frozenset({class_})})
            for found in search(self._at(class_), own):
                if found.id not in best or found.score > best[found.id].score:  # twice while it moves
                    best[found.id] = found
        return sorted(best.values(), key=lambda n: (-n.score, n.id))[: max(0, limit)]

    # reading

    def rows(self, collection: Collection, ids: Sequence[str]) -> dict[str, IndexRow]:
        """The rows with these ids, without vectors; ids that are not there are left out."""
        _known(collection)
        found: dict[str, IndexRow] = {}
        for class_, part in self._of_rows(collection, [i for i in ids if well_formed(i)]).items():
            found.update(self._at(class_).rows(collection, part))
        return {row_id: found[row_id] for row_id in dict.fromkeys(ids) if row_id in found}

    def derived_rows(self, *, vectors: bool = False) -> list[IndexRow]:
        """The rows of derived chains (collection ``chains``, no document), by id; without vectors unless asked."""
        found = [
            row
            for class_ in self._of_documents("chains", [""])
            for row in self._at(class_).derived_rows(vectors=vectors)
        ]
        return sorted(found, key=lambda row: row.id)

    def document_rows(self, collection: Collection, document_ids: Sequence[str]) -> list[IndexRow]:
        """Every row of these documents with its vector, by id; a row that is there twice is given twice."""
        _known(collection)
        documents_filter(document_ids)
        found = [
            row
            for class_, ids in self._of_documents(collection, document_ids).items()
            for row in self._at(class_).document_rows(collection, ids)
        ]
        return sorted(found, key=lambda row: row.id)

    def count(self, collection: Collection) -> int:
        """How many rows a collection holds."""
        _known(collection)
        return sum(self._at(class_).count(collection) for class_ in self._with_rows(collection))

    def document_ids(self) -> set[str]:
        """The documents that have a row in any collection."""
        return {id_ for class_ in self._folders() for id_ in self._at(class_).document_ids()}

    # upkeep

    def optimize(self, *, rebuild: bool = False) -> None:
        """Bring the search indexes of the classes written to up to date, or of all if none was; see the port."""
        for class_ in sorted(self._written) if self._written and not rebuild else self._folders():
            self._at(class_).optimize(rebuild=rebuild)
        self._written.clear()

    def keep_up(self, *, ingested: bool) -> None:
        """Optimize the tables of the classes written to in which it pays; see the port."""
        for class_ in sorted(self._written):
            self._at(class_).keep_up(ingested=ingested)
        self._written.clear()

    def purge(self) -> int:
        """Leave nothing of rows that were deleted or replaced on the disk; how many older versions of tables went."""
        return sum(self._at(class_).purge() for class_ in self._folders())

    def condition(self) -> list[CollectionState]:
        """How each collection lies on the disk, all classes together."""
        total = {
            name: CollectionState(collection=name, rows=0, files=0, versions=0, unindexed=0) for name in COLLECTIONS
        }
        for class_ in self._folders():
            for state in self._at(class_).condition():
                sums = total[state.collection]
                total[state.collection] = sums.model_copy(
                    update={
                        name: getattr(sums, name) + getattr(state, name)
                        for name in ("rows", "files", "versions", "unindexed")
                    }
                )
        return list(total.values())

    def broken(self) -> dict[Collection, Literal["lost", "unreadable"]]:
        """Collections that are gone in some class though others are there, and those that cannot be opened."""
        found: dict[Collection, Literal["lost", "unreadable"]] = {}
        for states in self._broken().values():
            for name, state in states.items():
                if found.get(name) != "unreadable":
                    found[name] = state
        return {name: found[name] for name in COLLECTIONS if name in found}

    def mend(self) -> None:
        """Take back what a full disk cut short when its writer died of it, in every class."""
        for class_ in self._folders():
            self._at(class_).mend()

    def make_anew(self, collection: Collection) -> None:
        """Make a collection empty in the classes where it is broken, or in every class if it is broken nowhere."""
        _known(collection)
        broken = [class_ for class_, states in self._broken().items() if collection in states]
        self.close()
        for class_ in broken or self._folders():
            self._at(class_, new=True).make_anew(collection)
            self._places.remove_class(collection, class_)

    def _broken(self) -> dict[str, dict[Collection, Literal["lost", "unreadable"]]]:
        found: dict[str, dict[Collection, Literal["lost", "unreadable"]]] = {}
        for class_ in self._folders():
            if states := self._at(class_).broken():
                found[class_] = states
        if self._places.exists():
            there = set(self._folders())
            for name in COLLECTIONS:
                for class_ in self._places.classes(name):
                    if class_ not in there:
                        found[class_] = dict.fromkeys(COLLECTIONS, "lost")
        return found

    # copying

    def batches(self, collection: Collection) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
        """All rows of a collection, a piece at a time; those of one class as they are at one moment."""

        def read() -> Iterator[pa.RecordBatch]:
            for class_ in self._with_rows(collection):
                yield from self._at(class_).batches(collection)[1]

        return table_schema(collection, self._dimensions), read()

    def fill(self, collection: Collection, reader: pa.RecordBatchReader) -> None:
        """Put the rows of another index, given by its ``batches``, into an empty collection."""
        if self.count(collection):
            raise StoreError(f"The tables '{collection}' at {self._path} hold rows already.")
        schema = table_schema(collection, self._dimensions)
        check_columns(collection, reader.schema, schema)
        waiting: dict[str, list[pa.RecordBatch]] = defaultdict(list)
        for batch in upgraded(reader, schema):
            for class_, part in parts_by_class(batch):
                waiting[class_].append(part)
                if sum(p.num_rows for p in waiting[class_]) >= _ROWS_PER_APPEND:
                    self._append(collection, class_, waiting.pop(class_))
        for class_, parts in sorted(waiting.items()):
            self._append(collection, class_, parts)

    def ids(self, collection: Collection, columns: Sequence[str] = ("id",)) -> Iterator[pa.RecordBatch]:
        """These columns of every row, a piece at a time."""
        for class_ in self._with_rows(collection):
            yield from self._at(class_).ids(collection, columns)

    def _append(self, collection: Collection, class_: str, parts: list[pa.RecordBatch]) -> None:
        import pyarrow as pa

        data = pa.Table.from_batches(parts)
        if not is_id(class_, "acl"):
            raise StoreError(
                f"A row of '{collection}' has the access class {class_[:80]!r}, which is none. Use a backup."
            )
        ids, documents = (data.column(name).to_pylist() for name in ("id", "document_id"))
        self._places.add(collection, [(id_, doc, class_) for id_, doc in zip(ids, documents, strict=True)])
        self._at(class_, new=True).append(collection, data)
        self._written.add(class_)

    def close(self) -> None:
        """Let go of what is open; the index can be opened again."""
        with self._lock:
            for index in self._open.values():
                index.close()
            self._open.clear()

    # classes

    def _at(self, class_: str, *, new: bool = False) -> LanceTextIndex:
        """The tables of a class; those used last are held open."""
        with self._lock:
            if class_ in self._open:
                self._open.move_to_end(class_)
                return self._open[class_]
        folder = self._path / class_
        if not new and not folder.is_dir():
            raise StoreError(
                f"The text index at {self._path} has lost the tables of an access class ({class_}). Restore the store "
                "from a backup, or make them anew from the graph with: clew doctor --repair"
            )
        index = LanceTextIndex(folder, dimensions=self._dimensions, one_class=True, reached=self._reached)
        with self._lock:
            self._open[class_] = index
            while len(self._open) > OPEN_CLASSES:  # let go and not closed: another thread may be reading
                self._open.popitem(last=False)
        return index

    def _folders(self) -> list[str]:
        """The classes that have tables."""
        try:
            return sorted(path.name for path in self._path.iterdir() if is_id(path.name, "acl") and path.is_dir())
        except FileNotFoundError:
            return []
        except OSError as error:
            raise StoreError(f"{self._path} cannot be read ({error}). Check its permissions.") from error

    def _with_rows(self, collection: Collection) -> list[str]:
        _known(collection)
        return self._places.classes(collection) if self._ready() else []

    def _of_rows(self, collection: Collection, ids: Sequence[str]) -> dict[str, list[str]]:
        return self._places.of_rows(collection, ids) if ids and self._ready() else {}

    def _of_documents(self, collection: Collection, document_ids: Sequence[str]) -> dict[str, list[str]]:
        _known(collection)
        return self._places.of_documents(collection, document_ids) if document_ids and self._ready() else {}

    def _ready(self) -> bool:
        """Whether there is anything to look into; a new index makes no file before the first write."""
        if self._there:
            check_there(self._path)
        self._there = self._places.exists() or bool(self._folders())
        return self._there

    def _every_place(self) -> Iterator[tuple[Collection, Sequence[Place]]]:
        for class_ in self._folders():
            for collection in COLLECTIONS:
                for batch in self._at(class_).ids(collection, ("id", "document_id")):
                    ids, documents = batch.column("id").to_pylist(), batch.column("document_id").to_pylist()
                    yield collection, [(id_, doc, class_) for id_, doc in zip(ids, documents, strict=True)]


def _known(collection: Collection) -> None:
    if collection not in COLLECTIONS:
        raise UsageError(f"No collection is called {collection!r}; there are {', '.join(COLLECTIONS)}.")


def _searched(collection: Collection) -> None:
    _known(collection)
    if collection == "documents":
        raise UsageError("The collection 'documents' keeps whole texts and is not searched: search 'chunks'.")


__all__ = ["OPEN_CLASSES", "IsolatedTextIndex"]
