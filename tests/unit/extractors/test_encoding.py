"""Bytes to text."""

from __future__ import annotations

import random

import pytest

from extractors.loaders.encoding import decode
from storage.errors import LoadError

CHINESE = "由于台风在沿海登陆，港口停止作业。这是船只在外海等待的原因，我们不知道什么时候能恢复。"
ENGLISH = "The port closed because the typhoon made landfall."


@pytest.mark.parametrize("text", [CHINESE, ENGLISH, f"{ENGLISH} {CHINESE}"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "gb18030"])
def test_the_usual_encodings_are_told_without_a_label(text: str, encoding: str) -> None:
    if encoding in {"utf-16-le", "utf-16-be"}:
        text += "\n"  # without any ASCII character there is nothing that tells UTF-16 without a mark
    assert decode(text.encode(encoding)) == text


def test_a_short_gb18030_title_is_chinese() -> None:
    assert decode("港口停工".encode("gb18030")) == "港口停工"


def test_a_declared_gb2312_is_read_as_gb18030() -> None:
    assert decode("镕基".encode("gb18030"), declared="gb2312") == "镕基"  # 镕 is not in GB2312


def test_utf8_is_believed_over_a_wrong_label() -> None:
    assert decode(CHINESE.encode(), declared="gb2312") == CHINESE


def test_a_label_that_is_no_encoding_is_ignored() -> None:
    assert decode("caf\u00e9 is open, and so is the port".encode("cp1252"), declared="base64") == (
        "caf\u00e9 is open, and so is the port"
    )


def test_english_with_curly_quotes_in_windows_1252() -> None:
    text = "The harbour\u2019s master said \u201cwait\u201d \u2013 and the ships waited outside of the port."
    assert decode(text.encode("cp1252")) == text


def test_traditional_chinese_in_big5_goes_to_the_statistics() -> None:
    text = "由於颱風在沿海登陸，港口停止作業，船隻只能在外海等待。我們不知道什麼時候能夠恢復。" * 3
    assert decode(text.encode("big5")) == text


def test_utf8_cut_inside_its_last_character_is_still_utf8() -> None:
    assert decode(CHINESE.encode()[:-1]) == CHINESE[:-1] + "\ufffd"


def test_lone_surrogates_are_dropped() -> None:
    assert decode("港口\ud800停工了。".encode("utf-8", "surrogatepass")) == "港口停工了。"


def test_a_stray_nul_does_not_make_a_text_binary() -> None:
    assert decode(ENGLISH.encode() + b"\x00" + ENGLISH.encode()) == f"{ENGLISH}\x00{ENGLISH}"


@pytest.mark.parametrize(
    "data",
    [random.Random(7).randbytes(4096), b"\x00" * 100, b"a\x00\x00\x00\x01\x00\x00b" * 50, bytes(range(256)) * 4],
    ids=["random", "zeros", "records", "all bytes"],
)
def test_binary_is_refused(data: bytes) -> None:
    with pytest.raises(LoadError, match=r"report\.txt holds binary data"):
        decode(data, name="report.txt")


def test_no_bytes_are_no_text() -> None:
    assert decode(b"") == ""
