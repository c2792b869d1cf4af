"""The embedding cache: nothing is embedded twice, and nothing that happens to its file stops the embedding."""

from __future__ import annotations

import logging
import multiprocessing
import sqlite3
import stat
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from extractors.embedders import CachedEmbedder
from storage.errors import UnreachableError
from storage.ports import Side, Vector


class CountingEmbedder:
    """Gives each text a vector that depends on nothing but text and side, and notes what it was asked for."""

    def __init__(self, name: str = "fake", dimensions: int = 3, fail_after: int | None = None) -> None:
        self.name, self.dimensions, self.fail_after = name, dimensions, fail_after
        self.calls: list[list[str]] = []

    @property
    def asked(self) -> list[str]:
        return [text for call in self.calls for text in call]

    def embed(self, texts: Sequence[str], side: Side) -> Vector:
        if self.fail_after is not None and len(self.calls) >= self.fail_after:
            raise UnreachableError("gone")
        self.calls.append(list(texts))
        rows = [[len(text) + 1, len(set(text)), side == "query", *[1] * (self.dimensions - 3)] for text in texts]
        vectors = np.asarray(rows, dtype=np.float32).reshape(-1, self.dimensions)
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "embeddings.sqlite"


def test_a_second_call_asks_nothing_of_the_model(path: Path) -> None:
    inner = CountingEmbedder()
    first = CachedEmbedder(inner, path).embed(["a", "bc"], "passage")
    second = CachedEmbedder(inner, path).embed(["bc", "a"], "passage")
    assert inner.calls == [["a", "bc"]]
    assert second[::-1].tobytes() == first.tobytes()


def test_only_what_is_missing_is_embedded_and_equal_texts_once(path: Path) -> None:
    inner = CountingEmbedder()
    cached = CachedEmbedder(inner, path)
    cached.embed(["a"], "passage")
    vectors = cached.embed(["b", "a", "b", "b"], "passage")
    assert inner.calls == [["a"], ["b"]]
    assert vectors.tobytes() == CountingEmbedder().embed(["b", "a", "b", "b"], "passage").tobytes()


def test_side_and_model_are_part_of_the_key(path: Path) -> None:
    one, other = CountingEmbedder("one"), CountingEmbedder("other")
    CachedEmbedder(one, path).embed(["a"], "passage")
    CachedEmbedder(one, path).embed(["a"], "query")
    CachedEmbedder(other, path).embed(["a"], "passage")
    assert one.calls == [["a"], ["a"]]
    assert other.calls == [["a"]]


def test_an_interrupt_loses_at_most_one_slice(path: Path) -> None:
    texts = [f"text {number}" for number in range(600)]
    with pytest.raises(UnreachableError):
        CachedEmbedder(CountingEmbedder(fail_after=2), path).embed(texts, "passage")
    again = CountingEmbedder()
    CachedEmbedder(again, path).embed(texts, "passage")
    assert again.asked == texts[512:]


def test_odd_texts_have_keys_of_their_own(path: Path) -> None:
    texts = ["", "\0", "\ud800", "\ud801", "?", "𐀀"]
    inner = CountingEmbedder()
    CachedEmbedder(inner, path).embed(texts, "passage")
    assert inner.asked == texts
    CachedEmbedder(inner, path).embed(texts, "passage")
    assert len(inner.calls) == 1


def test_no_text_gives_no_row(path: Path) -> None:
    assert CachedEmbedder(CountingEmbedder(), path).embed([], "query").shape == (0, 3)


def test_neither_text_nor_world_readable_file_is_left(path: Path) -> None:
    CachedEmbedder(CountingEmbedder(), path).embed(["a secret sentence"], "passage")
    assert b"secret" not in path.read_bytes()
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_forget_removes_both_sides_of_a_text_and_nothing_else(path: Path) -> None:
    inner = CountingEmbedder()
    cached = CachedEmbedder(inner, path)
    cached.embed(["a", "b"], "passage")
    cached.embed(["a"], "query")
    assert cached.forget(["a", "never seen"]) == 2
    cached.embed(["a", "b"], "passage")
    assert inner.calls[2:] == [["a"]]


@pytest.mark.parametrize(
    "damage", [b"this is no database", b"SQLite format 3\0" + b"\xff" * 4096], ids=["text", "header"]
)
def test_a_damaged_file_means_no_cache_and_one_warning(
    path: Path, damage: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    path.parent.mkdir()
    path.write_bytes(damage)
    inner = CountingEmbedder()
    cached = CachedEmbedder(inner, path)
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            assert cached.embed(["a"], "passage").shape == (1, 3)
    assert len(inner.calls) == 2
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert path.read_bytes() == damage  # left for its owner to look at


def test_a_place_that_cannot_be_written_means_no_cache(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("in the way of a folder")
    cached = CachedEmbedder(CountingEmbedder(), tmp_path / "file" / "embeddings.sqlite")
    assert cached.embed(["a"], "passage").shape == (1, 3)
    assert cached.forget(["a"]) == 0
    assert "going on without it" in caplog.text


@pytest.mark.parametrize("value", [b"", b"\0\0\xc0\x7f" * 3, b"abc", b"\0" * 12], ids=["empty", "nan", "odd", "zero"])
def test_a_damaged_row_is_embedded_again(path: Path, value: bytes) -> None:
    inner = CountingEmbedder()
    good = CachedEmbedder(inner, path).embed(["a"], "passage")
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE vector SET value = ?", [value])
    connection.close()
    assert CachedEmbedder(inner, path).embed(["a"], "passage").tobytes() == good.tobytes()
    assert len(inner.calls) == 2


def test_a_model_that_changed_its_width_under_its_name_is_asked_again(path: Path) -> None:
    CachedEmbedder(CountingEmbedder(dimensions=3), path).embed(["a"], "passage")
    assert CachedEmbedder(CountingEmbedder(dimensions=4), path).embed(["a", "b"], "passage").shape == (2, 4)


def _embed_range(path: Path, start: int) -> None:
    cached = CachedEmbedder(CountingEmbedder(), path)
    for first in range(start, start + 400, 40):
        cached.embed([f"text {number}" for number in range(first, first + 40)], "passage")
    if not cached._usable:
        raise SystemExit(1)


def test_two_processes_at_once_lose_nothing(path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_embed_range, args=(path, start)) for start in (0, 200)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0]
    inner = CountingEmbedder()
    CachedEmbedder(inner, path).embed([f"text {number}" for number in range(600)], "passage")
    assert inner.calls == []


def test_threads_share_one_cache(path: Path) -> None:
    cached = CachedEmbedder(CountingEmbedder(), path)
    texts = [f"text {number}" for number in range(50)]
    expected = CountingEmbedder().embed(texts, "passage").tobytes()
    seen: list[bytes] = []
    threads = [threading.Thread(target=lambda: seen.append(cached.embed(texts, "passage").tobytes())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert seen == [expected] * 8
    assert cached._usable
