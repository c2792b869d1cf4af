"""One step of a walk over the Neo4j graph store, and the projection that makes it fast.

Between two statements runs one relationship per active affirmed relation and access class, of the type that the
relation's type has (CAUSES, PRECEDES, SUPPORTS, PROGRESSES_TO). A relation whose documents are all of one class is
ranked and cut in the database; one with several classes is combined here. A narrowed scope (metadata, validity) is
answered from evidence.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from storage.belief import noisy_or
from storage.hop import Candidate, combined, cut, projected
from storage.neo4j_database import fetch
from storage.neo4j_schema import EDGE_TYPES
from storage.neo4j_scope import any_bounded, known, seen, visibly
from storage.ports import Hop
from storage.records import RelationType, Scope

if TYPE_CHECKING:
    from neo4j import ManagedTransaction

# The fan-out is cut per statement, before anything leaves the database.
_FROM_PROJECTION = """
UNWIND $ids AS id MATCH (s:Statement {id: id})
CALL (s) {
  MATCH (s)EDGE(t) WHERE e.shared = false AND e.rounded >= $least AND ($owner OR e.class IN $classes)
  WITH e, t.id AS far, e.rounded AS rounded, e.relation AS relation ORDER BY rounded DESC, relation LIMIT $limit
  RETURN far, rounded AS confidence, relation, false AS shared, type(e) AS type
  UNION ALL
  MATCH (s)EDGE(t) WHERE e.shared = true AND ($owner OR e.class IN $classes)
  RETURN t.id AS far, e.confidence AS confidence, e.relation AS relation, true AS shared, type(e) AS type
}
RETURN id, relation, type, far, confidence, shared
"""
# ``d.class = e.class`` meets every document's evidence once, however many edges its relation has.
_FROM_EVIDENCE = visibly("""
UNWIND $ids AS id MATCH (s:Statement {id: id})EDGE(t)
MATCH (r:Relation {id: e.relation})-[v:EVIDENCED_BY]->() MATCH (d:Document {id: v.document})
WHERE d.class = e.class AND VISIBLE
RETURN id, e.relation, type(e), t.id, d.id, max(v.confidence)
""")
_VOICES = visibly("""
UNWIND $ids AS id MATCH (r:Relation {id: id})-[v:EVIDENCED_BY]->() MATCH (d:Document {id: v.document}) WHERE VISIBLE
RETURN id, d.id, max(v.confidence)
""")
_TYPE_OF = {name: type_ for type_, name in EDGE_TYPES.items()}


def _by_types(query: str) -> dict[tuple[frozenset[RelationType], bool], str]:
    """The query for every set of types and both directions: a pattern's types cannot be a parameter."""
    found = {}
    for size in range(1, len(EDGE_TYPES) + 1):
        for types in combinations(EDGE_TYPES, size):
            pattern = f"[e:{'|'.join(EDGE_TYPES[type_] for type_ in types)}]"
            found[frozenset(types), True] = query.replace("EDGE", f"-{pattern}->")
            found[frozenset(types), False] = query.replace("EDGE", f"<-{pattern}-")
    return found


_PROJECTION_BY_TYPES = _by_types(_FROM_PROJECTION)
_EVIDENCE_BY_TYPES = _by_types(_FROM_EVIDENCE)


def hop(
    tx: ManagedTransaction,
    near: Sequence[str],
    scope: Scope,
    *,
    forward: bool,
    types: Sequence[RelationType],
    min_confidence: float,
    fan_out: int,
) -> Hop:
    """The edges of one step from the statements ``near``; see :meth:`storage.ports.GraphStore.edges`."""
    wanted = (frozenset(types), forward)
    if not types:
        return Hop(edges=(), truncated=frozenset())
    parameters = seen(scope, ids=known(near), least=min_confidence, limit=fan_out + 1)
    if scope.tags or any_bounded(tx):
        found = _from_evidence(tx, _EVIDENCE_BY_TYPES[wanted], parameters)
    else:
        found = _from_projection(tx, _PROJECTION_BY_TYPES[wanted], parameters)
    return cut(found, forward=forward, min_confidence=min_confidence, fan_out=fan_out)


