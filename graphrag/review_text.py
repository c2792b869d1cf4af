"""Proposals and decisions as text for the person who decides."""

from __future__ import annotations

from feedback import Decision, LedgerReport, ReviewItem


def drawn(item: ReviewItem) -> str:
    """The proposed chain, every link with its quotes, and what each check says now."""
    p = item.proposal
    lines = [item.text, f"{p.id}, {p.status.value}, proposed by {p.proposer} on {p.proposed_at:%Y-%m-%d %H:%M} UTC"]
    if p.question:
        lines.append(f"asked: {p.question}")
    for i, link in enumerate(item.links, 1):
        lines += ["", f"{i}. {link.relation_id}" + ("" if link.view else " is no longer active")]
        for quote in link.quotes:
            lines.append(f"   {quote.title or quote.document_id}: “{' '.join(quote.text.split())}”")
        if link.evidence > len(link.quotes):
            lines.append(f"   and {link.evidence - len(link.quotes)} more")
    lines.append("")
    lines += [f"{'ok  ' if v.passed else 'FAIL'} {v.check}: {v.reason}" for v in item.verdicts_now]
    return "\n".join(lines)


def decided(decision: Decision) -> str:
    """What was decided, and how to undo it."""
    chains = ", ".join(decision.chains)
    match decision.action:
        case "accept":
            return f"accepted {chains} in batch {decision.batch}\nundo with: clew rollback {decision.batch}"
        case "rollback":
            return f"rolled back {decision.batch}: {chains} withdrawn"
        case _:
            return f"rejected {', '.join(p.id for p in decision.proposals)}"


def verified(report: LedgerReport) -> str:
    """Whether the ledger is intact, and the head to note down."""
    if not report.intact:
        return f"BROKEN at entry {report.broken_at}: {report.reason}"
    return f"{report.entries} entries, unbroken; head {report.head}"


__all__ = ["decided", "drawn", "verified"]
