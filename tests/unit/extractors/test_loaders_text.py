"""Plain text, Markdown and HTML."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from extractors.loaders import load_document
from extractors.loaders.line_joining import LineJoiner, unwrap
from storage.errors import LoadError
from storage.records import Document


def load(name: str, source: str) -> Document:
    return load_document(Path(name), source.encode())


def outline(document: Document) -> list[tuple[tuple[str, ...], str]]:
    return [(s.path, document.text[s.start : s.end].rstrip()) for s in document.sections]


# --- plain text ------------------------------------------------------------------------------------------------------


def test_hard_wrapped_paragraphs_become_lines() -> None:
    wrapped = (
        "The committee decided after a long debate that the\nport should be closed until the weather, which\n"
        "was bad, improved. The ships waited outside of the\nharbour.\n\n"
        "- an item that is as long as the others of it\n- another item that is as long as the others ones\n\n"
        "The end of the story came on Monday as the weather\nimproved."
    )
    assert load("a.txt", wrapped).text.split("\n") == [
        "The committee decided after a long debate that the port should be closed until the weather, which was bad, "
        "improved. The ships waited outside of the harbour.",
        "",
        "- an item that is as long as the others of it",
        "- another item that is as long as the others ones",
        "",
        "The end of the story came on Monday as the weather improved.",
    ]


def test_wrapped_chinese_joins_without_blanks() -> None:
    line = "由于台风在沿海地区登陆，港口停止作业，船只只能等"
    assert unwrap("\n".join([line] * 6)) == line * 6


def test_text_that_is_not_wrapped_keeps_its_lines() -> None:
    text = "roses\nare red\nand a much longer line than all of the others that stand around it here\nviolets\nblue\nx"
    assert unwrap(text) == text


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("the har-", "bour", "the harbour"),
        ("a post-", "mortem", "a post-mortem"),  # the document has it with a hyphen elsewhere
        ("in 2022-", "08", "in 2022-08"),
        ("the Franco-", "British", "the Franco-British"),
        ("港口", "停工", "港口停工"),
        ("the port", "closed", "the port closed"),
    ],
)
def test_line_ends(before: str, after: str, expected: str) -> None:
    tail, gap = LineJoiner(["the harbour", "a post-mortem"]).tail_and_gap(before, after)
    assert tail + gap + after == expected


# --- Markdown --------------------------------------------------------------------------------------------------------

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
        (("Storm",), "Storm\n\nThe port closed because the storm came."),
        (
            ("Storm", "原因"),
            "原因\n\n台风登陆，港口停工。\n\n- one code\n- two\n1. inner\nPort | State\nNorth | closed\n\n"
            "```sh\n# not a heading\n```\n\nshown\n\n[^1]: 文中所称均为当地时间。",
        ),
    ]


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


# --- HTML ------------------------------------------------------------------------------------------------------------

HTML = """<!doctype html><html lang=en><head><title>Storm &amp; port</title><style>p {}</style></head><body>
<header><nav><a href=/>Home</a></nav></header><div class="cookie-banner">We use cookies</div>
<main><h1>Storm</h1><p>The port
closed&nbsp;because the <b>storm</b> came.<br>It opened later.<script>x()</script><p hidden>secret
<h2>原因</h2><p>台风登陆，
港口停工。<ul><li>one<li>two</ul><ol><li>first</ol>
<table><tr><th>Port<th>State<tr><td>North<td>closed <i>now</i></table>
<pre>a
 b</pre></main><footer>Imprint</footer></body></html>"""


def test_html_gives_the_main_content() -> None:
    document = load("a.html", HTML)
    assert document.title == "Storm & port"
    assert outline(document) == [
        (("Storm",), "Storm\n\nThe port closed\u00a0because the storm came.\nIt opened later."),
        (
            ("Storm", "原因"),
            "原因\n\n台风登陆，港口停工。\n\n- one\n- two\n1. first\nPort | State\nNorth | closed now\n\na\nb",
        ),
    ]


def test_the_charset_of_the_meta_element_is_used() -> None:
    source = '<html><head><meta charset="big5"></head><body><p>港口</p></body></html>'
    assert load_document(Path("a.html"), source.encode("big5")).text == "港口"


def test_a_table_that_lays_out_the_page_is_read_as_text() -> None:
    source = (
        "<html><body><table><tr><td><a href=1>One</a> <a href=2>Two</a> <a href=3>Three</a></td>"
        "<td><h1>Storm</h1><p>The port closed.</p></td></tr></table></body></html>"
    )
    assert load("a.html", source).text == "Storm\n\nThe port closed."


def test_an_external_entity_is_not_fetched(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("TOP SECRET")
    source = f'<!DOCTYPE html [<!ENTITY x SYSTEM "file://{secret}">]><html><body><p>a&x;b</p></body></html>'
    assert "TOP SECRET" not in load("a.html", source).text
