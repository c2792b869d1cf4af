"""Rules of the user's own: what a file may say, and what its rules find."""

from pathlib import Path

import pytest

from extractors import extractor_with_rules
from extractors.bilingual import BilingualExtractor
from extractors.cue_trie import CueTrie
from extractors.user_rules import read_user_rules
from storage.errors import ConfigurationError
from storage.records import Modality, Polarity

RULES = """
[[rules]]
cue = "gave way to"
language = "en"
type = "sequential"
direction = "forward"
confidence = 0.7

[[rules]]
cue = "on the heels of"
language = "en"
type = "sequential"
direction = "backward"

[[rules]]
cue = "in the wake of"
language = "en"
type = "causal"
direction = "fronted"
subtype = "aftermath"

[[rules]]
cue = "fuelled"
language = "en"
type = "causal"
direction = "forward"

[[rules]]
cue = "gave"
language = "en"
type = "causal"
direction = "forward"

[[rules]]
cue = "倒逼"
language = "zh"
type = "causal"
direction = "forward"

[[rules]]
cue = "归咎于"
language = "zh"
type = "causal"
direction = "backward"
modality = "hedged"

[[rules]]
cue = "继承"
language = "zh"
type = "sequential"
direction = "fronted"
"""


@pytest.fixture(scope="module")
def extractor(tmp_path_factory: pytest.TempPathFactory) -> BilingualExtractor:
    path = tmp_path_factory.mktemp("rules") / "rules.toml"
    path.write_text(RULES, encoding="utf-8")
    return extractor_with_rules(read_user_rules(path))


def found(extractor: BilingualExtractor, text: str) -> list[tuple[str, str, str]]:
    relations = extractor.extract(text, "en").relations
    for r in relations:
        assert all(text[s.start : s.end] == s.text for s in (r.head, r.tail, r.cue) if s is not None)
    return [(r.rule, r.head.text, r.tail.text) for r in relations if r.rule.startswith("user:")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "The old cluster, which was never patched, gave way to a new design.",
            ("user:gave way to", "The old cluster", "a new design"),
        ),
        (
            "The team said that the disk filled on the heels of a deploy, but nobody looked.",
            ("user:on the heels of", "a deploy", "the disk filled"),
        ),
        (
            "In the wake of the storm that hit Leeds, the port closed for a week, and ships waited.",
            ("user:in the wake of", "the storm that hit Leeds", "the port closed for a week"),
        ),
        ("Rain **gave way**\nto sun.", ("user:gave way to", "Rain", "sun")),
        ("Cheap credit fuelled the housing boom.", ("user:fuelled", "Cheap credit", "the housing boom")),
        ("環保政策趨嚴倒逼企業升級設備。", ("user:倒逼", "環保政策趨嚴", "企業升級設備")),
        ("列车晚点，归咎于信号系统老化。", ("user:归咎于", "信号系统老化", "列车晚点")),
    ],
)
def test_a_rule_finds_the_clause_on_each_side(
    extractor: BilingualExtractor, text: str, expected: tuple[str, str, str]
) -> None:
    assert found(extractor, text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "They refuelled the plane.",  # whole words only
        "This gave way to that.",  # ends that say nothing
        "Fuelled the boom.",  # nothing on the left
        "The rain gave. Way to the sea was open.",  # not across sentences
        "The wind in the wake of the storm fell.",  # fronted: the cue opens a clause
        "Cheap credit was not what fuelled the boom.",
        "企业升级设备。",
    ],
)
def test_what_a_rule_does_not_find(extractor: BilingualExtractor, text: str) -> None:
    assert found(extractor, text) == []


def test_the_longest_cue_wins() -> None:
    trie = CueTrie([(("a", "b"), 1), (("a", "b", "c"), 2), (("b",), 3), (("a",), 4)])
    assert list(trie.find(["a", "b", "c", "a", "b", "x", "a", "c", "b"])) == [
        (0, 3, (2,)), (3, 5, (1,)), (6, 7, (4,)), (8, 9, (3,)),
    ]  # fmt: skip


def test_the_sentence_may_say_less_than_the_rule_and_never_more(extractor: BilingualExtractor) -> None:
    def stance(text: str) -> tuple[Polarity, Modality, float]:
        [r] = [r for r in extractor.extract(text, "en").relations if r.rule.startswith("user:")]
        return r.polarity, r.modality, r.confidence

    assert stance("Cheap credit fuelled the boom.") == (Polarity.AFFIRMED, Modality.ASSERTED, 0.6)
    assert stance("Cheap credit may have fuelled the boom.") == (Polarity.AFFIRMED, Modality.HEDGED, 0.54)
    assert stance("Cheap credit never fuelled the boom.")[0] is Polarity.NEGATED
    assert stance("专家把列车晚点归咎于信号系统老化。") == (Polarity.AFFIRMED, Modality.HEDGED, 0.54)
    assert stance("如果成本上升，倒逼企业提价。")[1] is Modality.HYPOTHETICAL


def test_the_digest_of_the_rules_is_part_of_the_name(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(RULES, encoding="utf-8")
    name = extractor_with_rules(read_user_rules(path)).name
    path.write_text("# a remark\n" + RULES, encoding="utf-8")
    assert extractor_with_rules(read_user_rules(path)).name == name
    path.write_text(RULES.replace("0.7", "0.8"), encoding="utf-8")
    assert extractor_with_rules(read_user_rules(path)).name != name


def test_a_rule_takes_the_place_of_a_built_in_one_that_says_the_same(extractor: BilingualExtractor) -> None:
    relations = extractor.extract("列车晚点，归咎于信号系统老化。", "zh").relations
    assert [(r.rule, r.confidence) for r in relations if r.type.value == "causal"] == [("user:归咎于", 0.54)]


ENTRY = '[[rules]]\ncue = "led on to"\nlanguage = "en"\ntype = "causal"\ndirection = "forward"\n'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (ENTRY + 'colour = "red"\n', "rule 1 (cue 'led on to'): there is no field 'colour'"),
        (ENTRY.replace('"en"', '"fr"'), "rule 1 (cue 'led on to'): language: should be 'en' or 'zh', not 'fr'"),
        (ENTRY.replace('type = "causal"\n', ""), "rule 1 (cue 'led on to'): type: is missing"),
        (ENTRY + "confidence = 2\n", "confidence: should be less than or equal to 0.95, not 2"),
        (ENTRY + ENTRY, "rule 2 (cue 'led on to'): cue: rule 1 has this cue and direction already"),
        (ENTRY.replace("led on to", "led (on|to)"), "cue: should be words, with blanks between them"),
        (ENTRY.replace("led on to", ""), "cue: should have at least 1 character"),
        (ENTRY.replace('"en"', '"zh"').replace("led on to", "使"), "cue: should have at least two characters"),
        (ENTRY.replace('"en"', '"zh"').replace("led on to", "因此，"), "cue: should be Chinese characters"),
        ('[[rule]]\ncue = "x"\n', "there is no 'rule' here; every rule begins with a line [[rules]]"),
        ("", "there are no rules in it"),
        ("[[rules]\n", "not valid TOML"),
    ],
)
def test_a_wrong_file_is_told_with_file_entry_and_field(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "my.toml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigurationError) as error:
        read_user_rules(path)
    assert str(path) in str(error.value)
    assert message in str(error.value)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"cannot be read \(No such file"):
        read_user_rules(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b"# \xff\n")
    with pytest.raises(ConfigurationError, match="not UTF-8"):
        read_user_rules(tmp_path / "latin.toml")
