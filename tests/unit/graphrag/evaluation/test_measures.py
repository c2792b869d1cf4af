"""The measures, on values worked out by hand."""

import pytest

from graphrag.evaluation import measures
from graphrag.evaluation.measures import Measured
from storage.structure import overlap


def values(measured: list[Measured]) -> dict[str, float]:
    return {m.measure: m.value for m in measured}


def relation(kind: str, head: tuple[int, int], tail: tuple[int, int], **more: object) -> dict[str, object]:
    return {"type": kind, "from": list(head), "to": list(tail), **more}


def test_recall_counts_a_gold_document_once_however_often_it_is_named() -> None:
    assert measures.recall_at(["a", "b", "b"], ["b", "x", "a"], 2) == 0.5
    assert measures.recall_at(["a", "b"], ["b", "x", "a"], 5) == 1.0


def test_all_gold_is_all_or_nothing() -> None:
    assert measures.all_gold_at(["a", "b"], ["a", "x", "b"], 2) == 0.0
    assert measures.all_gold_at(["a", "b"], ["a", "x", "b"], 3) == 1.0


def test_a_group_needs_one_of_its_documents() -> None:
    assert measures.group_at([["a", "b"], ["c"]], ["x", "b"], 2) == 0.5


def test_a_chain_is_as_good_as_its_best_path() -> None:
    paths = [{"hop_docs": [["a"], ["b"]]}, {"hop_docs": [["c", "d"], ["e"], ["f"]]}]
    assert measures.chain_at(paths, ["d", "e"], 2) == pytest.approx(2 / 3)
    assert measures.chain_at(paths, ["a", "b"], 2) == 1.0


def test_auroc_counts_ties_half() -> None:
    # pairs (0.9, 0.5) (0.9, 0.1) (0.5, 0.5) (0.5, 0.1): 1 + 1 + 0.5 + 1 of 4
    assert measures.auroc([0.9, 0.5], [0.5, 0.1]) == 0.875
    assert measures.auroc([0.1], [0.9]) == 0.0


def test_ranking_measures_follow_the_kind_of_gold() -> None:
    plain = [{"id": "1", "gold_doc_ids": ["a", "b"]}, {"id": "2", "gold_doc_ids": ["c"]}]
    items = {"1": {"ranked": ["a", "x", "b"]}, "2": {"ranked": ["y"]}, "3": {"ranked": []}}
    found = values(measures.score_ranking(plain, items))
    assert found["recall@2"] == 0.25
    assert found["recall@5"] == 0.5
    assert found["all_gold@2"] == 0.0
    assert found["all_gold@5"] == 0.5
    grouped = [{"id": "1", "gold_doc_ids": ["a"], "gold_groups": [["a"], ["z"]]}]
    assert values(measures.score_ranking(grouped, items)) == {"group@2": 0.5, "group@5": 0.5, "group@10": 0.5}
    paths = [{"id": "1", "gold_doc_ids": ["a"], "gold_paths": [{"hop_docs": [["a"], ["b"]]}]}]
    found = values(measures.score_ranking(paths, items))
    assert (found["chain@2"], found["full@2"], found["chain@5"], found["full@5"]) == (0.5, 0.0, 1.0, 1.0)


def test_questions_without_an_item_are_not_scored() -> None:
    questions = [{"id": "1", "gold_doc_ids": ["a"]}, {"id": "2", "gold_doc_ids": ["b"]}]
    assert measures.score_ranking(questions, {"1": {"ranked": ["a"]}})[0] == Measured("recall@2", 1.0, 1)
    assert measures.score_ranking(questions, {}) == []


def test_abstention_needs_a_score_for_every_question() -> None:
    questions = [{"id": "1", "gold_doc_ids": ["a"]}, {"id": "2", "gold_doc_ids": []}]
    items = {
        "1": {"ranked": ["a"], "evidence_score": 0.8, "abstained": False},
        "2": {"ranked": ["a"], "evidence_score": 0.2, "abstained": True},
    }
    found = values(measures.score_ranking(questions, items))
    assert (found["abstain_auroc"], found["abstain_rate"], found["answer_rate"]) == (1.0, 1.0, 1.0)
    items["2"] = {"ranked": ["a"]}
    assert "abstain_auroc" not in values(measures.score_ranking(questions, items))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [((0, 10), (0, 10), 1.0), ((0, 10), (5, 15), 1 / 3), ((0, 5), (5, 9), 0.0), ((3, 3), (3, 3), 0.0)],
)
def test_overlap_is_intersection_over_union(a: tuple[int, int], b: tuple[int, int], expected: float) -> None:
    assert overlap(a, b) == pytest.approx(expected)


