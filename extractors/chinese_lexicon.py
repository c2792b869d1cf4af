"""Words that say a change: directions, attributes, compounds of both, and words that carry no content.

Tables only, in simplified characters. What is listed is the common vocabulary of reports on trade, operations and
incidents; nothing here comes from a benchmark.
"""

from __future__ import annotations

from extractors.chinese_tables import listed
from storage.records import Direction

_UP = listed("""
    上涨 走高 回升 提升 增加 上升 增长 攀升 上行 反弹 上调 提高 扩大 升高 走强 高企 高涨 飙升 大涨 暴涨 上扬 拉升
    旺盛 强劲 回暖 复苏 改善 好转 转好 充足 充裕 宽松 扩张 放量 激增 大增 剧增 猛增 暴增 增多 增大 走旺 向好 企稳
    坚挺 偏强 偏高 较高 过高 变大 变多 变高 变长 上浮 上移 抬升 抬高 推高 推升 拉高 拉动 提振 调涨 提涨 看涨 跟涨
    普涨 领涨 补涨 走升 续涨 递增 增强 加大 加快 加速 新高 高位 冲高 升温 回补 回稳 堆积 积压 累积 超标 过热 过高
    翻番 翻倍 走俏 暴增 上冲 增厚 释放 刺激 支撑 涨 升 增 涨至 升至 增至 偏松 走扩 稳中有升 稳中有涨 稳中趋升
    居高不下 回温 趋升 探涨 见涨 转强 转旺 上探 上量 增势 涨势 升势 飞涨 狂涨 井喷 攀高
    """)

_DOWN = listed("""
    下跌 下滑 减少 走低 下降 回落 下行 降低 缩减 萎缩 收缩 收紧 趋紧 偏紧 紧张 紧缺 不足 疲软 低迷 疲弱 走弱 下挫
    大跌 暴跌 下调 锐减 骤减 骤降 剧减 大减 大降 跳水 受限 受阻 恶化 承压 去化 递减 减弱 削弱 变小 变少 变低 变慢
    变差 缩小 收窄 缩窄 走软 走跌 偏弱 偏低 较低 过低 低位 新低 压低 拉低 压制 抑制 打压 遏制 调降 看跌 跟跌 普跌 领跌
    补跌 续跌 乏力 萎靡 趋弱 疲态 不振 清淡 平淡 低落 缩水 滑落 滑坡 回调 探底 下探 跌落 紧俏 吃紧 匮乏 中断 骤跌
    急跌 急降 减缓 放缓 减慢 下移 下浮 偏少 减量 缩量 阴跌 跌 降 减 跌至 降至 减至 枯竭 耗尽 侵蚀 挤压 压缩 摊薄
    削减 受挫 遇冷 转弱 转淡 稳中有降 稳中趋降 趋降 跌势 降势 崩塌 崩盘 崩跌 雪崩 重挫 闪崩
    """)

DIRECTION_WORDS: dict[str, Direction] = dict.fromkeys(_UP, Direction.UP) | dict.fromkeys(_DOWN, Direction.DOWN)
"""Words that say up or down of the attribute or subject beside them."""

ADJECTIVES: dict[str, Direction] = {
    **dict.fromkeys(listed("高 强 旺 多 大 好 强势 恢复 良好 可观"), Direction.UP),
    **dict.fromkeys(listed("低 弱 淡 少 小 差 弱势 有限 受损 一般"), Direction.DOWN),
}
"""Words that say a direction right behind an attribute only: 库存高."""

PRICE_WORDS = frozenset(
    listed(
        """
    上涨 下跌 大涨 大跌 暴涨 暴跌 涨 跌 走高 走低 调涨 提涨 阴跌 急跌 骤跌 涨至 跌至 看涨 看跌 跟涨 跟跌 普涨 普跌
    领涨 领跌 补涨 补跌 续涨 续跌 下挫 上扬 走跌 冲高 跳水 坚挺 崩跌 重挫 闪崩 飞涨 狂涨
    """
    )
)
"""Direction words that mean the price where no attribute is named."""

TRANSITIVE = frozenset(
    listed("""
    提升 增加 上调 提高 扩大 推高 推升 拉高 抬高 抬升 拉动 提振 刺激 支撑 调涨 拉升 加大 加快 加速 增强 改善 增厚
    释放 减少 降低 缩减 收紧 下调 压低 拉低 压制 抑制 打压 遏制 调降 缩小 收缩 压缩 削减 削弱 减弱 侵蚀 挤压 摊薄
    减缓 恶化 升高 回补 消耗 推动 带动 促进 助推 利好 拖累 利空
    """)
)
"""Direction words whose object may follow: 降低成本."""

