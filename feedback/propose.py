"""Proposing a chain: gather the facts, ask the gate, store the answer. A question never writes more than this."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from feedback.gate import MAX_PENDING, Candidate, LinkFacts, check, failures, passed
from feedback.rereading import reread
from storage.errors import UsageError
from storage.identity import is_id
from storage.ports import GraphStore, LedgerDraft, TextIndex
from storage.records import Chain, Proposal, ProposalStatus, Scope, View

Clock = Callable[[], datetime]

MAX_LINKS = 32
"""Longest chain that can be proposed; a list beyond it is not a chain that anybody walked."""


def propose(
    graph: GraphStore,
    index: TextIndex,
    *,
    relation_ids: Sequence[str],
    view: View,
    proposer: str,
    question: str = "",
    clock: Clock,
    max_pending: int = MAX_PENDING,
) -> Proposal:
    """Put a chain of existing relations before the gate and store it: quarantined if every check passed, else refused.

    The caller holds the writer lock. ``view`` is what the proposer sees; ``proposer`` names who asks (a person, a key,
    ``ask``). The answer is returned and written to the ledger in any case. It is stored too, but for a refused replay
    of the proposer's own, which must not take the place of one that waits or was decided on; a later answer does take
    the place of an earlier refusal.

    Raises UsageError if an id is malformed, there are more than MAX_LINKS, or ``proposer`` is blank.
    """
    for relation_id in relation_ids:
        if not is_id(relation_id, "rel"):
            raise UsageError(f"{relation_id[:60]!r} is not the id of a relation: rel_ and 32 hexadecimal digits.")
    if len(relation_ids) > MAX_LINKS:
        raise UsageError(f"A chain of {len(relation_ids)} links cannot be proposed. Give at most {MAX_LINKS}.")
    if not proposer.strip():
        raise UsageError("A proposal needs the name of who makes it.")
    # Refused ones stand in nobody's way; there may be any number of them.
    known = graph.proposals(statuses=[status for status in ProposalStatus if status is not ProposalStatus.REFUSED])
    candidate = gather(
        graph, index, relation_ids=relation_ids, scope=graph.scope(view), question=question,
        known=known, pending=sum(p.proposer == proposer and p.status is ProposalStatus.QUARANTINED for p in known),
        max_pending=max_pending,
    )  # fmt: skip
    verdicts = check(candidate)
    fine = passed(verdicts)
    proposal = Proposal(
        relation_ids=tuple(relation_ids),
        proposer=proposer,
        question=question,
        proposed_at=clock(),
        status=ProposalStatus.QUARANTINED if fine else ProposalStatus.REFUSED,
        verdicts=verdicts,
    )
    keep = fine or all(p.id != proposal.id for p in known)
    graph.decide(
        [proposal] if keep else [],
        LedgerDraft(
            action="propose" if fine else "refuse",
            actor=proposer,
            at=proposal.proposed_at,
            reason="" if fine else failures(verdicts),
            ids=(proposal.id, proposal.chain_id),
        ),
    )
    return proposal


def gather(
    graph: GraphStore,
    index: TextIndex,
    *,
    relation_ids: Sequence[str],
    scope: Scope,
    question: str,
    known: Sequence[Proposal],
    pending: int = 0,
    max_pending: int = MAX_PENDING,
) -> Candidate:
    """Everything the gate looks at, read in ``scope``; ``known`` are the proposals that this one could repeat.

    Whether the chain is stored or was proposed before is looked up only when every link is visible: then the whole
    chain is, and to say so gives nothing away.
    """
    views = graph.relations(list(dict.fromkeys(relation_ids)), scope)
    evidence = graph.evidence(sorted(views), scope)
    facts = reread(graph, index, (item for items in evidence.values() for item in items), scope)
    statements = {end for v in views.values() for end in (v.relation.head, v.relation.tail)}
    links = tuple(
        LinkFacts(
            relation_id=relation_id,
            view=views.get(relation_id),
            evidence=tuple(facts[item.id] for item in evidence.get(relation_id, [])),
        )
        for relation_id in relation_ids
    )
    seen = bool(links) and all(link.view for link in links)
    chain_id = Chain(relation_ids=tuple(relation_ids)).id if seen else ""
    return Candidate(
        links=links,
        same_as=frozenset(
            (link.first, link.second)
            for link in graph.same_as(sorted(statements), scope)
            if link.first in statements and link.second in statements
        ),
        stored=seen and _is_stored(graph, chain_id, scope),
        rejected=seen and bool(graph.rejected([chain_id]).chains),
        earlier=tuple(p for p in known if p.chain_id == chain_id) if seen else (),
        question=question,
        pending=pending,
        max_pending=max_pending,
    )


def _is_stored(graph: GraphStore, chain_id: str, scope: Scope) -> bool:
    # A derived chain that is retired at the moment is stored too: it comes back by itself.
    return chain_id in graph.chains([chain_id], scope) or any(c.id == chain_id for c, _ in graph.derived_chains())


__all__ = ["MAX_LINKS", "Clock", "gather", "propose"]
