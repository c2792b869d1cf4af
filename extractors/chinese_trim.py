"""Words at the edges of an end that are no part of it."""

from __future__ import annotations

from collections.abc import Sequence

from extractors.chinese_cues import ADDITIONS, CONDITIONALS, HEDGES, NEGATIONS, PRONOUNS, SO_PARTNERS, TURNS
from extractors.chinese_events import is_noun
from extractors.chinese_mentions import MentionSpan
from extractors.chinese_tables import listed
from extractors.chinese_words import Word

LEADING = (
    frozenset(
        listed("""
    其中 尤其 尤其是 特别 特别是 主要 主要是 因素 还有 那么 如此 一方面 其实 当然 此外 另外 一则 二则 一 二 三 四
    一是 二是 三是 首先 再次 也是 也 还 又 就 便 则 才 将 会 再 使 令 让 的 了 是 虽 故 若 如 更 均 都 即
    也将 仍将 将会 从而 进而 因此 因而 所以 因为 由于 由此 继而 并将 同样 不过 先 后 仅 却 据 据悉 可见 考虑 考虑到
    第一 第二 第三 其一 其二 第一是 第二是 经过 进一步 正是 借助
    """)
    )
    | (HEDGES - {"应", "似", "恐"})
    | frozenset((*ADDITIONS, *TURNS, *SO_PARTNERS))
    | CONDITIONALS
)
_TRAILING = (
    frozenset(
        listed("""
    等 的 了 着 后 之后 在 对 把 将 由 以 为 从 于 所 并 或 也将 仍 仍将 而 是 也 还 会 共同 共 进一步 从而 进而
    最终 直接 间接 必将 势必 已 已经 正 均 都 又 再 则 就 便 也会 将会 而言 随之 相应 主要 同时 继而 不断 逐步
    逐渐 继续 共将 有效 一方面 另一方面 不仅 不但 既 有力 大幅 明显 严重 显著 也是 都是 正在 一定程度上 其 且 更
    倒逼 能够 可以 能 有 双重 多重
    """)
    )
    | (HEDGES - {"预期"})
    | frozenset(NEGATIONS)
)
"""Words between an event and the cue behind it that belong to neither."""
_SPEECH = frozenset(listed("表示 认为 指出 称 预计 预期 强调 判断 提到 看到 发现 显示"))
_REASONS = frozenset(listed("原因 因素 主因 动力 诱因 推手 根源 导火索 契机"))
_OF = ("的", "是", "为")
_SOURCES = frozenset(listed("据 根据"))
_SOURCE_ENDS = frozenset(listed("了解 悉 统计 显示 消息 报道 测算 估计 调研"))
"""Ends of 据我们了解, which names a source and no event."""
JOINTS = frozenset(listed("和 与 及 以及 、 或 叠加 加上"))


def trimmed(words: Sequence[Word], *, cue_behind: bool, mention: MentionSpan | None) -> Sequence[Word]:
    """The words without what only links, hedges or reports them; an event of the mention stays whole."""
    event = mention if mention is not None and mention.event is not None else None
    first, last = 0, len(words)
    stop = event.start if event else (words[-1].start if words else 0)
    for j, word in enumerate(words):
        foretold = word.text in ("预计", "预期")  # 大豆 预计 存在 缺口: nobody says so
        told = j == 0 or words[j - 1].flag.startswith("r") or (is_noun(words[j - 1]) and not foretold)
        if word.text in _SPEECH and told and word.end <= stop:
            first = j + 1
    if first < last and words[first].text in _SOURCES:
        told_by = [j for j in range(first + 1, min(last, first + 5)) if words[j].text in _SOURCE_ENDS]
        first = told_by[0] + 1 if told_by and words[told_by[0]].end <= stop else first
    numbered = words[first].text.isdigit() or words[first].text in "一二三四五六七八九十" if first < last else False
    if last - first > 2 and numbered and words[first + 1].text in ("、", ".", ")"):
        first += 2  # 3、
    if last - first > 2 and words[first].text == "考虑" and words[first + 1].text == "到":
        first += 2
    while (
        first < last and words[first].end <= stop and _leads(words[first]) and not _determines(words[first : first + 2])
    ):
        first += 1
    keep = event.end if event else 0
    while last > first and words[last - 1].start >= keep and _trails(words[last - 1], cue_behind=cue_behind):
        last -= 1
    kept = words[first:last]
    if len(kept) > 1 and kept[-1].text == "之一" and kept[-1].start >= keep:
        kept = kept[:-1]
    if kept and kept[-1].text in _REASONS and kept[-1].start >= keep:
        of = next((k for k in range(len(kept) - 1, max(0, len(kept) - 6), -1) if kept[k].text in _OF), None)
        told = of is not None and kept[of].start >= keep and not kept[of - 1].flag.startswith(("a", "d"))
        kept = kept[:of] if told else kept  # 导致 价格 下跌 的 最大 原因
        become = (
            next((k for k, w in enumerate(kept) if w.text in ("成为", "成") and w.start >= keep), None)
            if told
            else None
        )
        kept = kept[:become] if become else kept  # 食品 价格 上涨 成为 见顶 的 主因
    marks = "".join(w.text for w in kept)
    for opening, closing in ("“”", "‘’", "《》"):
        if marks.startswith(opening) and closing not in marks:
            kept = kept[1:]
    return kept


def _determines(words: Sequence[Word]) -> bool:
    """Whether a pronoun only points out the noun behind it: 此轮反弹."""
    return len(words) > 1 and words[0].text in ("此", "该", "这", "本") and words[1].flag.startswith("q")


def _leads(word: Word) -> bool:
    if not any(map(str.isalnum, word.text)):
        return word.text not in "“‘《"
    return word.text in LEADING or word.text in PRONOUNS or word.flag.startswith(("c", "y", "u"))


def _trails(word: Word, *, cue_behind: bool) -> bool:
    if not any(map(str.isalnum, word.text)):
        return word.text not in "”’》%％‰"
    if word.flag.startswith(("c", "y", "u")) or word.text in ("导致", "所致", "造成", "引起", "致使"):
        return True
    return cue_behind and (word.text in _TRAILING or word.flag.startswith("p") or word.flag == "d")


__all__ = ["JOINTS", "LEADING", "trimmed"]
