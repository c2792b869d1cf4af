"""The journal, the proposals and the ledger of the Neo4j graph store, which share its transactions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from storage import journal
from storage.encoding import record_json, record_of, to_micros
from storage.errors import ProposalError, StoreError
from storage.identity import is_id
from storage.neo4j_database import fetch
from storage.neo4j_rows import chain_node, readable
from storage.neo4j_truth import refresh_chains
from storage.ports import Change, ChangeReceipt, Failure, Intent, LedgerDraft
from storage.receipt import Receipt
from storage.records import Chain, LedgerEntry, Proposal, ProposalStatus
from storage.truth import ChangedChains

if TYPE_CHECKING:
    from neo4j import ManagedTransaction

# --- journal ---------------------------------------------------------------------------------------------------------

_BEGIN = """
MATCH (w:ClewStore {id: 'writer'}) SET w.begun = coalesce(w.begun, 0) + 1
CREATE (i:Intent {id: $id, name: 'intent', position: w.begun, record: $record, committed: $committed})
"""


def begin(tx: ManagedTransaction, intent: Intent) -> None:
    """Record an intent."""
    if fetch(tx, "MATCH (i:Intent {id: $id}) RETURN 1", {"id": intent.id}):
        raise StoreError(f"intent {intent.id} is already open. Finish it before another begins under this id.")
    values = {"id": intent.id, "record": record_json(intent), "committed": intent.committed}
    tx.run(_BEGIN, values).consume()


def mark_committed(tx: ManagedTransaction, intent_id: str) -> None:
    """Say in the transaction that does what an intent wants that it is done."""
    if not fetch(tx, "MATCH (i:Intent {id: $id}) SET i.committed = true RETURN 1", {"id": intent_id}):
        raise StoreError(f"intent {intent_id} is not open: begin it before committing its change.")


def finish(tx: ManagedTransaction, intent_id: str) -> bool:
    """Close an intent; whether it was open."""
    return bool(fetch(tx, "MATCH (i:Intent {id: $id}) DELETE i RETURN 1", {"id": intent_id}))


def open_intents(tx: ManagedTransaction) -> list[Intent]:
    """Intents that were begun and not finished, oldest first."""
    rows = fetch(tx, "MATCH (i:Intent) RETURN i.record, i.committed ORDER BY i.position")
    return [record_of(Intent, record).model_copy(update={"committed": committed}) for record, committed in rows]


def record_failures(tx: ManagedTransaction, failures: Sequence[Failure], cleared: Sequence[str]) -> None:
    """Forget the failures of the sources in ``cleared``, then remember new ones in the place of older ones."""
    tx.run("UNWIND $ids AS id MATCH (f:Failure {source: id}) DELETE f", {"ids": sorted(set(cleared))}).consume()
    rows = {f.source_id: {"name": readable(f.path), "record": record_json(f)} for f in failures}
    tx.run(
        "UNWIND $rows AS row MERGE (f:Failure {source: row.source}) SET f += row.props",
        {"rows": [{"source": id_, "props": props} for id_, props in sorted(rows.items())]},
    ).consume()


def failures(tx: ManagedTransaction) -> list[Failure]:
    """Inputs that could not be taken in, by (namespace, path)."""
    found = [record_of(Failure, record) for (record,) in fetch(tx, "MATCH (f:Failure) RETURN f.record")]
    return sorted(found, key=lambda f: (f.namespace, f.path))


# --- ledger ----------------------------------------------------------------------------------------------------------


def append(tx: ManagedTransaction, draft: LedgerDraft) -> LedgerEntry:
    """Write the next entry, chained to the one before."""
    last = fetch(tx, "MATCH (w:ClewStore {id: 'writer'}) WHERE w.entries > 0 RETURN w.entries - 1, w.last_hash")
    entry = journal.chained(draft, (last[0][0], last[0][1]) if last else None)
    put_entry(tx, entry)
    return entry


def put_entry(tx: ManagedTransaction, entry: LedgerEntry) -> None:
    """Write an entry as the last one."""
    tx.run(
        "MATCH (w:ClewStore {id: 'writer'}) SET w.entries = $position + 1, w.last_hash = $hash "
        "CREATE (l:LedgerEntry {position: $position, name: $name, hash: $hash, record: $record})",
        {"position": entry.position, "hash": entry.hash, "name": readable(entry.action), "record": record_json(entry)},
    ).consume()


def ledger(tx: ManagedTransaction) -> list[LedgerEntry]:
    """Every entry in order."""
    rows = fetch(tx, "MATCH (l:LedgerEntry) RETURN l.record ORDER BY l.position")
    return [record_of(LedgerEntry, record) for (record,) in rows]


def put_receipts(tx: ManagedTransaction, receipts: Iterable[Receipt]) -> None:
    """Store receipts; one of equal content, id included, may be there already."""
    rows = [{"id": r.id, "name": "receipt", "at": to_micros(r.at), "record": record_json(r)} for r in receipts]
    tx.run("UNWIND $rows AS row MERGE (r:Receipt {id: row.id}) SET r = row", {"rows": rows}).consume()


def receipts(tx: ManagedTransaction) -> list[Receipt]:
    """The receipts of all removals, oldest first."""
    rows = fetch(tx, "MATCH (r:Receipt) RETURN r.record ORDER BY r.at, r.id")
    return [record_of(Receipt, record) for (record,) in rows]


def documents_of(tx: ManagedTransaction, source_ids: Iterable[str]) -> dict[str, list[str]]:
    """The documents of those of these sources that are there, all versions."""
    found: dict[str, list[str]] = {}
    query = "UNWIND $ids AS id MATCH (:Source {id: id})-->(d:Document) RETURN id, d.id"
    for source, document in fetch(tx, query, {"ids": sorted(set(source_ids))}):
        found.setdefault(source, []).append(document)
    return found


def note_change(
    tx: ManagedTransaction,
    change: Change,
    went: ChangeReceipt,
    removed: Mapping[str, Iterable[str]],
    chains: ChangedChains,
) -> ChangeReceipt:
    """Write up what a change did, in its transaction: the receipt of a removal, and the ledger."""
    receipt = journal.removal_receipt(change, went, removed)
    if receipt is not None:
        put_receipts(tx, [receipt])
        append(tx, journal.removal_entry(receipt))
    for entry in journal.moved_entries(chains, change):
        append(tx, entry)
    return went if receipt is None else went.model_copy(update={"receipt": receipt.id})


# --- proposals -------------------------------------------------------------------------------------------------------


def proposals(tx: ManagedTransaction, statuses: Iterable[ProposalStatus] | None) -> list[Proposal]:
    """Proposals of these statuses (None: of any), oldest first, ties by id."""
    wanted = list(ProposalStatus) if statuses is None else list(statuses)
    rows = fetch(
        tx,
        "MATCH (p:Proposal) WHERE p.status IN $statuses RETURN p.record ORDER BY p.proposed_at, p.id",
        {"statuses": [status.value for status in wanted]},
    )
    return [record_of(Proposal, record) for (record,) in rows]


def put_proposals(tx: ManagedTransaction, stored: Iterable[Proposal]) -> None:
    """Store proposals in the place of their older states."""
    rows = {
        p.id: {"name": p.status.value, "status": p.status.value, "proposed_at": to_micros(p.proposed_at),
               "record": record_json(p)}
        for p in stored
    }  # fmt: skip
    tx.run(
        "UNWIND $rows AS row MERGE (p:Proposal {id: row.id}) SET p += row.props",
        {"rows": [{"id": id_, "props": props} for id_, props in sorted(rows.items())]},
    ).consume()


def decide(
    tx: ManagedTransaction,
    stored: Sequence[Proposal],
    entry: LedgerDraft,
    *,
    accepted: Sequence[Chain],
    withdrawn: Sequence[str],
) -> LedgerEntry:
    """Store proposals, activate and withdraw derived chains, write the ledger."""
    put_proposals(tx, stored)
    _check_links(tx, accepted)
    ids = put_chains(tx, accepted)
    # A person who accepts a chain takes back an earlier rejection of it.
    tx.run(
        "UNWIND $ids AS id MATCH (c:Chain {id: id}) SET c.accepted = true, "
        "c.status = CASE c.status WHEN 'rejected' THEN 'retired' ELSE c.status END",
        {"ids": ids},
    ).consume()
    tx.run(
        "UNWIND $ids AS id MATCH (c:Chain {id: id}) REMOVE c.accepted", {"ids": sorted(filter(is_id, withdrawn))}
    ).consume()
    refresh_chains(tx, [*ids, *withdrawn], ())
    return append(tx, entry)


_PUT_CHAINS = "UNWIND $rows AS row CREATE (c:Chain) SET c = row"
_PUT_LINKS = """
UNWIND $rows AS row MATCH (c:Chain {id: row.chain}) MATCH (r:Relation {id: row.relation})
CREATE (c)-[:LINK {position: row.position}]->(r) RETURN count(*)
"""


def put_chains(tx: ManagedTransaction, chains: Iterable[Chain]) -> list[str]:
    """Insert chains that are not there yet, retired until their status is worked out; the ids of all, sorted."""
    by_id = {chain.id: chain for chain in chains}
    there = {
        id_ for (id_,) in fetch(tx, "UNWIND $ids AS id MATCH (c:Chain {id: id}) RETURN id", {"ids": sorted(by_id)})
    }  # fmt: skip
    new = [chain for id_, chain in sorted(by_id.items()) if id_ not in there]
    if new:
        tx.run(_PUT_CHAINS, {"rows": [chain_node(chain) for chain in new]}).consume()
        links = [
            {"chain": chain.id, "relation": link, "position": place}
            for chain in new
            for place, link in enumerate(chain.relation_ids)
        ]
        if fetch(tx, _PUT_LINKS, {"rows": links})[0][0] != len(links):
            raise StoreError("a chain names a relation that is not in the store; nothing of this step was kept.")
    return sorted(by_id)


def _check_links(tx: ManagedTransaction, chains: Sequence[Chain]) -> None:
    links = {link for chain in chains for link in chain.relation_ids}
    rows = fetch(tx, "UNWIND $ids AS id MATCH (r:Relation {id: id}) RETURN id", {"ids": sorted(links)})
    missing = sorted(links - {id_ for (id_,) in rows})
    if missing:
        raise ProposalError(f"a chain cannot be accepted: the store has no relation {', '.join(missing)}.")


__all__ = [
    "append",
    "begin",
    "decide",
    "documents_of",
    "failures",
    "finish",
    "ledger",
    "mark_committed",
    "note_change",
    "open_intents",
    "proposals",
    "put_chains",
    "put_entry",
    "put_proposals",
    "put_receipts",
    "receipts",
    "record_failures",
]
