"""Sentence ends in English and Chinese text, by rule: linear in the length of the text, no model."""

from __future__ import annotations

import re
from collections.abc import Iterator

from storage.records import Span

CLOSING = "”’」』）》】〕〉］｝)]}»›"
"""Marks that close something: they belong to what stands before them."""

_CLOSERS = re.escape(CLOSING)
_MARKS = "。！？；｡．?!.…"
# Whatever it begins at it matches, so the search never goes back over what it has seen; and it begins with one set of
# characters, which the engine looks for twice as fast as for two alternatives.
_CANDIDATE = re.compile(
    rf"[{_MARKS}\r\n](?:(?<=[\r\n])\s*|(?<![\r\n])[{_MARKS}]*[{_CLOSERS}\"'＂]*)",
)
_LATIN_TAIL = re.compile(r"[A-Za-z0-9.&'’-]*\Z")
_NON_SPACE = re.compile(r"\S")
_ITEM = re.compile(
    r"(?:[-*+•·▪◦●○■□–—]\s|#{1,6}\s|\|)|(?:\(?(?:\d{1,3}|[a-zA-Z])[.)]\s)|[（(]?[一二三四五六七八九十\d]{1,3}[）)、]"
)
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
# Before a name: never the end of a sentence.
_TITLES = frozenset(
    str.split("mr mrs ms mx dr prof st gen sen rep gov lt col capt maj sgt adm cmdr rev hon pres fr messrs mt ft")
)
# Always with something after them.
_JOINING = frozenset(str.split("e.g i.e cf viz vs v ca approx al esp incl resp eg ie et"))
# Before a number or a letter that counts: "Fig. 3", "No. 5", "Sec. B".
_COUNTED = frozenset(
    str.split("fig figs eq eqs no nos vol vols p pp sec secs ch chap art para pt tab ref refs ver v app ex op")
)
_MONTHS = frozenset(str.split("jan feb mar apr jun jul aug sep sept oct nov dec"))
# May end a sentence: they do when a word follows that begins one.
_EITHER = frozenset(
    str.split(
        "inc ltd co corp llc plc jr sr etc dept univ assn bros est u.s u.k u.n e.u a.m p.m ph.d m.d b.a m.a d.c "
        "b.sc m.sc"
    )
)
_STARTERS = frozenset(
    str.split(
        "the a an it its this that these those he she they we i you in on at as by for from to with but and so if "
        "when while after before because since although though however therefore thus then there here his her "
        "their our my your no not all some many most each both one two what who why how where which another other "
        "such also yet still instead later meanwhile moreover furthermore consequently hence finally first second "
        "next under over during until once"
    )
)
_SOFT_LATIN, _SOFT_LATIN_UPPER, _SOFT_HAN = 40, 60, 18  # shortest line that may end only because the page did


def sentence_spans(text: str) -> list[Span]:
    """The sentences of ``text`` in order: disjoint, and together all of it but white space.

    A sentence ends after 。！？；… or . ! ? and the quotes and brackets that close there, unless the mark belongs to
    an abbreviation, a number, a version or an initial; at an empty line; and at the end of a line, unless the line is
    long and the next goes on with it. Example: ``"他说：“好。”走了。"`` holds ``他说：“好。”`` and ``走了。``
    """
    return [Span(start=start, end=end) for start, end in sentence_bounds(text)]


