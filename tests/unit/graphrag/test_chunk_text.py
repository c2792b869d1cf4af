"""Where a file is cut and why: ``clew ingest --explain-chunks``."""

from __future__ import annotations

from pathlib import Path

from extractors import default_chunker
from extractors.loaders.text_builder import TextBuilder
from graphrag.chunk_text import Cut, list_chunks
from storage.records import Document, PlaceKind, TextKind

SENTENCE = "The port closed because the storm came near."  # 10.05 tokens


def cuts(document: Document, size: int = 41) -> tuple[Cut, ...]:
    return list_chunks(Path("a.md"), [document], default_chunker(size, 0.25)).documents[0].cuts


def test_prose_ends_with_a_paragraph_a_sentence_a_section_or_inside_a_sentence() -> None:
    builder = TextBuilder()
    builder.heading("One", 1)
    builder.paragraph(" ".join([SENTENCE] * 3))
    builder.paragraph(" ".join([SENTENCE] * 5))
    builder.heading("Two", 1)
    builder.paragraph("words " * 80)
    found = cuts(builder.document("T"))
    assert [cut.ends for cut in found] == ["paragraph", "sentence", "section", "size", "size", "document"]
    assert [cut.number for cut in found] == [1, 2, 3, 4, 5, 6]
    assert found[2].repeated == len(SENTENCE)
    assert (found[0].tokens, found[0].kind, found[0].section) == (31, TextKind.PROSE, ("One",))
    assert found[0].first_words == "One The port closed because"
    assert found[0].last_words == "because the storm came near."


def test_tables_end_with_a_row_and_with_the_table() -> None:
    builder = TextBuilder()
    builder.paragraph(SENTENCE)
    builder.table([["Region", "Cause"], *(["North", SENTENCE] for _ in range(4))], header=1)
    found = cuts(builder.document("T"))
    assert [cut.ends for cut in found] == ["table", "row", "document"]
    assert [cut.kind for cut in found] == [TextKind.PROSE, TextKind.TABLE, TextKind.TABLE]
    assert found[2].context == "Region | Cause"


def test_turns_slides_and_definitions() -> None:
    for kind, place in ((TextKind.DIALOGUE, PlaceKind.TURN), (TextKind.SLIDES, PlaceKind.SLIDE)):
        builder = TextBuilder()
        for name in ("1", "2"):
            with builder.place(place, name):
                builder.paragraph(" ".join([SENTENCE] * 3))
        assert [cut.ends for cut in cuts(builder.document("T", kind=kind))] == [place.value, "document"]
    text = (
        "def a():\n    return close_the_port(1, 2)\n\n\nclass B:\n"
        + "    x = close(1)\n" * 8
        + "\n\ndef c():\n    pass\n"
    )
    code = Document(text=text, kind=TextKind.CODE, metadata={"programming_language": "python"})
    assert [cut.ends for cut in cuts(code, 30)] == ["definition", "statement", "definition", "document"]


def test_the_listing_in_words() -> None:
    builder = TextBuilder()
    with builder.place(PlaceKind.SHEET, "Sales"):
        builder.table([["Region", "Cause"], *(["North", SENTENCE] for _ in range(4))], header=1)
    text = list_chunks(Path("a.xlsx"), [builder.document("T", kind=TextKind.TABLE)], default_chunker(41)).as_text()
    assert "a.xlsx: chunker structure@2(" in text
    assert "tokens, table, sheet Sales, rows 2–3" in text
    assert "above it: Region | Cause" in text
    assert "ends with a row, full" in text
    assert "the storm came near.”" in text
