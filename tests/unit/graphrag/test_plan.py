"""What is to be done about one input, compared with what is stored."""

from __future__ import annotations

import os
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from extractors.loaders import loader_of
from graphrag.file_reader import FileReader
from graphrag.inputs import list_inputs
from graphrag.loader_versions import loader_of_source
from graphrag.plan import IngestOptions, Planner, Step, with_language
from graphrag.settings import Settings
from graphrag.stores import Stores
from storage.identity import content_digest, make_id
from storage.records import Document, Source

FIRST, LATER = datetime(2024, 5, 1, tzinfo=UTC), datetime(2024, 6, 1, tzinfo=UTC)
NEW_YEAR = datetime(2025, 1, 1, tzinfo=UTC)


def stores(
    *, now: datetime = FIRST, chunker: str = "chunker@1", default_groups: tuple[str, ...] = ("public",)
) -> Stores:
    """Only what planning looks at: settings, the names of the parts and the clock."""
    missing: Any = None
    named: Any = SimpleNamespace
    settings = Settings(default_groups=default_groups, loader_process=False)
    return Stores(
        folder=Path(),
        settings=settings,
        files=FileReader(settings),
        graph=missing,
        index=missing,
        embedder=named(name="letters@1"),
        chunker=named(name=chunker),
        extractor=named(name="rules@1"),
        clock=lambda: now,
        manifest=missing,
    )


def plan(
    items: Any, known: list[Source] | None = None, *, using: Stores | None = None, options: IngestOptions | None = None
) -> list[Step]:
    planner = Planner(using or stores(), {s.id: s for s in known or []}, options or IngestOptions())
    return [step for item in list_inputs(items).inputs for step in planner.steps(item)]


def stored(items: Any, known: list[Source] | None = None, **how: Any) -> list[Source]:
    """The sources after the plan for ``items`` was carried out."""
    sources = {s.id: s for s in known or []}
    sources |= {step.source.id: step.source for step in plan(items, known, **how) if step.source is not None}
    return list(sources.values())


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


# --- the actions


def test_a_file_that_is_not_known_is_added(tmp_path: Path) -> None:
    file = write(tmp_path / "papers" / "a.txt", "The port closed.")
    (step,) = plan(file)
    assert step.action == "add"
    assert step.document is not None
    assert (step.document.text, step.document.language) == ("The port closed.", "en")
    document_id = make_id("doc", make_id("src", "papers", "a.txt"), step.document.content_hash)
    assert step.source == Source(
        namespace="papers",
        path="a.txt",
        location=str(file),
        groups=("public",),
        document_id=document_id,
        raw_hash=content_digest(b"The port closed."),
        fingerprint=stores().fingerprint(loader_of("text").name),
        ingested_at=FIRST,
    )


def test_a_file_that_did_not_change_is_left_alone(tmp_path: Path) -> None:
    file = write(tmp_path / "papers" / "a.txt", "The port closed.")
    (step,) = plan(file, stored(file), using=stores(now=LATER))
    assert (step.action, step.source, step.document) == ("unchanged", None, None)


def test_a_file_with_other_text_is_replaced_and_what_it_replaces_is_named(tmp_path: Path) -> None:
    file = write(tmp_path / "papers" / "a.txt", "The port closed.")
    known = stored(file)
    write(file, "The port opened.")
    (step,) = plan(file, known, using=stores(now=LATER))
    assert step.action == "replace"
    assert step.replaces == known[0].document_id
    assert step.document is not None
    assert step.document.text == "The port opened."
    assert step.source is not None
    assert (step.source.id, step.source.ingested_at) == (known[0].id, LATER)
    assert step.source.document_id != known[0].document_id


def test_other_bytes_of_the_same_text_are_an_update(tmp_path: Path) -> None:
    file = write(tmp_path / "papers" / "a.txt", "One.\nTwo.")
    known = stored(file)
    write(file, "One.\r\nTwo.")
    (step,) = plan(file, known)
    assert step.action == "update"
    assert step.source is not None
    assert step.source.document_id == known[0].document_id
    assert step.source.raw_hash == content_digest(b"One.\r\nTwo.")


