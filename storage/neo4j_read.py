"""What the Neo4j graph store answers: records, and what is visible of them in a scope."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from storage.belief import belief
from storage.encoding import record_of
from storage.identity import check_prefix
from storage.neo4j_database import Ask, Row, fetch
from storage.neo4j_rows import (
    RELATION,
    STATEMENT,
    evidence_of,
    mention_of,
    relation_of,
    statement_of,
)
from storage.neo4j_scope import known, seen, visibly
from storage.ports import ChainView, RelationView, StatementView
from storage.records import (
    Chain,
    Chunk,
    Evidence,
    Record,
    RelationStatus,
    SameAs,
    Scope,
    Source,
    StatementKey,
    StoredDocument,
)
from storage.versions import by_place_and_time, by_source_and_time

if TYPE_CHECKING:
    from neo4j import ManagedTransaction


def _cypher(template: str) -> str:
    """A template of this module with its projections and the visibility condition filled in."""
    return visibly(template.replace("STATEMENT", STATEMENT).replace("RELATION", RELATION))


# --- documents -------------------------------------------------------------------------------------------------------

_SOURCES = visibly("""
MATCH (s:Source)-[:CURRENT|VERSION]->(d:Document) WHERE VISIBLE RETURN coalesce(d.version, s.record)
""")
_SOURCES_BY_ID = visibly("""
UNWIND $ids AS id MATCH (s:Source {id: id})-[:CURRENT|VERSION]->(d:Document) WHERE VISIBLE
RETURN coalesce(d.version, s.record)
""")
_KEPT = "MATCH (:Source)-[:VERSION]->(d:Document) RETURN d.version"
_KEPT_OF = "UNWIND $ids AS id MATCH (:Source {id: id})-[:VERSION]->(d:Document) RETURN d.version"
_DOCUMENTS = visibly("UNWIND $ids AS id MATCH (d:Document {id: id}) WHERE VISIBLE RETURN d.id, d.record")
_CHUNKS = visibly("""
UNWIND $ids AS id MATCH (d:Document {id: id})<-[:PART_OF]-(c:Chunk) WHERE VISIBLE
RETURN d.id, c.record ORDER BY d.id, c.ordinal, c.start
""")


def sources(tx: ManagedTransaction, ids: Sequence[str] | None, scope: Scope) -> list[Source]:
    """Visible sources by (namespace, path), each as it was with the version that is visible."""
    query = _SOURCES if ids is None else _SOURCES_BY_ID
    rows = fetch(tx, query, seen(scope, ids=known(ids or ())))
    return sorted((record_of(Source, record) for (record,) in rows), key=by_place_and_time)


def kept_versions(tx: ManagedTransaction, source_ids: Sequence[str] | None) -> list[Source]:
    """Older versions of these sources, or of all, by source and time."""
    rows = fetch(tx, _KEPT) if source_ids is None else fetch(tx, _KEPT_OF, {"ids": known(source_ids)})
    return sorted((record_of(Source, record) for (record,) in rows), key=by_source_and_time)


def documents(tx: ManagedTransaction, ids: Sequence[str], scope: Scope) -> dict[str, StoredDocument]:
    """Visible documents by id."""
    rows = fetch(tx, _DOCUMENTS, seen(scope, ids=known(ids)))
    return {id_: record_of(StoredDocument, record) for id_, record in rows}


def chunks(tx: ManagedTransaction, document_ids: Sequence[str], scope: Scope) -> dict[str, list[Chunk]]:
    """The chunks of visible documents, in order."""
    found: dict[str, list[Chunk]] = defaultdict(list)
    for id_, record in fetch(tx, _CHUNKS, seen(scope, ids=known(document_ids))):
        found[id_].append(record_of(Chunk, record))
    return dict(found)


# --- statements ------------------------------------------------------------------------------------------------------

_STATEMENTS = _cypher("""
UNWIND $ids AS id MATCH (s:Statement {id: id}) WHERE s.terms IS NOT NULL
CALL (s) {
  MATCH (s)-[m:MENTIONED_IN]->(d:Document) WHERE VISIBLE
  RETURN m, d.id AS document ORDER BY document, m.start, m.end LIMIT 1
}
RETURN id, STATEMENT, m.text, document, m.start
""")
_SHARING = _cypher("""
UNWIND $keys AS key MATCH (:Term {key: key})<-[:INDEXED_BY]-(s:Statement) WHERE s.terms IS NOT NULL
WITH DISTINCT s ORDER BY s.id RETURN STATEMENT
""")
_KEYS = _cypher("""
UNWIND $ids AS id MATCH (s:Statement {id: id}) WHERE s.terms IS NOT NULL RETURN id, STATEMENT
""")
_SAME_AS = visibly("""
UNWIND $ids AS id MATCH (:Statement {id: id})-[a:SAME_AS]-(:Statement) WHERE a.status IS NULL
WITH DISTINCT a, startNode(a) AS first, endNode(a) AS second
WHERE EXISTS { MATCH (first)-[:MENTIONED_IN]->(d:Document) WHERE VISIBLE }
  AND EXISTS { MATCH (second)-[:MENTIONED_IN]->(d:Document) WHERE VISIBLE }
