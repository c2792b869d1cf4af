"""What every text index does, whatever stores it."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from storage.errors import StoreError, StoreFullError, StoreVersionError, UsageError  # noqa: F401 (StoreFullError: in a child)
from storage.identity import make_id
from storage.isolated_index import IsolatedTextIndex
from storage.lance_index import LanceTextIndex
from storage.ports import COLLECTIONS, Collection, IndexRow, RowAccess, TextIndex, Vector
from storage.records import Scope, metadata_tag

DIMENSIONS = 8
NOW = datetime(2026, 6, 1, tzinfo=UTC)
OWNER = Scope(classes=None, at=NOW)
PUBLIC, SECRET = make_id("acl", "public"), make_id("acl", "secret")

Open = Callable[[], TextIndex]


@pytest.fixture(params=["lancedb", "isolated"])
def open_index(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    """Opens the same store each time it is called."""
    kind = {"lancedb": LanceTextIndex, "isolated": IsolatedTextIndex}[request.param]
    return lambda: kind(tmp_path / "index", dimensions=DIMENSIONS)


@pytest.fixture
def index(open_index: Open) -> TextIndex:
    return open_index()


def axis(i: int) -> Vector:
    vector: Vector = np.eye(DIMENSIONS, dtype=np.float32)[i % DIMENSIONS]
    return vector


def doc(name: object) -> str:
    return make_id("doc", str(name))


def row(
    name: object,
    text: str = "",
    *,
    document: object = None,
    access_class: str = PUBLIC,
    context: str = "",
    tags: tuple[str, ...] = (),
    valid_from: datetime | None = None,
    valid_to: datetime | None = None,
    vector: Vector | None = None,
) -> IndexRow:
    document_id = "" if document == "" else doc(name if document is None else document)
    return IndexRow(
        id=make_id("chk", str(name)),
        owner=make_id("chk", "owner of", str(name)),
        document_id=document_id,
        access_class=access_class,
        language="en",
        text=text,
        context=context,
        tags=tags,
        valid_from=valid_from,
        valid_to=valid_to,
        vector=axis(0) if vector is None else vector,
    )


def texts(index: TextIndex, query: str, scope: Scope = OWNER, *, limit: int = 100) -> list[str]:
    return [n.text for n in index.search_text("chunks", query, scope, limit=limit)]


def nearest(index: TextIndex, vector: Vector, scope: Scope = OWNER, *, limit: int = 100) -> list[str]:
    return [n.text for n in index.search_vector("chunks", vector, scope, limit=limit)]


# --- comparing every row ---------------------------------------------------------------------------------------------


def test_the_vectors_of_every_row_come_with_their_owners(index: TextIndex) -> None:
    assert list(index.vectors("chunks")) == []
    index.write("chunks", [row(n, vector=axis(n % 3)) for n in range(5)])
    index.delete("chunks", [row(4).id])
    found = {
        owner: vector for owners, block in index.vectors("chunks") for owner, vector in zip(owners, block, strict=True)
    }
    assert set(found) == {row(n).owner for n in range(4)}
    for n in range(4):
        assert found[row(n).owner].tolist() == axis(n % 3).tolist()


# --- writing and reading back ----------------------------------------------------------------------------------------


def test_a_new_index_is_empty_and_can_be_searched(index: TextIndex) -> None:
    assert [index.count(c) for c in COLLECTIONS] == [0, 0, 0, 0]
    assert index.document_ids() == set()
    assert index.derived_rows() == []
    assert texts(index, "port") == []
    assert nearest(index, axis(0)) == []
    assert index.rows("chunks", [row(1).id]) == {}
    index.delete_documents([doc(1)])
    index.delete("chunks", [row(1).id])
    index.update_documents({doc(1): RowAccess(PUBLIC, (), None, None)})
    index.optimize()
    index.optimize()
    assert texts(index, "port") == []


def test_a_row_comes_back_as_it_was_written_without_its_vector(index: TextIndex) -> None:
    tags = tuple(sorted([metadata_tag("team", "a"), metadata_tag("year", 2026)]))
    written = row(
        1,
        "因为台风登陆，\nport 'closed' \U0001f6a2",
        context="Title > 第一章",
        tags=tags,
        valid_from=datetime(1969, 7, 20, 20, 17, 40, 1, tzinfo=UTC),
        valid_to=datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    )
    for collection in COLLECTIONS:
        index.write(collection, [written])
        [back] = index.rows(collection, [written.id, make_id("chk", "none"), "it's no id"]).values()
        assert back.vector is None
        assert back.__class__ is IndexRow
        for name in IndexRow.__dataclass_fields__:
            assert name == "vector" or getattr(back, name) == getattr(written, name), name
    assert index.rows("chunks", []) == {}


def test_rows_come_in_the_order_asked(index: TextIndex) -> None:
    rows = [row(i) for i in range(1200)]
    index.write("chunks", rows)
    asked = [r.id for r in reversed(rows)]
    assert list(index.rows("chunks", [*asked, asked[0]])) == asked


def test_writing_again_replaces(index: TextIndex) -> None:
    index.write("chunks", [row(1, "old words"), row(2, "other words")])
    index.write("chunks", [row(1, "new words", vector=axis(3)), row(3, "third words")])
    index.write("chunks", [row(1, "new words", vector=axis(3)), row(3, "third words")])
    assert index.count("chunks") == 3
    assert texts(index, "old") == []
    assert texts(index, "new") == ["new words"]
    assert nearest(index, axis(3), limit=1) == ["new words"]
    index.optimize()
    assert sorted(texts(index, "words")) == ["new words", "other words", "third words"]


def test_of_equal_ids_in_one_batch_the_last_counts(index: TextIndex) -> None:
    index.write("chunks", [row(1, "first"), row(2, "two"), row(1, "last")])
    assert index.count("chunks") == 2
    assert texts(index, "first last") == ["last"]


def test_a_batch_with_one_bad_row_is_not_written_at_all(index: TextIndex) -> None:
    zeros = np.zeros(DIMENSIONS, dtype=np.float32)
    for bad in (
        IndexRow("it's", "x", doc(1), PUBLIC, "en", "x", vector=axis(0)),
        IndexRow(make_id("chk", 1), "x", "doc_1' OR '1'='1", PUBLIC, "en", "x", vector=axis(0)),
        IndexRow(make_id("chk", 1), "x", doc(1), "public", "en", "x", vector=axis(0)),
        row(1, tags=("colour=red",)),
        IndexRow(make_id("chk", 1), "x", doc(1), PUBLIC, "en", "x", vector=None),
        row(1, vector=zeros + np.nan),
    ):
        with pytest.raises(UsageError):
            index.write("chunks", [row(2, "good"), bad])
    with pytest.raises(StoreError, match="3,"):
        index.write("chunks", [row(2, "good"), row(1, vector=zeros[:3])])
    assert index.count("chunks") == 0


def test_documents_hold_fifty_megabytes_and_no_vector(index: TextIndex) -> None:
    text = "长江 bridge\n" * 3_000_000  # 54 MB in UTF-8
    whole = IndexRow(doc(1), doc(1), doc(1), PUBLIC, "zh", text)
    index.write("documents", [whole])
    assert index.rows("documents", [doc(1)])[doc(1)].text == text


def test_whole_documents_are_not_searched(index: TextIndex) -> None:
    with pytest.raises(UsageError, match="not searched"):
        index.search_text("documents", "port", OWNER, limit=1)
    with pytest.raises(UsageError, match="not searched"):
        index.search_vector("documents", axis(0), OWNER, limit=1)


def test_removing_documents_removes_their_rows_everywhere(index: TextIndex) -> None:
    for collection in COLLECTIONS:
        index.write(collection, [row(f"{i}{collection}", "port", document=i // 2) for i in range(8)])
    index.write("chains", [row("derived", "port", document="")])
    index.optimize()
    index.delete_documents([doc(0), doc(3), doc("unknown")])
    assert [index.count(c) for c in COLLECTIONS] == [4, 4, 4, 5]
    assert index.document_ids() == {doc(1), doc(2)}
    assert len(texts(index, "port")) == 4
    with pytest.raises(UsageError):
        index.delete_documents([""])  # would be every derived chain
    assert [r.text for r in index.derived_rows()] == ["port"]


def test_documents_are_removed_from_the_named_collections_only(index: TextIndex) -> None:
    for collection in COLLECTIONS:
        index.write(collection, [row(f"{collection}", "port", document=1)])
    index.delete_documents([doc(1)], collections=["chunks", "chains"])
    assert [index.count(c) for c in COLLECTIONS] == [1, 0, 1, 0]
    assert index.document_ids() == {doc(1)}


def test_a_thousand_documents_are_removed_at_once(index: TextIndex) -> None:
    index.write("chunks", [row(i, "port") for i in range(1300)])
    index.delete_documents([doc(i) for i in range(1200)])
    assert index.document_ids() == {doc(i) for i in range(1200, 1300)}


def test_removing_rows_by_id(index: TextIndex) -> None:
    index.write("chains", [row(i, "port", document="" if i else None) for i in range(3)])
    index.delete("chains", [row(1).id, row("unknown").id, "x' OR 'x'='x"])
    assert [r.id for r in index.derived_rows()] == [row(2).id]
    assert index.count("chains") == 2


def test_access_changes_without_writing_anew(index: TextIndex) -> None:
    red = metadata_tag("colour", "red")
    for collection in COLLECTIONS:
        index.write(collection, [row(f"{collection}{i}", f"port {i}", document=i, vector=axis(i)) for i in range(3)])
    index.optimize()
    later = NOW + timedelta(days=1)
    index.update_documents(
        {
            doc(0): RowAccess(SECRET, (red,), None, later),
            doc(1): RowAccess(PUBLIC, (), later, None),
            doc("unknown"): RowAccess(PUBLIC, (), None, None),
        }
    )
    for _ in range(2):
        assert texts(index, "port", Scope(classes=frozenset({SECRET}), at=NOW)) == ["port 0"]
        assert texts(index, "port", Scope(classes=frozenset({PUBLIC}), at=NOW)) == ["port 2"]
        assert sorted(texts(index, "port", Scope(classes=frozenset({PUBLIC}), at=later))) == ["port 1", "port 2"]
        assert texts(index, "port", Scope(classes=None, at=NOW, tags=frozenset({red}))) == ["port 0"]
        assert nearest(index, axis(0), limit=1) == ["port 0"]
        index.optimize()
    index.update_documents({doc(0): RowAccess(PUBLIC, (), None, None)})
    for collection in COLLECTIONS:
        back = index.rows(collection, [row(f"{collection}0").id])[row(f"{collection}0").id]
        assert (back.access_class, back.tags, back.valid_from, back.valid_to) == (PUBLIC, (), None, None)
    with pytest.raises(UsageError):
        index.update_documents({doc(0): RowAccess("x' , text = 'y", (), None, None)})


# --- searching text --------------------------------------------------------------------------------------------------


def test_bm25_as_worked_out_by_hand(index: TextIndex) -> None:
    index.write("chunks", [row(1, "port closed"), row(2, "port port closed ship"), row(3, "ship sails")])
    for _ in range(2):
        # Two of three rows hold it: idf = ln(1 + 1.5 / 2.5) = .470004; mean length 8/3.
        # tf 1, length 2: 2.2 / (1 + 1.2 (.25 + .75 · .75)) = 1.113924; score .523549
        # tf 2, length 4: 4.4 / (2 + 1.2 (.25 + .75 · 1.5)) = 1.205479; score .566580
        found = index.search_text("chunks", "port", OWNER, limit=3)
        assert [n.text for n in found] == ["port port closed ship", "port closed"]
        assert [n.score for n in found] == pytest.approx([0.566580, 0.523549], abs=1e-4)
        # A word of one row is worth more than one of two: idf ln(1 + 2.5 / 1.5) = .980829 against .470004.
        assert texts(index, "sails closed") == ["ship sails", "port closed", "port port closed ship"]
        index.optimize()


def test_words_of_others_statements_and_chains_are_not_counted(index: TextIndex) -> None:
    public = Scope(classes=frozenset({PUBLIC}), at=NOW)
    mine = [row(1, "port closed"), row(2, "port port closed ship"), row(3, "ship sails"), row(4, "rain")]
    theirs = [row(f"their {i}", "sails " * 9 + "port", access_class=SECRET) for i in range(40)]
    for collection in ("statements", "chains"):
        index.write(collection, mine)
        found = index.search_text(collection, "port", public, limit=3)
        assert [n.id for n in found] == [mine[1].id, mine[0].id]
        order = [n.id for n in index.search_text(collection, "sails closed", public, limit=9)]
        assert order == [mine[2].id, mine[0].id, mine[1].id]  # "sails" is in one row, "closed" in two
        index.write(collection, theirs)
        for _ in range(2):
            assert index.search_text(collection, "port", public, limit=3) == found
            assert [n.id for n in index.search_text(collection, "sails closed", public, limit=9)] == order
            assert [n.id for n in index.search_text(collection, "sails closed", public, limit=1)] == order[:1]
            index.optimize()


def test_among_more_rows_than_are_counted_the_best_are_found(index: TextIndex) -> None:
    public = Scope(classes=frozenset({PUBLIC}), at=NOW)
    rows = [row(i, f"the port{' of genoa' if i % 400 == 7 else ''}") for i in range(1_300)]
    index.write("statements", [*rows, *(row(f"x{i}", "the port of genoa", access_class=SECRET) for i in range(50))])
    found = {n.id for n in index.search_text("statements", "the port of genoa", public, limit=4)}
    assert found == {rows[i].id for i in (7, 407, 807, 1207)}
    assert len(index.search_text("statements", "the port", public, limit=1_200)) == 1_200


def test_one_word_of_many_suffices_and_more_rank_higher(index: TextIndex) -> None:
    index.write("chunks", [row(1, "the port closed"), row(2, "a port"), row(3, "nothing of it")])
    assert texts(index, "why was the port closed") == ["the port closed", "a port"]


def test_words_are_whole_and_case_and_width_do_not_matter(index: TextIndex) -> None:
    index.write("chunks", [row(1, "The PORT of Genoa"), row(2, "important support"), row(3, "Ｐｏｒｔ")])
    assert sorted(texts(index, "port")) == ["The PORT of Genoa", "Ｐｏｒｔ"]


def test_common_words_and_endings_are_kept(index: TextIndex) -> None:
    index.write("chunks", [row(1, "to be or not to be"), row(2, "ports"), row(3, "café")])
    assert texts(index, "not") == ["to be or not to be"]
    assert texts(index, "port") == []
    assert texts(index, "cafe") == []
    assert texts(index, "CAFÉ") == ["café"]


def test_any_chinese_substring_is_found_across_word_boundaries(index: TextIndex) -> None:
    bridge, mayor, other = "南京市长江大桥停工", "市长宣布停工", "长春市的江"
    index.write("chunks", [row(1, bridge), row(2, mayor), row(3, other)])
    for _ in range(2):
        assert set(texts(index, "市长")[:2]) == {bridge, mayor}
        assert texts(index, "长江大桥")[0] == bridge
        assert texts(index, "江大")[0] == bridge
        assert texts(index, "桥") == [bridge]
        assert texts(index, "飞机") == []
        assert texts(index, "市长为什么宣布？")[0] == mayor
        index.optimize()


def test_the_context_is_searched_and_is_no_part_of_the_text(index: TextIndex) -> None:
    index.write("chunks", [row(1, "It closed.", context="Port of Genoa 热那亚")])
    assert texts(index, "genoa") == ["It closed."]
    assert texts(index, "热那亚") == ["It closed."]


HOSTILE = [
    "port' OR '1'='1", "port'; DROP TABLE chunks; --", '"port', "'port", "port\\", "port\\'", "%port%", "po%", "p*",
    "p?rt", "+port -closed", "NOT port", "port AND closed", "port OR closed", "(port", "port)", "[port]", "{port}",
    "port^9", "port~2", "text:port", "terms:port", '{"match": {"query": "port"}}', "port\x00closed", "port\nclosed",
    "/port/", "`port`", "$port", "port NEAR closed", "port || closed", "<port>", "port\u200b",
    "port" * 3000, "port " * 2500, "港口" * 5000, "'" * 10_000, "\U0001f6a2", "\ufdfa" * 50, "--", "%", "", " ",
    "\u0301",
]  # fmt: skip


@pytest.mark.parametrize("optimized", [False, True])
def test_no_question_changes_the_shape_of_a_query(index: TextIndex, optimized: bool) -> None:
    from storage.terms import query_terms, search_terms

    stored = ["port", "closed", "the port closed", "NOT and OR", "港口停工", "drop table", "secret port"]
    rows = [row(t, t, access_class=SECRET if "secret" in t else PUBLIC) for t in stored]
    index.write("chunks", rows)
    if optimized:
        index.optimize()
    scope = Scope(classes=frozenset({PUBLIC}), at=NOW)
    for question in HOSTILE:
        terms = set(query_terms(question))
        expected = {t for t in stored if "secret" not in t and terms & set(search_terms(t))}
        assert set(texts(index, question, scope)) == expected, question[:40]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_question_of_ten_thousand_characters_finds_what_it_asks_at_its_end(index: TextIndex, language: str) -> None:
    letters = random.Random(1)
    if language == "en":
        page = " ".join(f"w{letters.randrange(10**6)}" for _ in range(1400)) + " why did the port close"
        index.write("chunks", [row(1, "the port"), row(2, "else")])
        assert texts(index, page) == ["the port"]
    else:
        page = "".join(chr(letters.randrange(0x4E00, 0x9000)) for _ in range(10_000)) + "港口为什么停工"
        index.write("chunks", [row(1, "港口停工"), row(2, "else")])
        assert texts(index, page) == ["港口停工"]


# --- searching vectors -----------------------------------------------------------------------------------------------


def test_the_nearest_come_first_with_their_cosine(index: TextIndex) -> None:
    half = np.zeros(DIMENSIONS, dtype=np.float32)
    half[:2] = 3, 4  # written at any length: cosine counts
    index.write("chunks", [row(1, "x", vector=axis(0)), row(2, "y", vector=axis(1)), row(3, "z", vector=half)])
    for _ in range(2):
        found = index.search_vector("chunks", axis(1) * 2, OWNER, limit=3)
        assert [n.text for n in found] == ["y", "z", "x"]
        assert [n.score for n in found] == pytest.approx([1.0, 0.8, 0.0], abs=1e-6)
        assert [n.text for n in index.search_vector("chunks", -axis(1), OWNER, limit=1)] == ["x"]
        index.optimize()
    with pytest.raises(StoreError, match="another embedder"):
        index.search_vector("chunks", np.ones(3, dtype=np.float32), OWNER, limit=1)


# --- ties, limits ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("optimized", [False, True])
def test_ties_are_in_order_of_id_also_where_the_limit_cuts(index: TextIndex, optimized: bool) -> None:
    rows = [row(i, "same words", vector=axis(0)) for i in range(300)]
    best = row("best", "same words words words", vector=axis(0))
    random.Random(0).shuffle(rows)
    index.write("chunks", [*rows, best])
    if optimized:
        index.optimize()
    ids = sorted(r.id for r in rows)
    for limit in (1, 2, 7, 100, 301, 1000):
        by_text = [n.id for n in index.search_text("chunks", "words", OWNER, limit=limit)]
        assert by_text == [best.id, *ids][:limit]
        by_vector = [n.id for n in index.search_vector("chunks", axis(0), OWNER, limit=limit)]
        assert by_vector == sorted([best.id, *ids])[:limit]
    assert index.search_text("chunks", "words", OWNER, limit=0) == []
    assert index.search_vector("chunks", axis(0), OWNER, limit=0) == []


# --- who sees what ---------------------------------------------------------------------------------------------------


def test_nobody_sees_nothing_and_the_owner_everything(index: TextIndex) -> None:
    index.write("chunks", [row(1, "port a"), row(2, "port b", access_class=SECRET)])
    nobody = Scope(classes=frozenset(), at=NOW)
    assert texts(index, "port", nobody) == nearest(index, axis(0), nobody) == []
    assert sorted(texts(index, "port")) == sorted(nearest(index, axis(0))) == ["port a", "port b"]
    for name, class_ in (("port a", PUBLIC), ("port b", SECRET)):
        scope = Scope(classes=frozenset({class_}), at=NOW)
        assert texts(index, "port", scope) == nearest(index, axis(0), scope) == [name]


def test_foreign_rows_never_take_a_place_in_the_result(index: TextIndex) -> None:
    # A filter after the search would give nothing here: all of the best are somebody else's.
    index.write("chunks", [row(i, "port port", access_class=SECRET) for i in range(200)])
    index.write("chunks", [row("mine", "a port among many other words", vector=axis(1))])
    for _ in range(2):
        scope = Scope(classes=frozenset({PUBLIC}), at=NOW)
        assert texts(index, "port", scope, limit=3) == nearest(index, axis(0), scope, limit=3)
        assert texts(index, "port", scope, limit=3) == ["a port among many other words"]
        index.optimize()


def test_hidden_documents_are_never_returned(index: TextIndex) -> None:
    index.write("chunks", [row(i, f"port {i}") for i in range(20)])
    index.write("chunks", [row("derived", "port derived", document="")])
    hidden = Scope(classes=None, at=NOW, hidden=frozenset(doc(i) for i in range(1, 20)))
    for _ in range(2):
        assert set(texts(index, "port", hidden)) == set(nearest(index, axis(0), hidden)) == {"port 0", "port derived"}
        index.optimize()


def test_a_row_is_valid_from_its_beginning_until_before_its_end(index: TextIndex) -> None:
    start, end = NOW, NOW + timedelta(microseconds=1)
    index.write("chunks", [row(1, "port", valid_from=start, valid_to=end)])
    for moment, seen in (
        (start - timedelta(microseconds=1), False), (start, True), (end, False),
        (datetime.min.replace(tzinfo=UTC), False), (datetime.max.replace(tzinfo=UTC), False),
    ):  # fmt: skip
        assert bool(texts(index, "port", Scope(classes=None, at=moment))) is seen


def test_a_document_must_have_every_tag(index: TextIndex) -> None:
    red, big = metadata_tag("colour", "red"), metadata_tag("size", "big")
    index.write("chunks", [row(1, "port none"), row(2, "port red", tags=(red,)), row(3, "port both", tags=(red, big))])

    def tagged(*tags: str) -> list[str]:
        return sorted(texts(index, "port", Scope(classes=None, at=NOW, tags=frozenset(tags))))

    for _ in range(2):
        assert len(tagged()) == 3
        assert tagged(red) == ["port both", "port red"]
        assert tagged(red, big) == ["port both"]
        assert tagged(metadata_tag("colour", "x")) == []
        index.optimize()


def test_a_scope_that_nobody_made_is_refused(index: TextIndex) -> None:
    for scope in (
        Scope(classes=frozenset({"x' OR '1'='1"}), at=NOW),
        Scope(classes=frozenset({doc(1)}), at=NOW),
        Scope(classes=None, at=NOW, tags=frozenset({"x') OR ('"})),
        Scope(classes=None, at=NOW, hidden=frozenset({"x'"})),
    ):
        with pytest.raises(UsageError):
            index.search_text("chunks", "port", scope, limit=1)
        with pytest.raises(UsageError):
            index.search_vector("chunks", axis(0), scope, limit=1)


# --- several objects, processes, and ends ----------------------------------------------------------------------------


def test_what_one_writes_the_other_sees_at_once(open_index: Open) -> None:
    reader, writer = open_index(), open_index()
    assert texts(reader, "port") == []
    writer.write("chunks", [row(1, "port")])
    assert texts(reader, "port") == nearest(reader, axis(0)) == ["port"]
    writer.optimize()
    writer.write("chunks", [row(2, "port two")])
    assert sorted(texts(reader, "port")) == ["port", "port two"]
    assert reader.count("chunks") == 2
    writer.delete_documents([doc(1), doc(2)])
    assert texts(reader, "port") == []


def test_a_closed_index_can_be_used_again(open_index: Open) -> None:
    index = open_index()
    index.write("chunks", [row(1, "port")])
    index.close()
    index.close()
    assert texts(index, "port") == ["port"]
    index.close()
    assert texts(open_index(), "port") == ["port"]


def run(code: str, *arguments: str, stdin: int | None = None) -> subprocess.Popen[str]:
    """A Python process with this module's helpers at hand; ``path`` is its first argument."""
    prelude = f"""
        import importlib.util, sys
        spec = importlib.util.spec_from_file_location("contract", {str(Path(__file__))!r})
        contract = importlib.util.module_from_spec(spec)
        sys.modules["contract"] = contract
        spec.loader.exec_module(contract)
        from contract import *
        index = LanceTextIndex(sys.argv[1], dimensions=DIMENSIONS)
    """
    program = textwrap.dedent(prelude) + textwrap.dedent(code)
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdout=subprocess.PIPE,
        stdin=stdin,
        text=True,
    )


