"""One value that ``make bench`` measures."""

from __future__ import annotations

from typing import TypedDict


class BenchRow(TypedDict):
    """One measured value."""

    case: str
    measure: str
    system: str
    value: float
    unit: str
    n: int


def row(case: str, measure: str, value: float, unit: str, n: int, system: str = "clew") -> BenchRow:
    """A row, of this product unless another system is named."""
    return {"case": case, "measure": measure, "system": system, "value": value, "unit": unit, "n": n}


__all__ = ["BenchRow", "row"]
