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
    assert all(hasattr(feedback, name) for name in feedback.__all__)
