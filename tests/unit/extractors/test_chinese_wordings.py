"""Further wordings of causes in Chinese: effects that a cause parts, causes that nothing opens, reasons called main."""

from __future__ import annotations

import pytest

from extractors.chinese import ChineseExtractor
from extractors.chinese_key import chinese_key
from extractors.ports import ExtractedRelation
from storage.records import Direction, Modality, RelationType

EXTRACTOR = ChineseExtractor()


def likely(text: str) -> list[ExtractedRelation]:
    found = EXTRACTOR.extract(text, "zh").relations
    return [r for r in found if r.confidence >= 0.5 and r.type is RelationType.CAUSAL]


def ends(text: str) -> list[tuple[str, str]]:
    return [(r.head.text, r.tail.text) for r in likely(text)]


# --- effects that a cause parts --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "cause", "without_cause"),
    [
        ("棉布需求因经济低迷而持续下降。", "经济低迷", "棉布需求持续下降"),
        ("瓷砖价格受煤炭涨价影响，同比上升5%。", "煤炭涨价", "瓷砖价格同比上升5%"),
        ("客运业务由于受疫情影响，收入下降一成。", "疫情", "客运业务收入下降一成"),
        ("水泥厂受益于煤炭价格下跌，毛利率上升。", "煤炭价格下跌", "水泥厂毛利率上升"),
        ("玻璃价格随着纯碱价格下跌而下跌。", "纯碱价格下跌", "玻璃价格下跌"),
        ("音乐会受台风影响推迟到周日举行。", "台风", "音乐会推迟到周日举行"),
        ("订单系统因连接池耗尽而超时。", "连接池耗尽", "订单系统超时"),
    ],
)
def test_an_effect_on_both_sides_of_its_cause_is_told_whole_and_keyed_without_it(
    text: str, cause: str, without_cause: str
) -> None:
    [relation] = [r for r in likely(text) if r.head.text == cause]
    assert relation.tail.text == text.rstrip("。")
    assert relation.tail_key == chinese_key(without_cause)


@pytest.mark.parametrize(
    ("text", "effect"),
    [
        ("公司受疫情影响，猪肉价格下跌。", "猪肉价格下跌"),  # of another thing
        ("棉纱市场由于棉花价格下滑，坯布也受牵连价格走低。", "坯布也受牵连价格走低"),
        ("由于需求回升，水泥价格上涨。", "水泥价格上涨"),  # nothing stands before
    ],
)
def test_an_effect_with_a_subject_of_its_own_is_not_parted(text: str, effect: str) -> None:
    assert effect in [tail for _, tail in ends(text)]


def test_what_is_only_said_to_be_affected_is_the_effect() -> None:
    assert ends("家具业务受到楼市低迷的影响。") == [("楼市低迷", "家具业务")]
    assert ends("仓储受疫情影响较大。") == [("疫情", "仓储")]


# --- places ----------------------------------------------------------------------------------------------------------


def test_one_change_here_and_abroad_is_told_apart_by_its_place_alone() -> None:
    [relation] = likely("受国际铜价下跌影响，国内铜价下跌。")
    assert relation.head_key.terms == ("国际", "铜", "价格")
    assert relation.tail_key.terms == ("国内", "铜", "价格")
    assert likely("铜价下跌导致国内铜价下跌。") == []  # only one says where
    [other] = likely("国际铜价下跌导致国内铝价下跌。")
    assert "国际" not in other.head_key.terms  # what differs already needs no place


# --- verbs -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "cause", "effect"),
    [
        ("基建投资的增长将增加水泥需求。", "基建投资的增长", "增加水泥需求"),
        ("大豆减产提升豆油价格。", "大豆减产", "提升豆油价格"),
        ("豆粕价格上涨利好压榨企业。", "豆粕价格上涨", "利好压榨企业"),
        ("猪价下跌打击了养殖户补栏积极性。", "猪价下跌", "打击了养殖户补栏积极性"),
        ("旺季带动豆油价格小幅反弹。", "旺季", "豆油价格小幅反弹"),
        ("汽车销量的增长带动了配件行业的快速发展。", "汽车销量的增长", "配件行业的快速发展"),
        ("天气转冷，推高了天然气价格。", "天气转冷", "推高了天然气价格"),
        ("猪瘟导致生猪存栏量下降，影响豆粕需求。", "生猪存栏量下降", "影响豆粕需求"),
        ("棉花价格下行，最终传导至棉布价格下跌。", "棉花价格下行", "棉布价格下跌"),
        ("油价大幅下跌，将对炼厂造成较大负面影响。", "油价大幅下跌", "对炼厂造成较大负面影响"),
    ],
)
def test_a_verb_ties_a_change_to_what_it_works(text: str, cause: str, effect: str) -> None:
    assert (cause, effect) in ends(text)


@pytest.mark.parametrize(
    "text",
    [
        "公司推高了价格。",
        "公司计划提高产量。",
        "市场迎来利好消息。",
        "政府限制了进口。",
        "疫情波及全国。",
        "间接带动不锈钢价格上升。",
    ],
)
def test_who_acts_and_what_only_describes_causes_nothing(text: str) -> None:
    assert ends(text) == []


