"""The measures of the benchmark: pure functions of gold rows and predicted items.

An item of a ranking set is ``{"ranked": [id, …], "abstained": bool, "evidence_score": float}``, the last two where a
system has them; an item of an extraction set ``{"relations": [{"type", "from": [s, e], "to": [s, e]}, …]}``. Values are
fractions; ``n`` counts what was scored: questions, texts or gold relations.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from storage.structure import overlap

Row = dict[str, Any]
CUTS = (2, 5, 10)
MAX_SLOT_SPAN = 30
"""Characters: a span that holds the whole text names every product and means nothing."""
_DATA_TYPES = {"sequential": "sequence", "supporting": "support", "progressive": "progression"}
_MIN_OVERLAP = 0.5


class Measured(NamedTuple):
    """One measured value and how many things it was measured on."""

    measure: str
    value: float
    n: int


# --- ranking ---------------------------------------------------------------------------------------------------------


def recall_at(gold: Sequence[str], ranked: Sequence[str], k: int) -> float:
    """The share of the gold documents that is among the first ``k``."""
    wanted = set(gold)
    return len(wanted.intersection(ranked[:k])) / len(wanted)


def all_gold_at(gold: Sequence[str], ranked: Sequence[str], k: int) -> float:
    """1 if every gold document is among the first ``k``, else 0."""
    return float(set(gold).issubset(ranked[:k]))


def group_at(groups: Sequence[Sequence[str]], ranked: Sequence[str], k: int) -> float:
    """The share of groups (sub-questions) of which at least one document is among the first ``k``."""
    top = set(ranked[:k])
    return sum(not top.isdisjoint(group) for group in groups) / len(groups)


def chain_at(paths: Sequence[Row], ranked: Sequence[str], k: int) -> float:
    """The best gold path's share of hops of which a text is among the first ``k``."""
    return max(group_at(path["hop_docs"], ranked, k) for path in paths)


def auroc(positives: Sequence[float], negatives: Sequence[float]) -> float:
    """The probability that a positive scores above a negative, ties counted half (Hanley and McNeil 1982)."""
    ordered = sorted(negatives)
    below = sum(bisect_left(ordered, p) + bisect_right(ordered, p) for p in positives) / 2
    return below / (len(positives) * len(negatives))


def score_ranking(questions: Sequence[Row], items: Mapping[str, Row]) -> list[Measured]:
    """Every measure that the gold of these questions allows, over the questions that have an item."""
    asked = [q for q in questions if q["id"] in items]
    gold = [q for q in asked if q["gold_doc_ids"]]
    null = [q for q in asked if not q["gold_doc_ids"]]
    out: list[Measured] = []

    def mean(name: str, value: Callable[[Row, Sequence[str], int], float]) -> None:
        for k in CUTS:
            values = [value(q, items[q["id"]]["ranked"], k) for q in gold]
            out.append(Measured(f"{name}@{k}", sum(values) / len(values), len(values)))

    if gold and "gold_paths" in gold[0]:
        mean("chain", lambda q, ranked, k: chain_at(q["gold_paths"], ranked, k))
        mean("full", lambda q, ranked, k: float(chain_at(q["gold_paths"], ranked, k) == 1))
    elif gold and "gold_groups" in gold[0]:
        mean("group", lambda q, ranked, k: group_at(q["gold_groups"], ranked, k))
    elif gold:
        mean("recall", lambda q, ranked, k: recall_at(q["gold_doc_ids"], ranked, k))
        mean("all_gold", lambda q, ranked, k: all_gold_at(q["gold_doc_ids"], ranked, k))
    return out + _abstention([items[q["id"]] for q in gold], [items[q["id"]] for q in null])


def _abstention(answerable: Sequence[Row], null: Sequence[Row]) -> list[Measured]:
    """How well a system tells questions that its corpus answers from those that it does not."""
    if not answerable or not null or any(item.get("evidence_score") is None for item in (*answerable, *null)):
        return []
    scores = [[item["evidence_score"] for item in part] for part in (answerable, null)]
    return [
        Measured("abstain_auroc", auroc(*scores), len(answerable) + len(null)),
        Measured("abstain_rate", sum(bool(item["abstained"]) for item in null) / len(null), len(null)),
        Measured("answer_rate", sum(not item["abstained"] for item in answerable) / len(answerable), len(answerable)),
    ]


# --- extraction ------------------------------------------------------------------------------------------------------


def data_type(name: str) -> str:
    """The name that the data has for a relation type: ``sequence`` for ``sequential``."""
    return _DATA_TYPES.get(name, name)


def matches(gold: Row, found: Row) -> bool:
    """Whether a prediction is a gold relation: equal type, ends that overlap by half or more, in the same direction
    unless the gold has none."""
    if gold["type"] != data_type(found["type"]):
        return False
    if min(overlap(found["from"], gold["from"]), overlap(found["to"], gold["to"])) >= _MIN_OVERLAP:
        return True
    return (
        gold.get("directed") is False
        and min(overlap(found["from"], gold["to"]), overlap(found["to"], gold["from"])) >= _MIN_OVERLAP
    )