def _from_projection(tx: ManagedTransaction, query: str, parameters: dict[str, Any]) -> dict[str, list[Candidate]]:
    found: dict[str, list[Candidate]] = defaultdict(list)
    parts: dict[tuple[str, str, str, str], list[float]] = defaultdict(list)
    for near, relation, type_, far, confidence, shared in fetch(tx, query, parameters):
        if shared:
            parts[near, relation, type_, far].append(confidence)
        else:
            found[near].append((-confidence, relation, _TYPE_OF[type_], far))

    def voices(doubtful: set[str]) -> dict[str, list[float]]:
        said: dict[str, list[float]] = defaultdict(list)
        for relation, _, confidence in fetch(tx, _VOICES, {**parameters, "ids": sorted(doubtful)}):
            said[relation].append(confidence)
        return said

    confidences = combined({edge[1]: values for edge, values in parts.items()}, voices)
    for near, relation, type_, far in parts:
        found[near].append((-confidences[relation], relation, _TYPE_OF[type_], far))
    return found


def _from_evidence(tx: ManagedTransaction, query: str, parameters: dict[str, Any]) -> dict[str, list[Candidate]]:
    voices: dict[tuple[str, str, str, str], list[float]] = defaultdict(list)
    for near, relation, type_, far, _, confidence in fetch(tx, query, parameters):
        voices[near, relation, type_, far].append(confidence)
    found: dict[str, list[Candidate]] = defaultdict(list)
    for (near, relation, type_, far), values in voices.items():
        found[near].append((-round(noisy_or(values), 6), relation, _TYPE_OF[type_], far))
    return found


# --- the projection --------------------------------------------------------------------------------------------------

_SAID = """
UNWIND $ids AS id MATCH (r:Relation {id: id}) WHERE r.status = 'active' AND r.polarity = 'affirmed'
MATCH (r)-[v:EVIDENCED_BY]->() MATCH (d:Document {id: v.document})
WITH r, d, max(v.confidence) AS confidence RETURN r.id, r.head, r.tail, r.type, d.class, confidence
"""
_REMOVE = """
UNWIND $ids AS id MATCH ()-[e:EDGE {relation: id}]->() USING INDEX e:EDGE(relation) DELETE e
"""
_DRAW = """
UNWIND $rows AS row MATCH (h:Statement {id: row.head}) MATCH (t:Statement {id: row.tail})
CREATE (h)-[e:EDGE]->(t) SET e = row.props
"""
_TYPES = "UNWIND $ids AS id MATCH (r:Relation {id: id}) RETURN r.type, collect(id)"


def project(tx: ManagedTransaction, relations: Iterable[str], *, new: Iterable[str] = ()) -> None:
    """Bring the edges of these relations up to date with their evidence, status and access classes.

    Those that are ``new`` have none yet.
    """
    ids = sorted(relations)
    for type_, old in fetch(tx, _TYPES, {"ids": sorted(set(ids).difference(new))}):
        name = EDGE_TYPES[RelationType(type_)]
        tx.run(_REMOVE.replace("EDGE", name), {"ids": sorted(old)}).consume()
    for name, drawn in sorted(due_edges(tx, ids).items()):
        tx.run(_DRAW.replace("EDGE", name), {"rows": drawn}).consume()


def due_edges(tx: ManagedTransaction, relations: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """The edges that relations should have, by relationship type: what their evidence says."""
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for edge in projected(tuple(row) for row in fetch(tx, _SAID, {"ids": list(relations)})):
        props = {
            "relation": edge.relation,
            "class": edge.access_class,
            "confidence": edge.confidence,
            "rounded": round(edge.confidence, 6),
            "shared": edge.shared,
        }
        rows[EDGE_TYPES[edge.type]].append({"head": edge.head, "tail": edge.tail, "props": props})
    return rows


__all__ = ["due_edges", "hop", "project"]
