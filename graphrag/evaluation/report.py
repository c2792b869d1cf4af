"""What an evaluation gives back: rows of values, what was skipped, and how the run was made."""

from __future__ import annotations

import sys
from typing import Literal

from pydantic import Field

from storage.records import Record


class RunRecord(Record):
    """How a run was made."""

    version: str
    config_sha256: str  # of the settings, without secrets and without the cache's place
    data_sha256: str  # of every file that was read
    embedder: str
    seconds: float
    peak_rss_mb: float | None  # None where the platform does not say


class ReportRow(Record):
    """One value: a fraction, unrounded, of ``n`` questions, texts or gold relations."""

    set: str
    measure: str
    system: str
    value: float
    n: int


class SkippedSet(Record):
    """A set, or a part of one, that was not scored, and why."""

    set: str
    reason: str


class EvaluationReport(Record):
    """All that a run measured."""

    schema_version: Literal[1] = Field(default=1, serialization_alias="schema")
    run: RunRecord
    rows: tuple[ReportRow, ...] = ()
    skipped: tuple[SkippedSet, ...] = ()

    def as_json(self) -> str:
        """The report for machines, in one line."""
        return self.model_dump_json(by_alias=True)

    def as_text(self) -> str:
        """The report for people: per set one line for each measure and one column for each system, in percent."""
        lines: list[str] = []
        for name in dict.fromkeys(row.set for row in self.rows):
            rows = [row for row in self.rows if row.set == name]
            systems = list(dict.fromkeys(row.system for row in rows))
            values = {(row.measure, row.system): row for row in rows}
            lines.append(f"{name:<34}" + "".join(f"{system:>12}" for system in systems) + f"{'n':>8}")
            for measure in dict.fromkeys(row.measure for row in rows):
                cells = [values.get((measure, system)) for system in systems]
                n = next(cell.n for cell in cells if cell is not None)
                numbers = "".join(f"{'–' if cell is None else f'{100 * cell.value:.1f}':>12}" for cell in cells)
                lines.append(f"  {measure:<32}{numbers}{n:>8}")
            lines.append("")
        lines += [f"skipped {item.set}: {item.reason}" for item in self.skipped]
        memory = "" if self.run.peak_rss_mb is None else f", peak memory {self.run.peak_rss_mb:.0f} MB"
        lines.append(f"clew {self.run.version}, embedder {self.run.embedder}: {self.run.seconds:.1f} s{memory}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return self.as_text()

    def __str__(self) -> str:
        return self.as_text()

    def _repr_html_(self) -> str:
        import html

        return f"<pre>{html.escape(self.as_text())}</pre>"


def peak_rss_mb(*, children: bool = False) -> float | None:
    """The most memory this process (or the largest of its ended children) ever held, in MB; None on Windows."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_CHILDREN if children else resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3) * (1 if sys.platform == "darwin" else 1.024)


__all__ = ["EvaluationReport", "ReportRow", "RunRecord", "SkippedSet", "peak_rss_mb"]
