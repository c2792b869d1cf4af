"""What the commands on a store share: which store it is, how it is opened, how a result is printed."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from pydantic import BaseModel

    from graphrag.knowledge_base import KnowledgeBase

Store = Annotated[
    Path | None,
    typer.Option("--store", help="Folder of the store.  [default: $CLEW_STORE, else ./.clew]", show_default=False),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def store_folder(store: Path | None) -> Path:
    """The folder that ``--store``, the environment or the default names."""
    return store if store is not None else Path(os.environ.get("CLEW_STORE") or ".clew")


def open_store(store: Path | None, *, create: bool = False) -> KnowledgeBase:
    """The knowledge base in that folder; another owner of our import names is warned of."""
    from graphrag.doctor import warn_of_clashes
    from graphrag.knowledge_base import KnowledgeBase

    warn_of_clashes()
    return KnowledgeBase.open(store_folder(store), create=create)


def as_json(result: BaseModel) -> str:
    """A result as one JSON document."""
    return result.model_dump_json(indent=2)


def print_result(result: Any, json: bool) -> None:
    """Print a result as text or as JSON."""
    print(as_json(result) if json else result.as_text())


def actor_name(name: str | None) -> str:
    """Who decides or removes: the name that was given, else the user's."""
    import getpass

    if name:
        return name
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "owner"


def say(message: str) -> None:
    """Tell a person something that is no part of the result."""
    print(message, file=sys.stderr)


__all__ = ["Json", "Store", "actor_name", "as_json", "open_store", "print_result", "say", "store_folder"]
