"""What the embedded graph store answers: records, and what is visible of them in a scope.

Every function takes a connection inside one read transaction, so that what it asks twice agrees.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence

from storage.belief import belief
from storage.embedded_rows import (
    CHUNK_COLUMNS,
    DOCUMENT_COLUMNS,
    EVIDENCE_COLUMNS,
    RELATION_COLUMNS,
    SOURCE_COLUMNS,
    STATEMENT_COLUMNS,
    Row,
    chunk_of,
    document_of,
    evidence_of,
    id_list,
    relation_of,
    source_of,
    statement_of,
)
from storage.embedded_scope import Sight, visibly
from storage.encoding import record_of
from storage.identity import check_prefix
from storage.ports import ChainView, RelationView, StatementView
from storage.records import (
    Chain,
    Chunk,
    Evidence,
    Mention,
    Record,
    SameAs,
    Source,
    Span,
    StatementKey,
    StoredDocument,
)
from storage.versions import by_place_and_time, by_source_and_time


def filled(template: str) -> str:
    """A template with its column lists and the visibility condition filled in."""
    for name, columns in (
        ("SOURCE_COLUMNS", SOURCE_COLUMNS),
        ("DOCUMENT_COLUMNS", DOCUMENT_COLUMNS),
        ("CHUNK_COLUMNS", CHUNK_COLUMNS),
        ("STATEMENT_COLUMNS", STATEMENT_COLUMNS),
        ("RELATION_COLUMNS", RELATION_COLUMNS),
        ("EVIDENCE_COLUMNS", EVIDENCE_COLUMNS),
    ):
        template = template.replace(name, columns)
    return visibly(template)


# --- documents -------------------------------------------------------------------------------------------------------

_SOURCES = filled("""
SELECT v.record, SOURCE_COLUMNS
FROM document AS d JOIN source AS s ON s.id = d.source LEFT JOIN version AS v ON v.document = d.id
WHERE (v.record IS NOT NULL OR d.id = s.document) AND VISIBLE
""")
_SOURCES_BY_ID = filled("""
SELECT v.record, SOURCE_COLUMNS FROM json_each(:ids) AS f
CROSS JOIN source AS s CROSS JOIN document AS d ON d.source = s.id LEFT JOIN version AS v ON v.document = d.id
WHERE s.id = f.value AND (v.record IS NOT NULL OR d.id = s.document) AND VISIBLE
""")
_DOCUMENTS = filled("""
SELECT d.id, DOCUMENT_COLUMNS FROM json_each(:ids) AS f CROSS JOIN document AS d CROSS JOIN document_record AS o
WHERE d.id = f.value AND o.id = d.id AND VISIBLE
""")
_CHUNKS = filled("""
SELECT CHUNK_COLUMNS FROM json_each(:ids) AS f CROSS JOIN document AS d CROSS JOIN chunk AS c
WHERE d.id = f.value AND c.document = d.id AND VISIBLE ORDER BY c.document, c.ordinal, c.start
""")


def sources(connection: sqlite3.Connection, ids: Sequence[str] | None, seen: Sight) -> list[Source]:
    """Visible sources by (namespace, path), each as it was with the version that is visible."""
    if ids is None:
        rows = connection.execute(_SOURCES, seen.parameters)
    else:
        rows = connection.execute(_SOURCES_BY_ID, {**seen.parameters, "ids": id_list(ids)})
    return sorted((version_of(row) for row in rows), key=by_place_and_time)


def version_of(row: Row) -> Source:
    """A source from the record of its older version, if the row is about one, and SOURCE_COLUMNS."""
    return source_of(row[1:]) if row[0] is None else record_of(Source, row[0])


def kept_versions(connection: sqlite3.Connection, source_ids: Sequence[str] | None) -> list[Source]:
    """Older versions of these sources, or of all, by source and time."""
    if source_ids is None:
        rows = connection.execute("SELECT record FROM version")
    else:
        query = "SELECT v.record FROM json_each(?) AS f CROSS JOIN version AS v WHERE v.source = f.value"
        rows = connection.execute(query, (id_list(source_ids),))
    return sorted((record_of(Source, record) for (record,) in rows), key=by_source_and_time)


def documents(connection: sqlite3.Connection, ids: Sequence[str], seen: Sight) -> dict[str, StoredDocument]:
    """Visible documents by id."""
    rows = connection.execute(_DOCUMENTS, {**seen.parameters, "ids": id_list(ids)})
    return {row[0]: document_of(row[1:]) for row in rows}


def chunks(connection: sqlite3.Connection, document_ids: Sequence[str], seen: Sight) -> dict[str, list[Chunk]]:
    """The chunks of visible documents, in order."""
    found: dict[str, list[Chunk]] = defaultdict(list)
    for row in connection.execute(_CHUNKS, {**seen.parameters, "ids": id_list(document_ids)}):
        found[row[0]].append(chunk_of(row))
    return dict(found)


# --- statements ------------------------------------------------------------------------------------------------------

# The subquery walks the mentions of one statement in order and stops at the first visible one.
_STATEMENTS = filled("""
SELECT s.id, STATEMENT_COLUMNS, m.text, m.document, m.start
FROM json_each(:ids) AS f CROSS JOIN statement AS s CROSS JOIN mention AS m
WHERE s.id = f.value AND s.terms IS NOT NULL AND m.statement = s.id AND (m.document, m.start, m.end) = (
  SELECT n.document, n.start, n.end FROM mention AS n CROSS JOIN document AS d
  WHERE n.statement = s.id AND d.id = n.document AND VISIBLE
  ORDER BY n.document, n.start, n.end LIMIT 1)
