"""JSON that may hold anything: parsed with bounds, flattened to dotted names, shown as lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from extractors.loaders.row_documents import scalar

_DEEPEST = 3  # levels that become dotted names; what lies deeper stays JSON
_MOST_DEEP = 100


class NotJsonError(ValueError):
    """Why a text is no JSON, in words for people."""


def parse(text: str) -> Any:
    """The value in ``text``. Raises NotJsonError: it is none, nested too deeply, or holds a number without end."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, " if "\n" in text else ""
        raise NotJsonError(f"{_reason(error.msg)} at {where}character {error.colno}") from error
    except RecursionError as error:
        raise NotJsonError("it is nested too deeply") from error
    except ValueError as error:  # a number of more digits than Python converts
        raise NotJsonError("it holds a number that is too long") from error


def _reason(message: str) -> str:
    return message[:1].lower() + message[1:].removesuffix(" at")


def first_objects(text: str, most: int) -> list[dict[str, Any]]:
    """Up to ``most`` objects at the start of ``text``: of lines, of a list, or of the first list in an object."""
    decoder = json.JSONDecoder()
    at = 0
    while at < len(text) and text[at] in " \t\r\n\ufeff":
        at += 1
    found: list[dict[str, Any]] = []
    if text.startswith("[", at):
        at += 1
    while len(found) < most:
        while at < len(text) and text[at] in " \t\r\n,":
            at += 1
        if not text.startswith("{", at):
            break
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            break
        found.append(value)
    return found


def flattened(value: dict[str, Any]) -> dict[str, Any]:
    """``value`` with dotted names for what lies in it: ``{"a": {"b": 1}}`` gives ``{"a.b": 1}``.

    A list of scalars stays one; what lies deeper than three levels, and a list of objects, is given as JSON.
    """
    flat: dict[str, Any] = {}
    stack = [("", value, 1)]
    while stack:
        prefix, inner, depth = stack.pop()
        for key, item in inner.items():
            name = f"{prefix}{key}"
            if isinstance(item, dict) and depth < _DEEPEST:
                stack.append((f"{name}.", item, depth + 1))
            elif isinstance(item, dict) or (isinstance(item, list) and any(isinstance(i, dict | list) for i in item)):
                flat[name] = json.dumps(item, ensure_ascii=False)
            else:
                flat[name] = item
    return flat


def lines(value: Any) -> Iterator[str]:
    """``path: value`` for every scalar in ``value``, in order: ``services.0.name: port``."""
    stack: list[tuple[str, Any, int]] = [("", value, 0)]
    while stack:
        path, item, depth = stack.pop()
        inner: list[tuple[str, Any]] = []
        if isinstance(item, dict):
            inner = [(str(key), part) for key, part in item.items()]
        elif isinstance(item, list) and (not path or any(isinstance(part, dict | list) for part in item)):
            inner = [(str(index), part) for index, part in enumerate(item, 1)]
        elif (kept := scalar(item)) is not None:
            words = shown(kept)
            yield f"{path}: {words}" if path else words
        if inner and depth >= _MOST_DEEP:
            yield f"{path}: {json.dumps(item, ensure_ascii=False)}"
            continue
        stack.extend((f"{path}.{key}" if path else key, part, depth + 1) for key, part in reversed(inner))


def shown(value: Any) -> str:
    """A scalar as JSON writes it, a text without its quotation marks; "" for what is empty."""
    kept = scalar(value)
    if kept is None:
        return ""
    return str(kept).lower() if isinstance(kept, bool) else str(kept)


__all__ = ["NotJsonError", "first_objects", "flattened", "lines", "parse", "shown"]
