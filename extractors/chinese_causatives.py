"""Verbs that say within one clause what one thing makes of another: 罢工令港口瘫痪, 大雨淹没了地下通道.

Events with a direction are read by the cues; here the ends are whole phrases, and something must happen in both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from extractors.chinese_clauses import Clause
from extractors.chinese_cues import CUE_WORDS, NEGATIONS, TURNS, Cue, Shape
from extractors.chinese_events import direction_of, find_events, is_noun
from extractors.chinese_faults import fails, goes_wrong
from extractors.chinese_groups import FRAMES, back, only, predicates, without_adverbs
from extractors.chinese_joints import linked
from extractors.chinese_lexicon import ATTRIBUTES, HAZARDS, PERSONS
from extractors.chinese_mentions import is_trivial
from extractors.chinese_rules import Link
from extractors.chinese_tables import listed
from extractors.chinese_words import Word
from storage.records import RelationType

_MAKE = frozenset(listed("使 令 让 带来 带动 推动 拉动 拖累 引来 换来"))
"""Verbs before a thing and what comes about with it."""
_BRING = frozenset(("带来", "引来", "换来"))
_LEAVE_NO_DOUBT = frozenset(("使", "令"))
"""Verbs whose subject can only be the clause before, where none stands in their own."""
_LOOSE = frozenset(("让",))
"""Verbs that also ask and allow."""
_HARM = frozenset(
    listed("""
    淹没 冲毁 冲垮 摧毁 压垮 吹倒 刮倒 堵住 堵塞 阻断 切断 烧毁 损坏 损害 损伤 破坏 毁坏 危害 腐蚀 拖延 延误
    耽误 妨碍 阻碍 加速 加剧 助长 延缓 恶化 削弱 扰乱 击穿 干扰 冲击 打压 抑制 压制 制约 束缚 不利于 有利于 有助于
    """)
)
"""Verbs that say what becomes of their object; with an object alone they are the effect."""
_FAVOUR = frozenset(("有利于", "有助于"))
_ONWARD = _FAVOUR | frozenset(listed("加速 加剧 助长"))
"""Verbs whose object comes about; what other verbs do to a change (抑制 价格 上涨) is read by the cues."""
_ON = frozenset(("对", "给", "为", "给予"))
_EXERT = frozenset(listed("形成 构成 产生 造成 带来 起到 提供 有"))
_INFLUENCES = tuple(
    listed(
        "压力 支撑 影响 冲击 拖累 提振 利好 利空 拉动 带动 压制 制约 抑制 打击 威胁 作用 刺激 推动 驱动 阻力 干扰 保障"
    )
)
"""What one thing exerts on another: 对需求产生压力."""
_HELP = ("支撑", "提振", "利好", "拉动", "带动", "刺激", "推动", "驱动", "保障")
"""Those of them under which a change comes about."""
_PASSIVE = frozenset(("受", "受到", "被", "把", "将", "为", "对", "给", "向", "由", "以", "通过", "为了"))
_NAMED = frozenset(("反对", "《", "“", "‘"))
"""Words before a verb that is quoted, opposed or a part of a title."""
_NO_ENDS = frozenset(listed("时 时候 中 里 下 期间 后 前 相应"))
"""Words behind which no cause ends."""
_MOST_HARMED = 8
"""Most words of what is harmed."""
_LONGEST = 24
"""Most characters of an end."""

_MAKE_CUE = Cue("make", Shape.VERB, RelationType.CAUSAL, "cause", 0.65, ())
_PRESSURE_CUE = Cue("press", Shape.VERB, RelationType.CAUSAL, "influence", 0.68, ())
_HARM_CUE = Cue("harm", Shape.VERB, RelationType.CAUSAL, "influence", 0.62, ())


def causatives(clauses: Sequence[Clause], i: int) -> Iterator[Link]:
    """What the verbs of clause ``i`` make of one thing by another, or by what the clause before says."""
    words = clauses[i].words
    for j, word in enumerate(words[:-1]):
        after = [w for w in words[j + 1 :] if w.text not in ("了", "着")] or words[j + 1 :]
        cue = _cue(word, after)
        if cue is None or after[0].text in ("的", "是", "有") or any(w.text in _NAMED for w in words[:j]):
            continue
        start = after[0].start if cue is _MAKE_CUE or word.text in _FAVOUR else word.start
        before = without_adverbs(words[:j])
        says = before if before and not is_trivial(before) else clauses[i - 1].words if i else ()
        if not says or not _fits(cue, word, says, after):
            continue
        if says is before:
            sure = before[-1].text not in _NO_ENDS and _happens(before) and _plain(before)
            head = only(clauses[i], before[0].start, before[-1].end) if sure else None
        else:
            turned = any(w.text in TURNS or w.flag == "p" for w in words[:j])
            told = _tells_a_change(clauses[i - 1]) or (word.text in _LEAVE_NO_DOUBT and _states(clauses[i - 1]))
            sure = word.text not in _LOOSE and not turned and told
            head = back(clauses, i - 1, position=_led_to(clauses[i - 1])) if sure else None
        tail = only(clauses[i], start, words[-1].end)
        if head is not None and tail is not None and max(head[1] - head[0], tail[1] - tail[0]) <= _LONGEST:
            yield from linked(word, cue, head, tail, "clause" if says is before else "clauses")
            return


def _cue(word: Word, after: Sequence[Word]) -> Cue | None:
    if word.text in _MAKE:
        return _MAKE_CUE
    if word.text in _HARM or (word.text == "影响" and (after[0].start > word.end or after[-1].text in ATTRIBUTES)):
        return _HARM_CUE
    return _PRESSURE_CUE if word.text in _ON and _presses(after) else None


def _fits(cue: Cue, word: Word, before: Sequence[Word], after: Sequence[Word]) -> bool:
    if cue is _MAKE_CUE:
        return _changes(after) and _sure(word, before, after) and not (find_events(before) and find_events(after))
    if cue is _PRESSURE_CUE:
        return _is_thing_or_upheld(after)
    if find_events(after) and word.text not in _ONWARD:
        return False
    return _undergoes(after)


def _presses(after: Sequence[Word]) -> bool:
    """Whether the words say what is exerted on a thing: 有色金属 需求 产生 了 一定 压力."""
    verb = next((j for j, w in enumerate(after) if w.text in _EXERT), 0)
    told = [w for w in after if any(map(str.isalnum, w.text))]
    denied = any(w.text in NEGATIONS for w in after)
    return verb > 0 and not denied and any(is_noun(w) for w in after[:verb]) and told[-1].text.endswith(_INFLUENCES)


def _is_thing_or_upheld(after: Sequence[Word]) -> bool:
    """Whether what is exerted acts on a thing, or helps a change: 对 价格 上涨 形成 压力 says that it does not rise."""
    verb = next(j for j, w in enumerate(after) if w.text in _EXERT)
    told = [w for w in after if any(map(str.isalnum, w.text))]
    return told[-1].text.endswith(_HELP) or not find_events(after[:verb])


def _plain(words: Sequence[Word]) -> bool:
    """Whether the words are no frame, and nobody is named who might act on purpose."""
    return not any(
        w.text in PERSONS
        or w.text in _PASSIVE
        or w.text in FRAMES
        or (w.text in CUE_WORDS and w.flag != "vn")
        or w.flag.startswith(("r", "nr"))
        for w in words
    )


def _happens(words: Sequence[Word]) -> bool:
    """Whether the words say that something happens, also by a noun: 罢工, 依赖升级, 干旱."""
    named = words[-1].flag in ("vn", "an") or goes_wrong(words) or any(w.text in HAZARDS for w in words)
    return named or predicates(words)


def _tells_a_change(clause: Clause) -> bool:
    """Whether a clause of its own says that something changes or goes wrong."""
    position = _led_to(clause)
    told = clause.words if position is None else clause.between(position, clause.end)
    plain = _plain(told) and clause.words[0].text not in TURNS and (position is not None or not clause.cues)
    return plain and (bool(find_events(told)) or goes_wrong(told))


def _led_to(clause: Clause) -> int | None:
    """Where what a clause leads to begins, if nothing else is cued there: A 导致 B，影响 C says that B does."""
    cues = clause.cues
    return cues[0].end if len(cues) == 1 and cues[0].cue.name in ("verb-cause", "verb-produce", "verb-make") else None


def _states(clause: Clause) -> bool:
    return _plain(clause.words) and clause.words[0].text not in TURNS and not clause.cues and predicates(clause.words)


def _changes(words: Sequence[Word]) -> bool:
    """Whether a thing is named and then what happens with it: 接口 不 兼容."""
    told = [w for w in words if w.text not in ("了", "其")]
    named = next((j for j, w in enumerate(told) if is_noun(w)), None)
    if named is None or named > 1 or any(w.flag.startswith(("r", "p")) for w in told[:named]):
        return False  # 使 冷却 水 流量 下降
    behind = told[named + 1 :]
    of = max((j for j, w in enumerate(behind) if w.text == "的"), default=-1)
    return predicates(behind[of + 1 :]) or fails(behind[of + 1 :])


def _sure(word: Word, before: Sequence[Word], after: Sequence[Word]) -> bool:
    if any(w.text in PERSONS or w.flag.startswith("r") for w in after[:2]):
        return False
    if word.text in _LOOSE:
        strong = goes_wrong(before) or bool(find_events(before)) or any(w.text in HAZARDS for w in before)
        return strong and not after[0].flag.startswith("v") and not any(w.flag.startswith("r") for w in after)
    return word.text not in _BRING or not any(w.text == "给" for w in before)


def _undergoes(words: Sequence[Word]) -> bool:
    """Whether a thing follows that is harmed or hastened."""
    told = [w for w in words if w.text not in ("了", "到", "着")]
    if not told or len(told) > _MOST_HARMED or direction_of(told[0]) is not None or told[0].text in CUE_WORDS:
        return False  # 加速 下跌, 竞争 加剧 迫使 …
    return is_noun(told[0]) or told[0].flag.startswith(("v", "a", "n", "b", "j", "m"))


__all__ = ["causatives"]
