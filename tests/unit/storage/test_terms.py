"""The words of full-text search, worked out by hand."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storage.terms import MAX_QUERY_TERMS, MAX_TERM_LENGTH, query_terms, search_terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", []),
        (" \n\t…—!? _ ", []),
        ("The port CLOSED.", ["the", "port", "closed"]),
        ("It's 3.5% of U.S. GDP", ["it", "s", "3", "5", "of", "u", "s", "gdp"]),
        ("covid-19 follow_up B2B", ["covid", "19", "follow", "up", "b2b"]),
        ("port port", ["port", "port"]),  # repeats count in BM25
        ("台风", ["台", "风", "台风"]),
        ("因为，停工", ["因", "为", "因为", "停", "工", "停工"]),  # no pair over a comma
        ("iPhone15手机", ["iphone15", "手", "机", "手机"]),
        ("㐂𠮷々", ["㐂", "𠮷", "々", "㐂𠮷", "𠮷々"]),  # extension A and B, the iteration mark
        ("Москва и Ἀθῆναι", ["москва", "и", "ἀθῆναι"]),
        ("한국의", ["한", "국", "의", "한국", "국의"]),
        ("カー", ["カ", "ー", "カー"]),
    ],
)
def test_words_are_whole_and_unspaced_scripts_are_characters_and_pairs(text: str, terms: list[str]) -> None:
    assert search_terms(text) == terms


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ＰＯＲＴ１２", "port12"),  # full width
        ("ｶﾞ", "ガ"),  # half-width kana
        ("Straße", "STRASSE"),
        ("ﬁnance", "Finance"),
        ("cafe\u0301", "CAFÉ"),
        ("ΟΔΟΣ", "οδος"),  # final sigma
        ("ex\u00adam\u200bple\ufeff", "example"),  # soft hyphen, zero-width space, byte order mark
        ("葛\U000e0100飾", "葛飾"),  # ideographic variation selector
        ("⽔", "水"),  # Kangxi radical
    ],
)
def test_forms_of_one_word_are_one_term(one: str, other: str) -> None:
    assert search_terms(one) == search_terms(other) != []


def test_words_with_combining_marks_stay_whole() -> None:
    assert search_terms("हिन्दी भाषा, தமிழ்") == ["हिन्दी", "भाषा", "தமிழ்"]


def test_every_substring_of_a_chinese_text_shares_its_terms() -> None:
    text = "南京市长江大桥因台风停工"
    terms = set(search_terms(text))
    for start in range(len(text)):
        for end in range(start + 1, len(text) + 1):
            assert set(search_terms(text[start:end])) <= terms


def test_a_very_long_word_is_cut_alike_for_index_and_question() -> None:
    assert search_terms("x" * 1000) == ["x" * MAX_TERM_LENGTH]


def test_a_question_repeats_no_term() -> None:
    assert query_terms("port Port 港 PORT 港") == ["port", "港"]


def test_a_long_question_keeps_its_beginning_and_its_end() -> None:
    text = " ".join(f"w{i}" for i in range(1000))
    terms = query_terms(text, limit=4)
    assert terms == ["w0", "w1", "w998", "w999"]
    assert query_terms(text, limit=3) == ["w0", "w1", "w999"]


def test_a_long_chinese_question_gives_up_single_characters_first() -> None:
    text = "甲乙丙丁"  # 4 characters, 3 pairs
    assert query_terms(text, limit=7) == search_terms(text)
    assert query_terms(text, limit=6) == ["甲乙", "乙丙", "丙丁"]
    assert len(query_terms("".join(chr(0x4E00 + 7 * i) for i in range(2000)))) == MAX_QUERY_TERMS


@given(st.text(max_size=200))
@settings(max_examples=300, deadline=None)
def test_terms_hold_no_space_and_are_their_own_terms(text: str) -> None:
    # A space inside a term would make it two terms of a stored row or of a query.
    for term in search_terms(text):
        assert term
        assert not any(char.isspace() for char in term)
        assert len(term) <= MAX_TERM_LENGTH
        assert len(term.encode()) < 1024


@pytest.mark.parametrize("unit", ["a", "\u0301", "a\u0301", "_", "的a", "的", "\ufdfa", "\u200b"])
def test_much_of_anything_takes_linear_time(unit: str) -> None:
    times = []
    for size in (20_000, 200_000):
        start = time.perf_counter()
        search_terms(unit * (size // len(unit)))  # U+FDFA becomes eighteen letters
        times.append(time.perf_counter() - start)
    assert times[1] < 100 * max(times[0], 0.01)  # ten times the text; a quadratic pattern would take a hundred times
