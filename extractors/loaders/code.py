"""Source code: the text exactly as it is, and the language it is written in."""

from __future__ import annotations

import re
from pathlib import PurePath

from extractors.loaders.encoding import decode
from extractors.ports import Likeness, LoadedFile, LoadOptions
from storage.records import Document
from storage.stored_text import stored_text
from storage.structure import TextKind

LANGUAGES = {
    ".py": "python", ".pyi": "python", ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript",
    ".jsx": "javascript", ".ts": "typescript", ".mts": "typescript", ".tsx": "tsx", ".java": "java", ".go": "go",
    ".rs": "rust", ".c": "c", ".h": "c", ".cpp": "cpp", ".cc": "cpp", ".cxx": "cpp", ".hpp": "cpp", ".hh": "cpp",
    ".cs": "csharp", ".rb": "ruby", ".php": "php", ".sh": "bash", ".bash": "bash", ".zsh": "bash", ".sql": "sql",
    ".kt": "kotlin", ".kts": "kotlin", ".swift": "swift", ".scala": "scala", ".r": "r", ".lua": "lua", ".pl": "perl",
    ".pm": "perl", ".ps1": "powershell", ".hs": "haskell", ".ex": "elixir", ".exs": "elixir", ".erl": "erlang",
    ".clj": "clojure", ".dart": "dart", ".jl": "julia", ".m": "objc", ".css": "css", ".scss": "scss",
}  # fmt: skip
"""The language by the ending of the name, called as tree-sitter calls it."""

_INTERPRETERS = {
    "python": "python", "node": "javascript", "sh": "bash", "bash": "bash", "zsh": "bash", "ruby": "ruby",
    "perl": "perl", "php": "php", "lua": "lua", "rscript": "r",
}  # fmt: skip
_SHEBANG = re.compile(rb"#![ \t]{0,4}(?:/[^\s/]{1,40}){1,8}(?:[ \t]{1,4}(?:-S[ \t]{1,4})?([^\s/]{1,40}))?")
_CODING = re.compile(rb"[ \t\f]{0,8}#[^\n]{0,80}?coding[:=][ \t]{0,4}([-\w.]{1,40})")
_CPP = re.compile(r"^(?:class|namespace|template)\b|\bstd::", re.MULTILINE)
_LONG_LINE = 2_000  # people break their lines; programs that write programs do not
_LARGE = 1 << 20


class CodeLoader:
    """Reads source code in any usual encoding; lines, indentation and comments stay as they are."""

    name = "code@1"
    suffixes = tuple(LANGUAGES)

    def recognises(self, path: PurePath, data: bytes) -> Likeness:
        """How sure it is that this is its format: by the ending, or by the interpreter that the first line names."""
        suffix = path.suffix.lower()
        if suffix in LANGUAGES or (not suffix and _interpreter(data)):
            return Likeness.NAMED
        return Likeness.NO

    def load(self, path: PurePath, data: bytes, options: LoadOptions) -> LoadedFile:
        """The one document; its metadata names the language."""
        declared = next((m for line in data[:400].split(b"\n")[:2] if (m := _CODING.match(line))), None)
        label = declared.group(1).decode("ascii", "replace") if declared else None
        text = stored_text(decode(data, declared=label, name=path.name)).lstrip("\ufeff")
        suffix = path.suffix.lower()
        language = LANGUAGES.get(suffix) or _interpreter(data)
        if suffix == ".h" and _CPP.search(text[:_LARGE]):
            language = "cpp"
        document = Document(
            text=text,
            title=path.name,
            kind=TextKind.CODE,
            metadata={"programming_language": language} if language else {},
        )
        longest = max(map(len, text.split("\n")))
        said: tuple[str, ...] = ()
        if longest > _LONG_LINE:
            said = (f"written by a program, it seems: its longest line has {longest:,} characters",)
        return LoadedFile(documents=(document,), left_out=said)


def _interpreter(data: bytes) -> str | None:
    """The language of a script by its first line, for example ``#!/usr/bin/env python3``."""
    line = data[:200].split(b"\n")[0].strip()
    found = _SHEBANG.match(line)
    if not found:
        return None
    program = found.group(1) if line.split()[0].endswith(b"/env") and found.group(1) else line.split()[0][2:]
    name = program.decode("ascii", "replace").rsplit("/", 1)[-1].lower().rstrip("0123456789.")
    return _INTERPRETERS.get(name)


__all__ = ["LANGUAGES", "CodeLoader"]
