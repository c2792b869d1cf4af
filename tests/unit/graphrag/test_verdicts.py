"""Rejecting what is stored, as the whole of Clew: it is shown nowhere, and nothing that is ingested brings it back."""

from __future__ import annotations

import pytest
from stand_ins import FLOOD, OpenKb, SentenceExtractor, WriteFiles

from graphrag import Document, KnowledgeBase
from graphrag.console import app
from graphrag.settings import Settings
from storage.errors import NotFoundError, ProposalError, UsageError

QUESTION = "Why did the late shipment happen?"
WHY = {"reason": "it was the strike", "actor": "ada"}


@pytest.fixture
def told(kb: KnowledgeBase, files: WriteFiles) -> KnowledgeBase:
    kb.ingest([files(FLOOD)])
    return kb


def chain_texts(kb: KnowledgeBase, start: str = "the storm", **options: object) -> list[str]:
    return [str(chain) for chain in kb.chains(start=start, max_hops=4, **options).chains]  # type: ignore[arg-type]


def relation_of(kb: KnowledgeBase, head: str, tail: str) -> str:
    """The id of the relation whose link reads so."""
    chains = kb.chains(start=head, max_hops=1).chains
    return next(link.relation_id for c in chains for link in c.links if (link.head.lower(), link.tail) == (head, tail))


def everything_shown(kb: KnowledgeBase) -> str:
    """All that the public methods show around the story, as one text."""
    results = [
        kb.ask(QUESTION), kb.search(QUESTION), kb.chains(start="the storm", max_hops=4),
        kb.chains(end="the late shipment", max_hops=4), kb.chains(start="the storm", end="the late shipment"),
    ]  # fmt: skip
    return "".join(result.model_dump_json() for result in results)


# --- relations -------------------------------------------------------------------------------------------------------


def test_a_rejected_relation_is_shown_by_no_method(told: KnowledgeBase) -> None:
    relation = relation_of(told, "the flooded road", "the closed port")
    assert relation in everything_shown(told)
    counts = told.status().counts
    told.reject(relation, **WHY)
    assert relation not in everything_shown(told)
    assert chain_texts(told) == [
        "The storm ─causes→ heavy rain ─causes→ The flooded road",
        "The storm ─causes→ heavy rain ≈ 暴雨 ─causes→ 道路积水 ─causes→ 列车晚点",
    ]
    assert told.status().counts["relations"] == counts["relations"] - 1
    assert told.status().counts["documents"] == counts["documents"]


def test_a_verdict_outlives_everything_that_happens_to_documents(open_kb: OpenKb, files: WriteFiles) -> None:
    notes = files(FLOOD)
    with open_kb() as kb:
        kb.ingest([notes])
        relation = relation_of(kb, "the flooded road", "the closed port")
        kb.reject(relation, **WHY)
        state = kb.status().state_hash
        kb.ingest([notes], reprocess=True)
        assert kb.repair().healthy
        kb.remove("port.md")
        kb.ingest([notes])
        assert kb.status().state_hash == state
    with open_kb(extractor=SentenceExtractor(version=2)) as kb:
        assert kb.ingest([notes], reprocess=True).replaced
        assert relation not in everything_shown(kb)
        assert kb.check().healthy
        assert [(item.id, item.verdict and item.verdict.in_words()[:15]) for item in kb.verdicts()] == [
            (relation, "rejected by ada"),
        ]  # fmt: skip


def test_a_verdict_is_in_a_backup(open_kb: OpenKb, files: WriteFiles, tmp_path) -> None:  # type: ignore[no-untyped-def]
    kb = open_kb()
    kb.ingest([files(FLOOD)])
    relation = relation_of(kb, "the flooded road", "the closed port")
    kb.reject(relation, **WHY)
    kb.remove("雨.txt")
    saved = kb.backup(tmp_path / "saved")
    restored = KnowledgeBase.restore(tmp_path / "saved", tmp_path / "copy", settings=Settings(cache=tmp_path / "cache"))
    assert restored.state_hash == saved.state_hash
    copy = open_kb("copy")
    assert copy.verdicts() == kb.verdicts()
    assert copy.receipts() == kb.receipts()
    assert len(copy.receipts()) == 1


