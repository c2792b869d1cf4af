"""Reading files in a process of its own: what it gives, what it survives, and what it may not do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from loader_package import write_loader_package
from pydantic import SecretStr

from extractors.loaders import load_file, loaders, worker
from extractors.loaders.limits import LoadLimits
from extractors.loaders.worker import LoadWorker
from extractors.ports import LoadOptions
from storage.errors import ConfigurationError, LoadError, StoreError, UsageError

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the kernel's limits are those of Linux")
OPTIONS = LoadOptions()


@pytest.fixture(autouse=True)
def xyz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The loader of another package that does what the file says."""
    monkeypatch.syspath_prepend(str(write_loader_package(tmp_path / "site")))
    loaders.cache_clear()
    yield
    loaders.cache_clear()


@pytest.fixture
def make() -> Iterator[Any]:
    """Makes workers that are closed at the end."""
    made: list[LoadWorker] = []

    def new(**limits: Any) -> LoadWorker:
        made.append(LoadWorker(LoadLimits(**limits)))
        return made[-1]

    yield new
    for one in made:
        one.close()


def read(reader: LoadWorker, words: str, **options: Any) -> str:
    """The text of a file that says ``words``."""
    loaded = reader.load(Path("a.xyz"), f"xyz {words}".encode(), LoadOptions(**options))
    return loaded.documents[0].text


def refused(reader: LoadWorker, words: str) -> str:
    """What is said about a file that cannot be read; the next one is."""
    with pytest.raises(LoadError) as raised:
        read(reader, words)
    assert read(reader, "say next") == "next"
    return str(raised.value)


