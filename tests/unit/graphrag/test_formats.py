"""The loop over every format: a folder with one file of each goes in, changes, and is asked."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from email.message import EmailMessage
from pathlib import Path

import docx
import openpyxl
import pptx
import pytest
from reportlab.pdfgen.canvas import Canvas
from stand_ins import OpenKb, SentenceExtractor, WordEmbedder, WriteFiles

from extractors.ports import LoadOptions
from graphrag.knowledge_base import KnowledgeBase
from graphrag.results import IngestReport
from graphrag.settings import Settings
from storage.errors import StoreError


def saved(file: object) -> bytes:
    out = io.BytesIO()
    file.save(out)  # type: ignore[attr-defined]
    return out.getvalue()


def pdf() -> bytes:
    out = io.BytesIO()
    canvas = Canvas(out)
    canvas.drawString(72, 700, "Nothing stands on the first page but this.")
    canvas.showPage()
    canvas.drawString(72, 700, "The earthquake causes the landslide.")
    canvas.showPage()
    canvas.save()
    return out.getvalue()


def word() -> bytes:
    file = docx.Document()
    file.add_heading("Findings", 1)
    file.add_paragraph("The short circuit causes the blackout.")
    table = file.add_table(2, 2)
    for cell, words in zip(
        [cell for row in table.rows for cell in row.cells],
        ["Time", "Event", "10:00", "The blackout causes the stopped pump."],
        strict=True,
    ):
        cell.text = words
    return saved(file)


def slides() -> bytes:
    deck = pptx.Presentation()
    for title, words in (("Agenda", "Three points."), ("Cause", "The rusty valve causes the gas leak.")):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = words
    return saved(deck)


def workbook() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Causes"
    for row in (["Date", "What happened"], ["2024-05-01", "Nothing"], ["2024-05-02", "The drought causes the fire."]):
        sheet.append(row)
    return saved(book)


PAGE = "<html xmlns='http://www.w3.org/1999/xhtml'><head><title>{0}</title></head><body><h1>{0}</h1><p>{1}</p></body></html>"


def book() -> bytes:
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": "<container version='1.0' "
            "xmlns='urn:oasis:names:tc:opendocument:xmlns:container'><rootfiles>"
            "<rootfile full-path='a.opf' media-type='application/oebps-package+xml'/></rootfiles>"
            "</container>",
            "a.opf": "<package xmlns='http://www.idpf.org/2007/opf' version='3.0'><metadata "
            "xmlns:dc='http://purl.org/dc/elements/1.1/'><dc:title>Handbook</dc:title></metadata><manifest>"
            "<item id='a' href='a.xhtml' media-type='application/xhtml+xml'/></manifest>"
            "<spine><itemref idref='a'/></spine></package>",
            "a.xhtml": PAGE.format("Bearings", "The old oil causes the worn bearing."),
        }
    )


def mail() -> bytes:
    message = EmailMessage()
    message["From"], message["To"] = "Ann Lee <ann@example.org>", "bo@example.org"
    message["Subject"], message["Date"] = "Ships", "Mon, 06 May 2024 09:14:00 +0000"
    message.set_content("The strike causes the idle ship.\n")
    return message.as_bytes()


def zipped(members: Mapping[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return out.getvalue()


def lines(*records: Mapping[str, str]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def table(*rows: list[str]) -> str:
    out = io.StringIO(newline="")
    csv.writer(out).writerows(rows)
    return out.getvalue()


CASES = (
    {"id": "a", "text": "The flu causes the empty class."},
    {"id": "b", "text": "The empty class causes the missed exam."},
    {"id": "c", "text": "暴雨导致停电。"},
)
MEMBERS: dict[str, str | bytes] = {
    "in/inside.md": "# Inside\n\nThe moth causes the torn coat.\n",
    "more.txt": "The torn coat causes the cold guest.\n",
    "broken.docx": word()[:-30],
}
FILES: dict[str, str | bytes] = {
    "book.epub": book(),
    "causes.xlsx": workbook(),
    "cases.jsonl": lines(*CASES),
    "deck.pptx": slides(),
    "mail.eml": mail(),
    "notes.txt": "The storm causes the high tide.\n",
    "pack.zip": zipped(MEMBERS),
    "page.html": PAGE.format("Ice", "The frost causes the burst pipe."),
    "paper.pdf": pdf(),
    "report.docx": word(),
    "rows.csv": table(["Place", "Event"], ["North", "The hail causes the broken roof."]),
    "talk.txt": "[09:14] Ann: Hi.\n[09:15] Bo: The late bus causes the angry crowd.\n[09:16] Ann: Oh.\n[09:17] Bo: Mm.",
    "tool.py": "def stop():\n    # The loose screw causes the loud noise.\n    return None\n",
    "wiki.md": "---\nauthor: Ann\n---\n\n# Wiki\n\n## Fish\n\nThe warm lake causes the dead fish.\n",
}
PATHS = sorted(
    [
        *(name for name in FILES if name not in ("cases.jsonl", "pack.zip")),
        *("cases.jsonl#a", "cases.jsonl#b", "cases.jsonl#c"),
        *("pack.zip#in/inside.md", "pack.zip#more.txt"),
    ]
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_all(tmp_path / "all")
    return tmp_path / "all"


@pytest.fixture
def full(kb: KnowledgeBase, folder: Path) -> KnowledgeBase:
    """A knowledge base with one file of every format in it."""
    kb.ingest(folder)
    return kb


@pytest.fixture(scope="module")
def to_ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    """The same for all questions; nothing is written to it."""
    root = tmp_path_factory.mktemp("asked")
    write_all(root / "all")
    settings = Settings(cache=root / "cache")
    with KnowledgeBase.open(
        root / "store", settings=settings, embedder=WordEmbedder(), extractor=SentenceExtractor()
    ) as kb:
        kb.ingest(root / "all")
        yield kb


def write_all(root: Path) -> None:
    root.mkdir()
    for name, content in FILES.items():
        (root / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def paths(kb: KnowledgeBase) -> list[str]:
    return sorted(row.path for row in kb.documents().documents)


def counts(report: IngestReport) -> dict[str, int | list[str]]:
    """What happened, without what did not."""
    named = {
        "added": list(report.added),
        "replaced": list(report.replaced),
        "updated": list(report.updated),
        "removed": list(report.removed),
        "failed": [problem.path for problem in report.failed],
        "unchanged": report.unchanged,
    }
    return {name: value for name, value in named.items() if value}


def test_one_file_of_every_format_is_taken_in(kb: KnowledgeBase, folder: Path) -> None:
    report = kb.ingest(folder)
    assert sorted(report.added) == PATHS
    assert paths(kb) == PATHS
    assert [problem.path for problem in report.failed] == ["pack.zip#broken.docx"]
    assert [problem.path for problem in kb.documents(failed=True).failed] == ["all/pack.zip#broken.docx"]


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("What causes the landslide?", "paper.pdf, p. 2"),
        ("What causes the blackout?", "report.docx, § Findings"),
        ("What causes the stopped pump?", "report.docx, § Findings, row 2, column Event"),
        ("What causes the gas leak?", "deck.pptx, § Cause, slide 2"),
        ("What causes the fire?", "causes.xlsx, sheet Causes, row 3, column What happened"),
        ("What causes the worn bearing?", "book.epub, § Bearings"),
        ("What causes the idle ship?", "mail.eml, message of Ann Lee, 2024-05-06 09:14"),
        ("What causes the broken roof?", "rows.csv, row 2, column Event"),
        ("What causes the missed exam?", "cases.jsonl#b"),
        ("什么导致停电？", "cases.jsonl#c"),
        ("What causes the angry crowd?", "talk.txt, Bo, 09:15"),
        ("What causes the loud noise?", "tool.py, line 2"),
        ("What causes the dead fish?", "wiki.md, § Wiki › Fish"),
        ("What causes the torn coat?", "pack.zip#in/inside.md, § Inside"),
        ("What causes the cold guest?", "pack.zip#more.txt"),
        ("What causes the burst pipe?", "page.html, § Ice"),
        ("What causes the high tide?", "notes.txt"),
    ],
)
def test_a_citation_says_the_place_as_a_person_would(to_ask: KnowledgeBase, question: str, place: str) -> None:
    answer = to_ask.ask(question)
    (cited,) = [citation.quote for citation in answer.citations if citation.place == place]
    assert " causes " in cited or "导致" in cited


def test_an_unchanged_folder_costs_nothing(
    full: KnowledgeBase, folder: Path, embedder: WordEmbedder, extractor: SentenceExtractor
) -> None:
    before = (len(embedder.embedded), extractor.extracted, full.status().state_hash)
    report = full.ingest(folder)
    # The archive is read again, since a member of it failed: it may be possible now.
    assert counts(report) == {"unchanged": len(PATHS), "failed": ["pack.zip#broken.docx"]}
    assert (len(embedder.embedded), extractor.extracted, full.status().state_hash) == before


def test_only_the_changed_record_is_replaced(full: KnowledgeBase, folder: Path, extractor: SentenceExtractor) -> None:
    changed = {"id": "b", "text": "The empty class causes the cheerful teacher."}
    (folder / "cases.jsonl").write_text(lines(CASES[0], changed, CASES[2]), encoding="utf-8")
    extracted = extractor.extracted
    report = full.ingest(folder / "cases.jsonl")
    assert counts(report) == {"replaced": ["cases.jsonl#b"], "unchanged": 2}
    assert extractor.extracted == extracted + 1
    assert "cases.jsonl#b" in [c.source for c in full.ask("What causes the cheerful teacher?").citations]
    assert not any("missed exam" in hit.text for hit in full.search("missed exam").hits)


def test_a_removed_record_is_removed_and_a_new_one_added(full: KnowledgeBase, folder: Path) -> None:
    new = {"id": "d", "text": "The fog causes the late train."}
    (folder / "cases.jsonl").write_text(lines(*CASES[:2], new), encoding="utf-8")
    report = full.ingest(folder / "cases.jsonl")
    assert counts(report) == {"added": ["cases.jsonl#d"], "removed": ["cases.jsonl#c"], "unchanged": 2}
    assert "cases.jsonl#c" not in paths(full)
    assert counts(full.ingest(folder / "cases.jsonl")) == {"unchanged": 3}


def test_rows_of_a_table_may_be_documents(kb: KnowledgeBase, files: WriteFiles) -> None:
    rows = [["id", "event"], ["1", "The hail causes the broken roof."], ["2", "The wind causes the fallen tree."]]
    as_documents = LoadOptions(rows="documents", text_columns=("event",))
    root = files({"rows.csv": table(*rows)}, "tables")
    assert counts(kb.ingest(root, load=as_documents)) == {"added": ["rows.csv#1", "rows.csv#2"]}
    rows[2][1] = "The wind causes the lost hat."
    files({"rows.csv": table(*rows)}, "tables")
    assert counts(kb.ingest(root, load=as_documents)) == {"replaced": ["rows.csv#2"], "unchanged": 1}
    files({"rows.csv": table(*rows[:2])}, "tables")
    assert counts(kb.ingest(root, load=as_documents)) == {"removed": ["rows.csv#2"], "unchanged": 1}
    assert [c.place for c in kb.ask("What causes the broken roof?").citations] == ["rows.csv#1"]


def test_a_file_that_becomes_several_documents_is_no_longer_one(kb: KnowledgeBase, files: WriteFiles) -> None:
    root = files({"rows.csv": table(["id", "event"], ["1", "The hail causes the broken roof."])}, "tables")
    assert counts(kb.ingest(root, load=LoadOptions(rows="table"))) == {"added": ["rows.csv"]}
    as_documents = LoadOptions(rows="documents", text_columns=("event",))
    report = kb.ingest(root, load=as_documents, reprocess=True)
    assert counts(report) == {"added": ["rows.csv#1"], "removed": ["rows.csv"]}


def test_only_the_changed_member_is_replaced(full: KnowledgeBase, folder: Path) -> None:
    members = MEMBERS | {"more.txt": "The torn coat causes the new coat.\n"}
    (folder / "pack.zip").write_bytes(zipped(members))
    report = full.ingest(folder / "pack.zip")
    assert counts(report) == {
        "replaced": ["pack.zip#more.txt"],
        "failed": ["pack.zip#broken.docx"],
        "unchanged": 1,
    }


def test_a_member_that_was_mended_is_no_longer_listed_as_failed(full: KnowledgeBase, folder: Path) -> None:
    (folder / "pack.zip").write_bytes(zipped(MEMBERS | {"broken.docx": word()}))
    assert counts(full.ingest(folder)) == {"added": ["pack.zip#broken.docx"], "unchanged": len(PATHS)}
    assert full.documents(failed=True).failed == ()


def test_a_failed_member_that_is_gone_is_no_longer_listed_as_failed(full: KnowledgeBase, folder: Path) -> None:
    (folder / "pack.zip").write_bytes(zipped({name: MEMBERS[name] for name in MEMBERS if name != "broken.docx"}))
    assert counts(full.ingest(folder)) == {"unchanged": len(PATHS)}
    assert full.documents(failed=True).failed == ()


def test_an_archive_that_can_be_read_at_last_is_no_longer_listed_as_failed(
    kb: KnowledgeBase, files: WriteFiles
) -> None:
    root = files({"pack.zip": zipped(MEMBERS)[:-30]}, "packs")
    assert counts(kb.ingest(root)) == {"failed": ["pack.zip"]}
    files({"pack.zip": zipped({"a.txt": "The moth causes the torn coat."})}, "packs")
    assert counts(kb.ingest(root)) == {"added": ["pack.zip#a.txt"]}
    assert kb.documents(failed=True).failed == ()


def test_what_lies_in_an_archive_that_broke_is_kept(kb: KnowledgeBase, files: WriteFiles) -> None:
    """A member that cannot be read must not look like one that was taken out: neither the archive nor one in it."""
    inner = {"a.txt": "The moth causes the torn coat."}
    root = files(
        {"outer.zip": zipped({"inner.zip": zipped(inner), "b.txt": "The frost causes the burst pipe."})}, "packs"
    )
    assert counts(kb.ingest(root)) == {"added": ["outer.zip#inner.zip#a.txt", "outer.zip#b.txt"]}
    files(
        {"outer.zip": zipped({"inner.zip": zipped(inner)[:-30], "b.txt": "The frost causes the burst pipe."})}, "packs"
    )
    assert counts(kb.ingest(root)) == {"failed": ["outer.zip#inner.zip"], "unchanged": 1}
    files({"outer.zip": b"PK\x03\x04 and no more"}, "packs")
    assert counts(kb.ingest(root)) == {"failed": ["outer.zip"]}
    assert paths(kb) == ["outer.zip#b.txt", "outer.zip#inner.zip#a.txt"]


def test_an_archive_that_is_gone_is_pruned_with_all_that_was_in_it(full: KnowledgeBase, folder: Path) -> None:
    (folder / "pack.zip").unlink()
    assert counts(full.ingest(folder)) == {"unchanged": len(PATHS) - 2}
    report = full.ingest(folder, prune=True)
    assert sorted(report.removed) == ["pack.zip#in/inside.md", "pack.zip#more.txt"]
    assert paths(full) == [path for path in PATHS if not path.startswith("pack.zip")]
    assert full.documents(failed=True).failed == ()


def test_a_file_that_is_called_like_a_part_of_another_is_left_alone(kb: KnowledgeBase, files: WriteFiles) -> None:
    root = files({"a.md": "The frost causes the burst pipe.", "a.md#old.md": "The moth causes the torn coat."})
    kb.ingest(root)
    files({"a.md": "The frost causes the cold room."})
    assert counts(kb.ingest(root)) == {"replaced": ["a.md"], "unchanged": 1}
    assert paths(kb) == ["a.md", "a.md#old.md"]


def test_what_an_interrupt_left_of_a_file_is_taken_in_the_next_time(open_kb: OpenKb, files: WriteFiles) -> None:
    """Records are written in batches: the first alone must not make the file look as if it had been read whole."""
    records = [{"id": str(i), "text": f"The cause{i} causes the effect{i}."} for i in range(70)]
    root = files({"many.jsonl": lines(*records)}, "many")
    batches = 0

    def stop_at_the_second(step: str) -> None:
        nonlocal batches
        batches += step == "ingest.documents.written"
        if batches == 2:
            raise StoreError("the disk is full")

    with open_kb(on_write_step=stop_at_the_second) as kb, pytest.raises(StoreError):
        kb.ingest(root)
    with open_kb() as kb:
        assert 0 < len(kb.documents().documents) < 70
        assert [problem.path for problem in kb.documents().failed] == ["many/many.jsonl"]
        report = kb.ingest(root)
        assert len(kb.documents().documents) == 70
        assert report.failed == ()
        assert kb.documents().failed == ()
        assert counts(kb.ingest(root)) == {"unchanged": 70}
