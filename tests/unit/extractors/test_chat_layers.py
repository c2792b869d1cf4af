"""Answers as objects, what is remembered, and what it may cost: the layers around a chat model."""

from __future__ import annotations

import logging
import sqlite3
import stat
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import BaseModel

from extractors.chat import Budget, BudgetedChat, CachedChat, CostLedger, Limits, Prices, Spent, ask
from extractors.chat.answers import parsed
from extractors.chat.cached import subject_of
from storage.errors import BudgetReachedError, ModelError, UnreachableError
from storage.ports import ChatMessage, ChatReply

QUESTION = [ChatMessage(role="user", content="Which colour?")]


class Colour(BaseModel):
    name: str
    shades: list[int]


class Script:
    """A chat model that says what it is told to, and keeps what it was asked."""

    name = "script"

    def __init__(self, *answers: str | Exception, tokens: tuple[int, int] = (100, 10)) -> None:
        self._answers = list(answers)
        self._tokens = tokens
        self.asked: list[list[ChatMessage]] = []

    def complete(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, form: type[BaseModel] | None = None
    ) -> ChatReply:
        self.asked.append(list(messages))
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        return ChatReply(text=answer, prompt_tokens=self._tokens[0], completion_tokens=self._tokens[1])


# --- answers


RED = '{"name": "red", "shades": [1, 2]}'


