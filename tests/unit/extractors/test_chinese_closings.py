"""Causes of several clauses that one word closes, causes that are added, and changes with their measure."""

import pytest

from extractors.chinese import ChineseExtractor

EXTRACTOR = ChineseExtractor()


def asserted(text: str) -> set[tuple[str, str]]:
    return {(r.head.text, r.tail.text) for r in EXTRACTOR.extract(text).relations if r.confidence >= 0.5}


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        (
            "商品肉猪销量同比上升，主要是养猪业务规模扩大，商品肉猪出栏量增长所致。",
            {("养猪业务规模扩大", "商品肉猪销量同比上升"), ("商品肉猪出栏量增长", "商品肉猪销量同比上升")},
        ),
        (
            "番茄酱售价持续走低，主要受前两年番茄增产，国际番茄酱市场供过于求的影响。",
            {("前两年番茄增产", "番茄酱售价持续走低"), ("国际番茄酱市场供过于求", "番茄酱售价持续走低")},
        ),
        (
            "受前两年番茄增产，国际市场需求疲软的影响，番茄酱售价持续走低。",
            {("前两年番茄增产", "番茄酱售价持续走低"), ("国际市场需求疲软", "番茄酱售价持续走低")},
        ),
        (
            "由于铜矿需求增长，且新增产能投放缓慢，今年铜矿十分短缺。",
            {("铜矿需求增长", "今年铜矿十分短缺")},
        ),
        ("铜价的下行，最主要的原因来自铜矿产量大幅增加。", {("铜矿产量大幅增加", "铜价的下行")}),
        (
            "电机销售收入2.6亿元，同比下降24.4%，主要是由于国际市场电机需求下滑。",
            {("国际市场电机需求下滑", "电机销售收入2.6亿元，同比下降24.4%")},
        ),
    ],
)
def test_each_cause_is_tied_to_the_effect(text: str, pairs: set[tuple[str, str]]) -> None:
    assert pairs <= asserted(text)


@pytest.mark.parametrize(
    "text",
    [
        "价格下跌，这是公司的产品，质量由客户评定。",
        "他受老师，同学和家人的鼓励，今天来了。",
        "销量上升，主要是产品好，但价格下滑是进口所致。",
    ],
)
def test_without_a_closing_word_of_its_own_nothing_is_tied(text: str) -> None:
    assert not any(r.rule.endswith("/closing") for r in EXTRACTOR.extract(text).relations)


def test_a_later_item_of_a_list_does_not_cause_the_one_before() -> None:
    text = "毛利率下降，一方面是由于原料涨价，另一方面是由于产品降价。"
    assert not any((r.head.text, r.tail.text) == ("产品降价", "原料涨价") for r in EXTRACTOR.extract(text).relations)
