"""A real Neo4j for the tests: fetched once from Maven Central, shared by the workers of a run, gone when the run is.

Order: ``CLEW_TEST_NEO4J_URI`` (with ``CLEW_TEST_NEO4J_USERNAME``, ``…_PASSWORD``, ``…_DATABASE``) if it is set; else a
server of our own, where ``java`` and ``mvn`` are found. Run as a program, this module is the keeper of that server: it
starts it, waits until the test run has ended, however it ended, and stops it by its process id.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock

POM = Path(__file__).parent / "neo4j" / "pom.xml"
LTS, LATEST = "5.26.30", "2026.08.1"
# Read at import: tests run without the caller's CLEW_* variables.
_ENVIRONMENT = {k: v for k, v in os.environ.items() if k.startswith("CLEW_TEST_") or k in ("JAVA_HOME", "CI")}
VERSION = _ENVIRONMENT.get("CLEW_TEST_NEO4J_VERSION", LTS)
_MAIN = {LTS: "org.neo4j.server.CommunityEntryPoint", LATEST: "org.neo4j.server.Neo4jCommunity"}
_JAVA = {LTS: range(17, 22), LATEST: range(21, 100)}
_OPENED = ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent")
_START_SECONDS = 120
_KEEPERS: list[subprocess.Popen[bytes]] = []


@dataclass(frozen=True)
class Server:
    """Where a Neo4j answers, and how to log in."""

    uri: str
    username: str
    password: str
    database: str = "neo4j"


def why_missing() -> str | None:
    """Why no server can be had here, or None."""
    if _ENVIRONMENT.get("CLEW_TEST_NEO4J_URI"):
        return None
    if find_java(_JAVA[VERSION]) is None:
        first = _JAVA[VERSION].start
        return f"Neo4j {VERSION} needs Java {first}; set CLEW_TEST_JAVA_HOME to one, or CLEW_TEST_NEO4J_URI to a server"
    if not _libraries(VERSION).is_dir() and shutil.which("mvn") is None:
        return "mvn is needed to fetch Neo4j for the tests; install it or set CLEW_TEST_NEO4J_URI"
    return None


def is_worker() -> bool:
    """Whether this process is one of several workers of a run."""
    return "PYTEST_XDIST_WORKER" in os.environ


def run_id() -> int:
    """The process whose end is that of the run: a worker's controller, since other workers go on when one ends."""
    return os.getppid() if is_worker() else os.getpid()


def required() -> bool:
    """Whether a missing server is a failure: in continuous integration nothing is skipped."""
    return _ENVIRONMENT.get("CI", "").lower() == "true"


def server(folder: Path) -> Server:
    """The server of this test run, started if it does not run yet; ``folder`` is shared by the run's workers."""
    if uri := _ENVIRONMENT.get("CLEW_TEST_NEO4J_URI"):
        given = {k: _ENVIRONMENT.get(f"CLEW_TEST_NEO4J_{k.upper()}") for k in ("username", "password", "database")}
        return Server(uri, given["username"] or "neo4j", given["password"] or "", given["database"] or "neo4j")
    with FileLock(folder / "neo4j.lock"):
        address = folder / "neo4j.json"
        if not address.exists():
            _start_keeper(folder, _fetched(VERSION), address)
        return Server(**json.loads(address.read_text("utf-8")))


def find_java(versions: range) -> Path | None:
    """A ``java`` of one of these versions: CLEW_TEST_JAVA_HOME, JAVA_HOME, the path, an installed JDK."""
    homes = [_ENVIRONMENT.get("CLEW_TEST_JAVA_HOME"), _ENVIRONMENT.get("JAVA_HOME")]
    candidates = [Path(home) / "bin" / "java" for home in homes if home]
    candidates += [Path(found) for found in [shutil.which("java")] if found]
    for jdks in (Path("/usr/lib/jvm"), Path("/Library/Java/JavaVirtualMachines")):
        candidates += [*sorted(jdks.glob("*/bin/java")), *sorted(jdks.glob("*/Contents/Home/bin/java"))]
    return next((java for java in candidates if java.is_file() and _java_version(java) in versions), None)


