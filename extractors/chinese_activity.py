"""Which cue words of a clause are cues: 影响 in 受疫情影响 is none, nor is 支撑 in 成本支撑减弱."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from extractors.chinese_clauses import ORIGIN, Clause, Found
from extractors.chinese_cues import AFFECTED_ENDS, BACKGROUND_ENDS, CAUSED_ENDS, CUES, EVIDENCE_NOUNS, TIME_ENDS, Shape
from extractors.chinese_events import direction_of, find_events, is_noun
from extractors.chinese_lexicon import ATTRIBUTES, GENERIC, SIGNED_CAUSATIVES
from extractors.chinese_mentions import has_verb, is_trivial
from extractors.chinese_tables import listed
from extractors.chinese_words import Word

_AFFECTED = re.compile("|".join(map(re.escape, sorted(AFFECTED_ENDS, key=len, reverse=True))))
_BACKGROUND = re.compile("|".join(map(re.escape, sorted(BACKGROUND_ENDS, key=len, reverse=True))))
_CAUSED = re.compile("|".join(map(re.escape, sorted(CAUSED_ENDS, key=len, reverse=True))))
_NOT_A_VERB_BEFORE = frozenset(
    listed("的 因素 作用 力度 下 较 较强 较弱 较大 明显 不足 有限 因子 位 力 有所 仍 依旧 显著 减弱 逻辑 程度 期 等")
)
_UNDER_INFLUENCE = next(cue for cue in CUES if cue.name == "under-influence")
_SUBJECT_BEFORE_CONNECTIVE = 4
"""Most words of a subject that stands before its connective (公司因此亏损)."""


def active_cues(plain: str, clause: Clause, following: Clause | None) -> list[Found]:
    """The cues of ``clause`` that hold where they stand, each with the end of what it opens."""
    kept: list[Found] = []
    origin = max((f.end for f in clause.cues if f.cue is ORIGIN), default=0)
    for found in clause.cues:
        if kept and kept[-1].resume is not None and found.start < kept[-1].resume and found.end > (kept[-1].until or 0):
            continue  # the closing word of the cue before: 受 … 影响, 由 … 引起
        if kept and found.start < kept[-1].end:
            continue
        seen = _checked(plain, clause, found, following=following, origin=found.start < origin)
        if seen is not None:
            kept.append(seen)
    return kept


def _checked(plain: str, clause: Clause, found: Found, *, following: Clause | None, origin: bool) -> Found | None:
    shape, name = found.cue.shape, found.cue.name
    before = clause.between(clause.start, found.start)
    after = clause.between(found.end, clause.end)
    if shape is Shape.VERB:
        return found if _is_verb(found, clause, origin=origin) else None
    if shape in (Shape.CONNECTIVE, Shape.EXAMPLE):
        subject = name in ("so", "thereby") and len(before) <= _SUBJECT_BEFORE_CONNECTIVE and all(map(is_noun, before))
        if name == "then" and before and before[-1].flag.startswith(("t", "m", "q", "r")):
            return None  # 本月之后
        if name == "as-a-result" and before and not before[-1].flag.startswith(("d", "c", "x", "u", "y")):
            return None  # 通过 这些 中间 结果
        return found if is_trivial(before) or subject else None
    if shape is Shape.CLOSER:
        return found if _closes(clause, found, following) else None
    if plain[found.start : found.end] == "受益" and not is_trivial(before):
        return None  # 行业 将 受益 回升
    if name == "affected-by":
        ended = _ended(plain, clause, found, _AFFECTED)
        must_end = plain[found.start : found.end] in ("受", "受到")
        return ended if must_end or ended is not None else found if after else None
    if name == "against-background":
        return _background(plain, clause, found)
    if name == "caused-by":
        return _ended(plain, clause, found, _CAUSED)
    if name == "due-to" and plain[found.start : found.end].endswith("受"):
        return _ended(plain, clause, found, _AFFECTED)
    if name == "because-short":
        return _because_short(clause, found)
    if name == "according-to":
        return found if after and any(w.text in EVIDENCE_NOUNS for w in after[:8]) and is_trivial(before) else None
    return found if after or (shape is Shape.BACKWARD and following is not None) else None


def _is_verb(found: Found, clause: Clause, *, origin: bool) -> bool:
    if origin:
        return False  # 推动价格上涨的主要原因是 …: the pattern for origins reads it
    after = clause.between(found.end, clause.end)
    if not found.cue.needs_events:
        # 造成的痛苦 names a thing; 造成的减产 says what happened.
        return not after or after[0].text != "的" or bool(find_events(after[1:]))
    if not after or after[0].text in _NOT_A_VERB_BEFORE:
        return False
    before = clause.between(clause.start, found.start)
    if before and before[-1].text in ("的", "成本", "有", "强", "弱") and found.cue.name != "verb-drive":
        return False  # 成本支撑, 的影响: a noun
    if direction_of(after[0]) is not None:
        return bool(find_events(after[1:]))
    signed = [found_word for found_word in clause.words if found_word.start == found.start]
    return bool(find_events([*signed, *after])) or (found.cue.name == "verb-drive" and _comes_about(after))


def _comes_about(words: Sequence[Word]) -> bool:
    """Whether the words end with what can come about: 了 深加工 行业 的 发展, 对 永磁 材料 的 需求."""
    return len(words) > 2 and (words[-1].flag == "vn" or words[-1].text in ATTRIBUTES)


def _closes(clause: Clause, found: Found, following: Clause | None) -> bool:
    """Whether something happens before 后 or 前, the clause ends there and another follows."""
    if following is None or any(w.text not in "的" for w in clause.between(found.end, clause.end)):
        return False
    before = clause.between(clause.start, found.start)
    if not before or before[-1].flag.startswith(("t", "m", "q", "r", "f")):
        return False
    return has_verb(before) or bool(find_events(before))


def _ended(plain: str, clause: Clause, found: Found, pattern: re.Pattern[str]) -> Found | None:
    """The cue with the word that closes it, the last one of the clause's first opened stretch."""
    starts = {w.start for w in clause.words}
    for match in pattern.finditer(plain, found.end, clause.end):
        inside = clause.between(found.end, match.start())
        named = any(is_noun(w) and w.text not in GENERIC for w in inside) or bool(find_events(inside))
        other = not match.group().endswith("影响") and any(w.text in ("为", "对", "给") for w in inside)
        if named and not other and match.end() > found.end and (match.start() in starts):
            return replace(found, until=match.start(), resume=match.end())
    return None


