"""The words of a PDF page with the place, size and weight of each, read through PDFium's C interface.

Positions are asked for the first and last character of a word only: a call for every character would cost as much as
reading the page does. They are in points from the top left of the page as it is displayed.
"""

from __future__ import annotations

import ctypes
import math
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from typing import Any, NamedTuple

from extractors.loaders.line_joining import WIDE

_WORD = re.compile(r"[^\s\ufffe]+\ufffe?|\ufffe")
_BOLD = re.compile(rb"bold|black|heavy|demi", re.IGNORECASE)
_MONO = re.compile(rb"mono|courier|consol|menlo|typewriter|cmtt", re.IGNORECASE)
_ASCENT, _DESCENT = 0.85, 0.22  # of the usual font, in its size
_ADDRESS = ctypes.c_void_p
_UPRIGHT = 0.06  # of a quarter turn: scans that were straightened
_HYPHEN = 2  # what PDFium makes of a hyphen at a line end when it is asked for one character
_FIXED_PITCH, _FORCE_BOLD = 1, 1 << 18
_GLYPHS = str.maketrans(
    {
        "\uf0b7": "•", "\uf0a7": "▪", "\uf0d8": "➢", "\uf0fc": "✓", "\uf076": "❖",
        **dict.fromkeys(map(chr, (*range(9), *range(14, 32), 0xFEFF, 0x200B, 0x2060)), None),
    }
)  # fmt: skip
"""Bullets of symbol fonts as a reader sees them, and nothing for what cannot be seen."""

_WIDE_GAP = re.compile(f"(?<={WIDE})[ \u00a0](?={WIDE})")
_SHAPES = re.compile("[\u2f00-\u2fd5\ufb00-\ufdff\ufe70-\ufefc]")
"""Ligatures, shapes of Arabic letters and radicals, which stand for ordinary letters and characters."""


@dataclass(slots=True)
class Word:
    """Characters of one text object or style: words with single blanks between them, or part of a word."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    baseline: float
    size: float
    bold: bool
    mono: bool
    order: int  # in the file
    gap: str  # what PDFium puts before it: a blank, a new line, or nothing
    drawn: bool  # whether a blank before it is in the file, and not told from the distance only


class Turned(NamedTuple):
    """How the coordinates of the file lie on the page as it is read: quarter turns and the box."""

    quarters: int
    box: tuple[float, float, float, float]

    def box_of(self, left: float, bottom: float, right: float, top: float) -> tuple[float, float, float, float]:
        """Left, top, right, bottom from the top left."""
        x0, y0, x1, y1 = self.box
        match self.quarters:
            case 0:
                return left - x0, y1 - top, right - x0, y1 - bottom
            case 1:
                return bottom - y0, left - x0, top - y0, right - x0
            case 2:
                return x1 - right, bottom - y0, x1 - left, top - y0
            case _:
                return y1 - top, x1 - right, y1 - bottom, x1 - left


class _Style(NamedTuple):
    size: float
    bold: bool
    mono: bool
    quarters: int  # turns against the clock; -1 at an angle that is no quarter turn


_NO_STYLE = _Style(0.0, False, False, 0)


class _Found(NamedTuple):
    """A word before the direction of the page is known: its box and origin are in the file's coordinates."""

    text: str
    style: _Style
    gap: str
    drawn: bool
    box: tuple[float, float, float, float]  # left, bottom, right, top
    origin: tuple[float, float]


