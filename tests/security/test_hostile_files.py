"""Row 16: no file costs more than 10 s of the processor or 512 MB, ends who asked, writes a file or calls home.

Sizes are a tenth of the stated ones; ``CLEW_SOAK=1`` takes those. Whether a file is refused or read in part is the
loader's choice, but where its words would be false or endless it has to be refused.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from hostile_files import (
    LAUGHS,
    MB,
    PACKAGES,
    SIZE,
    archive,
    epub,
    fetching,
    lying,
    member,
    nested_archives,
    overlapping,
    pdf_attacks,
    sheet_attacks,
    text_attacks,
    with_doctype,
    with_members,
    xhtml,
    zeros,
)
from stand_ins import OpenKb

from extractors.loaders import loaders
from extractors.loaders.worker import LoadWorker
from extractors.ports import LoadedFile, LoadOptions
from graphrag.settings import Settings
from storage.errors import LoadError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory and address space are limited as Linux does")

SECONDS = 10.0
MEMORY_MB = 512
SECRET = "a-secret-of-this-machine"


@dataclass
class Watched:
    """A worker with the limits of the product whose memory is measured, and everything that must stay as it is."""

    reader: LoadWorker
    folder: Path
    address: str
    requests: list[str]
    memory: dict[int, int] = field(default_factory=dict)
    seconds: dict[int, float] = field(default_factory=dict)
    before: set[Path] = field(default_factory=set)

    def read(self, name: str, data: bytes) -> LoadedFile | LoadError:
        """What becomes of a file; asserts what must hold for every one."""
        self.reader.load(Path("warm.txt"), b"warm", LoadOptions())
        result: LoadedFile | LoadError
        stopped = threading.Event()
        thread = threading.Thread(target=self._measure, args=(stopped,))
        thread.start()
        try:
            result = self.reader.load(Path(name), data, LoadOptions(ocr=False))
        except LoadError as error:
            result = error
        finally:
            stopped.set()
            thread.join()
        if isinstance(result, LoadError):
            assert str(result).strip()
            assert "Traceback" not in str(result)
        seconds = sum(self.seconds.values())
        assert seconds <= SECONDS, f"{seconds:.1f} s"
        peak = max(self.memory.values(), default=0)
        assert peak <= MEMORY_MB * 1024, f"{peak // 1024} MB"
        after = self.reader.load(Path("next.txt"), b"The next file.", LoadOptions())
        assert after.documents[0].text == "The next file."
        assert set(self.folder.rglob("*")) == self.before
        assert self.requests == []
        return result

    def _measure(self, stopped: threading.Event) -> None:
        """Keep the most memory that each process was seen to hold, and the time that it took of the processor."""
        while True:
            last = stopped.is_set()
            pid = self.reader.pid or 0
            with suppress(OSError, StopIteration, IndexError):
                lines = Path(f"/proc/{pid}/status").read_text().splitlines()
                peak = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
                self.memory[pid] = max(peak, self.memory.get(pid, 0))
                times = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                self.seconds[pid] = (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")
            if last:
                return
            stopped.wait(0.01)


@pytest.fixture(scope="module")
def home() -> Iterator[tuple[str, list[str]]]:
    """A server on this machine that notes what is asked of it."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        do_HEAD = do_POST = do_GET  # noqa: N815 - the names are given

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()


@pytest.fixture
def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: tuple[str, list[str]]) -> Iterator[Watched]:
    """A worker in a folder of its own, several below ``tmp_path``, whose temporary folder is there as well."""
    deep = tmp_path / "a" / "b" / "c" / "d"
    (deep / "temporary").mkdir(parents=True)
    (tmp_path / "secret.txt").write_text(SECRET)
    monkeypatch.chdir(deep)
    monkeypatch.setenv("TMPDIR", str(deep / "temporary"))
    reader = LoadWorker(Settings().load_limits)
    yield Watched(reader, tmp_path, home[0], home[1], before=set(tmp_path.rglob("*")))
    reader.close()


