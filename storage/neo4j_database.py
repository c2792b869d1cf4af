"""One database of a Neo4j server: managed transactions, causal order, one writer at a time, typed errors.

Neo4j reads what is committed at that instant, query by query. Two nodes give what SQLite gives for free. Every writer
locks the node ``writer`` first, so writers take turns and can neither deadlock nor see half of each other. The last
thing it does is to count up ``commits`` of the node ``store``, whose lock it then holds until all of its transaction
can be seen. Reading that number under that lock, before and after, proves that no commit fell in between.

A query may even find something that is being removed and no longer its properties. What is raised over such a half row
says nothing: the work is run again so that it sees one state.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from storage.errors import ConfigurationError, MissingExtraError
from storage.fault_points import Reached, unwatched
from storage.neo4j_errors import VanishedError, shown_address, translated

if TYPE_CHECKING:
    from neo4j import Driver, ManagedTransaction

T = TypeVar("T")
Row = list[Any]
Work = Callable[["ManagedTransaction"], T]
Ask = Callable[[str, Mapping[str, Any]], list[Row]]
"""Asks one reading query: :meth:`Neo4jDatabase.rows`."""

_CONNECT_SECONDS = 10.0
_RETRY_SECONDS = 15.0
_READ_SECONDS, _WRITE_SECONDS = 120.0, 1800.0
"""A transaction that takes longer is ended by the server, also when its client has vanished with the lock."""
_TRIES = 4
_TORN = (TypeError, ValueError, LookupError, AttributeError, VanishedError)
"""What making records of a half row raises, and what the server raises where it notices."""

_LOCK_WRITER = "MERGE (w:ClewStore {id: 'writer'}) SET w.turn = true"
_COUNT_UP = "MERGE (s:ClewStore {id: 'store'}) SET s.commits = coalesce(s.commits, 0) + 1"
# Setting what is not there to nothing takes the lock and writes nothing.
_COMMITS = "MATCH (s:ClewStore {id: 'store'}) SET s.turn = null WITH s RETURN s.commits"


@dataclass(frozen=True, slots=True)
class Neo4jAddress:
    """Where a server is and how to log in; the password is in no text that is made of it."""

    uri: str
    username: str
    password: str = field(repr=False)
    database: str = "neo4j"

    @property
    def shown(self) -> str:
        """The address as messages name it."""
        return shown_address(self.uri)


class Neo4jDatabase:
    """Gives out transactions to any number of threads. Raises the errors of :mod:`storage.neo4j_errors`."""

    def __init__(self, address: Neo4jAddress, *, reached: Reached = unwatched) -> None:
        try:
            from neo4j import GraphDatabase
        except ImportError:
            raise MissingExtraError("The graph store Neo4j", "neo4j") from None
        self.address = address
        self._reached = reached
        # The driver's log goes where an application sends it, and else nowhere: not to the terminal.
        logging.getLogger("neo4j").addHandler(logging.NullHandler())
        with self._translated():
            if "://" not in address.uri:  # of which the driver would raise a plain ValueError
                raise ConfigurationError("neo4j_uri (NEO4J_URI) is no address such as neo4j://localhost:7687.")
            self._driver: Driver = GraphDatabase.driver(
                address.uri,
                auth=(address.username, address.password),
                connection_timeout=_CONNECT_SECONDS,
                max_transaction_retry_time=_RETRY_SECONDS,
                notifications_min_severity="OFF",
                user_agent="clew",
            )
            try:
                self._driver.verify_connectivity()
            except BaseException:
                self._driver.close()
                raise

    def __repr__(self) -> str:
        return f"Neo4jDatabase({self.address.shown}, {self.address.database})"

    def server(self) -> str:
        """Name and version of the server."""
        with self._translated():
            name: str = self._driver.get_server_info().agent
            return name

    def rows(self, query: str, parameters: Mapping[str, Any] | None = None) -> list[Row]:
        """What one reading query answers, in two round trips; as ``reading`` it takes three."""
        from neo4j import Query, Result, RoutingControl

        with self._translated():
            return self._driver.execute_query(
                Query(_constant(query), timeout=_READ_SECONDS),
                dict(parameters or {}),
                routing_=RoutingControl.READ,
                database_=self.address.database,
                result_transformer_=Result.values,
            )

    def asking(self, work: Callable[[Ask], T]) -> T:
        """Run ``work``, which asks single queries through ``rows``; it may be run again."""
        try:
            return work(self.rows)
        except _TORN:
            return self.consistent(lambda tx: work(partial(fetch, tx)))

    def reading(self, work: Work[T]) -> T:
        """Run ``work`` in a read transaction; it may be run again."""
        try:
            return self._read(work)
        except _TORN:
            return self.consistent(work)

    def writing(self, work: Work[T], *, counts: Callable[[T], bool] = lambda _: True) -> T:
        """Run ``work`` alone among writers, all or nothing; it may be run again as long as nothing was committed.

        ``counts`` says of its result whether readers must take it for a new state.
        """

        def alone(tx: ManagedTransaction) -> T:
            tx.run(_LOCK_WRITER).consume()
            result = work(tx)
            if counts(result):
                tx.run(_COUNT_UP).consume()
            self._reached("graph.committing")
            return result

        done = self._run("WRITE", alone, _WRITE_SECONDS)
        with self._translated():
            self._reached("graph.committed")
        return done

    def quietly(self, work: Work[T]) -> T:
        """Run ``work`` in a write transaction that changes nothing a reader looks at."""
        return self._run("WRITE", work, _READ_SECONDS)

    def consistent(self, work: Work[T]) -> T:
        """Run ``work`` in a read transaction so that all its queries see one state; it may be run several times.

        Where writers never pause, the last try makes them wait.
        """
        for _ in range(_TRIES):
            before = self.commits()
            try:
                found = self._read(work)
            except _TORN:
                if self.commits() == before:
                    raise
            else:
                if self.commits() == before:
                    return found

        def holding(tx: ManagedTransaction) -> T:
            tx.run(_COMMITS).consume()
            return work(tx)

        return self._run("WRITE", holding, _WRITE_SECONDS)

    def commits(self) -> int:
        """How many writes were committed, each of them wholly visible."""
        found = self._run("WRITE", lambda tx: fetch(tx, _COMMITS), _READ_SECONDS)
        return int(found[0][0] or 0) if found else 0

    def schema(self, query: str) -> None:
        """Run one statement that changes the schema; what it makes may be there already."""
        from neo4j.exceptions import Neo4jError

        def change(tx: ManagedTransaction) -> None:
            try:
                tx.run(_constant(query)).consume()
            except Neo4jError as error:
                # IF NOT EXISTS looks first and makes then: of two who look at once one is told so.
                if error.code != "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists":
                    raise
                raise _ThereAlreadyError from None  # a transaction in which a statement failed cannot be committed

        with suppress(_ThereAlreadyError):
            self._run("WRITE", change, _WRITE_SECONDS)
        with self._translated():
            self._reached("graph.schema.changed")

    def close(self) -> None:
        """Close all connections; doing it twice does nothing."""
        with suppress(Exception):
            self._driver.close()

    def _read(self, work: Work[T]) -> T:
        return self._run("READ", work, _READ_SECONDS)

    def _run(self, mode: str, work: Work[T], seconds: float) -> T:
        from neo4j import unit_of_work

        timed: Work[T] = unit_of_work(timeout=seconds)(work)
        with (
            self._translated(),
            self._driver.session(
                database=self.address.database,
                # What one thread wrote another reads, on any server of a cluster.
                bookmark_manager=self._driver.execute_query_bookmark_manager,
            ) as session,
        ):
            return session.execute_read(timed) if mode == "READ" else session.execute_write(timed)

    def _translated(self) -> Any:
        return translated(self.address.shown, self.address.database, self.address.password)


class _ThereAlreadyError(Exception):
    """What a statement was to make is there."""


def fetch(tx: ManagedTransaction, query: str, parameters: Mapping[str, Any] | None = None) -> list[Row]:
    """All rows that a query answers. ``query`` is a constant of ours: what a caller says is only ever a parameter."""
    return tx.run(_constant(query), dict(parameters or {})).values()


def _constant(query: str) -> Any:
    """The driver wants to be told that no query is built from what users say."""
    return query


__all__ = ["Ask", "Neo4jAddress", "Neo4jDatabase", "Row", "fetch"]
