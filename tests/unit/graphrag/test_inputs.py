"""From what a caller names to what is ingested."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphrag.inputs import Listing, folder_name, list_inputs, portable
from storage.errors import UsageError
from storage.identity import make_id
from storage.records import Document

ROOT = Path(__file__).parents[3]


def write(path: Path, text: str = "text") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def taken(listing: Listing) -> list[tuple[str, str]]:
    return [(i.namespace, i.path) for i in listing.inputs]


def problems(listing: Listing) -> dict[str, str]:
    return {p.path: p.reason for p in (*listing.failed, *listing.skipped)}


# --- names


def test_a_folder_gives_its_name_as_namespace_and_relative_paths_in_order(tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    for name in ("b.md", "a.txt", "sub/z.html", "sub/deep/c.pdf", "B.MD"):
        write(folder / name)
    listing = list_inputs(folder)
    assert taken(listing) == [
        ("papers", "B.MD"),
        ("papers", "a.txt"),
        ("papers", "b.md"),
        ("papers", "sub/deep/c.pdf"),
        ("papers", "sub/z.html"),
    ]
    assert listing.roots == [("papers", folder)]
    assert (listing.skipped, listing.failed) == ([], [])
    assert [i.size for i in listing.inputs] == [4] * 5


def test_where_a_folder_lies_is_no_part_of_an_identity(tmp_path: Path) -> None:
    ids = []
    for place in ("one", "two/three"):
        write(tmp_path / place / "papers" / "a.md")
        ids.append([i.source_id for i in list_inputs(tmp_path / place / "papers").inputs])
    assert ids[0] == ids[1] == [make_id("src", "papers", "a.md")]


def test_a_file_takes_the_name_of_its_folder_so_that_it_is_the_same_source(tmp_path: Path) -> None:
    file = write(tmp_path / "papers" / "a.md")
    assert list_inputs(file).inputs == list_inputs(tmp_path / "papers").inputs
    assert list_inputs(file).roots == []  # a file alone says nothing of what else is gone


def test_a_namespace_that_was_given_comes_first(tmp_path: Path) -> None:
    file = write(tmp_path / "papers" / "a.md")
    given = list_inputs([tmp_path / "papers", file, Document(text="t", id="x")], namespace="n")
    assert taken(given) == [("n", "a.md"), ("n", "a.md"), ("n", "x")]


def test_a_relative_name_is_the_same_as_an_absolute_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "papers" / "a.md")
    monkeypatch.chdir(tmp_path / "papers")
    for name in (".", "../papers", "a.md", "./a.md", str(tmp_path / "papers")):
        assert taken(list_inputs(name)) == [("papers", "a.md")]


def test_names_are_stored_in_composed_form(tmp_path: Path) -> None:
    decomposed = unicodedata.normalize("NFD", "Übung é.md")
    write(tmp_path / unicodedata.normalize("NFD", "Ordnér") / decomposed)
    folder = next(tmp_path.iterdir())
    assert taken(list_inputs(folder)) == [("Ordnér", "Übung é.md")]
    assert list_inputs(folder).inputs[0].location == folder / decomposed  # and still found on the disk
    assert taken(list_inputs(Document(text="t", id=decomposed))) == [("documents", "Übung é.md")]


def test_chinese_names_stay(tmp_path: Path) -> None:
    write(tmp_path / "报告" / "台风 2024.md")
    assert taken(list_inputs(tmp_path / "报告")) == [("报告", "台风 2024.md")]


def test_a_name_that_is_no_text_is_stored_with_replacements_and_read_all_the_same(tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    name = os.fsdecode(b"a\xff.md")
    try:
        write(folder / name)
    except OSError:
        pytest.skip("this file system refuses such names")
    listing = list_inputs(folder)
    assert taken(listing) == [("papers", "a\ufffd.md")]
    assert listing.inputs[0].location is not None
    assert listing.inputs[0].location.read_text(encoding="utf-8") == "text"


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("a.md", "a.md"),
        ("e\u0301", "é"),
        ("\udcff\udcfe", "\ufffd\ufffd"),
        ("a\ud800b", "a\ufffdb"),  # a caller's id may hold what no file name can
        ("ＡＢ", "ＡＢ"),  # composed, never folded
    ],
)
def test_a_portable_name_can_be_written_anywhere(given: str, stored: str) -> None:
    assert portable(given) == stored
    assert stored.encode("utf-8")
    assert portable(stored) == stored


def test_a_portable_name_does_not_hang_on_the_locale_of_the_machine() -> None:
    code = "from graphrag.inputs import portable; print(ascii(portable('\\u6e2f\\u53e3\\u00e9.md')))"
    for environ in ({"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}, {"PYTHONUTF8": "1"}):
        ran = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, env=environ, check=False
        )
        assert ran.stdout.strip() == "'\\u6e2f\\u53e3\\xe9.md'", ran.stderr


def test_the_root_of_a_disk_has_a_name_too() -> None:
    assert folder_name(Path("/")) == "root"


# --- documents that the caller made


def test_a_document_is_named_by_its_id_else_by_its_content() -> None:
    document = Document(text="t")
    listing = list_inputs([Document(text="t", id="x"), document, Document(text="t")])
    name = f"text-{document.content_hash[:16]}"
    assert taken(listing) == [("documents", "x"), ("documents", name), ("documents", name)]
    assert all(i.location is None and i.document is not None for i in listing.inputs)


@pytest.mark.parametrize("blank", ["", "  ", "\n"])
def test_a_blank_id_is_a_mistake(blank: str) -> None:
    with pytest.raises(UsageError, match="empty id"):
        list_inputs(Document(text="t", id=blank))


def test_one_thing_need_not_be_in_a_list(tmp_path: Path) -> None:
    file = write(tmp_path / "papers" / "a.md")
    assert list_inputs(str(file)).inputs == list_inputs(file).inputs == list_inputs([file]).inputs
    assert list_inputs([]) == Listing()


# --- what is passed over


def test_hidden_files_and_folders_are_skipped_and_said_to_be(tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    for name in ("a.md", ".secret.md", ".git/config.md", "sub/.b.md"):
        write(folder / name)
    listing = list_inputs(folder)
    assert taken(listing) == [("papers", "a.md")]
    assert problems(listing) == {".git": "hidden", ".secret.md": "hidden", "sub/.b.md": "hidden"}


def test_what_is_named_is_taken_though_hidden_or_of_no_known_suffix(tmp_path: Path) -> None:
    for name in (".papers/a.md", ".notes", "log.xyz"):
        file = write(tmp_path / name)
        assert len(list_inputs(file).inputs) == 1
    assert taken(list_inputs(tmp_path / ".papers")) == [(".papers", "a.md")]


def test_unsupported_formats_are_skipped_with_the_supported_ones_named(tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    for name in ("a.md", "b.exe", "c", "D.PDF"):
        write(folder / name)
    listing = list_inputs(folder)
    assert taken(listing) == [("papers", "D.PDF"), ("papers", "a.md")]
    assert set(problems(listing)) == {"b.exe", "c"}
    assert ".docx" in problems(listing)["b.exe"]
    assert listing.failed == []


def test_what_is_not_there_is_a_failure_and_the_rest_is_taken(tmp_path: Path) -> None:
    file = write(tmp_path / "papers" / "a.md")
    listing = list_inputs([tmp_path / "gone", file, tmp_path / "gone.md"])
    assert taken(listing) == [("papers", "a.md")]
    assert [p.reason for p in listing.failed] == ["there is no such file or folder"] * 2
    assert listing.failed[0].path == str(tmp_path / "gone")


@pytest.mark.parametrize("name", ["a\x00b", "x" * 300, "y" * 5000, "a text, not a path.\nIt has two lines."])
def test_what_can_be_no_path_is_a_failure_not_an_exception(tmp_path: Path, name: str) -> None:
    listing = list_inputs([name])
    assert len(listing.failed) == 1
    assert listing.inputs == []


def test_a_link_that_leads_back_above_itself_is_not_followed_again(tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    write(folder / "sub" / "a.md")
    (folder / "sub" / "up").symlink_to(folder)
    listing = list_inputs(folder)
    assert taken(listing) == [("papers", "sub/a.md")]
    assert "leads back" in problems(listing)["sub/up"]


def test_a_link_to_another_folder_is_followed(tmp_path: Path) -> None:
    write(tmp_path / "elsewhere" / "a.md")
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "linked").symlink_to(tmp_path / "elsewhere")
    assert taken(list_inputs(tmp_path / "papers")) == [("papers", "linked/a.md")]


def test_links_that_lead_nowhere_or_to_themselves_fail_alone(tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    write(folder / "a.md")
    (folder / "gone.md").symlink_to(tmp_path / "nowhere")
    (folder / "self.md").symlink_to("self.md")
    (folder / "round.md").symlink_to("about.md")
    (folder / "about.md").symlink_to("round.md")
    listing = list_inputs(folder)
    assert taken(listing) == [("papers", "a.md")]
    assert {p.path for p in listing.failed} == {"gone.md", "self.md", "round.md", "about.md"}
    assert listing.roots == []  # not all of it could be looked at
    assert len(list_inputs(folder / "self.md").failed) == 1


def test_what_is_no_regular_file_is_a_failure(tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    os.mkfifo(folder / "pipe.md")
    listing = list_inputs(folder)
    assert listing.inputs == []
    assert problems(listing) == {"pipe.md": "not a regular file"}


UNPRIVILEGED = """
import json, os, sys
from extractors.loaders import loaders
from graphrag.inputs import list_inputs
loaders()  # imported while the packages may still be read
if os.getuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
listing = list_inputs(sys.argv[1:])
print(json.dumps({
    "taken": [i.path for i in listing.inputs],
    "failed": {p.path: p.reason for p in listing.failed},
    "roots": [n for n, _ in listing.roots],
}))
"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user can reach, which pytest's own are not."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        for path in (folder / "papers" / "locked", folder / "papers" / "listed"):
            path.chmod(0o755)


def test_what_may_not_be_looked_at_fails_alone_and_its_folder_does_not_look_emptied(open_folder: Path) -> None:
    folder = open_folder / "papers"
    write(folder / "a.md")
    write(folder / "locked" / "b.md")  # neither listed nor entered
    write(folder / "listed" / "c.md")  # listed, not entered
    write(folder / "listed" / "deep" / "d.md")
    write(open_folder / "open" / "e.md")
    (folder / "into.md").symlink_to(folder / "locked" / "b.md")
    (folder / "locked").chmod(0)
    (folder / "listed").chmod(0o444)
    named = [folder, open_folder / "open", folder / "locked" / "b.md"]
    ran = subprocess.run(
        [sys.executable, "-c", UNPRIVILEGED, *map(str, named)], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert ran.returncode == 0, ran.stderr
    result = json.loads(ran.stdout)
    assert result["taken"] == ["a.md", "e.md"]
    assert {name.removeprefix(f"{folder}/") for name in result["failed"]} == {
        "into.md",
        "listed/c.md",
        "listed/deep",
        "locked",
        "locked/b.md",
    }
    assert "permission denied" in result["failed"]["locked"]
    assert result["roots"] == ["open"]  # a prune must not take what could not be seen for gone
