"""Answers: the chain first, then sentences, then where each stands; own words in the language of the question."""

from __future__ import annotations

import itertools
import re

import pytest
from stand_ins import FLOOD, OpenKb, WriteFiles

from graphrag import Answer, Document, KnowledgeBase


def check_citations(kb: KnowledgeBase, answer: Answer) -> None:
    """Every citation stands where it says, and every marker in the text has one."""
    assert not answer.abstained
    assert answer.citations
    rows = kb._stores.index.rows("documents", [c.document_id for c in answer.citations])
    sources = {d.document_id: d.path for d in kb.documents().documents}
    for i, citation in enumerate(answer.citations, 1):
        assert citation.marker == i
        text = rows[citation.document_id].text
        assert text[citation.start : citation.end] == citation.quote
        assert citation.quote in citation.sentence
        assert citation.sentence in text
        assert sources[citation.document_id] == citation.source
    markers = {int(m) for m in re.findall(r"\[(\d+)\]", answer.text)}
    assert markers == {c.marker for c in answer.citations}


ENGLISH = """\
The storm ─causes→ heavy rain [1] ─causes→ The flooded road [2] ─causes→ the closed port [3] \
─causes→ the late shipment [4]

The storm causes heavy rain. [1]
Heavy rain causes the flooded road. [2]
The flooded road causes the closed port. [3]
The closed port causes the late shipment. [4]

Sources:
[1] rain.md, § Rain: “The storm causes heavy rain”
[2] rain.md, § Rain: “Heavy rain causes the flooded road”
[3] port.md, § Port: “The flooded road causes the closed port”
[4] release.md, § Release: “The closed port causes the late shipment”"""


@pytest.mark.parametrize(
    "question",
    ["Why did the late shipment happen?", "How did the storm cause the late shipment?",
     "What did the storm lead to?", "Did the storm cause the late shipment?"],
)  # fmt: skip
def test_an_answer_is_the_chain_its_sentences_and_its_sources(
    kb: KnowledgeBase, files: WriteFiles, question: str
) -> None:
    kb.ingest([files()])
    answer = kb.ask(question)
    assert answer.text == ENGLISH
    assert str(answer) == answer.text
    assert [link.type for link in answer.chains[0].links] == ["causal"] * 4
    assert answer.missing == ()
    check_citations(kb, answer)


def test_a_chinese_question_is_answered_in_chinese(kb: KnowledgeBase, files: WriteFiles) -> None:
    kb.ingest([files({"雨.txt": FLOOD["雨.txt"]})])
    answer = kb.ask("列车为什么晚点？")
    lines = answer.text.splitlines()
    assert re.fullmatch(r"暴雨 ─\S+→ 道路积水 \[1\] ─\S+→ 列车晚点 \[2\]", lines[0])
    assert lines[1:] == [
        "", "暴雨导致道路积水。 [1]", "道路积水导致列车晚点。 [2]", "",
        "出处：", "[1] 雨.txt: “暴雨导致道路积水”", "[2] 雨.txt: “道路积水导致列车晚点”",
    ]  # fmt: skip
    check_citations(kb, answer)
    assert kb.ask("彗星为什么爆炸？").text.startswith("文档没有回答这个问题。")


def test_each_relation_type_has_its_arrow(kb: KnowledgeBase) -> None:
    kb.ingest(
        [
            Document(id="a", text="The audit precedes the review."),
            Document(id="b", text="The survey supports the plan."),
        ]
    )
    assert kb.ask("What happened after the audit?").text.startswith("The audit ─then→ the review [1]\n")
    assert kb.ask("What supports the plan?").text.startswith("The survey ─supports→ the plan [1]\n")


def test_a_sentence_that_proves_two_links_is_said_once(kb: KnowledgeBase) -> None:
    kb.ingest([Document(id="a", text="The storm causes heavy rain; heavy rain causes the flooded road.")])
    answer = kb.ask("What caused the flooded road?")
    check_citations(kb, answer)
    assert answer.text.count("The storm causes heavy rain; heavy rain causes the flooded road. [") == 1


def test_part_of_a_path_is_shown_as_a_part(kb: KnowledgeBase) -> None:
    kb.ingest(
        [
            Document(id="a", text="The storm causes heavy rain."),
            Document(id="b", text="The strike causes the late shipment."),
        ]
    )
    answer = kb.ask("How did the storm cause the late shipment?")
    check_citations(kb, answer)
    halves = ("The storm → heavy rain", "The strike → the late shipment")
    gaps = ("heavy rain → the late shipment", "The storm → The strike")
    shown = halves.index(f"{answer.chains[0].links[0].head} → {answer.chains[0].links[-1].tail}")
    assert answer.missing == (gaps[shown],)
    assert f"{halves[shown]} is shown; nothing shows {gaps[shown]}." in answer.text
    chinese = [Document(id="c", text="暴雨导致道路积水。"), Document(id="d", text="罢工导致列车晚点。")]
    kb.ingest(chinese)
    answer = kb.ask("暴雨如何导致列车晚点？")
    check_citations(kb, answer)
    halves, gaps = ("暴雨 → 道路积水", "罢工 → 列车晚点"), ("道路积水 → 列车晚点", "暴雨 → 罢工")
    shown = halves.index(f"{answer.chains[0].links[0].head} → {answer.chains[0].links[-1].tail}")
    assert answer.missing == (gaps[shown],)
    assert f"已有依据：{halves[shown]}；没有依据表明：{gaps[shown]}。" in answer.text


