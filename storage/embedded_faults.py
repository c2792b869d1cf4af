"""What contradicts itself inside the embedded graph store, and putting it right.

A store that only Clew writes has no such faults: they come from a failing disk, or from somebody else's SQL.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence

from storage.embedded_copy import every_source
from storage.embedded_read import kept_versions
from storage.embedded_rows import EVIDENCE_COLUMNS, STATEMENT_COLUMNS, Row, evidence_of, id_list, statement_of
from storage.embedded_truth import refresh_chains, refresh_relations, refresh_statements, severed_chains
from storage.embedded_walk import due_edges, project
from storage.embedded_write import is_bounded, update_sources
from storage.encoding import to_micros
from storage.ports import GraphFault
from storage.records import AccessClass, Evidence, Source, Statement, metadata_tag

_BATCH = 2_000
_PARTS = ("chunk", "mention", "evidence", "chain_document", "document_tag", "document_gap", "version")
_LOOSE_DOCUMENTS = (
    "SELECT d.id FROM document AS d WHERE NOT EXISTS "
    "(SELECT 1 FROM source AS s WHERE s.id = d.source AND s.document = d.id) AND NOT EXISTS "
    "(SELECT 1 FROM version AS v CROSS JOIN source AS s WHERE v.document = d.id AND s.id = v.source"
    " AND s.id = d.source) ORDER BY d.id"
)
_BOTH = "FROM version AS v WHERE EXISTS (SELECT 1 FROM source AS s WHERE s.id = v.source AND s.document = v.document)"
_UNEARNED = {
    "relation": (
        "its status is not what its evidence earns",
        "SELECT r.id FROM relation AS r WHERE r.status IN ('active', 'retired')"
        " AND (r.status = 'active') <> EXISTS (SELECT 1 FROM evidence AS v WHERE v.relation = r.id)",
    ),
    "statement": (
        "it has words though nobody says it",
        "SELECT s.id FROM statement AS s WHERE s.terms IS NOT NULL"
        " AND NOT EXISTS (SELECT 1 FROM mention AS m WHERE m.statement = s.id)",
    ),
    "chain": (
        "its status is not what its links earn",
        "SELECT c.id FROM chain AS c WHERE c.status IN ('active', 'retired') AND (c.status = 'active') <> ("
        "(c.accepted OR EXISTS (SELECT 1 FROM chain_document AS m WHERE m.chain = c.id))"
        " AND NOT EXISTS (SELECT 1 FROM chain_link AS l CROSS JOIN relation AS r"
        " WHERE l.chain = c.id AND r.id = l.relation AND r.status <> 'active')"
        " AND c.id NOT IN (SELECT value FROM json_each(:severed)))",
    ),
}


def faults(connection: sqlite3.Connection) -> list[GraphFault]:
    """Everything that contradicts itself; see :meth:`storage.ports.GraphStore.faults`."""
    damaged = [line for (line,) in connection.execute("PRAGMA integrity_check(10)") if line != "ok"]
    return [
        *(GraphFault(kind="file", id="", what=f"the database file is damaged: {line}") for line in damaged),
        *_orphans(connection),
        *(
            GraphFault(kind="status", id=id_, what=what)
            for what, query in _UNEARNED.values()
            for (id_,) in connection.execute(f"{query} ORDER BY 1", _severed(connection))
        ),
        *_mistaken(connection),
        *(GraphFault(kind="access", id=s.document_id, what="who may see it, and when, is not what its source says")
          for s in _misplaced(connection)),
        *(GraphFault(kind="edge", id=id_, what="its edges are not what its evidence says")
          for id_ in _misdrawn(connection)),
    ]  # fmt: skip


def mend(connection: sqlite3.Connection) -> list[GraphFault]:
    """Put right what can be put right, in one transaction; what that was."""
    found = faults(connection)
    if any(fault.kind == "file" for fault in found):
        connection.execute("REINDEX")  # what only its indexes have lost comes back
    connection.execute(f"DELETE {_BOTH}")
    loose = [id_ for (id_,) in connection.execute(_LOOSE_DOCUMENTS)]
    _delete(connection, loose)
    for table in _PARTS:
        connection.execute(f"DELETE FROM {table} WHERE document NOT IN (SELECT id FROM document)")  # noqa: S608
    connection.execute("DELETE FROM document_record WHERE id NOT IN (SELECT id FROM document)")
    connection.execute("DELETE FROM edge WHERE relation NOT IN (SELECT id FROM relation)")
    silent = [(fault.id,) for fault in found if fault.kind == "identity" and fault.mendable]
    connection.executemany("DELETE FROM statement_term WHERE statement = ?", silent)
    connection.executemany("UPDATE statement SET terms = NULL WHERE id = ?", silent)
    update_sources(connection, _misplaced(connection))
    refresh_statements(connection, _ids(connection, "statement"))
    relations = refresh_relations(connection, _ids(connection, "relation"))
    refresh_chains(connection, _ids(connection, "chain"), relations.ids)
    project(connection, _misdrawn(connection))
    left = {(fault.kind, fault.id) for fault in faults(connection)}
    return [fault for fault in found if (fault.kind, fault.id) not in left]


def _orphans(connection: sqlite3.Connection) -> Iterator[GraphFault]:
    for (id_,) in connection.execute(_LOOSE_DOCUMENTS):
        yield GraphFault(kind="orphan", id=id_, what="a document that no source has")
    for (id_,) in connection.execute(f"SELECT v.document {_BOTH} ORDER BY v.document"):
        yield GraphFault(kind="orphan", id=id_, what="the present version of a source, and an older one of it as well")
    for table in _PARTS:
        query = f"SELECT document, count(*) FROM {table} WHERE document NOT IN (SELECT id FROM document) GROUP BY 1"  # noqa: S608
        for id_, count in connection.execute(query):
            yield GraphFault(kind="orphan", id=id_, what=f"{count} rows of '{table}' of a document that is not there")
    for (id_,) in connection.execute("SELECT id FROM document_record WHERE id NOT IN (SELECT id FROM document)"):
        yield GraphFault(kind="orphan", id=id_, what="the record of a document that is not there")
    query = "SELECT DISTINCT relation FROM edge WHERE relation NOT IN (SELECT id FROM relation)"
    for (id_,) in connection.execute(query):
        yield GraphFault(kind="orphan", id=id_, what="edges of a relation that is not there")


def _mistaken(connection: sqlite3.Connection) -> Iterator[GraphFault]:
    """What is not what its id was made from."""
    query = f"SELECT s.id, {STATEMENT_COLUMNS} FROM statement AS s WHERE terms IS NOT NULL"  # noqa: S608
    for id_, *row in connection.execute(query):
        if _id_of(statement_of, row) != id_:
            yield GraphFault(kind="identity", id=id_, what="a statement that is not what its id was made from")
    query = f"SELECT v.id, v.document, {EVIDENCE_COLUMNS} FROM evidence AS v"  # noqa: S608
    wrong = {
        document for id_, document, *row in connection.execute(query) if _id_of(evidence_of, row) != id_
    }  # fmt: skip
    for document in sorted(wrong):
        what = "a piece of evidence has other offsets than its id was made from"
        yield GraphFault(kind="identity", id=document, what=what, mendable=False)


def _id_of(read: Callable[[Row], Statement | Evidence], row: Sequence[object]) -> str | None:
    try:
        return read(tuple(row)).id
    except (ValueError, TypeError):
        return None  # nothing that could be read has such fields


def _delete(connection: sqlite3.Connection, documents: Sequence[str]) -> None:
    ids = (id_list(documents),)
    for table in _PARTS:
        connection.execute(f"DELETE FROM {table} WHERE document IN (SELECT value FROM json_each(?))", ids)  # noqa: S608
    for table in ("document_record", "document"):
        connection.execute(f"DELETE FROM {table} WHERE id IN (SELECT value FROM json_each(?))", ids)  # noqa: S608


def _ids(connection: sqlite3.Connection, kind: str) -> list[str]:
    return [id_ for (id_,) in connection.execute(_UNEARNED[kind][1], _severed(connection))]


def _severed(connection: sqlite3.Connection) -> dict[str, str]:
    return {"severed": id_list(severed_chains(connection))}


def _misplaced(connection: sqlite3.Connection) -> list[Source]:
    """Versions of sources whose document is filtered by another class, other tags or another validity than theirs."""
    filtered = {
        id_: (class_, start, end, bool(bounded), frozenset((tags or "").split()), gaps)
        for id_, class_, start, end, bounded, tags, gaps in connection.execute(
            "SELECT d.id, c.id, d.valid_from, d.valid_to, d.bounded,"
            " (SELECT group_concat(t.tag, ' ') FROM document_tag AS t WHERE t.document = d.id),"
            " (SELECT json_group_array(json_array(g.start, g.end)) FROM"
            "  (SELECT start, end FROM document_gap WHERE document = d.id ORDER BY start) AS g)"
            " FROM document AS d LEFT JOIN access_class AS c ON c.key = d.class"
        )
    }
    present = {source.id: source for source in every_source(connection)}
    wrong = [s for s in present.values() if s.document_id in filtered and filtered[s.document_id] != _due(s)]
    for kept in kept_versions(connection, None):
        if kept.document_id in filtered and kept.id in present:
            due = kept.model_copy(update={"groups": present[kept.id].groups})
            if due != kept or filtered[kept.document_id] != _due(due):
                wrong.append(due)
    return wrong


def _due(source: Source) -> Row:
    start, end = to_micros(source.valid_from), to_micros(source.valid_to)
    tags = frozenset(metadata_tag(name, value) for name, value in source.metadata.items())
    gaps = json.dumps([[to_micros(gap.start), to_micros(gap.end)] for gap in source.gaps], separators=(",", ":"))
    return AccessClass.of([source.groups]).id, start, end, is_bounded(source), tags, gaps


def _misdrawn(connection: sqlite3.Connection) -> list[str]:
    """Relations whose edges are not those that their evidence gives."""
    wrong: set[str] = set()
    for ids in _batches(id_ for (id_,) in connection.execute("SELECT id FROM relation ORDER BY id").fetchall()):
        listed = id_list(ids)
        there = connection.execute(
            "SELECT e.* FROM json_each(?) AS f CROSS JOIN edge AS e WHERE e.relation = f.value", (listed,)
        )
        wrong.update(row[0] for row in set(map(_rounded, there)) ^ set(map(_rounded, due_edges(connection, listed))))
    return sorted(wrong)


def _rounded(edge: Row) -> Row:
    *what, confidence, cost, shared = edge
    return *what, round(confidence, 9), round(cost, 6), bool(shared)


def _batches(ids: Iterable[str]) -> Iterator[list[str]]:
    listed = list(ids)
    return (listed[start : start + _BATCH] for start in range(0, len(listed), _BATCH))


__all__ = ["faults", "mend"]
