"""The suites ``retrieval`` and ``chain``: every system ranks what the questions of a set ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from graphrag.evaluation.baselines import FUSED_DEPTH, BM25Index, DenseIndex, Progress, fused
from graphrag.evaluation.datasets import RankingSet, Row, sample
from graphrag.evaluation.measures import score_ranking
from graphrag.evaluation.report import SkippedSet
from graphrag.evaluation.run_state import RunState, reported
from graphrag.evaluation.systems import RANKED, ClewRanker, ingest_fingerprint, ingested_store, store_path

RANKING_SYSTEMS = ("clew", "bm25", "dense", "rrf")


def run_ranking(state: RunState, data: RankingSet) -> None:
    state.data.append(data.data_sha256)
    request = state.request
    questions = sample(data.questions, request.sample, seed=request.seed, name=data.name)
    wanted = set(state.systems)

    def say(message: str) -> None:
        state.progress(f"{data.name}: {message}")

    with ExitStack() as stack:
        # relqa's rows inside a chunk are ordered by BM25, so Clew needs it there as well.
        joined = any(p.document for p in data.passages)
        bm25 = None
        if wanted & {"bm25", "rrf"} or (joined and "clew" in wanted):
            bm25 = BM25Index(data.passages, chinese=data.chinese)
        dense = DenseIndex(data.passages, state.embedder(), say) if wanted & {"dense", "rrf"} else None
        rankers: dict[str, Callable[[Row, int], Row]] = {}
        for system in state.systems:
            if system == "clew":
                rankers[system] = stack.enter_context(_clew(state, data, bm25, say)).item
            else:
                rankers[system] = _baseline(system, bm25, dense)
        for system, ranker in rankers.items():
            items: dict[str, Row] = {}
            for question in reported(questions, f"{system}: questions", say):
                items[question["id"]] = _without_given(question, ranker)
            state.take(data.name, system, items, score_ranking(questions, items))


@contextmanager
def _clew(state: RunState, data: RankingSet, bm25: BM25Index | None, say: Progress) -> Iterator[ClewRanker]:
    embedder = state.embedder()
    path = store_path(state.settings.cache, data, ingest_fingerprint(state.settings, embedder))
    problems: list[str] = []
    with ingested_store(
        path,
        data,
        settings=state.settings,
        embedder=embedder,
        open_store=state.open_store,
        progress=say,
        problems=problems,
    ) as store:
        state.skipped += [
            SkippedSet(set=data.name, reason=f"clew: {problem}; the rest was scored") for problem in problems
        ]
        yield ClewRanker(store, data, bm25)


def _baseline(system: str, bm25: BM25Index | None, dense: DenseIndex | None) -> Callable[[Row, int], Row]:
    def ranked(question: Row, limit: int) -> Row:
        text = question["question"]
        if system == "rrf":
            rankings = [
                index.rank(text, FUSED_DEPTH) for index in (dense, bm25) if index is not None
            ]  # ties: dense first
            return {"ranked": fused(rankings, limit)}
        index = bm25 if system == "bm25" else dense
        return {"ranked": index.rank(text, limit) if index is not None else []}

    return ranked


def _without_given(question: Row, ranker: Callable[[Row, int], Row]) -> Row:
    """The item of a question, without the ids that the question itself names."""
    given = set(question.get("given_ids") or ())
    item = ranker(question, RANKED + len(given))
    return {**item, "ranked": [id_ for id_ in item["ranked"] if id_ not in given][:RANKED]}


__all__ = ["RANKING_SYSTEMS", "run_ranking"]
