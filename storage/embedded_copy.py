"""What another graph store needs to become a copy of the embedded one, and how this one becomes a copy."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from storage import embedded_ledger, embedded_verdicts
from storage.embedded_read import filled, version_of
from storage.embedded_rows import (
    chunk_of,
    document_of,
    evidence_of,
    id_list,
    relation_of,
    source_of,
    statement_of,
)
from storage.embedded_truth import refresh_chains, refresh_relations
from storage.embedded_walk import project
from storage.embedded_write import link, put_classes
from storage.encoding import from_text, record_json, to_text
from storage.ports import DocumentGraph, HeldChain, HeldRelation, Residue, RetiredStatement
from storage.records import AccessClass, Chain, Mention, SameAs, Source, Span
from storage.versions import by_source_and_time

_OF_DOCUMENTS = "FROM json_each(:ids) AS f CROSS JOIN"
_SOURCES = filled(f"SELECT v.record, SOURCE_COLUMNS {_OF_DOCUMENTS} document AS d JOIN source AS s ON s.id = d.source "
                  "LEFT JOIN version AS v ON v.document = d.id "
                  "WHERE d.id = f.value AND (v.record IS NOT NULL OR d.id = s.document)")  # fmt: skip
_DOCUMENTS = filled(f"SELECT d.id, DOCUMENT_COLUMNS {_OF_DOCUMENTS} document AS d JOIN document_record AS o "
                    "ON o.id = d.id WHERE d.id = f.value")  # fmt: skip
_CHUNKS = filled(f"SELECT CHUNK_COLUMNS {_OF_DOCUMENTS} chunk AS c WHERE c.document = f.value "
                 "ORDER BY c.ordinal, c.start")  # fmt: skip
_MENTIONS = (f"SELECT m.document, m.statement, m.start, m.end, m.text {_OF_DOCUMENTS} mention AS m "
             "WHERE m.document = f.value ORDER BY m.start, m.end, m.statement")  # fmt: skip
_EVIDENCE = filled(f"SELECT v.document, EVIDENCE_COLUMNS {_OF_DOCUMENTS} evidence AS v "
                   "WHERE v.document = f.value ORDER BY v.id")  # fmt: skip
_CHAINS = f"SELECT m.document, m.chain {_OF_DOCUMENTS} chain_document AS m WHERE m.document = f.value ORDER BY m.chain"
_RELATIONS = filled(f"SELECT r.id, RELATION_COLUMNS {_OF_DOCUMENTS} relation AS r WHERE r.id = f.value")
_STATEMENTS = filled(f"SELECT s.id, STATEMENT_COLUMNS {_OF_DOCUMENTS} statement AS s "
                     "WHERE s.id = f.value AND s.terms IS NOT NULL")  # fmt: skip
_LINKS = (
    f"SELECT l.chain, l.relation {_OF_DOCUMENTS} chain_link AS l WHERE l.chain = f.value ORDER BY l.chain, l.position"
)


_SOURCES_ALL = filled("SELECT SOURCE_COLUMNS FROM source AS s ORDER BY s.id")
_SOURCES_AT = filled("SELECT SOURCE_COLUMNS FROM source AS s WHERE s.path = ?")


def every_source(connection: sqlite3.Connection, paths: Sequence[str] | None = None) -> list[Source]:
    """All sources, or those with one of these paths, by id."""
    if paths is None:
        return [source_of(row) for row in connection.execute(_SOURCES_ALL)]
    found = [row for path in set(paths) for row in connection.execute(_SOURCES_AT, (to_text(path),))]
    return sorted(map(source_of, found), key=lambda source: source.id)


def document_graphs(connection: sqlite3.Connection, document_ids: Sequence[str]) -> list[DocumentGraph]:
    """All that these documents contribute, by source id; the present version of a source before older ones."""

    def rows(sql: str, ids: Sequence[str]) -> list[Any]:
        return connection.execute(sql, {"ids": id_list(ids)}).fetchall()

    def grouped(sql: str) -> dict[str, list[Any]]:
        found: dict[str, list[Any]] = defaultdict(list)
        for row in rows(sql, document_ids):
            found[row[0]].append(row[1:])
        return found

    sources = sorted(
        ((version_of(row), row[0] is None) for row in rows(_SOURCES, document_ids)),
        key=lambda found: (found[0].id, not found[1], by_source_and_time(found[0])),
    )
    documents = {row[0]: document_of(row[1:]) for row in rows(_DOCUMENTS, document_ids)}
    chunks: dict[str, list[Any]] = defaultdict(list)
    for row in rows(_CHUNKS, document_ids):
        chunks[row[0]].append(chunk_of(row))
    mentions, evidence, held = grouped(_MENTIONS), grouped(_EVIDENCE), grouped(_CHAINS)
    relations = {row[0]: relation_of(row[1:]) for row in rows(_RELATIONS, [r[0] for v in evidence.values() for r in v])}
    ends = {end for relation in relations.values() for end in (relation.head, relation.tail)}
    ends.update(row[0] for found in mentions.values() for row in found)
    statements = {row[0]: statement_of(row[1:]) for row in rows(_STATEMENTS, sorted(ends))}
    links: dict[str, list[str]] = defaultdict(list)
    for chain, relation in rows(_LINKS, [row[0] for found in held.values() for row in found]):
        links[chain].append(relation)
    graphs = []
    for source, current in sources:
        id_ = source.document_id
        proven = {row[0]: relations[row[0]] for row in evidence[id_]}
        said = {row[0] for row in mentions[id_]}.union(*((r.head, r.tail) for r in proven.values()))
        graphs.append(
            DocumentGraph(
                source=source,
                current=current,
                document=documents[id_],
                chunks=tuple(chunks[id_]),
                statements=tuple(statements[s] for s in sorted(said) if s in statements),
                mentions=tuple(
                    Mention(statement_id=s, document_id=id_, span=Span(start=a, end=b), text=from_text(text) or "")
                    for s, a, b, text in mentions[id_]
                ),
                relations=tuple(relation for _, relation in sorted(proven.items())),
                evidence=tuple(evidence_of(row) for row in evidence[id_]),
                chains=tuple(Chain(relation_ids=tuple(links[chain])) for (chain,) in held[id_]),
            )
        )
    return graphs


def residue(connection: sqlite3.Connection) -> Residue:
    """What there is besides the documents, each part sorted."""
    chains = connection.execute(
        "SELECT id, status, accepted FROM chain WHERE accepted = 1 OR status <> 'active' ORDER BY id"
    ).fetchall()
    links: dict[str, list[str]] = defaultdict(list)
    for chain, relation in connection.execute(_LINKS, {"ids": id_list(id_ for id_, *_ in chains)}):
        links[chain].append(relation)
    return Residue(
        classes=tuple(
            AccessClass.model_validate_json(f'{{"rule": {rule}}}')
            for (rule,) in connection.execute("SELECT rule FROM access_class ORDER BY id")
        ),
        statements=tuple(
            RetiredStatement(id=id_, language=language, direction=direction, negated=bool(negated))
            for id_, language, direction, negated in connection.execute(
                "SELECT id, language, direction, negated FROM statement WHERE terms IS NULL ORDER BY id"
            )
        ),
        relations=tuple(
            HeldRelation(relation=relation_of(row[1:]), status=row[0])
            for row in connection.execute(
                filled("SELECT r.status, RELATION_COLUMNS FROM relation AS r WHERE r.status <> 'active' ORDER BY r.id")
            )
        ),
        chains=tuple(
            HeldChain(relation_ids=tuple(links[id_]), status=status, accepted=bool(accepted))
            for id_, status, accepted in chains
        ),
        same_as=tuple(
            SameAs(first=first, second=second, score=score, origin=origin)
            for first, second, score, origin in connection.execute(
                "SELECT first, second, score, origin FROM same_as ORDER BY first, second"
            )
        ),
        rejected_links=tuple(h.link.id for h in embedded_verdicts.rejected(connection, None).links),
        proposals=tuple(embedded_ledger.proposals(connection, None)),
        ledger=tuple(embedded_ledger.ledger(connection)),
        receipts=tuple(embedded_ledger.receipts(connection)),
        failures=tuple(embedded_ledger.failures(connection)),
    )


def adopt(connection: sqlite3.Connection, found: Residue) -> None:
    """Put the residue of another store in the place of one's own."""
    put_classes(connection, found.classes)
    connection.executemany(
        "INSERT OR IGNORE INTO statement VALUES (?, ?, NULL, ?, ?)",
        [(s.id, s.language, s.direction, s.negated) for s in found.statements],
    )
    # Links before chains, since a chain that crosses a rejected one does not hold.
    connection.execute("DELETE FROM same_as")
    link(connection, found.same_as)
    embedded_verdicts.reject_links(connection, found.rejected_links)
    _adopt_relations(connection, found.relations)
    _adopt_chains(connection, found.chains)
    for table in ("proposal", "ledger", "receipt", "failure"):
        connection.execute(f"DELETE FROM {table}")  # noqa: S608 - a constant
    embedded_ledger.put_proposals(connection, found.proposals)
    connection.executemany(
        "INSERT INTO ledger VALUES (?, ?, ?)", [(e.position, e.hash, record_json(e)) for e in found.ledger]
    )
    embedded_ledger.put_receipts(connection, found.receipts)
    embedded_ledger.record_failures(connection, found.failures, ())


