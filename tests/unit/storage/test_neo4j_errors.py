"""What the Neo4j driver raises becomes an error that says what to do, and never the password."""

from __future__ import annotations

import builtins
import socket

import pytest
from neo4j import exceptions as theirs

from storage.errors import (
    ConfigurationError,
    MissingExtraError,
    StoreBusyError,
    StoreError,
    StoreFullError,
    UnreachableError,
)
from storage.neo4j_database import Neo4jAddress, Neo4jDatabase
from storage.neo4j_errors import VanishedError, classified, shown_address, translated

PASSWORD = "s3cret-password"


def from_server(code):
    return theirs.Neo4jError._hydrate_neo4j(code=code, message=f"refused for {PASSWORD}")


@pytest.mark.parametrize(
    ("error", "kind", "exit_code", "advice"),
    [
        (theirs.ServiceUnavailable(f"down {PASSWORD}"), UnreachableError, 4, "Check that it runs"),
        (theirs.SessionExpired("gone"), UnreachableError, 4, "Check that it runs"),
        (theirs.IncompleteCommit("gone"), UnreachableError, 4, "wholly or not at all"),
        (theirs.WriteServiceUnavailable("no leader"), UnreachableError, 4, "read-only replica"),
        (from_server("Neo.ClientError.Cluster.NotALeader"), UnreachableError, 4, "no leader"),
        (from_server("Neo.ClientError.General.ForbiddenOnReadOnlyDatabase"), UnreachableError, 4, "read-only replica"),
        (from_server("Neo.TransientError.General.DatabaseUnavailable"), UnreachableError, 4, "Try later"),
        (from_server("Neo.ClientError.Security.Unauthorized"), ConfigurationError, 2, "NEO4J_PASSWORD"),
        (from_server("Neo.ClientError.Database.DatabaseNotFound"), ConfigurationError, 2, "NEO4J_DATABASE"),
        (theirs.ConfigurationError("no such scheme"), ConfigurationError, 2, "neo4j_uri"),
        (from_server("Neo.TransientError.Transaction.DeadlockDetected"), StoreBusyError, 1, "retry"),
        (from_server("Neo.ClientError.Transaction.TransactionTimedOut"), StoreBusyError, 1, "retry"),
        (from_server("Neo.DatabaseError.Transaction.TransactionLogError"), StoreFullError, 1, "no disk"),
        (from_server("Neo.ClientError.Statement.EntityNotFound"), VanishedError, 1, "Ask again"),
        (from_server("Neo.ClientError.Statement.SyntaxError"), StoreError, 1, "nothing of it was kept"),
    ],
)
def test_every_error_of_the_driver_is_one_of_ours(error, kind, exit_code, advice):
    ours = classified(error, "bolt://host:7687", "neo4j", PASSWORD)
    assert type(ours) is kind
    assert ours.exit_code == exit_code
    assert advice in str(ours)
    assert PASSWORD not in str(ours)


def test_what_is_raised_keeps_no_trace_of_the_drivers_text():
    with pytest.raises(UnreachableError) as caught, translated("bolt://host", "neo4j", PASSWORD):
        raise theirs.ServiceUnavailable(f"cannot log in with {PASSWORD}")
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_errors_of_other_kinds_pass():
    with pytest.raises(KeyError), translated("bolt://host", "neo4j", PASSWORD):
        raise KeyError("x")


def test_an_address_is_shown_without_a_log_in():
    assert shown_address("bolt://ada:pw@host:7687/x") == "bolt://host:7687"
    assert shown_address("neo4j+s://host") == "neo4j+s://host"
    assert shown_address("nonsense") == "the address that is set"
    assert PASSWORD not in repr(Neo4jAddress("bolt://host", "neo4j", PASSWORD))


@pytest.mark.parametrize("uri", ["nonsense", "ftp://host", ""])
def test_an_address_that_is_none_is_a_wrong_setting(uri):
    with pytest.raises(ConfigurationError, match="neo4j_uri"):
        Neo4jDatabase(Neo4jAddress(uri, "neo4j", PASSWORD))


def test_a_server_that_is_not_there_is_unreachable():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: nothing answers
        uri = f"bolt://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(UnreachableError, match="does not answer"):
            Neo4jDatabase(Neo4jAddress(uri, "neo4j", PASSWORD))


def test_a_missing_driver_names_the_extra(monkeypatch):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.partition(".")[0] == "neo4j":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"pip install 'clew\[neo4j\]'"):
        Neo4jDatabase(Neo4jAddress("bolt://host", "neo4j", PASSWORD))
