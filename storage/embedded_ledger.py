"""The journal, the proposals and the ledger of the embedded graph store, which share its transactions."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence

from storage import journal
from storage.embedded_rows import Row, id_list
from storage.embedded_truth import refresh_chains
from storage.encoding import from_micros, from_text, record_json, to_json, to_micros, to_text
from storage.errors import ProposalError, StoreError
from storage.ports import Change, ChangeReceipt, Failure, Intent, LedgerDraft
from storage.receipt import Receipt
from storage.records import Chain, LedgerEntry, Proposal, ProposalStatus, RelationStatus
from storage.truth import ChangedChains

# --- journal ---------------------------------------------------------------------------------------------------------


def begin(connection: sqlite3.Connection, intent: Intent) -> None:
    """Record an intent."""
    if connection.execute("SELECT 1 FROM intent WHERE id = ?", (intent.id,)).fetchone():
        raise StoreError(f"intent {intent.id} is already open. Finish it before another begins under this id.")
    connection.execute(
        "INSERT INTO intent (id, adds, removes, updates, committed, at) VALUES (?, ?, ?, ?, ?, ?)",
        (
            intent.id,
            to_json(intent.adds),
            to_json(intent.removes),
            to_json(intent.updates),
            intent.committed,
            to_micros(intent.at),
        ),
    )


def mark_committed(connection: sqlite3.Connection, intent_id: str) -> None:
    """Say in the transaction that does what an intent wants that it is done."""
    if connection.execute("UPDATE intent SET committed = 1 WHERE id = ?", (intent_id,)).rowcount != 1:
        raise StoreError(f"intent {intent_id} is not open: begin it before committing its change.")


def open_intents(connection: sqlite3.Connection) -> list[Intent]:
    """Intents that were begun and not finished, oldest first."""
    rows = connection.execute("SELECT id, adds, removes, updates, committed, at FROM intent ORDER BY position")
    return [
        Intent.model_validate(
            {
                "id": id_,
                "adds": json.loads(adds),
                "removes": json.loads(removes),
                "updates": json.loads(updates),
                "committed": bool(committed),
                "at": from_micros(at),
            }
        )
        for id_, adds, removes, updates, committed, at in rows
    ]


def hidden_documents(connection: sqlite3.Connection) -> frozenset[str]:
    """Documents of open intents: those being added until the commit, those removed and not added again after it."""
    return journal.hidden_documents(open_intents(connection))


def phase(connection: sqlite3.Connection) -> tuple[int, int, int]:
    """How many intents were ever begun, how many of them are open, and how many of those are committed."""
    begun = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'intent'").fetchone()
    unfinished, committed = connection.execute("SELECT count(*), total(committed) FROM intent").fetchone()
    return begun[0] if begun else 0, unfinished, int(committed)


def record_failures(connection: sqlite3.Connection, failures: Sequence[Failure], cleared: Sequence[str]) -> None:
    """Forget the failures of the sources in ``cleared``, then remember new ones in the place of older ones."""
    connection.execute("DELETE FROM failure WHERE source IN (SELECT value FROM json_each(?))", (id_list(cleared),))
    connection.executemany(
        "INSERT OR REPLACE INTO failure VALUES (?, ?, ?, ?, ?)",
        [(f.source_id, to_text(f.namespace), to_text(f.path), to_text(f.reason), to_micros(f.at)) for f in failures],
    )


def failures(connection: sqlite3.Connection) -> list[Failure]:
    """Inputs that could not be taken in, by (namespace, path)."""
    rows = connection.execute("SELECT source, namespace, path, reason, at FROM failure").fetchall()
    found = [
        Failure.model_validate(
            {
                "source_id": source,
                "namespace": from_text(namespace),
                "path": from_text(path),
                "reason": from_text(reason),
                "at": from_micros(at),
            }
        )
        for source, namespace, path, reason, at in rows
    ]
    return sorted(found, key=lambda f: (f.namespace, f.path))


# --- ledger ----------------------------------------------------------------------------------------------------------


def append(connection: sqlite3.Connection, draft: LedgerDraft) -> LedgerEntry:
    """Write the next entry, chained to the one before."""
    last = connection.execute("SELECT position, hash FROM ledger ORDER BY position DESC LIMIT 1").fetchone()
    entry = journal.chained(draft, last)
    connection.execute("INSERT INTO ledger VALUES (?, ?, ?)", (entry.position, entry.hash, record_json(entry)))
    return entry


def ledger(connection: sqlite3.Connection) -> Iterator[LedgerEntry]:
    """Every entry in order."""
    for (record,) in connection.execute("SELECT record FROM ledger ORDER BY position"):
        yield LedgerEntry.model_validate(json.loads(record))


def put_receipts(connection: sqlite3.Connection, receipts: Iterable[Receipt]) -> None:
    """Store receipts; one of equal content, id included, may be there already."""
    connection.executemany(
        "INSERT OR REPLACE INTO receipt VALUES (?, ?, ?)", [(r.id, to_micros(r.at), record_json(r)) for r in receipts]
    )


def receipts(connection: sqlite3.Connection) -> list[Receipt]:
    """The receipts of all removals, oldest first."""
    rows = connection.execute("SELECT record FROM receipt ORDER BY at, id")
    return [Receipt.model_validate(json.loads(record)) for (record,) in rows]


def documents_of(connection: sqlite3.Connection, source_ids: Iterable[str]) -> dict[str, list[str]]:
    """The documents of those of these sources that are there, all versions."""
    found: dict[str, list[str]] = {}
    query = "SELECT d.source, d.id FROM json_each(?) AS f CROSS JOIN document AS d WHERE d.source = f.value"
    for source, document in connection.execute(query, (id_list(source_ids),)):
        found.setdefault(source, []).append(document)
    return found


def note_change(
    connection: sqlite3.Connection,
    change: Change,
    went: ChangeReceipt,
    removed: Mapping[str, Iterable[str]],
    chains: ChangedChains,
) -> ChangeReceipt:
    """Write up what a change did, in its transaction: the receipt of a removal, and the ledger."""
    receipt = journal.removal_receipt(change, went, removed)
    if receipt is not None:
        put_receipts(connection, [receipt])
        append(connection, journal.removal_entry(receipt))
    for entry in journal.moved_entries(chains, change):
        append(connection, entry)
    return went if receipt is None else went.model_copy(update={"receipt": receipt.id})


# --- proposals -------------------------------------------------------------------------------------------------------


def proposals(connection: sqlite3.Connection, statuses: Iterable[ProposalStatus] | None) -> list[Proposal]:
    """Proposals of these statuses (None: of any), oldest first, ties by id."""
    wanted = list(ProposalStatus) if statuses is None else list(statuses)
    rows = connection.execute(
        "SELECT record FROM proposal WHERE status IN (SELECT value FROM json_each(?)) ORDER BY proposed_at, id",
        (id_list(wanted),),
    )
    return [Proposal.model_validate(json.loads(record)) for (record,) in rows]


def put_proposals(connection: sqlite3.Connection, stored: Iterable[Proposal]) -> None:
    """Store proposals in the place of their older states."""
    connection.executemany(
        "INSERT INTO proposal VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
        " status = excluded.status, proposed_at = excluded.proposed_at, record = excluded.record",
        [(p.id, p.status, to_micros(p.proposed_at), record_json(p)) for p in stored],
    )


def decide(
    connection: sqlite3.Connection,
    stored: Sequence[Proposal],
    entry: LedgerDraft,
    *,
    accepted: Sequence[Chain],
    withdrawn: Sequence[str],
) -> LedgerEntry:
    """Store proposals, activate and withdraw derived chains, write the ledger."""
    put_proposals(connection, stored)
    _check_links(connection, accepted)
    ids = put_chains(connection, accepted)
    # A person who accepts a chain takes back an earlier rejection of it.
    connection.executemany(
        "UPDATE chain SET accepted = 1, status = CASE status WHEN ? THEN ? ELSE status END WHERE id = ?",
        [(RelationStatus.REJECTED, RelationStatus.RETIRED, id_) for id_ in ids],
    )
    connection.executemany("UPDATE chain SET accepted = 0 WHERE id = ?", [(id_,) for id_ in withdrawn])
    refresh_chains(connection, [*ids, *withdrawn], ())
    return append(connection, entry)


def put_chains(connection: sqlite3.Connection, chains: Iterable[Chain]) -> list[str]:
    """Insert chains that are not there yet, retired until their status is worked out; the ids of all."""
    by_id = {chain.id: chain.relation_ids for chain in chains}
    connection.executemany(
        "INSERT OR IGNORE INTO chain VALUES (?, ?, 0)", [(id_, RelationStatus.RETIRED) for id_ in by_id]
    )
    rows: list[Row] = [(id_, place, link) for id_, links in by_id.items() for place, link in enumerate(links)]
    connection.executemany("INSERT OR IGNORE INTO chain_link VALUES (?, ?, ?)", rows)
    return list(by_id)


def _check_links(connection: sqlite3.Connection, chains: Sequence[Chain]) -> None:
    links = {link for chain in chains for link in chain.relation_ids}
    rows = connection.execute(
        "SELECT r.id FROM json_each(?) AS f CROSS JOIN relation AS r WHERE r.id = f.value", (id_list(links),)
    )
    missing = sorted(links - {id_ for (id_,) in rows})
    if missing:
        raise ProposalError(f"a chain cannot be accepted: the store has no relation {', '.join(missing)}.")


__all__ = [
    "append",
    "begin",
    "decide",
    "documents_of",
    "failures",
    "hidden_documents",
    "ledger",
    "mark_committed",
    "note_change",
    "open_intents",
    "phase",
    "proposals",
    "put_chains",
    "put_proposals",
    "put_receipts",
    "receipts",
    "record_failures",
]
