"""What one opened knowledge base is made of: its stores and the parts that turn documents into records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from extractors.chat.budget import Budget
from extractors.concepts import Signature
from extractors.keys import KEYS_VERSION
from extractors.ports import Chunker, RelationExtractor
from graphrag.file_reader import FileReader
from graphrag.settings import Settings
from storage.fault_points import Reached, unwatched
from storage.manifest import Manifest
from storage.ports import Embedder, GraphStore, TextIndex, Vector
from storage.stored_text import STORED_TEXT_VERSION

DEGRADED = ";degraded"
"""Ends the fingerprint of a source of which a model could not read all: a later ingest can upgrade it."""

_EMBEDDER = "embedder="


@dataclass(frozen=True, slots=True)
class Stores:
    """Everything that an operation on a knowledge base needs, passed in whole."""

    folder: Path
    settings: Settings
    graph: GraphStore
    index: TextIndex
    files: FileReader
    embedder: Embedder
    chunker: Chunker
    extractor: RelationExtractor
    clock: Callable[[], datetime]
    manifest: Manifest  # as it was when the stores were opened
    budget: Budget = field(default_factory=Budget)  # what asking a chat model may cost
    signatures: dict[str, Signature | None] = field(default_factory=dict)
    """What stored statements can be linked by, by id: an id is the hash of its key, so none goes stale."""
    table_vectors: dict[str, Vector] = field(default_factory=dict)
    """Vectors of the words of the tables of concepts by language, made when linking first needs them."""
    reached: Reached = unwatched
    """Told each fault point of writing as it is passed; tests let the process die there."""

    def fingerprint(self, loader: str) -> str:
        """What a document is processed with: when any part changes, sources processed before are stale."""
        return ";".join(
            [
                f"loader={loader}",
                f"text={STORED_TEXT_VERSION}",
                f"chunker={self.chunker.name}",
                f"extractor={self.extractor.name}",
                f"keys={KEYS_VERSION}",
                f"{_EMBEDDER}{self.embedder.name}",
            ]
        )


def embedded_by(fingerprint: str, embedder: str) -> str:
    """The fingerprint of a source whose document was embedded anew; what it says besides, as of its state, stays."""
    head, names, rest = fingerprint.rpartition(f";{_EMBEDDER}")
    return f"{head}{names}{embedder}{''.join(rest.partition(';')[1:])}" if names else fingerprint


__all__ = ["DEGRADED", "Stores", "embedded_by"]