def test_a_verdict_is_taken_back_by_id_or_by_batch(told: KnowledgeBase) -> None:
    state, relation = told.status().state_hash, relation_of(told, "the flooded road", "the closed port")
    batch = told.reject(relation[:14], **WHY).batch
    assert told.rollback(batch or "", **WHY).subjects == (relation,)
    assert told.status().state_hash == state
    told.reject(relation, **WHY)
    assert told.accept(relation[:14], **WHY).action == "accept"
    assert told.status().state_hash == state
    with pytest.raises(ProposalError, match="not rejected"):
        told.accept(relation, **WHY)


def test_only_the_owner_is_told_that_something_was_rejected(told: KnowledgeBase) -> None:
    relation = relation_of(told, "the flooded road", "the closed port")
    stored = told.chains(start="the flooded road", max_hops=1).chains[0].id
    longer = told.chains(start="the storm", end="the closed port").chains[0].id
    told.reject(relation, **WHY)
    for name in (relation, relation[:14], stored, longer, longer[:14], longer.removeprefix("chn_")):
        with pytest.raises(NotFoundError, match=f"{relation} was rejected by ada on .*: it was the strike"):
            told.explain(name)
        with pytest.raises(NotFoundError) as error:
            told.explain(name, groups=["public"])
        assert "rejected" not in str(error.value)
    with pytest.raises(NotFoundError, match="no id that begins with"):
        told.explain("rel_0000000000")
    with pytest.raises(UsageError):
        told.explain("rel_zz")


def test_a_relation_can_be_named_that_nothing_proves_any_more(told: KnowledgeBase) -> None:
    relation = relation_of(told, "the flooded road", "the closed port")
    told.remove("port.md")
    assert told.stored(relation[:14]).status == "retired"
    told.reject(relation[:14], **WHY)
    told.ingest([Document(id="elsewhere", text="The flooded road causes the closed port.")])
    assert relation not in everything_shown(told)


# --- chains ----------------------------------------------------------------------------------------------------------


def test_a_rejected_chain_is_not_walked_to_either(told: KnowledgeBase) -> None:
    [chain] = told.chains(start="the storm", end="the closed port").chains
    assert not chain.stored
    told.reject(chain.id, **WHY)
    assert told.chains(start="the storm", end="the closed port").chains == ()
    assert chain.id not in everything_shown(told)
    assert chain_texts(told, "the flooded road")  # its links are as they were
    told.accept(chain.id, **WHY)
    assert [c.id for c in told.chains(start="the storm", end="the closed port").chains] == [chain.id]


def test_a_rejected_chain_of_a_document_is_neither_matched_nor_walked(told: KnowledgeBase) -> None:
    [chain] = told.chains(start="the storm", end="the flooded road").chains
    assert chain.stored
    told.reject(chain.id, **WHY)
    assert chain.id not in told.search("What does the storm cause?").model_dump_json()
    assert told.chains(start="the storm", end="the flooded road").chains == ()
    with pytest.raises(NotFoundError, match=f"{chain.id} was rejected by ada"):
        told.explain(chain.id)


# --- same_as links ---------------------------------------------------------------------------------------------------


@pytest.fixture
def worded(kb: KnowledgeBase) -> KnowledgeBase:
    """A chain that crosses from one wording to another."""
    kb.ingest([Document(id="a", text="The storm causes the port was shut."),
               Document(id="b", text="The harbour closed causes the late shipment.")])  # fmt: skip
    return kb


def test_a_link_that_a_chain_crosses_is_named_and_can_be_rejected(worded: KnowledgeBase) -> None:
    [chain] = worded.chains(start="the storm", end="the late shipment").chains
    link = chain.links[1].same_as_id
    assert link is not None
    assert chain.links[0].same_as_id is None
    assert link in str(worded.explain(chain.id))
    item = worded.stored(link[:14])
    assert (item.kind, set(item.text.split(" ≈ "))) == ("same_as", {"the port was shut", "The harbour closed"})
    worded.reject(link, **WHY)
    assert worded.chains(start="the storm", end="the late shipment").chains == ()
    with pytest.raises(NotFoundError, match=f"{link} was rejected by ada"):
        worded.explain(chain.id)
    worded.ingest([Document(id="a", text="The storm causes the port was shut. Really.")])  # found to say the same again
    assert worded.chains(start="the storm", end="the late shipment").chains == ()
    assert worded.check().healthy
    worded.accept(link, **WHY)
    assert [c.id for c in worded.chains(start="the storm", end="the late shipment").chains] == [chain.id]


