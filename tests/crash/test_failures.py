"""A full disk, a failing disk, a time-out and a model that fails, at every fault point of every write.

Each gives an error of ours that says what to do, leaves what can be seen as it was before the write or as it is after
it, and the same write then succeeds. The world of the simulation does the writes and compares.
"""

from __future__ import annotations

import itertools
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
import soak_figures
from crash.simulation.model import Written
from crash.simulation.oracle import Oracle
from crash.simulation.steps import Fault, FaultKind, Step
from crash.simulation.store import Store
from crash.simulation.world import World
from stand_ins import SentenceExtractor
from unit.extractors.test_openai_embedder import SECRET, Reply, Server, honest
from unit.extractors.test_openai_embedder import server as embedding_server  # noqa: F401 - a fixture

from extractors.embedders import OpenAIEmbedder
from graphrag import Document, KnowledgeBase, Settings
from storage.errors import ClewError, ModelError, UnreachableError
from storage.fault_points import FAULT_POINTS

SOAK = os.environ.get("CLEW_SOAK") == "1"
KINDS: tuple[FaultKind, ...] = tuple(kind for kind in get_args(FaultKind) if kind != "model")
RAIN = Written((("the storm", "causes", "heavy rain"),), ("public",))
ROAD = Written((("heavy rain", "causes", "the flooded road"), ("the fire", "precedes", "the strike")), ("public",))
PORT = Written((("the flooded road", "causes", "the closed port"),), ("hr", "public"))
BEFORE = (
    Step("ingest", documents=(("a", RAIN), ("b", ROAD), ("c", PORT))),
    Step("propose", ends=("the storm", "the closed port")),
)
ACCEPTED = (*BEFORE, Step("accept"))
WRITES: dict[str, tuple[tuple[Step, ...], Step]] = {
    "add": ((), Step("ingest", documents=(("a", RAIN), ("b", ROAD)))),
    "replace and add": (
        ACCEPTED,
        Step("ingest", documents=(("b", replace(ROAD, sentences=ROAD.sentences[1:])), ("d", RAIN))),
    ),
    "groups": (ACCEPTED, Step("regroup", documents=(("b", Written((), ("hr",))),))),
    "remove": (ACCEPTED, Step("remove", name="b")),
    "add again": ((*ACCEPTED, Step("remove", name="b")), Step("ingest", documents=(("b", ROAD),))),
    "propose": (BEFORE[:1], BEFORE[1]),
    "accept": (BEFORE, Step("accept")),
    "reject": (BEFORE, Step("reject")),
    "roll back": (ACCEPTED, Step("rollback")),
    "optimize": (ACCEPTED, Step("optimize")),
}


@pytest.fixture(scope="module")
def oracle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Oracle]:
    made = Oracle(tmp_path_factory.mktemp("oracle"))
    yield made
    made.close()


def failing(
    name: str, kinds: Callable[[int], tuple[FaultKind, ...]], folder: Path, oracle: Oracle, *, in_memory: bool = True
) -> tuple[int, set[str]]:
    """Let a write fail at each of its fault points, in these ways; how often it did, and where."""
    before, step = WRITES[name]
    ready = World(Store(folder / name, in_memory=in_memory), oracle)
    for earlier in before:
        ready.do(earlier)
    assert ready.typed == []
    ready.store.close()
    tries, where = 0, set()
    for at in itertools.count(1):
        for kind in kinds(at):
            store = ready.store.copy(folder / f"{name}-{at}-{kind}")
            world = World(store, oracle, ready.state)
            world.do(replace(step, fault=Fault(kind, at)))
            if store.faults.happened is None:
                store.close()
                return tries, where
            tries += 1
            where.add(store.faults.happened)
            assert len(world.typed) == (kind != "crash"), (at, kind)
            world.do(step)
            world.do(Step("reopen"))
            if at % len(KINDS) == KINDS.index(kind) and (SOAK or at % 8 == 0):  # each point once, each kind in turn
                world.check_all()
            store.close()
            shutil.rmtree(store.folder)
    raise AssertionError("a write passes fault points without end")


def in_turn(at: int) -> tuple[FaultKind, ...]:
    """Every way in a soak, else one of them at each fault point."""
    return KINDS if SOAK else (KINDS[at % len(KINDS)],)


@pytest.mark.parametrize("name", WRITES)
def test_a_write_that_fails_anywhere_says_why_and_is_whole_or_not_there(
    name: str, oracle: Oracle, tmp_path: Path
) -> None:
    tries, where = failing(name, in_turn, tmp_path, oracle)
    assert tries >= 2
    assert where <= FAULT_POINTS.keys()
    soak_figures.note("failure at a fault point, index in memory", tries=tries)


@pytest.mark.parametrize("name", WRITES if SOAK else ["replace and add"])
def test_a_write_to_lancedb_that_fails_anywhere_is_whole_or_not_there(
    name: str, oracle: Oracle, tmp_path: Path
) -> None:
    def some(at: int) -> tuple[FaultKind, ...]:
        return in_turn(at) if SOAK or at % 5 == 2 or at > 30 else ()

    tries, _ = failing(name, some, tmp_path, oracle, in_memory=False)
    soak_figures.note("failure at a fault point, LanceDB", tries=tries)


def test_a_model_that_fails_leaves_what_was_there(oracle: Oracle, tmp_path: Path) -> None:
    for name in ("add", "replace and add", "add again"):
        before, step = WRITES[name]
        world = World(Store(tmp_path / name), oracle)
        for earlier in before:
            world.do(earlier)
        then = world.state
        world.do(replace(step, fault=Fault("model", 1)))
        assert [type(error) for error in world.typed] == [UnreachableError]
        assert world.state == then
        world.do(step)
        world.check_all()
        world.store.close()


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        ((429, b'{"error": {"message": "slow down"}}'), UnreachableError),
        ((500, b"oh no"), UnreachableError),
        ((200, b"<html>not a model</html>"), ModelError),
        ((200, b'{"object": "list", "model": "m", "data": []}'), ModelError),
    ],
    ids=["429", "500", "garbage", "nothing"],
)
def test_an_embedding_model_that_fails_at_any_request_leaves_no_partial_document(
    reply: Reply,
    error: type[ClewError],
    embedding_server: Server,  # noqa: F811
    tmp_path: Path,
) -> None:
    documents = [Document(id=f"{i}", text=f"The event {i} causes the event {i + 1}. Word {i}.") for i in range(40)]
    requests = 1
    while True:
        embedder = OpenAIEmbedder("m", base_url=embedding_server.url, api_key=SECRET, max_retries=0)
        folder = tmp_path / f"store-{requests}"
        settings = Settings(cache=tmp_path / f"cache-{requests}", loader_process=False)
        with KnowledgeBase.open(
            folder,
            embedder=embedder,
            extractor=SentenceExtractor(),
            settings=settings,  # type: ignore[arg-type]
        ) as kb:
            embedding_server.script = [honest] * requests + [reply] * 20
            try:
                kb.ingest(documents)
            except ClewError as raised:
                assert isinstance(raised, error), raised  # noqa: PT017 - the loop ends when nothing is raised
                assert len(str(raised)) > 20  # noqa: PT017
            else:
                embedder._server.client.close()
                break
            embedding_server.script = []
            there = {d.document_id for d in kb.documents().documents}
            assert len(there) in (0, 32)  # a batch is one transaction
            assert kb._stores.index.document_ids() == there
            assert not kb._stores.graph.open_intents()
            kb.ingest(documents)
            assert len(kb.documents().documents) == 40
        embedder._server.client.close()
        requests += 1
    assert requests >= 2
