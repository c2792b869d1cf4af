"""How well a statement fits what was asked for: the scores are worked out by hand."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from extractors.keys import statement_key
from graphrag.calibration import Calibration
from graphrag.match import Match, Nominated, Phrase, best, fit, match, names_kept, nominate
from storage.ports import Nomination, StatementView
from storage.records import OWNER, Direction, Scope, Statement, StatementKey

VECTOR = np.zeros(2, np.float32)


def key(
    *terms: str, language: str = "en", direction: Direction = Direction.NONE, negated: bool = False
) -> StatementKey:
    return StatementKey(language=language, terms=terms, direction=direction, negated=negated)


def phrase(key: StatementKey | None, text: str = "", *, inside: bool = False) -> Phrase:
    return Phrase(text, key, inside)


@pytest.mark.parametrize(
    ("asked", "found", "similarity", "score"),
    [
        # the same words: 3/4 recall and 1/4 precision are 1, whatever the vectors say
        (("port", "close"), ("port", "close"), 0.0, 1.0),
        # all asked for, a third more: 0.75 * 1 + 0.25 * 2/3
        (("port", "close"), ("port", "close", "friday"), 0.0, 0.916667),
        # the thing, with another verb: 0.85 of the half that the words share, and the vectors do not help
        (("port", "close"), ("port", "open"), 0.0, 0.425),
        (("port", "close"), ("port", "open"), 0.9, 0.425),
        # less is said: half of what was asked for, all of what is there; raised to the mean (0.625 + 0.9) / 2
        (("port", "close"), ("port",), 0.9, 0.7625),
        # one of one asked for, one of four there: 0.75 + 0.0625
        (("port",), ("port", "close", "storm", "friday"), 0.0, 0.8125),
        # one of four asked for, one of one there: 0.1875 + 0.25
        (("port", "close", "storm", "friday"), ("port",), 0.0, 0.4375),
        # no word in common: three tenths of what the vectors say
        (("port", "close"), ("harbour", "shut"), 1.0, 0.3),
        (("port", "close"), ("harbour", "shut"), 0.0, 0.0),
        # another thing whose price changes: three tenths of the half that the words share, or of what the vectors say
        (("corn", "price"), ("soy", "price"), 0.0, 0.15),
        (("corn", "price"), ("soy", "price"), 0.9, 0.27),
        # one of two things is another: three quarters of two thirds, and the vectors do not help
        (("acme", "zenith", "merge"), ("acme", "apex", "merge"), 1.0, 0.5),
    ],
)
def test_words_decide_and_vectors_help_only_where_the_thing_is_the_same(
    asked: tuple[str, ...], found: tuple[str, ...], similarity: float, score: float
) -> None:
    assert fit(phrase(key(*asked)), phrase(key(*found)), similarity) == score


def test_of_a_whole_question_a_statement_need_only_be_a_part() -> None:
    asked = phrase(key("port", "close", "storm", "friday"), inside=True)
    assert fit(asked, phrase(key("port")), 0.0) == 0.8125  # 0.25 * 1/4 + 0.75 * 1
    assert fit(asked, phrase(key("corn")), 1.0) == 0.0


@pytest.mark.parametrize("similarity", [0.0, 0.5, 1.0])
def test_without_comparable_words_the_vectors_carry_half(similarity: float) -> None:
    assert fit(phrase(None), phrase(key("port")), similarity) == similarity / 2
    assert fit(phrase(key("港口", language="zh")), phrase(key("port")), similarity) == similarity / 2


@pytest.mark.parametrize(
    ("asked", "found", "score"),
    [
        (Direction.UP, Direction.UP, 1.0),
        (Direction.UP, Direction.DOWN, 0.3),
        (Direction.DOWN, Direction.UP, 0.3),
        (Direction.UP, Direction.NONE, 0.75),
        (Direction.NONE, Direction.UP, 1.0),  # "the corn price" may mean that it rose
    ],
)
def test_a_rise_is_no_fall(asked: Direction, found: Direction, score: float) -> None:
    first, second = key("corn", "price", direction=asked), key("corn", "price", direction=found)
    assert fit(phrase(first), phrase(second), 1.0) == score


def test_a_statement_is_not_its_negation() -> None:
    port, denied = phrase(key("port", "close")), phrase(key("port", "close", negated=True))
    assert fit(port, denied, 1.0) == fit(denied, port, 1.0) == 0.3
    assert fit(denied, denied, 0.0) == 1.0


def test_march_is_not_june_however_alike_the_vectors() -> None:
    asked = phrase(key("export", "fall", "march"), "exports fell in March")
    assert fit(asked, phrase(key("export", "fall", "march"), "exports fell in March"), 0.0) == 1.0
    # two thirds of the words, 0.85 of that for the other last word, and three tenths for the other month
    assert fit(asked, phrase(key("export", "fall", "june"), "exports fell in June"), 1.0) == 0.17


def test_contradictions_add_up() -> None:
    asked, found = key("corn", direction=Direction.UP), key("corn", direction=Direction.DOWN, negated=True)
    assert fit(phrase(asked), phrase(found), 1.0) == 0.09


@pytest.mark.parametrize(
    ("asked", "found", "kept"),
    [
        ("exports fell", "exports fell in March", 1.0),  # nothing in particular was asked for
        ("exports fell in March", "exports fell in march", 1.0),
        ("exports fell in March", "exports fell in March 2024", 1.0),
        ("exports fell in March", "exports fell", 0.75),
        ("exports fell in March", "exports fell in June", 0.3),
        ("exports fell in 2024", "exports fell in 2023", 0.3),
        ("rates rose by 5 points", "rates rose by 7 points", 0.3),
        ("rates rose by 5 points", "rates rose by 15 points", 0.3),
        ("the deal of Acme", "a deal of Acme", 1.0),
        ("the deal of Acme", "Acme made a deal", 1.0),
        ("the deal of Acme", "a deal of Zenith", 0.3),
        ("the deal of Ann", "the annual deal", 0.75),
        ("Exports fell", "imports fell", 1.0),  # a capital at the beginning says nothing
        ("3月出口下降", "3 月出口下降", 1.0),
        ("3月出口下降", "6月出口下降", 0.3),
        ("1月出口下降", "11月出口下降", 0.3),
        ("一月出口下降", "十一月出口下降", 0.3),
        ("2024年出口下降", "出口下降", 0.75),
        ("三月出口下降", "二〇二四年三月出口下降", 1.0),
    ],
)
def test_a_name_that_was_asked_for_must_be_there(asked: str, found: str, kept: float) -> None:
    assert names_kept(asked, found) == kept


def test_the_best_are_those_at_or_above_the_floor() -> None:
    views = [view("port", "close"), view("port"), view("corn")]
    matches = [Match(v, s) for v, s in zip(views, (0.9, 0.5, 0.49), strict=True)]
    assert best(matches, floor=0.5) == {views[0].statement.id: 0.9, views[1].statement.id: 0.5}


# --- the matcher, on stores that hold three statements


def view(*terms: str) -> StatementView:
    return StatementView(statement=Statement(key=key(*terms)), text=" ".join(terms), document_id="doc_x", span_start=0)


@dataclass
class FakeGraph:
    """Knows some statements."""

    views: list[StatementView]
    asked: list[str] = field(default_factory=list)

    def statements(self, ids: list[str], scope: Scope) -> dict[str, StatementView]:
        self.asked = list(ids)
        return {v.statement.id: v for v in self.views if v.statement.id in ids}


@dataclass
class FakeIndex:
    """Nominates what it was told to."""

    by_vector: list[tuple[str, float]] = field(default_factory=list)
    by_text: list[str] = field(default_factory=list)

    def search_vector(self, *_: object, limit: int) -> list[Nomination]:
        return [Nomination(f"{i}-{s}", i, "doc_x", "", s) for i, s in self.by_vector][:limit]

    def search_text(self, *_: object, limit: int) -> list[Nomination]:
        return [Nomination(i, i, "doc_x", "", 1.0) for i in self.by_text][:limit]


def matched(graph: FakeGraph, index: FakeIndex, phrase: str, *, limit: int) -> list[Match]:
    scope = Scope(classes=None, at="2024-05-01T00:00:00Z")  # type: ignore[arg-type]
    assert OWNER.groups is scope.classes
    near, worded = (search() for search in nominate(index, scope, phrase, VECTOR))  # type: ignore[arg-type]
    asked, calibration = Phrase(phrase, statement_key(phrase, "en")), Calibration(unrelated=0.7, same=0.9)
    return match(graph, scope, calibration, asked, Nominated(near, worded), limit=limit)  # type: ignore[arg-type]


PORT, HARBOUR, CORN = view("port", "close"), view("harbour", "shut"), view("corn", "grow")


def test_a_statement_is_matched_by_its_key_though_no_search_found_it() -> None:
    found = matched(FakeGraph([PORT, CORN]), FakeIndex(), "the port closed", limit=5)
    assert [(m.id, m.score) for m in found] == [(PORT.statement.id, 1.0)]


def test_what_was_found_by_words_or_vectors_is_judged_and_the_best_comes_first() -> None:
    index = FakeIndex(by_vector=[(HARBOUR.statement.id, 0.85)], by_text=[CORN.statement.id])
    found = matched(FakeGraph([PORT, HARBOUR, CORN]), index, "the port closed", limit=5)
    # harbour: no common word; (0.85 - 0.7) / (0.9 - 0.7) = 0.75 on the scale of this embedder, and three tenths of it
    assert [(m.id, m.score) for m in found] == [
        (PORT.statement.id, 1.0),
        (HARBOUR.statement.id, 0.225),
        (CORN.statement.id, 0.0),
    ]


def test_a_statement_said_in_several_documents_counts_with_its_nearest_wording() -> None:
    index = FakeIndex(by_vector=[(HARBOUR.statement.id, 0.72), (HARBOUR.statement.id, 0.9)])
    found = matched(FakeGraph([HARBOUR]), index, "the port closed", limit=5)
    assert [m.score for m in found] == [0.3]


def test_what_the_graph_does_not_show_is_not_matched() -> None:
    index = FakeIndex(by_vector=[(HARBOUR.statement.id, 0.9)], by_text=[CORN.statement.id])
    assert matched(FakeGraph([]), index, "the port closed", limit=5) == []


def test_no_more_than_the_limit_and_ties_by_id() -> None:
    views = [view("port", "close", extra) for extra in ("monday", "friday", "sunday")]
    index = FakeIndex(by_text=[v.statement.id for v in views])
    found = matched(FakeGraph(views), index, "the port closed", limit=2)
    assert [m.id for m in found] == sorted(v.statement.id for v in views)[:2]


def test_a_phrase_without_a_content_word_is_matched_by_vectors_alone() -> None:
    index = FakeIndex(by_vector=[(HARBOUR.statement.id, 0.9)])
    found = matched(FakeGraph([HARBOUR]), index, "?!", limit=5)
    assert [m.score for m in found] == [0.5]


@pytest.mark.parametrize(("cosine", "similarity"), [(0.7, 0.0), (0.8, 0.5), (0.9, 1.0), (0.1, 0.0), (1.0, 1.0)])
def test_the_scale_goes_from_unrelated_to_the_same_and_is_clipped(cosine: float, similarity: float) -> None:
    assert Calibration(unrelated=0.7, same=0.9).similarity(cosine) == pytest.approx(similarity)
