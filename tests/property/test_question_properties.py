"""Any text can be asked: it is read, and soon."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag.question import Ask, read_question
from graphrag.question_forms import CHINESE, ENGLISH

PIECES = [
    "why ", "how ", "what ", "did ", "does ", "is ", "lead to ", "caused ", "caused by ", "the effects of ", "from ",
    "to ", "and ", "before ", "after ", "happened ", "evidence ", "supports ", "x ", ", ", ": ", "? ", "have ", "step ",
    "为什么", "如何", "怎么", "导致", "引起", "影响", "之后", "之前", "前", "后", "的", "是", "对", "和", "从", "到",
    "什么", "原因", "证据", "会", "发生", "，", "？", "港口", "停工", "了", "吗",
]  # fmt: skip

questions = st.text(max_size=200) | st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@settings(deadline=None, max_examples=400)
@given(questions)
def test_any_text_is_read(text: str) -> None:
    read = read_question(text)
    assert read.text == text
    assert read.language in ("en", "zh")
    assert read.ask in Ask
    assert read.focus or not text
    for named in (read.start, read.end):
        assert named is None or (named.strip() == named and named)


@settings(deadline=None, max_examples=100)
@given(questions)
def test_reading_is_a_function_of_the_text_and_not_of_its_spaces_or_closing_marks(text: str) -> None:
    read = read_question(text)
    assert read_question(text) == read
    spaced = read_question(f"  {text} \n？?")
    assert (spaced.ask, spaced.start, spaced.end) == (read.ask, read.start, read.end)


@settings(deadline=None, max_examples=100)
@given(st.sampled_from([*PIECES, "a", " ", "\n", "\x00", "\ud800", "😀", "e\u0301"]), st.integers(1, 10_000))
def test_a_text_of_up_to_ten_thousand_characters_is_read_soon(piece: str, length: int) -> None:
    text = (piece * (length // len(piece) + 1))[:length]
    started = time.thread_time()
    read_question(text)
    assert time.thread_time() - started < 2.0


FORMS = [*((p, re.IGNORECASE) for _, p in ENGLISH), *((p, re.RegexFlag(0)) for _, p in CHINESE)]


@pytest.mark.parametrize(("pattern", "flags"), FORMS)
def test_no_form_takes_long_on_a_thousand_characters_made_against_it(pattern: str, flags: re.RegexFlag) -> None:
    """Its own beginning, then what makes it try again and again: every literal of the form, over and over."""
    compiled = re.compile(pattern, flags)
    words = sorted(set(re.findall(r"[a-z][a-z ]*|[\u4e00-\u9fff]+", re.sub(r"\(\?P<\w+>|\\b|\\w", "", pattern))))
    openings = ["", "what did a", "why did a", "how did a", "从a到", "a", "what is the a", "after a", "什么"]
    fillers = [f" {w} a" if w.isascii() else f"{w}a" for w in words] + [" a", "a", " "]
    slowest = 0.0
    for opening in openings:
        for filler in (*fillers, "".join(fillers)):
            text = (opening + filler * 1000)[:1000] + "\x00"
            started = time.thread_time()
            compiled.match(text)
            slowest = max(slowest, time.thread_time() - started)
    assert slowest < 0.5
