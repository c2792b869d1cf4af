"""Transcripts: lines that begin with a speaker, a time, or both, and the lines of each turn."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

_DATE = r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|(?:\d{4}年)?\d{1,2}月\d{1,2}日)"
_CLOCK = r"(?:[上下]午 ?)?\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,6})?)?(?:[ \u202f]?[APap]\.?[Mm]\.?)?"
_TIME = rf"(?:{_DATE}(?:,? |T){_CLOCK}|{_DATE}|{_CLOCK})"
_NAME = r"[^\W_](?:[^:：\n\t\[\]<>|\"{}=,;!?，。；！？“”]{0,38}?[^\s:：\[\]<>|\"{}=,;!?，。；！？“”])??"
_SAYS = r"(?::(?=\s|$)|：)"

_STYLES = (
    re.compile(rf"\[(?P<time>{_TIME})\][ \t]{{0,3}}(?P<speaker>{_NAME}) ?{_SAYS}"),  # [09:14] Anna: ...
    re.compile(rf"\[?(?P<time>{_TIME})\]? <[ +@%]?(?P<speaker>{_NAME})>"),  # [09:14] <anna> ...
    re.compile(rf"(?P<time>{_TIME})(?: [-–] |[ \t]{{1,3}})(?P<speaker>{_NAME}) ?{_SAYS}"),  # 2026-01-02 09:14 Anna: ...
    re.compile(rf"(?P<speaker>{_NAME}) [(\[（](?P<time>{_TIME})[)\]）] ?{_SAYS}"),  # Anna (09:14): ...
    re.compile(rf"(?P<speaker>{_NAME})[ \t]{{1,8}}(?P<time>{_TIME})[ \t]{{0,3}}$"),  # 张三 2026-01-02 09:14:05
    re.compile(rf"(?P<time>{_DATE} {_CLOCK})[ \t]{{1,8}}(?P<speaker>{_NAME})[ \t]{{0,3}}$"),  # 2026-01-02 09:14:05 张三
    re.compile(rf"(?P<speaker>{_NAME}) ?{_SAYS}"),  # Anna: ...
)
_LONE = (4, 5)  # styles whose header is a line of its own: the words stand below it
_EACH_LINE_TIMED = (0, 1, 2)
_UNTIMED = 6
_MARKS = dict.fromkeys(map(ord, "\ufeff\u200e\u200f\u202a\u202c"))
_LEVELS = frozenset(str.split("trace debug info notice warn warning error err fatal critical severe fine exception"))
_MOST_WORDS = 5
_LONGEST_HEAD = 120
_SAMPLE_LINES = 400
_LEAST_TURNS = 4
_LEAST_RETURNS = 0.15


@dataclass(slots=True)
class Turn:
    """What one speaker says at one time: its lines as they stand in the file."""

    speaker: str
    time: str
    lines: list[str] = field(default_factory=list)

    @property
    def label(self) -> str:
        """What a person calls the turn: *Anna, 09:14*."""
        return f"{self.speaker}, {self.time}" if self.time else self.speaker


def style_of(text: str) -> int | None:
    """The style of the transcript that ``text`` is; None when it is none.

    A turn opens one of the first four lines, and at least four lines open one. Where not each line begins with a time,
    two speakers have two turns each and speak again after others (fields of a header stand together), and half of the
    lines open a turn (with times: a fifth), or nearly all paragraphs do. Entries that repeat the same names in the same
    order are records, those called by a level of severity are logs.
    """
    lines = [line.translate(_MARKS) for line in text.split("\n", _SAMPLE_LINES)[:_SAMPLE_LINES]]
    filled = [line for line in lines if line.strip()]
    for style in range(len(_STYLES)):
        heads = [(index, found) for index, line in enumerate(filled) if (found := _head(line, style))]
        if len(heads) < _LEAST_TURNS or heads[0][0] > 3:
            continue
        speakers = [speaker for _, (speaker, _) in heads]
        if any(word in _LEVELS for name in set(speakers) for word in name.casefold().split()):
            continue
        if style in _EACH_LINE_TIMED and len(heads) >= len(filled) * 0.9 and 1 < len(set(speakers)) < len(speakers):
            return style
        if style in _LONE and len(heads) > len(filled) * 0.7:
            continue
        share = 0.5 if style == _UNTIMED else 0.2
        often = len(heads) >= len(filled) * share or _opens_blocks(lines, style)
        if often and _take_turns(speakers) and not (style == _UNTIMED and _is_of_records(lines)):
            return style
    return None


def any_style_of(text: str) -> int | None:
    """The style in which most lines of a text that is known to be a transcript open a turn; None if no line does."""
    lines = [line.translate(_MARKS) for line in text.split("\n", _SAMPLE_LINES)[:_SAMPLE_LINES]]
    opened = [sum(_head(line, style) is not None for line in lines) for style in range(len(_STYLES))]
    return opened.index(max(opened)) if any(opened) else None


def turns(text: str, style: int) -> Iterator[Turn]:
    """The turns of a transcript of that style; lines before the first are a turn without a speaker."""
    turn = Turn("", "")
    for raw in text.split("\n"):
        line = raw.translate(_MARKS).strip()
        found = _head(line, style) if line else None
        if found:
            if turn.lines:
                yield turn
            turn = Turn(*found)
        if line:
            turn.lines.append(line)
    if turn.lines:
        yield turn


def has_lone_heads(style: int) -> bool:
    """Whether the speaker stands on a line of its own."""
    return style in _LONE


def _head(line: str, style: int) -> tuple[str, str] | None:
    """Speaker and time of a line that opens a turn."""
    found = _STYLES[style].match(line[:_LONGEST_HEAD])
    if not found or (style in _LONE and len(line) > _LONGEST_HEAD):
        return None
    speaker = found["speaker"].strip()
    if len(speaker.split()) > _MOST_WORDS or speaker.replace(" ", "").isdigit():
        return None
    return speaker, found["time"] if style != _UNTIMED else ""


def _take_turns(speakers: Sequence[str]) -> bool:
    """Whether two speak twice, few speak once, and someone, one of the first three too, speaks again after others."""
    times = Counter(speakers)
    returns = sum(
        after != before and after in speakers[:index] for index, (before, after) in enumerate(pairwise(speakers))
    )
    return (
        any(times[speaker] > 1 for speaker in speakers[:3])
        and sum(count > 1 for count in times.values()) > 1
        and len(times) * 2 <= len(speakers) + 1
        and returns >= max(2, len(speakers) * _LEAST_RETURNS)
    )


def _opens_blocks(lines: Sequence[str], style: int) -> bool:
    """Whether four of five paragraphs open a turn: the lines of a turn are wrapped."""
    starts = [line for before, line in pairwise(["", *lines]) if line.strip() and not before.strip()]
    opened = sum(_head(line, style) is not None for line in starts)
    return opened >= _LEAST_TURNS and opened >= len(starts) * 0.8


def _is_of_records(lines: Sequence[str]) -> bool:
    """Whether names come as fields do, not speakers: three or more in one order, or none twice between empty lines."""
    blocks: list[list[str]] = [[]]
    for line in lines:
        if not line.strip():
            blocks.append([])
        elif found := _head(line, _UNTIMED):
            blocks[-1].append(found[0])
    names = [name for block in blocks for name in block]
    period = len(set(names))
    if period > 2 and names[period:] == names[:-period]:
        return True
    several = [block for block in blocks if len(block) > 1]
    in_several = sum(map(len, several))
    return len(several) > 1 and in_several * 2 > len(names) and all(len(set(block)) == len(block) for block in several)


__all__ = ["Turn", "any_style_of", "has_lone_heads", "style_of", "turns"]
