"""The stores at the size that one machine is meant for: ``python -m graphrag.evaluation.speed_storage``.

A generated world of a million chunks (times ``--scale``) is written into the text index, the embedded graph and, where
``NEO4J_PASSWORD`` (with ``NEO4J_URI``, …) names a server whose database is empty or holds this world, into Neo4j; then
searched, walked and changed. Each case runs in a process of its own, so that its peak memory is its own. Written is a
list of rows ``{case, measure, system, value, unit, n}`` as JSON. With ``--folder`` what is built stays and is measured
again by the next run without being built again; without it all of it is made in a temporary folder.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from graphrag.evaluation.bench_row import BenchRow, row
from graphrag.evaluation.report import peak_rss_mb
from graphrag.evaluation.storage_build import Bench, build
from graphrag.evaluation.storage_cases import (
    change_case,
    first_query,
    keep_writing,
    open_case,
    search_case,
    upkeep_case,
    walk_case,
)
from graphrag.process_memory import share_arenas
from graphrag.settings import load_settings

SYSTEMS = ("embedded", "neo4j")
CASES = ("build", "search", "walk", "change", "open", "upkeep")
_OF_THE_INDEX = {"search": search_case, "upkeep": upkeep_case}
_OF_A_GRAPH = {"walk": walk_case, "change": change_case, "open": open_case}


def measured(bench: Bench, case: str, system: str) -> list[BenchRow]:
    """The rows of one case, with the most memory that this process ever held."""
    if case == "build":
        return build(bench, system, progress=_say)
    rows = _OF_THE_INDEX[case](bench) if system == "lancedb" else _OF_A_GRAPH[case](bench, system)
    peak = peak_rss_mb()
    if peak is not None and case != "open":  # whose processes are children, with rows of their own
        rows.append(row(f"storage-{case}", "peak_rss", peak, "MB", 1, system))
    return rows


def steps(cases: Sequence[str], systems: Sequence[str]) -> list[tuple[str, str]]:
    """Which case is run of which system, in order: what others need is built first."""
    found = []
    for case in cases:
        of = (["lancedb"] if case in ("build", *_OF_THE_INDEX) else []) + (
            list(systems) if case in ("build", *_OF_A_GRAPH) else []
        )
        found += [(case, system) for system in of]
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the cases, one process each, and write their rows; 1 if one of them failed."""
    options = _options(arguments)
    share_arenas()  # as the command line does
    with contextlib.ExitStack() as kept:
        folder = options.folder or Path(kept.enter_context(tempfile.TemporaryDirectory(prefix="clew-bench-")))
        bench = Bench(folder, options.seed, options.scale, load_settings(None, environ=os.environ))
        if options.one:
            _one(bench, options.one)
            return 0
        return _all(bench, options)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m graphrag.evaluation.speed_storage", description="Measure the stores at scale."
    )
    parser.add_argument("--scale", type=float, default=1.0, help="1: a million chunks; default: %(default)s")
    parser.add_argument("--folder", type=Path, help="where the stores are kept; default: a temporary folder")
    parser.add_argument("--cases", default=",".join(CASES), help="joined by commas; default: %(default)s")
    parser.add_argument("--systems", default=",".join(SYSTEMS), help="graph stores; default: %(default)s")
    parser.add_argument("--out", type=Path, help="write the rows here instead of to stdout")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--one", help=argparse.SUPPRESS)  # what a process of a case is started with
    options = parser.parse_args(arguments)
    for name, known in (("cases", CASES), ("systems", SYSTEMS)):
        chosen = [word for part in getattr(options, name).split(",") if (word := part.strip())]
        if unknown := [word for word in chosen if word not in known]:
            parser.error(f"no {name[:-1]} {unknown[0]!r}; choose from {', '.join(known)}")
        setattr(options, name, chosen)
    return options


def _one(bench: Bench, name: str) -> None:
    """One case in this process; whatever a library prints goes to stderr, only the result to stdout."""
    case, _, system = name.partition(":")
    stdout = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):
        if case == "first-query":
            result = f"{first_query(bench, system)} {peak_rss_mb() or 0}"
        elif case == "upkeep-writer":
            result = " ".join(map(str, keep_writing(bench, begun=lambda: print("begun", file=stdout, flush=True))))
        else:
            result = json.dumps(measured(bench, case, system))
    print(result)


def _all(bench: Bench, options: argparse.Namespace) -> int:
    rows: list[BenchRow] = []
    failed = []
    if "neo4j" in options.systems and not os.environ.get("NEO4J_PASSWORD"):
        options.systems.remove("neo4j")
        _say("neo4j is left out: NEO4J_URI and NEO4J_PASSWORD name no server")
    for case, system in steps(options.cases, options.systems):
        _say(f"{case} {system} …")
        command = [sys.executable, "-m", "graphrag.evaluation.speed_storage", "--one", f"{case}:{system}"]
        command += ["--folder", str(bench.folder), "--scale", str(bench.scale), "--seed", str(bench.seed)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, encoding="utf-8", check=False)  # noqa: S603
        if done.returncode:
            failed.append(f"{case} {system}")
            continue
        found: list[BenchRow] = json.loads(done.stdout)
        for r in found:  # at once: a run that is cut off still has shown what it measured
            _say(f"  {r['measure']} {r['value']:.4g} {r['unit']} ({r['system']}, n {r['n']})")
        rows += found
    text = json.dumps(rows, indent=1)
    if options.out:
        options.out.write_text(text + "\n", encoding="utf-8")
    else:
        print(text)
    for name in failed:
        _say(f"{name} failed; see above")
    return 1 if failed else 0


def _say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
