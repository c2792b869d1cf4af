"""The moments at which a write can be cut off, by name: where a test lets the process die or a step fail.

Whoever writes calls ``reached(NAME)`` as each moment is passed. Outside of tests that is a call of
:func:`unwatched`, which does nothing. A name that is not in the table below is an error in tests, and each one that is
must be passed by some write that a test kills there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

Reached = Callable[[str], None]
"""Told the name of a fault point as it is passed; what it raises is raised there."""

FAULT_POINTS: Mapping[str, str] = {
    # inside the graph store, of every write to it
    "graph.committing": "all of a transaction is written and none of it committed",
    "graph.committed": "a transaction is committed and its writer does not know it yet",
    "graph.vacuumed": "the graph's file is written anew and its log not yet folded in",
    "graph.schema.changed": "one of several statements that change the schema of a server is done",
    # inside the text index, of every write to it; one write is one commit to one of its tables
    "index.table.made": "one of its tables is made, with no row and no search index",
    "index.writing": "rows are about to be written to a table",
    "index.written": "rows are in a table, and not yet in the next one",
    "index.deleted": "rows are gone from a table, and not yet from the next one",
    "index.updated": "rows of a table have new groups, and not yet those of the next one",
    "index.column.added": "a table of an older version has a column that it lacked",
    "index.moved": "rows of a document are in the tables of its new access class, and still in those of the old one",
    "index.indexed": "search indexes that a table has grown into are built",
    "index.compacted": "small files of a table are folded together, and old versions of it are gone",
    # writing documents and removing them
    "intent.begun": "what is about to be written is in the journal",
    "ingest.documents.written": "texts are in the index and not yet seen",
    "ingest.chunks.written": "chunks are too",
    "ingest.statements.written": "statements are too",
    "ingest.chains.written": "chains are too",
    "ingest.committed": "documents are in, and what they replace is still in the index",
    "remove.committed": "documents are gone from the graph, and their rows are still in the index",
    "update.committed": "groups, metadata and validity are new in the graph and old in the index",
    "update.rows.written": "they are new in the index too, and rows of derived chains are still as before",
    "cleanup.rows.deleted": "rows of what was replaced or removed are gone from the index",
    "cleanup.derived.synced": "derived chains have the rows that they should have; the journal is still open",
    "recover.undone": "rows of a write that was cut off before its transaction are gone",
    # upkeep
    "repair.table.made": "a table of the index that was lost or unreadable is made anew, and empty",
    "repair.recovered": "writes that were cut off are finished or undone",
    "repair.mended": "the graph agrees with itself again",
    "repair.document.done": "one document is repaired",
    "repair.derived.synced": "rows of nothing are gone",
    "backup.graph.written": "the graph is in the archive",
    "backup.rows.written": "a table of the index is too",
    "backup.finished": "the archive is whole and has not its name yet",
    "restore.graph.written": "the graph is in the folder beside",
    "restore.rows.written": "a table of the index is too",
    "restore.verified": "it proved to be equal and has no manifest yet",
    "restore.target.cleared": "it is whole, and the folder whose place it takes is gone",
    "migrate.batch": "some documents are in the other graph store",
    "migrate.adopted": "everything is in the other graph store",
    "migrate.switched": "the manifest names the other graph store",
    "reindex.batch": "some documents are in the new tables",
    "reindex.copied": "all are, without search indexes",
    "reindex.verified": "the new tables proved to hold what the old ones do",
    "reindex.switched": "the manifest names the new tables; links and fingerprints are those of the old embedder",
    "reindex.linked": "links between statements are those of the new embedder, fingerprints of the old one",
    "reindex.finished": "sources say that the new embedder made their vectors, and nothing is left to do",
}
"""What has happened when a point is passed."""


def unwatched(_name: str) -> None:
    """Do nothing: nobody wants to know."""


__all__ = ["FAULT_POINTS", "Reached", "unwatched"]
