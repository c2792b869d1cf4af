"""How documents enter and leave the Neo4j graph store: one transaction per change.

Every function takes a transaction that holds the writer's lock. Rows go in batches, sorted by key.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from storage.encoding import record_json, record_of, to_json
from storage.errors import NotFoundError, StoreError, UsageError
from storage.neo4j_database import fetch
from storage.neo4j_ledger import documents_of, mark_committed, note_change, put_chains
from storage.neo4j_read import term_key
from storage.neo4j_rows import (
    Properties,
    access_of,
    chunk_node,
    document_node,
    evidence_props,
    mention_row,
    readable,
    relation_node,
    source_node,
    statement_node,
)
from storage.neo4j_truth import refresh_chains, refresh_relations, refresh_statements
from storage.neo4j_walk import project
from storage.ports import Change, ChangeReceipt, DocumentGraph
from storage.records import AccessClass, Chunk, Evidence, Mention, Relation, SameAs, Source, Statement
from storage.similarity import blocking_terms
from storage.truth import Touched
from storage.versions import placed

if TYPE_CHECKING:
    from neo4j import ManagedTransaction

BATCH = 5_000
"""Rows of one UNWIND."""


def commit(tx: ManagedTransaction, change: Change) -> ChangeReceipt:
    """Do all of a change; see :meth:`storage.ports.GraphStore.commit`."""
    mark_committed(tx, change.intent_id)
    adds = placed(change.adds)
    present = {graph.source.id for graph in adds if graph.current}
    gone = sorted(set(change.removes) - present)
    removed = documents_of(tx, gone)
    kept = [source for source in change.keeps if source.id not in gone]
    going = _going(tx, change, adds, gone)
    touched = Touched()
    removed_chunks, removed_evidence = _remove_documents(tx, going, touched)
    _make_older(tx, [source for source in kept if source.id in present])
    new = _add_documents(tx, adds, touched)
    moved = _put_versions(tx, kept) + _follow_groups(tx, present.union(source.id for source in kept))
    touched.relations.update(_proven_by(tx, moved))
    tx.run("UNWIND $ids AS id MATCH (s:Source {id: id}) DETACH DELETE s", {"ids": gone}).consume()
    link(tx, change.same_as)
    statements = refresh_statements(tx, touched.statements, going)
    relations = refresh_relations(tx, touched.relations)
    project(tx, touched.relations, new=new)
    chains = refresh_chains(tx, touched.chains, relations.ids)
    went = ChangeReceipt(
        chunks=tuple(sorted(removed_chunks - {c.id for g in adds for c in g.chunks})),
        evidence=tuple(sorted(removed_evidence - {e.id for g in adds for e in g.evidence})),
        relations=relations.retired,
        statements=statements,
        chains=chains.retired,
        restored=chains.accepted_restored,
    )
    return note_change(tx, change, went, removed, chains)


_OLDER = """
MATCH (s:Source)-[:VERSION]->(d:Document) WHERE s.id IN $gone OR d.id IN $drops RETURN d.id
"""
_THERE = "UNWIND $ids AS id MATCH (d:Document {id: id}) RETURN id"


def _going(tx: ManagedTransaction, change: Change, adds: Sequence[DocumentGraph], gone: Sequence[str]) -> list[str]:
    """Documents of which all is taken out, those that are then put in anew among them."""
    was = _current_documents(tx, [*(graph.source.id for graph in adds if graph.current), *gone])
    stay = {source.document_id for source in change.keeps if source.id not in gone}
    found = set(was.values()) - stay
    found |= {id_ for (id_,) in fetch(tx, _THERE, {"ids": sorted({g.source.document_id for g in adds})})}
    if gone or change.drops:
        found |= {id_ for (id_,) in fetch(tx, _OLDER, {"gone": list(gone), "drops": list(change.drops)})}
    return sorted(found)


def _current_documents(tx: ManagedTransaction, source_ids: Iterable[str]) -> dict[str, str]:
    query = "UNWIND $ids AS id MATCH (:Source {id: id})-[:CURRENT]->(d:Document) RETURN id, d.id"
    return {row[0]: row[1] for row in fetch(tx, query, {"ids": sorted(set(source_ids))})}


# --- out -------------------------------------------------------------------------------------------------------------

_CHUNKS_OF = "UNWIND $ids AS id MATCH (c:Chunk)-[:PART_OF]->(:Document {id: id}) RETURN c.id"
_EVIDENCE_OF = """
UNWIND $ids AS id MATCH (:Document {id: id})<-[:PART_OF*0..1]-(c)<-[v:EVIDENCED_BY]-(r:Relation) RETURN r.id, v.id
"""
_STATEMENTS_OF = "UNWIND $ids AS id MATCH (:Document {id: id})<-[:MENTIONED_IN]-(s:Statement) RETURN DISTINCT s.id"
_CHAINS_OF = "UNWIND $ids AS id MATCH (:Document {id: id})<-[:HELD_BY]-(c:Chain) RETURN DISTINCT c.id"
_DELETE = """
UNWIND $ids AS id MATCH (d:Document {id: id}) OPTIONAL MATCH (c:Chunk)-[:PART_OF]->(d) DETACH DELETE c, d
"""


def _remove_documents(tx: ManagedTransaction, documents: Sequence[str], touched: Touched) -> tuple[set[str], set[str]]:
    """Delete all of these documents but their sources; the ids of the chunks and evidence removed."""
    if not documents:
        return set(), set()
    ids = {"ids": list(documents)}
    chunks = {id_ for (id_,) in fetch(tx, _CHUNKS_OF, ids)}
    evidence = set()
    for relation, id_ in fetch(tx, _EVIDENCE_OF, ids):
        touched.relations.add(relation)
        evidence.add(id_)
    touched.statements.update(id_ for (id_,) in fetch(tx, _STATEMENTS_OF, ids))
    touched.chains.update(id_ for (id_,) in fetch(tx, _CHAINS_OF, ids))
    tx.run(_DELETE, ids).consume()
    return chunks, evidence


# --- in --------------------------------------------------------------------------------------------------------------

_PUT_CLASSES = "UNWIND $rows AS row MERGE (a:AccessClass {id: row.id}) ON CREATE SET a = row"

_PUT_SOURCES = "UNWIND $rows AS row MERGE (s:Source {id: row.id}) SET s = row"
_PUT_DOCUMENTS = """
UNWIND $rows AS row MATCH (s:Source {id: row.source}) CREATE (d:Document) SET d = row.props CREATE (s)-[:CURRENT]->(d)
RETURN count(*)
"""
_PUT_OLDER = _PUT_DOCUMENTS.replace("[:CURRENT]", "[:VERSION]").replace(
    "SET d = row.props", "SET d = row.props, d.version = row.version"
)
_PUT_CHUNKS = """
UNWIND $rows AS row MATCH (d:Document {id: row.document}) CREATE (c:Chunk) SET c = row CREATE (c)-[:PART_OF]->(d)
RETURN count(*)
"""
_PUT_STATEMENTS = "UNWIND $rows AS row MERGE (s:Statement {id: row.id}) SET s += row"
_PUT_TERMS = """
UNWIND $rows AS row MATCH (s:Statement {id: row.statement}) MERGE (t:Term {key: row.key}) CREATE (s)-[:INDEXED_BY]->(t)
"""
_PUT_MENTIONS = """
UNWIND $rows AS row MATCH (s:Statement {id: row.statement}) MATCH (d:Document {id: row.document})
CREATE (s)-[m:MENTIONED_IN]->(d) SET m = row.props RETURN count(*)
"""
_NAME = """
UNWIND $rows AS row MATCH (s:Statement {id: row.statement})
WHERE s.named_in IS NULL OR row.document < s.named_in OR (row.document = s.named_in AND row.start < s.named_at)
SET s.name = row.text, s.named_in = row.document, s.named_at = row.start
"""
PUT_RELATIONS = """
UNWIND $rows AS row MATCH (h:Statement {id: row.head}) MATCH (t:Statement {id: row.tail})
CREATE (r:Relation) SET r = row CREATE (r)-[:HEAD]->(h) CREATE (r)-[:TAIL]->(t) RETURN count(*)
"""
_PUT_EVIDENCE = """
UNWIND $rows AS row MATCH (r:Relation {id: row.relation}) MATCH (c:Chunk {id: row.place})
CREATE (r)-[v:EVIDENCED_BY]->(c) SET v = row.props RETURN count(*)
"""
_PUT_LOOSE_EVIDENCE = _PUT_EVIDENCE.replace("c:Chunk", "c:Document")
_HOLD = """
UNWIND $rows AS row MATCH (c:Chain {id: row.chain}) MATCH (d:Document {id: row.document}) CREATE (c)-[:HELD_BY]->(d)
"""


def _add_documents(tx: ManagedTransaction, graphs: Sequence[DocumentGraph], touched: Touched) -> set[str]:
    """Insert all of these documents; the ids of relations that were not there before."""
    put_classes(tx, [AccessClass.of([graph.source.groups]) for graph in graphs])
    sources = {graph.source.id: graph.source for graph in graphs if graph.current}
    put(tx, _PUT_SOURCES, [source_node(source) for _, source in sorted(sources.items())])
    for current, query in ((True, _PUT_DOCUMENTS), (False, _PUT_OLDER)):
        documents = [
            {"source": g.source.id, "props": document_node(g.document, g.source), "version": record_json(g.source)}
            for g in sorted(graphs, key=lambda g: g.source.document_id)
            if g.current is current
        ]
        put(tx, query, documents, all_of="document")
    chunks = {chunk.id: chunk for graph in graphs for chunk in reversed(graph.chunks)}
    put(tx, _PUT_CHUNKS, [chunk_node(chunk) for _, chunk in sorted(chunks.items())], all_of="chunk")
    statements = {s.id: s for graph in graphs for s in graph.statements}
    _put_statements(tx, statements)
    _put_mentions(tx, [mention for graph in graphs for mention in graph.mentions])
    relations = {r.id: r for graph in graphs for r in graph.relations}
    new = _put_relations(tx, relations)
    evidence = {e.id: e for graph in graphs for e in reversed(graph.evidence)}
    _put_evidence(tx, evidence, chunks.values())
    put_chains(tx, [chain for graph in graphs for chain in graph.chains])
    held = sorted({(chain.id, graph.document.id) for graph in graphs for chain in graph.chains})
    put(tx, _HOLD, [{"chain": chain, "document": document} for chain, document in held])
    touched.statements.update(statements)
    touched.relations.update(relations, (e.relation_id for e in evidence.values()))
    touched.chains.update(chain for chain, _ in held)
    return new


def put_classes(tx: ManagedTransaction, classes: Iterable[AccessClass]) -> None:
    """Intern access rules; those known are left alone."""
    rows = {
        access.id: {"id": access.id, "rule": to_json(access.rule), "name": readable(_in_words(access))}
        for access in classes
    }
    put(tx, _PUT_CLASSES, [row for _, row in sorted(rows.items())])


def _in_words(access: AccessClass) -> str:
    return " and ".join(" or ".join(groups) or "nobody" for groups in access.rule) or "everybody"


def _put_statements(tx: ManagedTransaction, statements: Mapping[str, Statement]) -> None:
    """Insert statements, or give retired ones their words back."""
    query = "UNWIND $ids AS id MATCH (s:Statement {id: id}) WHERE s.terms IS NOT NULL RETURN id"
    speaking = {id_ for (id_,) in fetch(tx, query, {"ids": sorted(statements)})}
    new = {id_: statement for id_, statement in sorted(statements.items()) if id_ not in speaking}
    put(tx, _PUT_STATEMENTS, [statement_node(statement) for statement in new.values()])
    terms = {
        (term_key(statement.key.language, term), id_)
        for id_, statement in new.items()
        for term in blocking_terms(statement.key)
    }
    put(tx, _PUT_TERMS, [{"key": key, "statement": id_} for key, id_ in sorted(terms)])


def _put_mentions(tx: ManagedTransaction, mentions: Sequence[Mention]) -> None:
    places = {(m.statement_id, m.document_id, m.span.start, m.span.end): m for m in reversed(mentions)}
    ordered = [mention for _, mention in sorted(places.items())]
    put(tx, _PUT_MENTIONS, [mention_row(mention) for mention in ordered], all_of="mention")
    first: dict[str, Properties] = {}
    for mention in ordered:
        words = {"document": mention.document_id, "start": mention.span.start, "text": readable(mention.text)}
        first.setdefault(mention.statement_id, {"statement": mention.statement_id, **words})
    put(tx, _NAME, list(first.values()))


def _put_relations(tx: ManagedTransaction, relations: Mapping[str, Relation]) -> set[str]:
    query = "UNWIND $ids AS id MATCH (r:Relation {id: id}) RETURN id"
    there = {id_ for (id_,) in fetch(tx, query, {"ids": sorted(relations)})}
    # New ones begin as retired: refresh_relations activates those that have evidence.
    new = {id_: relation for id_, relation in sorted(relations.items()) if id_ not in there}
    put(tx, PUT_RELATIONS, [relation_node(relation) for relation in new.values()], all_of="relation")
    return set(new)


def _put_evidence(tx: ManagedTransaction, evidence: Mapping[str, Evidence], chunks: Iterable[Chunk]) -> None:
    """Evidence hangs on the chunk in which its quote begins, or on the document where no chunk holds that."""
    by_document: dict[str, list[Chunk]] = {}
    for chunk in sorted(chunks, key=lambda c: (c.start, c.end)):
        by_document.setdefault(chunk.document_id, []).append(chunk)
    in_chunks: list[Properties] = []
    loose: list[Properties] = []
    for _, item in sorted(evidence.items()):
        start = item.quote.start
        place = next((c.id for c in by_document.get(item.document_id, ()) if c.start <= start < c.end), None)
        row = {"relation": item.relation_id, "place": place or item.document_id, "props": evidence_props(item)}
        (in_chunks if place else loose).append(row)
    put(tx, _PUT_EVIDENCE, in_chunks, all_of="piece of evidence")
    put(tx, _PUT_LOOSE_EVIDENCE, loose, all_of="piece of evidence")


_LINK = """
UNWIND $rows AS row MERGE (f:Statement {id: row.first}) MERGE (s:Statement {id: row.second}) MERGE (f)-[a:SAME_AS]->(s)
SET a.score = row.score, a.origin = row.origin
"""


def link(tx: ManagedTransaction, links: Sequence[SameAs]) -> None:
    """Store similarity links in the place of older ones between the same statements."""
    rows = {(link.first, link.second): link.model_dump() for link in links}
    put(tx, _LINK, [row for _, row in sorted(rows.items())])


def put(tx: ManagedTransaction, query: str, rows: Sequence[Properties], *, all_of: str = "") -> None:
    """Run a query over rows in batches; with ``all_of`` it must answer that it did something for each."""
    for batch in _batches(rows):
        done = fetch(tx, query, {"rows": batch})
        if all_of and done[0][0] != len(batch):
            raise StoreError(f"a {all_of} names something that is not in the store; nothing of this step was kept.")


def _batches(rows: Sequence[Any]) -> Iterator[list[Any]]:
    iterator = iter(rows)
    while batch := list(islice(iterator, BATCH)):
        yield batch


# --- sources that change without being read again --------------------------------------------------------------------

_PUT_ACCESS = """
UNWIND $rows AS row MATCH (d:Document {id: row.id}) WITH row, d, d.class AS before SET d += row.props
WITH row, before WHERE before <> row.props.class RETURN row.id
"""
_PROVEN_BY = """
UNWIND $ids AS id MATCH (:Document {id: id})<-[:PART_OF*0..1]-(c)<-[:EVIDENCED_BY]-(r:Relation) RETURN DISTINCT r.id
"""


_MAKE_OLDER = """
UNWIND $rows AS row MATCH (s:Source {id: row.source})-[c:CURRENT]->(d:Document {id: row.id})
SET d.version = row.version DELETE c CREATE (s)-[:VERSION]->(d)
"""
_PUT_VERSION = """
UNWIND $rows AS row MATCH (:Source {id: row.source})-[:VERSION]->(d:Document {id: row.id}) SET d.version = row.version
"""
_VERSIONS = """
UNWIND $ids AS id MATCH (s:Source {id: id})-[c:CURRENT|VERSION]->(d:Document) RETURN id, d.id, type(c) = 'CURRENT'
"""
_FOLLOWING = """
UNWIND $ids AS id MATCH (s:Source {id: id})-[:VERSION]->(d:Document) RETURN s.record, d.version
"""


def update_sources(tx: ManagedTransaction, sources: Sequence[Source]) -> None:
    """Store what may change about a source or an older version of it without reading its document again."""
    moved = _put_versions(tx, sources)
    moved += _follow_groups(tx, {source.id for source in sources})
    project(tx, _proven_by(tx, moved))


def _make_older(tx: ManagedTransaction, sources: Sequence[Source]) -> None:
    """Let documents that are the present ones be older versions, since others take their place."""
    put(tx, _MAKE_OLDER, [_version_row(source) for source in sources])


def _put_versions(tx: ManagedTransaction, sources: Sequence[Source]) -> list[str]:
    """Store what sources, or older versions of them, are from now on; documents that got another access class."""
    if not sources:
        return []
    ids = sorted({source.id for source in sources})
    there = {(row[0], row[1]): row[2] for row in fetch(tx, _VERSIONS, {"ids": ids})}
    known_sources = {source_id for source_id, _ in there}
    for source in sources:
        if source.id not in known_sources:
            raise NotFoundError(f"source {source.id} ({source.path}) is not in the store. Ingest it first.")
        if (source.id, source.document_id) not in there:
            raise UsageError(f"source {source.id} ({source.path}) cannot change its document without being ingested.")
    last = [source for _, source in sorted({source.document_id: source for source in sources}.items())]
    put_classes(tx, [AccessClass.of([source.groups]) for source in last])
    put(tx, _PUT_SOURCES, [source_node(source) for source in last if there[source.id, source.document_id]])
    older = [source for source in last if not there[source.id, source.document_id]]
    put(tx, _PUT_VERSION, [_version_row(source) for source in older])
    rows = [{"id": source.document_id, "props": access_of(source)} for source in last]
    return sorted(id_ for (id_,) in fetch(tx, _PUT_ACCESS, {"rows": rows}))


def _follow_groups(tx: ManagedTransaction, source_ids: Iterable[str]) -> list[str]:
    """Give older versions the groups that their source has now; documents that got another access class."""
    changed = []
    for record, version in fetch(tx, _FOLLOWING, {"ids": sorted(source_ids)}):
        groups, kept = record_of(Source, record).groups, record_of(Source, version)
        if kept.groups != groups:
            changed.append(kept.model_copy(update={"groups": groups}))
    return _put_versions(tx, changed)


def _version_row(source: Source) -> Properties:
    return {"source": source.id, "id": source.document_id, "version": record_json(source)}


def _proven_by(tx: ManagedTransaction, documents: Sequence[str]) -> list[str]:
    """The relations of which these documents hold evidence."""
    return [id_ for (id_,) in fetch(tx, _PROVEN_BY, {"ids": sorted(documents)})] if documents else []


__all__ = ["PUT_RELATIONS", "commit", "link", "put", "put_classes", "update_sources"]
