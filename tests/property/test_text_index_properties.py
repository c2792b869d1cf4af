"""Searches of the text index against brute force over the rows that a scope lets see."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storage import lance_upkeep
from storage.identity import make_id
from storage.lance_index import LanceTextIndex
from storage.ports import IndexRow
from storage.records import Scope, metadata_tag
from storage.terms import query_terms, search_terms

DIMENSIONS = 16
START = datetime(2026, 1, 1, tzinfo=UTC)
CLASSES = [make_id("acl", i) for i in range(5)]
TAGS = [metadata_tag("tag", i) for i in range(4)]
DOCUMENTS = [make_id("doc", i) for i in range(40)]
WORDS = ["port", "ship", "storm", "the", "of", "港口", "台风", "停工", "长江大桥", "市长", "因为", "é", "2026"]

_random = np.random.default_rng(11)


def _unit(vector: np.ndarray) -> np.ndarray:
    unit: np.ndarray = (vector / np.linalg.norm(vector)).astype(np.float32)
    return unit


def _row(i: int) -> IndexRow:
    r = _random
    return IndexRow(
        id=make_id("chk", i),
        owner=make_id("chk", i),
        document_id=str(r.choice(DOCUMENTS)) if i % 50 else "",
        access_class=str(r.choice(CLASSES)),
        language="zh",
        text=" ".join(r.choice(WORDS, size=r.integers(0, 6))),
        context=str(r.choice(WORDS)) if r.random() < 0.2 else "",
        tags=tuple(sorted(str(t) for t in r.choice(TAGS, size=r.integers(0, 4), replace=False))),
        valid_from=None if r.random() < 0.5 else START + timedelta(days=int(r.integers(-5, 5))),
        valid_to=None if r.random() < 0.5 else START + timedelta(days=int(r.integers(-5, 5))),
        vector=_unit(r.standard_normal(DIMENSIONS)),
    )


ROWS = [_row(i) for i in range(900)]
MATRIX = np.stack([r.vector for r in ROWS if r.vector is not None]).astype(np.float64)


@pytest.fixture(scope="module", params=["written", "optimized", "indexed", "indexed with a tail"])
def index(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LanceTextIndex]:
    """The same rows in the states that an index goes through; the last two have every kind of index."""
    index = LanceTextIndex(tmp_path_factory.mktemp("index"), dimensions=DIMENSIONS)
    with pytest.MonkeyPatch.context() as patch:
        if request.param.startswith("indexed"):
            patch.setattr(lance_upkeep, "SCALAR_INDEX_ROWS", 100)
            patch.setattr(lance_upkeep, "VECTOR_INDEX_ROWS", 300)
        stale = [replace(r, text="stale 停工", access_class=CLASSES[0], tags=()) for r in ROWS[::7]]
        index.write("chunks", stale)
        first = 600 if request.param == "indexed with a tail" else len(ROWS)
        index.write("chunks", ROWS[:first])
        index.write("chunks", [replace(ROWS[0], id=make_id("chk", "gone"), document_id=make_id("doc", "gone"))])
        if request.param != "written":
            index.optimize()
        index.delete_documents([make_id("doc", "gone")])
        if first < len(ROWS):
            index.write("chunks", ROWS[first:])
        yield index


scopes = st.builds(
    Scope,
    classes=st.none() | st.frozensets(st.sampled_from([*CLASSES, make_id("acl", "unknown")])),
    at=st.integers(-6, 6).map(lambda d: START + timedelta(days=d)),
    tags=st.frozensets(st.sampled_from(TAGS), max_size=2),
    hidden=st.frozensets(st.sampled_from(DOCUMENTS), max_size=30),
)


def _visible(row: IndexRow, scope: Scope) -> bool:
    return (
        (scope.classes is None or row.access_class in scope.classes)
        and (row.valid_from is None or row.valid_from <= scope.at)
        and (row.valid_to is None or row.valid_to > scope.at)
        and scope.tags <= set(row.tags)
        and row.document_id not in scope.hidden
    )


_settings = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@given(scope=scopes, words=st.lists(st.sampled_from(WORDS), max_size=3), noise=st.text(max_size=20))
@_settings
def test_every_visible_row_with_a_word_of_the_question_is_found_and_no_other(
    index: LanceTextIndex, scope: Scope, words: list[str], noise: str
) -> None:
    question = " ".join([*words, noise])
    asked = set(query_terms(question))
    expected = {r.id for r in ROWS if _visible(r, scope) and asked & set(search_terms(f"{r.context}\n{r.text}"))}
    found = index.search_text("chunks", question, scope, limit=len(ROWS))
    assert {n.id for n in found} == expected
    assert len(found) == len(expected)
    assert [(-n.score, n.id) for n in found] == sorted((-n.score, n.id) for n in found)
    assert [n.id for n in index.search_text("chunks", question, scope, limit=5)] == [n.id for n in found[:5]]


@given(scope=scopes, seed=st.integers(0, 2**32 - 1), limit=st.integers(1, 40))
@_settings
def test_the_nearest_visible_rows_are_those_of_brute_force(
    index: LanceTextIndex, scope: Scope, seed: int, limit: int
) -> None:
    vector = _unit(np.random.default_rng(seed).standard_normal(DIMENSIONS))
    similarity = np.round(MATRIX @ vector.astype(np.float64), 6)
    visible = [i for i, r in enumerate(ROWS) if _visible(r, scope)]
    expected = sorted(visible, key=lambda i: (-similarity[i], ROWS[i].id))[:limit]
    found = index.search_vector("chunks", vector, scope, limit=limit)
    assert {n.id for n in found} <= {ROWS[i].id for i in visible}
    assert len(found) == len(expected)
    by_id = {ROWS[i].id: similarity[i] for i in visible}
    assert [n.score for n in found] == pytest.approx([by_id[n.id] for n in found], abs=2e-6)
    if scope.classes is None and not scope.tags:  # only here an index may nominate, where there is one
        common = {n.id for n in found} & {ROWS[i].id for i in expected}
        assert len(common) >= 0.8 * len(expected)
    else:
        assert [n.score for n in found] == pytest.approx([similarity[i] for i in expected], abs=2e-6)
