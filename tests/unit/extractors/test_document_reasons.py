"""Reasons that a text lists, in both languages; read as the whole extractor reads them."""

import pytest

from extractors import default_extractor
from extractors.document_reasons import listed_reasons
from extractors.ports import ExtractedRelation
from storage.records import Modality


def reasons(text: str, language: str) -> list[ExtractedRelation]:
    relations = default_extractor().extract(text, language).relations
    return [r for r in relations if r.rule == "document:listed-reasons"]


def asserted(text: str, language: str) -> set[tuple[str, str]]:
    """Cause and effect of all that is asserted, by whichever rule."""
    relations = default_extractor().extract(text, language).relations
    return {(r.head.text, r.tail.text) for r in relations if r.type == "causal" and r.confidence >= 0.5}


@pytest.mark.parametrize(
    ("text", "effect", "causes"),
    [
        (
            "Copper prices rose for two reasons: first, mines were closed; second, demand recovered.",
            "Copper prices rose",
            ["mines were closed", "demand recovered"],
        ),
        (
            "The causes of the accident were as follows: (1) the valve was worn; (2) the operator made a mistake.",
            "the accident",
            ["the valve was worn", "the operator made a mistake"],
        ),
        (
            "The pump at the north basin failed for three reasons:\n\n- the seal was worn\n- nobody checked the oil\n"
            "- the alarm was muted\n",
            "The pump at the north basin failed",
            ["the seal was worn", "nobody checked the oil", "the alarm was muted"],
        ),
        (
            "There were two reasons for the flooding of the cellars. Firstly, the gate jammed. Finally, the spare pump "
            "had no fuel.",
            "the flooding of the cellars",
            ["the gate jammed", "the spare pump had no fuel"],
        ),
        (
            "Margins fell, partly because raw materials became dearer and partly because prices were cut.",
            "Margins fell",
            ["raw materials became dearer", "prices were cut"],
        ),
        ("铜价上涨主要有两个原因：一是矿山停产，二是需求回暖。", "铜价上涨", ["矿山停产", "需求回暖"]),
        ("列车晚点的原因有二，其一是线路结冰，其二是道岔失灵。", "列车晚点", ["线路结冰", "道岔失灵"]),
        (
            "泵站停机有三方面原因：首先，磁盘写满；其次，告警被关闭；最后，值班人员没有收到通知。",
            "泵站停机",
            ["磁盘写满", "告警被关闭", "值班人员没有收到通知"],
        ),
        ("项目延期的原因包括：（1）设备到货晚；（2）雨季施工困难。", "项目延期", ["设备到货晚", "雨季施工困难"]),
        ("泵房漏水的原因如下：\n1. 密封圈老化\n2. 管道腐蚀\n", "泵房漏水", ["密封圈老化", "管道腐蚀"]),
        ("毛利率下降，一方面是由于原料涨价，另一方面则是产品降价。", "毛利率下降", ["原料涨价", "产品降价"]),
        (
            "但我们认为，銅價上漲的主要原因一方面是因為礦山停產，另外一方面是由於需求回暖。",
            "銅價上漲",
            ["礦山停產", "需求回暖"],
        ),
    ],
)  # fmt: skip
def test_each_reason_leads_to_what_it_is_a_reason_of(text: str, effect: str, causes: list[str]) -> None:
    language = "en" if text.isascii() else "zh"
    found = asserted(text, language)
    assert {(cause, effect) for cause in causes} <= found
    assert not {(first, second) for first, second in found if first in causes and second in causes}


def test_the_words_that_say_so_are_kept_and_every_span_is_a_slice() -> None:
    text = "泵站停机有两方面原因：首先，磁盘写满；其次，告警被关闭。"
    found = reasons(text, "zh")
    assert [(r.cue.text if r.cue else None, r.confidence, r.modality) for r in found] == [
        ("原因", 0.75, Modality.ASSERTED)
    ] * 2
    for span in (s for r in found for s in (r.head, r.tail, r.cue) if s is not None):
        assert text[span.start : span.end] == span.text


def test_possible_reasons_are_hedged() -> None:
    [first, second] = reasons(
        "There were two possible reasons for the flooding: (a) the gate jammed; (b) the pump had no fuel.", "en"
    )
    assert first.modality is second.modality is Modality.HEDGED
    assert first.confidence == pytest.approx(0.75 * 0.85, abs=0.001)


@pytest.mark.parametrize(
    "text",
    [
        "To start the pump: (1) open the valve; (2) press the button.",  # steps, not reasons
        "First, mines were closed; second, demand recovered.",  # nobody says of what
        "Copper prices rose for two reasons: first, mines were closed. Demand recovered.",  # only one is marked
        "Copper prices rose for two reasons: second, mines were closed; third, demand recovered.",
        "会议有两个议题：一是矿山停产，二是需求回暖。",
        "一是矿山停产，二是需求回暖。",
        "公司一方面扩大产能，另一方面降低成本。",
    ],
)
def test_other_lists_are_not_reasons(text: str) -> None:
    assert list(listed_reasons(text)) == []


def test_what_happens_everywhere_is_no_effect_of_a_list() -> None:
    assert reasons("事故原因如下：1）阀门老化；2）值班人员操作失误。", "zh") == []
