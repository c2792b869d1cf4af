"""Plain text, logs, settings and subtitles; encodings without a mark."""

from __future__ import annotations

from pathlib import Path

import pytest

from extractors.loaders import load_document
from extractors.loaders.encoding import decode

CHINESE = "由于台风在沿海登陆，港口停止作业。这是船只在外海等待的原因，我们不知道什么时候能恢复。"
WRAPPED = "\n".join(["the port closed as the storm came in and the ships"] * 6)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_of_nothing_but_chinese_is_told_without_a_mark(encoding: str) -> None:
    assert decode(CHINESE.encode(encoding)) == CHINESE


@pytest.mark.parametrize("encoding", ["gb18030", "big5", "shift_jis", "cp1252", "utf-8", "euc_kr", "koi8_r"])
def test_other_encodings_are_not_taken_for_utf16(encoding: str) -> None:
    words = {
        "gb18030": "由于台风港口停工我们不知道什么时候能恢复的是了在不",
        "big5": "我們不知道什麼時候能夠恢復的是了在不有人這",
        "shift_jis": "港口閉鎖暴風雨到来船舶待機復旧未定原因調査", "euc_kr": "항구가닫혔다폭풍때문에배들은기다렸다",
        "koi8_r": "портзакрытизбурикораближдутснаружи",
        "cp1252": "le port a été fermé à cause de la tempête, déjà près des côtes",
        "utf-8": "港口停工",
    }[encoding]  # fmt: skip
    for text in (words, words * 3):
        data = text.encode(encoding)
        for wrong in ("utf-16-le", "utf-16-be"):
            assert decode(data + data[:1] * (len(data) % 2)) != (data + data[:1] * (len(data) % 2)).decode(
                wrong, "replace"
            )


def test_logs_and_settings_keep_their_lines_and_prose_does_not() -> None:
    assert load_document(Path("a.log"), WRAPPED.encode()).text == WRAPPED
    assert load_document(Path("a.yaml"), WRAPPED.encode()).text == WRAPPED
    for name in ("a.txt", "a.rst", "a.org", "a.tex"):
        assert load_document(Path(name), WRAPPED.encode()).text == WRAPPED.replace("\n", " ")


def test_subtitles_are_read_without_numbers_times_and_marks() -> None:
    srt = "1\n00:00:01,000 --> 00:00:03,500\nThe <i>port</i>\nclosed.\n\n2\n00:00:04,000 --> 00:00:05,000\n2026\n"
    assert load_document(Path("a.srt"), srt.encode()).text == "The port\nclosed.\n2026"
    vtt = (
        "WEBVTT - x\n\nNOTE by hand\n\nSTYLE\n::cue {}\n\nid\n00:01.000 --> 00:03.500 align:start\n<v Anna>Why?</v>\n\n"
        "00:04.000 --> 00:05.000\n<00:04.200><c>3 < 4</c>\n"
    )
    assert load_document(Path("a.vtt"), vtt.encode()).text == "Anna: Why?\n3 < 4"
