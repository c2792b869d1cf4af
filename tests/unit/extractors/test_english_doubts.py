"""What the English extractor completes, and what it finds but does not assert."""

from __future__ import annotations

import pytest

from extractors.english import EnglishExtractor
from storage.records import Modality, RelationType

EXTRACTOR = EnglishExtractor()


def asserted(text: str) -> list[tuple[str, str]]:
    return [(r.head.text, r.tail.text) for r in EXTRACTOR.extract(text, "en").relations if r.confidence >= 0.5]


def test_the_name_tells_the_version() -> None:
    assert EXTRACTOR.name == "english-cues@8"


@pytest.mark.parametrize(
    ("text", "head", "tail"),
    [
        ("The old pipes, when not drained in autumn, caused the boiler to burst.",
         "The old pipes, when not drained in autumn", "the boiler to burst"),
        ("A crack was noticed and caused a leak.", "A crack", "a leak"),
        ("Discovered a loose bolt in the frame which caused the rattle.", "a loose bolt in the frame", "the rattle"),
        ("The flood led to crop losses which led to higher prices.", "crop losses", "higher prices"),
        ("Trains delayed due to a signal fault", "a signal fault", "Trains delayed"),
        ("Root cause analysis showed that the belt was worn.", "Root cause analysis", "the belt was worn"),
        ("The trip was delayed due to thick fog, poor planning of the route, and a broken bus.",
         "thick fog, poor planning of the route, and a broken bus", "The trip was delayed"),
        ("The frost led to lost crops, higher prices and empty shelves.", "The frost",
         "lost crops, higher prices and empty shelves"),
        ("The frost caused losses, and the farmers protested.", "The frost", "losses"),
        ("These fumes cause a sore throat.", "These fumes", "a sore throat"),
        ("The drag caused by the net slows the boat.", "the net", "The drag"),
        ("The rash stemmed from an allergy to nickel.", "an allergy to nickel", "The rash"),
    ],
)  # fmt: skip
def test_ends_are_whole(text: str, head: str, tail: str) -> None:
    assert (head, tail) in asserted(text)


@pytest.mark.parametrize(
    "text",
    [
        # the end says nothing by itself
        "These problems forced the mill to close.",
        "The situation caused a panic.",
        "Mixing these caused a fire.",
        "The crash stemmed from a combination of factors.",
        # advice, goals, what did not happen
        "Check the valves since the last crew forgot them.",
        "Quickly move the boats due to rising water.",
        "Visitors should wear boots because the path is muddy.",
        "A stronger dam would have prevented the flood.",
        "A guard is posted, ensuring that visitors do not cause damage.",
        "The hall should be aired before guests arrive.",
        # which clause is meant is a guess
        "The baker told the clerk who left because of the noise.",
        "The harvest was poor, with the first losses stemming from a late frost.",
        "The crack stayed hidden until after the bridge opened.",
        "Two key factors caused the delay.",
        "They noted a fault during repair works that caused a short circuit.",
        "Complaints included late buses, dirty seats due to poor cleaning.",
        # weak cues in long sentences
        "The gate did not allow lorries to enter the yard causing a queue on the road.",
        "The clerk stamped the form before noon prayers ended and the office shut its doors.",
        "The mood was bad since the team is losing.",
        'The label read "keep dry because the glue melts.',
    ],
)
def test_what_may_be_misread_is_not_asserted(text: str) -> None:
    assert asserted(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "The access road was flooded because of heavy rain.",
        "The port closed because the access road flooded.",
        "Since the controller shipment was delayed, the hardware tests were postponed.",
        "The hardware tests were postponed, so the March release slipped.",
        "After the scheduler was replaced, the renewal job was disabled.",
        "The new seal keeps moisture out, as shown by the chamber log.",
        "According to the field trial report, the new seal keeps moisture out.",
        "It not only saves water but also cuts fertiliser waste.",
        "After the new certificate is issued, the cache nodes are reloaded.",
        "Freight rates rose, and as a result fertiliser prices rose.",
    ],
)
def test_plain_sentences_stay_asserted(text: str) -> None:
    assert len(asserted(text)) == 1


def test_a_reason_behind_an_agent_is_not_asserted_of_the_outcome() -> None:
    found = asserted("The flood was caused by blocked drains due to fallen leaves.")
    assert ("fallen leaves", "The flood was caused by blocked drains") not in found


def test_a_percent_sign_stays_with_its_number() -> None:
    relation = EnglishExtractor().extract("Profits fell because costs rose 12%.", "en").relations[0]
    assert (relation.head.text, relation.tail.text) == ("costs rose 12%", "Profits fell")


def test_no_end_crosses_a_table_cell() -> None:
    text = "02:14 | the orders table was locked\n02:31 | the checkout crashed, which led to a pager alert"
    for relation in EnglishExtractor().extract(text, "en").relations:
        assert "|" not in relation.head.text + relation.tail.text


@pytest.mark.parametrize(
    "text",
    [
        "There is no evidence that phone radiation causes cancer.",
        "No study has shown that coffee leads to fractures.",
        "The company denied that the outage was caused by a cyberattack.",
        "Researchers did not find any evidence that the drug caused deaths.",
        "The trial lacked evidence that the drug caused deaths.",
        "Experts do not believe that the tax cut will cause inflation.",
        "This does not mean that coffee causes fractures.",
        "Nobody has proved that the leak caused the fire.",
    ],
)
def test_what_is_denied_or_shown_by_nothing_is_only_supposed(text: str) -> None:
    found = [r for r in EXTRACTOR.extract(text, "en").relations if r.type is RelationType.CAUSAL]
    assert found
    assert all(r.modality is Modality.HYPOTHETICAL for r in found)


@pytest.mark.parametrize(
    "text",
    [
        "The data show that the leak caused the fire.",
        "They did not know that the leak caused the fire.",
        "There is evidence that the leak caused the fire.",
        "The report found that no valve was closed, which caused the fire.",
    ],
)
def test_what_is_shown_or_only_not_known_is_said(text: str) -> None:
    [relation] = [r for r in EXTRACTOR.extract(text, "en").relations if r.type is RelationType.CAUSAL]
    assert relation.modality is Modality.ASSERTED
