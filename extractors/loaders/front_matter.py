"""Front matter of a Markdown file, in YAML or TOML: title, access groups, validity and metadata."""

from __future__ import annotations

import math
import re
import tomllib
from datetime import UTC, date, datetime
from typing import Any

import yaml

from storage.errors import LoadError
from storage.records import Metadata

_FENCED = re.compile(r"---[ \t]*\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_OPENED = re.compile(r"---[ \t]*\n\s*[\w-]{1,64}[ \t]*:")
_TOML = re.compile(r"\+\+\+[ \t]*\n(.*?\n)?\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL)
_TOML_OPENED = re.compile(r"\+\+\+[ \t]*\n\s*[\w.\"-]{1,64}[ \t]*=")
_MAX_LENGTH = 65_536
_RESERVED = frozenset({"groups", "valid_from", "valid_to", "title", "language", "lang", "metadata"})


def split_front_matter(text: str, name: str) -> tuple[dict[str, Any], str]:
    """The fields that the front matter gives to the document, and the text after it.

    A first block between ``---`` lines (``+++`` for TOML) that is no mapping is text like any other. A block that is
    meant as front matter and cannot be read is an error, never ignored: it may say who may see the document.
    """
    if text.startswith("+++"):
        return _split_toml(text, name)
    if not text.startswith("---"):
        return {}, text
    found = _FENCED.match(text[:_MAX_LENGTH])
    if not found:
        if _OPENED.match(text):
            raise LoadError(f"{name}: the front matter has no closing --- line. Add it, or remove the first line")
        return {}, text
    block = found.group(1) or ""
    try:
        values = yaml.safe_load(block)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        if not re.match(r"[\w-]{1,64}[ \t]*:", block.lstrip()):
            return {}, text
        problem = getattr(error, "problem", None) or type(error).__name__
        raise LoadError(f"{name}: the front matter is not YAML ({problem}). Correct it, or remove it") from error
    if values is None:
        return {}, text[found.end() :]
    if not isinstance(values, dict):
        return {}, text
    return _fields(values, name), text[found.end() :]


def _split_toml(text: str, name: str) -> tuple[dict[str, Any], str]:
    found = _TOML.match(text[:_MAX_LENGTH])
    if not found:
        if _TOML_OPENED.match(text):
            raise LoadError(f"{name}: the front matter has no closing +++ line. Add it, or remove the first line")
        return {}, text
    try:
        values = tomllib.loads(found.group(1) or "")
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        if not _TOML_OPENED.match(text):
            return {}, text
        raise LoadError(f"{name}: the front matter is not TOML ({error}). Correct it, or remove it") from error
    return _fields(values, name), text[found.end() :]


def _fields(values: dict[Any, Any], name: str) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    metadata: Metadata = {}
    for written, value in values.items():
        key = str(written).lower() if str(written).lower() in _RESERVED else written
        if key == "groups":
            fields["groups"] = _groups(value, name)
        elif key in {"valid_from", "valid_to"}:
            if value is not None:
                fields[key] = _moment(value, f"{name}: {key}")
        elif key == "title" and _scalar(value) is not None:
            fields["title"] = str(value)
        elif key in {"language", "lang"} and str(value)[:2].lower() in {"en", "zh"}:
            fields["language"] = str(value)[:2].lower()
        elif key == "metadata":
            if not isinstance(value, dict):
                raise LoadError(f"{name}: metadata in the front matter must be a list of names with one value each")
            metadata |= _metadata(value)
        else:
            metadata |= _metadata({key: value})
    if metadata:
        fields["metadata"] = metadata
    if "valid_from" in fields and "valid_to" in fields and fields["valid_from"] >= fields["valid_to"]:
        raise LoadError(f"{name}: valid_from must lie before valid_to in the front matter")
    return fields


def _groups(value: Any, name: str) -> tuple[str, ...]:
    if isinstance(value, str | int) and not isinstance(value, bool):
        value = [value]
    if isinstance(value, list) and all(isinstance(v, str | int) and not isinstance(v, bool) for v in value):
        return tuple(str(v) for v in value)
    raise LoadError(f"{name}: groups in the front matter must be a list of names; [] means nobody but the owner")


def _moment(value: Any, where: str) -> datetime:
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            value = None
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    raise LoadError(f"{where} in the front matter must be a date such as 2026-01-31")


def _metadata(values: dict[Any, Any]) -> Metadata:
    kept: Metadata = {}
    for key, value in values.items():
        is_plain_list = isinstance(value, list) and value and all(_scalar(v) is not None for v in value)
        scalar = ", ".join(str(_scalar(v)) for v in value) if is_plain_list else _scalar(value)
        if scalar is not None:
            kept[str(key)] = scalar
    return kept


def _scalar(value: Any) -> str | int | float | bool | None:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, str | int | float | bool):
        return value
    return value.isoformat() if isinstance(value, date) else None


__all__ = ["split_front_matter"]
