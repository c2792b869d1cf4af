"""Widening of finance spans, on texts small enough to count by hand."""

import pytest

from extractors.chinese import ChineseExtractor
from extractors.chinese_key import chinese_key
from extractors.ports import ExtractedRelation, TextSpan
from graphrag.evaluation.spans import clearest, distinct, slot_ends, widened
from storage.records import RelationType


def test_spans_grow_inside_their_clauses_first() -> None:
    text = "甲地玉米价格明显上涨，饲料企业成本增加，其他内容" + "很长" * 20
    # "玉米价格" and "成本": both clauses fit within thirty characters, so each is taken whole before anything else.
    head, tail = widened(text, (2, 6), (15, 17))
    assert head[0] == 0
    assert head[1] >= 10
    assert tail[0] <= 11
    assert head[1] <= tail[0]
    assert tail[1] >= 19


def test_spans_stay_disjoint_and_short_in_either_order() -> None:
    text = "一二三四五六七八九十" * 12
    for first, second in (((40, 44), (50, 53)), ((50, 53), (40, 44)), ((40, 80), (70, 110)), ((10, 50), (0, 60))):
        head, tail = widened(text, first, second)
        assert max(head[1] - head[0], tail[1] - tail[0]) <= 30
        assert max(head[0], tail[0]) >= min(head[1], tail[1])
        assert (head[0] <= tail[0]) == (first[0] <= second[0])


def test_a_span_uses_the_room_that_its_other_side_cannot() -> None:
    text = "字" * 100
    head, tail = widened(text, (0, 2), (60, 62))
    assert head == (0, 30)
    assert tail == (32, 62)  # within one clause, what stands before comes first


def test_beyond_their_clauses_spans_grow_away_from_each_other() -> None:
    text = "字" * 40 + "，油价涨，粮价涨，" + "字" * 40
    head, tail = widened(text, (41, 44), (45, 48))
    assert head == (14, 44)
    assert tail == (45, 75)


def test_a_short_text_bounds_both() -> None:
    assert widened("甲升乙降", (0, 2), (2, 4)) == ((0, 2), (2, 4))


@pytest.mark.parametrize("spans", [((0, 2), (3, 5)), ((3, 5), (0, 2))])
def test_what_was_extracted_stays_inside(spans: tuple[tuple[int, int], tuple[int, int]]) -> None:
    for before, after in zip(spans, widened("鸡价涨，蛋价涨。别的话", *spans), strict=True):
        assert after[0] <= before[0]
        assert after[1] >= before[1]


def test_of_a_span_that_holds_the_other_what_stands_before_it_is_kept() -> None:
    text = "棉布价格受棉花减产影响持续上涨。"
    head, tail = widened(text, (5, 9), (0, 15))
    assert text[tail[0] : tail[1]].startswith("棉布价格")
    assert "棉花减产" in text[head[0] : head[1]]
    assert tail[1] <= head[0]


def test_a_long_end_gives_the_first_stretch_that_names_what_it_is_about() -> None:
    cause, effect = "本" * 12 + "荔枝减产" + "月" * 24, "荔枝涨价"
    text = f"{cause}，{effect}。"
    head, tail = TextSpan(start=0, end=40, text=cause), TextSpan(start=41, end=45, text=effect)
    key = chinese_key("荔枝减产")
    assert key is not None
    relation = ExtractedRelation(
        type=RelationType.CAUSAL, head=head, tail=tail, cue=None, head_key=key, tail_key=key, subtype="cause",
        confidence=0.8, rule="r",
    )  # fmt: skip
    assert slot_ends(text, relation) == ((0, 30), (30, 46))  # 荔枝 stands there: the last thirty would lack it
    late = relation.model_copy(update={"head_key": chinese_key("月" * 2 + "库存")})
    assert slot_ends(text, late)[0] == (0, 30)  # where nothing is named, the first stretch


def test_the_clearest_relation_says_what_changes_and_which_way() -> None:
    text = "政策变化导致市场波动。甘蔗产量下降，白糖价格上涨。"
    result = ChineseExtractor().extract(text, "zh")
    [relation] = clearest(result)
    # √0.25 for nothing but the order, against √0.8 · (0.6 · 0.8)² for two ends without direction and attribute.
    assert (relation.head.text, relation.tail.text) == ("甘蔗产量下降", "白糖价格上涨")


def test_what_is_said_of_the_same_things_twice_is_one_item() -> None:
    text = "由于荔枝供应不足，荔枝价格上涨。荔枝减产导致荔枝涨价。玉米减产导致豆粕涨价。"
    result = ChineseExtractor().extract(text)
    assert len([r for r in result.relations if r.confidence >= 0.5]) == 3
    things = [("荔枝" in r.head.text, "豆粕" in r.tail.text) for r in distinct(result)]
    assert things == [(True, False), (False, True)]


def test_a_text_without_relations_has_no_clearest_one() -> None:
    assert clearest(ChineseExtractor().extract("今天星期三。", "zh")) == []
