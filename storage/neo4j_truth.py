"""Truth maintenance of the Neo4j graph store: what loses its ground is retired, what regains it comes back.

As in the embedded store, statuses are changed here only, after everything else of a transaction is written.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from storage.neo4j_database import fetch
from storage.truth import Changed, ChangedChains, severed

if TYPE_CHECKING:
    from neo4j import ManagedTransaction

_RELATIONS = """
UNWIND $ids AS id MATCH (r:Relation {id: id}) WHERE r.status IN ['active', 'retired']
WITH r, EXISTS { (r)-[:EVIDENCED_BY]->() } AS proven WHERE (r.status = 'active') <> proven
SET r.status = CASE WHEN proven THEN 'active' ELSE 'retired' END
RETURN r.id, proven
"""
_SILENT = """
UNWIND $ids AS id MATCH (s:Statement {id: id})
WHERE s.terms IS NOT NULL AND NOT EXISTS { (s)-[:MENTIONED_IN]->() }
REMOVE s.terms, s.name, s.named_in, s.named_at
RETURN s.id
"""
_UNINDEX = "UNWIND $ids AS id MATCH (:Statement {id: id})-[i:INDEXED_BY]->(t:Term) DELETE i RETURN DISTINCT t.key"
_UNUSED = "UNWIND $keys AS key MATCH (t:Term {key: key}) WHERE NOT EXISTS { (t)<-[:INDEXED_BY]-() } DELETE t"
# A name is the words of the first mention: those of a document that went are taken from the next one.
_RENAME = """
UNWIND $ids AS id MATCH (s:Statement {id: id}) WHERE s.named_in IN $gone
CALL (s) {
  MATCH (s)-[m:MENTIONED_IN]->(d:Document)
  RETURN d.id AS document, m.start AS start, m.text AS text ORDER BY document, start, m.end LIMIT 1
}
SET s.name = text, s.named_in = document, s.named_at = start
"""
_CHAINS = """
UNWIND $ids AS id MATCH (c:Chain {id: id}) WHERE c.status IN ['active', 'retired']
WITH c, (c.accepted IS NOT NULL OR EXISTS { (c)-[:HELD_BY]->() })
  AND NOT EXISTS { (c)-[:LINK]->(r:Relation) WHERE r.status <> 'active' } AND NOT c.id IN $severed AS holds
WHERE (c.status = 'active') <> holds
SET c.status = CASE WHEN holds THEN 'active' ELSE 'retired' END
RETURN c.id, c.accepted IS NOT NULL, holds
"""
_OVER = "UNWIND $ids AS id MATCH (:Relation {id: id})<-[:LINK]-(c:Chain) RETURN DISTINCT c.id"


def refresh_relations(tx: ManagedTransaction, relations: Iterable[str]) -> Changed:
    """Give each relation the status that its evidence earns; a person's verdict (rejected, quarantined) stands."""
    return Changed.of((id_, proven) for id_, proven in fetch(tx, _RELATIONS, {"ids": sorted(relations)}))


def refresh_statements(tx: ManagedTransaction, statements: Iterable[str], gone: Iterable[str]) -> tuple[str, ...]:
    """Take the words of statements that nobody says any more; they keep their id and come back with a mention.

    ``gone`` are the documents that were removed, whose words may be the name of a statement that stays.
    """
    ids = sorted(statements)
    silent = sorted(id_ for (id_,) in fetch(tx, _SILENT, {"ids": ids}))
    if silent:
        keys = sorted(key for (key,) in fetch(tx, _UNINDEX, {"ids": silent}))
        tx.run(_UNUSED, {"keys": keys}).consume()
    if removed := sorted(gone):
        tx.run(_RENAME, {"ids": ids, "gone": removed}).consume()
    return tuple(silent)


def refresh_chains(tx: ManagedTransaction, chains: Iterable[str], relations: Iterable[str]) -> ChangedChains:
    """Give ``chains`` and every chain over one of ``relations`` the status that they earn.

    A chain is active if a document holds it or a person accepted it, and all its links are active, those by same_as
    where it crosses one too; a rejected one stays rejected.
    """
    over = {id_ for (id_,) in fetch(tx, _OVER, {"ids": sorted(relations)})}
    rows = fetch(tx, _CHAINS, {"ids": sorted(over.union(chains)), "severed": sorted(severed_chains(tx))})
    return ChangedChains.of((id_, accepted, holds) for id_, accepted, holds in rows)


def severed_chains(tx: ManagedTransaction) -> frozenset[str]:
    """Accepted chains that cross a same_as link which a person rejected; chains of a document cross none."""
    rejected = fetch(tx, "MATCH (f:Statement)-[a:SAME_AS {status: 'rejected'}]->(s:Statement) RETURN f.id, s.id")
    if not rejected:
        return frozenset()
    links = fetch(
        tx,
        "MATCH (c:Chain {accepted: true})-[l:LINK]->(r:Relation) RETURN c.id, r.head, r.tail ORDER BY c.id, l.position",
    )
    return severed([(row[0], row[1], row[2]) for row in links], [(row[0], row[1]) for row in rejected])


__all__ = ["refresh_chains", "refresh_relations", "refresh_statements", "severed_chains"]
