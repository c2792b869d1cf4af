"""Chats: transcripts as text, and exports as JSON; each turn is a place."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from pathlib import PurePath

from extractors.loaders import chat_export, json_values, transcript
from extractors.loaders.encoding import decode
from extractors.loaders.json_lines import JsonLinesLoader
from extractors.loaders.line_joining import LineJoiner, is_wide
from extractors.loaders.signatures import what_it_is
from extractors.loaders.text_builder import TextBuilder
from extractors.loaders.transcript import Turn
from extractors.ports import Likeness, LoadedFile, LoadOptions
from storage.errors import LoadError
from storage.records import Metadata
from storage.stored_text import stored_text
from storage.structure import PlaceKind, TextKind

_TEXT = ("", ".txt", ".text", ".log", ".chat")
_JSON = (".json", ".jsonl", ".ndjson")
_SAMPLE = 65_536
_SAMPLE_JSON = 262_144
_MOST_SPEAKERS = 50


class ChatLoader:
    """Reads what people said in turn: ``Anna: ...``, ``[09:14] Anna: ...``, a name and a time over the words, JSON."""

    name = "chat@2"
    suffixes = (".chat",)

    def recognises(self, path: PurePath, data: bytes) -> Likeness:
        """How sure it is that this is its format: two speakers who come again in the first lines."""
        suffix = path.suffix.lower()
        named = Likeness.NAMED if suffix in self.suffixes else Likeness.NO
        if suffix in _JSON:
            return Likeness.CONTENT if chat_export.is_export(_head(data, _SAMPLE_JSON)) else named
        if suffix in _TEXT and transcript.style_of(stored_text(_head(data, _SAMPLE))) is not None:
            return Likeness.CONTENT
        return named

    def load(self, path: PurePath, data: bytes, options: LoadOptions) -> LoadedFile:
        """The one document: a line or more for each turn, the names of the speakers kept."""
        if path.suffix.lower() in _JSON and (options.text_columns or options.rows != "auto"):
            loaded = JsonLinesLoader().load(path, data, options)  # whoever says what a row is wants rows
            inner = {document.id or "": JsonLinesLoader.name for document in loaded.documents}
            return loaded.model_copy(update={"inner": inner})
        text = stored_text(decode(data, name=path.name)).lstrip("\ufeff")
        if text.lstrip().startswith(("{", "[{", "[\n", "[ ")) and (found := _exported(text)) is not None:
            turns = found
        elif (style := _style(text, asked=options.format is not None)) is not None:
            turns = list(transcript.turns(text, style))
            if not transcript.has_lone_heads(style):
                _join_lines(turns)
        else:
            raise LoadError(
                f"{path.name} holds no chat: no line opens a turn. Write each turn as a line 'name: words', "
                "or read it as text"
            )
        builder = TextBuilder()
        for turn in turns:
            _add(builder, turn)
        metadata: Metadata = {}
        speakers = list(dict.fromkeys(turn.speaker for turn in turns if turn.speaker))
        if len(speakers) <= _MOST_SPEAKERS:
            metadata["speakers"] = ", ".join(speakers)
        return LoadedFile(documents=(builder.document(path.stem, kind=TextKind.DIALOGUE, metadata=metadata),))


def _style(text: str, *, asked: bool) -> int | None:
    style = transcript.style_of(text)
    return transcript.any_style_of(text) if style is None and asked else style


def _head(data: bytes, size: int) -> str:
    """The first characters; "" where the bytes are no text."""
    if what_it_is(data) is not None:
        return ""
    piece = data[:size]
    if len(piece) < len(data) and (end := piece.rfind(b"\n")) > 0 and b"\x00" not in piece[:4]:
        piece = piece[: end + 1]
    try:
        return decode(piece)
    except LoadError:
        return ""


def _exported(text: str) -> list[Turn] | None:
    try:
        value = json_values.parse(text)
    except json_values.NotJsonError:
        value = []
        for line in filter(str.strip, text.split("\n")):
            try:
                value.append(json_values.parse(line))
            except json_values.NotJsonError:
                return None
    messages = chat_export.messages_in(value)
    return None if messages is None else list(chat_export.turns(messages))


def _join_lines(turns: Iterable[Turn]) -> None:
    """Make one line of the lines of a turn that only their width parts; others are left as they were sent."""
    turns = list(turns)
    joiner = LineJoiner(line for turn in turns for line in turn.lines)
    widths = sorted(_width(line) for turn in turns for line in turn.lines[:-1])
    if not widths or not 40 <= (full := widths[-1]) <= 160 or widths[len(widths) // 2] < full * 0.75:
        return
    for turn in turns:
        lines = turn.lines[:1]
        for before, line in pairwise(turn.lines):
            if _width(before) >= full * 0.6:
                tail, gap = joiner.tail_and_gap(lines.pop(), line)
                lines.append(tail + gap + line)
            else:
                lines.append(line)
        turn.lines = lines


def _width(line: str) -> int:
    return len(line) + sum(map(is_wide, line))


def _add(builder: TextBuilder, turn: Turn) -> None:
    if not turn.speaker:
        for line in turn.lines:
            builder.line(line)
        return
    with builder.place(PlaceKind.TURN, turn.label):
        for line in turn.lines:
            builder.line(line)


__all__ = ["ChatLoader"]
