"""What contradicts itself inside the Neo4j graph store, and putting it right.

A database that only Clew writes has no such faults: they come from a failing disk, or from somebody else's Cypher.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from storage.encoding import record_of
from storage.neo4j_database import fetch
from storage.neo4j_rows import STATEMENT, access_of, evidence_of, statement_of
from storage.neo4j_schema import EDGE_TYPES
from storage.neo4j_truth import refresh_chains, refresh_relations, refresh_statements, severed_chains
from storage.neo4j_walk import due_edges, project
from storage.neo4j_write import update_sources
from storage.ports import GraphFault
from storage.records import Evidence, Source, Statement

if TYPE_CHECKING:
    from neo4j import ManagedTransaction

_BATCH = 2_000
_BATCH_DOCUMENTS = 100
_BOTH = """EXISTS { (n)<-[:CURRENT]-(:Source) } AND (n.version IS NOT NULL OR EXISTS { (n)<-[:VERSION]-(:Source) })"""
_ORPHANS = {
    "a document that no source has": "MATCH (n:Document) WHERE NOT EXISTS { (n)<-[:CURRENT|VERSION]-(:Source) }",
    "the present version of a source, and an older one of it as well": f"MATCH (n:Document) WHERE {_BOTH}",
    "a chunk of no document": "MATCH (n:Chunk) WHERE NOT EXISTS { (n)-[:PART_OF]->(:Document) }",
}
_LOOSE_EVIDENCE = """
MATCH (r:Relation)-[v:EVIDENCED_BY]->() WHERE NOT EXISTS { MATCH (d:Document) WHERE d.id = v.document }
"""
_UNEARNED = {
    "relation": (
        "its status is not what its evidence earns",
        "MATCH (n:Relation) WHERE n.status IN ['active', 'retired'] "
        "AND (n.status = 'active') <> EXISTS { (n)-[:EVIDENCED_BY]->() } RETURN n.id ORDER BY n.id",
    ),
    "statement": (
        "it has words though nobody says it",
        "MATCH (n:Statement) WHERE n.terms IS NOT NULL AND NOT EXISTS { (n)-[:MENTIONED_IN]->() } "
        "RETURN n.id ORDER BY n.id",
    ),
    "chain": (
        "its status is not what its links earn",
        "MATCH (n:Chain) WHERE n.status IN ['active', 'retired'] "
        "WITH n, (n.accepted IS NOT NULL OR EXISTS { (n)-[:HELD_BY]->() }) "
        "AND NOT EXISTS { MATCH (n)-[:LINK]->(r:Relation) WHERE r.status <> 'active' } "
        "AND NOT n.id IN $severed AS holds "
        "WHERE (n.status = 'active') <> holds RETURN n.id ORDER BY n.id",
    ),
}
_ACCESS = """
MATCH (s:Source)-[of:CURRENT|VERSION]->(d:Document)
RETURN s.record, CASE WHEN type(of) = 'VERSION' THEN d.version END, d.class, d.valid_from, d.valid_to,
  d.bounded, d.gaps, d.tags ORDER BY s.id, d.id
