"""Who may see what: a caller learns nothing of documents of other groups, in no way of asking and in no message."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from stand_ins import OpenKb, SentenceExtractor, WordEmbedder

import graphrag.extractor_choice
import graphrag.opening
from graphrag import Document, KnowledgeBase, console
from graphrag.settings import Settings, load_settings
from storage.errors import ClewError
from storage.records import Chain


# Both groups speak of the flood and of the port; what lies between, and after, only one of them knows.
def of(name: str, groups: str, text: str, **about: Any) -> Document:
    return Document(id=name, text=text, groups=tuple(groups.split()), **about)


A = [
    of("a-rain", "a", "The storm causes the flood.", title="Weather of A"),
    of("a-port", "a", "The flood causes the closed port. The closed port causes the late shipment."),
    of("a-note", "a", "The audit precedes the review.", metadata={"year": 2024}),
    of("a-zh", "a", "暴雨导致停电。停电导致停产。"),
    of("both", "a b", "The strike causes the closed port."),
]
B = [
    of("b-hidden-path", "b", "The storm causes the flood. The zebrafish causes the flood.", title="Zebra title"),
    of("b-bridge", "b", "The flood causes the panic. The panic causes the late shipment."),
    of("b-port", "b", "The flood does not cause the closed port. The closed port may cause the zebrafish."),
    of("b-zh", "b", "斑马导致停电。停产导致裁员。", metadata={"year": 2024}),
    of("b-secret", "", "The storm causes the merger with Zebracorp."),
]
SECRETS = ("zebra", "斑马", "裁员", "panic", "merger", "b-hidden", "b-bridge", "b-port", "b-zh", "b-secret")

QUESTIONS = (
    "Why did the late shipment happen?", "What did the storm lead to?", "How did the storm cause the late shipment?",
    "How did the flood cause the panic?", "Did the flood cause the closed port?", "What caused the flood?",
    "What happened after the audit?", "为什么停产？", "停产导致了什么？", "Why did the merger happen?", "zebrafish",
)  # fmt: skip
ENDS = ("the storm", "the flood", "the closed port", "the late shipment", "the panic", "the zebrafish", "停电", "停产")


def without_scores(value: Any) -> Any:
    """A result without what index statistics may change."""
    if isinstance(value, dict):
        dropped = ("score", "evidence_score", "ingested_at", "channels", "trace")
        return {k: without_scores(v) for k, v in value.items() if k not in dropped}
    return [without_scores(v) for v in value] if isinstance(value, list) else value


def everything(kb: KnowledgeBase, groups: list[str]) -> dict[str, Any]:
    """What a caller of these groups gets out of every way of asking."""
    found: dict[str, Any] = {"documents": kb.documents(groups=groups).model_dump(mode="json")}
    for question in QUESTIONS:
        answer = kb.ask(question, groups=groups).model_dump(mode="json")
        result = kb.search(question, groups=groups, limit=50).model_dump(mode="json")
        result["hits"].sort(key=lambda h: h["chunk_id"])
        answer["nearest"].sort(key=lambda h: h["chunk_id"])
        found[f"ask {question}"] = answer
        found[f"search {question}"] = result
    for start in ENDS:
        found[f"from {start}"] = kb.chains(start=start, groups=groups).model_dump(mode="json")
        found[f"to {start}"] = kb.chains(end=start, groups=groups).model_dump(mode="json")
        for end in ENDS:
            found[f"{start} to {end}"] = kb.chains(start=start, end=end, groups=groups).model_dump(mode="json")
    chains = {c["id"] for name, r in found.items() if " to " in name or name[:5] == "from " for c in r["chains"]}
    for chain in sorted(chains):
        found[f"explain {chain}"] = kb.explain(chain, groups=groups).model_dump(mode="json")
    return without_scores(found)


def check_no_secret(text: str, kb: KnowledgeBase) -> None:
    """No word, path, title or id of what only others may see."""
    lowered = text.lower()
    assert not [s for s in SECRETS if s in lowered and f"'{s}" not in lowered]
    hidden = {d.path: d for d in kb.documents().documents if d.path.startswith("b-")}
    for document in hidden.values():
        assert document.document_id not in text
        assert document.source_id not in text


@pytest.fixture
def alone(open_kb: OpenKb) -> KnowledgeBase:
    """Only what group A may see."""
    kb = open_kb("alone")
    kb.ingest(A)
    return kb


@pytest.fixture
def together(open_kb: OpenKb) -> KnowledgeBase:
    """The documents of both groups; the owner has looked at everything, and accepted a chain through B's documents."""
    kb = open_kb("together")
    kb.ingest([*B, *A])
    question = "How did the flood cause the late shipment?"
    for proposal in kb.ask("Why did the late shipment happen?", propose=True).proposals:
        kb.accept(proposal.id, reason="it holds", actor="owner")
    kb.ask(question)
    for start in ENDS:
        kb.chains(start=start)
        kb.chains(end=start)
    return kb


