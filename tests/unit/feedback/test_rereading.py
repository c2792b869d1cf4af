"""A quote counts only while the stored text is, letter for letter, the one that it was read from."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from feedback.rereading import reread
from storage.ports import IndexRow
from storage.records import (
    Document,
    Evidence,
    Modality,
    Page,
    Place,
    PlaceKind,
    Scope,
    Section,
    Span,
    StoredDocument,
    Structure,
    Table,
    TextKind,
)

TEXT = "台风登陆，\n所以港口停工。 "
SECTIONS, PAGES = (Section(path=("新闻",), start=0, end=14),), (Page(number=1, start=0, end=14),)
SCOPE = Scope.model_construct(classes=None)


TABLE = Table(rows=((Span(start=0, end=4), Span(start=8, end=12)),))
PLACE = Place(kind=PlaceKind.SHEET, label="港口", start=0, end=14)
STRUCTURE = Structure(kind=TextKind.TABLE, places=(PLACE,), tables=(TABLE,))


def find(
    text: str | None,
    *,
    language: str | None = "zh",
    tail: tuple[int, int] = (8, 12),
    made_of: Structure = Structure(),  # noqa: B008 - frozen
    kept: str | None = None,
) -> Any:
    """What re-reading finds when ``text`` and the structure ``kept`` are stored for what was read from TEXT."""
    content = Document(
        text=TEXT, title="港口", language=language, sections=SECTIONS, pages=PAGES, **dict(made_of)
    )  # fmt: skip
    stored = StoredDocument(
        source_id="src", content_hash=content.content_hash, title="港口", language="zh", length=len(TEXT),
        sections=SECTIONS, pages=PAGES,
    )  # fmt: skip
    evidence = Evidence(
        relation_id="rel", document_id=stored.id, head=Span(start=0, end=4), tail=Span(start=tail[0], end=tail[1]),
        cue=Span(start=6, end=8), subtype="cause", modality=Modality.ASSERTED, explicit=True, confidence=0.9,
        origin="zh@1",
    )  # fmt: skip
    row = IndexRow(
        id=stored.id, owner=stored.id, document_id=stored.id, access_class="", language="zh", text=text or "",
        structure=made_of.model_dump_json(exclude_defaults=True) if kept is None else kept,
    )  # fmt: skip
    graph = SimpleNamespace(documents=lambda ids, scope: {stored.id: stored})
    index = SimpleNamespace(rows=lambda collection, ids: {} if text is None else {stored.id: row})
    return reread(graph, index, [evidence], SCOPE)[evidence.id]  # type: ignore[arg-type]


@pytest.mark.parametrize("language", ["zh", None])
def test_the_text_it_was_read_from_is_fine(language: str | None) -> None:
    # A document may have come without a language; that one was found out later makes no other content of it.
    facts = find(TEXT, language=language)
    assert facts.problem == ""
    assert len(facts.fingerprint) == 64


@pytest.mark.parametrize("text", ["", TEXT.replace("停", "复"), TEXT + "\n", TEXT.replace("\n", "\r\n"), TEXT.strip()])
def test_any_other_text_is_not(text: str) -> None:
    facts = find(text)
    assert facts.problem == "the stored text is not the one it was read from"
    assert facts.fingerprint == ""


def test_tables_and_places_are_part_of_what_was_read() -> None:
    assert find(TEXT, made_of=STRUCTURE).problem == ""
    for kept in ("", "{}", "no JSON", Structure(kind=TextKind.TABLE).model_dump_json()):
        assert find(TEXT, made_of=STRUCTURE, kept=kept).problem == "the stored text is not the one it was read from"


def test_a_text_that_is_gone_is_said() -> None:
    assert find(None).problem == "its document is not in the store"


def test_offsets_must_lie_in_the_text_and_name_words() -> None:
    assert find(TEXT, tail=(8, len(TEXT) + 1)).problem == "its quote lies outside the stored text"
    assert find(TEXT, tail=(len(TEXT) - 1, len(TEXT))).problem == "its quote is blank"
