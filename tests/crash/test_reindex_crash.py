"""A reindex and a move between access classes that are killed: old or new tables, and going on completes it."""

from __future__ import annotations

import os
import random
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from stand_ins import FLOOD
from writer_processes import ForkServer, fork_server

from storage.fault_points import FAULT_POINTS
from storage.manifest import read_manifest

SOAK = os.environ.get("CLEW_SOAK") == "1"
OWN_POINTS = {"index.moved", *(name for name in FAULT_POINTS if name.startswith("reindex."))}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ForkServer]:
    folder = tmp_path / "processes"
    folder.mkdir()
    with fork_server(folder) as started:
        yield started


def test_a_reindex_killed_at_a_fault_point_leaves_the_old_or_the_new_store_and_can_be_completed(
    server: ForkServer, tmp_path: Path
) -> None:
    base = tmp_path / "base" / "store"
    base.mkdir(parents=True)
    notes = tmp_path / "notes"
    notes.mkdir()
    for name, text in FLOOD.items():
        (notes / name).write_text(text, encoding="utf-8")
    server.do("ingest", base, notes=str(notes))
    for step in ("propose", "accept"):
        server.do(step, base)
    before = server.do("state", base)
    copies = iter(tmp_path / f"copy-{i}" / "store" for i in range(1000))

    def copy() -> Path:
        return Path(shutil.copytree(base, next(copies)))

    straight = copy()
    steps = server.run("reindex", straight).steps
    after: dict[str, Any] = server.do("reindexed_state", straight)
    assert after["healthy"]
    assert after["state_hash"] != before["state_hash"]  # groups are part of it
    assert set(steps) >= OWN_POINTS
    own = {steps.index(name) + 1 for name in OWN_POINTS}
    others = sorted(set(range(1, len(steps) + 1)) - own)
    for i in range(1, len(steps) + 1) if SOAK else sorted(own | set(random.Random(3).sample(others, 3))):
        store = copy()
        killed = server.run("reindex", store, kill_at=i)
        assert (killed.code, killed.steps) == (-signal.SIGKILL, steps[:i])
        manifest = read_manifest(store)
        assert manifest is not None
        if manifest.isolation == "shared":
            assert server.do("state", store) == before, steps[i - 1]
        server.do("reindex", store)
        assert server.do("reindexed_state", store) == after, steps[i - 1]
        shutil.rmtree(store)
