"""What another graph store needs to become a copy of the Neo4j one, and how this one becomes a copy."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from storage import neo4j_ledger, neo4j_verdicts
from storage.encoding import record_of
from storage.neo4j_database import fetch
from storage.neo4j_rows import (
    RELATION,
    STATEMENT,
    evidence_of,
    mention_of,
    readable,
    relation_node,
    relation_of,
    statement_of,
)
from storage.neo4j_scope import known
from storage.neo4j_truth import refresh_chains, refresh_relations
from storage.neo4j_walk import project
from storage.neo4j_write import PUT_RELATIONS, link, put, put_classes
from storage.ports import DocumentGraph, HeldChain, HeldRelation, Residue, RetiredStatement
from storage.records import AccessClass, Chain, Chunk, SameAs, Source, StoredDocument
from storage.versions import by_source_and_time

if TYPE_CHECKING:
    from neo4j import ManagedTransaction

_OF_DOCUMENTS = "UNWIND $ids AS id MATCH (d:Document {id: id})"
_RECORDS = f"{_OF_DOCUMENTS}<-[:CURRENT|VERSION]-(s:Source) RETURN s.record, d.version, d.record"
_CHUNKS = f"{_OF_DOCUMENTS}<-[:PART_OF]-(c:Chunk) RETURN id, c.record ORDER BY id, c.ordinal, c.start"
_MENTIONS = f"""
{_OF_DOCUMENTS}<-[m:MENTIONED_IN]-(s:Statement)
RETURN id, s.id, {STATEMENT}, m.start, m.end, m.text ORDER BY id, m.start, m.end, s.id
"""
_EVIDENCE = f"""
{_OF_DOCUMENTS}<-[:PART_OF*0..1]-(c)<-[v:EVIDENCED_BY]-(r:Relation)
RETURN id, r.id, {RELATION}, properties(v) ORDER BY id, v.id
"""
_CHAINS = f"{_OF_DOCUMENTS}<-[:HELD_BY]-(c:Chain) RETURN id, c.links ORDER BY id, c.id"
_ENDS = f"UNWIND $ids AS id MATCH (s:Statement {{id: id}}) WHERE s.terms IS NOT NULL RETURN id, {STATEMENT}"


_SOURCES_ALL = "MATCH (s:Source) RETURN s.record ORDER BY s.id"
_SOURCES_AT = "UNWIND $paths AS path MATCH (s:Source {path: path}) RETURN s.record ORDER BY s.id"


def every_source(tx: ManagedTransaction, paths: Sequence[str] | None = None) -> list[Source]:
    """All sources, or those with one of these paths, by id."""
    if paths is None:
        rows = fetch(tx, _SOURCES_ALL)
    else:  # of two paths that are shown alike, only one may be meant
        rows = fetch(tx, _SOURCES_AT, {"paths": sorted({readable(path) for path in paths})})
    sources = [record_of(Source, record) for (record,) in rows]
    return sources if paths is None else [source for source in sources if source.path in paths]


def document_graphs(tx: ManagedTransaction, document_ids: Sequence[str]) -> list[DocumentGraph]:
    """All that these documents contribute, by source id; the present version of a source before older ones."""
    ids = {"ids": known(document_ids)}

    def grouped(query: str) -> dict[str, list[list[Any]]]:
        found: dict[str, list[list[Any]]] = defaultdict(list)
        for id_, *row in fetch(tx, query, ids):
            found[id_].append(row)
        return found

    chunks, mentions, evidence, chains = map(grouped, (_CHUNKS, _MENTIONS, _EVIDENCE, _CHAINS))
    ends = {end for rows in evidence.values() for row in rows for end in (row[1]["head"], row[1]["tail"])}
    statements = {id_: statement_of(key) for id_, key in fetch(tx, _ENDS, {"ids": sorted(ends)})}
    graphs = []
    for source_record, version, document_record in fetch(tx, _RECORDS, ids):
        source = record_of(Source, version or source_record)
        id_ = source.document_id
        relations = {row[0]: relation_of(row[1]) for row in evidence[id_]}
        said = {row[0]: statement_of(row[1]) for row in mentions[id_]}
        said |= {end: statements[end] for r in relations.values() for end in (r.head, r.tail) if end in statements}
        graphs.append(
            DocumentGraph(
                source=source,
                current=version is None,
                document=record_of(StoredDocument, document_record),
                chunks=tuple(record_of(Chunk, record) for (record,) in chunks[id_]),
                statements=tuple(statement for _, statement in sorted(said.items())),
                mentions=tuple(mention_of(s, id_, start, end, text) for s, _, start, end, text in mentions[id_]),
                relations=tuple(relation for _, relation in sorted(relations.items())),
                evidence=tuple(evidence_of(relation, found) for relation, _, found in evidence[id_]),
                chains=tuple(Chain(relation_ids=tuple(links)) for (links,) in chains[id_]),
            )
        )
    return sorted(graphs, key=lambda g: (g.source.id, not g.current, by_source_and_time(g.source)))


def residue(tx: ManagedTransaction) -> Residue:
    """What there is besides the documents, each part sorted."""
    return Residue(
        classes=tuple(
            AccessClass(rule=json.loads(rule))
            for (rule,) in fetch(tx, "MATCH (a:AccessClass) RETURN a.rule ORDER BY a.id")
        ),
        statements=tuple(
            RetiredStatement.model_validate({name: value for name, value in found.items() if value is not None})
            for (found,) in fetch(
                tx,
                "MATCH (s:Statement) WHERE s.terms IS NULL AND s.language IS NOT NULL "
                "RETURN s{.id, .language, .direction, .negated} ORDER BY s.id",
            )
        ),
        relations=tuple(
            HeldRelation(relation=relation_of(found), status=status)
            for found, status in fetch(
                tx, f"MATCH (r:Relation) WHERE r.status <> 'active' RETURN {RELATION}, r.status ORDER BY r.id"
            )
        ),
        chains=tuple(
            HeldChain(relation_ids=tuple(links), status=status, accepted=accepted)
            for links, status, accepted in fetch(
                tx,
                "MATCH (c:Chain) WHERE c.accepted OR c.status <> 'active' "
                "RETURN c.links, c.status, c.accepted IS NOT NULL ORDER BY c.id",
            )
        ),
        same_as=tuple(
            SameAs(first=first, second=second, score=score, origin=origin)
            for first, second, score, origin in fetch(
                tx,
                "MATCH (f:Statement)-[a:SAME_AS]->(s:Statement) "
                "RETURN f.id, s.id, a.score, a.origin ORDER BY f.id, s.id",
            )
        ),
        rejected_links=tuple(h.link.id for h in neo4j_verdicts.rejected(tx, None).links),
        proposals=tuple(neo4j_ledger.proposals(tx, None)),
        ledger=tuple(neo4j_ledger.ledger(tx)),
        receipts=tuple(neo4j_ledger.receipts(tx)),
        failures=tuple(neo4j_ledger.failures(tx)),
    )


def adopt(tx: ManagedTransaction, found: Residue) -> None:
    """Put the residue of another store in the place of one's own."""
    put_classes(tx, found.classes)
    put(
        tx,
        "UNWIND $rows AS row MERGE (s:Statement {id: row.id}) ON CREATE SET s = row",
        [statement.model_dump(mode="json") for statement in found.statements],
    )
    # Links before chains, since a chain that crosses a rejected one does not hold.
    tx.run("MATCH (:Statement)-[a:SAME_AS]->(:Statement) DELETE a").consume()
    link(tx, found.same_as)
    neo4j_verdicts.reject_links(tx, found.rejected_links)
    _adopt_relations(tx, found.relations)
    _adopt_chains(tx, found.chains)
    tx.run("MATCH (n) WHERE n:Proposal OR n:LedgerEntry OR n:Receipt OR n:Failure DELETE n").consume()
    neo4j_ledger.put_proposals(tx, found.proposals)
    tx.run("MATCH (w:ClewStore {id: 'writer'}) REMOVE w.entries, w.last_hash").consume()
    for entry in found.ledger:
        neo4j_ledger.put_entry(tx, entry)
    neo4j_ledger.put_receipts(tx, found.receipts)
    neo4j_ledger.record_failures(tx, found.failures, ())


