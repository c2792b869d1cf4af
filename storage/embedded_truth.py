"""Truth maintenance of the embedded graph store: what loses its ground is retired, what regains it comes back.

Statuses are changed here only, after all rows of a transaction are written, so each function sees the status from
before the transaction and reports what really changed, whatever was taken away and put back in between.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from storage.embedded_rows import id_list
from storage.records import RelationStatus, StatementKey
from storage.similarity import blocking_terms
from storage.truth import Changed, ChangedChains, severed

_ACTIVE, _RETIRED = RelationStatus.ACTIVE, RelationStatus.RETIRED


def refresh_relations(connection: sqlite3.Connection, relations: Iterable[str]) -> Changed:
    """Give each relation the status that its evidence earns; a person's verdict (rejected, quarantined) stands."""
    rows = connection.execute(
        "SELECT r.id, EXISTS (SELECT 1 FROM evidence AS v WHERE v.relation = r.id)"
        " FROM json_each(?) AS f CROSS JOIN relation AS r WHERE r.id = f.value AND r.status IN (?, ?)"
        " AND (r.status = ?) <> EXISTS (SELECT 1 FROM evidence AS v WHERE v.relation = r.id)",
        (id_list(relations), _ACTIVE, _RETIRED, _ACTIVE),
    ).fetchall()
    connection.executemany(
        "UPDATE relation SET status = ? WHERE id = ?", [(_ACTIVE if proven else _RETIRED, id_) for id_, proven in rows]
    )
    return Changed.of((id_, bool(proven)) for id_, proven in rows)


def refresh_statements(connection: sqlite3.Connection, statements: Iterable[str]) -> tuple[str, ...]:
    """Take the words of statements that nobody says any more; they keep their id and come back with a mention."""
    rows = connection.execute(
        "SELECT s.id, s.language, s.terms FROM json_each(?) AS f CROSS JOIN statement AS s WHERE s.id = f.value"
        " AND s.terms IS NOT NULL AND NOT EXISTS (SELECT 1 FROM mention AS m WHERE m.statement = s.id)",
        (id_list(statements),),
    ).fetchall()
    connection.executemany(
        "DELETE FROM statement_term WHERE language = ? AND term = ? AND statement = ?",
        [
            (language, term, id_)
            for id_, language, terms in rows
            for term in blocking_terms(StatementKey(language=language, terms=tuple(json.loads(terms))))
        ],
    )
    connection.executemany("UPDATE statement SET terms = NULL WHERE id = ?", [(id_,) for id_, *_ in rows])
    return tuple(sorted(id_ for id_, *_ in rows))


def refresh_chains(connection: sqlite3.Connection, chains: Iterable[str], relations: Iterable[str]) -> ChangedChains:
    """Give ``chains`` and every chain over one of ``relations`` the status that they earn.

    A chain is active if a document holds it or a person accepted it, and all its links are active, those by same_as
    where it crosses one too; a rejected one stays rejected.
    """
    rows = connection.execute(
        "SELECT c.id, c.status, c.accepted, "
        "(c.accepted OR EXISTS (SELECT 1 FROM chain_document AS m WHERE m.chain = c.id))"
        " AND NOT EXISTS (SELECT 1 FROM chain_link AS l CROSS JOIN relation AS r"
        "   WHERE l.chain = c.id AND r.id = l.relation AND r.status <> ?)"
        " AND c.id NOT IN (SELECT value FROM json_each(?))"
        " FROM (SELECT value AS id FROM json_each(?) UNION SELECT l.chain FROM json_each(?) AS g"
        "   CROSS JOIN chain_link AS l ON l.relation = g.value) AS f CROSS JOIN chain AS c"
        " WHERE c.id = f.id AND c.status IN (?, ?)",
        (_ACTIVE, id_list(severed_chains(connection)), id_list(chains), id_list(relations), _ACTIVE, _RETIRED),
    ).fetchall()
    moved = [
        (id_, bool(accepted), bool(holds)) for id_, status, accepted, holds in rows if holds != (status == _ACTIVE)
    ]
    connection.executemany(
        "UPDATE chain SET status = ? WHERE id = ?", [(_ACTIVE if holds else _RETIRED, id_) for id_, _, holds in moved]
    )
    return ChangedChains.of(moved)


def severed_chains(connection: sqlite3.Connection) -> frozenset[str]:
    """Accepted chains that cross a same_as link which a person rejected; chains of a document cross none."""
    rejected = connection.execute("SELECT first, second FROM same_as WHERE status = 'rejected'").fetchall()
    if not rejected:
        return frozenset()
    links = connection.execute(
        "SELECT c.id, r.head, r.tail FROM chain AS c CROSS JOIN chain_link AS l CROSS JOIN relation AS r"
        " WHERE c.accepted = 1 AND l.chain = c.id AND r.id = l.relation ORDER BY c.id, l.position"
    )
    return severed(links, rejected)


__all__ = ["refresh_chains", "refresh_relations", "refresh_statements", "severed_chains"]
