"""Row 17: every regular expression of the four packages takes linear time on what it was made to be slow on.

In every run 100,000 characters are to take at most 0.2 s of the processor, with ``CLEW_SOAK=1`` a million at most 1 s.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from regular_expressions import Expression, expressions, slow_texts

SOAK = bool(os.environ.get("CLEW_SOAK"))
SIZE, SECONDS = (1_000_000, 1.0) if SOAK else (100_000, 0.2)
_LEAST = 200
"""Fewer expressions than this: they were not found."""

BOUNDS = {
    "extractors/chinese_amounts.py": 200,  # _LONGEST_MENTION of a Chinese key
    "extractors/document_reasons.py": {"\\Z": 160},  # of _before
    "extractors/loaders/transcript.py": 120,  # _LONGEST_HEAD
    "extractors/sentences.py": {"'’-]*": 24},  # of _word_before
    "graphrag/question.py": {"^": 1000},  # of read_question
}
"""Where the code cuts what an expression gets: in a whole file, or where the expression holds these characters. Such
an expression gets its text in pieces of that length, all in all as much."""


class TooSlowError(Exception):
    """The limit of time was reached."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise TooSlowError when what is done inside takes the processor longer; the engine looks for signals."""

    def stop(*_: object) -> None:
        raise TooSlowError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def slowest(expression: Expression, size: int, seconds: float) -> str | None:
    """The beginning of a text on which the expression is too slow."""
    compiled = re.compile(expression.pattern, expression.flags)
    bound = bound_of(expression) or size
    pieces = 1 if expression.file == "graphrag/question.py" else size // bound  # a question is asked alone
    for text in slow_texts(expression.pattern, expression.flags, bound):
        try:
            with at_most(seconds):
                for _ in range(pieces):
                    if expression.searched and expression.file not in ONLY_MATCHED:
                        for _found in compiled.finditer(text):
                            pass
                    else:
                        compiled.match(text)
        except TooSlowError:
            return text[:60]
    return None


ONLY_MATCHED = ("extractors/loaders/transcript.py",)
"""Where a table of expressions is only matched from the beginning of a line."""

OWN_TEXT = ("graphrag/evaluation/generated.py",)
"""Where expressions read nothing but what the module itself has written."""


def bound_of(expression: Expression) -> int | None:
    """The most characters that the code gives to an expression, if it sees to that."""
    bound = BOUNDS.get(expression.file)
    if isinstance(bound, dict):
        return next((most for words, most in bound.items() if words in expression.pattern), None)
    return bound


@pytest.mark.skipif(sys.platform == "win32", reason="needs a timer of the processor")
def test_every_regular_expression_is_fast_on_what_it_was_made_to_be_slow_on() -> None:
    found = [e for e in expressions() if e.file not in OWN_TEXT]
    assert len(found) >= _LEAST
    slow = {e.name: repr(text) for e in found if (text := slowest(e, SIZE, SECONDS)) is not None}
    assert not slow, "\n".join(f"{name} on {text}…" for name, text in slow.items())


@pytest.mark.parametrize("pattern", [r"(a+)+b", r"\s+$", r"[a-z]+@", r"(?:x|y)*z", r"<!--.*?-->"])
def test_a_slow_expression_is_found_out(pattern: str) -> None:
    expression = Expression("here", 1, pattern, re.DOTALL, searched=True)
    assert slowest(expression, 100_000, 0.2) is not None


@pytest.mark.parametrize("pattern", [r"\bword\b", r"[a-z]", r"\n{1,4}", r"^#{1,6} "])
def test_a_fast_expression_is_let_pass(pattern: str) -> None:
    assert slowest(Expression("here", 1, pattern, re.MULTILINE, searched=True), 100_000, 0.2) is None
