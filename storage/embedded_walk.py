"""One step of a walk over the embedded graph store, and the projection that makes it fast.

``edge`` has one row per active affirmed relation and access class. A relation whose documents are all of one class is
answered from a covering index in the order of the walk, so a statement with a million relations costs no more than its
fan-out. One with several classes is combined here. A narrowed scope (metadata, validity) is answered from evidence.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from storage.belief import noisy_or
from storage.embedded_read import same_as
from storage.embedded_rows import TYPE_NUMBER, TYPES, Row, id_list
from storage.embedded_scope import sight, visibly
from storage.hop import Candidate, combined, cut, projected
from storage.ports import Hop
from storage.records import Polarity, RelationStatus, RelationType, SameAs, Scope

_ALL_AT_ONCE = """
SELECT e.NEAR, e.relation, e.type, e.FAR, e.cost, e.confidence, e.shared
FROM json_each(:ids) AS f CROSS JOIN edge AS e
WHERE e.NEAR = f.value AND (e.shared = 1 OR e.cost <= :cost) AND (1 << e.type) & :mask
  AND (:owner OR e.class IN (SELECT value FROM json_each(:classes)))
LIMIT :budget
"""
_OWN = """
SELECT relation, type, FAR, cost FROM edge
WHERE NEAR = :near AND shared = 0 AND cost <= :cost AND (1 << type) & :mask
  AND (:owner OR class IN (SELECT value FROM json_each(:classes)))
ORDER BY cost, relation LIMIT :limit
"""
_SHARED = """
SELECT e.NEAR, e.relation, e.type, e.FAR, e.confidence FROM json_each(:ids) AS f CROSS JOIN edge AS e
WHERE e.NEAR = f.value AND e.shared = 1 AND (1 << e.type) & :mask
  AND (:owner OR e.class IN (SELECT value FROM json_each(:classes)))
"""
# ``d.class = e.class`` meets every document's evidence once, however many rows its relation has.
_NARROWED = """
SELECT e.NEAR, e.relation, e.type, e.FAR, max(v.confidence)
FROM json_each(:ids) AS f CROSS JOIN edge AS e CROSS JOIN evidence AS v CROSS JOIN document AS d
WHERE e.NEAR = f.value AND (1 << e.type) & :mask AND v.relation = e.relation AND d.id = v.document
  AND d.class = e.class AND VISIBLE
GROUP BY e.NEAR, e.relation, v.document
"""
_VOICES = visibly("""
SELECT v.relation, max(v.confidence)
FROM json_each(:ids) AS f CROSS JOIN evidence AS v CROSS JOIN document AS d
WHERE v.relation = f.value AND d.id = v.document AND VISIBLE
GROUP BY v.relation, v.document
""")


def _both_ways(sql: str) -> dict[bool, str]:
    return {
        True: sql.replace("NEAR", "src").replace("FAR", "dst"),
        False: sql.replace("NEAR", "dst").replace("FAR", "src"),
    }


_ALL_BY_DIRECTION = _both_ways(_ALL_AT_ONCE)
_OWN_BY_DIRECTION = _both_ways(_OWN)
_SHARED_BY_DIRECTION = _both_ways(_SHARED)
_NARROWED_BY_DIRECTION = _both_ways(visibly(_NARROWED))

_BUDGET, _BUDGET_EACH = 512, 16
"""Rows up to which one query for a whole hop is tried: twice as fast as one per statement (0.5 to 0.9 ms per 100).

Beyond, some statement is a hub, of which each statement's own query reads no more than the fan-out.
"""


class EmbeddedSteps:
    """What a walk asks, answered from the snapshot of one connection; see :class:`storage.ports.Steps`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def edges(
        self,
        statement_ids: Sequence[str],
        scope: Scope,
        *,
        forward: bool,
        types: Sequence[RelationType],
        min_confidence: float,
        fan_out: int,
    ) -> Hop:
        """One step of a walk."""
        seen = sight(self._connection, scope)
        parameters = seen.parameters | {
            "ids": id_list(statement_ids),
            "mask": sum(1 << TYPE_NUMBER[type_] for type_ in set(types)),
            "cost": -min_confidence,
            "limit": fan_out + 1,
        }
        if seen.narrowed:
            found = _from_evidence(self._connection, parameters, forward)
        else:
            found = _from_projection(self._connection, statement_ids, parameters, forward)
        return cut(found, forward=forward, min_confidence=min_confidence, fan_out=fan_out)

    def same_as(self, statement_ids: Sequence[str], scope: Scope) -> list[SameAs]:
        """The links of these statements to visible statements."""
        return same_as(self._connection, statement_ids, sight(self._connection, scope))


