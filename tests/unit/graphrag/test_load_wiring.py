"""From the options of a caller to the loader: Python and command line, limits, archives, packages of others."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from loader_package import write_loader_package
from stand_ins import OpenKb, SentenceExtractor, WordEmbedder
from typer.testing import CliRunner

from extractors.loaders import loaders
from graphrag import AsyncKnowledgeBase, KnowledgeBase, LoadOptions, console
from graphrag.load_options import password_from
from storage.errors import LoadError, NotFoundError, UsageError

STORM = "The storm causes heavy rain.\n"


@pytest.fixture
def xyz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package of another that reads ``.xyz``, as pip would have installed it."""
    monkeypatch.syspath_prepend(str(write_loader_package(tmp_path / "site")))
    loaders.cache_clear()
    yield
    loaders.cache_clear()


def write(folder: Path, **contents: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in contents.items():
        (folder / name.replace("__", ".")).write_text(text, encoding="utf-8")
    return folder


def archive(path: Path, members: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as file:
        for name, text in members.items():
            file.writestr(name, text)
    return path


@pytest.mark.parametrize("in_process", [True, False])
def test_a_package_that_adds_a_loader_by_entry_point_is_used(
    open_kb: OpenKb, tmp_path: Path, xyz: None, in_process: bool
) -> None:
    folder = write(tmp_path / "notes", a__xyz=f"xyz say {STORM}")
    kb = open_kb(set={"loader_process": in_process})
    report = kb.ingest([folder])
    assert report.added == ("a.xyz",)
    assert report.relations == {"causal": 1}
    assert kb.ingest([folder]).unchanged == 1


def test_a_file_that_crashes_its_reader_fails_alone(open_kb: OpenKb, tmp_path: Path, xyz: None) -> None:
    folder = write(tmp_path / "notes", a__txt=STORM, b__xyz="xyz crash", c__xyz="xyz loop", d__txt=STORM)
    report = open_kb(set={"loader_seconds": 1}).ingest([folder])
    assert report.added == ("a.txt", "d.txt")
    assert [(p.path, p.reason.split(" ")[1]) for p in report.failed] == [("b.xyz", "cannot"), ("c.xyz", "took")]


def test_the_password_reaches_the_loader_and_nothing_else(
    open_kb: OpenKb, tmp_path: Path, xyz: None, caplog: pytest.LogCaptureFixture
) -> None:
    folder = write(tmp_path / "notes", a__xyz="xyz password", b__xyz="xyz refuse no", c__xyz="xyz stumble")
    kb = open_kb()
    options = LoadOptions(password="s3cr3t")
    report = kb.ingest([folder / "b.xyz", folder / "c.xyz"], load=options)
    assert "s3cr3t" not in report.model_dump_json() + repr(options) + caplog.text + kb.status().model_dump_json()
    assert kb.ingest([folder / "a.xyz"], load=options).added == ("a.xyz",)
    assert "s3cr3t" not in kb.documents().model_dump_json()


def test_a_format_that_is_given_is_used_and_an_unknown_one_refused(kb: KnowledgeBase, tmp_path: Path) -> None:
    folder = write(tmp_path / "notes", a__txt="# Title\n\nThe storm causes heavy rain.\n")
    with pytest.raises(UsageError, match=r"There is no format 'nope'\. Formats: .*markdown"):
        kb.ingest([folder], load=LoadOptions(format="nope"))
    kb.ingest([folder], load=LoadOptions(format="markdown"))
    assert [d.title for d in kb.documents().documents] == ["Title"]
    assert kb.ingest([folder], load=LoadOptions(format="markdown")).unchanged == 1


async def _ingested(store: Path, folder: Path, **parts: Any) -> str:
    async with await AsyncKnowledgeBase.open(store, **parts) as kb:
        await kb.ingest([folder], load=LoadOptions(format="markdown"))
        return (await kb.documents()).documents[0].title


def test_the_asynchronous_interface_takes_them_too(tmp_path: Path) -> None:
    import asyncio

    folder = write(tmp_path / "notes", a__txt="# Title\n\nThe storm causes heavy rain.\n")
    parts = {"embedder": WordEmbedder(), "extractor": SentenceExtractor()}
    assert asyncio.run(_ingested(tmp_path / "store", folder, **parts)) == "Title"


def test_an_unchanged_file_costs_a_hash_and_no_reader(open_kb: OpenKb, tmp_path: Path) -> None:
    folder = write(tmp_path / "notes", a__txt=STORM)
    with open_kb() as kb:
        kb.ingest([folder])
    with open_kb(set={"loader_file_mb": 0.000001}) as kb:  # it could not be read any more
        assert kb.ingest([folder]).unchanged == 1
        assert kb._stores.files._worker is not None
        assert kb._stores.files._worker.pid is None
        (folder / "a.txt").write_text("The flood causes delay.\n")
        (problem,) = kb.ingest([folder]).failed
        assert "is too large" in problem.reason


def test_closing_ends_the_process_that_reads(open_kb: OpenKb, tmp_path: Path) -> None:
    kb = open_kb()
    kb.ingest([write(tmp_path / "notes", a__txt=STORM)])
    worker = kb._stores.files._worker
    assert worker is not None
    assert worker.pid is not None
    kb.close()
    assert worker.pid is None


# --- archives --------------------------------------------------------------------------------------------------------


def test_removing_an_archive_removes_every_document_in_it(kb: KnowledgeBase, tmp_path: Path) -> None:
    folder = write(tmp_path / "notes", plain__txt="The flood causes delay.\n")
    archive(folder / "old.zip", {"a.txt": STORM, "b/c.txt": "Heavy rain causes the flood.\n"})
    report = kb.ingest([folder])
    assert sorted(report.added) == ["old.zip#a.txt", "old.zip#b/c.txt", "plain.txt"]
    receipt = kb.remove("old.zip")
    assert receipt.paths == ("old.zip#a.txt", "old.zip#b/c.txt")
    assert (len(receipt.sources), len(receipt.documents)) == (2, 2)
    assert [d.path for d in kb.documents().documents] == ["plain.txt"]
    with pytest.raises(NotFoundError):
        kb.remove("old.zip")


@pytest.mark.parametrize("name", ["notes/old.zip", "./old.zip", "LOCATION"])
def test_an_archive_is_named_like_any_file(kb: KnowledgeBase, tmp_path: Path, name: str) -> None:
    folder = write(tmp_path / "notes")
    place = archive(folder / "old.zip", {"a.txt": STORM, "b.txt": "Heavy rain causes the flood.\n"})
    kb.ingest([folder])
    assert len(kb.remove(str(place) if name == "LOCATION" else name).paths) == 2


def test_one_document_of_an_archive_can_be_removed_alone(kb: KnowledgeBase, tmp_path: Path) -> None:
    folder = write(tmp_path / "notes")
    archive(folder / "old.zip", {"a.txt": STORM, "b.txt": "Heavy rain causes the flood.\n"})
    kb.ingest([folder])
    assert kb.remove("old.zip#a.txt").paths == ("old.zip#a.txt",)


def test_a_name_with_the_mark_in_it_is_no_archive(kb: KnowledgeBase, tmp_path: Path) -> None:
    folder = write(tmp_path / "notes")
    (folder / "C#.txt").write_text(STORM)
    kb.ingest([folder])
    with pytest.raises(NotFoundError):
        kb.remove("C")
    assert kb.remove("C#.txt").paths == ("C#.txt",)


def test_the_same_archive_in_two_namespaces_is_ambiguous(kb: KnowledgeBase, tmp_path: Path) -> None:
    folder = write(tmp_path / "notes")
    archive(folder / "old.zip", {"a.txt": STORM, "b.txt": "Heavy rain causes the flood.\n"})
    kb.ingest([folder], namespace="one")
    kb.ingest([folder], namespace="two")
    with pytest.raises(UsageError, match="could be any of 4"):
        kb.remove("old.zip")
    assert len(kb.remove("one/old.zip").paths) == 2


# --- the command line ------------------------------------------------------------------------------------------------


class IngestedError(Exception):
    """Carries what the command asked for."""


@pytest.fixture
def options_of(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """The options that ``clew ingest`` makes of its arguments."""

    def ingest(self: KnowledgeBase, *_: Any, load: LoadOptions, **__: Any) -> None:
        raise IngestedError(load)

    monkeypatch.setattr(KnowledgeBase, "ingest", ingest)
    monkeypatch.setattr("graphrag.opening.open_embedder", lambda *_, **__: WordEmbedder())

    def run(*arguments: str, given: str | None = None) -> LoadOptions:
        result = CliRunner().invoke(
            console.app, ["ingest", str(tmp_path), "--store", str(tmp_path / "store"), *arguments], input=given
        )
        assert isinstance(result.exception, IngestedError), (result.output, result.exception)
        load = result.exception.args[0]
        assert isinstance(load, LoadOptions)
        return load

    return run


def test_without_options_files_are_read_as_always(options_of: Any) -> None:
    assert options_of() == LoadOptions()


def test_every_option_reaches_the_loader(options_of: Any) -> None:
    assert options_of(
        "--format", "csv", "--comments", "--quoted", "--rows", "documents", "--text-column", "note",
        "--text-column", "reason", "--title-column", "name", "--id-column", "id", "--no-ocr", "--pictures",
    ) == LoadOptions(
        format="csv", comments=True, quoted=True, rows="documents", text_columns=("note", "reason"),
        title_column="name", id_column="id", ocr=False, pictures=True,
    )  # fmt: skip


def password(load: LoadOptions) -> str | None:
    return load.password.get_secret_value() if load.password else None


def test_a_password_comes_from_a_file_standard_input_or_the_environment(
    options_of: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret").write_text("from file \r\nsecond line\n")
    monkeypatch.setenv("CLEW_PASSWORD", "from environment")
    assert password(options_of()) == "from environment"
    assert password(options_of("--password-file", str(tmp_path / "secret"))) == "from file "
    assert password(options_of("--password-file", "-", given="from input\n")) == "from input"
    monkeypatch.setattr("getpass.getpass", lambda _: "typed in")
    assert password(options_of("--ask-password")) == "typed in"


@pytest.mark.parametrize("content", [None, b"", b"\nsecond", b"\xff\xfe"])
def test_a_password_that_cannot_be_had_is_an_error_of_usage(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "secret"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(UsageError, match="--password-file"):
        password_from(file, ask=False)


def test_extract_reads_a_file_as_the_format_it_is_given(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.txt"
    file.write_text("<p>The port closed because the access road was flooded.</p><script>x</script>")
    result = CliRunner().invoke(console.app, ["extract", str(file), "--format", "html"])
    assert result.exit_code == 0, result.output
    assert "The port closed" in result.stdout
    assert "script" not in result.stdout
    result = CliRunner().invoke(console.app, ["extract", str(file), "--format", "nope"])
    assert isinstance(result.exception, UsageError)
    result = CliRunner().invoke(console.app, ["extract", str(tmp_path / "none.txt")])
    assert isinstance(result.exception, LoadError)
    assert "none.txt cannot be read" in str(result.exception)
    assert os.environ.get("CLEW_PASSWORD") is None
