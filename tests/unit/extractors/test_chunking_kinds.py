"""Chunks of tables, dialogue, slides, mail and code: what goes together, what stands above, what it is called."""

from __future__ import annotations

from itertools import pairwise

import pytest

from extractors import default_chunker
from extractors.chunkers.by_kind import KindChunker
from extractors.chunkers.layout import ranged
from extractors.loaders.text_builder import TextBuilder
from extractors.long_sentences import cut_long
from extractors.ports import ChunkSpan
from extractors.token_estimate import estimate_tokens
from extractors.unparted import Brackets
from storage.records import Document, PlaceKind, TextKind

SENTENCE = "The port closed because the storm came near."  # 10.05 tokens


def slices(document: Document, chunks: list[ChunkSpan]) -> list[str]:
    return [document.text[c.start : c.end] for c in chunks]


def labels(chunk: ChunkSpan, kind: PlaceKind) -> list[str]:
    return [place.label for place in chunk.places if place.kind is kind]


def test_a_range_as_a_person_writes_it() -> None:
    assert [ranged("3", "3"), ranged("12", "40"), ranged("Anna", "Ben")] == ["3", "12–40", "Anna – Ben"]


# --- tables


def sheet(rows: int, **options: object) -> Document:
    builder = TextBuilder()
    with builder.place(PlaceKind.SHEET, "Sales"):
        grid = [["Region", "Cause"], *([f"North {i}", SENTENCE] for i in range(rows))]
        builder.table(grid, header=1, first_row=11, caption="Closures", **options)  # type: ignore[arg-type]
    return builder.document("T", kind=TextKind.TABLE)


def test_further_chunks_of_a_table_have_caption_and_header_as_context_and_say_their_rows() -> None:
    document = sheet(6)
    chunks = KindChunker(45).chunk(document)
    assert len(chunks) > 2
    assert chunks[0].context == "Closures"
    assert document.text[chunks[0].start :].startswith("Region | Cause\nNorth 0")
    assert all(c.context == "Closures\nRegion | Cause" for c in chunks[1:])
    assert all(words.startswith("North") and words.endswith("near.") for words in slices(document, chunks[1:]))
    rows = [labels(c, PlaceKind.ROW)[0].split("–") for c in chunks]
    assert rows[0][0] == "12"  # its header is no row of it
    assert rows[-1][-1] == "17"
    assert all(int(a[-1]) + 1 == int(b[0]) for a, b in pairwise(rows))
    assert all([place.kind for place in c.places] == [PlaceKind.SHEET, PlaceKind.ROW] for c in chunks)


def test_rows_count_as_they_read_by_themselves() -> None:
    names = [f"a rather long name of column {i}" for i in range(5)]
    builder = TextBuilder()
    builder.table([names, *(["1", "2", "3", "4", "5"] for _ in range(40))], header=1)
    document = builder.document("T", kind=TextKind.TABLE)
    first = estimate_tokens("; ".join(f"{name}: {i}" for i, name in enumerate(names)))
    chunks = KindChunker(200).chunk(document)
    assert all(words.count("\n") + 1 <= 200 / first for words in slices(document, chunks[1:]))


def test_a_row_longer_than_a_chunk_is_cut_between_cells_then_at_sentences() -> None:
    builder = TextBuilder()
    builder.table([["Id", "Text"], ["7", " ".join([SENTENCE] * 6)]], header=1)
    document = builder.document("T", kind=TextKind.TABLE)
    chunks = KindChunker(41).chunk(document)
    assert [labels(c, PlaceKind.ROW) for c in chunks] == [["2"], ["2"]]
    assert chunks[1].context == "Id | Text"
    assert all(words.endswith("near.") for words in slices(document, chunks))


def test_a_header_longer_than_half_a_chunk_is_not_repeated() -> None:
    builder = TextBuilder()
    builder.table([[SENTENCE, SENTENCE], *(["1", "2"] for _ in range(3))], header=1)
    assert {c.context for c in KindChunker(30).chunk(builder.document("T", kind=TextKind.TABLE))} == {""}