def test_other_groups_or_validity_are_an_update_without_reading_anew(tmp_path: Path) -> None:
    file = write(tmp_path / "papers" / "a.txt", "The port closed.")
    known = stored(file)
    for options in (
        IngestOptions(groups=("staff",)),
        IngestOptions(valid_from=NEW_YEAR),
        IngestOptions(valid_to=NEW_YEAR),
    ):
        (step,) = plan(file, known, options=options, using=stores(now=LATER))
        assert (step.action, step.document) == ("update", None)
        assert step.source is not None
        assert step.source.ingested_at == FIRST
        assert plan(file, [step.source], options=options)[0].action == "unchanged"


@pytest.mark.parametrize("content", [b"", b" \n", b"\x89PNG\r\n", b"PK\x03\x04broken"])
def test_a_file_that_cannot_be_read_is_a_failure_with_a_reason(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "papers" / "a.txt"
    write(file, "")
    file.write_bytes(content)
    (step,) = plan(file)
    assert (step.action, step.source, step.document) == ("failed", None, None)
    assert step.reason


def test_a_file_that_vanished_since_it_was_listed_is_a_failure(tmp_path: Path) -> None:
    file = write(tmp_path / "papers" / "a.txt", "The port closed.")
    (item,) = list_inputs(file).inputs
    file.unlink()
    (step,) = Planner(stores(), {}, IngestOptions()).steps(item)
    assert (step.action, "cannot be read" in step.reason) == ("failed", True)


def test_a_document_of_the_caller_without_text_is_a_failure() -> None:
    (step,) = plan(Document(text=" \x00\n", id="x"))
    assert step.action == "failed"
    assert "no text" in step.reason


# --- documents of the caller


def test_a_document_of_the_caller_is_added_replaced_updated_or_unchanged() -> None:
    first = Document(text="The port closed.", id="x")
    assert plan(first)[0].action == "add"
    known = stored(first)
    assert known[0].location is None
    assert plan(first, known)[0].action == "unchanged"
    assert plan(first.model_copy(update={"metadata": {"k": 1}}), known)[0].action == "update"
    assert plan(first.model_copy(update={"valid_to": NEW_YEAR}), known)[0].action == "update"
    assert plan(first.model_copy(update={"text": "The port opened."}), known)[0].action == "replace"
    assert plan(first.model_copy(update={"title": "News"}), known)[0].action == "replace"


def test_a_language_that_was_not_named_is_part_of_the_content_all_the_same() -> None:
    assert with_language(Document(text="港口停工。")).language == "zh"
    assert with_language(Document(text="港口停工。", language="en")).language == "en"
    named = Document(text="The port closed.", id="x", language="en")
    assert plan(named, stored(named.model_copy(update={"language": None})))[0].action == "unchanged"


# --- groups: option, else document, else what is stored, else the default


@pytest.mark.parametrize(
    ("option", "document", "known", "groups"),
    [
        (("o",), ("d",), ("k",), ("o",)),
        (None, ("d",), ("k",), ("d",)),
        (None, None, ("k",), ("k",)),
        (None, None, None, ("default",)),
        (None, ("d",), None, ("d",)),
        (("o",), None, None, ("o",)),
        ((), ("d",), ("k",), ()),  # nobody is an answer too
        (None, (), ("k",), ()),
        (None, None, (), ()),
        (("b", "a", "b"), None, None, ("a", "b")),
    ],
)
def test_groups_are_those_of_the_option_else_the_document_else_the_store_else_the_default(
    option: tuple[str, ...] | None,
    document: tuple[str, ...] | None,
    known: tuple[str, ...] | None,
    groups: tuple[str, ...],
) -> None:
    using = stores(default_groups=("default",))
    before = [] if known is None else stored(Document(text="old", id="x", groups=known), using=using)
    for text in ("new", "old"):
        after = stored(
            Document(text=text, id="x", groups=document), before, using=using, options=IngestOptions(groups=option)
        )
        assert after[0].groups == groups


def test_a_changed_file_keeps_the_groups_that_it_was_given(tmp_path: Path) -> None:
    file = write(tmp_path / "papers" / "a.txt", "The port closed.")
    known = stored(file, options=IngestOptions(groups=("staff",)))
    assert plan(file, known)[0].action == "unchanged"
    write(file, "The port opened.")
    assert stored(file, known)[0].groups == ("staff",)


# --- what an older version of Clew processed


def test_what_an_older_part_processed_is_stale_and_redone_only_when_asked_for(tmp_path: Path) -> None:
    file = write(tmp_path / "papers" / "a.txt", "The port closed.")
    known = stored(file)
    newer = stores(chunker="chunker@2", now=LATER)
    (step,) = plan(file, known, using=newer)
    assert (step.action, step.source) == ("stale", None)
    (step,) = plan(file, known, using=newer, options=IngestOptions(reprocess=True))
    assert step.action == "replace"
    assert step.replaces == known[0].document_id
    assert step.source is not None
    assert step.source.document_id == known[0].document_id  # the same text
    assert "chunker@2" in step.source.fingerprint
    assert step.source.ingested_at == FIRST
    (step,) = plan(file, [step.source], using=newer, options=IngestOptions(reprocess=True))
    assert step.action == "unchanged"  # it is done


def test_reprocessing_leaves_alone_what_is_up_to_date(tmp_path: Path) -> None:
    file = write(tmp_path / "papers" / "a.txt", "The port closed.")
    assert plan(file, stored(file), options=IngestOptions(reprocess=True))[0].action == "unchanged"


def test_a_changed_file_is_processed_by_the_newest_parts(tmp_path: Path) -> None:
    file = write(tmp_path / "papers" / "a.txt", "The port closed.")
    known = stored(file)
    write(file, "The port opened.")
    (step,) = plan(file, known, using=stores(chunker="chunker@2"))
    assert step.action == "replace"
    assert step.source is not None
    assert "chunker@2" in step.source.fingerprint


def test_new_groups_do_not_make_stale_things_look_fresh(tmp_path: Path) -> None:
    file = write(tmp_path / "papers" / "a.txt", "The port closed.")
    known = stored(file)
    newer = stores(chunker="chunker@2")
    (updated,) = stored(file, known, using=newer, options=IngestOptions(groups=("staff",)))
    assert updated.groups == ("staff",)
    assert "chunker@1" in updated.fingerprint
    assert plan(file, [updated], using=newer)[0].action == "stale"


# --- two places that claim one identity


def test_a_file_of_another_place_with_other_content_fails_naming_both(tmp_path: Path) -> None:
    old, new = (write(tmp_path / place / "papers" / "a.txt", f"In {place}.") for place in ("one", "two"))
    (step,) = plan(new, stored(old))
    assert (step.action, step.source) == ("failed", None)
    for shown in (str(old), str(new), "papers/a.txt", "--namespace"):
        assert shown in step.reason


def test_a_file_of_another_place_with_equal_content_is_unchanged_and_keeps_the_place(tmp_path: Path) -> None:
    old, new = (write(tmp_path / place / "papers" / "a.txt", "The same.") for place in ("one", "two"))
    assert plan(new, stored(old))[0].action == "unchanged"
    (source,) = stored(new, stored(old))
    assert source.location == str(old)


def test_a_file_that_moved_is_followed(tmp_path: Path) -> None:
    old, new = (write(tmp_path / place / "papers" / "a.txt", "The same.") for place in ("one", "two"))
    known = stored(old)
    old.unlink()
    (step,) = plan(new, known)
    assert step.action == "update"
    assert step.source is not None
    assert (step.source.location, step.source.document_id) == (str(new), known[0].document_id)


def test_a_file_that_moved_and_changed_is_replaced(tmp_path: Path) -> None:
    old, new = (write(tmp_path / place / "papers" / "a.txt", f"In {place}.") for place in ("one", "two"))
    known = stored(old)
    old.unlink()
    (step,) = plan(new, known)
    assert (step.action, step.replaces) == ("replace", known[0].document_id)


@pytest.mark.parametrize("way", ["link", "dots"])
def test_the_same_file_reached_by_another_way_is_no_other_place(tmp_path: Path, way: str) -> None:
    file = write(tmp_path / "one" / "papers" / "a.txt", "The port closed.")
    known = stored(file)
    write(file, "The port opened.")
    if way == "link":
        (tmp_path / "two").symlink_to(tmp_path / "one")
        other = tmp_path / "two" / "papers" / "a.txt"
    else:
        other = tmp_path / "one" / ".." / "one" / "papers" / "a.txt"
    assert os.path.samefile(file, other)
    assert plan(other, known)[0].action == "replace"


def test_two_files_of_one_run_with_one_identity_fail_naming_both_if_they_differ(tmp_path: Path) -> None:
    one, two = (write(tmp_path / place / "papers" / "a.txt", f"In {place}.") for place in ("one", "two"))
    first, second = plan([one, two])
    assert first.action == "add"
    assert second.action == "failed"
    assert str(one) in second.reason
    assert str(two) in second.reason


def test_two_files_of_one_run_with_one_identity_are_one_if_they_are_equal(tmp_path: Path) -> None:
    one, two = (write(tmp_path / place / "papers" / "a.txt", "The same.") for place in ("one", "two"))
    assert [s.action for s in plan([one, two])] == ["add", "unchanged"]


def test_a_file_that_is_named_twice_is_taken_once(tmp_path: Path) -> None:
    file = write(tmp_path / "papers" / "a.txt", "The port closed.")
    assert [s.action for s in plan([tmp_path / "papers", file])] == ["add", "unchanged"]


def test_two_names_that_differ_only_in_composition_are_one_identity(tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    write(folder / "\u00e9.txt", "One.")
    write(folder / "e\u0301.txt", "Another.")
    if len(list(folder.iterdir())) == 1:
        pytest.skip("this file system composes names itself")
    assert sorted(s.action for s in plan(folder)) == ["add", "failed"]


def test_two_documents_of_one_run_with_one_id_fail_if_they_differ() -> None:
    steps = plan([Document(text="One.", id="x"), Document(text="Two.", id="x"), Document(text="One.", id="x")])
    assert [s.action for s in steps] == ["add", "failed", "unchanged"]
    assert "documents/x" in steps[1].reason


def test_a_document_of_the_caller_may_take_the_place_of_a_file(tmp_path: Path) -> None:
    file = write(tmp_path / "documents" / "x.txt", "From a file.")
    (step,) = plan(Document(text="From the caller.", id="x.txt"), stored(file))
    assert step.action == "replace"
    assert step.source is not None
    assert step.source.location is None


def test_planning_is_a_function_of_what_it_is_given(tmp_path: Path) -> None:
    write(tmp_path / "papers" / "a.txt", "The port closed.")
    write(tmp_path / "papers" / "b.txt", "It opened.")
    assert plan(tmp_path / "papers") == plan(tmp_path / "papers")


def archive(path: Path, *members: tuple[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as packed:
        for name, text in members:
            packed.writestr(name, text)
    return path


def test_a_part_is_stale_when_the_loader_of_its_own_format_is_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = archive(tmp_path / "a.zip", ("a.md", "# Storm\n"), ("b.txt", "It came.\n"))
    known = stored([file])
    loader, markdown, text = (loader_of(name).name for name in ("zip", "markdown", "text"))
    assert [loader_of_source(s.fingerprint) for s in known] == [f"{loader}+{markdown}", f"{loader}+{text}"]
    assert [step.action for step in plan([file], known)] == ["unchanged", "unchanged"]
    monkeypatch.setattr(type(loader_of("markdown")), "name", "markdown@99")
    assert [step.action for step in plan([file], known)] == ["stale", "unchanged"]
    steps = plan([file], known, options=IngestOptions(reprocess=True))
    assert [step.action for step in steps] == ["replace", "unchanged"]
    assert steps[0].source is not None
    assert loader_of_source(steps[0].source.fingerprint) == f"{loader}+markdown@99"


def test_a_row_that_only_moved_is_stored_anew_but_not_said_to_be(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", '{"text": "One."}\n{"text": "Two."}\n{"text": "Three."}\n')
    known = stored([file], options=IngestOptions())
    write(file, '{"text": "One."}\n{"text": "Three."}\n')
    steps = plan([file], known)
    assert [(step.action, step.seen) for step in steps] == [("update", False), ("update", False), ("remove", True)]
    assert [step.source.metadata for step in steps[:2] if step.source] == [{"line": 1}, {"line": 2}]
    assert steps[2].source is not None
    assert steps[2].source.metadata == {"line": 2}


def test_what_was_left_out_of_a_file_is_said_of_the_file(tmp_path: Path) -> None:
    file = archive(tmp_path / "a.zip", ("a.txt", "One.\n"), ("b.txt", "Two.\n"), ("p.png", "x"))
    steps = plan([file])
    assert [step.left_out for step in steps] == [("1 file of kinds that are not read (.png 1)",), ()]
    assert steps[0].input.file == "a.zip"
