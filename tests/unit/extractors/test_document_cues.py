"""What the structure of a document states: steps, timelines, and headings that announce a cause."""

import pytest

from extractors import default_extractor
from extractors.document_cues import DocumentCues
from extractors.document_times import leading_moment
from extractors.ports import ExtractedRelation
from storage.records import Modality


@pytest.fixture(scope="module")
def cues() -> DocumentCues:
    beside = default_extractor()._beside
    return next(e for e in beside if isinstance(e, DocumentCues))


def ends(relations: tuple[ExtractedRelation, ...], rule: str) -> list[tuple[str, str]]:
    return [(r.head.text, r.tail.text) for r in relations if r.rule == f"document:{rule}"]


TIMELINE = """\
Timeline

Time | Event
09:14 | The pump at the north basin stopped
09:20 | Water rose over the lower gate, and Anna rang the mayor
09:20 | Cellars in Mill Lane filled
09:41 | (Team B) Crew started the spare pump
10:05 | Gate closed
"""


def test_rows_of_a_timeline_follow_one_another_and_equal_times_do_not(cues: DocumentCues) -> None:
    relations = cues.extract(TIMELINE, "en").relations
    assert ends(relations, "timeline") == [
        ("The pump at the north basin stopped", "Water rose over the lower gate"),
        ("Cellars in Mill Lane filled", "Crew started the spare pump"),
        ("Crew started the spare pump", "Gate closed"),
    ]
    assert {(r.type.value, r.subtype, r.explicit, r.confidence) for r in relations} == {
        ("sequential", "then", True, 0.7)
    }
    assert [r.cue.text for r in relations if r.cue] == ["09:20", "09:41", "10:05"]


def test_every_span_is_a_slice_of_the_text(cues: DocumentCues) -> None:
    text = "# Report\n\n## Timeline\n\n- **09:14** - The `north` pump stopped.\n- 09:20 - Water *rose* quickly.\n"
    [relation] = cues.extract(text, "en").relations
    for span in (relation.head, relation.tail, relation.cue):
        assert span is not None
        assert text[span.start : span.end] == span.text
    assert relation.tail.text == "Water *rose* quickly"


@pytest.mark.parametrize(
    "text",
    [
        "Timeline\n\n10:05 The gate closed\n09:14 The pump stopped\n",  # the later first
        "2024-05-02 09:14:02,120 INFO pump stopped\n2024-05-02 09:14:03,500 INFO gate closed\n",  # a log
        "On 3 May 2024, the pump stopped and much else happened.\n\nOn 4 May 2024, the gate closed.\n",  # prose
        "09:00 Registration\n09:30 Lunch\n",  # nothing says that it is a timeline, and nothing happens
    ],
)
def test_what_is_no_timeline(cues: DocumentCues, text: str) -> None:
    assert cues.extract(text, "en").relations == ()


def test_times_go_on_over_midnight_where_dates_are_given(cues: DocumentCues) -> None:
    text = (
        "Timeline\n\n3 May 23:50: The pump stopped.\n4 May 00:10: Crew arrived at the basin.\n"
        "00:30: Water fell again.\n"
    )
    assert ends(cues.extract(text, "en").relations, "timeline") == [
        ("The pump stopped", "Crew arrived at the basin"),
        ("Crew arrived at the basin", "Water fell again"),
    ]


def test_what_happens_in_every_incident_is_passed_over(cues: DocumentCues) -> None:
    text = "Timeline\n\n09:14 The pump stopped\n09:20 Issue detected\n09:41 Crew started the spare pump\n"
    assert ends(cues.extract(text, "en").relations, "timeline") == [("The pump stopped", "Crew started the spare pump")]


