"""Opening a store: its folder, manifest, settings and the parts that work on it."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from extractors import default_chunker
from extractors.chat.budget import Budget
from extractors.embedders import open_embedder, setting_of
from extractors.ports import Chunker, RelationExtractor
from graphrag.extractor_choice import choose_extractor, prices_of
from graphrag.file_reader import FileReader
from graphrag.graph_choice import check_before_making, graph_kind, open_graph
from graphrag.settings import Settings, load_settings, settings_file
from graphrag.stores import Stores
from storage.errors import NotFoundError, StoreError, StoreFullError, StoreVersionError, UsageError
from storage.fault_points import Reached
from storage.manifest import FORMAT_VERSION, GraphKind, Isolation, Manifest, read_manifest, write_manifest
from storage.ports import Embedder
from storage.text_index import open_text_index
from storage.writer_lock import writer_lock


def utc_now() -> datetime:
    """The present moment in UTC."""
    return datetime.now(UTC)


def open_stores(
    folder: Path,
    *,
    settings: Settings | None,
    embedder: Embedder | None,
    extractor: RelationExtractor | None,
    chunker: Chunker | None,
    clock: Callable[[], datetime],
    create: bool,
    reached: Reached,
) -> Stores:
    """Open the store in ``folder``, making it if ``create`` allows. Raises as :meth:`KnowledgeBase.open` says."""
    manifest = read_manifest(folder)
    if manifest is None:
        _check_new(folder, create=create)
    settings = settings if settings is not None else load_settings(folder, environ=os.environ)
    setting = "" if embedder is not None else embedder_setting(settings, manifest)
    if embedder is None:
        embedder = embedder_of(setting, settings)
    kind = graph_kind(folder, manifest, settings)
    if manifest is None:
        check_before_making(kind, settings)
        made = new_manifest(embedder, setting, clock(), graph=kind, isolation=settings.isolation)
        manifest = _create(folder, made, settings.lock_wait)
    _check_embedder(folder, manifest, embedder, setting)
    _check_isolation(folder, manifest, settings)
    budget = Budget(prices_of(settings))
    with contextlib.ExitStack() as opened:
        graph = open_graph(kind, folder, manifest, settings, clock=clock, reached=reached)
        opened.callback(graph.close)
        stores = Stores(
            folder=folder,
            settings=settings,
            graph=graph,
            index=open_text_index(folder, manifest, reached=reached),
            files=FileReader(settings),
            embedder=embedder,
            chunker=chunker or default_chunker(settings.chunk_tokens, settings.chunk_overlap),
            extractor=extractor or choose_extractor(settings, budget),
            budget=budget,
            clock=clock,
            manifest=manifest,
            reached=reached,
        )
        opened.pop_all()
        return stores


def embedder_setting(settings: Settings, manifest: Manifest | None) -> str:
    """What opens the embedder: what is set, else the one with which the store was made, else the best there is."""
    if settings.embedder != "auto" or manifest is None:
        return settings.embedder
    return manifest.embedder_setting or setting_of(manifest.embedder) or settings.embedder


def embedder_of(setting: str, settings: Settings) -> Embedder:
    """The embedder that a setting names, behind the user's cache, with the key and address that are set."""
    key = settings.openai_api_key
    return open_embedder(
        setting,
        cache_dir=settings.cache,
        openai_api_key=key.get_secret_value() if key else None,
        openai_base_url=settings.openai_base_url,
    )


def kept_setting(setting: str, embedder: Embedder) -> str:
    """The setting to keep in a manifest, which opens this embedder from any folder; "" if its name says it already."""
    if setting in ("auto", setting_of(embedder.name)):
        return ""
    kind, colon, argument = setting.partition(":")
    return f"{kind}{colon}{Path(argument).expanduser().absolute()}" if kind == "onnx" else setting


