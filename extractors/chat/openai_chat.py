"""A chat model on any server that speaks OpenAI's Chat Completions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from pydantic import BaseModel

from extractors.chat.streamed import BrokenOffError, whole_answer
from extractors.openai_server import OpenAIServer
from storage.errors import ClewError, UnreachableError
from storage.ports import ChatMessage, ChatReply

_UNSUPPORTED = (400, 404, 415, 422, 500, 501)
"""What servers answer to a form of request that they do not know; 500 is one popular server's word for it."""


class _Structure(IntEnum):
    """Ways to ask for JSON of a given form, the strictest first."""

    SCHEMA = 0  # the answer must fit the schema
    OBJECT_WITH_SCHEMA = 1  # a JSON object; some servers take a schema with it
    OBJECT = 2
    WORDS = 3  # only asked for in words


class OpenAIChatModel:
    """Asks a server for answers; for JSON in the strictest way that it takes, found out at the first question.

    Parameters that a server refuses by name (``temperature``, ``max_tokens``) are left out or renamed from then on.
    An answer that is streamed is used when it is whole: streaming keeps a slow answer's connection from being cut.

    Args:
        model: the model's name, as the server knows it.
        base_url: where the API lies; by default OpenAI's.
        api_key: the secret; may be left out for a server that asks for none.
        timeout: seconds that one answer may take.
        max_retries: further attempts after a transient failure, with back-off.
        stream: take answers piece by piece; a server that does not stream is asked for whole ones from then on.

    Raises:
        MissingExtraError: the ``openai`` extra is not installed.
        ConfigurationError: the model has no name, the address is no URL, or OpenAI's own server lacks a key.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        timeout: float = 120.0,
        max_retries: int = 4,
        stream: bool = False,
    ) -> None:
        self._server = OpenAIServer("A chat model", model, base_url, api_key, timeout=timeout, max_retries=max_retries)
        self._structure = _Structure.SCHEMA
        self._seconds = timeout
        self._stream = stream
        self._usage_of_stream = True
        self._temperature = True
        self._length = "max_tokens"
        self.name = f"openai:{model}@{self._server.address}"

    def __repr__(self) -> str:
        return f"OpenAIChatModel({self.name!r})"

    def complete(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, form: type[BaseModel] | None = None
    ) -> ChatReply:
        """The model's answer, as the port :class:`storage.ports.ChatModel` says."""
        if form is None:
            return self._read(self._request(messages, max_tokens, None, _Structure.WORDS))
        refused: ClewError | None = None
        for structure in _Structure:
            if structure < self._structure:
                continue
            try:
                body = self._request(messages, max_tokens, form, structure)
            except _NotTakenError as error:
                refused = refused or error.meaning
                continue
            self._structure = structure
            return self._read(body)
        assert refused is not None
        raise refused

    def _request(
        self, messages: Sequence[ChatMessage], max_tokens: int, form: type[BaseModel] | None, structure: _Structure
    ) -> Any:
        """The body of the server's answer. Raises _NotTakenError when it may be the structure that it refuses."""
        refusal: ClewError | None = None
        while True:
            arguments: dict[str, Any] = {"model": self._server.model, self._length: max_tokens}
            if self._temperature:
                arguments["temperature"] = 0
            arguments["messages"] = _sent(messages, form if structure is not _Structure.SCHEMA else None)
            try:
                if self._stream and (body := self._streamed(arguments, form, structure)) is not None:
                    return body
                return self._whole(arguments, form, structure)
            except self._server.package.APIStatusError as error:
                if self._adapted(error):
                    continue
                meaning = self._server.classified(error)
                if error.status_code in _UNSUPPORTED and structure is not _Structure.WORDS:
                    raise _NotTakenError(meaning) from None
                refusal = meaning
            except self._server.package.OpenAIError as error:
                refusal = self._server.classified(error)
            except (ValueError, TypeError, AttributeError):  # what the client raises on a body that is no completion
                refusal = self._server.nonsense("something that is not a completion")
            except BrokenOffError:
                refusal = self._server.broken_off()
            raise refusal

    def _whole(self, arguments: dict[str, Any], form: type[BaseModel] | None, structure: _Structure) -> Any:
        completions = self._server.client.chat.completions.with_raw_response
        if form is not None:
            arguments |= _response_format(form, structure)
        call = completions.parse if structure is _Structure.SCHEMA else completions.create
        return json.loads(call(**arguments).http_response.content)

    def _streamed(self, arguments: dict[str, Any], form: type[BaseModel] | None, structure: _Structure) -> Any:
        """The body that a streamed answer makes; None when the server answered without streaming."""
        package = self._server.package
        options: dict[str, Any] = {"stream_options": {"include_usage": True}} if self._usage_of_stream else {}
        if form is not None:
            options |= _response_format(form, structure)
            if structure is _Structure.SCHEMA:
                strict = package.pydantic_function_tool(form)["function"]["parameters"]
                schema = {"name": form.__name__, "schema": strict, "strict": True}
                options["response_format"] = {"type": "json_schema", "json_schema": schema}
        with self._server.client.chat.completions.create(**arguments, **options, stream=True) as pieces:
            body = whole_answer(self._server.read(pieces), seconds=self._seconds)
        self._stream = body is not None
        return body

    def _adapted(self, error: Any) -> bool:
        """Whether a parameter was refused by its name that can be left out or renamed: from now on it is."""
        said = str(error).casefold()
        if error.status_code != 400:
            return False
        if self._length == "max_tokens" and "max_completion_tokens" in said:
            self._length = "max_completion_tokens"
            return True
        if self._stream and self._usage_of_stream and "stream_options" in said:
            self._usage_of_stream = False
            return True
        if self._temperature and "temperature" in said:
            self._temperature = False
            return True
        return False

    def _read(self, body: Any) -> ChatReply:
        choices = body.get("choices") if isinstance(body, dict) else None
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(choice, dict) or not isinstance(message, dict):
            raise self._server.nonsense("something that is not a completion")
        if choice.get("finish_reason") == "length":
            raise self._server.nonsense("an answer that was cut off at its longest length")
        if not isinstance(message.get("content"), str):
            raise self._server.nonsense("a refusal" if message.get("refusal") else "an empty answer")
        usage = body.get("usage") if isinstance(body.get("usage"), dict) else {}
        return ChatReply(
            text=message["content"],
            prompt_tokens=_count(usage.get("prompt_tokens")),
            completion_tokens=_count(usage.get("completion_tokens")),
        )


