"""Markdown made here, read back."""

from __future__ import annotations

import random
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from extractors.loaders import load_document, markdown_source
from extractors.loaders.markdown_blocks import MarkdownBlocks
from extractors.loaders.text_builder import TextBuilder
from storage.errors import LoadError
from storage.records import Document


def load(name: str, source: str) -> Document:
    return load_document(Path(name), source.encode())


def outline(document: Document) -> list[tuple[tuple[str, ...], str]]:
    return [(s.path, document.text[s.start : s.end].rstrip()) for s in document.sections]


def cells(document: Document) -> list[list[list[str]]]:
    return [
        [[document.text[c.start : c.end] if c else "" for c in row] for row in table.rows] for table in document.tables
    ]


MARKDOWN = """# Storm

The **port** _closed_ because
[the storm](https://example.com) came.[^1]

## 原因

台风登陆，
港口停工。

- one `code`
- two
    1. inner

| Port | State |
|------|-------|
| North | closed |

```sh
# not a heading
```

<!-- hidden --> <p>shown</p>

[^1]: 文中所称均为当地时间。
"""


def test_markdown_reads_as_prose_with_sections() -> None:
    document = load("a.md", MARKDOWN)
    assert document.title == "Storm"
    assert outline(document) == [
        (("Storm",), "Storm\n\nThe port closed because the storm came.\n\n文中所称均为当地时间。"),
        (
            ("Storm", "原因"),
            "原因\n\n台风登陆，港口停工。\n\n- one code\n- two\n1. inner\n\nPort | State\nNorth | closed\n\n"
            "```sh\n# not a heading\n```\n\nshown",
        ),
    ]
    assert cells(document) == [[["Port", "State"], ["North", "closed"]]]
    assert document.tables[0].header == 1


def test_front_matter_names_title_groups_validity_and_metadata() -> None:
    document = load(
        "a.md",
        "---\ntitle: Storm of 2026\ngroups: [harbour, crew]\nvalid_from: 2026-01-31\n"
        "valid_to: 2026-03-01T12:00:00+02:00\n"
        "language: zh-CN\nauthor: Li\ntags: [a, b]\nmetadata:\n  year: 2026\n  open: true\n---\nText.\n",
    )
    assert document.text == "Text."
    assert (document.title, document.groups, document.language) == ("Storm of 2026", ("crew", "harbour"), "zh")
    assert document.valid_from == datetime(2026, 1, 31, tzinfo=UTC)
    assert document.valid_to == datetime(2026, 3, 1, 10, tzinfo=UTC)
    assert document.metadata == {"author": "Li", "tags": "a, b", "year": 2026, "open": True}


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("groups:", "groups in the front matter must be a list"),
        ("groups: {a: b}", "groups in the front matter must be a list"),
        ("groups: [a", "not YAML"),
        ("valid_from: soon", "must be a date"),
        ("valid_from: 2026-02-01\nvalid_to: 2026-01-01", "must lie before"),
        ("metadata: 5", "metadata in the front matter"),
        ("title: !!python/object/apply:os.getcwd []", "not YAML"),
    ],
)
def test_front_matter_that_cannot_be_read_is_never_ignored(block: str, message: str) -> None:
    with pytest.raises(LoadError, match=message):
        load("a.md", f"---\n{block}\n---\nText.\n")


def test_no_group_means_nobody_and_no_key_means_the_default() -> None:
    assert load("a.md", "---\ngroups: []\n---\nText.").groups == ()
    assert load("a.md", "---\ntitle: x\n---\nText.").groups is None


def test_a_rule_at_the_start_is_no_front_matter() -> None:
    assert load("a.md", "---\nJust words.\n---\nText.").text.startswith("Just words.")


def test_a_long_markdown_goes_through_in_pieces_without_loss() -> None:
    block = "## Part\n\nThe **port** closed.\n\n```\n# code\n\nmore\n```\n\n"
    document = load("a.md", block * 6_000)  # 325 kB: two pieces
    assert len(document.sections) == 6_000
    assert document.text.count("```\n# code\n\nmore\n```") == 6_000


def test_a_table_without_names_of_columns_has_no_header() -> None:
    document = load("a.md", "|   |   |\n|---|---|\n| Port | North |\n| State | *closed*<br>today |\n")
    assert cells(document) == [[["Port", "North"], ["State", "closed today"]]]
    assert document.tables[0].header == 0
    assert document.text == "Port | North\nState | closed today"


