"""``manifest.json``: which format a store has, which of its folders is the text index, and which embedder made it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, Field, ValidationError

from storage.errors import StoreError, StoreVersionError
from storage.records import Record, UtcTime

FORMAT_VERSION = 1
GraphKind = Literal["embedded", "neo4j"]
Isolation = Literal["shared", "strict"]
FIRST_INDEX = "lance"
_FILE = "manifest.json"


class Manifest(Record):
    """What a store says of itself."""

    format_version: int
    embedder: str
    dimensions: int
    created_at: UtcTime
    graph: GraphKind = "embedded"
    index: str = Field(default=FIRST_INDEX, pattern=r"^lance(-[0-9a-f]{12})?$")  # folder of the text index
    isolation: Isolation = "shared"  # strict: tables of their own per access class
    embedder_setting: str = ""  # opens the embedder, where its name does not say how; "" for one of the caller's
    index_since: UtcTime | None = None  # when the index took the place of another


class _Version(BaseModel):
    format_version: int


def read_manifest(folder: Path) -> Manifest | None:
    """The manifest of the store in ``folder``, or None where there is no store.

    Raises StoreVersionError for another format version and StoreError for a file that is not a manifest.
    """
    path = folder / _FILE
    if not path.exists():
        return None
    try:
        data = path.read_bytes()
        version = _Version.model_validate_json(data).format_version  # first: another format may have other fields
        if version == FORMAT_VERSION:
            return Manifest.model_validate_json(data)
    except (ValidationError, OSError) as error:
        raise StoreError(f"{path} is not a readable manifest of a Clew store. Restore it from a backup.") from error
    raise StoreVersionError(
        f"{folder} has store format {version}; this version of Clew reads format "
        f"{FORMAT_VERSION}. Use the version of Clew that wrote it, or ingest its documents into a new store."
    )


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest in one step: a reader sees the old one, the new one, or none."""
    temporary = folder / f".{_FILE}.{os.getpid()}"
    # What is at its default is left out, so that older versions can read it.
    temporary.write_text(manifest.model_dump_json(indent=2, exclude_defaults=True) + "\n", encoding="utf-8")
    temporary.replace(folder / _FILE)


__all__ = ["FIRST_INDEX", "FORMAT_VERSION", "GraphKind", "Isolation", "Manifest", "read_manifest", "write_manifest"]
