"""Which graph store a knowledge base has, and opening it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from graphrag.settings import Settings
from storage.embedded_graph import EmbeddedGraphStore
from storage.errors import StoreVersionError
from storage.fault_points import Reached, unwatched
from storage.identity import content_digest
from storage.manifest import GraphKind, Manifest
from storage.neo4j_database import Neo4jAddress
from storage.neo4j_graph import Neo4jGraphStore
from storage.ports import GraphStore


def graph_kind(folder: Path, manifest: Manifest | None, settings: Settings) -> GraphKind:
    """The graph store to open: what the store has, or for a new one what is set.

    Raises StoreVersionError naming ``clew migrate`` where the two differ: a graph must not seem empty because another
    is looked into.
    """
    if manifest is None:
        return "embedded" if settings.graph == "auto" else settings.graph
    if settings.graph not in ("auto", manifest.graph):
        raise StoreVersionError(
            f"{folder} keeps its graph in the {manifest.graph} store, and {settings.graph} is set. Copy it with: "
            f"clew migrate --to {settings.graph} --store {folder}, or set CLEW_GRAPH (graph in clew.toml) back."
        )
    return manifest.graph


def neo4j_address(settings: Settings) -> Neo4jAddress:
    """Where Neo4j is said to be."""
    password = settings.neo4j_password
    return Neo4jAddress(
        uri=settings.neo4j_uri,
        username=settings.neo4j_username,
        password=password.get_secret_value() if password else "",
        database=settings.neo4j_database,
    )


def owner_of(manifest: Manifest) -> str:
    """What a knowledge base writes into a database that could hold another's graph: when it was made."""
    return content_digest(manifest.created_at.isoformat().encode())[:32]


def check_before_making(kind: GraphKind, settings: Settings) -> None:
    """A store whose graph is out of reach, or would be mixed with another's, is not made."""
    if kind == "neo4j":
        with Neo4jGraphStore(neo4j_address(settings)) as graph:
            graph.check_unclaimed()


def open_graph(
    kind: GraphKind,
    folder: Path,
    manifest: Manifest,
    settings: Settings,
    *,
    clock: Callable[[], datetime],
    reached: Reached = unwatched,
) -> GraphStore:
    """Open the graph store of the knowledge base in ``folder``."""
    if kind == "embedded":
        return EmbeddedGraphStore(folder / "graph.db", clock=clock, reached=reached)
    return Neo4jGraphStore(neo4j_address(settings), clock=clock, owner=owner_of(manifest), reached=reached)


__all__ = ["check_before_making", "graph_kind", "neo4j_address", "open_graph", "owner_of"]
