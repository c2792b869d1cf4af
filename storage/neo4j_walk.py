"""One step of a walk over the Neo4j graph store, and the projection that makes it fast.

Between two statements runs one relationship per active affirmed relation and access class, of the type that the
relation's type has (CAUSES, PRECEDES, SUPPORTS, PROGRESSES_TO). A step is one query. Where some statement is a hub, a
second one ranks and cuts in the database. A narrowed scope (metadata, validity) is answered from evidence.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from storage.belief import noisy_or
from storage.hop import Candidate, combined, cut, projected
from storage.neo4j_database import Ask, fetch
from storage.neo4j_read import same_as
from storage.neo4j_schema import EDGE_TYPES
from storage.neo4j_scope import known, seen, visibly
from storage.ports import Hop
from storage.records import RelationType, SameAs, Scope

if TYPE_CHECKING:
    from neo4j import ManagedTransaction

# All edges come as one list of texts: the driver takes 60 µs for a row and 4 for a text (6 columns of 100 edges: 7 ms).
_LINE = "id + ' ' + e.relation + ' ' + type(e) + ' ' + FAR.id + ' ' + toString(e.confidence)"
_BOUNDED = "WITH EXISTS { MATCH (d:Document {bounded: true}) } AS bounded"

_ALL_AT_ONCE = f"""
{_BOUNDED}
UNWIND $ids AS id MATCH (s:Statement {{id: id}})EDGE()
WHERE (e.shared OR e.rounded >= $least) AND ($owner OR e.class IN $classes)
WITH bounded, id, e LIMIT $budget
RETURN bounded, collect({_LINE})
"""
# A relation of several classes is ranked by what those that are visible say, to the millionth. Where its rounding hangs
# on float noise, the relation is unsure and comes besides those of the limit, so that none is missing.
_CUT = f"""
{_BOUNDED}
UNWIND $ids AS id MATCH (s:Statement {{id: id}})
CALL (s) {{
  MATCH (s)EDGE() WHERE e.shared = false AND e.rounded >= $least AND ($owner OR e.class IN $classes)
  RETURN e ORDER BY e.rounded DESC, e.relation LIMIT $limit
  UNION ALL
  MATCH (s)EDGE() WHERE e.shared = true AND ($owner OR e.class IN $classes)
  WITH e.relation AS relation, collect(e) AS edges
  WITH relation, edges, 1000000 * (1 - reduce(doubt = 1.0, e IN edges | doubt * (1 - e.confidence))) + 0.5 AS value
  WITH relation, edges, floor(value) AS millionths, value % 1 > 0.9999 OR value % 1 < 0.0001 AS unsure
  ORDER BY unsure DESC, millionths DESC, relation
  WITH collect(edges) AS ranked, sum(CASE WHEN unsure THEN 1 ELSE 0 END) AS besides
  UNWIND ranked[..$limit + besides] AS edges UNWIND edges AS e RETURN e
}}
RETURN bounded, collect({_LINE})
"""
# ``d.class = e.class`` meets every document's evidence once, however many edges its relation has.
_FROM_EVIDENCE = visibly("""
UNWIND $ids AS id MATCH (s:Statement {id: id})EDGE(t)
MATCH (r:Relation {id: e.relation})-[v:EVIDENCED_BY]->() MATCH (d:Document {id: v.document})
WHERE d.class = e.class AND VISIBLE
WITH id, e.relation AS relation, type(e) AS type, t.id AS far, d, max(v.confidence) AS confidence
RETURN collect(id + ' ' + relation + ' ' + type + ' ' + far + ' ' + toString(confidence))
""")
_VOICES = visibly("""
UNWIND $ids AS id MATCH (r:Relation {id: id})-[v:EVIDENCED_BY]->() MATCH (d:Document {id: v.document}) WHERE VISIBLE
RETURN id, d.id, max(v.confidence)
""")
_TYPE_OF = {name: type_ for type_, name in EDGE_TYPES.items()}

_BUDGET, _BUDGET_EACH = 512, 16
"""Edges up to which a hop is read as it is, for all and for each statement. Beyond, some statement is a hub."""


class _Queries(NamedTuple):
    all_at_once: str
    cut: str
    from_evidence: str


def _by_types() -> dict[tuple[frozenset[RelationType], bool], _Queries]:
    """The queries for every set of types and both directions: a pattern's types cannot be a parameter."""
    found = {}
    for size in range(1, len(EDGE_TYPES) + 1):
        for types in combinations(EDGE_TYPES, size):
            pattern = f"[e:{'|'.join(EDGE_TYPES[type_] for type_ in types)}]"
            for forward, edge, far in ((True, f"-{pattern}->", "endNode(e)"), (False, f"<-{pattern}-", "startNode(e)")):
                found[frozenset(types), forward] = _Queries(
                    *(q.replace("EDGE", edge).replace("FAR", far) for q in (_ALL_AT_ONCE, _CUT, _FROM_EVIDENCE))
                )
    return found