def text_of(result: LoadedFile | LoadError) -> str:
    """All words that came of a file, those of errors included."""
    if isinstance(result, LoadError):
        return str(result)
    return result.model_dump_json()


def needs(*formats: str) -> None:
    missing = [name for name in formats if name not in loaders()]
    if missing:
        pytest.skip(f"no loader for {missing[0]}")


def test_the_server_notes_requests(home: tuple[str, list[str]]) -> None:
    with socket.create_connection(("127.0.0.1", int(home[0].rpartition(":")[2]))) as connection:
        connection.sendall(b"GET /seen HTTP/1.0\r\n\r\n")
        connection.recv(100)
    assert home[1] == ["/seen"]
    home[1].clear()


# --- archives and packages -------------------------------------------------------------------------------------------

PARTS = [pytest.param(f, part, id=f"{f}-{part}") for f, (_, parts) in PACKAGES.items() for part in parts]
BOMBED = [pytest.param(f, parts[0], id=f) for f, (_, parts) in PACKAGES.items()]


@pytest.mark.parametrize(("format", "part"), BOMBED)
def test_a_part_that_unpacks_to_1_gb_is_refused(watched: Watched, format: str, part: str) -> None:
    needs(format)
    data = with_members(PACKAGES[format][0](), {part: zeros(1000 * MB)})
    assert len(data) < 2 * MB
    assert isinstance(watched.read(f"a.{format}", data), LoadError)


@pytest.mark.parametrize(("format", "part"), BOMBED)
def test_a_part_whose_size_is_a_lie_is_refused(watched: Watched, format: str, part: str) -> None:
    needs(format)
    data = lying(PACKAGES[format][0](), part, 1000 * MB)
    assert isinstance(watched.read(f"a.{format}", data), LoadError)


@pytest.mark.parametrize(("format", "part"), BOMBED)
def test_a_part_of_elements_in_elements_is_survived(watched: Watched, format: str, part: str) -> None:
    needs(format)
    package = PACKAGES[format][0]()
    xml = member(package, part)
    close = xml.rindex(b"</")
    deep = xml[:close] + b"<x>" * 100_000 + b"</x>" * 100_000 + xml[close:]
    watched.read(f"a.{format}", with_members(package, {part: deep}))


def test_an_archive_that_unpacks_to_1_gb_is_refused(watched: Watched) -> None:
    needs("zip")
    result = watched.read("a.zip", archive({"a.txt": zeros(1000 * MB, b"x")}))
    assert isinstance(result, LoadError) or not result.documents


@pytest.mark.parametrize(("depth", "width"), [(2, 10), (3, 16), (60, 1)])
def test_archives_in_archives_are_survived(watched: Watched, depth: int, width: int) -> None:
    needs("zip")
    watched.read("a.zip", nested_archives(depth, width))


@pytest.mark.parametrize("members", [50, 20_000])
def test_a_directory_that_names_the_same_bytes_again_and_again_is_survived(watched: Watched, members: int) -> None:
    needs("zip")
    watched.read("a.zip", overlapping(members))


def test_an_archive_of_very_many_members_is_survived(watched: Watched) -> None:
    needs("zip")
    watched.read("a.zip", archive({f"{number}.txt": b"" for number in range(30_000 * SIZE)}))


def test_names_of_members_lead_nowhere(watched: Watched) -> None:
    needs("zip")
    names = [
        "../evil.txt",
        "../../../../evil.txt",
        f"{watched.folder}/evil.txt",
        "..\\..\\evil.txt",
        "C:\\evil.txt",
        "folder/../../evil.txt",
        "ok/fine.txt",
        "nul\x01l.txt",
        "a" * 5000 + ".txt",
    ]
    result = watched.read("a.zip", archive(dict.fromkeys(names, b"Some words.")))
    assert isinstance(result, LoadedFile)
    assert any("fine.txt" in (document.id or "") for document in result.documents)
    for document in result.documents:
        assert ".." not in (document.id or "").replace("\\", "/").split("/")
        assert not (document.id or "").startswith("/")


