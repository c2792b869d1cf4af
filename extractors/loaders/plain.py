"""Plain text, and texts with marks that are read as they are: logs, settings, subtitles without their times."""

from __future__ import annotations

import re
from pathlib import PurePath

from extractors.loaders.encoding import decode
from extractors.loaders.line_joining import unwrap
from extractors.ports import Likeness, LoadedFile, LoadOptions
from storage.records import Document
from storage.stored_text import stored_text

_WRAPPED = (".txt", ".text", ".rst", ".org", ".tex")
_SUBTITLES = (".srt", ".vtt")
_BY_LINES = (".log", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".properties")
_CUE_TIME = re.compile(r"(?:\d{1,3}:)?\d{1,2}:\d{2}[.,]\d{3} {1,4}--> {1,4}(?:\d{1,3}:)?\d{1,2}:\d{2}[.,]\d{3}")
_TAG = re.compile(r"</?(?:[biuc]|v|lang|ruby|rt|font)(?:[ .][^<>]{0,80})?>|<\d[\d:.]{0,15}>|\{\\an\d\}")
_VOICE = re.compile(r"<v(?:\.[\w.]{1,40})? ([^<>]{1,80})>")


class PlainLoader:
    """Reads plain text in any usual encoding; hard-wrapped paragraphs become one line each."""

    name = "text@2"
    suffixes = (*_WRAPPED, *_SUBTITLES, *_BY_LINES)

    def recognises(self, path: PurePath, data: bytes) -> Likeness:
        """How sure it is that this is its format."""
        return Likeness.NAMED if path.suffix.lower() in self.suffixes else Likeness.ANY_TEXT

    def load(self, path: PurePath, data: bytes, options: LoadOptions) -> LoadedFile:
        """The document; its title is the file's name, for a plain text has no other."""
        text = stored_text(decode(data, name=path.name)).lstrip("\ufeff")
        suffix = path.suffix.lower()
        if suffix in _SUBTITLES:
            text = _without_times(text)
        elif suffix not in _BY_LINES:
            text = unwrap(text)
        return LoadedFile(documents=(Document(text=text, title=path.stem),))


def _without_times(text: str) -> str:
    """The words of subtitles, a line for each, without numbers, times and marks; ``<v Anna>`` becomes ``Anna:``."""
    kept: list[str] = []
    for block in re.split(r"\n[ \t]*\n", text):
        lines = block.strip("\n").split("\n")
        time = next((index for index, line in enumerate(lines[:3]) if _CUE_TIME.match(line.strip())), None)
        if time is None and lines[0].lstrip("\ufeff").startswith(("WEBVTT", "NOTE", "STYLE", "REGION")):
            continue
        words = [_TAG.sub("", _VOICE.sub(r"\1: ", line)).strip() for line in lines[0 if time is None else time + 1 :]]
        kept.extend(filter(None, words))
    return "\n".join(kept)


__all__ = ["PlainLoader"]
