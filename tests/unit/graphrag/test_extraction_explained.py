"""``clew extract --explain``: why a relation was found."""

import pytest

from extractors import default_extractor
from graphrag.extraction_explained import ExplainedExtraction, explained, kind_of


def explain(text: str) -> ExplainedExtraction:
    return explained(text, default_extractor().extract(text, "en"))


def test_a_plain_relation_is_explained_by_rule_cue_and_keys() -> None:
    [one] = explain("Crude prices rose because the port was closed.").relations
    assert one.lowered == ()
    assert one.left_out == ()
    said = explain("Crude prices rose because the port was closed.").as_text()
    assert "cue         “because” [18:25]" in said
    assert "key crude price, direction up" in said


def test_what_lowers_a_relation_and_what_is_left_out_of_it() -> None:
    text = "The team said that heavy rain may have caused the flood in Leeds, but nobody knows."
    [one] = explain(text).relations
    assert one.kind == "a verb of causing: its subject is the cause and its object the effect"
    assert one.lowered == ("hedged: the sentence only says that it may be so",)
    assert [span.text for span in one.left_out] == ["The team said that", "may have", "but nobody knows"]
    assert all(text[s.start : s.end] == s.text for s in one.left_out)


def test_a_relation_below_the_threshold_says_so() -> None:
    [one] = explain("The basin is old.\n\n1. Close the gate.\n2. Drain the basin.\n").relations
    assert one.lowered[0] == "nothing above the list says that it is one of steps"
    assert one.lowered[-1].startswith("below 0.5")


def test_a_sentence_without_a_relation_gets_nothing() -> None:
    result = explain("The cup holds two litres.")
    assert result.relations == ()
    assert result.as_text() == "no relations"


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("verb:cause:passive", "passive"),
        ("phrase:due-to", "preposition"),
        ("verb-cause/verb", "verb"),
        ("if/opener", "opens the clause"),
        ("document:timeline", "ascending times"),
        ("user:gave way to", "of your own"),
        ("model", "chat model"),
        ("because", "because"),
    ],
)
def test_every_kind_of_rule_has_words(rule: str, words: str) -> None:
    assert words in kind_of(rule)