RETURN collect([first.id, second.id, a.score, a.origin])
""")


def term_key(language: str, term: str) -> str:
    """What a blocking term is indexed under."""
    return f"{language}:{term}"


def statements(tx: ManagedTransaction, ids: Sequence[str], scope: Scope) -> dict[str, StatementView]:
    """Visible statements in the words of their first visible mention."""
    found = {}
    for id_, key, text, document, start in fetch(tx, _STATEMENTS, seen(scope, ids=known(ids))):
        words = mention_of(id_, document, start, start + 1, text).text
        found[id_] = StatementView(statement=statement_of(key), text=words, document_id=document, span_start=start)
    return found


def statements_sharing(tx: ManagedTransaction, language: str, terms: Sequence[str]) -> list[StatementKey]:
    """Keys of active statements that are indexed under one of these blocking terms."""
    rows = fetch(tx, _SHARING, {"keys": sorted({term_key(language, term) for term in terms})})
    return [statement_of(key).key for (key,) in rows]


def statement_keys(tx: ManagedTransaction, ids: Sequence[str]) -> dict[str, StatementKey]:
    """Keys of those of these statements that are active."""
    return {id_: statement_of(key).key for id_, key in fetch(tx, _KEYS, {"ids": known(ids)})}


def same_as(ask: Ask, statement_ids: Sequence[str], scope: Scope) -> list[SameAs]:
    """Links of these statements both of whose ends are visible."""
    [[rows]] = ask(_SAME_AS, seen(scope, ids=known(statement_ids)))
    found = [SameAs(first=first, second=second, score=score, origin=origin) for first, second, score, origin in rows]
    return sorted(found, key=lambda s: (-s.score, s.first, s.second))


# --- relations and chains --------------------------------------------------------------------------------------------

_RELATIONS = _cypher("""
UNWIND $ids AS id MATCH (r:Relation {id: id}) WHERE r.status = 'active'
MATCH (r)-[v:EVIDENCED_BY]->() MATCH (d:Document {id: v.document}) WHERE VISIBLE
RETURN r.id, RELATION, collect(properties(v))
""")
_HELD = "EXISTS { MATCH (c)-[:HELD_BY]->(d:Document) WHERE VISIBLE }"
"""That a visible document holds the chain ``c``: that another one does is not for the caller to know."""

_CHAINS = visibly(f"""
UNWIND $ids AS id MATCH (c:Chain {{id: id}}) WHERE c.status = 'active'
WITH c, {_HELD} AS held WHERE held OR c.accepted IS NOT NULL
RETURN c.id, c.links, NOT held
""")
_ACCEPTED = """
MATCH (c:Chain {accepted: true}) RETURN c.id, c.links, NOT EXISTS { (c)-[:HELD_BY]->() }, c.status ORDER BY c.id
"""


def evidence(tx: ManagedTransaction, relation_ids: Sequence[str], scope: Scope) -> dict[str, list[Evidence]]:
    """The visible evidence of active relations."""
    return {id_: _evidence(id_, found) for id_, _, found in _proven(tx, relation_ids, scope)}


def relations(tx: ManagedTransaction, ids: Sequence[str], scope: Scope) -> dict[str, RelationView]:
    """Active relations with the belief in their visible evidence."""
    return {
        id_: RelationView(relation=relation_of(relation), belief=belief(_evidence(id_, found)))
        for id_, relation, found in _proven(tx, ids, scope)
    }


def _proven(tx: ManagedTransaction, ids: Sequence[str], scope: Scope) -> list[Row]:
    return fetch(tx, _RELATIONS, seen(scope, ids=known(ids)))


def _evidence(relation: str, found: Sequence[dict[str, object]]) -> list[Evidence]:
    items = [evidence_of(relation, properties) for properties in found]
    return sorted(items, key=lambda e: (e.document_id, e.quote.start, e.id))


def chains(tx: ManagedTransaction, ids: Sequence[str], scope: Scope) -> dict[str, ChainView]:
    """Active chains of which every link is visible, and that a person accepted or a visible document holds."""
    found = {id_: _chain(links, derived) for id_, links, derived in fetch(tx, _CHAINS, seen(scope, ids=known(ids)))}
    links = relations(tx, [link for chain in found.values() for link in chain.relation_ids], scope)
    return {
        id_: ChainView(chain=chain, links=tuple(links[link] for link in chain.relation_ids))
        for id_, chain in found.items()
        if all(link in links for link in chain.relation_ids)
    }


def accepted_chains(tx: ManagedTransaction) -> list[tuple[Chain, RelationStatus]]:
    """Chains that were accepted and not withdrawn, with their status, by id."""
    return [(_chain(links, derived), RelationStatus(status)) for _, links, derived, status in fetch(tx, _ACCEPTED)]


def _chain(links: Sequence[str], derived: bool) -> Chain:
    return Chain(relation_ids=tuple(links), derived=derived)


# --- everything ------------------------------------------------------------------------------------------------------

_SEEN_RELATION = "EXISTS { MATCH (r)-[:EVIDENCED_BY]->()-[:PART_OF*0..1]->(d:Document) WHERE VISIBLE }"
_STARTING = {
    kind: visibly(f"{query} RETURN n.id ORDER BY n.id LIMIT $limit")
    for kind, query in {
        "src": """MATCH (n:Source) WHERE n.id >= $low AND n.id < $high
