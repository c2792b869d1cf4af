"""Chats that programs export as JSON: messages with a sender, a text and mostly a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from extractors.loaders import json_values
from extractors.loaders.transcript import Turn

_SPEAKERS = ("speaker", "from", "sender", "sender_name", "user_name", "username", "user", "author", "role", "name")
_TEXTS = ("text", "content", "message", "msg", "body")
_TIMES = ("ts", "time", "timestamp", "timestamp_ms", "date", "datetime", "created_at", "create_time", "sent_at")
_CHAT_ONLY = ("speaker", "from", "sender", "sender_name", "role")
_LISTS = ("messages", "conversation", "turns", "dialogue", "dialog", "chat")
_ARTICLE = ("title", "headline", "标题", "subject")
_SAMPLE = 262_144
_LOOKED_AT = 40
_LATEST = 253_402_300_799  # the last second of the year 9999


def is_export(head: str) -> bool:
    """Whether a JSON text that begins with ``head`` is a chat: messages with speakers of whom one comes again.

    Records with a title are articles; records of a user or an author need a time to be messages, those that call
    themselves so need no speaker to come again.
    """
    start = head[:_SAMPLE].lstrip("\ufeff \t\r\n")
    if start.startswith("{"):
        at = min((found for name in _LISTS if (found := start.find(f'"{name}"')) >= 0), default=-1)
        opened = start.find("[", at, at + 40) if at >= 0 else -1
        if opened >= 0 and start[at:opened].rstrip().endswith(":"):
            start = start[opened:]
    return _is_chat(json_values.first_objects(start, _LOOKED_AT))


def _is_chat(records: Sequence[Mapping[str, Any]]) -> bool:
    messages = [record for record in records if _speaker(record) and _text(record)]
    if len(messages) < 2 or len(messages) * 2 < len(records) or any(key in r for r in messages for key in _ARTICLE):
        return False
    if not all(any(key in r for key in _CHAT_ONLY) or any(key in r for key in _TIMES) for r in messages):
        return False
    if all(record.get("type") == "message" for record in messages):
        return True  # as Slack and Telegram write it
    speakers = Counter(_speaker(record) for record in messages)
    return len(speakers) > 1 and (len(speakers) < len(messages) or "role" in messages[0])


def messages_in(value: Any) -> list[dict[str, Any]] | None:
    """The messages of an export that was parsed; None when it holds none."""
    if isinstance(value, dict):
        value = next((value[name] for name in _LISTS if isinstance(value.get(name), list)), None)
    if not isinstance(value, list):
        return None
    records = [item for item in value if isinstance(item, dict)]
    return records if any(_text(record) for record in records) else None


def turns(records: Sequence[Mapping[str, Any]]) -> Iterator[Turn]:
    """One turn for each message with words: ``Anna: ...``; what has no sender stands by itself."""
    for record in records:
        words = _text(record).strip()
        if words:
            speaker = _speaker(record)
            yield Turn(speaker, _time(record), [f"{speaker}: {words}" if speaker else words])


def _speaker(record: Mapping[str, Any]) -> str:
    profile = record.get("user_profile")
    if isinstance(profile, dict):
        for name in ("display_name", "real_name", "name"):
            if isinstance(profile.get(name), str) and profile[name].strip():
                return str(profile[name]).strip()
    for key in _SPEAKERS:
        value = record.get(key)
        if isinstance(value, dict):
            value = next((value[k] for k in ("name", "display_name", "username", "role") if k in value), None)
        if isinstance(value, str) and value.strip():
            return " ".join(value.split())
    return ""


def _text(record: Mapping[str, Any]) -> str:
    for key in _TEXTS:
        if words := _words(record.get(key)):
            return words
    return _words(record.get("blocks"))


def _words(value: Any) -> str:
    """The words of a message: a text, a list of parts, or blocks that hold parts."""
    parts: list[str] = []
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            parts.append(item)
        elif isinstance(item, list):
            stack.extend(reversed(item))
        elif isinstance(item, dict):
            inner = [item[key] for key in ("text", "content", "parts", "elements") if item.get(key)]
            stack.extend(reversed(inner[:1]))
    return "".join(parts)


def _time(record: Mapping[str, Any]) -> str:
    """When a message was sent: seconds or milliseconds since 1970 as a date, anything else as it stands."""
    value = next((record[key] for key in _TIMES if record.get(key)), "")
    try:
        seconds = float(value)
    except (TypeError, ValueError, OverflowError):
        return " ".join(value.split()) if isinstance(value, str) else ""
    seconds = seconds / 1000 if seconds > 1e11 else seconds
    if not 1e8 < seconds < _LATEST:
        return str(value)
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")


__all__ = ["is_export", "messages_in", "turns"]
