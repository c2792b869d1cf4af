"""The OpenAI-compatible embedder against a real HTTP server on this machine."""

from __future__ import annotations

import json
import threading
import traceback
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from extractors.embedders import OpenAIEmbedder
from storage.errors import ClewError, ConfigurationError, ModelError, UnreachableError

pytest.importorskip("openai")

SECRET = "sk-test-7f3a9c"
Reply = tuple[int, bytes]


def vectors(rows: list[list[float]], *, shuffled: bool = False) -> bytes:
    data = [{"object": "embedding", "index": index, "embedding": row} for index, row in enumerate(rows)]
    return json.dumps({"object": "list", "model": "m", "data": data[::-1] if shuffled else data}).encode()


def honest(body: dict[str, Any]) -> Reply:
    return 200, vectors([[3.0, 4.0, float(len(text))] for text in body["input"]])


class Server:
    """Answers POST /v1/embeddings with the scripted replies, then honestly; keeps what it was sent."""

    def __init__(self) -> None:
        self.script: list[Reply | Callable[[dict[str, Any]], Reply]] = []
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.bodies.append(body)
                outer.keys.append(self.headers["Authorization"])
                step = outer.script.pop(0) if outer.script else honest
                status, answer = step(body) if callable(step) else step
                self.send_response(status if self.path == "/v1/embeddings" else 404)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.send_header("Retry-After-Ms", "1")
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.http.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.http.shutdown()
    server.http.server_close()
    thread.join()


@pytest.fixture
def embedder(server: Server) -> Iterator[OpenAIEmbedder]:
    embedder = OpenAIEmbedder("m", base_url=server.url, api_key=SECRET, max_retries=1)
    yield embedder
    embedder._server.client.close()


def test_vectors_come_back_in_order_and_of_unit_length(server: Server, embedder: OpenAIEmbedder) -> None:
    server.script = [(200, vectors([[3.0, 4.0], [0.0, 2.0]], shuffled=True))]
    result = embedder.embed(["a", "b"], "passage")
    assert result.dtype == np.float32
    assert result == pytest.approx(np.array([[0.6, 0.8], [0.0, 1.0]]))
    assert embedder.dimensions == 2
    assert server.bodies == [{"model": "m", "input": ["a", "b"], "encoding_format": "float"}]
    assert server.keys == [f"Bearer {SECRET}"]


def test_many_texts_go_in_batches_of_32(server: Server, embedder: OpenAIEmbedder) -> None:
    assert embedder.embed([f"text {number}" for number in range(70)], "query").shape == (70, 3)
    assert [len(body["input"]) for body in server.bodies] == [32, 32, 6]


def test_dimensions_are_asked_for_once_when_unknown(server: Server, embedder: OpenAIEmbedder) -> None:
    assert embedder.embed([], "query").shape == (0, 3)
    assert (embedder.dimensions, len(server.bodies)) == (3, 1)


def test_requested_dimensions_are_sent_and_checked(server: Server) -> None:
    embedder = OpenAIEmbedder("m", base_url=server.url, api_key=SECRET, dimensions=8)
    assert embedder.dimensions == 8
    with pytest.raises(ModelError, match="3 dimensions instead of 8"):
        embedder.embed(["a"], "passage")
    assert server.bodies[0]["dimensions"] == 8
    embedder._server.client.close()


def test_what_the_api_rejects_is_not_sent(server: Server, embedder: OpenAIEmbedder) -> None:
    embedder.embed(["", " \n", "a\0b", "\ud800", "港" * 50_000], "passage")
    empty, blank, nul, surrogate, long = server.bodies[0]["input"]
    assert (empty, blank, nul, surrogate) == (".", ".", "a b", "?")
    assert len(long.encode()) <= 8_000


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_transient_failure_is_retried(server: Server, embedder: OpenAIEmbedder, status: int) -> None:
    server.script = [(status, b'{"error": {"message": "slow down"}}')]
    assert embedder.embed(["a"], "passage").shape == (1, 3)
    assert len(server.bodies) == 2


@pytest.mark.parametrize("status", [429, 500])
def test_a_lasting_outage_is_unreachable(server: Server, embedder: OpenAIEmbedder, status: int) -> None:
    server.script = [(status, b"{}")] * 2
    with pytest.raises(UnreachableError, match=f"HTTP {status}"):
        embedder.embed(["a"], "passage")
    assert len(server.bodies) == 2


