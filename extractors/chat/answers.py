"""From what a chat model wrote to an object of the form that was asked for."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from storage.errors import ModelError
from storage.ports import ChatMessage, ChatModel

Form = TypeVar("Form", bound=BaseModel)

_MOST_CANDIDATES = 50
"""Opening brackets that are tried: a long answer full of them must not take quadratic time."""
_FENCE = re.compile(r"```[a-zA-Z0-9]{0,10}\n")


def ask(model: ChatModel, messages: Sequence[ChatMessage], form: type[Form], *, max_tokens: int) -> Form:
    """The model's answer as an object of ``form``; what does not fit is sent back once, to be mended.

    Raises:
        ModelError: the answer is cut off, is none, or does not fit the form the second time either.
        UnreachableError, ConfigurationError: as :meth:`storage.ports.ChatModel.complete`.
    """
    reply = model.complete(messages, max_tokens=max_tokens, form=form)
    try:
        return parsed(reply.text, form)
    except ValueError as error:
        complaint = ChatMessage(
            role="user",
            content=f"That answer cannot be used: {error}. Give the same answer again, as JSON that fits, and no more.",
        )
    mended = model.complete(
        [*messages, ChatMessage(role="assistant", content=reply.text), complaint], max_tokens=max_tokens, form=form
    )
    try:
        return parsed(mended.text, form)
    except ValueError as error:
        raise ModelError(f"{model.name} gave no usable answer twice: {error}.") from None


def parsed(text: str, form: type[Form]) -> Form:
    """The first JSON object in ``text`` that fits ``form``; thoughts and code fences around it do not matter.

    Raises ValueError saying what is wrong, without repeating the text.
    """
    text = _without_thoughts(text)
    problem = "it holds no JSON object"
    decoder = json.JSONDecoder()
    position = 0
    for _ in range(_MOST_CANDIDATES):
        position = text.find("{", position)
        if position < 0:
            break
        try:
            value, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            problem = "its JSON is not valid, or it is cut off"
            position += 1
            continue
        try:
            return form.model_validate(value)
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False)[0]
            problem = f"{'.'.join(map(str, first['loc'])) or 'the object'}: {first['msg']}"
            position = end
    raise ValueError(problem)


def _without_thoughts(text: str) -> str:
    """What follows the model's thinking aloud; a thought that never ends hides everything."""
    while (start := text.find("<think>")) >= 0:
        end = text.find("</think>", start)
        text = text[:start] + (text[end + len("</think>") :] if end >= 0 else "")
    # Some servers cut the opening tag off.
    return _FENCE.sub("\n", text.rpartition("</think>")[2])


__all__ = ["ask", "parsed"]
