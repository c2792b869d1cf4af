"""Statements that say the same: rules worked out by hand, the labelled pairs, and a chain across the languages."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from extractors.embedders import E5Embedder
from extractors.keys import statement_key
from graphrag import KnowledgeBase
from graphrag.same_as import linked, same_as_by, says_the_same
from storage.ports import Embedder
from storage.records import SameAs, StatementKey
from tests.stand_ins import WordEmbedder

DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="module")
def e5() -> Embedder:
    return E5Embedder()


def key(text: str) -> StatementKey:
    found = statement_key(text, "zh" if any("一" <= c <= "鿿" for c in text) else "en")
    assert found is not None
    return found


def link(first: str, second: str, embedder: Embedder) -> SameAs | None:
    links = linked([(key(first), key(second))], embedder)
    assert links == linked([(key(second), key(first))], embedder)
    return links[0] if links else None


@pytest.mark.parametrize(
    ("first", "second", "score"),
    [
        ("the port was shut", "the harbour closed", 1.0),
        ("港口停工", "码头停止作业", 1.0),
        ("crude prices rose", "原油价格上涨", 0.95),
        ("port operations halted", "港口停工", None),  # in this order the table does not know it
        ("crude prices rose", "原油价格下跌", None),
        ("the backup failed", "备份失败", 0.95),
        ("the backup succeeded", "备份失败", None),
        ("corn prices rose", "大豆价格上涨", None),
        ("wheat demand rose", "小麦供应增加", None),
        ("sales grew by 5 percent", "sales grew by 12 percent", None),
        ("exports fell in March", "exports fell in May", None),
        ("the data centre in Ohio lost power", "the data centre in Utah lost power", None),
        ("steel and coal prices rose", "coal prices rose", None),  # a part is not the whole
        ("exports fell in March", "三月出口下降", 0.95),
        ("exports fell in March", "五月出口下降", None),
        ("two servers crashed", "两台服务器宕机", 0.95),
        ("profits fell in 2020", "2020年利润下滑", 0.95),
        ("corn prices rose by 5%", "corn prices rose", 0.8),  # one of its kind
        ("玉米价格上涨5%", "玉米价格上涨", 0.8),
        ("玉米价格上涨5%", "玉米价格上涨50%", None),
        ("三月停工", "五月停工", None),
        ("heavy rain fell", "下大雨", 0.95),
        ("heavy rain fell", "大雨减少", None),
        ("starting it", "开始", None),  # names nothing in particular
        ("Acme sued the bank over fees", "the bank sued Acme over fees", None),
    ],
)
def test_concepts_link_what_agrees_and_nothing_else(first: str, second: str, score: float | None) -> None:
    found = link(first, second, WordEmbedder())
    assert (found.score if found else None) == score
    assert found is None or found.origin == "concepts@2"
    assert says_the_same(key(first), key(second)) is (score is not None and score != 0.8)


def test_vectors_judge_words_that_no_table_holds_and_the_link_names_the_embedder(e5: Embedder) -> None:
    found = link("banana prices rose", "香蕉价格上涨", e5)
    assert found is not None
    assert found.origin == f"vectors@1({e5.name})"
    assert 0.8 < found.score < 0.95
    assert link("banana prices rose", "香蕉价格下跌", e5) is None
    assert link("banana prices rose", "葡萄价格上涨", e5) is None
    assert link("左臂骨折", "右臂骨折", e5) is None


def test_thresholds_belong_to_one_embedder(e5: Embedder) -> None:
    assert link("banana prices rose", "香蕉价格上涨", WordEmbedder()) is None
    assert same_as_by(e5) == ("words", "concepts", "vectors")
    assert same_as_by(WordEmbedder()) == ("words", "concepts")


@pytest.mark.parametrize("name", ["same-as-pairs.jsonl", "same-as-second.jsonl", "same-as-third.jsonl"])
@pytest.mark.parametrize("half", [0, 1])
def test_of_the_labelled_pairs_that_are_linked_19_of_20_say_the_same(name: str, half: int, e5: Embedder) -> None:
    pairs = [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]
    counts: Counter[tuple[bool, bool]] = Counter()
    for pair in pairs:
        first, second = (
            statement_key(pair[n], lang) for n, lang in zip(("first", "second"), pair["languages"], strict=True)
        )
        assert first is not None
        assert second is not None
        if pair["id"] % 2 == half and first != second:
            counts[pair["same"], bool(linked([(first, second)], e5))] += 1
    right, wrong, missed = counts[True, True], counts[False, True], counts[True, False]
    assert right / (right + wrong) >= 0.95
    assert right / (right + missed) >= 0.4


def test_a_chinese_question_is_answered_over_an_english_document(tmp_path: Path) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "台风.txt").write_text("由于台风登陆，港口停工。\n", encoding="utf-8")
    (texts / "port.txt").write_text("Because the port halted operations, deliveries were delayed.\n", encoding="utf-8")
    with KnowledgeBase.open(tmp_path / "store") as kb:
        kb.ingest([texts])
        whole = next(c for c in kb.chains(start="台风登陆").chains if len(c.links) == 2)
        assert [link.joined_by_same_as for link in whole.links] == [False, True]
        answer = kb.ask("台风登陆会导致什么？")
        assert [c.source for c in answer.citations] == ["台风.txt", "port.txt"]
        assert "港口停工" in answer.text
        assert "deliveries were delayed" in answer.text
        state = kb.status()
        kb.remove("port.txt")
        assert kb.status().counts["same_as"] == 0
        assert all(len(c.links) == 1 for c in kb.chains(start="台风登陆").chains)
        kb.ingest([texts])
        assert (kb.status().counts, kb.status().state_hash) == (state.counts, state.state_hash)
        assert kb.ask("为什么交货延误？").citations[0].source == "port.txt"
