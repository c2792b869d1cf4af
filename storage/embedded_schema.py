"""The tables of the embedded graph store, their version, and how an older version becomes this one.

All index columns ascend: SQLite 3.40.1 answers some queries over descending ones wrongly after ANALYZE. What a walk
sorts by, confidence from high to low, is therefore stored as ``cost``, the negated confidence.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path

from storage.errors import StoreError, StoreVersionError

SCHEMA_VERSION = 2
"""The version of the tables below, kept in ``PRAGMA user_version``."""

APPLICATION_ID = 0x436C6577
"""``Clew`` in ASCII: tells a store of ours from any other SQLite file."""

_TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES ('data_version', 0);

CREATE TABLE access_class (key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, rule TEXT NOT NULL);

CREATE TABLE source (
  id TEXT PRIMARY KEY, namespace TEXT NOT NULL, path TEXT NOT NULL, location TEXT, groups TEXT NOT NULL,
  metadata TEXT NOT NULL, valid_from INTEGER, valid_to INTEGER, document TEXT NOT NULL, raw_hash TEXT NOT NULL,
  fingerprint TEXT NOT NULL, ingested_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX source_path ON source (path);

-- What decides visibility, in short rows, since nearly every read joins them; the rest of a document is apart. A source
-- has one current document, named in its row, and the older versions that are kept: each has a row in ``version`` too.
CREATE TABLE document (
  id TEXT PRIMARY KEY, source TEXT NOT NULL REFERENCES source, class INTEGER NOT NULL REFERENCES access_class,
  valid_from INTEGER, valid_to INTEGER, bounded INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX document_bounded ON document (id) WHERE bounded = 1;
CREATE INDEX document_source ON document (source);
-- The source as it was with an older version; its validity ends where the next one's begins.
CREATE TABLE version (
  document TEXT PRIMARY KEY REFERENCES document, source TEXT NOT NULL REFERENCES source, record TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX version_source ON version (source);
-- Times inside a document's validity at which another version of its source held: a text that came back.
CREATE TABLE document_gap (
  document TEXT NOT NULL REFERENCES document, start INTEGER NOT NULL, end INTEGER NOT NULL,
  PRIMARY KEY (document, start)
) WITHOUT ROWID;
CREATE TABLE document_record (
  id TEXT PRIMARY KEY REFERENCES document, content_hash TEXT NOT NULL, title TEXT NOT NULL, language TEXT NOT NULL,
  length INTEGER NOT NULL, sections TEXT NOT NULL, pages TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE document_tag (
  document TEXT NOT NULL REFERENCES document, tag TEXT NOT NULL, PRIMARY KEY (document, tag)
) WITHOUT ROWID;

CREATE TABLE chunk (
  document TEXT NOT NULL REFERENCES document, start INTEGER NOT NULL, end INTEGER NOT NULL, ordinal INTEGER NOT NULL,
  section TEXT NOT NULL, page INTEGER, places TEXT NOT NULL, context TEXT NOT NULL,
  PRIMARY KEY (document, start, end)
) WITHOUT ROWID;

-- A retired statement keeps its id and loses its words: terms IS NULL.
CREATE TABLE statement (
  id TEXT PRIMARY KEY, language TEXT NOT NULL, terms TEXT, direction TEXT NOT NULL, negated INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE statement_term (
  language TEXT NOT NULL, term TEXT NOT NULL, statement TEXT NOT NULL REFERENCES statement,
  PRIMARY KEY (language, term, statement)
) WITHOUT ROWID;
CREATE TABLE mention (
  statement TEXT NOT NULL REFERENCES statement, document TEXT NOT NULL REFERENCES document, start INTEGER NOT NULL,
  end INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (statement, document, start, end)
) WITHOUT ROWID;
CREATE INDEX mention_document ON mention (document);
CREATE TABLE same_as (
  first TEXT NOT NULL, second TEXT NOT NULL, score REAL NOT NULL, origin TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'active', PRIMARY KEY (first, second)
) WITHOUT ROWID;
CREATE INDEX same_as_second ON same_as (second);
CREATE INDEX same_as_rejected ON same_as (first, second) WHERE status = 'rejected';

CREATE TABLE relation (
  id TEXT PRIMARY KEY, type TEXT NOT NULL, head TEXT NOT NULL REFERENCES statement,
  tail TEXT NOT NULL REFERENCES statement, polarity TEXT NOT NULL, status TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE evidence (
  relation TEXT NOT NULL REFERENCES relation, document TEXT NOT NULL REFERENCES document, id TEXT NOT NULL,
  confidence REAL NOT NULL, modality TEXT NOT NULL, subtype TEXT NOT NULL, explicit INTEGER NOT NULL,
  head_start INTEGER NOT NULL, head_end INTEGER NOT NULL, tail_start INTEGER NOT NULL, tail_end INTEGER NOT NULL,
  cue_start INTEGER, cue_end INTEGER, origin TEXT NOT NULL, confirmed_by TEXT NOT NULL, doubted_by TEXT NOT NULL,
  PRIMARY KEY (relation, document, id)
) WITHOUT ROWID;
CREATE INDEX evidence_document ON evidence (document);

-- The projection for walking: one row per active affirmed relation and access class. Confidence is the noisy-or over
-- the class's documents, unrounded; cost is the negated rounded confidence; shared: other classes have a row too.
CREATE TABLE edge (
  relation TEXT NOT NULL REFERENCES relation, class INTEGER NOT NULL, src TEXT NOT NULL, dst TEXT NOT NULL,
  type INTEGER NOT NULL, confidence REAL NOT NULL, cost REAL NOT NULL, shared INTEGER NOT NULL,
  PRIMARY KEY (relation, class)
) WITHOUT ROWID;
-- Whole, not partial on shared: a partial index does not cover a query that names its condition's column.
CREATE INDEX edge_forward ON edge (src, shared, cost, relation, class, type, dst, confidence);
CREATE INDEX edge_backward ON edge (dst, shared, cost, relation, class, type, src, confidence);

CREATE TABLE chain (id TEXT PRIMARY KEY, status TEXT NOT NULL, accepted INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX chain_accepted ON chain (id) WHERE accepted = 1;
CREATE TABLE chain_link (
  chain TEXT NOT NULL REFERENCES chain, position INTEGER NOT NULL, relation TEXT NOT NULL REFERENCES relation,
  PRIMARY KEY (chain, position)
) WITHOUT ROWID;
CREATE INDEX chain_link_relation ON chain_link (relation);
CREATE TABLE chain_document (
  chain TEXT NOT NULL REFERENCES chain, document TEXT NOT NULL REFERENCES document, PRIMARY KEY (chain, document)
) WITHOUT ROWID;
CREATE INDEX chain_document_document ON chain_document (document);

CREATE TABLE intent (
  position INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, adds TEXT NOT NULL, removes TEXT NOT NULL,
  updates TEXT NOT NULL, committed INTEGER NOT NULL, at INTEGER NOT NULL
);
CREATE TABLE failure (
  source TEXT PRIMARY KEY, namespace TEXT NOT NULL, path TEXT NOT NULL, reason TEXT NOT NULL, at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE proposal (
  id TEXT PRIMARY KEY, status TEXT NOT NULL, proposed_at INTEGER NOT NULL, record TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE receipt (id TEXT PRIMARY KEY, at INTEGER NOT NULL, record TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE ledger (position INTEGER PRIMARY KEY, hash TEXT NOT NULL, record TEXT NOT NULL);
"""

