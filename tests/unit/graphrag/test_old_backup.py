"""A backup that holds a graph of an older schema is restored, upgraded and proved to be equal."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from stand_ins import DIMENSIONS, WordEmbedder

from feedback import verify
from graphrag import KnowledgeBase, Settings
from storage import records as kinds
from storage.archive import ARCHIVE_FORMAT, GRAPH_FILE, ROWS, Contents, writing_archive
from storage.embedded_graph import EmbeddedGraphStore
from storage.lance_index import LanceTextIndex
from storage.manifest import FORMAT_VERSION, Manifest
from storage.ports import COLLECTIONS
from storage.state_hash import state_hash

DATA = Path(__file__).parents[1] / "storage" / "data"
SAID = "486a7d7e86cd940bfa06a485f6cf572608cd1759094ad9c84a9ceb21c02f3abb"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def records() -> list[kinds.Record]:
    lines = (DATA / "schema_1_records.jsonl").read_text("utf-8").splitlines()
    return [getattr(kinds, kind).model_validate(fields) for kind, fields in map(json.loads, lines)]


def old_backup(folder: Path, said: str) -> Path:
    """A backup of the graph that the first release wrote, and of an index without rows, which says ``said`` of it."""
    graph = folder / "old.db"
    with closing(sqlite3.connect(graph)) as connection:
        connection.executescript((DATA / "schema_1.sql").read_text("utf-8"))
        connection.commit()
        hashes = [row[0] for row in connection.execute("SELECT hash FROM ledger ORDER BY position")]
    index = LanceTextIndex(folder / "empty", dimensions=DIMENSIONS)
    with writing_archive(folder / "old.zip") as archive:
        with archive.member(GRAPH_FILE) as stream:
            stream.write(graph.read_bytes())
        for collection in COLLECTIONS:
            schema, _ = index.batches(collection)
            with archive.member(ROWS[collection], compressed=False) as stream, pa.ipc.new_stream(stream, schema):
                pass
        manifest = Manifest(
            format_version=FORMAT_VERSION, embedder=WordEmbedder().name, dimensions=DIMENSIONS, created_at=NOON
        )
        facts: dict[str, Any] = {
            "state_hash": said,
            "records": dict(sorted(Counter(type(r).__name__ for r in records()).items())),
            "sources": 5,
            "rows": dict.fromkeys(COLLECTIONS, 0),
            "ledger_entries": len(hashes),
            "ledger_head": hashes[-1],
        }
        archive.finish(
            Contents(format=ARCHIVE_FORMAT, clew_version="0.1.0", created_at=NOON, manifest=manifest, **facts)
        )
    index.close()
    return folder / "old.zip"


def test_a_backup_of_an_older_schema_is_restored(tmp_path: Path) -> None:
    file = old_backup(tmp_path, SAID)
    report = KnowledgeBase.restore(file, tmp_path / "new", settings=Settings(cache=tmp_path / "cache"))
    assert (report.sources, report.state_hash) == (5, SAID)
    with EmbeddedGraphStore(tmp_path / "new" / "graph.db") as graph:
        assert graph.faults() == []
        assert verify(graph.ledger()).intact


def test_a_backup_that_counted_empty_fields_in_its_state_hash_is_restored(tmp_path: Path) -> None:
    said = state_hash(records(), empty=True)
    assert said != SAID
    report = KnowledgeBase.restore(
        old_backup(tmp_path, said), tmp_path / "new", settings=Settings(cache=tmp_path / "cache")
    )
    assert report.state_hash == SAID


def test_an_old_backup_that_is_not_what_it_says_is_refused(tmp_path: Path) -> None:
    file = old_backup(tmp_path, "0" * 64)
    with pytest.raises(Exception, match="differs from what was backed up in state_hash"):
        KnowledgeBase.restore(file, tmp_path / "new", settings=Settings(cache=tmp_path / "cache"))
    assert not (tmp_path / "new").exists()