class _Styles:
    """Size, weight and direction of text objects, each asked for once."""

    def __init__(self, text_page: Any) -> None:
        from pypdfium2 import raw

        self._raw = raw
        self._page = text_page
        self._object_at = _by_address(raw.FPDFText_GetTextObject, _ADDRESS, _ADDRESS, ctypes.c_int)
        self._font_of = _by_address(raw.FPDFTextObj_GetFont, _ADDRESS, _ADDRESS)
        self._size_of = _by_address(raw.FPDFTextObj_GetFontSize, ctypes.c_int, _ADDRESS, _ADDRESS)
        self._matrix_of = _by_address(raw.FPDFPageObj_GetMatrix, ctypes.c_int, _ADDRESS, _ADDRESS)
        self._by_object: dict[int | None, _Style] = {None: _NO_STYLE}
        self._fonts: dict[int | None, tuple[bool, bool]] = {None: (False, False)}
        self._matrix, self._size = raw.FS_MATRIX(), ctypes.c_float()
        self._matrix_at, self._size_at = ctypes.addressof(self._matrix), ctypes.addressof(self._size)
        self._name = ctypes.create_string_buffer(128)

    def of(self, index: int) -> tuple[int | None, _Style]:
        """The address of the text object that character ``index`` belongs to, and its style."""
        address = self.address_of(index)
        style = self._by_object.get(address)
        if style is None:
            assert address is not None
            style = self._by_object[address] = self._read(address)
        return address, style

    def address_of(self, index: int) -> int | None:
        """The address of the text object of character ``index``."""
        address: int | None = self._object_at(self._page, index)
        return address

    def _read(self, address: int) -> _Style:
        m = self._matrix
        self._size_of(address, self._size_at)
        scale, quarters = 1.0, 0
        if self._matrix_of(address, self._matrix_at):
            scale = math.hypot(m.c, m.d)
            turns = math.atan2(m.b, m.a) / (math.pi / 2)
            quarters = round(turns) % 4 if abs(turns - round(turns)) < _UPRIGHT else -1
        bold, mono = self._font(self._font_of(address))
        return _Style(abs(self._size.value * scale), bold, mono, quarters)

    def _font(self, address: int | None) -> tuple[bool, bool]:
        known = self._fonts.get(address)
        if known is None:
            assert address is not None
            font = ctypes.cast(address, self._raw.FPDF_FONT)
            self._name.value = b""
            self._raw.FPDFFont_GetBaseFontName(font, self._name, 128)
            flags = max(self._raw.FPDFFont_GetFlags(font), 0)
            name = self._name.value
            known = bool(_BOLD.search(name) or flags & _FORCE_BOLD), bool(_MONO.search(name) or flags & _FIXED_PITCH)
            self._fonts[address] = known
        return known


def _by_address(function: Any, result: Any, *arguments: Any) -> Any:
    """The same function of PDFium, whose handles are plain addresses: a third of the time of a call, and good keys."""
    address = ctypes.cast(function, _ADDRESS).value
    assert address is not None
    return ctypes.CFUNCTYPE(result, *arguments)(address)


def page_words(text_page: Any, box: tuple[float, float, float, float]) -> tuple[list[Word], list[str], Turned]:
    """The words that run as most of the page does, the lines that run otherwise, and how the page is turned then.

    Args:
        text_page: the page as PDFium reads it.
        box: what is seen of it: left, bottom, right, top.
    """
    count = text_page.count_chars()
    found = _Reader(text_page.raw, _characters(text_page, count)).words() if count > 0 else []
    weights: Counter[int] = Counter()
    for each in found:
        if each.style.quarters >= 0:
            weights[each.style.quarters] += len(each.text)
    upright = weights.most_common(1)[0][0] if weights else 0
    turned = Turned(upright, box)
    words: list[Word] = []
    others: list[str] = []
    for order, each in enumerate(found):
        if each.style.quarters == upright:
            words.append(_placed(each, order, turned))
        elif each.gap == "\n" or not others:
            others.append(each.text)
        else:
            others[-1] += each.gap + each.text
    return words, others, turned


def _placed(found: _Found, order: int, turned: Turned) -> Word:
    size, bold, mono, _ = found.style
    left, top, right, bottom = turned.box_of(*found.box)
    x, y = found.origin
    baseline = turned.box_of(x, y, x, y)[1]
    if not 0.1 * size <= bottom - top <= 2.5 * size:  # a form around the text scales it once more
        size = (bottom - top) / 1.2
    # Some fonts declare no height, and the boxes are then those of the letters.
    top, bottom = baseline - _ASCENT * size, baseline + _DESCENT * size
    is_mono = mono and found.text.isascii()
    return Word(
        found.text, left, top, right, bottom, baseline, size, bold, is_mono, order, found.gap, found.drawn
    )  # fmt: skip


