"""Constraints and indexes of the Neo4j graph store, their version, and how an older version becomes this one.

Only what the Community edition has: uniqueness constraints, range indexes. Schema and data cannot change in one
transaction, so every statement may be run again, and the version is written last.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from storage.errors import StoreError, StoreVersionError
from storage.neo4j_database import Neo4jDatabase, fetch
from storage.records import RelationType

SCHEMA_VERSION = 2

EDGE_TYPES: dict[RelationType, str] = {
    RelationType.CAUSAL: "CAUSES",
    RelationType.SEQUENTIAL: "PRECEDES",
    RelationType.SUPPORTING: "SUPPORTS",
    RelationType.PROGRESSIVE: "PROGRESSES_TO",
}
"""The relationship type that projects each type of relation: the only words that are ever put into a query's text."""

_UNIQUE = {
    "ClewStore": "id", "Source": "id", "Document": "id", "Chunk": "id", "Statement": "id", "Term": "key",
    "Relation": "id", "Chain": "id", "AccessClass": "id", "Intent": "id", "Failure": "source", "Proposal": "id",
    "LedgerEntry": "position",
}  # fmt: skip
_FIRST: tuple[str, ...] = (
    *(
        f"CREATE CONSTRAINT clew_{label.lower()}_{key} IF NOT EXISTS FOR (n:{label}) REQUIRE n.{key} IS UNIQUE"
        for label, key in _UNIQUE.items()
    ),
    "CREATE INDEX clew_document_bounded IF NOT EXISTS FOR (d:Document) ON (d.bounded)",
    "CREATE INDEX clew_chain_accepted IF NOT EXISTS FOR (c:Chain) ON (c.accepted)",
    "CREATE INDEX clew_statement_name IF NOT EXISTS FOR (s:Statement) ON (s.name)",
    *(
        f"CREATE INDEX clew_{type_.lower()}_relation IF NOT EXISTS FOR ()-[e:{type_}]-() ON (e.relation)"
        for type_ in EDGE_TYPES.values()
    ),
)
_SECOND: tuple[str, ...] = (
    "CREATE CONSTRAINT clew_receipt_id IF NOT EXISTS FOR (n:Receipt) REQUIRE n.id IS UNIQUE",
    "CREATE INDEX clew_source_path IF NOT EXISTS FOR (s:Source) ON (s.path)",
)
UPGRADES: Sequence[Sequence[str]] = (_FIRST, _SECOND)
"""What leads from each version to the next; version 0 is an empty database."""

_STATE = """
OPTIONAL MATCH (s:ClewStore {id: 'store'})
RETURN s.schema, s IS NULL AND EXISTS { MATCH (n) WHERE NOT n:ClewStore }
"""


def bring_up_to_date(database: Neo4jDatabase) -> None:
    """Create the schema in an empty database or upgrade an older one; refuse a newer one and other people's data."""
    version, foreign = database.rows(_STATE)[0]
    where = f"the Neo4j database {database.address.database!r} at {database.address.shown}"
    if foreign:
        raise StoreError(f"{where} holds other data. Clew needs a database of its own: empty it or name another.")
    version = version or 0
    if version > SCHEMA_VERSION:
        raise StoreVersionError(
            f"{where} has graph schema {version}; this version of Clew knows schemas up to {SCHEMA_VERSION}. "
            "Upgrade Clew (pip install --upgrade clew), or restore a backup made with this version."
        )
    if version == SCHEMA_VERSION:
        return
    for statements in UPGRADES[version:]:
        for statement in statements:
            database.schema(statement)
    with suppress(StoreError):  # other servers that speak Bolt index at once and know no such procedure
        database.schema("CALL db.awaitIndexes(300)")
    database.writing(
        lambda tx: tx.run(
            "MERGE (s:ClewStore {id: 'store'}) SET s.schema = $version, s.changes = coalesce(s.changes, 0) "
            "REMOVE s.state_hash",  # an older version may have worked it out in another way
            {"version": SCHEMA_VERSION},
        ).consume()
    )


_OWNER = "MATCH (s:ClewStore {id: 'store'}) RETURN s.owner"
_CLAIM = "MATCH (s:ClewStore {id: 'store'}) SET s.owner = coalesce(s.owner, $owner) RETURN s.owner"


def claim(database: Neo4jDatabase, owner: str) -> None:
    """Make sure that the database holds the graph of one knowledge base only: that of ``owner``."""
    found = database.rows(_OWNER)[0][0] or database.quietly(lambda tx: fetch(tx, _CLAIM, {"owner": owner}))[0][0]
    if found != owner:
        raise _taken(database)


def check_unclaimed(database: Neo4jDatabase) -> None:
    """Raise StoreError for a database that holds the graph of a knowledge base already."""
    if database.rows(_OWNER)[0][0] is not None:
        raise _taken(database)


def _taken(database: Neo4jDatabase) -> StoreError:
    return StoreError(
        f"the Neo4j database {database.address.database!r} at {database.address.shown} holds the graph of another "
        "knowledge base. Open it with the folder it belongs to, empty it, or name another database or server."
    )


__all__ = ["EDGE_TYPES", "SCHEMA_VERSION", "UPGRADES", "bring_up_to_date", "check_unclaimed", "claim"]