def test_processes_that_open_a_new_index_at_once_all_can(tmp_path: Path) -> None:
    code = """
        import lancedb
        print("ready", flush=True)
        sys.stdin.readline()
        index.write("chunks", [row(sys.argv[2], "port")])
        index.optimize()
        index.optimize()
    """
    openers = [run(code, str(tmp_path / "index"), str(i), stdin=subprocess.PIPE) for i in range(3)]
    for opener in openers:
        assert opener.stdout is not None
        assert opener.stdout.readline() == "ready\n"
    for opener in openers:
        assert opener.stdin is not None
        opener.stdin.write("go\n")
        opener.stdin.flush()
    for opener in openers:
        opener.communicate()
        assert opener.returncode == 0
    index = LanceTextIndex(tmp_path / "index", dimensions=DIMENSIONS)
    assert texts(index, "port") == nearest(index, axis(0)) == ["port"] * 3


def test_a_search_is_right_while_another_process_writes_and_optimizes(tmp_path: Path) -> None:
    path = tmp_path / "index"
    index = LanceTextIndex(path, dimensions=DIMENSIONS)
    index.write("chunks", [row(f"base {i}", "port base", document="base") for i in range(50)])
    writer = run(
        """
        for batch in range(12):
            index.write("chunks", [row(f"{batch} {i}", "port more", document=batch) for i in range(40)])
            if batch % 3 == 2:
                index.optimize()
            print(batch, flush=True)
        """,
        str(path),
    )
    seen = 50
    try:
        while writer.poll() is None:
            found = index.search_text("chunks", "port", OWNER, limit=1000)
            near = index.search_vector("chunks", axis(0), OWNER, limit=1000)
            assert len(near) >= len(found) >= seen
            assert (len(found) - 50) % 40 == (len(near) - 50) % 40 == 0
            assert len({n.id for n in found}) == len(found)
            seen = len(found)
    finally:
        writer.kill()
        writer.communicate()
    assert writer.returncode == 0
    assert len(index.search_text("chunks", "port", OWNER, limit=1000)) == 50 + 12 * 40


