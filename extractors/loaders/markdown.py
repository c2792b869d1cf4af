"""Markdown: prose without its marks; headings are sections, tables rows, code stays in its fences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import PurePath

from markdown_it import MarkdownIt
from markdown_it.token import Token

from extractors.loaders.encoding import decode
from extractors.loaders.front_matter import split_front_matter
from extractors.loaders.html import add_html, parse_html
from extractors.loaders.line_joining import LineJoiner
from extractors.loaders.text_builder import TextBuilder
from extractors.ports import Likeness, LoadedFile, LoadOptions
from storage.records import Document
from storage.stored_text import stored_text

# The parser keeps every token of what it is given: a long file goes through it in pieces.
_PIECE = 262_144
# Inline marks are matched across a whole paragraph; one longer than this is taken as plain text, as it is none.
_LONGEST_LINE = 50_000
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
# CommonMark knows no footnotes: it would take a note of one word (any Chinese sentence) for the target of a link.
_NOTE = re.compile(r"^( {0,3})\[\^([^\]\s]{1,40})\]:", re.MULTILINE)
_NOTE_MARK = re.compile(r"\[\^[^\]\s]{1,40}\](?!:)")


class MarkdownLoader:
    """Reads CommonMark with tables; YAML front matter names title, groups, validity and metadata."""

    name = "markdown@1"
    suffixes = (".md", ".markdown")

    def recognises(self, path: PurePath, data: bytes) -> Likeness:
        """How sure it is that this is its format."""
        return Likeness.NAMED if path.suffix.lower() in self.suffixes else Likeness.NO

    def load(self, path: PurePath, data: bytes, options: LoadOptions) -> LoadedFile:
        """The document; the title is that of the front matter, else the first heading, else the file's name."""
        fields, source = split_front_matter(stored_text(decode(data, name=path.name)), path.name)
        parser = MarkdownIt("commonmark", {"maxNesting": 40}).enable(["table", "strikethrough"])
        builder = TextBuilder()
        for piece in _pieces(source):
            if max(map(len, piece.split("\n"))) > _LONGEST_LINE:
                builder.paragraph(piece)
            else:
                _Blocks(builder, LineJoiner(())).add(parser.parse(_NOTE.sub(r"\1\[^\2]\:", piece)))
        fields.setdefault("title", builder.headings[0] if builder.headings else path.stem)
        return LoadedFile(documents=(Document(text=builder.text(), sections=builder.sections(), **fields),))


def _pieces(source: str) -> Iterator[str]:
    """Parts of about ``_PIECE`` characters that end at an empty line outside of code, or the whole of a short text.

    A line that is far too long to be Markdown is a piece of its own, so that it does not take its neighbours with it.
    """
    piece: list[str] = []
    length = 0
    fence = ""
    for line in source.split("\n"):
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark.group(1)
        elif mark and mark.group(1).startswith(fence):
            fence = ""
        too_long = len(line) > _LONGEST_LINE
        if piece and (too_long or (length > _PIECE and not fence and line[:1].strip() and not piece[-1].strip())):
            yield "\n".join(piece)
            piece, length = [], 0
        piece.append(line)
        length += len(line) + 1
        if too_long:
            yield line
            piece, length = [], 0
    if piece:
        yield "\n".join(piece)


class _Blocks:
    """Turns the tokens of one piece into blocks."""

    def __init__(self, builder: TextBuilder, joiner: LineJoiner) -> None:
        self._builder = builder
        self._joiner = joiner
        self._lists: list[int] = []  # next number of each open list; -1 when it has bullets
        self._mark = ""
        self._row: list[str] | None = None
        self._heading = 0

    def add(self, tokens: Sequence[Token]) -> None:
        for token in tokens:
            kind = token.type
            if kind == "inline":
                self._inline(token)
            elif kind == "heading_open":
                self._heading = int(token.tag[1])
            elif kind in {"bullet_list_open", "ordered_list_open"}:
                self._lists.append(int(token.attrGet("start") or 1) if kind[0] == "o" else -1)
            elif kind in {"bullet_list_close", "ordered_list_close"}:
                self._lists.pop()
            elif kind == "list_item_open":
                self._mark = self._next_mark()
            elif kind == "tr_open":
                self._row = []
            elif kind == "tr_close":
                self._builder.row(self._row or [])
                self._row = None
            elif kind == "fence":
                end = "" if token.content.endswith("\n") else "\n"
                self._builder.paragraph(f"{token.markup}{token.info}\n{token.content}{end}{token.markup}")
            elif kind == "code_block":
                self._builder.paragraph(f"```\n{token.content.rstrip()}\n```")
            elif kind == "html_block" and (html := _COMMENT.sub("", token.content)).strip():
                add_html(self._builder, parse_html(f"<body>{html}</body>", "an HTML block"))

    def _next_mark(self) -> str:
        if not self._lists or self._lists[-1] < 0:
            return "- "
        self._lists[-1] += 1
        return f"{self._lists[-1] - 1}. "

    def _inline(self, token: Token) -> None:
        text = self._text(token.children or [])
        if self._row is not None:
            self._row.append(text)
        elif self._heading:
            self._builder.heading(text, self._heading)
            self._heading = 0
        elif self._mark and text.strip():
            self._builder.line(self._mark + text)
            self._mark = ""
        elif self._lists:
            self._builder.line(text)
        else:
            self._builder.paragraph(text)

    def _text(self, tokens: Sequence[Token]) -> str:
        """The words alone: no emphasis marks, no link targets; a soft line end joins as it does when shown."""
        lines: list[str] = []  # parts of the text; the last one is still growing
        current: list[str] = []
        for token in tokens:
            if token.type == "text":
                current.append(_NOTE_MARK.sub("", token.content))
            elif token.type in {"code_inline", "image"}:
                current.append(token.content)
            elif token.type == "softbreak":
                lines.append("".join(current))
                current = []
            elif token.type == "hardbreak":
                lines.append("".join(current) + "\n")
                current = []
        lines.append("".join(current))
        parts: list[str] = []
        for before, after in pairwise(lines):
            if before.endswith("\n"):
                parts.append(before)
                continue
            tail = before.rstrip()
            gap = self._joiner.tail_and_gap(tail, after)[1] if tail[-1:] not in "-\u2010" else " "
            parts.append(tail + gap)
        parts.append(lines[-1])
        return "".join(parts)


__all__ = ["MarkdownLoader"]
