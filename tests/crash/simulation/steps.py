"""What may happen to a knowledge base, as data: a run of steps is drawn from a seed, and any part of it can be run."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Literal

from crash.simulation.model import CUES, THINGS, Sentence, Written

NAMES = ("a", "b", "c", "d", "e")
GROUPS = (("public",), ("hr",), ("board", "hr"))
VIEWS = (None, frozenset({"public"}), frozenset({"hr"}), frozenset({"board", "public"}))
MOST_POINTS = 40
"""Few writes pass more fault points than this; a fault that is set for later does not happen."""

FaultKind = Literal["crash", "full", "io", "time-out", "model"]


@dataclass(frozen=True)
class Fault:
    """What goes wrong in a step: at the fault point it passes as its ``at``-th, or when the model is asked."""

    kind: FaultKind
    at: int


@dataclass(frozen=True)
class Step:
    """One thing that is done."""

    do: Literal[
        "ingest", "regroup", "remove", "propose", "accept", "reject", "rollback", "doubt", "relent", "optimize",
        "reopen", "look",
    ]  # fmt: skip
    documents: tuple[tuple[str, Written], ...] = ()
    name: str = ""
    ends: tuple[str, str] = ("", "")
    view: frozenset[str] | None = None
    choice: int = 0  # which of those that there are, modulo their number
    half_hours: int | None = None  # of a look, after noon, what it is about; of an ingest, from when it says it holds
    fault: Fault | None = None

    def __str__(self) -> str:
        shown = [self.do]
        shown += [f"{n}={d.text!r} for {','.join(d.groups)}" for n, d in self.documents]
        shown += [self.name] if self.name else []
        shown += [f"{self.ends[0]} → {self.ends[1]}"] if self.ends[0] else []
        shown += [f"as {sorted(self.view)}"] if self.view else []
        shown += [] if self.half_hours is None else [f"at {self.half_hours / 2} h"]
        shown += [f"[{self.fault.kind} at {self.fault.at}]"] if self.fault else []
        return " ".join(shown)


_CHANCES: dict[str, int] = {
    "ingest": 34, "regroup": 6, "remove": 12, "propose": 12, "accept": 9, "reject": 2, "rollback": 4,
    "doubt": 5, "relent": 4, "optimize": 2, "reopen": 4, "look": 15,
}  # fmt: skip
_FAULTY = 0.3  # of the steps that write
_BACK = 0.3  # of the texts that a source says anew
_DATED = {"look": 0.5, "ingest": 0.15}
_KINDS: tuple[FaultKind, ...] = ("crash", "crash", "crash", "full", "io", "time-out", "model")


def draw(seed: int, length: int) -> list[Step]:
    """A run of steps, which only ``seed`` decides."""
    chance = random.Random(seed)
    earlier: dict[str, list[Written]] = {}
    return [_step(chance, number, earlier) for number in range(length)]


def keeps_versions(seed: int) -> bool:
    """Whether what is replaced stays, in the run of this seed."""
    return seed % 2 == 1


def _step(chance: random.Random, number: int, earlier: dict[str, list[Written]]) -> Step:
    do = chance.choices(list(_CHANCES), list(_CHANCES.values()))[0]
    fault = None
    if do not in ("look", "reopen") and chance.random() < _FAULTY:
        fault = Fault(chance.choice(_KINDS), 1 + int(MOST_POINTS * chance.random() ** 1.5))
    documents: tuple[tuple[str, Written], ...] = ()
    if do == "ingest":
        names = chance.sample(NAMES, chance.choice((1, 1, 2, 3)))
        documents = tuple((name, _document(chance, earlier.setdefault(name, []))) for name in sorted(names))
    elif do == "regroup":
        documents = ((chance.choice(NAMES), Written((), chance.choice(GROUPS))),)
    start, end = chance.sample(THINGS, 2)
    return Step(
        do=do,  # type: ignore[arg-type]
        documents=documents,
        name=chance.choice(NAMES) if do == "remove" else "",
        ends=(start, end) if do in ("propose", "look") else ("", ""),
        view=chance.choice(VIEWS) if do == "look" else None,
        choice=chance.randrange(1000),
        half_hours=chance.randrange(-1, 2 * number + 4) if chance.random() < _DATED.get(do, 0) else None,
        fault=fault,
    )


def _document(chance: random.Random, earlier: list[Written]) -> Written:
    """A text that its source did not say so far, or one that comes back."""
    if earlier and chance.random() < _BACK:
        return replace(chance.choice(earlier), groups=chance.choice(GROUPS))
    sentences: list[Sentence] = []
    for _ in range(chance.choice((1, 2, 2, 3))):
        head, tail = chance.sample(THINGS, 2)
        cue = chance.choices(list(CUES), (6, 2, 1, 1))[0]
        sentences.append((head, cue, tail))
    earlier.append(Written(tuple(dict.fromkeys(sentences)), chance.choice(GROUPS)))
    return earlier[-1]
