"""Sentences whose verb the small model takes for another word are read as sentences all the same."""

from __future__ import annotations

import pytest

from extractors.english import EnglishExtractor

EXTRACTOR = EnglishExtractor()


def asserted(text: str, kind: str = "causal") -> list[tuple[str, str]]:
    found = EXTRACTOR.extract(text, "en").relations
    return [(r.head.text, r.tail.text) for r in found if r.type == kind and r.confidence >= 0.5]


@pytest.mark.parametrize(
    ("text", "cause", "effect"),
    [
        # a verb in the present that could be a plural noun, before a clause
        ("A compressor seizes because its bearings are worn.", "its bearings are worn", "A compressor seizes"),
        ("The circuit breaker trips because the motor is jammed.", "the motor is jammed", "The circuit breaker trips"),
        ("The bearing overheats because oil is missing.", "oil is missing", "The bearing overheats"),
        ("The share price slides because investors fear it.", "investors fear it", "The share price slides"),
        ("A landlord sues because rent is unpaid.", "rent is unpaid", "A landlord sues"),
        ("Ice forms on the wing because the air is moist.", "the air is moist", "Ice forms on the wing"),
        # before its object
        ("Smoking damages the lungs.", "Smoking", "damages the lungs"),
        ("A loose clamp damages the hose.", "A loose clamp", "damages the hose"),
        # after a conjunction
        ("The pump stopped because sand clogs the filter.", "sand clogs the filter", "The pump stopped"),
        ("They do not ask, because fear blocks thought.", "fear blocks thought", "They do not ask"),
        # a rare form of the past
        ("Margins shrank, and therefore the company raised its fees.", "Margins shrank", "the company raised its fees"),
    ],
)
def test_a_verb_that_was_read_as_a_noun_or_adjective_is_a_verb(text: str, cause: str, effect: str) -> None:
    assert (cause, effect) in asserted(text)


@pytest.mark.parametrize(
    "text",
    [
        "Reports of the committee, the minutes and all letters.",
        "Terms and conditions the customer has signed.",
        "Bearings, seals and belts because of their price.",
        "The keys the guard had.",
    ],
)
def test_a_noun_stays_a_noun(text: str) -> None:
    assert asserted(text) == []


@pytest.mark.parametrize(
    ("text", "cause", "effect"),
    [
        ("The road was blocked by a landslide.", "a landslide", "The road was blocked"),
        ("The crops were ruined by drought.", "drought", "The crops were ruined"),
        ("Heavy rain flooded the underpass.", "Heavy rain", "flooded the underpass"),
        ("Snow delayed the trains.", "Snow", "delayed the trains"),
        ("A memory leak meant that the workers stopped.", "A memory leak", "the workers stopped"),
        ("Higher wages mean higher costs.", "Higher wages", "higher costs"),
        ("The bolts failed owing to a crack in the thread.", "a crack in the thread", "The bolts failed"),
        ("For want of spare parts, the line stood still.", "want of spare parts", "the line stood still"),
        ("The contract was annulled on the ground of fraud.", "fraud", "The contract was annulled"),
        ("The switch failed, which caused a spike of errors.", "The switch failed", "a spike of errors"),
    ],
)
def test_what_a_force_does_is_its_effect(text: str, cause: str, effect: str) -> None:
    assert (cause, effect) in asserted(text)


@pytest.mark.parametrize(
    "text",
    [
        "The road was blocked by the police.",
        "The word means that the port is closed.",
        "The minister stopped the reform.",
        "The court found that the claim was void.",
    ],
)
def test_what_somebody_does_is_no_force(text: str) -> None:
    assert asserted(text) == []
    assert asserted(text, "supporting") == []


@pytest.mark.parametrize(
    ("text", "earlier", "later"),
    [
        ("Remove the cover before you disconnect the battery.", "Remove the cover", "you disconnect the battery"),
        ("Disconnect the battery before removing the starter.", "Disconnect the battery", "removing the starter"),
        ("After you have tightened the bolts, check the torque.", "you have tightened the bolts", "check the torque"),
        ("Once the pump has been primed, open the valve.", "the pump has been primed", "open the valve"),
        ("The alert fired, after which an engineer joined the call.", "The alert fired", "an engineer joined the call"),
        ("The plant shut down after losing power.", "losing power", "The plant shut down"),
    ],
)
def test_steps_and_happenings_have_an_order(text: str, earlier: str, later: str) -> None:
    assert (earlier, later) in asserted(text, "sequential")


@pytest.mark.parametrize(
    "text",
    [
        "Always let the soil dry before you water the cuttings.",
        "Call us before the deadline.",
        "A heron flies away after catching a fish.",
    ],
)
def test_a_habit_or_an_appointment_is_no_step(text: str) -> None:
    assert asserted(text, "sequential") == []


def test_a_trial_that_finds_something_is_evidence_for_it() -> None:
    found = asserted("The trial found that the drug reduces mortality.", "supporting")
    assert found == [("The trial", "the drug reduces mortality")]
