"""Which loader reads a file, and how everything that is wrong with one is said."""

from __future__ import annotations

import gzip
import io
import random
import zipfile
from pathlib import Path

import pytest

from extractors.loaders import load_document, loader_for
from storage.errors import LoadError
from storage.stored_text import stored_text

SUPPORTED_SUFFIXES = (".txt", ".text", ".md", ".markdown", ".html", ".htm", ".xhtml", ".pdf", ".docx")


def archive(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            file.writestr(name.replace("__", "/"), data)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("a.txt", b"text", "text@1"),
        ("a.md", b"# text", "markdown@1"),
        ("a.HTM", b"text", "html@1"),
        ("a.log", b"text", "text@1"),
        ("a", b"text", "text@1"),
        ("a.txt", b"%PDF-1.7\n", "pdf@1"),
        ("a.txt", b"\n<!DOCTYPE html><p>text", "html@1"),
        ("a.txt", b"the mark %PDF- inside of a text", "text@1"),
        ("a.pdf", b"junk before\n%PDF-1.4\n", "pdf@1"),
    ],
)
def test_the_bytes_decide_and_the_extension_tells_texts_apart(name: str, data: bytes, expected: str) -> None:
    assert loader_for(Path(name), data).name == expected


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.txt", b"", "a.txt is empty"),
        ("a.txt", b" \n\t", "a.txt is empty"),
        ("a.txt", b"\x00\x00", "a.txt holds binary data"),
        ("a.txt", random.Random(3).randbytes(3000), "a.txt holds binary data"),
        ("a.txt", b"\x89PNG\r\n\x1a\n", "a PNG picture"),
        ("a.txt", gzip.compress(b"text"), "a gzip archive"),
        ("a.rtf", b"{\\rtf1 text}", "an RTF document"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 600, "password or of an old Office format"),
        ("a.pdf", b"no pdf at all", "not a PDF file"),
        ("a.docx", b"no docx at all", "not a DOCX file"),
        ("a.docx", archive(**{"[Content_Types].xml": b"x" * 999})[:60], "cut off archive"),
        ("a.docx", archive(**{"[Content_Types].xml": b"<", "word__document.xml": b"<"}), "a.docx"),
        ("a.html", b"<html><body><script>x()</script></body></html>", "a.html is empty"),
    ],
    ids=lambda value: value if isinstance(value, str) else "data",
)
def test_what_cannot_be_read_is_a_load_error_that_says_why(name: str, data: bytes, message: str) -> None:
    with pytest.raises(LoadError, match=message):
        load_document(Path(name), data)


def test_a_missing_file_and_a_folder_are_load_errors(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.txt", tmp_path):
        with pytest.raises(LoadError, match="cannot be opened"):
            load_document(path)


def test_a_file_is_read_from_disk(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes("港口停工。".encode("gb18030"))
    document = load_document(path)
    assert (document.text, document.title) == ("港口停工。", "notes")


@pytest.mark.parametrize("suffix", SUPPORTED_SUFFIXES)
def test_random_bytes_under_any_name_end_in_a_load_error(suffix: str) -> None:
    generator = random.Random(11)
    for start in (b"", b"%PDF-1.4\n", b"PK\x03\x04", b"<html>"):
        with pytest.raises(LoadError):
            load_document(Path(f"a{suffix}"), start + generator.randbytes(2000))


@pytest.mark.parametrize("suffix", [".txt", ".md", ".html"])
def test_odd_text_is_loaded_in_stored_form(suffix: str) -> None:
    odd = "The port\x00 closed. שלום مرحبا 😀👍🏽 港口停工。\x07\u2028Next \ufeffline.\r\nEnd"
    text = load_document(Path(f"a{suffix}"), odd.encode()).text
    assert text == stored_text(text)
    assert all(words in text for words in ("closed.", "שלום مرحبا 😀👍🏽 港口停工。", "End"))


@pytest.mark.parametrize("unit", ["word ", "港口，", "[", "*a ", "<b>x</b>", "`", "![](", "_a_*", "&amp;", "<!--"])
@pytest.mark.parametrize("suffix", [".txt", ".md", ".html"])
def test_a_single_long_line_is_loaded(suffix: str, unit: str) -> None:
    data = f"Start {unit * (100_000 // len(unit))}".encode()
    assert load_document(Path(f"a{suffix}"), data).text.startswith("Start")


def test_deeply_nested_html_is_refused_and_not_cut_short() -> None:
    with pytest.raises(LoadError, match="too deeply"):
        load_document(Path("a.html"), b"<div>" * 50_000 + b"end")