_QUERIES = _by_types()


class Neo4jSteps:
    """What a walk asks, with one query each; see :class:`storage.ports.Steps`."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

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
        if not types:
            return Hop(edges=(), truncated=frozenset())
        queries, ids = _QUERIES[frozenset(types), forward], known(statement_ids)
        budget = _BUDGET + _BUDGET_EACH * len(ids)
        parameters = seen(scope, ids=ids, least=min_confidence, limit=fan_out + 1, budget=budget)
        found = None if scope.tags or scope.bounded else _from_projection(self._ask, queries, parameters)
        if found is None:
            found = _from_evidence(self._ask, queries, parameters)
        return cut(found, forward=forward, min_confidence=min_confidence, fan_out=fan_out)

    def same_as(self, statement_ids: Sequence[str], scope: Scope) -> list[SameAs]:
        """The links of these statements to visible statements."""
        return same_as(self._ask, statement_ids, scope)


def _from_projection(ask: Ask, queries: _Queries, parameters: Mapping[str, Any]) -> dict[str, list[Candidate]] | None:
    """What can be followed from each statement; None if some document has become valid only for a time."""
    rows = ask(queries.all_at_once, parameters)
    if rows and not rows[0][0] and len(rows[0][1]) >= parameters["budget"]:
        rows = ask(queries.cut, parameters)
    if not rows:
        return {}
    bounded, lines = rows[0]
    if bounded:
        return None

    def voices(doubtful: set[str]) -> dict[str, list[float]]:
        said: dict[str, list[float]] = defaultdict(list)
        for relation, _, confidence in ask(_VOICES, {**parameters, "ids": sorted(doubtful)}):
            said[relation].append(confidence)
        return said

    parts = _parts(lines)
    confidences = combined({edge[1]: values for edge, values in parts.items()}, voices)
    return _candidates((edge, confidences[edge[1]]) for edge in parts)


def _from_evidence(ask: Ask, queries: _Queries, parameters: Mapping[str, Any]) -> dict[str, list[Candidate]]:
    [[lines]] = ask(queries.from_evidence, parameters)
    return _candidates((edge, round(noisy_or(values), 6)) for edge, values in _parts(lines).items())


_Line = tuple[str, ...]
"""Near statement, relation, type, far statement."""


def _parts(lines: Iterable[str]) -> dict[_Line, list[float]]:
    """The confidences of each edge."""
    found: dict[_Line, list[float]] = defaultdict(list)
    for line in lines:
        *edge, confidence = line.split(" ")
        found[tuple(edge)].append(float(confidence))
    return found


def _candidates(edges: Iterable[tuple[_Line, float]]) -> dict[str, list[Candidate]]:
    found: dict[str, list[Candidate]] = defaultdict(list)
    for (near, relation, type_, far), confidence in edges:
        found[near].append((-confidence, relation, _TYPE_OF[type_], far))
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


__all__ = ["Neo4jSteps", "due_edges", "project"]
