"""``clew eval``: measure Clew on benchmark data."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

DEFAULT_DATA = Path("../shared/bench")
LOADING_HALF = Path("loading", "dev")
"""Where the data folder has the half of the loading data that is measured by default."""

app = typer.Typer(help="Measure Clew on benchmark data.", no_args_is_help=True)


class SuiteName(StrEnum):
    """What can be measured."""

    RETRIEVAL = "retrieval"
    CHAIN = "chain"
    EXTRACTION = "extraction"
    LOADING = "loading"


@app.callback()
def _group() -> None:
    """Measure Clew on benchmark data."""  # a group even while it has one command


@app.command("run")
def run_command(
    suite: Annotated[SuiteName, typer.Argument(help="What to measure.")],
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", help="Folder of the benchmark data; default: CLEW_BENCH_DATA (suite loading: loading/dev in it)."
        ),
    ] = None,
    sets: Annotated[str | None, typer.Option("--sets", help="Only these sets, joined by commas.")] = None,
    systems: Annotated[str | None, typer.Option("--systems", help="Only these systems, joined by commas.")] = None,
    sample: Annotated[
        int | None, typer.Option("--sample", min=1, help="Draw so many questions, texts or files of each set.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="What the draw depends on.")] = 0,
    items: Annotated[Path | None, typer.Option("--items", help="Write every prediction to this file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Run one suite on every set that is found, or on the sets that are named, beside its baselines."""
    from graphrag.evaluation.runner import Request, run
    from graphrag.settings import load_settings
    from storage.errors import ClewError

    folder = data or _default_folder(suite)
    request = Request(
        suite=suite.value,
        folder=folder,
        sets=_names(sets),
        systems=_names(systems),
        sample=sample,
        seed=seed,
        items=items,
    )
    try:
        report = run(request, load_settings(None, environ=os.environ), progress=_say)
    except ClewError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(error.exit_code) from error
    typer.echo(report.as_json() if as_json else report.as_text())


def _default_folder(suite: SuiteName) -> Path:
    data = Path(os.environ.get("CLEW_BENCH_DATA") or DEFAULT_DATA)
    return data / LOADING_HALF if suite is SuiteName.LOADING else data


def _names(text: str | None) -> tuple[str, ...] | None:
    """The names in a list joined by commas; None for no list."""
    if text is None:
        return None
    return tuple(name for part in text.split(",") if (name := part.strip())) or None


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


if __name__ == "__main__":
    app()