def test_a_caller_gets_the_same_whether_others_have_documents_or_not(
    alone: KnowledgeBase, together: KnowledgeBase
) -> None:
    expected, found = everything(alone, ["a"]), everything(together, ["a"])
    assert found.keys() == expected.keys()
    for name, result in expected.items():
        if isinstance(result, dict):
            for chain in (*result.get("chains", ()), *([result["chain"]] if "chain" in result else ())):
                chain.pop("stored", None), chain.pop("derived", None)
            for chain in (*found[name].get("chains", ()), *([found[name]["chain"]] if "chain" in found[name] else ())):
                chain.pop("stored", None), chain.pop("derived", None)
        assert found[name] == result, name


def test_nobody_sees_nothing(together: KnowledgeBase) -> None:
    for groups in ([], ["c"], ["A"], [""]):
        assert together.documents(groups=groups).documents == ()
        for question in QUESTIONS:
            answer, result = together.ask(question, groups=groups), together.search(question, groups=groups)
            assert answer.abstained
            assert (answer.nearest, answer.chains, result.hits, result.chains) == ((), (), (), ())
            assert result.evidence_score == 0
        for end in ENDS:
            found = together.chains(start=end, groups=groups)
            assert (found.chains, found.matched_statements) == ((), {"start": ()})


def test_a_chain_needs_every_link_and_is_not_explained_by_its_id(together: KnowledgeBase) -> None:
    hidden = [
        chain for start in ENDS for chain in together.chains(start=start, limit=50).chains
        if any(not any(e.source.startswith(("a-", "both")) for e in link.evidence) for link in chain.links)
    ]  # fmt: skip
    assert hidden
    messages = set()
    for chain in hidden:
        for name in (chain.id, chain.id[:14], chain.links[0].relation_id, chain.links[-1].relation_id[:14]):
            try:
                found = together.explain(name, groups=["a"])
            except ClewError as error:
                told = str(error)
                messages.add(told)
            else:
                told = found.model_dump_json()
            check_no_secret(told.replace(name, ""), together)
            if name.startswith("chn_"):
                assert chain.id not in told.replace(name, "")
    assert messages
    every = Chain(relation_ids=tuple(link.relation_id for link in hidden[0].links)).id
    with pytest.raises(ClewError):
        together.explain(every, groups=["a"])


def test_the_beginning_of_an_id_does_not_tell_of_hidden_ones(together: KnowledgeBase) -> None:
    for kind in ("chn", "rel"):
        for digit in "0123456789abcdef":
            try:
                found = together.explain(f"{kind}_{digit}", groups=["a"]).model_dump_json()
            except ClewError as error:
                found = str(error)
            check_no_secret(found, together)
            for name in {n.strip(" '.?,") for n in found.split() if n.startswith(f"{kind}_") and len(n) > 30}:
                together.explain(name, groups=["a"])  # whatever is named may be seen


def test_a_proposal_through_hidden_links_says_no_more_than_that(together: KnowledgeBase) -> None:
    from storage.records import View

    hidden = together.chains(start="the flood", end="the panic").chains[0].links[0].relation_id
    seen = together.chains(start="the storm", end="the flood", groups=["a"]).chains[0].links[0].relation_id
    view = View(groups=frozenset(["a"]))
    proposal = together.propose([seen, hidden], proposer="mallory", view=view)
    invented = together.propose([seen, "rel_" + "f" * 32], proposer="mallory", view=view)
    assert proposal.status == invented.status == "refused"
    told = [[v.reason.replace(p.relation_ids[1], "ID") for v in p.verdicts] for p in (proposal, invented)]
    assert told[0] == told[1]
    check_no_secret(proposal.model_dump_json().replace("mallory", ""), together)


def test_a_caller_is_told_of_a_documents_groups_only_its_own(together: KnowledgeBase) -> None:
    told = {who: [d.groups for d in together.documents(groups=who).documents if d.path == "both"] for who in "ab"}
    assert told == {"a": [("a",)], "b": [("b",)]}
    assert [d.groups for d in together.documents().documents if d.path == "both"] == [("a", "b")]


