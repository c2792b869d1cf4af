"""Connections to one SQLite file: one writer, a pool of readers that never wait for it, and typed errors."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from storage.embedded_schema import bring_up_to_date, check_readable, is_up_to_date
from storage.errors import StoreBusyError, StoreError, StoreFullError
from storage.fault_points import Reached, unwatched

_IDLE_READERS = 8
_CACHE_KIB = 16_384
_FREE_SHARE = 0.05  # of pages: below, writing the whole file anew gains less than it costs
_ANALYSED_ROWS = 1_000  # per index: enough to tell a selective one
_WAL_LIMIT = 64 * 1024 * 1024  # bytes the write-ahead log may keep on disk between checkpoints


class Connections:
    """Gives out transactions on one file to any number of threads.

    Readers are pooled rather than bound to threads, so that short-lived threads leave no connections behind.
    Connections inherited through ``fork()`` are never used: SQLite forbids it.
    """

    def __init__(self, path: Path, *, busy_timeout: float, reached: Reached = unwatched) -> None:
        self._path = path
        self._reached = reached
        self._timeout = busy_timeout
        self._writing = threading.RLock()
        self._pool = threading.Lock()
        self._writer: sqlite3.Connection | None = None
        self._idle: list[sqlite3.Connection] = []
        self._inherited: list[sqlite3.Connection] = []
        self._pid = os.getpid()
        self._closed = False
        with translated(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            if not is_up_to_date(self._write_connection()):  # else opening would wait for whoever is writing
                with self._without_foreign_keys(), self.writing() as connection:
                    bring_up_to_date(connection, path)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One snapshot: all queries inside see the same state, whatever is written meanwhile."""
        with translated(self._path):
            connection = self._borrow()
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                self._give_back(connection)

    @contextmanager
    def writing(self, *, wait: bool = True) -> Iterator[sqlite3.Connection]:
        """One write transaction, committed at the end of the block and rolled back if anything is raised in it.

        With ``wait`` False it raises StoreBusyError at once if somebody else is writing.
        """
        with translated(self._path), self._turn(wait=wait):
            connection = self._write_connection()
            connection.execute(f"PRAGMA busy_timeout = {int(self._timeout * 1000) if wait else 0:d}")
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                self._reached("graph.committing")
                connection.execute("COMMIT")
                self._reached("graph.committed")
            finally:
                _roll_back(connection)

    def compact(self) -> None:
        """Write the file anew without free pages, fold the write-ahead log in and gather statistics; readers go on."""
        with translated(self._path), self._turn(wait=True):
            connection = self._write_connection()
            connection.execute(f"PRAGMA busy_timeout = {int(self._timeout * 1000):d}")
            free = connection.execute("PRAGMA freelist_count").fetchone()[0]
            if free > _FREE_SHARE * connection.execute("PRAGMA page_count").fetchone()[0]:
                connection.execute("VACUUM")
            self._reached("graph.vacuumed")
            connection.execute(f"PRAGMA analysis_limit = {_ANALYSED_ROWS:d}")
            connection.execute("ANALYZE")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # as far as readers let it

    def purge(self) -> bool:
        """Write the file anew without anything deleted and empty the write-ahead log.

        False if a reader, here or in another process, was on an older snapshot all the time: then the log still holds
        pages of it, and doing this again when the reader is done empties it.
        """
        with translated(self._path), self._turn(wait=True):
            connection = self._write_connection()
            connection.execute(f"PRAGMA busy_timeout = {int(self._timeout * 1000):d}")
            connection.execute("PRAGMA secure_delete = ON")  # pages are zeroed before they are used again
            try:
                connection.execute("ANALYZE")  # whose tables may quote keys that are gone
                connection.execute("VACUUM")
                self._reached("graph.vacuumed")
                busy: int = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
                return busy == 0
            finally:
                connection.execute("PRAGMA secure_delete = OFF")

    def copy_to(self, path: Path) -> None:
        """Write one snapshot into the new file ``path``, page by page in order and without free pages."""
        with translated(self._path):
            connection = self._connect()  # not of the pool, whose connections may write nowhere
            try:
                connection.execute("VACUUM INTO ?", (str(path),))
            finally:
                connection.close()

    @contextmanager
    def _without_foreign_keys(self) -> Iterator[None]:
        # An upgrade may make a table anew to which others refer; the pragma does nothing inside a transaction.
        connection = self._write_connection()
        connection.execute("PRAGMA foreign_keys = OFF")
        try:
            yield
        finally:
            connection.execute("PRAGMA foreign_keys = ON")

    @contextmanager
    def _turn(self, *, wait: bool) -> Iterator[None]:
        if not self._writing.acquire(timeout=self._timeout if wait else 0):
            raise StoreBusyError(f"another thread is writing to {self._path} and did not finish in time. Retry.")
        try:
            yield
        finally:
            self._writing.release()

    def close(self) -> None:
        """Close every connection; those in use are closed when they are given back."""
        with translated(self._path), self._writing, self._pool:
            self._forget_inherited()
            self._closed = True
            for connection in self._idle:
                connection.close()
            self._idle.clear()
            if self._writer is not None:
                self._writer.close()
                self._writer = None

    def _borrow(self) -> sqlite3.Connection:
        with self._pool:
            self._check_open()
            if self._idle:
                return self._idle.pop()
        connection = self._connect()
        connection.execute("PRAGMA query_only = ON")
        return connection

    def _give_back(self, connection: sqlite3.Connection) -> None:
        _roll_back(connection)
        with self._pool:
            if not self._closed and self._pid == os.getpid() and len(self._idle) < _IDLE_READERS:
                self._idle.append(connection)
                return
        connection.close()

    def _write_connection(self) -> sqlite3.Connection:
        with self._pool:
            self._check_open()
            if self._writer is not None:
                return self._writer
        connection = self._connect()
        try:
            check_readable(connection, self._path)  # before anything in a foreign file is changed
            self._use_wal(connection)
        except BaseException:
            connection.close()
            raise
        self._writer = connection
        return connection

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._path, timeout=self._timeout, isolation_level=None, check_same_thread=False, cached_statements=256
        )
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA temp_store = MEMORY")
            connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB:d}")
            connection.execute(f"PRAGMA journal_size_limit = {_WAL_LIMIT:d}")
        except BaseException:
            connection.close()
            raise
        return connection

    def _use_wal(self, connection: sqlite3.Connection) -> None:
        # Two processes that create a store at once: changing the journal mode does not honour the busy timeout.
        deadline = time.monotonic() + self._timeout
        while True:
            try:
                if connection.execute("PRAGMA journal_mode = WAL").fetchone()[0] == "wal":
                    return
                raise StoreError(f"{self._path} is on a file system without write-ahead logging. Choose a local disk.")
            except sqlite3.OperationalError as error:
                if _code(error) not in _BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(0.02)

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError(f"the graph store {self._path} is closed. Open it again to use it.")
        self._forget_inherited()

    def _forget_inherited(self) -> None:
        if self._pid == os.getpid():
            return
        # Kept alive, not closed: closing them here could drop the parent's locks.
        self._inherited += [*self._idle, *([self._writer] if self._writer else [])]
        self._idle, self._writer, self._pid = [], None, os.getpid()