def test_writers_that_forget_the_lock_double_no_row(tmp_path: Path) -> None:
    path = tmp_path / "index"
    index = LanceTextIndex(path, dimensions=DIMENSIONS)
    index.write("chunks", [row("first", "port")])
    code = """
        index.count("chunks")
        print("ready", flush=True)
        sys.stdin.readline()
        for batch in range(20):
            index.write("chunks", [row(f"{batch} {i}", "port", document=batch) for i in range(20)])
    """
    writers = [run(code, str(path), stdin=subprocess.PIPE) for _ in range(2)]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate()
        assert writer.returncode == 0
    assert index.count("chunks") == 1 + 20 * 20
    found = index.search_text("chunks", "port", OWNER, limit=1000)
    assert len(found) == len({n.id for n in found}) == 401


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_killed_write_leaves_no_half_batch(tmp_path: Path) -> None:
    path = tmp_path / "index"
    code = """
        start = int(sys.argv[2])
        for batch in range(start, start + 1000):
            index.write("chunks", [row(f"{batch} {i}", "port", document=batch) for i in range(30)])
            print(batch, flush=True)
            if batch % 4 == 3:
                index.optimize()
    """
    luck = random.Random(7)
    acknowledged: set[int] = set()
    for round_ in range(3):
        writer = run(code, str(path), str(1000 * round_))
        assert writer.stdout is not None
        for _ in range(luck.randrange(1, 8)):
            acknowledged.add(int(writer.stdout.readline()))
        luck_ms = luck.random() * 30
        try:
            writer.wait(luck_ms / 1000)
        except subprocess.TimeoutExpired:
            os.kill(writer.pid, signal.SIGKILL)
        rest, _ = writer.communicate()
        acknowledged.update(int(line) for line in rest.split())
        index = LanceTextIndex(path, dimensions=DIMENSIONS)
        found = index.search_text("chunks", "port", OWNER, limit=100_000)
        assert len({n.id for n in found}) == len(found) == index.count("chunks")
        assert len(found) % 30 == 0
        documents = [n.document_id for n in found]
        assert all(documents.count(d) == 30 for d in set(documents))
        assert {doc(batch) for batch in acknowledged} <= set(documents)


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on file sizes")
def test_a_disk_that_refuses_to_write_is_a_full_store_and_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "index"
    index = LanceTextIndex(path, dimensions=DIMENSIONS)
    index.write("chunks", [row(1, "port")])
    child = run(
        """
        import resource, signal
        index.count("chunks")
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
        try:
            index.write("chunks", [row(1, "replaced"), row(2, "long " * 100_000)])
        except StoreFullError as error:
            print("full", error)
        """,
        str(path),
    )
    out, _ = child.communicate()
    assert out.startswith("full")
    assert str(path) in out
    assert texts(index, "port replaced long") == ["port"]