def _background(plain: str, clause: Clause, found: Found) -> Found | None:
    """在 A 下: a cause where its end says so (影响下), else what only holds at the time (背景下)."""
    ended = _ended(plain, clause, found, _BACKGROUND)
    if ended is None or ended.until is None or plain[ended.until : ended.resume].endswith(TIME_ENDS):
        return ended
    return replace(ended, cue=_UNDER_INFLUENCE)


def _because_short(clause: Clause, found: Found) -> Found | None:
    word = next((w for w in clause.words if w.start == found.start), None)
    if word is None or not clause.between(found.end, clause.end):
        return None
    for link in clause.between(found.end, clause.end):
        if link.text == "而":
            return replace(found, until=link.start, resume=link.end)
    return found


def content_start(plain: str, found: Found) -> int:
    """Where what follows a cue begins: behind it, but at a verb that says a direction (压制 煤炭 供应)."""
    return found.start if plain[found.start : found.end] in SIGNED_CAUSATIVES else found.resume or found.end


def breaks(plain: str, cues: Sequence[Found], position: int, start: int) -> int:
    """Where the stretch that ends at ``position`` begins: after the last cue before it, else at ``start``."""
    return max([start, *(content_start(plain, f) for f in cues if (f.resume or f.end) <= position)])


def next_break(cues: Sequence[Found], position: int, end: int) -> int:
    """Where the stretch that begins at ``position`` ends: before the next cue, else at ``end``."""
    return min([end, *(f.start for f in cues if f.start >= position)])


__all__ = ["active_cues", "breaks", "content_start", "next_break"]
