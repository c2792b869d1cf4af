"""Pictures inside documents, from the option of a caller to what is stored."""

from __future__ import annotations

import importlib
import io
import sys
from collections.abc import Iterator
from pathlib import Path

import docx
import pytest
from picture_package import noted, write_picture_package
from stand_ins import OpenKb

from extractors.loaders.pictures import picture_reader
from graphrag import LoadOptions

ON = LoadOptions(pictures=True)


@pytest.fixture(autouse=True)
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The reader of another package that says what is noted in a picture."""
    monkeypatch.syspath_prepend(str(write_picture_package(tmp_path / "site")))
    importlib.invalidate_caches()
    picture_reader.cache_clear()
    yield
    picture_reader.cache_clear()
    sys.modules.pop("note_reader", None)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a document that says what it says in a picture."""
    made = docx.Document()
    made.add_paragraph("The harbour in spring.")
    made.add_picture(io.BytesIO(noted("say The storm causes heavy rain.")))
    folder = tmp_path / "notes"
    folder.mkdir()
    made.save(str(folder / "a.docx"))
    return folder


@pytest.mark.parametrize("in_process", [True, False])
def test_a_relation_is_found_in_a_picture_if_pictures_are_read(open_kb: OpenKb, folder: Path, in_process: bool) -> None:
    kb = open_kb(set={"loader_process": in_process})
    assert kb.ingest([folder]).relations == {}
    report = kb.ingest([folder], load=ON)
    assert report.stale == ("a.docx",)
    report = kb.ingest([folder], load=ON, reprocess=True)
    assert report.replaced == ("a.docx",)
    assert report.relations == {"causal": 1}
    assert kb.ingest([folder], load=ON).unchanged == 1


def test_another_reader_makes_what_was_read_stale(
    open_kb: OpenKb, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb = open_kb(set={"loader_process": False})
    kb.ingest([folder], load=ON)
    reader = picture_reader()
    assert reader is not None
    monkeypatch.setattr(type(reader), "name", "notes@2")
    assert kb.ingest([folder], load=ON).stale == ("a.docx",)


def test_what_could_not_be_read_is_in_the_report(open_kb: OpenKb, folder: Path) -> None:
    made = docx.Document(str(folder / "a.docx"))
    made.add_picture(io.BytesIO(noted("connect 9")))
    made.save(str(folder / "a.docx"))
    report = open_kb().ingest([folder], load=ON)
    assert report.added == ("a.docx",)
    (note,) = report.degraded
    assert "notes@1 failed (PermissionError: a loader may not do this: socket." in note.reason
    assert "loader_process = false" in note.reason
