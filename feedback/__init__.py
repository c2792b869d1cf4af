"""What wants to be written back: proposed, judged by the gate, decided by a person, journalled and reversible."""

from feedback.decision import Decision
from feedback.derived_rows import sync_derived_rows
from feedback.gate import Candidate, EvidenceFacts, LinkFacts, check
from feedback.ledger import LedgerReport, verify
from feedback.propose import propose
from feedback.review import (
    Quote,
    ReviewItem,
    ReviewLink,
    accept,
    list_proposals,
    reject,
    rollback,
    show,
)
from feedback.stored_item import StoredItem, list_stored, show_stored
from feedback.verdicts import StandingVerdict, is_judged, reject_stored, standing, take_back

__all__ = [
    "Candidate",
    "Decision",
    "EvidenceFacts",
    "LedgerReport",
    "LinkFacts",
    "Quote",
    "ReviewItem",
    "ReviewLink",
    "StandingVerdict",
    "StoredItem",
    "accept",
    "check",
    "is_judged",
    "list_proposals",
    "list_stored",
    "propose",
    "reject",
    "reject_stored",
    "rollback",
    "show",
    "show_stored",
    "standing",
    "sync_derived_rows",
    "take_back",
    "verify",
]
