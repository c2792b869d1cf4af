"""What questions ask for, as a reader of English and Chinese would say it."""

from __future__ import annotations

import pytest

from graphrag.question import WALKS, Ask, read_question
from storage.records import RelationType

ENGLISH: list[tuple[str, Ask, str | None, str | None]] = [
    # towards causes
    ("Why did the port close?", Ask.WHY, None, "the port close"),
    ("why is unemployment rising", Ask.WHY, None, "unemployment rising"),
    ("Why didn't the alarm sound?", Ask.WHY, None, "the alarm sound"),
    ("Why did not the alarm sound?", Ask.WHY, None, "the alarm sound"),
    ("Why is it that: sales fell", Ask.WHY, None, "sales fell"),
    ("How come the lights went out?", Ask.WHY, None, "the lights went out"),
    ("For what reason did the board resign?", Ask.WHY, None, "the board resign"),
    ("What caused the flood?", Ask.WHY, None, "the flood"),
    ("WHAT CAUSED THE FLOOD???", Ask.WHY, None, "THE FLOOD"),
    ("What led to the recession?", Ask.WHY, None, "the recession"),
    ("What could cause a fire?", Ask.WHY, None, "a fire"),
    ("What can trigger an avalanche?", Ask.WHY, None, "an avalanche"),
    ("What made prices rise?", Ask.WHY, None, "prices rise"),
    ("What explains the drop in sales?", Ask.WHY, None, "the drop in sales"),
    ("What is behind the shortage?", Ask.WHY, None, "the shortage"),
    ("What is the cause of the outage?", Ask.WHY, None, "the outage"),
    ("What were the main reasons for the strike?", Ask.WHY, None, "the strike"),
    ("What was the root cause of the crash?", Ask.WHY, None, "the crash"),
    ("What was the flood caused by?", Ask.WHY, None, "the flood"),
    # towards effects
    ("What did the drought cause?", Ask.EFFECTS, "the drought", None),
    ("What does inflation lead to?", Ask.EFFECTS, "inflation", None),
    ("What happens if the dam breaks?", Ask.EFFECTS, "the dam breaks", None),
    ("What would happen if the bank failed?", Ask.EFFECTS, "the bank failed", None),
    ("What happened because of the strike?", Ask.EFFECTS, "the strike", None),
    ("What is the storm causing?", Ask.EFFECTS, "the storm", None),
    ("What are the consequences of deforestation?", Ask.EFFECTS, "deforestation", None),
    ("What were the long-term effects of the war?", Ask.EFFECTS, "the war", None),
    ("What follows from the ruling?", Ask.EFFECTS, "the ruling", None),
    ("What resulted from the merger?", Ask.EFFECTS, "the merger", None),
    ("What was caused by the storm?", Ask.EFFECTS, "the storm", None),
    ("What effect did the law have on wages?", Ask.EFFECTS, "the law", None),
    ("Who did the layoffs hurt?", Ask.EFFECTS, "the layoffs", None),
    # towards what came later
    ("What happened after the bridge closed?", Ask.NEXT, "the bridge closed", None),
    ("What happened next after this: Prepare a mix", Ask.NEXT, "Prepare a mix", None),
    ("What happens next: the valve opens", Ask.NEXT, "the valve opens", None),
    ("What do I do after mixing the flour?", Ask.NEXT, "mixing the flour", None),
    ("What did the team do after the defeat?", Ask.NEXT, "the defeat", None),
    ("What follows the opening ceremony?", Ask.NEXT, "the opening ceremony", None),
    ("Which step follows sanding?", Ask.NEXT, "sanding", None),
    ("After the merger, what changed?", Ask.NEXT, "the merger", None),
    # towards what came earlier
    ("What happened before the vote?", Ask.BEFORE, None, "the vote"),
    ("What happened before this: he left", Ask.BEFORE, None, "he left"),
    ("What must be done before painting?", Ask.BEFORE, None, "painting"),
    ("What has to happen before the launch?", Ask.BEFORE, None, "the launch"),
    ("What should I do before soldering?", Ask.BEFORE, None, "soldering"),
    ("What do you do before soldering?", Ask.BEFORE, None, "soldering"),
    ("What came before the eruption?", Ask.BEFORE, None, "the eruption"),
    ("What preceded the harvest?", Ask.BEFORE, None, "the harvest"),
    # towards evidence
    ("What evidence supports the claim that coffee is safe?", Ask.SUPPORT, None, "coffee is safe"),
    ("What evidence or reason supports this: sales fell", Ask.SUPPORT, None, "sales fell"),
    ("What supports the theory?", Ask.SUPPORT, None, "the theory"),
    ("What is the evidence for climate change?", Ask.SUPPORT, None, "climate change"),
    ("What proves that he was there?", Ask.SUPPORT, None, "he was there"),
    ("What evidence is there for dark matter?", Ask.SUPPORT, None, "dark matter"),
    ("How do we know that the Earth is round?", Ask.SUPPORT, None, "the Earth is round"),
    # from one named thing to another
    ("How did the drought lead to war?", Ask.PATH, "the drought", "war"),
    ("How did the drought eventually lead to war?", Ask.PATH, "the drought", "war"),
    ("How can stress cause ulcers?", Ask.PATH, "stress", "ulcers"),
    ("Why does smoking cause cancer?", Ask.PATH, "smoking", "cancer"),
    ("Through what steps did the leak result in the shutdown?", Ask.PATH, "the leak", "the shutdown"),
    ("Did the strike cause the shortage?", Ask.PATH, "the strike", "the shortage"),
    ("Can smoking cause cancer?", Ask.PATH, "smoking", "cancer"),
    ("Was the outage caused by a storm?", Ask.PATH, "a storm", "the outage"),
    ("Was the market affected by the news?", Ask.PATH, "the news", "the market"),
    ("How is inflation affected by oil prices?", Ask.PATH, "oil prices", "inflation"),
    ("How is poverty linked to crime?", Ask.PATH, "poverty", "crime"),
    ("How are poverty and crime related?", Ask.PATH, "poverty", "crime"),
    ("What connects the fire and the blackout?", Ask.PATH, "the fire", "the blackout"),
    ("From drought to famine", Ask.PATH, "drought", "famine"),
    ("How did the fire reach the harbour?", Ask.PATH, None, None),
    # anything else
    ("What is the capital of France?", Ask.OPEN, None, None),
    ("Who founded the company?", Ask.OPEN, None, None),
    ("When did the port open?", Ask.OPEN, None, None),
    ("Is the port open?", Ask.OPEN, None, None),
    ("What was the cause?", Ask.OPEN, None, None),
    ("What happened?", Ask.OPEN, None, None),
    ("What happened to the bridge?", Ask.OPEN, None, None),
    ("What happened in 2019?", Ask.OPEN, None, None),
    ("How many people live in Oslo?", Ask.OPEN, None, None),
    ("How long is the bridge?", Ask.OPEN, None, None),
    ("port closure", Ask.OPEN, None, None),
    ("List all documents about pumps.", Ask.OPEN, None, None),
    ("Why?", Ask.OPEN, None, None),
    ("", Ask.OPEN, None, None),
    ("?!…", Ask.OPEN, None, None),
]