def test_what_others_were_shown_is_not_explained_by_the_beginning_of_its_id(together: KnowledgeBase) -> None:
    shown = together.chains(start="the storm", end="the late shipment", groups=["a"]).chains[0]
    assert not shown.stored
    assert together.explain(shown.id[:12], groups=["a"]).chain.id == shown.id
    assert together.explain(shown.id).chain.id == shown.id  # to the owner
    together.ingest([d.model_copy(update={"groups": ("a", "c")}) for d in A])
    with pytest.raises(ClewError):  # may read all of it, and learns not that it was asked for
        together.explain(shown.id[:12], groups=["c"])


def test_other_groups_take_effect_at_once_everywhere(together: KnowledgeBase) -> None:
    assert together.chains(start="the flood", end="the panic", groups=["b"]).chains
    together.ingest([d for d in B if d.id == "b-bridge"], groups=["c"])
    assert not together.chains(start="the flood", end="the panic", groups=["b"]).chains
    assert not [h for h in together.search("panic", groups=["b"]).hits if "panic" in h.text]
    assert together.chains(start="the flood", end="the panic", groups=["c"]).chains


# the command line


Clew = Callable[..., tuple[int, str, str]]


@pytest.fixture
def clew(
    together: KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Clew:
    monkeypatch.setattr(graphrag.opening, "open_embedder", lambda *_, **__: WordEmbedder())
    monkeypatch.setattr(graphrag.extractor_choice, "default_extractor", SentenceExtractor)
    monkeypatch.setenv("CLEW_STORE", str(tmp_path / "together"))
    monkeypatch.setenv("CLEW_CACHE", str(tmp_path / "cache"))

    def run(*arguments: str) -> tuple[int, str, str]:
        capfd.readouterr()
        monkeypatch.setattr(sys, "argv", ["clew", *arguments])
        with pytest.raises(SystemExit) as end:
            console.main()
        sys.stdout.flush()
        out, err = capfd.readouterr()
        code = end.value.code
        return (code if isinstance(code, int) else int(code is not None)), out, err

    return run


def test_the_command_line_shows_a_group_what_python_shows_it(clew: Clew, together: KnowledgeBase) -> None:
    for arguments in (
        *(("ask", q, "--trace") for q in QUESTIONS[:6]),
        *(("search", q) for q in QUESTIONS[:4]),
        *(("chains", "--from", e) for e in ENDS[:4]),
        ("documents",),
        ("documents", "--failed"),
        ("explain", "chn_1"),
        ("explain", "rel_"),
    ):
        for form in ((), ("--json",)):
            _, out, err = clew(*arguments, "--groups", "a", *form)
            shown = (out + err).replace(json.dumps(arguments[1])[1:-1] if len(arguments) > 1 else "\0", "")
            check_no_secret(shown, together)
    code, out, _ = clew("documents", "--groups", "", "--json")
    assert (code, json.loads(out)) == (0, {"documents": [], "failed": []})
    code, out, _ = clew("ask", QUESTIONS[0], "--groups", " , ", "--json")
    assert (code, json.loads(out)["nearest"]) == (3, [])


def test_failures_of_files_are_for_the_owner(together: KnowledgeBase) -> None:
    together.ingest([Document(id="b-empty-zebra", text=" ", groups=("b",))])
    assert together.documents(failed=True).failed
    assert together.documents(failed=True, groups=["a"]).failed == ()


# secrets


KEY = "sk-planted-0123456789abcdef"


def test_a_key_is_never_shown(clew: Clew, together: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    shown = []
    for arguments in (("doctor",), ("doctor", "--json"), ("status",), ("status", "--json"), ("explain", "x")):
        shown += clew(*arguments)[1:]
    monkeypatch.setenv("CLEW_MAX_HOPS", "many")
    shown += clew("status")[1:]
    monkeypatch.delenv("CLEW_MAX_HOPS")
    monkeypatch.setenv("CLEW_EMBEDDER", "openai:nothing")
    shown += clew("doctor")[1:]
    settings = Settings(openai_api_key=KEY)
    shown += [repr(settings), str(settings), settings.model_dump_json(), repr(together.settings), repr(together)]
    assert not [text for text in shown if KEY in text]


def test_a_key_in_the_wrong_place_is_not_repeated_in_the_error(tmp_path: Path) -> None:
    for environ in ({"OPENAI_API_KEY": KEY, "CLEW_MAX_HOPS": KEY}, {"CLEW_CHUNK_TOKENS": KEY}, {"CLEW_LOCK_WAIT": KEY}):
        with pytest.raises(ClewError) as raised:
            load_settings(tmp_path, environ=environ)
        assert KEY not in str(raised.value)
    (tmp_path / "clew.toml").write_text(f'openai_api_key = ["{KEY}"]\n')
    with pytest.raises(ClewError) as raised:
        load_settings(tmp_path, environ={})
    assert KEY not in str(raised.value)