def _adopt_relations(tx: ManagedTransaction, held: Sequence[HeldRelation]) -> None:
    """Verdicts are those of the other store; what has none there is as its evidence says."""
    rows = {h.relation.id: {**relation_node(h.relation), "status": h.status.value} for h in held}
    there = {
        id_ for (id_,) in fetch(tx, "UNWIND $ids AS id MATCH (r:Relation {id: id}) RETURN id", {"ids": sorted(rows)})
    }
    put(tx, PUT_RELATIONS, [row for id_, row in sorted(rows.items()) if id_ not in there], all_of="relation")
    query = "MATCH (r:Relation) WHERE NOT r.status IN ['active', 'retired'] RETURN r.id"
    freed = sorted({id_ for (id_,) in fetch(tx, query)}.difference(rows))
    statuses = [{"id": id_, "status": row["status"]} for id_, row in sorted(rows.items())]
    statuses += [{"id": id_, "status": "retired"} for id_ in freed]
    put(tx, "UNWIND $rows AS row MATCH (r:Relation {id: row.id}) SET r.status = row.status", statuses)
    changed = [row["id"] for row in statuses]
    refresh_relations(tx, changed)
    project(tx, changed)
    refresh_chains(tx, (), changed)


def _adopt_chains(tx: ManagedTransaction, held: Sequence[HeldChain]) -> None:
    ids = neo4j_ledger.put_chains(tx, [Chain(relation_ids=h.relation_ids) for h in held])
    query = "MATCH (c:Chain) WHERE c.accepted OR NOT c.status IN ['active', 'retired'] RETURN c.id"
    freed = sorted({id_ for (id_,) in fetch(tx, query)}.difference(ids))
    rows = [
        {"id": Chain(relation_ids=h.relation_ids).id, "accepted": h.accepted or None, "status": h.status.value}
        for h in held
    ]
    rows += [{"id": id_, "accepted": None, "status": "retired"} for id_ in freed]
    put(
        tx,
        "UNWIND $rows AS row MATCH (c:Chain {id: row.id}) SET c.status = row.status, c.accepted = row.accepted",
        rows,
    )
    refresh_chains(tx, [*ids, *freed], ())


__all__ = ["adopt", "document_graphs", "every_source", "residue"]
