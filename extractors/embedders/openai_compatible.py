"""Embeddings from any server that speaks OpenAI's ``POST /embeddings``."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from extractors.embedders.embedder_input import safe_text
from extractors.embedders.unit_vectors import unit_rows
from extractors.openai_server import OpenAIServer
from storage.errors import ClewError
from storage.ports import Side, Vector

# The API takes 8,192 tokens a text and 300,000 a request. A byte-pair tokenizer never makes more tokens than bytes.
_MAX_BYTES = 8_000
_BATCH = 32
_DIMENSION_PROBE = "dimensions"


class OpenAIEmbedder:
    """Embeds through an OpenAI-compatible server. Only transient failures are retried, by the client, with back-off.

    Nothing is read from the environment for the key or the address, and nothing is sent until the first text. The API
    knows no sides: a query and a passage of equal text have equal vectors.

    Args:
        model: the model's name, as the server knows it.
        base_url: where the API lies, such as ``http://localhost:8000/v1``; by default OpenAI's.
        api_key: the secret; may be left out for a server that asks for none.
        dimensions: ask the server to shorten its vectors to this many; by default the model's own.
        timeout: seconds that one request may take.
        max_retries: further attempts after a transient failure.

    Attributes:
        name: identity of server, model and requested dimensions; never the key.

    Raises:
        MissingExtraError: the ``openai`` extra is not installed.
        ConfigurationError: the model has no name, the address is no URL, or OpenAI's own server lacks a key.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        api_key: str | None = None,
        dimensions: int | None = None,
        *,
        timeout: float = 60.0,
        max_retries: int = 4,
    ) -> None:
        self._server = OpenAIServer("Embedding", model, base_url, api_key, timeout=timeout, max_retries=max_retries)
        self._requested = dimensions
        self._width = dimensions
        self._measuring = threading.Lock()
        suffix = f"/{dimensions}" if dimensions else ""
        self.name = f"openai:{model}@{self._server.address}{suffix}"

    def __repr__(self) -> str:
        return f"OpenAIEmbedder({self.name!r})"

    @property
    def dimensions(self) -> int:
        """Length of a vector; when not requested, the server is asked once, with one short text."""
        with self._measuring:
            if self._width is None:
                self._width = self._request([_DIMENSION_PROBE]).shape[1]
            return self._width

    def embed(self, texts: Sequence[str], side: Side) -> Vector:  # noqa: ARG002 (the port's signature)
        """Return one unit vector per text, of shape (len(texts), dimensions).

        Args:
            texts: any strings; of each, at most the first 8,000 bytes are sent.
            side: without effect.

        Raises:
            UnreachableError: the server does not answer, is overloaded, limits the rate, or reports an internal error.
            ConfigurationError: the server refuses the key, the model or the request.
            ModelError: the answer is not one finite vector of the expected length per text.
        """
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        prepared = [_sendable(text) for text in texts]
        parts = [self._request(prepared[start : start + _BATCH]) for start in range(0, len(prepared), _BATCH)]
        with self._measuring:
            expected = self._width = self._width or parts[0].shape[1]
        if wrong := {part.shape[1] for part in parts} - {expected}:
            raise self._server.nonsense(f"vectors of {wrong.pop()} dimensions instead of {expected}")
        return unit_rows(np.concatenate(parts), model=self.name)

    def _request(self, texts: list[str]) -> Vector:
        arguments: dict[str, Any] = {"model": self._server.model, "input": texts, "encoding_format": "float"}
        if self._requested is not None:
            arguments["dimensions"] = self._requested
        response: Any = None
        failure: ClewError | None = None
        try:
            response = self._server.client.embeddings.create(**arguments)
        except self._server.package.OpenAIError as error:
            failure = self._server.classified(error)
        except (ValueError, TypeError, AttributeError):  # what the client raises on a body that is not what it promised
            failure = self._server.nonsense("something that is not a list of embeddings")
        if failure is not None:
            # Raised out here, without a cause: a server's error text may repeat the key it was sent.
            raise failure
        return self._checked(response, len(texts))

    def _checked(self, response: Any, count: int) -> Vector:
        entries = getattr(response, "data", None)
        if not isinstance(entries, list):
            raise self._server.nonsense("something that is not a list of embeddings")
        if len(entries) != count:
            raise self._server.nonsense(f"{len(entries)} vectors for {count} texts")
        positions = [getattr(entry, "index", None) for entry in entries]
        if sorted(position for position in positions if isinstance(position, int)) == list(range(count)):
            entries = sorted(entries, key=lambda entry: int(entry.index))
        try:
            # In float64, so that a number too large for float32 is found out below and not warned about.
            vectors = np.array([entry.embedding for entry in entries], dtype=np.float64)
        except (ValueError, TypeError, AttributeError):
            vectors = np.empty(0)
        if vectors.ndim != 2 or not vectors.shape[1] or not (np.abs(vectors) < np.finfo(np.float32).max).all():
            raise self._server.nonsense("vectors of unequal length, or with entries that are not finite numbers")
        return vectors.astype(np.float32)


def _sendable(text: str) -> str:
    cut = safe_text(text).encode("utf-8")[:_MAX_BYTES].decode("utf-8", "ignore")
    return cut if cut.strip() else "."  # the API rejects an empty text
