"""Run a command beside the Neo4j of the tests: ``python tests/with_neo4j.py HOME COMMAND…``.

The server keeps its data in the folder HOME and is stopped when the command has ended. The command finds it by
``NEO4J_URI``, ``NEO4J_USERNAME`` and ``NEO4J_PASSWORD``, and by ``CLEW_BENCH_SERVER_PID`` and ``…_HOME`` what it takes.
Where ``NEO4J_PASSWORD`` is set already, or no server can be had, the command is run as it is, and in the latter case it
is said why.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from neo4j_server import running_at, why_missing


def main(arguments: list[str]) -> int:
    """The exit code of the command."""
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    home, command = Path(arguments[0]), arguments[1:]
    if os.environ.get("NEO4J_PASSWORD"):
        return subprocess.run(command, check=False).returncode
    if missing := why_missing():
        print(f"without Neo4j: {missing}", file=sys.stderr)
        return subprocess.run(command, check=False).returncode
    with running_at(home) as (server, pid):
        found = {
            "NEO4J_URI": server.uri,
            "NEO4J_USERNAME": server.username,
            "NEO4J_PASSWORD": server.password,
            "CLEW_BENCH_SERVER_PID": str(pid),
            "CLEW_BENCH_SERVER_HOME": str(home),
        }
        return subprocess.run(command, check=False, env={**os.environ, **found}).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
