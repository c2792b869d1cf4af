"""Source code."""

from __future__ import annotations

from pathlib import Path

import pytest

from extractors.loaders import load_document, load_file, loader_for
from storage.structure import TextKind

SOURCE = "def a(x):\r\n    # 港口\r\n\r\n    return x  \r\n\r\n\r\ndef b(): ...\r\n"


def test_code_stays_as_it_is() -> None:
    document = load_document(Path("port.py"), SOURCE.encode())
    assert document.text == SOURCE.replace("\r\n", "\n")
    assert (document.kind, document.title) == (TextKind.CODE, "port.py")
    assert document.metadata == {"programming_language": "python"}


@pytest.mark.parametrize(
    ("name", "source", "language"),
    [
        ("a.R", "x <- 1", "r"),
        ("a.tsx", "const a = <b/>;", "tsx"),
        ("a.h", "int a(void);", "c"),
        ("a.h", "#pragma once\nnamespace a {}\n", "cpp"),
        ("run", "#!/usr/bin/env python3\nprint()\n", "python"),
        ("run", "#!/bin/bash -e\nls\n", "bash"),
        ("run", "#!/usr/bin/env -S node --x\nls\n", "javascript"),
    ],
)
def test_the_language_is_told(name: str, source: str, language: str) -> None:
    assert load_document(Path(name), source.encode()).metadata == {"programming_language": language}


@pytest.mark.parametrize("name", ["a.yaml", "a.toml", "a.ini", "a.txt", "run"])
def test_settings_and_texts_are_no_code(name: str) -> None:
    assert loader_for(Path(name), b"a: 1\n# x\n").name.startswith("text@")


def test_the_encoding_that_python_declares_is_believed() -> None:
    source = "# -*- coding: big5 -*-\na = '\u6e2f'\n"
    assert "\u6e2f" in load_document(Path("a.py"), source.encode("big5")).text


def test_code_that_a_program_wrote_is_noted() -> None:
    loaded = load_file(Path("a.min.js"), b"var a=1;" * 1000)
    assert loaded.left_out == ("written by a program, it seems: its longest line has 8,000 characters",)
    assert load_file(Path("a.js"), b"var a = 1;\n" * 1000).left_out == ()
