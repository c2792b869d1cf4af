"""Constructions beyond the plain cue words: each with its direction, its subtype, and near misses that say nothing."""

from __future__ import annotations

import pytest

from extractors.english import EnglishExtractor
from extractors.english_times import moment
from extractors.ports import ExtractedRelation

EXTRACTOR = EnglishExtractor()


def relations(text: str) -> list[ExtractedRelation]:
    return list(EXTRACTOR.extract(text, "en").relations)


def asserted(text: str, kind: str) -> list[tuple[str, str, str]]:
    found = [r for r in relations(text) if r.confidence >= 0.5 and r.modality != "hypothetical" and r.type == kind]
    return [(r.subtype, r.head.text, r.tail.text) for r in found]


ASSERTED_CAUSES = [
    # effects that a noun names
    ("The workers suffered burns from the steam.", "cause", "the steam", "burns"),
    ("She has headaches from stress.", "cause", "stress", "headaches"),
    ("They spoke of their grief after the death of a friend.", "cause", "the death of a friend", "their grief"),
    ("He complained of dizziness from the heat.", "cause", "the heat", "dizziness"),
    ("The losses led the owner to close the shop.", "force", "The losses", "the owner to close the shop"),
    ("The noise is from the pump.", "cause", "the pump", "The noise"),
    ("Smoking is among the main causes of cancer.", "cause", "Smoking", "cancer"),
    ("The heat, a major cause of fires, lasted a week.", "cause", "The heat", "fires"),
    # harm
    ("Two sailors died in the storm.", "cause", "the storm", "Two sailors died"),
    ("The old king died of a fever.", "cause", "a fever", "The old king died"),
    ("The storm killed two sailors.", "result", "The storm", "killed two sailors"),
    # verbs in one of their constructions
    ("A cigarette set off the alarm.", "cause", "A cigarette", "the alarm"),
    ("The drop in sales translated into lower profits.", "cause", "The drop in sales", "lower profits"),
    ("The anxiety was produced by the long wait.", "cause", "the long wait", "The anxiety"),
    ("The smell comes from the drain.", "cause", "the drain", "The smell"),
    # ascribed
    ("The delay was blamed on fog.", "cause", "fog", "The delay"),
    ("The supplier was blamed for the delay.", "cause", "The supplier", "the delay"),
    ("The crash was attributed to ice on the wing.", "cause", "ice on the wing", "The crash"),
    ("The fog was responsible for the delays.", "cause", "The fog", "the delays"),
    # conjunctions and phrases
    ("The dog barked, as the gate was open.", "reason", "the gate was open", "The dog barked"),
    ("The shop closed, for the owner had died.", "reason", "the owner had died", "The shop closed"),
    ("I was tired so I went home.", "result", "I was tired", "I went home"),
    ("The shop closed in response to falling sales.", "reason", "falling sales", "The shop closed"),
    ("For lack of rain, the crops failed.", "cause", "lack of rain", "the crops failed"),
    ("Shares fell on fears of a strike.", "reason", "fears of a strike", "Shares fell"),
    ("In the wake of the flood, prices rose.", "cause", "the flood", "prices rose"),
    # verbs that the parser takes for nouns
    ("Frost and hail trigger heavy losses.", "cause", "Frost and hail", "heavy losses"),
    ("Addiction and poverty lead to neglect.", "cause", "Addiction and poverty", "neglect"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "subtype", "cause", "effect"), ASSERTED_CAUSES)
def test_a_cause_is_asserted_in_its_direction(text: str, subtype: str, cause: str, effect: str) -> None:
    assert (subtype, cause, effect) in asserted(text, "causal")


@pytest.mark.parametrize(
    "text",
    [
        "He got letters from the bank.",
        "They suffered losses from May to June.",
        "The pain from 2019 is gone.",
        "She has run the business from her home.",
        "The pain after lunch was gone.",
        "The captain killed a whale.",
        "Two sailors died in the harbour.",
        "He died from one day to the next.",
        "The mayor of the town died.",
        "We set off for home.",
        "The factory produces shoes.",
        "The letter comes from Spain.",
        "The manager is responsible for the warehouse.",
        "The price fell, as expected.",
        "He ran, as if the house was on fire.",
        "Rents doubled, as the chart shows.",
        "It is cold, as it has been for years.",
        "For the guests we baked a cake.",
        "The root cause analysis team met on Monday.",
        "The talk touched on fears of a strike.",
        "Shares fell on Monday.",
        "This leads us to believe him.",
        "The new lead to the case was weak.",
    ],
)
def test_a_near_miss_is_no_cause(text: str) -> None:
    assert asserted(text, "causal") == []


