"""Runs of clauses that say one thing together: the ends of a connective between clauses without a measured event."""

from __future__ import annotations

from collections.abc import Sequence

from extractors.chinese_clauses import Clause
from extractors.chinese_cues import HEAPED, HEDGES, MANNERS, MEASURES, NEGATIONS, SO_PARTNERS, TURNS
from extractors.chinese_events import direction_of
from extractors.chinese_lexicon import MODALS
from extractors.chinese_tables import listed
from extractors.chinese_words import Word

Span = tuple[int, int]

_LONGEST = 60
"""Most characters of several clauses taken together: what is longer says more than one thing."""
_SHORT = 4
"""Characters up to which a clause says little by itself: 再微小，都不要拒绝."""
_OPENERS = frozenset(
    listed("""
    因为 由于 所以 因此 因而 于是 然后 接着 随后 后来 最后 最终 那么 从而 以至于 以致 结果 比如 例如 此外 另外 如果 若
    随着 预计 其中 目前 未来 进而 导致 致使 使得
    """)
)
"""Words that begin something else than the clause before."""
LIGHT = frozenset(
    listed("""
    呢 啊 吧 嘛 呀 哦 嗯 呃 哈 ok 对 好 那 就 也 都 还 又 才 则 便 而 并 且 并且 而且 其实 当然 可能 或许 也许 就是 是
    只是 这 此 真的 只 甚至 更 会 将 了 的 说 其中 那个 这个
    """)
)
"""Words that may stand before a connective or at the edge of a clause and add nothing to it."""
_EDGES = frozenset(
    listed("""
    呢 啊 吧 嘛 呀 哦 嗯 呃 哈 ok 那 那么 就 也 还 又 才 则 便 而 并 且 并且 而且 其实 当然 因为 由于 所以 因此 从而
    首先 起初 最初 最先 先是 起先 进而 致使 导致 使得 引发 引起 造成 甚至 同时 此外 另外 以及 考虑 考虑到 即 使 令
    直接 最终 进一步 将 带来
    """)
)
_BEFORE_SUBJECT = ("d", "c", "u", "y", "e", "o", "x", "t", "zg")
_TRANSFER = frozenset(listed("把 被 跟 对 向 给 让 使 令"))
_NOTHING = frozenset(listed("是 说 有 要 会 能 看 想 就是 觉得 认为 知道 来说 来看 来讲 看来"))
_HOLDS = frozenset(listed("是 有 要 会 能 就是 觉得 认为 知道 没有 可以 需要 像 在 叫 属于"))
"""Verbs of a state: nothing is done."""
_MODALS = frozenset(listed("可以 能 能够 会 要 必须 应该 可能"))
_BEFORE_VERB = frozenset(
    listed("主要 主要都 势必 势必会 必将 必然 也将 仍将 仍然 尚未 都会 会 也会 还会 都将 更 正 就")
)
"""Adverbs that the tagger takes for something else."""
_ADDED = HEAPED | {"以及", "同时"}
_COMPARING = frozenset(listed("至 达 达到 从 由 相比 低于 高于 约为 降至 升至 增至 减至"))
"""First words of a clause with a figure that compares what stands before."""
FRAMES = frozenset(listed("觉得 认为 说 相信 想 知道 发现 看到 问 告诉 表示 指出"))
"""Verbs whose clause only says who says or thinks what follows."""
_FRAME_ENDS = (
    *("时候", "时", "中", "当中", "之中", "里", "之前", "以前", "前", "之后", "以后", "后", "下"),
    *("来说", "来看", "的话", "以来", "方面"),
)
_ASKED = frozenset(listed("请 建议 不要 别 希望"))
_OTHER_REQUESTS = frozenset(listed("请求 请假 请教 请客 请示"))
_HELD = frozenset(listed("觉得 认为 相信 希望 建议 判断 主张"))
_VIEWS = frozenset(listed("认为 预计 判断 预测"))