def score_extraction(name: str, levels: Mapping[str, Sequence[Row]], items: Mapping[str, Row]) -> list[Measured]:
    """Every measure of one extraction set, over the texts that have an item; ``levels`` by file, sentences first."""
    out: list[Measured] = []
    for level, every_row in levels.items():
        rows = [row for row in every_row if row["id"] in items]
        if not rows:
            continue
        found: dict[str, Sequence[Row]] = {row["id"]: items[row["id"]]["relations"] for row in rows}
        if name == "ece_zh":
            out += _prf("slot", "", *count_slots(rows, found))
            continue
        relations = [gold for row in rows for gold in row["relations"]]
        kinds = sorted({gold["type"] for gold in relations})
        graded = any(gold.get("explicit") == "explicit" for gold in relations)
        suffix = "" if level == "sentences" else ".doc"
        if "causal" in kinds and not suffix:
            out += _prf("sentence", ".causal", *count_sentences(rows, found))
        for kind in kinds:
            out += _prf("relation", f".{kind}{suffix}", *count_relations(rows, found, kind))
            if graded:
                counts = count_relations(rows, found, kind, explicit_only=True)
                out += _prf("relation", f".{kind}.explicit{suffix}", *counts)
    return out


def count_relations(
    rows: Sequence[Row], found: Mapping[str, Sequence[Row]], kind: str, *, explicit_only: bool = False
) -> tuple[int, int, int]:
    """(right, predicted, gold) for relations of one type, each gold relation found once at most.

    With ``explicit_only`` gold without an explicit cue is not asked for, and a prediction of it counts neither way.
    """
    right = predicted = wanted = 0
    for row in rows:
        open_gold: list[Row] = []
        unasked: list[Row] = []
        for gold in row["relations"]:
            if gold["type"] == kind:
                asked = not explicit_only or gold.get("explicit") == "explicit"
                (open_gold if asked else unasked).append(gold)
        wanted += len(open_gold)
        for relation in found[row["id"]]:
            if data_type(relation["type"]) != kind:
                continue
            index = next((i for i, gold in enumerate(open_gold) if matches(gold, relation)), None)
            if index is not None:
                del open_gold[index]
                right += 1
                predicted += 1
            elif not any(matches(gold, relation) for gold in unasked):
                predicted += 1
    return right, predicted, wanted


def count_sentences(rows: Sequence[Row], found: Mapping[str, Sequence[Row]]) -> tuple[int, int, int]:
    """(right, predicted, gold) for "does the text hold a causal relation at all?"."""
    right = predicted = wanted = 0
    for row in rows:
        gold = bool(row["causal"]) if "causal" in row else any(g["type"] == "causal" for g in row["relations"])
        said = any(data_type(relation["type"]) == "causal" for relation in found[row["id"]])
        right, predicted, wanted = right + (gold and said), predicted + said, wanted + gold
    return right, predicted, wanted


def count_slots(rows: Sequence[Row], found: Mapping[str, Sequence[Row]]) -> tuple[int, int, int]:
    """(right, predicted, gold) where gold ends are names (a product or an industry) that a span must hold.

    A span has at most ``MAX_SLOT_SPAN`` characters and the two do not overlap. These texts repeat themselves: saying a
    relation again that was found counts neither way.
    """
    right = predicted = wanted = 0
    for row in rows:
        text: str = row["text"]
        gold = [(_slots(g["from"]), _slots(g["to"])) for g in row["relations"]]
        gold = [(cause, effect) for cause, effect in gold if cause and effect]
        wanted += len(gold)
        said: set[int] = set()
        for relation in found[row["id"]]:
            if data_type(relation["type"]) != "causal":
                continue
            hits = _slot_hits(text, gold, relation["from"], relation["to"])
            new = [i for i in hits if i not in said][:1]
            said.update(new)
            right += len(new)
            predicted += bool(new) or not hits
    return right, predicted, wanted


def _slot_hits(
    text: str, gold: Sequence[tuple[list[str], list[str]]], cause: Sequence[int], effect: Sequence[int]
) -> list[int]:
    too_long = max(cause[1] - cause[0], effect[1] - effect[0]) > MAX_SLOT_SPAN
    if too_long or max(cause[0], effect[0]) < min(cause[1], effect[1]):
        return []
    head, tail = text[cause[0] : cause[1]], text[effect[0] : effect[1]]
    return [i for i, (c, e) in enumerate(gold) if any(s in head for s in c) and any(s in tail for s in e)]


def _slots(end: Row) -> list[str]:
    return end.get("product") or end.get("industry") or []


def _prf(kind: str, suffix: str, right: int, predicted: int, wanted: int) -> list[Measured]:
    """Precision, recall and their harmonic mean; 0 where there is nothing to divide by."""
    precision = right / predicted if predicted else 0.0
    recall = right / wanted if wanted else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    values = {"p": precision, "r": recall, "f1": f1}
    return [Measured(f"{kind}_{name}{suffix}", value, wanted) for name, value in values.items()]


__all__ = [
    "CUTS",
    "MAX_SLOT_SPAN",
    "Measured",
    "all_gold_at",
    "auroc",
    "chain_at",
    "count_relations",
    "count_sentences",
    "count_slots",
    "data_type",
    "group_at",
    "matches",
    "recall_at",
    "score_extraction",
    "score_ranking",
]
