"""At the end of a soak, the table of its figures."""

from __future__ import annotations

import pytest
import soak_figures


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        soak_figures.begin()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if (text := soak_figures.write()) is not None:
        terminalreporter.section("figures of the soak")
        terminalreporter.write_line(text)