AND EXISTS { MATCH (n)-[:CURRENT|VERSION]->(d:Document) WHERE VISIBLE }""",
        "doc": "MATCH (n:Document) WHERE n.id >= $low AND n.id < $high WITH n, n AS d WHERE VISIBLE",
        "stm": """MATCH (n:Statement) WHERE n.id >= $low AND n.id < $high
AND EXISTS { MATCH (n)-[:MENTIONED_IN]->(d:Document) WHERE VISIBLE }""",
        "rel": f"""MATCH (n:Relation) WHERE n.id >= $low AND n.id < $high AND n.status = 'active'
WITH n, n AS r WHERE {_SEEN_RELATION}""",
        "chn": f"""MATCH (n:Chain) WHERE n.id >= $low AND n.id < $high AND n.status = 'active'
AND (n.accepted IS NOT NULL OR {_HELD.replace("(c)", "(n)")})
AND NOT EXISTS {{ MATCH (n)-[:LINK]->(r:Relation) WHERE NOT (r.status = 'active' AND {_SEEN_RELATION}) }}""",
        "prp": "MATCH (n:Proposal) WHERE $owner AND n.id >= $low AND n.id < $high",
    }.items()
}


def ids_starting(tx: ManagedTransaction, prefix: str, scope: Scope, *, limit: int) -> list[str]:
    """Visible ids that start with ``prefix``, ascending; raises UsageError if it does not look like part of an id."""
    low, high = check_prefix(prefix)
    query = _STARTING.get(prefix[:3])
    if query is None or limit <= 0:
        return []
    return [id_ for (id_,) in fetch(tx, query, seen(scope, low=low, high=high, limit=limit))]


def records(tx: ManagedTransaction) -> Iterator[Record]:
    """Every active record."""
    for (record,) in tx.run("MATCH (n:Source) RETURN n.record"):
        yield record_of(Source, record)
    yield from kept_versions(tx, None)
    for (record,) in tx.run("MATCH (n:Document) RETURN n.record"):
        yield record_of(StoredDocument, record)
    for (record,) in tx.run("MATCH (n:Chunk) RETURN n.record"):
        yield record_of(Chunk, record)
    for (key,) in tx.run(f"MATCH (s:Statement) WHERE s.terms IS NOT NULL RETURN {STATEMENT}"):
        yield statement_of(key)
    for row in tx.run("MATCH (s:Statement)-[m:MENTIONED_IN]->(d:Document) RETURN s.id, d.id, m.start, m.end, m.text"):
        yield mention_of(*row.values())
    for (relation,) in tx.run(f"MATCH (r:Relation) WHERE r.status = 'active' RETURN {RELATION}"):
        yield relation_of(relation)
    for relation, found in tx.run(
        "MATCH (r:Relation)-[v:EVIDENCED_BY]->() WHERE r.status = 'active' RETURN r.id, properties(v)"
    ):
        yield evidence_of(relation, found)
    for links, derived in tx.run(
        "MATCH (c:Chain) WHERE c.status = 'active' RETURN c.links, NOT EXISTS { (c)-[:HELD_BY]->() }"
    ):
        yield _chain(links, derived)


__all__ = [
    "accepted_chains",
    "chains",
    "chunks",
    "documents",
    "evidence",
    "ids_starting",
    "kept_versions",
    "records",
    "relations",
    "same_as",
    "sources",
    "statement_keys",
    "statements",
    "statements_sharing",
    "term_key",
]
