"""The options of the command line that say how files are read."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from extractors.ports import LoadOptions

PASSWORD_VARIABLE = "CLEW_PASSWORD"  # noqa: S105 - the name of one
"""Holds the password of protected files; the process that reads files does not inherit it."""


class RowsAs(StrEnum):
    """What the rows of a CSV, TSV or JSONL file are."""

    AUTO = "auto"
    TABLE = "table"
    DOCUMENTS = "documents"


FormatOption = Annotated[
    str | None,
    typer.Option("--format", help="Read files as this format, whatever they look like.", show_default=False),
]
PasswordFile = Annotated[
    Path | None,
    typer.Option(
        "--password-file",
        help="File whose first line is the password of protected files; - is standard input. "
        f"Also ${PASSWORD_VARIABLE}.",
        show_default=False,
    ),
]
AskPassword = Annotated[
    bool, typer.Option("--ask-password", help="Ask for the password of protected files, without showing it.")
]
Comments = Annotated[bool, typer.Option("--comments", help="Take in the comments of reviewers.")]
Quoted = Annotated[bool, typer.Option("--quoted", help="Keep what a mail quotes of earlier ones.")]
Rows = Annotated[RowsAs, typer.Option("--rows", help="What the rows of CSV, TSV and JSONL files are.")]
TextColumns = Annotated[
    list[str] | None,
    typer.Option(
        "--text-column", help="Column with the text of a row that is a document. May be repeated.", show_default=False
    ),
]
TitleColumn = Annotated[
    str | None, typer.Option("--title-column", help="Column with the title of such a row.", show_default=False)
]
IdColumn = Annotated[
    str | None, typer.Option("--id-column", help="Column with the id of such a row.", show_default=False)
]
ReadPictures = Annotated[bool, typer.Option("--pictures", help="Read pictures inside documents.")]
NoOcr = Annotated[bool, typer.Option("--no-ocr", help="Do not read pages that are pictures.")]


def load_options(
    *,
    format: str | None,
    password_file: Path | None,
    ask_password: bool,
    comments: bool,
    quoted: bool,
    rows: RowsAs,
    text_columns: Sequence[str] | None,
    title_column: str | None,
    id_column: str | None,
    no_ocr: bool,
    pictures: bool,
) -> LoadOptions:
    """How files are to be read. Raises UsageError when the password cannot be had."""
    from extractors.ports import LoadOptions

    password = password_from(password_file, ask=ask_password)
    return LoadOptions.model_validate(
        {
            "format": format,
            "password": password,
            "comments": comments,
            "quoted": quoted,
            "rows": rows.value,
            "text_columns": tuple(text_columns or ()),
            "title_column": title_column,
            "id_column": id_column,
            "ocr": not no_ocr,
            "pictures": pictures,
        }
    )


def password_from(file: Path | None, *, ask: bool) -> str | None:
    """The password that is typed in, else the first line of ``file``, else that of the environment."""
    from storage.errors import UsageError

    if ask:
        import getpass

        try:
            password = getpass.getpass("Password of the files: ")
        except EOFError:
            password = ""
        if not password:
            raise UsageError("No password was typed in. Name a file that holds it with --password-file.")
        return password
    if file is None:
        return os.environ.get(PASSWORD_VARIABLE) or None
    try:
        text = sys.stdin.readline() if str(file) == "-" else file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise UsageError(f"--password-file {file} cannot be read ({reason.lower()}).") from None
    password = text.split("\n", 1)[0].rstrip("\r")
    if not password:
        raise UsageError(f"--password-file {file}: the first line is empty. Write the password there.")
    return password


__all__ = ["PASSWORD_VARIABLE", "RowsAs", "load_options", "password_from"]
