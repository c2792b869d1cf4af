"""How documents enter and leave the embedded graph store: one transaction per change.

Every function takes a connection inside one write transaction.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence

from storage.embedded_ledger import documents_of, mark_committed, note_change, put_chains
from storage.embedded_rows import (
    chunk_row,
    document_row,
    evidence_row,
    id_list,
    source_row,
)
from storage.embedded_truth import refresh_chains, refresh_relations, refresh_statements
from storage.embedded_walk import project
from storage.encoding import record_json, record_of, to_json, to_micros, to_text
from storage.errors import NotFoundError, UsageError
from storage.ports import Change, ChangeReceipt, DocumentGraph
from storage.records import AccessClass, Chunk, RelationStatus, SameAs, Source, Statement, metadata_tag
from storage.similarity import blocking_terms
from storage.truth import Touched
from storage.versions import placed

# What a relation is follows from its id: one that is there in another form was damaged.
_PUT_RELATION = (
    "INSERT INTO relation VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
    " type = excluded.type, head = excluded.head, tail = excluded.tail, polarity = excluded.polarity"
    " WHERE (type, head, tail, polarity) <> (excluded.type, excluded.head, excluded.tail, excluded.polarity)"
)


def commit(connection: sqlite3.Connection, change: Change) -> ChangeReceipt:
    """Do all of a change; see :meth:`storage.ports.GraphStore.commit`."""
    mark_committed(connection, change.intent_id)
    adds = placed(change.adds)
    present = {graph.source.id for graph in adds if graph.current}
    gone = sorted(set(change.removes) - present)
    removed = documents_of(connection, gone)
    touched = Touched()
    removed_chunks, removed_evidence = _remove_documents(connection, _going(connection, change, adds, gone), touched)
    added_chunks, added_evidence = _add_documents(connection, adds, touched)
    connection.execute("DELETE FROM source WHERE id IN (SELECT value FROM json_each(?))", (id_list(gone),))
    kept = [source for source in change.keeps if source.id not in gone]
    moved = _put_versions(connection, kept) | _follow_groups(connection, present.union(source.id for source in kept))
    touched.relations.update(_proven_by(connection, moved))
    link(connection, change.same_as)
    statements = refresh_statements(connection, touched.statements)
    relations = refresh_relations(connection, touched.relations)
    project(connection, touched.relations)
    chains = refresh_chains(connection, touched.chains, relations.ids)
    went = ChangeReceipt(
        chunks=tuple(sorted(removed_chunks - added_chunks)),
        evidence=tuple(sorted(removed_evidence - added_evidence)),
        relations=relations.retired,
        statements=statements,
        chains=chains.retired,
        restored=chains.accepted_restored,
    )
    return note_change(connection, change, went, removed, chains)


def update_sources(connection: sqlite3.Connection, sources: Sequence[Source]) -> None:
    """Store what may change about a source or an older version of it without reading its document again."""
    moved = _put_versions(connection, sources)
    moved |= _follow_groups(connection, (source.id for source in sources))
    project(connection, _proven_by(connection, moved))


def _going(
    connection: sqlite3.Connection, change: Change, adds: Sequence[DocumentGraph], gone: Sequence[str]
) -> set[str]:
    """Documents of which all rows are taken out, those that are then put in anew among them."""
    was = _current_documents(connection, [*(graph.source.id for graph in adds if graph.current), *gone])
    stay = {source.document_id for source in change.keeps if source.id not in gone}
    anew = id_list(graph.source.document_id for graph in adds)
    older = connection.execute(
        "SELECT document FROM version WHERE source IN (SELECT value FROM json_each(?))"
        " OR document IN (SELECT value FROM json_each(?))"
        " UNION SELECT d.id FROM json_each(?) AS f CROSS JOIN document AS d WHERE d.id = f.value",
        (id_list(gone), id_list(change.drops), anew),
    )
    return {document for (document,) in older} | (set(was.values()) - stay)


def _put_versions(connection: sqlite3.Connection, sources: Sequence[Source]) -> set[str]:
    """Store what sources, or older versions of them, are from now on; documents that got another access class."""
    current = _current_documents(connection, [source.id for source in sources])
    documents = id_list(source.document_id for source in sources)
    query = "SELECT d.source, d.id FROM json_each(?) AS f CROSS JOIN document AS d WHERE d.id = f.value"
    there = set(connection.execute(query, (documents,)))
    moved = set()
    for source in sources:
        if source.id not in current:
            raise NotFoundError(f"source {source.id} ({source.path}) is not in the store. Ingest it first.")
        if (source.id, source.document_id) not in there:
            raise UsageError(f"source {source.id} ({source.path}) cannot change its document without being ingested.")
        if source.document_id == current[source.id]:
            _put_source(connection, source)
        else:
            _put_version(connection, source)
        if _put_access(connection, source):
            moved.add(source.document_id)
    return moved


def _follow_groups(connection: sqlite3.Connection, source_ids: Iterable[str]) -> set[str]:
    """Give older versions the groups that their source has now; documents that got another access class."""
    rows = connection.execute(
        "SELECT v.record, s.groups FROM json_each(?) AS f CROSS JOIN version AS v CROSS JOIN source AS s"
        " WHERE v.source = f.value AND s.id = v.source",
        (id_list(source_ids),),
    ).fetchall()
    moved = set()
    for record, groups in rows:
        kept, wanted = record_of(Source, record), tuple(json.loads(groups))
        if kept.groups != wanted:
            kept = kept.model_copy(update={"groups": wanted})
            _put_version(connection, kept)
            _put_access(connection, kept)
            moved.add(kept.document_id)
    return moved


def _proven_by(connection: sqlite3.Connection, documents: Iterable[str]) -> list[str]:
    """The relations of which these documents hold evidence."""
    rows = connection.execute(
        "SELECT DISTINCT v.relation FROM json_each(?) AS f CROSS JOIN evidence AS v WHERE v.document = f.value",
        (id_list(documents),),
    )
    return [relation for (relation,) in rows]


def _current_documents(connection: sqlite3.Connection, source_ids: Iterable[str]) -> dict[str, str]:
    return dict(
        connection.execute(
            "SELECT s.id, s.document FROM json_each(?) AS f CROSS JOIN source AS s WHERE s.id = f.value",
            (id_list(source_ids),),
        )
    )


def _remove_documents(
    connection: sqlite3.Connection, documents: set[str], touched: Touched
) -> tuple[set[str], set[str]]:
    """Delete all rows of these documents but those of their sources; the ids of the chunks and evidence removed."""
    if not documents:
        return set(), set()
    ids = (id_list(documents),)
    of_documents = "document IN (SELECT value FROM json_each(?))"
    chunks = {
        Chunk(document_id=document, start=start, end=end, ordinal=0).id
        for document, start, end in connection.execute(
            f"SELECT document, start, end FROM chunk WHERE {of_documents}", ids  # noqa: S608 - a constant
        )
    }  # fmt: skip
    evidence = set()
    for relation, id_ in connection.execute(
        f"SELECT relation, id FROM evidence WHERE {of_documents}", ids  # noqa: S608 - a constant
    ):  # fmt: skip
        touched.relations.add(relation)
        evidence.add(id_)
    for table, found in (("mention", touched.statements), ("chain_document", touched.chains)):
        column = "statement" if table == "mention" else "chain"
        rows = connection.execute(
            f"SELECT {column} FROM {table} WHERE {of_documents}", ids  # noqa: S608 - constants
        )  # fmt: skip
        found.update(id_ for (id_,) in rows)
    for table in ("chunk", "mention", "evidence", "chain_document", "document_tag", "document_gap", "version"):
        connection.execute(f"DELETE FROM {table} WHERE {of_documents}", ids)  # noqa: S608 - constants
    connection.execute("DELETE FROM document_record WHERE id IN (SELECT value FROM json_each(?))", ids)
    connection.execute("DELETE FROM document WHERE id IN (SELECT value FROM json_each(?))", ids)
    return chunks, evidence


def _add_documents(
    connection: sqlite3.Connection, graphs: Iterable[DocumentGraph], touched: Touched
) -> tuple[set[str], set[str]]:
    """Insert all rows of these documents; the ids of their chunks and evidence."""
    chunks: set[str] = set()
    evidence: set[str] = set()
    for graph in graphs:
        if graph.current:
            _put_source(connection, graph.source)
        connection.execute(
            "INSERT INTO document (id, source, class, bounded) VALUES (?, ?, ?, 0)",
            (graph.source.document_id, graph.source.id, _class_key(connection, graph.source)),
        )
        if not graph.current:
            _put_version(connection, graph.source)
        _put_access(connection, graph.source)
        connection.execute(
            "INSERT INTO document_record VALUES (?, ?, ?, ?, ?, ?, ?)",
            (graph.source.document_id, *document_row(graph.document)),
        )
        connection.executemany(
            "INSERT OR IGNORE INTO chunk VALUES (?, ?, ?, ?, ?, ?, ?, ?)", map(chunk_row, graph.chunks)
        )
        touched.statements |= _put_statements(connection, graph.statements)
        connection.executemany(
            "INSERT OR IGNORE INTO mention VALUES (?, ?, ?, ?, ?)",
            [(m.statement_id, m.document_id, m.span.start, m.span.end, to_text(m.text)) for m in graph.mentions],
        )
        relations = [(r.id, r.type, r.head, r.tail, r.polarity, RelationStatus.RETIRED) for r in graph.relations]
        # New ones begin as retired: refresh_relations activates those that have evidence.
        connection.executemany(_PUT_RELATION, relations)
        rows = [evidence_row(e) for e in graph.evidence]
        connection.executemany(
            "INSERT OR IGNORE INTO evidence VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            rows,
        )
        touched.relations.update(row[0] for row in relations)
        touched.relations.update(row[0] for row in rows)
        evidence.update(row[2] for row in rows)
        chunks.update(chunk.id for chunk in graph.chunks)
        held = put_chains(connection, graph.chains)
        connection.executemany(
            "INSERT OR IGNORE INTO chain_document VALUES (?, ?)", [(id_, graph.document.id) for id_ in held]
        )
        touched.chains.update(held)
    return chunks, evidence


def _put_source(connection: sqlite3.Connection, source: Source) -> None:
    connection.execute(
        "INSERT INTO source VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
        " location = excluded.location, groups = excluded.groups, metadata = excluded.metadata,"
        " valid_from = excluded.valid_from, valid_to = excluded.valid_to, document = excluded.document,"
        " raw_hash = excluded.raw_hash, fingerprint = excluded.fingerprint, ingested_at = excluded.ingested_at",
        (source.id, *source_row(source)),
    )


def _put_version(connection: sqlite3.Connection, source: Source) -> None:
    connection.execute(
        "INSERT INTO version VALUES (?, ?, ?) ON CONFLICT (document) DO UPDATE SET record = excluded.record",
        (source.document_id, source.id, record_json(source)),
    )


def _put_access(connection: sqlite3.Connection, source: Source) -> bool:
    """Write on the document what its source says about who may see it; whether its access class is another one now."""
    start, end = to_micros(source.valid_from), to_micros(source.valid_to)
    class_ = _class_key(connection, source)
    before = connection.execute("SELECT class FROM document WHERE id = ?", (source.document_id,)).fetchone()
    connection.execute(
        "UPDATE document SET class = ?, valid_from = ?, valid_to = ?, bounded = ? WHERE id = ?",
        (class_, start, end, is_bounded(source), source.document_id),
    )
    connection.execute("DELETE FROM document_gap WHERE document = ?", (source.document_id,))
    connection.executemany(
        "INSERT INTO document_gap VALUES (?, ?, ?)",
        [(source.document_id, to_micros(gap.start), to_micros(gap.end)) for gap in source.gaps],
    )
    connection.execute("DELETE FROM document_tag WHERE document = ?", (source.document_id,))
    connection.executemany(
        "INSERT OR IGNORE INTO document_tag VALUES (?, ?)",
        [(source.document_id, metadata_tag(name, value)) for name, value in source.metadata.items()],
    )
    return bool(before[0] != class_)


def is_bounded(source: Source) -> bool:
    """Whether there is a time at which its document does not hold."""
    return source.valid_from is not None or source.valid_to is not None or bool(source.gaps)


def _class_key(connection: sqlite3.Connection, source: Source) -> int:
    access = AccessClass.of([source.groups])
    put_classes(connection, [access])
    row: tuple[int] = connection.execute("SELECT key FROM access_class WHERE id = ?", (access.id,)).fetchone()
    return row[0]


def put_classes(connection: sqlite3.Connection, classes: Iterable[AccessClass]) -> None:
    """Intern access rules; those known are left alone."""
    connection.executemany(
        "INSERT OR IGNORE INTO access_class (id, rule) VALUES (?, ?)",
        [(access.id, to_json(access.rule)) for access in classes],
    )


def _put_statements(connection: sqlite3.Connection, statements: Sequence[Statement]) -> set[str]:
    """Insert statements, or give retired ones their words back; the ids of all."""
    by_id = {statement.id: statement.key for statement in statements}
    speaking = {
        id_
        for (id_,) in connection.execute(
            "SELECT s.id FROM json_each(?) AS f CROSS JOIN statement AS s WHERE s.id = f.value AND s.terms IS NOT NULL",
            (id_list(by_id),),
        )
    }
    new = {id_: key for id_, key in by_id.items() if id_ not in speaking}
    connection.executemany(
        "INSERT INTO statement VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET terms = excluded.terms",
        [(id_, key.language, to_json(key.terms), key.direction, key.negated) for id_, key in new.items()],
    )
    connection.executemany(
        "INSERT OR IGNORE INTO statement_term VALUES (?, ?, ?)",
        [(key.language, term, id_) for id_, key in new.items() for term in blocking_terms(key)],
    )
    return set(by_id)


def link(connection: sqlite3.Connection, links: Sequence[SameAs]) -> None:
    """Store similarity links in the place of older ones between the same statements."""
    connection.executemany(
        "INSERT INTO same_as (first, second, score, origin) VALUES (?, ?, ?, ?) ON CONFLICT (first, second)"
        " DO UPDATE SET score = excluded.score, origin = excluded.origin",
        [(link.first, link.second, link.score, link.origin) for link in links],
    )


__all__ = ["commit", "is_bounded", "link", "put_classes", "update_sources"]
