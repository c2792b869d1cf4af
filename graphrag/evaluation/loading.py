"""The suite ``loading``: what loaders make of files whose text is known, and of files as they are found in the wild."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from graphrag.evaluation.datasets import WILD, Row, loading_rows, loading_sha256, sample
from graphrag.evaluation.loading_baselines import NotInstalledError, read_naively
from graphrag.evaluation.loading_measures import score_files, score_wild
from graphrag.evaluation.report import SkippedSet
from graphrag.evaluation.run_state import RunState, reported
from storage.errors import LoadError

if TYPE_CHECKING:
    from storage.records import Document, Table

LOADING_SYSTEMS = ("clew", "naive")
SEPARATOR = "\n\n"  # between the documents of one file

Read = Callable[[Path], Row]
"""Reads one file into an item without its name; raises LoadError."""


def run_loading(state: RunState, names: Sequence[str]) -> None:
    """Have every system read every file of the sets. Items are written of the first system only: see ``--items``."""
    folder = state.request.folder
    for name in names:
        rows = sample(loading_rows(folder, name), state.request.sample, seed=state.request.seed, name=name)
        state.data.append(loading_sha256(folder, name))
        score = score_wild if name == WILD else score_files
        for system in state.systems:
            read = _reader(system, name)
            try:
                items = {
                    row["file"]: item_of(folder, row["file"], read)
                    for row in reported(rows, f"{name}: {system} has read", state.progress)
                }
            except NotInstalledError as error:
                state.skipped.append(SkippedSet(set=name, reason=f"{system}: {error}"))
                continue
            state.take(name, system, {}, score(rows, items))
            if system == state.systems[0]:
                state.write(items.values())


def item_of(folder: Path, file: str, read: Read) -> Row:
    """What was read of one file; a file that is refused has no text and an error."""
    item: Row = {"file": file, "text": "", "headings": [], "tables": [], "pages": None, "error": None}
    try:
        return {**item, **read(folder / file)}
    except LoadError as error:
        return {**item, "error": str(error)}


def read_with_clew(path: Path) -> Row:
    """What the loaders of this product make of a file; its documents, if there are several, joined in order."""
    from extractors.loaders import load_file

    loaded = load_file(path)
    if not loaded.documents:
        raise LoadError("; ".join(f"{problem.part}: {problem.reason}" for problem in loaded.problems))
    return {
        "text": SEPARATOR.join(document.text for document in loaded.documents),
        "headings": [
            {"text": section.path[-1], "level": len(section.path)}
            for document in loaded.documents
            for section in document.sections
        ],
        "tables": [_grid(document.text, table) for document in loaded.documents for table in document.tables],
        "pages": sum(map(_pages, loaded.documents)) or None,
    }


def _grid(text: str, table: Table) -> list[list[str]]:
    """The words of a table's cells; where a merged cell covers more than one place, they stand in the first."""
    grid = [[""] * len(row) for row in table.rows]
    for cell in table.cells():
        grid[cell.row][cell.column] = text[cell.span.start : cell.span.end]
    return grid


def _pages(document: Document) -> int:
    """How many pages or slides it has; 0 where it has none."""
    from storage.records import PlaceKind

    slides = [p.label for p in document.places if p.kind is PlaceKind.SLIDE]
    numbers = [page.number for page in document.pages] or [int(label) for label in slides if label.isdecimal()]
    return max(numbers, default=0)


def _reader(system: str, name: str) -> Read:
    return read_with_clew if system == "clew" else partial(read_naively, format=name)


__all__ = ["LOADING_SYSTEMS", "item_of", "read_with_clew", "run_loading"]
