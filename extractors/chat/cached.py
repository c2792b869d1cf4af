"""Remembers what a chat model answered, so that nothing is paid for twice, and what was paid."""

from __future__ import annotations

import hashlib
import json
import logging
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel

from extractors.chat.budget import Prices
from storage.ports import ChatMessage, ChatModel, ChatReply
from storage.records import Record

_BUSY_SECONDS = 10.0

_log = logging.getLogger(__name__)


class Spent(Record):
    """What one model was asked for in all."""

    model: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float


class CostLedger:
    """One SQLite file per user: the answers by the hash of their question, and a line for each that was paid for.

    The file holds what models wrote about documents, so only its owner may read it. It is made when first written to.
    """

    def __init__(self, path: Path, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._path = path
        self._clock = clock

    def answer(self, key: str) -> ChatReply | None:
        """The remembered answer, or None."""
        if not self._path.exists():
            return None
        with self._open() as connection:
            row = connection.execute("SELECT reply FROM answer WHERE key = ?", [key]).fetchone()
        return ChatReply.model_validate_json(row[0]) if row else None

    def record(self, key: str, model: str, reply: ChatReply, cost: float) -> None:
        """Remember an answer and what it took."""
        with self._open() as connection:
            connection.execute("INSERT OR REPLACE INTO answer VALUES (?, ?)", [key, reply.model_dump_json()])
            connection.execute(
                "INSERT INTO call VALUES (?, ?, ?, ?, ?)",
                [self._clock().isoformat(), model, reply.prompt_tokens, reply.completion_tokens, cost],
            )

    def spent(self) -> tuple[Spent, ...]:
        """What was paid for, by model."""
        if not self._path.exists():
            return ()
        query = (
            "SELECT model, count(*), sum(prompt_tokens), sum(completion_tokens), sum(cost) FROM call "
            "GROUP BY model ORDER BY model"
        )
        with self._open() as connection:
            rows = connection.execute(query).fetchall()
        return tuple(Spent(model=m, calls=n, prompt_tokens=p, completion_tokens=c, cost=x) for m, n, p, c, x in rows)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not self._path.exists():
            self._path.touch(mode=0o600)
        # One connection a call: threads and fork() are no concern, and a model takes a thousand times as long.
        with closing(sqlite3.connect(self._path, timeout=_BUSY_SECONDS)) as connection, connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("CREATE TABLE IF NOT EXISTS answer (key TEXT PRIMARY KEY, reply TEXT NOT NULL)")
            connection.execute(
                "CREATE TABLE IF NOT EXISTS call (at TEXT NOT NULL, model TEXT NOT NULL, "
                "prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, cost REAL NOT NULL)"
            )
            yield connection


class CachedChat:
    """Puts the ledger before a model. A ledger that cannot be used is logged once and done without."""

    def __init__(self, inner: ChatModel, ledger: CostLedger, prices: Prices | None = None) -> None:
        self._inner = inner
        self._ledger = ledger
        self._prices = prices or Prices()
        self._usable = True

    @property
    def name(self) -> str:
        """The inner model's."""
        return self._inner.name

    def complete(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, form: type[BaseModel] | None = None
    ) -> ChatReply:
        """The remembered answer to the same question, else the model's."""
        key = question_key(self.name, messages, form, max_tokens)
        if (known := self._try(lambda: self._ledger.answer(key))) is not None:
            return known
        reply = self._inner.complete(messages, max_tokens=max_tokens, form=form)
        cost = self._prices.of(reply.prompt_tokens, reply.completion_tokens)
        self._try(lambda: self._ledger.record(key, self.name, reply, cost))
        return reply

    def knows(self, messages: Sequence[ChatMessage], *, max_tokens: int, form: type[BaseModel] | None = None) -> bool:
        """Whether the answer is remembered, so that asking costs nothing."""
        key = question_key(self.name, messages, form, max_tokens)
        return self._try(lambda: self._ledger.answer(key)) is not None

    def _try(self, operation: Callable[[], ChatReply | None]) -> ChatReply | None:
        if not self._usable:
            return None
        try:
            return operation()
        except (sqlite3.Error, OSError, ValueError) as error:
            self._usable = False
            _log.warning("The answers of models cannot be remembered (%s); going on without.", error)
            return None


def question_key(model: str, messages: Sequence[ChatMessage], form: type[BaseModel] | None, max_tokens: int) -> str:
    """SHA-256 over model, messages, form and length."""
    asked = [m.model_dump() for m in messages]
    schema = form.model_json_schema() if form else None
    data = json.dumps([model, asked, schema, max_tokens], ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(data.encode("utf-8", "surrogatepass")).hexdigest()


__all__ = ["CachedChat", "CostLedger", "Spent", "question_key"]