@pytest.mark.parametrize(
    "text",
    [
        RED,
        f"```json\n{RED}\n```",
        f"Here it is:\n{RED}\nI hope it helps {{truly}}.",
        f'<think>Perhaps {{"name": "blue", "shades": []}}?</think>{RED}',
        f"it could be {{'blue'}} … </think>\n{RED}",
        f'{{"thought": 1}} {RED}',
        f"<think>a</think><think>b</think> {RED}",
    ],
)
def test_the_object_is_found_in_whatever_surrounds_it(text: str) -> None:
    assert parsed(text, Colour) == Colour(name="red", shades=[1, 2])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("red", "no JSON object"),
        ("", "no JSON object"),
        ('{"name": "red", "shades": [1', "not valid, or it is cut off"),
        ('{"name": "red"}', "shades: Field required"),
        ('{"name": "red", "shades": ["dark"]}', "shades.0: Input should be a valid integer"),
        (f"<think>{RED}", "no JSON object"),
    ],
)
def test_what_does_not_fit_is_said_without_repeating_it(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        parsed(text, Colour)


def test_a_hostile_answer_takes_no_time() -> None:
    started = time.perf_counter()
    for text in ("{" * 200_000, '{"a":' * 50_000, "<think>" * 50_000 + "</think>"):
        with pytest.raises(ValueError, match="JSON"):
            parsed(text, Colour)
    assert time.perf_counter() - started < 2


def test_an_answer_that_does_not_fit_is_sent_back_once() -> None:
    model = Script("red, dark", RED)
    assert ask(model, QUESTION, Colour, max_tokens=9) == Colour(name="red", shades=[1, 2])
    assert [m.role for m in model.asked[1]] == ["user", "assistant", "user"]
    assert model.asked[1][1].content == "red, dark"
    assert "no JSON object" in model.asked[1][2].content


def test_two_answers_that_do_not_fit_are_a_model_error() -> None:
    model = Script("no")
    with pytest.raises(ModelError, match="no usable answer twice"):
        ask(model, QUESTION, Colour, max_tokens=9)
    assert len(model.asked) == 2


# --- what is remembered


def test_a_question_is_asked_once(tmp_path: Path) -> None:
    ledger = CostLedger(tmp_path / "user" / "answers.sqlite")
    model = Script("one", "two", "three", "four")
    chat = CachedChat(model, ledger)
    assert not chat.knows(QUESTION, max_tokens=9)
    assert [chat.complete(QUESTION, max_tokens=9).text for _ in range(3)] == ["one"] * 3
    assert chat.knows(QUESTION, max_tokens=9)
    assert chat.complete(QUESTION, max_tokens=10).text == "two"
    assert chat.complete(QUESTION, max_tokens=9, form=Colour).text == "three"
    assert chat.complete([*QUESTION, *QUESTION], max_tokens=9).text == "four"
    assert len(model.asked) == 4
    again = CachedChat(Script("never"), CostLedger(tmp_path / "user" / "answers.sqlite"))
    assert again.complete(QUESTION, max_tokens=9).text == "one"


def test_only_the_owner_may_read_what_models_wrote(tmp_path: Path) -> None:
    path = tmp_path / "user" / "answers.sqlite"
    CachedChat(Script("one"), CostLedger(path)).complete(QUESTION, max_tokens=9)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_the_ledger_sums_what_was_paid(tmp_path: Path) -> None:
    ledger = CostLedger(tmp_path / "answers.sqlite", clock=lambda: datetime(2026, 1, 1, tzinfo=UTC))
    assert ledger.spent() == ()
    chat = CachedChat(Script("x", tokens=(2_000, 500)), ledger, Prices(prompt=1.0, completion=4.0))
    for length in (5, 6, 6):  # the third is remembered
        chat.complete(QUESTION, max_tokens=length)
    # 2 x (2,000 x 1 + 500 x 4) / 1,000,000
    (spent,) = ledger.spent()
    assert spent == Spent(model="script", calls=2, prompt_tokens=4_000, completion_tokens=1_000, cost=spent.cost)
    assert spent.cost == pytest.approx(0.008)


def test_answers_about_one_text_are_forgotten_together_and_what_was_paid_is_not(tmp_path: Path) -> None:
    ledger = CostLedger(tmp_path / "answers.sqlite")
    model = Script("about the harbour", "said again", "with another prompt", "about the port", "once more")
    chat = CachedChat(model, ledger)
    harbour = ChatMessage(role="user", content="[text 1]\nthe harbour")
    more = [
        harbour,
        ChatMessage(role="assistant", content="about the harbour"),
        ChatMessage(role="user", content="Mend"),
    ]
    prompted = [
        ChatMessage(role="system", content="Be brief"),
        ChatMessage(role="user", content="[text 1]\nand checks"),
    ]
    port = [ChatMessage(role="user", content="[text 2]\nthe port")]
    for messages in ([harbour], more, prompted, port):
        chat.complete(messages, max_tokens=9)
    assert chat.forget([subject_of([harbour])]) == 3
    assert b"harbour" not in (tmp_path / "answers.sqlite").read_bytes()
    assert (tmp_path / "answers.sqlite-wal").stat().st_size == 0 if (tmp_path / "answers.sqlite-wal").exists() else True
    assert chat.complete(port, max_tokens=9).text == "about the port"
    assert chat.complete([harbour], max_tokens=9).text == "once more"
    assert ledger.spent()[0].calls == 5
    assert chat.forget([]) == 0


def test_answers_of_an_older_version_that_name_no_subject_are_forgotten_with_any(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE answer (key TEXT PRIMARY KEY, reply TEXT NOT NULL)")
        connection.execute("INSERT INTO answer VALUES ('k', '{\"text\": \"old\"}')")
    ledger = CostLedger(path)
    assert ledger.answer("k") == ChatReply(text="old")
    assert ledger.forget(["x"]) == 1
    assert ledger.answer("k") is None


def test_a_failed_question_is_not_remembered(tmp_path: Path) -> None:
    chat = CachedChat(Script(UnreachableError("gone"), "well"), CostLedger(tmp_path / "answers.sqlite"))
    with pytest.raises(UnreachableError):
        chat.complete(QUESTION, max_tokens=9)
    assert chat.complete(QUESTION, max_tokens=9).text == "well"


def test_a_ledger_that_cannot_be_used_is_done_without(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "answers.sqlite"
    path.write_bytes(b"this is no database, it never was one" * 100)
    chat = CachedChat(Script("one"), CostLedger(path))
    with caplog.at_level(logging.WARNING):
        assert [chat.complete(QUESTION, max_tokens=9).text for _ in range(2)] == ["one", "one"]
    assert caplog.text.count("cannot be remembered") == 1


# --- what it may cost


def test_tokens_are_counted_and_stop_before_the_limit() -> None:
    budget = Budget()
    budget.limit(Limits(max_tokens=350))
    chat = BudgetedChat(Script("x", tokens=(90, 10)), budget)
    for _ in range(3):
        chat.complete(QUESTION, max_tokens=40)
    assert (budget.calls, budget.tokens) == (3, 300)
    with pytest.raises(BudgetReachedError, match="300 of 350 tokens"):
        chat.complete(QUESTION, max_tokens=60)
    chat.complete(QUESTION, max_tokens=40)  # this might still fit
    assert budget.tokens == 400  # the server took more than a question's words let expect


def test_cost_and_minutes_are_limits_too() -> None:
    now = [0.0]
    budget = Budget(Prices(prompt=10.0, completion=20.0), clock=lambda: now[0])
    budget.limit(Limits(max_cost=0.0025, max_minutes=2))
    chat = BudgetedChat(Script("x", tokens=(100, 10)), budget)
    chat.complete(QUESTION, max_tokens=50)  # (100 x 10 + 10 x 20) / 1e6 = 0.0012
    assert budget.cost == pytest.approx(0.0012)
    with pytest.raises(BudgetReachedError, match="is spent"):
        chat.complete(QUESTION, max_tokens=100)
    chat.complete(QUESTION, max_tokens=50)
    now[0] = 120.0
    with pytest.raises(BudgetReachedError, match="time"):
        chat.complete(QUESTION, max_tokens=1)
    budget.limit(Limits())
    chat.complete(QUESTION, max_tokens=1_000_000)
    assert budget.calls == 1


def test_what_fails_costs_nothing_and_leaves_nothing_reserved() -> None:
    budget = Budget()
    budget.limit(Limits(max_tokens=100))
    chat = BudgetedChat(Script(UnreachableError("gone"), "x", tokens=(1, 1)), budget)
    with pytest.raises(UnreachableError):
        chat.complete(QUESTION, max_tokens=80)
    chat.complete(QUESTION, max_tokens=80)
    assert budget.tokens == 2


def test_a_server_that_does_not_count_is_estimated() -> None:
    budget = Budget()
    BudgetedChat(Script("four plain words here", tokens=(0, 0)), budget).complete(QUESTION, max_tokens=80)
    assert 4 <= budget.tokens <= 16


def test_many_at_once_never_pass_the_limit() -> None:
    class Slow(Script):
        def complete(
            self, messages: Sequence[ChatMessage], *, max_tokens: int, form: type[BaseModel] | None = None
        ) -> ChatReply:
            time.sleep(0.002)
            return ChatReply(text="x", prompt_tokens=5, completion_tokens=max_tokens)

    budget = Budget()
    budget.limit(Limits(max_tokens=500))
    chat = BudgetedChat(Slow("x"), budget)
    refused = []

    def many() -> None:
        for _ in range(10):
            try:
                chat.complete(QUESTION, max_tokens=20)
            except BudgetReachedError:
                refused.append(1)

    threads = [threading.Thread(target=many) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert budget.tokens <= 500
    assert budget.calls + len(refused) == 80


def test_the_rate_is_kept() -> None:
    chat = BudgetedChat(Script("x"), Budget(), requests_per_minute=1200)
    started = time.monotonic()
    for _ in range(5):
        chat.complete(QUESTION, max_tokens=1)
    assert time.monotonic() - started >= 4 * 0.05 - 0.005
