"""The product itself under evaluation, with its real stores and a cheap embedder and extractor."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from extractors.bilingual import BilingualExtractor
from graphrag.evaluation import runner
from graphrag.evaluation.run_state import Request
from graphrag.evaluation.systems import Store
from graphrag.knowledge_base import KnowledgeBase
from graphrag.settings import Settings
from storage.ports import Embedder

from .conftest import CauseExtractor, WordEmbedder


class InterruptedBuildError(Exception):
    """Stands for the power going."""


def evaluate(bench: Path, settings: Settings, steps: list[str], *, stop_after: int | None = None) -> Any:
    def open_store(path: Path, settings: Settings, embedder: Embedder) -> Store:
        def reached(step: str) -> None:
            steps.append(step)
            if stop_after is not None and len(steps) >= stop_after:
                raise InterruptedBuildError

        extractor = CauseExtractor()
        return KnowledgeBase.open(
            path,
            settings=settings,
            embedder=embedder,
            extractor=BilingualExtractor({"en": extractor, "zh": extractor}),
            on_write_step=reached,
        )

    request = Request("chain", bench, systems=("clew",))
    return runner.run(request, settings, embedder=WordEmbedder(), open_store=open_store)


def values(rows: Sequence[Any]) -> dict[tuple[str, str], float]:
    return {(row.set, row.measure): row.value for row in rows}


def test_a_real_store_is_built_searched_and_used_again(bench: Path, settings: Settings) -> None:
    steps: list[str] = []
    first = evaluate(bench, settings, steps)
    assert steps
    assert values(first.rows)["ece_chain_zh", "full@2"] == 1.0
    assert len(list((settings.cache / "eval").iterdir())) == 2
    steps.clear()
    again = evaluate(bench, settings, steps)
    assert not [step for step in steps if step.startswith("ingest")]
    assert again.rows == first.rows
    assert not again.skipped


def test_an_interrupted_build_is_resumed(bench: Path, settings: Settings, tmp_path: Path) -> None:
    whole = evaluate(bench, settings.model_copy(update={"cache": tmp_path / "other"}), [])
    with pytest.raises(InterruptedBuildError):
        evaluate(bench, settings, [], stop_after=3)
    assert evaluate(bench, settings, []).rows == whole.rows