DRIVERS: dict[str, Direction] = {
    **dict.fromkeys(listed("推动 带动 促进 助推 利好"), Direction.UP),
    **dict.fromkeys(listed("拖累 利空"), Direction.DOWN),
}
"""Cue verbs that say the direction of an attribute right behind them where no other word does: 拖累 锌价."""

SIGNED_CAUSATIVES = frozenset(
    listed("推高 推升 拉高 抬高 抬升 拉升 拉动 提振 刺激 支撑 压低 拉低 压制 抑制 打压 遏制 侵蚀 挤压 摊薄 削弱")
)
"""Verbs that say a cause and the direction of its effect; beside a plain direction word they say no direction."""

SLOWING = frozenset(listed("放缓 减缓 减慢 趋缓 收窄 放慢 缓解 减弱"))
"""Words that turn the direction word before them round: 增长放缓, 短缺缓解."""

REPORTING = frozenset(
    listed(
        """
    预计 估计 预测 料 认为 判断 分析 统计 测算 显示 表示 建议 关注 提示 数据显示 了解 推荐 评级 风险提示 故 其中
    系
    """
    )
)
"""Words that report what follows and name no part of it."""

FUNCTION_VERBS = frozenset(
    listed("""
    是 有 使 令 让 致 促 受 由 因 为 从 到 至 在 将 被 把 对 向 随 据 以 要 会 能 等 说 跟 看 想 给 用 做 去 来 上
    下 按 较 仍 已 或 且 并 而 但 如 若 占 达 超 近 称 指 推 压 拉 抬 降 升 涨 跌 减 增 限 停 开 关 该 还 也 就 都
    又 再 即 应 可 未 没 无 不 起 出 入 进 过 完 成 变 转 靠 需 买 卖 保 抢 控 打 叫 请 问 谈 讲 望 盼 怕 恐 致 使
    逼 逢 遇 遭
    """)
)
"""Verbs of one character that never belong to the name of a thing."""

RATE_WORDS = {"涨幅": Direction.UP, "升幅": Direction.UP, "跌幅": Direction.DOWN, "降幅": Direction.DOWN}
"""Amounts of a change: the direction stays whatever the amount does (跌幅收窄 still falls)."""

_PRICE, _SUPPLY, _DEMAND, _SALES, _PROFIT, _COST = "价格", "供给", "需求", "销量", "利润", "成本"
_STOCK, _IMPORT, _EXPORT, _REVENUE = "库存", "进口", "出口", "收入"

COMPOUNDS: dict[str, tuple[str, Direction]] = {
    **dict.fromkeys(listed("涨价 提价 加价 涨停"), (_PRICE, Direction.UP)),
    **dict.fromkeys(listed("降价 跌价 减价 跌停 压价"), (_PRICE, Direction.DOWN)),
    **dict.fromkeys(
        listed(
            """
    增产 扩产 复产 投产 过剩 供过于求 供大于求 达产 丰收 丰产 扩能 集中出栏 集中上市 大量上市 集中抛售 供给过剩
    """
        ),
        (_SUPPLY, Direction.UP),
    ),
    **dict.fromkeys(
        listed(
            """
    减产 停产 限产 短缺 缺货 供不应求 去产能 停工 关停 断供 歉收 绝收 限电限产 停机检修 供应缺口 供需缺口 检修
    停车 停车检修 惜售 压栏 供给缺口 检修停产
    """
        ),
        (_SUPPLY, Direction.DOWN),
    ),
    "旺季": (_DEMAND, Direction.UP),
    "淡季": (_DEMAND, Direction.DOWN),
    **dict.fromkeys(listed("热销 畅销 旺销"), (_SALES, Direction.UP)),
    "滞销": (_SALES, Direction.DOWN),
    **dict.fromkeys(listed("亏损 减利 亏本 减亏"), (_PROFIT, Direction.DOWN)),
    **dict.fromkeys(listed("增利 扭亏 扭亏为盈 增盈"), (_PROFIT, Direction.UP)),
    "减亏": (_PROFIT, Direction.UP),
    "降本": (_COST, Direction.DOWN),
    **dict.fromkeys(listed("去库存 降库存 去库 降库"), (_STOCK, Direction.DOWN)),
    **dict.fromkeys(listed("累库 垒库 补库存 补库 累库存"), (_STOCK, Direction.UP)),
    "增收": (_REVENUE, Direction.UP),
    "减收": (_REVENUE, Direction.DOWN),
}
"""One word that names the attribute and its direction."""

