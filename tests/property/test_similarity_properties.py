"""Likeness of keys, and the promise of the index: what is alike shares a term under which it is found."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from storage.records import Direction, StatementKey
from storage.similarity import MAX_TERMS, SAME_AS_THRESHOLD, blocking_terms, key_overlap

WORDS = [
    "port",
    "close",
    "storm",
    "price",
    "corn",
    "rise",
    "unemployment",
    "a",
    "b",
    "bb",
    "港口",
    "停工",
    "价格",
    "玉米",
]

languages = st.sampled_from(["en", "zh"])
directions = st.sampled_from(list(Direction))
terms = st.lists(st.sampled_from(WORDS), min_size=1, max_size=MAX_TERMS + 2).map(tuple)
keys = st.builds(StatementKey, language=languages, terms=terms, direction=directions, negated=st.booleans())


@st.composite
def near_pairs(draw: st.DrawFn) -> tuple[StatementKey, StatementKey]:
    """Two keys that may well be alike: one with terms taken out, put in, moved or said twice."""
    first = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=MAX_TERMS))
    second = list(first)
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(second)))
        match draw(st.sampled_from(["in", "out", "move", "twice"])):
            case "in":
                second.insert(at, draw(st.sampled_from(WORDS)))
            case "out" if len(second) > 1:
                second.pop(at % len(second))
            case "move":
                second.insert(at, second.pop(0))
            case "twice":
                second.insert(at, second[0])
    language = draw(languages)
    return StatementKey(language=language, terms=tuple(first)), StatementKey(language=language, terms=tuple(second))


pairs = near_pairs() | st.tuples(keys, keys)


@settings(deadline=None, max_examples=1500)
@given(pairs)
def test_every_pair_that_is_alike_shares_a_blocking_term(pair: tuple[StatementKey, StatementKey]) -> None:
    first, second = pair
    if first.text != second.text and key_overlap(first, second) >= SAME_AS_THRESHOLD:
        assert set(blocking_terms(first)) & set(blocking_terms(second))


@settings(deadline=None, max_examples=300)
@given(pairs)
def test_likeness_is_symmetric_and_a_fraction(pair: tuple[StatementKey, StatementKey]) -> None:
    overlap = key_overlap(*pair)
    assert overlap == key_overlap(*pair[::-1])
    assert 0.0 <= overlap <= 1.0


@settings(deadline=None)
@given(pairs, directions, directions, st.booleans(), st.booleans())
def test_likeness_is_zero_across_directions_negations_and_languages(
    pair: tuple[StatementKey, StatementKey], one: Direction, other: Direction, denied: bool, denied_too: bool
) -> None:
    first = pair[0].model_copy(update={"direction": one, "negated": denied})
    second = pair[1].model_copy(update={"direction": other, "negated": denied_too})
    if one is not other or denied != denied_too or first.language != second.language:
        assert key_overlap(first, second) == 0.0


@settings(deadline=None)
@given(keys)
def test_a_key_is_wholly_like_itself_unless_it_is_a_sentence(key: StatementKey) -> None:
    assert key_overlap(key, key) == (1.0 if len(key.terms) <= MAX_TERMS else 0.0)


@settings(deadline=None)
@given(keys)
def test_a_key_is_indexed_under_few_terms_each_once(key: StatementKey) -> None:
    found = blocking_terms(key)
    assert len(found) == len(set(found))
    assert len(found) <= 28  # 16 terms: 16 - 10 + 2 = 8 in the prefix, 8 * 7 / 2 pairs
