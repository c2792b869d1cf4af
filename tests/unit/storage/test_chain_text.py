"""A chain as text."""

from __future__ import annotations

import pytest

from storage.chain_text import ARROWS, arrow, chain_text
from storage.records import Polarity, RelationType


@pytest.mark.parametrize(
    ("type_", "drawn", "denied"),
    [
        (RelationType.CAUSAL, "─causes→", "─does not cause→"),
        (RelationType.SEQUENTIAL, "─then→", "─not then→"),
        (RelationType.SUPPORTING, "─supports→", "─does not support→"),
        (RelationType.PROGRESSIVE, "─leads on to→", "─does not lead on to→"),
    ],
)
def test_each_type_has_its_arrow_and_its_denial(type_: RelationType, drawn: str, denied: str) -> None:
    assert arrow(type_) == arrow(type_, Polarity.AFFIRMED) == drawn
    assert arrow(type_, Polarity.NEGATED) == denied


def test_no_type_is_without_an_arrow() -> None:
    assert set(ARROWS) == set(RelationType)
    assert len(set(ARROWS.values())) == len(ARROWS)


@pytest.mark.parametrize(
    ("links", "text"),
    [
        ([("storm", "port closes")], "storm → port closes"),
        ([("storm", "port closes"), ("port closes", "prices rise")], "storm → port closes → prices rise"),
        (
            [("storm", "port closes"), ("the harbour shuts", "prices rise")],
            "storm → port closes = the harbour shuts → prices rise",
        ),
        ([("台风登陆", "港口停工"), ("港口停工", "运价上涨")], "台风登陆 → 港口停工 → 运价上涨"),
    ],
)
def test_the_words_of_a_chain_stand_in_order_and_other_words_for_the_same_beside_each_other(
    links: list[tuple[str, str]], text: str
) -> None:
    assert chain_text(links) == text
