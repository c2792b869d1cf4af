"""How values that a database has no type for are written in it: moments, names with stray bytes, whole records."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar, overload

from storage.records import Record

R = TypeVar("R", bound=Record)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@overload
def to_micros(moment: datetime) -> int: ...
@overload
def to_micros(moment: None) -> None: ...
@overload
def to_micros(moment: datetime | None) -> int | None: ...
def to_micros(moment: datetime | None) -> int | None:
    """Microseconds since 1970, which compare as moments do; None stays None."""
    return None if moment is None else (moment - _EPOCH) // _MICROSECOND


@overload
def from_micros(micros: int) -> datetime: ...
@overload
def from_micros(micros: None) -> None: ...
@overload
def from_micros(micros: int | None) -> datetime | None: ...
def from_micros(micros: int | None) -> datetime | None:
    """The moment that :func:`to_micros` was given."""
    return None if micros is None else _EPOCH + micros * _MICROSECOND


def to_json(value: Any) -> str:
    """``value`` as JSON text in ASCII, so that a lone surrogate in a group's or file's name can be stored."""
    return json.dumps(list(value) if isinstance(value, set | frozenset) else value)


def to_text(value: str | None) -> str | bytes | None:
    """A name as a database can hold it: text, or bytes if a lone surrogate (from an undecodable name) is in it."""
    if value is None:
        return None
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-8", "surrogatepass")
    return value


def from_text(value: str | bytes | None) -> str | None:
    """The name that :func:`to_text` was given."""
    return value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else value


def record_json(record: Record) -> str:
    """A whole record as JSON text in ASCII; unlike pydantic's own, it keeps lone surrogates, in keys as well."""
    return json.dumps(record.model_dump(), default=datetime.isoformat)


def record_of(kind: type[R], text: str) -> R:
    """The record that :func:`record_json` was given."""
    return kind.model_validate(json.loads(text))


__all__ = ["from_micros", "from_text", "record_json", "record_of", "to_json", "to_micros", "to_text"]
