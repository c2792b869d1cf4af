"""HTML made here, read back."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from extractors.loaders import load_document, load_file
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
            "原因\n\n台风登陆，港口停工。\n\n- one\n- two\n1. first\n\nPort | State\nNorth | closed now\n\na\n b",
        ),
    ]
    assert cells(document) == [[["Port", "State"], ["North", "closed now"]]]
    assert (document.tables[0].header, document.language) == (1, "en")


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


def page(body: str, head: str = "") -> Document:
    return load("a.html", f"<html lang=en><head>{head}</head><body>{body}</body></html>")


def test_the_cells_of_a_table_with_merged_ones() -> None:
    document = page(
        "<table><caption>Closures</caption><thead><tr><th rowspan=2>Port<th colspan=2>2026</tr><tr><th>Q1<th>Q2</tr>"
        "</thead><tfoot><tr><td>Sum<td>3<td>4</tr></tfoot><tbody><tr><td rowspan=2>North<td>1<td>2</tr>"
        "<tr><td>2<td>2</tr></tbody></table>"
    )
    assert cells(document) == [
        [
            ["Port", "2026", "2026"],
            ["Port", "Q1", "Q2"],
            ["North", "1", "2"],
            ["North", "2", "2"],
            ["Sum", "3", "4"],
        ]
    ]
    table = document.tables[0]
    assert (table.header, table.caption) == (2, "Closures")
    assert document.text.count("North") == 1
    assert document.text.startswith("Closures\n\nPort | 2026")


def test_spans_that_cannot_be_are_bounded() -> None:
    document = page("<table><tr><td colspan=99999999>All<tr><td rowspan=0>a<td colspan=x>b<tr><td>c</table>")
    assert cells(document) == [[["All", "All"], ["a", "b"], ["a", "c"]]]
    many = page("<table>" + "<tr><td rowspan=65000 colspan=1000>a<td>b" * 3000 + "</table>")
    assert many.text.count("a") == 3000


def test_a_table_in_a_cell_is_read_as_words_of_the_cell() -> None:
    document = page(
        "<table><tr><th>Port<th>Cranes<tr><td>North<td><table><tr><td>A<td>1</tr><tr><td>B<td>2</table></table>"
    )
    assert cells(document) == [[["Port", "Cranes"], ["North", "A 1 B 2"]]]
    assert document.text == "Port | Cranes\nNorth | A 1 B 2"


@pytest.mark.parametrize(
    "table",
    [
        "<table role=presentation><tr><th>a<th>b<tr><td>c<td>d</table>",
        "<table><tr><td>one row<td>only</table>",
        "<table><tr><td>one<tr><td>column</table>",
        "<table><tr><td><h2>Part</h2><td>b<tr><td>c<td>d</table>",
        "<table><tr><td>a<td><p>b<p>c<p>d</table>",
        "<table><tr><td>a<td>b<tr><td>c<td><table><tr><td>d<td>e<tr><td>f<td>g</table></table>",
    ],
)
def test_a_layout_table_is_no_table(table: str) -> None:
    document = page(table)
    assert len(document.tables) == table.count("<table") - 1


PROSE = "The port closed because the storm came, and it stayed closed for a week. " * 5


@pytest.mark.parametrize(
    "around",
    [
        "<div class='site-nav'>Around</div>",
        "<ul id=breadcrumbs><li>Around</ul>",
        "<div role=navigation>Around</div>",
        "<section id=comments><h3>Around</h3><p>First!</section>",
        "<aside>Around</aside>",
        "<form><label>Around</label><input></form>",
        "<p>© 2026 Around Ltd.</p>",
        "<td>Copyright Around Weekly. All rights reserved.</td>",
        "<div>We use cookies, Around</div>",
        "<div>本网站使用 Cookie，Around</div>",
        "<a href='#main'>Skip to main content Around</a>",
        "<p style='color: red; display : none'>Around</p>",
        "<header><a href=/>Around</a></header>",
        "<div><a href=1>Around 1</a> <a href=2>Around 2</a> | <a href=3>Around 3</a></div>",
        "<noscript>Around</noscript><template>Around</template><select><option>Around</select>",
    ],
)
def test_what_stands_around_the_text_is_left_out(around: str) -> None:
    assert page(f"{around}<h1>Storm</h1><p>{PROSE}</p>{around}").text == f"Storm\n\n{PROSE.strip()}"


@pytest.mark.parametrize(
    "content",
    [
        "<div class='content has-sidebar'><h1>Storm</h1><p>{}</p></div>",
        "<form id=aspnetForm><div class=wrap><p>{}</p></div></form>",
        "<div id=main class='page with-nav'><p>{}</p></div>",
        "<aside class='admonition note'><p>{}</p></aside>",
        "<header><h1>Storm</h1><p>{}</p></header>",
        "<main><blockquote>{}<footer>Anna</footer></blockquote></main>",
        "<section id=cookies><h2>Cookies</h2><p>{}</p></section><p>{}</p><p>{}</p>",
        "<section id=social-impact-2 class=level2><h2>Social impact</h2><p>{}</p></section><p>{}</p><p>{}</p>",
        "<p>Copyright law did not change in the storm. {}</p>",
    ],
)
def test_what_only_looks_like_it_is_kept(content: str) -> None:
    document = page(f"<div class=nav>Around</div>{content.format(*['They waited. ' + PROSE] * content.count('{}'))}")
    assert document.text.count("They waited.") == content.count("{}")
    assert "Around" not in document.text


def test_the_heading_above_the_main_element_is_kept() -> None:
    document = page(f"<div class=hero><h1>Storm</h1></div><main><p>{PROSE}</main><div>Imprint</div>")
    assert document.text == f"Storm\n\n{PROSE.strip()}"
    assert document.sections[0].path == ("Storm",)


def test_what_leads_to_a_heading_is_no_part_of_it() -> None:
    tools = '<a class="headerlink" href="#s">¶</a><a href="#s">#</a><span class="mw-editsection">[<a>edit</a>]</span>'
    assert page(f"<main><h1>Storm{tools}</h1><p>{PROSE}</main>").sections[0].path == ("Storm",)


def test_footnotes_stand_after_their_paragraph_and_their_marks_are_gone() -> None:
    document = page(
        "<p>The port closed.<sup id=r1><a href='#n1'>1</a></sup> It opened<a href='#n2'><sup>[2]</sup></a> later."
        "<p>End<sup><a href='other.html#n9'>9</a></sup>.<hr><ol><li id=n1>Local time. "
        "<a href='#r1'>↩</a><li id=n2>Or not.</ol>"
    )
    assert document.text == "The port closed. It opened later.\n\nLocal time.\n\nOr not.\n\nEnd."


def test_a_link_to_a_part_of_the_page_is_no_footnote() -> None:
    document = page("<p>See <a href='#c2'>chapter 2</a>.</p><div id=c2><h2>Chapter</h2><p>Text.</div>")
    assert document.text == "See chapter 2.\n\nChapter\n\nText."


def test_metadata_and_language() -> None:
    document = page(
        f"<p>{PROSE}",
        "<title>Storm</title><meta name=Author content='Li Na'>"
        "<meta property='article:published_time' content='2026-01-31'>"
        "<meta name=keywords content='port, storm'><meta name=description content=Why>"
        "<meta name=viewport content=x>",
    )
    assert document.metadata == {
        "author": "Li Na",
        "date": "2026-01-31",
        "keywords": "port, storm",
        "description": "Why",
    }
    assert (document.language, document.title) == ("en", "Storm")


def test_code_keeps_its_lines_and_lists_their_numbers() -> None:
    document = page(
        "<pre><code>if a:\n    b()</code></pre><ol start=3><li>three<li><p>four</p></ol>x<q>said</q><sub>1</sub>"
    )
    assert document.text == "```\nif a:\n    b()\n```\n\n3. three\n4. four\n\nx“said”1"


def test_xhtml_with_empty_elements_and_named_characters() -> None:
    source = (
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x.dtd">'
        '<html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="x"/></head>'
        "<body><h1>Storm&nbsp;&eacute;</h1><a id='x'/><p>It came &amp; went.</p></body></html>"
    )
    assert load("a.xhtml", source).text == "Storm é\n\nIt came & went."
    assert load("a.txt", source.replace("</p>", "")).text == "Storm é\n\nIt came & went."


def test_a_page_that_scripts_fill_is_reported() -> None:
    scripts = "<script>a()</script>" * 3
    loaded = load_file(Path("a.html"), f"<html><body><p>Loading</p>{scripts}</body></html>".encode())
    assert "3 scripts" in loaded.notes[0]
    with pytest.raises(LoadError, match="by scripts"):
        load_document(Path("a.html"), f"<html><body><div id=app></div>{scripts}</body></html>".encode())


@pytest.mark.parametrize(
    ("encoding", "declared", "words"),
    [("gb18030", "gb2312", "港口停工，镕"), ("cp1252", "iso-8859-1", "It’s a “storm”"), ("utf-16", "utf-8", "港口")],
)
def test_encodings_that_are_called_by_another_name(encoding: str, declared: str, words: str) -> None:
    source = f'<html><head><meta charset="{declared}"></head><body><p>{words}</p></body></html>'
    assert load_document(Path("a.html"), source.encode(encoding)).text == words


@pytest.mark.parametrize(
    "source",
    [
        "<div class=a>" * 1500 + "x" * 100_000,
        "<table><tr><td>" * 300 + "x" * 1000,
        "<div><a href=x>y</a>" * 200 + "<p>x</p>" * 50_000,
        "<sup><a href='#n'>1</a></sup>" * 20_000 + "<p id=n>x" * 20_000,
        "<p>" + "&nbsp;<b>x</b>" * 100_000,
        "<p " + " ".join(f"a{n}=1" for n in range(100_000)) + ">x",
        "<p " + "".join(f"a{n}='>'" for n in range(100_000)) + ">x",
        "<p " + "/".join(f"a{n}" for n in range(100_000)) + ">x",
    ],
)
def test_hostile_pages_are_read_or_refused_in_time(source: str) -> None:
    started = time.process_time()
    try:
        page(source)
    except LoadError as error:
        assert "too deeply" in str(error)  # noqa: PT017
    assert time.process_time() - started < 10


def test_a_language_that_the_words_do_not_bear_out_is_not_believed() -> None:
    assert page("<p>台风登陆，港口停工，船只只能等待。").language is None
