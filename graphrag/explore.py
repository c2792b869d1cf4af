"""Exploring chains: what lies between two statements, what follows one, what leads to it; and one chain explained."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Literal

from extractors.keys import statement_key
from extractors.language import detect_language
from feedback import is_judged, standing
from graphrag.concurrently import concurrently
from graphrag.inventory import whole_id
from graphrag.match import Match, Nominated, Phrase, best, match, nominate
from graphrag.results import ChainsResult, Explanation, StatementMatch
from graphrag.retrieve import MEANT_FLOOR, RankedChain, Retriever, fit_of
from graphrag.stores import Stores
from storage.errors import NotFoundError, UsageError
from storage.identity import is_id, link_id
from storage.records import Chain, Relation, RelationType

NEAR_BEST = 0.8
"""Statements that fit at least this well relative to the best are walked from as well, and listed."""

CANDIDATES = 8

Shown = Callable[[str], Mapping[str, tuple[str, ...]]]
"""Chain id → relation ids of the chains that were shown lately to callers like this one, by the beginning of the id."""


def explore(
    stores: Stores,
    retriever: Retriever,
    *,
    start: str | None,
    end: str | None,
    types: Iterable[RelationType | str] | None,
    max_hops: int | None,
    limit: int,
) -> ChainsResult:
    """Chains between, from or to the named statements, ranked. Raises UsageError for arguments that make no sense."""
    if not (start and start.strip()) and not (end and end.strip()):
        raise UsageError("Name a statement to start from, one to end at, or both: clew chains --from A --to B")
    if limit < 1:
        raise UsageError("limit must be at least 1.")
    wanted = _types(types)
    bounds = retriever.bounds()
    if max_hops is not None:
        if not 1 <= max_hops <= 8:
            raise UsageError("hops must be from 1 to 8.")
        bounds = replace(bounds, max_hops=max_hops)
    matched: dict[Literal["start", "end"], tuple[StatementMatch, ...]] = {}
    seeds: dict[Literal["start", "end"], dict[str, float]] = {}
    named: tuple[tuple[Literal["start", "end"], str | None], ...] = (("start", start), ("end", end))
    for side, phrase in named:
        if phrase and phrase.strip():
            meant = _meant(retriever, stores, phrase)
            seeds[side] = best(meant, floor=0.0)
            matched[side] = tuple(
                StatementMatch(statement_id=m.id, text=m.statement.text, score=m.score) for m in meant
            )
    if len(seeds) == 2:
        found = retriever.between(seeds["start"], seeds["end"], bounds, types=wanted)
    else:
        side, from_here = next(iter(seeds.items()))
        found = retriever.walked(from_here, forward=side == "start", types=wanted, bounds=bounds)
    ranked = sorted(
        (RankedChain(p.relation_ids, fit_of(p), p.strength, p.weakest) for p in found.paths),
        key=lambda c: (-c.score, c.relation_ids),
    )
    shown = retriever.shown(retriever.marked(ranked[: 10 * limit]), limit)
    return ChainsResult(
        chains=shown, truncated=bool(found.reasons), reasons=tuple(found.reasons), matched_statements=matched
    )


def explain(stores: Stores, retriever: Retriever, shown_lately: Shown, name: str) -> Explanation:
    """A stored chain, one that was shown lately, or a single relation, by its id or the beginning of it.

    The owner is told if it is not there because a person rejected it, or a part of it.
    """
    try:
        relation_ids, stored = _relations_of(stores, retriever, shown_lately, name.strip())
        chain = retriever.reader.found_chain(relation_ids, score=0.0, stored=stored, max_evidence=1_000)
        if chain is None:
            raise NotFoundError(
                f"A link of {name} is no longer there, or not visible to you. Ask again to find what is."
            )
    except NotFoundError as error:
        owner = retriever.scope.classes is None
        if owner and (why := _rejected_parts(stores, shown_lately, name.strip())):
            raise NotFoundError(f"{why}. Take that back with: clew review accept ID --reason WHY") from error
        raise
    return Explanation(chain=chain)


def _rejected_parts(stores: Stores, shown_lately: Shown, name: str) -> str:
    """What a person rejected of what begins with this name, in words; "" if that is nothing."""
    prefix = name if is_judged(name) else f"chn_{name}"
    ids = stores.graph.held_ids_starting(prefix, limit=CANDIDATES)
    chains = [h.relation_ids for h in stores.graph.held(ids).chains] + list(shown_lately(prefix).values())[:CANDIDATES]
    for relation_ids in chains:
        relations = {h.relation.id: h.relation for h in stores.graph.held(relation_ids).relations}
        ids += [*relation_ids, *crossed(relations[id_] for id_ in relation_ids if id_ in relations)]
    return "; ".join(f"{verdict.id} was {verdict.in_words()}" for verdict in standing(stores.graph, ids))


def _relations_of(
    stores: Stores, retriever: Retriever, shown_lately: Shown, name: str
) -> tuple[tuple[str, ...], Chain | None]:
    if name.startswith("rel_"):
        return (whole_id(stores.graph, retriever.scope, name, "rel"),), None
    prefix = name if name.startswith("chn_") else f"chn_{name}"
    stored_ids = [prefix] if is_id(prefix) else stores.graph.ids_starting(prefix, retriever.scope, limit=CANDIDATES)
    stored = stores.graph.chains(stored_ids, retriever.scope)
    # What has changed since it was shown, and is not visible any more, counts as not there.
    shown: dict[str, tuple[str, ...]] = {}
    for id_, relations in shown_lately(prefix).items():
        if id_ not in stored and _still_stands(stores, retriever, id_, relations):
            shown[id_] = relations
        if len(shown) > CANDIDATES:
            break
    candidates = [*stored, *shown]
    if len(candidates) > 1:
        raise UsageError(f"{name!r} could be {', '.join(candidates[:CANDIDATES])}. Give more of the id.")
    if not candidates:
        raise NotFoundError(
            f"There is no chain {name!r}, or a link of it is no longer there. "
            "Take an id from clew chains, search or ask."
        )
    if stored:
        chain = next(iter(stored.values())).chain
        return chain.relation_ids, chain
    return next(iter(shown.values())), None


def _still_stands(stores: Stores, retriever: Retriever, chain_id: str, relation_ids: tuple[str, ...]) -> bool:
    """Whether every link of a chain is visible, and nobody rejected the chain or a same_as link that it crosses."""
    views = retriever.reader.relations(relation_ids)
    if len(views) < len(set(relation_ids)):
        return False
    links = crossed(views[id_].relation for id_ in relation_ids)
    return not stores.graph.rejected([chain_id, *links]).statuses


def crossed(relations: Iterable[Relation]) -> list[str]:
    """The ids of the same_as links that a chain of these relations crosses."""
    return [link_id(one.tail, after.head) for one, after in pairwise(relations) if one.tail != after.head]


def _meant(retriever: Retriever, stores: Stores, phrase: str) -> list[Match]:
    """The statements that a name could mean: the best, and those nearly as good."""
    vector = stores.embedder.embed([phrase], "query")[0]
    asked = Phrase(phrase, statement_key(phrase, detect_language(phrase)))
    nominated = Nominated(*concurrently(nominate(stores.index, retriever.scope, phrase, vector)))
    matches = match(stores.graph, retriever.scope, retriever.calibration, asked, nominated, limit=CANDIDATES)
    matches = [m for m in matches if m.score >= MEANT_FLOOR]
    return [m for m in matches if m.score >= NEAR_BEST * matches[0].score]


def _types(types: Iterable[RelationType | str] | None) -> tuple[RelationType, ...]:
    if types is None:
        return tuple(RelationType)
    try:
        chosen = tuple(RelationType(t) for t in types)
    except ValueError as error:
        raise UsageError(f"{error}. The types are: {', '.join(RelationType)}.") from None
    return chosen or tuple(RelationType)


__all__ = ["explain", "explore"]
