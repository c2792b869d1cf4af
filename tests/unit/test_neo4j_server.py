"""The server that the tests run on: found, refused and ended as its page says."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import neo4j_server
import pytest

TESTS = Path(__file__).parents[1]


def test_a_missing_java_or_maven_is_named_and_a_given_server_needs_neither(monkeypatch, tmp_path):
    monkeypatch.setattr(neo4j_server, "_ENVIRONMENT", {"CLEW_TEST_CACHE": str(tmp_path)})
    monkeypatch.setattr(neo4j_server, "find_java", lambda _: None)
    assert "needs Java 17" in neo4j_server.why_missing()
    monkeypatch.setattr(neo4j_server, "find_java", lambda _: Path("/usr/bin/java"))
    monkeypatch.setattr(neo4j_server.shutil, "which", lambda _: None)
    assert "mvn is needed" in neo4j_server.why_missing()
    monkeypatch.setattr(neo4j_server, "_ENVIRONMENT", {"CLEW_TEST_NEO4J_URI": "bolt://host"})
    assert neo4j_server.why_missing() is None
    assert neo4j_server.server(tmp_path) == neo4j_server.Server("bolt://host", "neo4j", "", "neo4j")


@pytest.mark.parametrize(("value", "wanted"), [("true", True), ("TRUE", True), ("", False), ("false", False)])
def test_continuous_integration_skips_nothing(monkeypatch, value, wanted):
    monkeypatch.setattr(neo4j_server, "_ENVIRONMENT", {"CI": value})
    assert neo4j_server.required() is wanted


@pytest.mark.skipif(neo4j_server.why_missing() is not None, reason=f"no Neo4j: {neo4j_server.why_missing()}")
@pytest.mark.skipif("CLEW_TEST_NEO4J_URI" in neo4j_server._ENVIRONMENT, reason="a server was given")
def test_the_server_is_gone_when_the_run_that_started_it_is_killed(tmp_path):
    code = (
        "import neo4j_server, pathlib, time\n"
        "neo4j_server.server(pathlib.Path.cwd())\nprint('up', flush=True)\ntime.sleep(600)"
    )
    environment = {**os.environ, **neo4j_server._ENVIRONMENT, "PYTHONPATH": str(TESTS)}
    environment.pop("PYTEST_XDIST_WORKER", None)
    run = subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True
    )
    try:
        assert run.stdout.readline() == "up\n"
        port = int((tmp_path / "neo4j.json").read_text("utf-8").partition("127.0.0.1:")[2].partition('"')[0])
        assert answers(port)
    finally:
        run.send_signal(signal.SIGKILL)
        run.communicate()
    deadline = time.monotonic() + 60
    while answers(port):
        assert time.monotonic() < deadline, "the server is still there"
        time.sleep(0.1)


def answers(port):
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False