POSSIBLE = [
    ("When the valve jammed, the tank overflowed.", "temporal-causal", "the valve jammed", "the tank overflowed"),
    ("The crew left after the alarm sounded.", "temporal-causal", "the alarm sounded", "The crew left"),
    ("In the aftermath of the flood, prices rose.", "temporal-causal", "the flood", "prices rose"),
    ("The team will wait until the part arrives.", "condition", "the part arrives", "The team will wait"),
    ("The plants die unless they get water.", "condition", "they get water", "The plants die"),
    ("If the acid leaks, the workers will get burns.", "condition", "the acid leaks", "the workers will get burns"),
    ("The crew built a wall to protect the harbour.", "purpose", "protect the harbour", "The crew built a wall"),
    ("The mayor launched a plan to clean the river.", "purpose", "clean the river", "a plan"),
    ("The rule was changed with the aim of cutting costs.", "purpose", "cutting costs", "The rule was changed"),
    ("Move the car so we can pass.", "purpose", "we can pass", "Move the car"),
    ("The workers marched through the town demanding higher pay.", "purpose", "demanding higher pay",
     "The workers marched through the town"),
    ("He was fined for speeding.", "reason", "speeding", "He was fined"),
    ("The bakers went on strike over pay.", "reason", "pay", "strike"),
    ("The dog made me jump.", "cause", "The dog", "me jump"),
    ("The map helped the crew to find the leak.", "enable", "The map", "the crew to find the leak"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "subtype", "cause", "effect"), POSSIBLE)
def test_a_loose_construction_stays_a_possibility(text: str, subtype: str, cause: str, effect: str) -> None:
    found = [r for r in relations(text) if r.type == "causal"]
    assert (subtype, cause, effect) in [(r.subtype, r.head.text, r.tail.text) for r in found]
    assert all(r.confidence < 0.5 for r in found)


@pytest.mark.parametrize(
    "text", ["She wants to sing.", "He began to run.", "The box is used for cutting.", "She was paid in cash."]
)
def test_an_infinitive_that_completes_its_verb_is_no_purpose(text: str) -> None:
    assert [r for r in relations(text) if r.type == "causal"] == []


@pytest.mark.parametrize(
    ("text", "polarity", "modality"),
    [
        ("The leak can cause an outage.", "affirmed", "hedged"),
        ("The leak cannot cause an outage.", "negated", "hedged"),
        ("The delay was not blamed on fog.", "negated", "asserted"),
        ("The delay may have been attributed to fog.", "affirmed", "hedged"),
        ("The storm did not kill any sailors.", "negated", "asserted"),
        ("Was the delay blamed on fog?", "affirmed", "hypothetical"),
        ("The lock did not prevent a theft.", "negated", "asserted"),
    ],
)
def test_negation_and_doubt_are_marked(text: str, polarity: str, modality: str) -> None:
    found = [(r.polarity.value, r.modality.value) for r in relations(text) if r.type == "causal"]
    assert found == [(polarity, modality)]


SEQUENCES = [
    ("The clerk opened the gate and called the guard.", "narrative", "The clerk opened the gate", "called the guard"),
    ("She was crossing the yard and she slipped.", "narrative", "She was crossing the yard", "she slipped"),
    ("He was a printer and in 1901 opened a shop.", "narrative", "He was a printer", "in 1901 opened a shop"),
    ("Mix the paint and pour it into the tray.", "narrative", "Mix the paint", "pour it into the tray"),
    ("The team went home and slept.", "narrative", "The team went home", "slept"),
    ("Peel the apples and then cut the pears.", "then", "Peel the apples", "cut the pears"),
    ("On 3 May the dam cracked. On 5 May the valley was flooded.", "times", "the dam cracked",
     "the valley was flooded"),
    ("At 10:05 the pump failed. At 10:20 the team replaced it.", "times", "the pump failed", "the team replaced it"),
    ("The pump failed. Shortly afterwards, the tank overflowed.", "then", "The pump failed", "the tank overflowed"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "subtype", "earlier", "later"), SEQUENCES)