def test_a_link_in_an_archive_is_not_followed(watched: Watched) -> None:
    needs("zip")
    import io
    import zipfile

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        link = zipfile.ZipInfo("link.txt")
        link.external_attr = 0o120777 << 16
        file.writestr(link, f"{watched.folder}/secret.txt")
        file.writestr("fine.txt", "Some words.")
    assert SECRET not in text_of(watched.read("a.zip", buffer.getvalue()))


# --- XML -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("format", "part"), PARTS)
def test_entities_do_not_grow(watched: Watched, format: str, part: str) -> None:
    needs(format)
    package = PACKAGES[format][0]()
    spoilt = with_doctype(member(package, part), LAUGHS, b"&l10;")
    result = watched.read(f"a.{format}", with_members(package, {part: spoilt}))
    assert "hahahaha" not in text_of(result)


@pytest.mark.parametrize(("format", "part"), PARTS)
@pytest.mark.parametrize("place", ["file", "address"])
def test_entities_fetch_nothing(watched: Watched, format: str, part: str, place: str) -> None:
    needs(format)
    address = watched.address
    if place == "file":
        (watched.folder / "entity").write_text(SECRET)
        watched.before.add(watched.folder / "entity")
        address = watched.folder.as_uri()
    package = PACKAGES[format][0]()
    spoilt = with_doctype(member(package, part), fetching(address), b"&x;")
    result = watched.read(f"a.{format}", with_members(package, {part: spoilt}))
    assert SECRET not in text_of(result)


@pytest.mark.parametrize("name", ["a.html", "a.xhtml", "a.svg"])
@pytest.mark.parametrize("doctype", ["laughs", "fetching"])
def test_entities_of_a_page_are_left_alone(watched: Watched, name: str, doctype: str) -> None:
    page = b"<svg>" if name == "a.svg" else b""
    body = xhtml(b"<p>The port closed.</p>" + page)
    spoilt = with_doctype(body, LAUGHS if doctype == "laughs" else fetching(watched.address), b"&l10;&x;")
    assert "hahahaha" not in text_of(watched.read(name, b'<?xml version="1.0"?>' + spoilt))


def test_a_picture_of_entities_in_a_book_is_left_alone(watched: Watched) -> None:
    needs("epub")
    svg = b'<svg xmlns="http://www.w3.org/2000/svg"><text>Storm</text></svg>'
    book = epub(xhtml(b'<p>x</p><img src="p.svg"/>'))
    package = member(book, "book.opf").replace(
        b"</manifest>", b'<item id="p" href="p.svg" media-type="image/svg+xml"/></manifest>'
    ).replace(b"</spine>", b'<itemref idref="p"/></spine>')  # fmt: skip
    watched.read("a.epub", with_members(book, {"p.svg": with_doctype(svg, LAUGHS, b"&l10;"), "book.opf": package}))


# --- calling home ----------------------------------------------------------------------------------------------------


def test_a_page_fetches_nothing(watched: Watched) -> None:
    at = watched.address
    page = (
        f'<html><head><base href="{at}/"><link rel=stylesheet href="{at}/css"><script src="{at}/js"></script>'
        f'<meta http-equiv=refresh content="0;url={at}/refresh"><style>@import url({at}/import)</style></head><body>'
        f'<img src="{at}/img"><iframe src="{at}/frame"></iframe><object data="{at}/object"></object>'
        f'<video src="{at}/video"></video><p style="background:url({at}/style)">The port closed.</p></body></html>'
    )
    assert "The port closed." in text_of(watched.read("a.html", page.encode()))
    assert "The port closed." in text_of(watched.read("a.md", f"![x]({at}/img)\n\nThe port closed.\n".encode()))
    needs("epub", "eml")
    assert "The port closed." in text_of(watched.read("a.epub", epub(page.encode())))
    mail = (
        "From: a@b\nSubject: x\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n"
        f"Content-Type: text/html\n\n{page}\n--b\nContent-Type: message/external-body; access-type=URL;\n"
        f' URL="{at}/external"\n\nContent-Type: text/plain\n\n\n--b--\n'
    )
    assert "The port closed." in text_of(watched.read("a.eml", mail.encode()))