def test_vectors_of_another_length_are_refused_with_what_to_do(tmp_path: Path) -> None:
    index = LanceTextIndex(tmp_path, dimensions=DIMENSIONS)
    index.write("chunks", [row(1, "port")])
    with pytest.raises(StoreVersionError, match=r"8 dimensions.*4.*new store"):
        LanceTextIndex(tmp_path, dimensions=4).count("chunks")


def _folder_of(path: Path, collection: Collection) -> Path:
    [folder] = path.glob(f"{collection}*")
    return folder


@pytest.mark.parametrize("lost", ["chunks", "chains"])
def test_a_lost_table_is_reported_and_not_made_anew(tmp_path: Path, lost: Collection) -> None:
    import shutil

    index = LanceTextIndex(tmp_path, dimensions=DIMENSIONS)
    index.write("statements", [row(1, "port")])
    index.close()
    shutil.rmtree(_folder_of(tmp_path, lost))
    with pytest.raises(StoreError, match=f"{lost}.*[Rr]estore"):
        index.count("statements")


def test_an_index_whose_making_was_cut_off_is_finished(tmp_path: Path) -> None:
    import shutil

    index = LanceTextIndex(tmp_path, dimensions=DIMENSIONS)
    index.count("chunks")
    index.close()
    shutil.rmtree(_folder_of(tmp_path, "chains"))
    assert [index.count(c) for c in COLLECTIONS] == [0, 0, 0, 0]


