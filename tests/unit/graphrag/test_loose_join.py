"""Joining relations that only resemble each other: worked out by hand from the weights in the module."""

from __future__ import annotations

import pytest

from extractors.chinese_key import chinese_key
from graphrag.loose_join import HALVES, Half, best_halves, join_loosely, resemblance
from storage.ports import Edge
from storage.records import RelationType, StatementKey


def key(text: str) -> StatementKey:
    found = chinese_key(text)
    assert found is not None
    return found


def half(id_: str, head: str, tail: str, *, fit: float = 1.0, confidence: float = 0.64) -> Half:
    return Half(Edge(id_, RelationType.CAUSAL, head, tail, confidence), fit)


@pytest.mark.parametrize(
    ("asked", "found", "alike"),
    [
        ("大豆价格上涨", "大豆涨价", 1.0),
        ("大豆需求下降", "大豆销量下降", 0.3),  # another side of the thing
        ("大豆价格上涨", "大豆价格下跌", 0.1),  # the other way
        ("大豆价格上涨", "大豆", 0.18),  # no side and no direction said: 0.3 · 0.6
        ("大豆价格上涨", "巴西大豆价格上涨", 0.5**0.35),  # it says more
        ("巴西大豆价格上涨", "大豆价格上涨", 0.5),  # it says less
        ("大豆价格上涨", "大豆价格三月上涨5%", 1.0),  # one of its kind: when and how much was not asked for
        ("大豆价格上涨3%", "大豆价格上涨", 1.0),
        ("大豆价格上涨3%", "大豆价格上涨5%", 0.5 * 0.5**0.35),  # another amount
        ("大豆价格上涨", "玉米价格上涨", 0.0),
        ("大豆价格上涨", "价格上涨", 0.0),  # of what is not said
    ],
)
def test_direction_is_kept_strictly_and_more_words_cost_least(asked: str, found: str, alike: float) -> None:
    assert resemblance(key(asked), key(found)) == pytest.approx(alike)


def test_a_pair_is_worth_its_ends_its_middle_and_the_roots_of_its_confidences() -> None:
    keys = {"m": key("豆粕价格上涨"), "n": key("豆粕成本上升")}
    [(pair, worth, least)] = join_loosely(
        [half("r1", "a", "m", fit=0.5)],
        [half("r2", "n", "z", confidence=0.25)],
        keys,
        (key("大豆减产"), key("猪肉价格上涨")),
    )
    assert pair == ("r1", "r2")
    # 0.5 · √0.64 · √0.25 · √0.3, the middle being another side of one thing.
    assert worth == pytest.approx(0.5 * 0.8 * 0.5 * 0.3**0.5)
    assert least == 0.25


def test_a_common_amount_joins_no_two_things() -> None:
    keys = {"m": key("豆粕价格上涨5%"), "n": key("钢材成本上升5%")}
    assert join_loosely([half("r1", "a", "m")], [half("r2", "n", "z")], keys, (key("大豆减产"), key("猪肉涨价"))) == []


def test_a_named_end_is_no_middle() -> None:
    keys = {"m": key("豆粕涨价")}
    halves = [half("r1", "a", "m")], [half("r2", "m", "z")]
    assert join_loosely(*halves, keys, (key("大豆减产"), key("猪肉价格上涨")))
    assert join_loosely(*halves, keys, (key("豆粕价格上涨"), key("猪肉价格上涨"))) == []


def test_middles_that_name_nothing_in_common_do_not_meet() -> None:
    keys = {"m": key("豆粕价格上涨"), "n": key("玉米价格上涨")}
    assert join_loosely([half("r1", "a", "m")], [half("r2", "n", "z")], keys, ()) == []


def test_only_the_best_halves_are_joined_ties_by_id() -> None:
    halves = [half(f"r{i:03}", "a", "m", fit=0.5) for i in range(HALVES + 5)]
    best = best_halves([*reversed(halves), half("z", "a", "m", fit=0.6)])
    assert [h.edge.relation_id for h in best] == ["z", *(f"r{i:03}" for i in range(HALVES - 1))]
