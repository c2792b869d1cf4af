"""What is stored whatever its status: what a person can reject, and what a copy of a store must hold as well."""

from __future__ import annotations

from storage.records import Chain, Evidence, LedgerEntry, Relation, RelationStatus, SameAs
from storage.structure import Record


class HeldRelation(Record):
    """A relation and where it stands."""

    relation: Relation
    status: RelationStatus


class HeldChain(Record):
    """A chain, where it stands, and whether a person wrote it back."""

    relation_ids: tuple[str, ...]
    status: RelationStatus
    accepted: bool = False

    @property
    def id(self) -> str:
        """Identity of the chain: the relation ids in order."""
        return Chain(relation_ids=self.relation_ids).id


class HeldLink(Record):
    """A same_as link and where it stands."""

    link: SameAs
    status: RelationStatus


class Held(Record):
    """Relations, chains and same_as links of any status, each part by id, and all evidence of the relations."""

    relations: tuple[HeldRelation, ...] = ()
    chains: tuple[HeldChain, ...] = ()
    links: tuple[HeldLink, ...] = ()
    evidence: tuple[Evidence, ...] = ()

    @property
    def statuses(self) -> dict[str, RelationStatus]:
        """The status of everything, by its id: relations, then chains, then links."""
        return {
            **{h.relation.id: h.status for h in self.relations},
            **{h.id: h.status for h in self.chains},
            **{h.link.id: h.status for h in self.links},
        }


class Judgement(Record):
    """What a person's verdict did: its entry in the ledger, and which chains went or came back with it."""

    entry: LedgerEntry
    retired: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()


__all__ = ["Held", "HeldChain", "HeldLink", "HeldRelation", "Judgement"]
