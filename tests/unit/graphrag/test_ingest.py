"""Ingesting: batches, failures of single documents, progress, what is listed, and whose word on groups counts."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from stand_ins import FLOOD, OpenKb, SentenceExtractor, WordEmbedder, WriteFiles

import graphrag.ingest
import graphrag.prefetch
from extractors.ports import ExtractionResult
from graphrag import Document, KnowledgeBase
from graphrag.ingest import Progress
from graphrag.inputs import list_inputs
from storage.errors import UnreachableError, UsageError
from storage.ports import Side, Vector


class Moody(SentenceExtractor):
    """Fails on one text, and does another by halves."""

    def extract(self, text: str, language: str) -> ExtractionResult:
        if "BOOM" in text:
            raise RecursionError("too deep")
        found = super().extract(text, language)
        return found.model_copy(update={"degraded": ("one sentence was too long",)}) if "HALF" in text else found


def test_what_goes_wrong_in_one_document_fails_that_document_only(open_kb: OpenKb, files: WriteFiles) -> None:
    folder = files({**FLOOD, "boom.md": "BOOM\n", "half.md": "HALF. The dog causes the noise.\n"})
    kb = open_kb(extractor=Moody())
    report = kb.ingest([folder])
    assert report.added == ("half.md", "port.md", "rain.md", "release.md", "雨.txt")
    [failed] = report.failed
    assert failed.path == "boom.md"
    assert "RecursionError: too deep" in failed.reason
    assert [(p.path, p.reason) for p in report.degraded] == [("half.md", "one sentence was too long")]
    assert [p.path for p in kb.documents(failed=True).failed] == ["notes/boom.md"]
    assert "failed: boom.md" in str(report)
    assert "degraded: half.md" in str(report)


def test_a_file_that_can_no_longer_be_read_keeps_its_last_version(kb: KnowledgeBase, files: WriteFiles) -> None:
    folder = files()
    kb.ingest([folder])
    before = kb.status().state_hash
    files({"port.md": ""})
    report = kb.ingest([folder], prune=True)
    assert [p.path for p in report.failed] == ["port.md"]
    assert report.removed == ()
    assert kb.status().state_hash == before
    assert kb.status().failed == 1
    files({"port.md": FLOOD["port.md"]})
    assert kb.ingest([folder]).unchanged == 4
    assert kb.status().failed == 0


def test_batches_change_nothing_but_the_number_of_transactions(
    open_kb: OpenKb, files: WriteFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, states, transactions = files(), set(), []
    for i, (documents, characters) in enumerate([(32, 200_000), (1, 200_000), (3, 200_000), (32, 60)]):
        steps: list[str] = []
        monkeypatch.setattr(graphrag.ingest, "BATCH_DOCUMENTS", documents)
        monkeypatch.setattr(graphrag.ingest, "BATCH_CHARACTERS", characters)
        kb = open_kb(f"store-{i}", on_write_step=steps.append)
        assert len(kb.ingest([folder]).added) == 4
        states.add(kb.status().state_hash)
        transactions.append(steps.count("ingest.committed"))
    assert len(states) == 1
    # by characters: port and rain fill a batch each, release (50) and 雨 (19) fill one together
    assert transactions == [1, 4, 2, 3]


def test_progress_goes_from_nothing_to_everything(
    kb: KnowledgeBase, files: WriteFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graphrag.ingest, "BATCH_DOCUMENTS", 2)
    seen: list[Progress] = []
    folder = files({**FLOOD, "empty.txt": "", "blank.md": " \n"})
    kb.ingest([folder], progress=seen.append)
    total = sum(len(t.encode()) for t in FLOOD.values()) + 2
    assert {p.total for p in seen} == {total}
    done = [p.done for p in seen]
    assert done == sorted(done)
    assert (done[0], done[-1]) == (0, total)
    assert (seen[0].documents, seen[-1].documents) == (0, 4)
    assert {"load", "embed", "stored"} <= {p.stage for p in seen} <= {"load", "prepare", "embed", "stored"}


def test_progress_comes_while_the_first_document_is_still_being_prepared(
    open_kb: OpenKb, files: WriteFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = threading.Event()

    class Slow(SentenceExtractor):
        def extract(self, text: str, language: str) -> ExtractionResult:
            assert told.wait(10)
            return super().extract(text, language)

    seen: list[Progress] = []

    def show(p: Progress) -> None:
        assert threading.current_thread() is threading.main_thread()
        seen.append(p)
        if p.stage == "prepare":
            told.set()

    monkeypatch.setattr(graphrag.prefetch, "WAITING_EVERY", 0.01)
    folder = files({"large.md": "The storm causes heavy rain.\n"})
    report = open_kb(extractor=Slow()).ingest([folder], progress=show)
    assert report.added == ("large.md",)
    before = [p for p in seen if p.stage in ("load", "prepare")]
    assert seen[: len(before)] == before
    assert (before[0].stage, before[-1].stage, before[-1].document) == ("load", "prepare", "large.md")
    assert {(p.done, p.documents) for p in before} == {(0, 0)}


def test_a_model_that_goes_away_leaves_whole_batches_and_the_rest_is_done_later(
    open_kb: OpenKb, files: WriteFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Failing(WordEmbedder):
        calls = 0

        def embed(self, texts: Sequence[str], side: Side) -> Vector:
            self.calls += 1
            if self.calls == 2:
                raise UnreachableError("http://model does not answer. Start it.")
            return super().embed(texts, side)

    monkeypatch.setattr(graphrag.ingest, "BATCH_DOCUMENTS", 2)
    folder = files()
    with open_kb(embedder=Failing()) as kb:
        with pytest.raises(UnreachableError, match="does not answer"):
            kb.ingest([folder])
        assert [d.path for d in kb.documents().documents] == ["port.md", "rain.md"]
        assert not kb._stores.graph.open_intents()
        report = kb.ingest([folder])
        assert (report.added, report.unchanged) == (("release.md", "雨.txt"), 2)
        again = kb.status().state_hash
    straight = open_kb("straight")
    straight.ingest([folder])
    assert straight.status().state_hash == again


def test_a_folder_is_listed_in_a_fixed_order_and_what_is_passed_over_is_said(files: WriteFiles) -> None:
    folder = files({"b.md": "b", "a/c.txt": "c", "a/.hidden.txt": "h", ".git/x.md": "x", "photo.jpg": "", "B.TXT": "B"})
    listing = list_inputs([folder])
    assert [i.path for i in listing.inputs] == ["B.TXT", "a/c.txt", "b.md"]
    assert [(p.path, p.reason.split(" (")[0]) for p in listing.skipped] == [
        (".git", "hidden"), ("a/.hidden.txt", "hidden"), ("photo.jpg", "not a supported format"),
    ]  # fmt: skip
    assert {i.namespace for i in listing.inputs} == {"notes"}
    named = list_inputs(folder / "photo.jpg")  # by its name it is tried, whatever its suffix
    assert [i.path for i in named.inputs] == ["photo.jpg"]
    gone = list_inputs(["nowhere.md", str(folder / "b.md")])
    assert [(p.path, p.reason) for p in gone.failed] == [("nowhere.md", "there is no such file or folder")]
    assert [i.path for i in gone.inputs] == ["b.md"]


def test_names_are_stored_composed_and_the_current_folder_has_its_own_name(
    files: WriteFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = files({"cafe\u0301.md": "x"})
    monkeypatch.chdir(folder)
    for named in (".", "../notes", folder, os.fspath(folder) + "/"):
        [item] = list_inputs(named).inputs
        assert (item.namespace, item.path) == ("notes", "caf\u00e9.md")
    [item] = list_inputs("cafe\u0301.md").inputs
    assert (item.namespace, item.path) == ("notes", "caf\u00e9.md")


def test_a_document_without_a_name_is_named_by_its_content_and_a_blank_name_is_refused() -> None:
    first, second = (list_inputs(Document(text=t)).inputs[0] for t in ("one", "two"))
    assert first.path.startswith("text-")
    assert first.source_id != second.source_id
    assert list_inputs(Document(text="one")).inputs[0].source_id == first.source_id
    with pytest.raises(UsageError, match="empty id"):
        list_inputs(Document(text="x", id=" "))


def test_the_same_input_twice_in_one_ingest_counts_once(kb: KnowledgeBase, files: WriteFiles) -> None:
    folder = files({"a.md": "The storm causes heavy rain.\n"})
    report = kb.ingest([folder, folder / "a.md"])
    assert (report.added, report.unchanged, report.failed) == (("a.md",), 1, ())
    report = kb.ingest([Document(id="x", text="One causes two."), Document(id="x", text="Two causes three.")])
    assert (report.added, len(report.failed)) == (("x",), 1)


def test_whose_word_on_groups_counts(open_kb: OpenKb, files: WriteFiles) -> None:
    kb = open_kb(set={"default_groups": ("staff",)})

    def groups() -> dict[str, tuple[str, ...]]:
        return {d.path: d.groups for d in kb.documents().documents}

    own = "---\ngroups: [board, legal]\n---\nThe storm causes heavy rain.\n"
    folder = files({"own.md": own, "none.md": "The dog causes the noise.\n", "nobody.md": "---\ngroups: []\n---\nX.\n"})
    kb.ingest([folder])
    assert groups() == {"own.md": ("board", "legal"), "none.md": ("staff",), "nobody.md": ()}
    kb.ingest([folder], groups=["hr"])
    assert set(groups().values()) == {("hr",)}
    files({"none.md": "The dog causes the barking.\n", "own.md": own + "More.\n"})
    kb.ingest([folder])  # a new version: as the document says, else as before
    assert groups() == {"own.md": ("board", "legal"), "none.md": ("hr",), "nobody.md": ("hr",)}
    assert not any(h.source == "nobody.md" for h in kb.search("X", groups=[]).hits)


def test_a_group_of_nobody_is_seen_by_nobody_but_the_owner(kb: KnowledgeBase) -> None:
    kb.ingest([Document(id="secret", text="The storm causes heavy rain.", groups=())])
    assert kb.search("storm").hits
    for groups in ([], ["public"], ["secret", "owner", ""]):
        assert not kb.search("storm", groups=groups).hits
        assert not kb.documents(groups=groups).documents


def test_an_ingest_of_nothing_says_nothing_was_there(kb: KnowledgeBase, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for sources in ([], [tmp_path / "empty"]):
        report = kb.ingest(sources)
        assert (report.added, report.failed, report.unchanged) == ((), (), 0)
        assert str(report).startswith("0 added")


def test_what_was_left_out_on_purpose_is_a_note_and_no_fault(kb: KnowledgeBase, files: WriteFiles) -> None:
    mail = "From: a@x.org\nTo: b@x.org\nSubject: Storm {0}\n\nThe storm closed port {0}.\n\n-- \nAnna\n"
    folder = files({f"{n}.eml": mail.format(n) for n in range(7)})
    report = kb.ingest([folder])
    assert report.degraded == ()
    assert [note.path for note in report.notes] == [f"{n}.eml" for n in range(7)]
    lines = [line for line in str(report).splitlines() if line.startswith("note: ")]
    assert lines[0] == "note: 0.eml: Left out: 2 lines of the signature; the option quoted keeps them"
    assert len(lines) == 6
    assert lines[5] == "note: 2 more of the kind, see IngestReport.notes"


@pytest.mark.parametrize("prune", [False, True])
def test_a_failed_file_that_is_gone_is_no_longer_listed_as_failed(
    kb: KnowledgeBase, files: WriteFiles, prune: bool
) -> None:
    folder = files({"a.md": "The dog barks.\n", "b.pdf": "no pdf\n", "c.pdf": "no pdf\n"})
    kb.ingest([folder])
    assert [f.path for f in kb.documents(failed=True).failed] == ["notes/b.pdf", "notes/c.pdf"]
    (folder / "b.pdf").unlink()
    kb.ingest([folder / "a.md"])
    assert kb.status().failed == 2  # the folder was not looked at
    kb.ingest([folder], prune=prune)
    assert [f.path for f in kb.documents(failed=True).failed] == ["notes/c.pdf"]


def test_only_a_row_that_goes_is_removed(kb: KnowledgeBase, files: WriteFiles) -> None:
    rows = [f'{{"text": "The storm closed port {n}."}}\n' for n in range(9)]
    folder = files({"a.jsonl": "".join(rows)})
    assert len(kb.ingest([folder]).added) == 9
    files({"a.jsonl": "".join(rows[:3] + rows[4:])})
    report = kb.ingest([folder])
    assert (len(report.removed), report.unchanged) == (1, 8)
    assert (report.added, report.replaced, report.updated) == ((), (), ())
