"""A real HTTP server on this machine that speaks OpenAI's Chat Completions, answering as a test has written."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SECRET = "sk-test-7f3a9c"


@dataclass(frozen=True)
class Answer:
    """What the server sends for one question."""

    text: str | None = "{}"
    status: int = 200
    finish: str = "stop"
    refusal: str | None = None
    usage: tuple[int, int] | None = (100, 20)
    body: bytes | None = None  # instead of a completion
    seconds: float = 0.0  # before anything is sent
    streams: bool = True  # where the question asks for it
    pause: float = 0.0  # seconds between the pieces of a streamed answer
    pieces: int | None = None  # of a streamed answer that are sent before the connection ends; None: all

    def content(self) -> bytes:
        if self.body is not None:
            return self.body
        if self.status != 200:
            return json.dumps({"error": {"message": self.text or "", "type": "error"}}).encode()
        message = {"role": "assistant", "content": self.text, "refusal": self.refusal}
        completion: dict[str, Any] = {
            "id": "c-1",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [{"index": 0, "message": message, "finish_reason": self.finish}],
        }
        if self.usage:
            asked, answered = self.usage
            total = asked + answered
            completion["usage"] = {"prompt_tokens": asked, "completion_tokens": answered, "total_tokens": total}
        return json.dumps(completion).encode()

    def events(self, *, usage: bool) -> list[bytes]:
        """The answer as server-sent events: two characters each, why it ends, what it took, the end."""

        def event(**fields: Any) -> bytes:
            head = {"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
            return f"data: {json.dumps(head | fields)}\n\n".encode()

        def choice(delta: dict[str, Any], finish: str | None = None) -> bytes:
            return event(choices=[{"index": 0, "delta": delta, "finish_reason": finish}])

        said = self.text or ""
        sent = [choice({"role": "assistant", "content": "", "refusal": self.refusal})]
        sent += [choice({"content": said[i : i + 2]}) for i in range(0, len(said), 2)]
        sent.append(choice({}, self.finish))
        if self.usage and usage:
            asked, answered = self.usage
            total = asked + answered
            counts = {"prompt_tokens": asked, "completion_tokens": answered, "total_tokens": total}
            sent.append(event(choices=[], usage=counts))
        return [*sent, b"data: [DONE]\n\n"][: self.pieces]


Step = Answer | Callable[[dict[str, Any]], Answer]


class ChatServer:
    """Answers ``POST /v1/chat/completions``: first as ``script`` says, then always as ``otherwise``."""

    def __init__(self) -> None:
        self.script: list[Step] = []
        self.otherwise: Step = Answer()
        self.questions: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"  # an answer of unknown length goes in chunks

            def do_POST(self) -> None:
                question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with outer._lock:
                    outer.questions.append(question)
                    outer.keys.append(self.headers["Authorization"])
                    step = outer.script.pop(0) if outer.script else outer.otherwise
                answer = step(question) if callable(step) else step
                time.sleep(answer.seconds)
                if question.get("stream") and answer.streams and answer.status == 200:
                    self._stream(answer, usage=question.get("stream_options", {}).get("include_usage", False))
                    return
                content = answer.content()
                self.send_response(answer.status if self.path == "/v1/chat/completions" else 404)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.send_header("Retry-After-Ms", "1")
                self.end_headers()
                with suppress(BrokenPipeError):  # the client did not wait
                    self.wfile.write(content)

            def _stream(self, answer: Answer, *, usage: bool) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                with suppress(BrokenPipeError, ConnectionResetError):
                    for event in answer.events(usage=usage):
                        self.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))
                        self.wfile.flush()
                        time.sleep(answer.pause)
                    if answer.pieces is None:
                        self.wfile.write(b"0\r\n\r\n")
                self.close_connection = True

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"


@contextmanager
def chat_server() -> Iterator[ChatServer]:
    """A running server; stopped at the end."""
    server = ChatServer()
    thread = threading.Thread(target=server.http.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.http.shutdown()
        server.http.server_close()
        thread.join()
