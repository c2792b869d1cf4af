"""An answer that comes piece by piece, put together as the one that would have come whole."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any


class BrokenOffError(Exception):
    """The pieces ended, or took too long, before the server said that the answer is whole."""


def whole_answer(pieces: Iterable[Any], *, seconds: float) -> dict[str, Any] | None:
    """The body of the completion that ``pieces`` (chunks of the ``openai`` package) make; None if there is no piece.

    Raises BrokenOffError when they end without a reason or take longer than ``seconds`` together.
    """
    deadline = time.monotonic() + seconds
    content: list[str] = []
    refusal: list[str] = []
    finish = usage = None
    empty = True
    for piece in pieces:
        empty = False
        if time.monotonic() > deadline:
            raise BrokenOffError
        usage = _usage(piece) or usage
        for choice in piece.choices or ():
            if choice.index == 0:
                content.append(choice.delta.content or "")
                refusal.append(choice.delta.refusal or "")
                finish = choice.finish_reason or finish
    if empty:
        return None
    if finish is None:
        raise BrokenOffError
    message = {"content": "".join(content) or None, "refusal": "".join(refusal) or None}
    return {"choices": [{"message": message, "finish_reason": finish}], "usage": usage}


def _usage(piece: Any) -> dict[str, Any] | None:
    usage = piece.usage
    if usage is None:
        return None
    return {"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens}


__all__ = ["BrokenOffError", "whole_answer"]