"""


def faults(tx: ManagedTransaction) -> list[GraphFault]:
    """Everything that contradicts itself; see :meth:`storage.ports.GraphStore.faults`."""
    orphans = [
        GraphFault(kind="orphan", id=id_, what=what)
        for what, query in _ORPHANS.items()
        for (id_,) in fetch(tx, f"{query} RETURN n.id ORDER BY n.id")
    ]
    loose = [
        GraphFault(kind="orphan", id=id_, what=f"{count} pieces of evidence of a document that is not there")
        for id_, count in fetch(tx, f"{_LOOSE_EVIDENCE} RETURN v.document AS id, count(*) ORDER BY id")
    ]
    return [
        *orphans,
        *loose,
        *(
            GraphFault(kind="status", id=id_, what=what)
            for what, query in _UNEARNED.values()
            for (id_,) in fetch(tx, query, _severed(tx))
        ),
        *_mistaken(tx),
        *(GraphFault(kind="access", id=s.document_id, what="who may see it, and when, is not what its source says")
          for s in _misplaced(tx)),
        *(GraphFault(kind="edge", id=id_, what="its edges are not what its evidence says") for id_ in _misdrawn(tx)),
    ]  # fmt: skip


def mend(tx: ManagedTransaction) -> list[GraphFault]:
    """Put right what can be put right, in one transaction; what that was."""
    found = faults(tx)
    tx.run(f"{_LOOSE_EVIDENCE} DELETE v").consume()
    tx.run(
        f"MATCH (n:Document) WHERE {_BOTH} OPTIONAL MATCH (n)<-[v:VERSION]-(:Source) REMOVE n.version DELETE v"
    ).consume()
    tx.run(
        "MATCH (d:Document) WHERE NOT EXISTS { (d)<-[:CURRENT|VERSION]-(:Source) } "
        "OPTIONAL MATCH (c:Chunk)-[:PART_OF]->(d) DETACH DELETE c, d"
    ).consume()
    tx.run("MATCH (c:Chunk) WHERE NOT EXISTS { (c)-[:PART_OF]->(:Document) } DETACH DELETE c").consume()
    silent = {"ids": [fault.id for fault in found if fault.kind == "identity" and fault.mendable]}
    tx.run("UNWIND $ids AS id MATCH (:Statement {id: id})-[i:INDEXED_BY]->() DELETE i", silent).consume()
    tx.run("UNWIND $ids AS id MATCH (s:Statement {id: id}) REMOVE s.terms", silent).consume()
    update_sources(tx, _misplaced(tx))
    refresh_statements(tx, _ids(tx, "statement"), [fault.id for fault in found if fault.kind == "orphan"])
    relations = refresh_relations(tx, _ids(tx, "relation"))
    refresh_chains(tx, _ids(tx, "chain"), relations.ids)
    project(tx, _misdrawn(tx))
    left = {(fault.kind, fault.id) for fault in faults(tx)}
    return [fault for fault in found if (fault.kind, fault.id) not in left]


_KEYS = f"MATCH (s:Statement) WHERE s.terms IS NOT NULL RETURN s.id, {STATEMENT} ORDER BY s.id"
_EVIDENCE = """
UNWIND $ids AS id MATCH (d:Document {id: id})<-[:PART_OF*0..1]-(c)<-[v:EVIDENCED_BY]-(r:Relation)
RETURN id, r.id, properties(v)
"""


def _mistaken(tx: ManagedTransaction) -> Iterator[GraphFault]:
    """What is not what its id was made from."""
    for id_, found in fetch(tx, _KEYS):
        if _id_of(lambda found=found: statement_of(found)) != id_:  # type: ignore[misc]
            yield GraphFault(kind="identity", id=id_, what="a statement that is not what its id was made from")
    documents = [id_ for (id_,) in fetch(tx, "MATCH (d:Document) RETURN d.id ORDER BY d.id")]
    wrong: set[str] = set()
    for start in range(0, len(documents), _BATCH_DOCUMENTS):
        for document, relation, found in fetch(tx, _EVIDENCE, {"ids": documents[start : start + _BATCH_DOCUMENTS]}):
            if _id_of(lambda r=relation, found=found: evidence_of(r, found)) != found["id"]:  # type: ignore[misc]
                wrong.add(document)
    for document in sorted(wrong):
        what = "a piece of evidence has other offsets than its id was made from"
        yield GraphFault(kind="identity", id=document, what=what, mendable=False)


def _id_of(read: Callable[[], Statement | Evidence]) -> str | None:
    try:
        return read().id
    except (ValueError, TypeError, KeyError):
        return None  # nothing that could be read has such properties


def _ids(tx: ManagedTransaction, kind: str) -> list[str]:
    return [id_ for (id_,) in fetch(tx, _UNEARNED[kind][1], _severed(tx))]


def _severed(tx: ManagedTransaction) -> dict[str, list[str]]:
    return {"severed": sorted(severed_chains(tx))}


def _misplaced(tx: ManagedTransaction) -> list[Source]:
    """Versions of sources whose document is filtered by another class, other tags or another validity than theirs."""
    wrong = []
    for record, version, class_, start, end, bounded, gaps, tags in fetch(tx, _ACCESS):
        present = record_of(Source, record)
        kept = record_of(Source, version) if version is not None else present
        source = kept.model_copy(update={"groups": present.groups})
        found = {
            "class": class_,
            "valid_from": start,
            "valid_to": end,
            "gaps": gaps,
            "bounded": bounded,
            "tags": sorted(tags or ()),
        }
        if found != access_of(source) or source != kept:
            wrong.append(source)
    return wrong


def _misdrawn(tx: ManagedTransaction) -> list[str]:
    """Relations whose edges are not those that their evidence gives."""
    wrong: set[str] = set()
    ids = [id_ for (id_,) in fetch(tx, "MATCH (r:Relation) RETURN r.id ORDER BY r.id")]
    for start in range(0, len(ids), _BATCH):
        batch = ids[start : start + _BATCH]
        due = {
            (name, edge["head"], edge["tail"], *_props(edge["props"]))
            for name, edges in due_edges(tx, batch).items()
            for edge in edges
        }
        wrong.update(edge[3] for edge in due ^ set(_drawn(tx, batch)))
    return sorted(wrong)


def _drawn(tx: ManagedTransaction, relations: list[str]) -> Iterator[tuple[Any, ...]]:
    for name in EDGE_TYPES.values():
        query = (
            f"UNWIND $ids AS id MATCH (h:Statement)-[e:{name} {{relation: id}}]->(t:Statement) "
            "RETURN h.id, t.id, properties(e)"
        )
        for head, tail, props in fetch(tx, query, {"ids": relations}):
            yield name, head, tail, *_props(props)


def _props(props: dict[str, Any]) -> tuple[Any, ...]:
    return props["relation"], props["class"], round(props["confidence"], 9), bool(props["shared"])


__all__ = ["faults", "mend"]
