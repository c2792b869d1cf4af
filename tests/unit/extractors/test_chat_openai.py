"""A chat model behind a real HTTP server: how it is asked for JSON, and what becomes of everything it may answer."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from chat_server import SECRET, Answer, ChatServer, chat_server
from pydantic import BaseModel

from extractors.chat import OpenAIChatModel
from storage.errors import ClewError, ConfigurationError, ModelError, UnreachableError
from storage.ports import ChatMessage

pytest.importorskip("openai")

QUESTION = [ChatMessage(role="system", content="Be brief."), ChatMessage(role="user", content="为什么?")]


class Colour(BaseModel):
    name: str
    shades: list[int]


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as started:
        yield started


@pytest.fixture
def make(server: ChatServer) -> Iterator[Callable[..., OpenAIChatModel]]:
    made: list[OpenAIChatModel] = []

    def model(**options: Any) -> OpenAIChatModel:
        made.append(OpenAIChatModel("m", base_url=server.url, api_key=SECRET, **{"max_retries": 0, **options}))
        return made[-1]

    yield model
    for one in made:
        one._server.client.close()


def structure(question: dict[str, Any]) -> str:
    """How a question asked for JSON."""
    form = question.get("response_format")
    if form is None:
        return "words"
    return f"{form['type']}{'+schema' if 'schema' in form else ''}"


def test_a_form_is_asked_for_by_its_schema(server: ChatServer, make: Callable[..., OpenAIChatModel]) -> None:
    server.otherwise = Answer('{"name": "red", "shades": [1]}', usage=(31, 7))
    reply = make().complete(QUESTION, max_tokens=50, form=Colour)
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens) == ('{"name": "red", "shades": [1]}', 31, 7)
    (question,) = server.questions
    assert question["messages"] == [{"role": m.role, "content": m.content} for m in QUESTION]
    assert (question["model"], question["max_tokens"], question["temperature"]) == ("m", 50, 0)
    assert structure(question) == "json_schema"
    assert question["response_format"]["json_schema"]["strict"] is True
    assert set(question["response_format"]["json_schema"]["schema"]["properties"]) == {"name", "shades"}
    assert server.keys == [f"Bearer {SECRET}"]


def test_without_a_form_nothing_is_asked_of_the_structure(
    server: ChatServer, make: Callable[..., OpenAIChatModel]
) -> None:
    server.otherwise = Answer("Because.")
    assert make().complete(QUESTION, max_tokens=5).text == "Because."
    assert structure(server.questions[0]) == "words"


def refusing(*forms: str, status: int = 400) -> Callable[[dict[str, Any]], Answer]:
    return lambda question: (
        Answer("not supported", status=status)
        if structure(question) in forms
        else Answer('{"name": "a", "shades": []}')
    )


@pytest.mark.parametrize(
    ("refused", "taken"),
    [
        (("json_schema",), "json_object+schema"),
        (("json_schema", "json_object+schema"), "json_object"),
        (("json_schema", "json_object+schema", "json_object"), "words"),
    ],
)
@pytest.mark.parametrize("status", [400, 422, 500])
def test_the_strictest_structure_that_the_server_takes_is_found_once(
    server: ChatServer, make: Callable[..., OpenAIChatModel], refused: tuple[str, ...], taken: str, status: int
) -> None:
    server.otherwise = refusing(*refused, status=status)
    model = make()
    assert model.complete(QUESTION, max_tokens=9, form=Colour).text
    assert [structure(q) for q in server.questions] == [*refused, taken]
    assert '"shades"' in server.questions[-1]["messages"][-1]["content"]  # the schema is told in words as well
    model.complete(QUESTION, max_tokens=9, form=Colour)
    assert structure(server.questions[-1]) == taken
    assert len(server.questions) == len(refused) + 2


def test_parameters_that_are_refused_by_name_are_left_out_or_renamed(
    server: ChatServer, make: Callable[..., OpenAIChatModel]
) -> None:
    def choosy(question: dict[str, Any]) -> Answer:
        if "max_tokens" in question:
            return Answer("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", status=400)
        if "temperature" in question:
            return Answer("Unsupported value: 'temperature' does not support 0", status=400)
        return Answer('{"name": "a", "shades": []}')

    server.otherwise = choosy
    model = make()
    model.complete(QUESTION, max_tokens=9, form=Colour)
    model.complete(QUESTION, max_tokens=9, form=Colour)
    assert len(server.questions) == 4
    assert server.questions[-1]["max_completion_tokens"] == 9
    assert {structure(q) for q in server.questions} == {"json_schema"}


@pytest.mark.parametrize(
    ("answer", "error", "says"),
    [
        (Answer("no", status=401), ConfigurationError, "refuses the key"),
        (Answer("no", status=403), ConfigurationError, "refuses the key"),
        (Answer("no", status=400), ConfigurationError, "refuses the model"),
        (Answer("no", status=404), ConfigurationError, "refuses the model"),
        (Answer("no", status=429), UnreachableError, "limits the rate"),
        (Answer("no", status=500), UnreachableError, "failed"),
        (Answer("no", status=503), UnreachableError, "failed"),
        (Answer('{"name": "r', finish="length"), ModelError, "cut off"),
        (Answer(None), ModelError, "an empty answer"),
        (Answer(None, refusal="I will not"), ModelError, "a refusal"),
        (Answer(body=b"<html>gateway</html>"), ModelError, "not a completion"),
        (Answer(body=b'{"choices": []}'), ModelError, "not a completion"),
        (Answer(body=b"[]"), ModelError, "not a completion"),
        (Answer(body=b'{"choices": [{"message": "text"}]}'), ModelError, "not a completion"),
    ],
    ids=lambda value: str(value.status) if isinstance(value, Answer) else None,
)
def test_what_goes_wrong_is_a_typed_error_that_keeps_the_secret(
    server: ChatServer,
    make: Callable[..., OpenAIChatModel],
    answer: Answer,
    error: type[ClewError],
    says: str,
) -> None:
    server.otherwise = answer
    model = make()
    with pytest.raises(error, match=says) as raised:
        model.complete(QUESTION, max_tokens=9, form=Colour)
    shown = "".join(traceback.format_exception(raised.value)) + repr(model) + model.name
    assert SECRET not in shown


def test_a_server_that_is_not_there_or_too_slow_is_unreachable(
    server: ChatServer, make: Callable[..., OpenAIChatModel]
) -> None:
    server.otherwise = Answer(seconds=0.5)
    with pytest.raises(UnreachableError, match="does not answer"):
        make(timeout=0.1).complete(QUESTION, max_tokens=9)
    nobody = OpenAIChatModel("m", base_url="http://127.0.0.1:9/v1", api_key=SECRET, max_retries=0)
    with pytest.raises(UnreachableError, match="does not answer"):
        nobody.complete(QUESTION, max_tokens=9)
    nobody._server.client.close()


def test_transient_failures_are_tried_again(server: ChatServer, make: Callable[..., OpenAIChatModel]) -> None:
    server.script = [Answer("busy", status=429), Answer("busy", status=503)]
    server.otherwise = Answer("well")
    assert make(max_retries=2).complete(QUESTION, max_tokens=9).text == "well"
    assert len(server.questions) == 3


def test_odd_text_can_be_sent_and_usage_may_be_missing(
    server: ChatServer, make: Callable[..., OpenAIChatModel]
) -> None:
    server.otherwise = Answer("x", usage=None)
    reply = make().complete([ChatMessage(role="user", content="a\ud800b")], max_tokens=9)
    assert (reply.prompt_tokens, reply.completion_tokens) == (0, 0)


def test_a_model_needs_a_name_and_a_key_or_an_address() -> None:
    with pytest.raises(ConfigurationError, match="no name"):
        OpenAIChatModel(" ", base_url="http://localhost/v1")
    with pytest.raises(ConfigurationError, match="needs a key"):
        OpenAIChatModel("m")
    with pytest.raises(ConfigurationError, match="is not an address"):
        OpenAIChatModel("m", base_url="localhost:8000")


# --- streaming -------------------------------------------------------------------------------------------------------


def test_a_streamed_answer_is_the_whole_one(server: ChatServer, make: Callable[..., OpenAIChatModel]) -> None:
    server.otherwise = Answer('{"name": "红", "shades": [1, 2]}', usage=(31, 7))
    whole = make().complete(QUESTION, max_tokens=50, form=Colour)
    streamed = make(stream=True).complete(QUESTION, max_tokens=50, form=Colour)
    assert streamed == whole
    first, second = server.questions
    assert (bool(first.get("stream")), second["stream"]) == (False, True)
    assert second["stream_options"] == {"include_usage": True}
    # What the client makes of the form when it parses, and what is sent with a stream, ask for the same.
    assert second["response_format"]["json_schema"]["strict"] is True
    assert second["response_format"]["json_schema"]["schema"] == first["response_format"]["json_schema"]["schema"]


def test_a_streaming_server_is_asked_for_json_in_the_way_that_it_takes(
    server: ChatServer, make: Callable[..., OpenAIChatModel]
) -> None:
    server.otherwise = refusing("json_schema", "json_object+schema", status=500)
    assert make(stream=True).complete(QUESTION, max_tokens=50, form=Colour).text == '{"name": "a", "shades": []}'
    assert [structure(q) for q in server.questions] == ["json_schema", "json_object+schema", "json_object"]


def test_a_server_that_does_not_stream_is_asked_for_whole_answers(
    server: ChatServer, make: Callable[..., OpenAIChatModel]
) -> None:
    server.otherwise = Answer("Because.", streams=False)
    model = make(stream=True)
    assert [model.complete(QUESTION, max_tokens=5).text for _ in range(2)] == ["Because.", "Because."]
    assert [bool(q.get("stream")) for q in server.questions] == [True, False, False]


def test_a_server_that_refuses_options_of_streams_is_asked_without(
    server: ChatServer, make: Callable[..., OpenAIChatModel]
) -> None:
    server.otherwise = lambda question: (
        Answer("unknown field: stream_options", status=400) if "stream_options" in question else Answer("Because.")
    )
    reply = make(stream=True).complete(QUESTION, max_tokens=5)
    assert (reply.text, reply.prompt_tokens) == ("Because.", 0)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Answer("Because of rain", pieces=4), UnreachableError),  # the connection ends in the middle
        (Answer("Because", pause=0.2), UnreachableError),  # longer than an answer may take
        (Answer("Because", finish="length"), ModelError),
        (Answer(None, refusal="no"), ModelError),
        (Answer("busy", status=503), UnreachableError),
        (Answer("slow down", status=429), UnreachableError),
    ],
)
def test_a_stream_that_fails_is_no_answer(
    server: ChatServer, make: Callable[..., OpenAIChatModel], answer: Answer, kind: type[ClewError]
) -> None:
    server.otherwise = answer
    with pytest.raises(kind) as raised:
        make(stream=True, timeout=0.5).complete(QUESTION, max_tokens=5)
    assert SECRET not in str(raised.value)