CHINESE: list[tuple[str, Ask, str | None, str | None]] = [
    # 原因
    ("为什么港口停工？", Ask.WHY, None, "港口停工"),
    ("港口为什么停工？", Ask.WHY, None, "港口停工"),
    ("股价为何下跌", Ask.WHY, None, "股价下跌"),
    ("为什么会下雨？", Ask.WHY, None, "下雨"),
    ("服务器咋宕机了？", Ask.WHY, None, "服务器宕机"),
    ("铜价上涨的原因是什么？", Ask.WHY, None, "铜价上涨"),
    ("铜价上涨的主要原因有哪些？", Ask.WHY, None, "铜价上涨"),
    ("是什么导致了停电？", Ask.WHY, None, "停电"),
    ("什么导致了通货膨胀？", Ask.WHY, None, "通货膨胀"),
    ("哪些因素推动了经济增长？", Ask.WHY, None, "经济增长"),
    ("导致停产的是什么？", Ask.WHY, None, "停产"),
    ("停电是由什么引起的？", Ask.WHY, None, "停电"),
    ("停电是什么引起的？", Ask.WHY, None, "停电"),
    ("这次事故是怎么发生的？", Ask.WHY, None, "这次事故"),
    ("这次事故是怎么造成的？", Ask.WHY, None, "这次事故"),
    ("物价上涨是怎么回事？", Ask.WHY, None, "物价上涨"),
    # 结果
    ("干旱会导致什么后果？", Ask.EFFECTS, "干旱", None),
    ("罢工造成了什么结果？", Ask.EFFECTS, "罢工", None),
    ("台风带来了哪些影响？", Ask.EFFECTS, "台风", None),
    ("关税对出口有什么影响？", Ask.EFFECTS, "关税", None),
    ("加息的影响是什么？", Ask.EFFECTS, "加息", None),
    ("如果大坝决堤，会怎样？", Ask.EFFECTS, "大坝决堤", None),
    ("一旦停电会发生什么？", Ask.EFFECTS, "停电", None),
    ("全球变暖会怎样？", Ask.EFFECTS, "全球变暖", None),
    # 之后
    ("签约之后发生了什么？", Ask.NEXT, "签约", None),
    ("混合面粉后，下一步做什么？", Ask.NEXT, "混合面粉", None),
    ("打开阀门以后应该怎么做？", Ask.NEXT, "打开阀门", None),
    ("接下来发生了什么：阀门打开", Ask.NEXT, "阀门打开", None),
    # 之前
    ("发射之前要先做什么？", Ask.BEFORE, None, "发射"),
    ("爆炸前发生了什么？", Ask.BEFORE, None, "爆炸"),
    ("在上市前需要完成什么？", Ask.BEFORE, None, "上市"),
    # 证据
    ("有什么证据支持全球变暖？", Ask.SUPPORT, None, "全球变暖"),
    ("哪些数据表明经济复苏？", Ask.SUPPORT, None, "经济复苏"),
    ("什么证明了他的清白？", Ask.SUPPORT, None, "他的清白"),
    ("这个结论的依据是什么？", Ask.SUPPORT, None, "这个结论"),
    ("凭什么说他违法？", Ask.SUPPORT, None, "他违法"),
    ("怎么知道地球在转动？", Ask.SUPPORT, None, "地球在转动"),
    # 两端
    ("台风如何导致港口停工？", Ask.PATH, "台风", "港口停工"),
    ("玉米减产如何一步步影响并最终导致猪肉涨价？中间环节是什么？", Ask.PATH, "玉米减产", "猪肉涨价"),
    ("石油减产如何影响航空业？", Ask.PATH, "石油减产", "航空业"),
    ("暴雨是怎么引发山洪的？", Ask.PATH, "暴雨", "山洪"),
    ("为什么降雨会导致减产？", Ask.PATH, "降雨", "减产"),
    ("从干旱到粮价上涨是怎么传导的？", Ask.PATH, "干旱", "粮价上涨"),
    ("加息和股市下跌有什么关系？", Ask.PATH, "加息", "股市下跌"),
    ("停电是因为台风导致的吗？", Ask.PATH, "台风", "停电"),
    ("干旱是否导致粮食减产？", Ask.PATH, "干旱", "粮食减产"),
    ("加息会不会引起失业？", Ask.PATH, "加息", "失业"),
    ("大火怎样蔓延到码头？", Ask.PATH, None, None),
    # 其他
    ("公司哪年成立？", Ask.OPEN, None, None),
    ("谁是董事长？", Ask.OPEN, None, None),
    ("港口在哪里？", Ask.OPEN, None, None),
    ("关于铜价的文件", Ask.OPEN, None, None),
    ("公司业绩怎么样？", Ask.OPEN, None, None),
    ("公司业绩如何？", Ask.OPEN, None, None),
    ("然后呢？", Ask.OPEN, None, None),
    ("之前发生了什么？", Ask.OPEN, None, None),
    ("目前是什么情况？", Ask.OPEN, None, None),
    ("最后发生了什么？", Ask.OPEN, None, None),
]


