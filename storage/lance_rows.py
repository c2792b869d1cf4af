"""How an :class:`~storage.ports.IndexRow` lies in a LanceDB table, and the filter that a scope becomes.

A filter holds nothing but identifiers and digests of fixed form, made by us and checked here, and numbers: LanceDB
binds no parameters, so a user's text must never come near one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from storage.errors import StoreError, UsageError
from storage.identity import Kind, is_id
from storage.ports import Collection, IndexRow, RowAccess, Vector
from storage.records import Scope
from storage.terms import search_terms

if TYPE_CHECKING:
    import pyarrow as pa

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Bounds instead of NULL: a range over NULL is neither true nor false. The smallest int64 is no SQL literal.
_ALWAYS, _FOREVER = -(2**63) + 1, 2**63 - 1

# A row's own id may be two ids joined (a statement in a document's words); nothing that ends a SQL string.
_ROW_ID = re.compile(r"[A-Za-z0-9_.:/#-]{1,200}")
_TAG = re.compile(r"[0-9a-f]{1,64}")

_COLUMNS = [
    "id", "owner", "document_id", "access_class", "language", "text", "context", "tags", "valid_from", "valid_to",
]  # fmt: skip
"""Every column of all collections; the vector and the terms are only searched."""


STRUCTURE = "structure"
"""The column that documents alone have."""


def read_columns(collection: Collection) -> list[str]:
    """The columns that make an :class:`IndexRow` of this collection."""
    return [*_COLUMNS, STRUCTURE] if collection == "documents" else _COLUMNS


def lacks_structure(schema: pa.Schema) -> bool:
    """Whether documents have the columns of the first release, which kept no structure beside the text."""
    return STRUCTURE not in schema.names and "vector" not in schema.names


def with_structure(batch: pa.RecordBatch, wanted: pa.Schema) -> pa.RecordBatch:
    """Rows of documents with an empty structure where they have none."""
    import pyarrow as pa

    if not lacks_structure(batch.schema):
        return batch
    empty = pa.array([""] * batch.num_rows, wanted.field(STRUCTURE).type)
    columns = [empty if name == STRUCTURE else batch.column(name) for name in wanted.names]
    return pa.RecordBatch.from_arrays(columns, schema=wanted)


def parts_by_class(batch: pa.RecordBatch) -> Iterator[tuple[str, pa.RecordBatch]]:
    """The rows of each access class in a batch, by class."""
    import pyarrow.compute as pc

    classes = batch.column("access_class")
    for class_ in sorted(classes.unique().to_pylist()):
        yield class_, batch.filter(pc.equal(classes, class_))


def table_schema(collection: Collection, dimensions: int) -> pa.Schema:
    """The columns of a collection; ``id`` is the declared primary key, or concurrent merges could double rows."""
    import pyarrow as pa

    key = {"lance-schema:unenforced-primary-key": "true"}
    fields = [
        pa.field("id", pa.string(), nullable=False, metadata=key),
        pa.field("owner", pa.string()),
        pa.field("document_id", pa.string()),
        pa.field("access_class", pa.string()),
        pa.field("language", pa.string()),
        pa.field("text", pa.large_string()),
        pa.field("context", pa.large_string()),
        pa.field("tags", pa.list_(pa.string())),
        pa.field("valid_from", pa.int64()),
        pa.field("valid_to", pa.int64()),
    ]
    if collection == "documents":  # kept whole and never searched
        fields.append(pa.field(STRUCTURE, pa.large_string()))
    else:
        fields += [pa.field("terms", pa.large_string()), pa.field("vector", pa.list_(pa.float32(), dimensions))]
    return pa.schema(fields)


def to_table(collection: Collection, rows: Sequence[IndexRow], dimensions: int) -> pa.Table:
    """One Arrow table of ``rows``; of rows with one id the last counts. Raises UsageError for what cannot be stored."""
    import pyarrow as pa

    unique = list({row.id: row for row in rows}.values())
    for row in unique:
        check_row(row)
    schema = table_schema(collection, dimensions)
    columns: dict[str, Any] = {
        name: [getattr(row, name) for row in unique] for name in _COLUMNS if name not in {"valid_from", "valid_to"}
    }
    columns["tags"] = [sorted(set(row.tags)) for row in unique]
    columns["valid_from"] = [_lower(row.valid_from) for row in unique]
    columns["valid_to"] = [_upper(row.valid_to) for row in unique]
    if collection == "documents":
        columns[STRUCTURE] = [row.structure for row in unique]
    else:
        columns["terms"] = [" ".join(search_terms(f"{row.context}\n{row.text}")) for row in unique]
        matrix = np.stack([unit_vector(row.vector, dimensions, of=row.id) for row in unique])
        columns["vector"] = pa.FixedSizeListArray.from_arrays(pa.array(matrix.ravel()), dimensions)
    return pa.table({field.name: columns[field.name] for field in schema}, schema=schema)


def from_table(table: pa.Table) -> list[IndexRow]:
    """The rows of a result that has the columns of :func:`read_columns`, and may have the vector."""
    vectors = table.column("vector") if "vector" in table.schema.names else None
    rows = (table.drop_columns(["vector"]) if vectors is not None else table).to_pylist()
    for i, row in enumerate(rows):
        if vectors is not None and vectors[i].is_valid:
            row["vector"] = vectors[i].values.to_numpy(zero_copy_only=False)
        row["tags"] = tuple(row["tags"])
        row["valid_from"], row["valid_to"] = _moment(row["valid_from"]), _moment(row["valid_to"])
    return [IndexRow(**row) for row in rows]


def unit_vector(vector: Vector | None, dimensions: int, *, of: str) -> Vector:
    """``vector`` as float32 of length 1; one that has that length within 0.1% is left bit for bit as it is."""
    if vector is None:
        raise UsageError(f"{of} has no vector, and only rows of the collection 'documents' go without.")
    array = np.asarray(vector, dtype=np.float32)
    if array.shape != (dimensions,):
        raise StoreError(
            f"The vector of {of} has shape {array.shape}, the text index holds {dimensions} dimensions: it was made by "
            "another embedder. Open the store with its own embedder, or ingest into a new store."
        )
    length = float(np.linalg.norm(array.astype(np.float64)))
    if not np.isfinite(length):
        raise UsageError(f"The vector of {of} holds values that are not finite numbers.")
    if length == 0 or abs(length - 1) <= 1e-3:
        return array
    return (array / np.float32(length)).astype(np.float32)


def scope_filter(scope: Scope) -> str | None:
    """The condition that a row must meet to be seen in ``scope``, "" if every row meets it; None: no row can."""
    if scope.classes is not None and not scope.classes:
        return None
    parts = []
    if scope.classes is not None:
        parts.append(f"access_class IN ({_quoted(_ids(scope.classes, 'acl'))})")
    if scope.bounded and scope.at is not None:
        at = _microseconds(scope.at)
        parts.append(f"valid_from <= {at} AND valid_to > {at}")
    if scope.tags:
        parts.append(f"array_has_all(tags, make_array({_quoted(_tags(scope.tags))}))")
    if scope.hidden:
        parts.append(f"document_id NOT IN ({_quoted(_ids(scope.hidden, 'doc'))})")
    return " AND ".join(parts)


def documents_filter(document_ids: Iterable[str]) -> str:
    """The condition that a row belongs to one of these documents."""
    return f"document_id IN ({_quoted(_ids(document_ids, 'doc'))})"


def rows_filter(ids: Iterable[str]) -> str:
    """The condition that a row has one of these ids, which must be :func:`well_formed`."""
    if bad := [text for text in ids if not well_formed(text)]:
        raise UsageError(f"Not the id of a row: {bad[0][:80]!r}.")
    return f"id IN ({_quoted(sorted(set(ids)))})"


def well_formed(row_id: str) -> bool:
    """Whether a row can have this id."""
    return _ROW_ID.fullmatch(row_id) is not None


def access_values(access: RowAccess) -> dict[str, str]:
    """SQL values of the columns by which a search filters, for an update."""
    quoted = _quoted(_tags(access.tags))
    return {
        "access_class": _quoted(_ids([access.access_class], "acl")),
        # An empty array has no element type of its own.
        "tags": f"arrow_cast(make_array({quoted}), 'List(Utf8)')",
        "valid_from": str(_lower(access.valid_from)),
        "valid_to": str(_upper(access.valid_to)),
    }


def with_access(row: IndexRow, access: RowAccess) -> IndexRow:
    """The row with another access class, tags and validity."""
    return replace(
        row,
        access_class=access.access_class,
        tags=access.tags,
        valid_from=access.valid_from,
        valid_to=access.valid_to,
    )


def check_row(row: IndexRow) -> None:
    """Raise UsageError for ids and tags that could not stand in a filter."""
    if not well_formed(row.id):
        raise UsageError(f"Not an id that a row can have: {row.id[:80]!r}.")
    if row.document_id:
        _ids([row.document_id], "doc")
    _ids([row.access_class], "acl")
    _tags(row.tags)


def _ids(ids: Iterable[str], kind: Kind) -> list[str]:
    ids = sorted(set(ids))
    for text in ids:
        if not is_id(text, kind):
            raise UsageError(f"Not an id of the kind '{kind}': {text[:80]!r}.")
    return ids


def _tags(tags: Iterable[str]) -> list[str]:
    tags = sorted(set(tags))
    for tag in tags:
        if not _TAG.fullmatch(tag):
            raise UsageError(f"Not a metadata tag (see storage.records.metadata_tag): {tag[:80]!r}.")
    return tags


def _quoted(checked: Iterable[str]) -> str:
    return ", ".join(f"'{text}'" for text in checked)


def _lower(moment: datetime | None) -> int:
    return _ALWAYS if moment is None else _microseconds(moment)


def _upper(moment: datetime | None) -> int:
    return _FOREVER if moment is None else _microseconds(moment)


def _microseconds(moment: datetime) -> int:
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    return (moment - _EPOCH) // timedelta(microseconds=1)


def _moment(microseconds: int) -> datetime | None:
    return None if microseconds in {_ALWAYS, _FOREVER} else _EPOCH + timedelta(microseconds=microseconds)


__all__ = [
    "STRUCTURE",
    "access_values",
    "check_row",
    "documents_filter",
    "from_table",
    "lacks_structure",
    "parts_by_class",
    "read_columns",
    "rows_filter",
    "scope_filter",
    "table_schema",
    "to_table",
    "unit_vector",
    "well_formed",
    "with_access",
    "with_structure",
]
