"""Links between statements that say the same, against judging every pair."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from types import SimpleNamespace

from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag.writing import same_as_links
from storage.records import Direction, Statement, StatementKey
from storage.similarity import SAME_AS_THRESHOLD, blocking_terms, key_overlap

keys = st.builds(
    StatementKey,
    language=st.sampled_from(["en", "zh"]),
    terms=st.lists(st.sampled_from("abcdef"), min_size=1, max_size=5).map(tuple),
    direction=st.sampled_from(Direction),
    negated=st.booleans(),
)


@dataclass
class Stored:
    """The one method of a graph store that linking calls."""

    keys: list[StatementKey]

    def statements_sharing(self, language: str, terms: list[str]) -> list[StatementKey]:
        return [k for k in self.keys if k.language == language and set(terms) & set(blocking_terms(k))]


@given(new=st.lists(keys, max_size=12), stored=st.lists(keys, max_size=12))
@settings(deadline=None, max_examples=200)
def test_every_alike_pair_with_a_new_statement_is_linked_and_no_other(
    new: list[StatementKey], stored: list[StatementKey]
) -> None:
    fresh = {Statement(key=k).id: k for k in new}
    all_keys = {Statement(key=k).id: k for k in [*new, *stored]}
    expected = {
        tuple(sorted((a, b)))
        for a, b in itertools.combinations(all_keys, 2)
        if (a in fresh or b in fresh) and key_overlap(all_keys[a], all_keys[b]) >= SAME_AS_THRESHOLD
    }
    stores = SimpleNamespace(graph=Stored(stored))
    links = same_as_links(stores, [Statement(key=k) for k in new])  # type: ignore[arg-type]
    assert {(link.first, link.second) for link in links} == expected
