"""Ingest with a chat model behind a real HTTP server: what it adds, what it costs, and what happens without it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from chat_server import SECRET, Answer, ChatServer, chat_server
from pydantic import SecretStr
from stand_ins import WordEmbedder

from extractors.chat import Limits
from graphrag import KnowledgeBase
from graphrag.doctor import costs_so_far, examine
from graphrag.settings import Settings, load_settings
from storage.errors import ConfigurationError
from storage.records import OWNER, Document

pytest.importorskip("openai")

DOCUMENTS = [
    Document(id=f"note-{i}", text=f"Crane {i} stood still. Ship {i} left late. It was a quiet Monday for all others.")
    for i in range(6)
]


def adding(question: dict[str, Any]) -> Answer:
    """A model that joins every crane to its ship."""
    numbers = re.findall(r"Crane (\d+) stood still", question["messages"][-1]["content"])
    found = [
        {
            "type": "causal",
            "head": f"Crane {n} stood still",
            "tail": f"Ship {n} left late",
            "cue": "",
            "negated": False,
            "modality": "asserted",
        }
        for n in numbers
    ]
    return Answer(json.dumps({"checked": [], "found": found}), usage=(400, 100))


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as started:
        started.otherwise = adding
        yield started


@pytest.fixture
def opened(server: ChatServer, tmp_path: Path) -> Iterator[Callable[..., KnowledgeBase]]:
    bases: list[KnowledgeBase] = []

    def make(name: str = "store", **changes: Any) -> KnowledgeBase:
        values: dict[str, Any] = {
            "openai_base_url": server.url,
            "openai_api_key": SecretStr(SECRET),
            "chat_model": "m",
            "cache": tmp_path / "cache",
            "chat_prompt_price": 2.0,
            "chat_completion_price": 8.0,
            **changes,
        }
        bases.append(KnowledgeBase.open(tmp_path / name, settings=Settings(**values), embedder=WordEmbedder()))
        return bases[-1]

    yield make
    for base in bases:
        base.close()


def origins(kb: KnowledgeBase) -> set[str]:
    """Whose evidence stands in the store, without the details of their names."""
    graph = kb._stores.graph
    scope = graph.scope(OWNER)
    ids = [i for digit in "0123456789abcdef" for i in graph.ids_starting(f"rel_{digit}", scope, limit=100)]
    return {e.origin.partition("(")[0] for found in graph.evidence(ids, scope).values() for e in found}


def test_a_named_model_is_asked_beside_the_rules(server: ChatServer, opened: Callable[..., KnowledgeBase]) -> None:
    kb = opened()
    report = kb.ingest(DOCUMENTS)
    assert (len(report.added), report.relations) == (6, {"causal": 6})
    assert report.model is not None
    # 6 x (400 x 2 + 100 x 8) / 1,000,000
    assert (report.model.calls, report.model.tokens) == (6, 3000)
    assert report.model.cost == pytest.approx(0.0096)
    assert "model: 6 calls, 3,000 tokens, cost 0.0096" in report.as_text()
    assert origins(kb) == {"model@1"}
    (found,) = kb.chains(start="Crane 3 stood still").chains
    assert found.links[0].evidence[0].quote == "Crane 3 stood still. Ship 3 left late"
    assert kb.ingest(DOCUMENTS).unchanged == 6
    assert len(server.questions) == 6


def test_without_a_model_nothing_is_asked(server: ChatServer, opened: Callable[..., KnowledgeBase]) -> None:
    for changes in ({"chat_model": None}, {"extractor": "offline"}):
        report = opened(str(changes), **changes).ingest(DOCUMENTS)
        assert (len(report.added), report.model) == (6, None)
    assert server.questions == []


def test_a_dry_run_says_what_it_will_ask_and_asks_nothing(
    server: ChatServer, opened: Callable[..., KnowledgeBase]
) -> None:
    kb = opened()
    expected = kb.ingest(DOCUMENTS, dry_run=True).model
    assert expected is not None
    assert server.questions == []
    assert expected.calls == 6
    assert 6 * 500 < expected.tokens < 6 * 1500  # the prompt has about 700
    kb.ingest(DOCUMENTS[:2])
    rest = kb.ingest(DOCUMENTS, dry_run=True).model
    assert rest is not None
    assert rest.calls == 4
    other = opened("other").ingest(DOCUMENTS, dry_run=True).model  # another store, the same user
    assert other is not None
    assert other.calls == 4


@pytest.mark.parametrize("limits", [Limits(max_tokens=4_000), Limits(max_cost=0.021)], ids=["tokens", "cost"])
def test_it_stops_before_it_costs_more_and_goes_on_later(
    server: ChatServer, opened: Callable[..., KnowledgeBase], limits: Limits
) -> None:
    kb = opened(chat_concurrency=1)
    first = kb.ingest(DOCUMENTS, limits=limits)
    assert 0 < len(first.added) < 6
    assert first.stopped.endswith("what is left is taken in by the same command")
    assert first.model is not None
    assert first.model.tokens <= 4_000
    assert (len(kb.documents().documents), first.failed) == (len(first.added), ())
    second = kb.ingest(DOCUMENTS)
    assert (len(second.added), second.unchanged, second.stopped) == (6 - len(first.added), len(first.added), "")
    assert len(server.questions) == 6
    straight = opened("straight")
    straight.ingest(DOCUMENTS)
    assert straight.status().state_hash == kb.status().state_hash


def test_a_failing_model_leaves_the_rules_and_a_mark_and_is_asked_again_later(
    server: ChatServer, opened: Callable[..., KnowledgeBase]
) -> None:
    documents = [*DOCUMENTS[:2], Document(id="road", text="The port closed because the road was flooded.")]
    server.otherwise = Answer("broken", status=503)
    kb = opened()
    kb._stores.extractor._model._model._inner._inner._server.client.max_retries = 0  # type: ignore[attr-defined]
    report = kb.ingest(documents)
    assert len(report.added) == 3
    assert report.relations == {"causal": 1}
    assert {p.path for p in report.degraded} == {d.id for d in documents}
    assert "could not read 1 of 1 parts" in report.degraded[0].reason
    server.otherwise = adding
    later = kb.ingest(documents)
    assert later.unchanged == 3
    assert "--retry-degraded" in later.degraded[0].reason
    kb._stores.extractor._model._rests_until = 0.0  # type: ignore[attr-defined]
    better = kb.ingest(documents, retry_degraded=True)
    assert (len(better.replaced), better.degraded) == (3, ())
    assert origins(kb) >= {"model@1"}
    again = kb.ingest(documents)
    assert (again.unchanged, again.degraded, again.stale) == (3, (), ())


def test_a_prompt_of_the_users_own_is_sent(
    server: ChatServer, opened: Callable[..., KnowledgeBase], tmp_path: Path
) -> None:
    prompt = tmp_path / "prompt.md"
    prompt.write_text("Find what follows from what. 只用JSON回答。", encoding="utf-8")
    opened(extraction_prompt=prompt).ingest(DOCUMENTS[:1])
    assert server.questions[0]["messages"][0] == {"role": "system", "content": prompt.read_text(encoding="utf-8")}
    with pytest.raises(ConfigurationError, match="cannot be read"):
        opened("other", extraction_prompt=tmp_path / "none.md")


def test_a_model_must_be_named_where_one_is_wanted(opened: Callable[..., KnowledgeBase]) -> None:
    with pytest.raises(ConfigurationError, match="needs a model"):
        opened(chat_model=None, extractor="hybrid")


def test_the_secret_is_in_no_store_and_no_report(
    server: ChatServer, opened: Callable[..., KnowledgeBase], tmp_path: Path
) -> None:
    report = opened().ingest(DOCUMENTS)
    assert SECRET not in repr(report)
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or SECRET.encode() not in file.read_bytes(), file


def test_the_doctor_asks_the_model_and_sums_what_was_paid(
    server: ChatServer, opened: Callable[..., KnowledgeBase], tmp_path: Path
) -> None:
    environ = {
        "CLEW_CHAT_MODEL": "m",
        "OPENAI_BASE_URL": server.url,
        "OPENAI_API_KEY": SECRET,
        "CLEW_CACHE": str(tmp_path / "cache"),
        "CLEW_EMBEDDER": "use",
    }
    assert load_settings(None, environ=environ).chat_model == "m"
    assert costs_so_far(tmp_path, environ).as_text() == "no chat model was asked"
    opened().ingest(DOCUMENTS)
    (paid,) = costs_so_far(tmp_path, environ).models
    assert (paid.calls, paid.prompt_tokens, paid.completion_tokens) == (6, 2400, 600)
    assert paid.cost == pytest.approx(0.0096)
    (finding,) = (f for f in examine(tmp_path, environ).findings if f.name == "chat model")
    assert finding.ok
    server.otherwise = Answer("no", status=401)
    (finding,) = (f for f in examine(tmp_path, environ).findings if f.name == "chat model")
    assert not finding.ok
    assert "refuses the key" in finding.detail
