"""How results print themselves."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import ValidationError

from graphrag.results import (
    ChainLink,
    ChainsResult,
    ChannelScore,
    Citation,
    DocumentRow,
    DocumentsResult,
    Explanation,
    FileProblem,
    FoundChain,
    Hit,
    IngestReport,
    LinkEvidence,
    RemovalReceipt,
    SearchResult,
    StatementMatch,
    draw_chain,
)
from storage.records import Modality, Polarity, RelationType


def link(
    head: str,
    tail: str,
    type_: RelationType = RelationType.CAUSAL,
    *,
    polarity: Polarity = Polarity.AFFIRMED,
    joined: bool = False,
    evidence: tuple[LinkEvidence, ...] = (),
) -> ChainLink:
    return ChainLink(
        relation_id=f"rel_{head}{tail}",
        type=type_,
        polarity=polarity,
        subtype="cause",
        confidence=0.9,
        head_id=f"stm_{head}",
        head=head,
        tail_id=f"stm_{tail}",
        tail=tail,
        documents=1,
        evidence=evidence,
        joined_by_same_as=joined,
    )


AB, BC = link("A", "B"), link("B", "C", RelationType.SEQUENTIAL)


def chain(*links: ChainLink, derived: bool = False) -> FoundChain:
    return FoundChain(id="chn_x", links=links, score=0.5, derived=derived)


@pytest.mark.parametrize(
    ("found", "markers", "drawn"),
    [
        (chain(AB, BC), {"rel_AB": 1, "rel_BC": 2}, "A ─causes→ B [1] ─then→ C [2]"),
        (chain(AB, BC), None, "A ─causes→ B ─then→ C"),
        (chain(AB, BC), {"rel_BC": 7}, "A ─causes→ B ─then→ C [7]"),
        (chain(AB, BC, derived=True), {"rel_AB": 1}, "A ─causes→ B [1] ─then→ C (derived)"),
        (chain(AB, link("B′", "C", joined=True)), {"rel_AB": 1}, "A ─causes→ B [1] ≈ B′ ─causes→ C"),
        (chain(link("A", "B", polarity=Polarity.NEGATED)), None, "A ─does not cause→ B"),
        (
            chain(link("E", "K", RelationType.SUPPORTING), link("K", "M", RelationType.PROGRESSIVE)),
            None,
            "E ─supports→ K ─leads on to→ M",
        ),
        (chain(link("台风登陆", "港口停工")), {"rel_台风登陆港口停工": 1}, "台风登陆 ─causes→ 港口停工 [1]"),
    ],
)
def test_a_chain_is_drawn_with_arrows_and_markers(
    found: FoundChain, markers: dict[str, int] | None, drawn: str
) -> None:
    assert draw_chain(found, markers) == drawn


def test_a_result_prints_as_text_and_shows_escaped_in_a_notebook() -> None:
    found = chain(link("<b>A & co</b>", "B"))
    assert repr(found) == str(found) == found.as_text() == "<b>A & co</b> ─causes→ B"
    assert found._repr_html_() == "<pre>&lt;b&gt;A &amp; co&lt;/b&gt; ─causes→ B</pre>"


def test_a_result_can_be_read_back_from_its_json() -> None:
    result = ChainsResult(chains=(chain(AB, BC),), truncated=True, reasons=("time",), matched_statements={"start": ()})
    assert ChainsResult.model_validate_json(result.model_dump_json()) == result


def test_an_explanation_lists_every_proof_of_every_link() -> None:
    proof = LinkEvidence(
        evidence_id="evd_1",
        document_id="doc_1",
        source="a.md",
        start=4,
        end=30,
        quote="A came,\n  so B went",
        head="A",
        head_start=4,
        head_end=5,
        tail="B",
        tail_start=20,
        tail_end=21,
        cue="so",
        cue_start=17,
        cue_end=19,
        subtype="cause",
        modality=Modality.ASSERTED,
        confidence=0.9,
        origin="english@1",
    )
    text = Explanation(chain=chain(link("A", "B", evidence=(proof,)))).as_text()
    assert text.splitlines() == [
        "A ─causes→ B",
        "id chn_x",
        "",
        "1. A ─causes→ B",
        "   cause, asserted, confidence 0.90, 1 document, rel_AB",
        "   a.md [4:30]: “A came, so B went”",
        "      cue “so” [17:19], english@1, document doc_1",
    ]


def test_chains_that_were_asked_for_say_what_was_meant_and_what_was_cut() -> None:
    matches = (
        StatementMatch(statement_id="stm_1", text="port closes", score=0.9),
        StatementMatch(statement_id="stm_2", text="port shuts", score=0.8),
    )
    result = ChainsResult(
        chains=(chain(AB),),
        truncated=True,
        reasons=("it took too long",),
        matched_statements={"start": matches, "end": ()},
    )
    assert result.as_text().splitlines() == [
        "start: port closes",
        "  or: port shuts (stm_2)",
        "end: no statement matches",
        "1. A ─causes→ B  (0.50, chn_x)",
        "cut: it took too long",
    ]
    assert ChainsResult().as_text() == "no chain found"


def test_an_ingest_reports_everything_that_was_not_taken_in() -> None:
    report = IngestReport(
        added=("a.md", "b.md"),
        unchanged=3,
        stale=("c.md",),
        failed=(FileProblem(path="d.pdf", reason="damaged"),),
        skipped=(FileProblem(path=".e", reason="hidden"),),
        degraded=(FileProblem(path="a.md", reason="no model"),),
        chunks=7,
        relations={"causal": 4, "sequential": 1},
        chains=5,
        truncated_chains=2,
        seconds=1.25,
    )
    assert report.as_text().splitlines() == [
        "2 added, 0 replaced, 0 updated, 3 unchanged, 0 removed, 1 failed in 1.2 s",
        "7 chunks; relations: 4 causal, 1 sequential; 5 chains",
        "2 further paths inside documents were not stored as chains",
        "stale: c.md (an older version of Clew processed it; redo with --reprocess)",
        "failed: d.pdf: damaged",
        "skipped: .e: hidden",
        "degraded: a.md: no model",
    ]


def test_a_dry_run_says_that_nothing_was_written_and_what_would_be() -> None:
    text = IngestReport(added=("a.md",), removed=("b.md",), dry_run=True).as_text()
    assert text.splitlines() == [
        "1 added, 0 replaced, 0 updated, 0 unchanged, 1 removed, 0 failed (dry run: nothing was written)",
        "would be added: a.md",
        "would be removed: b.md",
    ]


def test_a_removal_says_what_went_with_it() -> None:
    receipt = RemovalReceipt(
        sources=("s",),
        documents=("d",),
        chunks=("c", "c2"),
        evidence=("e",),
        relations=("r",),
        statements=("s1", "s2", "s3"),
        chains=(),
        paths=("a.md",),
    )
    lines = receipt.as_text().splitlines()
    assert lines[0] == "removed a.md"
    assert lines[1].startswith("removed: chunks 2, evidence 1;")
    assert lines[1].endswith("relations 1, statements 3, chains 0")


def test_a_search_shows_where_each_channel_ranked_a_hit_and_what_was_cut() -> None:
    hit = Hit(
        chunk_id="chk_1",
        document_id="doc_1",
        source="a.pdf",
        page=3,
        start=0,
        end=9,
        text="two\n  lines",
        score=0.1,
        channels={"dense": ChannelScore(rank=2, score=0.8), "bm25": ChannelScore(rank=1, score=9.0)},
    )
    result = SearchResult(question="?", chains=(chain(AB),), hits=(hit,), reasons=("beam",))
    assert result.as_text().splitlines() == [
        "chain 1: A ─causes→ B",
        "1. a.pdf, p. 3 (bm25 #1, dense #2)",
        "   two lines",
        "cut: beam",
    ]
    assert SearchResult(question="?").as_text() == "nothing found"


@pytest.mark.parametrize(
    ("section", "page", "place"),
    [
        ((), None, "a.md"),
        (("One", "Two"), None, "a.md, § One › Two"),
        ((), 3, "a.md, p. 3"),
        (("一",), 3, "a.md, § 一, p. 3"),
    ],
)
def test_a_place_is_named_as_a_person_would(section: tuple[str, ...], page: int | None, place: str) -> None:
    fields: dict[str, Any] = {"document_id": "d", "source": "a.md", "start": 0, "end": 1, "quote": "q", "sentence": "q"}
    assert Citation(marker=1, section=section, page=page, **fields).place == place
    with pytest.raises(ValidationError):
        Citation(marker=0, **fields)  # markers are counted from 1


def test_documents_are_listed_with_those_that_failed() -> None:
    row = DocumentRow(
        source_id="src_1",
        document_id="doc_1",
        namespace="papers",
        path="a.md",
        title="",
        language="zh",
        chunks=12,
        relations=3,
        groups=("public",),
        metadata={},
        ingested_at=datetime(2024, 5, 1, 12, 30, tzinfo=UTC),
        stale=True,
    )
    result = DocumentsResult(documents=(row,), failed=(FileProblem(path="b.pdf", reason="damaged"),))
    assert result.as_text().splitlines() == [
        "doc_1  zh    12 chunks     3 relations  2024-05-01 12:30  papers/a.md  (stale)",
        "failed: b.pdf: damaged",
    ]
    assert DocumentsResult().as_text() == "no documents"
