"""Writes the generated parts of the documentation: ``python docs/generate.py``.

``docs/guides/cli.md`` is made from the commands themselves, the table in ``docs/guides/configuration.md`` from the
settings. ``tests/docs`` fails when either differs from what this script would write.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import typer

from graphrag import console
from graphrag.settings import OTHER_VARIABLES, Settings

GUIDES = Path(__file__).parent / "guides"
CLI_PAGE = GUIDES / "cli.md"
SETTINGS_PAGE = GUIDES / "configuration.md"
BEGIN, END = "<!-- settings: generated -->", "<!-- settings: end -->"

_CLI_INTRODUCTION = """\
# Command line

This page is generated from the commands by `python docs/generate.py`; `clew VERB --help` says the same.

Results go to standard output, progress and messages to standard error. With `--json` the result is one JSON document:
the pydantic model that the Python method of the same name returns, or for `review list` a list of them. The store is
the folder that `--store` names, else `$CLEW_STORE`, else `./.clew`.

| exit code | meaning |
|---|---|
| 0 | success |
| 1 | failure |
| 2 | the command line or a setting is wrong |
| 3 | `ask` found no grounded answer |
| 4 | a model endpoint or store is unreachable |
| 130 | interrupted |
"""

_DESCRIBED_DEFAULTS = {"cache": "the user's cache folder, on Linux `~/.cache/clew`"}


def command_tree() -> Any:
    """The root command with every verb, ``eval`` included."""
    if all(group.name != "eval" for group in console.app.registered_groups):
        console._mount_evaluation()
    return typer.main.get_command(console.app)


def leaves(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command that does something, with the words that name it."""
    for name, sub in getattr(command, "commands", {}).items():
        yield from leaves(sub, (*path, name))
    if path and not hasattr(command, "commands"):
        yield path, command


def cli_page() -> str:
    """The page about the command line."""
    parts = [_CLI_INTRODUCTION]
    for path, command in leaves(command_tree()):
        parts += [f"## clew {' '.join(path)}", "", _line(command.help), "", f"    {_usage(path, command)}", ""]
        parts += ["| argument or option | meaning |", "|---|---|"]
        parts += [f"| {_name(p)} | {_meaning(p)} |" for p in command.params if p.name != "help"]
        parts.append("")
    return "\n".join(parts)


def settings_table() -> str:
    """The table of all settings."""
    rows = ["| setting | environment | default | meaning |", "|---|---|---|---|"]
    for name, field in Settings.model_fields.items():
        variables = [f"`CLEW_{name.upper()}`"] + ([f"`{OTHER_VARIABLES[name]}`"] if name in OTHER_VARIABLES else [])
        default = _DESCRIBED_DEFAULTS.get(name) or _default(field.get_default(call_default_factory=True))
        meaning = (field.description or "").replace("|", "\\|")
        rows.append(f"| `{name}` | {', '.join(variables)} | {default} | {meaning} |")
    return "\n".join(rows)


def settings_page() -> str:
    """The page about settings with the present table in it."""
    before, _, rest = SETTINGS_PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}\n\n{settings_table()}\n\n{END}{after}"


def _usage(path: tuple[str, ...], command: Any) -> str:
    arguments = [_placeholder(p) for p in command.params if _is_argument(p)]
    return " ".join(["clew", *path, "[OPTIONS]", *arguments])


def _is_argument(parameter: Any) -> bool:
    return not parameter.opts[0].startswith("-")


def _placeholder(parameter: Any) -> str:
    word = parameter.metavar or parameter.name.rstrip("_").upper()
    return f"{word}..." if parameter.nargs == -1 else word


def _name(parameter: Any) -> str:
    if _is_argument(parameter):
        return f"`{_placeholder(parameter)}`"
    value = "" if parameter.is_flag else f" {_placeholder(parameter)}"
    return ", ".join(f"`{option}{value}`" for option in parameter.opts)


def _meaning(parameter: Any) -> str:
    text = _line(parameter.help or "")
    kind = parameter.type_descriptor.annotation
    if isinstance(kind, type) and issubclass(kind, Enum):
        text += f" One of: {', '.join(str(member.value) for member in kind)}."
    if parameter.required:
        return f"{text} Required.".strip()
    if parameter.show_default and parameter.default not in (None, False, ""):
        text += f" [default: {parameter.default}]"
    return text


def _line(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _default(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{','.join(value)}`" if isinstance(value, tuple) else f"`{value}`"


def main() -> None:
    """Write both pages."""
    CLI_PAGE.write_text(cli_page(), encoding="utf-8")
    SETTINGS_PAGE.write_text(settings_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
