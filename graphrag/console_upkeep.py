"""The commands for upkeep of a store: checking, repairing, copying, backing up."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from graphrag.store_command import Json, Store, open_store, print_result, store_folder

if TYPE_CHECKING:
    from graphrag.deep_check import DeepReport
    from graphrag.repair import RepairReport


def migrate(
    to: Annotated[Literal["neo4j", "embedded"], typer.Option("--to", help="Where the graph is to be.")],
    store: Store = None,
    json: Json = False,
) -> None:
    """Copy the graph into another graph store, check that both are equal, and use the copy from then on."""
    from graphrag.migrate import migrate as copy_graph
    from graphrag.opening import utc_now
    from graphrag.settings import load_settings

    folder = store_folder(store)
    print_result(copy_graph(folder, to, load_settings(folder, environ=os.environ), clock=utc_now), json)


def reindex(
    embedder: Annotated[
        str | None, typer.Option("--embedder", help="What is to embed it, as in the setting.", show_default=False)
    ] = None,
    isolation: Annotated[
        Literal["shared", "strict"] | None,
        typer.Option("--isolation", help="strict: tables of their own per access class.", show_default=False),
    ] = None,
    store: Store = None,
    json: Json = False,
) -> None:
    """Embed a store anew, or keep its access classes apart: in new tables, while others read the old ones."""
    from graphrag.opening import utc_now
    from graphrag.reindex import reindex as build_anew
    from graphrag.settings import load_settings
    from graphrag.upkeep import counting

    folder = store_folder(store)
    settings = load_settings(folder, environ=os.environ)
    with counting("reindexing") as progress:
        report = build_anew(folder, settings, embedder=embedder, isolation=isolation, clock=utc_now, progress=progress)
    print_result(report, json)


def doctor(
    store: Store = None,
    deep: Annotated[
        bool, typer.Option("--deep", help="Read everything and prove that the stores agree; writes nothing.")
    ] = False,
    repair: Annotated[
        bool, typer.Option("--repair", help="Put right what --deep finds, and say what was done.")
    ] = False,
    optimize: Annotated[
        bool, typer.Option("--optimize", help="Fold files and search indexes together, and say what it gained.")
    ] = False,
    purge: Annotated[
        bool, typer.Option("--purge", help="Drop what old versions and free pages keep of what was removed.")
    ] = False,
    costs: Annotated[bool, typer.Option("--costs", help="What was paid for chat models, by model.")] = False,
    json: Json = False,
) -> None:
    """Versions, models, stores, name clashes; what is configured and reachable. Or the upkeep of one store."""
    from graphrag.doctor import costs_so_far, examine
    from storage.errors import UsageError

    if sum((deep, repair, optimize, purge, costs)) > 1:
        raise UsageError("--deep, --repair, --optimize, --purge and --costs are different things: give one of them.")
    if costs:
        print_result(costs_so_far(store_folder(store), os.environ), json)
    elif optimize:
        with open_store(store) as kb:
            print_result(kb.optimize(), json)
    elif purge:
        with open_store(store) as kb:
            print_result(kb.purge(), json)
    elif deep or repair:
        report = _checked(store_folder(store), repair=repair)
        print_result(report, json)
        if not report.healthy:
            raise typer.Exit(1)
    else:
        found = examine(store_folder(store), os.environ)
        print_result(found, json)
        if not found.healthy:
            raise typer.Exit(1)


def backup(
    file: Annotated[Path, typer.Argument(help="The file to write.")],
    store: Store = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file if it is there.")] = False,
    json: Json = False,
) -> None:
    """Write the whole store but its settings into one file, while others may read."""
    with open_store(store) as kb:
        print_result(kb.backup(file, overwrite=overwrite), json)


def restore(
    file: Annotated[Path, typer.Argument(help="A file that clew backup wrote.")],
    store: Store = None,
    json: Json = False,
) -> None:
    """Make a store of a backup in a new or empty folder, and prove that it is equal."""
    from graphrag.backup import restore as made_of
    from graphrag.opening import utc_now
    from graphrag.settings import load_settings

    folder = store_folder(store)
    print_result(made_of(file, folder, load_settings(folder, environ=os.environ), clock=utc_now), json)


def _checked(folder: Path, *, repair: bool) -> DeepReport | RepairReport:
    from graphrag.doctor import warn_of_clashes
    from graphrag.settings import load_settings
    from graphrag.upkeep import check_store, counting, repair_store

    warn_of_clashes()
    settings = load_settings(folder, environ=os.environ)
    with counting("repairing" if repair else "checking") as progress:
        return (repair_store if repair else check_store)(folder, settings, progress=progress)


UPKEEP = (migrate, reindex, doctor, backup, restore)
"""In the order in which ``clew --help`` lists them."""

__all__ = ["UPKEEP"]
