"""The public surface of the package, pinned."""

from __future__ import annotations

import feedback


def test_the_public_names_are_these() -> None:
    assert feedback.__all__ == [
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
    assert all(hasattr(feedback, name) for name in feedback.__all__)
