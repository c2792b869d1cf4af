"""Which chains a document holds, drawn by hand: ``ab`` is the link from a to b."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from graphrag.chaining import COUNTED_PER_START, MAX_LINKS, MAX_PER_START, Link, document_chains


def link(name: str, confidence: float = 0.9, *, walkable: bool = True) -> Link:
    return Link(name, name[0], name[1], confidence, walkable)


def chains(*links: Link) -> tuple[set[str], set[str], int]:
    """Singles, longer paths (``ab bc``) and how many were left out."""
    found, left_out = document_chains(links)
    names = [" ".join(c.relation_ids) for c in found]
    assert len(names) == len(set(names))
    assert not any(c.derived for c in found)
    return {n for n in names if " " not in n}, {n for n in names if " " in n}, left_out


def of(*names: str) -> tuple[set[str], set[str], int]:
    return chains(*(link(n) for n in names))


def test_no_link_no_chain() -> None:
    assert of() == (set(), set(), 0)


def test_a_single_link_is_a_chain() -> None:
    assert of("ab") == ({"ab"}, set(), 0)


@pytest.mark.parametrize(
    ("names", "paths"),
    [
        (["ab", "bc"], {"ab bc"}),
        (["ab", "bc", "cd"], {"ab bc cd"}),  # and neither ab bc nor bc cd: they are not maximal
        (["ab", "bc", "cd", "de"], {"ab bc cd de"}),
        (["ab", "cd"], set()),
        (["ab", "bc", "bd"], {"ab bc", "ab bd"}),  # a fork
        (["ac", "bc", "cd"], {"ac cd", "bc cd"}),  # a confluence
        (["ab", "ac", "bd", "cd"], {"ab bd", "ac cd"}),  # a diamond
        (["ab", "bc", "ac"], {"ab bc"}),  # the short cut is a single link
        (["ab", "bc", "ac", "cd"], {"ab bc cd", "ac cd"}),
        (["ab", "ba"], set()),  # round and back is no path
        (["ab", "bc", "ca"], {"ab bc", "bc ca", "ca ab"}),  # a cycle: from every start, all round
        (["ab", "bc", "cb"], {"ab bc"}),  # c leads back only
    ],
)
def test_the_maximal_paths_of_small_graphs(names: list[str], paths: set[str]) -> None:
    assert of(*names) == (set(names), paths, 0)


def test_a_path_of_five_links_gives_its_windows_of_four() -> None:
    assert MAX_LINKS == 4
    singles, paths, left_out = of("ab", "bc", "cd", "de", "ef")
    assert len(singles) == 5
    assert paths == {"ab bc cd de", "bc cd de ef"}  # cd de ef could be led on backwards
    assert left_out == 0


def test_two_relations_between_the_same_statements_are_two_paths() -> None:
    causal, sequential = Link("causal", "a", "b", 0.9, True), Link("sequential", "a", "b", 0.9, True)
    _, paths, _ = chains(causal, sequential, link("bc"))
    assert paths == {"causal bc", "sequential bc"}


def test_links_that_are_not_walkable_stand_alone_and_do_not_hold_up_others() -> None:
    singles, paths, _ = chains(link("ab"), link("bc"), link("cd", walkable=False), link("xa", walkable=False))
    assert singles == {"ab", "bc", "cd", "xa"}
    assert paths == {"ab bc"}


def test_a_document_without_walkable_links_has_single_ones_only() -> None:
    assert chains(link("ab", walkable=False), link("bc", walkable=False)) == ({"ab", "bc"}, set(), 0)


def test_of_more_than_eight_paths_from_one_start_the_most_confident_are_kept_and_the_rest_counted() -> None:
    ends = "cdefghijkl"  # ten of them; c is the least certain, l the most
    links = [link("ab"), *(link("b" + end, 0.5 + 0.01 * i) for i, end in enumerate(ends))]
    assert MAX_PER_START == 8
    singles, paths, left_out = chains(*links)
    assert len(singles) == 11
    assert paths == {f"ab b{end}" for end in "efghijkl"}
    assert left_out == 2


def test_equal_confidence_is_decided_by_id() -> None:
    _, paths, left_out = of("ab", *("b" + end for end in "lkjihgfedc"))
    assert paths == {f"ab b{end}" for end in "cdefghij"}
    assert left_out == 2


def test_the_bound_is_for_each_start() -> None:
    _, paths, left_out = of("ab", "zb", *("b" + end for end in "cdefghijkl"))
    assert len(paths) == 16
    assert left_out == 4


def test_the_order_of_the_links_does_not_count() -> None:
    links = [link(n, c) for n, c in (("ab", 0.9), ("bc", 0.8), ("bd", 0.8), ("de", 0.7), ("ca", 0.9), ("ef", 0.5))]
    expected = document_chains(links)
    for seed in range(20):
        shuffled = [*links, links[0]]  # said twice
        random.Random(seed).shuffle(shuffled)
        assert document_chains(shuffled) == expected


def test_a_dense_document_is_counted_up_to_a_bound_so_that_it_cannot_stall() -> None:
    layers = [[f"{layer}-{i}" for i in range(12)] for layer in range(5)]  # 12**4 paths from every start
    links = [Link(f"{a}>{b}", a, b, 0.9, True) for here, there in pairwise(layers) for a in here for b in there]
    found, left_out = document_chains(links)
    assert len([c for c in found if len(c.relation_ids) > 1]) == 12 * MAX_PER_START
    assert left_out == 12 * (COUNTED_PER_START - MAX_PER_START)
