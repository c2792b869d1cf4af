"""The text of one mail: the better of its forms, joined where the line was only full, without what it repeats."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from extractors.loaders.html_page import Facts, measure
from extractors.loaders.html_table import is_data_table
from extractors.loaders.html_tree import parse_html, words_of
from extractors.loaders.html_walk import add_html
from extractors.loaders.line_joining import unwrap
from extractors.loaders.mail_html_quotes import strip_tree
from extractors.loaders.mail_message import Body
from extractors.loaders.mail_quotes import Stripped, strip_lines
from extractors.loaders.text_builder import TextBuilder
from storage.errors import LoadError
from storage.stored_text import stored_text

_BLANK_LINES = re.compile(r"\n[ \t]{0,200}\n")
_PACKED_LINE = re.compile(r"[A-Za-z0-9+/]{56,100}={0,2}")
_PACKED_END = re.compile(r"[A-Za-z0-9+/]{2,100}={0,2}")
_UU_BEGIN = re.compile(r"begin(?:-base64)? [0-7]{3,4} \S")
_FEWEST_PACKED = 5  # lines in a row that are encoded data and no words
_STUB = 0.3  # a plain form with less than this share of the words of the other only says that there is another
_SEALED_TEXT = re.compile(r"-----BEGIN PGP SIGNED MESSAGE-----\n(?:Hash: [^\n]{0,100}\n)?")


@dataclass(slots=True)
class LeftOut:
    """How many lines of a mail were not taken, by kind."""

    quoted: int = 0
    signature: int = 0
    packed: int = 0
    kept_quote: bool = False  # there was nothing else
    unread: str = ""  # why the text could not be read

    def add(self, stripped: Stripped) -> None:
        """Count in what was left out of one part."""
        self.quoted += stripped.quoted
        self.signature += stripped.signature


def add_body(builder: TextBuilder, forms: list[Body], *, quoted: bool, forward: bool) -> LeftOut:
    """Add one text, given in several forms.

    Args:
        builder: what it is added to.
        forms: the same words, in plain text and in HTML for example.
        quoted: keep what it quotes, and the signature.
        forward: the mail passes on another one, which is its text and no quote.
    """
    left_out = LeftOut()
    form = _best(forms)
    if form.html:
        try:
            _add_html(builder, form.source, left_out, quoted=quoted, forward=forward)
        except LoadError as error:
            left_out.unread = str(error)
    else:
        _add_lines(builder, _text_lines(form), left_out, quoted=quoted, forward=forward, flowed=form)
    return left_out


def _best(forms: list[Body]) -> Body:
    plain = next((form for form in forms if not form.html and form.source.strip()), None)
    html = next((form for form in reversed(forms) if form.html and form.source.strip()), None)
    if plain is None or html is None:
        return html or plain or forms[0]
    try:
        root = parse_html(html.source, "the mail")
    except LoadError:
        return plain
    if _has_structure(root) or len(plain.source.split()) < len(words_of(root).split()) * _STUB:
        return html
    return plain


def _has_structure(root: Any) -> bool:
    """Whether there are headings, lists or tables, which plain text would lose."""
    if any(True for _ in root.iter("h1", "h2", "h3", "h4", "ul", "ol")):
        return True
    facts = measure(root)
    for table in root.iter("table"):
        known = facts.get(table, Facts())
        if is_data_table(table, holds_sections=known.sections, holds_tables=known.tables):
            return True
    return False


def _add_html(builder: TextBuilder, source: str, left_out: LeftOut, *, quoted: bool, forward: bool) -> None:
    root = parse_html(source, "the mail")
    stripped = Stripped() if quoted else strip_tree(root, forward=forward)
    trial = TextBuilder()
    add_html(trial, root)
    if trial.blank and stripped.quoted + stripped.signature:
        left_out.kept_quote = True
        add_html(builder, parse_html(source, "the mail"))
        return
    left_out.add(stripped)
    if _has_structure(root) or quoted:
        add_html(builder, root)
    else:  # its lines may be parted by breaks alone, like those of a plain text
        _add_lines(builder, trial.text().split("\n"), left_out, quoted=quoted, forward=forward)


def _text_lines(form: Body) -> list[str]:
    return _SEALED_TEXT.sub("", stored_text(form.source)).split("\n")


def _add_lines(
    builder: TextBuilder,
    source: list[str],
    left_out: LeftOut,
    *,
    quoted: bool,
    forward: bool,
    flowed: Body | None = None,
) -> None:
    source, left_out.packed = _without_data(source)
    stripped = Stripped(source) if quoted else strip_lines(source, forward=forward)
    if not any(line.strip() for line in stripped.lines) and builder.blank:
        left_out.kept_quote = stripped.quoted > 0
        stripped = Stripped(source)
    left_out.add(stripped)
    kept = [line[1:] if line.startswith(">From ") else line for line in stripped.lines]
    if flowed is None:
        text = "\n".join(kept)
    else:
        text = _joined(kept, flowed.joined) if flowed.flowed else unwrap("\n".join(kept))
    for paragraph in _BLANK_LINES.split(text):
        builder.paragraph("\n".join(line.strip(" ") for line in paragraph.split("\n") if line.strip()))


def _joined(lines: list[str], drop_blank: bool) -> str:
    """Lines of ``format=flowed`` (RFC 3676): one that ends in a blank goes on in the next."""
    out: list[str] = []
    goes_on = False
    for line in lines:
        line = line.removeprefix(" ")
        if goes_on and line.strip():
            out[-1] += line
        else:
            out.append(line)
        goes_on = line.endswith(" ") and line != "-- " and bool(line.strip())
        if goes_on and drop_blank:
            out[-1] = out[-1][:-1]
    return "\n".join(out)


def _without_data(lines: list[str]) -> tuple[list[str], int]:
    """``lines`` without runs of encoded data, and how many lines these were."""
    kept: list[str] = []
    run: list[str] = []
    dropped = 0
    inside = False  # between "begin 644 name" and "end"
    for line in lines:
        if inside or _UU_BEGIN.match(line):
            inside = line.strip() not in {"end", "===="}
            dropped += 1
            continue
        if _PACKED_LINE.fullmatch(line.strip()):
            run.append(line)
            continue
        is_last = len(run) >= _FEWEST_PACKED and _PACKED_END.fullmatch(line.strip()) is not None
        dropped += is_last
        if len(run) < _FEWEST_PACKED:
            kept.extend(run)
        else:
            dropped += len(run)
        run = []
        if not is_last:
            kept.append(line)
    if len(run) < _FEWEST_PACKED:
        kept.extend(run)
    else:
        dropped += len(run)
    return kept, dropped


__all__ = ["LeftOut", "add_body"]
