"""Tables of the first release are brought up to date when they are opened; nothing else is taken for them."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import lancedb
import pyarrow as pa
import pytest

from storage.errors import StoreVersionError
from storage.identity import make_id
from storage.isolated_index import IsolatedTextIndex
from storage.lance_index import LanceTextIndex
from storage.ports import COLLECTIONS, Collection, IndexRow
from storage.records import Scope

DIMENSIONS = 8
PUBLIC = make_id("acl", "public")
DOCUMENT = make_id("doc", "old")
TEXT = "The storm closes the port."


def first_release(collection: Collection) -> pa.Table:
    """One row in the columns that the first release wrote, as its source of that time lists them."""
    fields = [
        pa.field("id", pa.string(), nullable=False, metadata={"lance-schema:unenforced-primary-key": "true"}),
        *(pa.field(name, pa.string()) for name in ("owner", "document_id", "access_class", "language")),
        *(pa.field(name, pa.large_string()) for name in ("text", "context")),
        pa.field("tags", pa.list_(pa.string())),
        *(pa.field(name, pa.int64()) for name in ("valid_from", "valid_to")),
    ]
    kind = {"documents": "doc", "chunks": "chk", "statements": "stm", "chains": "chn"}[collection]
    row: dict[str, Any] = {
        "id": DOCUMENT if collection == "documents" else make_id(kind, "old"),  # type: ignore[arg-type]
        "owner": make_id("doc", "old"), "document_id": DOCUMENT, "access_class": PUBLIC, "language": "en",
        "text": TEXT, "context": "Title", "tags": [], "valid_from": -(2**63) + 1, "valid_to": 2**63 - 1,
    }  # fmt: skip
    if collection != "documents":
        fields += [pa.field("terms", pa.large_string()), pa.field("vector", pa.list_(pa.float32(), DIMENSIONS))]
        row |= {"terms": "title the storm close the port", "vector": [1.0] + [0.0] * (DIMENSIONS - 1)}
    return pa.Table.from_pylist([row], schema=pa.schema(fields))


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """The folder of an index that the first release wrote."""
    database = lancedb.connect(str(tmp_path / "lance"))
    for name in COLLECTIONS:
        database.create_table(name, data=first_release(name))
    return tmp_path / "lance"


def test_tables_of_the_first_release_get_the_column_that_they_lack(old: Path) -> None:
    index = LanceTextIndex(old, dimensions=DIMENSIONS)
    [row] = index.document_rows("documents", [DOCUMENT])
    assert (row.text, row.context, row.structure) == (TEXT, "Title", "")
    assert not row.kept_structure().tables
    found = index.search_text("chunks", "port", Scope(classes=frozenset({PUBLIC}), at=None), limit=5)
    assert [n.text for n in found] == [TEXT]
    new = IndexRow(make_id("doc", "new"), "o", make_id("doc", "new"), PUBLIC, "en", "Text.", structure='{"kind": "x"}')
    index.write("documents", [new])
    index.update_documents({})
    assert {r.structure for r in index.document_rows("documents", [DOCUMENT, new.id])} == {"", new.structure}
    assert LanceTextIndex(old, dimensions=DIMENSIONS).count("documents") == 2


def test_a_table_is_brought_up_to_date_once_by_processes_that_open_it_at_once(old: Path) -> None:
    code = textwrap.dedent("""
        import sys
        from storage.lance_index import LanceTextIndex
        sys.stdin.readline()
        index = LanceTextIndex(sys.argv[1], dimensions=int(sys.argv[2]))
        assert [row.structure for row in index.document_rows("documents", [sys.argv[3]])] == [""]
    """)
    openers = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(old), str(DIMENSIONS), DOCUMENT], stdin=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    for opener in openers:
        opener.communicate("go\n")
        assert opener.returncode == 0
    table = lancedb.connect(str(old)).open_table("documents")
    assert table.schema.names[-1] == "structure"
    assert len(table.list_versions()) == 2


def test_a_killed_upgrade_is_done_by_the_next_to_open(old: Path) -> None:
    class Killed(BaseException):
        pass

    def die(name: str) -> None:
        if name == "index.column.added":
            raise Killed

    with pytest.raises(Killed):
        LanceTextIndex(old, dimensions=DIMENSIONS, reached=die).count("documents")
    index = LanceTextIndex(old, dimensions=DIMENSIONS)
    assert [row.structure for row in index.document_rows("documents", [DOCUMENT])] == [""]


def test_a_reader_that_has_an_old_table_open_is_not_disturbed(old: Path) -> None:
    reader = lancedb.connect(str(old)).open_table("documents")
    assert LanceTextIndex(old, dimensions=DIMENSIONS).count("documents") == 1
    assert reader.search().select(["text"]).to_list()[0]["text"] == TEXT


@pytest.mark.parametrize("kind", [LanceTextIndex, IsolatedTextIndex])
def test_rows_of_the_first_release_fill_an_index_of_this_one(tmp_path: Path, kind: type) -> None:
    index = kind(tmp_path / "index", dimensions=DIMENSIONS)
    for name in COLLECTIONS:
        rows = first_release(name)
        index.fill(name, pa.RecordBatchReader.from_batches(rows.schema, rows.to_batches()))
    assert [index.count(name) for name in COLLECTIONS] == [1, 1, 1, 1]
    assert index.rows("documents", [DOCUMENT])[DOCUMENT].structure == ""


def test_other_columns_are_refused(old: Path) -> None:
    lancedb.connect(str(old)).open_table("chunks").add_columns({"more": "1"})
    with pytest.raises(StoreVersionError, match=r"'chunks'.*other columns"):
        LanceTextIndex(old, dimensions=DIMENSIONS).count("chunks")
