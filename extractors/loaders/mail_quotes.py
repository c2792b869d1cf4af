"""What a mail repeats of earlier ones, and its signature, in lines of plain text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice

_ATTRIBUTION = re.compile(
    r"(?:.{0,300}\b(?:wrote|writes|schrieb|a écrit|escribió|ha scritto)\b.{0,120}"
    r"|.{0,300}(?:写道|寫道|写到).{0,5})[:：]",
    re.DOTALL | re.IGNORECASE,
)
_STARTS = re.compile(r"\s{0,9}(?:(?:On|At|Am|Le|El|Il)\b|[在于\d])")
_DATED = re.compile(r"\d{4}|\d{1,2}:\d\d|@")
_ORIGINAL = re.compile(
    r"[-_=]{2,40}\s{0,9}(?:original (?:message|appointment)|原始邮件|原始郵件|原邮件|回复的原邮件"
    r"|ursprüngliche nachricht|message d'origine|mensaje original)\s{0,9}[-_=]{2,40}",
    re.IGNORECASE,
)
_FORWARDED = re.compile(
    r"[-_=]{2,40}\s{0,9}(?:forwarded message|转发的?邮件|轉寄的?郵件)|begin forwarded message", re.IGNORECASE
)
_FROM_LINE = re.compile(r"[*\s]{0,4}(?:From|发件人|寄件者|寄件人|Von|De)\s{0,3}[*]{0,2}\s{0,3}[:：]", re.IGNORECASE)
_OTHER_LINE = re.compile(
    r"[*\s]{0,4}(?:Sent|Date|To|Cc|Subject|Gesendet|An|Betreff|Envoyé|À|Objet|发送时间|发送日期|时间|日期|收件人|抄送|主题"
    r"|寄件日期|傳送時間|收件者|副本|主旨)\s{0,3}[*]{0,2}\s{0,3}[:：]",
    re.IGNORECASE,
)
_SUBJECT_FORWARDED = re.compile(r"\s{0,9}(?:fwd?|wg|tr|转发|轉寄)\s{0,3}[:：]", re.IGNORECASE)
_SIGNATURE = re.compile(r"--[ \u00a0]?")
_DEVICE = re.compile(
    r"(?:sent from my |get outlook for |von meinem |发自我的|從我的|来自我的).{1,60}", re.IGNORECASE
)  # what phones append
_LONGEST_SIGNATURE = 15  # lines
_LONGEST_ATTRIBUTION = 4  # lines
_LONGEST_MARK = 400


@dataclass(slots=True)
class Stripped:
    """What is left, and how many lines that are not empty were left out."""

    lines: list[str] = field(default_factory=list)
    quoted: int = 0
    signature: int = 0


def is_forward(subject: str) -> bool:
    """Whether the subject says that the mail passes on another one, which is then what it has to say."""
    return _SUBJECT_FORWARDED.match(subject) is not None


def announces(words: str) -> bool:
    """Whether these words say that somebody else's follow: "On Monday, Anna wrote:"."""
    return len(words) <= _LONGEST_MARK and _ATTRIBUTION.fullmatch(words) is not None


def is_forwarded(words: str) -> bool:
    """Whether these words say that a mail follows that is passed on."""
    return _FORWARDED.match(words[:_LONGEST_MARK]) is not None


def is_signature(line: str) -> bool:
    """Whether this line begins a signature."""
    return _SIGNATURE.fullmatch(line) is not None


def begins_original(line: str, after: Iterable[str]) -> bool:
    """Whether an earlier mail begins at ``line``: by a rule that says so, or by its sender and two more headers.

    Of what comes ``after`` no more is asked for than is needed.
    """
    if _ORIGINAL.match(line[:_LONGEST_MARK]):
        return True
    if not _FROM_LINE.match(line[:_LONGEST_MARK]):
        return False
    return sum(_OTHER_LINE.match(header[:100]) is not None for header in islice(after, 5)) >= 2


def strip_lines(source: Sequence[str], *, forward: bool) -> Stripped:
    """``source`` without the lines that quote, what announces them, and the signature."""
    kept = Stripped()
    end = next((n for n in range(len(source)) if _begins_rest(source, n, forward)), len(source))
    kept.quoted = sum(bool(line.strip()) for line in source[end:])
    for number, line in enumerate(source[:end]):
        if line.startswith(">") and not _is_lone_from(source, number):
            if not number or not source[number - 1].startswith(">"):
                kept.quoted += _drop_attribution(kept.lines)
            kept.quoted += bool(line.strip("> \t"))
        else:
            kept.lines.append(line)
    kept.signature = _drop_signature(kept.lines)
    return kept


def _is_lone_from(source: Sequence[str], number: int) -> bool:
    """A line that only its way through a mailbox file has marked."""
    around = [*source[max(number - 1, 0) : number], *source[number + 1 : number + 2]]
    return source[number].startswith(">From ") and not any(line.startswith(">") for line in around)


def _begins_rest(source: Sequence[str], number: int, forward: bool) -> bool:
    """Whether all from this line on is an earlier mail."""
    line = source[number].strip()
    if not line or len(line) > _LONGEST_MARK or line.startswith(">"):
        return False
    if forward or any(_FORWARDED.match(before.strip()[:100]) for before in source[max(number - 3, 0) : number + 1]):
        return False
    if begins_original(line, source[number + 1 : number + 6]):
        return True
    if _ATTRIBUTION.fullmatch(line) and _DATED.search(line):
        return not any(after.startswith(">") for after in source[number + 1 :])
    return False


def _drop_attribution(kept: list[str]) -> int:
    """Take the words that announce a quote off the end of ``kept``; how many lines they were."""
    last = len(kept)
    while last and not kept[last - 1].strip():
        last -= 1
    for first in range(last - 1, max(last - 1 - _LONGEST_ATTRIBUTION, -1), -1):
        if not kept[first].strip():
            break
        if _STARTS.match(kept[first]) and announces(" ".join(line.strip() for line in kept[first:last])):
            del kept[first:]
            return last - first
    if last and announces(kept[last - 1].strip()):
        begins = last == 1 or not kept[last - 2].strip()
        if begins or _DATED.search(kept[last - 1]):
            del kept[last - 1 :]
            return 1
    return 0


def _drop_signature(kept: list[str]) -> int:
    for number in range(len(kept) - 1, -1, -1):
        line = kept[number].rstrip("\r\n")
        rest = sum(bool(after.strip()) for after in kept[number:])
        if rest > _LONGEST_SIGNATURE:
            break
        if _SIGNATURE.fullmatch(line) or (rest == 1 and _DEVICE.fullmatch(line.strip())):
            del kept[number:]
            return rest
    return 0


__all__ = [
    "Stripped",
    "announces",
    "begins_original",
    "is_forward",
    "is_forwarded",
    "is_signature",
    "strip_lines",
]
