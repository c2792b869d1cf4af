"""ZIP packages: what is refused before and while it is unpacked."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path

import docx
import pytest
from office_files import changed, saved

from extractors.loaders import load_document
from extractors.loaders.office_package import OfficePackage
from extractors.loaders.packages import iter_xml, open_archive, parse_xml, read_member, refuse_bomb
from storage.errors import LoadError

PATH = Path("a.zip")


def archive(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as made:
        for name, content in members.items():
            made.writestr(name, content)
    return buffer.getvalue()


def test_an_ordinary_archive_passes() -> None:
    refuse_bomb(PATH, archive({"a.txt": b"words " * 1000}))


def test_what_unpacks_to_far_more_than_it_is_is_refused() -> None:
    data = archive({"a": b"\x00" * 20_000_000})
    with pytest.raises(LoadError, match=r"a\.zip would unpack to 20,000,000 bytes and is refused"):
        refuse_bomb(PATH, data)


def test_an_encrypted_member_is_refused_unless_it_is_let_pass() -> None:
    data = bytearray(archive({"a.txt": b"secret"}))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.index(mark) + offset
        data[at] |= 1
    with pytest.raises(LoadError, match=r"a\.zip is protected by a password\. Save it without one"):
        refuse_bomb(PATH, bytes(data))
    refuse_bomb(PATH, bytes(data), encrypted=True)


def test_many_archives_in_an_archive_are_refused() -> None:
    refuse_bomb(PATH, archive({f"{n}.zip": b"" for n in range(100)}))
    with pytest.raises(LoadError, match="holds 101 files, 101 of them archives"):
        refuse_bomb(PATH, archive({f"{n}.ZIP": b"" for n in range(101)}))


@pytest.mark.parametrize("data", [b"PK\x03\x04 cut off", b"", b"text"])
def test_what_is_no_archive_is_said(data: bytes) -> None:
    with pytest.raises(LoadError, match=r"a\.zip is damaged or cut off"):
        open_archive(PATH, data)


def test_an_encrypted_office_file_is_said() -> None:
    with pytest.raises(LoadError, match="protected by a password or of an old Office format"):
        open_archive(PATH, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 600)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_member_is_read_whole_or_refused_at_the_limit(method: int) -> None:
    words = bytes(range(256)) * 100
    with open_archive(PATH, archive({"a": words}, method)) as opened:
        assert read_member(opened, "a") == words
        assert read_member(opened, "a", limit=25_600) == words
        with pytest.raises(LoadError, match="a unpacks to more than 25,599 bytes"):
            read_member(opened, "a", limit=25_599)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
def test_a_directory_that_lies_about_sizes_does_no_harm(method: int) -> None:
    data = bytearray(archive({"a": b"\x00" * 30_000_000}, method))
    local, central = data.index(b"PK\x03\x04"), data.index(b"PK\x01\x02")
    data[local + 22 : local + 26] = data[central + 24 : central + 28] = struct.pack("<I", 1000)
    refuse_bomb(PATH, bytes(data))
    with open_archive(PATH, bytes(data)) as opened, pytest.raises(LoadError, match="a is damaged"):
        read_member(opened, "a", limit=1_000_000)


def test_a_missing_or_damaged_member_is_said() -> None:
    data = archive({"a": b"words" * 100}, zipfile.ZIP_STORED).replace(b"wordswords", b"wordzwords", 1)
    with open_archive(PATH, data) as opened:
        with pytest.raises(LoadError, match="b is missing"):
            read_member(opened, "b")
        with pytest.raises(LoadError, match="a is damaged"):
            read_member(opened, "a")


LAUGHS = (
    b'<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "'
    + b"&a;" * 50
    + b'"><!ENTITY c "'
    + b"&b;" * 50
    + b'"><!ENTITY d "'
    + b"&c;" * 50
    + b'"><!ENTITY e "'
    + b"&d;" * 50
    + b'">]><x>before &e; after</x>'
)


@pytest.mark.parametrize("data", [LAUGHS, LAUGHS.replace(b"<x>before", b'<x y="&e;">before')])
def test_entities_that_grow_are_refused(data: bytes) -> None:
    with pytest.raises(LoadError, match="x is damaged: it is no well-formed XML"):
        parse_xml(data, "x")


def test_an_entity_is_not_replaced() -> None:
    root = parse_xml(b'<!DOCTYPE x [<!ENTITY a "SECRET">]><x>before &a; after</x>', "x")
    assert "SECRET" not in "".join(root.xpath("//text()"))


def test_deep_nesting_is_refused() -> None:
    deep = b"<a>" * 10_000 + b"</a>" * 10_000
    with pytest.raises(LoadError, match="part is damaged"):
        parse_xml(deep, "part")
    with pytest.raises(LoadError, match="part is damaged"):
        list(iter_xml(deep, "part", ("a",)))


def test_a_stream_gives_each_element_once() -> None:
    found = [element.text for element in iter_xml(b"<r><!-- c --><a>1</a><b>2</b><a>3</a></r>", "part", ("a",))]
    assert found == ["1", "3"]


def test_properties_are_metadata_and_the_name_of_a_program_is_no_title() -> None:
    made = docx.Document()
    made.core_properties.title = "PowerPoint Presentation"
    made.core_properties.author = "Anna"
    made.core_properties.keywords = "storm, port"
    made.core_properties.subject = "Closure"
    title, metadata = OfficePackage(Path("a.docx"), saved(made)).properties()
    assert title == ""
    assert metadata["author"] == "Anna"
    assert metadata["keywords"] == "storm, port"
    assert metadata["subject"] == "Closure"
    assert metadata["created"] == "2013-12-23T23:15:00Z"  # that of the template of python-docx


def test_damaged_properties_are_none() -> None:
    made = docx.Document()
    made.add_paragraph("Words.")
    document = load_document(Path("a.docx"), changed(saved(made), {"docProps/core.xml": b"<x"}))
    assert (document.text, document.metadata) == ("Words.", {})


def test_a_reference_to_a_part_that_is_not_there_is_passed_over() -> None:
    made = docx.Document()
    made.add_paragraph("Words.")
    relations = "word/_rels/document.xml.rels"
    assert load_document(Path("a.docx"), changed(saved(made), {relations: ("styles.xml", "NULL")})).text == "Words."


def test_a_package_without_its_main_part_is_said() -> None:
    data = changed(saved(docx.Document()), {"_rels/.rels": ("word/document.xml", "word/gone.xml")})
    with pytest.raises(LoadError, match=r"a\.docx is no whole office document: its main part is missing"):
        load_document(Path("a.docx"), data)


def test_a_damaged_main_part_is_said_with_its_file() -> None:
    with pytest.raises(LoadError, match=r"a\.docx: word/document\.xml is damaged"):
        load_document(Path("a.docx"), changed(saved(docx.Document()), {"word/document.xml": b"<w:document"}))
