"""1,000 structurally bad proposals, none of which may come further than refused.

Zero in 1,000 bounds the true rate at about 3 in 1,000 (95%). Every kind of fault is put into chains that are fine but
for it, and the same chains without it must pass: so what is measured is the check, not a gate that is always shut.
"""

from __future__ import annotations

import importlib.util
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from feedback import propose, verify
from storage.embedded_graph import EmbeddedGraphStore
from storage.errors import ProposalError
from storage.identity import make_id
from storage.lance_index import LanceTextIndex
from storage.records import OWNER, Modality, Polarity, ProposalStatus, RelationType, View

PROPOSALS = 1_000
STORIES = 40
PUBLIC_ONLY = View(groups=frozenset({"public"}))
OPEN = [ProposalStatus.QUARANTINED, ProposalStatus.ACCEPTED]


def _conftest() -> ModuleType:
    path = Path(__file__).parents[1] / "unit" / "feedback" / "conftest.py"
    spec = importlib.util.spec_from_file_location("feedback_conftest", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


feedback_conftest = _conftest()
Says = feedback_conftest.Says
SEQUENTIAL = {"type": RelationType.SEQUENTIAL}


def cause(head: str, tail: str, i: int, **about: Any) -> Any:
    """A sentence of story ``i``."""
    return Says(f"{head} {i}", f"{tail} {i}", **about)


def tell(world: Any) -> None:
    """Documents whose links join across documents, story by story, each with its own fault or none."""

    def every(head: str, tail: str, **about: Any) -> list[Any]:
        return [cause(head, tail, i, **about) for i in range(STORIES)]

    world.ingest("before", *every("root", "rain"))
    world.ingest("left", *every("rain", "flood"), *every("flood", "mud"))
    world.ingest("right", *every("flood", "outage"))
    world.ingest("back", *every("outage", "rain"))
    world.ingest("derived", *every("flood", "echo", origin="derived@1"))
    world.ingest("supposed", *every("flood", "fear", modality=Modality.HYPOTHETICAL))
    world.ingest("negated", *every("flood", "calm", polarity=Polarity.NEGATED))
    world.ingest("secret", *every("flood", "deal"), groups=("board",))
    world.ingest("dawn", *every("dawn", "noon", **SEQUENTIAL))
    world.ingest("noon", *every("noon", "dusk", **SEQUENTIAL))
    for name in ("copy", "other copy"):
        world.ingest(name, *every("seed", "tree"), *every("tree", "fruit"), title=name)
    altered = world.ingest("altered", *every("flood", "ruin"))
    text = world.index.rows("documents", [altered])[altered].text
    world.alter(altered, text.replace("flood 1 so", "flood 1 no"))


def start(i: int, rng: random.Random) -> list[Any]:
    """The good beginning of a chain of story ``i``: one or two links."""
    return [cause("root", "rain", i)] * rng.randint(0, 1) + [cause("rain", "flood", i)]


Fault = Callable[[int, random.Random], tuple[list[Any], dict[str, Any]]]

FAULTS: dict[str, tuple[str, Fault]] = {
    "fake relation": ("view", lambda i, r: (start(i, r), {"fake": make_id("rel", r.random().hex())})),
    "foreign relation": ("view", lambda i, r: ([*start(i, r), cause("flood", "elsewhere", i)], {})),
    "invisible link": ("view", lambda i, r: ([*start(i, r), cause("flood", "deal", i)], {"view": PUBLIC_ONLY})),
    "altered quote": ("grounding", lambda i, r: ([*start(i, r), cause("flood", "ruin", i)], {})),
    "derived evidence": ("support", lambda i, r: ([*start(i, r), cause("flood", "echo", i, origin="derived@1")], {})),
    "single document": ("support", lambda i, r: ([cause("rain", "flood", i), cause("flood", "mud", i)], {})),
    "copied document": ("support", lambda i, r: ([cause("seed", "tree", i), cause("tree", "fruit", i)], {})),
    "hypothetical link": ("types", lambda i, r: ([*start(i, r), cause("flood", "fear", i)], {})),
    "negated link": (
        "types",
        lambda i, r: ([*start(i, r), cause("flood", "calm", i, polarity=Polarity.NEGATED)], {}),
    ),
    "mere sequence": (
        "types",
        lambda i, r: (
            [cause("dawn", "noon", i, **SEQUENTIAL), cause("noon", "dusk", i, **SEQUENTIAL)],
            {"question": r.choice(["Why is it dusk?", "天为什么黑了？"])},
        ),
    ),
    "cycle": (
        "form",
        lambda i, r: ([*start(i, r), cause("flood", "outage", i), cause("outage", "rain", i)], {}),
    ),
    "repeated relation": (
        "form",
        lambda i, r: (start(i, r) + [cause("flood", "outage", i)] * 2, {}),
    ),
    "gap": ("form", lambda i, r: ([cause("root", "rain", i), cause("flood", "outage", i)], {})),
    "wrong order": ("form", lambda i, r: ([cause("flood", "outage", i), *start(i, r)], {})),
    "single link": ("form", lambda i, r: ([cause("rain", "flood", i)], {})),
    "replay": ("form", lambda i, r: ([cause("rain", "flood", i % 4), cause("flood", "outage", i % 4)], {})),
    "over quota": (
        "form",
        lambda i, r: ([*start(4 + i % 36, r), cause("flood", "outage", 4 + i % 36)], {"proposer": "greedy"}),
    ),
}

BY_THE_WAY = {"fake relation", "foreign relation", "invisible link", "altered quote", "single link"}
"""Faults that other checks notice too: a link that is not there, a text that cannot be read, one document too few."""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("gate")
    embedder = feedback_conftest.LetterEmbedder()
    graph = EmbeddedGraphStore(folder / "graph.db")
    index = LanceTextIndex(folder / "lance", dimensions=embedder.dimensions)
    world = feedback_conftest.World(graph=graph, index=index)
    tell(world)
    # One chain in each state that a replay can meet: waiting, rejected, accepted, rolled back.
    chains = [world.propose(cause("rain", "flood", i), cause("flood", "outage", i), proposer="first") for i in range(4)]
    world.reject(chains[1])
    world.accept(chains[2])
    world.rollback(world.accept(chains[3]).batch)
    world.propose(cause("root", "rain", 0), cause("rain", "flood", 0), proposer="greedy")
    yield world
    index.close()
    graph.close()


def _propose(world: Any, sentences: list[Any], about: dict[str, Any], proposer: str) -> Any:
    ids = [s.relation.id for s in sentences]
    if fake := about.get("fake"):
        ids.append(fake)
    return propose(
        world.graph,
        world.index,
        relation_ids=ids,
        view=about.get("view", OWNER),
        proposer=about.get("proposer", proposer),
        question=about.get("question", ""),
        clock=world.clock,
        max_pending=1 if "proposer" in about else 1_000,
    )


def test_no_structurally_bad_proposal_passes_the_gate(world: Any) -> None:
    rng = random.Random(20240501)
    state, derived, rows = world.graph.state_hash(), world.derived(), world.index.derived_rows()
    waiting = world.graph.proposals(statuses=OPEN)
    tried: Counter[str] = Counter()
    refused: dict[str, Any] = {}
    for n in range(PROPOSALS):
        kind = list(FAULTS)[n % len(FAULTS)]
        check, make = FAULTS[kind]
        sentences, about = make(rng.randrange(STORIES), rng)
        proposal = _propose(world, sentences, about, proposer=f"proposer {rng.randrange(5)}")
        tried[kind] += 1
        assert proposal.status is ProposalStatus.REFUSED, kind
        assert check in [v.check for v in proposal.verdicts if not v.passed], kind
        if kind not in BY_THE_WAY:
            assert [v.check for v in proposal.verdicts if not v.passed] == [check], kind
        refused[kind] = proposal
    assert min(tried.values()) >= PROPOSALS // len(FAULTS)
    for proposal in refused.values():
        with pytest.raises(ProposalError):
            world.accept(proposal)
    assert world.graph.proposals(statuses=OPEN) == waiting
    assert (world.graph.state_hash(), world.derived(), world.index.derived_rows()) == (state, derived, rows)
    assert verify(world.graph.ledger()).intact


def test_the_same_chains_without_a_fault_pass(world: Any) -> None:
    rng = random.Random(7)
    for i in range(4, STORIES):
        good = _propose(world, [*start(i, rng), cause("flood", "outage", i)], {}, proposer="honest")
        assert good.status is ProposalStatus.QUARANTINED, good.verdicts
    sequence = [cause("dawn", "noon", 1, **SEQUENTIAL), cause("noon", "dusk", 1, **SEQUENTIAL)]
    assert _propose(world, sequence, {"question": "What comes after dawn?"}, "honest").status == "quarantined"
    seen = [cause("rain", "flood", 1), cause("flood", "deal", 1)]
    assert _propose(world, seen, {}, "honest").status == "quarantined"
