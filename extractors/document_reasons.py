"""Reasons that a text lists: *It failed for two reasons: first, …; second, …*, 原因有二：一是…，二是….

A list is found by its marks, which count up from one; what stands right before it must say that reasons follow, and of
what. The ends are read by the language's own reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from extractors.chinese_script import simplified
from extractors.document_sequences import Item

_BEFORE = 160
"""Characters before a list in which it is said of what the reasons are."""
_REACH = 300
"""Characters between the marks of two neighbours, and of the last reason."""
_MOST_LISTS = 200
"""Lists of one document that are looked at: what has more of them is a table."""
_HAN = "一二三四五六七八九"
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
_SEQUENCE = ("首先", "其次", "再次")
_MARKS = re.compile(
    r"(?:^|(?<=[\s,，。.;；:：、!！“—-]))(?:"
    rf"(?P<han>[{_HAN}])(?:则是|是|来)"
    rf"|其(?P<of>[{_HAN}])[是为,，、:：]?"
    rf"|第(?P<nth>[{_HAN}])(?:个原因|个|点)?[是,，、:：]"
    r"|(?P<sequence>首先|其次|再次|最后)[是,，、:：]{0,2}"
    r"|[(（](?P<bracketed>\d|[a-h]|iv|vi?|i{1,3})[)）]\s?"
    r"|(?P<numbered>\d)[)）]\s?"
    r"|(?P<circled>[①-⑨])\s?"
    r"|(?P<ordinal>first|second|third|fourth|fifth|sixth|final|last)(?:ly)?(?:\sof\sall)?(?:,|:|\s–|\s(?=the\b|an?\b))\s?"
    r")"
    r"|(?:^|\n)[ \t]{0,8}(?:(?P<line>\d)[.、)）](?!\d)|(?P<bullet>[-*•]))[ \t]{0,4}",
    re.IGNORECASE,
)

_CLAUSE = "(?<![^。;；!！?？\\n:：,，])"
_SENTENCE = r"(?<![^.;!?\n:])\s{0,2}"
"""Where what the reasons are of begins."""
_REASON = "(?:原因|因素|诱因|成因|根源|起因)"
_KIND = "(?:主要|重要|直接|根本|深层|具体|关键|核心|可能)"
_MANY = r"(?:[两二三四五六几多\d]|以下|如下|下列){1,3}(?:个|点|方面|条|种|大){0,2}"
_SORT = r"(?:(?:main|key|major|root|possible|likely|primary|principal|underlying|direct|contributing)\s)?"
_SEVERAL = rf"(?:two|three|four|five|six|several|a\sfew|a\snumber\sof|many|multiple|various|the\sfollowing)\s{_SORT}"
_ANNOUNCEMENTS = tuple(
    re.compile(rf"{pattern}\s?[:：,，.。;—–-]{{0,2}}\s{{0,4}}\Z", re.IGNORECASE)
    for pattern in (
        # B 主要有两个原因; B 的主要原因有以下几点, B 原因如下
        rf"{_CLAUSE}(?P<effect>[^。;；!！?？\n:：,，]{{2,60}}?)(?:主要|大致|可能)?(?:有|存在|源于|出于|归因于|受)"
        rf"{_MANY}的?{_KIND}?的?(?P<cue>{_REASON})(?:影响)?",
        rf"{_CLAUSE}(?P<effect>[^。;；!！?？\n:：,，]{{2,60}}?)的?{_KIND}{{0,2}}(?P<cue>{_REASON})"
        rf"(?:主要|大致|可能)?(?:有|包括|为|是|在于|来自)?(?:{_MANY})?(?:如下)?",
        # B for two reasons; the causes of B were; B had two causes; there were two reasons for B; B was caused by …
        rf"{_SENTENCE}(?P<effect>[^.;!?\n:]{{4,120}}?),?\s(?P<cue>for\s{_SEVERAL}reasons)",
        rf"\bthe\s{_SORT}(?P<cue>causes|reasons)\s(?:of|for|behind)\s(?P<effect>[^.;!?\n:]{{3,100}}?)"
        r"\s(?:were|are|include|included)(?:\sas\sfollows|\sthe\sfollowing)?",
        rf"{_SENTENCE}(?P<effect>[^.;!?\n:]{{3,100}}?)\s(?:had|has)\s{_SEVERAL}(?P<cue>causes|reasons)",
        rf"\bthere\s(?:were|are)\s{_SEVERAL}(?P<cue>reasons|causes)\s(?:for|of|behind)\s(?P<effect>[^.;!?\n:]{{3,100}}?)",
        rf"{_SENTENCE}(?P<effect>[^.;!?\n:]{{4,100}}?)\s(?P<cue>(?:was|were|is|are)\s(?:caused\sby|due\sto|driven\sby|the\sresult\sof)"
        rf"\s{_SEVERAL}(?:things|factors|causes|reasons|issues|problems|failures))",
    )
)
_HEDGED = re.compile(r"\b(?:possible|likely|may|might|could)\b|可能|或许|也许", re.IGNORECASE)

_BY_HAN = "(?:由于|因为|得益于|受益于|受累于|源于|归因于|缘于|受到|受|因(?![此而素]))"
_BY = r"(?:because(?:\sof)?|due\sto|owing\sto|thanks\sto|as\sa\sresult\sof)\s"
_SIDES = tuple(
    tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)
    for patterns in (
        (
            rf"(?P<mark>一方面)(?:主要|也|则|还|是){{0,2}}(?P<cue>{_BY_HAN})",
            rf"{_CLAUSE}(?:但是|但|而|不过)?(?P<effect>[^。;；!！?？\n:：,，]{{2,60}}?)(?:的{_KIND}?{_REASON})?[,，:：]?\s?这?\Z",
            rf"(?P<mark>另外?一?(?:方面|个(?:重要|主要)?的?原因))[,，]?(?:则|也|是|在于|为|主要|来自|还){{0,3}}{_BY_HAN}?",
        ),
        (
            rf"(?P<mark>\b(?:partly|in\spart|on\s(?:the\s)?one\shand,?))\s(?P<cue>{_BY})",
            rf"{_SENTENCE}(?P<effect>[^.;!?\n:]{{4,140}}?),?\s(?:is\s|are\s|was\s|were\s)?\Z",
            rf"(?P<mark>\b(?:partly|in\spart|on\sthe\sother(?:\shand)?,?))\s{_BY}",
        ),
    )
)
"""One reason, what it is of, which stands before, and another reason."""
_LEADS = re.compile(rf"(?:主要|是|也)?{_BY_HAN}|{_BY}|that\s|it\swas\s", re.IGNORECASE)
"""What may stand before a reason in its place in the list and says no more than the mark."""


@dataclass(frozen=True)
class ListedReasons:
    """What the reasons are of, the words that call them reasons, and where each stands."""

    effect: Item
    cue: tuple[int, int]
    reasons: tuple[Item, ...]
    hedged: bool

    @property
    def ends(self) -> tuple[Item, ...]:
        """All that has to be read."""
        return (self.effect, *self.reasons)


class _Mark(NamedTuple):
    kind: str
    number: int | None  # from 1; None: the next one, whichever that is
    start: int
    end: int


def listed_reasons(text: str) -> Iterator[ListedReasons]:
    """The lists of at least two reasons in a text."""
    plain = simplified(text)
    for run in islice(_runs(_marks(plain)), _MOST_LISTS):
        told = next((m for p in _ANNOUNCEMENTS if (m := _before(plain, p, run[0].start))), None)
        if told is not None:
            items = _items(plain, [(m.start, m.end) for m in run])
            effect = Item(*told.span("effect"), named=True)
            yield ListedReasons(effect, told.span("cue"), items, hedged=bool(_HEDGED.search(told.group())))
    for first, of, second in _SIDES:
        for one in islice(first.finditer(plain), _MOST_LISTS):
            other = second.search(plain, one.end(), one.end() + _REACH)
            told = _before(plain, of, one.start()) if other is not None else None
            if other is not None and told is not None:
                items = _items(plain, [one.span(), other.span()])
                yield ListedReasons(Item(*told.span("effect")), one.span("cue"), items, hedged=False)


def _before(plain: str, pattern: re.Pattern[str], position: int) -> re.Match[str] | None:
    """What is said right before a list."""
    return pattern.search(plain, max(0, position - _BEFORE), position)


def _marks(plain: str) -> Iterator[_Mark]:
    for found in _MARKS.finditer(plain):
        kind = found.lastgroup or ""
        yield _Mark(kind, _number(kind, found[kind].lower()), found.start(), found.end())


def _number(kind: str, word: str) -> int | None:
    """What a mark counts; the last of a list and a bullet count on from the one before."""
    if word.isdigit() and kind != "circled":
        return int(word)
    if kind == "circled":
        return ord(word) - ord("①") + 1
    for table in (_HAN, _ROMAN, "abcdefgh", _ORDINALS, _SEQUENCE):
        if word in table:
            return table.index(word) + 1
    return None


def _runs(marks: Iterator[_Mark]) -> Iterator[list[_Mark]]:
    """The marks of one kind that count up from one and lie near one another."""
    open_runs: dict[str, list[_Mark]] = {}
    for mark in marks:
        run = open_runs.get(mark.kind, [])
        goes_on = bool(run) and mark.start - run[-1].end <= _REACH and mark.number in (None, len(run) + 1)
        if goes_on:
            run.append(mark)
            continue
        if len(run) > 1:
            yield run
        open_runs[mark.kind] = [mark] if mark.number == 1 or mark.kind == "bullet" else []
    yield from (run for run in open_runs.values() if len(run) > 1)


def _items(plain: str, places: Sequence[tuple[int, int]]) -> tuple[Item, ...]:
    """What stands behind each mark, up to the next one."""
    stops = [start for start, _ in places[1:]] + [places[-1][1] + _REACH]
    items = []
    for (start, begin), stop in zip(places, stops, strict=True):
        lead = _LEADS.match(plain, begin, stop)
        items.append(Item(lead.end() if lead else begin, min(stop, len(plain)), (start, begin)))
    return tuple(items)


__all__ = ["ListedReasons", "listed_reasons"]