def _java_version(java: Path) -> int:
    try:
        said = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=30, check=True).stderr
    except (OSError, subprocess.SubprocessError):
        return 0
    found = re.search(r'version "(\d+)', said)
    return int(found[1]) if found else 0


# --- the artifacts ---------------------------------------------------------------------------------------------------


def _libraries(version: str) -> Path:
    cache = Path(_ENVIRONMENT.get("CLEW_TEST_CACHE") or Path.home() / ".cache" / "clew-tests")
    return cache / f"neo4j-{version}"


def _fetched(version: str) -> Path:
    """The folder of the server's jars, fetched from Maven Central if they are not there yet."""
    folder = _libraries(version)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.parent / f"{folder.name}.lock"):
        if not folder.is_dir():
            part = Path(tempfile.mkdtemp(prefix=f"{folder.name}-", dir=folder.parent))
            subprocess.run(
                ["mvn", "-q", "-B", "-f", str(POM), f"-Dneo4j.version={version}", "dependency:copy-dependencies",
                 "-DincludeScope=runtime", f"-DoutputDirectory={part}"],
                check=True, cwd=part, env={**os.environ, "JAVA_HOME": _java_home(version)},
            )  # fmt: skip
            part.rename(folder)
    return folder


def _java_home(version: str) -> str:
    java = find_java(_JAVA[version])
    assert java is not None
    return str(java.resolve().parents[1])


# --- the keeper ------------------------------------------------------------------------------------------------------


def _start_keeper(folder: Path, libraries: Path, address: Path) -> None:
    request = {
        "run": run_id(),
        "java": str(find_java(_JAVA[VERSION])),
        "libraries": str(libraries),
        "main": _MAIN[VERSION],
        "address": str(address),
        "home": tempfile.mkdtemp(prefix="clew-neo4j-"),
    }
    with open(folder / "neo4j.log", "ab") as log:
        keeper = subprocess.Popen(
            [sys.executable, __file__, json.dumps(request)],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
    _KEEPERS.append(keeper)
    deadline = time.monotonic() + _START_SECONDS
    while not address.exists():
        if time.monotonic() > deadline:
            raise RuntimeError(f"Neo4j did not start:\n{(folder / 'neo4j.log').read_text('utf-8')[-3000:]}")
        time.sleep(0.1)


def keep(request: dict[str, Any]) -> None:
    """Run the server until the process ``request["run"]`` has ended."""
    run, home = int(request["run"]), Path(request["home"])
    stop = [False]
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: stop.__setitem__(0, True))
    try:
        port = free_port()
        java = _launch(request, home, port)
        try:
            _wait_for(port, java)
            made = _with_password(port)
            write_address(Path(request["address"]), asdict(made))
            while not stop[0] and alive(run) and java.poll() is None:
                time.sleep(0.25)
        finally:
            java.kill()
            java.wait()
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _launch(request: dict[str, Any], home: Path, port: int) -> subprocess.Popen[bytes]:
    configuration = home / "conf"
    configuration.mkdir(exist_ok=True)
    (configuration / "neo4j.conf").write_text(
        "server.default_listen_address=127.0.0.1\n"
        f"server.bolt.listen_address=127.0.0.1:{port}\n"
        "server.http.enabled=false\nserver.https.enabled=false\ndbms.usage_report.enabled=false\n"
        "server.memory.heap.initial_size=256m\nserver.memory.heap.max_size=1g\n"
        f"server.memory.pagecache.size={request.get('page_cache', '128m')}\n",
        encoding="utf-8",
    )
    opened = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED]
    return subprocess.Popen(
        [request["java"], "-Xms256m", "-Xmx1g", "-XX:+UseSerialGC", *opened, "-cp", f"{request['libraries']}/*",
         request["main"], f"--home-dir={home}", f"--config-dir={configuration}"],
        preexec_fn=_die_with_parent,
    )  # fmt: skip


def _die_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: also when the keeper itself is killed


