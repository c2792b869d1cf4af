"""The documentation is true: its code runs, its transcripts are real, its commands, links and names exist."""

from __future__ import annotations

import importlib.util
import re
import runpy
import shlex
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from typer.testing import CliRunner

from graphrag.knowledge_base import KnowledgeBase

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
FENCE = re.compile(r"^```([a-z]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
ELLIPSIS = "…"
"""A line of a transcript that stands for any number of lines."""


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def blocks(page: Path, *languages: str) -> list[str]:
    return [body for language, body in FENCE.findall(page.read_text(encoding="utf-8")) if language in languages]


def prose(page: Path) -> str:
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def pages_with(*languages: str) -> list[Any]:
    return [pytest.param(page, id=name_of(page)) for page in PAGES if blocks(page, *languages)]


def load_generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("clew_docs_generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATOR = load_generator()


# --- what runs -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", pages_with("python"))
def test_the_python_of_a_page_runs_from_top_to_bottom(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, block in enumerate(blocks(page, "python"), 1):
        exec(compile(block, f"{name_of(page)}, block {number}", "exec"), names)


@pytest.mark.parametrize("example", [pytest.param(path, id=path.name) for path in EXAMPLES])
def test_an_example_runs(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(example)])
    runpy.run_path(str(example), run_name="__main__")
    printed = capsys.readouterr().out
    assert "─causes→" in printed


@pytest.mark.parametrize("page", pages_with("console"))
def test_a_transcript_is_what_the_commands_print(
    page: Path, corpus_kb: KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLEW_STORE", corpus_kb.status().store)
    for block in blocks(page, "console"):
        for command, expected in transcript(block):
            arguments, given = arguments_of(command)
            assert arguments[0] in {"ask", "search", "chains", "explain", "extract"}, "a transcript only reads"
            result = CliRunner().invoke(GENERATOR.console.app, arguments, input=given, prog_name="clew")
            assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
            assert re.fullmatch(pattern_of(expected), result.stdout.strip()), (
                f"{command}\nprints\n{result.stdout}\nand not\n{expected}"
            )


def transcript(block: str) -> Iterator[tuple[str, str]]:
    """Each command of a block with what is shown below it."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output.strip()


def arguments_of(command: str) -> tuple[list[str], str | None]:
    """The arguments of ``clew``, and what is piped into it with ``echo``."""
    before, pipe, after = command.partition(" | ")
    given = " ".join(shlex.split(before)[1:]) + "\n" if pipe else None
    return shlex.split(after if pipe else before)[1:], given


def pattern_of(expected: str) -> str:
    lines = [".*" if line == ELLIPSIS else re.escape(line) for line in expected.splitlines()]
    return "(?s:" + "\n".join(lines) + ")"


# --- commands --------------------------------------------------------------------------------------------------------


def commands_of(page: Path) -> list[list[str]]:
    """Every ``clew …`` of a page, in blocks and in the text, as its arguments."""
    lines = [line.removeprefix("$ ") for block in blocks(page, "shell", "console") for line in block.splitlines()]
    lines += re.findall(r"`(clew [a-zA-Z-][^`\n]*)`", prose(page))
    parts = [part.strip() for line in lines for part in re.split(r" \| | > | && ", line)]
    matches = [re.match(r"(?:\S+/)?clew (.+)", part) for part in parts]
    return [shlex.split(match[1], comments=True) for match in matches if match]


@pytest.mark.parametrize("page", [pytest.param(p, id=name_of(p)) for p in PAGES if commands_of(p)])
def test_every_command_of_a_page_exists_with_its_options(page: Path) -> None:
    for arguments in commands_of(page):
        command, rest = GENERATOR.command_tree(), list(arguments)
        while rest and hasattr(command, "commands"):
            if rest[0].startswith("-") or not re.fullmatch(r"[a-z]+", rest[0]):
                break  # an option of clew itself, or a placeholder
            assert rest[0] in command.commands, f"clew {' '.join(arguments)}: there is no {rest[0]}"
            command = command.commands[rest.pop(0)]
        options = {option for p in command.params for option in p.opts} | {"--help", "-h"}
        for word in rest:
            if word.startswith("-") and word != "-":
                assert word in options, f"clew {' '.join(arguments)}: there is no {word}"


def test_the_reference_of_the_command_line_is_current() -> None:
    written = GENERATOR.CLI_PAGE.read_text(encoding="utf-8")
    assert written == GENERATOR.cli_page(), "run: python docs/generate.py"


def test_the_table_of_settings_is_current() -> None:
    written = GENERATOR.SETTINGS_PAGE.read_text(encoding="utf-8")
    assert written == GENERATOR.settings_page(), "run: python docs/generate.py"


# --- names -----------------------------------------------------------------------------------------------------------


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    required = [*project["dependencies"], *(r for extra in project["optional-dependencies"].values() for r in extra)]
    names = {re.split(r"[\[<>=!~; ]", r, maxsplit=1)[0].lower() for r in required} - {project["name"]}
    table = (DOCS / "decisions" / "014-dependencies.md").read_text(encoding="utf-8")
    reasons = set(re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE))
    assert names - reasons == set(), "without a reason in docs/decisions/014-dependencies.md"
    assert reasons - names == set(), "in the table and not in pyproject.toml"


def test_every_test_that_a_page_names_exists() -> None:
    tests = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    there = set(re.findall(r"def (test_\w+)", tests))
    for page in PAGES:
        named = set(re.findall(r"`(test_\w+)`", page.read_text(encoding="utf-8")))
        assert named <= there, f"{name_of(page)} names {sorted(named - there)}"


def test_every_link_between_pages_leads_somewhere() -> None:
    for page in PAGES:
        for target in LINK.findall(prose(page)):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            place = (page.parent / path).resolve() if path else page
            assert place.exists(), f"{name_of(page)} links to {target}"
            assert not anchor or anchor in anchors(place), f"{name_of(page)} links to {target}"


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_decision_and_guide_is_reached_by_a_link() -> None:
    linked = {
        (page.parent / target.partition("#")[0]).resolve()
        for page in PAGES
        for target in LINK.findall(prose(page))
        if not re.match(r"[a-z]+:", target)
    }
    lost = [name_of(p) for p in DOCS.rglob("*.md") if p.resolve() not in linked]
    assert lost == []


def test_decisions_are_numbered_without_gaps_and_say_what_and_why() -> None:
    pages = sorted((DOCS / "decisions").glob("*.md"))
    assert [int(p.name[:3]) for p in pages] == list(range(1, len(pages) + 1))
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert text.startswith(f"# {page.name[:3]}: "), name_of(page)
        for part in ("**Context.**", "**Decision.**", "**Consequence.**"):
            assert part in text, f"{name_of(page)} has no {part}"


def test_no_figure_is_still_to_be_filled_in() -> None:
    for page in PAGES:
        assert "TBD" not in page.read_text(encoding="utf-8"), name_of(page)
