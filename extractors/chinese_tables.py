"""How word tables are written down: words apart by white space."""

from __future__ import annotations


def listed(table: str) -> tuple[str, ...]:
    """The words of a table in order."""
    return tuple(table.split())


__all__ = ["listed"]
