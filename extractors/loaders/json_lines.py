"""JSON Lines and JSON: records with a text are documents, flat ones a table, the rest lines of names and values."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from extractors.loaders import json_values
from extractors.loaders.encoding import decode
from extractors.loaders.row_documents import RowDocuments, chosen_fields, scalar
from extractors.loaders.text_builder import TextBuilder
from extractors.ports import Likeness, LoadedFile, LoadOptions, PartProblem
from storage.errors import LoadError
from storage.records import Document, Metadata
from storage.structure import PlaceKind, TextKind

_LINES = (".jsonl", ".ndjson")
_PLAIN = ("", ".txt", ".text", ".log")
_SAMPLE = 65_536
_MOST_COLUMNS = 100  # a table of more is easier read as lines of names and values
_LONGEST_LINE_SAID = 60

Numbered = list[tuple[int, dict[str, Any]]]
"""Records with the number of their line, or of their place in the list."""


class JsonLinesLoader:
    """Reads ``.jsonl`` line by line, and ``.json`` files that are a list of records or anything else."""

    name = "jsonl@2"
    suffixes = (".jsonl", ".ndjson", ".json")

    def recognises(self, path: PurePath, data: bytes) -> Likeness:
        """How sure it is that this is its format: under a name that says nothing, two lines that are objects."""
        suffix = path.suffix.lower()
        if suffix in self.suffixes:
            return Likeness.NAMED
        if suffix in _PLAIN and data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b'{"'):
            lines = data[:_SAMPLE].decode("utf-8", "replace").split("\n")
            whole = lines if len(data) <= _SAMPLE else lines[:-1]
            if len(whole) > 1 and all(map(_is_object, filter(str.strip, whole[:3]))):
                return Likeness.CONTENT
        return Likeness.NO

    def load(self, path: PurePath, data: bytes, options: LoadOptions) -> LoadedFile:
        """A document for each record, or one of all of them, see :class:`LoadOptions`."""
        text = decode(data, name=path.name).lstrip("\ufeff")
        if path.suffix.lower() not in _LINES:
            try:
                value = json_values.parse(text)
            except json_values.NotJsonError as error:
                if len(json_values.first_objects(text[:_SAMPLE], 2)) < 2 or text.lstrip().startswith("["):
                    raise LoadError(f"{path.name} is not JSON: {error}. Correct it, or name it .txt") from error
            else:
                return _of_json(path, value, options)
        records, problems = _records_of_lines(text)
        if not records:
            first = f" ({problems[0].reason})" if problems else ""
            raise LoadError(
                f"{path.name} holds no record: no line is a JSON object{first}. Correct it, or name it .txt"
            )
        return _loaded(path, records, options, PlaceKind.LINE, problems=problems)


def _is_object(line: str) -> bool:
    try:
        return isinstance(json_values.parse(line), dict)
    except json_values.NotJsonError:
        return False


def _records_of_lines(text: str) -> tuple[Numbered, list[PartProblem]]:
    records: Numbered = []
    problems: list[PartProblem] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json_values.parse(line.strip())
        except json_values.NotJsonError as error:
            problems.append(PartProblem(part=f"line {number}", reason=f"line {number} is not JSON: {error}"))
            continue
        if isinstance(value, dict):
            records.append((number, value))
        else:
            start = line.strip()[:_LONGEST_LINE_SAID]
            problems.append(PartProblem(part=f"line {number}", reason=f"line {number} is not a JSON object: {start}"))
    return records, problems


def _of_json(path: PurePath, value: Any, options: LoadOptions) -> LoadedFile:
    """Records where ``value`` is a list of objects or an object whose one list holds them, else a text."""
    if isinstance(value, dict):
        wanted = options.text_columns or chosen_fields(list(value), LoadOptions(), path.name).text
        if wanted and all(isinstance(value.get(name), str) for name in wanted):
            loaded = _loaded(path, [(1, value)], options, PlaceKind.ROW)
            return loaded.model_copy(update={"documents": tuple(map(_alone, loaded.documents))})
        nested = [part for part in value.values() if isinstance(part, list | dict)]
        if len(nested) == 1 and _is_of_objects(nested[0]):
            shared = {
                key: kept for key, part in value.items() if (kept := scalar(part)) is not None and part is not nested[0]
            }
            return _loaded(path, list(enumerate(nested[0], 1)), options, PlaceKind.ROW, shared=shared)
    elif _is_of_objects(value):
        return _loaded(path, list(enumerate(value, 1)), options, PlaceKind.ROW)
    return _as_lines(path, value)


def _alone(document: Document) -> Document:
    """The document of the only record of a file, which needs neither name nor number."""
    metadata = {name: value for name, value in document.metadata.items() if name != PlaceKind.ROW.value}
    return document.model_copy(update={"id": None, "metadata": metadata})


def _is_of_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _loaded(
    path: PurePath,
    records: Numbered,
    options: LoadOptions,
    kind: PlaceKind,
    *,
    problems: Sequence[PartProblem] = (),
    shared: Metadata | None = None,
) -> LoadedFile:
    """A document for each record where they have a text, else one of them all; ``shared`` is said of each."""
    flat = [(number, json_values.flattened(record)) for number, record in records]
    names = list(dict.fromkeys(name for _, record in flat for name in record))
    if options.rows != "table":
        fields = chosen_fields(names, options, path.name)
        if fields.text:
            rows = RowDocuments(path, fields, kind, shared or {}, list(problems))
            for number, record in flat:
                rows.add(number, record)
            return rows.loaded()
        if options.rows == "documents":
            raise LoadError(
                f"{path.name} has no field that is called text or content. "
                f"Say which is the text of a record; its fields: {', '.join(names[:30])}"
            )
    builder = TextBuilder()
    document_kind = TextKind.PROSE
    if len(names) <= _MOST_COLUMNS or options.rows == "table":
        document_kind = TextKind.TABLE
        builder.table(_grid(flat, names), header=1, first_row=0)
    else:
        for number, record in records:
            with builder.place(kind, str(number)):
                builder.paragraph("\n".join(json_values.lines(record)))
    document = builder.document(path.stem, kind=document_kind, metadata=shared or {})
    return LoadedFile(documents=(document,), problems=tuple(problems))


def _grid(flat: Numbered, names: list[str]) -> list[list[str]]:
    """The names, then the values of each record, each in the row of its number: lines without one are empty rows."""
    grid = [names]
    for number, record in flat:
        grid.extend([] for _ in range(number - len(grid)))
        grid.append([json_values.shown(record.get(name)) for name in names])
    return grid


def _as_lines(path: PurePath, value: Any) -> LoadedFile:
    builder = TextBuilder()
    for line in json_values.lines(value):
        builder.line(line)
    title = value.get("title") if isinstance(value, dict) else None
    return LoadedFile(documents=(builder.document(title if isinstance(title, str) else path.stem),))


__all__ = ["JsonLinesLoader"]
