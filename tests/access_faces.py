"""The faces through which a caller asks, each behind one small protocol, and random questions for them.

A new face (a server, a protocol for tools, an export) joins the tests of access with one more class here.
"""

from __future__ import annotations

import contextlib
import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import pytest
from access_corpus import Corpus, Thing, chains_in
from typer.testing import CliRunner

import graphrag.console
import graphrag.store_command
from graphrag import KnowledgeBase
from graphrag.question import Ask, read_question
from storage.errors import ClewError
from storage.records import OWNER, View

OpenStore = Callable[..., KnowledgeBase]
"""The fixture ``open_store``."""


@dataclass(frozen=True, slots=True)
class Query:
    """Something to ask: a method of the knowledge base and its arguments; ``told``: what the asker says itself."""

    verb: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def told(self) -> list[str]:
        """Every string among the arguments, the longest first."""
        values = [v for v in self.arguments.values() if isinstance(v, str)]
        values += [str(v) for v in self.arguments.get("where", {}).values()]
        return sorted(values, key=len, reverse=True)


@dataclass(frozen=True, slots=True)
class Shown:
    """All that a face shows: the result as data, and every character that is printed."""

    data: Any
    text: str

    def besides(self, query: Query) -> str:
        """What is shown without what the asker has said."""
        text = f"{self.text}\n{json.dumps(self.data, ensure_ascii=False)}"
        for said in query.told:
            for written in (said, json.dumps(said, ensure_ascii=False)[1:-1], json.dumps(said)[1:-1]):
                text = text.replace(written, "")
        return text


class Face(Protocol):
    """One way to ask."""

    name: str

    def show(self, query: Query, groups: Sequence[str]) -> Shown | None:
        """What a caller of these groups is shown; None where this face has no such question."""


class PythonFace:
    """The methods of the knowledge base, and the counts under them."""

    name = "python"

    def __init__(self, kb: KnowledgeBase) -> None:
        self._kb = kb

    def show(self, query: Query, groups: Sequence[str]) -> Shown | None:
        """See :class:`Face`."""
        try:
            if query.verb == "counts":
                graph = self._kb._stores.graph
                result: Any = graph.counts(graph.scope(View(groups=frozenset(groups))))
                return Shown(result.model_dump(mode="json"), str(result))
            result = getattr(self._kb, query.verb)(**query.arguments, groups=groups)
        except ClewError as error:
            return Shown({"error": type(error).__name__, "message": str(error)}, f"{error!r}")
        return Shown(result.model_dump(mode="json"), f"{result}{result!r}{result._repr_html_()}")


