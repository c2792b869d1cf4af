"""Reading in several steps while somebody writes: what comes back is of one state, and nobody waits."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from storage.errors import NotFoundError
from storage.ports import GraphStore
from storage.records import Scope, View

T = TypeVar("T")

TRIES = 5


def consistently(graph: GraphStore, view: View, read: Callable[[Scope], T]) -> T:
    """What ``read`` finds in the scope of ``view``, read again if the store changed meanwhile.

    An operation reads many times, and a commit between two of them could hide the old rows and the new ones. Nothing
    is waited for: what the last of ``TRIES`` readings finds is given as it is.
    """
    for _ in range(TRIES - 1):
        version = graph.version()
        try:
            found = read(graph.scope(view))
        except (LookupError, NotFoundError):
            if graph.version() == version:
                raise
            continue
        if graph.version() == version:
            return found
    return read(graph.scope(view))


__all__ = ["TRIES", "consistently"]
