"""Parts of a document in another language."""

from __future__ import annotations

from extractors import default_chunker, default_extractor
from graphrag.language_places import Languages, language_places
from graphrag.plan import with_language
from graphrag.prepare import prepare
from storage.records import Document, PlaceKind, Source, TextKind

ENGLISH = "The port closed because the access road was flooded. " * 12
CHINESE = "由于进港道路被淹，港口停工。" * 8


def found(text: str, **fields: object) -> list[tuple[str, str]]:
    document = with_language(Document(text=text, **fields))  # type: ignore[arg-type]
    return [(p.label, text[p.start : p.end]) for p in document.places if p.kind is PlaceKind.LANGUAGE]


def test_a_part_in_the_other_language_is_a_place() -> None:
    assert found(f"{ENGLISH}\n\n{CHINESE}\n\n{ENGLISH}") == [("zh", CHINESE)]
    assert found(f"{CHINESE * 3}\n\n{ENGLISH.strip()}\n\n{CHINESE * 3}") == [("en", ENGLISH.strip())]


def test_a_quote_code_and_a_text_in_one_language_have_none() -> None:
    assert found(f"{ENGLISH}\n\n由于进港道路被淹，港口停工。\n\n{ENGLISH}") == []
    assert found(f"{ENGLISH}\n\n{CHINESE}\n\n{ENGLISH}", kind=TextKind.CODE) == []
    assert found(ENGLISH) == found(CHINESE) == []


def test_naming_the_languages_twice_changes_nothing() -> None:
    once = with_language(Document(text=f"{ENGLISH}\n\n{CHINESE}\n\n{ENGLISH}"))
    assert with_language(once) == once
    assert language_places(once, "en") == once.places


def test_the_language_at_a_place() -> None:
    document = with_language(Document(text=f"{ENGLISH}\n\n{CHINESE}\n\n{ENGLISH}"))
    languages = Languages(document.places, "en")
    first = document.text.index(CHINESE)
    assert [languages.at(i) for i in (0, first, first + len(CHINESE) - 1, first + len(CHINESE))] == [
        "en",
        "zh",
        "zh",
        "en",
    ]


def test_a_chunk_has_the_language_of_its_beginning() -> None:
    document = with_language(Document(text=f"{ENGLISH}\n\n{CHINESE}\n\n{ENGLISH}"))
    source = Source(
        namespace="n", path="p", document_id="doc_1", raw_hash="0", fingerprint="f", ingested_at="2026-01-01T00:00:00Z"
    )
    rows = prepare(document, source, chunker=default_chunker(80, 0), extractor=default_extractor()).rows["chunks"]
    assert {row.language for row in rows} == {"en", "zh"}
    assert all((row.language == "zh") == row.text.startswith("由于") for row in rows)
