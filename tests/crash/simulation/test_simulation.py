"""Random runs of everything that can be done to a knowledge base, with crashes and failures, agree with a model.

``CLEW_SIMULATION_SEED=17`` runs that seed alone; a run that fails is cut down to the steps that it takes to fail.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import neo4j
import neo4j_server
import pytest
import soak_figures
from crash.simulation.oracle import Oracle
from crash.simulation.steps import Step, draw, keeps_versions
from crash.simulation.store import Store
from crash.simulation.world import World

from storage.neo4j_database import Neo4jAddress

SOAK = os.environ.get("CLEW_SOAK") == "1"
ONE = os.environ.get("CLEW_SIMULATION_SEED")
STEPS = 25
BLOCK = 10
IN_MEMORY = 1_000 if SOAK else 95
"""Seeds whose text index is in memory; the rest of the system is as it is."""
ON_LANCE = 200 if SOAK else 5
ON_NEO4J = 50 if SOAK else 5
SHRINK_SECONDS = 60
MEMORY_DISK = "/dev/shm" if Path("/dev/shm").is_dir() else None
"""Where no crash takes the disk with it, nothing need be waited for until it is on one."""

Make = Callable[[Path, bool], Store]
"""Makes an empty store in a folder, with whether what is replaced stays."""


@pytest.fixture(scope="module")
def oracle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Oracle]:
    made = Oracle(tmp_path_factory.mktemp("oracle"))
    yield made
    made.close()


def seeds(first: int, count: int) -> list[range]:
    """Blocks of seeds, each a test."""
    if ONE:
        return [range(int(ONE), int(ONE) + 1)]
    return [range(start, min(start + BLOCK, first + count)) for start in range(first, first + count, BLOCK)]


def named(block: range) -> str:
    return f"{block[0]}-{block[-1]}"


def failure_of(steps: Sequence[Step], make: Make, oracle: Oracle, *, keeping: bool) -> str | None:
    """What goes wrong in a run of steps, or None."""
    with tempfile.TemporaryDirectory(dir=MEMORY_DISK) as folder:
        store = make(Path(folder), keeping)
        try:
            World(store, oracle).run(steps)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is a finding
            return f"{type(error).__name__}: {error}"
        finally:
            store.close()
    return None


def shortest(steps: list[Step], fails: Callable[[list[Step]], bool]) -> list[Step]:
    """Fewer steps that still fail: parts are left out, ever smaller ones, as long as there is time."""
    deadline = time.monotonic() + SHRINK_SECONDS
    size = len(steps) // 2
    while size and time.monotonic() < deadline:
        for start in range(0, len(steps), size):
            fewer = steps[:start] + steps[start + size :]
            if time.monotonic() > deadline:
                break
            if fails(fewer):
                steps = fewer
                break
        else:
            size //= 2
    return steps


def check(block: range, make: Make, oracle: Oracle, kind: str) -> None:
    for seed in block:
        steps = draw(seed, STEPS)

        def failure(steps: list[Step], keeping: bool = keeps_versions(seed)) -> str | None:
            return failure_of(steps, make, oracle, keeping=keeping)

        reason = failure(steps)
        if reason is not None:
            fewest = shortest(steps, lambda fewer: failure(fewer) is not None)
            shown = "\n".join(f"  {number}. {step}" for number, step in enumerate(fewest, 1))
            pytest.fail(
                f"CLEW_SIMULATION_SEED={seed} ({kind}) fails: {reason}\nand in fewer steps:\n{shown}\n"
                f"  → {failure(fewest)}",
                pytrace=False,
            )
    soak_figures.note(f"simulation, {kind}", tries=len(block), failures=0, unit=f"runs of {STEPS} steps")


@pytest.mark.parametrize("block", seeds(0, IN_MEMORY), ids=named)
def test_random_runs_agree_with_the_model(block: range, oracle: Oracle) -> None:
    check(block, lambda folder, keeping: Store(folder, keeping=keeping), oracle, "embedded graph, index in memory")


@pytest.mark.parametrize("block", seeds(10_000, ON_LANCE), ids=named)
def test_random_runs_on_lancedb_agree_with_the_model(block: range, oracle: Oracle) -> None:
    def make(folder: Path, keeping: bool) -> Store:
        return Store(folder, keeping=keeping, in_memory=False)

    check(block, make, oracle, "embedded graph, LanceDB")


@pytest.mark.parametrize("block", seeds(20_000, ON_NEO4J), ids=named)
def test_random_runs_on_neo4j_agree_with_the_model(block: range, oracle: Oracle, neo4j_address: Neo4jAddress) -> None:
    settings: dict[str, Any] = {
        "graph": "neo4j",
        "neo4j_uri": neo4j_address.uri,
        "neo4j_username": neo4j_address.username,
        "neo4j_password": neo4j_address.password,
        "neo4j_database": neo4j_address.database,
    }
    auth = (neo4j_address.username, neo4j_address.password)
    with neo4j.GraphDatabase.driver(neo4j_address.uri, auth=auth) as driver:

        def make(folder: Path, keeping: bool) -> Store:
            neo4j_server.clear(driver, neo4j_address.database)
            return Store(folder, keeping=keeping, settings=settings)

        check(block, make, oracle, "Neo4j graph, index in memory")


def test_a_seed_decides_every_step() -> None:
    assert draw(7, STEPS) == draw(7, STEPS) != draw(8, STEPS)


def test_a_failing_run_is_cut_down_to_the_steps_that_it_takes() -> None:
    steps = draw(3, STEPS)
    wanted = {steps[4], steps[17]}
    assert set(shortest(steps, lambda fewer: wanted <= set(fewer))) == wanted