def back(clauses: Sequence[Clause], last: int, *, first: int = 0, position: int | None = None) -> Span | None:
    """The clauses that end with ``last`` and belong together: as far back as the subject that the later ones lack.

    ``position`` is where the last clause's own cue ends, if it has one: what it leads to stands behind.
    """
    if position is not None:
        return trimmed([w for w in clauses[last].words if w.start >= position])
    start = last
    while start > first and not _opens_anew(clauses[start]):
        also = any(w.text in ("也", "亦") for w in clauses[start].words[:6])
        if not (also or _lacks_subject(clauses[start]) or _is_short(clauses[start])):
            break
        if clauses[last].end - clauses[start - 1].start > _LONGEST or _is_aside(clauses[start - 1]):
            break
        start -= 1
    return trimmed([w for c in clauses[start : last + 1] for w in c.words])


def ahead(
    clauses: Sequence[Clause], first: int, position: int, *, stop: int | None = None, all: bool = False
) -> Span | None:
    """What stands from ``position`` in clause ``first`` on, with the clauses that share its subject.

    With ``all``, to the clause that begins something else.
    """
    stop = len(clauses) if stop is None else min(stop, len(clauses))
    last = first
    while last + 1 < stop and not _opens_anew(clauses[last + 1]) and clauses[last + 1].end - position <= _LONGEST:
        told = clauses[last].between(position, clauses[last].end)
        if not (all or not tells(told) or not predicates(told) or _lacks_subject(clauses[last + 1])):
            break
        last += 1
    return trimmed([w for c in clauses[first : last + 1] for w in c.words if w.start >= position])


def only(clause: Clause, start: int, end: int) -> Span | None:
    """What one clause says within ``[start, end)``."""
    return trimmed(clause.between(start, end))


def trimmed(words: Sequence[Word]) -> Span | None:
    """The words without connectives, particles and marks at their edges, or None where nothing is said."""
    first, last = 0, len(words)
    while first < last and (words[first].text in _EDGES or _is_mark(words[first]) or words[first].text in TURNS):
        first += 1
    if last - first > 3 and words[first].flag.startswith("r") and words[first + 1].text in _VIEWS:
        first += 2  # 我们 认为 价格 会 涨
    if last - first > 2 and words[first].text == "到" and first and words[first - 1].text == "考虑":
        first += 1
    numbered = last - first > 2 and words[first].text.isdigit() and words[first + 1].text in ("、", ".", ")")
    if numbered and not words[first + 2].text[0].isdigit():
        first += 2  # 1、
    while last > first and (_is_mark(words[last - 1]) or words[last - 1].flag in ("y", "e")):
        last -= 1
    if last - first > 2 and words[first].text in ("受", "受到") and words[last - 1].text == "影响":
        first, last = first + 1, last - 1  # 因为 受到 寒潮 的 影响
        last -= words[last - 1].text == "的"
    kept = words[first:last]
    return (kept[0].start, kept[-1].end) if tells(kept) else None


def tells(words: Sequence[Word]) -> bool:
    """Whether the words say something: more than a pronoun, an interjection or a frame such as 我觉得."""
    content = [
        w
        for w in words
        if w.flag.startswith(("v", "a", "n", "l", "i", "z", "j", "b", "eng")) and w.text not in _NOTHING | LIGHT
    ]
    return sum(len(w.text) for w in content) > 1 or len(words) > 3 or (bool(content) and len(words) > 2)


def predicates(words: Sequence[Word]) -> bool:
    """Whether a verb or an adjective stands in the words."""
    return any(
        w.flag.startswith(("v", "a", "i", "l", "z")) and not w.flag.startswith(("vn", "an", "ad", "vd")) for w in words
    )


