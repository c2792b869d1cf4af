"""A person's verdict on what is stored: a relation, a chain or a same_as link is rejected by its id, or taken back.

The verdict is an overlay: evidence stays, what it proves is no longer used, and whatever is ingested, processed anew or
copied later finds it still rejected. Each is one journalled step and one entry in the ledger, reversible by its batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from feedback.decision import Decision, require_words
from feedback.derived_rows import sync_derived_rows
from feedback.propose import Clock
from storage.errors import NotFoundError, ProposalError
from storage.identity import make_id
from storage.ports import Embedder, GraphStore, Held, HeldChain, Intent, LedgerDraft, TextIndex
from storage.records import LedgerEntry, Record, RelationStatus, UtcTime

Kind = Literal["relation", "chain", "same_as"]
KINDS: Mapping[str, Kind] = {"rel": "relation", "chn": "chain", "lnk": "same_as"}
"""What the beginning of an id says it is the id of: all that a person can reject."""


class StandingVerdict(Record):
    """A rejection that stands: who made it, when and why. Without its entry in the ledger only the fact is known."""

    id: str
    kind: Kind
    actor: str = ""
    at: UtcTime | None = None
    reason: str = ""
    batch: str | None = None

    def in_words(self) -> str:
        """*rejected by NAME on DATE: reason*."""
        if self.at is None:
            return "rejected; the ledger does not say by whom"
        return f"rejected by {self.actor} on {self.at:%Y-%m-%d}: {self.reason}"


def is_judged(id_: str) -> bool:
    """Whether this is the id, or the beginning of one, of something that is rejected by a verdict of this kind."""
    return id_[:4] in {f"{kind}_" for kind in KINDS}


def standing(graph: GraphStore, ids: Iterable[str] | None = None) -> tuple[StandingVerdict, ...]:
    """The rejections that stand, or those of them about these ids: relations, then chains, then same_as links."""
    found = graph.rejected(None if ids is None else list(ids)).statuses
    entries = _last_rejections(graph.ledger(), found) if found else {}
    verdicts = []
    for id_ in found:
        verdict = StandingVerdict(id=id_, kind=KINDS[id_[:3]])
        if (entry := entries.get(id_)) is not None:
            about = {"actor": entry.actor, "at": entry.at, "reason": entry.reason, "batch": entry.batch}
            verdict = verdict.model_copy(update=about)
        verdicts.append(verdict)
    return tuple(verdicts)


def reject_stored(
    graph: GraphStore,
    index: TextIndex,
    embedder: Embedder,
    *,
    subject: str | HeldChain,
    actor: str,
    reason: str,
    clock: Clock,
) -> Decision:
    """Reject a relation, a chain or a same_as link by its id; a chain that was only walked is given with its links.

    The caller holds the writer lock. Raises UsageError if ``actor`` or ``reason`` is blank, NotFoundError if the store
    does not have it, and ProposalError if it is rejected already.
    """
    require_words(actor, reason)
    held = Held(chains=(subject,)) if isinstance(subject, HeldChain) else _find(graph, subject)
    [(id_, status)] = held.statuses.items()
    if status is RelationStatus.REJECTED:
        [verdict] = standing(graph, [id_])
        raise ProposalError(f"{id_} was {verdict.in_words()}. Nothing is left to reject.")
    at = clock()
    draft = LedgerDraft(
        action="reject", actor=actor, at=at, batch=make_id("bat", id_, actor, at.isoformat()), reason=reason, ids=(id_,)
    )
    return _decide(graph, index, embedder, held, draft, rejected=True)


def take_back(
    graph: GraphStore, index: TextIndex, embedder: Embedder, *, subject_id: str, actor: str, reason: str, clock: Clock
) -> Decision:
    """Take a rejection back: the relation, chain or link has again the status that its evidence earns.

    Raises UsageError if ``actor`` or ``reason`` is blank, NotFoundError if the store does not have it, and
    ProposalError if it is not rejected.
    """
    require_words(actor, reason)
    held = _find(graph, subject_id)
    if held.statuses[subject_id] is not RelationStatus.REJECTED:
        raise ProposalError(f"{subject_id} is not rejected, so there is nothing to take back.")
    [verdict] = standing(graph, [subject_id])
    draft = LedgerDraft(action="accept", actor=actor, at=clock(), batch=verdict.batch, reason=reason, ids=(subject_id,))
    return _decide(graph, index, embedder, held, draft, rejected=False)


def roll_verdict_back(
    graph: GraphStore, index: TextIndex, embedder: Embedder, *, batch: str, actor: str, reason: str, clock: Clock
) -> Decision:
    """Take back the rejection that was made in ``batch``.

    Raises NotFoundError if nothing was rejected in such a batch, and ProposalError if that does not stand any more.
    """
    made = next((e for e in graph.ledger() if e.action == "reject" and e.batch == batch and _is_verdict(e)), None)
    if made is None:
        raise NotFoundError(
            f"Nothing was accepted or rejected in a batch {batch}. See them with: clew review list --all, or --rejected"
        )
    ids = [v.id for v in standing(graph, made.ids) if v.batch == batch]
    if not ids:
        raise ProposalError(f"The rejection in batch {batch} was taken back already; it does not stand.")
    draft = LedgerDraft(action="rollback", actor=actor, at=clock(), batch=batch, reason=reason, ids=tuple(ids))
    return _decide(graph, index, embedder, graph.held(ids), draft, rejected=False)


def _decide(
    graph: GraphStore, index: TextIndex, embedder: Embedder, held: Held, draft: LedgerDraft, *, rejected: bool
) -> Decision:
    """The graph transaction first, then the rows of derived chains; cut off in between, the open intent does them."""
    intent = Intent(id=make_id("int", draft.action, *draft.ids, draft.at.isoformat()), at=draft.at)
    graph.begin(intent)
    done = graph.judge(held, draft, rejected=rejected)
    sync_derived_rows(graph, index, embedder)
    graph.finish(intent.id)
    return Decision(
        action=draft.action,
        proposals=(),
        subjects=draft.ids,
        chains=done.retired if rejected else done.restored,
        batch=draft.batch,
        at=draft.at,
        entry=done.entry,
    )


def _find(graph: GraphStore, subject_id: str) -> Held:
    held = graph.held([subject_id])
    if not held.statuses:
        raise NotFoundError(f"There is no relation, chain or same_as link {subject_id[:60]!r} in the store.")
    return held


def _is_verdict(entry: LedgerEntry) -> bool:
    """Whether a ledger entry is about what is stored, and not about a proposal (whose chain it names as well)."""
    return bool(entry.ids) and all(is_judged(id_) for id_ in entry.ids)


def _last_rejections(entries: Iterable[LedgerEntry], ids: Mapping[str, object]) -> dict[str, LedgerEntry]:
    found: dict[str, LedgerEntry] = {}
    for entry in entries:
        if entry.action == "reject" and _is_verdict(entry):
            found.update(dict.fromkeys((id_ for id_ in entry.ids if id_ in ids), entry))
    return found


__all__ = [
    "KINDS",
    "StandingVerdict",
    "is_judged",
    "reject_stored",
    "roll_verdict_back",
    "standing",
    "take_back",
]
