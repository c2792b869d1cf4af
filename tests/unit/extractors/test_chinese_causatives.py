"""Causes and effects that verbs, reasons and faults state in plain sentences, without a measured change."""

from __future__ import annotations

import pytest

from extractors.chinese import ChineseExtractor
from extractors.ports import ExtractedRelation
from storage.records import Direction, Modality, Polarity, RelationType

EXTRACTOR = ChineseExtractor()
THRESHOLD = 0.5


def likely(text: str) -> list[ExtractedRelation]:
    return [r for r in EXTRACTOR.extract(text, "zh").relations if r.confidence >= THRESHOLD]


def ends(text: str) -> list[tuple[str, str]]:
    return [(r.head.text, r.tail.text) for r in likely(text) if r.type is RelationType.CAUSAL]


@pytest.mark.parametrize(
    ("text", "cause", "effect"),
    [
        ("罢工令电梯停运。", "罢工", "电梯停运"),
        ("润滑失效会使主轴发热。", "润滑失效", "主轴发热"),
        ("驱动升级带来了系统不稳定。", "驱动升级", "系统不稳定"),
        ("台风让航班停飞。", "台风", "航班停飞"),
        ("油温过低，使齿轮箱报警。", "油温过低", "齿轮箱报警"),
    ],
)
def test_a_causative_verb_ties_what_happens_to_what_becomes_of_a_thing(text: str, cause: str, effect: str) -> None:
    assert (cause, effect) in ends(text)


@pytest.mark.parametrize(
    "text",
    [
        "教练让队员热身。",
        "请让老人先坐下。",
        "秘书令司机在门口等候。",
        "客人带来了两盒点心。",
        "新规则，让很多人想不通。",
    ],
)
def test_who_asks_or_brings_causes_nothing(text: str) -> None:
    assert ends(text) == []


def test_a_verb_of_harm_is_a_part_of_the_effect() -> None:
    assert ends("暴雪摧毁了几百座大棚。") == [("暴雪", "摧毁了几百座大棚")]
    assert ends("材料短缺拖延了桥梁施工。") == [("材料短缺", "拖延了桥梁施工")]
    assert ends("设备老化影响了产品质量。") == [("设备老化", "影响了产品质量")]


def test_a_verb_in_a_title_or_before_another_verb_harms_nothing() -> None:
    assert ends("他写了一首《反对破坏森林》的诗。") == []
    assert ends("由于供应过剩，铅价加速下跌。") == [("供应过剩", "铅价加速下跌")]


def test_what_holds_a_change_down_never_affirms_it() -> None:
    for text in ("库存高企不利于镍价上涨。", "产能过剩对镍价上涨形成压力。"):
        tails = [r.tail_key for r in likely(text) if r.type is RelationType.CAUSAL]
        assert all(key.negated or key.direction is not Direction.UP for key in tails)


def test_what_one_thing_exerts_on_another_is_its_effect() -> None:
    assert ends("汽车产量下降对橡胶需求产生了压力。") == [("汽车产量下降", "对橡胶需求产生了压力")]
    assert ends("煤价持续下跌，对钢厂成本形成支撑。") == [("煤价持续下跌", "对钢厂成本形成支撑")]
    assert ends("大家对这部电影有不同的印象。") == []


@pytest.mark.parametrize(
    ("text", "cause", "effect"),
    [
        ("水泵因过载烧毁。", "过载", "水泵因过载烧毁"),
        ("合同因欺诈被撤销。", "欺诈", "合同因欺诈被撤销"),
        ("球赛因暴雨而取消。", "暴雨", "球赛因暴雨而取消"),
        ("轮胎爆裂是胎压过高所致。", "胎压过高", "轮胎爆裂"),
        ("调查发现，火灾系线路老化造成。", "线路老化", "火灾"),
        ("线路老化是这场火灾的主要原因。", "线路老化", "这场火灾"),
        ("肥胖是糖尿病的主要病因。", "肥胖", "糖尿病"),
    ],
)
def test_a_clause_names_the_cause_of_what_it_says(text: str, cause: str, effect: str) -> None:
    assert (cause, effect) in ends(text)


def test_a_reason_that_moves_is_a_cause_as_a_whole() -> None:
    assert ("供给", "回落") not in ends("蔬菜因供给回落，价格上涨。")
    assert ends("他们不知道是外伤造成的。") == []


def test_a_connective_behind_its_subject_follows_from_the_clause_before() -> None:
    assert ends("司机误读了信号，列车因而晚点。") == [("司机误读了信号", "列车因而晚点")]
    assert ends("主机断电，数据库随之崩溃。") == [("主机断电", "数据库随之崩溃")]
    assert ends("随之而来的是一封信。") == []


def test_a_fault_and_a_failure_in_two_clauses_are_cause_and_effect() -> None:
    [relation] = likely("光缆被挖断，通信中断。")
    assert (relation.head.text, relation.tail.text) == ("光缆被挖断", "通信中断")
    assert (relation.explicit, relation.cue, relation.rule) == (False, None, "fault/clauses")


@pytest.mark.parametrize(
    "text",
    [
        "一号泵故障，二号泵也停止运行。",  # adds
        "一号泵故障，但二号泵没有停机。",  # turns
        "左侧风扇故障，右侧风扇正常。",
        "光缆被挖断，通信中断了吗？",
        "登录失败，请稍后再试。",
        "阀门堵塞，水泵停机，仪表报警。",  # a list
    ],
)
def test_faults_side_by_side_are_not_always_cause_and_effect(text: str) -> None:
    assert ends(text) == []


def test_what_a_rule_ties_to_a_case_is_a_condition_that_is_only_supposed() -> None:
    [relation] = likely("承租人违约的，出租人可以解除合同。")
    assert (relation.head.text, relation.tail.text) == ("承租人违约", "出租人可以解除合同")
    assert (relation.subtype, relation.modality) == ("condition", Modality.HYPOTHETICAL)
    assert ends("红色的是我的，蓝色的可以给他。") == []


def test_named_evidence_shows_what_the_next_clause_says() -> None:
    [relation] = likely("日志显示，服务没有启动。")
    assert (relation.type, relation.head.text, relation.tail.text) == (
        RelationType.SUPPORTING,
        "日志",
        "服务没有启动",
    )
    assert likely("数据显示，服务没有启动。") == []


def test_a_thing_named_before_its_cause_moves_behind_it() -> None:
    assert ends("纸价受木浆价格上涨影响小幅上行。") == [("木浆价格上涨", "纸价")]


def test_a_view_between_a_cause_and_its_effect_is_no_effect() -> None:
    assert ends("随着气温下降，一般来讲，电池容量会减少。") == [("气温下降", "电池容量会减少")]


def test_when_something_makes_something_is_only_the_time_of_what_follows() -> None:
    assert ends("当压力迫使阀门打开，蒸汽就会喷出。") == []


def test_a_result_that_is_named_is_no_connective() -> None:
    assert ends("工程师整理数据，再通过这些中间结果画出图表。") == []


def test_what_is_denied_or_may_be_is_said_so() -> None:
    [denied] = likely("润滑失效不会使主轴发热。")
    assert denied.polarity is Polarity.NEGATED
    [hedged] = likely("润滑失效可能使主轴发热。")
    assert hedged.modality is Modality.HEDGED
    assert likely("汽车产量下降对橡胶需求没有产生影响。") == []
