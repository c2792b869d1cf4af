"""ArcadeDB from PyPI as a second server that speaks Bolt: no stand-in for Neo4j, but another opinion on our Cypher.

Run as a program, this module is that server, in a process of its own; it ends when the test run does.
"""

from __future__ import annotations

import importlib.util
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import neo4j_server
from filelock import FileLock
from neo4j_server import Server

_START_SECONDS = 120
_KEEPERS: list[subprocess.Popen[bytes]] = []


def why_missing() -> str | None:
    """Why there is no such server here, or None."""
    if importlib.util.find_spec("arcadedb_embedded") is None:
        return "arcadedb-embedded is not installed (it has wheels for Linux and macOS)"
    return None


def server(folder: Path) -> Server:
    """The server of this test run, started if it does not run yet; ``folder`` is shared by the run's workers."""
    with FileLock(folder / "arcadedb.lock"):
        address, log = folder / "arcadedb.json", folder / "arcadedb.log"
        if not address.exists():
            request = {"run": neo4j_server.run_id(), "address": str(address)}
            with open(log, "ab") as out:
                keeper = subprocess.Popen(
                    [sys.executable, __file__, json.dumps(request)],
                    stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True,
                )  # fmt: skip
            _KEEPERS.append(keeper)
            deadline = time.monotonic() + _START_SECONDS
            while not address.exists():
                if time.monotonic() > deadline or keeper.poll() is not None:
                    raise RuntimeError(f"ArcadeDB did not start:\n{log.read_text('utf-8')[-3000:]}")
                time.sleep(0.1)
        return Server(**json.loads(address.read_text("utf-8")))


def keep(request: dict[str, Any]) -> None:
    """Be the server until the process ``request["run"]`` has ended."""
    from arcadedb_embedded.server import ArcadeDBServer

    home = Path(tempfile.mkdtemp(prefix="clew-arcadedb-"))
    os.chdir(home)  # it writes its logs below the folder it is started in
    try:
        port, password = neo4j_server.free_port(), secrets.token_urlsafe(16)
        plugin = "Bolt:com.arcadedb.bolt.BoltProtocolPlugin"
        made = ArcadeDBServer(
            str(home), password,
            {"http_port": neo4j_server.free_port(), "server_plugins": plugin, "bolt_port": port},
            {"heap_size": "512m"},
        )  # fmt: skip
        made.start()
        made.create_database("clew")
        address = Server(f"bolt://127.0.0.1:{port}", "root", password, "clew")
        neo4j_server.write_address(Path(request["address"]), asdict(address))
        while neo4j_server.alive(int(request["run"])):
            time.sleep(0.25)
        made.stop()
    finally:
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    keep(json.loads(sys.argv[1]))