def test_a_table_in_prose_is_cut_by_rows_and_has_the_heading_before_it() -> None:
    builder = TextBuilder()
    builder.heading("Report", 1)
    builder.paragraph(" ".join([SENTENCE] * 3))
    builder.heading("Figures", 2)
    builder.table([["Region", "Q3"], ["North", "41"]], header=1)
    builder.paragraph(SENTENCE)
    document = builder.document("T")
    chunks = KindChunker(100).chunk(document)
    assert [words.split("\n")[0] for words in slices(document, chunks)] == ["Report", "Figures", SENTENCE]
    assert [c.section for c in chunks] == [("Report",), ("Report", "Figures"), ("Report", "Figures")]
    assert [labels(c, PlaceKind.ROW) for c in chunks] == [[], ["2"], []]


def test_a_line_that_introduces_a_table_goes_with_it_and_a_sentence_does_not() -> None:
    for line, first in (("Closures by region:", "Closures by region:"), ("They closed.", "Region | Q3")):
        builder = TextBuilder()
        builder.paragraph(" ".join([SENTENCE] * 4))
        builder.paragraph(line)
        builder.table([["Region", "Q3"], ["North", "41"]], header=1)
        document = builder.document("T")
        assert slices(document, KindChunker(100).chunk(document))[-1].split("\n")[0] == first


# --- dialogue, slides, mail


def placed(kind: TextKind, place: PlaceKind, *parts: tuple[str, str]) -> Document:
    builder = TextBuilder()
    for label, words in parts:
        with builder.place(place, label):
            for line in words.split("\n"):
                builder.paragraph(line)
    return builder.document("T", kind=kind)


def test_turns_are_whole_and_the_chunk_names_the_first_and_last_speaker() -> None:
    turns = [
        ("Anna, 09:14", f"Anna: {SENTENCE}"),
        ("Ben, 09:15", f"Ben: {SENTENCE}"),
        ("Anna, 09:16", f"Anna: {SENTENCE}"),
    ]
    document = placed(TextKind.DIALOGUE, PlaceKind.TURN, *turns)
    chunks = KindChunker(30).chunk(document)
    assert slices(document, chunks) == [f"Anna: {SENTENCE}\n\nBen: {SENTENCE}", f"Anna: {SENTENCE}"]
    assert [labels(c, PlaceKind.TURN) for c in chunks] == [["Anna, 09:14 – Ben, 09:15"], ["Anna, 09:16"]]
    assert {c.context for c in chunks} == {""}


def test_a_turn_longer_than_a_chunk_says_who_goes_on_speaking() -> None:
    document = placed(TextKind.DIALOGUE, PlaceKind.TURN, ("Anna", " ".join([SENTENCE] * 9)), ("Ben", "Yes."))
    chunks = KindChunker(41).chunk(document)
    assert [c.context for c in chunks] == ["", "Anna", "Anna"]
    assert labels(chunks[-1], PlaceKind.TURN) == ["Anna – Ben"]


def test_small_slides_do_not_share_a_chunk_and_a_long_one_keeps_its_title() -> None:
    document = placed(
        TextKind.SLIDES,
        PlaceKind.SLIDE,
        ("1", "Welcome"),
        ("2", "Closures\n" + "\n".join([SENTENCE] * 6)),
        ("3", "Thanks"),
    )
    chunks = KindChunker(41).chunk(document)
    assert [labels(c, PlaceKind.SLIDE) for c in chunks] == [["1"], ["2"], ["2"], ["3"]]
    assert [c.context for c in chunks] == ["", "", "Closures", ""]


def test_messages_do_not_share_a_chunk_and_a_long_one_says_whose_it_is() -> None:
    document = placed(
        TextKind.MAIL, PlaceKind.MESSAGE, ("Anna, 1 May", " ".join([SENTENCE] * 6)), ("Ben, 2 May", "Thank you.")
    )
    chunks = KindChunker(41).chunk(document)
    assert [labels(c, PlaceKind.MESSAGE) for c in chunks] == [["Anna, 1 May"], ["Anna, 1 May"], ["Ben, 2 May"]]
    assert [c.context for c in chunks] == ["", "Anna, 1 May", ""]


# --- code

PYTHON = '''\
"""Ports."""
import os


class Port:
    """One port."""

    def close(self, cause):
        if cause == "storm":
            self.open = False
        log(self, cause, "closed")
        return self

    # when the storm is over
    @checked
    def reopen(self):
        return self.close(None)


def log(*words):
    print(*words)
'''


def code(text: str, language: str, size: int) -> list[tuple[str, str, str]]:
    document = Document(text=text, kind=TextKind.CODE, metadata={"programming_language": language})
    return [
        (" › ".join(c.section), labels(c, PlaceKind.LINE)[0], text[c.start : c.end].split("\n")[0])
        for c in KindChunker(size).chunk(document)
    ]