_CLASSES = {
    _PRICE: """
    价格 价 售价 报价 现货价 出厂价 均价 市价 单价 价位 批发价 零售价 收购价 售价格 现货价格 期货价格 销售价格
    销售均价 价格指数 售价 市场价格 出厂价格 采购价格 收购价格 批发价格 零售价格 产品价格 产品售价 期价 行情 身价
    市场价 结算价 价格中枢 价格重心
    """,
    _SUPPLY: """
    供给 供应 产量 产能 供货 货源 产出 供给量 供应量 出栏 出栏量 存栏 存栏量 供给端 供应端 供给面 供应面 单产
    总产量 供求 供需 供需面 供应链 到货 到货量 产能利用率 补栏 补栏量 投放量 生产量 养殖量 屠宰量 出苗量 上市量
    种植面积 播种面积 发电量 到港 到港量 日产量
    """,
    _DEMAND: """
    需求 消费 需求量 消费量 用量 采购量 消耗量 消费需求 市场需求 需求端 需求面 消费端 下游需求 终端需求 订单
    订单量 采购需求 刚需 用电量 表观消费量 表观需求量
    """,
    _SALES: "销量 销售 销售量 出货 出货量 成交量 销售情况 销售数据 走货 成交 销路 产销 产销量 产销率",
    _PROFIT: """
    利润 盈利 毛利 毛利率 净利润 利润率 业绩 效益 净利 盈利能力 利润空间 盈利水平 净利率 盈利空间 毛利润 营业利润
    经营业绩 吨毛利 吨利润 吨净利 毛利水平 利润水平 综合毛利率 销售毛利率 产品利润 加工利润
    """,
    _COST: """
    成本 费用 运营成本 生产成本 经营成本 成本端 制造成本 采购成本 销售成本 营业成本 原料成本 运输成本 单位成本
    成本压力 原材料成本
    """,
    _STOCK: "库存 存货 库存量 社会库存 港口库存 库存水平 库存压力",
    _IMPORT: "进口 进口量",
    _EXPORT: "出口 出口量",
    _REVENUE: "收入 营收 营业收入 销售收入 销售额 主营收入 业务收入",
    "开工率": "开工率 开机率 开机 开工 开工负荷 负荷率 产能开工率",
    "份额": "份额 市场份额 市占率 占有率 市场占有率",
    "规模": "规模 体量",
    "延迟": "延迟 时延 响应时间 耗时 响应延迟",
    "错误": "错误 错误率 报错 失败率 报错率 错误数",
    "负载": "负载 负荷",
    "流量": "流量 访问量 请求量 并发 并发量 请求数",
    "容量": "容量 内存 磁盘空间",
    "可用性": "可用性 可用率",
}

ATTRIBUTES: dict[str, str] = {word: name for name, members in _CLASSES.items() for word in members.split()}
"""Every word for an attribute and the one word that stands for its class in a key."""

MEASURES = frozenset(listed("量 率 度 位 温 数 值 额 费 税 金 幅 比 重 指数 时间 人数 水位 压力 风险 关注度"))
"""Endings of nouns that are measured themselves: 气温上涨 is not a price."""

PRICE_SUFFIX_EXCEPTIONS = frozenset(
    listed("评价 代价 定价 竞价 溢价 造价 讲价 议价 作价 身价 性价 平价 廉价 高价 低价 比价 差价 价 评估价")
)
"""Words that end in 价 without meaning the price of what stands before it."""

GENERIC = frozenset(
    listed("""
    市场 行业 产品 方面 情况 状况 形势 局面 态势 趋势 水平 环境 因素 影响 问题 整体 总体 国内 我国 全球 国际 全国
    国外 海外 境内 世界 中国 板块 领域 公司 企业 业务 相关 主要 主营 部分 其他 其它 明显 大幅 小幅 持续 继续
    进一步 逐步 逐渐 快速 迅速 不断 显著 较大 程度 幅度 增速 增幅 同比 环比 端 上游 下游 终端 现货 期货 商品 预期
    短期 长期 中期 阶段 季节性 阶段性 压力 能力 空间 力度 速度 步伐 进度 周期 运行 方向 区间 范围 结构 基本面 数据
    供需 供求 现象 状态 过程 时候 时间 之间 期间 左右 以上 以下 同期 去年 今年 本周 上周 后期 前期 目前 当前 近期
    未来 大量 一定 极大 重心 中枢 开始 出现 进入 呈现 处于 保持 维持 面临 发生 进行 有所 实现 达到 较 更 约 近 总
    需 呈 项 个 种 者 品 类 系列 产业 行情 格局 水准 节奏 生产 运营 经营 营业 等等 有关 各类 双重 多重 本身 自身
    报告期 原因 背景 事件 作用 事情 东西 动力 推手 力量 主因 关键 态势 势头 迹象 风险 局势 苗头 以来 今年以来
    去年以来 季度 月份 上半年 下半年 年度 全年 地区 区域 省 市 年 月 日 时 期 第一季度 第二季度 第三季度
    第四季度 本年度 新年度 上年度 年初 年底 年末 一季度 二季度 三季度 四季度 因子 潜力 可能性 概率 数量 总量
    增量
    """)
)
"""Words that say nothing about which event is meant."""

