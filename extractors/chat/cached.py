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
from typing import TypeVar

from pydantic import BaseModel

from extractors.chat.budget import Prices
from storage.ports import ChatMessage, ChatModel, ChatReply
from storage.records import Record

_BUSY_SECONDS = 10.0

T = TypeVar("T")

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

    Beside an answer stands its subject, a digest that all questions about one text share (:func:`subject_of`), so that
    they can be forgotten together. The file holds what models wrote about documents, so only its owner may read it. It
    is made when first written to.
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

    def record(self, key: str, subject: str, model: str, reply: ChatReply, cost: float) -> None:
        """Remember an answer and what it took."""
        with self._open() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO answer (key, reply, subject) VALUES (?, ?, ?)",
                [key, reply.model_dump_json(), subject],
            )
            connection.execute(
                "INSERT INTO call VALUES (?, ?, ?, ?, ?)",
                [self._clock().isoformat(), model, reply.prompt_tokens, reply.completion_tokens, cost],
            )

    def forget(self, subjects: Sequence[str]) -> int:
        """Remove all answers about these subjects, of any model and prompt; how many that were.

        Answers that an older version remembered do not say what they are about: they go too. What was paid stays. The
        bytes are overwritten in the file, and its log is folded in as far as others who read let it.
        """
        if not self._path.exists():
            return 0
        query = "DELETE FROM answer WHERE subject IS NULL OR subject IN (SELECT value FROM json_each(?))"
        with self._open() as connection:
            connection.execute("PRAGMA secure_delete = ON")
            gone = connection.execute(query, [json.dumps(sorted(set(subjects)))]).rowcount
            connection.commit()
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return gone

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
            connection.execute(
                "CREATE TABLE IF NOT EXISTS answer (key TEXT PRIMARY KEY, reply TEXT NOT NULL, subject TEXT)"
            )
            if "subject" not in {row[1] for row in connection.execute("PRAGMA table_info(answer)")}:
                connection.execute("ALTER TABLE answer ADD COLUMN subject TEXT")
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
        self._try(lambda: self._ledger.record(key, subject_of(messages), self.name, reply, cost))
        return reply

    def forget(self, subjects: Sequence[str]) -> int:
        """Remove the remembered answers about these subjects (:func:`subject_of`); how many that were."""
        return self._try(lambda: self._ledger.forget(subjects)) or 0

    def knows(self, messages: Sequence[ChatMessage], *, max_tokens: int, form: type[BaseModel] | None = None) -> bool:
        """Whether the answer is remembered, so that asking costs nothing."""
        key = question_key(self.name, messages, form, max_tokens)
        return self._try(lambda: self._ledger.answer(key)) is not None

    def _try(self, operation: Callable[[], T]) -> T | None:
        if not self._usable:
            return None
        try:
            return operation()
        except (sqlite3.Error, OSError, ValueError) as error:
            self._usable = False
            _log.warning("The answers of models cannot be remembered (%s); going on without.", error)
            return None


def subject_of(messages: Sequence[ChatMessage]) -> str:
    """A digest of the first line that a user says: by it a question names the text that it is about.

    So it is the same whatever else is asked about the text, of whichever model and with whichever prompt, and when an
    answer that did not fit is sent back.
    """
    first = next((m.content for m in messages if m.role == "user"), "")
    return hashlib.sha256(first.partition("\n")[0].encode("utf-8", "surrogatepass")).hexdigest()


def question_key(model: str, messages: Sequence[ChatMessage], form: type[BaseModel] | None, max_tokens: int) -> str:
    """SHA-256 over model, messages, form and length."""
    asked = [m.model_dump() for m in messages]
    schema = form.model_json_schema() if form else None
    data = json.dumps([model, asked, schema, max_tokens], ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(data.encode("utf-8", "surrogatepass")).hexdigest()


__all__ = ["CachedChat", "CostLedger", "Spent", "question_key", "subject_of"]
