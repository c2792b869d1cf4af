"""What holds for the chunks of every kind of document, whatever is in it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractors.chunkers.by_kind import KindChunker
from extractors.loaders.text_builder import TextBuilder
from extractors.ports import ChunkSpan
from extractors.sentences import sentence_bounds
from extractors.tables import table_rows, tables_in_order
from extractors.token_estimate import estimate_tokens
from storage.records import Document, PlaceKind, TextKind

CLOSING = set("）」』”’)]}，。、；：！？,.;:!?")
PAIRS = dict(zip(")]}）】〕］｝》〉", "([{（【〔［｛《〈", strict=True))
CHECKED = settings(deadline=None, max_examples=80, derandomize=True)

WORDS = [
    *["port", "closed", "storm", "well-known", "don't", "3.14", "1,000,000", "12:30", "2026-01-05", "45%", "U.S.", "x"],
    *["港口", "停工了", "因为台风登陆", "，", "。", "；", "！", "（见表三）", "「好」", "《报告》", "“是。”"],
    *["(see", "above)", "[12]", "{", "}", "(", ")", ".", ",", ";", "!", "?", "...", ":-)", "a" * 90, "因为" * 60],
    *["שלום", "مرحبا", "e\u0301", "👍🏽", "can (if asked) do", "(a. B. c)"],
]
LINES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=25).flatmap(
    lambda words: st.sampled_from([" ", " ", ". ", "。", ""]).map(lambda blank: blank.join(words))
)
NAMES = st.sampled_from(["Anna", "Ben", "Sheet 1", "Sales", "3", "12"])
CELLS = st.one_of(st.sampled_from(["", "", "41", "North", "1,000", ")", ".", "港口"]), LINES)
CODE = [
    *["def close(port):", "    return port + 1", "class Port(Base):", "    def open(self, a,", "             b):"],
    *["        x = f(a, (b, c))", "if x:", "    pass", "else:", "", "", "# closes", "@deco", "}", "{", ")", "(", '"""'],
    *[
        "function go(a) { return a; }",
        "const s = `x${1}`;",
        "for (let i = 0; i < 3; i++) {",
        "\tint x = 1;",
        "港口 = 3",
    ],
    *["x = [" + "1234, " * 40 + "]", "'" + "a" * 200 + "'", "foo(bar(baz(1)))", "print('(')"],
]


@st.composite
def tables(draw: st.DrawFn, builder: TextBuilder) -> None:
    columns = draw(st.integers(1, 4))
    grid = draw(st.lists(st.lists(CELLS, min_size=columns, max_size=columns), min_size=1, max_size=12))
    merged = {}
    if len(grid) > 1 and draw(st.booleans()):
        row, column = draw(st.integers(1, len(grid) - 1)), draw(st.integers(0, columns - 1))
        merged[row, column] = (row - 1, column)
    builder.table(
        grid,
        header=draw(st.integers(0, 2)),
        merged=merged,
        first_row=draw(st.integers(1, 40)),
        caption=draw(st.sampled_from(["", "Table 1: sales"])),
    )


@st.composite
def blocks(draw: st.DrawFn, builder: TextBuilder) -> None:
    for _ in range(draw(st.integers(1, 6))):
        what = draw(st.integers(0, 5))
        if what == 0:
            builder.heading(draw(NAMES), draw(st.integers(1, 3)))
        elif what == 1:
            draw(tables(builder))
        elif what == 2:
            builder.line("- " + draw(LINES))
        else:
            builder.paragraph(draw(LINES))


PLACES = {
    TextKind.DIALOGUE: PlaceKind.TURN,
    TextKind.SLIDES: PlaceKind.SLIDE,
    TextKind.MAIL: PlaceKind.MESSAGE,
    TextKind.TABLE: PlaceKind.SHEET,
}


@st.composite
def documents(draw: st.DrawFn, kinds: tuple[TextKind, ...] = tuple(TextKind)) -> Document:
    kind = draw(st.sampled_from(kinds))
    if kind is TextKind.CODE:
        text = "\n".join(draw(st.lists(st.sampled_from(CODE), max_size=60)))
        language = draw(st.sampled_from(["python", "javascript", "tsx", "rust", "cpp", "cobol"]))
        return Document(text=text, kind=kind, metadata={"programming_language": language})
    builder = TextBuilder()
    if kind is TextKind.PROSE:
        draw(blocks(builder))
        return builder.document("T", kind=kind)
    for _ in range(draw(st.integers(1, 6))):
        with builder.place(PLACES[kind], draw(NAMES)):
            draw(blocks(builder))
        if draw(st.integers(0, 4)) == 0:
            builder.paragraph(draw(NAMES))
    return builder.document("T", kind=kind)


