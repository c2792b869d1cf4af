"""Relations in English sentences, with every expected end worked out by hand."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractors.english import EnglishExtractor
from extractors.ports import ExtractedRelation

EXTRACTOR = EnglishExtractor()


def relations(text: str) -> list[ExtractedRelation]:
    return list(EXTRACTOR.extract(text, "en").relations)


def asserted(text: str) -> list[ExtractedRelation]:
    return [r for r in relations(text) if r.confidence >= 0.5]


def summary(relation: ExtractedRelation) -> tuple[str, str, str]:
    return relation.type.value, relation.head.text, relation.tail.text


CAUSAL = [
    ("The outage was caused by a full disk.", "a full disk", "The outage"),
    ("A full disk caused the outage.", "A full disk", "the outage"),
    ("Restarting the server caused a brief outage.", "Restarting the server", "a brief outage"),
    ("The deploy caused the servers to restart.", "The deploy", "the servers to restart"),
    ("The drought led to a shortage of wheat.", "The drought", "a shortage of wheat"),
    ("The merger resulted in heavy losses.", "The merger", "heavy losses"),
    ("The delay resulted from a lack of staff.", "a lack of staff", "The delay"),
    ("The conflict stems from an old dispute over water.", "an old dispute over water", "The conflict"),
    ("New problems arose from the change.", "the change", "New problems"),
    ("The email triggered an investigation.", "The email", "an investigation"),
    ("The speech sparked protests in the capital.", "The speech", "protests in the capital"),
    ("The remark provoked outrage.", "The remark", "outrage"),
    ("The explosion brought about the collapse of the bridge.", "The explosion", "the collapse of the bridge"),
    ("The scandal gave rise to new rules.", "The scandal", "new rules"),
    ("The storm forced the airport to close.", "The storm", "the airport to close"),
    ("The leak prompted the company to recall the drug.", "The leak", "the company to recall the drug"),
    ("The protests were sparked by a rise in bread prices.", "a rise in bread prices", "The protests"),
    ("The alarm was triggered by smoke.", "smoke", "The alarm"),
    ("Traffic dropped because the balancer removed the node.", "the balancer removed the node", "Traffic dropped"),
    ("Because the disk was full, the writes failed.", "the disk was full", "the writes failed"),
    ("Since the alert was disabled, nobody noticed the outage.", "the alert was disabled", "nobody noticed the outage"),
    ("The node crashed because of a memory leak.", "a memory leak", "The node crashed"),
    ("Because of the strike, the trains stopped.", "the strike", "the trains stopped"),
    ("Due to a faulty disk, users saw errors.", "a faulty disk", "users saw errors"),
    ("The outage was due to a faulty disk.", "a faulty disk", "The outage"),
    ("The match was cancelled due to heavy rain.", "heavy rain", "The match was cancelled"),
    ("Owing to the fog, the flight was delayed.", "the fog", "the flight was delayed"),
    ("Thanks to the backup, no data was lost.", "the backup", "no data was lost"),
    ("The port closed as a result of the storm.", "the storm", "The port closed"),
    ("The queue was full, so the workers stopped.", "The queue was full", "the workers stopped"),
    ("The queue was so slow that requests timed out.", "The queue was so slow", "requests timed out"),
    ("The disk was full and therefore the writes failed.", "The disk was full", "the writes failed"),
    ("The disk was full; consequently, the writes failed.", "The disk was full", "the writes failed"),
    ("The disk filled up. Therefore, the service stopped.", "The disk filled up", "the service stopped"),
    ("The disk filled up. As a result, the service stopped.", "The disk filled up", "the service stopped"),
    ("The disk filled up. Consequently, the service stopped.", "The disk filled up", "the service stopped"),
    ("The disk filled up. This led to data loss.", "The disk filled up", "data loss"),
    ("The disk filled up. This caused an outage.", "The disk filled up", "an outage"),
    ("The node failed, causing requests to time out.", "The node failed", "requests to time out"),
    ("The bridge collapsed, killing three people.", "The bridge collapsed", "killing three people"),
    ("The storm hit the coast, leaving thousands without power.", "The storm hit the coast", "thousands without power"),
    ("The disk filled up, which caused an outage.", "The disk filled up", "an outage"),
    ("The outage was caused by a typo in a config file.", "a typo in a config file", "The outage"),
    ("The outage was caused by a typo in 2019.", "a typo", "The outage"),
    ("The report said that the crash was caused by ice.", "ice", "the crash"),
    ("Production fell because demand was weak, the minister said.", "demand was weak", "Production fell"),
    ("The siren re-started due to a gust.", "a gust", "The siren re-started"),
    ("A patch was made to mend the menu which caused an outage.", "A patch was made to mend the menu", "an outage"),
    ("The mistake resulted in parcels not being delivered.", "The mistake", "parcels not being delivered"),
    ("The bug that caused the outage was fixed.", "The bug", "the outage"),
    ("An outage caused by a leak lasted two hours.", "a leak", "An outage"),
    ("The root cause of the outage was a full disk.", "a full disk", "the outage"),
    ("The cause of the outage was that the disk filled up.", "the disk filled up", "the outage"),
    ("The reason for the delay was a strike.", "a strike", "the delay"),
    ("Human error is one of the leading causes of outages.", "Human error", "outages"),
    ("High prices are the result of weak harvests.", "weak harvests", "High prices"),
    ("Exposure to heat results in burns.", "Exposure to heat", "burns"),
    ("Frost and hail cause losses in the orchards.", "Frost and hail", "losses in the orchards"),
    ("Given the price of copper, the mine reopened in May.", "the price of copper",
     "the mine reopened in May"),
    ("Rents went up, and as a result several shops closed.", "Rents went up", "several shops closed"),
    ("The dam broke; as a consequence, the valley was flooded.", "The dam broke", "the valley was flooded"),
    ("As a result of lower rents, new shops opened.", "lower rents", "new shops opened"),
    ("Since the generator tripped, the lights went out.", "the generator tripped", "the lights went out"),
    ("Since the token expired, the client could not log in.", "the token expired", "the client could not log in"),
    ("Since the permit was refused, the builder cancelled the project.", "the permit was refused",
     "the builder cancelled the project"),
    ("The archive filled up because the cleanup task was disabled.", "the cleanup task was disabled",
     "The archive filled up"),
    ("The intake clogged, which led to a loss of pressure.", "The intake clogged", "a loss of pressure"),
    ("The intake clogged, which caused the turbine to stop.", "The intake clogged", "the turbine to stop"),
    ("A digger hit the main, which in turn led to a flood in the cellar.", "A digger hit the main",
     "a flood in the cellar"),
    ("The frost caused fruit, both apples and pears, to rot.", "The frost", "fruit, both apples and pears, to rot"),
    ("The bug caused an outage, to say the least.", "The bug", "an outage"),
    ("The crew opened the hatch, removed the filter and caused a spill.",
     "The crew opened the hatch, removed the filter", "a spill"),
    ("The mill closed and moved to Spain because wages rose.", "wages rose", "The mill closed and moved to Spain"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "cause", "effect"), CAUSAL)
def test_a_causal_relation_runs_from_cause_to_effect(text: str, cause: str, effect: str) -> None:
    assert ("causal", cause, effect) in [summary(r) for r in asserted(text)]


OTHER = [
    ("The lock prevented two writers from colliding.", "causal", "prevent", "The lock", "two writers from colliding"),
    ("The new rule allows farmers to sell milk.", "causal", "enable", "The new rule", "farmers to sell milk"),
    ("After the patch was applied, the errors stopped.", "sequential", "after", "the patch was applied",
     "the errors stopped"),
    ("The errors stopped after the patch was applied.", "sequential", "after", "the patch was applied",
     "The errors stopped"),
    ("The node rebooted before the backup finished.", "sequential", "before", "The node rebooted",
     "the backup finished"),
    ("Before the upgrade, the team took a backup.", "sequential", "before", "the team took a backup", "the upgrade"),
    ("The explosion was followed by a fire.", "sequential", "followed", "The explosion", "a fire"),
    ("After the router was swapped, the nightly task was disabled.", "sequential", "after", "the router was swapped",
     "the nightly task was disabled"),
    ("Once the fix was deployed, latency returned to normal.", "sequential", "once", "the fix was deployed",
     "latency returned to normal"),
    ("As soon as the patch was applied, the errors stopped.", "sequential", "once", "the patch was applied",
     "the errors stopped"),
    ("First the pump failed, then the tank overflowed.", "sequential", "then", "the pump failed",
     "the tank overflowed"),
    ("The pump failed. Then the tank overflowed.", "sequential", "then", "The pump failed", "the tank overflowed"),
    ("The pump failed. Subsequently, the tank overflowed.", "sequential", "then", "The pump failed",
     "the tank overflowed"),
    ("The logs show that the disk was full.", "supporting", "shows", "The logs", "the disk was full"),
    ("A recent survey suggests that demand is weak.", "supporting", "shows", "A recent survey", "demand is weak"),
    ("According to the report, sales doubled.", "supporting", "source", "the report", "sales doubled"),
    ("The load was too high, as shown by the metrics.", "supporting", "evidence", "the metrics",
     "The load was too high"),
    ("The dam had cracks. For example, water came through the north wall.", "supporting", "example",
     "water came through the north wall", "The dam had cracks"),
    ("The bug not only broke search but also corrupted the index.", "progressive", "not-only", "broke search",
     "corrupted the index"),
    ("The disk filled up. Moreover, the backups were lost.", "progressive", "addition", "The disk filled up",
     "the backups were lost"),
    ("The disk filled up. In addition, the backups were lost.", "progressive", "addition", "The disk filled up",
     "the backups were lost"),
    ("In addition to the outage, the team lost a week of data.", "progressive", "addition", "the outage",
     "the team lost a week of data"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "subtype", "head", "tail"), OTHER)
def test_other_relations_and_subtypes(text: str, kind: str, subtype: str, head: str, tail: str) -> None:
    assert (kind, subtype, head, tail) in [(r.type.value, r.subtype, r.head.text, r.tail.text) for r in asserted(text)]


@pytest.mark.parametrize(
    ("text", "polarity", "modality"),
    [
        ("The outage was caused by a leak.", "affirmed", "asserted"),
        ("The outage was not caused by a leak.", "negated", "asserted"),
        ("The leak did not lead to an outage.", "negated", "asserted"),
        ("The leak never caused an outage.", "negated", "asserted"),
        ("The leak failed to trigger an alarm.", "negated", "asserted"),
        ("The outage was not due to a leak.", "negated", "asserted"),
        ("The outage may have been caused by a leak.", "affirmed", "hedged"),
        ("The outage might be due to a leak.", "affirmed", "hedged"),
        ("The leak could lead to an outage.", "affirmed", "hedged"),
        ("The leak possibly caused the outage.", "affirmed", "hedged"),
        ("The outage was probably due to a leak.", "affirmed", "hedged"),
        ("The storm appears to have triggered the landslide.", "affirmed", "hedged"),
        ("The leak is likely to cause an outage.", "affirmed", "hedged"),
        ("A leak would cause an outage.", "affirmed", "hypothetical"),
        ("Did the leak cause the outage?", "affirmed", "hypothetical"),
        ("If the tank leaks, the acid will cause burns.", "affirmed", "hypothetical"),
        ("The team does not know the tool because the training was cancelled.", "affirmed", "asserted"),
    ],
)
def test_how_a_causal_relation_is_said(text: str, polarity: str, modality: str) -> None:
    found = [(r.polarity.value, r.modality.value) for r in asserted(text) if r.type == "causal"]
    assert found == [(polarity, modality)]


@pytest.mark.parametrize(
    "text",
    [
        "The service has been stable since 2019.",
        "The team has been on call since the incident began.",
        "So far nothing has broken.",
        "As of today the service runs in three zones.",
        "After all, we tried.",
        "He fought for the cause all his life.",
        "The cause was heard in court.",
        "The then-president resigned.",
        "Because: A Short History of Reasons",
        "The root cause analysis took two days.",
        "It led us to the old house.",
        "This is a way to prevent errors.",
        "The path leads to the river.",
        "It may rain later.",
        "Please see the notes before you ask.",
        "The team was not only tired.",
        "What caused it?",
        "We do not know what led to this.",
        "The minister confirmed that prices rose.",
        "Everything went according to plan.",
        "Just because a lamp glows does not mean the current is safe.",
        "It caused that.",
        "This led to data loss.",
        "The lead engineer results page",
        "The council forced plans through and hired new staff to draft the rules.",
        "Even after the patch was applied, errors continued.",
        "She followed a trail leading to the suspect.",
        "The airport was forced by the storm to close.",
        "Prices are high.",
        "Since the bridge opened, traffic doubled.",
        "Since the club was founded, it won nine titles.",
        "Since the sensor was replaced, the alarm stopped every night.",
        "Since the valve failed, the crew has worked in shifts.",
        "The crew worked in shifts since the valve failed.",
        "The delay was caused by two reasons.",
        "The failure was due to a number of different factors.",
        "The strike had many causes and led to several consequences.",
        "The fire spread and as a result killed two people.",
        "The operator heard the alarm in the early hours of the morning of the third day, but ignored it because the "
        "siren was muted.",
        "",
        "   \n\t ",
    ],
)
def test_no_relation_is_asserted(text: str) -> None:
    assert asserted(text) == []


def test_purpose_and_condition_stay_possibilities() -> None:
    purpose = relations("We restarted the pods in order to apply the fix.")
    condition = relations("If the queue fills up, the workers will crash.")
    assert [(r.subtype, *summary(r)) for r in purpose] == [
        ("purpose", "causal", "apply the fix", "We restarted the pods")
    ]
    assert [(r.subtype, *summary(r), r.modality.value) for r in condition] == [
        ("condition", "causal", "the queue fills up", "the workers will crash", "hypothetical")
    ]
    assert all(r.confidence <= 0.4 for r in purpose + condition)


def test_a_link_never_crosses_a_paragraph() -> None:
    assert asserted("The disk filled up.\n\nTherefore, the service stopped.") == []


def test_a_link_through_this_takes_what_it_led_to() -> None:
    found = [
        summary(r) for r in asserted("The deploy failed. This led to data loss. As a result, customers complained.")
    ]
    assert found == [
        ("causal", "The deploy failed", "data loss"),
        ("causal", "data loss", "customers complained"),
    ]


def test_markdown_marks_stay_outside_of_ends() -> None:
    text = "## Summary\n\nThe **primary node** failed due to `a full disk`.\n\n- Cause: see [docs](http://example.org/because)\n"
    assert [summary(r) for r in asserted(text)] == [("causal", "a full disk", "The **primary node** failed")]


def test_cells_of_a_table_are_read_one_by_one() -> None:
    text = "| Time | Event |\n|---|---|\n| 10:00 | Node failed due to a kernel bug |\n| 10:05 | Traffic stopped |\n"
    assert [summary(r) for r in asserted(text)] == [("causal", "a kernel bug", "Node failed")]


def test_a_wrapped_line_is_one_sentence_and_a_list_item_is_its_own() -> None:
    text = "- The node failed because\n  the disk was full\n- Therefore the team was paged\n"
    assert [summary(r) for r in asserted(text)] == [("causal", "the disk was full", "The node failed")]


def test_offsets_are_code_points_of_the_given_text() -> None:
    text = "🔥🔥 “Résumé” — the outage was caused by a full disk."
    (relation,) = asserted(text)
    for span in (relation.head, relation.tail, relation.cue):
        assert span is not None
        assert text[span.start : span.end] == span.text
    assert summary(relation) == ("causal", "a full disk", "the outage")


def test_keys_come_from_the_words_of_the_ends() -> None:
    (relation,) = asserted("A rise in crude prices caused a drop in demand.")
    assert (relation.head_key.text, relation.tail_key.text) == ("up:crude price", "down:demand")


def test_another_language_is_refused_with_a_reason() -> None:
    with pytest.raises(ValueError, match="reads English"):
        EXTRACTOR.extract("因为下雨", "zh")


def test_sentences_too_long_to_read_are_left_out_and_told() -> None:
    text = "The disk caused the outage. " + "word and " * 300 + "end. The leak caused a fire."
    result = EXTRACTOR.extract(text, "en")
    assert ("causal", "The disk", "the outage") in [summary(r) for r in result.relations]
    assert result.degraded


ODD = [
    "\x00\x01\x02", "a" * 50_000, "| | | |\n" * 200, "مرحبا because שלום", "\u202e\ufeffbecause\u200d",
    "because " * 500,
    "](" * 1000, "```\ncaused by\n", "**" * 5000,
]  # fmt: skip


@pytest.mark.parametrize("text", ODD)
def test_odd_input_is_survived(text: str) -> None:
    assert EXTRACTOR.extract(text, "en").language == "en"


PARTS = """
the disk caused because, of a due to Therefore, led outage which was not only but also after then so that | - **
this . ? 👍 عربي “ ” ( ) [x](y) `z` if since prices rose fell, killing
"""
WORDS = st.sampled_from([*PARTS.split(), "\n", "\u200b", "\n\n"])


@settings(max_examples=120, deadline=None)
@given(st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=40).map(" ".join)))
def test_slices_match_and_ends_are_disjoint_on_any_text(text: str) -> None:
    for relation in relations(text):
        for span in (relation.head, relation.tail, relation.cue):
            assert span is None or text[span.start : span.end] == span.text
        assert not relation.head.overlaps(relation.tail)
        assert relation.head.text == relation.head.text.strip()
        assert relation.tail.text == relation.tail.text.strip()


def test_two_threads_find_what_one_finds() -> None:
    texts = [text for text, _, _ in CAUSAL[:12]]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(relations, texts * 3))
    assert together == [relations(text) for text in texts] * 3


@pytest.mark.parametrize(
    "text", [" " * 40_000 + "a", "![](" + "a" * 40_000, "<!--" * 5_000, "[" * 20_000, "> " * 20_000]
)
def test_hostile_marks_take_time_in_proportion(text: str) -> None:
    started = time.process_time()
    EXTRACTOR.extract(text, "en")
    assert time.process_time() - started < 10