def test_footnotes_stand_after_what_they_belong_to_wherever_they_are_written() -> None:
    source = (
        "# Storm[^h]\n\nFirst.[^a] More.[^a]\n\n- item[^b]\n- other\n\nLast.\n\n[^a]: Note a\n    goes on.\n"
        "[^b]: Note **b**.\n\n    Second paragraph.\n\n[^h]: Note h.\n[^z]: Nobody refers to it.\n\nEnd.\n"
    )
    assert load("a.md", source).text == (
        "Storm\n\nFirst. More.\n\nNote h.\n\nNote a goes on.\n\n- item\n- other\n\nNote b.\n\nSecond paragraph.\n\n"
        "Last.\n\nNobody refers to it.\n\nEnd."
    )


def test_a_footnote_that_only_code_refers_to_is_not_lost() -> None:
    assert load("a.md", "```\nx[^1]\n```\n\n[^1]: The note.\n").text == "```\nx[^1]\n```\n\nThe note."


def test_headings_with_a_rule_below_and_line_ends_of_windows() -> None:
    document = load("a.md", "Storm\r\n=====\r\n\r\nPort\r\n----\r\n\r\nIt closed.\r\n")
    assert outline(document) == [(("Storm",), "Storm"), (("Storm", "Port"), "Port\n\nIt closed.")]


def test_comments_are_left_out_even_over_empty_lines() -> None:
    assert (
        load("a.md", "One.\n\n<!-- a\n\n# no heading\n\n-->\n\nTwo <!-- b --> words.\n").text == "One.\n\nTwo  words."
    )


def test_links_are_their_words_though_their_targets_stand_far_away() -> None:
    text = load(
        "a.md", "[the storm][s] and [[Port|the port]] and [[Crane]]\n\n" + "Plain.\n\n" * 40 + "[s]: http://x\n"
    ).text
    assert text.startswith("the storm and the port and Crane\n")
    assert "http" not in text


def test_deep_quotes_and_lists_are_not_lost() -> None:
    assert load("a.md", ">" * 300 + " deep words").text == "deep words"
    assert load("a.md", "- " * 300 + "deep words").text.endswith("deep words")


def test_front_matter_in_toml() -> None:
    document = load(
        "a.md", '+++\ntitle = "Storm"\ndate = 2026-01-31\ntags = ["a", "b"]\ngroups = ["crew"]\n+++\nText.\n'
    )
    assert (document.text, document.title, document.groups) == ("Text.", "Storm", ("crew",))
    assert document.metadata == {"date": "2026-01-31", "tags": "a, b"}
    with pytest.raises(LoadError, match="not TOML"):
        load("a.md", "+++\ngroups = [\n+++\nText.\n")
    with pytest.raises(LoadError, match="no closing"):
        load("a.md", "+++\ngroups = []\nText.\n")


def test_groups_count_however_they_are_capitalised() -> None:
    assert load("a.md", "---\nGroups: [crew]\n---\nText.").groups == ("crew",)


FRAGMENTS = [
    "Plain words here", "another line.", "# Head", "## Second", "- item", "1. one", "   indented", "    code",
    "> quote", "```", "~~~", "<div>", "<!-- c", "-->", "<script>", "</script>", "| a | b |", "|---|---|", "===", "---",
    "*em*", "[ref]", "[ref]: http://x", "港口停工，", "台风登陆。", "", "", "", "a | b", "2019 was", "Head #",
    "Trailing  ",
]  # fmt: skip


def test_blocks_without_marks_read_the_same_past_the_parser_as_through_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markdown_source, "_PLAIN_RUN", 1)
    generator = random.Random(7)
    different = 0
    for _ in range(1500):
        source = "\n".join(generator.choice(FRAGMENTS) for _ in range(generator.randint(1, 12)))
        texts = []
        for parts in (markdown_source.pieces(source), [markdown_source.Piece(markdown_source.MARKED, source)]):
            builder = TextBuilder()
            blocks = MarkdownBlocks(builder, {}, markdown_source.link_targets(source))
            for part in parts:
                blocks.add(part)
            texts.append((builder.text(), builder.sections()))
        different += texts[0] != texts[1]
    assert different <= 1  # a fence that opens inside of HTML is the one known case


def test_many_headings_do_not_go_through_the_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("markdown_it.MarkdownIt.parse", lambda *_: pytest.fail("parsed"))
    started = time.process_time()
    document = load("a.md", "# Part\nIt closed.\n\n" * 50_000)
    assert len(document.sections) == 50_000
    assert time.process_time() - started < 10
