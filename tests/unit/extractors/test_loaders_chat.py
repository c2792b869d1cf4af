"""Transcripts and chat exports."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from extractors.loaders import load_document, load_file, loader_for
from extractors.loaders.chat import ChatLoader
from extractors.loaders.transcript import style_of
from extractors.ports import LoadOptions
from storage.errors import LoadError
from storage.records import Document
from storage.structure import PlaceKind, TextKind


def turns(document: Document) -> list[tuple[str, str]]:
    """Label and words of each turn."""
    assert document.kind is TextKind.DIALOGUE
    assert {place.kind for place in document.places} == {PlaceKind.TURN}
    return [(place.label, document.text[place.start : place.end]) for place in document.places]


def load(source: str, name: str = "a.txt") -> Document:
    assert loader_for(Path(name), source.encode()).name == "chat@2"
    return load_document(Path(name), source.encode())


@pytest.mark.parametrize(
    ("heads", "labels"),
    [
        (["Anna: {}", "Ben: {}"], ["Anna", "Ben"]),
        (["张三：{}", "李四：{}"], ["张三", "李四"]),
        (["[09:14] Anna: {}", "[09:15:30] Ben Li: {}"], ["Anna, 09:14", "Ben Li, 09:15:30"]),
        (["[09:14] 记录：{}", "[09:15] 主持：{}"], ["记录, 09:14", "主持, 09:15"]),
        (["2026-01-02 09:14 Anna: {}", "2026-01-02 09:15 Ben: {}"],
         ["Anna, 2026-01-02 09:14", "Ben, 2026-01-02 09:15"]),
        (["1/2/26, 9:14 PM - Anna: {}", "1/2/26, 9:15 PM - Ben: {}"],
         ["Anna, 1/2/26, 9:14 PM", "Ben, 1/2/26, 9:15 PM"]),
        (["[02.01.26, 09:14:01] Anna: {}", "[02.01.26, 09:15:02] Ben: {}"],
         ["Anna, 02.01.26, 09:14:01", "Ben, 02.01.26, 09:15:02"]),
        (["Anna (09:14): {}", "Ben (09:15): {}"], ["Anna, 09:14", "Ben, 09:15"]),
        (["[09:14] <anna> {}", "[09:15] <@ben> {}"], ["anna, 09:14", "ben, 09:15"]),
        (["张三 2026-01-02 09:14:05\n{}", "李四 2026-01-02 09:15:05\n{}"],
         ["张三, 2026-01-02 09:14:05", "李四, 2026-01-02 09:15:05"]),
        (["2026-01-02 09:14:05 张三(10001)\n{}", "2026-01-02 09:15:05 李四(10002)\n{}"],
         ["张三(10001), 2026-01-02 09:14:05", "李四(10002), 2026-01-02 09:15:05"]),
        (["Anna  9:14 AM\n{}", "Ben  9:15 AM\n{}"], ["Anna, 9:14 AM", "Ben, 9:15 AM"]),
    ],
    ids=lambda value: value[0].split("\n")[0],
)  # fmt: skip
def test_styles(heads: list[str], labels: list[str]) -> None:
    words = ["The port closed: storm.", "港口停工了。", "When?", "At 09:14, I think."]
    lines = [heads[index % 2].format(word) for index, word in enumerate(words)]
    document = load("\n".join(lines) + "\n")
    assert turns(document) == [(labels[index % 2], line) for index, line in enumerate(lines)]
    assert document.text == "\n".join(lines)


def test_further_lines_belong_to_the_turn_and_lines_before_the_first_to_none() -> None:
    source = "Call of Monday\n\nAnna: One.\nmore of it\n\nand more\nBen: Two.\nAnna: Three.\nBen: Four.\n"
    document = load(source)
    assert turns(document)[:2] == [("Anna", "Anna: One.\nmore of it\nand more"), ("Ben", "Ben: Two.")]
    assert document.text.startswith("Call of Monday\nAnna: One.")
    assert document.metadata == {"speakers": "Anna, Ben"}


def test_lines_that_only_their_width_parts_are_joined() -> None:
    turn = (
        "{}: The port closed because the storm made landfall in the\n"
        "morning, and all of the ships waited outside of the harbour\nuntil it ended."
    )
    document = load("\n\n".join(turn.format(name) for name in ("Anna", "Ben", "Anna", "Ben")))
    assert turns(document)[0][1] == turn.format("Anna").replace("\n", " ")


@pytest.mark.parametrize(
    "source",
    [
        "Note: it closed.\nIt was late.\nWarning: a storm.\nThe ships waited.\nNote: it ended.\nAll went home.\n",
        "name: port\nhost: a\nname: quay\nhost: b\n".replace("\nname: q", "\n\nname: q"),
        "name: a\nkind: b\nage: c\nname: d\nkind: e\nage: f\nname: g\nkind: h\nage: i\n",
        "From: a@b.c\nTo: d@e.f\nSubject: Storm\nDate: today\n\nThe port closed.\n",
        "2026-01-02 09:14:05 INFO: up\n2026-01-02 09:14:06 ERROR: down\n" * 4,
        "Jan  2 09:14:05 host kernel: up\nJan  2 09:14:06 host sshd: in\n" * 4,
        "Storm: a wind.\nPort: a place.\nQuay: a wall.\nShip: a vessel.\n",
        "- Anna: one\n- Ben: two\n- Anna: three\n- Ben: four\n",
        "Anna: One.\nAnna: Two.\nAnna: Three.\nAnna: Four.\nAnna: Five.\n",
        "http://a.b\nhttp://c.d\nftp://a.b\nftp://c.d\n",
        "The port closed at 09:14: a storm came.\n" * 6,
        "Lunch 12:00\nBreak 10:00\nLunch 12:30\nBreak 10:30\n",
    ],
)
def test_what_is_no_chat(source: str) -> None:
    assert style_of(source) is None
    assert loader_for(Path("a.txt"), source.encode()).name != "chat@2"


def test_markdown_and_code_stay_what_they_are_called() -> None:
    source = b"Anna: One.\nBen: Two.\nAnna: Three.\nBen: Four.\n"
    assert loader_for(Path("a.md"), source).name.startswith("markdown@")
    assert loader_for(Path("a.py"), source).name.startswith("code@")


@pytest.mark.parametrize(
    ("value", "labels"),
    [
        ([{"user": "Anna", "text": "One", "ts": "1767345240.000200"},
          {"user": "Ben", "text": "Two", "ts": "1767345300"},
          {"user": "Anna", "blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": "Three"}}], "ts": "x"}],
         ["Anna, 2026-01-02 09:14", "Ben, 2026-01-02 09:15", "Anna, x"]),
        ({"name": "desk", "messages": [
            {"id": 1, "from": "Anna", "date": "2026-01-02T09:14:00", "text": ["One"]},
            {"id": 2, "from": "Ben", "date": "2026-01-02T09:15:00", "text": [{"type": "bold", "text": "Tw"}, "o"]},
            {"id": 3, "from": "Anna", "date": "2026-01-02T09:16:00", "text": "Three"}]},
         ["Anna, 2026-01-02T09:14:00", "Ben, 2026-01-02T09:15:00", "Anna, 2026-01-02T09:16:00"]),
        ({"messages": [{"role": "Anna", "content": "One"}, {"role": "Ben", "content": "Two"},
                       {"role": "Anna", "content": [{"type": "text", "text": "Three"}]}]}, ["Anna", "Ben", "Anna"]),
    ],
)  # fmt: skip
def test_exports(value: object, labels: list[str]) -> None:
    document = load(json.dumps(value), "a.json")
    assert turns(document) == list(zip(labels, ["Anna: One", "Ben: Two", "Anna: Three"], strict=True))


def test_lines_of_messages_are_one_chat() -> None:
    rows = [
        {"sender": s, "message": m, "time": "09:14"} for s, m in (("Anna", "One"), ("Ben", "Two"), ("Anna", "Three"))
    ]
    assert load("\n".join(map(json.dumps, rows)), "a.jsonl").text == "Anna: One\nBen: Two\nAnna: Three"


def test_whoever_names_columns_gets_rows() -> None:
    rows = [
        {"sender": "Anna", "message": "One"},
        {"sender": "Ben", "message": "Two"},
        {"sender": "Anna", "message": "3"},
    ]
    data = "\n".join(map(json.dumps, rows)).encode()
    loaded = load_file(Path("a.jsonl"), data, LoadOptions(text_columns=("message",)))
    assert [document.text for document in loaded.documents] == ["One", "Two", "3"]


def test_reviews_of_users_are_no_chat() -> None:
    rows = [{"user": "Anna", "text": "One", "stars": 1}, {"user": "Ben", "text": "Two", "stars": 2}]
    assert loader_for(Path("a.json"), json.dumps(rows * 2).encode()).name == "jsonl@2"


def test_articles_with_authors_are_no_chat() -> None:
    rows = [
        {"author": "Anna", "title": "Storm", "text": "One", "date": "2026"},
        {"author": "Ben", "title": "x", "text": "Two"},
    ]
    assert loader_for(Path("a.json"), json.dumps(rows * 2).encode()).name == "jsonl@2"


def test_asked_for_as_a_chat_but_none() -> None:
    with pytest.raises(LoadError, match="holds no chat"):
        ChatLoader().load(Path("a.txt"), b"The port closed.", LoadOptions(format="chat"))


@pytest.mark.parametrize(
    "unit",
    ["Anna: one\nBen: two\n", "a" * 200 + "\n", "a b ", "Storm: ", "[09:14] ", "12:34", "Anna (09:14", "1/2/26, "],
)
def test_odd_text_takes_linear_time(unit: str) -> None:
    data = (unit * (1_000_000 // len(unit))).encode()
    started = time.process_time()
    load_document(Path("a.txt"), data)
    assert time.process_time() - started < 10


@pytest.mark.parametrize("turns_said", [1, 2, 3])
def test_a_format_that_is_asked_for_is_obeyed_however_few_turns_there_are(turns_said: int) -> None:
    lines = ["Anna: The port closed.", "Ben: Why?", "Anna: The storm."][:turns_said]
    document = load_document(Path("a.txt"), "\n".join(lines).encode(), LoadOptions(format="chat"))
    assert document.kind is TextKind.DIALOGUE
    assert [label for label, _ in turns(document)] == ["Anna", "Ben", "Anna"][:turns_said]


def test_a_text_without_a_turn_is_no_chat_even_if_it_is_asked_for() -> None:
    with pytest.raises(LoadError, match=r"a\.txt holds no chat: no line opens a turn"):
        load_document(Path("a.txt"), b"The port closed.", LoadOptions(format="chat"))


@pytest.mark.parametrize("users", [("Anna", "Ben"), ("Anna", "Anna")])
def test_messages_that_call_themselves_so_are_a_chat_however_few_they_are(users: tuple[str, str]) -> None:
    said = [
        {"type": "message", "user": user, "text": text, "ts": f"176734524{at}.000100"}
        for at, (user, text) in enumerate(zip(users, ("The port closed.", "Why?"), strict=True))
    ]
    document = load_document(Path("a.json"), json.dumps(said).encode())
    assert [label.partition(",")[0] for label, _ in turns(document)] == list(users)
