"""What wants to be written back: proposed, judged by the gate, decided by a person, journalled and reversible."""

from feedback.derived_rows import sync_derived_rows
from feedback.gate import Candidate, EvidenceFacts, LinkFacts, check
from feedback.ledger import LedgerReport, verify
from feedback.propose import propose
from feedback.review import (
    Decision,
    Quote,
    ReviewItem,
    ReviewLink,
    accept,
    list_proposals,
    reject,
    rollback,
    show,
)

__all__ = [
    "Candidate",
    "Decision",
    "EvidenceFacts",
    "LedgerReport",
    "LinkFacts",
    "Quote",
    "ReviewItem",
    "ReviewLink",
    "accept",
    "check",
    "list_proposals",
    "propose",
    "reject",
    "rollback",
    "show",
    "sync_derived_rows",
    "verify",
]