@pytest.mark.parametrize(
    ("status", "advice"), [(401, "OPENAI_API_KEY"), (403, "OPENAI_API_KEY"), (404, "name"), (400, "name")]
)
def test_a_refusal_is_not_retried_and_says_what_to_do(
    server: Server, embedder: OpenAIEmbedder, status: int, advice: str
) -> None:
    server.script = [(status, b"{}")]
    with pytest.raises(ConfigurationError, match=advice):
        embedder.embed(["a"], "passage")
    assert len(server.bodies) == 1


@pytest.mark.parametrize(
    "answer",
    [
        b"<html>it works</html>",
        b"",
        b"[]",
        b"{}",
        b'{"data": null}',
        b'{"data": "x"}',
        b'{"data": [null]}',
        b'{"data": [{"index": 0, "embedding": null}]}',
        b'{"data": [{"index": 0, "embedding": []}]}',
        b'{"data": [{"index": 0, "embedding": ["a", "b"]}]}',
        b'{"data": [{"index": 0, "embedding": [NaN, 1.0]}]}',
        b'{"data": [{"index": 0, "embedding": [1e300, 1.0]}]}',
        b'{"data": [{"index": 0, "embedding": [0.0, 0.0]}]}',
        vectors([]),
        vectors([[1.0], [2.0]]),
    ],
)
def test_a_senseless_answer_is_a_model_error(server: Server, embedder: OpenAIEmbedder, answer: bytes) -> None:
    server.script = [(200, answer)]
    with pytest.raises(ModelError):
        embedder.embed(["a"], "passage")


def test_vectors_of_unequal_length_are_a_model_error(server: Server, embedder: OpenAIEmbedder) -> None:
    server.script = [(200, vectors([[1.0, 2.0], [1.0]]))]
    with pytest.raises(ModelError):
        embedder.embed(["a", "b"], "passage")


def test_a_width_that_changes_later_is_a_model_error(server: Server, embedder: OpenAIEmbedder) -> None:
    embedder.embed(["a"], "passage")
    server.script = [(200, vectors([[1.0, 2.0]]))]
    with pytest.raises(ModelError, match="2 dimensions instead of 3"):
        embedder.embed(["a"], "passage")


def test_nobody_listening_is_unreachable() -> None:
    embedder = OpenAIEmbedder("m", base_url="http://127.0.0.1:9/v1", api_key=SECRET, max_retries=0)
    with pytest.raises(UnreachableError, match=r"127\.0\.0\.1:9"):
        embedder.embed(["a"], "passage")
    embedder._server.client.close()


@pytest.mark.parametrize("status", [200, 400, 401, 500])
def test_the_key_is_in_no_name_repr_message_or_traceback(server: Server, status: int) -> None:
    server.script = [(status, json.dumps({"error": {"message": f"bad key {SECRET}"}}).encode())] * 2
    address = server.url.replace("http://", f"http://user:{SECRET}@") + f"?token={SECRET}"
    embedder = OpenAIEmbedder("m", base_url=server.url, api_key=SECRET, max_retries=0)
    with pytest.raises(ClewError) as caught:
        embedder.embed(["a"], "passage")
    shown = "".join(traceback.format_exception(caught.value)) + repr(embedder) + str(vars(caught.value))
    embedder._server.client.close()
    carrying = OpenAIEmbedder("m", base_url=address, api_key=SECRET)
    shown += repr(carrying) + carrying.name
    carrying._server.client.close()
    assert SECRET not in shown


def test_the_environment_is_not_read(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    embedder = OpenAIEmbedder("m", base_url=server.url)
    embedder.embed(["a"], "passage")
    assert server.keys == ["Bearer none"]
    embedder._server.client.close()
    with pytest.raises(ConfigurationError, match="needs a key"):
        OpenAIEmbedder("m")


@pytest.mark.parametrize("address", ["localhost:8000", "ftp://host/v1", "http://", "http://host:port/v1"])
def test_an_address_that_is_none_is_a_configuration_error(address: str) -> None:
    with pytest.raises(ConfigurationError, match="OPENAI_BASE_URL"):
        OpenAIEmbedder("m", base_url=address, api_key=SECRET)
