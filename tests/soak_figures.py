"""The figures of a soak: tests note what they tried, and the end of the run writes a table of it.

Each worker of a parallel run appends to one file; the table is made of all of them.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "build"
NOTES = FOLDER / "soak.jsonl"
TABLE = FOLDER / "soak.md"
SOAK = os.environ.get("CLEW_SOAK") == "1"


def note(what: str, *, tries: int, failures: int = 0, unit: str = "tries") -> None:
    """Note tries of one kind; outside of a soak nothing is written."""
    if not SOAK:
        return
    FOLDER.mkdir(exist_ok=True)
    with NOTES.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"what": what, "tries": tries, "failures": failures, "unit": unit}) + "\n")


def begin() -> None:
    """Forget what an earlier soak noted."""
    if SOAK:
        NOTES.unlink(missing_ok=True)


def table(lines: list[str]) -> str:
    """A Markdown table of what was noted: of no failure in N tries the true rate is below 3/N, at 95%."""
    tries: dict[tuple[str, str], int] = defaultdict(int)
    failures: dict[tuple[str, str], int] = defaultdict(int)
    for line in lines:
        noted = json.loads(line)
        tries[noted["what"], noted["unit"]] += noted["tries"]
        failures[noted["what"], noted["unit"]] += noted["failures"]
    rows = ["| what | tries | failures | true rate (95%) |", "|---|---|---|---|"]
    for (what, unit), count in sorted(tries.items()):
        failed = failures[what, unit]
        bound = f"below {3 / count:.2g}" if not failed else f"about {failed / count:.2g}"
        rows.append(f"| {what} | {count:,} {unit} | {failed} | {bound} |")
    return "\n".join(rows) + "\n"


def write() -> str | None:
    """Write the table; it, or None where nothing was noted."""
    if not (SOAK and NOTES.exists()):
        return None
    text = table(NOTES.read_text("utf-8").splitlines())
    TABLE.write_text(text, encoding="utf-8")
    return text
