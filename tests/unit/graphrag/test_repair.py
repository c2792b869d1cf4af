"""A store that was damaged: every kind of damage is found, and after the repair the stores agree again."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pytest
from stand_ins import FLOOD, OpenKb, SentenceExtractor, WordEmbedder

from graphrag import Document
from graphrag.deep_check import DeepReport
from graphrag.document_check import Remedy
from graphrag.knowledge_base import KnowledgeBase
from graphrag.settings import Settings
from graphrag.writing import update_sources
from storage.identity import make_id
from storage.records import AccessClass
from storage.writer_lock import writer_lock

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Damaged:
    """A knowledge base with everything in it, and ways to harm what lies under it."""

    def __init__(self, open_kb: OpenKb, folder: Path, notes: Path, before: str) -> None:
        self.open = lambda: open_kb(folder.name, clock=lambda: NOON)
        self.folder, self.notes, self.before = folder, notes, before

    def sql(self, *statements: str) -> None:
        with contextlib.closing(sqlite3.connect(self.folder / "graph.db")) as connection, connection:
            for statement in statements:
                assert connection.execute(statement).rowcount != 0, statement

    def table(self, name: str) -> Any:
        return lancedb.connect(str(self.folder / "lance")).open_table(name)

    def found(self) -> DeepReport:
        with self.open() as kb:
            return kb.check()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A store with everything in it, and its state hash."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "notes").mkdir()
    for name, text in FLOOD.items():
        (folder / "notes" / name).write_text(text, encoding="utf-8")
    parts = {"embedder": WordEmbedder(), "extractor": SentenceExtractor(), "clock": lambda: NOON}
    with KnowledgeBase.open(folder / "store", settings=Settings(cache=folder / "cache"), **parts) as kb:  # type: ignore[arg-type]
        kb.ingest([folder / "notes"])
        kb.ingest([Document(id="later", text="Snow causes ice.", valid_from=NOON + timedelta(days=9))])
        kb.ingest([Document(id="held", text="Dust causes haze.", groups=("hr",), metadata={"year": 2026})])
        proposed = kb.ask("Why did the late shipment happen?", propose=True).proposals
        kb.accept(proposed[0].id, reason="it holds", actor="ada")
        before = kb.status().state_hash
        report = kb.check()
        assert report.healthy, report
        assert report.state_hash == before
        assert report.documents == 6
    return folder, before


@pytest.fixture
def damaged(open_kb: OpenKb, tmp_path: Path, whole: tuple[Path, str]) -> Damaged:
    shutil.copytree(whole[0] / "store", tmp_path / "store")
    return Damaged(open_kb, tmp_path / "store", whole[0] / "notes", whole[1])


RAIN = "document = (SELECT document FROM source WHERE path = 'rain.md')"
LATER = RAIN.replace("rain.md", "later")  # it has no headings, and does not hold yet
OF_RAIN = f"SELECT relation FROM evidence WHERE {RAIN}"
PUBLIC = "SELECT key FROM access_class WHERE rule LIKE '%public%' AND rule NOT LIKE '%,%'"


def lose_rows(collection: str) -> Callable[[Damaged], None]:
    return lambda d: d.table(collection).delete(f"document_id = '{document_of(d, 'rain.md')}'")


def document_of(damaged: Damaged, path: str) -> str:
    with contextlib.closing(sqlite3.connect(damaged.folder / "graph.db")) as connection:
        found: str = connection.execute("SELECT document FROM source WHERE path = ?", (path,)).fetchone()[0]
        return found


def alter_words(damaged: Damaged) -> None:
    damaged.table("chunks").update(where="text LIKE '%storm%'", values={"text": "The calm causes nothing."})


def alter_vector(damaged: Damaged) -> None:
    damaged.table("statements").update(where="text LIKE '%storm%'", values={"vector": np.full(64, 0.5, np.float32)})


def open_to_all(damaged: Damaged) -> None:
    table = damaged.table("chunks")
    public = table.search().where("text LIKE '%storm%'").to_list()[0]["access_class"]
    table.update(where="text LIKE '%Dust%'", values={"access_class": public})


def double_rows(damaged: Damaged) -> None:
    damaged.table("statements").add(damaged.table("statements").to_arrow().slice(0, 2))


def orphan_rows(damaged: Damaged) -> None:
    rows = damaged.table("chunks").to_arrow().slice(0, 1).to_pylist()
    rows[0] |= {"id": make_id("chk", "none"), "document_id": make_id("doc", "none")}
    damaged.table("chunks").add(rows)


def stray_row(damaged: Damaged) -> None:
    rows = damaged.table("chains").search().where("document_id <> ''").limit(1).to_list()
    rows = [{k: v for k, v in row.items() if not k.startswith("_")} | {"id": make_id("chn", "no")} for row in rows]
    damaged.table("chains").add(rows)


def lose_table(name: str) -> Callable[[Damaged], None]:
    return lambda d: lancedb.connect(str(d.folder / "lance")).drop_table(name)


def truncate_files(name: str) -> Callable[[Damaged], None]:
    def work(damaged: Damaged) -> None:
        for path in (damaged.folder / "lance" / f"{name}.lance" / "data").glob("*"):
            path.write_bytes(path.read_bytes()[:100])

    return work


def derived(what: str) -> Callable[[Damaged], None]:
    def work(damaged: Damaged) -> None:
        table = damaged.table("chains")
        if what == "lost":
            table.delete("document_id = ''")
        else:
            table.update(where="document_id = ''", values={"text": "all is well"})

    return work


def sql(*statements: str) -> Callable[[Damaged], None]:
    return lambda d: d.sql(*statements)


DAMAGE: dict[str, tuple[Callable[[Damaged], None], str]] = {
    "chunk rows lost": (lose_rows("chunks"), "row"),
    "statement rows lost": (lose_rows("statements"), "row"),
    "chain rows lost": (lose_rows("chains"), "row"),
    "words altered": (alter_words, "row"),
    "vector altered": (alter_vector, "vector"),
    "row opened to all": (open_to_all, "row"),
    "rows doubled": (double_rows, "row"),
    "rows of no document": (orphan_rows, "row"),
    "row of no chain": (stray_row, "row"),
    "chunk table lost": (lose_table("chunks"), "table"),
    "chain table lost": (lose_table("chains"), "table"),
    "statement files cut": (truncate_files("statements"), "table"),
    "derived row lost": (derived("lost"), "derived"),
    "derived row altered": (derived("altered"), "derived"),
    "evidence moved": (sql("UPDATE evidence SET head_start = head_start + 1, head_end = head_end + 1"), "evidence"),
    "evidence outside": (sql(f"UPDATE evidence SET tail_end = 100000 WHERE {RAIN}"), "evidence"),
    "evidence inverted": (sql(f"UPDATE evidence SET head_end = head_start WHERE {RAIN}"), "document"),
    "cue blank": (sql(f"UPDATE evidence SET cue_start = 4, cue_end = 6 WHERE {RAIN}"), "evidence"),
    "cue moved": (sql(f"UPDATE evidence SET cue_start = cue_start + 1 WHERE {RAIN}"), "identity"),
    "relation altered": (sql(f"UPDATE relation SET type = 'supporting' WHERE id IN ({OF_RAIN})"), "evidence"),
    "evidence lost": (sql(f"DELETE FROM evidence WHERE {RAIN}"), "chain"),
    "mention altered": (sql(f"UPDATE mention SET text = 'no' WHERE {RAIN}"), "statement"),
    "mentions lost": (sql(f"DELETE FROM mention WHERE {RAIN}"), "evidence"),
    "statement lost": (sql("DELETE FROM statement WHERE terms LIKE '%storm%'"), "statement"),
    "statement altered": (sql("UPDATE statement SET terms = '[\"calm\"]' WHERE terms LIKE '%storm%'"), "statement"),
    "relation lost": (sql(f"DELETE FROM relation WHERE id IN ({OF_RAIN})"), "document"),
    "chunk moved": (sql(f"UPDATE chunk SET start = 3 WHERE {RAIN}"), "row"),
    "chunk outside": (sql(f"UPDATE chunk SET end = 9999 WHERE {RAIN}"), "chunk"),
    "chunks lost": (sql(f"DELETE FROM chunk WHERE {RAIN}"), "row"),
    "chain links lost": (
        sql(f"DELETE FROM chain_link WHERE chain IN (SELECT chain FROM chain_document WHERE {RAIN})"), "document",
    ),
    "chain held by nothing": (sql(f"DELETE FROM chain_document WHERE {RAIN}"), "row"),
    "document without its record": (
        sql(f"DELETE FROM document_record WHERE {LATER.replace('document =', 'id =')}"), "document",
    ),
    "document lost": (sql(f"DELETE FROM document WHERE {LATER.replace('document =', 'id =')}"), "document"),
    "source lost": (sql("DELETE FROM source WHERE path = 'rain.md'"), "orphan"),
    "length altered": (
        sql(f"UPDATE document_record SET length = 3 WHERE {RAIN.replace('document =', 'id =')}"), "document",
    ),
    "relation retired": (sql("UPDATE relation SET status = 'retired'"), "status"),
    "chain retired": (sql("UPDATE chain SET status = 'retired'"), "status"),
    "edges lost": (sql("DELETE FROM edge"), "edge"),
    "edge altered": (sql("UPDATE edge SET confidence = 0.01, cost = -0.01"), "edge"),
    "graph opened to all": (
        sql(f"UPDATE document SET class = ({PUBLIC})"),
        "access",
    ),
    "tags lost": (sql("DELETE FROM document_tag"), "access"),
    "kept number wrong": (sql("UPDATE meta SET value = value || '0' WHERE name = 'state_hash'"), "state"),
}  # fmt: skip
GONE = {"source lost"}  # what the graph does not know is no part of the store: its file is ingested again


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_found_and_repaired(name: str, damaged: Damaged) -> None:
    harm, kind = DAMAGE[name]
    harm(damaged)
    report = damaged.found()
    assert not report.healthy
    assert report.found.get(kind), report
    assert all(f.repairable for f in report.findings), report
    with damaged.open() as kb:
        repaired = kb.repair()
    assert repaired.healthy, repaired
    assert repaired.done
    assert damaged.found().healthy
    with damaged.open() as kb:
        if name not in GONE:
            assert kb.status().state_hash == damaged.before
            assert len(kb.documents().documents) == len(FLOOD) + 1
            chains = kb.ask("Why did the late shipment happen?").chains
            assert len(chains[0].links) == 4
        assert kb.repair().done == ()


def lose_everything(damaged: Damaged) -> None:
    lose_table("documents")(damaged)
    damaged.sql(f"DELETE FROM document WHERE {RAIN.replace('document =', 'id =')}")


TEXT_LOST: dict[str, Callable[[Damaged], None]] = {
    "text row lost": lambda d: d.table("documents").delete(f"document_id = '{document_of(d, 'rain.md')}'"),
    "text altered": lambda d: d.table("documents").update(
        where=f"document_id = '{document_of(d, 'rain.md')}'", values={"text": "The calm causes nothing."}
    ),
    "record lost": sql(f"DELETE FROM document_record WHERE {RAIN.replace('document =', 'id =')}"),
    "everything lost": lose_everything,
}


@pytest.mark.parametrize("name", TEXT_LOST)
def test_a_lost_text_is_named_and_its_file_can_be_ingested_again(name: str, damaged: Damaged) -> None:
    TEXT_LOST[name](damaged)
    with damaged.open() as kb:
        repaired = kb.repair()
        remaining = {f.path for f in repaired.left}
        assert {f.remedy for f in repaired.left} <= {Remedy.INGEST}
        if name != "record lost" and name != "everything lost":
            assert remaining == {"notes/rain.md"}
            assert not repaired.healthy
            assert "ingest that file again" in repaired.as_text()
        assert any("ingest their files again" in line.what for line in repaired.done)
        again = kb.repair()  # is no other the second time
        assert {f.path for f in again.left} == remaining
        kb.ingest([damaged.notes])
        if name == "everything lost":
            kb.ingest([Document(id="later", text="Snow causes ice.", valid_from=NOON + timedelta(days=9))])
            kb.ingest([Document(id="held", text="Dust causes haze.", groups=("hr",), metadata={"year": 2026})])
        assert kb.check().healthy, kb.check()
        assert kb.status().state_hash == damaged.before


def test_a_cut_ledger_is_found_and_left_to_a_backup(damaged: Damaged) -> None:
    damaged.sql("DELETE FROM ledger WHERE position = 0")
    with damaged.open() as kb:
        report = kb.check()
        assert report.found == {"ledger": 1, "proposal": 0} or report.found == {"ledger": 1}, report
        assert not kb.repair().healthy
        assert "clew restore" in kb.repair().as_text()


def test_a_ledger_that_lost_its_end_is_found_by_what_was_decided(damaged: Damaged) -> None:
    damaged.sql("DELETE FROM ledger WHERE position = (SELECT max(position) FROM ledger)")
    assert damaged.found().found == {"proposal": 1}


def test_unreadable_texts_need_a_backup(damaged: Damaged) -> None:
    truncate_files("documents")(damaged)
    with damaged.open() as kb:
        report = kb.check()
        assert [(f.kind, f.remedy) for f in report.findings if f.kind == "table"] == [("table", Remedy.RESTORE)]
        assert not kb.repair().healthy


def test_a_check_writes_nothing(damaged: Damaged) -> None:
    lose_rows("chunks")(damaged)

    def state() -> dict[str, Any]:
        tables = {n: damaged.table(n).version for n in ("documents", "chunks", "statements", "chains")}
        with contextlib.closing(sqlite3.connect(damaged.folder / "graph.db")) as connection:
            return {**tables, "graph": list(connection.iterdump())}

    with damaged.open() as kb:
        kb.status()  # keeps the state hash, once
        before = state()
        assert kb.check() == kb.check()
    assert state() == before


def test_an_open_intent_is_found_and_recovered(damaged: Damaged) -> None:
    class Died(BaseException):
        pass

    def die(step: str) -> None:
        if step == "remove.committed":
            raise Died

    with damaged.open() as kb:
        pass
    kb = damaged.open()
    object.__setattr__(kb._stores, "reached", die)
    with pytest.raises(Died):
        kb.remove("held")
    report = kb.check()
    assert report.found == {"intent": 1}
    assert kb.repair().healthy
    assert len(kb.documents().documents) == len(FLOOD)


def test_what_another_process_writes_is_no_finding(damaged: Damaged) -> None:
    seen: list[DeepReport] = []
    with damaged.open() as kb, damaged.open() as other:
        object.__setattr__(kb._stores, "reached", lambda step: seen.append(other.check()))
        kb.ingest([Document(id="new", text="Frost causes cracks.")])
        kb.remove("held")
    assert len(seen) > 8
    assert all(report.healthy for report in seen), [r for r in seen if not r.healthy]
    assert any(report.notes for report in seen)


@pytest.mark.parametrize(
    "step",
    [
        "repair.table.made",
        "repair.recovered",
        "repair.document.done",
        "intent.begun",
        "ingest.chunks.written",
        "ingest.committed",
    ],
)
def test_a_repair_that_was_killed_is_run_again(step: str, damaged: Damaged) -> None:
    class Killed(BaseException):
        pass

    def die(reached: str) -> None:
        if reached == step:
            raise Killed

    lose_table("statements")(damaged)
    lose_rows("chunks")(damaged)
    damaged.sql(f"UPDATE evidence SET head_start = head_start + 1 WHERE {RAIN}")
    kb = damaged.open()
    object.__setattr__(kb._stores, "reached", die)
    with pytest.raises(Killed):
        kb.repair()
    with damaged.open() as kb:
        assert kb.repair().healthy
        assert kb.status().state_hash == damaged.before


def test_recovery_reaches_documents_that_do_not_hold_at_this_moment(damaged: Damaged) -> None:
    class Killed(BaseException):
        pass

    def die(reached: str) -> None:
        if reached == "update.committed":
            raise Killed

    kb = damaged.open()
    object.__setattr__(kb._stores, "reached", die)
    later = next(s for s in kb._stores.graph.every_source() if s.path == "later")
    with pytest.raises(Killed), writer_lock(damaged.folder, wait_seconds=1):
        update_sources(kb._stores, [later.model_copy(update={"groups": ("hr",)})])
    kb.close()
    with damaged.open() as kb:  # recovers
        assert kb.check().healthy, kb.check()
        row = kb._stores.index.document_rows("chunks", [document_of(damaged, "later")])[0]
        assert row.access_class == AccessClass.of([("hr",)]).id


def test_a_store_on_neo4j_is_checked_and_repaired(neo4j_address: Any, open_kb: OpenKb, tmp_path: Path) -> None:
    import neo4j

    auth = (neo4j_address.username, neo4j_address.password)
    server = {
        "graph": "neo4j", "neo4j_uri": neo4j_address.uri, "neo4j_username": auth[0], "neo4j_password": auth[1],
        "neo4j_database": neo4j_address.database,
    }  # fmt: skip
    kb = open_kb("remote", clock=lambda: NOON, set=server)
    for name, text in FLOOD.items():
        kb.ingest([Document(id=name, text=text)])
    proposed = kb.ask("Why did the late shipment happen?", propose=True).proposals
    kb.accept(proposed[0].id, reason="it holds", actor="ada")
    before = kb.check()
    assert before.healthy, before
    with neo4j.GraphDatabase.driver(neo4j_address.uri, auth=auth, notifications_min_severity="OFF") as driver:
        for query in (
            "MATCH ()-[v:EVIDENCED_BY]->() SET v.head_start = v.head_start + 1",
            "MATCH (s:Statement)-[m:MENTIONED_IN]->() WITH m LIMIT 2 DELETE m",
            "MATCH (d:Document) WITH d ORDER BY d.id LIMIT 1 DETACH DELETE d",
            "MATCH (c:Chunk) WITH c ORDER BY c.id LIMIT 1 DETACH DELETE c",
            "MATCH (s:Statement) WITH s ORDER BY s.id LIMIT 1 SET s.terms = ['calm']",
        ):
            driver.execute_query(query, database_=neo4j_address.database)
            lancedb.connect(str(tmp_path / "remote" / "lance")).open_table("chains").delete("true")
            report = kb.check()
            assert not report.healthy, query
            repaired = kb.repair()
            assert repaired.healthy, (query, report, repaired)
            assert repaired.check.state_hash == before.state_hash, query
