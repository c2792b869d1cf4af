"""Which chains one document holds: a pure function of its relations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from storage.records import Chain

MAX_LINKS = 4
MAX_PER_START = 8
COUNTED_PER_START = 1000
"""Paths beyond the stored ones are counted up to here, so that a dense document cannot stall its own ingestion."""


@dataclass(frozen=True, slots=True)
class Link:
    """A relation inside one document; ``walkable`` links may be joined, others only stand alone."""

    relation_id: str
    head: str
    tail: str
    confidence: float
    walkable: bool


def document_chains(links: Sequence[Link]) -> tuple[tuple[Chain, ...], int]:
    """Every single link, and the maximal paths of two to four links; with how many of those were left out.

    A path visits no statement twice. It is maximal if no link of the document can be put before or after it, or if
    it has four links. Of the paths from one statement the first eight are kept, following links of higher confidence
    first (ties by id), so the result does not depend on the order of ``links``.
    """
    singles = [Chain(relation_ids=(r,)) for r in sorted({link.relation_id for link in links})]
    walkable = sorted({link for link in links if link.walkable}, key=lambda e: (-e.confidence, e.relation_id))
    after: dict[str, list[Link]] = defaultdict(list)
    before: dict[str, set[str]] = defaultdict(set)
    for link in walkable:
        after[link.head].append(link)
        before[link.tail].add(link.head)
    paths: list[Chain] = []
    left_out = 0
    for start in sorted(after):
        for count, path in enumerate(_maximal_paths(start, after, before), 1):
            if count <= MAX_PER_START:
                paths.append(Chain(relation_ids=tuple(e.relation_id for e in path)))
            else:
                left_out += 1
            if count >= COUNTED_PER_START:
                break
    return (*singles, *paths), left_out


def _maximal_paths(start: str, after: dict[str, list[Link]], before: dict[str, set[str]]) -> Iterator[tuple[Link, ...]]:
    def extend(path: tuple[Link, ...], visited: frozenset[str]) -> Iterator[tuple[Link, ...]]:
        end = path[-1].tail if path else start
        onward = [e for e in after[end] if e.tail not in visited] if len(path) < MAX_LINKS else []
        if onward:
            for link in onward:
                yield from extend((*path, link), visited | {link.tail})
        elif len(path) == MAX_LINKS or (len(path) >= 2 and before[start] <= visited):
            yield path

    yield from extend((), frozenset({start}))


__all__ = ["COUNTED_PER_START", "MAX_LINKS", "MAX_PER_START", "Link", "document_chains"]
