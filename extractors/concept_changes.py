"""Happenings and states in both languages, each line one concept: ``English phrases | Chinese words = what it means``.

English phrases are lemmas as :func:`extractors.english_key.english_key` gives them, apart by commas; Chinese words are
apart by spaces. After ``=`` stands what a line means in terms of others: concepts of their own, ``UP`` or ``DOWN``,
``NOT``. Without it a line is a concept of its own, named by its first phrase. A word stands in one line only, and only
where it can hardly mean anything else in a report. An indented line goes on with the one before.
"""

from __future__ import annotations

CHANGES = """
# which way something goes
rise, increase, grow, climb, go up, raise, hike, step up, pick up, strengthen, intensify, higher | 上涨 上升 增加
  增长 提高 上调 增强 走强 回升 加剧 变多 加大 攀升 增多 扩大 增大 上行 走高 提升 升高 复苏 回暖 反弹 加快 加速 = UP
fall, decrease, decline, drop, go down, weaken, shrink, lower, ease, subside, soften, dwindle, cut back, pare, slow,
  slow down, slowdown, lessen | 下跌 下降 减少 下滑 降低 下调 减弱 走弱 回落 缩减 变少 缩小 减缓 放缓 疲软 疲弱 萎缩
  削减 下行 走低 低迷 锐减 不振 = DOWN
more expensive, dear, costly | 涨价 提价 变贵 更贵 = price UP
cheap, less expensive | 降价 跌价 减价 变便宜 更便宜 便宜 = price DOWN
appreciate, appreciation, gain value | 升值 = value UP
depreciate, depreciation, lose value, devalue, devaluation | 贬值 = value DOWN
raise interest rate, rate hike, raise rate, interest rate hike, hike rate, hike interest rate | 加息 升息 =
  interest_rate UP
| 降息 减息 = interest_rate DOWN
raise tax, tax hike | 加税 增税 = tax UP
| 减税 降税 = tax DOWN
shortage, scarcity, short supply, run short, lack, scarce, insufficient, inadequate, shortfall | 短缺 缺少 不足
  缺乏 紧缺 匮乏 稀缺 缺口 = supply DOWN
glut, oversupply | 过剩 供过于求 = supply UP
halt operation, stop work, halt work, stop production, halt production, suspend production, suspend operation, stop
  operation, production halt, work stoppage, shut down production, cease production, cease operation | 停工 停产
  停止作业 停止生产 停止运营 停业 = supply DOWN
| 减产 限产 = supply DOWN
raise production, raise output, lift output | 增产 扩产 = supply UP
job, employment | 就业 岗位 = employment
unemployment, joblessness, out work, unemployment rate, jobless rate | 失业 失业率 失业人数 = unemployment
lay off, layoff, dismiss, redundancy, dismissal, lay off staff, lay off worker, worker dismiss, dismiss worker,
  dismiss staff, staff dismiss, worker lay off, staff lay off, fire worker | 裁员 解雇 辞退 解聘 = employment DOWN
hire, recruit, recruitment | 招聘 招工 = hire
out stock, run out stock, stock out, sell out | 缺货 断货 没有库存 = stockout
pile up, build up, accumulate, accumulation, backlog, mount up | 积压 堆积 累积 = UP
interrupt, outage, unavailable, out service, disconnect, go offline, down, offline | 中断 不可用 断开 离线 = DOWN
exhaust, run out, use up, deplete | 耗尽 用完 用尽 枯竭 = DOWN
improve, improvement, better | 改善 好转 转好 向好 = improve
worsen, deteriorate, deterioration, worse, degrade | 恶化 变差 加重 = worsen
accelerate, acceleration |  = UP
become large, become big, expand, expansion | 变大 = UP
become small | 变小 = DOWN
lose confidence, confidence deteriorate | 信心不足 信心受挫 = confidence
  DOWN
patient condition improve | 病情好转 = patient_condition UP
patient condition worsen, patient condition deteriorate | 病情恶化 = patient_condition DOWN
demand recover | 需求回升 需求回暖 = demand UP
price recover, price rebound | 价格回升 价格反弹 = price UP
economy recover, economic recovery | 经济复苏 经济回暖 = economy UP
sales recover, sales rebound | 销量回升 = sales UP
# operations
close, shut, shut down | 关闭 关停 封闭 = close
reopen | 重新开放 重开 = reopen
open | 开放 开启 = open
start, begin, launch, commence, initiate | 启动 开始 = start
stop, halt, suspend, cease, suspension | 停止 暂停 中止 = stop
end, finish | 结束 = end
resume, restart, restore, restoration, resumption | 恢复 = resume
fail | 失败 = succeed NOT
succeed, success, successful, complete | 成功 完成 = succeed
crash | 宕机 崩溃 死机 停止运行 = crash
time out, timeout | 超时
expire | 过期 到期 失效
roll back, revert, rollback, back out | 回滚 回退 = roll_back
deploy, release, roll out, rollout | 发布 部署 上线 = deploy
overload | 过载 超载 超负荷
leak, leakage | 泄漏 泄露
lose, go miss | 丢失 遗失
damage, harm | 损坏 受损 损害
destroy, wreck, ruin | 摧毁 毁坏 砸毁 毁掉
delete, remove, erase | 删除 移除
misconfigure, wrong configuration, wrong setting, configuration error | 配置错误 错误配置 误配置 = misconfigure
fix, repair, patch, resolve | 修复 修好 修补 修理
break | 破裂 断裂
full, fill up, fill, run out space, out space | 写满 满 占满 空间耗尽 = full
reboot | 重启
block, obstruct, blockage, impassable | 堵塞 阻塞 堵住 = block
delay, late, postpone, postponement, lateness | 延误 延迟 晚点 推迟 延期 误点 晚到 = delay
cancel, cancell, call off, abolish, scrap, repeal, abolition | 取消 废除 = cancel
introduce, impose, levy, introduction | 征收 开征 实施 = introduce
ban lift, lift ban, lift, ease ban, end ban | 解除 = lift
ban, prohibit, prohibition, forbid, outlaw | 禁止 禁令 = ban
approve, authorise, authorize, authorisation, authorization, pass | 批准 通过 获批 获得批准 得到批准 核准 = approve
reject, turn down, refuse, refusal | 拒绝 否决 驳回
resign, step down, quit | 辞职 下台 辞任
tighten, strict, become strict | 收紧 趋严 = tighten
relax, loosen, relaxation, deregulate | 放松 放宽 松绑 = relax
reach, arrive | 到达 抵达
leave, depart | 离开
leave port | 离港 = leave port
derail, come off track, derailment | 脱轨 出轨
sink, go under | 沉没
run aground, strand, grounding | 搁浅 = strand
collapse, cave | 倒塌 坍塌
enter port | 进港 = reach port
bankrupt, go bankrupt, bankruptcy, insolvent, become insolvent, insolvency, go bust, fold | 破产 倒闭 = bankrupt
default | 违约
invest, investment | 投资
sell, sale | 出售 卖出
buy, purchase | 购买 采购 买入
borrow, borrowing | 借款
produce, manufacture | 生产 制造
die, pass away, death, dead | 死亡 去世 病逝 身亡 = die
injure, hurt, injury | 受伤 伤
infect, infection, inflammation | 感染 发炎
heal | 康复 痊愈
vaccinate, vaccination, inoculate | 接种 疫苗接种
faint, lose consciousness, pass out | 昏迷 晕倒
spread, transmission | 传播 蔓延 扩散
landfall, make landfall, come ashore | 登陆 上岸 = landfall
melt, thaw | 融化 解冻
evacuate | 疏散 撤离
pollute, contaminate | 污染
elect, election | 选举
quarrel, dispute, conflict | 纠纷 争端 冲突
sanction | 制裁
alarm, alert | 告警 报警 警报
log, sign, login | 登录
query | 查询
upgrade | 升级
migrate | 迁移
lose power, power fail, power cut, cut power, blackout, lose electricity, power outage, out power |
  断电 停电 = power DOWN
ground flight, cancel flight, flight cancell, flight cancel, plane ground | 停飞 航班取消 取消航班 = flight cancel
"""

__all__ = ["CHANGES"]
