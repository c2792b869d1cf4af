"""The asynchronous knowledge base has every public method of the other one, and each does the same."""

from __future__ import annotations

import asyncio
import inspect
from pathlib import Path

from stand_ins import SentenceExtractor, WordEmbedder, WriteFiles

from graphrag import AsyncKnowledgeBase, KnowledgeBase, Settings


def public(cls: type) -> dict[str, object]:
    return {name: member for name, member in vars(cls).items() if not name.startswith("_")}


def test_every_public_member_is_mirrored() -> None:
    assert public(AsyncKnowledgeBase).keys() == public(KnowledgeBase).keys()
    for name in ("__enter__", "__exit__"):
        assert hasattr(KnowledgeBase, name)
        assert hasattr(AsyncKnowledgeBase, name.replace("__", "__a", 1))


def test_every_method_takes_the_same_arguments() -> None:
    for name in public(KnowledgeBase):
        original, mirror = getattr(KnowledgeBase, name), getattr(AsyncKnowledgeBase, name)
        if isinstance(original, property):
            continue
        assert inspect.iscoroutinefunction(mirror), name
        wanted, given = inspect.signature(original).parameters, inspect.signature(mirror).parameters
        if any(p.kind is p.VAR_KEYWORD for p in given.values()):  # passes on what it is given
            given = {n: p for n, p in given.items() if p.kind is not p.VAR_KEYWORD}
            assert given == {n: p for n, p in wanted.items() if n in given}, name
            assert all(p.kind is p.KEYWORD_ONLY for n, p in wanted.items() if n not in given), name
        else:
            assert given == wanted, name


def test_the_loop_runs_asynchronously(tmp_path: Path, files: WriteFiles) -> None:
    async def loop() -> None:
        opened = await AsyncKnowledgeBase.open(
            tmp_path / "store",
            embedder=WordEmbedder(),
            extractor=SentenceExtractor(),
            settings=Settings(cache=tmp_path / "cache"),
        )
        async with opened as kb:
            assert len((await kb.ingest([files()])).added) == 4
            answers = await asyncio.gather(*(kb.ask("Why did the late shipment happen?") for _ in range(4)))
            assert {a.text for a in answers} == {answers[0].text}
            assert not answers[0].abstained
            proposal = (await kb.ask("Why did the late shipment happen?", propose=True)).proposals[0]
            assert (await kb.review(proposal.id)).proposal == proposal
            decision = await kb.accept(proposal.id, reason="it holds", actor="ada")
            assert (await kb.explain(decision.chains[0])).chain.derived
            assert decision.batch is not None
            await kb.rollback(decision.batch, reason="a mistake", actor="ada")
            assert (await kb.verify_ledger()).intact
            assert (await kb.chains(start="the storm")).chains
            assert (await kb.search("heavy rain")).hits
            assert [p.status for p in await kb.proposals()] == ["rolled_back"]
            assert (await kb.remove("port.md")).paths == ("port.md",)
            assert len((await kb.documents()).documents) == 3
            assert (await kb.status()).counts["documents"] == 3

    asyncio.run(loop())
