"""Chinese cues of the four relation types as data: what each says, which way it points, how far it can be trusted.

Written in simplified characters; the extractor matches them in the simplified form of a text. Confidence is a rounded
share of right hits from hand-judged samples; a cue below 0.5 is kept for those who ask for weak links.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from extractors.chinese_tables import listed
from storage.records import RelationType


class Shape(StrEnum):
    """Where the two ends of a relation stand about its cue."""

    VERB = "verb"  # A cue B: 需求下降导致价格下跌
    CONNECTIVE = "connective"  # A，cue B: 需求下降，因此价格下跌
    OPENER = "opener"  # cue A，B: 由于需求下降，价格下跌
    BACKWARD = "backward"  # B cue A: 价格下跌源于需求下降
    CLOSER = "closer"  # A cue，B: 停产后，价格上涨
    EXAMPLE = "example"  # B，cue A: 很多品种上涨，例如…


class Cue(NamedTuple):
    """One cue: ``words`` are its written forms."""

    name: str
    shape: Shape
    type: RelationType
    subtype: str
    confidence: float
    words: tuple[str, ...]
    needs_events: bool = False  # only where both ends are events with a direction
    reversed: bool = False  # the end before in the text is the later, or the conclusion


def _cue(
    name: str,
    shape: Shape,
    type: RelationType,
    subtype: str,
    confidence: float,
    words: str,
    *,
    needs_events: bool = False,
    reversed: bool = False,
) -> Cue:
    return Cue(name, shape, type, subtype, confidence, tuple(words.split()), needs_events, reversed)


_C, _Q, _S, _P = RelationType.CAUSAL, RelationType.SEQUENTIAL, RelationType.SUPPORTING, RelationType.PROGRESSIVE

CUES: tuple[Cue, ...] = (
    # --- causal: verbs
    _cue("verb-cause", Shape.VERB, _C, "cause", 0.85, "导致 引发 致使 引致 招致 诱发 酿成 触发 引起"),
    _cue("verb-produce", Shape.VERB, _C, "cause", 0.75, "造成"),
    _cue("verb-make", Shape.VERB, _C, "cause", 0.75, "使得 促使 迫使 驱使 促成 令得"),
    _cue("verb-make-weak", Shape.VERB, _C, "cause", 0.65, "致 使 令 促", needs_events=True),
    _cue("verb-let", Shape.VERB, _C, "cause", 0.48, "让", needs_events=True),
    _cue("verb-drive", Shape.VERB, _C, "cause", 0.75, "带动 推动 拖累 助推 拉动 驱动 催生 带来", needs_events=True),
    _cue(
        "verb-signed",
        Shape.VERB,
        _C,
        "cause",
        0.75,
        """
    推高 推升 拉高 抬高 抬升 拉升 压低 拉低 压制 打压 抑制 遏制 提振 刺激 支撑 侵蚀 挤压 摊薄 加剧 促进 缓解
    助长
    """,
        needs_events=True,
    ),
    _cue("verb-pass-on", Shape.VERB, _C, "influence", 0.65, "传导至 传导到 传递至 传递到 波及 蔓延至 蔓延到"),
    _cue("verb-favour", Shape.VERB, _C, "cause", 0.48, "利好 利空 利多", needs_events=True),
    _cue("verb-affect", Shape.VERB, _C, "influence", 0.4, "影响 冲击 制约", needs_events=True),
    # --- causal: connectives
    _cue(
        "so",
        Shape.CONNECTIVE,
        _C,
        "result",
        0.65,
        "因此 因而 所以 故而 故 于是乎 因之 正因如此 正因为如此 正因此 为此 由此",
    ),
    _cue(
        "thereby",
        Shape.CONNECTIVE,
        _C,
        "result",
        0.75,
        "从而 以致 以致于 以至于 以至 致使 进而导致 最终导致 由此导致 结果导致",
    ),
    _cue(
        "so-affected",
        Shape.CONNECTIVE,
        _C,
        "result",
        0.7,
        "受此影响 受此带动 受此推动 受此提振 受此拖累 受此支撑 受此刺激 受此冲击 受其影响 受其带动 受其拖累",
    ),
    _cue("as-a-result", Shape.CONNECTIVE, _C, "result", 0.6, "结果"),
    _cue("then-cause", Shape.CONNECTIVE, _C, "result", 0.65, "进而 继而", needs_events=True),
    # --- causal: openers
    _cue("because", Shape.OPENER, _C, "reason", 0.75, "因为 由于 鉴于 正因为 正由于 缘于 只因 皆因"),
    _cue("because-short", Shape.OPENER, _C, "reason", 0.48, "因"),
    _cue("since", Shape.OPENER, _C, "reason", 0.6, "既然"),
    _cue("affected-by", Shape.OPENER, _C, "reason", 0.75, "受 受到 受益于 受累于 受制于 受益 得益于"),
    _cue("along-with", Shape.OPENER, _C, "reason", 0.62, "随着 伴随着 伴随"),
    _cue("against-background", Shape.OPENER, _C, "background", 0.48, "在"),
    _cue("under-influence", Shape.OPENER, _C, "reason", 0.65, ""),  # 在 with an end that names an effect: 影响下
    # --- causal: condition and purpose
    _cue("if", Shape.OPENER, _C, "condition", 0.55, "如果 若 假如 倘若 要是 假使 如若 倘使 若是"),
    _cue("once", Shape.OPENER, _C, "condition", 0.49, "一旦 只要 只有"),
    _cue("in-order-to", Shape.OPENER, _C, "purpose", 0.4, "为了"),
    _cue("so-as-to", Shape.CONNECTIVE, _C, "purpose", 0.4, "以便 以免 以期"),
    # --- causal: from the effect to the cause
    _cue(
        "due-to",
        Shape.BACKWARD,
        _C,
        "reason",
        0.85,
        """源于 源自 归因于 归咎于 起因于 主要由于 主要是由于 是由于 正是由于 是因为 主要因为 主要是因为 主要因 主要是因
        主要受 主要是受 主要系 系因 是受 主要源于 主要得益于 主要受益于 主要归因于 归功于 多因""",
    ),
    _cue(
        "caused-by", Shape.BACKWARD, _C, "reason", 0.85, "主要由 主要是由 是由 均由 由"
    ),  # only with an end of CAUSED_ENDS
    _cue("origin", Shape.BACKWARD, _C, "reason", 0.85, ""),  # found by the pattern ORIGIN_NOUNS
    # --- sequential
    _cue(
        "then",
        Shape.CONNECTIVE,
        _Q,
        "succession",
        0.65,
        "然后 接着 随后 随即 其后 后来 此后 之后 继而 紧接着 接下来 而后",
    ),
    _cue("after", Shape.CLOSER, _Q, "succession", 0.6, "之后 以后 后"),
    _cue("before", Shape.CLOSER, _Q, "precedence", 0.58, "之前 以前 前", reversed=True),
    # --- supporting
    _cue(
        "shows",
        Shape.VERB,
        _S,
        "shows",
        0.65,
        "表明 显示 说明 证明 印证 证实 意味着 反映出 显示出 体现出 表明了 说明了 印证了 证明了 预示着",
    ),
    _cue(
        "so-seen",
        Shape.CONNECTIVE,
        _S,
        "conclusion",
        0.65,
        "由此可见 可见 足见 由此看来 这说明 这表明 这意味着 这证明 这反映出",
    ),
    _cue("claim", Shape.CONNECTIVE, _S, "reason", 0.65, ""),  # 因为 and 所以 beside what one thinks or asks for
    _cue("according-to", Shape.OPENER, _S, "source", 0.65, "根据 据 依据"),
    _cue("example", Shape.EXAMPLE, _S, "example", 0.55, "例如 比如 譬如 比方说 举例来说"),
    # --- progressive
    _cue("even", Shape.CONNECTIVE, _P, "even", 0.65, "甚至 甚至于 乃至 乃至于"),
    _cue("let-alone", Shape.CONNECTIVE, _P, "let-alone", 0.65, "何况 更何况 况且"),
    _cue(
        "further",
        Shape.CONNECTIVE,
        _P,
        "further",
        0.55,
        "更重要的是 更严重的是 更为重要的是 更糟的是 更有甚者 不仅如此 不但如此",
    ),
)

ORDER = _cue("order", Shape.CONNECTIVE, _C, "juxtaposition", 0.25, "")
"""No cue at all: two events one after the other in a sentence. About every third such pair is causal; less is claimed,
since documents that tell them in one order do so for one reason, and their voices add up as if they did not."""

CHANGES = _cue("change", Shape.CONNECTIVE, _C, "juxtaposition", 1.0, "")
"""No cue either, but two changes of which the one brings about the other: ``chinese_changes`` says how sure that is."""

NOT_ONLY = listed("不仅仅 不仅 不但 不只 不光 不单 非但 不单单 不止")
"""First half of 不仅…而且."""
BUT_ALSO = listed("而且 并且 反而 甚至 更是 还是 还会 还 更 也 且 同时 同样")
"""Second half of 不仅…而且, the surer ones first."""
FIRST = listed("首先 起初 最初 最先 先是 起先")
"""First member of a list in time, when a word of ``NEXT`` follows."""
NEXT = listed("然后 接着 随后 其后 后来 之后 再 最后 最终 继而 其次 紧接着 而后")
"""Later members of a list in time."""

ORIGIN_NOUNS = (
    r"(?:主要|部分)?(?:有[一二三四五六两几](?:个|点|大|方面|大方面))?的?(?:主要|重要|根本|直接|核心|最大|首要|关键|深层|一个){0,6}"
    r"(?:原因|起因|诱因|主因|成因|根源|推手|动力|因素|根因|驱动)(?:之一)?(?:主要)?"
    r"(?:就?是|为|在于|仍在|系|来自于?|源于|包括|有[一二三四五两几以](?:个|点|下)?|如下|(?=:))"
    r"|的(?:主要|首要|关键)(?:还?是)"
)
"""B 的原因是 A: the effect before, the cause behind."""

SO_PARTNERS = listed("所以 因此 因而 故 于是 从而 那么 便 就 则 才 导致 使得 致使")
"""What may open the clause of the effect."""

NEGATIONS = listed(
    """
    没有 并没有 没 未 并未 并非 不会 不能 不是 不 未能 难以 无法 尚未 不再 不足以 并不 并不会 并不是 绝不会 绝非
    从未 不再是
    """
)
"""Words that deny the relation when they stand right before its cue."""

HEDGES = frozenset(
    listed(
        """
    可能 或 或许 也许 恐怕 恐 预计 预期 有望 料 料将 估计 大概 或将 或者 似乎 未必 疑似 很可能 可能会 有可能 预测
    料想 或会 似 看似 应该 应 倾向 往往 有助于 有利于
    """
    )
)
"""Words that weaken a claim."""

CONDITIONALS = frozenset(listed("如果 若 假如 倘若 要是 假使 一旦 如若 倘使 若是 除非 万一 假定 假设"))
"""Words that make what follows hypothetical."""

QUESTIONS = frozenset(listed("吗 呢 是否 能否 会否 是不是 会不会 难道"))

ADDITIONS = frozenset(listed("叠加 同时 并且 加之 以及 再加上 加上 且 并 另外 此外 而且 和 及 与 又 也 还"))
"""Words that open a clause which adds to the one before instead of following from it."""

HEAPED = frozenset(listed("叠加 加之 再加上 加上"))
"""Words that heap one cause on another, also before a verb of their own."""

FURTHER_ITEMS = frozenset(listed("另一方面 二是 三是 其次 其二 其三 第二 第三"))
"""Words that open a later item of a list."""

TURNS = FURTHER_ITEMS | frozenset(listed("但 但是 然而 不过 虽然 尽管 却 可是 反之 相反 而 虽"))
"""Words that open a clause which goes against the one before."""

BACKGROUND_ENDS = listed("""
    的背景下 背景下 的情况下 情况下 的形势下 形势下 的影响下 影响下 的带动下 带动下 的推动下 推动下 的作用下
    作用下 的压力下 压力下 的刺激下 的拖累下 拖累下 的支撑下 支撑下 的驱动下 的助推下 助推下 的提振下 提振下 的拉动下
    拉动下 的冲击下 冲击下 的制约下 的打压下 的推升下 的催化下 的驱使下 驱使下 的牵引下 刺激下
    多重因素影响下 等多重因素影响下 等因素影响下 因素影响下 因素的影响下 等因素的影响下 因素共同影响下 等因素共同影响下
    """)
"""Ends of 在…下."""
TIME_ENDS = ("背景下", "情况下", "形势下")
"""How those of them end that say at what time rather than what acts."""

AFFECTED_ENDS = listed("""
    的持续影响 持续影响 的共同影响 共同影响 的叠加影响 叠加影响 的综合影响 综合影响 的负面影响 负面影响 的不利影响
    不利影响 等方面影响 等多方面影响 等因素的共同影响 等因素共同影响 等因素叠加影响 等因素综合影响 的较大影响
    等负面因素影响 负面因素影响 等不利因素影响 不利因素影响 等多种因素影响 多种因素影响 等多因素影响 多重因素影响
    等负面因素的影响 等不利因素的影响 等多种因素的影响 等多重因素的影响 等诸多因素影响 诸多因素影响 等综合因素影响
    等因素的影响 等因素影响 等多重因素影响 因素的影响 因素影响 的双重影响 双重影响 的影响 等影响 影响 的拖累 拖累
    的带动 带动 的推动 推动 的冲击 冲击 的拉动 拉动 的提振 提振 的支撑 支撑 的刺激 刺激 的制约 制约 的驱动 驱动
    的打压 打压 的抑制 抑制 的双重挤压 的挤压 挤压 的压制 压制 限制 的限制 的助推 助推 的推升 推升 的掣肘 掣肘
    的打击 打击 的干扰 干扰 所致
    """)
"""Ends of 受…影响."""

CAUSED_ENDS = listed("引起 导致 造成 引发 所致 所引起 所导致 所造成 驱动 推动 带动 拉动 触发 诱发 促成 主导 贡献")
"""Ends of 由…引起."""

EVIDENCE_NOUNS = frozenset(
    listed(
        """
    数据 报告 统计 调研 研究 测算 调查 资料 监测 公告 分析 结果 记录 日志 报道 披露 实验 试验 检测 年报 季报 样本
    文献 指标 曲线 证据 图表
    """
    )
)
"""What a claim can rest on: 根据…数据."""

TESTIMONIES = frozenset(listed("日志 试验 实验 调查 监测 化验 检测 审计 测试 尸检 勘查 病历 录像"))
"""Evidence of two characters that says by itself where it comes from; 数据 and 报告 are said of anything."""

ADVICE = frozenset(listed("建议 推荐 维持 给予 评级"))
"""Words of a recommendation, which follows from no event."""

MEASURES = ("同比", "环比", "比", "较", "分别", "跌幅", "涨幅", "降幅", "增幅")
"""First words of a clause that says by how much what stands before changed."""

MANNERS = frozenset(listed("严重 极大 最大 容易 直接 间接 显著 明显 有效 大大 很大"))
"""Adjectives that say how before a verb, and alone name nothing."""

VIEW_ENDS = frozenset(listed("来看 看 而言 来说 方面 来讲 角度 上看"))
"""Last words of a clause that says under which view the next holds."""

VIEWS = ("来讲", "来说", "来看", "而言")
"""Endings of a clause that is nothing but such a view."""

PRONOUNS = frozenset(listed("这 此 该 其 它 它们 这些 那 这样 这一 这种 上述 这也 这就 以上"))
"""Words that stand for what was said before."""

CUE_WORDS = frozenset(
    word
    for cue in CUES
    for word in cue.words
    if len(word) > 1 and not word.startswith(("主要", "这", "正", "是", "由此", "更"))
).union(NOT_ONLY) - {"进而导致", "最终导致", "结果导致"}
"""Cue words that the segmenter must keep whole."""

__all__ = [
    "ADDITIONS",
    "ADVICE",
    "AFFECTED_ENDS",
    "BACKGROUND_ENDS",
    "BUT_ALSO",
    "CAUSED_ENDS",
    "CHANGES",
    "CONDITIONALS",
    "CUES",
    "CUE_WORDS",
    "EVIDENCE_NOUNS",
    "FIRST",
    "FURTHER_ITEMS",
    "HEAPED",
    "HEDGES",
    "MANNERS",
    "MEASURES",
    "NEGATIONS",
    "NEXT",
    "NOT_ONLY",
    "ORDER",
    "ORIGIN_NOUNS",
    "PRONOUNS",
    "QUESTIONS",
    "SO_PARTNERS",
    "TESTIMONIES",
    "TIME_ENDS",
    "TURNS",
    "VIEWS",
    "VIEW_ENDS",
    "Cue",
    "Shape",
]
