"""The text index of a store: which folder it is in, and how it keeps access classes."""

from __future__ import annotations

from pathlib import Path

from storage.fault_points import Reached, unwatched
from storage.isolated_index import IsolatedTextIndex
from storage.lance_index import LanceTextIndex
from storage.manifest import Manifest

LanceIndex = LanceTextIndex | IsolatedTextIndex
"""A text index on LanceDB, which can also be copied row by row."""


def open_text_index(folder: Path, manifest: Manifest, *, reached: Reached = unwatched) -> LanceIndex:
    """The text index that the manifest of the store in ``folder`` names."""
    kind = IsolatedTextIndex if manifest.isolation == "strict" else LanceTextIndex
    path = folder / manifest.index
    return kind(path, dimensions=manifest.dimensions, there=path.is_dir(), reached=reached)


__all__ = ["LanceIndex", "open_text_index"]