Upgrade = Callable[[sqlite3.Connection], None]


def _from_1(connection: sqlite3.Connection) -> None:
    """Places of chunks, voices beside evidence, several versions of a source, verdicts on links, receipts."""
    for table, column, definition in (
        ("chunk", "places", "TEXT NOT NULL DEFAULT '[]'"),
        ("chunk", "context", "TEXT NOT NULL DEFAULT ''"),
        ("evidence", "confirmed_by", "TEXT NOT NULL DEFAULT '[]'"),
        ("evidence", "doubted_by", "TEXT NOT NULL DEFAULT '[]'"),
        ("same_as", "status", "TEXT NOT NULL DEFAULT 'active'"),
    ):
        if column not in {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}:
            connection.execute(f"ALTER TABLE {table} ADD COLUMN {column} {definition}")
    connection.execute("DELETE FROM meta WHERE name = 'state_hash'")  # it may have been worked out in another way
    # A column's UNIQUE cannot be dropped: the table is made anew under its name (foreign keys are off meanwhile).
    connection.execute(
        "CREATE TABLE document_2 (id TEXT PRIMARY KEY, source TEXT NOT NULL REFERENCES source,"
        " class INTEGER NOT NULL REFERENCES access_class, valid_from INTEGER, valid_to INTEGER,"
        " bounded INTEGER NOT NULL) WITHOUT ROWID"
    )
    connection.execute("INSERT INTO document_2 SELECT id, source, class, valid_from, valid_to, bounded FROM document")
    connection.execute("DROP TABLE document")
    connection.execute("ALTER TABLE document_2 RENAME TO document")
    made = {
        "document_bounded", "document_source", "version", "version_source", "document_gap", "receipt",
        "same_as_rejected", "source_path",
    }  # fmt: skip
    for statement in _statements(_TABLES):
        words = statement.split()
        if words[:1] == ["CREATE"] and words[2] in made:
            connection.execute(statement)


