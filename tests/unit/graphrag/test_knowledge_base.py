"""The knowledge base as its callers know it: what goes in, what is reported, what goes out again, and what is found."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from stand_ins import FLOOD, OpenKb, SentenceExtractor, WordEmbedder, WriteFiles

from graphrag import Document, KnowledgeBase
from storage.errors import NotFoundError, ProposalError, StoreVersionError, UsageError
from storage.identity import make_id
from storage.records import Relation

QUESTION = "Why did the late shipment happen?"


def paths(kb: KnowledgeBase) -> list[str]:
    return [f"{d.namespace}/{d.path}" for d in kb.documents().documents]


# what goes in


def test_an_ingest_reports_what_it_stored(kb: KnowledgeBase, files: WriteFiles) -> None:
    report = kb.ingest([files()])
    assert report.added == ("port.md", "rain.md", "release.md", "雨.txt")
    assert (report.replaced, report.updated, report.removed, report.stale, report.failed) == ((), (), (), (), ())
    assert report.unchanged == 0
    assert report.relations == {"causal": 6}
    # Six single links, and the two paths of two links inside rain.md and 雨.txt.
    assert report.chains == 8
    assert report.chunks == 4
    assert not report.dry_run
    assert str(report).startswith("4 added, 0 replaced, 0 updated, 0 unchanged, 0 removed, 0 failed in ")
    counts = kb.status().counts
    assert (counts["documents"], counts["relations"], counts["evidence"], counts["chains"]) == (4, 6, 6, 8)
    # storm, heavy rain, flooded road, closed port, late shipment; 暴雨, 道路积水, 列车晚点
    assert counts["statements"] == 8


def test_an_unchanged_document_costs_no_extraction_and_no_embedding(
    kb: KnowledgeBase, files: WriteFiles, extractor: SentenceExtractor, embedder: WordEmbedder
) -> None:
    folder = files()
    kb.ingest([folder])
    before, extracted, embedded = kb.status().state_hash, extractor.extracted, len(embedder.embedded)
    assert extracted == 4
    report = kb.ingest([folder])
    assert (report.added, report.unchanged, report.chunks) == ((), 4, 0)
    assert (extractor.extracted, len(embedder.embedded)) == (extracted, embedded)
    assert kb.status().state_hash == before


def test_a_changed_document_replaces_its_old_version_in_one_step(kb: KnowledgeBase, files: WriteFiles) -> None:
    folder = files()
    kb.ingest([folder])
    old = {d.path: d.document_id for d in kb.documents().documents}
    files({"port.md": "# Port\n\nThe flooded road causes the angry drivers.\n"})
    report = kb.ingest([folder])
    assert (report.added, report.replaced, report.unchanged) == ((), ("port.md",), 3)
    new = {d.path: d.document_id for d in kb.documents().documents}
    assert {p for p in new if new[p] != old[p]} == {"port.md"}
    assert not kb.chains(start="the flooded road", end="the closed port").chains
    assert kb.chains(start="the flooded road", end="the angry drivers").chains
    assert not any("closed port" in h.text for h in kb.search("closed port").hits if h.source == "port.md")
    assert kb._stores.index.document_ids() == set(new.values())


def test_going_back_to_an_old_version_gives_the_old_state(kb: KnowledgeBase, files: WriteFiles) -> None:
    folder = files()
    kb.ingest([folder])
    before = kb.status().state_hash
    files({"port.md": "Nothing of interest.\n"})
    kb.ingest([folder])
    assert kb.status().state_hash != before
    files()
    kb.ingest([folder])
    assert kb.status().state_hash == before


def test_other_groups_and_metadata_are_stored_without_extraction(
    kb: KnowledgeBase, files: WriteFiles, extractor: SentenceExtractor, embedder: WordEmbedder
) -> None:
    folder = files()
    kb.ingest([folder])
    extracted, embedded = extractor.extracted, len(embedder.embedded)
    report = kb.ingest([folder / "port.md"], namespace="notes", groups=["hr", "hr", "board"])
    assert (report.updated, report.added, report.replaced) == (("port.md",), (), ())
    assert (extractor.extracted, len(embedder.embedded)) == (extracted, embedded)
    assert {d.path: d.groups for d in kb.documents().documents}["port.md"] == ("board", "hr")
    assert "port.md" not in [d.path for d in kb.documents(groups=["public"]).documents]
    assert kb.chains(start="flooded road", end="closed port", groups=["hr"]).chains
    assert not kb.chains(start="flooded road", end="closed port", groups=["public"]).chains
    assert all(h.source != "port.md" for h in kb.search("closed port", groups=["public"]).hits)
    until = datetime(2020, 1, 1, tzinfo=UTC)
    assert kb.ingest([folder / "port.md"], namespace="notes", valid_to=until).updated == ("port.md",)
    assert not kb.chains(start="flooded road", end="closed port").chains
    assert kb.chains(start="flooded road", end="closed port", as_of=datetime(2019, 1, 1, tzinfo=UTC)).chains
    assert extractor.extracted == extracted


def test_metadata_of_a_document_is_updated_and_searched_by(kb: KnowledgeBase, extractor: SentenceExtractor) -> None:
    text = "The storm causes heavy rain."
    kb.ingest([Document(id="a", text=text, metadata={"year": 2024, "city": "Bergen"})])
    report = kb.ingest([Document(id="a", text=text, metadata={"year": 2025, "city": "Bergen"})])
    assert report.updated == ("a",)
    assert extractor.extracted == 1
    assert not kb.search("storm", where={"year": 2024}).hits
    assert kb.search("storm", where={"year": 2025, "city": "Bergen"}).hits


def test_an_older_extractor_makes_documents_stale_until_they_are_reprocessed(
    open_kb: OpenKb, files: WriteFiles
) -> None:
    folder = files()
    with open_kb() as kb:
        kb.ingest([folder])
    newer = SentenceExtractor(version=2)
    with open_kb(extractor=newer) as kb:
        assert kb.status().stale == 4
        assert len(kb.documents(stale=True).documents) == 4
        report = kb.ingest([folder])
        assert report.stale == ("port.md", "rain.md", "release.md", "雨.txt")
        assert newer.extracted == 0
        report = kb.ingest([folder], reprocess=True)
        assert (len(report.replaced), report.stale) == (4, ())
        assert newer.extracted == 4
        assert kb.status().stale == 0
        assert not kb.documents(stale=True).documents
        origins = {e.origin for c in kb.chains(start="storm").chains for link in c.links for e in link.evidence}
        assert origins == {"sentences@2"}


def test_prune_removes_what_is_gone_from_a_folder_and_only_that(kb: KnowledgeBase, files: WriteFiles) -> None:
    folder = files()
    other = files({"port.md": "The ferry causes the queue.\n"}, "other")
    kb.ingest([folder, other, Document(id="note", text="The dog causes the noise.")])
    (folder / "port.md").unlink()
    assert kb.ingest([folder]).removed == ()
    assert len(paths(kb)) == 6
    report = kb.ingest([folder], prune=True)
    assert report.removed == ("port.md",)
    assert paths(kb) == [
        "documents/note", "notes/rain.md", "notes/release.md", "notes/雨.txt", "other/port.md",
    ]  # fmt: skip
    assert not kb.chains(start="the flooded road", end="the closed port").chains


@pytest.mark.parametrize("options", [{}, {"prune": True}, {"reprocess": True}, {"prune": True, "groups": ["hr"]}])
def test_a_dry_run_says_exactly_what_then_happens(
    open_kb: OpenKb, files: WriteFiles, options: dict[str, object]
) -> None:
    folder = files()
    with open_kb() as kb:
        kb.ingest([folder])
    with open_kb(extractor=SentenceExtractor(version=2)) as kb:
        files({"rain.md": "The storm causes heavy snow.\n", "new.md": "A causes B.\n", "empty.txt": "", "x.xyz": "x"})
        (folder / "release.md").unlink()
        before = kb.status().state_hash
        said = kb.ingest([folder, "nowhere"], dry_run=True, **options)
        assert said.dry_run
        assert "dry run" in str(said)
        assert kb.status().state_hash == before
        assert not kb.documents(failed=True).failed
        done = kb.ingest([folder, "nowhere"], **options)
        for part in ("added", "replaced", "updated", "unchanged", "removed", "stale", "failed", "skipped"):
            assert getattr(said, part) == getattr(done, part), part
        assert done.added == ("new.md",)
        assert [p.path for p in done.failed] == ["nowhere", "empty.txt"]


def test_the_namespace_is_the_folders_name_or_the_callers(kb: KnowledgeBase, files: WriteFiles) -> None:
    folder = files({"a.md": "The storm causes heavy rain.\n"})
    kb.ingest([folder])
    kb.ingest([folder], namespace="other")
    kb.ingest([folder / "a.md"], namespace="third")
    kb.ingest([Document(text="The dog causes the noise.", id="x")])
    kb.ingest([Document(text="The dog causes the noise.")])
    anonymous = Document(text="The dog causes the noise.").content_hash[:16]
    assert paths(kb) == [
        f"documents/text-{anonymous}", "documents/x", "notes/a.md", "other/a.md", "third/a.md",
    ]  # fmt: skip
    ids = {d.source_id for d in kb.documents().documents}
    assert make_id("src", "notes", "a.md") in ids


def test_a_file_from_another_place_does_not_take_an_identity(
    kb: KnowledgeBase, files: WriteFiles, tmp_path: Path
) -> None:
    for parent in ("one", "two"):
        (tmp_path / parent).mkdir()
    here = files({"a.md": "The storm causes heavy rain.\n"}, "one/notes")
    there = files({"a.md": "The dog causes the noise.\n"}, "two/notes")
    kb.ingest([here])
    report = kb.ingest([there])
    assert (report.added, report.replaced) == ((), ())
    [problem] = report.failed
    assert str(here / "a.md") in problem.reason
    assert str(there / "a.md") in problem.reason
    assert "--namespace" in problem.reason
    assert kb.status().failed == 1
    assert kb.chains(start="the storm").chains
    (here / "a.md").unlink()  # the old file is gone: it has moved
    assert kb.ingest([there]).replaced == ("a.md",)


# what goes out


def test_a_document_is_removed_by_path_id_or_the_beginning_of_an_id(kb: KnowledgeBase, files: WriteFiles) -> None:
    folder = files()
    for name in (
        "port.md",
        "notes/port.md",
        "./port.md",
        str(folder / "port.md"),
        make_id("src", "notes", "port.md"),
        make_id("src", "notes", "port.md")[:12],
    ):
        kb.ingest([folder])
        receipt = kb.remove(name)
        assert receipt.paths == ("port.md",), name
        assert "notes/port.md" not in paths(kb)
    kb.ingest([folder])
    document = next(d.document_id for d in kb.documents().documents if d.path == "port.md")
    assert kb.remove(document[:14]).documents == (document,)


def test_a_removal_takes_what_only_it_proved_and_a_return_brings_it_back(kb: KnowledgeBase, files: WriteFiles) -> None:
    folder = files({**FLOOD, "copy.md": "# Copy\n\nThe closed port causes the late shipment.\n"})
    kb.ingest([folder])
    before = kb.status().state_hash
    receipt = kb.remove("port.md")
    assert (len(receipt.chunks), len(receipt.evidence), len(receipt.relations), len(receipt.statements)) == (1, 1, 1, 0)
    assert len(receipt.chains) == 1
    still = kb.remove("copy.md")  # release.md proves the same
    assert (len(still.evidence), still.relations, still.statements, still.chains) == (1, (), (), ())
    last = kb.remove("release.md")
    # closed port and late shipment are said nowhere else now
    assert (len(last.relations), len(last.statements), len(last.chains)) == (1, 2, 1)
    assert "retired, as nothing else proves them: relations 1, statements 2, chains 1" in str(last)
    kb.ingest([folder])
    assert kb.status().state_hash == before


def test_what_cannot_be_removed_is_said(kb: KnowledgeBase, files: WriteFiles) -> None:
    kb.ingest([files(), files({"port.md": "The ferry causes the queue.\n"}, "other")])
    before = kb.status().state_hash
    with pytest.raises(UsageError, match=r"any of 2: notes/port\.md, other/port\.md"):
        kb.remove("port.md")
    with pytest.raises(NotFoundError, match="'nothing'"):
        kb.remove("nothing")
    with pytest.raises(NotFoundError):
        kb.remove("src_ffffffffffffffffffffffffffffffff")
    with pytest.raises(UsageError, match="any of 5"):
        kb.remove("src_")
    with pytest.raises(NotFoundError):
        kb.remove("")
    assert kb.status().state_hash == before


# what is in


def test_documents_tell_what_is_in_and_what_could_not_be_taken_in(kb: KnowledgeBase, files: WriteFiles) -> None:
    titled = "# A title\n\nThe storm causes heavy rain.\n"
    kb.ingest([files({"a.md": titled, "empty.txt": "", "雨.txt": FLOOD["雨.txt"]})])
    a, zh = kb.documents().documents
    assert (a.path, a.title, a.language, a.chunks, a.relations, a.groups, a.stale) == (
        "a.md", "A title", "en", 1, 1, ("public",), False,
    )  # fmt: skip
    assert (zh.path, zh.language, zh.relations) == ("雨.txt", "zh", 2)
    [problem] = kb.documents(failed=True).failed
    assert problem.path == "notes/empty.txt"
    assert not kb.documents(failed=True).documents
    assert kb.status().failed == 1
    assert kb.documents(groups=["public"]).failed == ()
    files({"empty.txt": "The dog causes the noise.\n"})
    kb.ingest([files({})])
    assert kb.status().failed == 0


def test_the_status_says_what_the_store_is(kb: KnowledgeBase, files: WriteFiles, tmp_path: Path) -> None:
    empty = kb.status()
    assert empty.store == str(tmp_path / "store")
    assert (empty.embedder, empty.dimensions, empty.format_version) == ("words@1/stand-in", 64, 1)
    assert set(empty.counts.values()) == {0}
    kb.ingest([files()])
    full = kb.status()
    assert full.relations_by_type["causal"] == 6
    assert full.bytes_on_disk > empty.bytes_on_disk
    assert len(full.state_hash) == 64
    assert full.state_hash != empty.state_hash
    assert kb.status().model_dump(exclude={"bytes_on_disk"}) == full.model_dump(exclude={"bytes_on_disk"})


# chains


def test_chains_go_forward_backward_and_between(kb: KnowledgeBase, files: WriteFiles) -> None:
    kb.ingest([files()])
    ahead = kb.chains(start="the storm")
    behind = kb.chains(end="the late shipment")
    between = kb.chains(start="the storm", end="the late shipment")
    assert [len(r.chains[0].links) for r in (ahead, behind, between)] == [4, 4, 4]
    assert ahead.chains[0].id == behind.chains[0].id == between.chains[0].id
    two = [[link.tail for link in c.links] for c in kb.chains(start="the storm", max_hops=2).chains]
    assert two == [["heavy rain", "The flooded road"], ["heavy rain", "道路积水"]]  # heavy rain is 暴雨
    assert not kb.chains(start="the late shipment", end="the storm").chains
    assert not kb.chains(start="the storm", types=["sequential"]).chains
    assert kb.chains(start="暴雨").chains[0].links[-1].tail == "列车晚点"


def test_an_ambiguous_name_lists_what_it_could_mean(kb: KnowledgeBase) -> None:
    kb.ingest([Document(id="a", text="The copper price causes the strike. The iron price causes the closure.")])
    result = kb.chains(start="price")
    matched = result.matched_statements["start"]
    assert {m.text for m in matched} == {"The copper price", "The iron price"}
    assert {c.links[0].tail for c in result.chains} == {"the strike", "the closure"}
    assert "or: " in str(result)
    nothing = kb.chains(start="zebras")
    assert (nothing.chains, nothing.matched_statements) == ((), {"start": ()})
    assert "no statement matches" in str(nothing)


@pytest.mark.parametrize(
    "arguments",
    [{}, {"start": "  "}, {"start": "a", "limit": 0}, {"start": "a", "max_hops": 9}, {"start": "a", "max_hops": 0},
     {"start": "a", "types": ["magic"]}],
)  # fmt: skip
def test_chains_refuse_arguments_that_make_no_sense(kb: KnowledgeBase, arguments: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        kb.chains(**arguments)


def test_a_chain_is_explained_whether_it_is_stored_or_was_only_shown(kb: KnowledgeBase, files: WriteFiles) -> None:
    kb.ingest([files()])
    walked = kb.chains(start="the storm", end="the late shipment").chains[0]
    assert not walked.stored
    stored = kb.chains(start="the storm", end="the flooded road").chains[0]
    assert stored.stored
    assert not stored.derived
    for chain in (walked, stored):
        for name in (chain.id, chain.id[:16], chain.id.removeprefix("chn_"), f" {chain.id}"):
            assert kb.explain(name).chain.links == chain.links
    single = kb.explain(walked.links[0].relation_id[:20]).chain
    assert [link.relation_id for link in single.links] == [walked.links[0].relation_id]
    said = str(kb.explain(walked.id))
    assert "1. The storm ─causes→ heavy rain" in said
    assert "rain.md [" in said
    assert "cue “causes” [" in said
    with pytest.raises(NotFoundError):
        kb.explain("chn_ffff")
    with pytest.raises(UsageError):
        kb.explain("")
    with pytest.raises(NotFoundError):
        kb.explain(Relation(type="causal", head="a", tail="b").id)
    kb.remove("port.md")
    with pytest.raises(NotFoundError, match="no longer there"):
        kb.explain(walked.id)


# writing back


def test_an_accepted_chain_answers_first_retires_with_its_proof_and_comes_back(
    kb: KnowledgeBase, files: WriteFiles
) -> None:
    folder = files()
    kb.ingest([folder])
    before = kb.status().state_hash
    [proposal] = kb.ask(QUESTION, propose=True, proposer="test").proposals
    assert (proposal.status, proposal.proposer) == ("quarantined", "test")
    assert kb.status().state_hash == before
    decision = kb.accept(proposal.id[:16], reason="it holds", actor="ada")
    assert kb.ask(QUESTION).chains[0].derived
    assert "written back" in kb.ask(QUESTION).text
    assert kb.ask(QUESTION, propose=True).proposals == ()  # it is stored
    with pytest.raises(ProposalError):
        kb.accept(proposal.id, reason="again", actor="ada")
    receipt = kb.remove("port.md")
    assert decision.chains[0] in receipt.chains
    assert not any(c.derived for c in kb.ask(QUESTION).chains)
    kb.ingest([folder])
    assert kb.ask(QUESTION).chains[0].derived
    assert decision.batch is not None
    kb.rollback(decision.batch, reason="a mistake", actor="ada")
    assert kb.status().state_hash == before
    assert kb.verify_ledger().intact
    assert kb._stores.index.derived_rows() == []


# opening


def test_a_folder_with_other_things_in_it_is_no_store(open_kb: OpenKb, tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "thesis.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for name in ("taken", "file"):
        with pytest.raises(UsageError, match=name):
            open_kb(name)
    assert [p.name for p in (tmp_path / "taken").iterdir()] == ["thesis.txt"]
    with pytest.raises(NotFoundError, match="clew ingest"):
        open_kb("nowhere", create=False)
    assert not (tmp_path / "nowhere").exists()


def test_another_embedder_is_refused_with_what_to_do(open_kb: OpenKb, files: WriteFiles) -> None:
    with open_kb() as kb:
        kb.ingest([files()])

    class Other(WordEmbedder):
        name = "other@1/stand-in"

    with pytest.raises(StoreVersionError, match=r"words@1.*other@1.*CLEW_EMBEDDER"):
        open_kb(embedder=Other())
    with open_kb() as kb:
        assert kb.status().counts["documents"] == 4


@pytest.mark.parametrize("question", ["", "   ", "\n\t"])
def test_an_empty_question_is_refused(kb: KnowledgeBase, question: str) -> None:
    for method in (kb.ask, kb.search):
        with pytest.raises(UsageError, match="empty"):
            method(question)
    with pytest.raises(UsageError, match="at least 1"):
        kb.search("storm", limit=0)