def test_a_relation_matches_in_its_direction_unless_the_gold_has_none() -> None:
    gold = relation("causal", (0, 10), (20, 30))
    assert measures.matches(gold, relation("causal", (0, 6), (20, 30)))  # 6 of 10
    assert not measures.matches(gold, relation("causal", (0, 4), (20, 30)))  # 4 of 10
    assert not measures.matches(gold, relation("causal", (20, 30), (0, 10)))
    assert not measures.matches(gold, relation("sequential", (0, 10), (20, 30)))
    assert measures.matches({**gold, "directed": False}, relation("causal", (20, 30), (0, 10)))
    assert measures.matches({**gold, "type": "progression"}, relation("progressive", (0, 10), (20, 30)))


def test_a_gold_relation_is_found_once() -> None:
    rows = [{"id": "t", "relations": [relation("causal", (0, 10), (20, 30))]}]
    twice = {"t": [relation("causal", (0, 10), (20, 30))] * 2}
    assert measures.count_relations(rows, twice, "causal") == (1, 2, 1)


def test_explicit_only_neither_asks_for_nor_blames_implicit_gold() -> None:
    rows = [
        {
            "id": "t",
            "relations": [
                relation("causal", (0, 10), (20, 30), explicit="explicit"),
                relation("causal", (40, 50), (60, 70), explicit="none"),
            ],
        }
    ]
    found = {"t": [relation("causal", (40, 50), (60, 70)), relation("causal", (80, 90), (91, 99))]}
    assert measures.count_relations(rows, found, "causal") == (1, 2, 2)
    assert measures.count_relations(rows, found, "causal", explicit_only=True) == (0, 1, 1)


def test_slots_must_be_named_by_short_spans_that_do_not_overlap() -> None:
    text = "猪肉价格上涨导致鸡蛋需求增加" + "。" * 40
    gold = [{"type": "causal", "from": {"product": ["猪肉"]}, "to": {"product": [], "industry": ["鸡蛋"]}}]
    rows = [{"id": "t", "text": text, "relations": [*gold, {"type": "causal", "from": {}, "to": {"product": ["蛋"]}}]}]

    def counts(*spans: tuple[int, int]) -> tuple[int, int, int]:
        pairs = zip(spans[::2], spans[1::2], strict=True)
        return measures.count_slots(rows, {"t": [relation("causal", a, b) for a, b in pairs]})

    assert counts((0, 6), (8, 14)) == (1, 1, 1)
    assert counts((8, 14), (0, 6)) == (0, 1, 1)  # the other way round
    assert counts((0, 8), (7, 14)) == (0, 1, 1)  # overlapping
    assert counts((0, 6), (8, 39)) == (0, 1, 1)  # 31 characters
    assert counts((0, 6), (8, 14), (0, 7), (8, 13)) == (1, 1, 1)  # said again


def test_extraction_measures_are_named_by_type_cue_and_level() -> None:
    rows = [
        {
            "id": "t",
            "text": "x" * 50,
            "relations": [
                relation("causal", (0, 10), (20, 30), explicit="explicit"),
                relation("sequence", (0, 10), (20, 30), explicit="none"),
            ],
        },
        {"id": "u", "text": "y", "relations": []},
    ]
    items = {
        "t": {"relations": [relation("causal", (0, 10), (20, 30))]},
        "u": {"relations": [relation("sequential", (0, 1), (1, 2))]},
    }
    found = {m.measure: (m.value, m.n) for m in measures.score_extraction("gum", {"sentences": rows}, items)}
    assert found["sentence_f1.causal"] == (1.0, 1)
    assert found["relation_f1.causal"] == (1.0, 1)
    assert found["relation_r.causal.explicit"] == (1.0, 1)
    assert found["relation_p.sequence"] == (0.0, 1)
    assert found["relation_p.sequence.explicit"] == (0.0, 0)
    documents = {m.measure for m in measures.score_extraction("gum", {"docs": rows}, items)}
    assert "relation_f1.causal.doc" in documents
    assert not any(name.startswith("sentence") for name in documents)


def test_a_text_marked_as_not_causal_counts_as_such() -> None:
    rows = [{"id": "t", "causal": False, "relations": []}, {"id": "u", "causal": True, "relations": []}]
    said = [relation("causal", (0, 1), (2, 3))]
    assert measures.count_sentences(rows, {"t": said, "u": said}) == (1, 2, 1)
