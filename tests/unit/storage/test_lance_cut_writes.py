"""Whatever a full disk cuts short of a write to LanceDB is noticed and taken back."""

from __future__ import annotations

import resource
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest

from storage.errors import StoreError, StoreFullError
from storage.identity import make_id
from storage.lance_index import LanceTextIndex
from storage.ports import IndexRow, RowAccess
from storage.records import Scope

DIMENSIONS = 8
PUBLIC, OTHERS = make_id("acl", "public"), make_id("acl", "others")
ALL = Scope(classes=None, at=None)


def open_index(path: Path) -> LanceTextIndex:
    return LanceTextIndex(path, dimensions=DIMENSIONS)


def rows(start: int, stop: int) -> list[IndexRow]:
    vectors = np.random.default_rng(start).standard_normal((stop - start, DIMENSIONS)).astype(np.float32)
    return [
        IndexRow(make_id("chk", i), "", make_id("doc", i), PUBLIC, "en", f"The port {i} closes.", vector=vector)
        for i, vector in zip(range(start, stop), vectors, strict=True)
    ]


def found(index: LanceTextIndex) -> dict[str, str]:
    """Every row's access class, read in whole, by its id; and the words of all are found."""
    read = index.document_rows("chunks", [make_id("doc", i) for i in range(200)])
    assert len(index.search_text("chunks", "port", ALL, limit=500)) == len(read) == index.count("chunks")
    return {row.id: row.access_class for row in read}


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """No file may become larger; whatever is beyond that is not written, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)


def files(path: Path) -> dict[Path, int]:
    return {file.relative_to(path): file.stat().st_size for file in path.rglob("*") if file.is_file()}


OPERATIONS: dict[str, Callable[[LanceTextIndex], None]] = {
    "write": lambda index: index.write("chunks", rows(90, 130)),
    "delete": lambda index: index.delete("chunks", [make_id("chk", i) for i in range(40)]),
    "update": lambda index: index.update_documents(
        {make_id("doc", i): RowAccess(access_class=OTHERS, tags=(), valid_from=None, valid_to=None) for i in range(30)}
    ),
    "optimize": lambda index: index.optimize(),
    "purge": lambda index: index.purge() and None,
}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of a hundred chunks in three files, some of them without a search index."""
    path = tmp_path_factory.mktemp("filled") / "lance"
    index = open_index(path)
    index.write("chunks", rows(0, 50))
    index.optimize()
    index.write("chunks", rows(50, 80))
    index.write("chunks", rows(80, 100))
    index.delete("chunks", [make_id("chk", 99)])
    return path


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_write_that_a_full_disk_cuts_short_anywhere_is_refused_and_leaves_nothing(
    filled: Path, tmp_path: Path, operation: str
) -> None:
    work, straight = OPERATIONS[operation], tmp_path / "straight"
    shutil.copytree(filled, straight)
    before, there = found(open_index(straight)), files(straight)
    work(open_index(straight))
    after = found(open_index(straight))
    made = sorted({size for file, size in files(straight).items() if there.get(file) != size})
    refused: list[str] = []
    for number, size in enumerate(made):
        for limit in (size - 1, size - 40):
            path = tmp_path / f"{number}-{limit}"
            shutil.copytree(filled, path)
            index = open_index(path)
            index.count("chunks")  # tables are made under another limit
            try:
                with largest_file(limit):
                    work(index)
            except StoreFullError as error:
                refused.append(str(error))
                for reader in (index, open_index(path)):
                    # several steps may have been done, each of them whole
                    assert found(reader) == before if operation != "update" else found(reader).keys() == before.keys()
            else:
                assert found(open_index(path)) == after
            work(index)
            assert found(index) == found(open_index(path)) == after
    assert len(refused) > len(made)
    assert all("full or refuses to write" in said for said in refused)
    assert any("could not be written" in said for said in refused)


@pytest.mark.parametrize(
    ("operation", "kind"),
    [
        ("write", "data"),
        ("write", "_versions"),
        ("delete", "_deletions"),
        ("delete", "_versions"),
        ("optimize", "data"),
        ("optimize", "_indices"),
        ("optimize", "_versions"),
    ],
)
def test_what_is_cut_short_when_its_writer_died_is_taken_back_by_the_next_one(
    filled: Path, tmp_path: Path, operation: str, kind: str
) -> None:
    path = tmp_path / "lance"
    shutil.copytree(filled, path)
    before, there = found(open_index(path)), files(path)
    OPERATIONS[operation](open_index(path))
    new = files(path).keys() - there.keys()
    made = [file for file in new if file.parts[1] == kind and file.suffix != ".json"]
    assert made
    for file in made:
        copy = tmp_path / f"cut-{file.name}"
        shutil.copytree(path, copy)
        cut(copy / file)
        open_index(copy).mend()
        assert found(open_index(copy)) == before
        OPERATIONS[operation](open_index(copy))
        assert found(open_index(copy)) == found(open_index(path))


def test_a_large_deletion_that_is_cut_short_is_taken_back(tmp_path: Path) -> None:
    index = open_index(tmp_path)
    index.write("chunks", rows(0, 7_000))
    index.delete("chunks", [make_id("chk", i) for i in range(6_000)])  # in twelve steps
    open_index(tmp_path).mend()
    assert open_index(tmp_path).count("chunks") == 1_000
    cut(max(tmp_path.rglob("*.bin"), key=lambda file: file.stat().st_mtime_ns))
    open_index(tmp_path).mend()
    left = open_index(tmp_path).rows("chunks", [make_id("chk", i) for i in range(7_000)])
    assert left.keys() == {make_id("chk", i) for i in range(5_500, 7_000)}


def test_the_tables_of_a_new_index_that_were_cut_short_are_made_again(tmp_path: Path) -> None:
    open_index(tmp_path).count("chunks")
    whole = files(tmp_path)
    shutil.rmtree(tmp_path)
    for size in sorted({size for file, size in whole.items() if file.suffix != ".json"}):
        path = tmp_path / str(size)
        with suppress(StoreFullError), largest_file(size - 1):
            open_index(path).count("chunks")
        index = open_index(path)
        index.write("chunks", rows(0, 3))
        assert len(found(index)) == 3


def test_a_file_that_was_damaged_long_ago_takes_no_later_write_with_it(filled: Path, tmp_path: Path) -> None:
    path = tmp_path / "lance"
    shutil.copytree(filled, path)
    index = open_index(path)
    old = set(path.glob("chunks.lance/data/*"))
    for i in range(6):
        index.write("chunks", rows(100 + i, 101 + i))
    cut(min(old))
    versions = set(path.glob("chunks.lance/_versions/*.manifest"))
    open_index(path).mend()
    assert set(path.glob("chunks.lance/_versions/*.manifest")) == versions
    with pytest.raises(StoreError, match="damaged"):
        found(open_index(path))


def cut(file: Path) -> None:
    """Lose the last bytes."""
    with file.open("r+b") as opened:
        opened.truncate(file.stat().st_size - 5)
