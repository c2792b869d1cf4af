"""Tables from ingest to hits and citations: what is embedded, what is shown, what is quoted."""

from __future__ import annotations

import pytest
from stand_ins import OpenKb

from extractors import default_chunker, default_extractor
from extractors.loaders.text_builder import TextBuilder
from graphrag import KnowledgeBase
from graphrag.prepare import Prepared, embedded_text, prepare
from storage.records import Document, PlaceKind, Source, TextKind

HEADER = ["Region", "Cause", "Effect"]
CAUSE, EFFECT = "the access road was flooded", "The port closed because the access road was flooded."


def table(rows: int = 30) -> Document:
    builder = TextBuilder()
    with builder.place(PlaceKind.SHEET, "Closures"):
        grid = [
            HEADER,
            *([f"Zone{i}", "", f"The gate {i} stayed open."] for i in range(rows)),
            ["North", CAUSE, EFFECT],
        ]
        builder.table(grid, header=1, caption="Table 1")
    return builder.document("Report", kind=TextKind.TABLE, id="report")


def prepared(document: Document) -> Prepared:
    source = Source(
        namespace="n", path="p", document_id="doc_1", raw_hash="0", fingerprint="f", ingested_at="2026-01-01T00:00:00Z"
    )
    return prepare(document, source, chunker=default_chunker(100), extractor=default_extractor())


def test_what_is_embedded_of_a_table_is_its_context_and_its_rows_in_words() -> None:
    found = prepared(table())
    row = found.rows["chunks"][1]
    first = row.text.split("\n")[0].split(" | ")
    assert row.context == "Report\nTable 1\nRegion | Cause | Effect"
    embedded = embedded_text(row, found.readings)
    assert embedded.startswith(f"{row.context}\nRegion: {first[0]}; Effect: {first[-1]}\nRegion: ")
    statement = found.rows["statements"][0]
    assert embedded_text(statement, found.readings) == statement.text


def test_a_hit_shows_rows_and_keeps_the_text(open_kb: OpenKb) -> None:
    kb: KnowledgeBase = open_kb(chunker=default_chunker(100))
    document = table()
    kb.ingest(document)
    hit = next(h for h in kb.search("Zone29 gate 29 stayed open").hits if "Zone29" in h.text)
    assert hit.text == document.text[hit.start : hit.end]
    assert "Region: Zone29; Effect: The gate 29 stayed open." in hit.rows
    assert hit.context == "Table 1\nRegion | Cause | Effect"
    assert hit.place_in("en").startswith("report, sheet Closures, row")
    assert hit.shown().startswith("Region: ")


def test_a_citation_of_a_cell_has_its_row(open_kb: OpenKb) -> None:
    kb: KnowledgeBase = open_kb(chunker=default_chunker(100), extractor=default_extractor())
    document = table()
    kb.ingest(document)
    citations = kb.ask("Why did the port close?").citations
    assert citations
    assert citations[0].quote == document.text[citations[0].start : citations[0].end]
    assert citations[0].row == f"Region: North; Cause: {CAUSE}; Effect: {EFFECT}"
    assert [place.kind for place in citations[0].places] == [PlaceKind.SHEET, PlaceKind.ROW, PlaceKind.COLUMN]


def test_recovery_keeps_places_and_tables(open_kb: OpenKb) -> None:
    class KilledError(Exception):
        pass

    def die(step: str) -> None:
        if step == "ingest.chunks.written":
            raise KilledError

    document = table()
    first = open_kb(chunker=default_chunker(100))
    first.ingest(document)
    before = [(h.chunk_id, h.places, h.context, h.rows) for h in first.search("gate stayed open").hits]
    first.close()
    dying = open_kb(chunker=default_chunker(101), on_write_step=die)
    with pytest.raises(KilledError):
        dying.ingest(document, reprocess=True)
    dying.close()
    again = open_kb(chunker=default_chunker(100))
    assert [(h.chunk_id, h.places, h.context, h.rows) for h in again.search("gate stayed open").hits] == before