class _Reader:
    """Cuts the characters of a page into words."""

    def __init__(self, handle: Any, text: str) -> None:
        from pypdfium2 import raw

        self._handle = ctypes.cast(handle, _ADDRESS).value
        self._text = text
        self._styles = _Styles(self._handle)
        self._box_of = _by_address(raw.FPDFText_GetLooseCharBox, ctypes.c_int, _ADDRESS, ctypes.c_int, _ADDRESS)
        self._origin_of = _by_address(
            raw.FPDFText_GetCharOrigin, ctypes.c_int, _ADDRESS, ctypes.c_int, _ADDRESS, _ADDRESS
        )
        self._is_generated = _by_address(raw.FPDFText_IsGenerated, ctypes.c_int, _ADDRESS, ctypes.c_int)
        self._rect = raw.FS_RECTF()
        self._x, self._y = ctypes.c_double(), ctypes.c_double()
        self._rect_at, self._x_at, self._y_at = map(ctypes.addressof, (self._rect, self._x, self._y))
        self._found: list[_Found] = []

    def words(self) -> list[_Found]:
        """Every word in the order of the file; words with one drawn blank between them in one text object are one."""
        text, end = self._text, 0
        object_of = self._styles.address_of
        address: int | None = None
        run = last = 0  # where the words of one text object, and the last of them, begin
        run_gap, run_drawn = "", False
        for match in _WORD.finditer(text):
            start, stop = match.span()
            gap, drawn = "", False
            if end and text[end - 1] == "\ufffe":
                gap = "\n"
            elif start > end:
                between = text[end:start]
                gap = "\n" if "\n" in between or "\r" in between else " "
                drawn = between == " " and self._is_generated(self._handle, end) == 0
            first = object_of(start)
            if not (drawn and first == address):
                self._add_run(run, last, end, run_gap, drawn=run_drawn)
                run, run_gap, run_drawn, address = start, gap, drawn, first
            last, end = start, stop
        self._add_run(run, last, end, run_gap, drawn=run_drawn)
        return self._found

    def _add_run(self, start: int, last: int, stop: int, gap: str, *, drawn: bool) -> None:
        """Add the words of one text object; what follows in the ``last`` of them may be of others."""
        if stop == start:
            return
        address, style = self._styles.of(start)
        if self._styles.address_of(stop - 1) == address:
            self._add(start, stop, style, gap, drawn)
            return
        if last > start:
            self._add(start, last - 1, style, gap, drawn)
            gap, drawn = " ", True
        for at, until, part_style in self._parts(last, stop):
            self._add(at, until, part_style, gap if at == last else "", drawn and at == last)

    def _parts(self, start: int, stop: int) -> list[tuple[int, int, _Style]]:
        """The stretches of one style."""
        parts: list[tuple[int, int, _Style]] = []
        for index in range(start, stop):
            address, style = self._styles.of(index)
            if parts and (address is None or style == parts[-1][2]):
                parts[-1] = (parts[-1][0], index + 1, parts[-1][2])
            else:
                parts.append((index, index + 1, style))
        return parts

    def _add(self, start: int, stop: int, style: _Style, gap: str, drawn: bool) -> None:
        text = self._text[start:stop]
        if not (text.isascii() and text.isprintable()):
            text = text.translate(_GLYPHS)
            if not text:
                return
            if _SHAPES.search(text):
                text = unicodedata.normalize("NFKC", text)
            text = _WIDE_GAP.sub("", text)
        handle, rect = self._handle, self._rect
        self._box_of(handle, start, self._rect_at)
        left, bottom, right, top = rect.left, rect.bottom, rect.right, rect.top
        last = stop - 1 if self._text[stop - 1] != "\ufffe" or stop - start == 1 else stop - 2
        if last > start:
            self._box_of(handle, last, self._rect_at)
            left, right = min(left, rect.left), max(right, rect.right)
            bottom, top = min(bottom, rect.bottom), max(top, rect.top)
        self._origin_of(handle, start, self._x_at, self._y_at)
        origin = self._x.value, self._y.value
        self._found.append(_Found(text, style, gap, drawn, (left, bottom, right, top), origin))


def _characters(text_page: Any, count: int) -> str:
    """One code point per character of PDFium, so that its indexes are ours."""
    text: str = text_page.get_text_range()
    if len(text) == count and max(text) <= "\uffff":
        return text
    from pypdfium2 import raw

    codes = [raw.FPDFText_GetUnicode(text_page.raw, index) for index in range(count)]
    return "".join(
        "\ufffe" if code == _HYPHEN else chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\x01"
        for code in codes
    )


__all__ = ["Turned", "Word", "page_words"]
