"""Markdown as blocks: prose without its marks, tables, code in its fences, each footnote after its paragraph."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.utils import EnvType

from extractors.loaders.html_tree import parse_html
from extractors.loaders.html_walk import add_html
from extractors.loaders.line_joining import LineJoiner
from extractors.loaders.markdown_source import MARKED, PARAGRAPH, TOO_LONG, Piece
from extractors.loaders.text_builder import TextBuilder

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_BREAK = re.compile(r"<br\s{0,9}/?>", re.IGNORECASE)
_NOTE_MARK = re.compile(r"\[\^([^\]\s]{1,40})\](?!:)")
_WIKI_LINK = re.compile(r"\[\[([^\[\]|]{1,200})(?:\|([^\[\]|]{1,200}))?\]\]")
_NO_JOINING = LineJoiner(())


class MarkdownBlocks:
    """Adds pieces of one text to a builder."""

    def __init__(self, builder: TextBuilder, notes: Mapping[str, str], targets: str) -> None:
        self._builder = builder
        self._notes = dict(notes)
        self._parser = MarkdownIt("commonmark", {"maxNesting": 100}).enable(["table", "strikethrough"])
        self._targets: EnvType = {}
        if targets:
            self._parser.parse(targets, self._targets)
        self._due: list[str] = []
        self._lists: list[int] = []  # next number of each open list; -1 when it has bullets
        self._mark = ""
        self._rows: list[list[str]] | None = None  # of the open table
        self._heading = 0

    def add(self, piece: Piece) -> None:
        """Add the next piece."""
        if piece.level == MARKED:
            self._tokens(self._parser.parse(piece.text, self._targets))
        elif piece.level == TOO_LONG:
            self._builder.paragraph(piece.text)
        elif piece.level == PARAGRAPH:
            self._builder.paragraph(_join(piece.text.split("\n")))
        else:
            self._builder.heading(piece.text, piece.level)
        self._add_due()

    def add_other_notes(self) -> None:
        """Add the footnotes whose marks stand where no text is, in code for example."""
        self._due = list(self._notes)
        self._add_due()

    def _add_due(self) -> None:
        if self._lists or self._rows is not None:
            return
        due, self._due = self._due, []
        for name in due:
            if (words := self._notes.pop(name, None)) is not None:
                self._tokens(self._parser.parse(words, self._targets))

    def _tokens(self, tokens: Sequence[Token]) -> None:
        for token in tokens:
            kind = token.type
            if kind == "inline":
                self._inline(token)
            elif kind == "heading_open":
                self._heading = int(token.tag[1])
            elif kind == "paragraph_close":
                self._add_due()
            elif kind in {"bullet_list_open", "ordered_list_open"}:
                self._lists.append(_start(token) if kind[0] == "o" else -1)
            elif kind in {"bullet_list_close", "ordered_list_close"}:
                self._lists.pop()
                self._add_due()
            elif kind == "list_item_open":
                self._mark = self._next_mark()
            elif kind == "fence":
                end = "" if token.content.endswith("\n") else "\n"
                self._builder.paragraph(f"{token.markup}{token.info}\n{token.content}{end}{token.markup}")
            elif kind == "code_block":
                self._builder.paragraph(f"```\n{token.content.rstrip()}\n```")
            elif kind == "html_block" and (html := _COMMENT.sub("", token.content)).strip():
                add_html(self._builder, parse_html(f"<body>{html}</body>", "an HTML block"))
            else:
                self._table(kind)

    def _table(self, kind: str) -> None:
        if kind == "table_open":
            self._rows = []
        elif kind == "tr_open" and self._rows is not None:
            self._rows.append([])
        elif kind == "table_close" and self._rows is not None:
            rows, self._rows = self._rows, None
            named = any(rows[0]) if rows else False
            self._builder.table(rows if named else rows[1:], header=int(named))
            self._add_due()

    def _next_mark(self) -> str:
        if not self._lists or self._lists[-1] < 0:
            return "- "
        self._lists[-1] += 1
        return f"{self._lists[-1] - 1}. "

    def _inline(self, token: Token) -> None:
        text = self._text(token.children or [])
        if self._rows is not None:
            self._rows[-1].append(text)
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
                current.append(self._words(token.content))
            elif token.type in {"code_inline", "image"}:
                current.append(token.content)
            elif token.type == "softbreak":
                lines.append("".join(current))
                current = []
            elif token.type == "hardbreak" or (token.type == "html_inline" and _BREAK.fullmatch(token.content)):
                lines.append("".join(current) + "\n")
                current = []
        lines.append("".join(current))
        return _join(lines)

    def _words(self, text: str) -> str:
        if "[" not in text:
            return text
        text = _WIKI_LINK.sub(lambda found: found.group(2) or found.group(1), text)
        return _NOTE_MARK.sub(self._note_mark, text)

    def _note_mark(self, found: re.Match[str]) -> str:
        self._due.append(found.group(1))
        return ""


def _join(lines: Sequence[str]) -> str:
    """One line, but for those that end in a line end that was meant."""
    parts: list[str] = []
    for before, after in pairwise(lines):
        if before.endswith("\n"):
            parts.append(before)
            continue
        tail = before.rstrip()
        gap = _NO_JOINING.tail_and_gap(tail, after)[1] if tail[-1:] not in "-\u2010" else " "
        parts.append(tail + gap)
    parts.append(lines[-1])
    return "".join(parts)


def _start(token: Token) -> int:
    start = token.attrGet("start")
    return 1 if start is None else int(start)


__all__ = ["MarkdownBlocks"]
