"""What an evaluation is asked for, and what it gathers while it runs."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING

from graphrag.evaluation.baselines import Progress
from graphrag.evaluation.datasets import Row, Suite
from graphrag.evaluation.measures import Measured
from graphrag.evaluation.report import ReportRow, SkippedSet
from graphrag.evaluation.systems import OpenStore

if TYPE_CHECKING:
    from graphrag.settings import Settings
    from storage.ports import Embedder

_REPORT_EVERY = 5.0  # seconds between two lines of progress


@dataclass(frozen=True, slots=True)
class Request:
    """What to measure; ``sets`` and ``systems`` of None mean all."""

    suite: Suite
    folder: Path
    sets: tuple[str, ...] | None = None
    systems: tuple[str, ...] | None = None
    sample: int | None = None  # questions or texts per set and file; the corpus is never cut
    seed: int = 0
    items: Path | None = None


@dataclass(slots=True)
class RunState:
    """What a run has at hand, and what it has gathered."""

    request: Request
    settings: Settings
    systems: tuple[str, ...]
    progress: Progress
    embedder: Callable[[], Embedder]
    open_store: OpenStore
    items_file: IO[str] | None
    rows: list[ReportRow] = field(default_factory=list)
    skipped: list[SkippedSet] = field(default_factory=list)
    data: list[str] = field(default_factory=list)

    def take(self, name: str, system: str, items: dict[str, Row], measured: list[Measured]) -> None:
        """Keep the values of one system on one set, and write its items down."""
        for measure, value, n in measured:
            self.rows.append(ReportRow(set=name, measure=measure, system=system, value=value, n=n))
        self.write({"set": name, "system": system, "id": id_, **item} for id_, item in items.items())

    def write(self, lines: Iterable[Row]) -> None:
        """Write items down, if that was asked for."""
        if self.items_file:
            for line in lines:
                self.items_file.write(json.dumps(line, ensure_ascii=False) + "\n")
            self.items_file.flush()


def reported(rows: Sequence[Row], what: str, say: Progress) -> Iterator[Row]:
    """The rows, telling now and then how many are done."""
    last = time.monotonic()
    for done, row in enumerate(rows):
        if time.monotonic() - last >= _REPORT_EVERY:
            last = time.monotonic()
            say(f"{what} {done}/{len(rows)}")
        yield row


__all__ = ["Request", "RunState", "reported"]