# --- receipts --------------------------------------------------------------------------------------------------------


def test_every_way_of_removing_leaves_a_receipt_without_paths(told: KnowledgeBase, files: WriteFiles) -> None:
    removed = told.remove("port.md", actor="ada")
    [receipt] = told.receipts()
    assert (receipt.id, receipt.actor, receipt.reason) == (removed.id, "ada", "remove")
    assert (receipt.sources, receipt.documents, receipt.chunks) == (removed.sources, removed.documents, removed.chunks)
    assert "port.md" not in receipt.model_dump_json()
    folder = files(FLOOD)
    (folder / "雨.txt").unlink()
    told.ingest([folder], prune=True)
    assert [(r.actor, r.reason[:14]) for r in told.receipts()] == [("ada", "remove"), ("ingest", "ingest --prune")]
    assert told.verify_ledger().intact
    assert told.check().healthy


def test_an_altered_receipt_breaks_the_ledger_and_is_found_by_the_deep_check(told: KnowledgeBase) -> None:
    told.remove("port.md")
    graph = told._stores.graph
    [receipt] = graph.receipts()
    graph.adopt(graph.residue().model_copy(update={"receipts": (receipt.model_copy(update={"actor": "mallory"}),)}))
    report = told.verify_ledger()
    assert (report.intact, report.broken_at) == (False, 0)
    found = {(f.kind, f.id) for f in told.check().findings}
    assert ("ledger", "0") in found
    assert ("receipt", graph.receipts()[0].id) in found


def test_a_rejection_without_its_entry_is_found_by_the_deep_check(told: KnowledgeBase) -> None:
    relation = relation_of(told, "the flooded road", "the closed port")
    told.reject(relation, **WHY)
    graph = told._stores.graph
    graph.adopt(graph.residue().model_copy(update={"ledger": ()}))
    assert {(f.kind, f.id) for f in told.check().findings} == {("verdict", relation)}
    assert [item.verdict and item.verdict.in_words() for item in told.verdicts()] == [
        "rejected; the ledger does not say by whom"
    ]


# --- the command line ------------------------------------------------------------------------------------------------


@pytest.fixture
def clew(told: KnowledgeBase, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Runs a command on the store; gives its standard output."""
    from typer.testing import CliRunner

    from graphrag import console, console_review

    class Lent:
        def __enter__(self) -> KnowledgeBase:
            return told

        def __exit__(self, *_: object) -> None:
            """It stays open."""

    for module in (console_review, console):
        monkeypatch.setattr(module, "open_store" if module is console_review else "_open", lambda *_, **__: Lent())

    def run(*arguments: str) -> str:
        result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result.stdout

    return run


def test_the_commands_reject_list_show_and_take_back(told: KnowledgeBase, clew) -> None:  # type: ignore[no-untyped-def]
    relation = relation_of(told, "the flooded road", "the closed port")
    assert clew("review", "list", "--rejected") == "nothing is rejected\n"
    said = clew("review", "reject", relation[:12], "--reason", "no", "--actor", "ada")
    batch = said.split()[-1]
    assert said.startswith(f"rejected {relation} in batch {batch}; 1 chain went with it\nundo with: clew rollback bat_")
    assert (
        clew("review", "list", "--rejected").splitlines()[0] == f"{relation}  The flooded road ─causes→ the closed port"
    )
    shown = clew("review", "show", relation)
    assert "relation " + relation + ", rejected by ada on " in shown
    assert "“The flooded road causes the closed port”" in shown
    assert clew("review", "accept", relation, "--reason", "yes") == (
        f"took the rejection of {relation} back; 1 chain came back with it\n"
    )
    clew("review", "reject", relation, "--reason", "no")
    assert relation in clew("review", "list", "--rejected", "--json")


def test_the_commands_print_receipts(told: KnowledgeBase, clew) -> None:  # type: ignore[no-untyped-def]
    assert clew("ledger", "receipts") == "no receipts: nothing was removed\n"
    id_ = clew("remove", "port.md").splitlines()[-1].removeprefix("receipt ")
    assert clew("ledger", "receipts").startswith(f"{id_}  ")
    assert told.receipts()[0].sources[0] in clew("ledger", "receipts", id_[:12])
    assert f'"id": "{id_}"' in clew("ledger", "receipts", id_, "--json")