_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_FULL = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}
_REFUSED = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM}
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Raise what SQLite and the file system raise as errors of ours, saying what to do."""
    try:
        yield
    except sqlite3.Error as error:
        code = _code(error)
        if code in _BUSY:
            raise StoreBusyError(
                f"another process is writing to {path} and did not finish in time. Wait for it, or stop it, then retry."
            ) from error
        if code in _FULL:
            raise StoreFullError(
                f"the disk under {path} is full or failing ({error}); nothing of this step was kept. Free some space "
                "or check the disk, then retry."
            ) from error
        if code in _REFUSED:
            raise StoreFullError(
                f"{path} cannot be opened or written ({error}). Check that the folder exists and is yours to write to."
            ) from error
        if code in _DAMAGED:
            raise StoreError(
                f"{path} is damaged or is not a database ({error}). Restore the store from a backup, or ingest anew."
            ) from error
        raise StoreError(f"the graph store {path} refused a step ({error}); nothing of it was kept.") from error
    except OSError as error:
        raise StoreFullError(f"{path} cannot be used ({error}). Check the folder and its permissions.") from error


def _code(error: sqlite3.Error) -> int | None:
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF  # the low byte of an extended code is the plain one


def _roll_back(connection: sqlite3.Connection) -> None:
    if connection.in_transaction:
        with suppress(sqlite3.Error):
            connection.rollback()


__all__ = ["Connections", "translated"]
