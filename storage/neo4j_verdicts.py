"""A person's verdicts in the Neo4j graph store: a status by id, which everything that works statuses out leaves.

On a relationship SAME_AS the status is there only if it is rejected.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from storage.errors import NotFoundError
from storage.held import Held, HeldChain, HeldLink, HeldRelation, Judgement
from storage.identity import check_prefix, is_id
from storage.journal import moved_entries
from storage.neo4j_database import Row, fetch
from storage.neo4j_ledger import append, put_chains
from storage.neo4j_rows import RELATION, evidence_of, relation_of
from storage.neo4j_scope import known
from storage.neo4j_truth import refresh_chains, refresh_relations
from storage.neo4j_walk import project
from storage.ports import LedgerDraft
from storage.records import Chain, RelationStatus, SameAs

if TYPE_CHECKING:
    from neo4j import ManagedTransaction

_BY_ID = "UNWIND $ids AS id MATCH (n:{} {{id: id}})"
_RELATIONS = f"WITH n, n AS r RETURN {RELATION}, n.status ORDER BY n.id"
_CHAINS = "RETURN n.links, n.status, n.accepted IS NOT NULL ORDER BY n.id"
_EVIDENCE = "UNWIND $ids AS id MATCH (r:Relation {id: id})-[v:EVIDENCED_BY]->() RETURN r.id, properties(v)"
_REJECTED = "WHERE n.status = 'rejected'"


def held(tx: ManagedTransaction, ids: Sequence[str]) -> Held:
    """The relations, chains and same_as links with these ids, whatever their status."""
    listed = {"ids": known(ids)}
    evidence = [evidence_of(relation, found) for relation, found in fetch(tx, _EVIDENCE, listed)]
    wanted = {id_ for id_ in ids if is_id(id_, "lnk")}
    return Held(
        relations=_relations(fetch(tx, f"{_BY_ID.format('Relation')} {_RELATIONS}", listed)),
        chains=_chains(fetch(tx, f"{_BY_ID.format('Chain')} {_CHAINS}", listed)),
        links=tuple(found for found in _links(tx) if found.link.id in wanted) if wanted else (),
        evidence=tuple(sorted(evidence, key=lambda e: (e.relation_id, e.document_id, e.id))),
    )


def rejected(tx: ManagedTransaction, ids: Sequence[str] | None) -> Held:
    """Those of these things that a person rejected; None: all of them."""
    listed = {"ids": known(ids or ())}
    which = "MATCH (n:{})" if ids is None else _BY_ID
    wanted = None if ids is None else set(ids)
    return Held(
        relations=_relations(fetch(tx, f"{which.format('Relation')} {_REJECTED} {_RELATIONS}", listed)),
        chains=_chains(fetch(tx, f"{which.format('Chain')} {_REJECTED} {_CHAINS}", listed)),
        links=tuple(h for h in _links(tx, "{status: 'rejected'}") if wanted is None or h.link.id in wanted),
    )


def held_ids_starting(tx: ManagedTransaction, prefix: str, *, limit: int) -> list[str]:
    """Ids of relations, chains and same_as links of any status that start with ``prefix``, ascending."""
    low, high = check_prefix(prefix)
    if prefix.startswith("lnk_"):  # an id that no relationship has: a person asks for one now and then
        return sorted(found.link.id for found in _links(tx) if low <= found.link.id < high)[:limit]
    label = {"rel": "Relation", "chn": "Chain"}.get(prefix[:3])
    if label is None:
        return []
    query = f"MATCH (n:{label}) WHERE n.id >= $low AND n.id < $high RETURN n.id ORDER BY n.id LIMIT $limit"
    return [id_ for (id_,) in fetch(tx, query, {"low": low, "high": high, "limit": limit})]


def judge(tx: ManagedTransaction, subjects: Held, entry: LedgerDraft, *, rejected: bool) -> Judgement:
    """Reject relations, chains and links, or take that back; see :meth:`storage.ports.GraphStore.judge`."""
    _check(tx, subjects)
    relations = sorted(h.relation.id for h in subjects.relations)
    chains = put_chains(tx, [Chain(relation_ids=h.relation_ids) for h in subjects.chains])
    query = f"{_BY_ID.format('Chain')} WHERE n.status = 'active' RETURN n.id"
    was_active = [id_ for (id_,) in fetch(tx, query, {"ids": chains})]
    # Taken back, a thing begins as retired, and what its evidence earns is worked out below.
    change = "SET n.status = 'rejected'" if rejected else f"{_REJECTED} SET n.status = 'retired'"
    for label, ids in (("Relation", relations), ("Chain", chains)):
        tx.run(f"{_BY_ID.format(label)} {change}", {"ids": ids}).consume()
    _set_links(tx, [h.link for h in subjects.links], rejected=rejected)
    refresh_relations(tx, relations)
    project(tx, relations)
    crossing = fetch(tx, "MATCH (c:Chain {accepted: true}) RETURN c.id") if subjects.links else []
    moved = refresh_chains(tx, [*chains, *(id_ for (id_,) in crossing)], relations)
    written = append(tx, entry)
    for draft in moved_entries(moved, entry, but=chains):
        append(tx, draft)
    return Judgement(
        entry=written,
        retired=tuple(sorted({*moved.retired, *(was_active if rejected else ())})),
        restored=moved.restored,
    )


def reject_links(tx: ManagedTransaction, ids: Sequence[str]) -> None:
    """Say of the links with these ids that a person rejected them, and of all others that nobody did."""
    tx.run("MATCH (:Statement)-[a:SAME_AS {status: 'rejected'}]->(:Statement) REMOVE a.status").consume()
    wanted = set(ids)
    if wanted:
        _set_links(tx, [found.link for found in _links(tx) if found.link.id in wanted], rejected=True)


def _set_links(tx: ManagedTransaction, links: Sequence[SameAs], *, rejected: bool) -> None:
    rows = [{"first": link.first, "second": link.second} for link in links]
    query = "UNWIND $rows AS row MATCH (:Statement {id: row.first})-[a:SAME_AS]->(:Statement {id: row.second})"
    tx.run(f"{query} {'SET a.status = $status' if rejected else 'REMOVE a.status'}",
           {"rows": rows, "status": RelationStatus.REJECTED.value}).consume()  # fmt: skip


def _check(tx: ManagedTransaction, subjects: Held) -> None:
    named = {h.relation.id for h in subjects.relations} | {r for h in subjects.chains for r in h.relation_ids}
    query = f"{_BY_ID.format('Relation')} RETURN n.id"
    missing = named - {id_ for (id_,) in fetch(tx, query, {"ids": sorted(named)})}
    if subjects.links:
        missing.update({h.link.id for h in subjects.links} - {h.link.id for h in _links(tx)})
    if missing:
        raise NotFoundError(f"The store has no {', '.join(sorted(missing))}, so nothing can be decided about it.")


def _relations(rows: Sequence[Row]) -> tuple[HeldRelation, ...]:
    return tuple(HeldRelation(relation=relation_of(found), status=status) for found, status in rows)


def _chains(rows: Sequence[Row]) -> tuple[HeldChain, ...]:
    return tuple(
        HeldChain(relation_ids=tuple(links), status=status, accepted=accepted) for links, status, accepted in rows
    )


def _links(tx: ManagedTransaction, which: str = "") -> list[HeldLink]:
    rows = fetch(
        tx, f"MATCH (f:Statement)-[a:SAME_AS{which}]->(s:Statement) RETURN f.id, s.id, a.score, a.origin, a.status"
    )
    found = [
        HeldLink(
            link=SameAs(first=first, second=second, score=score, origin=origin),
            status=RelationStatus(status or RelationStatus.ACTIVE),
        )
        for first, second, score, origin, status in rows
    ]
    return sorted(found, key=lambda h: h.link.id)


__all__ = ["held", "held_ids_starting", "judge", "reject_links", "rejected"]
