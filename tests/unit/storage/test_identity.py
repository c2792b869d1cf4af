"""Ids follow from what a thing is; the expected hashes are computed here byte by byte."""

from __future__ import annotations

import hashlib
from typing import get_args

import pytest

from storage.identity import Kind, content_digest, is_id, make_id


def test_an_id_is_128_bits_of_the_sha256_of_a_json_array() -> None:
    written = '["src","papers","a b/港口.md"]'  # no spaces between the items, no escapes
    assert make_id("src", "papers", "a b/港口.md") == "src_" + hashlib.sha256(written.encode()).hexdigest()[:32]


def test_numbers_and_none_are_not_their_words() -> None:
    written = '["chk","doc_1",0,17,null]'
    assert make_id("chk", "doc_1", 0, 17, None) == "chk_" + hashlib.sha256(written.encode()).hexdigest()[:32]
    assert make_id("chk", "1") != make_id("chk", 1)
    assert make_id("evd", "x", None) not in {make_id("evd", "x", "null"), make_id("evd", "x", ""), make_id("evd", "x")}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("a", "b"), ("ab",)),
        (("a", "b"), ("a,b",)),
        (("a", "b"), ('a","b',)),
        (("a", "b"), ("b", "a")),
        (("a", ""), ("a",)),
        (("a\\",), ("a",)),
        (("é",), ("e\u0301",)),  # composed and decomposed are different texts
    ],
)
def test_no_separator_inside_a_part_makes_two_lists_equal(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    assert make_id("src", *one) != make_id("src", *other)


def test_the_kind_is_part_of_what_is_hashed() -> None:
    hashes = {make_id(kind, "same").split("_")[1] for kind in get_args(Kind)}
    assert len(hashes) == len(get_args(Kind))


def test_a_lone_surrogate_has_an_id_too() -> None:
    assert is_id(make_id("src", "a\ud800"), "src")
    assert make_id("src", "a\ud800") != make_id("src", "a\ud801")


@pytest.mark.parametrize("kind", get_args(Kind))
def test_every_kind_of_id_is_recognised(kind: Kind) -> None:
    assert is_id(make_id(kind, "x"))
    assert is_id(make_id(kind, "x"), kind)
    assert not is_id(make_id(kind, "x"), "src" if kind != "src" else "doc")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "doc_",
        "doc_" + "a" * 31,
        "doc_" + "a" * 33,
        "doc_" + "A" * 32,
        "doc_" + "g" * 32,
        "dog_" + "a" * 32,
        " doc_" + "a" * 32,
        "doc_" + "a" * 32 + "\n",
        "doc_" + "a" * 32 + "' OR 1=1",
        "doc_" + "１" * 32,  # full-width digits are no hexadecimal ones
        "a" * 32,
    ],
)
def test_what_is_not_wholly_an_id_may_not_enter_a_filter(text: str) -> None:
    assert not is_id(text)
    assert not is_id(text, "doc")


def test_a_digest_is_the_sha256_of_the_bytes() -> None:
    # FIPS 180-2, appendix B.1
    assert content_digest(b"abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
