"""Which changes bring about which: the table, and what it makes of sentences without a cue."""

from __future__ import annotations

import pytest

from extractors.chinese import ChineseExtractor
from extractors.chinese_changes import ALONG, CHANGES, brings_about, is_measured
from extractors.chinese_key import chinese_key
from extractors.chinese_lexicon import ATTRIBUTES
from extractors.ports import ExtractedRelation
from storage.records import Modality, RelationType, StatementKey

EXTRACTOR = ChineseExtractor()
THRESHOLD = 0.5


def key(text: str) -> StatementKey:
    found = chinese_key(text)
    assert found is not None
    return found


def asserted(text: str) -> list[ExtractedRelation]:
    return [
        r
        for r in EXTRACTOR.extract(text, "zh").relations
        if r.confidence >= THRESHOLD and r.modality is not Modality.HYPOTHETICAL
    ]


def ends(text: str) -> list[tuple[str, str]]:
    return [(r.head.text, r.tail.text) for r in asserted(text)]


def test_the_table_names_attributes_only_and_no_pair_in_both_directions_of_change() -> None:
    assert {attribute for pair in CHANGES | ALONG for attribute in pair[:2]} <= set(ATTRIBUTES.values())
    assert not any((cause, effect, not same) in CHANGES for cause, effect, same in CHANGES)


@pytest.mark.parametrize(
    ("cause", "effect"),
    [
        ("荔枝产量减少", "荔枝价格上涨"),
        ("荔枝产量增加", "荔枝价格下跌"),
        ("荔枝需求下降", "荔枝库存上升"),
        ("豆腐成本上升", "豆腐利润下降"),
        ("登录接口流量增加", "登录接口延迟上升"),
    ],
)
def test_a_change_brings_about_what_the_table_says_whichever_way_it_goes(cause: str, effect: str) -> None:
    assert brings_about(key(cause), key(effect)) >= THRESHOLD


@pytest.mark.parametrize(
    ("cause", "effect"),
    [
        ("荔枝产量减少", "荔枝价格下跌"),  # the other way
        ("荔枝价格上涨", "荔枝产量减少"),  # effect first
        ("荔枝产量减少", "手机价格上涨"),  # of other things
        ("荔枝产量没有减少", "荔枝价格上涨"),
        ("荔枝产量稳定", "荔枝价格上涨"),
        ("荔枝产量减少", "价格上涨"),  # of what, is open
    ],
)
def test_anything_else_brings_about_nothing(cause: str, effect: str) -> None:
    assert brings_about(key(cause), key(effect)) == 0.0


def test_names_that_share_a_part_are_less_sure_and_only_side_by_side() -> None:
    pig, pork = key("生猪存栏下降"), key("猪肉价格上涨")
    assert THRESHOLD <= brings_about(pig, pork) < brings_about(key("猪肉产量下降"), pork)
    assert brings_about(pig, pork, step=2) == 0.0


def test_what_stands_further_on_or_lacks_its_subject_is_less_sure() -> None:
    pair = key("荔枝产量减少"), key("荔枝价格上涨")
    assert brings_about(*pair) > brings_about(*pair, step=2) > brings_about(*pair, step=3)
    assert brings_about(*pair) > brings_about(*pair, completed=True) >= THRESHOLD


def test_numbers_and_dates_are_no_things() -> None:
    assert brings_about(key("三月供给减少"), key("三月价格上涨")) == 0.0
    assert not is_measured(key("三月供给减少"))
    assert is_measured(key("三月荔枝供给减少"))


def test_two_changes_without_a_cue_are_cause_and_effect_and_each_keeps_its_own_words() -> None:
    [relation] = asserted("今年荔枝产量大幅减少，荔枝价格明显上涨。")
    assert (relation.head.text, relation.tail.text) == ("荔枝产量大幅减少", "荔枝价格明显上涨")
    assert (relation.type, relation.explicit, relation.cue) == (RelationType.CAUSAL, False, None)
    assert relation.rule == "change/order"
    [completed] = asserted("需求低迷，胶合板价格下跌。")
    assert (completed.head.text, completed.head_key) == ("需求低迷", key("胶合板需求低迷"))