def sentence_bounds(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Start and end of each sentence of ``text[start:end]``, one at a time: for texts too long for a list of spans."""
    end = len(text) if end is None else end
    begin = line_start = start
    for match in _CANDIDATE.finditer(text, start, end):
        if match.start() < begin:
            continue
        mark = text[match.start()]
        if mark in "\r\n":
            ends = _line_ends(text, line_start, match, end)
            line_start = match.end()
        else:
            ends = _mark_ends(text, begin, match, end)
        if not ends:
            continue
        if (bounds := _trimmed(text, begin, match.end())) is not None:
            yield bounds
        begin = match.end()
    if (bounds := _trimmed(text, begin, end)) is not None:
        yield bounds


def _trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    first = _NON_SPACE.search(text, start, end)
    if first is None:
        return None
    while text[end - 1].isspace():
        end -= 1
    return first.start(), end


def _mark_ends(text: str, begin: int, match: re.Match[str], end: int) -> bool:
    """Whether the sentence ends at this punctuation."""
    marks = match.group()
    after = match.end()
    following = text[after] if after < end else "\n"
    if marks[0] in "。！？；｡":
        return following not in "，、,"
    if marks[0] in "…．":
        return marks[:2] == "……" or following.isspace()
    before = text[match.start() - 1] if match.start() > begin else ""
    if not following.isspace():
        # Latin marks in Chinese text stand without a blank; elsewhere a mark without one is inside a word or number.
        return bool(_HAN.match(following)) and (marks[0] != "." or bool(_HAN.match(before or " ")))
    next_at = _next_on_line(text, after, end)
    upcoming = text[next_at] if next_at < end else "\n"
    if upcoming.islower() or upcoming in ",;:)，；":
        return False
    if marks[0] != "." or len(marks.rstrip(CLOSING + "\"'")) > 1:
        return True
    return not _is_abbreviation(text, begin, match.start(), next_at, end, closed=len(marks) > 1)


def _next_on_line(text: str, position: int, end: int) -> int:
    """Where the next character stands, looking over a few blanks; a longer gap is an end in any case."""
    for index in range(position, min(position + 8, end)):
        if text[index] in "\r\n" or not text[index].isspace():
            return index
    return end


def _is_abbreviation(text: str, begin: int, dot: int, next_at: int, end: int, *, closed: bool) -> bool:
    if closed or next_at >= end or text[next_at] in "\r\n":
        return False
    token = _word_before(text, begin, dot)
    word = token.lower()
    upcoming = text[next_at : next_at + 16]
    counts = upcoming[:1].isdigit() or (len(upcoming) > 1 and upcoming[0].isupper() and not upcoming[1].isalpha())
    if word.isdigit() and len(word) <= 3 and not text[max(begin, dot - 12) : dot - len(token)].strip():
        return True  # the number of an item of a list
    if word in _COUNTED and (counts or upcoming[:1] in "#§"):
        return True
    if word in _MONTHS:
        return upcoming[:1].isdigit()
    if word in _TITLES:
        return upcoming[:1].isupper()
    if word in _JOINING:
        return True
    initial = len(word) == 1 and word.isalpha() and token.isupper()
    if word in _EITHER or initial or (word.count(".") and all(len(part) <= 2 for part in word.split("."))):
        first = re.match(r"[^\W\d_]+", upcoming)
        return first is not None and first.group().lower() not in _STARTERS
    return False


def _word_before(text: str, begin: int, dot: int) -> str:
    """The Latin word or abbreviation that the dot follows; empty when there is none."""
    words = text[max(begin, dot - 24) : dot].split()
    if not words or text[dot - 1].isspace():
        return ""
    word = words[-1] if words[-1].isalnum() and words[-1].isascii() else _tail(words[-1])
    return word.lstrip(".-'’")


def _tail(word: str) -> str:
    found = _LATIN_TAIL.search(word)
    return found.group() if found else ""


def _line_ends(text: str, line_start: int, match: re.Match[str], end: int) -> bool:
    """Whether the sentence ends with its line."""
    after = match.end()
    if after >= end:
        return True
    following = text[after]
    if following in CLOSING:
        return False
    breaks = match.group().replace("\r\n", "\n")
    if breaks.count("\n") + breaks.count("\r") > 1:
        return True
    length = match.start() - line_start
    if length < _SOFT_HAN or _ITEM.match(text, after):
        return True
    last = text[match.start() - 1]
    is_row = "|" in text[max(line_start, match.start() - 400) : match.start()]
    if is_row or last in "。！？；…：:.!?>" or last in CLOSING:
        return True
    if _HAN.match(last) or last in "，、":
        return not (_HAN.match(following) or following.isalnum())
    if length >= _SOFT_LATIN and (following.islower() or following.isdigit() or following in "(\"'“‘"):
        return False
    return length < _SOFT_LATIN_UPPER or not following.isalpha()


__all__ = ["CLOSING", "sentence_bounds", "sentence_spans"]
