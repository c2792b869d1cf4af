"""How much of everything the Neo4j graph store holds, as far as a caller may see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from storage.neo4j_database import fetch
from storage.neo4j_scope import any_bounded, known, seen, visibly
from storage.ports import Counts, DocumentCounts
from storage.records import RelationType, Scope

if TYPE_CHECKING:
    from neo4j import ManagedTransaction

_STATED = "EXISTS { MATCH (s)-[:MENTIONED_IN]->(d:Document) WHERE VISIBLE }"
_PROVEN = "EXISTS { MATCH (r)-[:EVIDENCED_BY]->()-[:PART_OF*0..1]->(d:Document) WHERE VISIBLE }"
_PROVABLE = {
    "documents": "MATCH (d:Document) WHERE VISIBLE RETURN count(d)",
    "sources": "MATCH (s:Source)-[:CURRENT|VERSION]->(d:Document) WHERE VISIBLE RETURN count(DISTINCT s)",
    "chunks": "MATCH (d:Document)<-[c:PART_OF]-() WHERE VISIBLE RETURN count(c)",
    "mentions": "MATCH (d:Document)<-[m:MENTIONED_IN]-() WHERE VISIBLE RETURN count(m)",
    "statements": f"MATCH (s:Statement) WHERE s.terms IS NOT NULL AND {_STATED} RETURN count(s)",
    "same_as": f"""MATCH (first:Statement)-[a:SAME_AS]->(second:Statement)
WHERE a.status IS NULL AND {_STATED.replace("(s)", "(first)")} AND {_STATED.replace("(s)", "(second)")}
RETURN count(a)""",
    "relations": f"MATCH (r:Relation) WHERE r.status = 'active' AND {_PROVEN} RETURN r.type, count(r)",
    "evidence": """MATCH (r:Relation)-[v:EVIDENCED_BY]->() WHERE r.status IN ['active', 'retired']
MATCH (d:Document {id: v.document}) WHERE VISIBLE RETURN count(v)""",
    "chains": f"""MATCH (c:Chain) WHERE c.status = 'active'
AND NOT EXISTS {{ MATCH (c)-[:LINK]->(r:Relation) WHERE NOT (r.status = 'active' AND {_PROVEN}) }}
WITH c, EXISTS {{ MATCH (c)-[:HELD_BY]->(d:Document) WHERE VISIBLE }} AS held WHERE held OR c.accepted IS NOT NULL
RETURN held, count(c)""",
}
_VISIBLE_ONLY = {name: visibly(query) for name, query in _PROVABLE.items()}
# What the owner sees of a store without validity bounds needs no proof: it is all that is active.
_EVERYTHING = {
    "documents": "MATCH (d:Document) RETURN count(d)",
    "sources": "MATCH (s:Source) RETURN count(s)",
    "chunks": "MATCH (c:Chunk) RETURN count(c)",
    "mentions": "MATCH ()-[m:MENTIONED_IN]->() RETURN count(m)",
    "statements": "MATCH (s:Statement) WHERE s.terms IS NOT NULL RETURN count(s)",
    "same_as": """MATCH (first:Statement)-[a:SAME_AS]->(second:Statement)
WHERE a.status IS NULL AND first.terms IS NOT NULL AND second.terms IS NOT NULL RETURN count(a)""",
    "relations": "MATCH (r:Relation) WHERE r.status = 'active' RETURN r.type, count(r)",
    "evidence": """MATCH (r:Relation)-[v:EVIDENCED_BY]->() WHERE r.status IN ['active', 'retired'] RETURN count(v)""",
    "chains": "MATCH (c:Chain) WHERE c.status = 'active' RETURN EXISTS { (c)-[:HELD_BY]->() }, count(c)",
}
_WAITING = "MATCH (p:Proposal) WHERE $owner AND p.status = 'quarantined' RETURN count(p)"
_OF_DOCUMENTS = visibly("""
UNWIND $ids AS id MATCH (d:Document {id: id}) WHERE VISIBLE
RETURN id, COUNT { (d)<-[:PART_OF]-() },
  COUNT { MATCH (d)<-[:PART_OF*0..1]-(c)<-[:EVIDENCED_BY]-(r:Relation) WHERE r.status = 'active' RETURN DISTINCT r }
""")


def counts(tx: ManagedTransaction, scope: Scope) -> Counts:
    """Totals over what is visible; proposals are the owner's to see."""
    parameters = seen(scope)
    narrowed = scope.classes is not None or bool(scope.tags) or any_bounded(tx)
    queries = _VISIBLE_ONLY if narrowed else _EVERYTHING

    def total(query: str) -> int:
        return int(fetch(tx, query, parameters)[0][0])

    found = {row[0]: row[1] for row in fetch(tx, queries["relations"], parameters)}
    by_type = {type_.value: found[type_] for type_ in RelationType if type_ in found}
    chains = {row[0]: row[1] for row in fetch(tx, queries["chains"], parameters)}
    return Counts(
        sources=total(queries["sources"]),
        documents=total(queries["documents"]),
        chunks=total(queries["chunks"]),
        statements=total(queries["statements"]),
        mentions=total(queries["mentions"]),
        relations=sum(by_type.values()),
        relations_by_type=by_type,
        evidence=total(queries["evidence"]),
        same_as=total(queries["same_as"]),
        chains=sum(chains.values()),
        derived_chains=chains.get(False, 0),
        quarantined=total(_WAITING),
    )


def document_counts(tx: ManagedTransaction, document_ids: Sequence[str], scope: Scope) -> dict[str, DocumentCounts]:
    """What each visible document holds."""
    rows = fetch(tx, _OF_DOCUMENTS, seen(scope, ids=known(document_ids)))
    return {id_: DocumentCounts(chunks=chunks, relations=relations) for id_, chunks, relations in rows}


__all__ = ["counts", "document_counts"]