@pytest.mark.parametrize(
    "text",
    [
        "荔枝产量减少，但荔枝价格上涨。",
        "虽然荔枝产量减少，荔枝价格上涨。",
        "荔枝产量增加，同时荔枝价格下跌。",
        "荔枝产量减少，手机价格上涨。",
        "荔枝产量减少。荔枝价格上涨。",
        "荔枝价格上涨，荔枝产量减少。",
        "如果荔枝产量减少，荔枝价格上涨。",
        "荔枝产量会减少吗，荔枝价格会上涨吗？",
    ],
)
def test_what_speaks_against_it_leaves_two_changes_side_by_side(text: str) -> None:
    assert asserted(text) == []


def test_what_a_cue_says_is_not_said_again_by_the_changes() -> None:
    [relation] = asserted("由于荔枝供应不足，荔枝价格上涨。")
    assert relation.explicit


def test_a_cause_under_which_something_happens_is_told_from_a_background() -> None:
    assert ends("在铜价上涨的带动下，出现了囤货现象。") == [("铜价上涨", "出现了囤货现象")]
    assert ends("在铜价上涨的背景下，出现了囤货现象。") == []


def test_what_is_affected_by_the_sentence_before_is_its_effect() -> None:
    assert ends("铜矿工人罢工。受此影响，铜价上涨。") == [("铜矿工人罢工", "铜价上涨")]


def test_a_weak_verb_says_a_cause_between_two_changes_but_letting_does_not() -> None:
    assert ends("竹笋价格上涨使罐头厂负担加重、成本增加。")
    assert ends("我们让好事变多，让坏事变少。") == []


def test_a_weak_cue_is_believed_where_both_ends_say_what_changes_and_which_way() -> None:
    assert ends("竹笋因产量下降价格上涨，而罐头因竹笋价格上涨销量下降。")


def test_unlike_things_are_cause_and_effect_where_the_sentence_tells_nothing_else() -> None:
    assert ends("橡胶价格上涨，轮胎成本增加。") == [("橡胶价格上涨", "轮胎成本增加")]
    assert ends("生猪存栏增加，豆粕需求上升。") == [("生猪存栏增加", "豆粕需求上升")]
    assert brings_about(key("橡胶价格上涨"), key("轮胎成本增加")) == 0.0
    assert brings_about(key("橡胶价格上涨"), key("轮胎成本增加"), alone=True) >= THRESHOLD
    assert brings_about(key("橡胶价格上涨"), key("轮胎成本增加"), step=2, alone=True) == 0.0


@pytest.mark.parametrize(
    "text",
    [
        "橡胶价格上涨，同时轮胎成本增加。",
        "铜价上涨2%，铝价上涨1%。",  # a list
        "橡胶价格上涨，市场关注会议结果，轮胎成本增加。",  # a clause in between
    ],
)
def test_unlike_things_that_are_listed_or_set_apart_are_not(text: str) -> None:
    assert ends(text) == []


def test_beside_a_cue_only_changes_with_subjects_of_their_own_are_asserted() -> None:
    told = ends("由于寒潮来袭，荔枝产量减少，价格上涨。")
    assert ("荔枝产量减少", "价格上涨") not in told
    assert ("荔枝产量减少", "荔枝价格上涨") in ends("由于寒潮来袭，荔枝产量减少，荔枝价格上涨。")


def test_prices_of_unlike_things_that_are_set_against_each_other_are_no_cause_and_effect() -> None:
    assert ends("鲜菜价格下跌，水果价格则下跌。") == []
    assert ends("橡胶价格上涨，轮胎价格也上涨。") == []