def names(words: Sequence[Word]) -> bool:
    """Whether the words only name a thing: 这个工作, 我大脑释放的皮质醇."""
    told = [w for w in words if not _is_mark(w)]
    of = max((j for j, w in enumerate(told) if w.text == "的"), default=-1)
    if any(w.text in _HOLDS or w.text in _MODALS or w.text in ("了", "过") for w in told) or not told:
        return False
    behind = told[of + 1 :]
    called = [j for j, w in enumerate(behind) if w.flag == "vn" and j and behind[j - 1].flag[0] in "rmqn"]
    return bool(behind) and not any(
        w.flag.startswith(("v", "a", "i", "l", "z", "d", "p")) and j not in called for j, w in enumerate(behind)
    )


def acts(words: Sequence[Word]) -> bool:
    """Whether something is done or happens in the words, and does not only hold."""
    return any(w.text in ("了", "过") for w in words) or any(
        w.flag.startswith(("v", "i", "l")) and w.text not in _HOLDS for w in words
    )


def _opens_anew(clause: Clause) -> bool:
    for word in clause.words[:3]:
        if word.text in _OPENERS or word.text in TURNS:
            return True
        if word.text not in LIGHT and not _is_mark(word):
            return False
    return False


def _is_aside(clause: Clause) -> bool:
    """Whether a clause is only an interjection or a link: 对，然后呢，往前走."""
    return not tells(clause.words)


def _is_short(clause: Clause) -> bool:
    return sum(len(w.text) for w in clause.words if not _is_mark(w)) <= _SHORT


def _lacks_subject(clause: Clause) -> bool:
    if only_measures(clause.words):
        return True
    for word in clause.words:
        if word.text in _MODALS:
            return True
        if word.text in SO_PARTNERS or word.flag.startswith(_BEFORE_SUBJECT) or _is_mark(word):
            continue
        return word.flag.startswith("v") or word.text in _TRANSFER
    return True


def only_measures(words: Sequence[Word]) -> bool:
    """Whether a clause only says by how much what stands before changed: 同比 下降 24%, 从 6% 提高 到 19%."""
    compares = words[0].text in _COMPARING or direction_of(words[0]) is not None
    return words[0].text in MEASURES or (compares and any(w.text[0].isdigit() for w in words))


def _is_mark(word: Word) -> bool:
    return not any(map(str.isalnum, word.text)) and word.text not in tuple("%％‰")


def without_adverbs(words: Sequence[Word]) -> Sequence[Word]:
    """The words of what comes before a verb, without what only says how, when or that it may be."""
    last = len(words)
    while last and (
        words[last - 1].flag.startswith(("d", "ad", "u", "c", "x"))
        or words[last - 1].text in MANNERS
        or words[last - 1].text in _BEFORE_VERB
        or words[last - 1].text in MODALS
        or words[last - 1].text in HEDGES
        or words[last - 1].text in NEGATIONS
    ):
        last -= 1
    first = 0
    while first < last and (words[first].text in _ADDED or words[first].flag.startswith("x")):
        first += 1
    return words[first:last]


def goes_on(words: Sequence[Word]) -> bool:
    """Whether something happens or holds in the words, also by a word that may be a noun (检查了条款)."""
    return predicates(words) or acts(words)


def framed(clause: Clause) -> bool:
    """Whether a clause only says when, where or for whom the next holds."""
    told = [w.text for w in clause.words if any(map(str.isalnum, w.text)) and w.flag != "y"]
    return bool(told) and told[-1].endswith(_FRAME_ENDS)


def claims(words: Sequence[Word]) -> bool:
    """Whether the words say what one thinks or asks for: what stands beside 因为 then supports it."""
    told = [w for w in words if not _is_mark(w) and w.text not in LIGHT]
    return bool(told) and (
        told[0].text in _ASKED
        or (told[0].text.startswith("请") and told[0].text not in _OTHER_REQUESTS)
        or any(w.text in _HELD and j and told[j - 1].flag.startswith("r") for j, w in enumerate(told[:4]))
    )


__all__ = [
    "FRAMES",
    "LIGHT",
    "Span",
    "acts",
    "ahead",
    "back",
    "claims",
    "framed",
    "goes_on",
    "names",
    "only",
    "only_measures",
    "predicates",
    "tells",
    "trimmed",
    "without_adverbs",
]
