"""``clew reindex``: the same store with other vectors or other tables, whatever interrupts it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stand_ins import HashEmbedder, OpenKb, SentenceExtractor, WordEmbedder, word_vector

from graphrag import Document, KnowledgeBase, opening, reindex_copy
from graphrag.same_as import CALIBRATED_EMBEDDER
from graphrag.settings import Settings
from storage.errors import NotFoundError, StoreError, StoreVersionError, UsageError
from storage.manifest import read_manifest
from storage.ports import COLLECTIONS, Side, Vector
from storage.records import RelationStatus

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
TABLE = (
    "# Losses\n\n| place | loss |\n|---|---|\n| Harbour | 40 |\n| Quarry | 9 |\n\nHeavy rain causes a flooded road.\n"
)
DOCUMENTS = [
    Document(id="rain", text="The storm causes heavy rain. Heavy rain causes a flooded road."),
    Document(id="road", text="A flooded road causes a late shipment.", groups=("hr",)),
    Document(id="shop", text="A late shipment causes empty shelves.", metadata={"year": 2024}),
    Document(id="later", text="Snow causes ice.", valid_from=NOON + timedelta(days=9), groups=("hr", "public")),
    Document(id="雨", text="暴雨导致道路积水。道路积水导致列车晚点。"),
]
QUESTION = "Why did empty shelves happen?"


class Interrupted(BaseException):
    """Stands for the death of the process."""


class NarrowEmbedder(HashEmbedder):
    """Vectors of 24 dimensions: those of no other stand-in fit."""

    @property
    def name(self) -> str:
        return "narrow@1/stand-in"

    @property
    def dimensions(self) -> int:
        return 24

    def embed(self, texts: Sequence[str], side: Side) -> Vector:
        self.embedded += texts
        if not texts:
            return np.empty((0, 24), np.float32)
        rows = np.stack([word_vector.__wrapped__(t)[:24] for t in texts])
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


class CalibratedEmbedder(WordEmbedder):
    """Passes for the embedder whose vectors link statements."""

    @property
    def name(self) -> str:
        return f"{CALIBRATED_EMBEDDER}stand-in"


def fill(kb: KnowledgeBase, tmp_path: Path) -> None:
    """Documents of all kinds, a table among them, and a chain that was written back."""
    kb.ingest(DOCUMENTS)
    (tmp_path / "losses.md").write_text(TABLE, encoding="utf-8")
    kb.ingest([tmp_path / "losses.md"], namespace="files")
    [proposal] = kb.ask(QUESTION, propose=True).proposals
    kb.accept(proposal.id, reason="it holds", actor="ada")


def contents(kb: KnowledgeBase) -> dict[str, Any]:
    """Everything that a reindex may touch, vectors bit for bit."""
    graph, index = kb._stores.graph, kb._stores.index
    sources = graph.every_source()
    rows = {name: index.document_rows(name, [s.document_id for s in sources]) for name in COLLECTIONS}
    rows["chains"] += index.derived_rows(vectors=True)
    return {
        "state_hash": graph.state_hash(),
        "fingerprints": {s.path: s.fingerprint for s in sources},
        "rows": {
            name: [
                (r.id, r.owner, r.text, r.context, r.access_class, r.tags, r.valid_from, r.valid_to, r.structure,
                 None if r.vector is None else r.vector.tobytes())
                for r in found
            ]
            for name, found in rows.items()
        },
        "same_as": graph.residue().same_as,
        "counts": [index.count(name) for name in COLLECTIONS],
    }  # fmt: skip


@pytest.fixture
def open_at_noon(open_kb: OpenKb) -> OpenKb:
    return lambda name="store", **options: open_kb(name, **{"clock": lambda: NOON, **options})


@pytest.fixture
def again(tmp_path: Path) -> Callable[..., Any]:
    """Reindexes the store."""

    def do(**options: Any) -> Any:
        settings = Settings(cache=tmp_path / "cache", **options.pop("set", {}))
        return KnowledgeBase.reindex(tmp_path / "store", **{"settings": settings, "clock": lambda: NOON, **options})

    return do


@pytest.mark.parametrize(
    ("before", "after"), [(CalibratedEmbedder, NarrowEmbedder), (WordEmbedder, CalibratedEmbedder)]
)
def test_a_store_embedded_anew_is_what_an_ingest_with_that_embedder_would_have_made(
    open_at_noon: OpenKb, again: Callable[..., Any], tmp_path: Path, before: type, after: type
) -> None:
    with open_at_noon(embedder=before()) as kb:
        fill(kb, tmp_path)
        state = kb.status().state_hash
        answer = kb.ask(QUESTION)
    report = again(embedder=after())
    assert (report.state_hash, report.documents, report.already_there) == (state, 6, 0)
    with open_at_noon("fresh", embedder=after()) as fresh, open_at_noon(embedder=after()) as kb:
        fill(fresh, tmp_path)
        assert contents(kb) == contents(fresh)
        assert kb.ask(QUESTION).chains[0].id == answer.chains[0].id
        assert kb.check().healthy
        assert not kb.documents(stale=True).documents
        assert [s.rows for s in kb._stores.index.condition()] == [s.rows for s in fresh._stores.index.condition()]


def test_rows_of_a_table_are_embedded_as_they_read_by_themselves(
    open_at_noon: OpenKb, again: Callable[..., Any], tmp_path: Path
) -> None:
    with open_at_noon() as kb:
        fill(kb, tmp_path)
    embedder = NarrowEmbedder()
    again(embedder=embedder)
    assert any("place: Harbour" in text for text in embedder.embedded), embedder.embedded


STEPS = (
    "reindex.batch",
    "reindex.copied",
    "reindex.verified",
    "reindex.switched",
    "reindex.linked",
    "reindex.finished",
)


@pytest.mark.parametrize("step", ["reindex.batch", "reindex.verified", "reindex.switched", "reindex.linked"])
def test_a_reindex_that_was_killed_goes_on_and_embeds_no_document_twice(
    open_at_noon: OpenKb, again: Callable[..., Any], tmp_path: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reindex_copy, "BATCH", 2)
    monkeypatch.setattr(reindex_copy, "SAMPLE", 0)
    with open_at_noon() as kb:
        fill(kb, tmp_path)
        before = contents(kb)

    def die(name: str) -> None:
        if name == step:
            raise Interrupted

    embedder = NarrowEmbedder()
    with pytest.raises(Interrupted):
        again(embedder=embedder, on_write_step=die)
    manifest = read_manifest(tmp_path / "store")
    assert manifest is not None
    if switched := STEPS.index(step) >= STEPS.index("reindex.switched"):
        assert manifest.embedder == embedder.name
        with open_at_noon(embedder=embedder) as kb:  # the next write finishes it
            kb.propose([kb.chains(start="the storm").chains[0].links[0].relation_id] * 2, proposer="x")
            assert not kb.documents(stale=True).documents
    else:
        assert manifest.embedder == WordEmbedder().name
        with open_at_noon() as kb:
            assert contents(kb) == before
        report = again(embedder=embedder)
        assert report.already_there == (2 if step == "reindex.batch" else 6)
        chunks = [text for text in embedder.embedded if "causes" in text or "Harbour" in text or "导致" in text]
        assert len(chunks) == len(set(chunks)) > len(DOCUMENTS)
    with open_at_noon("fresh", embedder=NarrowEmbedder()) as fresh, open_at_noon(embedder=embedder) as kb:
        fill(fresh, tmp_path)
        assert contents(kb) == contents(fresh)
        assert not list((tmp_path / "store").glob("lance*/reindex.json")), switched


def test_what_changes_between_a_kill_and_the_next_run_is_in_the_new_tables(
    open_at_noon: OpenKb, again: Callable[..., Any], tmp_path: Path
) -> None:
    with open_at_noon() as kb:
        fill(kb, tmp_path)

    def die(name: str) -> None:
        if name == "reindex.verified":
            raise Interrupted

    with pytest.raises(Interrupted):
        again(embedder=NarrowEmbedder(), on_write_step=die)
    changes = [Document(id="rain", text="The storm causes hail."), Document(id="new", text="The fire causes smoke.")]
    with open_at_noon() as kb:
        kb.ingest(changes)
        kb.ingest([DOCUMENTS[2]], groups=["board"])
        kb.remove("雨")
    report = again(embedder=NarrowEmbedder())
    assert (report.documents, report.already_there) == (3, 3)
    with open_at_noon(embedder=NarrowEmbedder()) as kb:
        assert kb.check().healthy


def test_readers_go_on_with_the_old_tables_and_writers_are_told_to_open_again(
    open_at_noon: OpenKb, open_kb: OpenKb, again: Callable[..., Any], tmp_path: Path
) -> None:
    old = open_at_noon()
    fill(old, tmp_path)
    before = old.search(QUESTION, groups=["public"])
    again(embedder=NarrowEmbedder())
    assert old.search(QUESTION, groups=["public"]) == before
    for write in (lambda: old.ingest(DOCUMENTS), lambda: old.remove("rain"), old.optimize):
        with pytest.raises(StoreVersionError, match=r"clew reindex.*open it again"):
            write()
    former = tmp_path / "store" / "lance"
    with open_kb(embedder=NarrowEmbedder(), clock=lambda: NOON + timedelta(minutes=59)) as kb:
        kb.ingest(DOCUMENTS)
        assert former.is_dir()
    with open_kb(embedder=NarrowEmbedder(), clock=lambda: NOON + timedelta(minutes=60)) as kb:
        kb.ingest(DOCUMENTS)
        assert not former.exists()
    with pytest.raises(StoreVersionError, match="open it again"):
        old.search(QUESTION)
    assert not former.exists()  # nobody made it anew, and empty


def test_a_person_s_verdict_on_a_link_stays(open_at_noon: OpenKb, again: Callable[..., Any], tmp_path: Path) -> None:
    with open_at_noon(embedder=CalibratedEmbedder()) as kb:
        fill(kb, tmp_path)
        links = kb._stores.graph.residue().same_as
        assert links
        kb.reject(links[0].id, reason="not the same", actor="ada")
    again(embedder=NarrowEmbedder())
    with open_at_noon(embedder=NarrowEmbedder()) as kb:
        [held] = kb._stores.graph.held([links[0].id]).links
        assert held.status is RelationStatus.REJECTED
        assert kb.verify_ledger().intact


def test_auto_opens_a_store_with_the_embedder_that_it_was_made_with(
    tmp_path: Path, again: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def open_embedder(setting: str, **_: Any) -> WordEmbedder:
        opened.append(setting)
        return NarrowEmbedder() if setting == "openai:narrow" else WordEmbedder()

    monkeypatch.setattr(opening, "open_embedder", open_embedder)

    def store(**options: Any) -> KnowledgeBase:
        settings = Settings(cache=tmp_path / "cache", **options)
        return KnowledgeBase.open(tmp_path / "store", settings=settings, extractor=SentenceExtractor())

    with store(embedder="use") as kb:
        kb.ingest(DOCUMENTS)
    store().close()
    assert opened == ["use", "use"]
    report = again(embedder="openai:narrow", set={"embedder": "use"})
    assert any("embedder = 'use'" in note for note in report.notes)
    store().close()
    assert opened[-1] == "openai:narrow"
    with pytest.raises(StoreVersionError, match=r"back to openai:narrow.*clew reindex --embedder use --store"):
        store(embedder="use")


def test_strict_isolation_keeps_ids_answers_and_vectors(
    open_at_noon: OpenKb, again: Callable[..., Any], tmp_path: Path
) -> None:
    embedder = WordEmbedder()
    with open_at_noon() as kb:
        fill(kb, tmp_path)
        before, answer = contents(kb), kb.ask(QUESTION)
        embedder.embedded.clear()
    report = again(embedder=embedder, isolation="strict")
    assert (report.isolation_before, report.isolation) == ("shared", "strict")
    assert not embedder.embedded  # vectors are copied
    with open_at_noon() as kb:
        assert contents(kb) == before
        assert kb.ask(QUESTION).chains[0].id == answer.chains[0].id
        assert kb.check().healthy
        kb.ingest([DOCUMENTS[1]], groups=["board"])
        assert kb.check().healthy
        assert len(kb.ask(QUESTION, groups=["public", "hr"]).chains[0].links) == 1
        assert len(kb.ask(QUESTION, groups=["public", "board"]).chains[0].links) == len(answer.chains[0].links) == 4
        saved = kb.backup(tmp_path / "saved")
    with pytest.raises(StoreVersionError, match="clew reindex --isolation shared"):
        open_at_noon(set={"isolation": "shared"})
    settings = Settings(cache=tmp_path / "cache")
    assert KnowledgeBase.restore(tmp_path / "saved", tmp_path / "copy", settings=settings).rows == saved.rows
    with open_at_noon("copy") as kb:
        assert kb.check().healthy
        assert kb._stores.manifest is not None
        assert (kb._stores.manifest.isolation, kb._stores.manifest.index) == ("strict", "lance")
    assert again(embedder=embedder, isolation="shared").isolation == "shared"
    with open_at_noon() as kb:
        assert kb.check().healthy


def test_what_is_not_equal_is_not_switched_to(
    open_at_noon: OpenKb, again: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_at_noon() as kb:
        fill(kb, tmp_path)
    original = reindex_copy._write

    def lose_a_row(copying: reindex_copy.Copying, due: Any) -> int:
        written = original(copying, due)
        copying.target.delete("statements", [next(iter(due.values()))["statements"][0].id])
        return written

    def swap_vectors(copying: reindex_copy.Copying, due: Any) -> int:
        written = original(copying, due)
        rows = copying.target.document_rows("chunks", list(due))
        copying.target.write("chunks", [reindex_copy.replace(r, vector=np.roll(r.vector, 1)) for r in rows])
        return written

    for damage, what in ((lose_a_row, "rows of 'statements'"), (swap_vectors, "vector of another text")):
        monkeypatch.setattr(reindex_copy, "_write", damage)
        with pytest.raises(StoreError, match=what):
            again(embedder=NarrowEmbedder())
        monkeypatch.setattr(reindex_copy, "_write", original)
        with open_at_noon() as kb:
            assert kb.check().healthy
            kb.optimize()  # which drops what was begun
        assert [p.name for p in (tmp_path / "store").glob("lance*")] == ["lance"]


def test_what_cannot_be_reindexed_says_why(open_at_noon: OpenKb, again: Callable[..., Any], tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        again(embedder=WordEmbedder())
    open_at_noon().close()
    with pytest.raises(UsageError, match=r"already.*--embedder or --isolation"):
        again(embedder=WordEmbedder())


def test_a_write_that_was_cut_off_is_finished_first(
    tmp_path: Path, again: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "open_embedder", lambda *_, **__: WordEmbedder())

    def die(name: str) -> None:
        if name == "ingest.committed":
            raise Interrupted

    settings = Settings(cache=tmp_path / "cache")
    options: dict[str, Any] = {"settings": settings, "extractor": SentenceExtractor()}
    with KnowledgeBase.open(tmp_path / "store", on_write_step=die, **options) as kb, pytest.raises(Interrupted):
        kb.ingest(DOCUMENTS)
    assert again(embedder=NarrowEmbedder()).documents == len(DOCUMENTS)
    with KnowledgeBase.open(tmp_path / "store", embedder=NarrowEmbedder(), **options) as kb:
        assert kb.check().healthy


def test_a_store_with_its_graph_in_neo4j_is_reindexed_too(
    neo4j_address: Any, open_at_noon: OpenKb, again: Callable[..., Any], tmp_path: Path
) -> None:
    server = {
        "walk_seconds": 60, "graph": "neo4j", "neo4j_uri": neo4j_address.uri, "neo4j_username": neo4j_address.username,
        "neo4j_password": neo4j_address.password, "neo4j_database": neo4j_address.database,
    }  # fmt: skip
    with open_at_noon(set=server, embedder=CalibratedEmbedder()) as kb:
        fill(kb, tmp_path)
    again(embedder=NarrowEmbedder(), isolation="strict", set=server)
    with (
        open_at_noon("fresh", embedder=NarrowEmbedder()) as fresh,
        open_at_noon(set=server, embedder=NarrowEmbedder()) as kb,
    ):
        fill(fresh, tmp_path)
        assert contents(kb) == contents(fresh)
        assert kb.check().healthy


def test_a_strict_store_that_lost_tables_of_a_class_is_repaired(open_at_noon: OpenKb, tmp_path: Path) -> None:
    with open_at_noon(set={"isolation": "strict"}) as kb:
        fill(kb, tmp_path)
        before = contents(kb)
        [public] = {row.access_class for row in kb._stores.index.document_rows("chunks", [source_of(kb, "rain")])}
        [hr] = {row.access_class for row in kb._stores.index.document_rows("chunks", [source_of(kb, "road")])}
    shutil.rmtree(tmp_path / "store" / "lance" / public / "statements.lance")
    shutil.rmtree(tmp_path / "store" / "lance" / public / "chains.lance")
    with open_at_noon() as kb:
        assert not kb.check().healthy
        assert kb.repair().healthy
        assert contents(kb) == before
    shutil.rmtree(tmp_path / "store" / "lance" / hr)
    with open_at_noon() as kb:
        report = kb.repair()
        assert {(f.kind, f.path) for f in report.left} == {
            ("document", "documents/road")
        }  # a text is in its table alone
        kb.ingest(DOCUMENTS)
        assert kb.check().healthy


def source_of(kb: KnowledgeBase, path: str) -> str:
    [document] = [s.document_id for s in kb._stores.graph.every_source() if s.path == path]
    return document


def test_older_versions_are_embedded_anew_as_well(
    open_at_noon: OpenKb, again: Callable[..., Any], tmp_path: Path
) -> None:
    keeping = {"keep_versions": True}
    for text, day in ((TABLE, 1), (TABLE.replace("40", "41"), 2)):
        (tmp_path / "losses.md").write_text(text, encoding="utf-8")
        with open_at_noon(set=keeping, clock=lambda day=day: NOON + timedelta(days=day)) as kb:
            kb.ingest([tmp_path / "losses.md"], namespace="files")
    embedder = NarrowEmbedder()
    assert again(embedder=embedder).documents == 2
    with open_at_noon(embedder=embedder, clock=lambda: NOON + timedelta(days=3)) as kb:
        [old] = kb._stores.graph.kept_versions()
        assert old.fingerprint.endswith(f"embedder={embedder.name}")
        reading = "Losses\nLosses\nplace: Harbour; loss: 40\nplace: Quarry; loss: 9"
        vectors = [row.vector for row in kb._stores.index.document_rows("chunks", [old.document_id])]
        assert embedder.embed([reading], "passage")[0].tolist() in [v.tolist() for v in vectors if v is not None]
        assert kb.check().healthy
