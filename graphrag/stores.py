"""What one opened knowledge base is made of: its stores and the parts that turn documents into records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from extractors.bilingual import BilingualExtractor
from extractors.loaders import load_file
from extractors.ports import Chunker, LoadedFile, LoadOptions
from graphrag.settings import Settings
from storage.ports import Embedder, GraphStore, TextIndex
from storage.stored_text import STORED_TEXT_VERSION


@dataclass(frozen=True, slots=True)
class Stores:
    """Everything that an operation on a knowledge base needs, passed in whole."""

    folder: Path
    settings: Settings
    graph: GraphStore
    index: TextIndex
    embedder: Embedder
    chunker: Chunker
    extractor: BilingualExtractor
    clock: Callable[[], datetime]
    load: Callable[[Path, bytes, LoadOptions], LoadedFile] = load_file
    reached: Callable[[str], None] = lambda _: (
        None
    )  # called at each named step of writing; tests let the process die there

    def fingerprint(self, loader: str) -> str:
        """What a document is processed with: when any part changes, sources processed before are stale."""
        return ";".join(
            [
                f"loader={loader}",
                f"text={STORED_TEXT_VERSION}",
                f"chunker={self.chunker.name}",
                f"extractor={self.extractor.name}",
                f"embedder={self.embedder.name}",
            ]
        )


__all__ = ["Stores"]