@pytest.mark.parametrize(("text", "ask", "start", "end"), ENGLISH)
def test_an_english_question_is_read_as_a_person_reads_it(
    text: str, ask: Ask, start: str | None, end: str | None
) -> None:
    read = read_question(text)
    assert (read.ask, read.start, read.end) == (ask, start, end)
    assert read.language == "en"


@pytest.mark.parametrize(("text", "ask", "start", "end"), CHINESE)
def test_a_chinese_question_is_read_as_a_person_reads_it(
    text: str, ask: Ask, start: str | None, end: str | None
) -> None:
    read = read_question(text)
    assert (read.ask, read.start, read.end) == (ask, start, end)
    assert read.language == "zh"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("  Why did\nthe port \t close ? ", "Why did the port close?"),
        ("港口为什么停工", "港口为什么停工？！。"),
        ("why DID the port close", "why did the port close"),
        ("为什么 GDP 下降 了？", "为什么 GDP 下降？"),
    ],
)
def test_white_space_closing_marks_and_capitals_do_not_change_what_is_asked(text: str, plain: str) -> None:
    one, other = read_question(text), read_question(plain)
    assert (one.ask, one.start, one.end) == (other.ask, other.start, other.end)
    assert one.text == text  # as it was put


def test_a_page_of_text_is_an_open_question_whatever_it_begins_with() -> None:
    read = read_question("Why did the port close, given that " + "it rained and " * 80)
    assert read.ask is Ask.OPEN


@pytest.mark.parametrize(
    ("text", "focus"),
    [
        ("How did the drought lead to war?", "the drought war"),
        ("Why did the port close?", "the port close"),
        ("What did the drought cause?", "the drought"),
        ("port closure", "port closure"),
    ],
)
def test_the_focus_is_what_is_named_else_the_whole_question(text: str, focus: str) -> None:
    assert read_question(text).focus == focus


def test_every_kind_of_question_has_a_way_to_walk() -> None:
    assert set(WALKS) == set(Ask)
    assert WALKS[Ask.WHY] == ((RelationType.CAUSAL,), False)  # from effect back to cause
    assert WALKS[Ask.EFFECTS] == ((RelationType.CAUSAL,), True)
    assert WALKS[Ask.SUPPORT] == ((RelationType.SUPPORTING,), False)  # from claim back to evidence
    assert WALKS[Ask.BEFORE] == ((RelationType.SEQUENTIAL,), False)
    assert WALKS[Ask.NEXT][1] is True
    assert WALKS[Ask.OPEN][1] is None