def test_what_would_follow_from_a_supposition_is_not_asserted() -> None:
    [relation] = [r for r in likely("如果豆粕涨价，就会增加饲料成本进而降低养殖利润。") if "利润" in r.tail.text][:1]
    assert relation.modality is Modality.HYPOTHETICAL


@pytest.mark.parametrize(
    "text",
    [
        "目前没有证据表明手机辐射会导致脑癌。",
        "没有数据显示限产推高了钢价。",
        "尚无研究证明，减税会导致通胀上升。",
        "研究没有发现咖啡导致骨折。",
        "公司否认销量下滑与成本上升有关。",
        "专家不认为减税会导致通胀上升。",
    ],
)
def test_what_is_denied_or_shown_by_nothing_is_not_asserted(text: str) -> None:
    found = [r for r in EXTRACTOR.extract(text, "zh").relations if r.type is RelationType.CAUSAL and r.explicit]
    assert found
    assert all(r.modality is Modality.HYPOTHETICAL for r in found)


@pytest.mark.parametrize("text", ["由于他否认指控导致案件拖延。", "公司未说明原因，导致投资者恐慌。"])
def test_a_denial_that_is_the_cause_denies_nothing(text: str) -> None:
    assert [r.modality for r in likely(text)] == [Modality.ASSERTED]


def test_who_goes_along_is_no_cause() -> None:
    assert ends("随着人群，他慢慢走进了体育馆。") == []
    assert ends("随着气温升高，冰川融化。") == [("气温升高", "冰川融化")]


def test_what_is_held_down_is_not_said_to_rise() -> None:
    for text in ("供应过剩对铜价上涨形成压力。", "供应过剩制约铜价上涨。"):
        assert all(r.tail_key.negated or r.tail_key.direction is not Direction.UP for r in likely(text))
    assert ends("需求回升对铜价上涨形成支撑。") == [("需求回升", "对铜价上涨形成支撑")]


# --- openers and closings --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "cause", "effect"),
    [
        ("猪价上涨的带动下，鸡肉价格上涨。", "猪价上涨", "鸡肉价格上涨"),
        ("限产、检修等因素影响，钢价上涨。", "限产、检修", "钢价上涨"),
        ("汽车需求复苏推动，轮胎产量增长。", "汽车需求复苏", "轮胎产量增长"),
        ("原油价格下滑影响下，沥青价格走弱。", "原油价格下滑", "沥青价格走弱"),
        ("在粮价上升的驱使下，饲料价格上涨。", "粮价上升", "饲料价格上涨"),
    ],
)
def test_a_cause_that_is_only_closed_leads_to_the_next_clause(text: str, cause: str, effect: str) -> None:
    assert (cause, effect) in ends(text)


def test_a_time_or_a_condition_that_is_closed_is_no_cause() -> None:
    assert ends("铜价回升的情况下，冶炼厂才能盈利。") == []
    assert ends("油价和汇率的影响，我们下周再讨论。") == []


# --- reasons ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "cause", "effect"),
    [
        ("营业成本上升，主要是原料涨价。", "原料涨价", "营业成本上升"),
        ("毛利率下降主要是豆粕涨价。", "豆粕涨价", "毛利率下降"),
        (
            "炸药毛利率下降6.7%，至42.9%，主要是硝酸铵采购价格上升造成。",
            "硝酸铵采购价格上升",
            "炸药毛利率下降6.7%，至42.9%",
        ),
        ("铜价上涨，供应紧张是主因。", "供应紧张", "铜价上涨"),
        ("燃料需求疲软，部分原因是油价居高不下。", "油价居高不下", "燃料需求疲软"),
        ("价格上涨，主要与原料短缺有关。", "原料短缺", "价格上涨"),
        ("利润下降与原料价格上涨有关。", "原料价格上涨", "利润下降"),
        ("肺癌的发病与长期吸烟有关。", "长期吸烟", "肺癌的发病"),
        ("玻璃库存下降，主要受减产所致。", "减产", "玻璃库存下降"),
    ],
)
def test_a_reason_is_the_cause_of_what_it_is_given_for(text: str, cause: str, effect: str) -> None:
    assert (cause, effect) in ends(text)


@pytest.mark.parametrize(
    "text",
    [
        "公司产品主要是钢材。",
        "这批货主要是钢材。",
        "他的研究与经济有关。",
        "讨论与加薪有关。",
        "销量与价格密切相关。",
        "他是主因。",
    ],
)
def test_what_is_called_main_or_related_is_no_reason_by_itself(text: str) -> None:
    assert ends(text) == []


def test_an_adverb_before_a_verb_is_not_its_cause() -> None:
    assert ends("生猪存栏下降，严重影响猪肉供给。") == [("生猪存栏下降", "影响猪肉供给")]


def test_manner_between_a_thing_and_its_change_is_read_over() -> None:
    assert chinese_key("电解液销量稳定增长") == chinese_key("电解液销量增长")
    assert chinese_key("汽车需求爆发式增长") == chinese_key("汽车需求增长")
