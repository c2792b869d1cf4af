"""A person's verdicts in the embedded graph store: a status by id, which everything that works statuses out leaves."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Sequence

from storage.embedded_ledger import append, put_chains
from storage.embedded_rows import EVIDENCE_COLUMNS, RELATION_COLUMNS, Row, evidence_of, id_list, relation_of
from storage.embedded_truth import refresh_chains, refresh_relations
from storage.embedded_walk import project
from storage.errors import NotFoundError
from storage.held import Held, HeldChain, HeldLink, HeldRelation, Judgement
from storage.identity import check_prefix, is_id
from storage.journal import moved_entries
from storage.ports import LedgerDraft
from storage.records import Chain, RelationStatus, SameAs

_ACTIVE, _REJECTED, _RETIRED = RelationStatus.ACTIVE, RelationStatus.REJECTED, RelationStatus.RETIRED

# What is asked for is put in the place of FOUND: a query for its ids, one of the three below.
_RELATIONS = f"""
SELECT {RELATION_COLUMNS}, r.status FROM (FOUND) AS f CROSS JOIN relation AS r WHERE r.id = f.id ORDER BY r.id
"""  # noqa: S608 - constants
_CHAINS = """
SELECT c.id, c.status, c.accepted, l.relation FROM (FOUND) AS f CROSS JOIN chain AS c CROSS JOIN chain_link AS l
WHERE c.id = f.id AND l.chain = c.id ORDER BY c.id, l.position
"""
_NAMED = "SELECT value AS id FROM json_each(:ids)"
_NAMED_REJECTED = (
    "SELECT x.id FROM json_each(:ids) AS j CROSS JOIN TABLE AS x WHERE x.id = j.value AND x.status = 'rejected'"
)
_ALL_REJECTED = "SELECT id FROM TABLE WHERE status = 'rejected'"
_EVIDENCE = f"""
SELECT {EVIDENCE_COLUMNS} FROM json_each(:ids) AS f CROSS JOIN evidence AS v
WHERE v.relation = f.value ORDER BY v.relation, v.document, v.id
"""  # noqa: S608 - constants


def held(connection: sqlite3.Connection, ids: Sequence[str]) -> Held:
    """The relations, chains and same_as links with these ids, whatever their status."""
    listed = {"ids": id_list(ids)}
    wanted = {id_ for id_ in ids if is_id(id_, "lnk")}
    return Held(
        relations=_relations(connection.execute(_RELATIONS.replace("FOUND", _NAMED), listed)),
        chains=_chains(connection.execute(_CHAINS.replace("FOUND", _NAMED), listed)),
        links=tuple(found for found in _links(connection) if found.link.id in wanted) if wanted else (),
        evidence=tuple(map(evidence_of, connection.execute(_EVIDENCE, listed))),
    )


def rejected(connection: sqlite3.Connection, ids: Sequence[str] | None) -> Held:
    """Those of these things that a person rejected; None: all of them."""
    wanted = None if ids is None else set(ids)
    found = _ALL_REJECTED if wanted is None else _NAMED_REJECTED
    listed = {"ids": id_list(wanted or ())}
    relations, chains = (
        connection.execute(query.replace("FOUND", found.replace("TABLE", table)), listed)
        for query, table in ((_RELATIONS, "relation"), (_CHAINS, "chain"))
    )
    return Held(
        relations=_relations(relations),
        chains=_chains(chains),
        links=tuple(h for h in _links(connection, only_rejected=True) if wanted is None or h.link.id in wanted),
    )


def held_ids_starting(connection: sqlite3.Connection, prefix: str, *, limit: int) -> list[str]:
    """Ids of relations, chains and same_as links of any status that start with ``prefix``, ascending."""
    low, high = check_prefix(prefix)
    if prefix.startswith("lnk_"):  # an id that is in no column: a person asks for one now and then
        return sorted(found.link.id for found in _links(connection) if low <= found.link.id < high)[:limit]
    table = {"rel": "relation", "chn": "chain"}.get(prefix[:3])
    if table is None:
        return []
    query = f"SELECT id FROM {table} WHERE id >= ? AND id < ? ORDER BY id LIMIT ?"  # noqa: S608 - a constant
    return [id_ for (id_,) in connection.execute(query, (low, high, limit))]


def judge(connection: sqlite3.Connection, subjects: Held, entry: LedgerDraft, *, rejected: bool) -> Judgement:
    """Reject relations, chains and links, or take that back; see :meth:`storage.ports.GraphStore.judge`."""
    _check(connection, subjects)
    relations = [h.relation.id for h in subjects.relations]
    chains = put_chains(connection, [Chain(relation_ids=h.relation_ids) for h in subjects.chains])
    was_active = _of_status(connection, "chain", chains, _ACTIVE)
    # Taken back, a thing begins as retired, and what its evidence earns is worked out below.
    before, after = ("%", _REJECTED) if rejected else (_REJECTED.value, _RETIRED)
    for table, ids in (("relation", relations), ("chain", chains)):
        connection.executemany(
            f"UPDATE {table} SET status = ? WHERE id = ? AND status LIKE ?",  # noqa: S608 - a constant
            [(after, id_, before) for id_ in ids],
        )
    connection.executemany(
        "UPDATE same_as SET status = ? WHERE first = ? AND second = ?",
        [(_REJECTED if rejected else _ACTIVE, h.link.first, h.link.second) for h in subjects.links],
    )
    refresh_relations(connection, relations)
    project(connection, relations)
    crossing = connection.execute("SELECT id FROM chain WHERE accepted = 1").fetchall() if subjects.links else []
    moved = refresh_chains(connection, [*chains, *(id_ for (id_,) in crossing)], relations)
    written = append(connection, entry)
    for draft in moved_entries(moved, entry, but=chains):
        append(connection, draft)
    return Judgement(
        entry=written,
        retired=tuple(sorted({*moved.retired, *(was_active if rejected else ())})),
        restored=moved.restored,
    )


def reject_links(connection: sqlite3.Connection, ids: Sequence[str]) -> None:
    """Say of the links with these ids that a person rejected them, and of all others that nobody did."""
    connection.execute("UPDATE same_as SET status = ? WHERE status <> ?", (_ACTIVE, _ACTIVE))
    wanted = set(ids)
    pairs = [(h.link.first, h.link.second) for h in _links(connection) if h.link.id in wanted] if wanted else []
    connection.executemany(
        "UPDATE same_as SET status = ? WHERE first = ? AND second = ?", [(_REJECTED, *pair) for pair in pairs]
    )


def _check(connection: sqlite3.Connection, subjects: Held) -> None:
    named = {h.relation.id for h in subjects.relations} | {r for h in subjects.chains for r in h.relation_ids}
    query = "SELECT r.id FROM json_each(?) AS f CROSS JOIN relation AS r WHERE r.id = f.value"
    missing = named - {id_ for (id_,) in connection.execute(query, (id_list(named),))}
    for h in subjects.links:
        query = "SELECT 1 FROM same_as WHERE first = ? AND second = ?"
        if connection.execute(query, (h.link.first, h.link.second)).fetchone() is None:
            missing.add(h.link.id)
    if missing:
        raise NotFoundError(f"The store has no {', '.join(sorted(missing))}, so nothing can be decided about it.")


def _of_status(connection: sqlite3.Connection, table: str, ids: Sequence[str], status: str) -> list[str]:
    query = f"SELECT t.id FROM json_each(?) AS f CROSS JOIN {table} AS t WHERE t.id = f.value AND t.status = ?"  # noqa: S608
    return [id_ for (id_,) in connection.execute(query, (id_list(ids), status))]


def _relations(rows: sqlite3.Cursor) -> tuple[HeldRelation, ...]:
    return tuple(HeldRelation(relation=relation_of(row[:-1]), status=row[-1]) for row in rows)


def _chains(rows: sqlite3.Cursor) -> tuple[HeldChain, ...]:
    links: dict[str, list[str]] = defaultdict(list)
    about: dict[str, Row] = {}
    for id_, status, accepted, relation in rows:
        links[id_].append(relation)
        about[id_] = (status, bool(accepted))
    return tuple(
        HeldChain(relation_ids=tuple(links[id_]), status=status, accepted=accepted)
        for id_, (status, accepted) in sorted(about.items())
    )


def _links(connection: sqlite3.Connection, *, only_rejected: bool = False) -> list[HeldLink]:
    some = "WHERE status = 'rejected'" if only_rejected else ""
    rows = connection.execute(f"SELECT first, second, score, origin, status FROM same_as {some}")  # noqa: S608 - constants
    found = [
        HeldLink(link=SameAs(first=first, second=second, score=score, origin=origin), status=status)
        for first, second, score, origin, status in rows
    ]
    return sorted(found, key=lambda h: h.link.id)


__all__ = ["held", "held_ids_starting", "judge", "reject_links", "rejected"]
