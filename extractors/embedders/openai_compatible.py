"""Embeddings from any server that speaks OpenAI's ``POST /embeddings``."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from extractors.embedders.embedder_input import safe_text
from extractors.embedders.unit_vectors import unit_rows
from storage.errors import ClewError, ConfigurationError, MissingExtraError, ModelError, UnreachableError
from storage.ports import Side, Vector

_EXTRA = "openai"
_DEFAULT_URL = "https://api.openai.com/v1"
# The API takes 8,192 tokens a text and 300,000 a request. A byte-pair tokenizer never makes more tokens than bytes.
_MAX_BYTES = 8_000
_BATCH = 32
_CONNECT_SECONDS = 10.0
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
        if not model.strip():
            raise ConfigurationError("The embedding model has no name. Name one: 'openai:text-embedding-3-small'.")
        if api_key is None and base_url is None:
            raise ConfigurationError(
                "Embedding with OpenAI needs a key. Set OPENAI_API_KEY, "
                "or set OPENAI_BASE_URL to a server that needs none."
            )
        try:
            self._openai: Any = importlib.import_module("openai")
        except ImportError as error:
            raise MissingExtraError("Embedding with an OpenAI-compatible server", _EXTRA) from error
        self._server = _without_secrets(base_url or _DEFAULT_URL)
        self._model = model
        self._requested = dimensions
        self._width = dimensions
        self._measuring = threading.Lock()
        self._client = self._openai.OpenAI(
            # The client would look into the environment for whatever is None here.
            api_key=api_key or "none",
            base_url=base_url or _DEFAULT_URL,
            timeout=self._openai.Timeout(timeout, connect=min(timeout, _CONNECT_SECONDS)),
            max_retries=max_retries,
        )
        suffix = f"/{dimensions}" if dimensions else ""
        self.name = f"openai:{model}@{self._server}{suffix}"

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
            raise self._nonsense(f"vectors of {wrong.pop()} dimensions instead of {expected}")
        return unit_rows(np.concatenate(parts), model=self.name)

    def _request(self, texts: list[str]) -> Vector:
        arguments: dict[str, Any] = {"model": self._model, "input": texts, "encoding_format": "float"}
        if self._requested is not None:
            arguments["dimensions"] = self._requested
        response: Any = None
        failure: ClewError | None = None
        try:
            response = self._client.embeddings.create(**arguments)
        except self._openai.OpenAIError as error:
            failure = self._classified(error)
        except (ValueError, TypeError, AttributeError):  # what the client raises on a body that is not what it promised
            failure = self._nonsense("something that is not a list of embeddings")
        if failure is not None:
            # Raised out here, without a cause: a server's error text may repeat the key it was sent.
            raise failure
        return self._checked(response, len(texts))

    def _checked(self, response: Any, count: int) -> Vector:
        entries = getattr(response, "data", None)
        if not isinstance(entries, list):
            raise self._nonsense("something that is not a list of embeddings")
        if len(entries) != count:
            raise self._nonsense(f"{len(entries)} vectors for {count} texts")
        positions = [getattr(entry, "index", None) for entry in entries]
        if sorted(position for position in positions if isinstance(position, int)) == list(range(count)):
            entries = sorted(entries, key=lambda entry: int(entry.index))
        try:
            # In float64, so that a number too large for float32 is found out below and not warned about.
            vectors = np.array([entry.embedding for entry in entries], dtype=np.float64)
        except (ValueError, TypeError, AttributeError):
            vectors = np.empty(0)
        if vectors.ndim != 2 or not vectors.shape[1] or not (np.abs(vectors) < np.finfo(np.float32).max).all():
            raise self._nonsense("vectors of unequal length, or with entries that are not finite numbers")
        return vectors.astype(np.float32)

    def _classified(self, error: Exception) -> ClewError:
        """Sort the client's exceptions by what the caller can do about them."""
        status = getattr(error, "status_code", None)
        if isinstance(error, self._openai.APIConnectionError):  # also time-outs
            return UnreachableError(
                f"The embedding server {self._server} does not answer. "
                "Check OPENAI_BASE_URL and the network, or try later."
            )
        if status in (401, 403):
            return ConfigurationError(
                f"The embedding server {self._server} refuses the key (HTTP {status}). Check OPENAI_API_KEY."
            )
        if status == 429:
            return UnreachableError(
                f"The embedding server {self._server} limits the rate or the quota is used up (HTTP 429). "
                "Wait, or ask for fewer texts at a time."
            )
        if isinstance(status, int) and (status >= 500 or status in (408, 409)):
            return UnreachableError(f"The embedding server {self._server} failed (HTTP {status}). Try later.")
        if isinstance(error, self._openai.APIStatusError):
            return ConfigurationError(
                f"The embedding server {self._server} refuses the model {self._model!r} or the texts (HTTP {status}). "
                "Check the model's name, that it makes embeddings, and OPENAI_BASE_URL."
            )
        return self._nonsense(f"something that cannot be read ({type(error).__name__})")

    def _nonsense(self, what: str) -> ModelError:
        return ModelError(
            f"The embedding server {self._server} answered with {what}. "
            f"Check that {self._model!r} is an embedding model and that the server is OpenAI-compatible."
        )


def _sendable(text: str) -> str:
    cut = safe_text(text).encode("utf-8")[:_MAX_BYTES].decode("utf-8", "ignore")
    return cut if cut.strip() else "."  # the API rejects an empty text


def _without_secrets(base_url: str) -> str:
    """Return host, port and path only: an address may carry a password or a token."""
    try:
        parts = urlsplit(base_url)
        host, port = parts.hostname, parts.port
    except ValueError:
        parts, host, port = None, None, None
    if parts is None or host is None or parts.scheme not in ("http", "https"):
        raise ConfigurationError("OPENAI_BASE_URL is not an address such as http://localhost:8000/v1. Correct it.")
    return host + (f":{port}" if port else "") + parts.path.rstrip("/")
