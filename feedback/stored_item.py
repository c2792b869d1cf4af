"""What a person needs to see to judge something that is stored: its words, its quotes, where it stands and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from feedback.review import QUOTES_PER_LINK, ReviewLink, quotes_of
from feedback.verdicts import KINDS, Kind, StandingVerdict, standing
from storage.chain_text import arrow
from storage.errors import NotFoundError
from storage.ports import GraphStore, Held, TextIndex
from storage.records import OWNER, Evidence, Record, Relation, RelationStatus


class StoredItem(Record):
    """A relation, a chain or a same_as link of any status; what nobody says any more has no words."""

    id: str
    kind: Kind
    status: RelationStatus
    text: str
    links: tuple[ReviewLink, ...] = ()  # the relation, or those of the chain in order
    verdict: StandingVerdict | None = None


def show_stored(graph: GraphStore, index: TextIndex, *, subject_id: str) -> StoredItem:
    """Something stored with its quotes, in the owner's view. Raises NotFoundError if the store does not have it."""
    held = graph.held([subject_id])
    if subject_id not in held.statuses:
        raise NotFoundError(f"There is no relation, chain or same_as link {subject_id[:60]!r} in the store.")
    relations = _relations(graph, held)
    ids = [r for h in held.chains for r in h.relation_ids] or list(relations)
    verdicts = standing(graph, [subject_id])
    return StoredItem(
        id=subject_id,
        kind=KINDS[subject_id[:3]],
        status=held.statuses[subject_id],
        text=_texts(graph, held, relations)[subject_id],
        links=_links(graph, index, ids),
        verdict=verdicts[0] if verdicts else None,
    )


def list_stored(graph: GraphStore) -> tuple[StoredItem, ...]:
    """Everything that a person rejected, in words, without quotes: relations, then chains, then same_as links."""
    held = graph.rejected()
    texts = _texts(graph, held, _relations(graph, held))
    verdicts = {v.id: v for v in standing(graph)}
    return tuple(
        StoredItem(id=id_, kind=KINDS[id_[:3]], status=status, text=texts[id_], verdict=verdicts.get(id_))
        for id_, status in held.statuses.items()
    )


def _relations(graph: GraphStore, held: Held) -> dict[str, Relation]:
    """The relations that these things are, or are made of."""
    found = {h.relation.id: h.relation for h in held.relations}
    missing = sorted({r for h in held.chains for r in h.relation_ids} - found.keys())
    return found | {h.relation.id: h.relation for h in graph.held(missing).relations}


def _texts(graph: GraphStore, held: Held, relations: Mapping[str, Relation]) -> dict[str, str]:
    ends = {end for r in relations.values() for end in (r.head, r.tail)}
    ends |= {end for h in held.links for end in (h.link.first, h.link.second)}
    views = graph.statements(sorted(ends), graph.scope(OWNER))
    words = {end: " ".join(views[end].text.split()) if end in views else "…" for end in ends}
    texts = {h.relation.id: _drawn([h.relation], words) for h in held.relations}
    texts |= {h.id: _drawn([relations[r] for r in h.relation_ids], words) for h in held.chains}
    return texts | {h.link.id: f"{words[h.link.first]} ≈ {words[h.link.second]}" for h in held.links}


def _drawn(relations: Iterable[Relation], words: Mapping[str, str]) -> str:
    parts: list[str] = []
    before = None
    for relation in relations:
        if before is None:
            parts.append(words[relation.head])
        elif before != relation.head:
            parts.append(f"≈ {words[relation.head]}")
        parts.append(f"{arrow(relation.type, relation.polarity)} {words[relation.tail]}")
        before = relation.tail
    return " ".join(parts)


def _links(graph: GraphStore, index: TextIndex, relation_ids: Iterable[str]) -> tuple[ReviewLink, ...]:
    ids = list(relation_ids)
    proofs: dict[str, list[Evidence]] = {id_: [] for id_ in ids}
    for item in graph.held(ids).evidence:
        proofs[item.relation_id].append(item)
    views = graph.relations(ids, graph.scope(OWNER))
    quotes = quotes_of(graph, index, (item for items in proofs.values() for item in items[:QUOTES_PER_LINK]))
    return tuple(
        ReviewLink(
            relation_id=id_,
            view=views.get(id_),
            quotes=tuple(quotes[item.id] for item in proofs[id_][:QUOTES_PER_LINK] if item.id in quotes),
            evidence=len(proofs[id_]),
        )
        for id_ in ids
    )


__all__ = ["StoredItem", "list_stored", "show_stored"]
