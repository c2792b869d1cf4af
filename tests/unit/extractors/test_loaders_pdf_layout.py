"""What is told from where words stand on the page: paragraphs, columns, tables, footnotes, headings."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from pdf_files import Row, grid, lines, pdf

from extractors.loaders import load_document
from extractors.loaders.pdf_columns import columns
from extractors.loaders.pdf_grids import grids
from extractors.loaders.pdf_rulings import Rulings
from storage.records import Document

A = Path("a.pdf")


def read(*pages: list[Row], draw: Any = None) -> Document:
    return load_document(A, pdf(pages, draw=draw))


def paragraphs(*pages: list[Row], draw: Any = None) -> list[str]:
    return read(*pages, draw=draw).text.split("\n\n")


def cells(document: Document) -> list[list[list[str]]]:
    return [
        [[document.text[cell.start : cell.end] if cell else "" for cell in row] for row in table.rows]
        for table in document.tables
    ]


LEFT = ["The port closed because the", "typhoon made landfall near the", "coast, and every ship had to",
        "wait outside. The crane stood", "still until the day was good"]  # fmt: skip
RIGHT = ["and the harbour master gave", "the order to open it again.", "Many crews had been at sea",
         "for a week by then, and some", "of them had no water left."]  # fmt: skip
BOTH = (
    "The port closed because the typhoon made landfall near the coast, and every ship had to wait outside. The crane "
    "stood still until the day was good and the harbour master gave the order to open it again. Many crews had been at "
    "sea for a week by then, and some of them had no water left."
)


def two_columns(y: float) -> list[Row]:
    """Drawn line by line across the page, so that the order in the file is not that of reading."""
    rows: list[Row] = []
    for i, (left, right) in enumerate(zip(LEFT, RIGHT, strict=True)):
        rows += [(40, y - 13 * i, "Times-Roman", 11, left), (220, y - 13 * i, "Times-Roman", 11, right)]
    return rows


def test_columns_are_read_one_after_the_other_whatever_the_order_in_the_file() -> None:
    assert paragraphs(two_columns(500)) == [BOTH]


def test_words_over_both_columns_part_the_page() -> None:
    across = "A line of words that goes over both of the columns of this page as titles do"
    rows = [
        *lines(540, "The great storm of this year and what came of it", x=40, font="Times-Bold", size=14),
        *two_columns(500), *lines(410, across + ".", x=40), *two_columns(370),
    ]  # fmt: skip
    assert paragraphs(rows) == ["The great storm of this year and what came of it", BOTH, f"{across}.", BOTH]


def test_bullets_are_no_column() -> None:
    rows: list[Row] = []
    for i, words in enumerate(["The rope broke at noon.", "The crane fell.", "The port closed.", "All ships left."]):
        rows += [(50, 500 - 14 * i, "Times-Roman", 11, "•"), (90, 500 - 14 * i, "Times-Roman", 11, words)]
    assert read(rows).text == "• The rope broke at noon.\n• The crane fell.\n• The port closed.\n• All ships left."


def marked(y: float, *parts: str) -> list[Row]:
    """One line whose every second part is a raised mark."""
    from reportlab.pdfbase.pdfmetrics import stringWidth

    rows: list[Row] = []
    x = 50.0
    for i, words in enumerate(parts):
        size = 6 if i % 2 else 11
        rows.append((x, y + (4 if i % 2 else 0), "Times-Roman", size, words))
        x += stringWidth(words, "Times-Roman", size)
    return rows


def test_a_sentence_over_a_page_end_is_whole_though_footer_and_footnote_stand_between() -> None:
    first = [
        *lines(500, "The crane stood still because the rope had broken in the storm,"),
        *marked(487, "and nobody at the port could find another", "1", " one to put in its"),
        *lines(60, "1. The rope was from 1998.", size=7),
        *lines(30, "Harbour news 1", size=8),
    ]
    second = [*lines(550, "place before the end of the week."), *lines(30, "Harbour news 2", size=8)]
    assert paragraphs(first, second) == [
        "The crane stood still because the rope had broken in the storm, and nobody at the port could find another one "
        "to put in its place before the end of the week.",
        "The rope was from 1998.",
    ]


def test_powers_and_units_stay_beside_a_footnote_of_the_same_number() -> None:
    rows = [
        *marked(500, "The yard has 500 m", "2", " and a crane", "2", " beside the dock."),
        *lines(60, "2. Built in 1998.", size=7),
    ]
    assert paragraphs(rows) == ["The yard has 500 m2 and a crane beside the dock.", "Built in 1998."]


def test_running_titles_are_kept_once_and_numbered_headings_always() -> None:
    pages = [
        [
            *lines(580, "Harbour news", font="Times-Bold", size=16),
            *lines(550, f"Section {n}", font="Times-Bold", size=14),
            *lines(500, f"The {word} crane fell because its rope broke."),
        ]
        for n, word in ((1, "north"), (2, "south"), (3, "east"))
    ]
    document = read(*pages)
    assert [s.path[-1] for s in document.sections] == ["Harbour news", "Section 1", "Section 2", "Section 3"]
    assert document.text.count("Harbour news") == 1


def test_page_numbers_go_and_a_lone_page_keeps_its_number() -> None:
    pages = [[*lines(500, f"The {w} crane fell."), *lines(30, n)] for n, w in (("iv", "north"), ("v", "south"))]
    assert paragraphs(*pages) == ["The north crane fell.", "The south crane fell."]
    assert paragraphs([*lines(500, "The crane fell."), *lines(30, "7")]) == ["The crane fell.", "7"]


def test_a_bold_lead_in_is_no_heading() -> None:
    rows = [
        *lines(500, "Replace every rope of the cranes in both yards", font="Times-Bold"),
        *lines(487, "before the winter: the old ones broke when the storm"),
        *lines(474, "came and nobody had looked at them for years."),
    ]
    document = read(rows)
    assert document.sections == ()
    assert document.text.startswith("Replace every rope of the cranes in both yards before the winter:")


def test_code_keeps_its_lines_and_is_no_heading() -> None:
    rows = [
        *lines(500, "The settings were these, and nobody had looked at them for years."),
        *lines(470, "# limits", "crane:", font="Courier", size=14), (66.8, 444, "Courier", 14, "load: 5t"),
    ]  # fmt: skip
    document = read(rows)
    assert document.text.split("\n\n")[1] == "# limits\ncrane:\n  load: 5t"
    assert document.sections == ()


def test_chinese_lines_join_without_a_blank() -> None:
    first, second = "由于台风在沿海地区登陆，港口停止作业，船", "只只能在外海等待。"
    assert paragraphs(lines(500, first, second, font="STSong-Light", size=12)) == [first + second]


# -- tables


def events(canvas: Any, index: int) -> None:
    grid(canvas, [40, 120, 360], [380, 400, 440, 460])


TABLE = [
    *lines(445, "Time", x=45, font="Times-Bold"), *lines(445, "Event", x=125, font="Times-Bold"),
    *lines(425, "12:00", x=45), *lines(425, "The rope broke because it was", "never looked at", x=125),
    *lines(385, "13:30", x=45), *lines(385, "The port closed", x=125),
]  # fmt: skip


def test_a_ruled_table_is_an_object_with_its_header_in_reading_order() -> None:
    rows = [*lines(500, "All times are local."), *TABLE, *lines(340, "The port opened on the next day.")]
    document = read(rows, draw=events)
    assert cells(document) == [
        [["Time", "Event"], ["12:00", "The rope broke because it was never looked at"], ["13:30", "The port closed"]]
    ]
    assert document.tables[0].header == 1
    assert document.text.split("\n\n") == [
        "All times are local.",
        "Time | Event\n12:00 | The rope broke because it was never looked at\n13:30 | The port closed",
        "The port opened on the next day.",
    ]
    assert document.sections == ()


def test_a_cell_over_two_columns_is_one_cell() -> None:
    def draw(canvas: Any, index: int) -> None:
        canvas.rect(40, 380, 320, 80)
        for y in (400, 440):
            canvas.line(40, y, 360, y)
        canvas.line(120, 380, 120, 440)

    rows = [*lines(445, "Events of the day", x=45), *TABLE[2:]]
    table = read(rows, draw=draw).tables[0]
    assert table.rows[0][0] == table.rows[0][1] is not None


def test_a_row_that_a_page_end_cuts_is_one_row_and_the_repeated_header_goes() -> None:
    def draw(canvas: Any, index: int) -> None:
        if index == 0:
            grid(canvas, [40, 120, 360], [40, 60, 80])
        else:
            grid(canvas, [40, 120, 360], [510, 530, 550, 570])

    first = [
        *lines(65, "Time", x=45), *lines(65, "Event", x=125),
        *lines(45, "12:00", x=45), *lines(45, "The rope of the crane in the north yard broke as", x=125),
    ]  # fmt: skip
    second = [
        *lines(555, "Time", x=45), *lines(555, "Event", x=125), *lines(535, "nobody had looked at it.", x=125),
        *lines(515, "13:30", x=45), *lines(515, "The port closed.", x=125),
    ]  # fmt: skip
    document = read(first, second, draw=draw)
    assert cells(document) == [
        [
            ["Time", "Event"],
            ["12:00", "The rope of the crane in the north yard broke as nobody had looked at it."],
            ["13:30", "The port closed."],
        ]
    ]
    assert document.text[document.pages[1].start :] == "13:30 | The port closed."


def test_two_tables_of_the_same_widths_on_two_pages_stay_two_if_each_has_its_own_header() -> None:
    other = [(x, y, font, size, words.replace("Event", "Cause")) for x, y, font, size, words in TABLE]
    assert len(read(TABLE, other, draw=events).tables) == 2


def test_boxes_frames_and_plots_are_no_tables() -> None:
    def draw(canvas: Any, index: int) -> None:
        canvas.rect(20, 20, 360, 560)
        canvas.rect(40, 440, 320, 80)
        grid(canvas, range(40, 361, 20), range(100, 301, 20))

    document = read([*lines(500, "A remark in a box."), *lines(300, "load", x=45)], draw=draw)
    assert document.tables == ()
    assert document.text == "A remark in a box.\n\nload"


def test_a_line_over_two_tables_side_by_side_does_not_make_them_one() -> None:
    across = [(0.0, 40.0, 300.0)]
    for x in (40.0, 220.0):
        across += [(y, x, x + 120) for y in (0.5, 20.0, 40.0)]
    down = [(x, 0.0, 40.0) for x in (40.0, 100.0, 160.0, 220.0, 280.0, 340.0)]
    assert [(g.xs, g.rows) for g in grids(Rulings(across, down))] == [
        ((40.0, 100.0, 160.0), 2), ((220.0, 280.0, 340.0), 2)
    ]  # fmt: skip


FIGURES = [("Yard", "Cranes", "Load"), ("North", "12", "3.5"), ("South", "7", "14.0"), ("East", "131", "2.25")]


def figures(y: float) -> list[Row]:
    return [
        (x, y - 14 * i, "Times-Roman", 11, words)
        for i, row in enumerate(FIGURES)
        for x, words in zip((60, 180, 290), row, strict=True)
    ]


def test_figures_below_each_other_are_a_table_without_any_line() -> None:
    rows = [*lines(500, "The yards had these cranes in the year of the storm."), *figures(470),
            *lines(390, "All of them were looked at in the spring of this year.")]  # fmt: skip
    document = read(rows)
    assert cells(document) == [[list(row) for row in FIGURES]]
    assert document.tables[0].header == 1


def test_what_stands_between_three_rules_is_a_table() -> None:
    def draw(canvas: Any, index: int) -> None:
        for y in (465, 448, 395):
            canvas.line(50, y, 350, y)

    rows = [
        *lines(452, "Cause", x=55), *lines(452, "What came of it", x=170),
        *lines(435, "The rope broke", x=55), *lines(435, "The crane fell, and the port", "was closed", x=170),
        *lines(400, "The storm", x=55), *lines(400, "Ships waited outside", x=170),
    ]  # fmt: skip
    assert cells(read(rows, draw=draw)) == [
        [
            ["Cause", "What came of it"],
            ["The rope broke", "The crane fell, and the port was closed"],
            ["The storm", "Ships waited outside"],
        ]
    ]


def test_columns_of_text_between_the_rules_of_header_and_footer_are_no_table() -> None:
    def draw(canvas: Any, index: int) -> None:
        for y in (540, 530, 100):
            canvas.line(40, y, 360, y)

    document = read(two_columns(500), draw=draw)
    assert document.tables == ()
    assert document.text == BOTH


def test_leaders_of_a_table_of_contents_are_short_and_its_entries_no_headings() -> None:
    rows = [
        *lines(540, "Contents", font="Times-Bold", size=18),
        *lines(500, "1 The storm" + " ." * 30 + " 4", font="Times-Bold", size=14),
        *lines(460, "The port closed because the typhoon made landfall near the coast."),
    ]
    document = read(rows)
    assert [s.path[-1] for s in document.sections] == ["Contents"]
    assert "1 The storm … 4" in document.text


def test_bold_names_of_columns_are_no_heading_and_a_number_apart_from_its_heading_is() -> None:
    rows = [
        *lines(540, "2.1", font="Times-Bold"), *lines(540, "The storm", x=90, font="Times-Bold"),
        *lines(500, "Yard", font="Times-Bold"), *lines(500, "Cause", x=150, font="Times-Bold"),
        *lines(470, "The port closed because the typhoon made landfall near the coast."),
    ]  # fmt: skip
    assert [s.path for s in read(rows).sections] == [("2.1 The storm",)]


def test_items_in_items_are_indented_lines() -> None:
    rows = [
        *lines(500, "- The rope broke.", x=50),
        *lines(486, "- It was old.", x=70),
        *lines(472, "- The crane fell.", x=50),
    ]
    assert read(rows).text == "- The rope broke.\n  - It was old.\n- The crane fell."


# -- properties


@pytest.mark.parametrize("seed", range(20))
def test_no_word_is_lost_or_doubled_wherever_words_and_lines_stand(seed: int) -> None:
    chance = random.Random(seed)
    names = [f"w{i}x" for i in range(40)]
    rows = [
        (chance.uniform(20, 340), chance.uniform(20, 580), chance.choice(["Times-Roman", "Times-Bold"]),
         chance.choice([8.0, 11.0, 18.0]), name)
        for name in names
    ]  # fmt: skip

    def draw(canvas: Any, index: int) -> None:
        for _ in range(12):
            x, y = chance.uniform(20, 300), chance.uniform(20, 500)
            grid(canvas, [x, x + 40, x + 80], [y, y + 30, y + 60])

    document = read(rows, draw=draw)
    assert sorted(name for name in names if document.text.count(name) == 1) == sorted(names)
    for table in document.tables:
        for cell in table.cells():
            words = document.text[cell.span.start : cell.span.end]
            assert words == words.strip() != ""
            assert "|" not in words
    assert all(0 <= s.start <= s.end <= len(document.text) for s in document.sections)
    assert [(p.number, p.start, p.end) for p in document.pages] == [(1, 0, len(document.text))]


def test_columns_end_on_boxes_that_all_lie_on_each_other() -> None:
    class Box:
        left, right, top, bottom = 10.0, 20.0, 10.0, 20.0

    boxes = [Box() for _ in range(500)]
    assert sum(map(len, columns(boxes, 10.0, []))) == 500


def test_lines_of_the_text_that_come_again_at_one_height_stay() -> None:
    def page(name: str) -> list[Row]:
        body = [f"The {name} crane number {i} stood still in the storm of the year" for i in range(8)]
        return [*lines(580, "Harbour news", size=8), *lines(500, *body, "and nobody had looked at it for years.")]

    text = read(page("north"), page("south")).text
    assert text.count("and nobody had looked at it for years.") == 2
    assert "Harbour news" not in text


def column(x: float, *texts: str) -> list[Row]:
    return [(x, 550 - 13 * i, "Times-Roman", 11, words) for i, words in enumerate(texts)]


LONG_LINE = "The crane of the north yard fell into the water, and then the harbour master at once"
NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
TALL = [f"the {name} crane stood still at" for name in NUMBERS] * 2


def test_a_line_or_two_at_the_top_begin_the_column_beside_a_tall_one() -> None:
    rows = [*column(40, *TALL), *column(195, "the end of the long storm", "of the year.")]
    assert paragraphs(rows) == [f"{' '.join(TALL)} the end of the long storm of the year."]


def test_a_foot_that_begins_in_the_left_column_stands_after_the_right_one() -> None:
    rows = [*two_columns(500), (40, 30, "Times-Roman", 11, "Harbour office")]
    assert paragraphs(rows) == [BOTH, "Harbour office"]


def test_a_lone_page_has_no_page_number_that_calls_itself_one_and_says_its_title_once() -> None:
    rows = [
        (40, 580, "Times-Roman", 9, "The great storm"), *lines(540, "The great storm", font="Times-Bold", size=16),
        *lines(500, LONG_LINE, "closed the port."), *lines(30, "Page 1"),
    ]  # fmt: skip
    assert paragraphs(rows) == ["The great storm", f"{LONG_LINE} closed the port."]


def test_a_line_that_comes_again_where_most_pages_have_other_lines_is_text() -> None:
    firsts = [
        "It was reported at once.",
        "A ship sank.",
        "It was reported at once.",
        "The crane fell.",
        "Nobody spoke.",
    ]
    pages = [
        [*lines(560, first), *lines(500, f"The {n} harbour was closed.", f"Then the {n} crew left it.")]
        for n, first in zip(("north", "south", "west", "east", "old"), firsts, strict=True)
    ]
    assert read(*pages).text.count("It was reported at once.") == 2


def test_the_columns_of_a_text_may_be_filled_by_tables() -> None:
    def draw(canvas: Any, index: int) -> None:
        grid(canvas, [220, 290, 370], [400, 430, 460, 490, 515])

    table = [
        (x, y, "Times-Roman", 11, words)
        for y, row in zip((500, 470, 440, 410), ("Port Cause", "North storm", "South flood", "West fire"), strict=True)
        for x, words in zip((225, 295), row.split(), strict=True)
    ]
    rows = [*two_columns(500), *table]
    left = [row for row in rows if row[0] == 40] + table
    document = read(left, draw=draw)
    assert document.text.startswith("The port closed because the typhoon")
    assert cells(document) == [[["Port", "Cause"], ["North", "storm"], ["South", "flood"], ["West", "fire"]]]


def test_words_figures_and_identifiers_that_a_narrow_cell_cuts_are_whole() -> None:
    def draw(canvas: Any, index: int) -> None:
        grid(canvas, [40, 78, 200], [400, 440, 480])

    rows: list[Row] = [
        (45, 465, "Times-Roman", 11, "senten"), (45, 452, "Times-Roman", 11, "ces"),
        (83, 465, "Times-Roman", 11, "are cut as words"),
        (45, 425, "Times-Roman", 11, "all_po"), (45, 412, "Times-Roman", 11, "rts"),
        (83, 425, "Times-Roman", 11, "is a name"),
    ]  # fmt: skip
    assert [row[0] for row in cells(read(rows, draw=draw))[0]] == ["sentences", "all_ports"]


def test_a_row_whose_first_cell_a_page_end_cuts_at_a_hyphen_is_one_row() -> None:
    def draw(canvas: Any, index: int) -> None:
        ys: list[float] = [40, 60, 80] if index == 0 else [530, 550, 570]
        grid(canvas, [40, 85, 360], ys)

    first = [
        *lines(65, "Name", x=45), *lines(65, "What it is", x=90),
        *lines(45, "north-", x=45), *lines(45, "The crane of the yard beside the old harbour,", x=90),
    ]  # fmt: skip
    second = [
        *lines(555, "yard", x=45), *lines(555, "which broke.", x=90),
        *lines(535, "west", x=45), *lines(535, "The other.", x=90),
    ]  # fmt: skip
    assert cells(read(first, second, draw=draw))[0][1:] == [
        ["north-yard", "The crane of the yard beside the old harbour, which broke."],
        ["west", "The other."],
    ]
