"""Chinese cues: type, ends, polarity and modality of sentences worked by hand, and texts that state no relation."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractors.chinese import ChineseExtractor
from extractors.ports import ExtractedRelation

EXTRACTOR = ChineseExtractor()


def asserted(text: str) -> list[ExtractedRelation]:
    return [r for r in EXTRACTOR.extract(text, "zh").relations if r.confidence >= 0.5]


def cued(text: str) -> list[ExtractedRelation]:
    return [r for r in EXTRACTOR.extract(text, "zh").relations if r.explicit]


CAUSAL = [
    ("需求下降导致玉米价格下跌。", "需求下降", "玉米价格下跌"),
    ("由于需求下降，玉米价格下跌。", "需求下降", "玉米价格下跌"),
    ("因为供给短缺，所以猪价上涨。", "供给短缺", "猪价上涨"),
    ("猪价上涨，因为供给短缺。", "供给短缺", "猪价上涨"),
    ("既然合同已经失效，我们就停止供货。", "合同已经失效", "我们就停止供货"),
    ("鉴于库存高企，工厂下调了报价。", "库存高企", "工厂下调了报价"),
    ("玉米减产，因此饲料成本上升。", "玉米减产", "饲料成本上升"),
    ("玉米减产。因此，饲料成本上升。", "玉米减产", "饲料成本上升"),
    ("大豆进口减少，从而豆油供给趋紧。", "大豆进口减少", "豆油供给趋紧"),
    ("库存积压，致使钢材价格承压。", "库存积压", "钢材价格承压"),
    ("配置错误引发了缓存雪崩。", "配置错误", "缓存雪崩"),
    ("暴雨造成公路中断。", "暴雨", "公路中断"),
    ("证书过期使得用户无法登录。", "证书过期", "用户无法登录"),
    ("利润下滑促使钢厂减产。", "利润下滑", "钢厂减产"),
    ("棉花价格上涨推动纱线价格上涨。", "棉花价格上涨", "纱线价格上涨"),
    ("电价上调拖累铝厂利润下滑。", "电价上调", "铝厂利润下滑"),
    ("生猪价格上涨带动仔猪价格走高。", "生猪价格上涨", "仔猪价格走高"),
    ("原油价格上涨推升了化工品成本。", "原油价格上涨", "推升了化工品成本"),
    ("限产抑制铁矿石需求。", "限产", "抑制铁矿石需求"),
    ("受寒潮影响，蔬菜价格上涨。", "寒潮", "蔬菜价格上涨"),
    ("受到疫情的冲击，出口订单减少。", "疫情", "出口订单减少"),
    ("得益于成本下降，毛利率提升。", "成本下降", "毛利率提升"),
    ("随着需求回暖，铜价走高。", "需求回暖", "铜价走高"),
    ("煤炭价格上涨的主要原因是供给短缺。", "供给短缺", "煤炭价格上涨"),
    ("故障的根因是证书过期。", "证书过期", "故障"),
    ("价格下跌主要是由于库存高企。", "库存高企", "价格下跌"),
    ("服务中断源于磁盘损坏。", "磁盘损坏", "服务中断"),
    ("火灾由线路老化引起。", "线路老化", "火灾"),
    ("淀粉价格上涨的主要原因有二：一是玉米价格上涨。", "玉米价格上涨", "淀粉价格上涨"),
    ("煤价因需求增加而上涨。煤炭需求增加，导致煤价上涨。", "煤炭需求增加", "煤价上涨"),
    ("数据库（主库）连接池耗尽导致结账服务不可用。", "数据库（主库）连接池耗尽", "结账服务不可用"),
    ("ＡＰＩ延迟升高导致订单减少。", "ＡＰＩ延迟升高", "订单减少"),
    ("PTA开工率下降,导致PTA价格上涨.", "PTA开工率下降", "PTA价格上涨"),
    ("由於供應短缺，豬肉價格上漲。", "供應短缺", "豬肉價格上漲"),
    ("需求減少導致銅價下跌。", "需求減少", "銅價下跌"),
    ("玉米減產，因此飼料成本上升。", "玉米減產", "飼料成本上升"),
    ("受颱風影響，蔬菜供應減少。", "颱風", "蔬菜供應減少"),
    ("網路中斷使得用戶無法登入。", "網路中斷", "用戶無法登入"),
]


@pytest.mark.parametrize(("text", "head", "tail"), CAUSAL)
def test_a_cause_comes_before_its_effect(text: str, head: str, tail: str) -> None:
    assert ("causal", head, tail, "affirmed", "asserted") in [
        (r.type, r.head.text, r.tail.text, r.polarity, r.modality) for r in asserted(text)
    ]


@pytest.mark.parametrize(
    ("text", "type_", "head", "tail"),
    [
        ("重启服务器，然后检查日志。", "sequential", "重启服务器", "检查日志"),
        ("首先重启服务器，然后检查日志。", "sequential", "重启服务器", "检查日志"),
        ("先备份数据，再升级系统。", "sequential", "备份数据", "升级系统"),
        ("工程师回滚了版本，随后服务恢复正常。", "sequential", "工程师回滚了版本", "服务恢复正常"),
        ("版本发布之后，用户反映登录失败。", "sequential", "版本发布", "用户反映登录失败"),
        ("停产后，螺纹钢价格上涨。", "sequential", "停产", "螺纹钢价格上涨"),
        ("发布新版本之前，团队完成了测试。", "sequential", "团队完成了测试", "发布新版本"),
        ("重啟伺服器，接著檢查日誌。", "sequential", "重啟伺服器", "檢查日誌"),
        ("央行报告表明通胀压力上升。", "supporting", "央行报告", "通胀压力上升"),
        ("监控日志显示数据库延迟升高。", "supporting", "监控日志", "数据库延迟升高"),
        ("实验结果证明新算法有效。", "supporting", "实验结果", "新算法有效"),
        ("铜库存连续三周下降，由此可见铜需求回暖。", "supporting", "铜库存连续三周下降", "铜需求回暖"),
        ("不仅需求下降，而且成本上升。", "progressive", "需求下降", "成本上升"),
        ("故障不但影响登录，还影响支付。", "progressive", "影响登录", "影响支付"),
        ("不只訂單減少，而且成本上升。", "progressive", "訂單減少", "成本上升"),
        ("工厂停止生产，甚至解雇工人。", "progressive", "工厂停止生产", "解雇工人"),
        ("专家尚且判断失误，何况普通用户操作失误。", "progressive", "专家尚且判断失误", "普通用户操作失误"),
    ],
)
def test_the_other_types_point_the_right_way(text: str, type_: str, head: str, tail: str) -> None:
    assert (type_, head, tail) in [(r.type, r.head.text, r.tail.text) for r in asserted(text)]


@pytest.mark.parametrize(
    "text",
    [
        "限产没有导致钢价上涨。",
        "限产并未导致钢价上涨。",
        "价格上涨并非由需求增加引起。",
        "需求下降不会导致玉米价格上涨。",
        "猪价上涨不是因为供给短缺。",
    ],
)
def test_a_denied_cue_denies_the_relation(text: str) -> None:
    relations = cued(text)
    assert relations
    assert {r.polarity for r in relations} == {"negated"}


@pytest.mark.parametrize(
    ("text", "modality"),
    [
        ("需求下降可能导致玉米价格下跌。", "hedged"),
        ("需求下降或将导致玉米价格下跌。", "hedged"),
        ("预计需求下降将导致玉米价格下跌。", "hedged"),
        ("需求回暖有望推动铜价上涨。", "hedged"),
        ("如果需求下降导致库存增加，工厂就会减产。", "hypothetical"),
        ("一旦供给短缺导致价格上涨，消费就会减少。", "hypothetical"),
        ("需求下降会导致玉米价格下跌吗？", "hypothetical"),
        ("需求下降导致玉米价格下跌。", "asserted"),
    ],
)
def test_modality_is_what_the_text_says(text: str, modality: str) -> None:
    first = min(cued(text), key=lambda r: (-r.confidence, r.head.start))
    assert first.modality == modality
    assert first.polarity == "affirmed"


@pytest.mark.parametrize(
    ("text", "subtype"),
    [
        ("如果需求下滑，那么铜价下跌。", "condition"),
        ("只有降低成本，企业利润才能提升。", "condition"),
        ("只要供应恢复，价格就会回落。", "condition"),
        ("为了降低成本，公司关闭了工厂。", "purpose"),
    ],
)
def test_condition_and_purpose_are_subtypes_of_lower_confidence(text: str, subtype: str) -> None:
    relations = [r for r in cued(text) if r.subtype == subtype]
    assert relations
    assert all(r.type == "causal" and r.confidence < 0.6 for r in relations)


def test_a_chain_in_one_sentence_gives_one_relation_per_step() -> None:
    pairs = [
        (r.head.text, r.tail.text)
        for r in asserted("需求疲软导致钢材价格下跌，进而导致钢厂利润下滑，从而拖累铁矿石需求减少。")
    ]
    assert pairs == [
        ("需求疲软", "钢材价格下跌"),
        ("钢材价格下跌", "钢厂利润下滑"),
        ("钢厂利润下滑", "铁矿石需求减少"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "今天天气很好，我们去公园玩。",
        "本公司成立于1998年，总部位于上海。",
        "玉米是一种重要的粮食作物。",
        "会议将于下周三上午九点在三号会议室举行。",
        "请在登录页面输入用户名和密码。",
        "他喜欢喝茶，她喜欢喝咖啡。",
        "该产品分为标准版和专业版。",
        "三天后，会议结束。",
        "春节前，车站很拥挤。",
        "这本书的作者是一位医生。",
        "图书馆周一至周五开放，周末休息。",
        "张三任董事长，李四任总经理。",
        "根据会议安排，下午参观工厂。",
        "用户可以通过邮件或电话联系客服。",
        "这座城市有影响力的企业不多。",
        "成本支撑仍在。",
        "我国首先发明了造纸术。",
        "山上有一座庙，庙里有一个和尚。",
        "本说明书适用于所有型号。",
        "雨停了。",
        "Hello world, this is a test.",
        "第一章 总则",
        "",
        "，，，。。。",
        "所以呢？",
        "导致。",
        "因为。",
    ],
)
def test_a_text_that_states_no_relation_gives_none(text: str) -> None:
    assert cued(text) == []


def test_events_without_a_cue_are_told_apart_and_stay_below_one_half() -> None:
    relation, turned = EXTRACTOR.extract("玉米产量下降，饲料价格上涨。", "zh").relations
    assert turned.confidence < relation.confidence
    assert (relation.head.text, relation.tail.text) == ("玉米产量下降", "饲料价格上涨")
    assert relation.cue is None
    assert not relation.explicit
    assert relation.confidence < 0.5


def test_the_cue_is_where_the_text_has_it() -> None:
    text = "由於供應短缺，豬肉價格上漲。"
    [relation] = [r for r in cued(text) if r.confidence >= 0.5]
    assert relation.cue is not None
    assert (relation.cue.text, relation.cue.start, relation.cue.end) == ("由於", 0, 2)


WHOLE = [
    ("受生铁减产和电力成本增加的影响，铸件价格走高。", "生铁减产和电力成本增加", "铸件价格走高"),
    ("受大宗饲料价格下跌影响，鸡蛋价格继续走低。", "大宗饲料价格下跌", "鸡蛋价格继续走低"),
    ("寒潮和运输中断导致蔬菜价格上涨。", "寒潮和运输中断", "蔬菜价格上涨"),
    (
        "北方装置停工以及船期推迟导致华东甲醇库存同比下降12%。",
        "北方装置停工以及船期推迟",
        "华东甲醇库存同比下降12%",
    ),
    ("随着气温升高，反季花卉大量上市。", "气温升高", "反季花卉大量上市"),
    ("廉租房建设加快带动管材需求回升。", "廉租房建设加快", "管材需求回升"),
    ("雨量偏少，加上水库检修，导致水电产量下降。", "雨量偏少，加上水库检修", "水电产量下降"),
    ("持续降雨可能会导致苹果减产。", "持续降雨", "苹果减产"),
]


@pytest.mark.parametrize(("text", "head", "tail"), WHOLE)
def test_an_end_reads_as_the_whole_event(text: str, head: str, tail: str) -> None:
    assert (head, tail) in [(r.head.text, r.tail.text) for r in asserted(text)]


@pytest.mark.parametrize(
    ("text", "tail"),
    [
        ("库存高企抑制了铜价反弹。", "抑制了铜价反弹"),
        ("需求下降打压煤炭价格上涨。", "打压煤炭价格上涨"),
        ("需求下降遏制了国内煤炭价格上涨。", "遏制了国内煤炭价格上涨"),
    ],
)
def test_what_is_held_down_is_never_an_affirmed_rise(text: str, tail: str) -> None:
    found = [r for r in cued(text) if r.tail.text == tail]
    assert found
    assert all(r.tail_key.negated or r.tail_key.direction == "down" for r in found)
    assert not [r for r in EXTRACTOR.extract(text, "zh").relations if r.tail_key.text.startswith("up:")]


@pytest.mark.parametrize(
    "text",
    [
        "市场担忧贸易摩擦导致原油需求下降。",
        "出口减少与港口停工导致船期推迟有关。",
        "煤炭主要是因为寒潮，矿山停止开采。",
        "利润取决于需求下降导致的价格下跌和成本下降。",
    ],
)
def test_an_end_that_other_clauses_compete_for_stays_below_one_half(text: str) -> None:
    assert cued(text)
    assert not asserted(text)


FRAGMENTS = st.sampled_from(
    [
        *(
            "由于",
            "因为",
            "导致",
            "因此",
            "受",
            "影响",
            "，",
            "。",
            "、",
            "（",
            "）",
            "需求",
            "价格",
            "上涨",
            "下跌",
            "玉米",
        ),
        *(
            "没有",
            "可能",
            "如果",
            "的",
            "原因",
            "是",
            "后",
            "之前",
            "首先",
            "然后",
            "不仅",
            "而且",
            "据",
            "数据",
            "显示",
        ),
        *("12.5%", "ＡＰＩ", "api", "\n", "導致", "價格", "𠀀", "😀", ";", "：", "\u3000", "减产", "而", "由", "引起"),
        *("推升", "从而", "甚至", " ", "\t", "\x01", "打破", "了", "增加", "支撑", "原因是", "在", "背景下"),
    ]
)


@given(st.lists(FRAGMENTS, max_size=40).map("".join))
@settings(deadline=None, max_examples=200)
def test_every_span_is_a_trimmed_piece_of_the_text_and_stated_ends_never_overlap(text: str) -> None:
    result = EXTRACTOR.extract(text, "zh")
    assert result == EXTRACTOR.extract(text, "zh")
    for relation in result.relations:
        for span in (relation.head, relation.tail, *([relation.cue] if relation.cue else [])):
            assert text[span.start : span.end] == span.text
        for span in (relation.head, relation.tail):
            assert span.text == span.text.strip(" \t\n\u3000，。、；：")
        if not relation.rule.startswith("order/order-"):  # one may hold the subject of the other
            assert not relation.head.overlaps(relation.tail)


@given(st.text(max_size=80))
@settings(deadline=None, max_examples=150)
def test_no_text_breaks_the_extractor(text: str) -> None:
    EXTRACTOR.extract(text, "zh")


def test_time_grows_no_faster_than_the_text() -> None:
    sentence = "需求下降导致玉米价格下跌，进而饲料成本下降，"
    small, large = sentence * 100, sentence * 1000
    EXTRACTOR.extract(small, "zh")
    started = time.process_time()
    EXTRACTOR.extract(small, "zh")
    middle = time.process_time()
    EXTRACTOR.extract(large, "zh")
    assert time.process_time() - middle < 30 * (middle - started) + 0.5


@pytest.mark.parametrize(
    ("text", "head", "tail"),
    [
        ("系统崩溃导致用户流失。", "系统崩溃", "用户流失"),
        ("接口超时导致系统瘫痪。", "接口超时", "系统瘫痪"),
    ],
)
def test_a_cue_is_found_where_the_dictionary_holds_it_with_the_next_word(text: str, head: str, tail: str) -> None:
    relations = ChineseExtractor().extract(text, "zh").relations
    assert [(r.head.text, r.tail.text) for r in relations] == [(head, tail)]


def test_no_end_reaches_over_the_border_of_a_cell() -> None:
    row = "2026-02-03 | 二号压缩机 | 润滑油不足，导致轴承损坏 | 所以停机两天"
    relations = ChineseExtractor().extract(row, "zh").relations
    assert [(r.head.text, r.tail.text) for r in relations] == [("润滑油不足", "轴承损坏")]