def test_a_chain_that_is_only_too_long_is_no_gap_in_the_documents(kb: KnowledgeBase) -> None:
    kb.ingest(
        [
            Document(id=str(i), text=f"{a} causes {b}.")
            for i, (a, b) in enumerate(
                itertools.pairwise(
                    ["The storm", "heavy rain", "the flooded road", "the closed port", "the late shipment", "the fine"]
                )
            )
        ]
    )
    answer = kb.ask("How did the storm cause the fine?")
    assert answer.missing == ()
    assert "nothing shows" not in answer.text
    assert "more than 4 links" in answer.text
    assert answer.truncated


@pytest.mark.parametrize(
    "question",
    ["Why did the comet vanish?", "What caused the meteor?", "How did the comet cause the late shipment?",
     "What happened after the wedding?", "彗星为什么消失？", "zebra"],
)  # fmt: skip
def test_what_the_documents_do_not_say_is_not_answered(kb: KnowledgeBase, files: WriteFiles, question: str) -> None:
    kb.ingest([files()])
    answer = kb.ask(question)
    assert answer.abstained
    assert (answer.chains, answer.citations, answer.proposals) == ((), (), ())
    assert answer.text.startswith(("The documents do not answer this question.", "文档没有回答这个问题。"))
    assert 0 < len(answer.nearest) <= 3
    assert kb.search(question).abstained
    assert kb.ask(question, propose=True).proposals == ()


def test_an_empty_store_answers_nothing(kb: KnowledgeBase) -> None:
    answer = kb.ask("Why did the late shipment happen?")
    assert answer.abstained
    assert answer.nearest == ()
    assert "Nothing similar was found." in answer.text


def test_an_answer_goes_when_its_evidence_goes(kb: KnowledgeBase, files: WriteFiles) -> None:
    kb.ingest([files()])
    kb.remove("release.md")
    assert kb.ask("Why did the late shipment happen?").abstained


def test_what_is_said_not_to_hold_is_answered_as_that(kb: KnowledgeBase) -> None:
    kb.ingest([Document(id="a", text="The update does not cause the outage."),
               Document(id="b", text="升级并不导致停电。")])  # fmt: skip
    answer = kb.ask("Did the update cause the outage?")
    check_citations(kb, answer)
    assert answer.text.startswith("The update ─does not cause→ the outage [1]\n")
    assert "The documents say that this is not so." in answer.text
    answer = kb.ask("升级是否导致停电？")
    check_citations(kb, answer)
    assert answer.chains[0].links[0].polarity == "negated"
    assert "文档明确说明并非如此。" in answer.text


def test_documents_that_disagree_are_both_shown(kb: KnowledgeBase) -> None:
    kb.ingest(
        [
            Document(id="a", text="The update causes the outage."),
            Document(id="b", text="The update does not cause the outage."),
        ]
    )
    answer = kb.ask("Did the update cause the outage?")
    check_citations(kb, answer)
    assert [c.source for c in answer.citations] == ["a", "b"]
    assert "The documents disagree: another one says " in answer.text
    assert "─does not cause→" in answer.text
    assert {c.links[0].polarity for c in answer.chains} == {"affirmed", "negated"}
    why = kb.ask("Why did the outage happen?")
    assert "The documents disagree" in why.text


def test_what_is_said_with_reservation_is_shown_with_it(kb: KnowledgeBase) -> None:
    kb.ingest([Document(id="a", text="The storm may cause the flood."), Document(id="b", text="暴雨可能导致停电。")])
    answer = kb.ask("Why did the flood happen?")
    check_citations(kb, answer)
    assert "Said with reservation: The storm → the flood [1]." in answer.text
    assert "语气有保留：暴雨 → 停电 [1]。" in kb.ask("为什么停电？").text


def test_an_open_question_is_answered_with_passages_when_no_chain_fits(kb: KnowledgeBase) -> None:
    text = "# Office\n\nThe office in Bergen opens at nine. Visitors ring twice.\n"
    kb.ingest([Document(id="a", text=text)])
    answer = kb.ask("When does the office in Bergen open?")
    check_citations(kb, answer)
    assert answer.chains == ()
    assert "No chain of reasons answers this" in answer.text
    assert answer.citations[0].sentence == "The office in Bergen opens at nine."


def test_a_long_answer_is_shortened_and_says_so(open_kb: OpenKb) -> None:
    kb = open_kb(set={"answer_tokens": 100})
    words = " ".join(f"word{i}" for i in range(60))
    kb.ingest([Document(id=f"d{i}", text=f"In {words}, thing{i} causes thing{i + 1}.") for i in range(4)])
    answer = kb.ask("Why did thing4 happen?")
    assert not answer.abstained
    assert answer.truncated == ("shortened to 100 tokens" in answer.text)


def test_a_walk_that_is_cut_says_so(open_kb: OpenKb) -> None:
    kb = open_kb(set={"fan_out": 2})
    names = ("fever", "cough", "panic", "smoke", "debt", "noise")
    kb.ingest([Document(id=str(i), text=f"The {n} causes the collapse.") for i, n in enumerate(names)])
    answer = kb.ask("Why did the collapse happen?")
    assert answer.truncated
    assert any("cut" in line or "most" in line or "fan" in line or "2" in line for line in answer.trace)
    assert kb.chains(end="the collapse").truncated
    assert kb.search("Why did the collapse happen?").truncated


def test_equal_questions_have_equal_answers(kb: KnowledgeBase, files: WriteFiles) -> None:
    kb.ingest([files({**FLOOD, "copy.md": FLOOD["port.md"]})])
    first, second = (kb.ask("Why did the late shipment happen?").model_dump() for _ in range(2))
    assert first == second
    assert kb.search("flooded road") == kb.search("flooded road")