FRONT_MATTER = """---
title: "Storm \U0001f300"
valid_from: 2026-01-31
groups: [crew]
whole: 3
share: 0.5
draft: true
written: 2026-02-01
---
# 风暴

| cause | effect |
|---|---|
| storm | flood\u2028 |

Text\x01 "quoted" \\ and 'more'.
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.md", FRONT_MATTER),
        ("b.txt", "Plain.\n\nWords."),
        ("c.html", "<title>T</title><h1>H</h1><p>x<table><tr><td>1"),
    ],
)
def test_what_it_gives_is_what_reading_in_this_process_gives(make: Any, name: str, text: str) -> None:
    data = text.encode()
    assert make().load(Path(name), data, OPTIONS) == load_file(Path(name), data)


def test_one_process_serves_many_files_and_starts_at_the_first(make: Any) -> None:
    reader = make()
    assert reader.pid is None
    served = {read(reader, "process") for _ in range(5)}
    assert served == {str(reader.pid)}
    assert str(os.getpid()) not in served


def test_it_is_replaced_after_so_many_files(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "FILES", 2)
    reader = make()
    served = [read(reader, "process") for _ in range(6)]
    assert served[0] == served[1] != served[2] == served[3] != served[4] == served[5]


@LINUX
def test_it_is_replaced_when_it_keeps_much_memory(make: Any) -> None:
    reader = make(memory_mb=160)
    before = read(reader, "process")
    read(reader, "keep 50", ocr=False)
    assert read(reader, "process") == before
    read(reader, "keep 50", ocr=False)
    assert read(reader, "process") != before


def test_an_error_of_the_loader_is_the_same_error(make: Any) -> None:
    reader = make()
    before = read(reader, "process")
    assert refused(reader, "refuse a.xyz is odd. Mend it") == "a.xyz is odd. Mend it"
    with pytest.raises(LoadError) as here:
        load_file(Path("a.xyz"), b"xyz stumble")
    assert refused(reader, "stumble") == str(here.value)
    with pytest.raises(UsageError, match=r"There is no format 'nope'\. Formats: .*xyz"):
        read(reader, "say x", format="nope")
    assert read(reader, "process") == before


def test_a_file_that_takes_too_long_is_given_up_and_the_next_is_read(make: Any) -> None:
    started = time.monotonic()
    message = refused(make(seconds=1), "loop")
    assert message.startswith("a.xyz took more than 1 s to read")
    assert "loader_seconds" in message
    assert time.monotonic() - started < 20


def test_a_crash_is_an_error_of_that_file_only(make: Any) -> None:
    assert "crashed (SIGSEGV)" in refused(make(), "crash")
    message = refused(make(), "leave")
    assert message.startswith("a.xyz cannot be read")
    assert "exit code 3" in message


def test_a_process_that_was_ended_between_two_files_is_replaced(make: Any) -> None:
    reader = make()
    read(reader, "say first")
    child = reader.pid
    os.kill(child, signal.SIGKILL)
    reader._processes[0].wait()  # until its last thread has ended: a zombie may still have some
    assert not is_alive(child)
    assert read(reader, "say second") == "second"


@LINUX
def test_memory_is_limited_and_the_message_says_so(make: Any) -> None:
    reader = make(memory_mb=100)
    assert read(reader, "fill 80", ocr=False) == "80000000"
    with pytest.raises(LoadError) as raised:
        read(reader, "fill 150", ocr=False)
    message = str(raised.value)
    assert read(reader, "say next") == "next"
    assert message.startswith("a.xyz needs more than 100 MB of memory")
    assert "loader_memory_mb" in message


def test_output_is_limited_and_the_message_says_so(make: Any) -> None:
    reader = make(characters=1000)
    assert len(read(reader, "produce 1000")) == 1000
    message = refused(reader, "produce 1005")
    assert message.startswith("a.xyz holds more text or cells than one file may (1,000 characters")
    assert "loader_characters" in message


def test_cells_and_headings_count_as_output(make: Any) -> None:
    headings = b"# a\n\n# b\n\n# c\n\n# d\n"  # 4 of 50, and 10 characters
    assert make(characters=210).load(Path("a.md"), headings, OPTIONS).documents
    with pytest.raises(LoadError, match="more text or cells"):
        make(characters=209).load(Path("a.md"), headings, OPTIONS)


def test_what_a_parser_prints_or_reads_does_not_disturb(make: Any, capfd: pytest.CaptureFixture[str]) -> None:
    reader = make()
    assert read(reader, "chatter some words") == "''"
    assert read(reader, "say next") == "next"
    assert capfd.readouterr() == ("", "")


def test_no_file_is_written(make: Any, tmp_path: Path) -> None:
    place = tmp_path / "written"
    refused(make(), f"write {place}")
    assert not place.exists()


@LINUX
def test_no_file_gets_content_from_below_python(make: Any, tmp_path: Path) -> None:
    place = tmp_path / "written"
    assert read(make(), f"write_below_python {place}") == "-1"
    assert not place.exists() or place.stat().st_size == 0


@pytest.mark.parametrize("words", ["connect 9", "spawn"])
def test_no_connection_is_made_and_no_program_started(make: Any, words: str) -> None:
    assert "PermissionError" in refused(make(), words)


def test_nothing_secret_is_in_its_environment(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "CLEW_OPENAI_API_KEY", "CLEW_PASSWORD", "AWS_SECRET_ACCESS_KEY", "MY_TOKEN"):
        monkeypatch.setenv(name, "s3cr3t")
    assert "s3cr3t" not in read(make(), "environment")


def test_the_password_travels_over_the_pipe_only(make: Any, caplog: pytest.LogCaptureFixture) -> None:
    reader, secret = make(), {"password": SecretStr("s3cr3t")}
    assert read(reader, "password", **secret) == "s3cr3t"
    for words in ("environment", "arguments"):
        assert "s3cr3t" not in read(reader, words, **secret)
    assert "s3cr3t" not in Path(f"/proc/{reader.pid}/cmdline").read_text() if sys.platform == "linux" else True
    for words in ("crash", "leave", "stumble", "refuse no"):
        with pytest.raises(LoadError) as raised:
            read(reader, words, **secret)
        assert "s3cr3t" not in str(raised.value)
    assert "s3cr3t" not in caplog.text + repr(reader)


def test_several_threads_may_use_it(make: Any) -> None:
    reader = make()
    results: dict[int, str] = {}

    def run(number: int) -> None:
        for _ in range(10):
            results[number] = read(reader, f"say {number}")

    threads = [threading.Thread(target=run, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {n: str(n) for n in range(8)}


def test_it_outlives_the_thread_that_started_it(make: Any) -> None:
    reader = make()
    thread = threading.Thread(target=read, args=(reader, "say x"))
    thread.start()
    thread.join()
    before = reader.pid
    time.sleep(1.2)
    assert read(reader, "process") == str(before)


def test_closing_ends_it_while_it_reads_and_for_good(make: Any) -> None:
    reader = make()
    read(reader, "say x")
    errors: list[StoreError] = []

    def run() -> None:
        try:
            read(reader, "loop")
        except StoreError as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    time.sleep(0.3)
    started = time.monotonic()
    reader.close()
    thread.join(timeout=5)
    assert time.monotonic() - started < 5
    assert [type(e) for e in errors] == [StoreError]
    assert reader.pid is None
    with pytest.raises(StoreError, match="closed"):
        read(reader, "say x")


def test_an_interrupt_while_it_reads_does_not_mix_up_answers(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    # A process that was started in the background ignores interrupts.
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    reader = make()
    read(reader, "say x")
    threading.Timer(0.5, signal.raise_signal, args=(signal.SIGINT,)).start()
    with pytest.raises(KeyboardInterrupt):
        read(reader, "wait 3")
    assert read(reader, "say mine") == "mine"
    signal.signal(signal.SIGINT, previous)


@pytest.mark.skipif(sys.platform == "win32", reason="it ends there when it is idle")
@pytest.mark.parametrize("words", ["say x", "loop"])
def test_it_ends_with_its_parent(tmp_path: Path, words: str) -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom extractors.loaders.worker import LoadWorker\n"
        "from extractors.ports import LoadOptions\nreader = LoadWorker()\n"
        "reader.load(Path('a.xyz'), b'xyz say x', LoadOptions())\nprint(reader.pid, flush=True)\n"
        f"reader.load(Path('a.xyz'), b'xyz {words}', LoadOptions())\nsys.stdin.read()\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        time.sleep(0.3)
        parent.kill()
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline and is_alive(child):
        time.sleep(0.05)
    assert not is_alive(child)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not (status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z")


def test_a_process_that_cannot_start_is_said_with_what_to_do(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(ConfigurationError, match=r"cannot be started .*loader_process = false"):
        read(make(), "say x")
    monkeypatch.undo()


def test_a_process_that_dies_at_once_is_said_with_what_to_do(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_START", "raise SystemExit(7)")
    with pytest.raises(ConfigurationError, match=r"cannot be started \(exit code 7"):
        read(make(), "say x")


def test_a_worker_that_nobody_holds_ends_its_process(make: Any) -> None:
    reader = LoadWorker()
    read(reader, "say x")
    child = reader.pid
    assert child is not None
    del reader
    assert not is_alive(child)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a process does not inherit what its parent held")
def test_what_the_parent_holds_is_not_counted_as_memory_of_the_process() -> None:
    held = b"x" * 400_000_000
    code = "from extractors.loaders.worker_main import _peak; print(_peak())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert len(held) / 1e6 > float(done.stdout) > 10
