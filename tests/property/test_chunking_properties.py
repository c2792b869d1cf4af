"""What holds for the sentences, the language runs and the chunks of any text."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from extractors.chunking import StructureChunker
from extractors.language import language_runs
from extractors.sentences import CLOSING, sentence_bounds, sentence_spans
from storage.records import Document, Page, Section
from storage.stored_text import stored_text

FRAGMENTS = [
    *["The port closed", "because of the storm", " ", "  ", "\n", "\n\n", ". ", "? ", "!", "。", "！", "；", "……"],
    *["”", "）", ")", "“", "(", "，", ", ", "港口停工", "台风登陆", "Mr. ", "U.S. ", "No. 5", "3.14", "v1.2", "e.g. "],
    *["- ", "1. ", "# ", " | ", "😀", "👍🏽", "e\u0301", "\u200d", "שלום", "مرحبا", "\x07", "\ufeff", "a" * 300],
    *["因为" * 120, "\u3000", "```"],
]
TEXTS = st.one_of(
    st.text(max_size=400),
    st.lists(st.sampled_from(FRAGMENTS), max_size=120).map("".join),
).map(stored_text)
CHECKED = settings(deadline=None, max_examples=100, derandomize=True)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    text = draw(TEXTS)
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6, unique=True)))
    names = st.lists(st.sampled_from(["A", "B", "C"]), min_size=1, max_size=3).map(tuple)
    ends = [*cuts, len(text)][1:]
    sections = tuple(Section(path=draw(names), start=s, end=e) for s, e in zip(cuts, ends, strict=True))
    pages = tuple(Page(number=i + 1, start=s, end=e) for i, (s, e) in enumerate(zip(cuts, ends, strict=True)))
    return Document(text=text, sections=sections, pages=pages)


def covered(text: str, spans: list[tuple[int, int]]) -> bool:
    marks = bytearray(len(text))
    for start, end in spans:
        marks[start:end] = b"\x01" * (end - start)
    return all(marks[i] or c.isspace() for i, c in enumerate(text))


@CHECKED
@given(TEXTS)
def test_sentences_are_ordered_disjoint_and_hold_all_but_white_space(text: str) -> None:
    spans = [(s.start, s.end) for s in sentence_spans(text)]
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    assert all(not text[s].isspace() and not text[e - 1].isspace() for s, e in spans)
    assert covered(text, spans)


@CHECKED
@given(TEXTS)
def test_language_runs_hold_all_but_white_space_and_alternate(text: str) -> None:
    runs = language_runs(text)
    assert covered(text, [(span.start, span.end) for span, _ in runs])
    assert all(a[0].end <= b[0].start and a[1] != b[1] for a, b in pairwise(runs))


@CHECKED
@given(documents(), st.integers(16, 80), st.sampled_from([0.0, 0.12, 0.5]))
def test_chunks_in_order_hold_all_but_white_space(document: Document, size: int, overlap: float) -> None:
    text = document.text
    chunks = StructureChunker(size_tokens=size, overlap=overlap).chunk(document)
    spans = [(c.start, c.end) for c in chunks]
    assert all(0 <= s < e <= len(text) for s, e in spans)
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(spans))
    assert covered(text, spans)
    assert all(text[s:e].strip() == text[s:e] for s, e in spans)


@CHECKED
@given(documents(), st.integers(16, 80))
def test_a_chunk_has_the_section_and_page_where_it_starts(document: Document, size: int) -> None:
    for chunk in StructureChunker(size_tokens=size).chunk(document):
        around = [s for s in document.sections if s.start <= chunk.start < s.end]
        assert chunk.section == (around[-1].path if around else ())
        pages = [p.number for p in document.pages if p.start <= chunk.start]
        assert chunk.page == (pages[-1] if pages else None)


@CHECKED
@given(TEXTS, st.integers(16, 80))
def test_no_chunk_starts_with_a_closing_mark_that_something_stands_before(text: str, size: int) -> None:
    for chunk in StructureChunker(size_tokens=size, overlap=0).chunk(Document(text=text)):
        before = text[: chunk.start].rstrip()
        assert text[chunk.start] not in CLOSING or not before or before[-1] in CLOSING


@CHECKED
@given(TEXTS, st.integers(16, 80), st.sampled_from([0.0, 0.12, 0.5]))
def test_a_chunk_starts_and_ends_with_a_sentence_unless_that_is_too_long(text: str, size: int, overlap: float) -> None:
    chunker = StructureChunker(size_tokens=size, overlap=overlap)
    bounds = list(sentence_bounds(text))
    for chunk in chunker.chunk(Document(text=text)):
        for start, end in bounds:
            if start < chunk.end < end or start < chunk.start < end:  # cut inside: the sentence fits no chunk
                assert len(chunker.chunk(Document(text=text[start:end]))) > 1


@CHECKED
@given(documents())
def test_chunking_is_deterministic(document: Document) -> None:
    assert StructureChunker(40).chunk(document) == StructureChunker(40).chunk(document)