HAZARDS = frozenset(
    listed("""
    疫情 猪瘟 禽流感 疫病 瘟疫 口蹄疫 蓝耳病 干旱 旱灾 洪涝 洪水 水灾 山洪 台风 飓风 地震 寒潮 霜冻 冰雹 暴雨 暴雪
    雪灾 高温 低温 加征关税 反倾销 双反 贸易战 贸易摩擦 制裁 罢工 火灾 爆炸 事故 停电 断电 限电 禁运 禁令
    """)
)
"""Words for what befalls a thing and has its effects without saying a direction."""

PERSONS = frozenset(
    listed(
        "人 人们 大家 孩子 学生 老师 父母 朋友 读者 观众 自己 别人 他人 对方 警方 公司 政府 企业 我国 国家 专家 员工"
    )
)
"""Who acts on purpose, or is asked to."""

MODIFIERS = frozenset(
    listed(
        "原材料 原料 商品 大宗 主流 普通 优质 优势 新 老 社会 整个 其余 各种 多种 所有 大部分 多数 少数 平均 综合 总体"
    )
)
"""Words that say nothing when a more telling subject stands beside them: 原材料丙烯价格."""

NEGATORS = frozenset(listed("不 未 没 没有 并未 并非 未能 无法 不再 难以 尚未 从未 不会 不能 不是 无 未曾 毫无 非"))
"""Words that deny what follows."""

ACTIVITIES = frozenset(
    listed("""
    养殖 屠宰 冶炼 加工 种植 销售 采购 投资 消费 生产 运输 发电 炼油 炼钢 炼焦 饲养 出口 进口 贸易 建筑 施工 装修
    采暖 供暖 供电 用电 用钢 用煤 用铜 物流 储存 仓储 制造 开采 捕捞 压榨 分销 批发 零售 租赁 航运 运费 旅游 餐饮
    服务 广告 研发 融资 贷款 登录 支付 结账 下单 查询 请求 连接 写入 读取 备份 部署 发布 缓存 自养 育肥 合成 提炼
    印刷 包装 纺织 印染 造纸
    """)
)
"""Verbs that name a line of work when they stand before a noun: 养殖利润."""

MODALS = frozenset(
    listed("""
    将 会 可能 有望 或 或将 能 才能 能够 可以 要 应 应该 料 料将 预计 必将 必然 势必 存在 面临 承受 重新 理应 难以
    从 也 都 均 又 再 却 则 便 就 才 了 着 过 得 有 有所 被 一直 一路 趋于 转为 转 由 至 到 开始 逐步 往往 一般
    通常 容易 再次 继续 加速 双双 齐 连续 依然 依旧 仍然 仍 还 不断 陷入 走势 看好 迎来 遭遇 变得 显得 相对 比较
    十分 非常 极其 偏 震荡 创 历史 年内 止跌 触底 见底 企稳 底部 自 在 稳 稳中 稳步 再次出现 普遍 纷纷 全线 全面
    集体 缓慢 随之 跟随 有效 逐年 大面积 大幅度 小幅度 大规模 周期性 结构性 稳定 平稳 稳健 迅猛 急剧 强势 爆发式 井喷式
    断崖式 报复性 同步 一并 一同 共同
    """)
)
"""Words that may stand between an attribute and its direction word."""

EXTRA_WORDS: dict[str, str] = {
    **dict.fromkeys(listed("涨幅 跌幅 降幅 升幅 增速 增幅"), "n"),
    **dict.fromkeys(listed("中美 中欧 中日 中俄 中澳 中加 美欧"), "ns"),
    **dict.fromkeys(listed("接口 网关 连接池 动力煤 硅料 糖 硅 大米 原奶 猪瘟 禽流感 反倾销"), "n"),
    **dict.fromkeys(listed("趋缓 放慢 缓解 不可用 不可达"), "v"),
}
"""Further words for the segmenter, with their part of speech."""

__all__ = [
    "ACTIVITIES",
    "ADJECTIVES",
    "ATTRIBUTES",
    "COMPOUNDS",
    "DIRECTION_WORDS",
    "DRIVERS",
    "EXTRA_WORDS",
    "FUNCTION_VERBS",
    "GENERIC",
    "HAZARDS",
    "MEASURES",
    "MODALS",
    "MODIFIERS",
    "NEGATORS",
    "PERSONS",
    "PRICE_SUFFIX_EXCEPTIONS",
    "PRICE_WORDS",
    "RATE_WORDS",
    "REPORTING",
    "SIGNED_CAUSATIVES",
    "SLOWING",
    "TRANSITIVE",
]
