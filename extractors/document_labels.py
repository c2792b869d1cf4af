"""What headings and labels of procedures, timelines and incident reports are called, in lower case without marks."""

from __future__ import annotations

import re

STEP_LABELS = frozenset((
    "steps", "step by step", "procedure", "procedures", "process", "instructions", "workflow", "directions", "method",
    "runbook", "playbook", "installation", "setup", "steps to reproduce", "reproduction steps", "how to reproduce",
    "to reproduce", "rollback", "rollback procedure", "sequence of events",
    "步骤", "操作步骤", "流程", "操作流程", "处理步骤", "处理流程", "处置流程", "恢复步骤", "安装步骤", "复现步骤",
    "重现步骤", "实施步骤", "具体步骤", "过程", "处理过程", "方法步骤", "操作方法",
))  # fmt: skip
STEP_ENDINGS = (" steps", " procedure", " instructions", " walkthrough", "步骤", "流程")
STEP_OPENINGS = ("how to ", "steps to ", "steps for ", "如何", "怎样")
TIME_LABELS = frozenset((
    "timeline", "time line", "chronology", "history", "sequence of events", "what happened", "events", "event log",
    "schedule", "milestones",
    "时间线", "时间轴", "经过", "过程", "处理过程", "处置过程", "大事记", "流程", "历程", "发展历程", "时间表",
))  # fmt: skip
TIME_ENDINGS = (" timeline", " chronology", "时间线", "时间轴", "经过", "过程")
TIME_OPENINGS = ("timeline of ", "timeline for ", "chronology of ", "history of ")
TIME_COLUMNS = ("time", "date", "when", "时间", "日期", "时刻")
STEP_LEADS = re.compile(
    r"\b(?:follow (?:these|the|the following) (?:steps|procedure|instructions|stages)"
    r"|(?:these|the following|following) (?:steps|stages|phases)|steps (?:below|are|were)"
    r"|in (?:this|the following) order)\b"
    r"|(?:步骤|流程|顺序)(?:如下|是|为|包括)|按(?:照)?(?:以下|如下|下列)(?:步骤|流程|顺序)|(?:以下|如下|下列)步骤",
    re.IGNORECASE,
)
NO_ORDER = re.compile(
    r"\b(?:options?|alternatives?|choices?|action items?|actions|to-?dos?|tasks|recommendations?|lessons|goals?"
    r"|objectives?|requirements?|prerequisites|reasons?|causes?|factors|features?|benefits|advantages|tips|ways|one of"
    r"|either|any of"
    r"|examples?|questions?|principles|rules|types?|kinds?|problems|issues|follow-?ups?|improvements|findings|criteria"
    r"|notes|contents|references|remediations?|next steps|prevention|mitigations?|roles|responsibilities)\b"
    r"|方案|选项|建议|改进|措施|原因|优势|特点|要求|注意|原则|问题|目标|之一|因素|方面|任务|待办|教训|功能|类型|种类|职责",
    re.IGNORECASE,
)
"""Lists of things in no order, whatever verbs they begin with."""

CAUSE_LABELS = frozenset((
    "root cause", "root causes", "cause", "causes", "the cause", "the root cause", "root cause analysis", "main cause",
    "primary cause", "direct cause", "immediate cause", "underlying cause", "technical cause", "why it happened",
    "why did it happen", "why did this happen", "why this happened", "what caused it", "what caused this",
    "what caused the incident", "what caused the outage", "cause of the incident", "cause of the outage",
    "cause of the problem", "cause of the failure", "cause of failure", "root cause and trigger", "reason",
    "根本原因", "原因", "根因", "主要原因", "直接原因", "故障原因", "事故原因", "问题原因", "事件原因", "原因分析",
    "根因分析", "根本原因分析", "故障原因分析", "事故原因分析", "问题根因", "为什么会发生", "发生原因", "失败原因",
))  # fmt: skip
SUSPECTED = re.compile(r"(?:(?:possible|suspected|probable|likely|presumed|potential) |(?:可能|疑似|初步|推测)的?)")
EVENT_LABELS = frozenset((
    "symptom", "symptoms", "problem", "the problem", "issue", "the issue", "incident", "the incident", "failure",
    "problem statement", "error", "defect",
    "现象", "故障现象", "问题现象", "问题", "故障", "事故", "事件", "症状",
))  # fmt: skip
"""Under which the first statement is the event itself, no introduction to it."""
SUMMARY_LABELS = frozenset((
    "summary", "executive summary", "incident summary", "what happened", "impact", "description", "overview",
    "issue summary", "incident description", "problem description", "customer impact", "effect",
    "概述", "摘要", "概要", "事件概述", "事故概述", "故障概述", "事故概况", "事件描述", "问题描述", "故障描述", "影响",
    "影响范围", "故障影响", "事件概要", "发生了什么",
))  # fmt: skip
OTHER_LABELS = frozenset((
    "fix", "resolution", "solution", "workaround", "remediation", "action items", "lessons learned", "detection",
    "contributing factors", "recovery", "mitigation", "next steps", "follow-up", "trigger",
    "解决方案", "解决办法", "处理结果", "改进措施", "整改措施", "后续计划", "经验教训", "恢复", "总结",
))  # fmt: skip
KNOWN_LABELS = STEP_LABELS | TIME_LABELS | CAUSE_LABELS | EVENT_LABELS | SUMMARY_LABELS | OTHER_LABELS


def announces_steps(heading: str) -> bool:
    """Whether a heading says that what stands under it is done in order."""
    return not NO_ORDER.search(heading) and (
        heading in STEP_LABELS or heading.endswith(STEP_ENDINGS) or heading.startswith(STEP_OPENINGS)
    )


def announces_times(heading: str) -> bool:
    """Whether a heading says that what stands under it is told in the order of time."""
    return heading in TIME_LABELS or heading.endswith(TIME_ENDINGS) or heading.startswith(TIME_OPENINGS)


__all__ = [
    "CAUSE_LABELS", "EVENT_LABELS", "KNOWN_LABELS", "NO_ORDER", "STEP_LEADS", "SUMMARY_LABELS", "SUSPECTED",
    "TIME_COLUMNS", "announces_steps", "announces_times",
]  # fmt: skip
