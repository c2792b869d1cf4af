"""What a store says of itself."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from storage.errors import StoreError, StoreVersionError
from storage.manifest import FORMAT_VERSION, Manifest, read_manifest, write_manifest

MANIFEST = Manifest(
    format_version=FORMAT_VERSION,
    embedder="letters@1",
    dimensions=26,
    created_at=datetime(2024, 5, 1, 12, tzinfo=UTC),
)


def test_what_was_written_is_read(tmp_path: Path) -> None:
    write_manifest(tmp_path, MANIFEST)
    assert read_manifest(tmp_path) == MANIFEST
    assert [p.name for p in tmp_path.iterdir()] == ["manifest.json"]  # nothing temporary stays


def test_it_is_json_that_people_can_read(tmp_path: Path) -> None:
    write_manifest(tmp_path, MANIFEST)
    text = (tmp_path / "manifest.json").read_text(encoding="utf-8")
    assert json.loads(text) == {
        "format_version": 1,
        "embedder": "letters@1",
        "dimensions": 26,
        "created_at": "2024-05-01T12:00:00Z",
    }
    assert text.count("\n") > 4


def test_writing_replaces_what_was_there(tmp_path: Path) -> None:
    write_manifest(tmp_path, MANIFEST)
    newer = MANIFEST.model_copy(update={"embedder": "e5@1", "dimensions": 384})
    write_manifest(tmp_path, newer)
    assert read_manifest(tmp_path) == newer


def test_no_file_is_no_store(tmp_path: Path) -> None:
    assert read_manifest(tmp_path) is None
    assert read_manifest(tmp_path / "nowhere") is None


@pytest.mark.parametrize(
    "content", [b"", b"{", b"null", b"[]", b"{}", b"\xff\xfe", b'{"format_version": 1}', b'{"format_version": "one"}']
)
def test_a_damaged_manifest_is_named_with_what_to_do(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "manifest.json").write_bytes(content)
    with pytest.raises(StoreError, match="backup") as raised:
        read_manifest(tmp_path)
    assert str(tmp_path / "manifest.json") in str(raised.value)
    assert not isinstance(raised.value, StoreVersionError)


def test_a_folder_in_its_place_is_no_manifest(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").mkdir()
    with pytest.raises(StoreError, match="backup"):
        read_manifest(tmp_path)


@pytest.mark.parametrize("more", [{}, {"tokenizer": "a field that only format 2 has"}])
def test_another_format_is_refused_by_its_number_whatever_else_it_holds(tmp_path: Path, more: dict[str, str]) -> None:
    fields = MANIFEST.model_dump(mode="json") | {"format_version": 2} | more
    (tmp_path / "manifest.json").write_text(json.dumps(fields), encoding="utf-8")
    with pytest.raises(StoreVersionError, match="format 2"):
        read_manifest(tmp_path)


def test_a_manifest_of_the_first_release_is_one_of_a_shared_index_in_the_first_folder(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(
        '{"format_version": 1, "embedder": "e5@1", "dimensions": 384, "created_at": "2026-11-30T20:00:00Z"}'
    )
    manifest = read_manifest(tmp_path)
    assert manifest is not None
    assert (manifest.index, manifest.isolation, manifest.graph) == ("lance", "shared", "embedded")
    assert (manifest.embedder_setting, manifest.index_since) == ("", None)


@pytest.mark.parametrize("index", ["..", "/etc", "lance/../..", "lance-", "lance-0123456789ag", ""])
def test_the_folder_of_an_index_is_never_anything_else(tmp_path: Path, index: str) -> None:
    fields = {"format_version": 1, "embedder": "e", "dimensions": 3, "created_at": "2026-11-30T20:00:00Z"}
    (tmp_path / "manifest.json").write_text(json.dumps({**fields, "index": index}))
    with pytest.raises(StoreError):
        read_manifest(tmp_path)