def test_a_damaged_table_is_a_store_error_and_never_an_empty_result(tmp_path: Path) -> None:
    index = LanceTextIndex(tmp_path, dimensions=DIMENSIONS)
    index.write("chunks", [row(1, "port")])
    index.close()
    for file in _folder_of(tmp_path, "chunks").rglob("*.lance"):
        file.write_bytes(b"damaged")
    with pytest.raises(StoreError, match="restore"):
        index.search_vector("chunks", axis(0), OWNER, limit=1)
    for file in _folder_of(tmp_path, "chunks").rglob("*.manifest"):
        file.write_bytes(b"damaged")
    index.close()
    with pytest.raises(StoreError, match="restore"):
        index.count("chunks")


def test_a_folder_that_is_a_file_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError):
        LanceTextIndex(tmp_path / "file", dimensions=DIMENSIONS).count("chunks")


def test_an_unknown_collection_is_refused(index: TextIndex) -> None:
    with pytest.raises(UsageError, match="documents, chunks, statements, chains"):
        index.count("relations")  # type: ignore[arg-type]


def test_importing_the_index_does_not_import_lancedb() -> None:
    code = "import sys, storage.lance_index; assert not {'lancedb', 'pyarrow'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_rows_of_documents_are_given_with_their_vectors(index: TextIndex) -> None:
    index.write("chunks", [row("a", "one", document=1), row("b", "two", document=1), row("c", "three", document=2)])
    found = index.document_rows("chunks", [doc(1)])
    assert [r.text for r in sorted(found, key=lambda r: r.text)] == ["one", "two"]
    assert all(r.vector is not None and r.vector.shape == (DIMENSIONS,) for r in found)
    assert index.document_rows("chunks", []) == []
    assert index.document_rows("statements", [doc(1)]) == []


