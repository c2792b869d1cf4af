"""A person's verdict on what waits: accept, reject, roll back. Each is one journalled step, whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable

from feedback.decision import Decision, require_words
from feedback.derived_rows import drop_rows, rows_of, write_rows
from feedback.gate import Candidate, check, failures, passed
from feedback.propose import Clock, gather
from feedback.rereading import document_texts
from feedback.verdicts import roll_verdict_back
from storage.chain_text import arrow
from storage.errors import NotFoundError, ProposalError, UsageError
from storage.identity import is_id, make_id
from storage.ports import Embedder, GraphStore, Intent, LedgerDraft, RelationView, TextIndex
from storage.records import (
    OWNER,
    Chain,
    Evidence,
    Modality,
    Proposal,
    ProposalStatus,
    Record,
    Verdict,
)

QUOTES_PER_LINK = 5
"""Quotes that a reviewer is shown for one link; how many there are is always said."""


class Quote(Record):
    """Words of a document that prove a link."""

    document_id: str
    title: str
    text: str  # from the first of head, tail and cue to the last
    head: str
    tail: str
    cue: str
    modality: Modality
    confidence: float
    origin: str


class ReviewLink(Record):
    """One link of a proposed chain with its proof; ``view`` is None when the relation is no longer active."""

    relation_id: str
    view: RelationView | None
    quotes: tuple[Quote, ...] = ()
    evidence: int = 0  # how many pieces there are, shown or not


class ReviewItem(Record):
    """What a reviewer needs to decide: the chain in words, its proof, and what the gate says now."""

    proposal: Proposal
    text: str
    links: tuple[ReviewLink, ...]
    verdicts_now: tuple[Verdict, ...]


def list_proposals(
    graph: GraphStore, *, statuses: Iterable[ProposalStatus] | None = (ProposalStatus.QUARANTINED,)
) -> tuple[Proposal, ...]:
    """Proposals, oldest first: by default those that wait for a person; with None all of them."""
    return tuple(graph.proposals(statuses=statuses))


def show(graph: GraphStore, index: TextIndex, *, proposal_id: str) -> ReviewItem:
    """A proposal with its links' quotes, in the owner's view, and what the gate would say to its acceptance now.

    Raises NotFoundError if there is no such proposal.
    """
    proposal, candidate = _facts(graph, index, proposal_id)
    shown = [f.evidence for link in candidate.links for f in link.evidence[:QUOTES_PER_LINK] if not f.problem]
    quotes = quotes_of(graph, index, shown)
    links = tuple(
        ReviewLink(
            relation_id=link.relation_id,
            view=link.view,
            quotes=tuple(quotes[f.evidence.id] for f in link.evidence[:QUOTES_PER_LINK] if f.evidence.id in quotes),
            evidence=len(link.evidence),
        )
        for link in candidate.links
    )
    return ReviewItem(proposal=proposal, text=_drawn(links), links=links, verdicts_now=check(candidate))


def accept(
    graph: GraphStore,
    index: TextIndex,
    embedder: Embedder,
    *,
    proposal_id: str,
    actor: str,
    reason: str,
    clock: Clock,
) -> Decision:
    """Activate a quarantined chain, after the gate has looked at it once more, with the owner's eyes and today's facts.

    Rows are written first and are not seen until the one graph transaction that follows; if the process ends between
    the two, the open intent makes the next open call ``sync_derived_rows``, which removes them. The caller holds the
    writer lock.

    Raises UsageError if ``actor`` or ``reason`` is blank, NotFoundError if there is no such proposal, and ProposalError
    if it does not wait for review or no longer passes the gate.
    """
    require_words(actor, reason)
    proposal, candidate = _facts(graph, index, proposal_id)
    _require_waiting(proposal, "accepted")
    verdicts = check(candidate)
    if not passed(verdicts):
        raise ProposalError(
            f"{proposal_id} cannot be accepted, since it no longer passes the gate: {failures(verdicts)}. "
            f"It stays in quarantine; reject it, or accept it when this has changed."
        )
    at = clock()
    batch = make_id("bat", proposal.id, actor, at.isoformat())
    chain = Chain(relation_ids=proposal.relation_ids, derived=True)
    accepted = proposal.model_copy(update={"status": ProposalStatus.ACCEPTED, "batch": batch, "verdicts": verdicts})
    intent = Intent(id=make_id("int", "accept", batch), at=at)
    graph.begin(intent)
    write_rows(graph, index, embedder, rows_of(graph, index, [chain]))
    entry = graph.decide(
        [accepted],
        LedgerDraft(
            action="accept", actor=actor, at=at, batch=batch, reason=reason,
            ids=(proposal.id, chain.id, *chain.relation_ids),
        ),
        accepted=[chain],
    )  # fmt: skip
    graph.finish(intent.id)
    return Decision(action="accept", proposals=(accepted,), chains=(chain.id,), batch=batch, at=at, entry=entry)


def reject(graph: GraphStore, *, proposal_id: str, actor: str, reason: str, clock: Clock) -> Decision:
    """Refuse a quarantined chain for good: it survives re-ingestion, and nobody's proposal of it passes again.

    Raises UsageError if ``actor`` or ``reason`` is blank, NotFoundError if there is no such proposal, and ProposalError
    if it does not wait for review.
    """
    require_words(actor, reason)
    proposal = _find(graph, proposal_id)
    _require_waiting(proposal, "rejected")
    at = clock()
    rejected = proposal.model_copy(update={"status": ProposalStatus.REJECTED})
    draft = LedgerDraft(action="reject", actor=actor, at=at, reason=reason, ids=(proposal.id, proposal.chain_id))
    entry = graph.decide([rejected], draft)
    return Decision(action="reject", proposals=(rejected,), chains=(), batch=None, at=at, entry=entry)


def rollback(
    graph: GraphStore, index: TextIndex, embedder: Embedder, *, batch: str, actor: str, reason: str, clock: Clock
) -> Decision:
    """Withdraw every chain that was accepted in ``batch``, or take back what was rejected in it.

    The state hash is again what it was before.

    The graph transaction comes first, so nothing is matched when the rows go. The caller holds the writer lock.

    Raises UsageError if an argument is blank or malformed, NotFoundError if nothing was decided in such a batch, and
    ProposalError if it was rolled back before.
    """
    require_words(actor, reason)
    if not is_id(batch, "bat"):
        raise UsageError(f"{batch[:60]!r} is not the id of a batch. See them with: clew review list --all")
    known = [p for p in graph.proposals() if p.batch == batch]
    accepted = [p for p in known if p.status is ProposalStatus.ACCEPTED]
    if not known:
        return roll_verdict_back(graph, index, embedder, batch=batch, actor=actor, reason=reason, clock=clock)
    if not accepted:
        raise ProposalError(f"Batch {batch} was rolled back already; nothing of it is active.")
    at = clock()
    withdrawn = tuple(p.model_copy(update={"status": ProposalStatus.ROLLED_BACK}) for p in accepted)
    chains = tuple(sorted({p.chain_id for p in withdrawn}))
    intent = Intent(id=make_id("int", "rollback", batch, at.isoformat()), at=at)
    graph.begin(intent)
    entry = graph.decide(
        withdrawn,
        LedgerDraft(
            action="rollback", actor=actor, at=at, batch=batch, reason=reason,
            ids=(*(p.id for p in withdrawn), *chains),
        ),
        withdrawn=chains,
    )  # fmt: skip
    drop_rows(index, chains)
    graph.finish(intent.id)
    return Decision(action="rollback", proposals=withdrawn, chains=chains, batch=batch, at=at, entry=entry)


def _find(graph: GraphStore, proposal_id: str) -> Proposal:
    for proposal in graph.proposals():
        if proposal.id == proposal_id:
            return proposal
    raise NotFoundError(f"There is no proposal {proposal_id[:60]!r}. `clew review list` shows those that wait.")


def _require_waiting(proposal: Proposal, verb: str) -> None:
    said = {
        ProposalStatus.ACCEPTED: f"it was already accepted in batch {proposal.batch}; "
        f"`clew rollback {proposal.batch}` takes that back",
        ProposalStatus.REJECTED: "it was already rejected, and a person's verdict stands",
        ProposalStatus.ROLLED_BACK: f"it was accepted and rolled back (batch {proposal.batch}), and that stands",
        ProposalStatus.REFUSED: f"the gate refused it ({failures(proposal.verdicts)}); "
        "it can be proposed again when that has changed",
    }
    if proposal.status in said:
        raise ProposalError(f"{proposal.id} cannot be {verb}: {said[proposal.status]}.")


def _facts(graph: GraphStore, index: TextIndex, proposal_id: str) -> tuple[Proposal, Candidate]:
    """The proposal and what the gate looks at now, in the owner's view; it does not stand in its own way."""
    known = graph.proposals()
    proposal = _find(graph, proposal_id)
    candidate = gather(
        graph, index, relation_ids=proposal.relation_ids, scope=graph.scope(OWNER), question=proposal.question,
        known=[p for p in known if p.id != proposal_id],
    )  # fmt: skip
    return proposal, candidate