class CommandLineFace:
    """``clew VERB --groups``, as text and as JSON, without starting a process for each."""

    name = "command line"

    def __init__(self, kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
        def opened(*_: Any, **__: Any) -> Any:
            return contextlib.nullcontext(kb)

        monkeypatch.setattr(graphrag.console, "_open", opened)
        monkeypatch.setattr(graphrag.store_command, "open_store", opened)
        self._runner = CliRunner()

    def show(self, query: Query, groups: Sequence[str]) -> Shown | None:
        """See :class:`Face`."""
        if query.verb == "counts":
            return None
        words, said = [query.verb, *_options(query), "--groups", ",".join(groups)], _positional(query)
        text, _ = self._run([*words, *said])
        whole, data = self._run([*words, "--json", *said])
        return Shown(data, f"{text}\n{whole}")

    def _run(self, words: list[str]) -> tuple[str, Any]:
        run = self._runner.invoke(graphrag.console.app, words)
        if isinstance(run.exception, ClewError):
            said = f"clew: {run.exception}"
            error = {"error": type(run.exception).__name__, "message": str(run.exception)}
            return run.stdout + run.stderr + said, error
        assert run.exception is None or isinstance(run.exception, SystemExit), run.exception
        data = json.loads(run.stdout) if "--json" in words else None
        return run.stdout + run.stderr, data


_POSITIONAL = {"search": "question", "ask": "question", "explain": "chain_id"}
_OPTIONS = {"start": "--from", "end": "--to", "max_hops": "--hops", "limit": "--limit"}


def _positional(query: Query) -> list[str]:
    name = _POSITIONAL.get(query.verb)
    return ["--", query.arguments[name]] if name else []


def _options(query: Query) -> list[str]:
    words: list[str] = []
    for name, value in query.arguments.items():
        if name == "types":
            words += [word for type_ in value for word in ("--type", type_)]
        elif name == "where":
            words += [word for key, said in value.items() for word in ("--where", f"{key}={said}")]
        elif value is True:
            words.append(f"--{name}")
        elif name in _OPTIONS:
            words.append(f"{_OPTIONS[name]}={value}")
    return words


def comparable(query: Query, shown: Shown) -> Any:
    """A result without what the word statistics of the whole store may move: scores and order of passages.

    Where passages answer, because no chain is asked for or none is found, it is which of them come first.
    """
    if not isinstance(shown.data, dict) or query.verb not in ("search", "ask"):
        return shown.data
    data = dict(shown.data)
    is_open = read_question(str(query.arguments["question"])).ask is Ask.OPEN
    if is_open:
        data.pop("evidence_score", None)
    if query.verb == "search":
        hits = [{k: v for k, v in hit.items() if k not in ("score", "channels")} for hit in data["hits"]]
        data["hits"] = sorted(hits, key=lambda hit: hit["chunk_id"])
        if is_open:
            data.pop("abstained")
    elif not data["chains"]:
        for name in ("text", "nearest", "citations", *(("abstained",) if is_open else ())):
            data.pop(name)
    return data


# --- random questions ------------------------------------------------------------------------------------------------

_FORMS = {
    "en": (
        "Why did {end} happen?", "What did {start} lead to?", "How did {start} cause {end}?", "{start}",
        "Did {start} cause {end}?", "Tell me about {start} and {end}", "What happened after {start}?",
        "What is the evidence for {end}?",
    ),
    "zh": ("为什么{end}？", "{start}导致了什么？", "{start}如何导致{end}？", "{start}", "{end}之前发生了什么？"),
}  # fmt: skip


class Asking:
    """Draws questions that a caller could ask: of its own things, of those of others, and by any id there is."""

    def __init__(self, corpus: Corpus, owner: KnowledgeBase, seed: int) -> None:
        self._rng = random.Random(seed)
        self._things = [t for named in corpus.named.values() for t in named]
        self._authors = [str(d.metadata["author"]) for d in corpus.documents if "author" in d.metadata]
        self._ids = _every_id(owner, self._things)

    def query(self) -> Query:
        """One more question."""
        verb = self._rng.choices(
            ["explain", "chains", "search", "ask", "documents", "counts"], weights=[45, 25, 10, 10, 7, 3]
        )[0]
        return Query(verb, getattr(self, f"_{verb}")())

    def _explain(self) -> dict[str, Any]:
        name = self._rng.choice(self._ids)
        whole = self._rng.random() < 0.6
        return {"chain_id": name if whole else name[: self._rng.randint(5, 9)]}

    def _chains(self) -> dict[str, Any]:
        start, end = self._two()
        sides = self._rng.choice([("start",), ("end",), ("start", "end")])
        found = {side: words for side, words in (("start", start), ("end", end)) if side in sides}
        more: dict[str, Any] = {"max_hops": self._rng.randint(1, 6), "limit": self._rng.randint(1, 20)}
        if self._rng.random() < 0.2:
            more["types"] = ["causal"]
        return found | more | self._where()

    def _search(self) -> dict[str, Any]:
        return {"question": self._question(), "limit": 80, "widen": self._rng.random() < 0.3} | self._where()

    def _ask(self) -> dict[str, Any]:
        return {"question": self._question()} | self._where()

    def _documents(self) -> dict[str, Any]:
        return self._rng.choice([{}, {"stale": True}, {"failed": True}, {"versions": True}])

    def _counts(self) -> dict[str, Any]:
        return {}

    def _where(self) -> dict[str, Any]:
        if self._rng.random() < 0.85:
            return {}
        return {"where": self._rng.choice([{"year": "2024"}, {"author": self._rng.choice(self._authors)}])}

    def _question(self) -> str:
        start, end = self._two()
        language = "zh" if start.isascii() is False else "en"
        return self._rng.choice(_FORMS[language]).format(start=start, end=end)

    def _two(self) -> tuple[str, str]:
        start = self._rng.choice(self._things)
        ends = [t for t in self._things if t.layer > start.layer and t.language == start.language] or self._things
        end = self._rng.choice(ends)
        by = self._rng.choice("ab")
        return start.said(by=by), end.said(by=by)


def _every_id(owner: KnowledgeBase, things: Sequence[Thing]) -> list[str]:
    """Ids of all relations and chains, stored and walked, that the owner can be shown."""
    graph = owner._stores.graph
    sources = graph.sources(graph.scope(OWNER))
    found: set[str] = set()
    for held in graph.document_graphs([s.document_id for s in sources]):
        found.update(record.id for records in (held.relations, held.chains) for record in records)
    for thing in things[::3]:
        found |= chains_in(owner.chains(start=thing.said(by="a"), limit=20).model_dump(mode="json")).keys()
    found |= {chain.id for chain, _ in graph.derived_chains()}
    return sorted(found)


__all__ = ["Asking", "CommandLineFace", "Face", "OpenStore", "PythonFace", "Query", "Shown", "comparable"]
