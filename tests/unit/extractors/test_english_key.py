"""Keys of English statements: equal where the words say the same, never equal where they say opposite things."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.english_key import english_key
from storage.records import Direction


def key_text(text: str) -> str:
    key = english_key(text)
    assert key is not None
    return key.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the rise in crude prices", "up:crude price"),
        ("crude prices surged", "up:crude price"),
        ("Crude prices are rising", "up:crude price"),
        ("crude prices' increase", "up:crude price"),
        ("higher crude prices", "up:crude price"),
        ("prices went up", "up:price"),
        ("prices fell", "down:price"),
        ("the fall in prices", "down:price"),
        ("a sharp drop in demand", "down:sharp demand"),
        ("demand shrank", "down:demand"),
        ("the plant cut output", "down:plant output"),
        ("to reduce costs", "down:cost"),
        ("cost reduction", "down:cost"),
        ("growth", "none:growth"),
        ("demand will slow", "down:demand"),
        ("a slow disk", "none:slow disk"),
        ("prices did not rise", "not up:price"),
        ("prices didn’t rise", "not up:price"),
        ("prices failed to rise", "not up:price"),
        ("without a backup", "not none:backup"),
        ("the node can't start", "not none:node start"),
        ("they won't return", "not none:return"),
        ("no longer available", "not none:available"),
        ("rising prices cut demand", "none:rise price cut demand"),
        ("power was cut off", "none:power cut off"),
        ("the servers crashed", "none:server crash"),
        ("a crash of the server", "none:crash server"),
        ("the pipeline failed", "none:pipeline fail"),
        ("the pipeline's failure", "none:pipeline fail"),
        ("high-availability mode", "none:high availability mode"),
        ("it broke the build", "none:break build"),
        ("heavy rain fell", "none:heavy rain fall"),
        ("darkness fell", "none:darkness fall"),
        ("bombs fell on the city", "none:bomb fall city"),
        ("falling rocks", "none:fall rock"),
        ("the fall of the government", "none:fall government"),
        ("the worker fell from the roof", "none:worker fall roof"),
        ("rain fell by half", "down:rain half"),
        ("sales of bombs fell", "down:sales bomb"),
        ("a fall in rainfall", "down:rainfall"),
        ("city rents fell", "down:city rent"),
        ("smoke rose", "none:smoke rise"),
        ("sea levels rose", "up:sea level"),
        ("a digger cut the cable", "none:digger cut cable"),
        ("power was cut", "none:power cut"),
        ("cut cable costs", "down:cable cost"),
        ("power consumption was cut", "down:power consumption"),
        ("exports fell in May", "down:export may"),
        ("exports may fall", "down:export"),
        ("two servers crashed", "none:2 server crash"),
        ("profits fell last year", "down:profit"),
        ("last quarter", "none:last quarter"),
        ("prices rose year on year", "up:price"),
        ("10,000 users", "none:10000 user"),
        ("prices fell by 5%", "down:price 5%"),
        ("prices fell 5 per cent", "down:price 5%"),
        ("version 3.5 of the API", "none:version 3.5 api"),
        ("“quoted” outage", "none:quote outage"),
        ("the children were evacuated", "none:child evacuate"),
        ("Müller’s café", "none:müller café"),
    ],
)
def test_a_key_by_hand(text: str, expected: str) -> None:
    assert key_text(text) == expected


@pytest.mark.parametrize("text", ["", "   ", "it", "this", "the", "and so on the", "👍", "…", "***", "—", "which was"])
def test_words_without_content_have_no_key(text: str) -> None:
    assert english_key(text) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("prices rose", "prices fell"),
        ("prices rose", "prices did not rise"),
        ("the port closed", "the port opened"),
        ("the server went up", "the server went down"),
        ("more stable", "less stable"),
        ("before the upgrade", "after the upgrade"),
        ("the node started", "no node started"),
        ("no node started", "no node did not start"),
        ("the light was switched off", "the light was switched on"),
        ("able to connect", "unable to connect"),
        ("imports fell", "importance fell"),
        ("exports fell in May", "exports fell in March"),
        ("prices rose 3%", "prices rose 30%"),
        ("two pumps failed", "five pumps failed"),
        ("the army left", "the arm left"),
    ],
)
def test_opposites_and_strangers_never_share_a_key(one: str, other: str) -> None:
    assert english_key(one) != english_key(other)


def test_the_key_is_the_same_with_every_kind_of_quote_and_hyphen() -> None:
    keys = {
        key_text(t) for t in ("the bank's roll-out", "the bank’s roll‑out", "The bank's roll out", "a bank's roll–out")
    }
    assert keys == {"none:bank roll out"}


def test_the_direction_is_a_field_of_its_own() -> None:
    key = english_key("oil prices soared")
    assert key is not None
    assert (key.language, key.terms, key.direction, key.negated) == ("en", ("oil", "price"), Direction.UP, False)


@given(st.text(max_size=120))
def test_any_text_has_a_key_of_words_or_none(text: str) -> None:
    key = english_key(text)
    assert key is None or all(term and not term.isspace() for term in key.terms)
    assert key == english_key(text)


PARTS = "prices rose fell not cut the port closed down up no slow server"


@given(st.lists(st.sampled_from(PARTS.split()), max_size=8))
def test_letter_case_and_spacing_do_not_matter(words: list[str]) -> None:
    assert english_key(" ".join(words)) == english_key("  ".join(words).upper())
