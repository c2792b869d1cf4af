"""Links between statements that say the same, against judging every pair, in any order of arrival."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace

from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag.same_as import CALIBRATED_EMBEDDER, linked
from graphrag.same_as_search import same_as_links
from storage.ports import Vector
from storage.records import Direction, SameAs, Statement, StatementKey
from storage.similarity import blocking_terms
from tests.stand_ins import WordEmbedder

ENGLISH = st.sampled_from(["port", "harbor", "shut", "close", "ship", "corn", "maize", "price", "lava", "tephra", "12"])
CHINESE = st.sampled_from(["港口", "码头", "关闭", "玉米", "价格", "熔岩", "船"])


def keys_in(language: str, words: st.SearchStrategy[str]) -> st.SearchStrategy[StatementKey]:
    return st.builds(
        StatementKey,
        language=st.just(language),
        terms=st.lists(words, min_size=1, max_size=4).map(tuple),
        direction=st.sampled_from(Direction),
        negated=st.booleans(),
    )


keys = keys_in("en", ENGLISH) | keys_in("zh", CHINESE)


class Calibrated(WordEmbedder):
    """The stand-in, by the name of the embedder whose cosines were measured."""

    @property
    def name(self) -> str:
        return f"{CALIBRATED_EMBEDDER}stand-in"


@dataclass
class Store:
    """What linking calls of a graph store and of a text index, over keys in memory."""

    embedder: Calibrated
    keys: dict[str, StatementKey] = field(default_factory=dict)

    def statements_sharing(self, language: str, terms: Sequence[str]) -> list[StatementKey]:
        return [k for k in self.keys.values() if k.language == language and set(terms) & set(blocking_terms(k))]

    def statement_keys(self, ids: Sequence[str]) -> dict[str, StatementKey]:
        return {i: self.keys[i] for i in ids if i in self.keys}

    def vectors(self, collection: str) -> Iterator[tuple[list[str], Vector]]:
        for id_, key in self.keys.items():
            yield [id_], self.embedder.embed([key.text], "passage")

    def add(self, new: Sequence[StatementKey]) -> list[SameAs]:
        statements = [Statement(key=k) for k in new]
        self.keys.update((s.id, s.key) for s in statements)
        stores = SimpleNamespace(
            graph=self, index=self, embedder=self.embedder, signatures={}, table_vectors={}, manifest=None
        )
        vectors = {s.id: list(self.embedder.embed([s.key.text], "passage")) for s in statements}
        return same_as_links(stores, statements, vectors)  # type: ignore[arg-type]


@given(all_keys=st.lists(keys, max_size=12, unique_by=lambda k: k.text), data=st.data())
@settings(deadline=None, max_examples=100)
def test_the_links_are_those_of_every_pair_in_any_order_and_any_batches(
    all_keys: list[StatementKey], data: st.DataObject
) -> None:
    embedder = Calibrated()
    expected = linked(itertools.combinations(all_keys, 2), embedder)
    order = data.draw(st.permutations(all_keys))
    cut = data.draw(st.integers(0, len(order)))
    store = Store(embedder)
    found = {(s.first, s.second): s for batch in (order[:cut], order[cut:]) for s in store.add(batch)}
    assert [found[pair] for pair in sorted(found)] == expected
    for link in expected:
        first, second = store.keys[link.first], store.keys[link.second]
        assert first.negated == second.negated
        assert {first.direction, second.direction} != {Direction.UP, Direction.DOWN}
        if ("12" in first.terms) != ("12" in second.terms):  # what names no amount is close to what does, and no more
            assert link.score <= 0.8
