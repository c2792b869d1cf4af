"""What keys of the two languages have in common: concepts, direction, negation."""

from __future__ import annotations

import pytest

from extractors.concept_changes import CHANGES
from extractors.concept_things import THINGS
from extractors.concepts import canonical, is_bare, signature, table_words
from extractors.english_key import english_key
from extractors.keys import statement_key
from storage.records import Direction


def read(text: str) -> tuple[set[str], str, bool] | None:
    language = "zh" if any("一" <= c <= "鿿" for c in text) else "en"
    key = statement_key(text, language)
    form = canonical(key) if key is not None else None
    return None if form is None else (set(form.parts), str(form.direction.value), form.negated)


@pytest.mark.parametrize(
    ("texts", "meaning"),
    [
        (("crude prices rose", "oil became dearer", "原油价格上涨", "油价上升"), ({"=oil", "=price"}, "up", False)),
        (("corn became cheaper", "玉米降价"), ({"=corn", "=price"}, "down", False)),
        (("the port was shut", "the harbour closed", "港口关闭"), ({"=port", "=close"}, "none", False)),
        (("the port halted operations", "港口停工"), ({"=port", "=supply"}, "down", False)),
        (("the central bank raised rates", "央行加息"), ({"=central_bank", "=interest_rate"}, "up", False)),
        (("the backup failed", "the backup did not succeed", "备份失败", "备份没有成功"),
         ({"=backup", "=succeed"}, "none", True)),
        (("a shortage of steel", "钢材短缺"), ({"=steel", "=supply"}, "down", False)),
        (("the volcano erupted",), ({"volcano", "erupt"}, "none", False)),
    ],
)  # fmt: skip
def test_wordings_of_one_thing_have_one_form(texts: tuple[str, ...], meaning: object) -> None:
    assert [read(text) for text in texts] == [meaning] * len(texts)


def test_what_goes_two_ways_or_is_denied_twice_has_no_form() -> None:
    assert read("the shortage weakened") is None
    assert read("nobody did not fail to close the port without not") is None


def test_a_happening_or_attribute_of_nothing_is_bare() -> None:
    forms = {text: canonical(key) for text in ("price", "starting", "the flood") if (key := english_key(text))}
    assert {text: is_bare(form) for text, form in forms.items() if form} == {
        "price": True, "starting": True, "the flood": False,
    }  # fmt: skip


def test_a_signature_is_frame_and_concepts() -> None:
    key = english_key("copper prices in Ruritania rose")
    assert key is not None
    found = signature(key)
    assert found is not None
    assert found.block == ((Direction.UP.value, False), frozenset({"=copper", "=price"}))


def test_every_word_stands_in_one_line_and_as_the_normaliser_gives_it() -> None:
    english: list[str] = []
    chinese: list[str] = []
    for line in f"{CHANGES}\n{THINGS}".replace("\n  ", " ").splitlines():
        if line.strip() and not line.startswith("#"):
            words = line.partition(" = ")[0].partition("|")
            english += [p.strip() for p in words[0].split(",") if p.strip()]
            chinese += words[2].split()
    assert sorted(english) == list(table_words("en"))
    assert sorted(chinese) == list(table_words("zh"))
    keys = {phrase: english_key(phrase) for phrase in english}
    plain = {phrase: key for phrase, key in keys.items() if key and key.direction is Direction.NONE}
    assert {phrase: " ".join(key.terms) for phrase, key in plain.items()} == {phrase: phrase for phrase in plain}