def test_numbered_steps_under_a_heading_that_says_so(cues: DocumentCues) -> None:
    text = (
        "How to replace the pump\n\n1. Close the gate, then drain the basin.\n"
        "2. If the light is red, cut the power.\n3. Lift the pump out and clean the shaft.\n"
    )
    relations = cues.extract(text, "en").relations
    assert ends(relations, "steps") == [("Close the gate", "cut the power"), ("cut the power", "Lift the pump out")]
    assert {r.confidence for r in relations} == {0.7}


def test_numbers_alone_are_no_more_than_a_possibility(cues: DocumentCues) -> None:
    text = "The basin is old.\n\n1. Close the gate.\n2. Drain the basin.\n"
    [relation] = cues.extract(text, "en").relations
    assert relation.confidence < 0.5


@pytest.mark.parametrize(
    "text",
    [
        "There are two options.\n\n1. Buy a new pump.\n2. Rent a pump.\n",
        "Action items\n\n1. Order a spare pump.\n2. Train the crew.\n",
        "Advantages\n\n1. Low price\n2. Good support\n",
        "1. Introduction\nThis is about pumps.\n2. Related work\nOthers wrote of it.\n",
        "改进措施\n1、增加备用水泵。\n2、培训值班人员。\n",
        "第一个问题是水泵老化。\n第二个问题是闸门生锈。\n",
        "```\n1. Close the gate.\n2. Drain the basin.\n```\n",
    ],
)
def test_lists_in_no_order_give_nothing(cues: DocumentCues, text: str) -> None:
    assert cues.extract(text, "en").relations == ()


def test_steps_are_also_counted_in_words_and_in_headings(cues: DocumentCues) -> None:
    text = "## Step 1: Install the agent\nFrom the site.\n## Step 2: Register the host\nIn the console.\n"
    assert ends(cues.extract(text, "en").relations, "steps") == [("Install the agent", "Register the host")]


def test_chinese_steps_and_timelines(cues: DocumentCues) -> None:
    text = (
        "处理步骤\n1、关闭闸门，并通知值班室。\n2、排空水池。\n3、更换水泵。\n\n"
        "时间线\n3月5日上午9时14分，北侧水泵停转\n9时20分，地下室进水\n9:41 抢修队启动备用水泵\n"
    )
    relations = cues.extract(text, "zh").relations
    assert ends(relations, "steps") == [("关闭闸门", "排空水池"), ("排空水池", "更换水泵")]
    assert ends(relations, "timeline") == [("北侧水泵停转", "地下室进水"), ("地下室进水", "抢修队启动备用水泵")]
    inline = cues.extract("检修时，第一步，关闭闸门；第二步，排空水池，并拍照；第三步，更换水泵。", "zh").relations
    assert ends(inline, "steps") == [("关闭闸门", "排空水池"), ("排空水池", "更换水泵")]


def test_what_stands_under_a_heading_caused_what_the_title_names(cues: DocumentCues) -> None:
    text = (
        "# Postmortem: cellars in Mill Lane flooded\n\n## Summary\n\nIt rained.\n\n## Root cause\n\n"
        "A worn seal let water into the motor, so the pump stopped.\n"
    )
    [relation] = cues.extract(text, "en").relations
    assert (relation.type.value, relation.head.text, relation.tail.text) == (
        "causal", "A worn seal let water into the motor", "cellars in Mill Lane flooded",
    )  # fmt: skip
    assert relation.cue is not None
    assert relation.cue.text == "Root cause"
    assert relation.confidence < 0.5  # a possibility: much that stands first under such a heading is background


def test_a_section_of_its_own_names_the_event_of_its_cause(cues: DocumentCues) -> None:
    text = (
        "# Known faults\n\n## Pump stops after an hour\n\nRoot cause: A filter is clogged.\n\n"
        "## Gate stays open\n\nRoot cause: The chain is rusted.\n"
    )
    assert ends(cues.extract(text, "en").relations, "cause-heading") == [
        ("A filter is clogged", "Pump stops after an hour"),
        ("The chain is rusted", "Gate stays open"),
    ]


