"""Each access class in tables of its own: what the contract of a text index does not say."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from storage import isolated_index
from storage.errors import StoreError, UsageError
from storage.identity import make_id
from storage.isolated_index import IsolatedTextIndex
from storage.ports import COLLECTIONS, IndexRow, Nomination, RowAccess
from storage.records import Scope

DIMENSIONS = 8
NOW = datetime(2026, 6, 1, tzinfo=UTC)
A, B, BOTH = (make_id("acl", name) for name in ("a", "b", "both"))
OWNER = Scope(classes=None, at=NOW)
OF_A = Scope(classes=frozenset({A, BOTH}), at=NOW)

Open = Callable[..., IsolatedTextIndex]


class Killed(BaseException):
    """Stands for the death of the process."""


@pytest.fixture
def open_index(tmp_path: Path) -> Open:
    return lambda name="index", **options: IsolatedTextIndex(tmp_path / name, dimensions=DIMENSIONS, **options)


def row(name: str, text: str, class_: str = A, *, document: str | None = None) -> IndexRow:
    vector = np.random.default_rng(sum(name.encode())).standard_normal(DIMENSIONS).astype(np.float32)
    id_ = make_id("doc", name if document is None else document) if document != "" else ""
    return IndexRow(
        make_id("chk", name), make_id("chk", "o", name), id_, class_, "en", text, vector=vector / np.linalg.norm(vector)
    )


def found(index: IsolatedTextIndex, scope: Scope) -> list[list[Nomination]]:
    """What some searches give, scores to the last bit."""
    vector = np.eye(DIMENSIONS, dtype=np.float32)[0]
    return [
        *(index.search_text("chunks", query, scope, limit=5) for query in ("port", "storm port", "the the", "quay")),
        index.search_vector("chunks", vector, scope, limit=5),
    ]


def test_what_a_full_disk_cut_short_is_taken_back_in_the_class_where_it_was(open_index: Open, tmp_path: Path) -> None:
    index = open_index()
    index.write("chunks", [row("a", "the port"), row("b", "the quay", B)])
    there = set(tmp_path.rglob("data/*.lance"))
    index.write("chunks", [row("c", "the ship", B)])
    [written] = set(tmp_path.rglob("data/*.lance")) - there
    with written.open("r+b") as file:
        file.truncate(written.stat().st_size - 1)
    index = open_index()
    index.mend()
    found = index.document_rows("chunks", [make_id("doc", name) for name in "abc"])
    assert sorted(r.text for r in found) == ["the port", "the quay"]


def test_nothing_that_a_caller_finds_depends_on_rows_that_they_may_not_see(open_index: Open) -> None:
    luck = random.Random(5)
    words = ["port", "storm", "quay", "the", "ship", "rain"]
    mine = [row(f"a{i}", " ".join(luck.choices(words, k=9)), luck.choice([A, BOTH])) for i in range(120)]
    others = [row(f"b{i}", " ".join(["port", *luck.choices(words, k=3)]), B) for i in range(400)]
    alone, shared = open_index("alone"), open_index("shared")
    alone.write("chunks", mine)
    for i in range(0, 400, 100):  # in other batches, between others
        shared.write("chunks", [*mine[i * 3 // 10 : (i + 100) * 3 // 10], *others[i : i + 100]])
    for _ in range(2):
        assert found(shared, OF_A) == found(alone, OF_A)
        shared.optimize()
    shared.delete_documents([r.document_id for r in others[:300]])
    assert found(shared, OF_A) == found(alone, OF_A)
    assert len(found(shared, OWNER)[0]) == 5


@pytest.mark.parametrize("point", ["index.writing", "index.written", "index.moved", "index.deleted"])
def test_rows_that_change_their_class_are_moved_wholly_whatever_interrupts_it(open_index: Open, point: str) -> None:
    document = make_id("doc", "moving")
    index = open_index()
    for name in ("chunks", "statements"):
        index.write(name, [row(f"{name} {i}", f"port {i}", document="moving") for i in range(3)])
    index.write("chunks", [row("other", "port of another")])
    vectors = {r.id: r.vector for r in index.document_rows("chunks", [document]) if r.vector is not None}

    def die(name: str) -> None:
        if name == point:
            raise Killed

    access = RowAccess(B, (), None, None)
    with pytest.raises(Killed):
        open_index(reached=die).update_documents({document: access})
    halfway = open_index()
    seen = [n.id for n in halfway.search_text("chunks", "port", OWNER, limit=50)]
    assert len(seen) == len(set(seen)) == 4  # in two places, and given once
    halfway.update_documents({document: access})
    halfway.update_documents({document: access})
    for name in ("chunks", "statements"):
        rows = halfway.document_rows(name, [document])
        assert len(rows) == len({r.id for r in rows}) == 3
        assert {r.access_class for r in rows} == {B}
    assert {r.id: r.vector.tolist() for r in halfway.document_rows("chunks", [document]) if r.vector is not None} == {
        id_: vector.tolist() for id_, vector in vectors.items()
    }
    assert [n.text for n in halfway.search_text("chunks", "port", OF_A, limit=50)] == ["port of another"]
    assert halfway.count("chunks") == 4


def test_a_row_written_with_another_class_is_in_one_place(open_index: Open) -> None:
    index = open_index()
    index.write("chunks", [row("one", "port", A), row("two", "port", A)])
    index.write("chunks", [row("one", "quay", B)])
    assert index.count("chunks") == 2
    assert {r.text: r.access_class for r in index.rows("chunks", [make_id("chk", "one")]).values()} == {"quay": B}
    assert len(index.search_text("chunks", "port", OF_A, limit=5)) == 1


def test_more_classes_than_are_held_open_can_be_searched(open_index: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolated_index, "OPEN_CLASSES", 2)
    classes = [make_id("acl", i) for i in range(6)]
    index = open_index()
    index.write("chunks", [row(f"r{i}", "port", class_) for i, class_ in enumerate(classes)])
    assert len(index.search_text("chunks", "port", OWNER, limit=50)) == 6
    assert len(index._open) == 2
    assert len(index.search_text("chunks", "port", Scope(classes=frozenset(classes[2:5]), at=NOW), limit=50)) == 3
    assert index.count("chunks") == sum(1 for _ in index.document_ids()) == 6


def test_where_rows_lie_is_worked_out_anew_when_the_file_that_says_so_is_gone(open_index: Open, tmp_path: Path) -> None:
    index = open_index()
    index.write("chunks", [row("one", "port", A), row("two", "port", B), row("free", "port", B, document="")])
    index.close()
    (tmp_path / "index" / "places.db").unlink()
    index = open_index()
    assert set(index.rows("chunks", [make_id("chk", n) for n in ("one", "two", "free")])) == {
        make_id("chk", n) for n in ("one", "two", "free")
    }
    index.delete_documents([make_id("doc", "two")])
    assert index.count("chunks") == 2
    index.close()
    (tmp_path / "index" / "places.db").write_bytes(b"damaged")
    with pytest.raises(StoreError, match="delete it"):
        open_index().count("chunks")


def test_the_tables_of_a_class_that_are_gone_are_missed_and_the_others_kept(open_index: Open, tmp_path: Path) -> None:
    index = open_index()
    index.write("documents", [row("one", "port", A), row("two", "port", B)])
    index.write("chunks", [row("one", "port", A), row("two", "port", B)])
    index.close()
    shutil.rmtree(tmp_path / "index" / A)
    index = open_index()
    assert index.broken() == dict.fromkeys(COLLECTIONS, "lost")
    with pytest.raises(StoreError, match="clew doctor --repair"):
        index.search_text("chunks", "port", OWNER, limit=5)
    for name in index.broken():
        index.make_anew(name)
    assert index.broken() == {}
    assert [index.count(name) for name in COLLECTIONS] == [1, 1, 0, 0]


def test_an_index_that_has_vanished_is_not_taken_for_an_empty_one(open_index: Open, tmp_path: Path) -> None:
    index = open_index()
    index.write("chunks", [row("one", "port")])
    index.close()
    shutil.rmtree(tmp_path / "index")
    with pytest.raises(StoreError, match="is gone"):
        index.count("chunks")


def test_nothing_is_written_of_rows_of_which_one_cannot_be(open_index: Open) -> None:
    index = open_index()
    bad = IndexRow(
        make_id("chk", "bad"), "o", make_id("doc", "bad"), "../../etc", "en", "x", vector=row("x", "x").vector
    )
    with pytest.raises(UsageError):
        index.write("chunks", [row("one", "port", A), bad])
    assert index.count("chunks") == 0


def test_the_indexes_of_the_classes_that_were_written_to_are_brought_up_to_date(open_index: Open) -> None:
    index = open_index()
    index.write("chunks", [row("one", "port", A), row("two", "port", B)])
    index.optimize()
    index.write("chunks", [row("three", "port", B)])
    assert {s.collection: s for s in index.condition()}["chunks"].unindexed == 1
    index.optimize()
    assert {s.collection: (s.rows, s.unindexed) for s in index.condition()}["chunks"] == (3, 0)