def new_manifest(
    embedder: Embedder, setting: str, now: datetime, *, graph: GraphKind, isolation: Literal["auto"] | Isolation
) -> Manifest:
    """The manifest of a new store."""
    return Manifest(
        format_version=FORMAT_VERSION,
        embedder=embedder.name,
        dimensions=embedder.dimensions,
        created_at=now,
        graph=graph,
        isolation="shared" if isolation == "auto" else isolation,
        embedder_setting=kept_setting(setting, embedder),
    )


def write_settings_file(folder: Path) -> bool:
    """Put a commented ``clew.toml`` into a store that has none; whether one was written."""
    path = folder / "clew.toml"
    if path.exists():
        return False
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(settings_file(), encoding="utf-8")
    except OSError as error:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
        raise _not_written(folder, error) from error
    return True


def _check_new(folder: Path, *, create: bool) -> None:
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file, not the folder of a Clew store. Name another with --store.")
    if not create:
        raise NotFoundError(f"There is no Clew store in {folder}. Make one with: clew ingest FOLDER --store {folder}")
    ours = {"clew.toml", "manifest.json", "graph.db", "lance", "writer.lock", "writer.json"}
    foreign = folder.is_dir() and any(n not in ours and not n.startswith(".manifest") for n in os.listdir(folder))
    if foreign and read_manifest(folder) is None:  # else another process has made the store meanwhile
        raise UsageError(
            f"{folder} holds files and is not a Clew store. Name an empty or new folder with --store, "
            f"for example {folder / 'knowledge.clew'}."
        )


def _create(folder: Path, manifest: Manifest, lock_wait: float) -> Manifest:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _not_written(folder, error) from error
    with writer_lock(folder, wait_seconds=lock_wait):
        if (there := read_manifest(folder)) is not None:
            return there  # another process was first
        write_settings_file(folder)
        try:
            write_manifest(folder, manifest)
        except OSError as error:
            raise _not_written(folder, error) from error
        return manifest


def _not_written(folder: Path, error: OSError) -> StoreError:
    kind = StoreFullError if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO) else StoreError
    return kind(
        f"A store cannot be made in {folder} ({(error.strerror or str(error)).lower()}). Free some space or check its "
        "permissions, or choose another place with --store."
    )


def _check_embedder(folder: Path, manifest: Manifest, embedder: Embedder, setting: str) -> None:
    anew = f"clew reindex --embedder {setting or 'EMBEDDER'} --store {folder}"
    if model_of(manifest.embedder) != model_of(embedder.name):
        raise StoreVersionError(
            f"{folder} was made with the embedder {model_of(manifest.embedder)}, and {model_of(embedder.name)} is set: "
            f"their vectors cannot be compared. Set CLEW_EMBEDDER (or embedder in {folder / 'clew.toml'}) back to "
            f"{manifest.embedder_setting or setting_of(manifest.embedder) or 'it'}, or embed it anew with: {anew}"
        )
    if manifest.dimensions != embedder.dimensions:
        raise StoreVersionError(
            f"{folder} holds vectors of {manifest.dimensions} dimensions, the embedder {embedder.name} gives "
            f"{embedder.dimensions}. Set the embedder back, or embed the store anew with: {anew}"
        )


def _check_isolation(folder: Path, manifest: Manifest, settings: Settings) -> None:
    """A store must not be taken for one that keeps groups apart when it does not."""
    if settings.isolation not in ("auto", manifest.isolation):
        raise StoreVersionError(
            f"{folder} has isolation {manifest.isolation}, and {settings.isolation} is set. Change the store with: "
            f"clew reindex --isolation {settings.isolation} --store {folder}, or set CLEW_ISOLATION (isolation in "
            "clew.toml) back."
        )


def model_of(name: str) -> str:
    """The model of an embedder's name, without recipe and engine: versions of one engine give comparable vectors."""
    return name.partition("/")[0]


__all__ = [
    "embedder_of",
    "embedder_setting",
    "kept_setting",
    "model_of",
    "new_manifest",
    "open_stores",
    "utc_now",
    "write_settings_file",
]
