"""Every fault point that the code passes is in the table, and the other way round."""

from __future__ import annotations

import re
from pathlib import Path

from storage.fault_points import FAULT_POINTS, unwatched
from storage.ports import COLLECTIONS

ROOT = Path(__file__).parents[3]
_PASSED = re.compile(r'_?reached\(\s*f?"([^"]+)"\s*\)')


def passed() -> set[str]:
    found: set[str] = set()
    for package in ("storage", "extractors", "feedback", "graphrag"):
        for path in (ROOT / package).rglob("*.py"):
            for name in _PASSED.findall(path.read_text("utf-8")):
                found.update(name.replace("{collection}", collection) for collection in COLLECTIONS)
    return found


def test_the_table_names_what_the_code_passes() -> None:
    assert passed() == set(FAULT_POINTS)


def test_every_point_says_what_has_happened() -> None:
    assert all(len(words) > 10 and not words.endswith(".") for words in FAULT_POINTS.values())
    assert all(re.fullmatch(r"[a-z]+(\.[a-z]+)+", name) for name in FAULT_POINTS)


def test_nobody_watches_unless_asked_to() -> None:
    assert unwatched("graph.committed") is None  # type: ignore[func-returns-value]
