"""Proposals, verdicts, decisions and receipts as text for the person who decides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from feedback import Decision, LedgerReport, ReviewItem, ReviewLink, StoredItem
from storage.receipt import COUNTED, Receipt
from storage.records import Proposal


def listed(proposals: Sequence[Proposal]) -> str:
    """Proposals, one a line."""
    lines = [
        f"{p.id}  {p.status.value:<12}  {p.proposed_at:%Y-%m-%d %H:%M}  {p.proposer}  {p.batch or ''}  {p.question}"
        for p in proposals
    ]
    return "\n".join(lines) or "no proposals"


def drawn(item: ReviewItem) -> str:
    """The proposed chain, every link with its quotes, and what each check says now."""
    p = item.proposal
    lines = [item.text, f"{p.id}, {p.status.value}, proposed by {p.proposer} on {p.proposed_at:%Y-%m-%d %H:%M} UTC"]
    if p.question:
        lines.append(f"asked: {p.question}")
    lines += [*_quoted(item.links), ""]
    lines += [f"{'ok  ' if v.passed else 'FAIL'} {v.check}: {v.reason}" for v in item.verdicts_now]
    return "\n".join(lines)


def listed_stored(items: Sequence[StoredItem]) -> str:
    """What a person rejected, with who, when and why."""
    lines = []
    for item in items:
        lines.append(f"{item.id}  {item.text}")
        if item.verdict:
            undo = f"; undo with: clew rollback {item.verdict.batch}" if item.verdict.batch else ""
            lines.append(f"  {item.verdict.in_words()}{undo}")
    return "\n".join(lines) or "nothing is rejected"


def drawn_stored(item: StoredItem) -> str:
    """A relation, chain or same_as link with its quotes, where it stands, and the verdict on it."""
    stands = item.verdict.in_words() if item.verdict else item.status.value
    return "\n".join([item.text, f"{item.kind} {item.id}, {stands}", *_quoted(item.links)])


def _quoted(links: Iterable[ReviewLink]) -> list[str]:
    lines = []
    for i, link in enumerate(links, 1):
        lines += ["", f"{i}. {link.relation_id}" + ("" if link.view else " is not active")]
        for quote in link.quotes:
            lines.append(f"   {quote.title or quote.document_id}: “{' '.join(quote.text.split())}”")
        if link.evidence > len(link.quotes):
            lines.append(f"   and {link.evidence - len(link.quotes)} more")
    return lines


def decided(decision: Decision) -> str:
    """What was decided, and how to undo it."""
    if decision.subjects:
        return _decided_on_stored(decision)
    chains = ", ".join(decision.chains)
    match decision.action:
        case "accept":
            return f"accepted {chains} in batch {decision.batch}\nundo with: clew rollback {decision.batch}"
        case "rollback":
            return f"rolled back {decision.batch}: {chains} withdrawn"
        case _:
            return f"rejected {', '.join(p.id for p in decision.proposals)}"


def _decided_on_stored(decision: Decision) -> str:
    subjects = ", ".join(decision.subjects)
    chains = f"{len(decision.chains)} chain{'s' if len(decision.chains) > 1 else ''}" if decision.chains else ""
    if decision.action == "reject":
        with_it = f"; {chains} went with it" if chains else ""
        return f"rejected {subjects} in batch {decision.batch}{with_it}\nundo with: clew rollback {decision.batch}"
    with_it = f"; {chains} came back with it" if chains else ""
    return f"took the rejection of {subjects} back{with_it}"


def verified(report: LedgerReport) -> str:
    """Whether the ledger is intact, and the head to note down."""
    if not report.intact:
        return f"BROKEN at entry {report.broken_at}: {report.reason}"
    return f"{report.entries} entries, unbroken; head {report.head}"


def listed_receipts(receipts: Sequence[Receipt]) -> str:
    """Receipts of removals, one a line."""
    return "\n".join(_headline(receipt) for receipt in receipts) or "no receipts: nothing was removed"


def receipt_text(receipt: Receipt) -> str:
    """A receipt with every id that went."""
    lines = [_headline(receipt)]
    for name in COUNTED:
        ids: tuple[str, ...] = getattr(receipt, name)
        if ids:
            lines += [f"{name}:", *(f"  {id_}" for id_ in ids)]
    return "\n".join(lines)


def _headline(receipt: Receipt) -> str:
    counts = ", ".join(f"{name} {n}" for name, n in receipt.counts.items() if n)
    why = f" ({receipt.reason})" if receipt.reason else ""
    return f"{receipt.id}  {receipt.at:%Y-%m-%d %H:%M}  {receipt.actor}{why}: {counts}"


__all__ = [
    "decided",
    "drawn",
    "drawn_stored",
    "listed",
    "listed_receipts",
    "listed_stored",
    "receipt_text",
    "verified",
]