def test_labels_name_event_and_cause_and_suspicion_is_hedged(cues: DocumentCues) -> None:
    text = (
        "Symptom: The pump stops after an hour.\nCause: A filter is clogged.\n\n"
        "Symptom: The gate stays open.\nPossible cause: The chain is rusted.\n"
    )
    first, second = cues.extract(text, "en").relations
    assert (first.head.text, first.tail.text) == ("A filter is clogged", "The pump stops after an hour")
    assert (second.head.text, second.tail.text) == ("The chain is rusted", "The gate stays open")
    assert (first.modality, second.modality) == (Modality.ASSERTED, Modality.HEDGED)
    assert second.confidence < first.confidence


def test_a_chinese_heading_announces_a_cause(cues: DocumentCues) -> None:
    text = "故障现象\n地下室大面积进水。\n\n根本原因\n根本原因是水泵密封圈老化，电机进水。\n"
    [relation] = cues.extract(text, "zh").relations
    assert (relation.head.text, relation.tail.text) == ("水泵密封圈老化", "地下室大面积进水")


@pytest.mark.parametrize(
    "text",
    [
        "Impact: Cellars flooded.\n\nRoot cause: unknown\n",
        "Impact: Cellars flooded.\n\nRoot cause: Under investigation.\n",
        "Impact: Cellars flooded.\n\nRoot cause\n\nWhy did the pump stop?\n",
        "Impact: Cellars flooded.\n\nCause\n\nThe issue was caused by two main problems.\n",
        "# Pumps\n\n## Cause\n\nA worn seal let water in.\n",  # nothing says what happened
        "故障现象\n地下室进水。\n\n根本原因\n正在调查。\n",
    ],
)
def test_no_cause_or_no_event_no_relation(cues: DocumentCues, text: str) -> None:
    assert cues.extract(text, "en").relations == ()


@pytest.mark.parametrize(
    ("row", "date", "clock", "rest"),
    [
        ("09:14 | The pump stopped", None, (9, 14, 0), "The pump stopped"),
        ("[14:02 UTC] The pump stopped", None, (14, 2, 0), "The pump stopped"),
        ("At 9:15 pm, the pump stopped", None, (21, 15, 0), "the pump stopped"),
        ("12:05 am - quiet", None, (0, 5, 0), "quiet"),
        ("2024-05-03T00:30Z pump", (2024, 5, 3), (0, 30, 0), "pump"),
        ("| 2024-05-03 | 09:14 | pump |", (2024, 5, 3), (9, 14, 0), "pump |"),
        ("Friday 3 May 2024 - pump", (2024, 5, 3), None, "pump"),
        ("March 5, 2021: pump", (2021, 3, 5), None, "pump"),
        ("2024年5月3日 09:14 停泵", (2024, 5, 3), (9, 14, 0), "停泵"),
        ("下午3点半 停泵", None, (15, 30, 0), "停泵"),
        ("1998: Founded", (1998, 0, 0), None, "Founded"),
        ("09:00–09:30 Lunch", None, (9, 0, 0), "Lunch"),
    ],
)
def test_a_line_begins_with_a_time(
    row: str, date: tuple[int, int, int] | None, clock: tuple[int, int, int] | None, rest: str
) -> None:
    moment = leading_moment(row)
    assert moment is not None
    assert (moment.date, moment.clock, row[moment.until :]) == (date, clock, rest)


@pytest.mark.parametrize("row", ["1998 people came", "12.5 litres", "3:1 ratio", "9:15am-ish", "99:99 x", "The pump"])
def test_a_line_that_begins_with_no_time(row: str) -> None:
    assert leading_moment(row) is None


def test_it_works_within_the_whole_extractor() -> None:
    result = default_extractor().extract(TIMELINE, "en")
    found = [r for r in result.relations if r.rule == "document:timeline"]
    assert len(found) == 3
    assert {r.origin for r in found} == {"document-cues@2"}
    assert "document-cues@2" in result.extractor
