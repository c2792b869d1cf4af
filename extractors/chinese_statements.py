"""The first clause of a Chinese line that says something."""

from __future__ import annotations

import re
from collections.abc import Iterable

from extractors.chinese_clauses import Clause, sentences
from extractors.chinese_cues import CUE_WORDS, HEDGES, PRONOUNS, Shape
from extractors.chinese_events import find_events
from extractors.chinese_mentions import has_verb, is_trivial
from extractors.chinese_script import simplified
from extractors.statements import FirstStatement

LONGEST = 400
"""Characters of a line that are read: its first statement lies within them."""
_UNKNOWN = re.compile(
    r"(?:原因)?(?:未知|不明|待定|暂无|无$|尚?不清楚|尚未(?:查明|明确|确定)|调查中|排查中|仍在|正在(?:调查|排查|分析)|见|详见|如下|待)"
)
_REASON_IS = re.compile(r"^.{0,30}?(?:原因|根因)(?:是|为|在于|系)(?:由于|因为)?")
_HELD = re.compile(r"(?:我们|我|公司|分析师|专家|业内|市场)?(?:普遍|一致)?(?:认为|判断|分析认为)[,，:：]?")
_EDGES = " \t\r\n\u3000,.;:!?。、*_`#|\"'“”‘’-–—•"


class ChineseStatements:
    """Reads lines by words and parts of speech."""

    def first_statements(self, texts: Iterable[str]) -> list[FirstStatement | None]:
        """For each text its first clause; None where it says nothing."""
        return [_first(text[:LONGEST]) for text in texts]


def _first(text: str) -> FirstStatement | None:
    plain = simplified(text)
    for sentence in sentences(plain):
        for clause in sentence.clauses:
            subordinate = clause is not sentence.clauses[-1] and _opens(clause)
            if is_trivial(clause.words) or _is_time(clause) or subordinate:
                continue
            start, end = clause.start, clause.end
            for pattern in (_HELD, _REASON_IS):
                if found := pattern.match(plain[start:end]):
                    start += found.end()
            while start < end and plain[start] in _EDGES:
                start += 1
            while end > start and plain[end - 1] in _EDGES:
                end -= 1
            if end - start < 2:
                continue
            words = clause.between(start, end)
            asks = "?" in sentence.terminator
            pointing = bool(words) and words[0].text in PRONOUNS
            return FirstStatement(
                start,
                end,
                happens=has_verb(words) or bool(find_events(words)),
                hedged=any(w.text in HEDGES for w in words),
                vague=asks or pointing or bool(_UNKNOWN.match(plain, start, end)),
            )
    return None


def _opens(clause: Clause) -> bool:
    """Whether the clause only says under which circumstances the next one holds: 由于 …, 如果 …."""
    return any(f.cue.shape is Shape.OPENER and is_trivial(clause.between(clause.start, f.start)) for f in clause.cues)


def _is_time(clause: Clause) -> bool:
    return all(w.flag.startswith(("t", "m", "q", "f", "x", "p")) or w.text in CUE_WORDS for w in clause.words)


__all__ = ["ChineseStatements"]
