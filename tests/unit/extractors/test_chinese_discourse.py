"""Chinese connectives between whole clauses: sentences worked by hand, near-misses, and joint causes."""

from __future__ import annotations

import pytest

from extractors.chinese import ChineseExtractor
from extractors.ports import ExtractedRelation

EXTRACTOR = ChineseExtractor()


def asserted(text: str) -> list[ExtractedRelation]:
    return [
        r
        for r in EXTRACTOR.extract(text, "zh").relations
        if r.confidence >= 0.5 and r.polarity == "affirmed" and r.modality != "hypothetical"
    ]


def ends(text: str) -> list[tuple[str, str, str]]:
    return [(r.type.value, r.head.text, r.tail.text) for r in asserted(text)]


@pytest.mark.parametrize(
    ("text", "head", "tail"),
    [
        ("他没去上班，因为孩子发烧了。", "孩子发烧了", "他没去上班"),
        ("我们改坐火车，因为机场关闭了，高速公路也封了。", "机场关闭了，高速公路也封了", "我们改坐火车"),
        ("会议推迟了，是因为主席生病了。", "主席生病了", "会议推迟了"),
        ("他搬家了。因为房东卖掉了房子。", "房东卖掉了房子", "他搬家了"),
        ("我不吃虾，因为我过敏，也因为我不喜欢。", "我过敏", "我不吃虾"),
        ("因为桥塌了，所以车队绕道走。", "桥塌了", "车队绕道走"),
        ("因为路面结冰，航班取消了。", "路面结冰", "航班取消了"),
        ("因为这次事故，工厂停了三天电。", "这次事故", "工厂停了三天电"),
        ("很多老人因为看不懂说明书而放弃使用。", "看不懂说明书", "放弃使用"),
        ("排练很顺利，但是因为主角嗓子哑了，演出取消了。", "主角嗓子哑了", "演出取消了"),
        ("雪下了一夜，所以学校停课。", "雪下了一夜", "学校停课"),
        ("他睡过头了。所以他没赶上火车。", "他睡过头了", "他没赶上火车"),
        ("弟弟摔断了腿，还发了烧，所以没去比赛。", "弟弟摔断了腿，还发了烧", "没去比赛"),
        ("她反复练习，以至于手指磨破了。", "她反复练习", "手指磨破了"),
        ("因為橋塌了，所以車隊繞道走。", "橋塌了", "車隊繞道走"),
        ("他沒去上班,因為孩子發燒了.", "孩子發燒了", "他沒去上班"),
        ("App闪退了，因为2.1版漏掉了检查。", "2.1版漏掉了检查", "App闪退了"),
    ],
)
def test_a_reason_and_its_result_are_whole_clauses(text: str, head: str, tail: str) -> None:
    assert ("causal", head, tail) in ends(text)


@pytest.mark.parametrize(
    ("text", "head", "tail"),
    [
        ("我觉得这本书很值得买，因为插图非常清楚。", "插图非常清楚", "我觉得这本书很值得买"),
        ("请戴好安全帽，因为工地上常有东西掉下来。", "工地上常有东西掉下来", "请戴好安全帽"),
        ("灯还亮着，所以我认为他没睡。", "灯还亮着", "他没睡"),
    ],
)
def test_what_supports_a_claim_or_a_request_does_not_cause_it(text: str, head: str, tail: str) -> None:
    relations = ends(text)
    assert not [r for r in relations if r[0] == "causal"]
    assert any(r[0] == "supporting" and r[1] == head and r[2].endswith(tail) for r in relations)


@pytest.mark.parametrize(
    ("text", "head", "tail"),
    [
        ("我关掉电源，然后拔下插头。", "我关掉电源", "拔下插头"),
        ("他拧紧螺丝然后盖上盖子。", "他拧紧螺丝", "盖上盖子"),
        ("下课之后，我们去打球。", "下课", "我们去打球"),
        ("当她读完信以后，她哭了。", "她读完信", "她哭了"),
        ("你删除文件之后机器会停下来。", "你删除文件", "机器会停下来"),
        ("在签字之前，律师检查了条款。", "律师检查了条款", "签字"),
        ("他一直排队，直到窗口关闭。", "他一直排队", "窗口关闭"),
        ("直到警报响了，值班员才醒来。", "警报响了", "值班员才醒来"),
        ("我關掉電源，然後拔下插頭。", "我關掉電源", "拔下插頭"),
    ],
)
def test_what_comes_first_is_the_head(text: str, head: str, tail: str) -> None:
    found = [(h, t) for kind, h, t in ends(text) if kind == "sequential"]
    assert (head, tail) in found


