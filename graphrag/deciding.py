"""A person's decisions by the id, or the beginning of the id, of what they are about."""

from __future__ import annotations

from collections.abc import Mapping

import feedback
from feedback import Decision
from graphrag.inventory import LISTED, whole_id
from graphrag.stores import Stores
from graphrag.walked import WalkedChains
from storage.errors import NotFoundError, UsageError
from storage.identity import is_id
from storage.ports import HeldChain
from storage.records import OWNER, RelationStatus


def accept(stores: Stores, name: str, *, reason: str, actor: str) -> Decision:
    """Activate a proposed chain, or take the rejection of something stored back."""
    graph, index, embedder, clock = stores.graph, stores.index, stores.embedder, stores.clock
    if feedback.is_judged(name):
        id_ = stored_id(stores, name)
        return feedback.take_back(graph, index, embedder, subject_id=id_, actor=actor, reason=reason, clock=clock)
    id_ = proposal_id(stores, name)
    return feedback.accept(graph, index, embedder, proposal_id=id_, actor=actor, reason=reason, clock=clock)


def reject(stores: Stores, walked: WalkedChains, name: str, *, reason: str, actor: str) -> Decision:
    """Turn a proposed chain down, or reject something stored, or a chain that was shown lately."""
    graph, clock = stores.graph, stores.clock
    if feedback.is_judged(name):
        return feedback.reject_stored(
            graph,
            stores.index,
            stores.embedder,
            subject=_subject(stores, walked, name),
            actor=actor,
            reason=reason,
            clock=clock,
        )
    return feedback.reject(graph, proposal_id=proposal_id(stores, name), actor=actor, reason=reason, clock=clock)


def proposal_id(stores: Stores, name: str) -> str:
    """The id of the proposal that begins with ``name``."""
    return whole_id(stores.graph, stores.graph.scope(OWNER), name, "prp")


def stored_id(stores: Stores, name: str) -> str:
    """The id of the relation, chain or same_as link, of any status, that begins with ``name``.

    Raises NotFoundError if there is none, UsageError if there are several.
    """
    return _only(name, _stored_ids(stores, name))


def _subject(stores: Stores, walked: WalkedChains, name: str) -> str | HeldChain:
    """What is to be rejected: something stored, or else a chain that was walked and is made of what is stored."""
    stored = _stored_ids(stores, name)
    shown: Mapping[str, tuple[str, ...]] = {}
    if name.startswith("chn_"):
        shown = {id_: links for id_, links in walked.starting(name, None).items() if id_ not in stored}
    id_ = _only(name, [*stored, *shown])
    if id_ in shown:
        return HeldChain(relation_ids=shown[id_], status=RelationStatus.RETIRED)
    return id_


def _stored_ids(stores: Stores, name: str) -> list[str]:
    if is_id(name):
        return [name] if stores.graph.held([name]).statuses else []
    return stores.graph.held_ids_starting(name, limit=LISTED)


def _only(name: str, found: list[str]) -> str:
    if not found:
        raise NotFoundError(f"The store has nothing whose id begins with {name!r}. Take an id from: clew explain CHAIN")
    if len(found) > 1:
        raise UsageError(f"{name!r} could be {', '.join(found[:LISTED])}. Give more of the id.")
    return found[0]


__all__ = ["accept", "proposal_id", "reject", "stored_id"]
