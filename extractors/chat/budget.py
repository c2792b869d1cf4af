"""What asking a model may cost: counted, and stopped before it is more."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from extractors.token_estimate import estimate_tokens
from storage.errors import BudgetReachedError
from storage.ports import ChatMessage, ChatModel, ChatReply


@dataclass(frozen=True, slots=True)
class Prices:
    """What a model costs, in any currency, for a million tokens."""

    prompt: float = 0.0
    completion: float = 0.0

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """What so many tokens cost."""
        return (self.prompt * prompt_tokens + self.completion * completion_tokens) / 1e6


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that may be used; None for no limit."""

    max_tokens: int | None = None  # of questions and answers together
    max_cost: float | None = None  # in the currency of the prices
    max_minutes: float | None = None


UNLIMITED = Limits()


class Budget:
    """How much may still be used; shared by all who ask.

    Args:
        prices: of the model.
        clock: seconds, ever increasing.
    """

    def __init__(self, prices: Prices | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._prices = prices or Prices()
        self._clock = clock
        self._lock = threading.Lock()
        self.limit(UNLIMITED)

    def limit(self, limits: Limits) -> None:
        """Begin to count anew, up to these limits."""
        with self._lock:
            self._limits = limits
            self._until = None if limits.max_minutes is None else self._clock() + 60 * limits.max_minutes
            self._reserved_tokens, self._reserved_cost = 0, 0.0
            self.calls, self.tokens, self.cost = 0, 0, 0.0

    def reserve(self, prompt_tokens: int, completion_tokens: int) -> None:
        """Ask for so many tokens. Raises BudgetReachedError when they might be too many: nothing is used then."""
        tokens, cost = prompt_tokens + completion_tokens, self._prices.of(prompt_tokens, completion_tokens)
        with self._lock:
            if self._until is not None and self._clock() >= self._until:
                raise BudgetReachedError("the time for asking the model is used up")
            after = self.tokens + self._reserved_tokens + tokens
            if self._limits.max_tokens is not None and after > self._limits.max_tokens:
                raise BudgetReachedError(f"{self.tokens:,} of {self._limits.max_tokens:,} tokens are used")
            if self._limits.max_cost is not None and self.cost + self._reserved_cost + cost > self._limits.max_cost:
                raise BudgetReachedError(f"{self.cost:.4f} of {self._limits.max_cost:.4f} is spent")
            self._reserved_tokens += tokens
            self._reserved_cost += cost

    def settle(self, prompt_tokens: int, completion_tokens: int, reply: ChatReply | None) -> None:
        """Give back what was reserved, and count what ``reply`` really took (None: the question failed)."""
        with self._lock:
            self._reserved_tokens -= prompt_tokens + completion_tokens
            self._reserved_cost -= self._prices.of(prompt_tokens, completion_tokens)
            if reply is not None:
                self.calls += 1
                self.tokens += reply.prompt_tokens + reply.completion_tokens
                self.cost += self._prices.of(reply.prompt_tokens, reply.completion_tokens)


class BudgetedChat:
    """A chat model that is asked only while the budget lasts, and not more often than its rate allows.

    Args:
        inner: the model.
        budget: what may be used.
        requests_per_minute: the rate; 0 for no limit.
    """

    def __init__(self, inner: ChatModel, budget: Budget, *, requests_per_minute: float = 0) -> None:
        self._inner = inner
        self._budget = budget
        self._pause = 60 / requests_per_minute if requests_per_minute else 0.0
        self._turn = threading.Lock()
        self._next = 0.0

    @property
    def name(self) -> str:
        """The inner model's."""
        return self._inner.name

    def complete(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, form: type[BaseModel] | None = None
    ) -> ChatReply:
        """The model's answer. Raises BudgetReachedError before it would use more than it may."""
        asked = round(sum(estimate_tokens(m.content) for m in messages))
        self._budget.reserve(asked, max_tokens)
        reply = None
        try:
            self._wait_for_turn()
            reply = self._inner.complete(messages, max_tokens=max_tokens, form=form)
            if not reply.prompt_tokens + reply.completion_tokens:  # the server does not count
                answered = round(estimate_tokens(reply.text))
                reply = reply.model_copy(update={"prompt_tokens": asked, "completion_tokens": answered})
            return reply
        finally:
            self._budget.settle(asked, max_tokens, reply)

    def _wait_for_turn(self) -> None:
        if not self._pause:
            return
        with self._turn:
            now = time.monotonic()
            turn = max(now, self._next)
            self._next = turn + self._pause
        time.sleep(turn - now)


__all__ = ["UNLIMITED", "Budget", "BudgetedChat", "Limits", "Prices"]
