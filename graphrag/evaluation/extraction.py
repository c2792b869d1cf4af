"""The suite ``extraction``: what the relation extractor finds in each text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from graphrag.evaluation.datasets import ExtractionSet, Row, read_extraction_set, sample
from graphrag.evaluation.measures import score_extraction
from graphrag.evaluation.report import SkippedSet
from graphrag.evaluation.run_state import RunState, reported
from graphrag.evaluation.spans import clearest, distinct, relation_row, relation_rows, slot_ends

if TYPE_CHECKING:
    from extractors.ports import RelationExtractor

EXTRACTION_SYSTEMS = ("clew", "clew-wide", "clew-crisp")
SLOT_SET = "ece_zh"


def run_extraction(state: RunState, names: Sequence[str], extractor: RelationExtractor | None) -> None:
    if not names:
        return
    if extractor is None:
        from extractors.chat.budget import Budget
        from graphrag.extractor_choice import choose_extractor, prices_of

        extractor = choose_extractor(state.settings, Budget(prices_of(state.settings)))
    request = state.request
    for name in names:
        data = read_extraction_set(request.folder, name)
        state.data.append(data.data_sha256)
        levels = {
            level: sample(rows, request.sample, seed=request.seed, name=f"{name}.{level}")
            for level, rows in data.levels.items()
        }
        items, degraded = _extracted(state, data, levels, extractor)
        for system, per_text in items.items():
            state.take(name, system, per_text, score_extraction(name, levels, per_text))
        state.skipped += [SkippedSet(set=name, reason=f"degraded: {reason}") for reason in degraded]


def _extracted(
    state: RunState, data: ExtractionSet, levels: dict[str, tuple[Row, ...]], extractor: RelationExtractor
) -> tuple[dict[str, dict[str, Row]], list[str]]:
    """Each system's items: every text is extracted once, and systems differ in what they keep of it."""
    slots = data.name == SLOT_SET
    systems = [system for system in state.systems if system != "clew-crisp" or slots]
    items: dict[str, dict[str, Row]] = {system: {} for system in systems}
    degraded: dict[str, None] = {}
    for level, rows in levels.items():
        for row in reported(rows, level, lambda message: state.progress(f"{data.name}: {message}")):
            text: str = row["text"]
            result = extractor.extract(text, row.get("lang") or ("zh" if data.name.endswith("_zh") else "en"))
            degraded.update(dict.fromkeys(result.degraded))
            for system in systems:
                relations: list[dict[str, Any]] = relation_rows(result, wide=system == "clew-wide")
                if slots:
                    named = clearest(result) if system == "clew-wide" else distinct(result)
                    relations = [relation_row(relation) for relation in named]
                    if system != "clew-crisp":
                        for row_, relation in zip(relations, named, strict=True):
                            row_["from"], row_["to"] = map(list, slot_ends(text, relation))
                items[system][row["id"]] = {"relations": relations}
    return items, list(degraded)


__all__ = ["EXTRACTION_SYSTEMS", "run_extraction"]