UPGRADES: Mapping[int, Upgrade] = {1: _from_1}
"""From a version to the next one: each step runs inside the one transaction that opens an older store."""


def check_readable(connection: sqlite3.Connection, path: Path) -> None:
    """Raise StoreVersionError for a store of a newer version and StoreError for a file that is not a store of ours."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    owner = connection.execute("PRAGMA application_id").fetchone()[0]
    if owner != APPLICATION_ID and not _is_empty(connection):
        raise StoreError(f"{path} is an SQLite database, but not a Clew graph store. Choose another --store folder.")
    if version > SCHEMA_VERSION:
        raise StoreVersionError(
            f"{path} has graph schema {version}; this version of Clew knows schemas up to {SCHEMA_VERSION}. "
            "Upgrade Clew (pip install --upgrade clew), or restore a backup made with this version."
        )


def is_up_to_date(connection: sqlite3.Connection) -> bool:
    """Whether there is nothing to make or to upgrade."""
    return bool(connection.execute("PRAGMA user_version").fetchone()[0] == SCHEMA_VERSION)


def bring_up_to_date(connection: sqlite3.Connection, path: Path) -> None:
    """Create the tables in an empty file or upgrade older ones; in the caller's transaction, all or nothing."""
    check_readable(connection, path)
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version == SCHEMA_VERSION:
        return
    if _is_empty(connection):
        for statement in _statements(_TABLES):
            connection.execute(statement)
        # A PRAGMA takes no parameters; both values are integers of this module.
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID:d}")
        version = SCHEMA_VERSION
    else:
        while version < SCHEMA_VERSION:
            if version not in UPGRADES:
                raise StoreVersionError(f"{path} has graph schema {version}, which cannot be upgraded. Ingest anew.")
            UPGRADES[version](connection)
            version += 1
        if connection.execute("PRAGMA foreign_key_check").fetchone() is not None:
            raise StoreError(f"{path} holds records of nothing and cannot be upgraded. Restore it from a backup.")
    connection.execute(f"PRAGMA user_version = {version:d}")


def _is_empty(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0] == 0)


def _statements(script: str) -> list[str]:
    """The statements of a script one by one, since ``executescript`` would commit the transaction."""
    lines = [line for line in script.splitlines() if not line.startswith("--")]
    return [statement.strip() for statement in "\n".join(lines).split(";") if statement.strip()]


__all__ = ["APPLICATION_ID", "SCHEMA_VERSION", "UPGRADES", "bring_up_to_date", "check_readable", "is_up_to_date"]
