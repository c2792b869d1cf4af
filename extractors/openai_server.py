"""What every backend needs that talks to a server which speaks OpenAI's protocol: a client, and errors for people."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import urlsplit

from storage.errors import ClewError, ConfigurationError, MissingExtraError, ModelError, UnreachableError

EXTRA = "openai"
_DEFAULT_URL = "https://api.openai.com/v1"
_CONNECT_SECONDS = 10.0


class OpenAIServer:
    """One server and the client for it; nothing is sent by making it.

    Only transient failures are retried, by the client, with back-off. Nothing is read from the environment for the key
    or the address.

    Args:
        task: what is done with it, for messages: ``Embedding``, ``Extraction with a model``.
        model: the model's name, as the server knows it.
        base_url: where the API lies, such as ``http://localhost:8000/v1``; by default OpenAI's.
        api_key: the secret; may be left out for a server that asks for none.
        timeout: seconds that one request may take.
        max_retries: further attempts after a transient failure.

    Attributes:
        address: host, port and path, never a secret.
        client: the client of the ``openai`` package.

    Raises:
        MissingExtraError: the ``openai`` extra is not installed.
        ConfigurationError: the model has no name, the address is no URL, or OpenAI's own server lacks a key.
    """

    def __init__(
        self, task: str, model: str, base_url: str | None, api_key: str | None, *, timeout: float, max_retries: int
    ) -> None:
        if not model.strip():
            raise ConfigurationError(f"{task}: the model has no name. Name one as the server knows it.")
        if api_key is None and base_url is None:
            raise ConfigurationError(
                f"{task} with OpenAI needs a key. Set OPENAI_API_KEY, "
                "or set OPENAI_BASE_URL to a server that needs none."
            )
        try:
            self.package: Any = importlib.import_module("openai")
        except ImportError as error:
            raise MissingExtraError(f"{task} with an OpenAI-compatible server", EXTRA) from error
        self.model = model
        self.address = _without_secrets(base_url or _DEFAULT_URL)
        self.client: Any = self.package.OpenAI(
            # The client would look into the environment for whatever is None here.
            api_key=api_key or "none",
            base_url=base_url or _DEFAULT_URL,
            timeout=self.package.Timeout(timeout, connect=min(timeout, _CONNECT_SECONDS)),
            max_retries=max_retries,
        )

    def __repr__(self) -> str:
        return f"OpenAIServer({self.model!r}@{self.address!r})"

    def classified(self, error: Exception) -> ClewError:
        """The client's exception as one of ours, by what the caller can do about it.

        To be raised without a cause: a server's error text may repeat the key that it was sent.
        """
        status = getattr(error, "status_code", None)
        server = f"The model server {self.address}"
        if isinstance(error, self.package.APIConnectionError):  # also time-outs
            return UnreachableError(f"{server} does not answer. Check OPENAI_BASE_URL and the network, or try later.")
        if status in (401, 403):
            return ConfigurationError(f"{server} refuses the key (HTTP {status}). Check OPENAI_API_KEY.")
        if status == 429:
            return UnreachableError(
                f"{server} limits the rate or the quota is used up (HTTP 429). Wait, or ask for less at a time."
            )
        if isinstance(status, int) and (status >= 500 or status in (408, 409)):
            return UnreachableError(f"{server} failed (HTTP {status}). Try later.")
        if isinstance(error, self.package.APIStatusError):
            return ConfigurationError(
                f"{server} refuses the model {self.model!r} or the texts (HTTP {status}). "
                "Check the model's name, what it is made for, and OPENAI_BASE_URL."
            )
        return self.nonsense(f"something that cannot be read ({type(error).__name__})")

    def read(self, pieces: Iterable[Any]) -> Iterator[Any]:
        """The pieces of a streamed answer; a connection that breaks meanwhile raises the client's APIConnectionError.

        The client does not translate what its transport raises while a stream is read.
        """
        transport: Any = importlib.import_module("httpx2")
        try:
            yield from pieces
        except transport.HTTPError as error:
            raise self.package.APIConnectionError(request=error.request) from None

    def broken_off(self) -> UnreachableError:
        """The error for an answer that ended in its middle, or did not end in time."""
        return UnreachableError(
            f"The model server {self.address} broke its answer off, or took too long for it. Try later, or give it "
            "more time with chat_seconds."
        )

    def nonsense(self, what: str) -> ModelError:
        """The error for an answer that is not what was asked for."""
        return ModelError(
            f"The model server {self.address} answered with {what}. "
            f"Check that {self.model!r} is made for this and that the server is OpenAI-compatible."
        )


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


__all__ = ["EXTRA", "OpenAIServer"]