def free_port() -> int:
    """A port of the loopback interface that nobody listens on."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


def _wait_for(port: int, java: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and java.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)
    raise RuntimeError("Neo4j does not answer")


def _with_password(port: int) -> Server:
    """Change the password that every new server has."""
    import neo4j
    from neo4j.exceptions import DriverError, Neo4jError

    made = Server(f"bolt://127.0.0.1:{port}", "neo4j", secrets.token_urlsafe(16))
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            with neo4j.GraphDatabase.driver(made.uri, auth=("neo4j", "neo4j")) as driver:
                driver.execute_query(
                    "ALTER CURRENT USER SET PASSWORD FROM $old TO $new",
                    {"old": "neo4j", "new": made.password},
                    database_="system",
                )
            with neo4j.GraphDatabase.driver(made.uri, auth=(made.username, made.password)) as driver:
                driver.execute_query("RETURN 1", database_=made.database)
        except (DriverError, Neo4jError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)
        else:
            return made


def _wait_for_login(server: Server) -> None:
    import neo4j
    from neo4j.exceptions import DriverError, Neo4jError

    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            with neo4j.GraphDatabase.driver(server.uri, auth=(server.username, server.password)) as driver:
                driver.execute_query("RETURN 1", database_=server.database)
        except (DriverError, Neo4jError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)
        else:
            return


def alive(pid: int) -> bool:
    """Whether a process is there."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def write_address(path: Path, data: dict[str, Any]) -> None:
    """Tell where a server is, in one step and to its user alone."""
    part = path.with_suffix(".part")
    part.touch(mode=0o600)
    part.write_text(json.dumps(data), encoding="utf-8")
    part.replace(path)


# --- a server whose data stays ---------------------------------------------------------------------------------------


@contextlib.contextmanager
def running_at(home: Path) -> Iterator[tuple[Server, int]]:
    """A server with its data in ``home`` for the time of the block, and its process; the next one finds them again."""
    home.mkdir(parents=True, exist_ok=True)
    port, kept = free_port(), home / "login.json"
    request = {
        "java": str(find_java(_JAVA[VERSION])),
        "libraries": str(_fetched(VERSION)),
        "main": _MAIN[VERSION],
        "page_cache": "640m",
    }
    process = _launch(request, home, port)
    try:
        _wait_for(port, process)
        if kept.exists():
            server = Server(**{**json.loads(kept.read_text("utf-8")), "uri": f"bolt://127.0.0.1:{port}"})
            _wait_for_login(server)
        else:
            server = _with_password(port)
            write_address(kept, asdict(server))
        yield server, process.pid
    finally:
        process.terminate()  # it writes down what it holds; killed, it would have to recover the next time
        process.wait(timeout=_START_SECONDS)


# --- one test at a time ----------------------------------------------------------------------------------------------


@contextlib.contextmanager
def emptied(server: Server, folder: Path) -> Iterator[Server]:
    """The server's one database, empty, and nobody else's for the time of the block: Community has no second one."""
    import neo4j

    with FileLock(folder / f"{server.uri.rpartition(':')[2]}.lock"):
        with neo4j.GraphDatabase.driver(server.uri, auth=(server.username, server.password)) as driver:
            clear(driver, server.database)
        yield server


def clear(driver: Any, database: str) -> None:
    """Delete all data; constraints and indexes stay, as creating them takes longer than most tests."""
    with driver.session(database=database) as session:
        # First the relationships: those of a hub do not fit into the memory of one transaction.
        session.run("MATCH ()-[r]->() CALL (r) { DELETE r } IN TRANSACTIONS OF 20000 ROWS").consume()
        session.run("MATCH (n) WHERE NOT n:ClewStore CALL (n) { DELETE n } IN TRANSACTIONS OF 5000 ROWS").consume()
    driver.execute_query(
        "MATCH (s:ClewStore) SET s = {id: s.id, schema: s.schema, commits: 0, changes: 0, begun: 0}", database_=database
    )


if __name__ == "__main__":
    keep(json.loads(sys.argv[1]))
