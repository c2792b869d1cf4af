"""Chunks along sections and sentences."""

from __future__ import annotations

import tracemalloc

import pytest

from extractors.chunking import StructureChunker
from extractors.token_estimate import estimate_tokens
from storage.errors import ConfigurationError
from storage.records import Document, Page, Section

SENTENCE = "The port closed because the storm came near."  # 8 words, 36 letters, 1 mark: 10.05 tokens


def document(text: str, *headings: tuple[str, tuple[str, ...]]) -> Document:
    starts = [text.index(words) for words, _ in headings]
    ends = [*starts, len(text)][1:]
    sections = tuple(Section(path=p, start=s, end=e) for (_, p), s, e in zip(headings, starts, ends, strict=True))
    return Document(text=text, sections=sections)


def test_the_estimate_by_hand() -> None:
    assert estimate_tokens(SENTENCE) == pytest.approx(8 * 0.4 + 36 * 0.175 + 0.55)
    assert estimate_tokens("港口停工了。") == pytest.approx(5 * 0.66 + 0.55)
    assert estimate_tokens("caf\u00e9 12") == pytest.approx(0.4 + 4 * 0.175 + 2 * 0.6)
    assert estimate_tokens("f" * 64) == pytest.approx(64 * 0.6)


def test_chunks_end_at_sentence_ends_and_repeat_whole_sentences() -> None:
    text = " ".join([SENTENCE] * 10)
    chunks = StructureChunker(size_tokens=41, overlap=0.25).chunk(Document(text=text))
    # 10.05 tokens a sentence: four fit in 41, one is the overlap, so each chunk moves on by three sentences.
    step = len(SENTENCE) + 1
    assert [(c.start, c.end) for c in chunks] == [
        (0, 4 * step - 1),
        (3 * step, 7 * step - 1),
        (6 * step, 10 * step - 1),
    ]


def test_no_overlap_when_none_is_asked_for() -> None:
    text = " ".join([SENTENCE] * 10)
    chunks = StructureChunker(size_tokens=41, overlap=0).chunk(Document(text=text))
    assert " ".join(text[c.start : c.end] for c in chunks) == text


def test_a_large_section_is_not_crossed() -> None:
    body = " ".join([SENTENCE] * 3)
    text = f"One\n\n{body}\n\nTwo\n\n{body}"
    chunks = StructureChunker(size_tokens=45).chunk(document(text, ("One", ("One",)), ("Two", ("Two",))))
    assert [(text[c.start : c.start + 3], c.section) for c in chunks] == [("One", ("One",)), ("Two", ("Two",))]


def test_small_neighbours_share_a_chunk_only_under_one_parent() -> None:
    text = f"A\n\nA1\n\n{SENTENCE}\n\nA2\n\n{SENTENCE}\n\nB\n\nB1\n\n{SENTENCE} {SENTENCE}"
    doc = document(
        text, ("A\n", ("A",)), ("A1", ("A", "A1")), ("A2", ("A", "A2")), ("B\n", ("B",)), ("B1", ("B", "B1"))
    )
    chunks = StructureChunker(size_tokens=41).chunk(doc)
    assert [(c.section, text[c.start : c.end].split("\n")[0]) for c in chunks] == [(("A",), "A"), (("B",), "B")]


def test_a_lone_heading_goes_with_what_it_heads() -> None:
    text = "Part\n\nOne\n\n" + " ".join([SENTENCE] * 9)
    chunks = StructureChunker(size_tokens=41).chunk(document(text, ("Part", ("Part",)), ("One", ("Part", "One"))))
    assert chunks[0].section == ("Part",)
    assert text[chunks[0].start : chunks[0].end].startswith("Part\n\nOne\n\nThe port")
    assert {c.section for c in chunks[1:]} == {("Part", "One")}


def test_a_paragraph_end_in_the_last_third_is_where_the_chunk_ends() -> None:
    text = " ".join([SENTENCE] * 3) + "\n\n" + " ".join([SENTENCE] * 4)
    chunks = StructureChunker(size_tokens=41, overlap=0).chunk(Document(text=text))
    assert text[: chunks[0].end] == " ".join([SENTENCE] * 3)


def test_a_long_sentence_is_cut_behind_a_comma() -> None:
    text = "港口停止作业的原因是台风登陆，" * 12 + "船只等待。"
    chunks = StructureChunker(size_tokens=41, overlap=0).chunk(Document(text=text))
    assert len(chunks) > 2
    assert all(text[c.end - 1] in "，。" for c in chunks)
    assert all(estimate_tokens(text[c.start : c.end]) <= 41 for c in chunks)


def test_a_long_word_is_cut_between_characters() -> None:
    text = "a" * 1000
    chunks = StructureChunker(size_tokens=41, overlap=0.12).chunk(Document(text=text))
    assert "".join(text[c.start : c.end] for c in chunks) == text


def test_the_page_is_that_of_the_start() -> None:
    text = " ".join([SENTENCE] * 8)
    half = 4 * (len(SENTENCE) + 1)
    bounds = [(0, half), (half, half), (half, len(text))]
    pages = tuple(Page(number=n, start=s, end=e) for n, (s, e) in enumerate(bounds, 1))
    chunks = StructureChunker(size_tokens=41, overlap=0).chunk(Document(text=text, pages=pages))
    assert [c.page for c in chunks] == [1, 3]


def test_sections_inside_each_other_give_the_innermost() -> None:
    body = " ".join([SENTENCE] * 4)
    text = f"{body} {body} {body}"
    end = len(body)
    doc = Document(
        text=text,
        sections=(Section(path=("A",), start=0, end=len(text)), Section(path=("A", "B"), start=end, end=2 * end + 1)),
    )
    chunks = StructureChunker(size_tokens=41, overlap=0).chunk(doc)
    assert [c.section for c in chunks] == [("A",), ("A", "B"), ("A",)]


def test_blank_text_has_no_chunks() -> None:
    assert StructureChunker().chunk(Document(text=" \n\n\t")) == []


@pytest.mark.parametrize(("size", "overlap"), [(15, 0.1), (350, -0.1), (350, 0.6)])
def test_senseless_settings_are_refused(size: int, overlap: float) -> None:
    with pytest.raises(ConfigurationError, match="Use"):
        StructureChunker(size_tokens=size, overlap=overlap)


def test_the_name_says_the_settings() -> None:
    assert StructureChunker(350, 0.12).name == "structure@2(size=350,overlap=42)"


def test_memory_does_not_grow_with_the_text_but_for_the_result() -> None:
    doc = Document(text=f"{SENTENCE} " * 5_000)
    chunker = StructureChunker()
    tracemalloc.start()
    chunks = chunker.chunk(doc)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000 + 2_000 * len(chunks)
