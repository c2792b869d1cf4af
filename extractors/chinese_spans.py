"""Both ends of a relation as a reader wants them, and whether another reading is as likely."""

from __future__ import annotations

from typing import NamedTuple

from extractors.chinese_clauses import Sentence
from extractors.chinese_doubts import unsure
from extractors.chinese_events import is_noun, is_skipped
from extractors.chinese_mentions import MentionSpan
from extractors.chinese_rules import Link, Passage
from extractors.chinese_tables import listed
from extractors.chinese_trim import JOINTS
from extractors.chinese_widening import Widening, clause_of

_SUPPRESSING = frozenset(listed("抑制 压制 打压 遏制 限制 阻碍 制约 阻止 缓解 遏止 扼制 缓和 延缓 约束 平抑"))
"""Verbs whose object does not come about: 抑制 价格 反弹."""
UNSURE = 0.49
"""Most confidence of a relation whose ends other clauses compete for."""


class Ends(NamedTuple):
    """``[start, end)`` of both ends as a reader wants them, and whether another reading is as likely."""

    head: tuple[int, int]
    tail: tuple[int, int]
    unsure: bool


def whole_ends(passage: Passage, sentence: Sentence, link: Link) -> Ends:
    """Both ends of a link, each widened to the whole of what its clause says of it."""
    crisp = Ends((link.head.start, link.head.end), (link.tail.start, link.tail.end), unsure=False)
    if link.whole:
        return crisp
    reader = Widening(passage, sentence, link)
    head, tail = reader.widened(link.head, link.tail), reader.widened(link.tail, link.head)
    head = reader.with_opened(reader.with_added(head, tail), tail)
    head = reader.with_subject(head, tail)
    tail = reader.with_measure(tail, head)
    gap = link.tail.gap
    within = gap is not None and gap[0] <= head[0] and head[1] <= gap[1]
    if head[0] < tail[1] and tail[0] < head[1] and not within:
        return crisp._replace(unsure=True)
    return Ends(head, tail, unsure(reader, head, tail))


def suppressed(passage: Passage, sentence: Sentence, mention: MentionSpan) -> int | None:
    """Where the verb stands that keeps the event from coming about (抑制 价格 反弹), if one does."""
    clause = clause_of(passage, sentence, mention)
    if clause is None or mention.event is None:
        return None
    for word in reversed(clause.between(clause.start, mention.start)):
        if word.text in _SUPPRESSING:
            return word.start
        if not (is_noun(word) or is_skipped(word)) or word.text in JOINTS:
            return None
    return None


__all__ = ["UNSURE", "Ends", "suppressed", "whole_ends"]