def _adopt_relations(connection: sqlite3.Connection, held: Sequence[HeldRelation]) -> None:
    """Verdicts are those of the other store; what has none there is as its evidence says."""
    verdicts = {h.relation.id: h.status for h in held}
    judged = connection.execute("SELECT id FROM relation WHERE status NOT IN ('active', 'retired')").fetchall()
    connection.executemany(
        "INSERT OR IGNORE INTO relation VALUES (?, ?, ?, ?, ?, ?)",
        [(h.relation.id, h.relation.type, h.relation.head, h.relation.tail, h.relation.polarity, h.status)
         for h in held],
    )  # fmt: skip
    connection.executemany("UPDATE relation SET status = ? WHERE id = ?", [(s, id_) for id_, s in verdicts.items()])
    freed = [id_ for (id_,) in judged if id_ not in verdicts]
    connection.executemany("UPDATE relation SET status = 'retired' WHERE id = ?", [(id_,) for id_ in freed])
    changed = [*verdicts, *freed]
    refresh_relations(connection, changed)
    project(connection, changed)
    refresh_chains(connection, (), changed)


def _adopt_chains(connection: sqlite3.Connection, held: Sequence[HeldChain]) -> None:
    ids = embedded_ledger.put_chains(connection, [Chain(relation_ids=h.relation_ids) for h in held])
    others = connection.execute("SELECT id FROM chain WHERE accepted = 1 OR status NOT IN ('active', 'retired')")
    freed = sorted({id_ for (id_,) in others.fetchall()}.difference(ids))
    connection.executemany("UPDATE chain SET accepted = 0, status = 'retired' WHERE id = ?", [(id_,) for id_ in freed])
    connection.executemany(
        "UPDATE chain SET accepted = ?, status = ? WHERE id = ?",
        [(h.accepted, h.status, Chain(relation_ids=h.relation_ids).id) for h in held],
    )
    refresh_chains(connection, [*ids, *freed], ())


__all__ = ["adopt", "document_graphs", "every_source", "residue"]
