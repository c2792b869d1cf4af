"""Opens an embedder by the name that a setting or an option gives."""

from __future__ import annotations

import logging
from pathlib import Path

from extractors.embedders.cache import CachedEmbedder
from extractors.embedders.e5 import E5Embedder, e5_is_available
from extractors.embedders.onnx_folder import OnnxFolderEmbedder
from extractors.embedders.openai_compatible import OpenAIEmbedder
from extractors.embedders.use import UniversalSentenceEmbedder, use_is_available
from storage.errors import ConfigurationError
from storage.ports import Embedder

_logger = logging.getLogger(__name__)

CACHE_FILE = "embeddings.sqlite"
EMBEDDER_CHOICES = {
    "auto": "e5 where its weights are installed, else use",
    "e5": "multilingual-e5-small, offline, 384 dimensions",
    "use": "Universal Sentence Encoder multilingual, offline, 512 dimensions, any platform",
    "openai:MODEL": "a model of an OpenAI-compatible server",
    "onnx:FOLDER": "an ONNX sentence-embedding model with its tokenizer.json",
}

_OFFLINE = {"multilingual-e5-small": "e5", "use-multilingual-v3": "use"}


def open_embedder(
    spec: str,
    *,
    cache_dir: Path | None,
    openai_api_key: str | None = None,
    openai_base_url: str | None = None,
) -> Embedder:
    """Open the embedder that ``spec`` names, behind the user's cache.

    Args:
        spec: one of ``EMBEDDER_CHOICES``; MODEL and FOLDER stand for the name of a model and a path.
        cache_dir: the folder of the cache that all stores of a user share; None for no cache.
        openai_api_key: the key for ``openai:``.
        openai_base_url: the address for ``openai:``; None for OpenAI's own.

    Raises:
        ConfigurationError: ``spec`` is none of the choices, or the embedder cannot be used as it is set up.

    Example:
        >>> open_embedder("auto", cache_dir=None).dimensions
        384
    """
    embedder = _open(spec.strip(), openai_api_key, openai_base_url)
    return embedder if cache_dir is None else CachedEmbedder(embedder, cache_dir / CACHE_FILE)


def setting_of(name: str) -> str | None:
    """The choice that opens the offline embedder with this name; None if that does not follow from its name."""
    return _OFFLINE.get(name.partition("/")[0])


def _open(spec: str, openai_api_key: str | None, openai_base_url: str | None) -> Embedder:
    kind, _, argument = spec.partition(":")
    if kind == "openai" and argument:
        return OpenAIEmbedder(argument, base_url=openai_base_url, api_key=openai_api_key)
    if kind == "onnx" and argument:
        return OnnxFolderEmbedder(Path(argument).expanduser())
    if spec == "e5":
        return E5Embedder()
    if spec == "use":
        return UniversalSentenceEmbedder()
    if spec == "auto":
        return _open_best_offline()
    choices = "; ".join(f"{name} ({meaning})" for name, meaning in EMBEDDER_CHOICES.items())
    raise ConfigurationError(f"The embedder {spec!r} is unknown. Choose one of: {choices}.")


def _open_best_offline() -> Embedder:
    if e5_is_available():
        return E5Embedder()
    if use_is_available():
        _logger.info("multilingual-e5-small is not installed here; embedding with the Universal Sentence Encoder.")
        return UniversalSentenceEmbedder()
    raise ConfigurationError(
        "No offline embedder is installed. Reinstall clew with its dependencies, "
        "or choose an embedder 'openai:MODEL' or 'onnx:FOLDER'."
    )
