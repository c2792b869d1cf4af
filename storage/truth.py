"""What a transaction changed about who holds true, in words that every graph store shares."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise


@dataclass(slots=True)
class Touched:
    """Ids whose ground may have changed."""

    statements: set[str] = field(default_factory=set)
    relations: set[str] = field(default_factory=set)
    chains: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Changed:
    """What went and what came back, sorted."""

    retired: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """Both together."""
        return (*self.retired, *self.restored)

    @classmethod
    def of(cls, moved: Iterable[tuple[str, bool]]) -> Changed:
        """From ids with whether each now holds."""
        pairs = list(moved)
        return cls(
            retired=tuple(sorted(id_ for id_, holds in pairs if not holds)),
            restored=tuple(sorted(id_ for id_, holds in pairs if holds)),
        )


@dataclass(frozen=True, slots=True)
class ChangedChains:
    """Chains that went or came back; ``accepted`` ones are those that a person wrote back."""

    retired: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    accepted_retired: tuple[str, ...] = ()
    accepted_restored: tuple[str, ...] = ()

    @classmethod
    def of(cls, moved: Iterable[tuple[str, bool, bool]]) -> ChangedChains:
        """From ids with whether a person accepted each and whether it now holds."""
        rows = list(moved)
        accepted = Changed.of((id_, holds) for id_, was_accepted, holds in rows if was_accepted)
        return cls(
            retired=tuple(sorted(id_ for id_, _, holds in rows if not holds)),
            restored=tuple(sorted(id_ for id_, _, holds in rows if holds)),
            accepted_retired=accepted.retired,
            accepted_restored=accepted.restored,
        )


def severed(links: Iterable[tuple[str, str, str]], rejected: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Chains that cross a same_as link which a person rejected: they hold only if that link does.

    ``links`` are (chain, head, tail) of every link, chain by chain and in order; ``rejected`` the pairs of statements.
    """
    apart = {frozenset(pair) for pair in rejected}
    found = set()
    for (chain, _, tail), (next_chain, head, _) in pairwise(links):
        if chain == next_chain and tail != head and frozenset((tail, head)) in apart:
            found.add(chain)
    return frozenset(found)


__all__ = ["Changed", "ChangedChains", "Touched", "severed"]
