"""ZIP archives of documents."""

from __future__ import annotations

import io
import struct
import time
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from extractors.loaders import load_file, loader_for, loaders
from extractors.ports import LoadedFile, LoadOptions
from storage.errors import LoadError

LINES = b'{"text": "One."}\n{"text": "Two."}\nno\n'


def packed(*members: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members:
            file.writestr(name, data)
    return buffer.getvalue()


def load(data: bytes, **options: Any) -> LoadedFile:
    assert loader_for(Path("a.zip"), data).name == "zip@2"
    return load_file(Path("a.zip"), data, LoadOptions(**options))


def texts(loaded: LoadedFile) -> dict[str | None, str]:
    return {document.id: document.text for document in loaded.documents}


def encrypted(name: str, data: bytes, password: bytes) -> bytes:
    """An archive of one stored member under the old encryption of ZIP (APPNOTE 6.1), which zipfile only reads."""
    keys = [0x12345678, 0x23456789, 0x34567890]

    def crc(byte: int, value: int) -> int:
        return ~zlib.crc32(bytes([byte]), ~value & 0xFFFFFFFF) & 0xFFFFFFFF

    def update(byte: int) -> None:
        keys[0] = crc(byte, keys[0])
        keys[1] = ((keys[1] + (keys[0] & 0xFF)) * 134775813 + 1) & 0xFFFFFFFF
        keys[2] = crc(keys[1] >> 24, keys[2])

    def encrypt(byte: int) -> int:
        k = keys[2] | 2
        out = byte ^ (((k * (k ^ 1)) >> 8) & 0xFF)
        update(byte)
        return out

    for byte in password:
        update(byte)
    checksum = zlib.crc32(data)
    body = bytes(map(encrypt, b"\0" * 11 + bytes([checksum >> 24]) + data))
    sizes = struct.pack("<LLL", checksum, len(body), len(data))
    common = struct.pack("<HHHHH", 20, 1, 0, 0, 0x21) + sizes + struct.pack("<HH", len(name), 0)
    local = b"PK\x03\x04" + common + name.encode() + body
    central = b"PK\x01\x02" + struct.pack("<H", 20) + common + b"\0" * 14 + name.encode()
    end = b"PK\x05\x06" + struct.pack("<HHHHLLH", 0, 0, 1, 1, len(central), len(local), 0)
    return local + central + end


def test_each_member_is_read_with_its_loader() -> None:
    data = packed(
        ("inner/a.md", b"# Storm\n\nIt came."), ("rows.jsonl", LINES), ("b.csv", b"a,b\n1,2\n"), ("README", b"Read me.")
    )
    loaded = load(data)
    assert list(texts(loaded).values()) == ["Storm\n\nIt came.", "One.", "Two.", "a | b\n1 | 2", "Read me."]
    assert [str(d.id).partition("#")[0] for d in loaded.documents] == [
        "inner/a.md", "rows.jsonl", "rows.jsonl", "b.csv", "README",
    ]  # fmt: skip
    assert loaded.documents[0].title == "Storm"
    assert [loaded.loader_of(d) for d in loaded.documents] == [
        f"{loaded.loader}+{loaders()[name].name}" for name in ("markdown", "jsonl", "jsonl", "csv", "text")
    ]
    assert loaded.documents[0].sections[0].path == ("Storm",)
    assert [problem.part for problem in loaded.problems] == ["rows.jsonl#line 3"]


def test_archives_in_archives_are_read_three_deep() -> None:
    data = packed(("deep.txt", b"Deep."))
    for level in ("c", "b", "a"):
        data = packed((f"{level}.zip", data), (f"{level}.txt", level.encode()))
    loaded = load(data)
    assert texts(loaded) == {"a.txt": "a", "a.zip#b.txt": "b", "a.zip#b.zip#c.txt": "c"}
    assert [problem.part for problem in loaded.problems] == ["a.zip#b.zip#c.zip"]
    assert "3 archives deep" in loaded.problems[0].reason


def test_what_is_not_read_is_counted_and_what_fails_is_a_problem() -> None:
    link = zipfile.ZipInfo("link.txt")
    link.create_system, link.external_attr = 3, 0o120777 << 16
    loaded = load(
        packed(
            ("a.txt", b"One."), ("p.png", b"\x89PNG"), ("q.png", b"x"), ("r.exe", b"MZ"), ("bin", b"\x00\x01\x02"),
            ("bad.pdf", b"no pdf"), ("empty.txt", b""), (".git/config", b"x"), (link, b"/etc/passwd"),
            ("__MACOSX/._a.txt", b"x"), (".DS_Store", b"x"), ("d/", b""),
        )
    )  # fmt: skip
    assert texts(loaded) == {"a.txt": "One."}
    assert [(p.part, "not a PDF file" in p.reason) for p in loaded.problems] == [("bad.pdf", True)]
    assert loaded.left_out == (
        "4 files of kinds that are not read (.png 2, .exe 1, without an ending 1)",
        "empty files: 1",
        "hidden files: 1",
        "links: 1",
    )


def test_an_archive_of_nothing_that_is_read_says_so() -> None:
    with pytest.raises(LoadError, match=r"a.zip holds no file that can be read: 1 file of kinds .* \(.png 1\)"):
        load(packed(("p.png", b"\x89PNG")))
    with pytest.raises(LoadError, match="has no members"):
        load_file(Path("a.zip"), b"PK\x05\x06" + b"\0" * 18)


def test_names_are_only_names(tmp_path: Path) -> None:
    loaded = load(
        packed(("../../up.txt", b"One."), ("/root.txt", b"Two."), ("C:\\x\\y.txt", b"Three."), ("up.txt", b"4"))
    )
    assert texts(loaded) == {"up.txt": "One.", "root.txt": "Two.", "x/y.txt": "Three.", "up.txt (2)": "4"}


def test_of_a_file_that_stands_there_twice_the_last_is_read() -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        data = packed(("a.txt", b"old"), ("a.txt", b"new"))
    loaded = load(data)
    assert texts(loaded) == {"a.txt": "new"}
    assert loaded.left_out == ("older versions of files that stand in it again: 1",)


@pytest.mark.parametrize(
    ("name", "encoding"),
    [("港口停工.txt", "gb18030"), ("港口停工.txt", "utf-8"), ("Übung.txt", "cp437"), ("é.txt", "cp437")],
)
def test_names_without_a_mark_of_their_encoding(name: str, encoding: str) -> None:
    raw = name.encode(encoding)
    plain = "x" * (len(raw) - 4) + ".txt"
    data = packed((plain, b"Text.")).replace(plain.encode(), raw)
    assert texts(load(data)) == {name: "Text."}


def test_a_password_is_used_asked_for_and_never_said() -> None:
    data = encrypted("a.txt", b"The port closed.", b"secret")
    assert texts(load(data, password=SecretStr("secret"))) == {"a.txt": "The port closed."}
    for options, words in (({}, "protected by a password"), ({"password": SecretStr("wrong1")}, "another password")):
        (problem,) = load(data, **options).problems
        assert words in problem.reason
        assert "wrong1" not in problem.reason


def test_a_bomb_is_refused_and_a_nested_one_is_a_problem() -> None:
    bomb = packed(("zeros.txt", b"0" * 40_000_000))
    started = time.process_time()
    with pytest.raises(LoadError, match="would unpack to"):
        load(bomb)
    loaded = load(packed(("a.txt", b"One."), ("bomb.zip", bomb)))
    assert [p.part for p in loaded.problems] == ["bomb.zip"]
    assert time.process_time() - started < 5


def test_small_archives_in_archives_that_unpack_to_very_much_are_cut_off() -> None:
    inner = packed(*((f"{k}.txt", b"port " * 800_000) for k in range(3)))
    loaded = load(packed(*((f"{k}.zip", inner) for k in range(3))))
    assert list(texts(loaded)) == ["0.zip#0.txt", "0.zip#1.txt", "0.zip#2.txt", "1.zip#0.txt"]
    assert [(p.part, "has a limit" in p.reason) for p in loaded.problems] == [("1.zip#1.txt", True)]
    assert loaded.notes == ("files after the one that passed the limit: 2",)


def test_a_member_that_lies_about_its_size_or_is_damaged_is_a_problem() -> None:
    data = packed(("a.txt", b"One." * 999), ("b.txt", b"Two."))
    at = data.index(b"a.txt") + 5
    loaded = load(data[:at] + b"\xff" * 8 + data[at + 8 :])
    assert texts(loaded) == {"b.txt": "Two."}
    assert [p.part for p in loaded.problems] == ["a.txt"]


def test_options_reach_the_members_and_the_format_does_not() -> None:
    data = packed(("a.csv", b"a,b\n1,2\n"), ("b.csv", b"c,d\n1,2\n"))
    loaded = load(data, text_columns=("a",), format="zip")
    assert list(texts(loaded).values()) == ["1"]
    assert [p.part for p in loaded.problems] == ["b.csv"]
    assert "no column 'a'" in loaded.problems[0].reason


@pytest.mark.parametrize("names", [("[Content_Types].xml", "visio/a.xml"), ("mimetype", "META-INF/manifest.xml")])
def test_documents_that_are_archives_are_no_plain_archives(names: tuple[str, str]) -> None:
    with pytest.raises(LoadError, match=r"is an (Office package|OpenDocument file), which is not read"):
        load_file(Path("a.zip"), packed(*((name, b"<a/>") for name in names)))
