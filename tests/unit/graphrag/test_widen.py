"""What is shown around a hit."""

from __future__ import annotations

from graphrag import Document, KnowledgeBase
from graphrag.widen import widened
from storage.records import Chunk, Section

TEXT = "Zero.\n\nOne\n\nA. B. C.\n\nTwo\n\nD. E.\n\nThree\n\nF. G."


def section(path: str, words: str, end: str | None = None) -> Section:
    start = TEXT.index(words)
    return Section(path=tuple(path.split("/")), start=start, end=TEXT.index(end) if end else len(TEXT))


SECTIONS = (section("One", "One", "Two"), section("One/Two", "Two", "Three"), section("Three", "Three"))


def around(words: str, *, tokens: float = 1_000, to: str | None = None) -> str:
    start, last = TEXT.index(words), to or words
    chunk = Chunk(document_id="d", start=start, end=TEXT.index(last) + len(last), ordinal=0)
    span = widened(SECTIONS, TEXT, chunk, tokens=tokens)
    return TEXT[span.start : span.end]


def test_a_chunk_is_widened_to_its_section_with_those_under_it() -> None:
    assert around("B.") == "One\n\nA. B. C.\n\nTwo\n\nD. E."
    assert around("D.") == "Two\n\nD. E."
    assert around("F.") == "Three\n\nF. G."


def test_what_stands_before_the_first_heading_is_a_section() -> None:
    assert around("Zero.") == "Zero."


def test_a_chunk_that_reaches_into_the_next_section_keeps_that_whole() -> None:
    assert around("E.", to="F.") == "Two\n\nD. E.\n\nThree\n\nF. G."


def test_the_bound_leaves_whole_sentences_on_both_sides() -> None:
    # "B." has 0.4 + 0.175 + 0.55 tokens, and so have its neighbours.
    assert around("B.", tokens=2) == "B."
    assert around("B.", tokens=2.3) == "A. B."
    assert around("B.", tokens=3.4) == "A. B. C."


def test_search_widens_each_hit_within_its_document(kb: KnowledgeBase) -> None:
    text = "The port closed because the storm came. " * 40
    kb.ingest([Document(id="a", text=text + "The quay cracked."), Document(id="b", text="The quay cracked too.")])
    plain = kb.search("Which quay cracked?")
    assert {hit.wider for hit in plain.hits} == {None}
    wide = kb.search("Which quay cracked?", widen=True)
    assert [hit.chunk_id for hit in wide.hits] == [hit.chunk_id for hit in plain.hits]
    for hit in wide.hits:
        assert hit.wider is not None
        assert hit.text in hit.wider.text
    ends = {hit.source: hit.wider.end for hit in wide.hits if hit.wider}
    assert ends == {"a": len(text) + len("The quay cracked."), "b": len("The quay cracked too.")}
    assert "The quay cracked too." in wide.as_text()
