"""The Chinese key: what has one identity, and what must not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractors.chinese_key import chinese_key
from extractors.chinese_script import simplified
from storage.similarity import SAME_AS_THRESHOLD, key_overlap


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("玉米价格上涨", "up:玉米 价格"),
        ("玉米涨价", "up:玉米 价格"),
        ("玉米报价走高", "up:玉米 价格"),
        ("国内玉米市场价格大幅上涨", "up:玉米 价格"),
        ("玉米价格同比上涨", "up:玉米 价格"),
        ("玉米价格同比上涨5%", "up:玉米 价格 5%"),
        ("玉米价格同比上涨百分之五", "up:玉米 价格 5%"),
        ("今年玉米价格上涨", "up:玉米 价格"),
        ("三月出口下降", "down:出口 3月"),
        ("3月份出口下降", "down:出口 3月"),
        ("第三季度出口下降", "down:出口 3季度"),
        ("钢材产量下降近三成", "down:钢材 供给 30%"),
        ("业绩滑坡", "down:利润"),
        ("雨量下降", "down:雨量"),
        ("玉米的价格持续走高", "up:玉米 价格"),
        ("玉米價格上漲", "up:玉米 价格"),
        ("玉米价格下跌", "down:玉米 价格"),
        ("玉米降价", "down:玉米 价格"),
        ("玉米价格未上涨", "not up:玉米 价格"),
        ("煤价回升", "up:煤 价格"),
        ("煤炭涨价", "up:煤炭 价格"),
        ("推升了煤价", "up:煤 价格"),
        ("生猪供给短缺", "down:生猪 供给"),
        ("生猪供应趋紧", "down:生猪 供给"),
        ("生猪减产", "down:生猪 供给"),
        ("生猪产能过剩", "up:生猪 供给"),
        ("焦炭产量增加", "up:焦炭 供给"),
        ("钢材需求疲软", "down:钢材 需求"),
        ("钢材消费萎缩", "down:钢材 需求"),
        ("钢材需求增长放缓", "down:钢材 需求"),
        ("供应短缺缓解", "up:供给"),
        ("铜库存处于低位", "down:铜 库存"),
        ("铜库存高", "up:铜 库存"),
        ("纸厂降低成本", "down:纸厂 成本"),
        ("养殖利润下滑", "down:养殖 利润"),
        ("养殖盈利恶化", "down:养殖 利润"),
        ("大豆进口减少", "down:大豆 进口"),
        ("进口大豆激增", "up:大豆 进口"),
        ("猪肉价格跌幅收窄", "down:猪肉 价格"),
        ("气温上升", "up:气温"),
        ("接口错误率上升", "up:接口 错误"),
        ("ＡＰＩ延迟升高", "up:api 延迟"),
        ("API延迟升高", "up:api 延迟"),
        ("供不应求", "down:供给"),
    ],
)
def test_an_event_is_its_subject_attribute_and_direction(text: str, key: str) -> None:
    found = chinese_key(text)
    assert found is not None
    assert found.text == key


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("玉米价格上涨", "玉米价格下跌"),
        ("玉米价格上涨", "小麦价格上涨"),
        ("玉米价格上涨", "玉米需求增加"),
        ("玉米价格上涨", "玉米价格未上涨"),
        ("证书过期", "证书没有过期"),
        ("甲公司收购乙公司", "乙公司收购甲公司"),
        ("三月停工", "五月停工"),
        ("涨3%", "涨30%"),
        ("发布2.1版本", "发布2.3版本"),
        ("1号机组停机", "2号机组停机"),
        ("两台服务器宕机", "五台服务器宕机"),
        ("周一网站宕机", "周五网站宕机"),
    ],
)
def test_what_says_something_else_has_another_key(first: str, second: str) -> None:
    assert chinese_key(first) != chinese_key(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [("美国玉米价格上涨", "玉米价格上涨"), ("国际铁矿石价格回落", "进口铁矿石价格下跌")],
)
def test_a_narrower_subject_is_near(first: str, second: str) -> None:
    a, b = chinese_key(first), chinese_key(second)
    assert a is not None
    assert b is not None
    assert SAME_AS_THRESHOLD <= key_overlap(a, b) < 1


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("数据库连接池配置错误", ("数据库", "连接池", "配置", "错误")),
        ("暴雨冲毁了公路", ("暴雨", "冲毁", "公路")),
        ("公司的产品", ("公司", "产品")),
        ("天降大雨", ("降", "大雨")),
        ("山体滑坡", ("山体", "滑坡")),
        ("工人跌落", ("工人", "跌落")),
        ("两台服务器宕机", ("服务器", "宕机", "2")),
        ("一家公司破产", ("破产",)),
        ("9月15日停电", ("停电", "9月", "15日")),
        ("统一价格", ("统一", "价格")),
    ],
)
def test_any_other_mention_is_its_content_words_in_order(text: str, terms: tuple[str, ...]) -> None:
    found = chinese_key(text)
    assert found is not None
    assert found.terms == terms
    assert found.direction == "none"


@pytest.mark.parametrize("text", ["", "   ", "，。！", "的了着", "2023", "\x00\x01", "…"])
def test_a_mention_without_content_words_has_no_key(text: str) -> None:
    assert chinese_key(text) is None


@given(st.text(alphabet=st.sampled_from("玉米价格上涨下跌供给需求不未的，API1％ \n猪肉减產漲"), max_size=40))
@settings(deadline=None, max_examples=150)
def test_the_key_is_a_pure_function_of_the_words(text: str) -> None:
    first = chinese_key(text)
    assert first == chinese_key(text)
    assert first == chinese_key(f"  {text}。")


@given(st.text(max_size=60))
@settings(deadline=None, max_examples=200)
def test_one_script_keeps_every_offset(text: str) -> None:
    assert len(simplified(text)) == len(text)
