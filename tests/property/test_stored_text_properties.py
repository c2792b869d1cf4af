"""The form in which text is stored."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from storage.records import Document
from storage.stored_text import stored_text

DROPPED = {"\x00", *map(chr, range(0xD800, 0xE000))}
NEWLINES = "\n\r\x0b\x0c\x85\u2028\u2029"

texts = st.text(
    st.characters() | st.characters(categories=["Cs"]) | st.sampled_from([*NEWLINES, "\x00", "ｱ", "ﬁ", "港", "\ufeff"])
)


@settings(deadline=None, max_examples=300)
@given(texts)
def test_storing_twice_changes_nothing_more(text: str) -> None:
    once = stored_text(text)
    assert stored_text(once) == once


@settings(deadline=None, max_examples=300)
@given(texts)
def test_stored_text_has_no_nul_no_lone_surrogate_and_one_kind_of_newline(text: str) -> None:
    stored = stored_text(text)
    assert not DROPPED & set(stored)
    assert not set(NEWLINES[1:]) & set(stored)
    assert stored.encode("utf-8").decode("utf-8") == stored


@settings(deadline=None, max_examples=300)
@given(texts)
def test_every_other_character_is_kept_in_its_order(text: str) -> None:
    unchanged = DROPPED | set(NEWLINES)
    assert [c for c in stored_text(text) if c != "\n"] == [c for c in text if c not in unchanged]


@settings(deadline=None)
@given(texts, texts)
def test_a_document_stores_text_and_title_in_this_form(text: str, title: str) -> None:
    document = Document(text=text, title=title)
    assert (document.text, document.title) == (stored_text(text), stored_text(title))
    again = Document.model_validate_json(document.model_dump_json())
    assert again.content_hash == document.content_hash