""")
_SHARING = filled("""
SELECT s.id, STATEMENT_COLUMNS FROM json_each(:terms) AS f CROSS JOIN statement_term AS t CROSS JOIN statement AS s
WHERE t.language = :language AND t.term = f.value AND s.id = t.statement AND s.terms IS NOT NULL ORDER BY s.id
""")
_KEYS = filled("""
SELECT s.id, STATEMENT_COLUMNS FROM json_each(:ids) AS f CROSS JOIN statement AS s
WHERE s.id = f.value AND s.terms IS NOT NULL
""")
_SAME_AS = """
SELECT first, second, score, origin
FROM json_each(:ids) AS f CROSS JOIN same_as WHERE first = f.value AND status = 'active'
UNION
SELECT first, second, score, origin
FROM json_each(:ids) AS f CROSS JOIN same_as WHERE second = f.value AND status = 'active'
"""
_VISIBLE_STATEMENTS = filled("""
SELECT f.value FROM json_each(:ids) AS f WHERE EXISTS (
  SELECT 1 FROM mention AS m CROSS JOIN document AS d WHERE m.statement = f.value AND d.id = m.document AND VISIBLE)
""")


def statements(connection: sqlite3.Connection, ids: Sequence[str], seen: Sight) -> dict[str, StatementView]:
    """Visible statements in the words of their first visible mention."""
    rows = connection.execute(_STATEMENTS, {**seen.parameters, "ids": id_list(ids)})
    return {
        id_: StatementView(statement=statement_of(tuple(key)), text=text, document_id=document, span_start=start)
        for id_, *key, text, document, start in rows
    }


def statements_sharing(connection: sqlite3.Connection, language: str, terms: Sequence[str]) -> list[StatementKey]:
    """Keys of active statements that are indexed under one of these blocking terms."""
    rows = connection.execute(_SHARING, {"language": language, "terms": id_list(terms)})
    return [statement_of(row[1:]).key for row in {row[0]: row for row in rows}.values()]


def statement_keys(connection: sqlite3.Connection, ids: Sequence[str]) -> dict[str, StatementKey]:
    """Keys of those of these statements that are active."""
    return {row[0]: statement_of(row[1:]).key for row in connection.execute(_KEYS, {"ids": id_list(ids)})}


def same_as(connection: sqlite3.Connection, statement_ids: Sequence[str], seen: Sight) -> list[SameAs]:
    """Links of these statements both of whose ends are visible."""
    links = connection.execute(_SAME_AS, {"ids": id_list(statement_ids)}).fetchall()
    ends = id_list(end for first, second, *_ in links for end in (first, second))
    shown = {id_ for (id_,) in connection.execute(_VISIBLE_STATEMENTS, {**seen.parameters, "ids": ends})}
    found = [
        SameAs(first=first, second=second, score=score, origin=origin)
        for first, second, score, origin in links
        if first in shown and second in shown
    ]
    return sorted(found, key=lambda s: (-s.score, s.first, s.second))


# --- relations and chains --------------------------------------------------------------------------------------------

_EVIDENCE = filled("""
SELECT EVIDENCE_COLUMNS
FROM json_each(:ids) AS f CROSS JOIN relation AS r CROSS JOIN evidence AS v CROSS JOIN document AS d
WHERE r.id = f.value AND r.status = 'active' AND v.relation = r.id AND d.id = v.document AND VISIBLE
""")
_RELATIONS = filled("""
SELECT r.id, RELATION_COLUMNS FROM json_each(:ids) AS f CROSS JOIN relation AS r
WHERE r.id = f.value AND r.status = 'active'
""")
_HELD = visibly("""EXISTS (
  SELECT 1 FROM chain_document AS m CROSS JOIN document AS d WHERE m.chain = c.id AND d.id = m.document AND VISIBLE)""")
"""That a visible document holds the chain ``c``: that another one does is not for the caller to know."""

_CHAIN_LINKS = """
SELECT c.id, l.relation, NOT c.held
FROM (SELECT c.id, c.accepted, HELD AS held FROM json_each(:ids) AS f CROSS JOIN chain AS c
  WHERE c.id = f.value AND c.status = 'active') AS c CROSS JOIN chain_link AS l
