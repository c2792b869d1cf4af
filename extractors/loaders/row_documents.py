"""Rows and records that are a document each: which field is the text, which the title and the id."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePath
from typing import Any
from unicodedata import normalize

from extractors.loaders.text_builder import TextBuilder
from extractors.ports import LoadedFile, LoadOptions, PartProblem
from storage.errors import LoadError
from storage.records import Document, Metadata
from storage.stored_text import stored_text
from storage.structure import PlaceKind

TEXT_FIELDS = ("text", "content", "body", "正文", "内容", "內容", "文本")
TITLE_FIELDS = ("title", "标题", "標題", "headline", "题目")
ID_FIELDS = ("id", "_id", "编号", "編號", "doc_id", "document_id", "uuid")

_LARGEST = 2**63  # a store keeps whole numbers in 64 bits
_ID_LENGTH = 12  # of 16^12 ids, two of a million rows are alike by chance once in 500 files
_MOST_NAMES = 30  # of columns, in a message


@dataclass(frozen=True, slots=True)
class Fields:
    """Which fields of a row are its text, in that order, its title and its id."""

    text: tuple[str, ...]
    title: str | None
    id: str | None


def chosen_fields(names: Sequence[str], options: LoadOptions, name: str) -> Fields:
    """The fields that ``options`` name, else those that are usually called so; ``text`` may be empty.

    Raises LoadError when one that ``options`` name is not among ``names``; the message says which there are.
    """
    asked = (*options.text_columns, *filter(None, (options.title_column, options.id_column)))
    missing = [column for column in asked if column not in names]
    if missing:
        known = ", ".join(names[:_MOST_NAMES]) + (", …" if len(names) > _MOST_NAMES else "")
        raise LoadError(f"{name} has no column {missing[0]!r}. Its columns: {known or 'none'}. Name one of them")
    return Fields(
        text=options.text_columns or tuple(filter(None, (_usual(names, TEXT_FIELDS),))),
        title=options.title_column or _usual(names, TITLE_FIELDS),
        id=options.id_column or _usual(names, ID_FIELDS),
    )


def _usual(names: Sequence[str], wanted: Sequence[str]) -> str | None:
    by_fold = {name.strip().casefold(): name for name in reversed(names)}
    return next((by_fold[word] for word in wanted if word in by_fold), None)


@dataclass(slots=True)
class RowDocuments:
    """Collects the documents of one file.

    A row without words in its text fields is left out and counted. A row without an id is called by its content, and
    one whose id came before gets a count: so a row that goes changes no other. Where a row stands in the file is
    metadata for the same reason.
    """

    path: PurePath
    fields: Fields
    kind: PlaceKind  # what a row is called: a row of a table, a line
    shared: Metadata = field(default_factory=dict)  # what the file says of all its rows
    problems: list[PartProblem] = field(default_factory=list)
    _documents: list[Document] = field(default_factory=list)
    _seen: Counter[str] = field(default_factory=Counter)
    _empty: int = 0
    _repeated: int = 0

    def add(self, number: int, row: Mapping[str, Any]) -> None:
        """Add the row that has this number in the file; its values are scalars or lists of them."""
        parts = [text for name in self.fields.text for text in _texts(row.get(name))]
        builder = TextBuilder()
        for part in parts:
            builder.paragraph(part)
        if builder.blank:
            self._empty += 1
            return
        title = _words(row.get(self.fields.title)) if self.fields.title else ""
        used = {*self.fields.text, self.fields.title, self.fields.id}
        metadata = dict(self.shared)
        dates: dict[str, Any] = {}
        for name, value in row.items():
            if name in {"valid_from", "valid_to"} and (moment := _moment(value)) is not None:
                dates[name] = moment
            elif name not in used and (kept := scalar(value)) is not None:
                metadata[stored_text(name)] = kept
        if len(dates) == 2 and dates["valid_from"].timestamp() >= dates["valid_to"].timestamp():
            reason = f"{self.kind} {number}: valid_from must lie before valid_to. Correct the dates"
            self.problems.append(PartProblem(part=f"{self.kind} {number}", reason=reason))
            return
        said = normalize("NFC", _words(row.get(self.fields.id))) if self.fields.id else ""  # as a path is stored
        id = self._unique(said or _content_id(row), counted=bool(said))
        metadata.setdefault(str(self.kind), number)
        title = title or f"{self.path.stem} {said}".strip()
        self._documents.append(builder.document(title, id=id, metadata=metadata, **dates))

    def _unique(self, wanted: str, *, counted: bool) -> str:
        unique = wanted
        while unique in self._seen:
            self._seen[wanted] += 1
            unique = f"{wanted}#{self._seen[wanted]}"
        self._repeated += counted and unique != wanted
        self._seen[unique] = max(1, self._seen[unique])
        return unique

    def loaded(self, notes: Iterable[str] = ()) -> LoadedFile:
        """What was read."""
        said = list(notes)
        if self._empty:
            said.append(f"{_rows(self._empty)} without text in {', '.join(self.fields.text)} left out")
        if self._repeated:
            said.append(f"{_rows(self._repeated)} with an id that an earlier one has: a count is added to it")
        return LoadedFile(documents=tuple(self._documents), problems=tuple(self.problems), left_out=tuple(said))


def _content_id(row: Mapping[str, Any]) -> str:
    said = json.dumps(row, ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:_ID_LENGTH]


def _rows(count: int) -> str:
    return f"{count:,} row{'s' if count != 1 else ''}"


def _texts(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [v if isinstance(v, str) else str(v) for v in values if v is not None]


def _words(value: Any) -> str:
    return " ".join(stored_text(", ".join(_texts(value))).split())


def scalar(value: Any) -> str | int | float | bool | None:
    """``value`` as metadata: a list becomes its values parted by commas; None for what is empty."""
    if isinstance(value, list):
        return ", ".join(_texts(value)) or None
    if isinstance(value, bool):
        return value
    if (isinstance(value, int) and abs(value) >= _LARGEST) or (isinstance(value, float) and not math.isfinite(value)):
        return str(value)
    if isinstance(value, str):
        return stored_text(value).strip() or None
    return value if isinstance(value, int | float) else None


def _moment(value: Any) -> datetime | None:
    try:
        return datetime.fromisoformat(value.strip()) if isinstance(value, str) else None
    except ValueError:
        return None


__all__ = ["ID_FIELDS", "TEXT_FIELDS", "TITLE_FIELDS", "Fields", "RowDocuments", "chosen_fields", "scalar"]
