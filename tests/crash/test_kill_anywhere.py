"""Killed at any step of any write, a store holds every document wholly or not at all, and going on completes it."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from stand_ins import FLOOD
from writer_processes import ForkServer, fork_server

SOAK = os.environ.get("CLEW_SOAK") == "1"
LONG = "".join(f"The storm number {i} causes the damage number {i}.\n\n" for i in range(30))
V1 = {**FLOOD, "long.md": f"# Long\n\n{LONG}"}
SMALL_CHUNKS = 32

State = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """One write: what the store holds before it, how the files change, and the operation."""

    operation: str
    options: dict[str, Any] = field(default_factory=dict)
    prepared_by: tuple[str, ...] = ("ingest",)
    change: dict[str, str | None] = field(default_factory=dict)  # files written (None: deleted) after the preparation
    steps: int = 3  # at least so many are expected
    whole_state: bool = True  # one transaction: the state is the one before or the one after, nothing between

    @property
    def settings(self) -> dict[str, Any]:
        return {name: self.options[name] for name in ("chunk_tokens",) if name in self.options}


ACCEPTED = ("ingest", "propose", "accept")
NEW_RAIN = "# Rain\n\nThe storm causes heavy rain. It was a long night.\n"

CASES = {
    "ingest": Case("ingest", prepared_by=(), steps=10),
    "ingest-in-batches": Case("ingest", {"batch_documents": 3}, prepared_by=(), steps=18, whole_state=False),
    "replace": Case("ingest", prepared_by=ACCEPTED, change={"rain.md": NEW_RAIN}, steps=9),
    "groups": Case("ingest", {"groups": ["hr"]}, prepared_by=ACCEPTED, steps=3),
    "remove": Case("remove", {"name": "notes/port.md"}, prepared_by=ACCEPTED, steps=4),
    "prune": Case("ingest", {"prune": True}, prepared_by=ACCEPTED, change={"port.md": None}, steps=5),
    "restore": Case("ingest", prepared_by=(*ACCEPTED, "remove"), steps=9),
    "accept": Case("accept", prepared_by=("ingest", "propose"), steps=4),
    "roll-back": Case("roll_back", prepared_by=ACCEPTED, steps=3),
    "reprocess": Case("ingest", {"reprocess": True, "chunk_tokens": SMALL_CHUNKS}, prepared_by=ACCEPTED, steps=9),
    "all-at-once": Case(
        "ingest",
        {"reprocess": True, "chunk_tokens": SMALL_CHUNKS, "prune": True},
        prepared_by=ACCEPTED,
        change={"rain.md": NEW_RAIN, "new.md": "# New\n\nThe fire causes the smoke.\n", "release.md": None},
        steps=14,
        whole_state=False,
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkServer]:
    with fork_server(tmp_path_factory.mktemp("processes")) as started:
        yield started


@dataclass
class Prepared:
    """A case with its files and the store as it is before the write."""

    case: Case
    server: ForkServer
    folder: Path
    before: State = field(default_factory=dict)
    copies: int = 0

    @property
    def options(self) -> dict[str, Any]:
        notes = {"notes": str(self.folder / "notes")} if self.case.operation == "ingest" else {}
        return {**notes, **self.case.options}

    def copy(self, of: Path | None = None) -> Path:
        """The store before the write, to be written to."""
        self.copies += 1
        to = self.folder / f"copy-{self.copies}" / "store"
        shutil.copytree(of or self.folder / "base" / "store", to)
        return to

    def again(self, store: Path) -> State:
        """The state after doing the write."""
        return self.reopened(store)[1]

    def reopened(self, store: Path) -> tuple[State, State]:
        """The state as opening leaves it, and then after doing the write (once more)."""
        first, last = self.server.do(
            "reopened", store, again=self.case.operation, options=self.options, settings=self.case.settings
        )
        return first, last


def prepare(case: Case, server: ForkServer, folder: Path) -> Prepared:
    notes, store = folder / "notes", folder / "base" / "store"
    notes.mkdir(parents=True)
    for name, text in V1.items():
        (notes / name).write_text(text, encoding="utf-8")
    store.mkdir(parents=True)
    for step in case.prepared_by:
        options = {"ingest": {"notes": str(notes)}, "remove": {"name": "notes/port.md"}}.get(step, {})
        server.do(step, store, **options)
    for name, text in case.change.items():
        if text is None:
            (notes / name).unlink()
        else:
            (notes / name).write_text(text, encoding="utf-8")
    before = server.do("state", store)  # the old settings: the state as it was
    return Prepared(case, server, folder, before)


def check_whole(found: State, before: State, after: State, case: Case) -> None:
    """Every document is wholly in or wholly out, in both stores."""
    assert found["intents"] == 0
    for name, document in found["sources"].items():
        assert document in (before["sources"].get(name), after["sources"].get(name)), name
    assert set(found["rows"]) - {""} == set(found["sources"].values())
    for document, rows in found["rows"].items():
        if document:
            assert sorted(rows["chunks"]) == found["chunks"][document]
            assert len(rows["documents"]) == 1
            assert rows in (before["rows"].get(document), after["rows"].get(document)), document
    if case.whole_state:
        assert found["state_hash"] in (before["state_hash"], after["state_hash"])
        whole = before if found["state_hash"] == before["state_hash"] else after
        for part in ("sources", "rows", "derived", "counts"):
            assert found[part] == whole[part], part
        assert found["ledger"] == whole["ledger"] or case.operation == "ingest"


def check_equal(found: State, expected: State) -> None:
    """As if it had never been interrupted."""
    for part in expected:
        assert found[part] == expected[part], part


def check_killed(ready: Prepared, store: Path, steps: list[str], i: int, after: State) -> None:
    """Do the write, kill it at its step ``i``, and go on: all or nothing, then as if it had never been interrupted."""
    killed = ready.server.run(ready.case.operation, store, kill_at=i, **ready.options)
    assert killed.code == -signal.SIGKILL
    assert killed.steps == steps[:i]
    try:
        found, completed = ready.reopened(store)
        check_whole(found, ready.before, after, ready.case)
        check_equal(completed, after)
    except AssertionError as error:
        raise AssertionError(f"{ready.case.operation} killed at step {i} ({steps[i - 1]}): {error}") from error


@pytest.mark.parametrize("name", CASES)
def test_a_write_killed_at_any_step_is_whole_or_undone_and_can_be_completed(
    name: str, server: ForkServer, tmp_path: Path
) -> None:
    ready = prepare(CASES[name], server, tmp_path)
    straight = ready.copy()
    ended = server.run(ready.case.operation, straight, **ready.options)
    assert ended.code == 0, ended.stderr
    after = server.do("state", straight, **ready.case.settings)
    assert after != ready.before
    assert len(ended.steps) >= ready.case.steps, ended.steps
    for i in range(1, len(ended.steps) + 1):
        store = ready.copy()
        check_killed(ready, store, ended.steps, i, after)
        shutil.rmtree(store.parent)


def test_a_recovery_killed_at_any_step_can_be_completed(server: ForkServer, tmp_path: Path) -> None:
    ready = prepare(CASES["all-at-once"], server, tmp_path)
    after = ready.again(ready.copy())
    seen = 0
    for kill_at in (4, 7, 8, 9) if SOAK else (8,):
        broken = ready.copy()
        assert server.run("ingest", broken, kill_at=kill_at, **ready.options).code == -signal.SIGKILL
        steps = server.run("recover", ready.copy(broken), **ready.case.settings).steps
        for i in range(1, len(steps) + 1):
            store = ready.copy(broken)
            assert server.run("recover", store, kill_at=i, **ready.case.settings).code == -signal.SIGKILL
            found, completed = ready.reopened(store)
            check_whole(found, ready.before, after, ready.case)
            check_equal(completed, after)
            seen += 1
    assert seen > 5


def test_a_store_whose_making_was_killed_is_made_again(server: ForkServer, tmp_path: Path) -> None:
    ready = prepare(CASES["ingest"], server, tmp_path)
    whole = ready.again(ready.copy())
    for left in ([], ["writer.lock"], ["writer.lock", "writer.json", "clew.toml"], [".manifest.json.123"]):
        store = tmp_path / "-".join(["half", *left]) / "store"
        store.mkdir(parents=True)
        for file in left:
            (store / file).touch()
        check_equal(ready.again(store), whole)


def test_a_write_killed_at_random_times_can_be_completed(server: ForkServer, tmp_path: Path) -> None:
    chance = random.Random(11)
    ready = {name: prepare(CASES[name], server, tmp_path / name) for name in ("ingest-in-batches", "all-at-once")}
    after, seconds = {}, {}
    for name, prepared in ready.items():
        store = prepared.copy()
        begun = time.monotonic()
        server.do("ingest", store, **prepared.options)
        seconds[name] = time.monotonic() - begun
        after[name] = server.do("state", store, **prepared.case.settings)
    killed = 0
    for i in range(100 if SOAK else 8):
        name = sorted(ready)[i % 2]
        store = ready[name].copy()
        running = server.start("ingest", store, **ready[name].options)
        time.sleep(chance.uniform(0.02, seconds[name]))
        os.kill(running.pid, signal.SIGKILL)
        killed += running.wait().code == -signal.SIGKILL
        found, completed = ready[name].reopened(store)
        check_whole(found, ready[name].before, after[name], ready[name].case)
        check_equal(completed, after[name])
        shutil.rmtree(store.parent)
    assert killed >= 3


def test_an_interrupted_ingest_says_so_and_going_on_does_nothing_twice(server: ForkServer, tmp_path: Path) -> None:
    notes, log = tmp_path / "notes", tmp_path / "embedded"
    notes.mkdir()
    for i in range(40):
        paragraphs = (f"Word{i}x{j} causes thing{i}x{j}.\n\n" for j in range(12))
        (notes / f"{i}.md").write_text("".join(paragraphs), encoding="utf-8")
    store = tmp_path / "store"
    arguments = ["ingest", str(notes), "--store", str(store)]
    chance = random.Random(5)
    interrupted = 0
    for _ in range(6):
        running = server.start("clew", store, arguments=arguments, embedded=str(log), pause=0.1)
        before = log.stat().st_size if log.exists() else 0
        deadline = time.monotonic() + 30
        while (log.stat().st_size if log.exists() else 0) == before and time.monotonic() < deadline:
            time.sleep(0.01)  # it has begun to embed
        time.sleep(chance.uniform(0, 0.4))
        os.kill(running.pid, signal.SIGINT)
        ended = running.wait()
        if ended.code == 0:
            break
        assert ended.code == 130, ended.stderr
        assert "interrupted" in ended.stderr
        assert "Traceback" not in ended.stderr
        interrupted += 1
    assert interrupted >= 2
    assert server.run("clew", store, arguments=arguments, embedded=str(log)).code == 0
    texts = [tuple(json.loads(line)) for line in log.read_text("utf-8").splitlines()]
    assert len(texts) == len(set(texts))
    straight = tmp_path / "straight" / "store"
    server.do("ingest", straight, notes=str(notes))
    found, expected = server.do("state", store), server.do("state", straight)
    assert found["state_hash"] == expected["state_hash"]
    assert {d: set(r["chunks"]) for d, r in found["rows"].items()} == {
        d: set(r["chunks"]) for d, r in expected["rows"].items()
    }
