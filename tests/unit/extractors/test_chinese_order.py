"""Events that Chinese texts tell one after the other without a cue."""

from __future__ import annotations

import pytest

from extractors.chinese import ChineseExtractor
from extractors.chinese_key import chinese_key
from extractors.ports import ExtractedRelation

EXTRACTOR = ChineseExtractor()


def told(text: str) -> dict[tuple[str, str], ExtractedRelation]:
    """The relations without a cue, by the keys of their ends."""
    found = EXTRACTOR.extract(text, "zh").relations
    return {(r.head_key.text, r.tail_key.text): r for r in found if r.rule.startswith("order/")}


def key(text: str) -> str:
    found = chinese_key(text)
    assert found is not None
    return found.text


def test_the_event_told_first_leads_to_the_next_rather_than_the_other_way_round() -> None:
    found = told("航线客流减少，机场广告收入下降。")
    onward = found[key("航线客流减少"), key("机场广告收入下降")]
    back = found[key("机场广告收入下降"), key("航线客流减少")]
    assert onward.confidence > back.confidence >= 0.15
    assert onward.confidence < 0.5
    assert not onward.explicit


@pytest.mark.parametrize(
    ("text", "completed", "words"),
    [
        ("甘蔗产量下降，价格上涨。", "甘蔗价格上涨", "甘蔗产量下降，价格上涨"),
        ("需求回暖，光纤价格反弹。", "光纤需求回暖", "需求回暖，光纤价格反弹"),
    ],
)
def test_an_event_without_a_subject_takes_that_of_its_neighbour(text: str, completed: str, words: str) -> None:
    ends = [
        (k.text, span.text) for r in told(text).values() for k, span in ((r.head_key, r.head), (r.tail_key, r.tail))
    ]
    assert (key(completed), words) in ends


def test_a_subject_is_not_taken_from_another_sentence() -> None:
    found = told("甘蔗产量下降。价格上涨，库存减少。")
    assert not any("甘蔗" in end for pair in found for end in pair)


def test_what_befalls_a_thing_is_an_event() -> None:
    assert (key("非洲猪瘟"), key("生猪存栏下降")) in told("非洲猪瘟蔓延，生猪存栏下降。")


def test_what_a_cue_ties_is_not_told_in_order_as_well() -> None:
    assert told("大豆减产导致豆粕价格上涨。") == {}


def test_a_cue_that_names_the_cause_second_turns_the_order() -> None:
    found = told("镍价走低，主要因为印尼镍矿产量增加，不锈钢需求下降。")
    assert found[key("不锈钢需求下降"), key("镍价走低")].confidence > 0.15


def test_what_is_held_down_is_told_by_no_order() -> None:
    assert not any(tail == key("铜价反弹") for _, tail in told("库存高企，需求下降抑制铜价反弹。"))


def test_a_rise_and_a_fall_of_one_thing_only_follow_each_other() -> None:
    assert told("铜价上涨，随后铜价下跌。") == {}
