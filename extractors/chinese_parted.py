"""Effects that a cause parts in two: 棉价 [受 减产 影响] 上涨, where no stretch holds just the thing and its change."""

from __future__ import annotations

from collections.abc import Sequence

from extractors.chinese_cues import ADDITIONS, MEASURES, TURNS
from extractors.chinese_events import direction_of, find_events, is_noun
from extractors.chinese_groups import names
from extractors.chinese_lexicon import ATTRIBUTES, GENERIC
from extractors.chinese_mentions import LONGEST, MentionSpan
from extractors.chinese_trim import trimmed
from extractors.chinese_words import Word

_LONGEST_SUBJECT = 20
"""Most characters of a subject that stands before the cause."""
_BESIDE_SUBJECT = ("d", "ad", "c", "x", "u", "t", "f", "s")
_BESIDE_VERB = ("d", "ad", "t", "x", "c", "u", "m", "q", "p", "f", "zg")
_BEFORE_CAUSE = frozenset(("由于", "因为", "因", "主要", "则", "均", "也", "亦", "又", "都", "并"))
"""Words between a subject and the cue of its cause."""


def parted(before: Sequence[Word], behind: Sequence[Word]) -> MentionSpan | None:
    """The effect whose subject is ``before`` a cue and what becomes of it ``behind`` the cause, if it is so.

    It reaches from the one to the other; the cause in between is its gap, and no part of its key.
    """
    subject = subject_of(before)
    told = trimmed(behind, cue_behind=False, mention=None)
    if not subject or not told or not _goes_on(subject, told) or told[-1].end - subject[0].start > 2 * LONGEST:
        return None
    event = next(iter(find_events(told)), None)
    return MentionSpan(subject[0].start, told[-1].end, event, (subject[-1].end, told[0].start))


def subject_of(before: Sequence[Word]) -> Sequence[Word]:
    """The name of the thing that the words before a cue give, and nothing more; () where they say anything else."""
    words = list(trimmed(before, cue_behind=False, mention=None))
    while words and (words[-1].flag.startswith(_BESIDE_SUBJECT) or words[-1].text in _BEFORE_CAUSE):
        words.pop()
    while words and (words[0].flag.startswith(_BESIDE_SUBJECT) or words[0].text in ADDITIONS | TURNS):
        words.pop(0)
    named = words and is_noun(words[-1]) and names(words) and any(w.text not in GENERIC for w in words)
    return words if named and words[-1].end - words[0].start <= _LONGEST_SUBJECT else ()


def _goes_on(subject: Sequence[Word], behind: Sequence[Word]) -> bool:
    """Whether what stands behind says what becomes of the subject, and names no other."""
    events = find_events(behind)
    measured = subject[-1].text in ATTRIBUTES and any(w.text in ATTRIBUTES for w in behind)
    if measured or any(e.has_subject for e in events):
        return False
    told = [w for w in behind if not w.flag.startswith(_BESIDE_VERB) and w.text not in MEASURES]
    if not told or (is_noun(told[0]) and told[0].text not in ATTRIBUTES and told[0].text not in GENERIC):
        return False
    return bool(events) or told[0].flag.startswith("v") or direction_of(told[0]) is not None


__all__ = ["parted", "subject_of"]