class _NotTakenError(UnreachableError):
    """The server did not take a request, perhaps for the way in which it asks for JSON."""

    def __init__(self, meaning: ClewError) -> None:
        super().__init__(str(meaning))
        self.meaning = meaning


def _sent(messages: Sequence[ChatMessage], form: type[BaseModel] | None) -> list[dict[str, str]]:
    """The messages as they are sent; where no schema goes with them, it is told in words with the last one."""
    sent = [{"role": m.role, "content": m.content.encode("utf-8", "replace").decode()} for m in messages]
    if form is not None:
        schema = json.dumps(form.model_json_schema(), ensure_ascii=False)
        sent[-1]["content"] += (
            f"\n\nAnswer with one JSON object, and nothing else, that fits this JSON Schema:\n{schema}"
        )
    return sent


def _response_format(form: type[BaseModel], structure: _Structure) -> dict[str, Any]:
    match structure:
        case _Structure.SCHEMA:
            return {"response_format": form}
        case _Structure.OBJECT_WITH_SCHEMA:
            return {"response_format": {"type": "json_object", "schema": form.model_json_schema()}}
        case _Structure.OBJECT:
            return {"response_format": {"type": "json_object"}}
        case _Structure.WORDS:
            return {}


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


__all__ = ["OpenAIChatModel"]
