"""The rows of a derived chain: found by everybody who may see every link, in no words that they may not see."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import combinations
from typing import Any

import pytest

from feedback.derived_rows import MAX_ROWS
from storage.records import OWNER, View, metadata_tag

WINTER, SPRING = (datetime(2024, month, 1, tzinfo=UTC) for month in (1, 4))


def rows(world: Any, groups: set[str] | None, *, query: str = "outage", **about: Any) -> list[str]:
    """The texts of derived rows that a search by these groups proposes."""
    view = View(groups=None if groups is None else frozenset(groups), **about)
    found = world.index.search_text("chains", query, world.graph.scope(view), limit=100)
    texts = world.index.rows("chains", [n.id for n in found if not n.document_id])
    return sorted(row.text for row in texts.values())


def test_public_words_need_no_second_row(told: Any, story: Any) -> None:
    told.ingest("secret", story[1], groups=("board",))
    told.accept(told.propose(*story))
    assert len(told.index.derived_rows()) == 1
    assert rows(told, {"public"}) == ["the storm → a flood → an outage → a loss"]
    assert rows(told, {"board"}) == []


def test_a_row_is_matched_only_by_who_may_read_every_document_it_quotes(world: Any, says: Any) -> None:
    # One relation in other words per group: case is folded in the key, so both are the same statement.
    world.ingest("one", says("the storm", "a flood"), groups=("red",))
    world.ingest("two", says("A Flood", "an outage"), groups=("blue",))
    world.ingest("three", says("a FLOOD", "an OUTAGE"), groups=("green",))
    world.accept(world.propose(says("the storm", "a flood"), says("a flood", "an outage")))
    by_blue, by_green = "the storm → a flood = A Flood → an outage", "the storm → a flood = a FLOOD → an OUTAGE"
    assert rows(world, {"red"}) == rows(world, {"blue"}) == rows(world, {"blue", "green"}) == rows(world, set()) == []
    assert rows(world, {"red", "blue"}) == [by_blue]
    assert rows(world, {"red", "green"}) == [by_green]
    assert rows(world, None) == rows(world, {"red", "blue", "green"}) == sorted([by_blue, by_green])


def test_who_sees_every_link_finds_the_chain_and_nobody_else(world: Any, says: Any) -> None:
    first, second, third = says("a", "b"), says("b", "c"), says("c", "d")
    for i, (said, groups) in enumerate(
        [(first, "x"), (first, "yz"), (second, "xy"), (second, "z"), (third, "w"), (third, "xz")]
    ):
        world.ingest(f"document {i}", said, says(f"aside {i}", f"other {i}"), groups=tuple(groups))
    chain_id = world.accept(world.propose(first, second, third)).chains[0]
    for size in range(5):
        for groups in combinations("wxyz", size):
            scope = world.graph.scope(View(groups=frozenset(groups)))
            visible = chain_id in world.graph.chains([chain_id], scope)
            proposed = {n.owner for n in world.index.search_text("chains", "a b c d", scope, limit=100)}
            by_vector = world.index.search_vector("chains", world.embedder.embed(["a b"], "query")[0], scope, limit=100)
            assert (chain_id in proposed) == visible, groups
            assert (chain_id in {n.owner for n in by_vector}) == visible, groups


def test_a_row_has_the_shared_tags_and_the_shared_time(world: Any, story: Any) -> None:
    world.ingest("one", story[0], metadata={"team": "red", "year": 2024}, valid_from=WINTER)
    world.ingest("two", story[1], metadata={"team": "red", "year": 2023}, valid_from=SPRING)
    world.accept(world.propose(story[0], story[1]))
    [row] = world.index.derived_rows()
    assert row.tags == (metadata_tag("team", "red"),)
    assert (row.valid_from, row.valid_to) == (SPRING, None)
    assert len(rows(world, None, where={"team": "red"})) == 1
    assert rows(world, None, where={"year": 2024}) == []
    assert rows(world, None, as_of=WINTER) == []


def test_a_document_with_a_tag_gives_a_row_of_its_own(world: Any, story: Any) -> None:
    world.ingest("one", story[0], metadata={"team": "red"})
    world.ingest("two", story[1])
    world.ingest("three", story[1], story[2], metadata={"team": "red"})
    world.accept(world.propose(story[0], story[1]))
    assert len(rows(world, None, where={"team": "red"})) == 1
    assert len(rows(world, {"public"})) == 1


def test_changed_groups_change_the_rows(told: Any, story: Any) -> None:
    told.accept(told.propose(*story))
    scope = told.graph.scope(OWNER)
    [source] = [s for s in told.graph.sources(scope) if s.path == "two"]
    told.graph.update_sources([source.model_copy(update={"groups": ("board",)})])
    assert told.sync() == 2
    assert rows(told, {"public"}) == []
    assert len(rows(told, {"public", "board"})) == 1


def test_syncing_twice_changes_nothing(told: Any, story: Any) -> None:
    told.accept(told.propose(*story))
    assert told.sync() == 0
    [row] = told.index.derived_rows()
    told.index.delete("chains", [row.id])
    assert told.sync() == 1
    assert told.sync() == 0
    assert told.index.derived_rows() == [row]


def test_interned_rules_are_no_part_of_the_state(told: Any, story: Any) -> None:
    before = told.graph.state_hash()
    told.ingest("secret", story[1], groups=("board",))
    told.rollback(told.accept(told.propose(*story)).batch)
    told.remove("secret")
    assert told.graph.state_hash() == before


def test_a_chain_of_many_groups_keeps_to_its_limit_and_says_so(
    world: Any, says: Any, caplog: pytest.LogCaptureFixture
) -> None:
    links = [says(f"s{i}", f"s{i + 1}") for i in range(7)]
    for i, said in enumerate(links):
        for side in ("left", "right"):
            world.ingest(f"{side} {i}", said, says(f"{side} {i}", "end"), groups=(f"{side} {i}",))
    world.accept(world.propose(*links))
    assert len(world.index.derived_rows()) == MAX_ROWS
    assert "32 of 64 are" in caplog.text


def test_metadata_of_its_own_gives_a_document_no_row_of_its_own(world: Any, story: Any, says: Any) -> None:
    for i in range(9):
        world.ingest(f"one {i}", story[0], says(f"aside {i}", "end"), metadata={"number": i, "year": 2020 + i % 2})
        world.ingest(f"two {i}", story[1], says(f"aside {i}", "end"), metadata={"number": -i, "year": 2020 + i % 3})
    world.accept(world.propose(story[0], story[1]))
    # Shared are the number 0, which stands with the year 2020 in both, and the year 2021: each of the two once.
    tags = [{metadata_tag("number", 0), metadata_tag("year", 2020)}, {metadata_tag("year", 2021)}]
    found = [set(row.tags) for row in world.index.derived_rows()]
    assert sorted(map(sorted, found)) == sorted(map(sorted, tags))
