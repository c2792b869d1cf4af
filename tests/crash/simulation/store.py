"""A knowledge base that can be opened again and again, and goes wrong where it is told to."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from crash.simulation.memory_index import MemoryIndex, Tables, empty_tables
from crash.simulation.steps import Fault
from stand_ins import DIMENSIONS, SentenceExtractor, WordEmbedder

from graphrag import KnowledgeBase, Settings
from graphrag.opening import open_stores
from graphrag.writing import recover
from storage.errors import StoreFullError, UnreachableError
from storage.fault_points import FAULT_POINTS
from storage.ports import Side, Vector

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Crash(BaseException):
    """Stands for the death of the process: nothing catches it."""


class Faults:
    """Goes wrong where it is told to, once; the name of each fault point that is passed must be known."""

    def __init__(self) -> None:
        self.passed: set[str] = set()
        self.happened: str | None = None  # where the last fault did, if it did
        self._fault: Fault | None = None
        self._left = 0

    def __call__(self, name: str) -> None:
        if name not in FAULT_POINTS:
            raise LookupError(f"{name} is no fault point of storage.fault_points")
        self.passed.add(name)
        if self._fault is None or self._fault.kind == "model":
            return
        self._left -= 1
        if self._left == 0:
            self.happened = name
            self._happen(self._fault, inside_a_store=name.startswith(("graph.", "index.")))

    def asked_a_model(self) -> None:
        if self._fault is not None and self._fault.kind == "model":
            self.happened = "the model"
            raise UnreachableError("the model does not answer (HTTP 429). Try later.")

    @contextmanager
    def set_for(self, fault: Fault | None) -> Iterator[None]:
        self._fault, self._left, self.happened = fault, fault.at if fault else 0, None
        try:
            yield
        finally:
            self._fault = None

    def _happen(self, fault: Fault, *, inside_a_store: bool) -> None:
        if fault.kind == "crash":
            raise Crash
        if not inside_a_store:  # between two calls of stores only what they raise can come by
            raise StoreFullError("the disk is full; nothing of this step was kept.")
        if fault.kind == "time-out":
            raise TimeoutError("timed out")
        raise OSError(
            *((errno.ENOSPC, "No space left on device") if fault.kind == "full" else (errno.EIO, "Input/output error"))
        )


class _Embedder(WordEmbedder):
    def __init__(self, faults: Faults) -> None:
        super().__init__()
        self._faults = faults

    def embed(self, texts: Sequence[str], side: Side) -> Vector:
        if texts:
            self._faults.asked_a_model()
        return super().embed(texts, side)


class Store:
    """The folder and tables of one knowledge base, which can be opened again and again."""

    def __init__(
        self,
        folder: Path,
        *,
        keeping: bool = False,
        in_memory: bool = True,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        self.faults = Faults()
        self.now = NOON
        self.keeping = keeping
        self.folder = folder
        self._tables: Tables | None = empty_tables() if in_memory else None
        self._settings = Settings(
            cache=folder / "cache", loader_process=False, walk_seconds=60.0, keep_versions=keeping, **(settings or {})
        )
        self.kb = self._open()

    def copy(self, folder: Path) -> Store:
        """The same in another folder, open; this one must be closed."""
        shutil.copytree(self.folder, folder)
        other = copy(self)
        other.folder, other.faults = folder, Faults()
        other._settings = self._settings.model_copy(update={"cache": folder / "cache"})
        other._tables = self._tables and {name: dict(rows) for name, rows in self._tables.items()}
        other.kb = other._open()
        return other

    def reopen(self) -> None:
        self.kb.close()
        self.kb = self._open()

    def close(self) -> None:
        self.kb.close()

    def _open(self) -> KnowledgeBase:
        parts: dict[str, Any] = {
            "settings": self._settings,
            "embedder": _Embedder(self.faults),
            "extractor": SentenceExtractor(),
            "clock": lambda: self.now,
            "create": True,
        }
        if self._tables is None:
            return KnowledgeBase.open(self.folder / "store", **parts, on_write_step=self.faults)
        stores = open_stores(self.folder / "store", **parts, chunker=None, reached=self.faults)
        stores.index.close()
        index = MemoryIndex(self._tables, dimensions=DIMENSIONS, reached=self.faults)
        stores = replace(stores, index=index)
        if stores.graph.open_intents():
            recover(stores)
        return KnowledgeBase(stores)
