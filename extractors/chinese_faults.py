"""A failure and what fails with it, told in two clauses without a cue: 光缆被挖断，通信中断."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from extractors.chinese_clauses import Clause, Found
from extractors.chinese_cues import ADDITIONS, CONDITIONALS, TURNS, Cue, Shape
from extractors.chinese_groups import only
from extractors.chinese_mentions import MentionSpan
from extractors.chinese_rules import Link
from extractors.chinese_tables import listed
from extractors.chinese_words import Word
from storage.records import RelationType

_FAULTS = listed(
    """
    故障 失灵 失效 断裂 破裂 泄漏 泄露 老化 堵塞 磨损 短路 过载 过热 松动 脱落 损坏 受损 烧毁 烧坏 过期 到期
    写满 占满 耗尽 不足 过低 过高 过大 缺失 丢失 溢出 死锁 挖断 刮断 压断 切断 溃坝 决堤 塌方 坍塌 停电 断电
    断网 断水 漏水 漏油 漏电 起火 爆炸 着火 破产 违约 停药 受压 感染 出血 缺氧 脱水 中毒 腐蚀 缺油 缺水 缺电
    打滑 失控 失准 出错 误删 误操作 干燥 结冰 冻裂 干旱 暴雨 大雨 台风 停转 停机 宕机 失火 蔓延 肆虐 来袭 登陆
    开裂 变形 卡死 卡涩 崩溃 漂移 失败
    """
)
"""How a clause ends, or what it names, in which something goes wrong by itself."""
_FAILURES = listed(
    """
    无法 不能 未能 失败 中断 崩溃 宕机 瘫痪 停机 停产 停工 停运 停转 停止 停电 跳闸 熔断 卡死 卡顿 报警 报错
    告警 超时 离线 掉线 丢失 积压 重启 挂起 不可用 被淹 受淹 淹没 受损 损坏 烧毁 起火 爆炸 坍塌 倒塌 断裂 脱落
    泄漏 泄露 漏油 相撞 追尾 侧滑 侧翻 翻车 坠落 受伤 死亡 身亡 疼痛 复发 恶化 昏倒 昏迷 发烧 蔓延 扩散 失控
    延误 推迟 取消 关闭 绝收 减产 缺货 脱销 无效 失效 作废 过热 撤离 疏散 受困 延迟 停航 停课 停驶 阻塞 堵塞
    打不开 被迫 变慢 出错 误报
    """
)
"""What a clause says of the thing that suffers it."""
_LONGEST = 20
"""Most characters of a clause: what is longer says more than one thing."""
_SOFTENED = frozenset(listed("也 又 还 同时 另 另外 其中 以及 并 并且 仍 仍然 却 依然 一 不会"))
_CUE = Cue("fault", Shape.CONNECTIVE, RelationType.CAUSAL, "juxtaposition", 0.6, ())


def faults(clauses: Sequence[Clause], *, stop: str) -> Iterator[Link]:
    """The fault of the first of two clauses as the cause of the failure in the second, where these are all.

    ``stop`` is the punctuation behind them: a question or a list says nothing.
    """
    if len(clauses) != 2 or "?" in stop:
        return
    first, second = clauses
    if any(c.cues for c in clauses) or max(c.end - c.start for c in clauses) > _LONGEST:
        return
    if not _is_fault(first.words) or not _is_failure(second.words) or _named(first.words) & _named(second.words):
        return
    head, tail = only(first, first.start, first.end), only(second, second.start, second.end)
    if head is None or tail is None:
        return
    ends = MentionSpan(*head, None), MentionSpan(*tail, None)
    yield Link(Found(_CUE, head[1], head[1]), *ends, 1.0, "clauses", whole=True)


def goes_wrong(words: Sequence[Word]) -> bool:
    """Whether the words end with a fault: 长期缺油, 光缆被挖断."""
    return any("".join(w.text for w in words[-k:]).endswith(_FAULTS) for k in (1, 2))


def fails(words: Sequence[Word]) -> bool:
    """Whether the words say what a thing suffers: 报警, 无法登录."""
    return any(w.text.endswith(_FAILURES) for w in words)


def _is_fault(words: Sequence[Word]) -> bool:
    told = _told(words)
    return len(told) > 1 and _speaks(told) and goes_wrong(told)


def _is_failure(words: Sequence[Word]) -> bool:
    told = _told(words)
    named = bool(told) and told[0].flag.startswith(("n", "v", "j", "m", "b", "a")) and told[0].text not in _FAILURES
    return named and _speaks(told) and fails(told[1:])


def _told(words: Sequence[Word]) -> list[Word]:
    return [w for w in words if any(map(str.isalnum, w.text)) and w.text not in ("了", "严重", "大面积", "突然")]


def _speaks(told: Sequence[Word]) -> bool:
    """Whether the clause says so without turning, adding, supposing, denying or pointing."""
    return not any(
        w.text in TURNS
        or w.text in CONDITIONALS
        or w.text in _SOFTENED
        or (j == 0 and w.text in ADDITIONS)
        or w.flag.startswith("r")
        or w.text in ("不", "没", "没有", "未", "吗", "的")
        for j, w in enumerate(told)
    )


def _named(words: Sequence[Word]) -> set[str]:
    return {w.text for w in words if w.flag.startswith("n")}


__all__ = ["fails", "faults", "goes_wrong"]