WHERE l.chain = c.id AND (c.held OR c.accepted) ORDER BY c.id, l.position
""".replace("HELD", _HELD)


def evidence(connection: sqlite3.Connection, relation_ids: Sequence[str], seen: Sight) -> dict[str, list[Evidence]]:
    """The visible evidence of active relations."""
    found: dict[str, list[Evidence]] = defaultdict(list)
    for row in connection.execute(_EVIDENCE, {**seen.parameters, "ids": id_list(relation_ids)}):
        found[row[0]].append(evidence_of(row))
    for items in found.values():
        items.sort(key=lambda e: (e.document_id, e.quote.start, e.id))
    return dict(found)


def relations(connection: sqlite3.Connection, ids: Sequence[str], seen: Sight) -> dict[str, RelationView]:
    """Active relations with the belief in their visible evidence."""
    proof = evidence(connection, ids, seen)
    rows = connection.execute(_RELATIONS, {"ids": id_list(proof)})
    return {row[0]: RelationView(relation=relation_of(row[1:]), belief=belief(proof[row[0]])) for row in rows}


def chains(connection: sqlite3.Connection, ids: Sequence[str], seen: Sight) -> dict[str, ChainView]:
    """Active chains of which every link is visible, and that a person accepted or a visible document holds."""
    found = _chains(connection.execute(_CHAIN_LINKS, {**seen.parameters, "ids": id_list(ids)}))
    links = relations(connection, [link for chain in found.values() for link in chain.relation_ids], seen)
    return {
        id_: ChainView(chain=chain, links=tuple(links[link] for link in chain.relation_ids))
        for id_, chain in found.items()
        if all(link in links for link in chain.relation_ids)
    }


def _chains(rows: sqlite3.Cursor) -> dict[str, Chain]:
    """Chains from rows (chain, relation, derived) in order of position."""
    links: dict[str, list[str]] = defaultdict(list)
    derived: dict[str, bool] = {}
    for chain, relation, is_derived in rows:
        links[chain].append(relation)
        derived[chain] = bool(is_derived)
    return {chain: Chain(relation_ids=tuple(links[chain]), derived=derived[chain]) for chain in links}


_ACCEPTED_LINKS = """
SELECT c.id, l.relation, NOT EXISTS (SELECT 1 FROM chain_document AS m WHERE m.chain = c.id)
FROM chain AS c CROSS JOIN chain_link AS l WHERE c.accepted = 1 AND l.chain = c.id ORDER BY c.id, l.position
"""


def accepted_chains(connection: sqlite3.Connection) -> list[tuple[Chain, str]]:
    """Chains that were accepted and not withdrawn, with their status, by id."""
    found = _chains(connection.execute(_ACCEPTED_LINKS))
    status = dict(connection.execute("SELECT id, status FROM chain WHERE accepted = 1"))
    return [(chain, status[id_]) for id_, chain in sorted(found.items())]


# --- everything ------------------------------------------------------------------------------------------------------

_STARTING = {
    "src": visibly("""SELECT DISTINCT d.source FROM document AS d
