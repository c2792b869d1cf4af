"""Which loader reads a file, and how everything that is wrong with one is said."""

from __future__ import annotations

import gzip
import io
import random
import time
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest

from extractors.loaders import load_document, load_file, loader_for, supported_suffixes
from extractors.loaders.archive import ArchiveLoader
from storage.errors import LoadError
from storage.stored_text import stored_text

SUPPORTED_SUFFIXES = supported_suffixes()
ROWS = b"id,text\n1,The port closed.\n"
SAMPLES = {
    "a.csv": ROWS * 20,
    "a.tsv": b'a\t"b\nc"\n' * 20,
    "a.jsonl": b'{"id": "x", "text": "The port closed.", "a": {"b": [1, {"c": 2}]}}\n' * 5,
    "a.json": b'{"messages": [{"user": "a", "text": "x", "ts": "1"}, {"user": "b", "text": "y", "ts": "2"}]}',
    "a.txt": "[09:14] 张三：港口停工。\n[09:15] 李四：好。\n".encode() * 5,
    "a.py": b"def a():\n    return 1\n" * 5,
    "a.srt": b"1\n00:00:01,000 --> 00:00:02,000\nWords.\n\n" * 3,
    "a.md": b"---\ntitle: x\n---\n# Storm\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    "a.html": b"<html><body><h1>Storm</h1><table><tr><td>a</table><p>b</body></html>",
    "a.eml": b"From: a@b.c\nTo: d@e.f\nSubject: x\nContent-Type: text/plain\n\nThe port closed.\n",
}


def archive(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            file.writestr(name.replace("__", "/"), data)
    return buffer.getvalue()


def packages() -> dict[str, bytes]:
    """A small file of each format that is a package."""
    import docx
    import openpyxl
    import pptx

    word, book, slides = docx.Document(), openpyxl.Workbook(), pptx.Presentation()
    word.add_paragraph("The port closed.")
    book.active.append(["port", "closed"])
    slides.slides.add_slide(slides.slide_layouts[0]).shapes.title.text = "Storm"
    found: dict[str, bytes] = {}
    for name, document in (("a.docx", word), ("a.xlsx", book), ("a.pptx", slides)):
        buffer = io.BytesIO()
        document.save(buffer)
        found[name] = buffer.getvalue()
    found["a.zip"] = archive(**{"a.txt": b"One.", "rows.csv": ROWS * 9, "b.jsonl": b'{"text": "x"}'})
    found["a.epub"] = archive(**{"mimetype": b"application/epub+zip", "META-INF__container.xml": b"<container/>"})
    found["a.pdf"] = b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n"
    return found


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("a.txt", b"text", "text"),
        ("a.md", b"# text", "markdown"),
        ("a.HTM", b"text", "html"),
        ("a.log", b"text", "text"),
        ("a.TSV", b"a\tb", "csv"),
        ("a.json", b"{}", "jsonl"),
        ("a.rs", b"fn a() {}", "code"),
        ("a.docx", b"<html><p>text", "html"),
        ("a.csv", b"%PDF-1.7\n", "pdf"),
        ("a", b"text", "text"),
        ("a.txt", b"%PDF-1.7\n", "pdf"),
        ("a.txt", b"\n<!DOCTYPE html><p>text", "html"),
        ("a.txt", b"the mark %PDF- inside of a text", "text"),
        ("a.pdf", b"junk before\n%PDF-1.4\n", "pdf"),
    ],
)
def test_the_bytes_decide_and_the_extension_tells_texts_apart(name: str, data: bytes, expected: str) -> None:
    assert loader_for(Path(name), data).name.split("@")[0] == expected


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
        ("a.pdf", b"no pdf at all", "not a PDF file: it holds text. Name it .txt"),
        ("a.pdf", b"1 0 obj <<>> endobj", "not a PDF file, or it is damaged"),
        ("a.docx", b"no docx at all", "not a DOCX file: it holds text"),
        ("a.docx", random.Random(3).randbytes(3000), "not a DOCX file, or it is damaged"),
        (
            "a.txt",
            b"BZh91AY&SY" + b"\x00" * 9,
            "a bzip2 archive, which is not read. .*Formats that are read: chat, code",
        ),
        ("a.csv", random.Random(3).randbytes(3000), "a.csv holds binary data"),
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


def test_a_file_of_another_format_than_its_name_says_is_read_with_a_note() -> None:
    page = b"<html><body><p>The port closed.</p></body></html>"
    loaded = load_file(Path("a.docx"), page)
    assert loaded.documents[0].text == "The port closed."
    assert loaded.notes == ("a.docx is an HTML file, whatever its name says, and was read as one",)
    assert load_file(Path("a.html"), page).notes == ()
    assert load_file(Path("a.csv"), archive(**{"b.txt": b"Text."})).notes[-1].startswith("a.csv is a ZIP file")
    assert load_file(Path("a.txt"), b"A: 1\nB: 2\nA: 3\nB: 4\n").notes == ()


def test_among_equally_sure_loaders_the_one_that_the_name_means_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    from extractors.loaders import registry

    class Other(ArchiveLoader):
        name = "kmz@1"
        suffixes = (".kmz",)

    known = {"zip": ArchiveLoader(), "zkmz": Other()}
    monkeypatch.setattr(registry, "loaders", lambda: known)
    data = archive(**{"b.txt": b"Text."})
    assert [loader_for(Path(name), data).name for name in ("a.kmz", "a.zip", "a")] == ["kmz@1", "zip@2", "zip@2"]


@pytest.mark.parametrize("suffix", SUPPORTED_SUFFIXES)
def test_random_bytes_under_any_name_end_in_a_load_error(suffix: str) -> None:
    generator = random.Random(11)
    for start in (b"", b"%PDF-1.4\n", b"PK\x03\x04", b"<html>"):
        with pytest.raises(LoadError):
            load_document(Path(f"a{suffix}"), start + generator.randbytes(2000))


@pytest.mark.parametrize("name", [*SAMPLES, "a.zip", "a.docx", "a.xlsx", "a.pptx", "a.epub", "a.pdf"])
def test_cut_and_altered_files_end_in_a_text_or_a_load_error(name: str) -> None:
    whole = SAMPLES.get(name) or packages()[name]
    generator = random.Random(name)
    for _ in range(40):
        data = bytearray(whole[: generator.randrange(1, len(whole) + 1)])
        for _ in range(generator.choice((0, 1, 5))):
            data[generator.randrange(len(data))] = generator.randrange(256)
        started = time.process_time()
        with suppress(LoadError):
            load_file(Path(name), bytes(data))
        assert time.process_time() - started < 5


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
