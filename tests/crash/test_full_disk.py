"""A full disk: a clear error, nothing half-done, a store that can still be read, and going on when there is space."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from writer_processes import Ended, ForkServer, fork_server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkServer]:
    with fork_server(tmp_path_factory.mktemp("processes")) as started:
        yield started


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte; ``mount -o remount,size=…`` makes it larger."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if os.geteuid() != 0 or _mount("-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)) != 0:
        pytest.skip("a small file system can only be mounted by root")
    try:
        yield disk
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)


def _mount(*arguments: str) -> int:
    try:
        return subprocess.run(["mount", *arguments], capture_output=True).returncode
    except FileNotFoundError:
        return 1


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for i in range(60):
        filler = " ".join(f"word{i}x{j}" for j in range(600))
        text = f"The event {i} causes the event {i + 1}.\n\n{filler}.\n"
        (folder / f"{i:02}.md").write_text(text, encoding="utf-8")
    return folder


def fill(filler: Path, left: int) -> None:
    """Fill the disk with one file until ``left`` bytes are free."""
    with open(filler, "ab", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(b"\0" * 4096)
    os.truncate(filler, filler.stat().st_size - left)


def check_refused(ended: Ended) -> None:
    assert ended.code == 1, ended.stderr
    last = [line for line in ended.stderr.splitlines() if line.strip()][-1]
    assert last.startswith(("storage.errors.StoreFullError: ", "clew: ")), ended.stderr
    assert "full" in last or "space" in last or "refuses to write" in last


def test_a_full_disk_is_said_and_the_store_can_be_read_and_filled_later(
    server: ForkServer, small_disk: Path, notes: Path, tmp_path: Path
) -> None:
    store = small_disk / "store"
    assert _mount("-o", "remount,size=64m", str(small_disk)) == 0
    (notes / "60.md").write_text("The last event causes the end.\n", encoding="utf-8")
    first = notes / "00.md"
    server.do("ingest", store, notes=str(first))
    before = server.do("state", store)
    used = sum(p.stat().st_size for p in store.rglob("*") if p.is_file())
    assert _mount("-o", f"remount,size={used // 1024 + 400}k", str(small_disk)) == 0
    check_refused(server.run("ingest", store, notes=str(notes), batch_documents=8))
    filler = small_disk / "filler"
    for left in (64 * 1024, 0):  # SQLite needs 32 kB beside a database that is read
        fill(filler, left)
        read = server.run("look", store)
        if left:
            assert read.code == 0, read.stderr
            assert set(before["sources"]) <= set(read.result["paths"])
            assert read.result["abstained"] is False
        elif read.code:
            check_refused(read)
        check_refused(server.run("ingest", store, notes=str(notes), batch_documents=8))
        said = server.run("clew", store, arguments=["ingest", str(notes), "--store", str(store)])
        check_refused(said)
        assert "Traceback" not in said.stderr
    filler.unlink()
    assert _mount("-o", "remount,size=64m", str(small_disk)) == 0
    found = server.do("state", store)
    assert found["intents"] == 0
    assert set(found["rows"]) - {""} == set(found["sources"].values())
    server.do("ingest", store, notes=str(notes), batch_documents=8)
    expected = tmp_path / "expected" / "store"
    server.do("ingest", expected, notes=str(notes), batch_documents=8)
    completed, straight = server.do("state", store), server.do("state", expected)
    for part in ("state_hash", "sources", "chunks", "rows", "counts", "intents"):
        assert completed[part] == straight[part], part


@pytest.mark.parametrize("cut", ["in the middle", "at its end"])
def test_a_limit_on_file_size_is_said_and_nothing_is_partial(
    server: ForkServer, notes: Path, tmp_path: Path, cut: str
) -> None:
    store, expected = tmp_path / "store", tmp_path / "expected" / "store"
    for folder in (store, expected):
        server.do("ingest", folder, notes=str(notes / "00.md"))
    before = server.do("state", store)
    server.do("ingest", expected, notes=str(notes))
    written = [file.stat() for file in (expected / "lance" / "chunks.lance" / "data").iterdir()]
    size = sorted(written, key=lambda file: file.st_mtime_ns)[1].st_size  # of the first file of the second ingest
    limit = size // 2 if cut == "in the middle" else size - 1_000
    limited = server.run("ingest_with_small_files", store, notes=str(notes), limit=limit)
    check_refused(limited)
    found = server.do("state", store)
    assert found["intents"] == 0
    assert set(before["sources"]) <= set(found["sources"])
    assert set(found["rows"]) - {""} == set(found["sources"].values())
    server.do("ingest", store, notes=str(notes))
    completed, straight = server.do("state", store), server.do("state", expected)
    for part in ("state_hash", "sources", "chunks", "rows", "counts"):
        assert completed[part] == straight[part], part


def test_a_store_cannot_be_made_on_a_full_disk(server: ForkServer, small_disk: Path, notes: Path) -> None:
    filler = small_disk / "filler"
    fill(filler, 0)
    said = server.run("clew", small_disk, arguments=["ingest", str(notes), "--store", str(small_disk / "store")])
    check_refused(said)
    assert "Traceback" not in said.stderr
    filler.unlink()
    assert _mount("-o", "remount,size=64m", str(small_disk)) == 0
    server.do("ingest", small_disk / "store", notes=str(notes / "00.md"))