SIZES = st.integers(16, 120)


def chunked(document: Document, size: int) -> list[ChunkSpan]:
    return KindChunker(size, 0.12).chunk(document)


def structural(document: Document) -> set[int]:
    """Where sections, places, rows and cells begin, and what follows a table: a chunk may always start there."""
    text = document.text
    starts = {0, *(s.start for s in document.sections), *(s.end for s in document.sections)}
    starts |= {at for p in document.places for at in (p.start, p.end)}
    for _, rows in tables_in_order(document.tables, text):
        starts |= {at for row in rows for at in (row.start, row.end, *(cell.start for cell in row.cells))}
    return {at + len(text[at:]) - len(text[at:].lstrip()) for at in starts}


def brackets(document: Document, size: int) -> Iterator[tuple[int, int]]:
    """Brackets inside one sentence that certainly fit: what every kind of text keeps whole."""
    text = document.text
    for start, end in sentence_bounds(text):
        opened: list[tuple[str, int]] = []
        for at in range(start, end):
            if text[at] in PAIRS.values():
                opened.append((text[at], at))
            elif opened and text[at] in PAIRS:
                mark, first = opened.pop()
                if mark != PAIRS[text[at]]:
                    opened.clear()
                elif not opened and estimate_tokens(text[first : at + 1]) <= 0.8 * size:
                    yield first, at + 1


@CHECKED
@given(documents(), SIZES)
def test_chunks_are_slices_in_order_that_hold_all_but_white_space(document: Document, size: int) -> None:
    text = document.text
    spans = [(c.start, c.end) for c in chunked(document, size)]
    assert all(0 <= s < e <= len(text) and text[s:e].strip() == text[s:e] for s, e in spans)
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(spans))
    held = bytearray(len(text))
    for start, end in spans:
        held[start:end] = b"\x01" * (end - start)
    assert all(held[i] or c.isspace() for i, c in enumerate(text))


@CHECKED
@given(documents(), SIZES)
def test_only_prose_repeats_and_only_whole_sentences(document: Document, size: int) -> None:
    chunks = chunked(document, size)
    bounds = {start for start, _ in sentence_bounds(document.text)}
    for before, after in pairwise(chunks):
        if after.start < before.end:
            assert document.kind in (TextKind.PROSE, TextKind.TABLE)
            assert not any(t.start < after.end and after.start < t.end for t in document.tables)
            cut_long = estimate_tokens(document.text[after.start : after.end]) > 0.5 * size
            assert after.start in bounds or cut_long


@CHECKED
@given(documents(), SIZES)
def test_no_chunk_is_larger_than_the_size(document: Document, size: int) -> None:
    for chunk in chunked(document, size):
        text = document.text[chunk.start : chunk.end]
        # Runs of 24 marks and letters count more than their parts: a sum of pieces may be a little low.
        assert estimate_tokens(text) <= 1.25 * size + 3, text


@CHECKED
@given(documents(), SIZES)
def test_no_chunk_starts_with_a_closing_mark_unless_its_part_of_the_document_does(
    document: Document, size: int
) -> None:
    text, allowed = document.text, structural(document)
    for chunk in chunked(document, size):
        if text[chunk.start] in CLOSING and chunk.start not in allowed:
            before = text[max(0, chunk.start - 2_000) : chunk.start]
            words = before.split()
            tail = words[-1] if words else ""
            # a run of marks, or a word with its mark, that is longer than a chunk
            assert tail[-1:] in CLOSING or estimate_tokens(tail) > 0.7 * size, (before[-80:], text[chunk.start :][:20])


@CHECKED
@given(documents(), SIZES)
def test_no_chunk_ends_inside_a_word_or_number_that_fits(document: Document, size: int) -> None:
    text = document.text
    for chunk in chunked(document, size):
        if chunk.end >= len(text) or text[chunk.end].isspace():
            continue
        before, after = text[chunk.end - 1], text[chunk.end]
        number = before.isdigit() and after in ".,:" and text[chunk.end + 1 : chunk.end + 2].isdigit()
        number |= before in ".,:" and after.isdigit() and text[chunk.end - 2 : chunk.end - 1].isdigit()
        word = before.isascii() and after.isascii() and before.isalnum() and after.isalnum()
        if number or word:
            start, end = chunk.end, chunk.end
            while start > 0 and text[start - 1].isascii() and not text[start - 1].isspace():
                start -= 1
            while end < len(text) and text[end].isascii() and not text[end].isspace():
                end += 1
            assert estimate_tokens(text[start:end]) > 0.7 * size, (text[start:end], size)


