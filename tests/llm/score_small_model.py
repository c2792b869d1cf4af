"""Extraction scores of a small model beside those of the rules: ``PYTHONPATH=tests python -m llm.score_small_model``.

It serves the model, runs ``clew eval run extraction`` with the extractor modes offline, hybrid and model on one sample
of each set, and prints a table of F1 with its standard error (bootstrap over the texts of the sample). A sentence takes
20 seconds and more in each mode that asks the model.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from llm.small_model import NAME, served_model

from graphrag.evaluation.datasets import read_extraction_set, sample
from graphrag.evaluation.measures import score_extraction

MODES = ("offline", "hybrid", "model")
SETS = ("because", "semeval2010t8", "tedcdb_zh", "ece_zh")
_MEASURES = ("sentence_f1.causal", "relation_f1.causal", "slot_f1")
_DRAWS = 500


def main() -> None:
    """Run all modes and print the table; predictions and reports stay in ``--out``."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder of the benchmark data")
    parser.add_argument("--out", type=Path, required=True, help="folder for predictions and reports")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--sample", type=int, default=15, help="texts of each set")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    with served_model() as address:
        for mode in MODES:
            _run(asked, mode, address)
    print("| set | measure | n | " + " | ".join(MODES) + " |")
    print("|---|---|---|" + "---|" * len(MODES))
    for name in asked.sets.split(","):
        _print_rows(asked, name)


def _run(asked: argparse.Namespace, mode: str, address: str) -> None:
    """One run of ``clew eval``; the items are written under the mode's name."""
    command = [str(Path(sys.executable).parent / "clew"), "eval", "run", "extraction", "--data", str(asked.data)]
    command += ["--sets", asked.sets, "--systems", "clew", "--sample", str(asked.sample), "--seed", str(asked.seed)]
    command += ["--items", str(asked.out / f"{mode}.jsonl"), "--json"]
    settings = {"CLEW_EXTRACTOR": mode, "CLEW_CHAT_SECONDS": "900", "CLEW_CHAT_CONCURRENCY": "1"}
    if mode != "offline":
        settings |= {"CLEW_CHAT_MODEL": NAME, "CLEW_OPENAI_BASE_URL": address, "OPENAI_API_KEY": "none"}
    report = subprocess.run(command, check=True, env=os.environ | settings, stdout=subprocess.PIPE, text=True).stdout
    (asked.out / f"{mode}.json").write_text(report, encoding="utf-8")
    for skipped in json.loads(report)["skipped"]:
        print(f"{mode}: {skipped['set']}: {skipped['reason']}", file=sys.stderr)


def _print_rows(asked: argparse.Namespace, name: str) -> None:
    level, rows = next(iter(read_extraction_set(asked.data, name).levels.items()))
    drawn = sample(rows, asked.sample, seed=asked.seed, name=f"{name}.{level}")
    items = {mode: _items(asked.out / f"{mode}.jsonl", name) for mode in MODES}
    for measure in _MEASURES:
        cells = [_cell(name, level, drawn, items[mode], measure) for mode in MODES]
        if any(cells):
            print(f"| {name} | {measure} | {len(drawn)} | " + " | ".join(c or "–" for c in cells) + " |")


def _items(path: Path, name: str) -> dict[str, Any]:
    rows = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return {row["id"]: row for row in rows if row["set"] == name}


def _cell(name: str, level: str, rows: Sequence[Any], items: dict[str, Any], measure: str) -> str | None:
    """The value in percent with one standard error."""
    value = _value(name, level, rows, items, measure)
    if value is None:
        return None
    draw = random.Random(0)
    again = [_value(name, level, draw.choices(rows, k=len(rows)), items, measure) for _ in range(_DRAWS)]
    return f"{100 * value:.1f} ± {100 * statistics.stdev(v for v in again if v is not None):.1f}"


def _value(name: str, level: str, rows: Sequence[Any], items: dict[str, Any], measure: str) -> float | None:
    return next((m.value for m in score_extraction(name, {level: rows}, items) if m.measure == measure), None)


if __name__ == "__main__":
    main()