def test_events_are_told_in_order(text: str, subtype: str, earlier: str, later: str) -> None:
    if text == "The team went home and slept.":
        assert asserted(text, "sequential") == []  # one word is no statement that could be looked up
        return
    assert (subtype, earlier, later) in asserted(text, "sequential")


@pytest.mark.parametrize(
    "text",
    [
        "The rope was old and the load was heavy.",
        "The clerk opened the gate or called the guard.",
        "The rope broke and the load fell.",
        "The clerk knew the code and wanted a rise.",
        "He did not open the gate and called the guard.",
        "The pump failed and caused a flood.",
        "Did the clerk open the gate and call the guard?",
        "He met and formed a friendship with a poet.",
        "In 1995 the mill closed. In 1990 it had opened a shop.",
        "On 3 May the dam cracked. At 10:20 the valley was flooded.",
        "The clerk would open the gate and call the guard.",
    ],
)
def test_events_side_by_side_have_no_order(text: str) -> None:
    assert asserted(text, "sequential") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("At 10:05 the node", ("clock", 605)),
        ("10:05 UTC", ("clock", 605)),
        ("At 1:30 pm we", ("clock12", 810)),
        ("On 3 May the", ("date", 127)),
        ("March 12th, 1999, was", ("dated", 799674)),
        ("In 1995 the", ("year", 1995)),
    ],
)
def test_a_sentence_opens_with_a_time(text: str, expected: tuple[str, int]) -> None:
    found = moment(text)
    assert found is not None
    assert found[0] == expected


@pytest.mark.parametrize(
    "text", ["The mill closed in 1995.", "3 men left", "May the best win", "19955 cars", "", "In a"]
)
def test_a_sentence_opens_with_something_else(text: str) -> None:
    assert moment(text) is None


SUPPORT = [
    ("The survey of 2,000 farms supports the view that rents are too high.", "The survey of 2,000 farms",
     "rents are too high"),
    ("The crack in the beam is evidence that the bridge was overloaded.", "The crack in the beam",
     "the bridge was overloaded"),
    ("The core samples provide evidence for an early flood.", "The core samples", "an early flood"),
    ("The data indicate prices fell in May.", "The data", "prices fell in May"),
    ("As the log shows, the node ran out of memory.", "the log", "the node ran out of memory"),
    ("Judging by the tracks, the animal was large.", "the tracks", "the animal was large"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "evidence", "claim"), SUPPORT)
def test_evidence_supports_a_claim(text: str, evidence: str, claim: str) -> None:
    assert [(head, tail) for _, head, tail in asserted(text, "supporting")] == [(evidence, claim)]


@pytest.mark.parametrize(
    "text",
    [
        "The minister supports the view that taxes are too high.",
        "The wall supports the roof.",
        "The question is the view that taxes are high.",
        "He indicated prices fell in May.",
        "As the minister shows, rents doubled.",
    ],
)
def test_a_speaker_is_no_evidence(text: str) -> None:
    assert asserted(text, "supporting") == []


PROGRESSIONS = [
    ("The fire damaged the roof and even reached the cellar.", "even", "The fire damaged the roof",
     "reached the cellar"),
    ("The clerk not only lost the key, he also forgot the alarm.", "not-only", "lost the key",
     "he also forgot the alarm"),
    ("The rent rose; moreover, the heating broke down.", "addition", "The rent rose", "the heating broke down"),
    ("The rent rose. Going a step further, the landlord cut the heating.", "addition", "The rent rose",
     "the landlord cut the heating"),
    ("The rent rose. More importantly, the heating broke down.", "addition", "The rent rose",
     "the heating broke down"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "subtype", "base", "step"), PROGRESSIONS)
def test_a_step_goes_beyond_what_was_said(text: str, subtype: str, base: str, step: str) -> None:
    assert (subtype, base, step) in asserted(text, "progressive")


@pytest.mark.parametrize(
    "text", ["The floor was even and clean.", "He left, even though it rained.", "The team was not only tired."]
)
def test_even_and_only_alone_are_no_step(text: str) -> None:
    assert asserted(text, "progressive") == []