RELATIONSHIPS = {
    "docx": "word/_rels/document.xml.rels",
    "xlsx": "xl/_rels/workbook.xml.rels",
    "pptx": "ppt/slides/_rels/slide1.xml.rels",
}


@pytest.mark.parametrize("format", RELATIONSHIPS)
def test_relationships_to_elsewhere_fetch_nothing(watched: Watched, format: str) -> None:
    needs(format)
    package, part = PACKAGES[format][0](), RELATIONSHIPS[format]
    kinds = ["image", "attachedTemplate", "oleObject", "hyperlink", "externalLink", "video", "styles", "slideLayout"]
    base = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    added = "".join(
        f'<Relationship Id="out{kind}" Type="{base}/{kind}" Target="{watched.address}/{kind}" TargetMode="External"/>'
        for kind in kinds
    )
    spoilt = member(package, part).replace(b"</Relationships>", added.encode() + b"</Relationships>")
    watched.read(f"a.{format}", with_members(package, {part: spoilt}))


@pytest.mark.parametrize("format", RELATIONSHIPS)
def test_relationships_out_of_the_package_lead_nowhere(watched: Watched, format: str) -> None:
    needs(format)
    package, part = PACKAGES[format][0](), RELATIONSHIPS[format]
    spoilt = member(package, part)
    for target in (b'Target="styles.xml"', b'Target="worksheets/sheet1.xml"', b'Target="/xl/worksheets/sheet1.xml"'):
        spoilt = spoilt.replace(target, f'Target="../../../..{watched.folder}/secret.txt"'.encode())
    assert SECRET not in text_of(watched.read(f"a.{format}", with_members(package, {part: spoilt})))


# --- each format in its own way --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", pdf_attacks())
def test_a_hostile_pdf_is_survived(watched: Watched, name: str) -> None:
    watched.read("a.pdf", pdf_attacks()[name]())


@pytest.mark.parametrize("name", sheet_attacks())
def test_a_hostile_spreadsheet_is_survived(watched: Watched, name: str) -> None:
    needs("xlsx")
    watched.read("a.xlsx", sheet_attacks()[name]())


@pytest.mark.parametrize("name", text_attacks())
def test_a_hostile_text_is_survived(watched: Watched, name: str) -> None:
    watched.read(*text_attacks()[name]())


# --- huge files ------------------------------------------------------------------------------------------------------


def test_a_text_of_50_mb_is_read_within_the_limits(watched: Watched) -> None:
    paragraph = b"The storm closed the port, and the late ship waited outside for two days.\n\n"
    result = watched.read("a.txt", paragraph * (45 * MB // len(paragraph)))
    assert isinstance(result, LoadedFile)


def test_a_file_above_the_limit_is_refused_before_it_is_read(open_kb: OpenKb, tmp_path: Path) -> None:
    huge = tmp_path / "huge.txt"
    with huge.open("wb") as file:
        file.truncate(500 * MB)  # takes no room on the disk
    started = time.monotonic()
    with open_kb() as kb:
        report = kb.ingest([huge])
        (problem,) = report.failed
        assert time.monotonic() - started < SECONDS
        assert "is too large (500 MB; one file may have 256 MB). Split it, or raise loader_file_mb" in problem.reason
        (tmp_path / "next.txt").write_text("The storm causes heavy rain.")
        assert kb.ingest([tmp_path / "next.txt"]).added == ("next.txt",)