def quotes_of(graph: GraphStore, index: TextIndex, evidence: Iterable[Evidence]) -> dict[str, Quote]:
    """The words of evidence by its id, in the owner's view; without those of documents that do not hold now."""
    by_document: dict[str, list[Evidence]] = {}
    for item in evidence:
        by_document.setdefault(item.document_id, []).append(item)
    documents = graph.documents(sorted(by_document), graph.scope(OWNER))
    return {
        item.id: Quote(
            document_id=document_id,
            title=documents[document_id].title,
            text=text[item.quote.start : item.quote.end],
            head=text[item.head.start : item.head.end],
            tail=text[item.tail.start : item.tail.end],
            cue=text[item.cue.start : item.cue.end] if item.cue else "",
            modality=item.modality,
            confidence=item.confidence,
            origin=item.origin,
        )
        for document_id, text in document_texts(index, documents)
        for item in by_document[document_id]
    }


def _drawn(links: Iterable[ReviewLink]) -> str:
    """The chain in the words of each link's first quote; what cannot be read is shown as a gap."""
    words: list[str] = []
    before: str | None = None  # the statement at which the link before ended
    for link in links:
        head, tail = (link.quotes[0].head, link.quotes[0].tail) if link.quotes else ("…", "…")
        if not words:
            words.append(head)
        elif link.view is None or link.view.relation.head != before:
            words += ["≈", head]
        before = link.view.relation.tail if link.view else None
        drawn = arrow(link.view.relation.type, link.view.relation.polarity) if link.view else "─?→"
        words += [drawn, tail]
    return " ".join(words)


__all__ = [
    "QUOTES_PER_LINK",
    "Quote",
    "ReviewItem",
    "ReviewLink",
    "accept",
    "list_proposals",
    "quotes_of",
    "reject",
    "rollback",
    "show",
]
