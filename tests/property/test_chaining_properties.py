"""Chains of a document against the definition, tried out on every simple path of small graphs."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag.chaining import MAX_LINKS, MAX_PER_START, Link, document_chains

STATEMENTS = "abcdef"

links_strategy = st.lists(
    st.builds(
        lambda number, ends, confidence, walkable: Link(f"r{number:02}", ends[0], ends[1], confidence, walkable),
        st.integers(0, 30),
        st.sampled_from(list(permutations(STATEMENTS, 2))),
        st.sampled_from([0.5, 0.7, 0.9]),
        st.booleans() | st.just(True),
    ),
    max_size=9,
    unique_by=lambda e: e.relation_id,
)


def simple_paths(links: list[Link]) -> list[tuple[Link, ...]]:
    """Every path of one to four walkable links that visits no statement twice, by trying every sequence of links."""
    walkable = [e for e in links if e.walkable]
    paths: list[tuple[Link, ...]] = [(e,) for e in walkable]
    level = paths
    while level and len(level[0]) < MAX_LINKS:
        level = [
            (*path, e)
            for path in level
            for e in walkable
            if e.head == path[-1].tail and e.tail not in {path[0].head, *(p.tail for p in path)}
        ]
        paths = paths + level
    return paths


def maximal_paths(links: list[Link]) -> dict[str, list[tuple[Link, ...]]]:
    """By start, in the order in which they are kept: those to which no link can be added, or which have four."""
    paths = simple_paths(links)
    found: dict[str, list[tuple[Link, ...]]] = {}
    for path in paths:
        longer = any(len(p) == len(path) + 1 and path in (p[1:], p[:-1]) for p in paths)
        if len(path) == MAX_LINKS or (len(path) > 1 and not longer):
            found.setdefault(path[0].head, []).append(path)
    for of_start in found.values():
        of_start.sort(key=lambda path: [(-e.confidence, e.relation_id) for e in path])
    return found


@settings(deadline=None, max_examples=300)
@given(links_strategy)
def test_chains_are_the_single_links_and_the_first_eight_maximal_paths_of_every_start(links: list[Link]) -> None:
    found, left_out = document_chains(links)
    expected = maximal_paths(links)
    kept = [path for of_start in expected.values() for path in of_start[:MAX_PER_START]]
    assert sorted(c.relation_ids for c in found) == sorted(
        [*((e.relation_id,) for e in links), *(tuple(e.relation_id for e in path) for path in kept)]
    )
    assert left_out == sum(len(of_start) for of_start in expected.values()) - len(kept)


@settings(deadline=None)
@given(links_strategy, st.randoms())
def test_chains_do_not_hang_on_the_order_of_the_links(links: list[Link], random: object) -> None:
    shuffled = links + links[:2]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert document_chains(shuffled) == document_chains(links)


@settings(deadline=None)
@given(links_strategy)
def test_every_link_is_kept_alone_whatever_else_is(links: list[Link]) -> None:
    found, _ = document_chains(links)
    assert {c.relation_ids for c in found} >= {(e.relation_id,) for e in links}
    assert len({c.id for c in found}) == len(found)
