"""What becomes of a hyphen, a slash and an address at a line end."""

from __future__ import annotations

import pytest

from extractors.loaders.line_joining import LineJoiner

PLAIN = ["The crane stood still and nobody looked at it for a long time."] * 30
HYPHENATED = [*PLAIN, "They could not use the con-", "ventions of the port authori-", "ties."]


def joined(before: str, after: str, *, around: list[str]) -> str:
    tail, gap = LineJoiner([*around, before, after]).tail_and_gap(before, after)
    return tail + gap + after


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("a part of the pack-", "age came", "a part of the package came"),  # both parts are words, the whole is one
        ("before the appli-", "cation ran", "before the application ran"),
        ("the CLI-", "based tool", "the CLI-based tool"),
        ("the capability-", "service had", "the capability-service had"),  # no word without the hyphen
        ("the aws-", "ebs-csi driver", "the aws-ebs-csi driver"),
        ("in north-", "West Bay", "in north-West Bay"),
        ("on 2022-", "08 it", "on 2022-08 it"),
        ("the Kuber-", "netes node", "the Kubernetes node"),
    ],
)
def test_hyphens_of_a_text_that_a_program_hyphenated(before: str, after: str, words: str) -> None:
    assert joined(before, after, around=HYPHENATED) == words


def test_a_text_without_cut_words_keeps_the_hyphens_of_its_author() -> None:
    assert joined("we need to re-", "work it", around=PLAIN) == "we need to re-work it"
    assert joined("see the post-", "mortem of", around=PLAIN) == "see the post-mortem of"


def test_the_words_of_the_document_decide_first() -> None:
    assert joined("the sub-", "path was", around=[*HYPHENATED, "A subpath is a path."]) == "the subpath was"
    assert joined("the pack-", "age was", around=[*HYPHENATED, "A pack-age is a joke."]) == "the pack-age was"


def test_a_language_without_a_word_list_is_joined_when_cuts_are_many() -> None:
    german = [*PLAIN, "Die Verwal-", "tung der Wasser-", "versorgungs-", "anlagen und Gebäu-", "de"]
    assert joined("in der Kranfüh-", "rung lag", around=german) == "in der Kranführung lag"


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("all pending/", "errored jobs", "all pending/errored jobs"),
        ("at https://example.org/a/co", "mmit/dbda32b5, which", "at https://example.org/a/commit/dbda32b5, which"),
        ("at https://example.org/a", "and then", "at https://example.org/a and then"),
        ("at https://example.org/a.", "See 3/4", "at https://example.org/a. See 3/4"),
        ("由于台风，", "港口关闭", "由于台风，港口关闭"),
    ],
)
def test_slashes_addresses_and_chinese(before: str, after: str, words: str) -> None:
    assert joined(before, after, around=PLAIN) == words


def test_names_of_an_english_text_keep_their_hyphens_though_no_dictionary_has_them() -> None:
    lines = [*PLAIN, "It is read by python-", "docx and by import-", "linter, and charset-", "normalizer guesses."]
    for before, after in (("by python-", "docx"), ("the import-", "linter"), ("by charset-", "normalizer")):
        assert joined(before, after, around=lines) == before + after


def test_a_word_cut_without_a_hyphen_is_one_if_it_is_known_and_its_parts_are_not() -> None:
    joiner = LineJoiner(["The pypdfium library reads pages."])
    assert joiner.is_one_word("sente", "nces of a text")
    assert joiner.is_one_word("pypdf", "ium")
    assert not joiner.is_one_word("whole", "turns")
    assert not joiner.is_one_word("in", "to")
    assert not joiner.is_one_word("sente", "Nces")