@pytest.mark.parametrize(
    ("text", "head", "tail"),
    [
        ("他忘了带钥匙，甚至忘了锁门。", "他忘了带钥匙", "忘了锁门"),
        ("孩子们很开心，他们甚至唱起歌来。", "孩子们很开心", "唱起歌来"),
        ("她不仅会弹琴，还会作曲。", "会弹琴", "会作曲"),
        ("这条路不但很窄，路面也坏了。", "很窄", "路面也坏了"),
    ],
)
def test_a_step_beyond_is_the_tail(text: str, head: str, tail: str) -> None:
    assert ("progressive", head, tail) in ends(text)


@pytest.mark.parametrize(
    "text",
    [
        "三天之后，天气晴朗。",
        "一年之前，这里是稻田。",
        "进入九月以后，天气晴朗。",
        "他买了十本，甚至二十本书。",
        "相比以前，房间很整洁。",
        "只有一个房间，房间很小。",
        "好，所以呢，这是第二章。",
        "因为在这个城市里，有很多公园。",
        "因为对于老人来说，这里有很多台阶。",
    ],
)
def test_near_misses_assert_nothing(text: str) -> None:
    assert ends(text) == []


def test_what_is_not_the_reason_is_denied() -> None:
    relations = EXTRACTOR.extract("他迟到不是因为堵车。", "zh").relations
    assert all(r.polarity == "negated" for r in relations if r.cue is not None)
    assert ends("他迟到不是因为堵车。") == []


@pytest.mark.parametrize(
    ("text", "modality"),
    [
        ("他可能没去上班，因为孩子发烧了。", "hedged"),
        ("他没去上班，是因为孩子发烧了吗？", "hypothetical"),
        ("风险提示：需求下降导致钢材价格下跌。", "hypothetical"),
        ("如果需求下降，且供给增加导致库存上升，价格就会下跌。", "hypothetical"),
        ("他不带伞，因为如果下雨他就坐车。", "asserted"),
    ],
)
def test_modality_holds_for_whole_clauses_too(text: str, modality: str) -> None:
    cued = [r for r in EXTRACTOR.extract(text, "zh").relations if r.cue and r.cue.text in ("因为", "是因为", "导致")]
    assert cued
    assert {r.modality for r in cued} == {modality}


@pytest.mark.parametrize(
    ("text", "head", "tail"),
    [
        ("由于港口停工，船期推迟，导致煤炭库存下降。", "港口停工，船期推迟", "煤炭库存下降"),
        ("干旱导致玉米减产，叠加出口增加，致使玉米价格上涨。", "玉米减产，叠加出口增加", "玉米价格上涨"),
        ("由于电费上涨，加上矿石减产，导致铜价上涨。", "电费上涨，加上矿石减产", "铜价上涨"),
        ("受降雨和停电的持续影响，钢材产量下降。", "降雨和停电", "钢材产量下降"),
        ("受台风、停电等不利因素影响，铝产量下降。", "台风、停电", "铝产量下降"),
        ("铜价下跌主要受库存增加影响。", "库存增加", "铜价下跌"),
        ("干旱导致玉米减产，从而饲料价格上涨。", "玉米减产", "饲料价格上涨"),
        ("库存上升是导致钢价下跌的主要原因。", "库存上升", "钢价下跌"),
    ],
)
def test_joint_causes_stand_together_and_ends_are_clean(text: str, head: str, tail: str) -> None:
    assert ("causal", head, tail) in ends(text)


@pytest.mark.parametrize(
    "text",
    [
        "市场仍担心贸易摩擦升温导致大豆出口下降。",
        "与以往由于需求下降导致的钢价下跌不同，供给增加。",
        "需求旺盛，但抑制浪费措施较为严格。",
        "库存增加，因此虽然需求回升，但是价格下跌。",
    ],
)
def test_an_end_of_another_clause_is_not_asserted(text: str) -> None:
    assert [r for r in ends(text) if r[0] == "causal"] == []
