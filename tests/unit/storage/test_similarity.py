"""How alike two keys are, counted by hand."""

from __future__ import annotations

import pytest

from storage.records import Direction, StatementKey
from storage.similarity import MAX_TERMS, SAME_AS_THRESHOLD, blocking_terms, key_overlap


def key(
    *terms: str, language: str = "en", direction: Direction = Direction.NONE, negated: bool = False
) -> StatementKey:
    return StatementKey(language=language, terms=terms, direction=direction, negated=negated)


@pytest.mark.parametrize(
    ("first", "second", "overlap"),
    [
        (("port", "close"), ("port", "close"), 1.0),
        (("port", "close"), ("port", "close", "friday"), 2 / 3),
        (("corn", "price"), ("wheat", "price"), 1 / 3),
        (("port",), ("harbour",), 0.0),
        (("a", "b", "c", "d"), ("a", "b", "c", "e"), 3 / 5),
        (("港口", "停工"), ("港口", "全面", "停工"), 2 / 3),
    ],
)
def test_overlap_is_common_terms_over_all_terms(
    first: tuple[str, ...], second: tuple[str, ...], overlap: float
) -> None:
    assert key_overlap(key(*first), key(*second)) == pytest.approx(overlap)


def test_opposite_directions_never_link() -> None:
    up, down = key("price", "corn", direction=Direction.UP), key("price", "corn", direction=Direction.DOWN)
    assert key_overlap(up, down) == 0.0
    assert key_overlap(up, key("price", "corn")) == 0.0


def test_a_statement_and_its_negation_never_link() -> None:
    assert key_overlap(key("port", "close"), key("port", "close", negated=True)) == 0.0


def test_keys_of_two_languages_are_not_compared_by_words() -> None:
    assert key_overlap(key("GDP", "2024"), key("GDP", "2024", language="zh")) == 0.0


def test_who_does_it_to_whom_makes_a_difference() -> None:
    assert key_overlap(key("acme", "buy", "zenith"), key("zenith", "buy", "acme")) == 0.0  # 1 of 3 in order
    assert key_overlap(key("acme", "zenith"), key("zenith", "acme")) == 0.0  # 1 of 2
    # two of three common terms in the same order are enough
    assert key_overlap(key("yesterday", "port", "close"), key("port", "close", "yesterday")) == 1.0


def test_whole_sentences_are_not_linked() -> None:
    longest = tuple(f"w{i:02}" for i in range(MAX_TERMS))
    assert key_overlap(key(*longest), key(*longest)) == 1.0
    assert key_overlap(key(*longest, "more"), key(*longest)) == 0.0
    assert blocking_terms(key(*longest, "more")) == ()


def test_blocking_terms_are_the_pairs_of_the_longest_terms() -> None:
    # 4 terms: alike keys share at least ceil(0.6 * 4) = 3, so a pair stands among the first 4 - 3 + 2 = 3
    # in the order longest first, then by the alphabet: unemployment, factory, close, rise
    assert SAME_AS_THRESHOLD == 0.6
    assert set(blocking_terms(key("factory", "close", "unemployment", "rise"))) == {
        "unemployment factory",
        "unemployment close",
        "factory close",
    }


def test_blocking_terms_do_not_hang_on_the_order_of_the_words() -> None:
    assert blocking_terms(key("close", "port", "storm")) == blocking_terms(key("storm", "close", "port"))


def test_two_terms_give_their_pair() -> None:
    assert blocking_terms(key("price", "corn")) == ("price corn",)


def test_a_term_said_twice_is_found_beside_the_same_term_said_once() -> None:
    assert key_overlap(key("price"), key("price", "price")) == 1.0
    assert blocking_terms(key("price")) == blocking_terms(key("price", "price")) == ("price",)
