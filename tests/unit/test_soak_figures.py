"""The table that a soak ends with."""

from __future__ import annotations

import json

import soak_figures


def test_no_failure_in_n_tries_bounds_the_rate_by_three_in_n() -> None:
    lines = [
        json.dumps({"what": "kill -9", "tries": 60, "failures": 0, "unit": "tries"}),
        json.dumps({"what": "kill -9", "tries": 40, "failures": 0, "unit": "tries"}),
        json.dumps({"what": "runs", "tries": 2000, "failures": 4, "unit": "seeds"}),
    ]
    assert soak_figures.table(lines) == (
        "| what | tries | failures | true rate (95%) |\n|---|---|---|---|\n"
        "| kill -9 | 100 tries | 0 | below 0.03 |\n"
        "| runs | 2,000 seeds | 4 | about 0.002 |\n"
    )


def test_nothing_is_noted_outside_of_a_soak() -> None:
    assert not soak_figures.SOAK
    soak_figures.note("anything", tries=1)
    assert soak_figures.write() is None
