"""What the Neo4j driver raises, sorted once by what the caller can do about it.

The driver repeats a managed transaction by itself where that is safe: when the connection is lost before the commit was
sent, on a leader switch, on a deadlock. A connection lost *during* a commit is never repeated, since nobody knows
whether it was done; the journal tells the next writer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from storage.errors import (
    ClewError,
    ConfigurationError,
    MissingExtraError,
    StoreBusyError,
    StoreError,
    StoreFullError,
    UnreachableError,
)

_BUSY = ("TransactionTimedOut", "LockClientStopped", "LockAcquisitionTimeout", "DeadlockDetected", "Terminated")
_FULL = ("OutOfDisk", "TransactionLogError", "MemoryPoolOutOfMemory", "TransactionOutOfMemory", "OutOfMemory")


class VanishedError(StoreError):
    """A query met something that was removed while it was read."""


def shown_address(uri: str) -> str:
    """``uri`` without a name or password that somebody wrote into it."""
    parts = urlsplit(uri)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}" if parts.netloc else "the address that is set"


@contextmanager
def translated(address: str, database: str, secret: str) -> Iterator[None]:
    """Raise what the driver raises as errors of ours, saying what to do and never the password."""
    try:
        from neo4j.exceptions import DriverError, Neo4jError
    except ImportError:
        raise MissingExtraError("The graph store Neo4j", "neo4j") from None
    try:
        yield
    except (DriverError, Neo4jError) as error:
        # Not chained: the driver's own text may quote a query's parameters or the log-in.
        raise classified(error, address, database, secret) from None
    except OSError as error:
        raise UnreachableError(
            f"Neo4j at {address} cannot be reached ({_without(secret, str(error))}). Check neo4j_uri (NEO4J_URI)."
        ) from None


def classified(error: Exception, address: str, database: str, secret: str = "") -> ClewError:
    """The error of ours for one of the driver's."""
    from neo4j import exceptions as theirs

    code = getattr(error, "code", None) or ""
    said = _without(secret, getattr(error, "message", None) or str(error)).splitlines()
    detail = said[0] if said else type(error).__name__
    if isinstance(error, theirs.AuthError) or code.startswith("Neo.ClientError.Security."):
        return ConfigurationError(
            f"Neo4j at {address} refuses the log-in ({code.rpartition('.')[2] or type(error).__name__}). "
            "Check NEO4J_USERNAME and NEO4J_PASSWORD."
        )
    if code.endswith("DatabaseNotFound"):
        return ConfigurationError(
            f"Neo4j at {address} has no database {database!r}. Check NEO4J_DATABASE; Community has only 'neo4j'."
        )
    if isinstance(error, theirs.ConfigurationError):
        return ConfigurationError(f"Neo4j at {address} cannot be used as configured ({detail}). Check neo4j_uri.")
    if isinstance(error, theirs.IncompleteCommit):
        return UnreachableError(
            f"the connection to Neo4j at {address} was lost while a change was committed. It was done wholly or not at "
            "all: the next write finds out and finishes or undoes the rest."
        )
    if isinstance(error, theirs.NotALeader | theirs.ForbiddenOnReadOnlyDatabase | theirs.WriteServiceUnavailable):
        return UnreachableError(
            f"Neo4j at {address} takes no writes now: it is a read-only replica, or its cluster has no leader. Use a "
            "neo4j:// address, which finds the leader, or try later. Reading is possible."
        )
    if code.endswith("EntityNotFound"):
        return VanishedError(f"something in Neo4j at {address} was removed while it was read. Ask again.")
    if any(word in code for word in _BUSY):
        return StoreBusyError(
            f"another writer holds Neo4j at {address} and did not finish in time. Wait for it, then retry."
        )
    if any(word in code for word in _FULL):
        return StoreFullError(f"Neo4j at {address} has no disk or memory left for this step; nothing of it was kept.")
    if isinstance(error, theirs.TransientError) or code.endswith("DatabaseUnavailable"):
        return UnreachableError(f"Neo4j at {address} cannot answer now ({detail}). Try later.")
    unreachable = (theirs.ServiceUnavailable, theirs.SessionExpired, theirs.ConnectionPoolError)
    if isinstance(error, unreachable):
        return UnreachableError(
            f"Neo4j at {address} does not answer. Check that it runs, NEO4J_URI and the network, or try later."
        )
    if isinstance(error, theirs.DriverError) and "closed" in str(error).lower():
        return StoreError(f"the graph store at {address} is closed. Open it again to use it.")
    return StoreError(f"Neo4j at {address} refused a step ({code or detail}); nothing of it was kept.")


def _without(secret: str, text: str) -> str:
    text = text.replace(secret, "***") if secret else text
    return re.sub(r"//[^/@\s]*@", "//***@", text)


__all__ = ["VanishedError", "classified", "shown_address", "translated"]
