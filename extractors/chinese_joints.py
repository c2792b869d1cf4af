"""Links between whole clauses, and where the connective stands that makes one."""

from __future__ import annotations

from collections.abc import Iterator

from extractors.chinese_clauses import Clause, Found
from extractors.chinese_cues import CUES, Cue
from extractors.chinese_groups import FRAMES, LIGHT, Span
from extractors.chinese_mentions import MentionSpan
from extractors.chinese_rules import Link
from extractors.chinese_tables import listed
from extractors.chinese_words import Word

CUE_OF = {cue.name: cue for cue in CUES}
"""Cues by name."""
BUT = frozenset(listed("但 但是 而 不过 然而"))
"""Words that turn against what was said."""
_LEADS = 4
"""Words before a connective that opens its clause."""


def linked(
    word: Word, cue: Cue, head: Span | None, tail: Span | None, rule: str, factor: float = 1.0
) -> Iterator[Link]:
    """The link of two whole ends by the cue at ``word``, or none where one is missing or both overlap."""
    if head is None or tail is None or (head[0] < tail[1] and tail[0] < head[1]):
        return
    ends = MentionSpan(*head, None), MentionSpan(*tail, None)
    yield Link(Found(cue, word.start, word.end), *ends, factor, rule, whole=True)


def leads(clause: Clause, word: Word) -> bool:
    """Whether only light words stand before a connective in its clause."""
    before = clause.between(clause.start, word.start)
    return len(before) <= _LEADS and all(
        w.text in LIGHT or w.text in FRAMES or w.flag[0] in "xr" or w.text in BUT for w in before
    )


__all__ = ["BUT", "CUE_OF", "leads", "linked"]