@CHECKED
@given(documents(), SIZES)
def test_no_chunk_ends_inside_a_bracket_that_fits(document: Document, size: int) -> None:
    ends = [c.end for c in chunked(document, size)]
    starts = structural(document)
    for first, last in brackets(document, size):
        if not any(first < at < last for at in starts):
            assert not any(first < end < last for end in ends), document.text[first:last]


@CHECKED
@given(documents((TextKind.DIALOGUE, TextKind.SLIDES, TextKind.MAIL)), SIZES)
def test_no_chunk_crosses_a_slide_or_message_and_no_turn_that_fits_is_cut(document: Document, size: int) -> None:
    text, kind = document.text, PLACES[document.kind]
    for chunk in chunked(document, size):
        for place in document.places:
            if document.kind is not TextKind.DIALOGUE:
                assert not place.start < chunk.end < place.end or chunk.start >= place.start - 200
                assert not (chunk.start < place.start and chunk.end > place.end)
                crossed = chunk.start < place.end < chunk.end
                assert not crossed or not text[place.end : chunk.end].strip()
            elif estimate_tokens(text[place.start : place.end]) <= 0.8 * size and not document.tables:
                assert not place.start < chunk.end < place.end
        inside = [p for p in document.places if p.start < chunk.end and chunk.start < p.end]
        assert [n.kind for n in chunk.places if n.kind is kind] == ([kind] if inside else [])


@CHECKED
@given(documents((TextKind.TABLE, TextKind.PROSE, TextKind.MAIL)), SIZES)
def test_rows_that_fit_are_whole_and_further_chunks_have_the_header(document: Document, size: int) -> None:
    text = document.text
    chunks = chunked(document, size)
    for table in document.tables:
        rows = table_rows(table, text)
        header = [text[r.start : r.end] for r in rows if r.number < table.header]
        for row in rows:
            if estimate_tokens(text[row.start : row.end]) <= size:
                assert not any(row.start < c.end < row.end for c in chunks), text[row.start : row.end]
        for chunk in (c for c in chunks if table.start < c.start < table.end):
            first = next(r for r in rows if r.end > chunk.start)
            few = header and estimate_tokens("\n".join(header)) <= 0.5 * size
            if first.number >= table.header and few:
                assert "\n".join(header) in chunk.context
            assert any(p.kind is PlaceKind.ROW for p in chunk.places)


@CHECKED
@given(documents(), SIZES)
def test_chunking_is_deterministic(document: Document, size: int) -> None:
    assert chunked(document, size) == chunked(document, size)


LONG = 80_000
HARD: dict[str, Callable[[int], str]] = {
    "sentences": lambda n: "The port closed (because of 3.5 storms). " * (n // 41),
    "han": lambda n: "港口停工了，因为（台风）登陆。" * (n // 15),
    "opening": lambda n: "(" * n,
    "nested": lambda n: "(" * (n // 2) + ")" * (n // 2),
    "nests": lambda n: ("(a" * 200 + ")" * 200) * (n // 600),
    "closing": lambda n: ") " * (n // 2),
    "lines of closing": lambda n: ")\n\n" * (n // 3),
    "one word": lambda n: "a" * n,
    "digits": lambda n: "1," * (n // 2),
    "blanks": lambda n: "a" + " " * n + "b",
    "newlines": lambda n: "a\n" * (n // 2),
    "minified": lambda n: "function f(a){return a+1};" * (n // 26),
}


@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize("kind", [TextKind.PROSE, TextKind.CODE, TextKind.DIALOGUE])
def test_time_is_linear_in_the_text(name: str, kind: TextKind) -> None:
    def seconds(length: int) -> float:
        document = Document(text=HARD[name](length), kind=kind, metadata={"programming_language": "javascript"})
        started = time.process_time()
        assert KindChunker().chunk(document)
        return time.process_time() - started

    assert seconds(LONG) < max(40 * seconds(LONG // 8), 3)


def test_time_is_linear_in_the_rows_of_a_table() -> None:
    def seconds(rows: int) -> float:
        builder = TextBuilder()
        builder.table([["Region", "Q3"], *([f"North {i}", str(i)] for i in range(rows))], header=1)
        document = builder.document("T", kind=TextKind.TABLE)
        started = time.process_time()
        assert KindChunker().chunk(document)
        return time.process_time() - started

    assert seconds(8_000) < max(40 * seconds(1_000), 3)