def test_indexes_built_anew_find_the_same(index: TextIndex) -> None:
    index.write("chunks", [row(i, f"word{i}", document=i) for i in range(20)])
    index.optimize()
    before = index.search_text("chunks", "word7", OWNER, limit=5)
    index.optimize(rebuild=True)
    assert index.search_text("chunks", "word7", OWNER, limit=5) == before
    assert before
    state = {s.collection: s for s in index.condition()}
    assert (state["chunks"].rows, state["chunks"].unindexed, state["statements"].rows) == (20, 0, 0)
    index.write("chunks", [row("more", "later", document="x")])
    assert {s.collection: s for s in index.condition()}["chunks"].unindexed == 1


def test_a_lost_table_is_named_and_can_be_made_anew(open_index: Open, tmp_path: Path) -> None:
    import shutil

    index = open_index()
    assert index.broken() == {}
    index.write("chunks", [row("a", "one", document=1)])
    index.write("statements", [row("b", "two", document=1)])
    assert index.broken() == {}
    index.close()
    [table] = (tmp_path / "index").rglob("statements.lance")
    shutil.rmtree(table)
    index = open_index()
    assert index.broken() == {"statements": "lost"}
    with pytest.raises(StoreError, match="clew doctor --repair"):
        index.count("chunks")
    index.make_anew("statements")
    assert index.broken() == {}
    assert (index.count("chunks"), index.count("statements")) == (1, 0)
    index.write("statements", [row("b", "two", document=1)])
    assert index.search_text("statements", "two", OWNER, limit=1)
    index.make_anew("chunks")
    assert index.count("chunks") == 0