WHERE d.source >= :low AND d.source < :high AND VISIBLE
ORDER BY d.source LIMIT :limit"""),
    "doc": visibly("""SELECT d.id FROM document AS d WHERE d.id >= :low AND d.id < :high AND VISIBLE
ORDER BY d.id LIMIT :limit"""),
    "stm": visibly("""SELECT s.id FROM statement AS s WHERE s.id >= :low AND s.id < :high AND EXISTS (
  SELECT 1 FROM mention AS m CROSS JOIN document AS d WHERE m.statement = s.id AND d.id = m.document AND VISIBLE)
ORDER BY s.id LIMIT :limit"""),
    "rel": visibly("""SELECT r.id FROM relation AS r WHERE r.id >= :low AND r.id < :high AND r.status = 'active'
AND EXISTS (
  SELECT 1 FROM evidence AS v CROSS JOIN document AS d WHERE v.relation = r.id AND d.id = v.document AND VISIBLE)
ORDER BY r.id LIMIT :limit"""),
    "chn": visibly(
        """SELECT c.id FROM chain AS c WHERE c.id >= :low AND c.id < :high AND c.status = 'active'
AND (c.accepted OR HELD) AND NOT EXISTS (
  SELECT 1 FROM chain_link AS l CROSS JOIN relation AS r WHERE l.chain = c.id AND r.id = l.relation
  AND NOT (r.status = 'active' AND EXISTS (SELECT 1 FROM evidence AS v CROSS JOIN document AS d
    WHERE v.relation = r.id AND d.id = v.document AND VISIBLE)))
ORDER BY c.id LIMIT :limit""".replace("HELD", _HELD)
    ),
    "prp": "SELECT id FROM proposal WHERE :owner AND id >= :low AND id < :high ORDER BY id LIMIT :limit",
}


def ids_starting(connection: sqlite3.Connection, prefix: str, seen: Sight, *, limit: int) -> list[str]:
    """Visible ids that start with ``prefix``, ascending; raises UsageError if it does not look like part of an id."""
    low, high = check_prefix(prefix)
    sql = _STARTING.get(prefix[:3])
    if sql is None or limit <= 0:
        return []
    rows = connection.execute(sql, {**seen.parameters, "low": low, "high": high, "limit": limit})
    return [id_ for (id_,) in rows]


_ALL_EVIDENCE = filled("SELECT EVIDENCE_COLUMNS FROM evidence AS v JOIN relation AS r ON r.id = v.relation "
                     "WHERE r.status = 'active'")  # fmt: skip
_ALL_LINKS = """
SELECT c.id, l.relation, NOT EXISTS (SELECT 1 FROM chain_document AS m WHERE m.chain = c.id)
FROM chain AS c CROSS JOIN chain_link AS l WHERE c.status = 'active' AND l.chain = c.id ORDER BY c.id, l.position
"""


def records(connection: sqlite3.Connection) -> Iterator[Record]:
    """Every active record."""
    for row in connection.execute(filled("SELECT SOURCE_COLUMNS FROM source AS s")):
        yield source_of(row)
    yield from kept_versions(connection, None)
    for row in connection.execute(
        filled("SELECT DOCUMENT_COLUMNS FROM document AS d JOIN document_record AS o ON o.id = d.id")
    ):
        yield document_of(row)
    for row in connection.execute(filled("SELECT CHUNK_COLUMNS FROM chunk AS c")):
        yield chunk_of(row)
    for row in connection.execute(filled("SELECT STATEMENT_COLUMNS FROM statement AS s WHERE s.terms IS NOT NULL")):
        yield statement_of(row)
    for statement, document, start, end, text in connection.execute(
        "SELECT statement, document, start, end, text FROM mention"
    ):
        yield Mention(statement_id=statement, document_id=document, span=Span(start=start, end=end), text=text)
    for row in connection.execute(filled("SELECT RELATION_COLUMNS FROM relation AS r WHERE r.status = 'active'")):
        yield relation_of(row)
    for row in connection.execute(_ALL_EVIDENCE):
        yield evidence_of(row)
    yield from _chains(connection.execute(_ALL_LINKS)).values()


__all__ = [
    "accepted_chains",
    "chains",
    "chunks",
    "documents",
    "evidence",
    "filled",
    "ids_starting",
    "kept_versions",
    "records",
    "relations",
    "same_as",
    "sources",
    "statement_keys",
    "statements",
    "statements_sharing",
    "version_of",
]