def test_code_is_cut_by_definition_with_what_stands_right_above_it() -> None:
    assert code(PYTHON, "python", 40) == [
        ("", "1–2", '"""Ports."""'),
        ("class Port", "5–12", "class Port:"),
        ("class Port › def reopen", "14–17", "# when the storm is over"),
        ("def log", "20–21", "def log(*words):"),
    ]
    assert code(PYTHON, "python", 400) == [("", "1–21", '"""Ports."""')]


def test_a_long_definition_is_cut_between_statements() -> None:
    body = "".join(f"    total_{i} = count(port_{i})\n" for i in range(20))
    cuts = code(f"def close():\n{body}", "python", 60)
    assert len(cuts) > 2
    assert {path for path, _, _ in cuts} == {"def close"}
    assert all(first.strip().startswith(("def", "total_")) for _, _, first in cuts)


DEFINITIONS = {
    "javascript": (
        "class A {\n  go(a) { return a + 1; }\n  stop(b) { return b - 1; }\n}\n",
        "class A › stop",
    ),
    "typescript": ("interface Port {\n  name: string;\n  close(cause: string): void;\n}\nlet a = 1;", "interface Port"),
    "tsx": ("export const Port = (p: Props) => {\n  return <div>{p.name} {p.cause}</div>;\n};\nlet a = 1;", "Port"),
    "java": ("class A {\n  int go(int a) {\n    return a;\n  }\n  A() {\n    super();\n  }\n}\n", "class A › go"),
    "go": ("func (p *Port) Close(a string) error {\n\treturn p.log(a)\n}\n\nvar a = 1\n", "func (p *Port) Close"),
    "rust": ("impl Show for A {\n  fn show(&self) -> u32 {\n    self.n\n  }\n}\nstatic A: u32 = 1;", "impl Show for A"),
    "c": ("struct port { int a; };\n\nint close_port(struct port *p) {\n  return p->a + 1;\n}\n", "close_port"),
    "cpp": (
        "namespace n {\nclass A {\n public:\n  int go(int a) {return a;}\n};\n}\nint x;",
        "namespace n › class A",
    ),
}


@pytest.mark.parametrize("language", DEFINITIONS)
def test_definitions_of_each_language_have_their_names(language: str) -> None:
    text, path = DEFINITIONS[language]
    assert any(found == path or found.startswith(f"{path} ›") for found, _, _ in code(text, language, 16))


def test_code_of_an_unknown_language_is_cut_at_empty_lines_and_names_nothing() -> None:
    text = "SECTION one.\n    move a to b.\n\n    move cargo to port.\n\nSECTION two.\n    stop run.\n"
    assert code(text, "cobol", 16) == [("", "1–4", "SECTION one."), ("", "6–7", "SECTION two.")]


def test_offsets_are_code_points_in_code_with_other_characters() -> None:
    text = "def 关闭(港口):\n    return '港口停工了' + 港口\n\n\ndef b():\n    return 'é' * 2\n"
    assert [path for path, _, _ in code(text, "python", 20)] == ["def 关闭", "def b"]


# --- what holds for all


def test_the_name_holds_every_chunker_and_its_settings() -> None:
    assert default_chunker(350, 0.12).name == (
        "structure@2(size=350,overlap=42)+rows@2(size=350)+code@1(size=350)+turns@1(size=350)"
        "+slides@1(size=350)+messages@1(size=350)"
    )


def test_sentences_inside_a_bracket_stay_together() -> None:
    text = f"{SENTENCE} {SENTENCE} It rained (all day. And all night.) and more."
    document = Document(text=text)
    assert slices(document, KindChunker(30, 0).chunk(document))[1] == "It rained (all day. And all night.) and more."


def test_a_long_sentence_is_not_cut_inside_a_number_or_a_bracket() -> None:
    text = "of 1,000,000 and 2,000,000 and (three, four, five, six) or " * 6
    pieces = [text[start:end] for start, end in cut_long(text, 0, len(text), 20, brackets=Brackets(text, 0, 400, 20))]
    assert all(piece.count("(") == piece.count(")") for piece in pieces)
    assert "".join(pieces).replace(" ", "") == text.replace(" ", "")
    assert not any(piece.endswith((",", "1", "2", "00")) and not piece.endswith("000,000") for piece in pieces)
