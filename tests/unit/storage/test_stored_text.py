"""The one form of stored text."""

from __future__ import annotations

import pytest

from storage.stored_text import stored_text


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("", ""),
        ("a\nb", "a\nb"),
        ("a\r\nb", "a\nb"),
        ("a\rb", "a\nb"),
        ("a\r\r\nb", "a\n\nb"),
        ("a\n\rb", "a\n\nb"),
        ("a\u2028b\u2029c", "a\nb\nc"),
        ("a\x85b\x0bc\x0cd", "a\nb\nc\nd"),
        ("a\x00b", "ab"),
        ("\x00", ""),
        ("a\ud800b\udfffc", "abc"),
        ("\r\x00\n", "\n\n"),  # they did not stand together when newlines were looked at
    ],
)
def test_newlines_become_one_kind_and_unstorable_characters_go(given: str, kept: str) -> None:
    assert stored_text(given) == kept


@pytest.mark.parametrize(
    "text",
    [
        "ＡＢＣ１２３",  # full width
        "ﬁne, ②, ㎏",  # compatibility forms
        "e\u0301 and é",  # decomposed and composed
        "\ufeffmark",
        "tab\tand\u00a0space  twice",
        "soft\u00adhyphen zero\u200bwidth",
        "𠮷野家 😀",  # outside the basic plane: a pair in UTF-16, one code point here
        "\x01\x1f\x7f",
        "台风登陆，港口停工。",
    ],
)
def test_nothing_else_changes(text: str) -> None:
    assert stored_text(text) == text