def _from_projection(
    connection: sqlite3.Connection, near: Sequence[str], parameters: Mapping[str, Any], forward: bool
) -> dict[str, list[Candidate]]:
    found: dict[str, list[Candidate]] = defaultdict(list)
    parts: dict[tuple[str, str, int, str], list[float]] = defaultdict(list)
    statements = set(near)
    budget = _BUDGET + _BUDGET_EACH * len(statements)
    rows = connection.execute(_ALL_BY_DIRECTION[forward], {**parameters, "budget": budget}).fetchall()
    if len(rows) < budget:
        for statement, relation, type_, far, cost, confidence, shared in rows:
            if shared:
                parts[statement, relation, type_, far].append(confidence)
            else:
                found[statement].append((cost, relation, TYPES[type_], far))
    else:
        for statement in statements:
            for relation, type_, far, cost in connection.execute(
                _OWN_BY_DIRECTION[forward], {**parameters, "near": statement}
            ):
                found[statement].append((cost, relation, TYPES[type_], far))
        for statement, relation, type_, far, confidence in connection.execute(
            _SHARED_BY_DIRECTION[forward], parameters
        ):
            parts[statement, relation, type_, far].append(confidence)
    confidences = combined(
        {edge[1]: values for edge, values in parts.items()}, lambda doubtful: _voices(connection, doubtful, parameters)
    )
    for statement, relation, type_, far in parts:
        found[statement].append((-confidences[relation], relation, TYPES[type_], far))
    return found


def _from_evidence(
    connection: sqlite3.Connection, parameters: Mapping[str, Any], forward: bool
) -> dict[str, list[Candidate]]:
    voices: dict[tuple[str, str, int, str], list[float]] = defaultdict(list)
    for statement, relation, type_, far, confidence in connection.execute(_NARROWED_BY_DIRECTION[forward], parameters):
        voices[statement, relation, type_, far].append(confidence)
    found: dict[str, list[Candidate]] = defaultdict(list)
    for (statement, relation, type_, far), values in voices.items():
        found[statement].append((-round(noisy_or(values), 6), relation, TYPES[type_], far))
    return found


def _voices(
    connection: sqlite3.Connection, relations: Iterable[str], parameters: Mapping[str, Any]
) -> dict[str, list[float]]:
    """What each visible document says, per relation: the input that :func:`storage.belief.belief` has."""
    voices: dict[str, list[float]] = defaultdict(list)
    ids = id_list(relations)
    if ids != "[]":
        for relation, confidence in connection.execute(_VOICES, {**parameters, "ids": ids}):
            voices[relation].append(confidence)
    return voices


def project(connection: sqlite3.Connection, relations: Iterable[str]) -> None:
    """Bring the edges of these relations up to date with their evidence, status and access classes."""
    ids = id_list(relations)
    connection.execute("DELETE FROM edge WHERE relation IN (SELECT value FROM json_each(?))", (ids,))
    connection.executemany("INSERT INTO edge VALUES (?, ?, ?, ?, ?, ?, ?, ?)", due_edges(connection, ids))


def due_edges(connection: sqlite3.Connection, ids: str) -> list[Row]:
    """The rows of ``edge`` that relations should have (their ids as :func:`id_list`): what their evidence says."""
    rows = connection.execute(
        "SELECT r.id, r.head, r.tail, r.type, d.class, max(v.confidence)"
        " FROM json_each(?) AS f CROSS JOIN relation AS r CROSS JOIN evidence AS v CROSS JOIN document AS d"
        " WHERE r.id = f.value AND r.status = ? AND r.polarity = ? AND v.relation = r.id AND d.id = v.document"
        " GROUP BY r.id, v.document",
        (ids, RelationStatus.ACTIVE, Polarity.AFFIRMED),
    )
    return [
        (
            e.relation,
            e.access_class,
            e.head,
            e.tail,
            TYPE_NUMBER[e.type],
            e.confidence,
            -round(e.confidence, 6),
            e.shared,
        )
        for e in projected(rows)
    ]


__all__ = ["EmbeddedSteps", "due_edges", "project"]
