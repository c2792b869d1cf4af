from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

import graphrag.walked
from graphrag.walked import WalkedChains

A, B = frozenset(["a"]), frozenset(["b"])


def test_what_was_shown_to_others_is_found_by_the_owner_only(tmp_path: Path) -> None:
    walked = WalkedChains(tmp_path)
    walked.remember([("chn_1", ("rel_1", "rel_2")), ("chn_2", ("rel_3",))], A)
    walked.remember([("chn_2", ("rel_3",)), ("chn_3", ("rel_4",))], frozenset(["b", "a"]))
    assert walked.starting("chn_", A) == {"chn_1": ("rel_1", "rel_2"), "chn_2": ("rel_3",)}
    assert list(walked.starting("chn_", frozenset(["a", "b"]))) == ["chn_2", "chn_3"]
    assert walked.starting("chn_", B) == {}
    assert walked.starting("chn_", frozenset()) == {}
    assert list(walked.starting("chn_", None)) == ["chn_1", "chn_2", "chn_3"]


def test_nobody_pushes_out_what_was_shown_to_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphrag.walked, "KEPT", 3)
    walked = WalkedChains(tmp_path)
    walked.remember([("chn_a", ("rel_1",))], A)
    for i in range(9):
        walked.remember([(f"chn_{i}", ("rel_2",))], B)
    assert list(walked.starting("chn_", A)) == ["chn_a"]
    assert list(walked.starting("chn_", B)) == ["chn_6", "chn_7", "chn_8"]
    walked.remember([("chn_6", ("rel_2",)), ("chn_9", ("rel_2",))], B)  # what is shown again is one of the latest
    assert list(walked.starting("chn_", B)) == ["chn_6", "chn_8", "chn_9"]


def test_a_file_of_an_older_version_or_none_at_all_is_no_failure(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "walked.sqlite") as old:
        old.execute("CREATE TABLE walked (id TEXT UNIQUE NOT NULL, relations TEXT NOT NULL)")
    old.close()
    walked = WalkedChains(tmp_path)
    walked.remember([("chn_a", ("rel_1",))], None)
    assert walked.starting("chn_a", None) == {"chn_a": ("rel_1",)}
    (tmp_path / "file").write_text("")
    nowhere = WalkedChains(tmp_path / "file")
    nowhere.remember([("chn_a", ("rel_1",))], None)
    assert nowhere.starting("chn_a", None) == {}
